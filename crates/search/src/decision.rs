//! How much a text sounds like a decision or the reason for one.
//!
//! Pure and deterministic: cue phrases with points, found in what the writer
//! wrote himself, not in what he quotes. Who wrote it and where it stands in
//! the discussion is judged in `insight::decisions`, which builds on this.

use serde::Serialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What a phrase hints at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    /// Something was chosen, agreed, refused or ended.
    Decision,
    /// Why.
    Reason,
    /// What else there was, and what it would cost.
    Alternative,
    /// Approval, courtesy, housekeeping.
    Noise,
}

impl CueKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            CueKind::Decision => "decision",
            CueKind::Reason => "reason",
            CueKind::Alternative => "alternative",
            CueKind::Noise => "noise",
        }
    }

    /// Several phrases of a kind say little more than two of them.
    const fn most_points(self) -> i32 {
        match self {
            CueKind::Decision | CueKind::Noise => 60,
            CueKind::Reason | CueKind::Alternative => 40,
        }
    }
}

/// A phrase that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    pub kind: CueKind,
    pub phrase: &'static str,
    /// Tenths; below zero for noise.
    pub points: i32,
}

use CueKind::{Alternative, Decision, Noise, Reason};

/// In small letters, words separated by one blank, straight apostrophes.
const CUES: &[(CueKind, i32, &[&str])] = &[
    (
        Decision,
        40,
        &[
            "decided",
            "decision",
            "we agreed",
            "agreed on",
            "let's go with",
            "going with",
            "superseded by",
            "superseded in",
            "obsoleted by",
            "conclusion",
            "consensus",
            "it is settled",
            "is settled",
            "taken back",
            "we replace",
        ],
    ),
    (
        Decision,
        30,
        &[
            "let's close",
            "am closing",
            "i'm closing",
            "closing this",
            "closing here",
            "closing because",
            "closing due",
            "closing in favor",
            "closing in favour",
            "going to close",
            "to close this",
            "so closing",
            "closing for now",
            "closing as",
            "in favor of",
            "in favour of",
            "won't",
            "will not",
            "we no longer",
            "no longer needed",
            "not applicable anymore",
            "nack",
            "out of scope",
            "go with",
            "settle on",
        ],
    ),
    (
        Decision,
        20,
        &[
            "agreed",
            "we will",
            "we'll",
            "let's",
            "i agree",
            "agree with",
            "closing",
            "should be the default",
            "way to go",
            "leave it",
            "leaving this",
            "stick to",
            "stick with",
            "not bother",
            "we need",
            "must not",
            "fair enough",
            "convinced",
            "accepted",
            "rejected",
            "reverted",
            "we chose",
            "chose",
            "dropped",
        ],
    ),
    (
        Reason,
        20,
        &[
            "because",
            "the reason",
            "reason is",
            "rationale",
            "therefore",
            "that's why",
            "which is why",
            "due to",
            "the problem is",
            "otherwise",
            "so that",
            "to avoid",
            "in order to",
            "the point of",
            "the idea",
            "misunderstood",
        ],
    ),
    (Reason, 10, &["since", "as it", "means that", "makes sense", "hence", "so we", "so i"]),
    (
        Alternative,
        20,
        &[
            "instead of",
            "rather than",
            "trade-off",
            "tradeoff",
            "trade-offs",
            "tradeoffs",
            "downside",
            "drawback",
            "prefer",
            "preference",
            "not worth",
            "worth the",
            "no need",
            "doesn't seem useful",
            "approach",
            "middle-ground",
            "middle ground",
            "backwards compatible",
            "backward compatibility",
            "breaking change",
        ],
    ),
    (
        Alternative,
        10,
        &[
            "instead",
            "alternatively",
            "alternative",
            "better",
            "simpler",
            "easier",
            "rather",
            "could also",
            "on the other hand",
            "however",
            "option",
            "risk",
            "cost",
            "overkill",
        ],
    ),
    (
        Noise,
        -30,
        &[
            "lgtm",
            "ping",
            "looks good to me",
            "rebased",
            "needs rebase",
            "rfm",
            "mind looking",
            "take a look",
            "waiting for",
            "thanks for testing",
            "friendly ping",
            "typo",
        ],
    ),
    (
        Noise,
        -20,
        &[
            "utack",
            "tack",
            "reack",
            "crack",
            "tested ack",
            "concept ack",
            "ack",
            "nit",
            "nits",
            "fixed",
            "done",
            "could you",
            "can you",
            "would you mind",
            "out of curiosity",
        ],
    ),
    (Noise, -10, &["thanks", "thank you", "reworded", "updated", "good catch"]),
];

/// Longer texts are read to here: a decision is not announced on page ten.
const READ: usize = 8_000;

/// The cues of a text, by kind and then in order of the table; each phrase
/// counts once, and a phrase inside a longer one that was found does not count.
pub fn cues(text: &str) -> Vec<Cue> {
    cues_in(&own_words(text))
}

/// [`cues`] of a text's [`own_words`].
pub fn cues_in(words: &str) -> Vec<Cue> {
    let mut places: Vec<usize> = Vec::new();
    let mut rest = words;
    // Few words begin a phrase; only there is one looked for.
    for word in words.split(' ') {
        let phrases = BY_FIRST_WORD.get(word).map_or(&[][..], Vec::as_slice);
        places.extend(phrases.iter().filter(|place| begins_with(rest, ALL_CUES[**place].phrase)));
        rest = rest.get(word.len() + 1..).unwrap_or_default();
    }
    places.sort_unstable();
    places.dedup();
    let mut found: Vec<Cue> = Vec::new();
    for cue in places.into_iter().map(|place| ALL_CUES[place]) {
        if !found.iter().any(|it| it.kind == cue.kind && contains(it.phrase, cue.phrase)) {
            found.push(cue);
        }
    }
    found.sort_by_key(|cue| cue.kind);
    found
}

/// The table, one phrase after the other.
static ALL_CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let groups = CUES.iter();
    groups
        .flat_map(|(kind, points, phrases)| {
            phrases.iter().map(|phrase| Cue { kind: *kind, phrase, points: *points })
        })
        .collect()
});

/// Places in that list.
static BY_FIRST_WORD: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut places: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (place, cue) in ALL_CUES.iter().enumerate() {
        let first = cue.phrase.split(' ').next().unwrap_or(cue.phrase);
        places.entry(first).or_default().push(place);
    }
    places
});

/// Whether a text of words has those of a phrase, one after the other.
fn contains(text: &str, phrase: &str) -> bool {
    let mut beginnings = text.match_indices(' ').map(|(at, _)| &text[at + 1..]);
    begins_with(text, phrase) || beginnings.any(|rest| begins_with(rest, phrase))
}

fn begins_with(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The points of cues, each kind up to its limit; tenths.
pub fn points(cues: &[Cue]) -> i32 {
    [Decision, Reason, Alternative, Noise].into_iter().map(|kind| points_of(cues, kind)).sum()
}

/// The points of one kind, up to its limit.
pub fn points_of(cues: &[Cue], kind: CueKind) -> i32 {
    let sum: i32 = cues.iter().filter(|cue| cue.kind == kind).map(|cue| cue.points).sum();
    sum.clamp(-kind.most_points(), kind.most_points())
}

/// What the writer says in his own words: without code, quoted lines and
/// addresses; small letters, one blank between words and around the whole.
pub fn own_words(text: &str) -> String {
    let mut out = String::from(" ");
    let mut is_code = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code || trimmed.starts_with('>') {
            continue;
        }
        for word in trimmed.split_whitespace() {
            push_word(&mut out, word);
        }
        if out.len() > READ {
            break;
        }
    }
    out
}

fn push_word(out: &mut String, word: &str) {
    if word.contains("://") {
        return;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-');
    let word: String = word
        .chars()
        .map(|c| if c == '’' { '\'' } else { c })
        .flat_map(char::to_lowercase)
        .collect();
    for part in word.split(|c| !is_part(c)) {
        let part = part.trim_matches(|c| matches!(c, '\'' | '-'));
        if !part.is_empty() {
            out.push_str(part);
            out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn phrases(text: &str) -> Vec<&'static str> {
        cues(text).iter().map(|cue| cue.phrase).collect()
    }

    #[test]
    fn cues_are_found_in_the_writers_own_words() {
        assert_eq!(
            phrases("**Decided:** we won’t do it, because of the cost."),
            ["decided", "won't", "because", "cost"]
        );
        assert_eq!(phrases("> we decided\n\nnice"), Vec::<&str>::new());
        assert_eq!(phrases("```\nwe decided\n```\nhm"), Vec::<&str>::new());
        assert_eq!(phrases("see https://x.example/decided"), Vec::<&str>::new());
        assert_eq!(phrases("undecided"), Vec::<&str>::new());
    }

    #[test]
    fn a_phrase_inside_a_longer_one_counts_once() {
        assert_eq!(
            phrases("Instead of that, let's go\nwith this"),
            ["let's go with", "instead of"]
        );
    }

    #[test]
    fn many_cues_of_a_kind_are_worth_little_more_than_two() {
        let chatty = "because therefore due to otherwise the reason";
        assert_eq!(points(&cues(chatty)), 40);
        assert_eq!(points(&cues("LGTM, ping, rebased, done, thanks")), -60);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = points(&cues(&text));
        }
    }

    #[test]
    fn two_megabytes_cost_little() {
        let monster = "because of this\n".repeat(150_000);
        assert_eq!(phrases(&monster), ["because"]);
    }
}
