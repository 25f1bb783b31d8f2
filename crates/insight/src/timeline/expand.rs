//! From seeds to what belongs to them: breadth first over relations.

use super::answer::{EntityRef, UnresolvedReference, Via, reference_of};
use super::hubs;
use super::seeds::Seeds;
use model::Result;
use model::relation::RelationType;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::entities::EntityRow;
use store::timeline::{self, EntityHeader, EntityRelation, RelationEnd};

/// Relations followed from one entity at most.
const FAN_OUT: usize = 20;
/// Steps along which changes that follow each other are told together, however near
/// the rest has to be: what failed before what did it belongs to the account of both.
const CHAIN: u8 = 3;

/// An entity of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub row: EntityRow,
    pub depth: u8,
    pub via: Option<Via>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Expansion {
    /// Seeds first, then in the order they were reached.
    pub members: Vec<Member>,
    pub heads: BTreeMap<EntityRow, EntityHeader>,
    /// Every relation of a member, each once.
    pub links: Vec<EntityRelation>,
    pub unresolved: Vec<UnresolvedReference>,
    /// Those with more relations than were followed.
    pub fan_out_cut: Vec<String>,
}

pub(super) fn expand(
    reader: &Reader,
    seeds: &Seeds,
    depth: u8,
    with_mentions: bool,
) -> Result<Expansion> {
    let mut found = Expansion::default();
    let mut known: BTreeSet<EntityRow> = BTreeSet::new();
    for row in &seeds.rows {
        if known.insert(*row) {
            found.members.push(Member { row: *row, depth: 0, via: None });
        }
    }
    let mut links: BTreeMap<i64, EntityRelation> = BTreeMap::new();
    let mut level = 0..found.members.len();
    let last = if depth == 0 { 0 } else { depth.max(CHAIN) };
    for step in 0..=last {
        let frontier: Vec<EntityRow> =
            found.members[level.clone()].iter().map(|member| member.row).collect();
        let reached = timeline::links(reader, &frontier)?;
        let start = found.members.len();
        if step < last {
            let is_far = step >= depth;
            let is_followed = |relation: RelationType| {
                if is_far {
                    relation == RelationType::Closes || relation.is_between_changes()
                } else {
                    with_mentions || relation != RelationType::Mentioned
                }
            };
            for row in &frontier {
                follow(*row, &reached, &is_followed, step + 1, &mut known, &mut found);
            }
            if step == 0 {
                let hubs = hubs::hubs(reader, &seeds.found, &known)?;
                known.extend(hubs.iter().map(|hub| hub.row));
                found.members.extend(hubs);
            }
        }
        links.extend(reached.into_iter().map(|link| (link.id, link)));
        level = start..found.members.len();
        if level.is_empty() {
            break;
        }
    }
    found.links = links.into_values().collect();
    let rows: Vec<EntityRow> = found.members.iter().map(|member| member.row).collect();
    found.heads =
        timeline::heads(reader, &rows)?.into_iter().map(|head| (head.row, head)).collect();
    found.unresolved = unresolved(&found.links, with_mentions);
    Ok(found)
}

/// What an entity leads to, the strongest relations first.
fn follow(
    from: EntityRow,
    links: &[EntityRelation],
    is_followed: &impl Fn(RelationType) -> bool,
    depth: u8,
    known: &mut BTreeSet<EntityRow>,
    found: &mut Expansion,
) {
    let mut ways: Vec<(&EntityRelation, &RelationEnd, &RelationEnd, bool)> = links
        .iter()
        .filter(|link| is_followed(link.relation))
        .filter_map(|link| {
            if link.source.row == Some(from) {
                Some((link, &link.source, &link.target, true))
            } else if link.target.row == Some(from) {
                Some((link, &link.target, &link.source, false))
            } else {
                None
            }
        })
        .collect();
    ways.sort_by_key(|(link, ..)| (strength(link.relation), link.at, link.id));
    let mut n_followed = 0;
    for (link, here, there, is_forward) in ways {
        let Some(row) = there.row.filter(|row| !known.contains(row)) else { continue };
        if n_followed == FAN_OUT {
            found.fan_out_cut.push(reference_of(&here.name));
            break;
        }
        n_followed += 1;
        known.insert(row);
        let via = Via {
            from: EntityRef::from(&here.name),
            reference_type: link.relation,
            is_forward,
            source_method: link.method,
        };
        found.members.push(Member { row, depth, via: Some(via) });
    }
}

/// Less is stronger.
const fn strength(relation: RelationType) -> u8 {
    match relation {
        RelationType::Closes => 0,
        RelationType::Supersedes | RelationType::Continues | RelationType::Reverts => 1,
        RelationType::Reapplies | RelationType::SplitFrom | RelationType::Backports => 2,
        RelationType::Moved => 3,
        RelationType::Duplicate => 4,
        RelationType::Blocks => 5,
        RelationType::Related => 6,
        RelationType::Mentioned => 7,
    }
}

/// Relations that would have been followed, had the other end been here.
fn unresolved(links: &[EntityRelation], with_mentions: bool) -> Vec<UnresolvedReference> {
    let mut found: Vec<UnresolvedReference> = links
        .iter()
        .filter(|link| link.source.row.is_none() || link.target.row.is_none())
        .filter(|link| with_mentions || link.relation != RelationType::Mentioned)
        .map(|link| UnresolvedReference {
            source: EntityRef::from(&link.source.name),
            target_project: link.target.name.project.clone(),
            target_type: link.target.name.kind,
            target_iid: link.target.name.iid,
            reference_type: link.relation,
            source_method: link.method,
        })
        .collect();
    found.sort();
    found.dedup();
    found
}
