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
        let paths = repo.paths(commit)?;
        Ok(Self::of(paths.iter().map(|path| path.text().into_owned())))
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

    pub fn into_tests(self) -> BTreeSet<String> {
        self.tests
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

    /// The folders among tests that have a file of this stem which is no test itself.
    pub fn data_folders(&self, stem: &str) -> Vec<&str> {
        let mut folders: Vec<&str> = self
            .beside
            .iter()
            .filter_map(|path| {
                let (folder, name) = path.rsplit_once('/')?;
                let is_data = !is_code(ending(name)) && self::stem(name) == stem;
                is_data.then_some(folder)
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
    is_test_path(path) && is_code(ending(name)) && is_named && !is_data(path)
}

/// Whether tests below its folder are given what a file defines, by the names of their
/// parameters.
pub fn is_fixture_file(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path) == "conftest.py"
}

/// Whether code among tests is there to be read by them: it lies in a folder of data and
/// is not called a test itself.
fn is_data(path: &str) -> bool {
    const FOLDERS: [&str; 10] = [
        "testdata",
        "test-data",
        "test_data",
        "data",
        "fixture",
        "fixtures",
        "__fixtures__",
        "resources",
        "snapshots",
        "__snapshots__",
    ];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let says_test = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("test") || text.contains("spec")
    };
    // A folder of data that has tests of its own is none.
    let mut below_tests = folder.split('/').skip_while(|part| !says_test(part));
    below_tests.any(|part| FOLDERS.contains(&part)) && !says_test(name)
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

/// The last of the folders a file or a folder is in.
pub fn last_folder(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
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

#[cfg(test)]
mod tests {
    use super::is_test_file;

    #[test]
    fn data_of_tests_is_no_test() {
        for path in [
            "tests/test_cart.py",
            "test/cart.js",
            "test/fixtures/cart.test.js",
            "src/test/java/acme/CartIT.java",
            "src/data/__tests__/cart.js",
            "pkg/testdata/cart_test.go",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "test/fixtures/cart.js",
            "test/integration/fixtures/options/cart.fixture.js",
            "pkg/testdata/src/cart.go",
            "src/test/resources/acme/Cart.java",
            "tests/data/cart.rs",
            "tests/conftest.py",
            "tests/models.py",
            "src/cart.js",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
