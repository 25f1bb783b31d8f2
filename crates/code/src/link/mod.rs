//! What the files of a commit say together: who calls, imports, inherits.
//!
//! `link` is a pure function of the facts and the manifests. It binds a call
//! only when scopes, imports and types say what is called; everything else
//! stays unresolved, with its name and receiver, and is never guessed.

mod calls;
mod edges;
mod eval;
mod hierarchy;
mod infer;
mod interface;
pub mod layout;
mod members;
mod names;
mod outcome;
mod overload;
mod program;
mod relations;
mod routes;
mod scope;
mod trail;
mod ty;

pub use outcome::{Outcome, PathKey, path_key};
pub use program::Symbol;

use crate::facts::{DefId, FileFacts};
use eval::Eval;
use hierarchy::Hierarchy;
use infer::{Inferred, Knowledge, SETTLED, infer};
use layout::FileIx;
use program::Program;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    Calls,
    Imports,
    Inherits,
    Implements,
    Overrides,
    /// A test calls what is no test.
    Tests,
    /// A function answers a route.
    HandlesRoute,
    References,
    DependsOn,
    Deploys,
    Exposes,
    Configures,
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
    /// How sure it is, in percent. The provenance of all of them is
    /// `ast_inferred`: concluded from syntax.
    pub confidence: u8,
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
pub struct Linked {
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    /// The package of every file given, empty where no language knows it.
    pub packages: Vec<String>,
    /// What each file that was linked came to, by its place in the list given.
    /// Edges and unresolved calls of other files are as they were.
    pub outcomes: FxHashMap<u32, Outcome>,
}

/// Whether a path is one `link` wants to read as a manifest.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "go.mod" | "Cargo.toml" | "package.json")
        || name.strip_prefix("tsconfig").is_some_and(|rest| rest.strip_suffix(".json").is_some())
}

/// A file of the commit, as far as it is known without its facts.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    pub path: &'a str,
    pub language: &'a str,
    /// How many definitions its facts have.
    pub n_defs: u32,
}

/// Where linking gets what files say, and what was concluded from them before.
/// Files are named by their place in the list given.
pub trait Library: Sync {
    fn facts(&self, file: u32) -> &FileFacts;

    /// What linking made of the file at this path in the state before.
    fn outcome(&self, _file: u32) -> Option<&Outcome> {
        None
    }
}

struct InMemory<'s, 'a>(&'s [Source<'a>]);

impl Library for InMemory<'_, '_> {
    fn facts(&self, file: u32) -> &FileFacts {
        self.0[file as usize].facts
    }
}

/// Links the files of a commit.
pub fn link(files: &[Source<'_>], manifests: &[Manifest<'_>]) -> Linked {
    let listed: Vec<Listed<'_>> = files
        .iter()
        .map(|file| Listed {
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
    linked.edges.extend(relations::edges(files));
    linked.packages = vec![String::new(); files.len()];
    for ix in program.real() {
        program.package(ix).clone_into(&mut linked.packages[program.given(ix) as usize]);
    }
    linked
}

/// Links the files that changed since the state before, and those for which
/// that makes a difference. The list must name the same paths as then, and the
/// manifests must be the same.
///
/// `readers` tells which files were concluded from any of the given ones.
pub fn link_changed<E>(
    listed: &[Listed<'_>],
    library: &dyn Library,
    manifests: &[Manifest<'_>],
    changed: &[u32],
    mut readers: impl FnMut(&[u32]) -> Result<Vec<u32>, E>,
) -> Result<Linked, E> {
    let program = Program::of(listed, library, manifests);
    let types = Hierarchy::of(&program);
    let place: FxHashMap<u32, FileIx> = program.real().map(|ix| (program.given(ix), ix)).collect();
    let changed: BTreeSet<FileIx> =
        changed.iter().filter_map(|given| place.get(given).copied()).collect();
    let mut different: BTreeSet<FileIx> =
        changed.iter().filter(|file| looks_different(&program, **file)).copied().collect();
    // Where files alone do not say what names mean, one that looks different
    // may change what they mean anywhere in its language.
    let anywhere: BTreeSet<usize> = different
        .iter()
        .filter(|file| !program.is_by_path(**file))
        .map(|file| program.language(*file))
        .collect();
    let mut live = changed;
    live.extend(program.real().filter(|file| anywhere.contains(&program.language(*file))));
    let mut followed: BTreeSet<FileIx> = BTreeSet::new();
    loop {
        let new: Vec<u32> =
            different.difference(&followed).map(|file| program.given(*file)).collect();
        followed.extend(&different);
        live.extend(readers(&new)?.iter().filter_map(|given| place.get(given)));
        let files: Vec<FileIx> = live.iter().copied().collect();
        let (known, inferred) = infer(&types, &files);
        let is_different = |file: &FileIx| {
            let before = program.outcome(*file);
            let now = outcome::keep(&program, *file, [], &inferred[file].history);
            !before.is_some_and(|before| before.knows_the_same(&now))
        };
        let n_before = different.len();
        different.extend(files.iter().filter(|file| is_different(file)));
        if different.len() == n_before {
            return Ok(edges_of(&types, &known, &files, inferred));
        }
    }
}

/// Whether other files see something else in a file than before.
fn looks_different(program: &Program<'_>, file: FileIx) -> bool {
    // What a file includes decides there which of several names is meant.
    if program.file(file).semantics.spaces {
        return true;
    }
    let now = interface::interface(program.file(file).facts);
    program.outcome(file).is_none_or(|before| before.interface != now)
}

fn edges_of<'p, 'a>(
    types: &'p Hierarchy<'p, 'a>,
    known: &'p Knowledge<'p, 'a>,
    live: &[FileIx],
    mut inferred: FxHashMap<FileIx, Inferred>,
) -> Linked {
    let program = types.program;
    let live: Vec<(FileIx, Inferred)> =
        live.iter().map(|file| (*file, inferred.remove(file).unwrap_or_default())).collect();
    let parts: Vec<(u32, Vec<Edge>, Vec<Unresolved>, Outcome)> = live
        .into_par_iter()
        .map(|(file, Inferred { history, mut reads })| {
            let ((edges, unresolved), looked_at) =
                trail::following(|| edges::of_file(&Eval::new(types, known, file, SETTLED)));
            reads.extend(looked_at);
            let mut outcome = outcome::keep(program, file, reads, &history);
            outcome.interface = interface::interface(program.file(file).facts);
            (program.given(file), edges, unresolved, outcome)
        })
        .collect();
    let mut linked = Linked::default();
    for (given, edges, unresolved, outcome) in parts {
        linked.edges.extend(edges);
        linked.unresolved.extend(unresolved);
        linked.outcomes.insert(given, outcome);
    }
    linked
}
