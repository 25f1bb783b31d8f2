use super::{UNSEEN, heading, mark, note, place, short_name, unresolved};
use crate::text::{counted, runtime};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::agent_text;
use insight::code::SymbolRef;
use insight::code::indirect::{IndirectKind, IndirectUse};
use insight::code::neighbours::{Neighbour, Neighbourhood, Neighbours, Question};
use insight::code::unread::UnreadUses;
use model::code::EdgeKind;

impl Show for Neighbours {
    fn agent(&self) -> Option<String> {
        Some(agent_text::neighbours(self))
    }

    fn text(&self, out: &mut Painter) {
        let home = &self.standing.repo;
        let is_one_of_many = !self.candidates.is_empty();
        block(&self.of, self.asked, home, is_one_of_many, out);
        runtime::weight(self.runtime.as_ref(), home, out);
        let empty = match self.empty_candidates {
            0 => String::new(),
            n => format!("{n} more of this name: no {}; ", self.asked.as_str()),
        };
        if !is_one_of_many {
            if !empty.is_empty() {
                note(empty.trim_end_matches("; "), out);
            }
            return;
        }
        let mark = mark(out);
        // Who asks about something that is called did not mean a field of that name.
        let is_called = !is_holder(&self.of);
        let (lesser, others): (Vec<&Neighbourhood>, Vec<&Neighbourhood>) =
            self.candidates.iter().partition(|it| is_called && is_holder(it));
        gap(out);
        out.label(Label::Warning, &format!("{mark}the name also means:")).end();
        for candidate in others {
            gap(out);
            block(candidate, self.asked, home, true, out);
        }
        for candidate in lesser {
            heading(&candidate.symbol, home, out);
        }
        let asked = self.asked.as_str();
        let one = place(&self.of.symbol.path, self.of.symbol.line);
        let more = match self.more_candidates {
            0 => String::new(),
            n => format!("{n} more have this name; "),
        };
        note(&format!("{more}{empty}one alone: lore {asked} {one}"), out);
    }
}

fn gap(out: &mut Painter) {
    if out.look().is_tty {
        out.gap();
    }
}

/// Whether it only holds others, or a value.
fn is_holder(of: &Neighbourhood) -> bool {
    let kind = of.symbol.kind.as_str();
    matches!(kind, "module" | "package" | "const" | "var" | "field" | "column")
}

fn block(of: &Neighbourhood, asked: Question, home: &str, is_headed: bool, out: &mut Painter) {
    let mark = mark(out);
    let is_tty = out.look().is_tty;
    let is_alone =
        of.overloads.is_empty() && of.definitions.is_empty() && of.declarations.is_empty();
    if is_tty || is_headed || of.found.is_empty() || !is_alone {
        heading(&of.symbol, home, out);
    }
    if !of.overloads.is_empty() {
        let places = places(&of.symbol, &of.overloads);
        let words = format!("{mark}with its overloads {places}; --split for each by itself");
        out.label(Label::Faint, &words).end();
    }
    let mut written = Vec::new();
    if !of.definitions.is_empty() {
        let places = places(&of.symbol, &of.definitions);
        written.push(format!("one of {} definitions: {places}", of.definitions.len() + 1));
    }
    if !of.declarations.is_empty() {
        written.push(format!("declared {}", places(&of.symbol, &of.declarations)));
    }
    if !written.is_empty() {
        out.label(Label::Faint, &format!("{mark}{}", written.join("; "))).end();
    }
    if of.found.is_empty() {
        out.label(Label::Faint, &format!("{mark}{}", nothing(of, asked))).end();
    } else if is_tty {
        tree(&of.found, home, out);
    } else {
        rows(&of.found, home, out);
    }
    if of.truncated {
        let shown = counted(of.found.len() as u64, "symbol", "symbols");
        out.label(Label::Faint, &format!("{mark}{shown} shown; there are more: -n shows them"));
        out.end();
    }
    for uses in &of.indirect {
        indirect(uses, home, out);
    }
    let words = if asked == Question::Callers { "of this name" } else { "in it" };
    unresolved(of.bound, of.unresolved, &of.unresolved_sites, words, out);
    if let Some(uses) = &of.unread {
        unread(uses, out);
    }
}

/// Lines that have the name in files that are not read.
fn unread(uses: &UnreadUses, out: &mut Painter) {
    let mark = mark(out);
    let verb = if uses.total == 1 { "has" } else { "have" };
    let lines = counted(uses.total, "line", "lines");
    let words = format!("{mark}{lines} in files of languages that are not read {verb} the name:");
    out.label(Label::Warning, &words).end();
    for one in &uses.lines {
        out.text(mark).text("  ").label(Label::Path, &place(&one.path, one.line));
        out.text("  ").text(&one.text).end();
    }
    let n_more = uses.total.saturating_sub(uses.lines.len() as u64);
    if n_more > 0 {
        out.label(Label::Faint, &format!("{mark}  and {}", counted(n_more, "more", "more"))).end();
    }
}

/// Where symbols stand; beside the one they belong to by the line alone.
fn places(of: &SymbolRef, others: &[SymbolRef]) -> String {
    const MOST: usize = 8;
    let mut lines: Vec<String> = others
        .iter()
        .take(MOST)
        .map(|it| {
            let is_beside = it.path == of.path;
            if is_beside { format!(":{}", it.line) } else { place(&it.path, it.line) }
        })
        .collect();
    let n_more = others.len().saturating_sub(lines.len());
    lines.extend((n_more > 0).then(|| format!("{n_more} more")));
    lines.join(", ")
}

fn nothing(of: &Neighbourhood, asked: Question) -> String {
    let is_known = !of.indirect.is_empty() || of.unresolved > 0 || of.unread.is_some();
    match asked {
        Question::Callers if is_known => "no direct callers among resolved calls".to_owned(),
        Question::Callers => format!("no callers; {UNSEEN}"),
        Question::Callees => "no callees among resolved calls".to_owned(),
        Question::Overrides => "nothing indexed overrides it".to_owned(),
        Question::Subtypes => "nothing indexed inherits from it".to_owned(),
    }
}

fn indirect(uses: &IndirectUse, home: &str, out: &mut Painter) {
    let mark = mark(out);
    let n = uses.total;
    let words = match (uses.how, &uses.via) {
        (IndirectKind::ThroughBase, Some(via)) => {
            let callers = counted(n, "caller", "callers");
            let at = place(&via.path, via.line);
            format!("may be called through {} ({at}), {callers}:", short_name(via, home))
        }
        (IndirectKind::ThroughBase, None) => "may be called through what it overrides:".to_owned(),
        (IndirectKind::OverriddenBy, _) => {
            let methods = counted(n, "overriding method", "overriding methods");
            format!("a call may be dispatched to {methods}:")
        }
        (IndirectKind::ByContract, _) => {
            format!("reached by {}:", counted(n, "route or contract", "routes or contracts"))
        }
        (IndirectKind::ByClient, Some(via)) => {
            let at = place(&via.path, via.line);
            let clients = counted(n, "client", "clients");
            format!("called through the contract {} ({at}) by {clients}:", short_name(via, home))
        }
        (IndirectKind::ByClient, None) => "called through a contract:".to_owned(),
        (IndirectKind::AsValue, _) => {
            format!("passed, stored or named by {}:", counted(n, "symbol", "symbols"))
        }
        (IndirectKind::AsType, _) => {
            format!("named or inherited by {}:", counted(n, "symbol", "symbols"))
        }
        (IndirectKind::Bases, _) => format!("its own {}:", counted(n, "base", "bases")),
    };
    out.label(Label::Warning, &format!("{mark}{words}")).end();
    for one in &uses.uses {
        out.text(mark).text("  ");
        line(one, home, out);
    }
    let n_more = n.saturating_sub(uses.uses.len() as u64);
    if n_more > 0 {
        out.label(Label::Faint, &format!("{mark}  and {}", counted(n_more, "more", "more"))).end();
    }
}

/// Tab-separated, one row per symbol.
pub(super) fn rows(found: &[Neighbour], home: &str, out: &mut Painter) {
    let names = ["depth", "kind", "symbol", "place", "edge", "site", "confidence", "provenance"];
    let n_columns = names.len() - usize::from(!out.look().is_verbose);
    let mut table = Table::new(names.map(Column::new).into_iter().take(n_columns));
    for one in found {
        let cells = [
            Cell::text(one.depth.to_string()),
            Cell::text(one.at.kind.as_str()),
            Cell::text(short_name(&one.at, home)),
            Cell::text(place(&one.at.path, one.at.line)),
            Cell::text(one.edge.as_str()),
            Cell::text(place(&one.site_path, one.site_line)),
            Cell::text(format!("{:.2}", one.confidence)),
            Cell::text(one.provenance.as_str()),
        ];
        table.row(cells.into_iter().take(n_columns));
    }
    out.table(&table);
}

/// Each under the one it was reached from.
fn tree(found: &[Neighbour], home: &str, out: &mut Painter) {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    let mut top = Vec::new();
    for (at, one) in found.iter().enumerate() {
        match one.parent {
            Some(parent) => below[parent].push(at),
            None => top.push(at),
        }
    }
    branch(found, home, &below, &top, "", out);
}

fn branch(
    found: &[Neighbour],
    home: &str,
    below: &[Vec<usize>],
    level: &[usize],
    margin: &str,
    out: &mut Painter,
) {
    for (nth, at) in level.iter().enumerate() {
        let is_last = nth + 1 == level.len();
        let one = &found[*at];
        out.label(Label::Faint, &format!("{margin}{}", if is_last { "└─ " } else { "├─ " }));
        line(one, home, out);
        let inner = format!("{margin}{}", if is_last { "   " } else { "│  " });
        branch(found, home, below, &below[*at], &inner, out);
    }
}

/// `app.Flask.run  src/app.py:12  .95`; with its repository where that is
/// another one than `home`.
pub(super) fn line(one: &Neighbour, home: &str, out: &mut Painter) {
    out.text(&short_name(&one.at, home)).text("  ");
    out.label(Label::Path, &place(&one.site_path, one.site_line));
    let mut words = Vec::new();
    if one.sites > 1 {
        words.push(format!("{} times", one.sites));
    }
    if one.edge != EdgeKind::Calls {
        words.push(one.edge.to_string());
    }
    if let Some(base) = &one.through {
        words.push(format!("through {base}"));
    }
    if let Some(n) = one.one_of {
        words.push(format!("one of {n} definitions"));
    }
    if out.look().is_verbose {
        words.push(one.provenance.to_string());
    }
    if one.confidence < 0.8 || out.look().is_verbose {
        words.push(format!("confidence {:.2}", one.confidence));
    }
    if one.at.is_test {
        words.push("test".to_owned());
    }
    if !words.is_empty() {
        out.text("  ").label(Label::Faint, &words.join(", "));
    }
    out.end();
}
