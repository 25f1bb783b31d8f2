//! From one repository to another: which node an external node stands for.
//!
//! The join is by the exact import path and symbol path, followed through what
//! modules import from each other to pass it on. Where nothing or more than one
//! thing fits, the node stays external. Nothing of this is stored: it follows
//! from what both repositories are indexed at now.

use super::scope::{self, Scope, ScopeRequest};
use super::view::View;
use model::Result;
use model::code::{EdgeKind, NodeKind, WILDCARD_IMPORT};
use model::hash::Hash32;
use model::ids::{NodeId, PackageId, RepoId};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use store::code::externals::{self, ExternalRow};
use store::code::{nodes, snapshots};
use store::{Reader, repos};

/// Modules pass on what they import from modules; more steps than this is a circle.
const MOST_STEPS: u32 = 6;

pub struct CrossRepoIndex<'r> {
    home: RepoId,
    /// The other repositories.
    views: HashMap<RepoId, View<'r>>,
    by_node: HashMap<NodeId, ExternalRow>,
    /// By the last part of the symbol; the package itself by the empty one.
    by_name: HashMap<String, Vec<NodeId>>,
    repos: RefCell<HashMap<NodeId, Option<RepoId>>>,
    targets: RefCell<HashMap<NodeId, Option<NodeId>>>,
}

/// What stands between the parts of import paths. One that a language does not
/// use names no module of it.
const SEPARATORS: [&str; 2] = [".", "::"];

/// A module of a repository: a file of a package, or all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Module {
    package: PackageId,
    file: Option<String>,
}

/// What leads from one repository to another, and the others that have to do with
/// `home`, as they are indexed now; none where it has to do with none.
fn involved(reader: &Reader, home: RepoId) -> Result<Option<(Vec<ExternalRow>, Vec<Scope>)>> {
    let all = repos::all(reader)?;
    if all.len() < 2 {
        return Ok(None);
    }
    let rows = externals::with_a_home(reader)?;
    let involved: BTreeSet<RepoId> = rows.iter().flat_map(|row| [row.repo, row.home]).collect();
    if !involved.contains(&home) {
        return Ok(None);
    }
    let mut scopes = Vec::new();
    for repo in all.into_iter().filter(|repo| repo.id != home && involved.contains(&repo.id)) {
        if snapshots::latest(reader, repo.id)?.is_some() {
            let asked = ScopeRequest { repo: Some(&repo.canonical_url), ..ScopeRequest::default() };
            scopes.push(scope::resolve(reader, &asked)?);
        }
    }
    Ok(Some((rows, scopes)))
}

/// The roots of the other repositories that answers about `home` read.
pub(crate) fn other_roots(reader: &Reader, home: RepoId) -> Result<Vec<(String, Hash32)>> {
    let others = involved(reader, home)?.map(|(_, others)| others).unwrap_or_default();
    Ok(others.into_iter().map(|scope| (scope.repo.canonical_url, scope.snapshot.root)).collect())
}

impl<'r> CrossRepoIndex<'r> {
    /// None where the repository neither uses another one nor is used by one.
    pub fn load(reader: &'r Reader, home: RepoId) -> Result<Option<Self>> {
        let Some((rows, others)) = involved(reader, home)? else { return Ok(None) };
        let views =
            others.iter().map(|scope| (scope.repo.id, View::alone(reader, scope))).collect();
        let mut by_name: HashMap<String, Vec<NodeId>> = HashMap::new();
        for row in &rows {
            let name = row.symbol.rsplit('.').next().unwrap_or_default();
            let named = by_name.entry(name.to_owned()).or_default();
            if named.last() != Some(&row.node) {
                named.push(row.node);
            }
        }
        let by_node = rows.into_iter().map(|row| (row.node, row)).collect();
        let (repos, targets) = (RefCell::default(), RefCell::default());
        Ok(Some(CrossRepoIndex { home, views, by_node, by_name, repos, targets }))
    }

    /// The view of the repository a node belongs to; none for the one asked in.
    pub fn view_of(&self, reader: &Reader, node: NodeId) -> Result<Option<&View<'r>>> {
        let known = self.repos.borrow().get(&node).copied();
        let repo = match known {
            Some(repo) => repo,
            None => externals::repo_of(reader, node)?,
        };
        self.repos.borrow_mut().insert(node, repo);
        Ok(repo.filter(|repo| *repo != self.home).and_then(|repo| self.views.get(&repo)))
    }

    /// The node another repository has for an external node.
    pub fn target(&self, from: &View<'r>, node: NodeId) -> Result<Option<NodeId>> {
        let Some(row) = self.by_node.get(&node) else { return Ok(None) };
        if let Some(known) = self.targets.borrow().get(&node) {
            return Ok(*known);
        }
        let found = self.resolve(from, row)?;
        self.targets.borrow_mut().insert(node, found);
        Ok(found)
    }

    /// The external nodes that stand for a node, with the view of their repository;
    /// none for the one asked in.
    pub fn twins(&self, from: &View<'r>, node: NodeId) -> Result<Vec<(NodeId, Option<&View<'r>>)>> {
        let Some(about) = nodes::get(from.reader, node)? else { return Ok(Vec::new()) };
        let name = if about.kind == NodeKind::Module { "" } else { about.name.as_str() };
        let mut twins = Vec::new();
        for external in self.by_name.get(name).into_iter().flatten() {
            if self.target(from, *external)? == Some(node) {
                twins.push((*external, self.view_of(from.reader, *external)?));
            }
        }
        Ok(twins)
    }

    /// The longest path that is a module decides; the rest is looked up in it.
    fn resolve(&self, from: &View<'r>, row: &ExternalRow) -> Result<Option<NodeId>> {
        let names: Vec<&str> = row.symbol.split('.').filter(|name| !name.is_empty()).collect();
        for n_taken in (0..=names.len()).rev() {
            let mut found = BTreeSet::new();
            let mut modules = Vec::new();
            for joint in &SEPARATORS[..if n_taken == 0 { 1 } else { SEPARATORS.len() }] {
                let mut path = row.package.clone();
                for name in &names[..n_taken] {
                    path.push_str(joint);
                    path.push_str(name);
                }
                modules.extend(externals::imported_as(from.reader, &row.language, &path)?);
            }
            for module in modules {
                let view = if module.repo == self.home {
                    Some(from)
                } else {
                    self.views.get(&module.repo)
                };
                let Some(view) = view.filter(|_| module.repo != row.repo) else { continue };
                let file = Some(module.file).filter(|file| !file.is_empty());
                let module = Module { package: module.package, file };
                found.extend(member(view, &module, &names[n_taken..], 0)?);
            }
            match found.len() {
                0 => {}
                1 => return Ok(found.first().copied()),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// What a path of names means in a module.
fn member(
    view: &View<'_>,
    module: &Module,
    names: &[&str],
    steps: u32,
) -> Result<BTreeSet<NodeId>> {
    let none = BTreeSet::new();
    let Some(version) = view.version(module.package)? else { return Ok(none) };
    let mut own = None;
    for member in &version.members {
        let is_it = match &module.file {
            Some(name) => view.file(member.file)?.name == *name,
            None => true,
        };
        if is_it {
            own = view.nodes_of(member.file)?.first().copied();
            break;
        }
    }
    let Some(own) = own else { return Ok(none) };
    let Some((first, rest)) = names.split_first() else { return Ok(BTreeSet::from([own])) };
    let Some(about) = view.node(own)? else { return Ok(none) };
    let prefix = if module.file.is_some() { about.symbol() } else { String::new() };
    let defined = defined(view, module, &joined(&prefix, names))?;
    if !defined.is_empty() || steps > MOST_STEPS {
        return Ok(defined);
    }
    let mut found = BTreeSet::new();
    for step in view.own_outgoing(own)?.iter().filter(|step| step.kind == EdgeKind::Imports) {
        let Some(target) = view.node(step.node)? else { continue };
        let is_named = target.name == **first;
        match target.kind {
            NodeKind::External => {}
            NodeKind::Module => {
                let Some(place) = view.places(step.node)?.first().copied() else { continue };
                let file = Some(view.file(place.file)?.name.clone());
                let inner = Module { package: target.package, file };
                if step.confidence == WILDCARD_IMPORT {
                    found.extend(member(view, &inner, names, steps + 1)?);
                } else if is_named {
                    found.extend(member(view, &inner, rest, steps + 1)?);
                }
            }
            _ if is_named && rest.is_empty() => {
                found.insert(step.node);
            }
            _ if is_named => {
                let within = Module { package: target.package, file: None };
                found.extend(self::defined(view, &within, &joined(&target.symbol(), rest))?);
            }
            _ => {}
        }
    }
    Ok(found)
}

fn joined(prefix: &str, names: &[&str]) -> String {
    let names = names.join(".");
    if prefix.is_empty() { names } else { format!("{prefix}.{names}") }
}

/// The symbol of that path in a package or one of its files. A function before
/// a module that is declared under its name.
fn defined(view: &View<'_>, module: &Module, symbol: &str) -> Result<BTreeSet<NodeId>> {
    let name = symbol.rsplit('.').next().unwrap_or(symbol);
    let mut found = Vec::new();
    for node in nodes::named(view.reader, name)? {
        if node.package != module.package
            || node.kind == NodeKind::External
            || node.symbol() != symbol
        {
            continue;
        }
        for place in view.places(node.id)? {
            let is_there = match &module.file {
                Some(file) => view.file(place.file)?.name == *file,
                None => true,
            };
            if is_there {
                let key = (node.kind == NodeKind::Module, node.disambiguator.clone(), node.id);
                found.push(key);
            }
        }
    }
    found.sort();
    Ok(found.first().map(|(.., id)| *id).into_iter().collect())
}
