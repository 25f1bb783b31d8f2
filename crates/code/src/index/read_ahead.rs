//! Files of the next commits of a chain, read together: one process of git and all
//! threads for many commits, where each of them changes a file or two.

use super::chain::CommitDelta;
use super::choose::Rules;
use super::edits::left_out;
use super::read::{Content, FileRequest, Outcome, read_each};
use super::watch::Watch;
use super::{INDEXER, Request};
use crate::identity;
use crate::{lang, link};
use git::{ObjectId, Repo};
use model::Result;
use model::hash::Hash32;
use model::ids::RepoId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use store::Reader;
use store::code::files;

/// Files that are held at once: what they say takes many times their bytes.
const AT_ONCE: usize = 64;

/// What was read and not asked for yet.
#[derive(Default)]
pub struct ReadAhead(FxHashMap<(String, ObjectId), Outcome>);

impl ReadAhead {
    /// A file that was read; each is given once.
    pub fn take(&mut self, path: &str, id: ObjectId) -> Option<Outcome> {
        self.0.remove(&(path.to_owned(), id))
    }

    /// Reads what the first of some commits brought, and drops what is left of others; how
    /// many commits that were, one at least.
    pub fn fill(
        &mut self,
        repo: &Repo,
        (reader, repo_id, identity): (&Reader, RepoId, Hash32),
        deltas: &[Option<&CommitDelta>],
        request: &Request,
        watch: &Watch<'_>,
    ) -> Result<usize> {
        self.0.clear();
        let mut wanted: BTreeSet<(String, ObjectId)> = BTreeSet::new();
        let mut n_commits = 0;
        for delta in deltas {
            let before = wanted.len();
            let new = delta.map(|delta| brought(reader, repo_id, delta)).transpose()?;
            let new = new.unwrap_or_default();
            if before > 0 && before + new.len() > AT_ONCE {
                break;
            }
            // A commit that brings very many reads them by itself.
            if new.len() <= AT_ONCE {
                wanted.extend(new);
            }
            n_commits += 1;
        }
        if !wanted.is_empty() {
            let files: Vec<FileRequest<'_>> = wanted
                .iter()
                .map(|(path, id)| FileRequest { path, content: Content::Blob(*id) })
                .collect();
            let read = read_each(repo, identity, &files, request.n_threads, watch)?;
            self.0.extend(wanted.into_iter().zip(read));
        }
        Ok(n_commits.max(1))
    }
}

/// The versions of files that a commit brought and nobody has read.
fn brought(
    reader: &Reader,
    repo: RepoId,
    delta: &CommitDelta,
) -> Result<BTreeSet<(String, ObjectId)>> {
    let rules = Rules::default();
    let mut found = BTreeSet::new();
    for change in &delta.changes {
        let path = change.path.text().into_owned();
        let is_file = change.mode.is_some_and(git::FileMode::is_file);
        let Some(id) = change.id.filter(|_| is_file && lang::is_known(&path)) else { continue };
        if link::is_manifest(&path) || left_out(&path, &rules).is_some() {
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        let known = match files::find_package(reader, repo, identity::package_of(&path))? {
            Some(package) => files::find(reader, package, name, id.as_bytes(), INDEXER)?,
            None => None,
        };
        if known.is_none() {
            found.insert((path, id));
        }
    }
    Ok(found)
}
