//! Everything lore can learn from a local repository alone: its commits, its
//! code, and the texts to search.

use crate::ctx::Ctx;
use crate::run_commits::{self, Wanted};
use crate::ui::Ui;
use crate::{memory_roots, run_documents, run_index, run_sync};
use code::history::ScanReport;
use code::index::{IndexReport, Request};
use model::{ErrorCode, Result};
use schemars::JsonSchema;
use search::documents::DocumentReport;
use search::embedding::EmbedReport;
use serde::Serialize;
use std::path::Path;

/// What reading a repository brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexAnswer {
    pub commits: ScanReport,
    /// None when the code could not be indexed; a warning says why.
    pub code: Option<IndexReport>,
    pub documents: DocumentReport,
    /// None when nobody could make vectors.
    pub embedding: Option<EmbedReport>,
}

pub fn index(ctx: &Ctx, ui: &mut Ui, dir: &Path) -> Result<IndexAnswer> {
    const COMMAND: &str = "mcp";
    let commits = run_commits::add(ctx, ui, &Wanted { path: dir.to_owned(), url: None })?;
    memory_roots::meet(ctx, ui, dir);
    let request = Request {
        url: None,
        rev: None,
        work_tree: false,
        full: false,
        n_threads: run_index::n_threads(),
    };
    let code = match run_index::run(ctx, ui, COMMAND, dir, &request) {
        Ok(report) => Some(report),
        Err(error) if error.code() == ErrorCode::Interrupted => return Err(error),
        // A repository without a commit has history and memory still.
        Err(error) => {
            ui.warn(&format!("the code was not indexed: {error}"));
            None
        }
    };
    let documents = run_documents::run(ctx, ui, COMMAND, false)?;
    let embedding = run_sync::embed(ctx, ui, COMMAND)?;
    Ok(IndexAnswer { commits, code, documents, embedding })
}
