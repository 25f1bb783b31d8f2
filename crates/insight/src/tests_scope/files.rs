//! The files of a commit: which of them are tests, and what lies beside them.

use git::{ObjectId, Repo};
use model::Result;
use model::code::is_test_path;
use std::collections::BTreeSet;

/// The paths of a commit.
#[derive(Debug, Clone, Default)]
pub struct TestFiles {
    /// Files that hold tests.
    tests: BTreeSet<String>,
    /// Everything else that lies among tests: data, fixtures, helpers.
    beside: Vec<String>,
}

impl TestFiles {
    pub fn read(repo: &Repo, commit: ObjectId) -> Result<Self> {
        let entries = repo.files(commit)?;
        let files = entries.iter().filter(|entry| entry.mode.is_file());
        Ok(Self::of(files.map(|entry| entry.path.text().into_owned())))
    }

    pub fn of(paths: impl Iterator<Item = String>) -> Self {
        let mut all = TestFiles::default();
        for path in paths.filter(|path| is_test_path(path)) {
            if is_test_file(&path) {
                all.tests.insert(path);
            } else {
                all.beside.push(path);
            }
        }
        all.beside.sort();
        all
    }

    pub fn has(&self, path: &str) -> bool {
        self.tests.contains(path)
    }

    pub fn tests(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().map(String::as_str)
    }

    pub fn n_tests(&self) -> usize {
        self.tests.len()
    }

    /// Tests at any depth below a folder; all of them below none.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let is_below = move |path: &&str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        self.tests().filter(is_below)
    }

    /// The names of folders among tests that have a file of this stem which is no
    /// test itself.
    pub fn data_folders(&self, stem: &str) -> Vec<&str> {
        let mut folders: Vec<&str> = self
            .beside
            .iter()
            .filter_map(|path| {
                let (folder, name) = path.rsplit_once('/')?;
                let is_data = !is_code(ending(name)) && self::stem(name) == stem;
                is_data.then(|| folder.rsplit('/').next().unwrap_or(folder))
            })
            .collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// Whether a path holds tests: code among tests that is not there to support them.
pub fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Where Python looks for tests, `test` is part of the name: models and helpers
    // beside them are none.
    let is_named = ending(name) != "py" || (stem(name).contains("test") && name != "conftest.py");
    is_test_path(path) && is_code(ending(name)) && is_named
}

/// What a file of tests is about, by its name: `session` of `test_session`.
pub fn subject_of(path: &str) -> &str {
    let prefixes = ["unittest_", "test_", "Test"];
    let suffixes = ["_test", "_tests", "_spec", "Tests", "Test", "-test", "Spec"];
    let stem = stem(path);
    let stem = prefixes.iter().find_map(|it| stem.strip_prefix(it)).unwrap_or(stem);
    suffixes.iter().find_map(|it| stem.strip_suffix(it)).unwrap_or(stem)
}

/// What a file is called: `session` of `app/session.py`, `app` of `app/__init__.py`.
pub fn subject_of_source(path: &str) -> &str {
    let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
    match stem(path) {
        "__init__" | "index" | "mod" => folder.rsplit('/').next().unwrap_or(folder),
        stem => stem,
    }
}

pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

pub fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

pub fn is_code(ending: &str) -> bool {
    matches!(
        ending,
        "py" | "rs"
            | "go"
            | "java"
            | "kt"
            | "kts"
            | "ts"
            | "tsx"
            | "mts"
            | "cts"
            | "js"
            | "jsx"
            | "mjs"
            | "cjs"
            | "cs"
            | "rb"
            | "php"
            | "c"
            | "cc"
            | "cpp"
            | "cxx"
            | "h"
            | "hpp"
            | "hh"
    )
}
