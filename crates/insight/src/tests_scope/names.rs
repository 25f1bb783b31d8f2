//! Tests that name what changed, in their path or in their words.
//!
//! Words come from the terms the index keeps of every file: no text is read.

use super::Change;
use super::evidence::{Candidates, Evidence, Rule};
use super::files::{TestFiles, last_folder, says_nothing, stem, subject_of, subject_of_source};
use super::graph::Fixtures;
use super::namesakes;
use crate::code::View;
use model::Result;
use model::ids::{FileId, PackageId, PackageVersionId};
use model::terms;
use model::text::name_parts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use store::code::terms::unpack;
use store::code::{files, snapshots};

/// A name of fewer letters is a word of every text.
const SHORTEST: usize = 4;

/// The words of the tests of a snapshot that somebody asked for.
pub struct TestWords {
    /// By word: the tests that have it.
    tests: BTreeMap<String, Vec<String>>,
}

impl TestWords {
    pub fn read(
        view: &View<'_>,
        tests: &TestFiles,
        wanted: &BTreeSet<String>,
    ) -> Result<TestWords> {
        // By the first of its terms: what is asked for, and the other terms of it.
        let mut slots: FxHashMap<u32, Vec<(&str, Vec<u32>)>> = FxHashMap::default();
        let mut asked: FxHashSet<u32> = FxHashSet::default();
        for word in wanted {
            let mut terms = terms_of(word).into_iter();
            let Some(first) = terms.next() else { continue };
            let others: Vec<u32> = terms.collect();
            asked.insert(first);
            asked.extend(&others);
            slots.entry(first).or_default().push((word, others));
        }
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if slots.is_empty() {
            return Ok(TestWords { tests: found });
        }
        let versions = versions_where(view, |path| tests.has(path))?;
        let ids: Vec<FileId> = versions.iter().map(|(file, _)| *file).collect();
        let paths: FxHashMap<FileId, String> = versions.into_iter().collect();
        for (file, packed) in store::code::terms::packed_of_files(view.reader, &ids)? {
            let Some(path) = paths.get(&file) else { continue };
            let hits = unpack(&packed, |term| asked.contains(&term).then_some(term))?.hits;
            let has: BTreeSet<u32> = hits.iter().map(|(term, _)| *term).collect();
            let words = has.iter().filter_map(|term| slots.get(term)).flatten();
            for (word, _) in words.filter(|(_, others)| others.iter().all(|it| has.contains(it))) {
                found.entry((*word).to_owned()).or_default().push(path.clone());
            }
        }
        Ok(TestWords { tests: found })
    }

    /// The tests that have a word.
    pub fn with(&self, word: &str) -> &[String] {
        self.tests.get(word).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The terms a name is kept by: a name of several parts as a whole, one of several words
/// (`test-cart`) by all of them.
fn terms_of(name: &str) -> Vec<u32> {
    let mut all = Vec::new();
    for word in terms::words(name) {
        let mut whole = None;
        let mut part = None;
        terms::each(word, |term| {
            let slot = if term.is_compound { &mut whole } else { &mut part };
            *slot = Some(terms::number(term.text));
        });
        all.extend(whole.or(part));
    }
    all
}

/// The files of the snapshot that `is_wanted`.
pub fn versions_where(
    view: &View<'_>,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<(FileId, String)>> {
    let versions: Vec<PackageVersionId> =
        snapshots::packages(view.reader, view.scope.snapshot.seq)?.into_values().collect();
    let members = snapshots::members(view.reader, &versions)?;
    let packages: FxHashMap<PackageId, String> =
        files::packages(view.reader, view.scope.repo.id)?.into_iter().collect();
    let mut found = Vec::new();
    for row in files::rows(view.reader, members.iter().map(|member| member.file))? {
        let package = packages.get(&row.package).map_or("", String::as_str);
        let path = if package.is_empty() { row.name } else { format!("{package}/{}", row.name) };
        if is_wanted(&path) {
            found.push((row.id, path));
        }
    }
    Ok(found)
}

/// The simple names of changed symbols that tell something.
pub fn symbol_names(change: &Change, tests: &TestFiles) -> BTreeSet<String> {
    let symbols = change.symbols.iter().flatten();
    symbols
        .filter(|symbol| !tests.has(&symbol.path) && symbol.kind != "module")
        .filter_map(|symbol| symbol.symbol.rsplit('.').next())
        .filter(|name| !says_nothing(name))
        .filter(|name| name.len() >= SHORTEST && !name.starts_with("__"))
        .map(str::to_owned)
        .collect()
}

/// The words by which tests may name changed files.
pub fn file_names(change: &Change, tests: &TestFiles) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in change.paths.iter().filter(|path| !tests.has(path)) {
        let stem = stem(path);
        if stem.len() >= SHORTEST && !says_nothing(stem) {
            words.insert(stem.to_owned());
            words.extend(tests.data_folders(stem).into_iter().map(|it| last_folder(it).to_owned()));
        }
    }
    words.retain(|word| word.len() >= SHORTEST);
    words
}

/// A word of a language says nothing, even in few tests, where the graph knows who uses
/// the symbol that is called so; where it does not, in so few at most.
const FEW_WORDS: usize = 3;

/// Adds tests that have the name of a changed symbol among their words. Those of `used` are
/// used by others, as far as the graph knows.
pub fn add_naming_symbols(
    names: &BTreeSet<String>,
    used: &BTreeSet<String>,
    words: &TestWords,
    found: &mut Candidates,
) {
    for name in names {
        let with = words.with(name);
        // `register` is a word of any text, `make_response` a name; nobody loads what is
        // private, such as `_handlers`, by its name.
        let is_word = name_parts(name).len() < 2 || name.starts_with('_');
        let is_weak = is_word && (used.contains(name) || with.len() > FEW_WORDS);
        let rule = if is_weak { Rule::NamesWord } else { Rule::NamesSymbol };
        for test in with {
            let weight = 1.0 / with.len() as f64;
            let reason = format!("names {name}");
            found.add(test, Evidence { rule, distance: 1, weight, reason });
        }
    }
}

/// Adds tests that have the name of a changed file among their words; whether
/// there are any.
pub fn add_naming_file(path: &str, words: &TestWords, found: &mut Candidates) -> bool {
    let stem = stem(path);
    let with = words.with(stem);
    for test in with {
        let weight = 1.0 / with.len() as f64;
        let reason = format!("names {stem}");
        found.add(test, Evidence { rule: Rule::NamesFile, distance: 1, weight, reason });
    }
    !with.is_empty()
}

/// Adds tests that name a folder of data which has a file called like a changed one: those
/// beside the folder, where there are any. Whether there are any.
pub fn add_readers_of_data(
    path: &str,
    tests: &TestFiles,
    words: &TestWords,
    found: &mut Candidates,
) -> bool {
    let stem = stem(path);
    if stem == "__init__" || says_nothing(stem) {
        return false;
    }
    let mut readers: BTreeMap<&str, &str> = BTreeMap::new();
    for folder in tests.data_folders(stem) {
        let name = last_folder(folder);
        let all = words.with(name);
        // Every package may have its own `testdata`.
        let around = folder.rsplit_once('/').map_or("", |(around, _)| around);
        let below: BTreeSet<&str> = tests.below(around).collect();
        let is_beside = |test: &&String| below.contains(test.as_str());
        let is_any_beside = all.iter().any(|test| is_beside(&test));
        let chosen = all.iter().filter(|test| !is_any_beside || is_beside(test));
        readers.extend(chosen.map(|test| (test.as_str(), name)));
    }
    // Of a folder that many tests name (`data`), none is known to read this file.
    let weight = 1.0 / readers.len().max(1) as f64;
    for (test, folder) in &readers {
        let reason = format!("reads data about {stem} from {folder}");
        found.add(test, Evidence { rule: Rule::ReadsData, distance: 1, weight, reason });
    }
    !readers.is_empty()
}

/// Adds tests that are called like a changed file; whether there are any.
pub fn add_namesakes(path: &str, tests: &TestFiles, found: &mut Candidates) -> bool {
    let source = subject_of_source(path);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = last_folder(folder);
    let mut all = Vec::new();
    for test in tests.tests() {
        let subject = subject_of(test);
        let is_short = subject.len() < SHORTEST || source.len() < SHORTEST;
        // `brain/test_typing` is about `brain/brain_typing`.
        let is_prefixed = !folder.is_empty()
            && source.strip_prefix(folder).and_then(|rest| rest.strip_prefix('_')) == Some(subject)
            && test.split('/').any(|part| part == folder);
        let is_same = (subject == source && subject.len() > 1) || is_prefixed;
        if is_same || (!is_short && shares_words(subject, source)) {
            all.push((test, is_same));
        }
    }
    for (test, weight) in namesakes::weighed(path, &all) {
        let reason = format!("is called like {path}");
        found.add(test, Evidence { rule: Rule::Namesake, distance: 1, weight, reason });
    }
    all.iter().any(|(_, is_same)| *is_same)
}

/// Whether one name is all words of the other: `session_cookie` and `session`.
fn shares_words(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let bytes = long.as_bytes();
    let is_border = |at: usize| {
        at == 0
            || at >= bytes.len()
            || bytes[at - 1] == b'_'
            || bytes[at] == b'_'
            || bytes[at].is_ascii_uppercase()
    };
    long.match_indices(short).any(|(at, _)| is_border(at) && is_border(at + short.len()))
}

/// Adds tests that ask for a fixture which leads to the change.
pub fn add_users_of_fixtures(
    fixtures: &Fixtures,
    tests: &TestFiles,
    words: &TestWords,
    found: &mut Candidates,
) {
    for (path, names) in fixtures {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let below: BTreeSet<&str> = tests.below(folder).collect();
        for (name, depth) in names {
            for test in words.with(name).iter().filter(|test| below.contains(test.as_str())) {
                let reason = format!("asks for the fixture {name}");
                let distance = depth + 1;
                found.add(test, Evidence { rule: Rule::Uses, distance, weight: 50.0, reason });
            }
        }
    }
}
