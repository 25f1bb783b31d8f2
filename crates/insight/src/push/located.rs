//! Symbols of a file where they stand now: the index knows where they stood.

use crate::code::{View, exact_file};
use model::Result;
use model::code::NodeKind;
use model::ids::NodeId;
use store::code::outline::Symbol;
use store::code::snapshots::Member;

/// Lines of a file, both counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

impl LineRange {
    pub const WHOLE: LineRange = LineRange { first: 1, last: u32::MAX };

    fn overlaps(self, other: LineRange) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    pub fn holds(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

/// A symbol of a file.
#[derive(Debug, Clone)]
pub(super) struct LocatedSymbol {
    pub node: NodeId,
    pub name: String,
    /// `app.Flask.run`
    pub symbol: String,
    /// The signature up to the name: `def total`.
    pub head: String,
    pub is_test: bool,
    pub lines: LineRange,
}

/// The file of exactly this path in the snapshot.
pub(super) fn member(view: &View<'_>, path: &str) -> Result<Option<Member>> {
    exact_file(view, path)
}

/// What a file defines, as far as edits and reads can mean it: no modules, fields or
/// variables. With its text as it is now, the lines are those of the text.
pub(super) fn symbols(
    view: &View<'_>,
    member: Member,
    text: Option<&str>,
) -> Result<Vec<LocatedSymbol>> {
    let (outline, nodes) = (view.outline(member.file)?, view.nodes_of(member.file)?);
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for (entry, node) in outline.iter().zip(nodes.iter()) {
        if matches!(entry.kind, NodeKind::Module | NodeKind::Field | NodeKind::Var) {
            continue;
        }
        let Some(row) = view.node(*node)? else { continue };
        found.push(LocatedSymbol {
            node: *node,
            name: row.name.clone(),
            symbol: row.symbol(),
            head: head_of(&entry.signature, &row.name),
            is_test: entry.is_test,
            lines: LineRange { first: entry.start_line, last: entry.end_line },
        });
        entries.push(entry.clone());
    }
    if let Some(text) = text {
        relocate(&mut found, &entries, text);
    }
    Ok(found)
}

/// How far a symbol is looked for from where it is expected.
const FARTHEST: i64 = 2_000;

/// Moves symbols to the lines on which their names stand in a text, in order: each
/// is looked for from where the one before it has moved to.
fn relocate(symbols: &mut [LocatedSymbol], entries: &[Symbol], text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let mut shift = 0_i64;
    for (symbol, entry) in symbols.iter_mut().zip(entries) {
        let expected = i64::from(entry.name_line) + shift;
        if let Some(line) = nearest(&lines, expected, &symbol.name, &symbol.head) {
            shift = line - i64::from(entry.name_line);
        }
        let moved = |line: u32| u32::try_from((i64::from(line) + shift).max(1)).unwrap_or(line);
        symbol.lines = LineRange { first: moved(entry.start_line), last: moved(entry.end_line) };
    }
}

/// The signature up to its name: `def total`.
pub(super) fn head_of(signature: &str, name: &str) -> String {
    let line = signature.lines().next().unwrap_or_default().trim();
    match line.find(name) {
        Some(at) => line[..at + name.len()].to_owned(),
        None => name.to_owned(),
    }
}

/// The line nearest to the one expected that has the head, else the name.
pub(super) fn nearest(lines: &[&str], expected: i64, name: &str, head: &str) -> Option<i64> {
    let line_at =
        |number: i64| usize::try_from(number - 1).ok().and_then(|at| lines.get(at)).copied();
    let fits = |number: i64, wanted: &str| line_at(number).is_some_and(|it| has_word(it, wanted));
    [head, name].into_iter().find_map(|wanted| {
        (0..=FARTHEST).find_map(|away| {
            [expected + away, expected - away].into_iter().find(|at| fits(*at, wanted))
        })
    })
}

/// Whether a line has a word, not as a part of another one.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && line.match_indices(word).any(|(at, _)| {
            !line[..at].chars().next_back().is_some_and(is_part)
                && !line[at + word.len()..].chars().next().is_some_and(is_part)
        })
}

/// The innermost symbols around or inside the ranges, in the order of the file.
pub(super) fn touched<'s>(
    symbols: &'s [LocatedSymbol],
    ranges: &[LineRange],
) -> Vec<&'s LocatedSymbol> {
    let is_touched = |symbol: &LocatedSymbol| ranges.iter().any(|it| it.overlaps(symbol.lines));
    let hit: Vec<&LocatedSymbol> = symbols.iter().filter(|symbol| is_touched(symbol)).collect();
    // A type around a touched method is touched itself only where no method is.
    let holds_other = |outer: &LocatedSymbol| {
        hit.iter().any(|inner| {
            inner.node != outer.node
                && outer.lines.first <= inner.lines.first
                && inner.lines.last <= outer.lines.last
                && outer.lines != inner.lines
        })
    };
    hit.iter().copied().filter(|symbol| !holds_other(symbol)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::code::outline::Visibility;

    fn entry(kind: NodeKind, signature: &str, first: u32, last: u32) -> Symbol {
        Symbol {
            kind,
            start_line: first,
            end_line: last,
            name_line: first,
            name_col: 1,
            visibility: Visibility::Public,
            is_test: false,
            signature: signature.to_owned(),
            doc: String::new(),
        }
    }

    fn located(entry: &Symbol, name: &str, node: i64) -> LocatedSymbol {
        LocatedSymbol {
            node: NodeId(node),
            name: name.to_owned(),
            symbol: name.to_owned(),
            head: head_of(&entry.signature, name),
            is_test: false,
            lines: LineRange { first: entry.start_line, last: entry.end_line },
        }
    }

    #[test]
    fn symbols_are_found_where_they_moved_to() {
        let entries = [
            entry(NodeKind::Type, "class Cart", 1, 5),
            entry(NodeKind::Method, "def total(self)", 2, 3),
            entry(NodeKind::Method, "def tax(self)", 4, 5),
        ];
        let names = ["Cart", "total", "tax"];
        let mut symbols: Vec<LocatedSymbol> = entries
            .iter()
            .zip(names)
            .enumerate()
            .map(|(at, (entry, name))| located(entry, name, at as i64))
            .collect();
        let text = "import x\n\nclass Cart:\n    def total(self):\n        pass\n    # new\n    \
                    # more\n    def tax(self):\n        return total\n";
        relocate(&mut symbols, &entries, text);
        let lines: Vec<(u32, u32)> =
            symbols.iter().map(|it| (it.lines.first, it.lines.last)).collect();
        assert_eq!(lines, [(3, 7), (4, 5), (8, 9)]);
    }

    #[test]
    fn the_innermost_symbol_is_meant() {
        let entries = [
            entry(NodeKind::Type, "class Cart", 1, 20),
            entry(NodeKind::Method, "def total", 2, 8),
            entry(NodeKind::Method, "def tax", 10, 12),
        ];
        let symbols: Vec<LocatedSymbol> = entries
            .iter()
            .zip(["Cart", "total", "tax"])
            .enumerate()
            .map(|(at, (entry, name))| located(entry, name, at as i64))
            .collect();
        let names = |first, last| -> Vec<&str> {
            touched(&symbols, &[LineRange { first, last }]).iter().map(|it| &*it.name).collect()
        };
        assert_eq!(names(4, 4), ["total"]);
        assert_eq!(names(4, 11), ["total", "tax"]);
        assert_eq!(names(9, 9), ["Cart"]);
        assert!(names(40, 41).is_empty());
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("def total(self)", "total"));
        assert!(!has_word("subtotal = 1", "total"));
        assert!(!has_word("x", ""));
    }
}
