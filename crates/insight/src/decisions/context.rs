//! From the notes of an entity to notes in context.

use super::{Judgement, NoteInContext, judge};
use model::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;
use store::entities::EntityRow;
use store::timeline::{EntityHeader, WrittenNote};

/// Who closes with a word often writes it a moment after.
const LAST_WORD: Duration = Duration::from_secs(600);

/// Judges notes, each beside the others of its entity. Notes whose entity is
/// not among `heads` are judged by their words and threads alone.
pub fn judge_all(
    heads: &BTreeMap<EntityRow, EntityHeader>,
    notes: &[WrittenNote],
) -> Vec<Judgement> {
    let judge = DecisionScorer::new(heads, notes);
    (0..notes.len()).map(|index| judge.of(index)).collect()
}

/// The same one by one, for those who need not know of all: to read what a
/// long discussion says takes its time.
pub struct DecisionScorer<'a> {
    heads: &'a BTreeMap<EntityRow, EntityHeader>,
    notes: &'a [WrittenNote],
    before_end: Vec<Option<usize>>,
    lasts: BTreeMap<i64, usize>,
}

impl<'a> DecisionScorer<'a> {
    pub fn new(heads: &'a BTreeMap<EntityRow, EntityHeader>, notes: &'a [WrittenNote]) -> Self {
        let (before_end, lasts) = (notes_before_end(heads, notes), last_of_threads(notes));
        DecisionScorer { heads, notes, before_end, lasts }
    }

    /// What the note at this place of the list weighs.
    pub fn of(&self, index: usize) -> Judgement {
        let note = &self.notes[index];
        let head = self.heads.get(&note.entity);
        let is = |other: Option<&String>| other.is_some() && other == note.author.as_ref();
        judge(&NoteInContext {
            body: &note.body,
            author: note.author.as_deref(),
            is_by_author: is(head.and_then(|head| head.author.as_ref())),
            is_by_ender: is(head.and_then(ender)),
            is_by_assignee: head.is_some_and(|head| {
                note.author.as_ref().is_some_and(|author| head.assignees.contains(author))
            }),
            is_last_of_thread: self.lasts.get(&note.discussion) == Some(&index),
            notes_before_end: self.before_end[index],
        })
    }
}

fn ender(head: &EntityHeader) -> Option<&String> {
    head.merged_by.as_ref().or(head.closed_by.as_ref())
}

fn ended_at(head: &EntityHeader) -> Option<Timestamp> {
    head.merged_at.or(head.closed_at)
}

/// The place of each thread's last note, for threads of at least two.
fn last_of_threads(notes: &[WrittenNote]) -> BTreeMap<i64, usize> {
    let mut lasts: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
    for (index, note) in notes.iter().enumerate() {
        let thread = lasts.entry(note.discussion).or_default();
        *thread = (index, thread.1 + 1);
    }
    lasts.into_iter().filter(|(_, (_, n))| *n > 1).map(|(id, (last, _))| (id, last)).collect()
}

fn notes_before_end(
    heads: &BTreeMap<EntityRow, EntityHeader>,
    notes: &[WrittenNote],
) -> Vec<Option<usize>> {
    let mut by_time: Vec<usize> = (0..notes.len()).collect();
    by_time.sort_by_key(|index| (notes[*index].created_at, notes[*index].forge_id));
    let mut following: BTreeMap<EntityRow, usize> = BTreeMap::new();
    let mut places = vec![None; notes.len()];
    for index in by_time.into_iter().rev() {
        let note = &notes[index];
        let end = heads.get(&note.entity).and_then(ended_at);
        if end.is_some_and(|end| note.created_at <= end.plus(LAST_WORD)) {
            let n_following = following.entry(note.entity).or_default();
            places[index] = Some(*n_following);
            *n_following += 1;
        }
    }
    places
}
