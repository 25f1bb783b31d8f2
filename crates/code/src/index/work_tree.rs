//! The files of a work tree in place of those of its commit.

use super::choose::{is_owners, is_rules};
use crate::{lang, link};
use git::{FileMode, ObjectId, Repo, RepoPath, TreeEntry, WorkTreeChange, WorkTreeContent};
use model::Result;
use std::collections::BTreeMap;

/// Changes the list of files to what the work tree has; the bytes of what
/// differs, by path.
pub fn overlay(
    repo: &Repo,
    commit: ObjectId,
    tree: &mut Vec<TreeEntry>,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let changes = changes(repo, commit)?;
    tree.retain(|entry| changes.binary_search_by(|it| it.path.cmp(&entry.path)).is_err());
    let mut bytes_of = BTreeMap::new();
    for WorkTreeChange { path, content } in changes {
        let (id, size) = match content {
            Some(WorkTreeContent::Bytes(id, bytes)) => {
                let size = bytes.len() as u64;
                bytes_of.insert(path.text().into_owned(), bytes);
                (id, size)
            }
            // Its size alone leaves it out, so its name is of no account.
            Some(WorkTreeContent::TooLarge(size)) => (commit.of_blob_like(b""), size),
            None => continue,
        };
        tree.push(TreeEntry { path, mode: FileMode::File, id, size });
    }
    tree.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(bytes_of)
}

/// Every file of the work tree that is not what the commit has, as far as an
/// index looks at it.
pub fn changes(repo: &Repo, commit: ObjectId) -> Result<Vec<WorkTreeChange>> {
    let is_indexed = |path: &RepoPath| {
        let path = path.text();
        is_rules(&path) || is_owners(&path) || link::is_manifest(&path) || lang::is_known(&path)
    };
    repo.work_tree_changes(commit, lang::MAX_BYTES as u64, is_indexed)
}
