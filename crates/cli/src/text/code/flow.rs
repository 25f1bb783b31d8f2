use super::{heading, place};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::flow::Flow;

impl Show for Flow {
    fn text(&self, out: &mut Painter) {
        if !out.look().is_tty {
            rows(self, out);
            return;
        }
        heading(&self.from, out);
        if self.paths.is_empty() {
            let words = if self.truncated { "no way found within these limits" } else { "no way" };
            out.label(Label::Faint, &format!("{words} to {}", self.to.symbol)).end();
        }
        for (nth, path) in self.paths.iter().enumerate() {
            if nth > 0 {
                out.label(Label::Faint, "or").end();
            }
            for (depth, step) in path.steps.iter().enumerate() {
                out.text(&"  ".repeat(depth)).label(Label::Faint, "└─ ");
                out.text(&step.at.symbol).text("  ");
                out.label(Label::Path, &place(&step.site_path, step.site_line)).end();
            }
        }
        if self.truncated && !self.paths.is_empty() {
            out.footer("there may be more ways");
        }
    }
}

fn rows(flow: &Flow, out: &mut Painter) {
    let names = ["path", "step", "kind", "symbol", "place", "edge", "site", "confidence"];
    let mut table = Table::new(names.map(Column::new));
    for (nth, path) in flow.paths.iter().enumerate() {
        for (depth, step) in path.steps.iter().enumerate() {
            table.row([
                Cell::text((nth + 1).to_string()),
                Cell::text((depth + 1).to_string()),
                Cell::text(&step.at.kind),
                Cell::text(&step.at.qualified_name),
                Cell::text(place(&step.at.path, step.at.line)),
                Cell::text(&step.edge),
                Cell::text(place(&step.site_path, step.site_line)),
                Cell::text(format!("{:.2}", step.confidence)),
            ]);
        }
    }
    out.table(&table);
}
