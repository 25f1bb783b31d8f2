//! What people wrote that bears on the question: the notes that match, those
//! that carry decisions first.

use super::answer::{Details, EventType, NoteDetails, TimelineEvent};
use super::collect::Scope;
use super::excerpt::excerpt;
use super::seeds::Seeds;
use crate::decisions::{self, Judgement};
use model::Result;
use search::decision;
use store::Reader;
use store::timeline::{self, WrittenNote};

/// Notes read of one entity; of longer discussions the newest.
const READ: usize = 400;
/// What a decision says seldom repeats the words of the question: one on the
/// same issue counts, but less than a note that matches.
const FROM_AROUND: i32 = -15;
/// Below this a note is approval or housekeeping, whatever it matches.
const WORTHLESS: i32 = -15;

struct Candidate {
    note: WrittenNote,
    judgement: Judgement,
    /// How well it matches the query; tenths, comparable with the judgement.
    match_points: i32,
}

/// The best notes, as events: those of seeds that match, and decisions on any
/// entity of the timeline.
pub(super) fn notes(
    reader: &Reader,
    scope: &Scope<'_>,
    seeds: &Seeds,
    most: usize,
    explain: bool,
) -> Result<Vec<TimelineEvent>> {
    let written = timeline::notes(reader, &scope.rows(), READ)?;
    let judgements = decisions::judge_all(&scope.expansion.heads, &written);
    let mut candidates: Vec<Candidate> = written
        .into_iter()
        .zip(judgements)
        .filter_map(|(note, judgement)| {
            let match_points = match_points(&note, seeds)
                .or_else(|| judgement.is_decision_bearing().then_some(FROM_AROUND))?;
            (judgement.points > WORTHLESS).then_some(Candidate { note, judgement, match_points })
        })
        .collect();
    candidates.sort_by_key(|candidate| {
        let points = candidate.judgement.points + candidate.match_points;
        let is_weak = !candidate.judgement.is_decision_bearing();
        (is_weak, -points, candidate.note.created_at, candidate.note.forge_id)
    });
    candidates.truncate(most);
    Ok(candidates
        .into_iter()
        .filter_map(|candidate| event(scope, candidate, &seeds.words, explain))
        .collect())
}

/// None when the note has nothing to do with the query.
fn match_points(note: &WrittenNote, seeds: &Seeds) -> Option<i32> {
    if seeds.words.is_empty() {
        return seeds.rows.contains(&note.entity).then_some(0);
    }
    if !seeds.rows.contains(&note.entity) {
        return None;
    }
    let text = decision::own_words(&note.body);
    let n_words = seeds.words.iter().filter(|word| has_word(&text, word)).count();
    let share = (20 * n_words / seeds.words.len()) as i32;
    let thread = if seeds.threads.contains(&note.discussion) { 10 } else { 0 };
    let is_match = n_words > 0 && (thread > 0 || 2 * n_words >= seeds.words.len());
    is_match.then_some(share + thread)
}

/// Whether some word of the text begins like this one: `migrat` of `migration`
/// is enough, as for the index.
fn has_word(text: &str, word: &str) -> bool {
    let n_chars = word.chars().count();
    let stem: String = word.chars().take(n_chars.saturating_sub(2).max(4)).collect();
    text.contains(&format!(" {stem}"))
}

fn event(
    scope: &Scope<'_>,
    candidate: Candidate,
    words: &[String],
    explain: bool,
) -> Option<TimelineEvent> {
    let Candidate { note, judgement, .. } = candidate;
    let cues = decision::cues(&note.body);
    let focus: Vec<&str> = cues
        .iter()
        .filter(|cue| cue.points > 0)
        .map(|cue| cue.phrase)
        .chain(words.iter().map(String::as_str))
        .collect();
    let snippet = excerpt(&note.body, &focus);
    let event = scope.event(note.entity, EventType::Note, note.created_at, snippet.clone())?;
    let details = NoteDetails {
        note_id: note.forge_id,
        snippet,
        path: note.path,
        line: note.line,
        is_decision_bearing: judgement.is_decision_bearing(),
        decision_points: judgement.points,
        signals: if explain { judgement.signals } else { Vec::new() },
    };
    Some(TimelineEvent {
        actor: note.author,
        url: scope.expansion.heads.get(&note.entity)?.note_url(note.forge_id),
        details: Details { note: Some(details), ..Details::default() },
        id: note.forge_id,
        ..event
    })
}
