//! A change between two versions, and the files beside it, as tests are chosen by them.

use super::{Change, Reach, TestFiles, TestScope, candidates, choice, runners};
use crate::code::scope::Scope;
use git::{Blob, BlobReader, ObjectId, Repo, RepoPath};
use model::Result;
use model::change::{Comparison, SymbolChangeKind, SymbolVersion};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use store::Reader;

impl Change {
    /// What differs between two versions. Nobody runs a test because of documentation.
    pub fn between(comparison: &Comparison) -> Change {
        let mut symbols: Vec<SymbolVersion> = Vec::new();
        let (mut described, mut changed) = (BTreeSet::new(), BTreeSet::new());
        for change in &comparison.changes {
            let paths = [&change.old, &change.new].into_iter().flatten().map(|it| it.path.as_str());
            if change.is_doc_only() {
                described.extend(paths);
                continue;
            }
            changed.extend(paths);
            match change.change {
                // New things are used by what changed with them.
                SymbolChangeKind::Added | SymbolChangeKind::Copied => {}
                _ => symbols.extend(change.old.clone()),
            }
        }
        let is_unread = |path: &str| comparison.unread.iter().any(|it| it.path == path);
        let is_moved =
            |path: &str| comparison.file_moves.iter().any(|it| it.to == path || it.from == path);
        let is_described = |path: &str| {
            described.contains(path)
                && !changed.contains(path)
                && !is_unread(path)
                && !is_moved(path)
        };
        let paths = comparison.paths.iter().filter(|path| !is_described(path)).cloned();
        let holding_tests = comparison.changes.iter().filter(|it| it.is_test);
        let holding_tests = holding_tests.filter_map(|it| it.new.as_ref());
        let holding_tests = holding_tests.filter(|it| runners::can_hold_tests(&it.path));
        Change {
            paths: paths.collect(),
            symbols: Some(symbols),
            holding_tests: holding_tests.map(|it| it.path.clone()).collect(),
        }
    }
}

/// A larger file of tests or of a build is generated.
const MOST_BYTES: u64 = 2 << 20;

/// Paths looked for one by one.
const MOST_ASKED: usize = 300;

/// The files of both versions.
pub struct VersionFiles<'a> {
    repo: &'a Repo,
    base: ObjectId,
    head: Option<ObjectId>,
    /// One git for all files that are read; from the first of them on.
    blobs: RefCell<Option<BlobReader>>,
}

impl<'a> VersionFiles<'a> {
    /// No head is the work tree.
    pub fn new(repo: &'a Repo, base: ObjectId, head: Option<ObjectId>) -> Self {
        VersionFiles { repo, base, head, blobs: RefCell::new(None) }
    }

    /// The paths of the base.
    pub fn before(&self) -> Result<Vec<String>> {
        let paths = self.repo.paths(self.base)?;
        Ok(paths.iter().map(|path| path.text().into_owned()).collect())
    }

    /// Those of some paths that are there after the change.
    pub fn after(&self, of: impl IntoIterator<Item = String>) -> Result<BTreeSet<String>> {
        let of = of.into_iter();
        let Some(head) = self.head else {
            let root = self.root();
            return Ok(of.filter(|path| root.join(path).is_file()).collect());
        };
        // A few are asked for one by one: the list of all files is long.
        let of: Vec<String> = of.collect();
        if of.len() <= MOST_ASKED {
            let mut left = BTreeSet::new();
            for path in of {
                if self.read(head, &path, 0)? != Blob::Missing {
                    left.insert(path);
                }
            }
            return Ok(left);
        }
        let paths = self.repo.paths(head)?;
        let paths: BTreeSet<String> = paths.iter().map(|path| path.text().into_owned()).collect();
        Ok(of.into_iter().filter(|path| paths.contains(path)).collect())
    }

    fn root(&self) -> PathBuf {
        self.repo.work_tree().map(Path::to_path_buf).unwrap_or_default()
    }

    /// The text of a file after the change; none where it is not there, or no text.
    pub fn text_after(&self, path: &str) -> Option<String> {
        let bytes = match self.head {
            None => self.repo.work_tree_file(&RepoPath::from(path), MOST_BYTES)?,
            Some(head) => match self.read(head, path, MOST_BYTES).ok()? {
                Blob::Content(bytes) => bytes,
                Blob::TooLarge(_) | Blob::Missing => return None,
            },
        };
        String::from_utf8(bytes).ok()
    }

    fn read(&self, head: ObjectId, path: &str, limit: u64) -> Result<Blob> {
        let mut blobs = self.blobs.borrow_mut();
        let blobs = match &mut *blobs {
            Some(blobs) => blobs,
            none => none.insert(self.repo.blobs()?),
        };
        blobs.read_file(head, &RepoPath::from(path), limit)
    }
}

/// The tests of a change between two versions, one answer for each reach. `paths` are all
/// that changed.
pub fn tests_of_change<const N: usize>(
    reader: &Reader,
    scope: &Scope,
    change: &Change,
    (files, paths): (&VersionFiles<'_>, &[String]),
    reaches: [Reach; N],
) -> Result<[TestScope; N]> {
    // Tests that the change adds are tests, too.
    let tests = TestFiles::of(files.before()?.into_iter().chain(paths.iter().cloned()));
    let left = files.after(paths.iter().cloned())?;
    let gone: BTreeSet<String> = paths.iter().filter(|it| !left.contains(*it)).cloned().collect();
    let (found, run_everything) = candidates(reader, scope, change, &tests)?;
    Ok(reaches.map(|reach| {
        let (files, farther) = choice::choose(found.clone(), tests.n_tests(), reach);
        let (run_everything, total) = (run_everything.clone(), tests.n_tests() as u64);
        TestScope { standing: scope.standing(), run_everything, files, farther, total }
            .without(&gone)
    }))
}
