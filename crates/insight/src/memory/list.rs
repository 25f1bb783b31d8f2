//! `lore memory list` and `lore memory check`.

use super::RecordLine;
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::Reader;
use store::memory::index;
use store::memory::records::{self, RecordFilter};

/// Records, youngest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordList {
    pub items: Vec<RecordLine>,
    /// All there are, shown or not.
    pub total: u64,
}

pub fn list(reader: &Reader, filter: &RecordFilter, limit: usize) -> Result<RecordList> {
    let items = records::list(reader, filter, limit)?;
    Ok(RecordList {
        items: items.iter().map(RecordLine::of).collect(),
        total: records::count(reader, filter)?,
    })
}

/// Something in a memory file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileProblem {
    pub file: String,
    pub line: u32,
    pub message: String,
}

/// What is wrong in the files, by place.
pub fn problems(reader: &Reader) -> Result<Vec<FileProblem>> {
    let rows = index::problems(reader)?;
    Ok(rows
        .into_iter()
        .map(|row| FileProblem {
            file: Path::new(&row.root_path).join(&row.file).display().to_string(),
            line: row.line,
            message: row.message,
        })
        .collect())
}
