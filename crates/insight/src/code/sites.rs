//! Where the further calls between two symbols stand: an edge of a walk knows only its
//! first.

use super::neighbours::{Neighbour, Question};
use super::view::View;
use super::walk::VisitedNode;
use model::Result;
use model::code::EdgeKind;
use model::ids::NodeId;
use std::collections::BTreeSet;

/// More symbols are listed with their first call only.
const MOST_SYMBOLS: usize = 200;

/// Adds the lines of further calls to those of `found` that are one step away.
/// `reached` is what `found` was made of.
pub(super) fn add_lines(
    view: &View<'_>,
    nodes: &[NodeId],
    asked: Question,
    reached: &[VisitedNode],
    found: &mut [Neighbour],
) -> Result<()> {
    let several = |it: &&VisitedNode| it.depth == 1 && it.step.n_sites > 1;
    for visited in reached.iter().filter(several).take(MOST_SYMBOLS) {
        let path = view.path(visited.step.file)?;
        // Lines of a file that is being edited are those of the snapshot no more.
        if view.edited(&path).is_some() {
            continue;
        }
        let is_it = |it: &&mut Neighbour| {
            it.depth == 1 && it.site_path == path && it.site_line == visited.step.line
        };
        let Some(one) = found.iter_mut().filter(is_it).find(|it| it.sites > 1) else { continue };
        let mut lines = match asked {
            Question::Callees => {
                let mut lines = Vec::new();
                for node in nodes {
                    lines.extend(lines_between(view, *node, &[visited.node], &path)?);
                }
                lines
            }
            _ => lines_between(view, visited.node, nodes, &path)?,
        };
        lines.sort_unstable();
        lines.dedup();
        lines.retain(|line| *line != visited.step.line);
        one.more_lines = lines;
    }
    Ok(())
}

/// The files in which the last step to a node is made. One node may stand in many files,
/// as the blocks that Ruby's tests are given to. `seeds` are where the walk began.
pub(crate) fn files_of_step(
    view: &View<'_>,
    visited: &VisitedNode,
    seeds: &[NodeId],
) -> Result<BTreeSet<String>> {
    let first = BTreeSet::from([view.path(visited.step.file)?]);
    if visited.step.n_sites < 2 {
        return Ok(first);
    }
    let from = [visited.from];
    let targets = if visited.depth == 1 { seeds } else { &from };
    let mut files = BTreeSet::new();
    for place in view.places(visited.node)? {
        let edges = view.edges_of(place.link)?;
        if edges.iter().any(|it| it.source == place.def && targets.contains(&it.target)) {
            files.insert(view.path(place.file)?);
        }
    }
    Ok(if files.is_empty() { first } else { files })
}

/// The lines of a file on which `source` calls one of `targets`.
fn lines_between(
    view: &View<'_>,
    source: NodeId,
    targets: &[NodeId],
    path: &str,
) -> Result<Vec<u32>> {
    let mut lines = Vec::new();
    for place in view.places(source)? {
        if view.path(place.file)? != path {
            continue;
        }
        let edges = view.edges_of(place.link)?;
        let calls = edges.iter().filter(|it| it.source == place.def && it.kind == EdgeKind::Calls);
        lines.extend(calls.filter(|it| targets.contains(&it.target)).map(|it| it.line));
    }
    Ok(lines)
}
