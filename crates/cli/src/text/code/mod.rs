//! How answers about code read: trees, places that can be opened, and what
//! could not be told.

mod communities;
pub mod export;
mod find;
mod flow;
mod fsck;
mod impact;
mod ledger;
mod map;
mod naming;
mod neighbours;
mod outline;
mod owners;
mod proof;
mod read;
mod routes;
mod symbol;

use crate::ui::{Label, Painter};
use insight::agent_text::shown_path;
use insight::code::SymbolRef;
use insight::code::neighbours::UnresolvedSite;

pub(crate) use naming::{short_name, short_reference, short_repo};

/// `src/app.py:12`, the form editors and terminals understand.
pub(crate) fn place(path: &str, line: u32) -> String {
    // What another repository defines has no place here.
    if path.is_empty() {
        return String::new();
    }
    format!("{}:{line}", shown_path(path))
}

/// What lines that are no rows begin with: nothing on a terminal, `# ` in a pipe,
/// so that programs can leave them out.
fn mark(out: &Painter) -> &'static str {
    if out.look().is_tty { "" } else { "# " }
}

/// `method app.Flask.run  src/app.py:12`
fn heading(symbol: &SymbolRef, home: &str, out: &mut Painter) {
    let mark = mark(out);
    out.text(mark).label(Label::Faint, symbol.kind.as_str()).text(" ");
    out.label(Label::Heading, &short_name(symbol, home));
    out.text("  ").label(Label::Path, &place(&symbol.path, symbol.line)).end();
}

/// What could not be resolved, with the first sites and the symbols they stand in. In a
/// pipe too: a list that leaves them out would be taken for complete.
fn unresolved(bound: u64, total: u64, sites: &[UnresolvedSite], words: &str, out: &mut Painter) {
    if total == 0 {
        return;
    }
    let mark = mark(out);
    let calls = super::counted(total, "call", "calls");
    let all = super::grouped(bound + total);
    let line = match bound {
        0 => format!("{mark}{calls} {words} could not be resolved"),
        _ => format!(
            "{mark}{} of {all} calls {words} are bound; {} could not be resolved",
            super::grouped(bound),
            super::grouped(total)
        ),
    };
    out.label(Label::Warning, &line).end();
    for site in sites {
        out.text(mark).text("  ").label(Label::Path, &place(&site.path, site.line));
        out.text("  ").text(&model::text::one_line(&site.text, 60));
        if !site.within.is_empty() {
            out.label(Label::Faint, &format!("  in {}", site.within));
        }
        out.end();
    }
    let n_more = total.saturating_sub(sites.len() as u64);
    if n_more > 0 && !sites.is_empty() {
        let more = super::counted(n_more, "more", "more");
        out.label(Label::Faint, &format!("{mark}  and {more}")).end();
    }
}

/// What stands at the end: on a terminal faint, in a pipe no row.
fn note(text: &str, out: &mut Painter) {
    if out.look().is_tty {
        out.footer(text);
    } else {
        out.text("# ").text(text).end();
    }
}

/// What no reader of source can see.
const UNSEEN: &str = "reflection, generated code, configuration and repositories that are not \
                      indexed are not seen";
