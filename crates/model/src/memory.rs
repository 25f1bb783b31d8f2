//! What people and agents decide to keep: three kinds of record, the relations
//! between them, and what a relation may lead to.
//!
//! Types only. How records lie in files is the business of `memory`, how they
//! are indexed that of `store`.

use crate::error::{Error, Result};
use crate::reference::Reference;
use crate::text::one_line;
use crate::time::Timestamp;
use crate::vocabulary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

vocabulary! {
    /// What kind of record it is.
    pub enum RecordKind {
        Decision = "decision",
        Pattern = "pattern",
        Handoff = "handoff",
    }
}

impl RecordKind {
    /// What ids of this kind begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            RecordKind::Decision => "dec-",
            RecordKind::Pattern => "pat-",
            RecordKind::Handoff => "han-",
        }
    }
}

/// `dec-4k2p9xqa`: the kind, then letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct RecordId(String);

impl RecordId {
    /// Longest id that is read; what lore makes has a dozen characters.
    const MAX: usize = 80;

    pub fn parse(text: &str) -> Option<RecordId> {
        let kind = RecordKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))?;
        let rest = &text[kind.prefix().len()..];
        let is_sound = !rest.is_empty()
            && text.len() <= RecordId::MAX
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        is_sound.then(|| RecordId(text.to_owned()))
    }

    pub fn kind(&self) -> RecordKind {
        let of = |kind: &RecordKind| self.0.starts_with(kind.prefix());
        RecordKind::ALL.into_iter().find(of).unwrap_or(RecordKind::Decision)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        RecordId::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!("`{}` is no id of a record", one_line(&text, 60)))
        })
    }
}

/// Fields somebody else wrote into a record: kept, never read.
pub type Extra = BTreeMap<String, serde_json::Value>;

vocabulary! {
    #[derive(Default)]
    pub enum DecisionStatus {
        #[default]
        Active = "active",
        Superseded = "superseded",
    }
}

/// What was decided, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub id: RecordId,
    pub decision: String,
    pub rationale: String,
    pub alternatives: Vec<String>,
    pub tags: Vec<String>,
    pub project: Option<String>,
    /// 1 to 5.
    pub importance: u8,
    pub status: DecisionStatus,
    /// As written; each reads as an [`LinkTarget`].
    pub links: Vec<String>,
    pub author: Option<String>,
    pub timestamp: Timestamp,
    pub extra: Extra,
}

/// A lesson that applies again.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    pub id: RecordId,
    pub name: String,
    pub context: String,
    pub problem: String,
    pub solution: String,
    /// 0 to 1.
    pub confidence: f64,
    pub tags: Vec<String>,
    pub timestamp: Timestamp,
    pub extra: Extra,
}

/// Where a session of work stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Handoff {
    pub id: RecordId,
    pub project: Option<String>,
    pub summary: String,
    pub next_steps: Vec<String>,
    pub open_questions: Vec<String>,
    /// As written; each reads as an [`LinkTarget`].
    pub links: Vec<String>,
    pub author: Option<String>,
    pub timestamp: Timestamp,
    pub extra: Extra,
}

/// One of the three.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    Decision(Decision),
    Pattern(Pattern),
    Handoff(Handoff),
}

impl Record {
    pub fn id(&self) -> &RecordId {
        match self {
            Record::Decision(it) => &it.id,
            Record::Pattern(it) => &it.id,
            Record::Handoff(it) => &it.id,
        }
    }

    pub fn kind(&self) -> RecordKind {
        match self {
            Record::Decision(_) => RecordKind::Decision,
            Record::Pattern(_) => RecordKind::Pattern,
            Record::Handoff(_) => RecordKind::Handoff,
        }
    }

    /// What it is called: the decision, the name, the summary.
    pub fn title(&self) -> &str {
        match self {
            Record::Decision(it) => &it.decision,
            Record::Pattern(it) => &it.name,
            Record::Handoff(it) => &it.summary,
        }
    }

    pub fn timestamp(&self) -> Timestamp {
        match self {
            Record::Decision(it) => it.timestamp,
            Record::Pattern(it) => it.timestamp,
            Record::Handoff(it) => it.timestamp,
        }
    }

    pub fn project(&self) -> Option<&str> {
        match self {
            Record::Decision(it) => it.project.as_deref(),
            Record::Pattern(_) => None,
            Record::Handoff(it) => it.project.as_deref(),
        }
    }

    pub fn links(&self) -> &[String] {
        match self {
            Record::Decision(it) => &it.links,
            Record::Pattern(_) => &[],
            Record::Handoff(it) => &it.links,
        }
    }

    pub fn tags(&self) -> &[String] {
        match self {
            Record::Decision(it) => &it.tags,
            Record::Pattern(it) => &it.tags,
            Record::Handoff(_) => &[],
        }
    }
}

vocabulary! {
    /// How one end of an edge stands to the other.
    pub enum Relation {
        RelatesTo = "relates_to",
        DependsOn = "depends_on",
        Implements = "implements",
        LearnedFrom = "learned_from",
        Affects = "affects",
        Produces = "produces",
        /// Flagged wherever either end appears.
        Contradicts = "contradicts",
        /// The end ranks lower and the beginning is shown first.
        Supersedes = "supersedes",
        DerivedFrom = "derived_from",
        PartOf = "part_of",
        /// The beginning counts as of importance 1.
        SummarizedBy = "summarized_by",
    }
}

impl Relation {
    /// Blanks and dashes are as good as underscores.
    pub fn read(text: &str) -> Result<Relation> {
        let wanted = text.trim().to_lowercase().replace(['-', ' '], "_");
        let names = || Relation::ALL.iter().map(|relation| relation.as_str());
        Relation::ALL.iter().copied().find(|relation| relation.as_str() == wanted).ok_or_else(
            || {
                let near = crate::suggest::nearest(&wanted, names(), 1);
                let message = format!("`{}` is no relation", one_line(text, 40));
                match near.first() {
                    Some(near) => Error::usage(message).suggest(format!("did you mean {near}?")),
                    None => Error::usage(message)
                        .suggest(format!("use one of {}", names().collect::<Vec<_>>().join(", "))),
                }
            },
        )
    }
}

/// What an edge may lead to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkTarget {
    Record(RecordId),
    Path {
        path: String,
        line: Option<u32>,
    },
    Symbol(String),
    /// An issue, a merge request or a commit.
    Forge(Reference),
    Url(String),
    /// What people talk about without a place of its own.
    Topic(TopicKind, String),
}

vocabulary! {
    /// What a topic is.
    pub enum TopicKind {
        /// An idea: `concept:authentication`.
        Concept = "concept",
        /// A project as a whole: `project:lore`.
        Project = "project",
        /// A session of work: `session:2024-05-01`.
        Session = "session",
    }
}

impl LinkTarget {
    /// Reads `dec-4k2p9xqa`, `src/a.rs`, `src/a.rs:12`, `auth::login`, `#12`,
    /// `!34`, `group/project#12`, a commit, a URL, `concept:auth`, `project:lore`,
    /// `session:2024-05-01`. Where it is not plain, `path:`, `symbol:` or `commit:` in
    /// front says which.
    pub fn parse(text: &str) -> Result<LinkTarget> {
        let text = text.trim();
        let refused = || {
            Error::usage(format!("`{}` leads nowhere lore knows", one_line(text, 60))).suggest(
                "use an id (dec-…), a path, path:line, a symbol, #12, !34, a commit hash or concept:NAME",
            )
        };
        if text.is_empty() || text.len() > 1000 || text.chars().any(char::is_control) {
            return Err(refused());
        }
        if let Some(id) = RecordId::parse(text) {
            return Ok(LinkTarget::Record(id));
        }
        for kind in TopicKind::ALL {
            if let Some(name) = topic_name(kind, text) {
                return topic_end(kind, name).ok_or_else(refused);
            }
        }
        if let Some(path) = text.strip_prefix("path:") {
            return path_end(path).ok_or_else(refused);
        }
        if let Some(symbol) = text.strip_prefix("symbol:") {
            return symbol_end(symbol).ok_or_else(refused);
        }
        if let Ok(reference) = Reference::parse(text.strip_prefix("commit:").unwrap_or(text)) {
            return Ok(LinkTarget::Forge(reference));
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return Ok(LinkTarget::Url(text.to_owned()));
        }
        if looks_like_path(text) {
            return path_end(text).ok_or_else(refused);
        }
        symbol_end(text).ok_or_else(refused)
    }

    /// The column that tells kinds apart.
    pub const fn kind(&self) -> &'static str {
        match self {
            LinkTarget::Record(_) => "record",
            LinkTarget::Path { .. } => "path",
            LinkTarget::Symbol(_) => "symbol",
            LinkTarget::Forge(Reference::Entity(entity)) => match entity.kind {
                crate::EntityKind::Issue => "issue",
                crate::EntityKind::MergeRequest => "merge_request",
            },
            LinkTarget::Forge(Reference::Commit { .. }) => "commit",
            LinkTarget::Url(_) => "url",
            LinkTarget::Topic(kind, _) => kind.as_str(),
        }
    }

    pub fn record(&self) -> Option<&RecordId> {
        match self {
            LinkTarget::Record(id) => Some(id),
            _ => None,
        }
    }
}

impl fmt::Display for LinkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkTarget::Record(id) => id.fmt(f),
            LinkTarget::Path { path, line } => {
                let shown = match line {
                    Some(line) => format!("{path}:{line}"),
                    None => path.clone(),
                };
                let mark = if looks_like_path(&shown) && is_plain(&shown) { "" } else { "path:" };
                write!(f, "{mark}{shown}")
            }
            LinkTarget::Symbol(name) => {
                let mark = if looks_like_path(name) || !is_plain(name) { "symbol:" } else { "" };
                write!(f, "{mark}{name}")
            }
            LinkTarget::Forge(reference) => reference.fmt(f),
            LinkTarget::Url(url) => f.write_str(url),
            LinkTarget::Topic(kind, name) => write!(f, "{}:{name}", kind.as_str()),
        }
    }
}

/// Not to be taken for something else that has a form of its own.
fn is_plain(text: &str) -> bool {
    RecordId::parse(text).is_none()
        && Reference::parse(text).is_err()
        && !["path:", "symbol:", "commit:", "http://", "https://"]
            .iter()
            .any(|mark| text.starts_with(mark))
        && TopicKind::ALL.iter().all(|kind| topic_name(*kind, text).is_none())
}

/// A slash, or a name with an ending: `src/a`, `Cargo.toml`, `a.rs:12`.
fn looks_like_path(text: &str) -> bool {
    if text.contains("::") || text.ends_with("()") {
        return false;
    }
    let name = split_line(text).0;
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    });
    name.contains('/') || has_ending
}

/// `src/a.rs:12` → `src/a.rs`, 12.
fn split_line(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once(':') {
        Some((path, line)) if !path.is_empty() => match line.parse() {
            Ok(line) if line > 0 => (path, Some(line)),
            _ => (text, None),
        },
        _ => (text, None),
    }
}

fn path_end(text: &str) -> Option<LinkTarget> {
    // Before a line is looked for: what is left of `a:1/` must read as it is shown.
    let is_margin = |c: char| c == '/' || c.is_whitespace();
    let (path, line) = split_line(text.trim_end_matches(is_margin));
    let path = path.trim_start().strip_prefix("./").unwrap_or(path.trim_start());
    let path = path.trim_start_matches(char::is_whitespace).trim_end_matches(is_margin);
    let is_inside = !path.is_empty()
        && !path.starts_with('/')
        && !path.split('/').any(|step| step == ".." || step == "." || step.is_empty());
    is_inside.then(|| LinkTarget::Path { path: path.to_owned(), line })
}

/// What follows `concept:`; of `concept::auth`, a symbol, nothing does.
fn topic_name(kind: TopicKind, text: &str) -> Option<&str> {
    let name = text.strip_prefix(kind.as_str())?.strip_prefix(':')?;
    (!name.starts_with(':')).then_some(name)
}

fn topic_end(kind: TopicKind, name: &str) -> Option<LinkTarget> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(LinkTarget::Topic(kind, name))
}

fn symbol_end(text: &str) -> Option<LinkTarget> {
    let name = text.trim().trim_end_matches("()");
    let is_sound = !name.is_empty() && !name.chars().any(char::is_whitespace);
    is_sound.then(|| LinkTarget::Symbol(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_are_read_as_people_write_them() {
        for (typed, kind, meant) in [
            ("dec-4k2p9xqa", "record", "dec-4k2p9xqa"),
            ("src/auth/oauth.rs", "path", "src/auth/oauth.rs"),
            ("./src/a.rs:45", "path", "src/a.rs:45"),
            ("Cargo.toml", "path", "Cargo.toml"),
            ("src/a.rs /", "path", "src/a.rs"),
            ("path:Makefile", "path", "path:Makefile"),
            ("docs/", "path", "path:docs"),
            ("src/a:1/", "path", "src/a:1"),
            ("auth::login", "symbol", "auth::login"),
            ("Session.close()", "symbol", "symbol:Session.close"),
            ("HttpClient", "symbol", "HttpClient"),
            ("symbol:a.rs", "symbol", "symbol:a.rs"),
            ("#12", "issue", "#12"),
            ("group/project!34", "merge_request", "group/project!34"),
            ("https://gl.test/a/b/-/issues/4", "issue", "a/b#4"),
            ("abcdef1234", "commit", "abcdef1234"),
            ("commit:abcdef1234", "commit", "abcdef1234"),
            ("https://example.com/adr", "url", "https://example.com/adr"),
            ("concept:auth", "concept", "concept:auth"),
            ("project:lore", "project", "project:lore"),
            ("session: first  week", "session", "session:first week"),
            ("symbol:concept:auth", "symbol", "symbol:concept:auth"),
            ("concept::auth", "symbol", "concept::auth"),
        ] {
            let end = LinkTarget::parse(typed).unwrap();
            assert_eq!((end.kind(), end.to_string().as_str()), (kind, meant), "{typed}");
        }
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        for typed in
            ["", "  ", "a word", "path:", "/etc/passwd", "../secret.txt", "a\u{1b}b", "symbol:"]
        {
            assert_eq!(
                LinkTarget::parse(typed).unwrap_err().code(),
                crate::ErrorCode::Usage,
                "{typed:?}"
            );
        }
    }

    #[test]
    fn relations_may_be_written_with_dashes() {
        assert_eq!(Relation::read("relates-to").unwrap(), Relation::RelatesTo);
        assert_eq!(Relation::read("Supersedes").unwrap(), Relation::Supersedes);
        let error = Relation::read("contradict").unwrap_err();
        assert_eq!(error.suggestion(), Some("did you mean contradicts?"));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(text in "[a-zA-Z0-9_./:#!-]{1,24}") {
            if let Ok(end) = LinkTarget::parse(&text) {
                prop_assert_eq!(LinkTarget::parse(&end.to_string()).unwrap(), end);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = LinkTarget::parse(&text);
            let _ = RecordId::parse(&text);
        }
    }
}
