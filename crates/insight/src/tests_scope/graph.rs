//! Backwards along the graph, from what changed to tests.

use super::Change;
use super::evidence::{Candidates, Evidence, Rule};
use super::files::{TestFiles, is_fixture_file};
use super::runners::can_hold_tests;
use crate::code::impact::{KINDS, nodes_of_path};
use crate::code::walk::walk;
use crate::code::{Direction, TraversalOptions, View, files_of_step};
use model::Result;
use model::change::SymbolVersion;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use store::code::files;

const MOST_SEEDS: usize = 4000;
const MOST_REACHED: usize = 50_000;
/// Steps that are followed from a changed symbol, and from a type whose member
/// changed: what is farther away uses almost everything.
const MOST_STEPS: u32 = 8;
const MOST_STEPS_OF_TYPES: u32 = 4;

/// What changes, as nodes.
#[derive(Debug, Default)]
pub struct Seeds {
    /// The changed symbols; where none are named, all of each file.
    pub changed: Vec<NodeId>,
    /// Types of changed members that somebody calls or names.
    pub types: Vec<NodeId>,
    /// Types of changed members that nobody does: they are called by dispatch.
    pub dispatched: Vec<NodeId>,
    /// Simple names of changed symbols that something leads to.
    pub used: BTreeSet<String>,
}

impl Seeds {
    pub fn of(view: &View<'_>, change: &Change, tests: &TestFiles) -> Result<Seeds> {
        let mut changed = BTreeSet::new();
        let (mut types, mut dispatched) = (BTreeSet::new(), BTreeSet::new());
        let mut used = BTreeSet::new();
        let symbols = change.symbols.as_deref().unwrap_or_default();
        let mut by_path: BTreeMap<&str, Vec<&SymbolVersion>> = BTreeMap::new();
        for symbol in symbols.iter().filter(|symbol| !tests.has(&symbol.path)) {
            by_path.entry(&symbol.path).or_default().push(symbol);
        }
        for path in change.paths.iter().filter(|path| !tests.has(path)) {
            let nodes = nodes_of_path(view, path)?.unwrap_or_default();
            let Some(symbols) = by_path.get(path.as_str()) else {
                if change.symbols.is_none() {
                    changed.extend(nodes);
                }
                continue;
            };
            let outline = Outline::of(view, &nodes)?;
            for symbol in symbols {
                let found = outline.innermost(&symbol.symbol);
                changed.extend(found.iter().copied());
                let name = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
                let is_called = is_called(view, &found, name)?;
                if is_called {
                    used.insert(name.to_owned());
                }
                if !symbol.symbol.contains('.') {
                    continue;
                }
                let types = if is_called { &mut types } else { &mut dispatched };
                types.extend(outline.types_around(&symbol.symbol));
            }
        }
        let list = |nodes: BTreeSet<NodeId>| nodes.into_iter().take(MOST_SEEDS).collect();
        let (types, dispatched) = (list(types), list(dispatched));
        Ok(Seeds { changed: list(changed), types, dispatched, used })
    }
}

/// The symbols of a file by their names from the file down.
struct Outline {
    nodes: Vec<(String, NodeKind, NodeId)>,
}

impl Outline {
    fn of(view: &View<'_>, nodes: &[NodeId]) -> Result<Outline> {
        let mut all = Vec::new();
        for node in nodes {
            // A module may be called like a function in it.
            if let Some(row) = view.node(*node)?.filter(|row| row.kind != NodeKind::Module) {
                all.push((row.symbol(), row.kind, *node));
            }
        }
        Ok(Outline { nodes: all })
    }

    /// The nodes of a symbol; of one that is not indexed, of what is around it.
    fn innermost(&self, symbol: &str) -> Vec<NodeId> {
        let mut name = symbol;
        loop {
            let found = self.named(name);
            if !found.is_empty() {
                return found;
            }
            match name.rsplit_once('.') {
                Some((outer, _)) => name = outer,
                None => return Vec::new(),
            }
        }
    }

    /// Those whose path has least before these names: the path of the index may
    /// begin with the file or a namespace.
    fn named(&self, symbol: &str) -> Vec<NodeId> {
        let before = |path: &str| {
            let before = path.strip_suffix(symbol)?;
            (before.is_empty() || before.ends_with('.')).then(|| before.matches('.').count())
        };
        let found: Vec<(usize, NodeId)> =
            self.nodes.iter().filter_map(|(path, _, node)| Some((before(path)?, *node))).collect();
        let least = found.iter().map(|(n_before, _)| *n_before).min();
        found.into_iter().filter(|(n, _)| Some(*n) == least).map(|(_, node)| node).collect()
    }

    /// The types a member is written in.
    fn types_around(&self, symbol: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut name = symbol;
        while let Some((outer, _)) = name.rsplit_once('.') {
            found.extend(self.named(outer).into_iter().filter(|node| self.is_type(*node)));
            name = outer;
        }
        found
    }

    fn is_type(&self, node: NodeId) -> bool {
        let kind = self.nodes.iter().find(|(.., known)| *known == node).map(|(_, kind, _)| *kind);
        matches!(
            kind,
            Some(
                NodeKind::Class
                    | NodeKind::Type
                    | NodeKind::Interface
                    | NodeKind::Trait
                    | NodeKind::Enum
            )
        )
    }
}

/// Whether anything leads to a member by its name.
fn is_called(view: &View<'_>, nodes: &[NodeId], member: &str) -> Result<bool> {
    // Languages call these by themselves; a constructor by the name of its type.
    if member.starts_with("__") || member == "constructor" {
        return Ok(false);
    }
    for node in nodes {
        if view.incoming(*node)?.iter().any(|step| step.kind != EdgeKind::Contains) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether tests stand inside a file of code, as in Rust.
pub fn holds_tests(view: &View<'_>, path: &str) -> Result<bool> {
    if !can_hold_tests(path) {
        return Ok(false);
    }
    for node in nodes_of_path(view, path)?.unwrap_or_default() {
        if view.symbol(node)?.is_some_and(|symbol| symbol.is_test && symbol.path == path) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fixtures that were reached: by file, their names.
pub type Fixtures = BTreeMap<String, BTreeMap<String, u32>>;

/// Adds tests that lead to the seeds, by the length of their way.
pub fn add_users(
    view: &View<'_>,
    rule: Rule,
    seeds: &[NodeId],
    tests: &TestFiles,
    found: &mut Candidates,
    fixtures: &mut Fixtures,
) -> Result<()> {
    let kinds: Vec<EdgeKind> =
        KINDS.iter().copied().filter(|kind| *kind != EdgeKind::Imports).collect();
    let max_depth = if rule == Rule::Uses { MOST_STEPS } else { MOST_STEPS_OF_TYPES };
    let options = TraversalOptions {
        max_depth,
        max_results: MOST_REACHED,
        kinds,
        ..TraversalOptions::default()
    };
    let walked = walk(view, seeds, Direction::Incoming, &options)?;
    let mut users: BTreeMap<String, NodeId> = BTreeMap::new();
    for reached in &walked.reached {
        let Some(symbol) = view.symbol(reached.node)? else { continue };
        if !tests.has(&symbol.path) {
            if rule == Rule::Uses && reached.depth == 1 && !symbol.is_test {
                users.entry(symbol.path.clone()).or_insert(reached.from);
            }
            if is_fixture_file(&symbol.path) {
                let name = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
                let names = fixtures.entry(symbol.path.clone()).or_default();
                names.entry(name.to_owned()).or_insert(reached.depth);
            }
            let is_beside = symbol.is_test && can_hold_tests(&symbol.path);
            if !is_beside || tests.is_helper(&symbol.path) {
                continue;
            }
        }
        let (distance, weight) = (reached.depth, f64::from(reached.confidence));
        // Blocks of tests without a name of their own are one symbol in all files.
        let is_shared = symbol.is_test && !symbol.symbol.contains('.');
        let paths = if is_shared {
            files_of_step(view, reached, seeds)?
        } else {
            BTreeSet::from([symbol.path.clone()])
        };
        for path in paths {
            if found.wants(&path, rule, distance, weight) {
                let by = view.node(reached.from)?.map_or(String::new(), |row| row.name.clone());
                let reason = match distance {
                    1 => format!("uses {by}"),
                    depth => format!("uses {by}, {depth} steps from the change"),
                };
                found.add(&path, Evidence { rule, distance, weight, reason });
            }
            if reached.depth <= 2 && !is_shared {
                found.add_test(&path, &symbol.symbol);
            }
        }
    }
    add_tests_beside(view, users, found)
}

/// Users whose own tests stand beside them: those run what uses the change, whatever
/// way they take to it.
const MOST_USERS: usize = 40;

fn add_tests_beside(
    view: &View<'_>,
    users: BTreeMap<String, NodeId>,
    found: &mut Candidates,
) -> Result<()> {
    let users = users.into_iter().filter(|(path, _)| can_hold_tests(path));
    for (path, used) in users.take(MOST_USERS) {
        if holds_tests(view, &path)? {
            let by = view.node(used)?.map_or(String::new(), |row| row.name.clone());
            let reason = format!("tests beside a user of {by}");
            let evidence = Evidence { rule: Rule::Uses, distance: 2, weight: 1.0, reason };
            found.add(&path, evidence);
        }
    }
    Ok(())
}

/// Adds tests that import a file; whether any file does. None when the graph
/// does not have it.
pub fn add_importers(
    view: &View<'_>,
    path: &str,
    seeds: &Seeds,
    tests: &TestFiles,
    found: &mut Candidates,
) -> Result<Option<bool>> {
    let Some(nodes) = nodes_of_path(view, path)? else { return Ok(None) };
    let touched: BTreeSet<NodeId> =
        seeds.changed.iter().chain(&seeds.types).chain(&seeds.dispatched).copied().collect();
    let mut is_imported = false;
    for (nth, node) in nodes.iter().enumerate() {
        for step in view.incoming(*node)? {
            let Some(symbol) = view.symbol(step.node)? else { continue };
            if symbol.path == path {
                continue;
            }
            is_imported = true;
            if step.kind == EdgeKind::Imports && tests.has(&symbol.path) {
                // Of a file that is imported by name, only changed names count.
                let weight = match (touched.contains(node), nth) {
                    (true, _) => 3.0,
                    (false, 0) => 2.0,
                    (false, _) => 1.0,
                };
                let reason = format!("imports {path}");
                let evidence = Evidence { rule: Rule::Imports, distance: 1, weight, reason };
                found.add(&symbol.path, evidence);
            }
        }
    }
    Ok(Some(is_imported))
}

/// Nodes of a folder that are looked at.
const MOST_BESIDE: usize = 5_000;

/// Adds tests that import something from the folder of a changed file: what lies
/// there is used together.
pub fn add_importers_beside(
    view: &View<'_>,
    paths: &[String],
    tests: &TestFiles,
    found: &mut Candidates,
) -> Result<()> {
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let folders: BTreeSet<String> =
        paths.iter().filter(|path| !tests.has(path)).map(|path| folder(path)).collect();
    for folder in folders.iter().filter(|folder| !folder.is_empty()) {
        let package = files::find_package(view.reader, view.scope.repo.id, folder)?;
        let version = package.map(|package| view.version(package)).transpose()?.flatten();
        let Some(version) = version else { continue };
        let mut nodes = Vec::new();
        for member in &version.members {
            nodes.extend(view.nodes_of(member.file)?.iter().copied());
        }
        for node in nodes.into_iter().take(MOST_BESIDE) {
            for step in view.incoming(node)? {
                if step.kind != EdgeKind::Imports {
                    continue;
                }
                let Some(symbol) = view.symbol(step.node)? else { continue };
                if tests.has(&symbol.path) {
                    let reason = format!("imports from {folder}");
                    let rule = Rule::ImportsBeside;
                    found.add(&symbol.path, Evidence { rule, distance: 3, weight: 1.0, reason });
                }
            }
        }
    }
    Ok(())
}
