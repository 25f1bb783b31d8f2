//! `lore tests`: which files of tests a change can affect, and why.
//!
//! Backwards from what changed along calls, references and inheritance; then
//! tests that import a changed file; then data: a test that names a data file,
//! or the folder of one that is called like a changed file. Where a change
//! escapes the graph (build files, settings, files nobody imports and no test
//! names), the answer is to run everything, with the reason.

mod data;

use crate::code::impact::{KINDS, nodes_of_path};
use crate::code::scope::{Scope, Standing};
use crate::code::walk::walk;
use crate::code::{Direction, TraversalOptions, View};
use model::Result;
use model::change::SymbolVersion;
use model::code::{EdgeKind, is_test_path};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

pub use data::TestTexts;

/// The tests to run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TestScope {
    pub standing: Standing,
    /// Why every test must run; empty when the list below is enough.
    pub run_everything: Vec<String>,
    /// By path.
    pub files: Vec<AffectedTests>,
    /// Files of tests in all.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AffectedTests {
    pub path: String,
    pub reason: String,
    /// Steps from the change; 0 when the file itself changed.
    pub distance: u32,
    /// Names of the tests that were reached; empty when the whole file was.
    pub tests: Vec<String>,
}

/// What changed.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Every changed path.
    pub paths: Vec<String>,
    /// Changed symbols as the indexed version has them; none: all of each file.
    pub symbols: Option<Vec<SymbolVersion>>,
}

const MOST_SEEDS: usize = 4000;
const MOST_REACHED: usize = 50_000;
const MOST_DEPTH: u32 = 12;
/// From a type whose member changed: its users, and those who get one from them.
const CONTAINER_DEPTH: u32 = 3;

pub fn test_scope(
    reader: &Reader,
    scope: &Scope,
    change: &Change,
    texts: &TestTexts,
) -> Result<TestScope> {
    let view = View::new(reader, scope);
    let mut found = Selection::default();
    for path in &change.paths {
        if is_test_path(path) && texts.has(path) {
            found.add(path, "it changed itself", 0, None);
        }
    }
    let mut run_everything = Vec::new();
    for path in &change.paths {
        run_everything.extend(escape(path, texts, &mut found));
    }
    add_reached(&view, &seeds(&view, change)?, MOST_DEPTH, &mut found)?;
    // Who makes a value of a type may use any member of it, seen or not.
    let containers = containers(&view, change)?;
    add_reached(&view, &containers.called, CONTAINER_DEPTH, &mut found)?;
    // A member that nobody calls by its name is called by dispatch: by whoever
    // leads to its type.
    add_reached(&view, &containers.dispatched, MOST_DEPTH, &mut found)?;
    for path in change.paths.iter().filter(|path| !is_test_path(path)) {
        let is_imported = add_importers(&view, path, &mut found)?;
        let mut is_named = texts.add_readers_of_data(path, &mut found);
        is_named |= texts.add_namesakes(path, &mut found);
        if is_imported != Some(true) {
            is_named |= texts.add_named(path, &mut found);
        }
        if is_imported == Some(false) && !is_named && !is_entry(path) {
            run_everything.push(format!("{path}: nothing imports it and no test names it"));
        }
    }
    run_everything.dedup();
    Ok(TestScope {
        standing: scope.standing(),
        run_everything,
        files: found.files.into_values().collect(),
        total: texts.n_tests() as u64,
    })
}

#[derive(Default)]
pub struct Selection {
    files: BTreeMap<String, AffectedTests>,
}

impl Selection {
    pub fn add(&mut self, path: &str, reason: &str, distance: u32, test: Option<&str>) {
        let entry = self.files.entry(path.to_owned()).or_insert_with(|| AffectedTests {
            path: path.to_owned(),
            reason: reason.to_owned(),
            distance,
            tests: Vec::new(),
        });
        if distance < entry.distance {
            reason.clone_into(&mut entry.reason);
            entry.distance = distance;
        }
        if let Some(test) = test
            && !entry.tests.iter().any(|known| known == test)
        {
            entry.tests.push(test.to_owned());
        }
    }
}

/// Why a change of this file can change any test; of a conftest, those below it.
fn escape(path: &str, texts: &TestTexts, found: &mut Selection) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name == "conftest.py" {
        for test in texts
            .tests()
            .filter(|test| folder.is_empty() || test.starts_with(&format!("{folder}/")))
        {
            found.add(test, &format!("fixtures of {path}"), 1, None);
        }
        return None;
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_build = matches!(
        name,
        "setup.py"
            | "setup.cfg"
            | "pyproject.toml"
            | "tox.ini"
            | "pytest.ini"
            | "package.json"
            | "tsconfig.json"
            | "Cargo.toml"
            | "build.rs"
            | "go.mod"
            | "go.sum"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "settings.gradle"
            | "Makefile"
            | "CMakeLists.txt"
            | "Gemfile"
            | "composer.json"
            | "Dockerfile"
    );
    let is_lock =
        matches!(ending, "lock") || name.ends_with("-lock.json") || name.ends_with("-lock.yaml");
    let is_requirements = name.starts_with("requirements") && ending == "txt";
    (is_build || is_lock || is_requirements)
        .then(|| format!("{path}: the build or its dependencies"))
}

/// Files that are started, not imported.
fn is_entry(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    matches!(stem, "main" | "__main__" | "conf") || !is_code(ending)
}

fn is_code(ending: &str) -> bool {
    matches!(
        ending,
        "py" | "rs"
            | "go"
            | "java"
            | "kt"
            | "ts"
            | "tsx"
            | "js"
            | "jsx"
            | "cs"
            | "rb"
            | "php"
            | "c"
            | "cc"
            | "cpp"
            | "h"
            | "hpp"
    )
}

/// The nodes that change; the modules of files with new symbols among them.
fn seeds(view: &View<'_>, change: &Change) -> Result<Vec<NodeId>> {
    let mut seeds = BTreeSet::new();
    match &change.symbols {
        None => {
            for path in change.paths.iter().filter(|path| !is_test_path(path)) {
                seeds.extend(nodes_of_path(view, path)?.unwrap_or_default());
            }
        }
        Some(symbols) => {
            for symbol in symbols.iter().filter(|symbol| !is_test_path(&symbol.path)) {
                let name = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
                for node in nodes_of_path(view, &symbol.path)?.unwrap_or_default() {
                    if view.node(node)?.is_some_and(|row| row.name == name) {
                        seeds.insert(node);
                    }
                }
            }
        }
    }
    Ok(seeds.into_iter().take(MOST_SEEDS).collect())
}

/// The types whose members change.
#[derive(Default)]
struct Containers {
    /// Of members that somebody calls or names.
    called: Vec<NodeId>,
    /// Of members that nobody does.
    dispatched: Vec<NodeId>,
}

fn containers(view: &View<'_>, change: &Change) -> Result<Containers> {
    let (mut called, mut dispatched) = (BTreeSet::new(), BTreeSet::new());
    for symbol in change.symbols.iter().flatten() {
        let Some((outer, _)) = symbol.symbol.rsplit_once('.') else { continue };
        if is_test_path(&symbol.path) {
            continue;
        }
        let name = outer.rsplit('.').next().unwrap_or(outer);
        let member = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
        let nodes = nodes_of_path(view, &symbol.path)?.unwrap_or_default();
        // A constructor is called by the name of its type.
        let is_constructor =
            matches!(member, "__init__" | "__new__" | "constructor") || member == name;
        let is_called = !is_constructor && is_called(view, &nodes, member)?;
        for node in nodes {
            if view.node(node)?.is_some_and(|row| row.name == name) {
                if is_called {
                    called.insert(node)
                } else {
                    dispatched.insert(node)
                };
            }
        }
    }
    let list = |types: BTreeSet<NodeId>| types.into_iter().take(MOST_SEEDS).collect();
    Ok(Containers { called: list(called), dispatched: list(dispatched) })
}

/// Whether anything leads to a member of this name; what languages call by
/// themselves counts as called.
fn is_called(view: &View<'_>, nodes: &[NodeId], member: &str) -> Result<bool> {
    if member.starts_with("__") {
        return Ok(true);
    }
    for node in nodes {
        if view.node(*node)?.is_some_and(|row| row.name == member)
            && view.incoming(*node)?.iter().any(|step| step.kind != EdgeKind::Contains)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn add_reached(
    view: &View<'_>,
    seeds: &[NodeId],
    max_depth: u32,
    found: &mut Selection,
) -> Result<()> {
    let kinds: Vec<EdgeKind> =
        KINDS.iter().copied().filter(|kind| *kind != EdgeKind::Imports).collect();
    let options =
        TraversalOptions { max_depth, max_results: MOST_REACHED, min_confidence: 0, kinds };
    let walked = walk(view, seeds, Direction::Incoming, &options)?;
    for reached in &walked.reached {
        let Some(symbol) = view.symbol(reached.node)? else { continue };
        if symbol.is_test || is_test_path(&symbol.path) {
            let by = view.node(reached.from)?.map_or(String::new(), |row| row.name.clone());
            let reason = match reached.depth {
                1 => format!("uses {by}"),
                depth => format!("uses {by}, {depth} steps from the change"),
            };
            found.add(&symbol.path, &reason, reached.depth, Some(&symbol.symbol));
        }
    }
    Ok(())
}

/// Adds tests that import a file; whether any file does. None when the graph
/// does not have it.
fn add_importers(view: &View<'_>, path: &str, found: &mut Selection) -> Result<Option<bool>> {
    let Some(nodes) = nodes_of_path(view, path)? else { return Ok(None) };
    let mut is_imported = false;
    for (nth, node) in nodes.iter().enumerate() {
        for step in view.incoming(*node)? {
            let Some(symbol) = view.symbol(step.node)? else { continue };
            if symbol.path == path {
                continue;
            }
            is_imported = true;
            if nth == 0 && step.kind == EdgeKind::Imports && is_test_path(&symbol.path) {
                found.add(&symbol.path, &format!("imports {path}"), 1, None);
            }
        }
    }
    Ok(Some(is_imported))
}
