//! Before an edit: what hangs on the lines about to change.

use super::facts;
use super::located::{self, LineRange, LocatedSymbol};
use super::{PushContext, PushLine};
use crate::code::View;
use model::Result;
use model::code::is_test_path;

/// A file about to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// From the top of the repository.
    pub path: String,
    /// As it is before the edit; none where it cannot be read.
    pub text: Option<String>,
    pub ranges: Vec<LineRange>,
}

/// Symbols of one edit that are spoken of.
const MOST_SYMBOLS: usize = 3;

/// Decisions and threads first, then who depends on it, then the tests.
pub fn before_edit(context: &PushContext<'_>, edits: &[FileEdit]) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let view = View::alone(context.reader, scope);
    let (mut said, mut depends, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for edit in edits {
        let shown = edit.text.as_deref().unwrap_or_default();
        let Some(member) = located::member(&view, &edit.path)? else {
            // Not code, but people may have decided on it.
            said.extend(facts::decisions(context, &edit.path, &[], shown)?);
            continue;
        };
        let symbols = located::symbols(&view, member, edit.text.as_deref())?;
        let touched: Vec<&LocatedSymbol> =
            located::touched(&symbols, &edit.ranges).into_iter().take(MOST_SYMBOLS).collect();
        said.extend(facts::decisions(context, &edit.path, &touched, shown)?);
        said.extend(facts::threads(context, &edit.path, &touched, shown)?.into_iter().take(1));
        if is_test_path(&edit.path) || touched.iter().all(|symbol| symbol.is_test) {
            continue;
        }
        for symbol in &touched {
            depends.extend(facts::users(&view, &edit.path, symbol)?);
            depends.extend(facts::contract(&view, symbol)?);
        }
        tests.extend(facts::tests(&view, &touched)?);
    }
    said.extend(depends);
    said.extend(tests);
    Ok(said)
}
