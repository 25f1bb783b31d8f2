//! `CODEOWNERS` of the commit that is indexed.
//!
//! The rules are kept by the content of the file, so that snapshots share
//! them. How they are read and which of them speaks for a path is said in
//! `model::codeowners`.

use model::Result;
use model::codeowners::parse;
use model::ids::RepoId;
use store::Tx;
use store::code::owners;

/// Keeps the rules of a file, once.
pub fn store(tx: &Tx<'_>, repo: RepoId, blob: &[u8], text: &str) -> Result<()> {
    owners::keep(tx, repo, blob, &parse(text))
}
