//! What a commit or a work tree changes of the files that matter, told by
//! paths: new contents, or none.

use super::choose::{self, Rules, is_rules};
use super::work_tree;
use super::{Skip, Subject};
use crate::{lang, link};
use git::{Change, FileMode, ObjectId, Repo, WorkTreeContent};
use model::Result;
use model::record::ChangeKind;
use std::collections::BTreeMap;

/// What a path has now.
pub struct Content {
    pub id: ObjectId,
    /// Of a work tree; else they are in the repository.
    pub bytes: Option<Vec<u8>>,
}

/// What became of a path.
pub struct Edit {
    /// None where the file is gone.
    pub content: Option<Content>,
    /// Whether the commit before had a file there; a work tree does not tell.
    pub was_file: Option<bool>,
}

/// All differences between a snapshot and what is indexed now.
#[derive(Default)]
pub struct Edits {
    pub files: BTreeMap<String, Edit>,
    pub manifests: BTreeMap<String, Edit>,
}

/// None when more than contents changed: rules about files, who owns them,
/// submodules. That is for the whole way in `index`.
pub fn edits(repo: &Repo, before: ObjectId, subject: &Subject) -> Result<Option<Edits>> {
    let mut edits = Edits::default();
    if before != subject.commit {
        let told = subject.delta.as_ref().filter(|it| it.parents.first() == Some(&before));
        let changes = match told {
            Some(delta) => delta.changes.clone(),
            None => repo.changes(Some(before), subject.commit)?,
        };
        for change in changes {
            if !edits.change(change) {
                return Ok(None);
            }
        }
    }
    if subject.work_tree.is_some() {
        for change in work_tree::changes(repo, subject.commit)? {
            let content = match change.content {
                Some(WorkTreeContent::Bytes(id, bytes)) => Some(Content { id, bytes: Some(bytes) }),
                // A file that is left out for its size is counted on the whole way.
                Some(WorkTreeContent::TooLarge(_)) => return Ok(None),
                None => None,
            };
            if !edits.add(change.path.text().into_owned(), content, None) {
                return Ok(None);
            }
        }
    }
    Ok(Some(edits))
}

impl Edits {
    /// False when it is not a change of contents.
    fn change(&mut self, change: Change) -> bool {
        let is_module = |mode| mode == Some(FileMode::Submodule);
        if is_module(change.mode) || is_module(change.old_mode) {
            return false;
        }
        let was_file = change.old_mode.is_some_and(FileMode::is_file);
        let is_file = change.mode.is_some_and(FileMode::is_file);
        let content = change.id.filter(|_| is_file).map(|id| Content { id, bytes: None });
        let path = change.path.text().into_owned();
        if change.kind == ChangeKind::Renamed {
            let old = change.old_path.text().into_owned();
            return self.add(old, None, Some(was_file)) && self.add(path, content, Some(false));
        }
        self.add(path, content, Some(was_file))
    }

    fn add(&mut self, path: String, content: Option<Content>, was_file: Option<bool>) -> bool {
        if is_rules(&path) || choose::is_owners(&path) {
            return false;
        }
        let into = if link::is_manifest(&path) {
            &mut self.manifests
        } else if lang::is_known(&path) {
            &mut self.files
        } else {
            return true;
        };
        // What a work tree changes comes after what its commit changed.
        let was_file = into.get(&path).map_or(was_file, |edit| edit.was_file);
        into.insert(path, Edit { content, was_file });
        true
    }
}

/// Why a path is not indexed, as far as its name says.
pub fn left_out(path: &str, rules: &Rules) -> Option<Skip> {
    choose::why_not(path, 0, rules)
}
