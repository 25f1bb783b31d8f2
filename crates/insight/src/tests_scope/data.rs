//! What tests say in their texts: data files and names they load by.

use super::{Selection, is_code};
use git::{ObjectId, Repo};
use model::Result;
use model::code::is_test_path;
use std::collections::BTreeMap;

/// The files of a commit, and the texts of its tests.
#[derive(Debug, Clone, Default)]
pub struct TestTexts {
    /// Paths of all files, sorted.
    files: Vec<String>,
    /// Of tests that hold code, their text; empty where it was not read.
    texts: BTreeMap<String, String>,
}

/// Texts read at most, and the size of each.
const MOST_TEXTS: usize = 5_000;
const LARGEST: u64 = 1 << 20;

/// A stem of fewer letters is a word of every text.
const SHORTEST: usize = 4;

impl TestTexts {
    /// Of a commit; of very many tests, the texts of the first.
    pub fn read(repo: &Repo, commit: ObjectId) -> Result<Self> {
        let mut blobs = repo.blobs()?;
        let mut all = TestTexts::default();
        for entry in repo.files(commit)? {
            let path = entry.path.text().into_owned();
            let name = path.rsplit('/').next().unwrap_or(&path);
            let is_code = is_code(name.rsplit_once('.').map_or("", |(_, ending)| ending));
            let is_support = name == "__init__.py" || name == "conftest.py";
            if entry.mode.is_file() && is_test_path(&path) && is_code && !is_support {
                let text = if all.texts.len() < MOST_TEXTS {
                    blobs.read(entry.id, LARGEST)?.into_content().unwrap_or_default()
                } else {
                    Vec::new()
                };
                all.texts.insert(path.clone(), String::from_utf8_lossy(&text).into_owned());
            }
            all.files.push(path);
        }
        all.files.sort();
        Ok(all)
    }

    pub fn has(&self, path: &str) -> bool {
        self.texts.contains_key(path)
    }

    pub fn tests(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    pub fn n_tests(&self) -> usize {
        self.texts.len()
    }

    /// Adds tests that name a changed file; whether there are any.
    pub fn add_named(&self, path: &str, found: &mut Selection) -> bool {
        let stem = stem(path);
        self.add_with_word(stem, &format!("names {stem}"), found)
    }

    /// Adds tests that are called like a changed file; whether there are any.
    pub fn add_namesakes(&self, path: &str, found: &mut Selection) -> bool {
        let stem = stem(path);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = folder.rsplit('/').next().unwrap_or(folder);
        let mut is_found = false;
        for test in self.texts.keys() {
            let subject = subject_of(self::stem(test));
            // `brain/test_typing` is about `brain/brain_typing`.
            let is_prefixed = !folder.is_empty()
                && stem.strip_prefix(folder).and_then(|rest| rest.strip_prefix('_'))
                    == Some(subject)
                && test.split('/').any(|part| part == folder);
            if subject.len() >= SHORTEST && (subject == stem || is_prefixed) {
                found.add(test, &format!("is called like {path}"), 1, None);
                is_found = true;
            }
        }
        is_found
    }

    /// Adds tests that name the folder of data called like a changed file;
    /// whether there are any.
    pub fn add_readers_of_data(&self, path: &str, found: &mut Selection) -> bool {
        let stem = stem(path);
        if stem.len() < SHORTEST {
            return false;
        }
        let mut is_read = false;
        for folder in self.data_folders(stem) {
            let reason = format!("reads data about {stem} from {folder}");
            is_read |= self.add_with_word(folder, &reason, found);
        }
        is_read
    }

    fn add_with_word(&self, word: &str, reason: &str, found: &mut Selection) -> bool {
        let mut is_found = false;
        if word.len() < SHORTEST {
            return false;
        }
        for (test, text) in &self.texts {
            if has_word(text, word) {
                found.add(test, reason, 1, None);
                is_found = true;
            }
        }
        is_found
    }

    /// The names of folders of test data that have a file of this stem.
    fn data_folders(&self, stem: &str) -> Vec<&str> {
        let mut folders: Vec<&str> = self
            .files
            .iter()
            .filter(|path| is_test_path(path) && !self.texts.contains_key(*path))
            .filter_map(|path| {
                let (folder, name) = path.rsplit_once('/')?;
                (self::stem(name) == stem).then(|| folder.rsplit('/').next().unwrap_or(folder))
            })
            .filter(|folder| folder.len() >= SHORTEST)
            .collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// What a file of tests is about, by its name: `session` of `test_session`.
fn subject_of(stem: &str) -> &str {
    let prefixes = ["unittest_", "test_", "Test"];
    let suffixes = ["_test", "_spec", "Tests", "Test", "-test"];
    let stem = prefixes.iter().find_map(|it| stem.strip_prefix(it)).unwrap_or(stem);
    suffixes.iter().find_map(|it| stem.strip_suffix(it)).unwrap_or(stem)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// Whether a text has a word, not only as a part of another one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
