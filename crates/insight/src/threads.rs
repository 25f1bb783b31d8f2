//! Which threads of a long issue or merge request are shown: those that match,
//! those that argue, or as many as fit.

use crate::decisions;
use crate::entities::EntityDetail;
use model::ids::ForgeId;
use model::{EntityKind, Result, vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use store::details::{Note, Thread};
use store::entities::EntityRow;
use store::{Reader, timeline};

vocabulary! {
    /// Which notes are shown.
    pub enum NoteFilter {
        /// Those that carry a decision or its reason.
        Rationale = "rationale",
        All = "all",
        None = "none",
    }
}

/// What is shown of the threads of an entity.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadChoice<'a> {
    /// None: as much as fits into `budget`, what argues first.
    pub filter: Option<NoteFilter>,
    /// Only notes that contain this, whatever its case.
    pub grep: Option<&'a str>,
    /// Characters of notes; none for no limit.
    pub budget: Option<usize>,
}

/// Characters that one note counts for at most: a longer one is folded when shown.
const LONGEST: usize = 1_500;
/// Notes judged, the newest.
const JUDGED: usize = 2_000;
/// Of a thread that is longer, only what matches is kept, with its neighbours.
const SHORT_THREAD: usize = 6;

/// Leaves only those threads in the answer that were asked for.
pub fn choose(reader: &Reader, detail: &mut EntityDetail, choice: ThreadChoice<'_>) -> Result<()> {
    if let Some(word) = choice.grep {
        let word = word.to_lowercase();
        detail.threads = matching(std::mem::take(&mut detail.threads), &word);
    }
    match choice.filter {
        Some(NoteFilter::All) => {}
        Some(NoteFilter::None) => detail.threads.clear(),
        Some(NoteFilter::Rationale) => {
            let points = points(reader, detail)?;
            let argues = |note: &Note| {
                points.get(&note.id).is_some_and(|it| *it >= decisions::DECISION_BEARING)
            };
            for thread in &mut detail.threads {
                thread.notes.retain(argues);
            }
            detail.threads.retain(|thread| !thread.notes.is_empty());
        }
        None => {
            if let Some(budget) = choice.budget {
                fit(reader, detail, budget)?;
            }
        }
    }
    Ok(())
}

fn matching(threads: Vec<Thread>, word: &str) -> Vec<Thread> {
    let has = |note: &Note| note.body.to_lowercase().contains(word);
    let threads = threads.into_iter().filter(|thread| thread.notes.iter().any(has));
    threads
        .map(|mut thread| {
            if thread.notes.len() > SHORT_THREAD {
                let is_hit: Vec<bool> = thread.notes.iter().map(has).collect();
                let is_near = |at: usize| {
                    let from = at.saturating_sub(1);
                    is_hit[from..(at + 2).min(is_hit.len())].contains(&true)
                };
                let mut at = 0;
                thread.notes.retain(|_| {
                    at += 1;
                    is_near(at - 1)
                });
            }
            thread
        })
        .collect()
}

/// Keeps the threads that argue most until they fill the budget, in their order.
fn fit(reader: &Reader, detail: &mut EntityDetail, budget: usize) -> Result<()> {
    let length = |thread: &Thread| -> usize {
        let written = thread.notes.iter().filter(|note| !note.is_system);
        written.map(|note| note.body.chars().count().min(LONGEST) + 40).sum()
    };
    let lengths: Vec<usize> = detail.threads.iter().map(length).collect();
    if lengths.iter().sum::<usize>() <= budget {
        return Ok(());
    }
    let points = points(reader, detail)?;
    let weight =
        |thread: &Thread| thread.notes.iter().filter_map(|note| points.get(&note.id)).max();
    let mut ranked: Vec<usize> = (0..detail.threads.len()).filter(|at| lengths[*at] > 0).collect();
    ranked.sort_by_key(|at| (std::cmp::Reverse(weight(&detail.threads[*at]).copied()), *at));
    let mut left = budget;
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for at in ranked {
        if lengths[at] > left && !kept.is_empty() {
            continue;
        }
        left = left.saturating_sub(lengths[at]);
        kept.insert(at);
    }
    let mut at = 0;
    detail.threads.retain(|thread| {
        at += 1;
        // What the forge wrote is left to whoever asks for it.
        kept.contains(&(at - 1)) || thread.notes.iter().all(|note| note.is_system)
    });
    Ok(())
}

/// How much each note sounds like a decision or its reason.
fn points(reader: &Reader, detail: &EntityDetail) -> Result<BTreeMap<ForgeId, i32>> {
    let kind = if detail.body.source_branch.is_some() {
        EntityKind::MergeRequest
    } else {
        EntityKind::Issue
    };
    let row = EntityRow { kind, id: detail.summary.id };
    let heads = timeline::heads(reader, &[row])?.into_iter().map(|head| (head.row, head)).collect();
    let notes = timeline::notes(reader, &[row], JUDGED)?;
    let judged = decisions::judge_all(&heads, &notes);
    Ok(notes.iter().zip(judged).map(|(note, it)| (ForgeId(note.forge_id), it.points)).collect())
}

/// How many threads have a note by a person.
pub fn count_written(threads: &[Thread]) -> u64 {
    threads.iter().filter(|thread| thread.notes.iter().any(|note| !note.is_system)).count() as u64
}
