//! From config and flags to a run of the sync engine: shared by `lore sync`
//! and `lore ingest`.

use crate::ctx::Ctx;
use crate::forge_client::Connection;
use crate::ui::Ui;
use crate::{run_commits, run_embed, run_pipeline};
use code::index::IndexReport;
use forge::sync::{FetchScope, SyncOptions, SyncReport, SyncTarget};
use model::ids::Iid;
use model::suggest::nearest;
use model::text::one_line;
use model::{EntityKind, Error, ErrorCode, Result, Timestamp};
use pipeline::commits::CommitsReport;
use pipeline::{Clones, CodeScope, Database, DocumentScope, Fetch, Plan};
use schemars::JsonSchema;
use search::documents::DocumentReport;
use search::embedding::EmbedReport;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use store::Reader;
use store::runs::FULL_SYNC;

/// What a run fetched, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SyncAnswer {
    #[serde(flatten)]
    pub sync: SyncReport,
    /// What the local clones had; none without clones, or when the run stopped before.
    pub commits: Option<CommitsReport>,
    /// The code of the clones, as far as it was indexed.
    pub code: Vec<IndexReport>,
    /// None when the run was told to leave them, or stopped before.
    pub documents: Option<DocumentReport>,
    /// None when the run was told to leave them, or could not make any.
    pub embedding: Option<EmbedReport>,
    /// Wall time of the whole run; `elapsed_ms` is that of the forge alone.
    pub total_ms: u64,
}

/// What the command line adds to the config.
#[derive(Debug, Default)]
pub struct Request {
    pub command: String,
    /// Only these of the configured projects; empty means all.
    pub projects: Vec<String>,
    pub wanted: Option<FetchScope>,
    /// Only these issues and merge requests, as `group/project#12`.
    pub only: Vec<String>,
    pub full: bool,
    pub force: bool,
    pub retry_failed: bool,
    pub dry_run: bool,
    /// Leave the code of local clones alone.
    pub no_code: bool,
    /// Leave the documents to a later run.
    pub no_docs: bool,
    /// Leave the vectors to a later run.
    pub no_embed: bool,
}

/// A run, and then the documents of what it changed, and their vectors.
pub fn run(ctx: &Ctx, ui: &mut Ui, request: Request) -> Result<SyncAnswer> {
    let mut database = run_pipeline::database(ctx, ui, &request.command)?;
    database.force = request.force;
    let n_threads = run_pipeline::n_threads();
    let (no_code, no_docs, no_embed) = (request.no_code, request.no_docs, request.no_embed);
    let plan = Plan {
        fetch: Some(fetch(ctx, ui, request, &database)?),
        commits: Some(Clones::All(run_commits::configured(ctx.config(ui)?))),
        code: (!no_code).then_some(CodeScope::Registered { n_threads }),
        documents: (!no_docs).then_some(DocumentScope::Due),
        embedding: (!no_docs && !no_embed).then(|| run_embed::share(ctx, ui)),
        memory: Vec::new(),
    };
    let report = run_pipeline::run(ctx, ui, database, plan)?;
    Ok(SyncAnswer {
        sync: report.fetched.ok_or_else(|| run_pipeline::missing("fetching"))?,
        commits: report.commits,
        code: report.code,
        documents: report.documents,
        embedding: report.embedding,
        total_ms: report.elapsed_ms,
    })
}

fn fetch(ctx: &Ctx, ui: &mut Ui, request: Request, database: &Database) -> Result<Fetch> {
    let config = ctx.config(ui)?;
    let connection = Connection::from_config(config, &ctx.env)?;
    let settings = config.sync();
    let mut options = SyncOptions::new(
        database.path.clone(),
        &connection.host(),
        chosen(config.projects(), &request.projects)?,
    );
    options.wanted = request.wanted.unwrap_or_else(FetchScope::everything).without(|dependent| {
        (dependent.is_event() && !settings.fetch_resource_events)
            || (dependent == model::record::DependentKind::FileChanges
                && !settings.fetch_mr_file_changes)
    });
    // What is asked for by name, or only looked at, is no regular run.
    let is_everything = request.command == "sync"
        && request.projects.is_empty()
        && request.only.is_empty()
        && !request.dry_run;
    options.only = targets(config.projects(), &request.only)?;
    if !options.only.is_empty() {
        options.projects = options.only.iter().map(|it| it.project.clone()).collect();
        options.projects.dedup();
    }
    let is_due = is_everything && full_is_due(&database.path, settings.full_every, ctx.now());
    options.full = request.full || is_due;
    options.retry_failed = request.retry_failed;
    options.dry_run = request.dry_run;
    options.overlap = settings.overlap;
    options.reconcile.budget = settings.reconcile_budget;
    options.concurrency = settings.concurrency;
    options.owner.clone_from(&database.owner);
    options.command = if is_due { FULL_SYNC.to_owned() } else { request.command };
    Ok(Fetch { client: connection.client(ui.progress())?, options })
}

/// Whether everything was last listed longer ago than the setting allows.
fn full_is_due(database: &Path, every: Duration, now: Timestamp) -> bool {
    let last = || store::runs::last_full(&Reader::open(database).ok()?).ok().flatten();
    !every.is_zero() && last().is_some_and(|last| now.since(last) >= every)
}

/// The entities that were asked for, by their references.
fn targets(configured: &[String], only: &[String]) -> Result<Vec<SyncTarget>> {
    let target = |text: &String| {
        let unclear = || {
            Error::usage(format!("`{}` names no issue or merge request", one_line(text, 80)))
                .suggest("write it as group/project#12 or group/project!7")
        };
        let at = text.rfind(['#', '!']).ok_or_else(unclear)?;
        let kind = match &text[at..=at] {
            "#" => EntityKind::Issue,
            _ => EntityKind::MergeRequest,
        };
        let iid = text[at + 1..].parse().map_err(|_| unclear())?;
        let project = choose(configured, &text[..at])?;
        Ok(SyncTarget { project, kind, iid: Iid(iid) })
    };
    only.iter().map(target).collect()
}

/// The configured projects, or those among them that were asked for.
fn chosen(configured: &[String], asked: &[String]) -> Result<Vec<String>> {
    if configured.is_empty() {
        return Err(Error::new(ErrorCode::ConfigInvalid, "the config names no projects")
            .suggest("add one: lore init --project group/project"));
    }
    if asked.is_empty() {
        return Ok(configured.to_vec());
    }
    asked.iter().map(|asked| choose(configured, asked)).collect()
}

fn choose(configured: &[String], asked: &str) -> Result<String> {
    let lower = asked.to_lowercase();
    let ending = format!("/{lower}");
    let found: Vec<&String> = configured
        .iter()
        .filter(|path| {
            let path = path.to_lowercase();
            path == lower || path.ends_with(&ending)
        })
        .collect();
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let near = nearest(asked, configured.iter().map(String::as_str), 1);
            let hint = near.first().map_or_else(
                || format!("configured projects: {}", configured.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            Err(Error::not_found(format!("the config names no project `{asked}`")).suggest(hint))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|path| path.as_str()).collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("{} projects match `{asked}`: {}", names.len(), names.join(", ")),
            )
            .suggest(format!("choose one, e.g. -p {}", names[0])))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn asked_projects_must_be_configured() {
        let configured = paths(&["a/api", "b/api", "b/web"]);
        assert_eq!(chosen(&configured, &[]).unwrap(), configured);
        assert_eq!(chosen(&configured, &paths(&["web"])).unwrap(), ["b/web"]);
        let code = |asked: &str| chosen(&configured, &paths(&[asked])).unwrap_err().code();
        assert_eq!(code("api"), ErrorCode::Ambiguous);
        assert_eq!(code("nope"), ErrorCode::NotFound);
        assert_eq!(chosen(&[], &[]).unwrap_err().code(), ErrorCode::ConfigInvalid);
    }
}
