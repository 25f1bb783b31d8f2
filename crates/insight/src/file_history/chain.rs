//! The names a file went by, before and after.

use crate::file_target::FileTarget;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Reader, paths};

/// A file that got another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rename {
    pub from: String,
    pub to: String,
    pub at: Timestamp,
    /// `!12`, or the hash of a commit where no merge request says so.
    pub by: String,
}

/// All names of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The name asked for comes first.
    pub names: Vec<String>,
    /// Oldest first.
    pub renames: Vec<Rename>,
}

/// Renames followed in either direction.
const MAX_HOPS: usize = 10;

/// Follows renames both ways. A name is visited once, so circles end.
pub fn chain(reader: &Reader, target: &FileTarget) -> Result<Chain> {
    let mut names = vec![target.path.clone()];
    let mut renames: Vec<Rename> = Vec::new();
    let mut open = vec![target.path.clone()];
    for _ in 0..MAX_HOPS {
        let mut next = Vec::new();
        for name in open {
            for rename in paths::renames(reader, target.project_id(), target.repo_id(), &name)? {
                for other in [&rename.from, &rename.to] {
                    if !names.contains(other) {
                        names.push(other.clone());
                        next.push(other.clone());
                    }
                }
                keep(&mut renames, rename);
            }
        }
        if next.is_empty() {
            break;
        }
        open = next;
    }
    renames.sort_by(|a, b| (a.at, &a.from, &a.to).cmp(&(b.at, &b.from, &b.to)));
    Ok(Chain { names, renames })
}

/// One line for each rename: a merge request and its commit tell the same
/// story, and the merge request tells it better.
fn keep(renames: &mut Vec<Rename>, found: paths::Rename) {
    let found = Rename { from: found.from, to: found.to, at: found.at, by: found.by };
    let same = renames.iter_mut().find(|known| known.from == found.from && known.to == found.to);
    match same {
        Some(known) if !known.by.starts_with('!') && found.by.starts_with('!') => *known = found,
        Some(_) => {}
        None => renames.push(found),
    }
}
