//! What a change does to the graph, where both versions are indexed: edges that
//! came, went or lead elsewhere, and who uses the touched symbols now.

use super::{Border, EdgeChange, EdgeChangeKind, VersionComparison};
use crate::code::{Scope, View, owners_of};
use model::Result;
use model::change::SymbolVersion;
use model::code::EdgeKind;
use model::ids::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// Edges told at most.
const MOST_EDGES: usize = 500;
const SHOWN_USERS: usize = 3;

/// Both versions of the graph.
pub struct Versions<'r> {
    pub reader: &'r Reader,
    pub base: View<'r>,
    pub head: View<'r>,
    pub scope: Scope,
    owners: BTreeMap<String, BTreeSet<String>>,
}

type Edges = BTreeSet<(EdgeKind, NodeId)>;

impl<'r> Versions<'r> {
    pub fn new(reader: &'r Reader, base: &Scope, head: &Scope) -> Self {
        Versions {
            reader,
            base: View::new(reader, base),
            head: View::new(reader, head),
            scope: head.clone(),
            owners: BTreeMap::new(),
        }
    }

    /// `nodes`: for each change its symbol in the base and in the head; `successors`: what
    /// symbols are called in the head that went by another name in the base.
    pub(super) fn add(
        &mut self,
        nodes: &[(Option<NodeId>, Option<NodeId>)],
        successors: &BTreeMap<NodeId, NodeId>,
        diff: &mut VersionComparison,
    ) -> Result<()> {
        let now = |node: NodeId| successors.get(&node).copied().unwrap_or(node);
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        let mut edges = Vec::new();
        for (changed, (old, new)) in diff.changes.iter_mut().zip(nodes) {
            let users_before = users(&self.base, *old)?;
            let users_after = users(&self.head, *new)?;
            let mapped: BTreeSet<NodeId> = users_before.iter().map(|node| now(*node)).collect();
            if let (Some(_), Some(_)) = (old, new) {
                changed.users_after = Some(users_after.len() as u64);
                changed.new_users =
                    self.named(&self.head, users_after.difference(&mapped).copied())?;
                let name = simple_name(changed.change.new.as_ref()).to_owned();
                let mut lost = Vec::new();
                for user in mapped.difference(&users_after).copied() {
                    if self.head.calls_untied(user, &name)? {
                        changed.perhaps_still_users += 1;
                    } else {
                        lost.push(user);
                    }
                }
                changed.lost_users = self.named(&self.head, lost.into_iter())?;
            }
            before.extend(self.owners_of_nodes(true, &users_before)?);
            after.extend(self.owners_of_nodes(false, &users_after)?);
            if changed.change.is_test || edges.len() >= MOST_EDGES {
                continue;
            }
            // What a symbol that is gone led to is gone with it.
            let Some(new) = *new else { continue };
            let out_before: Edges =
                uses(&self.base, *old)?.into_iter().map(|(kind, node)| (kind, now(node))).collect();
            let out_after = uses(&self.head, Some(new))?;
            edges.extend(self.changes(new, &out_before, &out_after, old.is_none())?);
        }
        drop_told_by_members(&mut edges);
        edges.truncate(MOST_EDGES);
        edges.sort_by(|a, b| (b.crosses.len(), &a.from).cmp(&(a.crosses.len(), &b.from)));
        diff.edges = edges;
        diff.new_owners = after.difference(&before).cloned().collect();
        Ok(())
    }

    /// Of one symbol; of a new one only edges that cross a border.
    fn changes(
        &mut self,
        from: NodeId,
        before: &Edges,
        after: &Edges,
        is_new: bool,
    ) -> Result<Vec<EdgeChange>> {
        let mut gone: Vec<(EdgeKind, NodeId)> = before.difference(after).copied().collect();
        let mut changes = Vec::new();
        for (kind, to) in after.difference(before).copied() {
            let name = |view: &View<'_>, node: NodeId| -> Result<String> {
                Ok(view.node(node)?.map_or(String::new(), |row| row.name.clone()))
            };
            let wanted = name(&self.head, to)?;
            let mut place = None;
            for (at, (known, node)) in gone.iter().enumerate() {
                if *known == kind && name(&self.base, *node)? == wanted {
                    place = Some(at);
                    break;
                }
            }
            let was = place.map(|at| gone.remove(at).1);
            let change =
                if was.is_some() { EdgeChangeKind::Retargeted } else { EdgeChangeKind::Added };
            let told = self.edge(change, (from, kind, to), was)?;
            changes.extend(told.filter(|told| !is_new || !told.crosses.is_empty()));
        }
        for (kind, to) in gone {
            changes.extend(self.edge(EdgeChangeKind::Removed, (from, kind, to), None)?);
        }
        Ok(changes)
    }

    fn edge(
        &mut self,
        change: EdgeChangeKind,
        (from, kind, to): (NodeId, EdgeKind, NodeId),
        was: Option<NodeId>,
    ) -> Result<Option<EdgeChange>> {
        let is_removed = change == EdgeChangeKind::Removed;
        let target = if is_removed { self.base.symbol(to)? } else { self.head.symbol(to)? };
        let (Some(source), Some(target)) = (self.head.symbol(from)?, target) else {
            return Ok(None);
        };
        // What is not indexed anywhere is a library: no part of this system.
        if target.path.is_empty() {
            return Ok(None);
        }
        let was = match was {
            Some(was) => self.base.symbol(was)?.map(|symbol| symbol.symbol),
            None => None,
        };
        let repository = |name: &str| name.split("://").next().unwrap_or(name).to_owned();
        let mut crosses = Vec::new();
        if repository(&source.qualified_name) == repository(&target.qualified_name) {
            let package = |view: &View<'_>, node| -> Result<_> {
                Ok(view.node(node)?.map(|row| row.package))
            };
            let far = if is_removed { package(&self.base, to)? } else { package(&self.head, to)? };
            if package(&self.head, from)? != far {
                crosses.push(Border::Package);
            }
            let (a, b) = (self.owners(&source.path)?, self.owners(&target.path)?);
            if !a.is_empty() && !b.is_empty() && a.is_disjoint(&b) {
                crosses.push(Border::Owner);
            }
        } else {
            crosses.push(Border::Repository);
        }
        Ok(Some(EdgeChange {
            change,
            kind,
            from: source.symbol,
            to: target.symbol,
            was,
            crosses,
            path: source.path,
            line: source.line,
            target_path: target.path,
        }))
    }

    fn owners(&mut self, path: &str) -> Result<BTreeSet<String>> {
        if let Some(known) = self.owners.get(path) {
            return Ok(known.clone());
        }
        let found = owners_of(self.reader, &self.scope, path)?;
        let found: BTreeSet<String> = found.into_iter().map(|owner| owner.owner).collect();
        self.owners.insert(path.to_owned(), found.clone());
        Ok(found)
    }

    fn owners_of_nodes(
        &mut self,
        is_base: bool,
        nodes: &BTreeSet<NodeId>,
    ) -> Result<BTreeSet<String>> {
        let mut all = BTreeSet::new();
        if self.scope.snapshot.owners.is_none() {
            return Ok(all);
        }
        for node in nodes {
            let view = if is_base { &self.base } else { &self.head };
            if let Some(symbol) = view.symbol(*node)? {
                all.extend(self.owners(&symbol.path)?);
            }
        }
        Ok(all)
    }

    /// The first names; overloads have one.
    fn named(&self, view: &View<'_>, nodes: impl Iterator<Item = NodeId>) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for node in nodes {
            if names.len() >= SHOWN_USERS {
                break;
            }
            let symbol = match view.symbol(node)? {
                Some(symbol) => Some(symbol),
                None => self.base.symbol(node)?,
            };
            let name = symbol.map(|symbol| symbol.symbol);
            names.extend(name.filter(|name| !names.contains(name)));
        }
        Ok(names)
    }
}

fn simple_name(symbol: Option<&SymbolVersion>) -> &str {
    let name = symbol.map_or("", |symbol| symbol.symbol.as_str());
    name.rsplit('.').next().unwrap_or(name)
}

/// Who calls a member names its type; and overloads are one name. Each is told once.
fn drop_told_by_members(edges: &mut Vec<EdgeChange>) {
    let references = EdgeKind::References;
    let told: BTreeSet<(EdgeChangeKind, String, String)> = edges
        .iter()
        .filter_map(|it| {
            let (outer, _) = it.to.rsplit_once('.')?;
            Some((it.change, it.from.clone(), outer.to_owned()))
        })
        .collect();
    let mut seen = BTreeSet::new();
    edges.retain(|it| {
        let is_of_type =
            it.kind == references && told.contains(&(it.change, it.from.clone(), it.to.clone()));
        let key = (it.change, it.kind, it.from.clone(), it.to.clone(), it.path.clone());
        !is_of_type && seen.insert(key)
    });
}

/// Who uses a symbol, by call, reference or inheritance.
fn users(view: &View<'_>, node: Option<NodeId>) -> Result<BTreeSet<NodeId>> {
    let Some(node) = node else { return Ok(BTreeSet::new()) };
    let steps = view.incoming(node)?.into_iter();
    Ok(steps
        .filter(|step| super::graph::USES.contains(&step.kind) && step.node != node)
        .map(|step| step.node)
        .collect())
}

fn uses(view: &View<'_>, node: Option<NodeId>) -> Result<Edges> {
    let Some(node) = node else { return Ok(Edges::new()) };
    let steps = view.outgoing(node)?.into_iter();
    Ok(steps
        .filter(|step| super::graph::USES.contains(&step.kind) && step.node != node)
        .map(|step| (step.kind, step.node))
        .collect())
}
