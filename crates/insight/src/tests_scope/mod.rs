//! `lore tests`: which files of tests a change can affect, and why.
//!
//! Everything that speaks for a file of tests is collected: the graph backwards
//! from what changed, names, imports, data, and what commits changed together.
//! Then the files for which enough speaks are chosen. Where a change escapes the
//! graph (build files, settings, files nobody imports and no test names), the
//! answer is to run everything, with the reason.

mod change;
mod choice;
mod escape;
mod evidence;
mod files;
mod graph;
mod names;
mod namesakes;
mod projects;
mod runners;
mod together;

use crate::cache::{self, VersionsQuestion};
use crate::code::View;
use crate::code::scope::{Scope, SnapshotContext};
use graph::{Fixtures, Seeds};
use model::Result;
use model::change::SymbolVersion;
use model::hash::Hash32;
use names::TestWords;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{Reader, commits, repos};

pub use change::{VersionFiles, tests_of_change};
pub use choice::Reach;
pub use evidence::{Candidate, Candidates, Evidence, Rule};
pub use files::{TestFiles, is_test_file};

/// The tests to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestScope {
    pub standing: SnapshotContext,
    /// Why every test must run; empty when the list below is enough.
    pub run_everything: Vec<String>,
    /// Those that the change itself adds or changes first, then by path.
    pub files: Vec<AffectedTests>,
    /// Files that something weak speaks for; not among the above.
    pub farther: Vec<String>,
    /// Files of tests in all.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AffectedTests {
    pub path: String,
    pub reason: String,
    /// Steps from the change; 0 when the file itself changed.
    pub distance: u32,
    /// Names of the tests that were reached; empty when the whole file was.
    pub tests: Vec<String>,
}

impl Change {
    /// As if the symbols of these names were about to change.
    pub fn of_symbols(reader: &Reader, scope: &Scope, names: &[String]) -> Result<Change> {
        let view = View::new(reader, scope);
        let (mut paths, mut symbols) = (Vec::new(), Vec::new());
        for name in names {
            let node = crate::code::resolve::symbol_named(reader, scope, name)?;
            let Some(at) = view.symbol(node)?.filter(|at| !at.path.is_empty()) else { continue };
            paths.push(at.path.clone());
            symbols.push(SymbolVersion {
                symbol: at.symbol,
                kind: at.kind.to_string(),
                path: at.path,
                line: at.line,
                signature: None,
                is_public: true,
            });
        }
        paths.sort();
        paths.dedup();
        Ok(Change { paths, symbols: Some(symbols), ..Change::default() })
    }
}

impl TestScope {
    /// Without tests that the change takes away: nobody can run them.
    #[must_use]
    pub fn without(mut self, gone: &BTreeSet<String>) -> Self {
        self.files.retain(|file| !gone.contains(&file.path));
        self.farther.retain(|path| !gone.contains(path));
        let n_gone = gone.iter().filter(|path| is_test_file(path)).count() as u64;
        self.total = self.total.saturating_sub(n_gone);
        self
    }
}

/// What changed.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Every changed path.
    pub paths: Vec<String>,
    /// Changed symbols as the indexed version has them; none: all of each file.
    pub symbols: Option<Vec<SymbolVersion>>,
    /// Changed files of code in which tests stand after the change, as in Rust; the indexed
    /// version may have none in them.
    pub holding_tests: BTreeSet<String>,
}

/// The tests of a change that was asked about before, or those that `compute` finds.
/// `change` names all that they depend on beside the snapshot and the stored commits: both
/// trees and the rules by which they are compared, or paths.
pub fn kept_test_scope(
    reader: &Reader,
    scope: &Scope,
    change: &[String],
    reach: Reach,
    compute: impl FnOnce() -> Result<TestScope>,
) -> Result<TestScope> {
    let mut inputs = change.to_vec();
    inputs.push(reach.as_str().to_owned());
    inputs.push(scope.snapshot.sha.clone());
    // What commits changed together is evidence.
    inputs.push(known_commits(reader, scope)?);
    inputs.push(rules_version());
    let question = VersionsQuestion { name: "tests", versions: &[Some(scope)], inputs: &inputs };
    let mut found = cache::answer_of_versions(reader, &question, compute)?;
    found.standing = scope.standing();
    Ok(found)
}

/// Of which commits tests are chosen. All that are before a commit stay what they are, so
/// only those that are not all read are told from others by their number: commits that
/// come later, as with a rebase, change nothing.
pub(crate) fn history_before(reader: &Reader, scope: &Scope) -> Result<String> {
    let repo = scope.repo.id;
    let is_read = commits::by_sha(reader, Some(repo), &scope.snapshot.sha)?.is_some();
    let is_cut = repos::places(reader)?.iter().any(|it| it.repo == repo && it.is_shallow);
    if is_read && !is_cut { Ok(String::new()) } else { known_commits(reader, scope) }
}

fn known_commits(reader: &Reader, scope: &Scope) -> Result<String> {
    let (n_commits, n_unreachable) = commits::count(reader, Some(scope.repo.id))?;
    Ok(format!("{n_commits} {n_unreachable}"))
}

/// By which rules tests are chosen.
pub(crate) fn rules_version() -> String {
    const SOURCES: [&[u8]; 12] = [
        include_bytes!("mod.rs"),
        include_bytes!("change.rs"),
        include_bytes!("choice.rs"),
        include_bytes!("escape.rs"),
        include_bytes!("evidence.rs"),
        include_bytes!("files.rs"),
        include_bytes!("graph.rs"),
        include_bytes!("names.rs"),
        include_bytes!("namesakes.rs"),
        include_bytes!("projects.rs"),
        include_bytes!("runners.rs"),
        include_bytes!("together.rs"),
    ];
    Hash32::of(&SOURCES.concat()).to_string()
}

pub fn test_scope(
    reader: &Reader,
    scope: &Scope,
    change: &Change,
    tests: &TestFiles,
    reach: Reach,
) -> Result<TestScope> {
    let (candidates, run_everything) = candidates(reader, scope, change, tests)?;
    let (files, farther) = choice::choose(candidates, tests.n_tests(), reach);
    let total = tests.n_tests() as u64;
    Ok(TestScope { standing: scope.standing(), run_everything, files, farther, total })
}

/// All that speaks for any file of tests, and why every test must run.
pub fn candidates(
    reader: &Reader,
    scope: &Scope,
    change: &Change,
    tests: &TestFiles,
) -> Result<(Candidates, Vec<String>)> {
    let view = View::new(reader, scope);
    let change = &Change {
        paths: change.paths.iter().filter(|it| !escape::is_beside_code(it)).cloned().collect(),
        ..change.clone()
    };
    let mut found = Candidates::default();
    let mut run_everything = Vec::new();
    for path in &change.paths {
        let reason = if tests.has(path) {
            Some("it changed itself")
        } else {
            let is_holding =
                change.holding_tests.contains(path) || graph::holds_tests(&view, path)?;
            is_holding.then_some("its own tests")
        };
        if let Some(reason) = reason.map(str::to_owned) {
            found.add(path, Evidence { rule: Rule::Changed, distance: 0, weight: 1.0, reason });
        }
        if let Some(reason) = escape::reason(path)
            && !projects::add_tests_of(&view, path, tests, &mut found)?
        {
            run_everything.push(reason);
        }
        escape::add_below_fixtures(path, tests, &mut found);
    }
    let seeds = Seeds::of(&view, change, tests)?;
    let mut fixtures = Fixtures::default();
    for (rule, nodes) in [
        (Rule::Uses, &seeds.changed),
        (Rule::UsesType, &seeds.types),
        (Rule::UsesDispatch, &seeds.dispatched),
    ] {
        graph::add_users(&view, rule, nodes, tests, &mut found, &mut fixtures)?;
    }
    let symbols = names::symbol_names(change, tests);
    let mut wanted = names::file_names(change, tests);
    wanted.extend(symbols.iter().cloned());
    wanted.extend(fixtures.values().flat_map(|names| names.keys().cloned()));
    let words = TestWords::read(&view, tests, &wanted)?;
    names::add_naming_symbols(&symbols, &seeds.used, &words, &mut found);
    names::add_users_of_fixtures(&fixtures, tests, &words, &mut found);
    let together = together::add(&view, &change.paths, tests, &mut found)?;
    graph::add_importers_beside(&view, &change.paths, tests, &mut found)?;
    for path in change.paths.iter().filter(|path| !tests.has(path)) {
        let is_imported = graph::add_importers(&view, path, &seeds, tests, &mut found)?;
        let mut is_named = names::add_readers_of_data(path, tests, &words, &mut found);
        is_named |= names::add_namesakes(path, tests, &mut found);
        is_named |= names::add_naming_file(path, &words, &mut found);
        let is_tied = is_named || together.contains(path);
        if is_imported == Some(true) || is_tied {
            continue;
        }
        if tests.is_helper(path) {
            escape::add_beside_helper(path, tests, &mut found);
        } else if is_imported == Some(false) && !escape::is_entry(path) {
            run_everything.push(format!("{path}: nothing imports it and no test names it"));
        }
    }
    run_everything.dedup();
    Ok((found, run_everything))
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
