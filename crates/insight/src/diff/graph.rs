//! What the indexed graph adds to a comparison: users, tests, owners.

use super::{Impact, SemanticDiff};
use crate::code::impact::{KINDS, OwnerShare, nodes_of_path};
use crate::code::walk::walk;
use crate::code::{Direction, Scope, TraversalOptions, View, owners_of};
use model::change::SymbolVersion;
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
const USES: &[EdgeKind] = &[
    EdgeKind::Calls,
    EdgeKind::References,
    EdgeKind::Inherits,
    EdgeKind::Implements,
    EdgeKind::Overrides,
    EdgeKind::HandlesRoute,
    EdgeKind::RpcCalls,
];

pub fn add(
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
