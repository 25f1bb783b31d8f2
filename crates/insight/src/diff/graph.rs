//! What the indexed graph adds to a comparison: users, tests, owners.

use super::edges::Versions;
use super::stale::ReachedFiles;
use super::successors::{InFile, node_at, successors};
use super::{Impact, VersionComparison};
use crate::code::impact::{KINDS, OwnerShare};
use crate::code::walk::walk;
use crate::code::{Direction, Scope, TraversalOptions, View, owners_of};
use crate::tests_scope::{Change, Reach, VersionFiles, tests_of_change};
use model::Result;
use model::change::{Succession, SymbolChangeKind, SymbolVersion};
use model::code::EdgeKind;
use model::ids::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// Symbols whose users are counted; of more, those that come first.
const MOST_SYMBOLS: usize = 400;
const MOST_SEEDS: usize = 800;
const MOST_REACHED: usize = 2000;
const MOST_PATHS: usize = 500;
const SHOWN_USERS: usize = 3;
/// Functions whose calls may lead to nothing, of which that is said.
const MOST_UNTIED: usize = 40;

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
pub struct IndexedVersions {
    pub base: Option<Scope>,
    pub head: Option<Scope>,
}

pub(super) fn add(
    reader: &Reader,
    indexed: &IndexedVersions,
    successions: &[Succession],
    (change, files): (&Change, &VersionFiles<'_>),
    diff: &mut VersionComparison,
) -> Result<()> {
    let paths = diff.paths.clone();
    let is_base = indexed.base.is_some();
    let Some(scope) = indexed.base.as_ref().or(indexed.head.as_ref()) else { return Ok(()) };
    add_one(reader, scope, is_base, &paths, diff)?;
    let [near, usual] =
        tests_of_change(reader, scope, change, (files, &paths), [Reach::Near, Reach::Usual])?;
    if let Some(impact) = &mut diff.impact {
        impact.test_files = near.files.into_iter().map(|file| file.path).collect();
        impact.usual_test_files = usual.files.len() as u64;
        impact.run_all_tests = near.run_everything;
    }
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
        let mut successors =
            successors(&versions, successions, &diff.file_moves, [&mut olds, &mut news])?;
        // What is told beside the pairs: a method that became a field.
        for (old, new) in nodes.iter().filter_map(|(old, new)| Some(((*old)?, (*new)?))) {
            successors.entry(old).or_insert(new);
        }
        versions.add(&nodes, &successors, diff)?;
        let seeds: Vec<NodeId> = nodes
            .iter()
            .zip(&diff.changes)
            .filter(|(_, changed)| !changed.change.is_doc_only())
            .filter_map(|((_, new), _)| *new)
            .take(MOST_SEEDS)
            .collect();
        let (after, files) = impact(&versions.head, &seeds)?;
        for (repo, paths) in files {
            diff.reached_files.entry(repo).or_default().extend(paths);
        }
        if let Some(impact) = &mut diff.impact {
            impact.reached_after = Some(after.reached);
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
        let is_gone = matches!(
            changed.change.change,
            SymbolChangeKind::Removed | SymbolChangeKind::PerhapsBecame
        );
        let name = side.symbol.rsplit('.').next().unwrap_or(&side.symbol);
        let is_asked = (side.kind == "function" || is_gone)
            && !changed.change.is_test
            && !diff.untied.iter().any(|(known, _)| known == name);
        if users.is_empty() && is_asked && diff.untied.len() < MOST_UNTIED {
            let (n_calls, _) = view.unresolved(name, 0)?;
            if n_calls > 0 {
                diff.untied.push((name.to_owned(), n_calls));
            }
        }
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
    let (impact, files) = impact(&view, &seeds)?;
    diff.impact = Some(impact);
    diff.reached_files = files;
    diff.owners = owners(reader, scope, paths)?;
    Ok(())
}

fn node_of(
    view: &View<'_>,
    symbol: &SymbolVersion,
    in_file: &mut InFile,
) -> Result<Option<NodeId>> {
    node_at(view, (&symbol.path, &symbol.symbol, symbol.line), in_file)
}

fn impact(view: &View<'_>, seeds: &[NodeId]) -> Result<(Impact, ReachedFiles)> {
    let options = TraversalOptions {
        max_depth: 3,
        max_results: MOST_REACHED,
        min_confidence: 0,
        kinds: KINDS.to_vec(),
        through_bases: true,
    };
    let walked = walk(view, seeds, Direction::Incoming, &options)?;
    let mut files = ReachedFiles::new();
    for reached in &walked.reached {
        let Some(symbol) = view.symbol(reached.node)? else { continue };
        let repo = symbol.qualified_name.split_once("://").map_or("", |(repo, _)| repo);
        if !symbol.path.is_empty() {
            files.entry(repo.to_owned()).or_default().insert(symbol.path.clone());
        }
    }
    let impact = Impact {
        commit: view.scope.snapshot.sha.clone(),
        reached: walked.reached.len() as u64,
        reached_after: None,
        truncated: walked.is_truncated,
        test_files: Vec::new(),
        usual_test_files: 0,
        run_all_tests: Vec::new(),
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
