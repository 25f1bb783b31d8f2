//! Answers from memory: what was recalled and why it ranks where it does, one
//! record whole, lists, and the graph around a thing.

pub mod detail;
pub mod inject;
pub mod list;
pub mod recall;

pub use search::memory::graph;

use model::memory::{DecisionStatus, RecordId, RecordKind};
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::Reader;
use store::memory::records::{self, Outline};

/// A record in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordLine {
    pub kind: RecordKind,
    pub id: RecordId,
    /// The decision, the name of the pattern, the summary.
    pub title: String,
    pub project: Option<String>,
    /// 1 to 5; of a pattern its confidence in fifths.
    pub importance: u8,
    /// Only of patterns.
    pub confidence: Option<f64>,
    /// Only decisions can be superseded by status.
    pub status: DecisionStatus,
    pub tags: Vec<String>,
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// The file it stands in.
    pub file: String,
    pub line: u32,
    /// It came with a clone that nobody trusts; only there when so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
}

impl RecordLine {
    pub fn of(outline: &Outline) -> Self {
        let file = Path::new(&outline.root_path).join(&outline.file);
        RecordLine {
            kind: outline.kind,
            id: outline.id.clone(),
            title: outline.title.clone(),
            project: outline.project.clone(),
            importance: outline.importance,
            confidence: outline.confidence,
            status: outline.status,
            tags: outline.tags.clone(),
            author: outline.author.clone(),
            created_at: outline.created_at,
            file: file.display().to_string(),
            line: outline.line,
            foreign: outline.is_foreign,
        }
    }
}

/// The record a person means: its id, or a beginning of it that is unique.
pub fn resolve(reader: &Reader, text: &str) -> Result<RecordId> {
    const SHOWN: usize = 8;
    let text = text.trim();
    let found = records::ids_with_prefix(reader, text, SHOWN + 1)?;
    if let Some(id) = RecordId::parse(text).filter(|id| found.iter().any(|it| it == id.as_str())) {
        return Ok(id);
    }
    let shown = model::text::one_line(text, 60);
    match found.as_slice() {
        [only] if text.len() >= 4 => RecordId::parse(only)
            .ok_or_else(|| Error::internal("the index holds an id that is none")),
        many if text.len() >= 4 && !many.is_empty() => Err(Error::new(
            ErrorCode::Ambiguous,
            format!("`{shown}` could be any of {}", many[..many.len().min(SHOWN)].join(", ")),
        )
        .suggest("type more of the id")),
        _ => Err(Error::not_found(format!("no record `{shown}` in memory"))
            .suggest("`lore memory list` shows what there is")),
    }
}
