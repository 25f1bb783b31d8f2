use super::{heading, mark, note, place, short_name};
use crate::text::counted;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::agent_text;
use insight::code::SymbolRef;
use insight::code::flow::{Flow, FlowStep};
use insight::code::gap::FlowGap;
use model::code::EdgeKind;

impl Show for Flow {
    fn agent(&self) -> Option<String> {
        agent_text::flow(self)
    }

    fn text(&self, out: &mut Painter) {
        let home = &self.standing.repo;
        if let Some(gap) = &self.gap {
            heading(&self.from, home, out);
            gap_text(self, gap, out);
            return;
        }
        if self.paths.is_empty() {
            heading(&self.from, home, out);
            let mark = mark(out);
            out.label(Label::Faint, &format!("{mark}both ends are the same symbol")).end();
            return;
        }
        if out.look().is_tty {
            tree(self, out);
        } else {
            rows(self, out);
        }
        if self.truncated {
            note("there may be more ways", out);
        }
        others(&self.from, self.other_starts, out);
        others(&self.to, self.other_ends, out);
    }
}

/// Which of several symbols of a name the way is about.
fn others(of: &SymbolRef, n_others: u64, out: &mut Painter) {
    if n_others > 0 {
        let name = of.symbol.rsplit('.').next().unwrap_or(&of.symbol);
        let more = counted(n_others, "more", "more");
        let at = place(&of.path, of.line);
        note(&format!("`{name}` is {at}; {more} of this name: lore symbol {name}"), out);
    }
}

fn tree(flow: &Flow, out: &mut Painter) {
    let home = &flow.standing.repo;
    for (nth, path) in flow.paths.iter().enumerate() {
        if nth > 0 {
            out.label(Label::Faint, "or").end();
        }
        if nth == 0 || path.start != flow.paths[nth - 1].start {
            heading(&path.start, home, out);
        }
        for (depth, step) in path.steps.iter().enumerate() {
            out.text(&"  ".repeat(depth)).label(Label::Faint, "└─ ");
            out.text(&short_name(&step.at, home)).text("  ");
            out.label(Label::Path, &place(&step.site_path, step.site_line));
            if is_dispatch(step) {
                out.label(Label::Faint, "  may be dispatched here");
            }
            out.end();
        }
    }
}

fn is_dispatch(step: &FlowStep) -> bool {
    step.edge == EdgeKind::Overrides
}

fn gap_text(flow: &Flow, gap: &FlowGap, out: &mut Painter) {
    let mark = mark(out);
    let home = &flow.standing.repo;
    let limits = if flow.truncated { " within these limits" } else { "" };
    let to = short_name(&flow.to, home);
    out.text(&format!("{mark}no way along resolved calls to {to}{limits}")).end();
    if let Some(furthest) = gap.furthest.as_ref().filter(|_| gap.furthest_depth > 0) {
        let reached = counted(gap.reached, "symbol", "symbols");
        let steps = counted(u64::from(gap.furthest_depth), "step", "steps");
        let at = place(&furthest.path, furthest.line);
        let name = short_name(furthest, home);
        out.text(&format!("{mark}reached {reached}, furthest {name} ({at}) after {steps}")).end();
    }
    if gap.unresolved == 0 {
        out.text(&format!("{mark}every call on the way is resolved")).end();
        return;
    }
    let calls = counted(gap.unresolved, "call", "calls");
    let words = if gap.breaks.iter().any(|it| it.may_mean.is_some()) {
        "; it may go on at:"
    } else if gap.breaks.is_empty() {
        ""
    } else {
        "; the furthest:"
    };
    let line = format!("{mark}{calls} on the way could not be resolved{words}");
    out.label(Label::Warning, &line).end();
    for one in &gap.breaks {
        out.text(mark).text("  ").label(Label::Path, &place(&one.site.path, one.site.line));
        out.text("  ").text(&model::text::one_line(&one.site.text, 60));
        out.label(Label::Faint, &format!("  in {}", one.site.within));
        if let Some(meant) = &one.may_mean {
            let left = match one.steps_left {
                Some(n) if n > 0 => {
                    format!(", {} from the end", counted(n.into(), "step", "steps"))
                }
                _ => String::new(),
            };
            let name = short_name(meant, home);
            out.label(Label::Faint, &format!("; may mean {name}{left}"));
        }
        out.end();
    }
}

fn rows(flow: &Flow, out: &mut Painter) {
    let home = &flow.standing.repo;
    let names = ["path", "step", "kind", "symbol", "place", "edge", "site", "confidence"];
    let mut table = Table::new(names.map(Column::new));
    for (nth, path) in flow.paths.iter().enumerate() {
        table.row([
            Cell::text((nth + 1).to_string()),
            Cell::text("0"),
            Cell::text(path.start.kind.as_str()),
            Cell::text(short_name(&path.start, home)),
            Cell::text(place(&path.start.path, path.start.line)),
        ]);
        for (depth, step) in path.steps.iter().enumerate() {
            table.row([
                Cell::text((nth + 1).to_string()),
                Cell::text((depth + 1).to_string()),
                Cell::text(step.at.kind.as_str()),
                Cell::text(short_name(&step.at, home)),
                Cell::text(place(&step.at.path, step.at.line)),
                Cell::text(step.edge.as_str()),
                Cell::text(place(&step.site_path, step.site_line)),
                Cell::text(format!("{:.2}", step.confidence)),
            ]);
        }
    }
    out.table(&table);
}
