//! How answers about code read: trees, places that can be opened, and what
//! could not be told.

mod communities;
pub mod export;
mod flow;
mod fsck;
mod impact;
mod ledger;
mod neighbours;
mod owners;
mod proof;
mod routes;
mod symbol;

use crate::ui::{Label, Painter};
use insight::code::SymbolRef;
use insight::code::neighbours::UnresolvedSite;

/// `src/app.py:12`, the form editors and terminals understand.
fn place(path: &str, line: u32) -> String {
    // What another repository defines has no place here.
    if path.is_empty() {
        return String::new();
    }
    format!("{path}:{line}")
}

/// `method app.Flask.run  src/app.py:12`
fn heading(symbol: &SymbolRef, out: &mut Painter) {
    out.label(Label::Faint, &symbol.kind).text(" ").label(Label::Heading, &symbol.symbol);
    out.text("  ").label(Label::Path, &place(&symbol.path, symbol.line)).end();
}

/// What could not be bound, with the first sites. In a pipe these are lines
/// that begin with `#`: a list that leaves them out would be taken for complete.
fn unresolved(total: u64, sites: &[UnresolvedSite], words: &str, out: &mut Painter) {
    if total == 0 {
        return;
    }
    let mark = if out.look().is_tty { "" } else { "# " };
    let calls = super::counted(total, "call", "calls");
    out.label(Label::Warning, &format!("{mark}{calls} {words} could not be resolved")).end();
    for site in sites {
        out.text(mark).text("  ").label(Label::Path, &place(&site.path, site.line));
        out.text("  ").text(&model::text::one_line(&site.text, 60)).end();
    }
    let n_more = total.saturating_sub(sites.len() as u64);
    if n_more > 0 && !sites.is_empty() {
        let more = super::counted(n_more, "more", "more");
        out.label(Label::Faint, &format!("{mark}  and {more}")).end();
    }
}
