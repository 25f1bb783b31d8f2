//! The notes in which a choice was argued, best first.

use super::EvidenceSubject;
use crate::decisions::{self, DecisionScorer};
use crate::reasons;
use model::Timestamp;
use model::ids::ForgeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::entities::EntityRow;
use store::timeline::{EntityHeader, WrittenNote};

/// A note that carries a decision or its reason, or stands on the file itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceNote {
    pub id: ForgeId,
    /// The merge request or issue it stands on.
    pub on: String,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub body: String,
    /// Its sentences that give reasons.
    pub excerpt: String,
    pub path: Option<String>,
    pub line: Option<i64>,
    /// It stands on a line of the file that was asked about.
    pub is_on_file: bool,
    /// It names the symbol that was asked about.
    pub names_symbol: bool,
    /// The last decision of its discussion that nobody took back.
    pub is_last_decision: bool,
    /// Its writer took it back later.
    pub is_retracted: bool,
    /// How much it sounds like a decision or its reason, in tenths.
    pub points: i32,
    pub url: String,
}

const SHOWN_BODY: usize = 2_000;
const SHOWN_EXCERPT: usize = 280;
/// What was taken back counts this much less; tenths.
const TAKEN_BACK: i32 = 40;

/// What was said on entities and the issues behind them.
pub(super) struct Discussion<'a> {
    pub heads: &'a BTreeMap<EntityRow, EntityHeader>,
    pub notes: &'a [WrittenNote],
    pub judge: DecisionScorer<'a>,
    /// Notes taken back, and by which.
    pub retracted: BTreeMap<usize, usize>,
}

/// A note that may be shown.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    index: usize,
    points: i32,
    is_on_file: bool,
    names_symbol: bool,
}

impl Discussion<'_> {
    /// Of a file: threads on it and those that name the symbol, then what was
    /// decided about the change as a whole. Threads on other files are about
    /// something else.
    pub(super) fn best_notes(
        &self,
        owners: &[EntityRow],
        about: EvidenceSubject<'_>,
    ) -> Vec<EvidenceNote> {
        if about.most_notes == 0 {
            return Vec::new();
        }
        let of: Vec<usize> = (0..self.notes.len())
            .filter(|index| owners.contains(&self.notes[*index].entity))
            .collect();
        let mut near = Vec::new();
        let mut general = Vec::new();
        for index in of {
            let note = &self.notes[index];
            let is_on_file = note.path.as_ref().is_some_and(|path| about.paths.contains(path));
            let names_symbol = about.symbol.is_some_and(|symbol| names(&note.body, symbol));
            let is_elsewhere = note.path.is_some() && !about.paths.is_empty() && !is_on_file;
            if is_on_file || names_symbol {
                near.push(self.candidate(index, is_on_file, names_symbol));
            } else if !is_elsewhere {
                general.push(index);
            }
        }
        // On the file itself, anything that is not mere noise counts.
        let mut best = best(near, 1, about.most_notes);
        if best.len() < about.most_notes {
            let general =
                general.iter().map(|index| self.candidate(*index, false, false)).collect();
            best.extend(self::best(
                general,
                decisions::DECISION_BEARING,
                about.most_notes - best.len(),
            ));
        }
        let last = self.last_decision(owners, about);
        if let Some(last) = last
            && !best.iter().any(|it| it.index == last.index)
        {
            best.truncate(about.most_notes - 1);
            best.push(last);
        }
        let last = last.map(|it| it.index);
        best.into_iter().filter_map(|it| self.evidence(it, last)).collect()
    }

    fn candidate(&self, index: usize, is_on_file: bool, names_symbol: bool) -> Candidate {
        let taken_back = if self.retracted.contains_key(&index) { TAKEN_BACK } else { 0 };
        let points = self.judge.of(index).points - taken_back;
        Candidate { index, points, is_on_file, names_symbol }
    }

    /// The last word that decides, of the discussion as a whole. A file's
    /// question is answered by what was said on the file.
    fn last_decision(&self, owners: &[EntityRow], about: EvidenceSubject<'_>) -> Option<Candidate> {
        if !about.paths.is_empty() {
            return None;
        }
        let own = owners.last()?;
        let mut notes: Vec<usize> = (0..self.notes.len())
            .filter(|index| self.notes[*index].entity == *own && self.notes[*index].path.is_none())
            .filter(|index| !self.retracted.contains_key(index))
            .filter(|index| !ends_asking(&self.notes[*index].body))
            .collect();
        notes.sort_by_key(|index| {
            std::cmp::Reverse((self.notes[*index].created_at, self.notes[*index].forge_id))
        });
        let mut candidates = notes.into_iter().take(40).map(|index| (index, self.judge.of(index)));
        let (index, judgement) = candidates.find(|(_, judgement)| {
            let decides = judgement.signals.iter().any(|it| it.signal == "decision");
            decides && judgement.is_decision_bearing()
        })?;
        Some(Candidate { index, points: judgement.points, is_on_file: false, names_symbol: false })
    }

    fn evidence(&self, of: Candidate, last: Option<usize>) -> Option<EvidenceNote> {
        let note = &self.notes[of.index];
        let head = self.heads.get(&note.entity)?;
        let excerpt = reasons::rationale(&note.body, SHOWN_EXCERPT).map(|it| it.text);
        Some(EvidenceNote {
            id: ForgeId(note.forge_id),
            on: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
            author: note.author.clone(),
            created_at: note.created_at,
            excerpt: excerpt.unwrap_or_else(|| model::text::one_line(&note.body, SHOWN_EXCERPT)),
            body: model::text::clean(&note.body).chars().take(SHOWN_BODY).collect(),
            path: note.path.clone(),
            line: note.line,
            is_on_file: of.is_on_file,
            names_symbol: of.names_symbol,
            is_last_decision: last == Some(of.index),
            is_retracted: self.retracted.contains_key(&of.index),
            points: of.points,
            url: head.note_url(note.forge_id),
        })
    }
}

/// The first `most` of those that have enough points.
fn best(mut of: Vec<Candidate>, enough: i32, most: usize) -> Vec<Candidate> {
    of.retain(|it| it.points >= enough);
    of.sort_by_key(|it| (-it.points, it.index));
    of.truncate(most);
    of
}

/// Whether the last of a writer's own words ask: that leaves it open.
fn ends_asking(body: &str) -> bool {
    let mut own =
        body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('>'));
    own.next_back().is_some_and(|line| line.ends_with('?'))
}

/// Whether a text has this name as a word of its own.
fn names(text: &str, symbol: &str) -> bool {
    // A short word of everyday language names nothing.
    if symbol.len() < 4 {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(symbol).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + symbol.len()..].chars().next();
        let is_call = after == Some('(') || text[..at].ends_with('`') || symbol.contains('_');
        // A plain word must look like code to be one.
        !before.is_some_and(is_part) && !after.is_some_and(is_part) && is_call
    })
}

#[cfg(test)]
mod tests {
    use super::{ends_asking, names};

    #[test]
    fn who_asks_in_the_end_has_decided_nothing() {
        assert!(ends_asking("We won't need it.\n\nShould we submit it all the same?\n"));
        assert!(ends_asking("Should we?\n> Yes, because it is slow."));
        assert!(!ends_asking("Why not? Because it is slow.") && !ends_asking("> Why?"));
    }

    #[test]
    fn a_symbol_is_named_as_code_or_by_a_name_that_is_no_word() {
        for (text, symbol, expected) in [
            ("why does `clear` run twice?", "clear", true),
            ("clear() runs twice", "clear", true),
            ("this is clear to me", "clear", false),
            ("see scalar_inverse here", "scalar_inverse", true),
            ("see scalar_inverse_var here", "scalar_inverse", false),
            ("get", "get", false),
        ] {
            assert_eq!(names(text, symbol), expected, "{text}");
        }
    }
}
