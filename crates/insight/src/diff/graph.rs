//! What the indexed graph adds to a comparison: users, tests, owners.

use super::edges::Versions;
use super::stale::ReachedFiles;
use super::{Impact, VersionComparison};
use crate::code::files::exact_file;
use crate::code::impact::{KINDS, OwnerShare};
use crate::code::walk::walk;
use crate::code::{Direction, Scope, TraversalOptions, View, owners_of};
use crate::tests_scope::is_test_file;
use model::change::{SymbolChangeKind, SymbolVersion};
use model::code::EdgeKind;
use model::ids::NodeId;
use model::{Result, code::is_test_path};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// Symbols whose users are counted; of more, those that come first.
const MOST_SYMBOLS: usize = 400;
const MOST_SEEDS: usize = 800;
const MOST_REACHED: usize = 2000;
const MOST_PATHS: usize = 500;
const SHOWN_USERS: usize = 3;

/// Along which one symbol uses another.
pub(super) const USES: &[EdgeKind] = &[
    EdgeKind::Calls,
    EdgeKind::References,
    EdgeKind::Inherits,
    EdgeKind::Implements,
    EdgeKind::Overrides,
    EdgeKind::HandlesRoute,
    EdgeKind::RpcCalls,
];

/// The indexed versions: the base, which knows who used what is gone, the head,
/// or both.
pub struct Indexed {
    pub base: Option<Scope>,
    pub head: Option<Scope>,
}

pub(super) fn add(reader: &Reader, indexed: &Indexed, diff: &mut VersionComparison) -> Result<()> {
    let paths = diff.paths.clone();
    let is_base = indexed.base.is_some();
    let Some(scope) = indexed.base.as_ref().or(indexed.head.as_ref()) else { return Ok(()) };
    add_one(reader, scope, is_base, &paths, diff)?;
    if let (Some(base), Some(head)) = (&indexed.base, &indexed.head) {
        let mut versions = Versions::new(reader, base, head);
        let mut nodes = Vec::new();
        let (mut olds, mut news) = (InFile::new(), InFile::new());
        for changed in diff.changes.iter().take(MOST_SYMBOLS) {
            let old = match &changed.change.old {
                // A copy's source is not what the symbol was.
                Some(old) if changed.change.change != SymbolChangeKind::Copied => {
                    node_of(&versions.base, old, &mut olds)?
                }
                _ => None,
            };
            let new = match &changed.change.new {
                Some(new) if changed.change.change != SymbolChangeKind::PerhapsBecame => {
                    node_of(&versions.head, new, &mut news)?
                }
                _ => None,
            };
            nodes.push((old, new));
        }
        versions.add(&nodes, diff)?;
        let seeds: Vec<NodeId> = nodes
            .iter()
            .zip(&diff.changes)
            .filter(|(_, changed)| !changed.change.is_doc_only())
            .filter_map(|((_, new), _)| *new)
            .take(MOST_SEEDS)
            .collect();
        let (after, files) = impact(&versions.head, &seeds, &paths)?;
        for (repo, paths) in files {
            diff.reached_files.entry(repo).or_default().extend(paths);
        }
        if let Some(impact) = &mut diff.impact {
            impact.reached_after = Some(after.reached);
            let mut tests: BTreeSet<String> = impact.test_files.drain(..).collect();
            tests.extend(after.test_files);
            impact.test_files = tests.into_iter().collect();
        }
    }
    Ok(())
}

fn add_one(
    reader: &Reader,
    scope: &Scope,
    is_base: bool,
    paths: &[String],
    diff: &mut VersionComparison,
) -> Result<()> {
    let view = View::new(reader, scope);
    let mut in_file = InFile::new();
    let mut seeds = Vec::new();
    let touched: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    for changed in diff.changes.iter_mut().take(MOST_SYMBOLS) {
        let side = if is_base { &changed.change.old } else { &changed.change.new };
        let Some(side) = side else { continue };
        let Some(node) = node_of(&view, side, &mut in_file)? else { continue };
        if seeds.len() < MOST_SEEDS && !changed.change.is_doc_only() {
            seeds.push(node);
        }
        let mut users = BTreeSet::new();
        for step in view.incoming(node)? {
            if USES.contains(&step.kind) && step.node != node {
                users.insert(step.node);
            }
        }
        changed.users = Some(users.len() as u64);
        for user in users {
            if changed.untouched_users.len() >= SHOWN_USERS {
                break;
            }
            if let Some(symbol) = view.symbol(user)?
                && !touched.contains(symbol.path.as_str())
                && !symbol.is_test
            {
                changed.untouched_users.push(format!("{}:{}", symbol.path, symbol.line));
            }
        }
    }
    let (impact, files) = impact(&view, &seeds, paths)?;
    diff.impact = Some(impact);
    diff.reached_files = files;
    diff.owners = owners(reader, scope, paths)?;
    Ok(())
}

/// The symbols of files by name and line: a symbol that is declared in one file and
/// defined in another has a place in both.
type InFile = BTreeMap<String, BTreeMap<(String, u32), NodeId>>;

fn node_of(
    view: &View<'_>,
    symbol: &SymbolVersion,
    in_file: &mut InFile,
) -> Result<Option<NodeId>> {
    if !in_file.contains_key(&symbol.path) {
        let mut nodes = BTreeMap::new();
        if let Some(member) = exact_file(view, &symbol.path)? {
            let (outline, ids) = (view.outline(member.file)?, view.nodes_of(member.file)?);
            for (entry, node) in outline.iter().zip(ids.iter()) {
                if let Some(row) = view.node(*node)? {
                    nodes.entry((row.name.clone(), entry.name_line)).or_insert(*node);
                }
            }
        }
        in_file.insert(symbol.path.clone(), nodes);
    }
    let name = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
    let nodes = &in_file[&symbol.path];
    Ok(nodes.get(&(name.to_owned(), symbol.line)).copied())
}

fn impact(view: &View<'_>, seeds: &[NodeId], paths: &[String]) -> Result<(Impact, ReachedFiles)> {
    let options = TraversalOptions {
        max_depth: 3,
        max_results: MOST_REACHED,
        min_confidence: 0,
        kinds: KINDS.to_vec(),
        through_bases: true,
    };
    let walked = walk(view, seeds, Direction::Incoming, &options)?;
    let mut tests: BTreeSet<String> =
        paths.iter().filter(|path| is_test_file(path)).cloned().collect();
    let mut files = ReachedFiles::new();
    for reached in &walked.reached {
        let Some(symbol) = view.symbol(reached.node)? else { continue };
        let repo = symbol.qualified_name.split_once("://").map_or("", |(repo, _)| repo);
        if !symbol.path.is_empty() {
            files.entry(repo.to_owned()).or_default().insert(symbol.path.clone());
        }
        let is_of_tests = symbol.is_test && !is_test_path(&symbol.path);
        if is_of_tests || is_test_file(&symbol.path) {
            tests.insert(symbol.path);
        }
    }
    let impact = Impact {
        commit: view.scope.snapshot.sha.clone(),
        reached: walked.reached.len() as u64,
        reached_after: None,
        truncated: walked.is_truncated,
        test_files: tests.into_iter().collect(),
    };
    Ok((impact, files))
}

fn owners(reader: &Reader, scope: &Scope, paths: &[String]) -> Result<Vec<OwnerShare>> {
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    for path in paths.iter().take(MOST_PATHS) {
        for owner in owners_of(reader, scope, path)? {
            *shares.entry(owner.owner).or_default() += 1;
        }
    }
    let mut shares: Vec<OwnerShare> =
        shares.into_iter().map(|(owner, files)| OwnerShare { owner, files }).collect();
    shares.sort_by(|a, b| (b.files, &a.owner).cmp(&(a.files, &b.owner)));
    Ok(shares)
}
