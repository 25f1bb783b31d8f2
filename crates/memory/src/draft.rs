//! What somebody wants kept, as they hand it over: flags, a page from their
//! editor, text or JSON from a pipe.

use crate::files::fields::{DecisionFields, HandoffFields, PatternFields};
use crate::files::handoffs;
use model::memory::{DecisionStatus, Extra, RecordKind};
use model::{Error, Result};
use serde::de::DeserializeOwned;

/// A record before it has an id.
#[derive(Debug)]
pub enum Draft {
    Decision(DecisionFields),
    Pattern(PatternFields),
    Handoff(HandoffFields),
}

impl Draft {
    pub fn kind(&self) -> RecordKind {
        match self {
            Draft::Decision(_) => RecordKind::Decision,
            Draft::Pattern(_) => RecordKind::Pattern,
            Draft::Handoff(_) => RecordKind::Handoff,
        }
    }

    /// Reads JSON objects one after another, the fields as YAML, or plain text:
    /// the first paragraph is what it is called, the rest says why.
    pub fn read(kind: RecordKind, text: &str) -> Result<Vec<Draft>> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(Error::usage(format!("there is no text to make a {kind} of"))
                .suggest(format!("lore remember {kind} --help")));
        }
        if text.starts_with('{') {
            return json(kind, text);
        }
        if kind == RecordKind::Handoff {
            return handoff(text).map(|draft| vec![draft]);
        }
        let key = if kind == RecordKind::Decision { "decision:" } else { "name:" };
        if text.lines().any(|line| line.starts_with(key)) {
            return yaml(kind, text).map(|draft| vec![draft]);
        }
        let (head, rest) = text.split_once("\n\n").or(text.split_once('\n')).unwrap_or((text, ""));
        Ok(vec![match kind {
            RecordKind::Decision => {
                Draft::Decision(DecisionFields { rationale: rest.to_owned(), ..decision(head) })
            }
            _ => Draft::Pattern(PatternFields { solution: rest.to_owned(), ..pattern(head) }),
        }])
    }
}

fn refused(kind: RecordKind, reason: &str) -> Error {
    Error::usage(format!("this is no {kind}: {reason}"))
        .suggest(format!("lore remember {kind} --help"))
}

fn json(kind: RecordKind, text: &str) -> Result<Vec<Draft>> {
    fn all<T: DeserializeOwned>(kind: RecordKind, text: &str) -> Result<Vec<T>> {
        serde_json::Deserializer::from_str(text)
            .into_iter::<T>()
            .map(|it| it.map_err(|error| refused(kind, &error.to_string())))
            .collect()
    }
    Ok(match kind {
        RecordKind::Decision => all(kind, text)?.into_iter().map(Draft::Decision).collect(),
        RecordKind::Pattern => all(kind, text)?.into_iter().map(Draft::Pattern).collect(),
        RecordKind::Handoff => all(kind, text)?.into_iter().map(Draft::Handoff).collect(),
    })
}

fn yaml(kind: RecordKind, text: &str) -> Result<Draft> {
    fn one<T: DeserializeOwned>(kind: RecordKind, text: &str) -> Result<T> {
        ::yaml::from_str(text).map_err(|error| refused(kind, &error.to_string()))
    }
    Ok(match kind {
        RecordKind::Decision => Draft::Decision(one(kind, text)?),
        _ => Draft::Pattern(one(kind, text)?),
    })
}

fn handoff(text: &str) -> Result<Draft> {
    let parsed = handoffs::parse(text);
    let mut fields = match (parsed.records.into_iter().next(), parsed.problems.first()) {
        (Some(record), _) => HandoffFields::of(&record.value),
        (None, problem) => {
            let reason = problem.map_or("it says nothing", |it| it.message.as_str());
            return Err(refused(RecordKind::Handoff, reason));
        }
    };
    if !has_front(text, "id") {
        fields.id = None;
    }
    if !has_front(text, "timestamp") {
        fields.timestamp = None;
    }
    Ok(Draft::Handoff(fields))
}

fn has_front(text: &str, key: &str) -> bool {
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split("\n---").next());
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    front.is_some_and(|front| front.lines().any(is_key))
}

/// A decision that says only what.
pub fn decision(text: &str) -> DecisionFields {
    DecisionFields {
        id: None,
        decision: text.to_owned(),
        rationale: String::new(),
        alternatives: Vec::new(),
        tags: Vec::new(),
        project: None,
        importance: None,
        status: DecisionStatus::Active,
        links: Vec::new(),
        author: None,
        timestamp: None,
        extra: Extra::new(),
    }
}

/// A pattern with nothing but a name.
pub fn pattern(name: &str) -> PatternFields {
    PatternFields {
        id: None,
        name: name.to_owned(),
        context: String::new(),
        problem: String::new(),
        solution: String::new(),
        confidence: None,
        tags: Vec::new(),
        timestamp: None,
        extra: Extra::new(),
    }
}

/// A handoff with nothing but a summary.
pub fn handoff_of(summary: &str) -> HandoffFields {
    HandoffFields {
        id: None,
        project: None,
        summary: summary.to_owned(),
        next_steps: Vec::new(),
        open_questions: Vec::new(),
        links: Vec::new(),
        author: None,
        timestamp: None,
        extra: Extra::new(),
    }
}

/// The page an editor opens with; [`Draft::read`] reads it back.
pub const fn template(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Decision => {
            "\
# What was decided, and why. Close the file without a decision to give up.
decision: \"\"
rationale: |

alternatives: []
tags: []
importance: 3   # 1 to 5
links: []       # \"#12\", \"!34\", src/file.rs:10, a commit, another record
"
        }
        RecordKind::Pattern => {
            "\
# A lesson that applies again. Close the file without a name to give up.
name: \"\"
context: |

problem: |

solution: |

confidence: 0.5   # 0 to 1
tags: []
"
        }
        RecordKind::Handoff => {
            "\
---
links: []   # \"#12\", \"!34\", src/file.rs:10, a commit, another record
---


## Next steps


## Open questions

"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Timestamp;

    fn one(kind: RecordKind, text: &str) -> Draft {
        Draft::read(kind, text).unwrap().pop().unwrap()
    }

    #[test]
    fn plain_text_is_what_and_why() {
        let Draft::Decision(it) =
            one(RecordKind::Decision, "Use SQLite\n\nNobody to run a server.\n")
        else {
            unreachable!()
        };
        assert_eq!(
            (it.decision.as_str(), it.rationale.as_str()),
            ("Use SQLite", "Nobody to run a server.")
        );
        let Draft::Handoff(it) = one(RecordKind::Handoff, "Stopped.\n## Next steps\n- go on")
        else {
            unreachable!()
        };
        assert_eq!((it.summary.as_str(), it.next_steps.len(), it.id), ("Stopped.", 1, None));
    }

    #[test]
    fn json_may_hold_several() {
        let text = "{\"decision\":\"A\"}\n{\"decision\":\"B\",\"importance\":5}";
        assert_eq!(Draft::read(RecordKind::Decision, text).unwrap().len(), 2);
        let error = Draft::read(RecordKind::Decision, "{\"decision\":").unwrap_err();
        assert!(error.message().starts_with("this is no decision: EOF"), "{error}");
    }

    #[test]
    fn templates_are_read_back_and_refused_while_empty() {
        for kind in [RecordKind::Decision, RecordKind::Pattern] {
            let made = match one(kind, template(kind)) {
                Draft::Decision(it) => it.into_record().map(|_| ()),
                Draft::Pattern(it) => it.into_record().map(|_| ()),
                Draft::Handoff(_) => unreachable!(),
            };
            assert!(made.unwrap_err().ends_with("is empty"));
        }
        let error = Draft::read(RecordKind::Handoff, template(RecordKind::Handoff)).unwrap_err();
        assert!(error.message().contains("says nothing"), "{error}");
        let filled = template(RecordKind::Decision).replace("\"\"", "Use SQLite");
        let Draft::Decision(it) = one(RecordKind::Decision, &filled) else { unreachable!() };
        assert_eq!(
            (it.decision.as_str(), it.importance, it.timestamp),
            ("Use SQLite", Some(3), None::<Timestamp>)
        );
    }
}
