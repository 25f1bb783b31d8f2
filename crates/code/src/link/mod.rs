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
pub mod layout;
mod members;
mod names;
mod program;
mod ty;

pub use program::Symbol;

use crate::facts::{DefId, FileFacts};
use eval::Eval;
use hierarchy::Hierarchy;
use layout::FileIx;
use program::Program;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linked {
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    /// The package of every file given, empty where no language knows it.
    pub packages: Vec<String>,
}

/// Whether a path is one `link` wants to read as a manifest.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "go.mod" | "Cargo.toml" | "package.json" | "pyproject.toml")
        || name.strip_prefix("tsconfig").is_some_and(|rest| rest.strip_suffix(".json").is_some())
}

/// Links the files of a commit.
pub fn link(files: &[Source<'_>], manifests: &[Manifest<'_>]) -> Linked {
    let program = Program::of(files, manifests);
    let types = Hierarchy::of(&program);
    let known = infer::infer(&types);
    let by_path: FxHashMap<&str, u32> =
        files.iter().enumerate().map(|(ix, file)| (file.path, ix as u32)).collect();
    let given = |ix: FileIx| by_path.get(program.file(ix).path).copied().unwrap_or(u32::MAX);
    let n_real = program.files.iter().filter(|file| !file.is_outside).count();
    let parts: Vec<(Vec<Edge>, Vec<Unresolved>)> = (0..n_real as u32)
        .into_par_iter()
        .map(|ix| {
            let eval = Eval::new(&types, &known, FileIx(ix));
            edges::of_file(&eval, &given)
        })
        .collect();
    let mut linked = Linked { packages: vec![String::new(); files.len()], ..Linked::default() };
    for (edges, unresolved) in parts {
        linked.edges.extend(edges);
        linked.unresolved.extend(unresolved);
    }
    for ix in 0..n_real as u32 {
        let file = given(FileIx(ix));
        program.package(FileIx(ix)).clone_into(&mut linked.packages[file as usize]);
    }
    linked
}
