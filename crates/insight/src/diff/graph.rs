//! What the indexed graph adds to a comparison: users, tests, owners.

use super::edges::Versions;
use super::{Impact, SemanticDiff};
use crate::code::impact::{KINDS, OwnerShare, nodes_of_path};
use crate::code::walk::walk;
use crate::code::{Direction, Scope, TraversalOptions, View, owners_of};
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

pub fn add(
    reader: &Reader,
    indexed: &Indexed,
    paths: &[String],
    diff: &mut SemanticDiff,
) -> Result<()> {
    let is_base = indexed.base.is_some();
    let Some(scope) = indexed.base.as_ref().or(indexed.head.as_ref()) else { return Ok(()) };
    add_one(reader, scope, is_base, paths, diff)?;
    if let (Some(base), Some(head)) = (&indexed.base, &indexed.head) {
        let mut versions = Versions::new(reader, base, head);
        let mut nodes = Vec::new();
        let (mut olds, mut news) = (BTreeMap::new(), BTreeMap::new());
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
        let seeds: Vec<NodeId> =
            nodes.iter().filter_map(|(_, new)| *new).take(MOST_SEEDS).collect();
        let after = impact(&versions.head, &seeds, paths)?;
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
    diff: &mut SemanticDiff,
) -> Result<()> {
    let view = View::new(reader, scope);
    let mut in_file: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    let mut seeds = Vec::new();
    let touched: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    for changed in diff.changes.iter_mut().take(MOST_SYMBOLS) {
        let side = if is_base { &changed.change.old } else { &changed.change.new };
        let Some(side) = side else { continue };
        let Some(node) = node_of(&view, side, &mut in_file)? else { continue };
        if seeds.len() < MOST_SEEDS {
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
    diff.impact = Some(impact(&view, &seeds, paths)?);
    diff.owners = owners(reader, scope, paths)?;
    Ok(())
}

fn node_of(
    view: &View<'_>,
    symbol: &SymbolVersion,
    in_file: &mut BTreeMap<String, Vec<NodeId>>,
) -> Result<Option<NodeId>> {
    if !in_file.contains_key(&symbol.path) {
        let nodes = nodes_of_path(view, &symbol.path)?.unwrap_or_default();
        in_file.insert(symbol.path.clone(), nodes);
    }
    let name = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
    for node in in_file.get(&symbol.path).map(Vec::as_slice).unwrap_or_default() {
        if view.node(*node)?.is_some_and(|row| row.name == name)
            && view.symbol(*node)?.is_some_and(|found| found.line == symbol.line)
        {
            return Ok(Some(*node));
        }
    }
    Ok(None)
}

fn impact(view: &View<'_>, seeds: &[NodeId], paths: &[String]) -> Result<Impact> {
    let options = TraversalOptions {
        max_depth: 3,
        max_results: MOST_REACHED,
        min_confidence: 0,
        kinds: KINDS.to_vec(),
    };
    let walked = walk(view, seeds, Direction::Incoming, &options)?;
    let mut tests: BTreeSet<String> =
        paths.iter().filter(|path| is_test_path(path)).cloned().collect();
    for reached in &walked.reached {
        if let Some(symbol) = view.symbol(reached.node)?
            && (symbol.is_test || is_test_path(&symbol.path))
        {
            tests.insert(symbol.path);
        }
    }
    Ok(Impact {
        commit: view.scope.snapshot.sha.clone(),
        reached: walked.reached.len() as u64,
        reached_after: None,
        truncated: walked.is_truncated,
        test_files: tests.into_iter().collect(),
    })
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
