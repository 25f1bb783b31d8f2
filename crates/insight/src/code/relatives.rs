//! Members that a type has from another one: `RedisBackend.store` where its base defines
//! it, and `Backend.store` where only what derives from it does.

use super::resolve::{Candidate, LookupEffort, candidates_within};
use super::view::View;
use model::Result;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use store::code::nodes::{self, NodeRow};

/// Types of one name that are looked at, types above and below one of them, and members
/// that are answered.
const MOST_OWNERS: usize = 3;
const MOST_RELATIVES: usize = 200;
const MOST_MEMBERS: usize = 40;

const JOINTS: &[&str] = &["::", ".", "#"];

#[derive(Clone, Copy)]
enum Lineage {
    Bases,
    Derived,
}

/// The nearest definition above the type; where there is none, those below it.
pub(super) fn members(
    view: &View<'_>,
    typed: &str,
    effort: LookupEffort,
) -> Result<Vec<Candidate>> {
    let typed = typed.trim();
    let parts = JOINTS.iter().filter_map(|joint| typed.rsplit_once(joint));
    let Some((owner, member)) = parts.min_by_key(|(_, member)| member.len()) else {
        return Ok(Vec::new());
    };
    let Some(effort) = effort.of_rest().filter(|_| !owner.is_empty() && !member.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut named = Vec::new();
    for row in nodes::named(view.reader, member)? {
        let is_member = !row.scope.is_empty() && row.kind != NodeKind::External;
        if is_member && !view.places(row.id)?.is_empty() {
            named.push(row);
        }
    }
    if named.is_empty() {
        return Ok(Vec::new());
    }
    for owner in candidates_within(view, owner, effort)?.list.iter().take(MOST_OWNERS) {
        for lineage in [Lineage::Bases, Lineage::Derived] {
            let found = along(view, &owner.nodes, lineage, &named)?;
            if !found.is_empty() {
                return Ok(found.into_iter().map(|node| Candidate { nodes: vec![node] }).collect());
            }
        }
    }
    Ok(Vec::new())
}

fn along(
    view: &View<'_>,
    owner: &[NodeId],
    lineage: Lineage,
    named: &[NodeRow],
) -> Result<Vec<NodeId>> {
    let mut seen = owner.to_vec();
    let mut level = owner.to_vec();
    let mut found = Vec::new();
    while !level.is_empty() && seen.len() < MOST_RELATIVES && found.len() < MOST_MEMBERS {
        let mut next = Vec::new();
        for node in level {
            let steps = match lineage {
                Lineage::Bases => view.outgoing(node)?,
                Lineage::Derived => view.incoming(node)?,
            };
            let related = steps
                .into_iter()
                .filter(|it| matches!(it.kind, EdgeKind::Inherits | EdgeKind::Implements));
            for step in related.filter(|step| step.node != node) {
                if !seen.contains(&step.node) {
                    seen.push(step.node);
                    next.push(step.node);
                }
            }
        }
        for node in &next {
            let Some(row) = view.node(*node)? else { continue };
            let symbol = row.symbol();
            let own = named.iter().filter(|it| it.package == row.package && it.scope == symbol);
            found.extend(own.map(|it| it.id));
        }
        // What a nearer base defines hides what stands above it.
        if matches!(lineage, Lineage::Bases) && !found.is_empty() {
            break;
        }
        level = next;
    }
    found.truncate(MOST_MEMBERS);
    Ok(found)
}
