//! Records for the tests of this crate.

use crate::files::fields::{items, tidy};
use model::Timestamp;
use model::memory::{Decision, DecisionStatus, Extra, Handoff, Pattern, RecordId};
use proptest::prelude::*;

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

pub fn id(text: &str) -> RecordId {
    RecordId::parse(text).unwrap()
}

pub fn decision(id: &str, text: &str) -> Decision {
    Decision {
        id: self::id(id),
        decision: text.to_owned(),
        rationale: String::new(),
        alternatives: vec![],
        tags: vec![],
        project: None,
        importance: 3,
        status: DecisionStatus::Active,
        links: vec![],
        author: None,
        timestamp: at("2024-05-01T10:00:00Z"),
        extra: Extra::new(),
    }
}

pub fn pattern(id: &str, name: &str) -> Pattern {
    Pattern {
        id: self::id(id),
        name: name.to_owned(),
        context: String::new(),
        problem: String::new(),
        solution: String::new(),
        confidence: 0.5,
        tags: vec![],
        timestamp: at("2024-05-01T10:00:00Z"),
        extra: Extra::new(),
    }
}

pub fn handoff(id: &str, summary: &str) -> Handoff {
    Handoff {
        id: self::id(id),
        project: None,
        summary: summary.to_owned(),
        next_steps: vec![],
        open_questions: vec![],
        links: vec![],
        author: None,
        timestamp: at("2024-05-01T10:00:00Z"),
        extra: Extra::new(),
    }
}

/// Texts people might write, and texts nobody should.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~]{0,30}",
        2 => any::<String>(),
        2 => "([a-z#:'\"|>{},&*!%@`\\\\ -]{0,12}\n){0,4}[a-z ]{0,6}",
        1 => Just("## Next steps\n- x\n\\## Next steps".to_owned()),
        1 => Just("---\nid: dec-x\n---".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("1.5".to_owned()),
    ]
    .prop_map(|text| tidy(&text))
}

fn filled() -> impl Strategy<Value = String> {
    any_text().prop_map(|text| if text.is_empty() { "something".to_owned() } else { text })
}

fn list() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(any_text(), 0..4).prop_map(items)
}

fn maybe() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(filled())
}

fn when() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000_000).prop_map(Timestamp::from_millis)
}

fn extra() -> impl Strategy<Value = Extra> {
    proptest::collection::btree_map("x_[a-z]{1,6}", any_text().prop_map(Into::into), 0..3)
}

prop_compose! {
    pub fn any_decision()(
        id in "dec-[0-9a-z]{8}", decision in filled(), rationale in any_text(),
        alternatives in list(), tags in list(), project in maybe(), importance in 1u8..=5,
        is_superseded in any::<bool>(), links in list(), author in maybe(), timestamp in when(),
        extra in extra(),
    ) -> Decision {
        let status =
            if is_superseded { DecisionStatus::Superseded } else { DecisionStatus::Active };
        Decision {
            id: self::id(&id), decision, rationale, alternatives, tags, project, importance,
            status, links, author, timestamp, extra,
        }
    }
}

prop_compose! {
    pub fn any_pattern()(
        id in "pat-[0-9a-z]{8}", name in filled(), context in any_text(), problem in any_text(),
        solution in any_text(), hundredths in 0u32..=100, tags in list(), timestamp in when(),
        extra in extra(),
    ) -> Pattern {
        Pattern {
            id: self::id(&id), name, context, problem, solution,
            confidence: f64::from(hundredths) / 100.0, tags, timestamp, extra,
        }
    }
}

prop_compose! {
    pub fn any_handoff()(
        id in "han-[0-9a-z]{8}", project in maybe(), summary in filled(), next_steps in list(),
        open_questions in list(), links in list(), author in maybe(), timestamp in when(),
        extra in extra(),
    ) -> Handoff {
        Handoff {
            id: self::id(&id), project, summary, next_steps, open_questions, links, author,
            timestamp, extra,
        }
    }
}
