//! Where imports lead: the part of linking that knows folders and manifests.

use super::questions::{Answers, Question};
use super::{ImportPath, Manifest};
use crate::facts::{DefId, FileFacts, Import};
use rustc_hash::FxHashSet;

/// A file of the program; preludes come after the files of the commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileIx(pub u32);

impl FileIx {
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// The files of one language in a commit, sorted by path.
pub struct Tree<'a> {
    pub files: Vec<TreeFile<'a>>,
    pub manifests: &'a [Manifest<'a>],
}

#[derive(Clone, Copy)]
pub struct TreeFile<'a> {
    pub ix: FileIx,
    pub path: &'a str,
    pub facts: &'a FileFacts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Module(FileIx),
    /// The imported name is this module, in a folder that no file speaks for.
    NamedModule(FileIx),
    /// A module of a file, from which the path goes on after `skip` names.
    Within {
        file: FileIx,
        def: DefId,
        skip: u8,
    },
    /// A namespace that spans files; the path goes on after `skip` names.
    Space {
        space: u32,
        skip: u8,
    },
    /// The first name of the path is one the importing module knows.
    Scope,
    /// The standard library, as far as the prelude knows it.
    Prelude,
    /// Not in this repository.
    Outside,
}

/// What a name means that no scope knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A module of a file, or the file.
    At(FileIx, DefId),
    Prelude,
}

/// What a name means in a namespace that spans files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InSpace {
    Def(FileIx, DefId),
    Space(u32),
}

/// What a layout is asked, it answers from all files of the commit. So it
/// notes every question whose answer another set of files could change, found
/// or not (`questions::ask`), and tells in `answers` what decides it.
pub trait Layout: Send + Sync {
    /// What the files and manifests contribute to the answers.
    fn answers(&self, answers: &mut Answers);

    /// Adds the questions whose answers follow from those of others.
    fn spread(&self, _different: &mut FxHashSet<Question>) {}

    /// The package a file belongs to: the unit of roots and of linking.
    fn package(&self, file: FileIx) -> &str;

    /// Where an import of a file leads, its imported name left aside.
    fn resolve(&self, from: FileIx, facts: &FileFacts, import: &Import) -> Target;

    /// A module inside a module, where folders make modules.
    fn child(&self, _module: FileIx, _name: &str) -> Option<FileIx> {
        None
    }

    /// The files that share one space of names with a file, itself included.
    fn parts(&self, file: FileIx) -> Vec<FileIx> {
        vec![file]
    }

    /// Other files whose wildcards are seen in a file as if it had written them.
    fn ambient(&self, _file: FileIx) -> Vec<FileIx> {
        Vec::new()
    }

    /// What a name means that no scope knows: the name of a package.
    fn root(&self, _from: FileIx, _facts: &FileFacts, _home: DefId, _name: &str) -> Option<Place> {
        None
    }

    /// The namespace a module or type of a file adds to, where they span files.
    fn space_of(&self, _file: FileIx, _def: DefId) -> Option<u32> {
        None
    }

    /// The dotted path of a namespace, and back.
    fn space_name(&self, _space: u32) -> Option<&str> {
        None
    }

    fn space_named(&self, _path: &str) -> Option<u32> {
        None
    }

    /// The namespace around one, if its names are seen inside.
    fn outer_space(&self, _space: u32) -> Option<u32> {
        None
    }

    /// What a name means in a namespace, asked from a file: several where
    /// nothing but its arguments can tell which one a call means.
    fn in_space(&self, _from: FileIx, _space: u32, _name: &str) -> Vec<InSpace> {
        Vec::new()
    }

    /// The definitions that follow one declaration which a file sees, or that it includes,
    /// as near to it as any of them: of several, a build takes one.
    fn variants(&self, _from: FileIx, _space: u32, _name: &str) -> Vec<(FileIx, DefId)> {
        Vec::new()
    }

    /// The declarations of a name which a file sees in other modules.
    fn declarations(&self, _from: FileIx, _space: u32, _name: &str) -> Vec<(FileIx, DefId)> {
        Vec::new()
    }

    /// The package an import path means when it leads out of the repository,
    /// and how many of its names say so. None for the standard library, and
    /// where nothing tells packages from other names.
    fn outside(&self, _path: &[&str]) -> Option<(String, usize)> {
        None
    }

    /// Whether a name that no scope knows is that of a package outside.
    fn is_outside_root(&self, _name: &str) -> bool {
        false
    }

    /// How other repositories import a file.
    fn import_path(&self, _file: FileIx) -> Option<ImportPath> {
        None
    }

    /// The file that holds the body of a module declared in `file`.
    fn declared(&self, _file: FileIx, _path: &[&str]) -> Option<FileIx> {
        None
    }
}

/// The folder of a path, empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder, with `.` and `..` worked off; none when it
/// leaves the repository.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
