//! The fields of records as files hold them, read leniently: people write a
//! single tag without brackets, a day without a time, and leave out what they
//! do not know.

use crate::id;
use model::memory::{Decision, DecisionStatus, Extra, Handoff, Pattern, RecordId, RecordKind};
use model::{Timestamp, time};
use serde::{Deserialize, Deserializer, Serialize};

pub const DEFAULT_IMPORTANCE: u8 = 3;
pub const DEFAULT_CONFIDENCE: f64 = 0.5;

#[derive(Debug, Serialize, Deserialize)]
pub struct DecisionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RecordId>,
    pub decision: String,
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub rationale: String,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default)]
    pub importance: Option<u8>,
    #[serde(default)]
    pub status: DecisionStatus,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, deserialize_with = "when", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct PatternFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RecordId>,
    pub name: String,
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub context: String,
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub problem: String,
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub solution: String,
    #[serde(default)]
    pub confidence: Option<f64>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, deserialize_with = "when", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    #[serde(flatten)]
    pub extra: Extra,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct HandoffFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RecordId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    #[serde(default, deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, deserialize_with = "when", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    #[serde(flatten)]
    pub extra: Extra,
}

/// A record made of its fields, and what is worth a warning about them.
pub struct RecordWithNotice<T> {
    pub record: T,
    pub notice: Option<&'static str>,
}

const NO_TIME: &str = "has no timestamp, so it counts as very old; add `timestamp`";

impl DecisionFields {
    pub fn into_record(self) -> Result<RecordWithNotice<Decision>, String> {
        let decision = required(self.decision, "decision")?;
        let importance = self.importance.unwrap_or(DEFAULT_IMPORTANCE);
        if !(1..=5).contains(&importance) {
            return Err(format!("importance is {importance}, not 1 to 5"));
        }
        let id = match self.id {
            Some(id) => of_kind(id, RecordKind::Decision)?,
            None => id::implied(RecordKind::Decision, &decision, self.timestamp),
        };
        let record = Decision {
            id,
            decision,
            rationale: tidy(&self.rationale),
            alternatives: items(self.alternatives),
            tags: items(self.tags),
            project: self.project.map(|it| tidy(&it)).filter(|it| !it.is_empty()),
            importance,
            status: self.status,
            links: items(self.links),
            author: self.author.map(|it| tidy(&it)).filter(|it| !it.is_empty()),
            timestamp: self.timestamp.unwrap_or(Timestamp::EPOCH),
            extra: self.extra,
        };
        Ok(RecordWithNotice { record, notice: self.timestamp.is_none().then_some(NO_TIME) })
    }

    pub fn of(record: &Decision) -> Self {
        let record = record.clone();
        DecisionFields {
            id: Some(record.id),
            decision: record.decision,
            rationale: record.rationale,
            alternatives: record.alternatives,
            tags: record.tags,
            project: record.project,
            importance: Some(record.importance),
            status: record.status,
            links: record.links,
            author: record.author,
            timestamp: Some(record.timestamp),
            extra: record.extra,
        }
    }
}

impl PatternFields {
    pub fn into_record(self) -> Result<RecordWithNotice<Pattern>, String> {
        let name = required(self.name, "name")?;
        let confidence = self.confidence.unwrap_or(DEFAULT_CONFIDENCE);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(format!("confidence is {confidence}, not 0 to 1"));
        }
        let id = match self.id {
            Some(id) => of_kind(id, RecordKind::Pattern)?,
            None => id::implied(RecordKind::Pattern, &name, self.timestamp),
        };
        let record = Pattern {
            id,
            name,
            context: tidy(&self.context),
            problem: tidy(&self.problem),
            solution: tidy(&self.solution),
            confidence,
            tags: items(self.tags),
            timestamp: self.timestamp.unwrap_or(Timestamp::EPOCH),
            extra: self.extra,
        };
        Ok(RecordWithNotice { record, notice: self.timestamp.is_none().then_some(NO_TIME) })
    }

    pub fn of(record: &Pattern) -> Self {
        let record = record.clone();
        PatternFields {
            id: Some(record.id),
            name: record.name,
            context: record.context,
            problem: record.problem,
            solution: record.solution,
            confidence: Some(record.confidence),
            tags: record.tags,
            timestamp: Some(record.timestamp),
            extra: record.extra,
        }
    }
}

impl HandoffFields {
    pub fn into_record(self) -> Result<RecordWithNotice<Handoff>, String> {
        let summary = tidy(&self.summary);
        let next_steps = items(self.next_steps);
        let open_questions = items(self.open_questions);
        if summary.is_empty() && next_steps.is_empty() && open_questions.is_empty() {
            return Err("says nothing: no summary, no next steps, no open questions".to_owned());
        }
        let id = match self.id {
            Some(id) => of_kind(id, RecordKind::Handoff)?,
            None => id::implied(RecordKind::Handoff, &summary, self.timestamp),
        };
        let record = Handoff {
            id,
            project: self.project.map(|it| tidy(&it)).filter(|it| !it.is_empty()),
            summary,
            next_steps,
            open_questions,
            links: items(self.links),
            author: self.author.map(|it| tidy(&it)).filter(|it| !it.is_empty()),
            timestamp: self.timestamp.unwrap_or(Timestamp::EPOCH),
            extra: self.extra,
        };
        Ok(RecordWithNotice { record, notice: self.timestamp.is_none().then_some(NO_TIME) })
    }

    pub fn of(record: &Handoff) -> Self {
        let record = record.clone();
        HandoffFields {
            id: Some(record.id),
            project: record.project,
            summary: record.summary,
            next_steps: record.next_steps,
            open_questions: record.open_questions,
            links: record.links,
            author: record.author,
            timestamp: Some(record.timestamp),
            extra: record.extra,
        }
    }
}

fn required(text: String, name: &str) -> Result<String, String> {
    let text = tidy(&text);
    if text.is_empty() { Err(format!("{name} is empty")) } else { Ok(text) }
}

fn of_kind(id: RecordId, kind: RecordKind) -> Result<RecordId, String> {
    if id.kind() == kind {
        return Ok(id);
    }
    Err(format!("`{id}` is no id of a {kind}: those begin with {}", kind.prefix()))
}

/// The form in which texts are kept: our line breaks, no blank ends, no null
/// characters (SQLite and C readers end at them).
pub fn tidy(text: &str) -> String {
    text.replace('\0', "").replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

/// Tidied, without empty ones.
pub fn items(list: Vec<String>) -> Vec<String> {
    list.iter().map(|item| tidy(item)).filter(|item| !item.is_empty()).collect()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(Scalar),
    Many(Vec<Scalar>),
    None(()),
}

/// YAML reads `tags: [2024]` as numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
        }
    }
}

fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(one) => vec![one.text()],
        OneOrMany::Many(many) => many.into_iter().map(Scalar::text).collect(),
        OneOrMany::None(()) => Vec::new(),
    })
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::<Scalar>::deserialize(deserializer)?.map(Scalar::text).unwrap_or_default())
}

fn when<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    timestamp(&text).map(Some).ok_or_else(|| {
        let shown = model::text::one_line(&text, 40);
        serde::de::Error::custom(format!("`{shown}` is no date or RFC 3339 time"))
    })
}

/// RFC 3339, or a day.
pub fn timestamp(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(instant) = Timestamp::parse_rfc3339(text) {
        return Some(instant);
    }
    let is_date = text.len() == 10 && text.as_bytes().get(4) == Some(&b'-');
    is_date.then(|| time::parse_when(text, Timestamp::EPOCH).ok()).flatten()
}
