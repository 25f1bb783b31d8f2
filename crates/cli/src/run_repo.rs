//! Everything lore can learn from a local repository alone: its commits, its
//! code, and the texts to search.

use crate::ctx::Ctx;
use crate::ui::Ui;
use crate::{run_embed, run_pipeline};
use code::history::{self, ScanReport};
use code::index::{IndexReport, Request};
use model::Result;
use pipeline::{Clones, CodeScope, DocumentScope, Plan};
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
    // Looked at first: what is no clone must not make a database.
    let clone = history::find_clone(dir, None)?;
    let request = Request {
        url: None,
        rev: None,
        work_tree: false,
        full: false,
        n_threads: run_pipeline::n_threads(),
    };
    let plan = Plan {
        commits: Some(Clones::One(clone)),
        memory: vec![dir.to_owned()],
        code: Some(CodeScope::Tolerant { dir: dir.to_owned(), request }),
        documents: Some(DocumentScope::Due),
        embedding: Some(run_embed::share(ctx, ui)),
        fetch: None,
    };
    let database = run_pipeline::database(ctx, ui, "mcp")?;
    let report = run_pipeline::run(ctx, ui, database, plan)?;
    Ok(IndexAnswer {
        commits: report.scanned.ok_or_else(|| run_pipeline::missing("reading commits"))?,
        code: report.code.into_iter().next(),
        documents: report.documents.ok_or_else(|| run_pipeline::missing("making documents"))?,
        embedding: report.embedding,
    })
}
