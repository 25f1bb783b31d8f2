//! `lore impact`: what a change of a symbol or a file can reach.
//!
//! Starts from the symbol and everything written inside it, and follows edges
//! backwards: callers, users, those who inherit, override or test.

use super::dispatch;
use super::files::files_like;
use super::neighbours::{Neighbour, UnresolvedSite, is_zero, shown, unresolved_site};
use super::owners::OwnerRules;
use super::resolve::{self, Candidate};
use super::scope::{Scope, SnapshotContext};
use super::structural;
use super::view::{SymbolRef, View};
use super::walk::{Direction, TraversalOptions, Walk, walk};
use crate::cache::{self, CachedAnswer, Question, Reads, SnapshotAnswer};
use crate::runtime::{RuntimeWeight, WeightedPlace, weight};
use model::code::{EdgeKind, NodeKind, SymbolKind};
use model::ids::NodeId;
use model::text::one_line;
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::results::Durability;

/// Everything a change can reach, by repository and package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    pub standing: SnapshotContext,
    /// The file, where one was asked about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// What is changed: the symbol first, those written inside it after it.
    pub changed: Vec<SymbolRef>,
    /// What calls, names, inherits, overrides or tests it, or what does.
    pub packages: Vec<PackageImpact>,
    /// What merely imports it, nearest first: reached by no use of it.
    pub importers: Vec<Neighbour>,
    /// Tests among what is reached, nearest first.
    pub tests: Vec<SymbolRef>,
    /// Routes among what is reached.
    pub routes: Vec<SymbolRef>,
    /// Who owns the files that are reached, most files first.
    pub owners: Vec<OwnerShare>,
    /// Symbols reached in all, mere importers left out.
    pub total: u64,
    pub truncated: bool,
    /// Calls of the changed names that could not be resolved; some may mean them.
    pub unresolved: u64,
    pub unresolved_sites: Vec<UnresolvedSite>,
    /// Methods that must keep the form of the changed one: what it overrides or
    /// implements, and what else does so.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contract: Vec<SymbolRef>,
    /// Symbols behind which more may be reached: calls of their names could not be
    /// resolved.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub open_ends: Vec<OpenEnd>,
    /// Other symbols the name may mean, likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub candidates: Vec<CandidateImpact>,
    /// Symbols it may mean that are not shown.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_candidates: u64,
    /// What production does with it; none where that was not observed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[serde(skip_deserializing)]
    pub runtime: Option<RuntimeWeight>,
}

impl Impact {
    /// Adds what production does with what is changed and what that reaches.
    pub fn with_runtime(mut self, reader: &Reader, now: Timestamp) -> Result<Self> {
        let reached = self.packages.iter().flat_map(|package| &package.symbols).map(|one| &one.at);
        let spots: Vec<WeightedPlace> =
            self.changed.iter().chain(reached).map(WeightedPlace::of).collect();
        self.runtime = weight(reader, &spots, now)?;
        Ok(self)
    }
}

/// A symbol that is reached and that nothing is known to use, although calls of its
/// name could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenEnd {
    pub symbol: SymbolRef,
    pub unresolved: u64,
    /// The first of them.
    pub sites: Vec<UnresolvedSite>,
}

/// How far a change of another symbol of the name would reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateImpact {
    pub symbol: SymbolRef,
    pub total: u64,
    pub tests: u64,
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageImpact {
    pub repo: String,
    pub package: String,
    pub symbols: Vec<Neighbour>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerShare {
    pub owner: String,
    pub files: u64,
}

/// What a change can travel along, backwards.
pub const KINDS: &[EdgeKind] = &[
    EdgeKind::Calls,
    EdgeKind::Imports,
    EdgeKind::Implements,
    EdgeKind::Inherits,
    EdgeKind::Overrides,
    EdgeKind::References,
    EdgeKind::HandlesRoute,
    EdgeKind::Tests,
    EdgeKind::DependsOn,
    EdgeKind::RpcCalls,
    EdgeKind::ReadsField,
    EdgeKind::WritesField,
];

/// A file holds more symbols than this only when it is generated.
const MOST_SEEDS: usize = 2000;
const MOST_SITES: usize = 10;
/// Candidates that are counted beside the likeliest.
const MOST_CANDIDATES: usize = 4;
/// Methods of one contract, open ends, and calls shown of each.
const MOST_OF_CONTRACT: usize = 30;
const MOST_ENDS: usize = 3;
/// Functions that end the walk whose names are looked up.
const MOST_EXAMINED: usize = 20;
const MOST_SITES_OF_END: usize = 3;
/// A name with more unresolved calls is everybody's.
const TELLING_SITES: u64 = 40;

impl SnapshotAnswer for Impact {
    fn standing_mut(&mut self) -> &mut SnapshotContext {
        &mut self.standing
    }
}

/// What the answer depends on beside the graph.
#[derive(Serialize)]
struct Parameters<'a> {
    typed: &'a str,
    /// Paths may be typed from the root of the file system.
    dir: Option<&'a str>,
    max_depth: u32,
    max_results: usize,
    min_confidence: u8,
    kinds: Vec<&'static str>,
    through_bases: bool,
}

/// Symbols with more direct users than this take long enough to be kept.
pub const MANY_USERS: usize = 50;

pub fn impact(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    options: &TraversalOptions,
) -> Result<Impact> {
    let is_absolute = typed.starts_with('/');
    let parameters = Parameters {
        typed,
        dir: scope.dir.as_deref().filter(|_| is_absolute),
        max_depth: options.max_depth,
        max_results: options.max_results,
        min_confidence: options.min_confidence,
        kinds: options.kinds.iter().map(|kind| kind.as_str()).collect(),
        through_bases: true,
    };
    let question = Question { name: "impact", parameters, scope, inputs: String::new() };
    cache::answer(reader, &question, || computed(reader, scope, typed, options))
}

fn computed(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    options: &TraversalOptions,
) -> Result<CachedAnswer<Impact>> {
    let view = View::new(reader, scope);
    let mut reads = Reads::default();
    reads.look_up(typed);
    let target = Target::find(&view, typed)?;
    reads.nodes.extend(target.others.iter().flat_map(|other| other.nodes.iter().copied()));
    let (users, importers) = target.walk(&view, options)?;
    target.note(&view, &users, &importers, &mut reads)?;
    let n_direct = users.reached.iter().filter(|one| one.depth == 1).count();
    let found = shown(&view, &users.reached)?;
    let mut changed = Vec::new();
    for seed in &target.seeds {
        changed.extend(view.symbol(*seed)?);
    }
    let (unresolved, unresolved_sites) = unbound(&view, &target.named)?;
    let of = |wanted: &dyn Fn(&Neighbour) -> bool| -> Vec<SymbolRef> {
        found.iter().filter(|one| wanted(one)).map(|one| one.at.clone()).collect()
    };
    let mut contract = Vec::new();
    if target.path.is_none() {
        for node in &target.named {
            for other in dispatch::contract(&view, *node)?.into_iter().take(MOST_OF_CONTRACT) {
                reads.nodes.insert(other);
                contract.extend(view.symbol(other)?);
            }
        }
    }
    let open_ends = open_ends(&view, &found, &mut reads)?;
    let n_others = target.others.len();
    let mut candidates = Vec::new();
    for other in target.others.iter().take(MOST_CANDIDATES) {
        candidates.extend(candidate_impact(&view, other, options, &mut reads)?);
    }
    // What other repositories make of a change here cannot be told by packages, nor what an
    // interface anywhere makes of methods that implement it unsaid.
    let is_by_packages = !view.is_joined()? && !target.has_implicit_bases(&view)?;
    let value = Impact {
        standing: scope.standing(),
        path: target.path,
        tests: of(&|one| one.at.is_test),
        routes: of(&|one| one.at.kind == SymbolKind::RouteHandler),
        owners: shares(&view, &found)?,
        total: found.len() as u64,
        truncated: users.is_truncated || users.is_deeper,
        packages: by_package(found),
        importers: shown(&view, &importers.reached)?,
        changed,
        unresolved,
        unresolved_sites,
        contract,
        open_ends,
        more_candidates: n_others.saturating_sub(MOST_CANDIDATES) as u64,
        candidates,
        runtime: None,
    };
    let durability = if n_direct > MANY_USERS { Durability::Table } else { Durability::Memory };
    let reads = is_by_packages.then_some(reads);
    Ok(CachedAnswer { value, reads, durability })
}

/// What is to be changed.
struct Target {
    path: Option<String>,
    /// A symbol with what is written inside it, or all of a file.
    seeds: Vec<NodeId>,
    /// Those whose names were asked for: calls of them may be unresolved.
    named: Vec<NodeId>,
    others: Vec<Candidate>,
}

impl Target {
    fn find(view: &View<'_>, typed: &str) -> Result<Target> {
        if let Some(file) = Target::file(view, typed)? {
            return Ok(file);
        }
        let found = match resolve::some(view, typed) {
            // `src/a.py` may be the end of a qualified name; what is neither was
            // most likely meant as a path.
            Err(error) if error.code() == ErrorCode::NotFound && looks_like_path(typed) => {
                return Err(no_file(typed));
            }
            found => found?,
        };
        let mut others = found.list;
        let first = others.remove(0);
        let seeds = with_inner(view, &first.nodes)?;
        Ok(Target { path: None, seeds, named: first.nodes, others })
    }

    /// None when no file of the snapshot has that path.
    fn file(view: &View<'_>, typed: &str) -> Result<Option<Target>> {
        let Some(member) = files_like(view, typed)?.into_iter().next() else { return Ok(None) };
        let (outline, nodes) = (view.outline(member.file)?, view.nodes_of(member.file)?);
        let mut seeds = nodes.to_vec();
        seeds.truncate(MOST_SEEDS);
        // What is written inside a function cannot be called from elsewhere.
        let mut named = Vec::new();
        let mut end_of_function = 0;
        for (symbol, node) in outline.iter().zip(nodes.iter()) {
            if symbol.start_line > end_of_function {
                named.push(*node);
            }
            let is_function = matches!(symbol.kind, NodeKind::Function | NodeKind::Method);
            if is_function && symbol.start_line > end_of_function {
                end_of_function = symbol.end_line;
            }
        }
        named.truncate(MOST_SEEDS);
        let path = Some(view.path(member.file)?);
        Ok(Some(Target { path, seeds, named, others: Vec::new() }))
    }

    /// Those who use it, and those who only import it.
    fn walk(&self, view: &View<'_>, options: &TraversalOptions) -> Result<(Walk, Walk)> {
        let kinds = options.kinds.iter().copied();
        let uses: Vec<EdgeKind> = kinds.filter(|kind| *kind != EdgeKind::Imports).collect();
        let by_use = TraversalOptions { kinds: uses, through_bases: true, ..options.clone() };
        let users = walk(view, &self.seeds, Direction::Incoming, &by_use)?;
        if by_use.kinds.len() == options.kinds.len() {
            return Ok((users, Walk::default()));
        }
        let by_import =
            TraversalOptions { kinds: vec![EdgeKind::Imports], max_depth: 1, ..options.clone() };
        let mut importers = walk(view, &self.seeds, Direction::Incoming, &by_import)?;
        let known: BTreeSet<NodeId> = users.reached.iter().map(|one| one.node).collect();
        importers.reached.retain(|one| !known.contains(&one.node));
        Ok((users, importers))
    }

    fn has_implicit_bases(&self, view: &View<'_>) -> Result<bool> {
        let Some(first) = self.seeds.first() else { return Ok(false) };
        structural::is_implicit(view, *first)
    }

    /// Notes what was looked at on the way.
    fn note(
        &self,
        view: &View<'_>,
        users: &Walk,
        importers: &Walk,
        reads: &mut Reads,
    ) -> Result<()> {
        let all = || users.reached.iter().chain(&importers.reached);
        let bases = all().filter_map(|one| one.through);
        let reached = all().map(|one| one.node);
        reads.nodes.extend(self.seeds.iter().copied().chain(bases).chain(reached));
        for node in &self.named {
            if let Some(node) = view.node(*node)? {
                reads.look_up(&node.name);
            }
        }
        Ok(())
    }
}

fn candidate_impact(
    view: &View<'_>,
    candidate: &Candidate,
    options: &TraversalOptions,
    reads: &mut Reads,
) -> Result<Option<CandidateImpact>> {
    let Some(symbol) = view.symbol(candidate.nodes[0])? else { return Ok(None) };
    let seeds = with_inner(view, &candidate.nodes)?;
    let target = Target { path: None, seeds, named: Vec::new(), others: Vec::new() };
    let (users, importers) = target.walk(view, options)?;
    target.note(view, &users, &importers, reads)?;
    let mut n_tests = 0;
    for one in &users.reached {
        n_tests += u64::from(view.symbol(one.node)?.is_some_and(|it| it.is_test));
    }
    Ok(Some(CandidateImpact {
        symbol,
        total: users.reached.len() as u64,
        tests: n_tests,
        truncated: users.is_truncated || users.is_deeper,
    }))
}

/// Nodes, and after them what is written inside them.
fn with_inner(view: &View<'_>, asked: &[NodeId]) -> Result<Vec<NodeId>> {
    let mut seeds = asked.to_vec();
    let mut seen: BTreeSet<NodeId> = asked.iter().copied().collect();
    for node in asked {
        for place in view.places(*node)? {
            let (outline, nodes) = (view.outline(place.file)?, view.nodes_of(place.file)?);
            let Some(own) = outline.get(place.def as usize) else { continue };
            for (at, (symbol, node)) in outline.iter().zip(nodes.iter()).enumerate() {
                let is_inside = at > place.def as usize
                    && symbol.start_line >= own.start_line
                    && symbol.end_line <= own.end_line;
                if is_inside && seen.insert(*node) {
                    seeds.push(*node);
                }
            }
        }
    }
    seeds.truncate(MOST_SEEDS);
    Ok(seeds)
}

/// The nodes of a file of the snapshot; none when no file has that path.
pub(crate) fn nodes_of_path(view: &View<'_>, typed: &str) -> Result<Option<Vec<NodeId>>> {
    let path = typed.trim_start_matches("./");
    for member in files_like(view, path)? {
        if view.path(member.file)? == path {
            let mut nodes = view.nodes_of(member.file)?.to_vec();
            nodes.truncate(MOST_SEEDS);
            return Ok(Some(nodes));
        }
    }
    Ok(None)
}

fn looks_like_path(typed: &str) -> bool {
    typed.rsplit_once('/').is_some_and(|(_, name)| name.contains('.'))
}

fn no_file(typed: &str) -> Error {
    let shown = one_line(typed, 120);
    Error::not_found(format!("no indexed file or symbol `{shown}` in this snapshot"))
        .suggest("write the path from the root of the repository, or name a symbol")
}

fn by_package(found: Vec<Neighbour>) -> Vec<PackageImpact> {
    let mut packages: BTreeMap<(String, String), Vec<Neighbour>> = BTreeMap::new();
    for one in found {
        let repo = repo_of(&one.at).to_owned();
        let package = one.at.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        packages.entry((repo, package)).or_default().push(one);
    }
    packages
        .into_iter()
        .map(|((repo, package), symbols)| PackageImpact { repo, package, symbols })
        .collect()
}

fn repo_of(symbol: &SymbolRef) -> &str {
    symbol.qualified_name.split_once("://").map_or("", |(repo, _)| repo)
}

fn shares(view: &View<'_>, found: &[Neighbour]) -> Result<Vec<OwnerShare>> {
    // Owners are those of the repository asked about.
    let own = found.iter().filter(|one| repo_of(&one.at) == view.scope.repo.canonical_url);
    let paths: BTreeSet<&str> = own.map(|one| one.at.path.as_str()).collect();
    let rules = OwnerRules::open(view.reader, &view.scope)?;
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    for path in paths {
        for owner in rules.owners_of(path) {
            *shares.entry(owner.owner).or_default() += 1;
        }
    }
    let mut shares: Vec<OwnerShare> =
        shares.into_iter().map(|(owner, files)| OwnerShare { owner, files }).collect();
    shares.sort_by(|a, b| (b.files, &a.owner).cmp(&(a.files, &b.owner)));
    Ok(shares)
}

/// Functions that end the walk, with the calls of their names that may go on.
fn open_ends(view: &View<'_>, found: &[Neighbour], reads: &mut Reads) -> Result<Vec<OpenEnd>> {
    let used: BTreeSet<usize> = found.iter().filter_map(|one| one.parent).collect();
    let mut ends: Vec<OpenEnd> = Vec::new();
    let is_end = |nth: usize, one: &Neighbour| {
        let is_function = matches!(one.at.kind, SymbolKind::Function | SymbolKind::Method);
        is_function && !one.at.is_test && !used.contains(&nth)
    };
    let all = found.iter().enumerate().filter(|(nth, one)| is_end(*nth, one));
    for (_, one) in all.take(MOST_EXAMINED) {
        if ends.len() == MOST_ENDS {
            break;
        }
        let name = one.at.symbol.rsplit(['.', ':', '#']).next().unwrap_or_default();
        // Also where there is none: one that comes makes this another answer.
        reads.look_up(name);
        let (unresolved, sites) =
            view.unresolved_until(name, MOST_SITES_OF_END, TELLING_SITES + 1)?;
        if unresolved == 0 || unresolved > TELLING_SITES {
            continue;
        }
        let sites = sites.into_iter().map(|(file, site)| unresolved_site(view, file, site));
        let sites = sites.collect::<Result<_>>()?;
        ends.push(OpenEnd { symbol: one.at.clone(), unresolved, sites });
    }
    Ok(ends)
}

fn unbound(view: &View<'_>, named: &[NodeId]) -> Result<(u64, Vec<UnresolvedSite>)> {
    let mut names = BTreeSet::new();
    for node in named {
        names.extend(view.node(*node)?.map(|node| node.name.clone()));
    }
    let mut total = 0;
    let mut shown = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let room = MOST_SITES.saturating_sub(shown.len());
        let (n_sites, sites) = view.unresolved(name, room)?;
        total += n_sites;
        for (file, site) in sites {
            shown.push(unresolved_site(view, file, site)?);
        }
    }
    Ok((total, shown))
}
