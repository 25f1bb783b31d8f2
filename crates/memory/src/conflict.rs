//! What stands in the way of a new record: one that says nearly the same, or
//! one that says the opposite about the same thing.
//!
//! A guess by words. It asks people to look, and they may go on with `--force`.

use model::memory::{DecisionStatus, Record, RecordId};
use std::collections::BTreeSet;

/// From here on two sets of words say the same.
pub const SAME: f64 = 0.8;
/// This much of the smaller subject must be shared to speak of the same thing.
const SAME_SUBJECT: f64 = 1.0 / 3.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    Duplicate,
    Contradiction,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    pub kind: ConflictKind,
    pub id: RecordId,
    pub title: String,
    /// Share of words in common, 0 to 1.
    pub similarity: f64,
}

/// Words that turn what follows into its opposite.
const AGAINST: &[&str] = &[
    "abandon",
    "against",
    "avoid",
    "ban",
    "cannot",
    "deprecate",
    "disable",
    "don't",
    "dont",
    "drop",
    "forbid",
    "instead",
    "never",
    "no",
    "not",
    "reject",
    "remove",
    "replace",
    "stop",
    "without",
];
/// Words that speak for what follows, and join clauses.
const FOR: &[&str] = &[
    "accept",
    "add",
    "adopt",
    "allow",
    "always",
    "choose",
    "enable",
    "introduce",
    "keep",
    "must",
    "prefer",
    "should",
    "switch",
    "take",
    "use",
    "using",
];
const STOP: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "between", "but", "by", "can",
    "do", "every", "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "of", "on",
    "only", "or", "our", "over", "so", "than", "that", "the", "their", "them", "then", "they",
    "this", "to", "was", "we", "when", "which", "will", "with",
];

/// What of `existing` stands in the way of `new`, worst first.
pub fn conflicts<'a>(new: &Record, existing: impl Iterator<Item = &'a Record>) -> Vec<Conflict> {
    let own = Statement::of(new);
    let mut found: Vec<Conflict> = existing
        .filter(|it| it.kind() == new.kind() && it.id() != new.id() && !is_superseded(it))
        .filter_map(|it| {
            let other = Statement::of(it);
            let similarity = jaccard(&own.words, &other.words);
            let kind = if own.contradicts(&other) {
                ConflictKind::Contradiction
            } else if similarity >= SAME {
                ConflictKind::Duplicate
            } else {
                return None;
            };
            Some(Conflict {
                kind,
                id: it.id().clone(),
                title: it.title().to_owned(),
                similarity: (similarity * 100.0).round() / 100.0,
            })
        })
        .collect();
    found.sort_by(|a, b| {
        a.kind
            .cmp(&b.kind)
            .then(b.similarity.total_cmp(&a.similarity))
            .then_with(|| a.id.cmp(&b.id))
    });
    found
}

fn is_superseded(record: &Record) -> bool {
    matches!(record, Record::Decision(it) if it.status == DecisionStatus::Superseded)
}

pub fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let union = one.union(other).count();
    if union == 0 {
        return 0.0;
    }
    one.intersection(other).count() as f64 / union as f64
}

/// A record as far as comparing goes.
struct Statement {
    words: BTreeSet<String>,
    /// Subjects spoken for and against; only of decisions.
    affirmed: BTreeSet<String>,
    denied: BTreeSet<String>,
}

impl Statement {
    fn of(record: &Record) -> Statement {
        let text = match record {
            Record::Decision(it) => it.decision.clone(),
            Record::Pattern(it) => format!("{} {}", it.name, it.solution),
            Record::Handoff(it) => format!("{} {}", it.summary, it.next_steps.join(" ")),
        };
        let words = tokens(&text)
            .into_iter()
            .flatten()
            .filter(|word| !STOP.contains(&word.as_str()))
            .collect();
        let mut statement = Statement { words, affirmed: BTreeSet::new(), denied: BTreeSet::new() };
        if matches!(record, Record::Decision(_)) {
            statement.take_sides(&text);
        }
        statement
    }

    fn take_sides(&mut self, text: &str) {
        for clause in tokens(text) {
            let mut is_denying = false;
            for word in clause {
                let root = stem(&word);
                if AGAINST.contains(&word.as_str()) || AGAINST.contains(&root.as_str()) {
                    is_denying = true;
                } else if FOR.contains(&word.as_str()) || FOR.contains(&root.as_str()) {
                    // "do not use X" denies X; "not X, use Y" is two clauses.
                } else if !STOP.contains(&word.as_str()) {
                    if is_denying { &mut self.denied } else { &mut self.affirmed }.insert(root);
                }
            }
        }
    }

    fn contradicts(&self, other: &Statement) -> bool {
        let meets = self.affirmed.intersection(&other.denied).next().is_some()
            || self.denied.intersection(&other.affirmed).next().is_some();
        if !meets {
            return false;
        }
        let subject = |it: &Statement| -> BTreeSet<String> {
            it.affirmed.union(&it.denied).cloned().collect()
        };
        let (own, others) = (subject(self), subject(other));
        let smaller = own.len().min(others.len()).max(1);
        own.intersection(&others).count() as f64 / smaller as f64 >= SAME_SUBJECT
    }
}

/// Words in small letters, clause by clause.
fn tokens(text: &str) -> Vec<Vec<String>> {
    text.to_lowercase()
        .split([',', ';', ':', '(', ')', '\n'])
        .flat_map(|part| part.split(". "))
        .map(|clause| {
            clause
                .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_'))
                .map(|word| word.trim_matches('\''))
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .collect()
}

/// Enough to see `keys` in `key` and `removing` in `remove`.
fn stem(word: &str) -> String {
    for (ending, instead) in [("ing", "e"), ("ies", "y"), ("ed", "e"), ("s", "")] {
        if let Some(start) = word.strip_suffix(ending)
            && start.len() > 2
            && !start.ends_with('s')
        {
            let with = format!("{start}{instead}");
            let is_known = |text: &str| AGAINST.contains(&text) || FOR.contains(&text);
            return match ending {
                "s" | "ies" => with,
                _ if is_known(&with) => with,
                _ if is_known(start) => start.to_owned(),
                _ => word.to_owned(),
            };
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decision;

    fn between(old: &str, new: &str) -> Option<ConflictKind> {
        let old = Record::Decision(decision("dec-a", old));
        let new = Record::Decision(decision("dec-b", new));
        conflicts(&new, std::iter::once(&old)).first().map(|it| it.kind)
    }

    #[test]
    fn the_same_in_other_order_or_with_other_small_words_is_a_duplicate() {
        for (old, new) in [
            ("Use SQLite in WAL mode", "Use SQLite in WAL mode"),
            ("Use SQLite in WAL mode", "In WAL mode, use the SQLite"),
            ("Alarms go out by SMS and by call", "alarms go out by call and SMS"),
        ] {
            assert_eq!(between(old, new), Some(ConflictKind::Duplicate), "{old} / {new}");
        }
    }

    #[test]
    fn opposite_words_about_the_same_are_a_contradiction() {
        for (old, new) in [
            ("Use NATS between ingest and evaluation", "Do not use NATS"),
            ("SQLite in WAL mode, not PostgreSQL", "Use PostgreSQL"),
            ("Static API keys for gateways", "Remove static API keys"),
            ("Keep means of old readings", "Never keep means of old readings"),
            ("Enable telemetry", "Disable telemetry"),
            ("NATS between ingest and evaluation", "A cursor over readings instead of NATS"),
        ] {
            assert_eq!(between(old, new), Some(ConflictKind::Contradiction), "{old} / {new}");
            assert_eq!(between(new, old), Some(ConflictKind::Contradiction), "{new} / {old}");
        }
    }

    #[test]
    fn what_speaks_of_something_else_is_in_nobodys_way() {
        for (old, new) in [
            ("Use SQLite in WAL mode", "Use gzip for uploads"),
            ("No React on the status page", "Only GSM-7 characters in alarms"),
            ("Full jitter, capped at 15 minutes", "Call when no receipt comes in three minutes"),
            ("Keep hourly minima, never means", "Keep hourly minima for ten years"),
        ] {
            assert_eq!(between(old, new), None, "{old} / {new}");
        }
    }

    #[test]
    fn what_is_superseded_is_history() {
        let mut old = decision("dec-a", "Use NATS");
        old.status = DecisionStatus::Superseded;
        let old = Record::Decision(old);
        let new = Record::Decision(decision("dec-b", "Do not use NATS"));
        assert!(conflicts(&new, std::iter::once(&old)).is_empty());
    }
}
