//! What many of the entities a search found speak of, or are spoken of by: the
//! issue that tracks a topic, the merge request the discussion came back to. Its
//! own words need not be those of the query.

use super::answer::{EntityRef, Via};
use super::expand::Member;
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::entities::EntityRow;
use store::timeline::{self, EntityRelation};

/// So many of what was found must be tied to it: two may be chance.
const FEWEST: usize = 3;
/// Added to one timeline at most.
const MOST: usize = 4;

/// The entities that most of `found` (best first) are tied to by any relation and
/// that are not `known` yet, those with the most ties first.
pub(super) fn hubs(
    reader: &Reader,
    found: &[EntityRow],
    known: &BTreeSet<EntityRow>,
) -> Result<Vec<Member>> {
    if found.len() < FEWEST {
        return Ok(Vec::new());
    }
    let places: BTreeMap<EntityRow, usize> =
        found.iter().enumerate().map(|(place, row)| (*row, place)).collect();
    let mut ties: BTreeMap<EntityRow, BTreeMap<usize, Via>> = BTreeMap::new();
    for link in timeline::links(reader, found)? {
        for is_forward in [true, false] {
            let (here, there) = ends(&link, is_forward);
            let (Some(place), Some(there)) = (here.and_then(|it| places.get(&it)), there) else {
                continue;
            };
            if Some(there) != here && !known.contains(&there) {
                let via = || via(&link, is_forward);
                ties.entry(there).or_default().entry(*place).or_insert_with(via);
            }
        }
    }
    let mut hubs: Vec<(EntityRow, BTreeMap<usize, Via>)> =
        ties.into_iter().filter(|(_, ties)| ties.len() >= FEWEST).collect();
    // Among equals the one that better hits speak of.
    hubs.sort_by_key(|(row, ties)| {
        (std::cmp::Reverse(ties.len()), ties.keys().sum::<usize>(), *row)
    });
    hubs.truncate(MOST);
    let member = |(row, ties): (EntityRow, BTreeMap<usize, Via>)| {
        let first = ties.into_values().next();
        Member { row, depth: 1, via: first }
    };
    Ok(hubs.into_iter().map(member).collect())
}

fn ends(link: &EntityRelation, is_forward: bool) -> (Option<EntityRow>, Option<EntityRow>) {
    let (source, target) = (link.source.row, link.target.row);
    if is_forward { (source, target) } else { (target, source) }
}

fn via(link: &EntityRelation, is_forward: bool) -> Via {
    let here = if is_forward { &link.source } else { &link.target };
    Via {
        from: EntityRef::from(&here.name),
        reference_type: link.relation,
        is_forward,
        source_method: link.method,
    }
}
