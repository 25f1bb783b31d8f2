//! Answers for the tree at hand: a snapshot with the edits of the work tree over it.

use insight::code::Scope;
use insight::code::overlay::{TextFile, TextSymbol};
use model::Result;
use store::Reader;

/// The snapshot with what was edited since, new definitions included.
pub fn over_work_tree(reader: &Reader, scope: Scope) -> Result<Scope> {
    scope.over_work_tree(reader, &extract)
}

/// What each of the files defines.
pub fn extract(files: &[TextFile]) -> Vec<Option<Vec<TextSymbol>>> {
    files.iter().map(outline).collect()
}

fn outline(file: &TextFile) -> Option<Vec<TextSymbol>> {
    let outline = code::index::text_outline(&file.path, &file.bytes)?;
    let symbols = outline.into_iter().map(|(symbol, name, entry)| TextSymbol {
        symbol,
        name,
        kind: entry.kind,
        name_line: entry.name_line,
        start_line: entry.start_line,
        end_line: entry.end_line,
        signature: entry.signature,
        is_test: entry.is_test,
    });
    Some(symbols.collect())
}
