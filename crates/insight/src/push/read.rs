//! After a read: why the lines are so, where that is known and not written in them.

use super::facts;
use super::located::{self, LineRange, LocatedSymbol};
use super::{PushContext, PushLine, reasons};
use crate::code::View;
use model::Result;

/// Lines of a file that an agent has just seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// From the top of the repository.
    pub path: String,
    /// The file as it is now; none where it cannot be read.
    pub text: Option<String>,
    pub range: LineRange,
    /// What the tool printed.
    pub shown: String,
}

/// A read of more symbols than this is a look around, which gets what is linked to
/// the file and nothing of single symbols.
const MOST_SYMBOLS: usize = 12;

pub fn after_read(context: &PushContext<'_>, reads: &[FileRead]) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let view = View::alone(context.reader, scope);
    let mut lines = Vec::new();
    for read in reads {
        let Some(member) = located::member(&view, &read.path)? else {
            lines.extend(facts::decisions(context, &read.path, &[], &read.shown)?);
            continue;
        };
        let symbols = located::symbols(&view, member, read.text.as_deref())?;
        let seen: Vec<&LocatedSymbol> = located::touched(&symbols, &[read.range]);
        lines.extend(facts::decisions(context, &read.path, &seen, &read.shown)?);
        if seen.len() > MOST_SYMBOLS || seen.iter().all(|symbol| symbol.is_test) {
            continue;
        }
        lines.extend(facts::threads(context, &read.path, &seen, &read.shown)?.into_iter().take(1));
        lines.extend(reasons::reason(context, &read.path, &seen, &read.shown)?);
    }
    Ok(lines)
}
