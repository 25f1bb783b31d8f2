//! Everything lore learns from a local repository alone: its commits, its memory,
//! its code, and the texts to search. Behind `lore index` and an agent's first
//! question; and `lore snapshots --gc`.

use crate::ctx::Ctx;
use crate::ui::Ui;
use crate::{manual_edges, run_commits, run_embed, run_pipeline};
use code::history::{self, ScanReport};
use code::index::{IndexReport, Request};
use git::{ObjectId, Repo};
use model::Result;
use pipeline::{Clones, CodeScope, DocumentScope, EmbedPlan, Plan, RunReport};
use schemars::JsonSchema;
use search::documents::DocumentReport;
use search::embedding::EmbedReport;
use serde::Serialize;
use std::path::Path;
use store::{Reader, documents, repos};

/// What reading a repository brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexAnswer {
    #[serde(flatten)]
    pub code: IndexReport,
    /// What the repository is called here.
    pub name: String,
    /// Of a range of commits; the rest is of the last of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainReport>,
    pub commits: ScanReport,
    pub documents: DocumentReport,
    /// Texts that can be found, of all repositories and projects.
    pub searchable: u64,
    /// Wall time of the whole run.
    pub total_ms: u64,
}

/// What indexing a range of commits brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChainReport {
    pub commits: u64,
    /// Those that were not indexed before.
    pub new: u64,
    pub files_read: u64,
    pub edges_added: u64,
    pub edges_removed: u64,
}

/// Reads the repository around `dir`: what its branches have that is not known
/// yet, and the code of one commit. Embeddings are left to `lore embed`.
pub fn run(ctx: &Ctx, ui: &mut Ui, dir: &Path, request: Request) -> Result<IndexAnswer> {
    read_all(ctx, ui, dir, CodeScope::One { dir: dir.to_owned(), request })
}

/// The same for many commits, parents first.
pub fn run_chain(
    ctx: &Ctx,
    ui: &mut Ui,
    dir: &Path,
    request: Request,
    commits: Vec<ObjectId>,
) -> Result<IndexAnswer> {
    read_all(ctx, ui, dir, CodeScope::Chain { dir: dir.to_owned(), request, commits })
}

fn read_all(ctx: &Ctx, ui: &mut Ui, dir: &Path, code: CodeScope) -> Result<IndexAnswer> {
    let is_chain = matches!(code, CodeScope::Chain { .. });
    let (report, database) = read(ctx, ui, "index", dir, code, None)?;
    let chain = is_chain.then(|| ChainReport {
        commits: report.code.len() as u64,
        new: report.code.iter().filter(|code| code.is_new).count() as u64,
        files_read: report.code.iter().map(|code| code.files_read).sum(),
        edges_added: report.code.iter().map(|code| code.edges_added).sum(),
        edges_removed: report.code.iter().map(|code| code.edges_removed).sum(),
    });
    let code = report.code.into_iter().next_back();
    let code = code.ok_or_else(|| run_pipeline::missing("indexing"))?;
    manual_edges::follow(ctx, ui, dir);
    let reader = Reader::open(&database)?;
    let (all, places) = (repos::all(&reader)?, repos::places(&reader)?);
    let repo = all.iter().find(|repo| repo.canonical_url == code.repo);
    Ok(IndexAnswer {
        name: repo.map_or_else(|| code.repo.clone(), |it| insight::repos::label(it, &places)),
        code,
        chain,
        commits: report.scanned.ok_or_else(|| run_pipeline::missing("reading commits"))?,
        documents: report.documents.ok_or_else(|| run_pipeline::missing("making documents"))?,
        searchable: documents::count(&reader)?,
        total_ms: report.elapsed_ms,
    })
}

/// What reading a repository for an agent brought.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FirstReading {
    pub commits: ScanReport,
    /// None when the code could not be indexed; a warning says why.
    pub code: Option<IndexReport>,
    pub documents: DocumentReport,
    /// None when nobody could compute embeddings.
    pub embedding: Option<EmbedReport>,
}

/// The same for an agent: code that cannot be indexed is a warning, and a share
/// of the embeddings is computed at once.
pub fn run_for_agent(ctx: &Ctx, ui: &mut Ui, dir: &Path) -> Result<FirstReading> {
    let request = Request {
        url: None,
        rev: None,
        work_tree: false,
        full: false,
        n_threads: run_pipeline::n_threads(),
    };
    let code = CodeScope::Tolerant { dir: dir.to_owned(), request };
    let embedding = run_embed::share(ctx, ui);
    let (report, _) = read(ctx, ui, "mcp", dir, code, Some(embedding))?;
    manual_edges::follow(ctx, ui, dir);
    Ok(FirstReading {
        commits: report.scanned.ok_or_else(|| run_pipeline::missing("reading commits"))?,
        code: report.code.into_iter().next(),
        documents: report.documents.ok_or_else(|| run_pipeline::missing("making documents"))?,
        embedding: report.embedding,
    })
}

fn read(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    dir: &Path,
    code: CodeScope,
    embedding: Option<EmbedPlan>,
) -> Result<(RunReport, std::path::PathBuf)> {
    // Looked at first: what is no clone must not make a database.
    let url = run_commits::configured_url(ctx.config(ui)?, dir);
    let clone = history::find_clone(dir, url.as_deref())?;
    let plan = Plan {
        commits: Some(Clones::One(clone)),
        memory: vec![dir.to_owned()],
        code: Some(code),
        documents: Some(DocumentScope::Due),
        embedding,
        fetch: None,
    };
    let database = run_pipeline::database(ctx, ui, command)?;
    let path = database.path.clone();
    Ok((run_pipeline::run(ctx, ui, database, plan)?, path))
}

/// Removes the snapshots of a repository that nothing needs any more.
pub fn gc(
    ctx: &Ctx,
    ui: &mut Ui,
    repo: &repos::Repo,
    dir: Option<&str>,
    n_keep: usize,
) -> Result<code::gc::GcReport> {
    let database = run_pipeline::database(ctx, ui, "snapshots --gc")?;
    pipeline::write(&database, &ctx.clock(), |queue| {
        let clone = dir.map(|dir| Repo::open(Path::new(dir))).transpose()?;
        code::gc::gc(queue, repo.id, clone.as_ref(), n_keep)
    })
}
