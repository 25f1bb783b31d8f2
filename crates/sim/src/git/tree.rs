//! The files of a commit and the changes a commit makes to them.

use super::error::GitError;
use super::lines;
use super::object::{self, ObjectId};
pub use crate::scenario::ast::{FileChange, Hunk};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Every file of one commit, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, Blob>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Blob {
    contents: Arc<str>,
    id: ObjectId,
}

/// Changes that write whole files, the shortest way to say a commit in a test.
pub fn written(files: &[(&str, &str)]) -> Vec<FileChange> {
    files
        .iter()
        .map(|(path, contents)| FileChange::Write {
            path: (*path).to_owned(),
            contents: (*contents).to_owned(),
        })
        .collect()
}

fn wrong<T>(message: String) -> Result<T, GitError> {
    Err(GitError::Change(message))
}

impl Tree {
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(|blob| blob.contents.as_ref())
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, blob)| (path.as_str(), blob.contents.as_ref()))
    }

    /// The name git gives to this tree.
    pub fn id(&self) -> ObjectId {
        let files: Vec<(&str, ObjectId)> =
            self.files.iter().map(|(path, blob)| (path.as_str(), blob.id)).collect();
        object::tree(&files)
    }

    fn existing(&self, path: &str) -> Result<&str, GitError> {
        match self.get(path) {
            Some(contents) => Ok(contents),
            None => {
                let near = model::suggest::nearest(path, self.paths(), 1);
                let hint =
                    near.first().map_or(String::new(), |near| format!(", did you mean `{near}`?"));
                wrong(format!("there is no file `{path}` here{hint}"))
            }
        }
    }

    pub fn apply(&mut self, change: &FileChange) -> Result<(), GitError> {
        match change {
            FileChange::Write { path, contents } => {
                if self.get(path) == Some(contents) {
                    return wrong(format!("`{path}` has these contents already"));
                }
                self.put(path, contents)
            }
            FileChange::Edit { path, hunks } => {
                let edited = edit(path, self.existing(path)?, hunks)?;
                self.put(path, &edited)
            }
            FileChange::Rename { from, to } => {
                let contents = self.existing(from)?.to_owned();
                if self.get(to).is_some() {
                    return wrong(format!("cannot rename to `{to}`: it exists already"));
                }
                self.files.remove(from);
                self.put(to, &contents)
            }
            FileChange::Delete { path } => {
                self.existing(path)?;
                self.files.remove(path);
                Ok(())
            }
        }
    }

    /// A path cannot be a file and a folder at once.
    fn put(&mut self, path: &str, contents: &str) -> Result<(), GitError> {
        let folder = format!("{path}/");
        let is_folder = self
            .files
            .range(folder.clone()..)
            .next()
            .is_some_and(|(other, _)| other.starts_with(&folder));
        let parent_is_file =
            path.match_indices('/').any(|(at, _)| self.files.contains_key(&path[..at]));
        if is_folder || parent_is_file {
            return wrong(format!("`{path}` would be a file and a folder at once"));
        }
        let blob = Blob { contents: Arc::from(contents), id: object::blob(contents) };
        self.files.insert(path.to_owned(), blob);
        Ok(())
    }

    /// The tree that has what `theirs` changed since `base` applied to `self`.
    pub fn merged(&self, base: &Tree, theirs: &Tree) -> Result<Tree, GitError> {
        let mut result = self.clone();
        let paths: BTreeSet<&str> = base.paths().chain(theirs.paths()).collect();
        for path in paths {
            let (old, new, ours) = (base.get(path), theirs.get(path), self.get(path));
            if old == new || ours == new {
                continue;
            }
            let conflict = || GitError::Conflict { path: path.to_owned() };
            if ours == old {
                match new {
                    Some(contents) => result.put(path, contents)?,
                    None => {
                        result.files.remove(path);
                    }
                }
                continue;
            }
            let (Some(old), Some(new), Some(ours)) = (old, new, ours) else {
                return Err(conflict());
            };
            let merged = lines::merge(old, ours, new).ok_or_else(conflict)?;
            result.put(path, &merged)?;
        }
        Ok(result)
    }
}

/// Applies hunks in order; each must be found exactly once after the one before.
fn edit(path: &str, contents: &str, hunks: &[Hunk]) -> Result<String, GitError> {
    let mut lines: Vec<String> = contents.lines().map(str::to_owned).collect();
    let mut from = 0;
    for hunk in hunks {
        let at = if hunk.old.is_empty() { lines.len() } else { find(path, &lines, from, hunk)? };
        from = at + hunk.new.len();
        lines.splice(at..at + hunk.old.len(), hunk.new.iter().cloned());
    }
    let mut edited = lines.join("\n");
    if !edited.is_empty() {
        edited.push('\n');
    }
    if edited == contents {
        return wrong(format!("this edit does not change `{path}`"));
    }
    Ok(edited)
}

fn find(path: &str, lines: &[String], from: usize, hunk: &Hunk) -> Result<usize, GitError> {
    let found: Vec<usize> = lines
        .windows(hunk.old.len())
        .enumerate()
        .skip(from)
        .filter(|(_, window)| *window == hunk.old)
        .map(|(at, _)| at)
        .collect();
    match found[..] {
        [at] => Ok(at),
        [] => wrong(format!(
            "`{path}` has no such lines{}: `{}`",
            if from > 0 { " after the hunk before" } else { "" },
            hunk.old.first().map_or("", String::as_str)
        )),
        _ => wrong(format!(
            "`{path}` has these lines {} times, add a `=` line around them: `{}`",
            found.len(),
            hunk.old.first().map_or("", String::as_str)
        )),
    }
}
