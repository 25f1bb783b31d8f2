use super::{heading, mark, note, place, short_name};
use crate::text::counted;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::agent_text;
use insight::code::resolve::Match;
use insight::code::symbol::{SymbolDetail, Symbols};
use model::text::one_line;

impl Show for Symbols {
    fn agent(&self) -> Option<String> {
        Some(agent_text::symbols(self))
    }

    fn text(&self, out: &mut Painter) {
        let mark = mark(out);
        if self.matched == Match::Prefix {
            out.label(Label::Faint, &format!("{mark}no symbol has this name; beginning so:")).end();
        }
        if self.matched == Match::Words {
            out.label(Label::Faint, &format!("{mark}no symbol has this name; by its words:")).end();
        }
        if !out.look().is_tty {
            rows(self, out);
        }
        for symbol in self.symbols.iter().filter(|_| out.look().is_tty).collect::<Vec<_>>() {
            out.gap();
            block(symbol, &self.standing.repo, out);
        }
        if self.symbols.is_empty() {
            out.label(Label::Faint, &format!("{mark}nothing matches"));
            if !self.suggestions.is_empty() {
                out.label(Label::Faint, "; did you mean: ");
                out.label(Label::Id, &self.suggestions.join(", "));
            }
            out.end();
        }
        let n_shown = self.symbols.len() as u64;
        if n_shown < self.total {
            note(&format!("{n_shown} of {}; -n shows more", self.total), out);
        }
    }
}

fn rows(symbols: &Symbols, out: &mut Painter) {
    let names =
        ["kind", "symbol", "place", "callers", "callees", "references", "unresolved", "signature"];
    let mut table = Table::new(names.map(Column::new));
    for symbol in &symbols.symbols {
        table.row([
            Cell::text(symbol.at.kind.as_str()),
            Cell::text(short_name(&symbol.at, &symbols.standing.repo)),
            Cell::text(place(&symbol.at.path, symbol.at.line)),
            Cell::text(symbol.callers.to_string()),
            Cell::text(symbol.callees.to_string()),
            Cell::text(symbol.references.to_string()),
            Cell::text(symbol.unresolved.to_string()),
            Cell::text(&symbol.signature),
        ]);
    }
    out.table(&table);
}

fn block(symbol: &SymbolDetail, home: &str, out: &mut Painter) {
    heading(&symbol.at, home, out);
    let room = out.look().width.saturating_sub(2);
    if !symbol.signature.is_empty() {
        out.text("  ").text(&one_line(&symbol.signature, room)).end();
    }
    if let Some(first) = symbol.doc.lines().find(|line| !line.trim().is_empty()) {
        out.text("  ").label(Label::Faint, &one_line(first, room)).end();
    }
    let mut words = vec![
        counted(symbol.callers, "caller", "callers"),
        counted(symbol.callees, "callee", "callees"),
    ];
    if symbol.references > 0 {
        words.push(counted(symbol.references, "reference", "references"));
    }
    if symbol.unresolved > 0 {
        let sites = counted(symbol.unresolved, "unresolved call", "unresolved calls");
        words.push(format!("{sites} of this name"));
    }
    out.text("  ").label(Label::Faint, &words.join(", ")).end();
    for reference in &symbol.referenced_by {
        out.label(Label::Faint, "  named by ").text(&reference.symbol).text("  ");
        out.label(Label::Path, &place(&reference.path, reference.line)).end();
    }
    let n_more = symbol.references.saturating_sub(symbol.referenced_by.len() as u64);
    if n_more > 0 {
        out.label(Label::Faint, &format!("  and {n_more} more; lore impact tells them")).end();
    }
}
