//! Entities beyond those of the first lists: where the threads of a few take all
//! places, the same question is asked again of everything else.

use super::{Retrieved, Search};
use crate::groups::EntityGroup;
use crate::query::Query;
use model::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::document_set::DocumentSet;
use store::{fulltext, named_documents};

/// Rounds at most, and so many in a row that bring no other entity: what is asked again
/// may still hold copies of what is there.
const MOST_ROUNDS: usize = 8;
const MOST_IDLE_ROUNDS: usize = 2;

impl Search<'_> {
    /// The entities of a page, and how many documents are above the floor. What a
    /// later round finds stands behind what is there, so that pages fit together.
    pub(super) fn collect(
        &mut self,
        found: &mut Retrieved,
        query: Option<&Query>,
    ) -> Result<(Vec<EntityGroup>, usize)> {
        let wanted = self.request.offset.saturating_add(self.request.limit);
        let candidates = self.rank(found, query)?;
        let mut n_above = candidates.len();
        let mut groups = self.grouped(candidates)?;
        let mut rounds: BTreeMap<i64, usize> = BTreeMap::new();
        let (mut round, mut n_idle) = (0, 0);
        while groups.len() < wanted
            && is_crowded(n_above, groups.len())
            && round < MOST_ROUNDS
            && n_idle < MOST_IDLE_ROUNDS
        {
            note_round(&mut rounds, &groups, round);
            if !self.ask_further(found, &groups, query)? {
                break;
            }
            let candidates = self.rank(found, query)?;
            let n_before = groups.len();
            n_above = candidates.len();
            groups = self.grouped(candidates)?;
            round += 1;
            note_round(&mut rounds, &groups, round);
            order_by_round(&mut groups, &rounds);
            n_idle = if groups.len() == n_before { n_idle + 1 } else { 0 };
        }
        Ok((groups, n_above))
    }

    /// Adds to the lists the best of what belongs to none of the entities that are
    /// there; false when there is none.
    fn ask_further(
        &self,
        found: &mut Retrieved,
        groups: &[EntityGroup],
        query: Option<&Query>,
    ) -> Result<bool> {
        let reader = self.searcher.reader;
        let mut rest = match &self.allowed {
            Some(allowed) => DocumentSet::clone(allowed),
            None => DocumentSet::up_to(fulltext::highest_id(reader)?),
        };
        let by_meaning = found.semantic.iter().flat_map(|it| &it.best).map(|it| it.document);
        let by_words = found.lexical.best.iter().map(|it| it.document);
        by_meaning.chain(by_words).for_each(|document| rest.remove(document));
        let known = groups.iter().flat_map(|group| [group.lead, group.candidates[0].document]);
        let known: Vec<i64> = known.collect();
        for document in named_documents::of_same_entities(reader, &known)? {
            rest.remove(document);
        }
        let rest = Arc::new(rest);
        let words = self.by_words(query, Some(&rest))?.best;
        let near = match (&found.vector, &found.semantic) {
            (Some(vector), Some(_)) => self.nearest(vector, query, Some(&rest))?.best,
            _ => Vec::new(),
        };
        let is_more = !(words.is_empty() && near.is_empty());
        found.lexical.best.extend(words);
        if let Some(semantic) = &mut found.semantic {
            semantic.best.extend(near);
        }
        Ok(is_more)
    }
}

/// Whether further documents of the same entities took so many places that others
/// may not have come to one.
fn is_crowded(n_documents: usize, n_entities: usize) -> bool {
    n_entities > 0 && n_documents >= 2 * n_entities
}

fn note_round(rounds: &mut BTreeMap<i64, usize>, groups: &[EntityGroup], round: usize) {
    for group in groups {
        rounds.entry(group.lead).or_insert(round);
    }
}

fn order_by_round(groups: &mut [EntityGroup], rounds: &BTreeMap<i64, usize>) {
    groups.sort_by_key(|group| (!group.is_named, rounds.get(&group.lead).copied()));
    let mut most = 1.0_f64;
    for group in groups {
        most = most.min(group.score);
        group.score = most;
    }
}
