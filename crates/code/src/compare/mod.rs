//! What two versions of a repository differ in, by symbols: straight from git's
//! objects, reading changed files only. Neither version needs an index.

mod derivation;
#[cfg(test)]
mod derivation_tests;
mod exports;
mod module_code;
mod report;

use crate::facts::{FileFacts, Trouble};
use crate::index::choose::{Rules, unfit, why_not};
use crate::lang;
use crate::matching::{SourceFile, match_versions};
use git::{Blob, ObjectId, Repo, RepoPath, WorkTreeContent};
use model::Result;
use model::change::{Comparison, UnreadFile};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// The later version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Commit(ObjectId),
    /// The files as they lie in the work tree, compared with the base itself.
    WorkTree,
}

/// Files compared at most; a change of more is told in part, and said to be.
const MOST_FILES: usize = 5_000;
/// Bytes of sources held at once.
const MOST_BYTES: u64 = 512 << 20;

struct Input {
    path: String,
    bytes: Vec<u8>,
}

struct File {
    path: String,
    bytes: Vec<u8>,
    facts: FileFacts,
    /// What others can import from it; none where that is not said.
    exported: Option<FxHashSet<String>>,
}

/// The sources of one side, and why some are not among them.
struct Sources {
    old: Vec<Input>,
    new: Vec<Input>,
    n_bytes: u64,
    unread: Vec<UnreadFile>,
}

/// Compares the symbols of two versions.
pub fn compare(repo: &Repo, base: ObjectId, head: Head) -> Result<Comparison> {
    let mut sources = Sources { old: Vec::new(), new: Vec::new(), n_bytes: 0, unread: Vec::new() };
    let mut paths = Vec::new();
    let n_files = match head {
        Head::Commit(head) => read_commits(repo, base, head, &mut sources, &mut paths)?,
        Head::WorkTree => read_work_tree(repo, base, &mut sources, &mut paths)?,
    };
    paths.sort();
    paths.dedup();
    let (old, new) = (extracted(sources.old), extracted(sources.new));
    let mut unread = sources.unread;
    for file in &new {
        if let Some(reason) = trouble_of(&file.facts, "does not parse") {
            unread.push(UnreadFile { path: file.path.clone(), reason });
        }
    }
    // What did not parse before looks added where it parses now.
    for file in &old {
        if let Some(reason) = trouble_of(&file.facts, "did not parse before")
            && !unread.iter().any(|known| known.path == file.path)
        {
            unread.push(UnreadFile { path: file.path.clone(), reason });
        }
    }
    unread.sort_by(|a, b| a.path.cmp(&b.path));
    unread.dedup();
    let matching = match_versions(&views(&old), &views(&new));
    let report = report::Report::of(&matching, &old, &new);
    let n_compared = old.iter().chain(&new).map(|file| file.path.as_str());
    let n_compared = n_compared.collect::<std::collections::BTreeSet<_>>().len() as u64;
    Ok(Comparison {
        changes: report.changes,
        file_moves: report.file_moves,
        paths,
        n_files,
        n_compared,
        unread,
    })
}

fn views(files: &[File]) -> Vec<SourceFile<'_>> {
    files
        .iter()
        .map(|file| SourceFile { path: &file.path, bytes: &file.bytes, facts: &file.facts })
        .collect()
}

fn extracted(inputs: Vec<Input>) -> Vec<File> {
    let mut files: Vec<File> = inputs
        .into_par_iter()
        .map(|input| {
            let facts = lang::extract(&input.path, &input.bytes);
            let exported = exports::exported_names(&facts.language, &input.bytes);
            File { path: input.path, bytes: input.bytes, facts, exported }
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn trouble_of(facts: &FileFacts, of_syntax: &str) -> Option<String> {
    facts.trouble.iter().find_map(|trouble| match trouble {
        Trouble::UnknownLanguage => None,
        Trouble::TooLarge => Some("not compared, too large".to_owned()),
        Trouble::TooSlow | Trouble::TooMuch | Trouble::TooDeep => {
            Some("compared in part, too costly".to_owned())
        }
        Trouble::Syntax { line } => Some(format!("{of_syntax} at line {line}, compared in part")),
    })
}

fn read_commits(
    repo: &Repo,
    base: ObjectId,
    head: ObjectId,
    sources: &mut Sources,
    paths: &mut Vec<String>,
) -> Result<u64> {
    let changes = repo.changes(Some(base), head)?;
    let mut blobs = repo.blobs()?;
    for change in &changes {
        let (path, old_path) =
            (change.path.text().into_owned(), change.old_path.text().into_owned());
        // The same bytes under the same name: only the mode changed.
        let is_mode_only = change.old_id == change.id && path == old_path;
        let is_file = |mode: Option<git::FileMode>| mode.is_some_and(git::FileMode::is_file);
        if !is_mode_only {
            let mut side = |id: Option<ObjectId>, mode, path: &str| -> Result<Option<Vec<u8>>> {
                let Some(id) = id.filter(|_| is_file(mode)) else { return Ok(None) };
                if !sources.takes(path) {
                    return Ok(None);
                }
                Ok(match blobs.read(id, lang::MAX_BYTES as u64)? {
                    Blob::Content(bytes) => Some(bytes),
                    Blob::TooLarge(_) => sources.skip(path, "too large"),
                    Blob::Missing => sources.skip(path, "not in this clone"),
                })
            };
            let old = side(change.old_id, change.old_mode, &old_path)?;
            let new = side(change.id, change.mode, &path)?;
            sources.add(old.map(|bytes| Input { path: old_path.clone(), bytes }), true);
            sources.add(new.map(|bytes| Input { path: path.clone(), bytes }), false);
        }
        paths.extend([path, old_path]);
    }
    Ok(changes.len() as u64)
}

fn read_work_tree(
    repo: &Repo,
    base: ObjectId,
    sources: &mut Sources,
    paths: &mut Vec<String>,
) -> Result<u64> {
    let changes = repo.work_tree_changes(base, lang::MAX_BYTES as u64, |_: &RepoPath| true)?;
    let mut blobs = repo.blobs()?;
    for change in &changes {
        let path = change.path.text().into_owned();
        if sources.takes(&path) {
            let old = match blobs.read_file(base, &change.path, lang::MAX_BYTES as u64)? {
                Blob::Content(bytes) => Some(bytes),
                Blob::TooLarge(_) => sources.skip(&path, "too large"),
                Blob::Missing => None,
            };
            let new = match &change.content {
                Some(WorkTreeContent::Bytes(_, bytes)) => Some(bytes.clone()),
                Some(WorkTreeContent::TooLarge(_)) => sources.skip(&path, "too large"),
                None => None,
            };
            sources.add(old.map(|bytes| Input { path: path.clone(), bytes }), true);
            sources.add(new.map(|bytes| Input { path: path.clone(), bytes }), false);
        }
        paths.push(path);
    }
    Ok(changes.len() as u64)
}

impl Sources {
    /// Whether a path is read for symbols; says why not where that is worth knowing.
    fn takes(&mut self, path: &str) -> bool {
        if !lang::is_known(path) {
            return false;
        }
        if let Some(skip) = why_not(path, 0, &Rules::default()) {
            self.skip::<()>(path, skip.as_str());
            return false;
        }
        if self.old.len().max(self.new.len()) >= MOST_FILES || self.n_bytes >= MOST_BYTES {
            self.skip::<()>(path, "the change is too large");
            return false;
        }
        true
    }

    fn skip<T>(&mut self, path: &str, reason: &str) -> Option<T> {
        self.unread
            .push(UnreadFile { path: path.to_owned(), reason: format!("not compared, {reason}") });
        None
    }

    fn add(&mut self, input: Option<Input>, is_old: bool) {
        let Some(input) = input else { return };
        if let Some(skip) = unfit(&input.bytes) {
            self.skip::<()>(&input.path, skip.as_str());
            return;
        }
        self.n_bytes += input.bytes.len() as u64;
        if is_old { self.old.push(input) } else { self.new.push(input) }
    }
}
