//! The files of a commit: which of them are tests, and what lies beside them.

use super::escape;
use super::runners::{Naming, family, naming};
use git::{ObjectId, Repo};
use model::Result;
use model::code::is_test_path;
use std::collections::{BTreeMap, BTreeSet};

/// The paths of a commit.
#[derive(Debug, Clone, Default)]
pub struct TestFiles {
    /// Files that hold tests.
    tests: BTreeSet<String>,
    /// Everything else that lies among tests: data, fixtures, helpers.
    beside: Vec<String>,
    /// The folders that a build describes, as projects of their own; never the root.
    projects: BTreeMap<String, Vec<String>>,
}

impl TestFiles {
    pub fn read(repo: &Repo, commit: ObjectId) -> Result<Self> {
        let paths = repo.paths(commit)?;
        Ok(Self::of(paths.iter().map(|path| path.text().into_owned())))
    }

    pub fn of(paths: impl Iterator<Item = String>) -> Self {
        let mut all = TestFiles::default();
        let mut by_folder: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut n_named: BTreeMap<&str, usize> = BTreeMap::new();
        for path in paths {
            if let Some(folder) = escape::project_of_manifest(&path) {
                all.projects.entry(folder.to_owned()).or_default().push(path.clone());
            }
            if !is_test_path(&path) {
                continue;
            }
            match naming(&path) {
                _ if !is_test_file(&path) => all.beside.push(path),
                Naming::Folder => by_folder.entry(family(&path)).or_default().push(path),
                _ => {
                    *n_named.entry(family(&path)).or_default() += 1;
                    all.tests.insert(path);
                }
            }
        }
        for (family, paths) in by_folder {
            // Where tests are named by a convention, what is not so named serves them.
            if n_named.get(family).is_some_and(|n_named| *n_named >= paths.len()) {
                all.beside.extend(paths);
            } else {
                all.tests.extend(paths);
            }
        }
        all.beside.sort();
        all
    }

    /// Whether a file is code that lies among tests and is none.
    pub fn is_helper(&self, path: &str) -> bool {
        is_test_path(path) && is_code(ending(path)) && !self.has(path)
    }

    /// The files that describe builds of projects below the root, by folder.
    pub fn projects(&self) -> &BTreeMap<String, Vec<String>> {
        &self.projects
    }

    /// The project that a file belongs to: the innermost folder with a build of its own.
    pub fn project_of<'a>(&self, path: &'a str) -> &'a str {
        let above = |folder: &&'a str| folder.rsplit_once('/').map(|(above, _)| above);
        let first = path.rsplit_once('/').map(|(folder, _)| folder);
        let mut folders = std::iter::successors(first, above);
        folders.find(|folder| self.projects.contains_key(*folder)).unwrap_or("")
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
    is_test_path(path) && is_code(ending(path)) && naming(path) != Naming::Helper && !is_data(path)
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
    if is_for_folder(path) {
        return folder_subject(path);
    }
    let prefixes = ["unittest_", "test_", "Test"];
    let suffixes = ["_test", "_tests", "_spec", "Tests", "Test", "-test", "Spec"];
    let stem = stem(path);
    let stem = prefixes.iter().find_map(|it| stem.strip_prefix(it)).unwrap_or(stem);
    suffixes.iter().find_map(|it| stem.strip_suffix(it)).unwrap_or(stem)
}

/// What a file is called: `session` of `app/session.py`, `app` of `app/__init__.py`.
pub fn subject_of_source(path: &str) -> &str {
    if is_for_folder(path) { folder_subject(path) } else { stem(path) }
}

/// Whether a file is called so because it is there for its folder: the name says nothing of
/// what it is about.
fn is_for_folder(path: &str) -> bool {
    match stem(path) {
        "__init__" | "index" | "mod" => true,
        // A module of Python is imported by any name.
        "main" | "lib" | "doc" => ending(path) != "py",
        _ => false,
    }
}

/// The innermost folder of a file that is called by what is in it.
fn folder_subject(path: &str) -> &str {
    let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
    let is_layout = |part: &str| {
        matches!(part, "src" | "lib" | "test" | "tests" | "__tests__" | "spec" | "specs")
    };
    folder.rsplit('/').find(|part| !is_layout(part)).unwrap_or("")
}

/// Whether a word is the name of so much that who says it means nothing by it.
pub fn says_nothing(name: &str) -> bool {
    matches!(
        name,
        "init"
            | "main"
            | "index"
            | "mod"
            | "lib"
            | "doc"
            | "initialize"
            | "initialise"
            | "setup"
            | "setUp"
            | "set_up"
            | "teardown"
            | "tearDown"
            | "tear_down"
            | "prepare"
            | "constructor"
            | "docs"
            | "test"
            | "tests"
    )
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
    use super::{TestFiles, is_test_file, says_nothing, subject_of, subject_of_source};

    fn tests_of(paths: &[&str]) -> Vec<String> {
        let all = TestFiles::of(paths.iter().map(|path| (*path).to_owned()));
        all.into_tests().into_iter().collect()
    }

    #[test]
    fn where_tests_are_named_what_is_not_serves_them() {
        let named = ["test/cart.test.js", "test/sum.test.js", "test/build.js"];
        assert_eq!(tests_of(&named), ["test/cart.test.js", "test/sum.test.js"]);
        assert_eq!(tests_of(&["test/app.js", "test/support/x.js"]), ["test/app.js"]);
    }

    #[test]
    fn files_that_are_there_for_their_folder_are_about_it() {
        assert_eq!(subject_of_source("examples/derive/main.rs"), "derive");
        assert_eq!(subject_of("tests/builder/main.rs"), "builder");
        assert_eq!(subject_of_source("src/index.ts"), "");
        assert_eq!(subject_of_source("app/main.py"), "main");
    }

    /// sqlfluff 3608: tests that say `__init__` speak for a changed one.
    #[test]
    fn names_of_a_language_are_no_lifecycle_names() {
        assert!(says_nothing("init") && says_nothing("main") && says_nothing("setUp"));
        assert!(!says_nothing("__init__") && !says_nothing("_prepare") && !says_nothing("cart"));
    }

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
