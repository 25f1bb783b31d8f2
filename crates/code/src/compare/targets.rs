//! Files that nobody outside can use: those of a program, not of a library.

use super::File;
use git::{Blob, BlobReader, ObjectId, RepoPath};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A manifest is short.
const MOST_BYTES: u64 = 1 << 20;

/// Says of the files of programs that they export nothing.
pub fn mark_programs(files: &mut [File], commit: ObjectId, blobs: &mut BlobReader) {
    let mut crates = Crates { blobs, commit, is_program: BTreeMap::new() };
    for file in files {
        let is_of_program = match file.facts.language.as_str() {
            "rust" => crates.has_program(&file.path),
            "go" => is_go_program(file) || is_internal(&file.path),
            _ => false,
        };
        if is_of_program {
            file.exported = Some(FxHashSet::default());
        }
    }
}

/// Go lets nobody import `main`, …
fn is_go_program(file: &File) -> bool {
    let mut lines = file.bytes.split(|byte| *byte == b'\n');
    let package = lines.find_map(|line| line.trim_ascii().strip_prefix(b"package "));
    package.is_some_and(|name| {
        name.split(|byte| *byte == b'/').next().unwrap_or(name).trim_ascii() == b"main"
    })
}

/// … nor another module what lies in such a folder.
fn is_internal(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|it| it == "internal"))
}

/// The crates of a commit, by folder.
struct Crates<'b> {
    blobs: &'b mut BlobReader,
    commit: ObjectId,
    /// None where a folder is no crate.
    is_program: BTreeMap<String, Option<bool>>,
}

impl Crates<'_> {
    fn has_program(&mut self, path: &str) -> bool {
        let mut folder = path;
        while let Some((outer, _)) = folder.rsplit_once('/') {
            folder = outer;
            if let Some(is_program) = self.of_folder(folder) {
                return is_program && path[folder.len()..].starts_with("/src/");
            }
        }
        self.of_folder("").is_some_and(|is_program| is_program && path.starts_with("src/"))
    }

    fn of_folder(&mut self, folder: &str) -> Option<bool> {
        if let Some(known) = self.is_program.get(folder) {
            return *known;
        }
        let within = |name: &str| match folder {
            "" => name.to_owned(),
            _ => format!("{folder}/{name}"),
        };
        let manifest = self.text(&within("Cargo.toml"));
        let is_program = manifest.filter(|it| it.contains("[package]")).map(|manifest| {
            !manifest.lines().any(|line| line.trim() == "[lib]")
                && self.text(&within("src/lib.rs")).is_none()
        });
        self.is_program.insert(folder.to_owned(), is_program);
        is_program
    }

    fn text(&mut self, path: &str) -> Option<String> {
        match self.blobs.read_file(self.commit, &RepoPath::new(path.as_bytes()), MOST_BYTES) {
            Ok(Blob::Content(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(Blob::TooLarge(_)) => Some(String::new()),
            Ok(Blob::Missing) | Err(_) => None,
        }
    }
}
