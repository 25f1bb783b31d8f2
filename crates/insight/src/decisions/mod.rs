//! Which notes carry a decision or its reason.
//!
//! Words are weighed in [`search::decision`]; here they are joined with what
//! the discussion tells: who wrote it, as what, and where in the thread it
//! stands. A pure function from a note with its context to points, and every
//! point can be explained.

mod context;

pub use context::{DecisionScorer, judge_all};

use schemars::JsonSchema;
use search::decision::{self, CueKind};
use serde::Serialize;

/// From here on a note counts as decision-bearing; tenths.
pub const DECISION_BEARING: i32 = 40;

/// A note, as far as it matters for the judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoteInContext<'a> {
    pub body: &'a str,
    pub author: Option<&'a str>,
    /// Wrote the issue or merge request.
    pub is_by_author: bool,
    /// Closed or merged it.
    pub is_by_ender: bool,
    pub is_by_assignee: bool,
    /// Last of a thread with at least two notes.
    pub is_last_of_thread: bool,
    /// How many notes of people follow before the close or merge; none when it
    /// was written later, or nothing ended.
    pub notes_before_end: Option<usize>,
}

/// How likely a note carries a decision or its reason, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgement {
    /// Tenths; more is likelier.
    pub points: i32,
    pub signals: Vec<Signal>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signal {
    /// `decision`, `reason`, `alternative` or `noise` for words; else what of
    /// its place or writer counts.
    pub signal: String,
    /// Tenths of a point.
    pub points: i32,
    /// The phrases that were found.
    pub phrases: Vec<String>,
}

impl Judgement {
    pub fn is_decision_bearing(&self) -> bool {
        self.points >= DECISION_BEARING
    }

    fn add(&mut self, signal: &str, points: i32, phrases: Vec<String>) {
        if points != 0 {
            self.points += points;
            self.signals.push(Signal { signal: signal.to_owned(), points, phrases });
        }
    }
}

/// Weighs a note. The same note in the same context always weighs the same.
pub fn judge(note: &NoteInContext<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    let words = decision::own_words(note.body);
    let cues = decision::cues_in(&words);
    for kind in [CueKind::Decision, CueKind::Reason, CueKind::Alternative, CueKind::Noise] {
        let phrases =
            cues.iter().filter(|cue| cue.kind == kind).map(|cue| cue.phrase.to_owned()).collect();
        judgement.add(kind.as_str(), decision::points_of(&cues, kind), phrases);
    }
    let n_words = words.split_whitespace().count();
    judgement.add("length", length_points(n_words), Vec::new());
    judgement.add("quotes_and_answers", quote_points(note.body, n_words), Vec::new());
    judgement.add("only_a_question", question_points(note.body, n_words), Vec::new());
    for (signal, holds, points) in [
        ("by_bot", note.author.is_some_and(is_bot), -80),
        ("by_who_ended_it", note.is_by_ender, 10),
        ("by_assignee", note.is_by_assignee, 5),
        ("by_author", note.is_by_author, 3),
        ("last_of_thread", note.is_last_of_thread, 5),
    ] {
        judgement.add(signal, if holds { points } else { 0 }, Vec::new());
    }
    let end = match note.notes_before_end {
        Some(0) => 15,
        Some(1 | 2) => 5,
        _ => 0,
    };
    judgement.add("before_the_end", end, Vec::new());
    judgement
}

fn length_points(n_words: usize) -> i32 {
    match n_words {
        0..4 => -20,
        4..10 => -5,
        10..20 => 0,
        20..200 => 10,
        _ => 5,
    }
}

/// Answers what others said, in more than a word.
fn quote_points(body: &str, n_words: usize) -> i32 {
    let has_quote = body.lines().any(|line| line.trim_start().starts_with('>'));
    if has_quote && n_words >= 10 { 5 } else { 0 }
}

/// A short text that ends in a question mark asks and does not decide.
fn question_points(body: &str, n_words: usize) -> i32 {
    if n_words < 40 && body.trim_end().ends_with('?') { -20 } else { 0 }
}

/// Accounts of forges and of services that any project can switch on, whose names do not
/// end in "bot".
const SERVICES: [&str; 11] = [
    "actions-user",
    "copilot",
    "ghost",
    "github actions",
    "github merge button",
    "github-actions",
    "hosted weblate",
    "jenkins",
    "pre-commit-ci",
    "web-flow",
    "weblate",
];

/// Programs that projects run themselves to merge, and why they count as such. Nothing in
/// the record tells them from maintainers who merge all day, so they are named.
const MERGE_ROBOTS: [(&str, &str); 3] = [
    ("bors", "merges in turn what passed its tests; self-hosted by many Rust projects"),
    ("homu", "the first form of bors, with years of merges in older histories"),
    ("merge-script", "the author that a maintainers' script sets for merges of any of them"),
];

/// Names that programs go by at forges and in commits.
pub(crate) fn is_bot(username: &str) -> bool {
    let name = username.to_lowercase();
    let has_part = name.split(['-', '_', '[', ']', '.']).any(|part| part == "bot");
    has_part
        || name.ends_with("bot")
        || SERVICES.contains(&name.as_str())
        || MERGE_ROBOTS.iter().any(|(robot, _)| *robot == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(note: NoteInContext<'_>, expected: Expect) {
        let judgement = judge(&note);
        let mut text = format!("{}\n", judgement.points);
        for signal in &judgement.signals {
            text.push_str(&format!("{:+} {}", signal.points, signal.signal));
            if !signal.phrases.is_empty() {
                text.push_str(&format!(": {}", signal.phrases.join(", ")));
            }
            text.push('\n');
        }
        expected.assert_eq(&text);
    }

    const DECIDED: &str = "Decided: **we replace Stull's formula by the psychrometric equation.** \
        #6 chose Stull because we had no heights and it erred on the safe side; now we have heights.";

    #[test]
    fn a_decision_by_who_ended_it_weighs_most() {
        check(
            NoteInContext {
                body: DECIDED,
                author: Some("mirela"),
                is_by_ender: true,
                notes_before_end: Some(0),
                ..NoteInContext::default()
            },
            expect![[r#"
                115
                +60 decision: decided, we replace, chose
                +20 reason: because
                +10 length
                +10 by_who_ended_it
                +15 before_the_end
            "#]],
        );
    }

    #[test]
    fn approval_pings_and_bots_sink() {
        for body in ["LGTM", "ping", "ACK 9bd168bf5457c6fd", "done", "Can you rebase?", "👍"] {
            assert!(
                judge(&NoteInContext { body, ..NoteInContext::default() }).points < 0,
                "{body}"
            );
        }
        let bot = NoteInContext { body: DECIDED, author: Some("frost-bot"), ..Default::default() };
        assert!(!judge(&bot).is_decision_bearing());
        assert!(judge(&NoteInContext { author: Some("abbott"), ..bot }).is_decision_bearing());
    }

    #[test]
    fn nothing_in_it_is_no_decision() {
        for body in ["", "\u{0}\u{202e}", "```\nlet decided = because;\n```"] {
            assert!(
                judge(&NoteInContext { body, ..NoteInContext::default() }).points < 0,
                "{body:?}"
            );
        }
    }
}
