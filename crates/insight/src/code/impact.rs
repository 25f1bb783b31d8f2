//! `lore impact`: what a change of a symbol or a file can reach.
//!
//! Starts from the symbol and everything written inside it, and follows edges
//! backwards: callers, users, those who inherit, override or test.

use super::neighbours::{Neighbour, UnresolvedSite, shown};
use super::owners::owners_of;
use super::resolve;
use super::scope::{Scope, Standing};
use super::view::{SymbolRef, View};
use super::walk::{Direction, TraversalOptions, walk};
use model::code::EdgeKind;
use model::ids::NodeId;
use model::text::one_line;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::code::files;

/// Everything a change can reach, by repository and package.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Impact {
    pub standing: Standing,
    /// What is changed: symbols, those written inside them included.
    pub changed: Vec<SymbolRef>,
    pub packages: Vec<PackageImpact>,
    /// Tests among what is reached, nearest first.
    pub tests: Vec<SymbolRef>,
    /// Routes among what is reached.
    pub routes: Vec<SymbolRef>,
    /// Who owns the files that are reached, most files first.
    pub owners: Vec<OwnerShare>,
    /// Symbols reached in all.
    pub total: u64,
    pub truncated: bool,
    /// Calls of the changed names that could not be bound; some may mean them.
    pub unresolved: u64,
    pub unresolved_sites: Vec<UnresolvedSite>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PackageImpact {
    pub repo: String,
    pub package: String,
    pub symbols: Vec<Neighbour>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
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

pub fn impact(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    options: &TraversalOptions,
) -> Result<Impact> {
    let view = View::new(reader, scope);
    let seeds = seeds(&view, typed)?;
    let walked = walk(&view, &seeds, Direction::Incoming, options)?;
    let found = shown(&view, &walked.reached)?;
    let mut changed = Vec::new();
    for seed in &seeds {
        changed.extend(view.symbol(*seed)?);
    }
    let (unresolved, unresolved_sites) = unbound(&view, &seeds)?;
    let of = |wanted: &dyn Fn(&Neighbour) -> bool| -> Vec<SymbolRef> {
        found.iter().filter(|one| wanted(one)).map(|one| one.at.clone()).collect()
    };
    Ok(Impact {
        standing: scope.standing(),
        tests: of(&|one| one.at.is_test),
        routes: of(&|one| one.at.kind == "route_handler"),
        owners: shares(&view, &found)?,
        total: found.len() as u64,
        truncated: walked.is_truncated || walked.is_deeper,
        packages: by_package(found),
        changed,
        unresolved,
        unresolved_sites,
    })
}

/// The nodes that change: a symbol with what is written inside it, or all of a file.
fn seeds(view: &View<'_>, typed: &str) -> Result<Vec<NodeId>> {
    if let Some(nodes) = nodes_of_path(view, typed)? {
        return Ok(nodes);
    }
    let node = match resolve::one(view, typed) {
        // `src/a.py` may be the end of a qualified name; what is neither was
        // most likely meant as a path.
        Err(error) if error.code() == ErrorCode::NotFound && looks_like_path(typed) => {
            return Err(no_file(typed));
        }
        found => found?,
    };
    let mut seeds = vec![node];
    for place in view.places(node)? {
        let (outline, nodes) = (view.outline(place.file)?, view.nodes_of(place.file)?);
        let Some(own) = outline.get(place.def as usize) else { continue };
        let inside = outline.iter().zip(nodes.iter()).enumerate().filter(|(at, (symbol, _))| {
            *at > place.def as usize
                && symbol.start_line >= own.start_line
                && symbol.end_line <= own.end_line
        });
        seeds.extend(inside.map(|(_, (_, node))| *node));
    }
    seeds.sort_unstable();
    seeds.dedup();
    seeds.truncate(MOST_SEEDS);
    Ok(seeds)
}

/// The nodes of a file of the snapshot; none when no file has that path.
pub(crate) fn nodes_of_path(view: &View<'_>, typed: &str) -> Result<Option<Vec<NodeId>>> {
    let path = typed.trim_start_matches("./");
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(package) = files::find_package(view.reader, view.scope.repo.id, folder)? else {
        return Ok(None);
    };
    let Some(version) = view.version(package)? else { return Ok(None) };
    for member in &version.members {
        if view.file(member.file)?.name == name {
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
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    for path in paths {
        for owner in owners_of(view.reader, &view.scope, path)? {
            *shares.entry(owner.owner).or_default() += 1;
        }
    }
    let mut shares: Vec<OwnerShare> =
        shares.into_iter().map(|(owner, files)| OwnerShare { owner, files }).collect();
    shares.sort_by(|a, b| (b.files, &a.owner).cmp(&(a.files, &b.owner)));
    Ok(shares)
}

fn unbound(view: &View<'_>, seeds: &[NodeId]) -> Result<(u64, Vec<UnresolvedSite>)> {
    let mut names = BTreeSet::new();
    for seed in seeds {
        names.extend(view.node(*seed)?.map(|node| node.name.clone()));
    }
    let mut total = 0;
    let mut shown = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let room = MOST_SITES.saturating_sub(shown.len());
        let (n_sites, sites) = view.unresolved(name, room)?;
        total += n_sites;
        for (file, site) in sites {
            shown.push(UnresolvedSite { path: view.path(file)?, line: site.line, text: site.text });
        }
    }
    Ok((total, shown))
}
