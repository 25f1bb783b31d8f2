use super::{heading, place, unresolved};
use crate::text::counted;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::neighbours::{Neighbour, Neighbours};

impl Show for Neighbours {
    fn text(&self, out: &mut Painter) {
        let words = if self.asked == "callers" { "of this name" } else { "in it" };
        let shown = counted(self.found.len() as u64, "symbol", "symbols");
        let more = format!("{shown} shown; there are more: -n shows them");
        if !out.look().is_tty {
            rows(&self.found, &self.standing.repo, out);
            unresolved(self.unresolved, &self.unresolved_sites, words, out);
            if self.truncated {
                out.text(&format!("# {more}")).end();
            }
            return;
        }
        heading(&self.symbol, out);
        if self.found.is_empty() {
            out.label(Label::Faint, &format!("no {}", self.asked)).end();
        } else {
            tree(&self.found, &self.standing.repo, out);
        }
        unresolved(self.unresolved, &self.unresolved_sites, words, out);
        if self.truncated {
            out.footer(&more);
        }
    }
}

/// Tab-separated, one row per symbol.
pub(super) fn rows(found: &[Neighbour], home: &str, out: &mut Painter) {
    let names = ["depth", "kind", "symbol", "place", "edge", "site", "confidence"];
    let mut table = Table::new(names.map(Column::new));
    for one in found {
        table.row([
            Cell::text(one.depth.to_string()),
            Cell::text(&one.at.kind),
            Cell::text(name(one, home)),
            Cell::text(place(&one.at.path, one.at.line)),
            Cell::text(&one.edge),
            Cell::text(place(&one.site_path, one.site_line)),
            Cell::text(format!("{:.2}", one.confidence)),
        ]);
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

/// Short in the repository asked about, with its repository elsewhere.
fn name<'n>(one: &'n Neighbour, home: &str) -> &'n str {
    let is_here = one.at.qualified_name.split_once("://").is_some_and(|(repo, _)| repo == home);
    if is_here { &one.at.symbol } else { &one.at.qualified_name }
}

/// `app.Flask.run  src/app.py:12  .95`; with its repository where that is
/// another one than `home`.
pub(super) fn line(one: &Neighbour, home: &str, out: &mut Painter) {
    out.text(name(one, home)).text("  ");
    out.label(Label::Path, &place(&one.site_path, one.site_line));
    let mut words = Vec::new();
    if one.sites > 1 {
        words.push(format!("{} times", one.sites));
    }
    if one.edge != "calls" {
        words.push(one.edge.clone());
    }
    if one.confidence < 0.8 {
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
