//! Commits as people name them where they stand: `HEAD~2`, a branch, a tag.

use crate::file_target::{self, FileQuery};
use model::{Error, ErrorCode, Result};
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

/// Whether this can only be a revision: `HEAD`, `HEAD~2`, `HEAD^`, `HEAD@{1}`. Symbols that are
/// called `head` are written otherwise.
pub(crate) fn is_head(typed: &str) -> bool {
    typed
        .strip_prefix("HEAD")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']))
}

/// Of a revision that is none here.
pub(crate) fn unknown(typed: &str) -> Error {
    Error::not_found(format!("no commit is called `{typed}` here"))
        .suggest("in a clone, give a commit, branch or tag that it has")
}

#[cfg(test)]
mod tests {
    use super::is_head;

    #[test]
    fn the_head_is_told_from_names() {
        for revision in ["HEAD", "HEAD~2", "HEAD^", "HEAD@{1}"] {
            assert!(is_head(revision), "{revision}");
        }
        for name in ["head", "HEADER", "HEAD_OK", "Request.HEAD", "main"] {
            assert!(!is_head(name), "{name}");
        }
    }
}
