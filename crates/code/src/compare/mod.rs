//! What two versions of a repository differ in, by symbols: straight from git's
//! objects, reading changed files only. Neither version needs an index.

mod derivation;
#[cfg(test)]
mod derivation_tests;
mod generated;
mod module_code;
mod overloads;
mod parameters;
mod primary;
mod report;
#[cfg(test)]
mod report_tests;
mod spaces;
mod still_there;
mod targets;
mod version;

pub use version::rules_version;

use crate::facts::{FactsProblem, FileFacts};
use crate::identity::package_of;
use crate::index::choose::{MAX_RULE_FILE, Rules, Skip, unfit, why_not};
use crate::index::{INDEXER, facts_of};
use crate::lang;
use crate::matching::{Matching, SourceFile, match_versions};
use crate::structure::contract::{self, Source};
use generated::is_marked_generated;
use git::{Blob, BlobReader, ObjectId, Repo, RepoPath, WorkTreeContent};
use model::Result;
use model::breaking::ContractBreach;
use model::change::{Comparison, UnreadFile};
use model::ids::RepoId;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use store::Reader;
use store::code::files;

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
    /// What git calls the bytes.
    blob: ObjectId,
}

struct File {
    path: String,
    bytes: Vec<u8>,
    facts: FileFacts,
    /// What others can import from it; none where that is not said.
    exported: Option<FxHashSet<String>>,
}

impl File {
    fn source(&self) -> SourceFile<'_> {
        SourceFile { path: &self.path, bytes: &self.bytes, facts: &self.facts }
    }
}

/// The sources of both sides, and why some are not among them.
#[derive(Default)]
struct Sources {
    old: Vec<Input>,
    new: Vec<Input>,
    n_bytes: u64,
    unread: Vec<UnreadFile>,
    /// What the repository says of its own files, as for the index.
    rules: Rules,
}

/// Compares the symbols of two versions. Files that `index` has read before are not
/// parsed again.
pub fn compare(
    repo: &Repo,
    base: ObjectId,
    head: Head,
    index: Option<(&Reader, RepoId)>,
) -> Result<Comparison> {
    let mut sources = Sources::default();
    let mut paths = Vec::new();
    let mut blobs = repo.blobs()?;
    let into = (&mut blobs, &mut sources, &mut paths);
    let n_files = match head {
        Head::Commit(head) => read_commits(repo, base, head, into)?,
        Head::WorkTree => read_work_tree(repo, base, into)?,
    };
    paths.sort();
    paths.dedup();
    let (mut old, mut new) = (extracted(sources.old, index), extracted(sources.new, index));
    let is_of = |commit| if let Head::Commit(head) = commit { head } else { base };
    targets::mark_programs(&mut old, base, &mut blobs);
    targets::mark_programs(&mut new, is_of(head), &mut blobs);
    drop(blobs);
    let mut unread = sources.unread;
    for file in &new {
        if let Some(reason) = trouble_of(&file.facts, "read in part") {
            unread.push(UnreadFile { path: file.path.clone(), reason });
        }
    }
    // What was not understood before looks added where it is now.
    for file in &old {
        if let Some(reason) = trouble_of(&file.facts, "read in part before")
            && !unread.iter().any(|known| known.path == file.path)
        {
            unread.push(UnreadFile { path: file.path.clone(), reason });
        }
    }
    unread.sort_by(|a, b| a.path.cmp(&b.path));
    unread.dedup();
    let matching = match_versions(&views(&old), &views(&new));
    let report = report::Report::of(&matching, &old, &new);
    let (breaches, contracts) = breaches(&matching, &old, &new);
    let n_compared = old.iter().chain(&new).map(|file| file.path.as_str());
    let n_compared = n_compared.collect::<BTreeSet<_>>().len() as u64;
    Ok(Comparison {
        changes: report.changes,
        file_moves: report.file_moves,
        successions: report.successions,
        breaches,
        contracts,
        paths,
        n_files,
        n_compared,
        unread,
    })
}

/// What contracts among the files do not keep, and which files were compared so.
fn breaches(matching: &Matching, old: &[File], new: &[File]) -> (Vec<ContractBreach>, Vec<String>) {
    fn sources(files: &[File]) -> Vec<Source<'_>> {
        files.iter().map(|file| Source { path: &file.path, bytes: &file.bytes }).collect()
    }
    contract::breaches(&sources(old), &sources(new), |path| {
        let at = old.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(new[matching.files[at]? as usize].path.clone())
    })
}

fn views(files: &[File]) -> Vec<SourceFile<'_>> {
    files.iter().map(File::source).collect()
}

fn extracted(inputs: Vec<Input>, index: Option<(&Reader, RepoId)>) -> Vec<File> {
    let packed: Vec<Option<Vec<u8>>> =
        inputs.iter().map(|input| stored(index?, &input.path, input.blob)).collect();
    let mut files: Vec<File> = inputs
        .into_par_iter()
        .zip(packed)
        .map(|(input, packed)| {
            let known = packed.and_then(|packed| facts_of(&packed).ok());
            let facts = known.unwrap_or_else(|| lang::extract(&input.path, &input.bytes));
            let language = lang::by_name(&facts.language);
            let exported = language.and_then(|it| it.exported_names(&input.bytes));
            File { path: input.path, bytes: input.bytes, facts, exported }
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// What was said of a version of a file when it was indexed.
pub(crate) fn stored_facts(
    index: (&Reader, RepoId),
    path: &str,
    blob: ObjectId,
) -> Option<FileFacts> {
    facts_of(&stored(index, path, blob)?).ok()
}

/// The same, packed.
fn stored((reader, repo): (&Reader, RepoId), path: &str, blob: ObjectId) -> Option<Vec<u8>> {
    let package = files::find_package(reader, repo, package_of(path)).ok()??;
    let name = path.rsplit('/').next().unwrap_or(path);
    let row = files::find(reader, package, name, blob.as_bytes(), INDEXER).ok()??;
    if row.language.is_empty() {
        return None;
    }
    files::packed_facts(reader, row.id).ok()
}

fn trouble_of(facts: &FileFacts, of_syntax: &str) -> Option<String> {
    facts.trouble.iter().find_map(|trouble| match trouble {
        FactsProblem::UnknownLanguage => None,
        FactsProblem::TooLarge => Some("not compared, too large".to_owned()),
        FactsProblem::TooSlow | FactsProblem::TooMuch | FactsProblem::TooDeep => {
            Some("compared in part, too costly".to_owned())
        }
        FactsProblem::Syntax { line } => {
            Some(format!("{of_syntax}: line {line} is not understood"))
        }
    })
}

/// Folders that are asked for rules of their own.
const MOST_FOLDERS: usize = 400;

/// What a commit says of files in the folders around these.
fn rules_of<'p>(
    commit: ObjectId,
    paths: impl Iterator<Item = &'p RepoPath>,
    blobs: &mut BlobReader,
) -> Result<Rules> {
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for path in paths {
        let path = path.text();
        let mut rest = &*path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            if folders.len() >= MOST_FOLDERS || !folders.insert(folder.to_owned()) {
                break;
            }
            rest = folder;
        }
    }
    let mut texts = Vec::new();
    let folders = folders.iter().map(|folder| format!("{folder}/"));
    for folder in std::iter::once(String::new()).chain(folders) {
        for name in [".gitattributes", ".loreignore"] {
            let path = format!("{folder}{name}");
            let file = blobs.read_file(commit, &RepoPath::from(path.as_str()), MAX_RULE_FILE)?;
            let text = file.into_content().and_then(|bytes| String::from_utf8(bytes).ok());
            texts.extend(text.map(|text| (path, text)));
        }
    }
    Ok(Rules::of(&texts))
}

fn read_commits(
    repo: &Repo,
    base: ObjectId,
    head: ObjectId,
    (blobs, sources, paths): (&mut BlobReader, &mut Sources, &mut Vec<String>),
) -> Result<u64> {
    let changes = repo.changes(Some(base), head)?;
    sources.rules = rules_of(head, changes.iter().map(|change| &change.path), blobs)?;
    for change in &changes {
        let (path, old_path) =
            (change.path.text().into_owned(), change.old_path.text().into_owned());
        // The same bytes under the same name: only the mode changed.
        let is_mode_only = change.old_id == change.id && path == old_path;
        let is_file = |mode: Option<git::FileMode>| mode.is_some_and(git::FileMode::is_file);
        if !is_mode_only {
            let mut side = |id: Option<ObjectId>, mode, path: &str| -> Result<Option<Input>> {
                let Some(blob) = id.filter(|_| is_file(mode)) else { return Ok(None) };
                if !sources.takes(path) {
                    return Ok(None);
                }
                Ok(match blobs.read(blob, lang::MAX_BYTES as u64)? {
                    Blob::Content(bytes) => Some(Input { path: path.to_owned(), bytes, blob }),
                    Blob::TooLarge(_) => sources.skip(path, "too large"),
                    Blob::Missing => sources.skip(path, "not in this clone"),
                })
            };
            let old = side(change.old_id, change.old_mode, &old_path)?;
            let new = side(change.id, change.mode, &path)?;
            sources.add_both(old, new);
        }
        paths.extend([path, old_path]);
    }
    Ok(changes.len() as u64)
}

fn read_work_tree(
    repo: &Repo,
    base: ObjectId,
    (blobs, sources, paths): (&mut BlobReader, &mut Sources, &mut Vec<String>),
) -> Result<u64> {
    let changes = repo.work_tree_changes(base, lang::MAX_BYTES as u64, |_: &RepoPath| true)?;
    sources.rules = rules_of(base, changes.iter().map(|change| &change.path), blobs)?;
    for change in &changes {
        let path = change.path.text().into_owned();
        if sources.takes(&path) {
            let old = match blobs.read_file(base, &change.path, lang::MAX_BYTES as u64)? {
                Blob::Content(bytes) => {
                    let blob = base.of_blob_like(&bytes);
                    Some(Input { path: path.clone(), bytes, blob })
                }
                Blob::TooLarge(_) => sources.skip(&path, "too large"),
                Blob::Missing => None,
            };
            let new = match &change.content {
                Some(WorkTreeContent::Bytes(blob, bytes)) => {
                    Some(Input { path: path.clone(), bytes: bytes.clone(), blob: *blob })
                }
                Some(WorkTreeContent::TooLarge(_)) => sources.skip(&path, "too large"),
                None => None,
            };
            sources.add_both(old, new);
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
        if contract::takes_back(path) {
            self.skip::<()>(path, "it takes a migration back");
            return false;
        }
        if let Some(skip) = why_not(path, 0, &self.rules) {
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

    fn add_both(&mut self, old: Option<Input>, new: Option<Input>) {
        // The index has such files: who calls them is worth knowing. A contract is one
        // whoever wrote it.
        let is_generated = |input: &&Input| {
            !lang::is_structure(&input.path)
                && is_marked_generated(&input.bytes)
                && !self.rules.is_written_by_people(&input.path)
        };
        if let Some(input) = new.iter().chain(&old).find(is_generated) {
            let path = input.path.clone();
            self.skip::<()>(&path, Skip::Generated.as_str());
            return;
        }
        self.add(old, true);
        self.add(new, false);
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
