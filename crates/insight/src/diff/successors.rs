//! What symbols of the base are called in the head: nodes are named by their place, so a
//! class that is renamed takes all its members to other nodes, and a file all its symbols.

use super::edges::Versions;
use crate::code::View;
use crate::code::files::exact_file;
use model::Result;
use model::change::{FileMove, Succession};
use model::code::NodeKind;
use model::ids::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// The nodes of files by name and line: a symbol that is declared in one file and
/// defined in another has a place in both.
pub type InFile = BTreeMap<String, FileNodes>;

/// The nodes of one file.
#[derive(Default)]
pub struct FileNodes {
    /// With whether it is the file itself.
    by_line: BTreeMap<(String, u32), (NodeId, bool)>,
    /// Kind, names from the file down and node, in order.
    all: Vec<(NodeKind, String, NodeId)>,
}

impl FileNodes {
    fn of(view: &View<'_>, path: &str) -> Result<FileNodes> {
        let mut nodes = FileNodes::default();
        let Some(member) = exact_file(view, path)? else { return Ok(nodes) };
        let (outline, ids) = (view.outline(member.file)?, view.nodes_of(member.file)?);
        for (entry, node) in outline.iter().zip(ids.iter()) {
            if let Some(row) = view.node(*node)? {
                let slot = nodes.by_line.entry((row.name.clone(), entry.name_line));
                // A file is called like a symbol on its first line, and is none.
                if row.kind == NodeKind::Module {
                    slot.or_insert((*node, true));
                } else {
                    let known = slot.or_insert((*node, false));
                    if known.1 {
                        *known = (*node, false);
                    }
                }
                nodes.all.push((row.kind, row.symbol(), *node));
            }
        }
        Ok(nodes)
    }
}

fn nodes_in<'f>(view: &View<'_>, path: &str, in_file: &'f mut InFile) -> Result<&'f FileNodes> {
    if !in_file.contains_key(path) {
        in_file.insert(path.to_owned(), FileNodes::of(view, path)?);
    }
    Ok(&in_file[path])
}

/// The node of a symbol by its file, names and line.
pub fn node_at(
    view: &View<'_>,
    (path, symbol, line): (&str, &str, u32),
    in_file: &mut InFile,
) -> Result<Option<NodeId>> {
    let name = symbol.rsplit('.').next().unwrap_or(symbol);
    let nodes = nodes_in(view, path, in_file)?;
    Ok(nodes.by_line.get(&(name.to_owned(), line)).map(|(node, _)| *node))
}

/// For nodes of the base that are others in the head: which.
pub fn successors(
    versions: &Versions<'_>,
    successions: &[Succession],
    file_moves: &[FileMove],
    [olds, news]: [&mut InFile; 2],
) -> Result<BTreeMap<NodeId, NodeId>> {
    let mut found = BTreeMap::new();
    let mut files: BTreeMap<(&str, &str), bool> =
        file_moves.iter().map(|file| ((file.from.as_str(), file.to.as_str()), true)).collect();
    for Succession { old, new } in successions {
        let before = node_at(&versions.base, (&old.path, &old.symbol, old.line), olds)?;
        let after = node_at(&versions.head, (&new.path, &new.symbol, new.line), news)?;
        if let (Some(before), Some(after)) = (before, after) {
            found.entry(before).or_insert(after);
        }
        files.entry((&old.path, &new.path)).or_insert(false);
    }
    for ((old, new), is_moved) in files {
        let before = nodes_in(&versions.base, old, olds)?;
        let after = nodes_in(&versions.head, new, news)?;
        add_carried(before, after, is_moved, &mut found);
    }
    found.retain(|old, new| old != new);
    Ok(found)
}

/// Nodes that stand for no symbol of their own (the file itself, functions without a
/// name, blocks of implementation) go where what is around them went.
fn add_carried(
    old: &FileNodes,
    new: &FileNodes,
    is_moved: bool,
    found: &mut BTreeMap<NodeId, NodeId>,
) {
    let kept: BTreeSet<NodeId> = new.all.iter().map(|(.., node)| *node).collect();
    let names: BTreeMap<NodeId, &str> =
        new.all.iter().map(|(_, name, node)| (*node, name.as_str())).collect();
    let mut free: BTreeMap<(NodeKind, String), Vec<NodeId>> = BTreeMap::new();
    let taken: BTreeSet<NodeId> = found.values().copied().collect();
    for (kind, name, node) in new.all.iter().rev().filter(|(.., node)| !taken.contains(node)) {
        free.entry((*kind, name.clone())).or_default().push(*node);
    }
    let module = || new.all.iter().find(|(kind, ..)| *kind == NodeKind::Module);
    let mut became: BTreeMap<&str, &str> = BTreeMap::new();
    for (kind, name, node) in &old.all {
        if *kind == NodeKind::Module && is_moved {
            if let Some((_, now, module)) = module() {
                became.insert(name, now);
                found.entry(*node).or_insert(*module);
            }
        } else if let Some(now) = found.get(node).and_then(|node| names.get(node)) {
            became.insert(name, now);
        }
    }
    for (kind, name, node) in &old.all {
        if found.contains_key(node) || kept.contains(node) {
            continue;
        }
        let mut outer = name.as_str();
        let now = loop {
            match (became.get(outer), outer.rsplit_once('.')) {
                (Some(now), _) => break format!("{now}{}", &name[outer.len()..]),
                (None, Some((around, _))) => outer = around,
                (None, None) => break name.clone(),
            }
        };
        if let Some(node_now) = free.get_mut(&(*kind, now)).and_then(Vec::pop) {
            found.insert(*node, node_now);
        }
    }
}
