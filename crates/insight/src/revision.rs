//! Commits as people name them where they stand: `HEAD~2`, a branch, a tag.

use crate::file_target::{self, FileQuery};
use model::{ErrorCode, Result};
use store::Reader;

/// The hash of the commit that a revision means in the clone around; none where there is
/// no clone, or no such revision in it.
pub(crate) fn sha(reader: &Reader, rev: &str, place: FileQuery<'_>) -> Result<Option<String>> {
    if rev.is_empty() || rev.contains(char::is_whitespace) {
        return Ok(None);
    }
    let Some(clone) = file_target::clone_here(reader, place)? else { return Ok(None) };
    match clone.git.resolve(rev) {
        Ok(commit) => Ok(Some(commit.to_string())),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
