//! What the files of a commit say together: who calls, imports, inherits.
//!
//! `link` is a pure function of the facts and the manifests. It binds a call
//! only when scopes, imports and types say what is called; everything else
//! stays unresolved, with its name and receiver, and is never guessed.

mod budget;
mod calls;
pub mod confidence;
mod edges;
mod eval;
mod hierarchy;
mod infer;
mod interface;
pub mod layout;
mod members;
mod names;
mod outcome;
pub mod outside;
mod overload;
mod program;
pub mod questions;
mod references;
mod relations;
mod routes;
mod scope;
mod symbols;
mod trail;
mod ty;
mod variants;

pub use outcome::{Outcome, PathKey, path_key};
pub use outside::{External, ExternalEdge, ImportPath, Importable};
pub use symbols::Symbol;

pub use model::code::EdgeKind;

use crate::facts::{DefId, FileFacts};
use crate::lang;
use eval::Eval;
use hierarchy::Hierarchy;
use infer::{InferenceRun, Knowledge, SETTLED, infer};
use layout::FileIx;
use model::code::Provenance;
use outcome::LookupTrail;
use program::Program;
use questions::Question;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A file of the commit.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub path: &'a str,
    pub facts: &'a FileFacts,
}

/// A file that says how a repository is laid out; see `is_manifest`.
#[derive(Clone, Copy)]
pub struct Manifest<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// A definition of a file, by the file's place in the slice given to `link`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    pub file: u32,
    pub def: DefId,
}

/// A relation between two symbols of the commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    pub kind: EdgeKind,
    pub source: Node,
    pub target: Node,
    /// Where in the source's file; the column in bytes from 1.
    pub line: u32,
    pub col: u32,
    /// How sure it is, in percent.
    pub confidence: u8,
    pub provenance: Provenance,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WhyUnresolved {
    /// The callee is known to be outside the repository.
    External,
    /// A parameter, variable or field is called.
    Value,
    /// Nothing says what is called.
    Unknown,
}

/// A call that is not bound to a symbol of the commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unresolved {
    pub source: Node,
    /// Index into `calls` of the file's facts, which has name, place and receiver.
    pub call: u32,
    pub why: WhyUnresolved,
}

/// What linking found; in the order of paths, whatever the order of the input.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LinkResult {
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    /// Relations to what other repositories define; not among `edges`.
    pub external: Vec<ExternalEdge>,
    /// How others import the files given; empty where that did not change.
    pub importable: Vec<Importable>,
    /// The package of every file given, empty where no language knows it.
    pub packages: Vec<String>,
    /// Files whose names took more steps than allowed; what was not found by
    /// then is unresolved.
    pub costly: Vec<u32>,
    /// What each file that was linked came to, by its place in the list given.
    /// Edges and unresolved calls of other files are as they were.
    pub outcomes: FxHashMap<u32, Outcome>,
}

/// Whether a path is one `link` wants to read as a manifest.
pub fn is_manifest(path: &str) -> bool {
    manifest_language(path).is_some()
}

/// The language whose layout a manifest speaks about.
pub fn manifest_language(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    lang::ALL.iter().find(|language| language.is_manifest(name)).map(|language| language.name())
}

/// A file of the commit, as far as it is known without its facts.
#[derive(Clone, Copy, Debug)]
pub struct FileListing<'a> {
    pub path: &'a str,
    pub language: &'a str,
    /// How many definitions its facts have.
    pub n_defs: u32,
}

/// Where linking gets what files say, and what was concluded from them before.
/// Files are named by their place in the list given.
pub trait FactsSource: Sync {
    fn facts(&self, file: u32) -> &FileFacts;

    /// What linking made of the file at this path in the state before.
    fn outcome(&self, _file: u32) -> Option<&Outcome> {
        None
    }
}

struct InMemory<'s, 'a>(&'s [Source<'a>]);

impl FactsSource for InMemory<'_, '_> {
    fn facts(&self, file: u32) -> &FileFacts {
        self.0[file as usize].facts
    }
}

/// Links the files of a commit.
pub fn link(files: &[Source<'_>], manifests: &[Manifest<'_>]) -> LinkResult {
    let listed: Vec<FileListing<'_>> = files
        .iter()
        .map(|file| FileListing {
            path: file.path,
            language: &file.facts.language,
            n_defs: file.facts.defs.len() as u32,
        })
        .collect();
    let library = InMemory(files);
    let program = Program::of(&listed, &library, manifests);
    let types = Hierarchy::of(&program);
    let live: Vec<FileIx> = program.real().collect();
    let (known, inferred) = infer(&types, &live);
    let mut linked = edges_of(&types, &known, &live, inferred);
    linked.edges.extend(relate(files));
    linked.packages = vec![String::new(); files.len()];
    for ix in program.real() {
        program.package(ix).clone_into(&mut linked.packages[program.given(ix) as usize]);
    }
    linked.importable = importable(&program);
    linked
}

fn importable(program: &Program<'_>) -> Vec<Importable> {
    let one = |ix: FileIx| {
        let path = program.layout(ix).import_path(ix)?;
        let language = lang::ALL[program.language(ix)].name();
        Some(Importable { language, file: program.given(ix), path })
    };
    program.real().filter_map(one).collect()
}

/// A commit whose parent was linked before.
pub struct Step<'s, 'a> {
    pub now: State<'s, 'a>,
    pub before: State<'s, 'a>,
    /// Files that changed or came, by their place in the list of now.
    pub changed: &'s [u32],
    /// Files that went.
    pub gone: &'s [PathKey],
    /// Whether files came or went, or manifests changed.
    pub is_moved: bool,
}

/// The files of a commit, with the manifests.
#[derive(Clone, Copy)]
pub struct State<'s, 'a> {
    pub listed: &'s [FileListing<'a>],
    pub library: &'a dyn FactsSource,
    pub manifests: &'a [Manifest<'a>],
}

/// What is remembered of linking the state before.
pub trait Memory {
    /// The files that were concluded from any of these.
    fn readers(&self, files: &BTreeSet<PathKey>) -> Vec<u32>;
    /// The files that asked any of these questions.
    fn askers(&self, questions: &FxHashSet<Question>) -> Vec<u32>;
}

/// Links the files that changed since the state before, and those for which
/// that makes a difference.
pub fn link_changed(step: &Step<'_, '_>, memory: &dyn Memory) -> LinkResult {
    let program = Program::of(step.now.listed, step.now.library, step.now.manifests);
    let types = Hierarchy::of(&program);
    let place: FxHashMap<u32, FileIx> = program.real().map(|ix| (program.given(ix), ix)).collect();
    let placed = |given: &u32| place.get(given).copied();
    let mut live: BTreeSet<FileIx> = step.changed.iter().filter_map(placed).collect();
    let mut different: BTreeSet<FileIx> =
        live.iter().filter(|file| looks_different(&program, **file)).copied().collect();
    // Where layouts follow from paths, only paths and manifests change them.
    if step.is_moved || different.iter().any(|file| !program.is_by_path(*file)) {
        let questions = changed_questions(&types, step.before);
        let hit: Vec<FileIx> = memory.askers(&questions).iter().filter_map(placed).collect();
        different.extend(hit.iter().filter(|file| looks_different(&program, **file)));
        live.extend(hit);
    }
    let mut followed: BTreeSet<PathKey> = BTreeSet::new();
    let mut to_follow: BTreeSet<PathKey> = step.gone.iter().copied().collect();
    loop {
        to_follow.extend(different.iter().map(|file| path_key(program.path(*file))));
        let new: BTreeSet<PathKey> = to_follow.difference(&followed).copied().collect();
        live.extend(memory.readers(&new).iter().filter_map(placed));
        followed.extend(new);
        let files: Vec<FileIx> = live.iter().copied().collect();
        let (known, inferred) = infer(&types, &files);
        let is_different = |file: &FileIx| {
            let before = program.outcome(*file);
            let history = &inferred[file].history;
            let now = outcome::keep(&program, *file, &LookupTrail::default(), history);
            !before.is_some_and(|before| before.knows_the_same(&now))
        };
        let n_before = different.len();
        different.extend(files.iter().filter(|file| is_different(file)));
        if different.len() == n_before {
            let mut linked = edges_of(&types, &known, &files, inferred);
            if step.is_moved {
                linked.importable = importable(&program);
            }
            return linked;
        }
    }
}

/// The questions whose answers may not be what they were.
fn changed_questions(now: &Hierarchy<'_, '_>, before: State<'_, '_>) -> FxHashSet<Question> {
    let program = Program::of(before.listed, before.library, before.manifests);
    let types = Hierarchy::of(&program);
    let mut different = types.answers().different(now.answers());
    program.spread(&mut different);
    now.program.spread(&mut different);
    different
}

/// Whether other files see something else in a file than before.
fn looks_different(program: &Program<'_>, file: FileIx) -> bool {
    let now = interface::interface(program, file);
    program.outcome(file).is_none_or(|before| before.interface != now)
}

/// What contracts and infrastructure state about each other, in the order of
/// the files given.
pub fn relate(files: &[Source<'_>]) -> Vec<Edge> {
    relations::edges(files)
}

fn edges_of<'p, 'a>(
    types: &'p Hierarchy<'p, 'a>,
    known: &'p Knowledge<'p, 'a>,
    live: &[FileIx],
    mut inferred: FxHashMap<FileIx, InferenceRun>,
) -> LinkResult {
    let program = types.program;
    let live: Vec<(FileIx, InferenceRun)> =
        live.iter().map(|file| (*file, inferred.remove(file).unwrap_or_default())).collect();
    let parts: Vec<(u32, edges::OfFile, Outcome, bool)> = live
        .into_par_iter()
        .map(|(file, InferenceRun { history, mut looked })| {
            let (found, looks) = trail::following(program.allowance(file), || {
                edges::of_file(&Eval::new(types, known, file, SETTLED))
            });
            looked.add(&looks);
            let is_cut = looked.is_cut;
            looked.asked.extend(&program.file(file).asked);
            let mut outcome = outcome::keep(program, file, &looked, &history);
            outcome.interface = interface::interface(program, file);
            (program.given(file), found, outcome, is_cut)
        })
        .collect();
    let mut linked = LinkResult::default();
    for (given, found, outcome, is_cut) in parts {
        if is_cut {
            linked.costly.push(given);
        }
        linked.edges.extend(found.edges);
        linked.unresolved.extend(found.unresolved);
        linked.external.extend(found.external);
        linked.outcomes.insert(given, outcome);
    }
    linked
}
