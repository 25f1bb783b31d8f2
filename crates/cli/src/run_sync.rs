//! From config and flags to a run of the sync engine: shared by `lore sync`
//! and `lore ingest`.

use crate::ctx::Ctx;
use crate::forge_client::Connection;
use crate::interrupt::block_on_stoppable;
use crate::run_commits::{self, CommitsReport};
use crate::ui::Ui;
use crate::{run_documents, run_embed, run_index};
use code::index::IndexReport;
use forge::sync::{self, SyncOptions, SyncReport, Wanted};
use model::suggest::nearest;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use search::documents::DocumentReport;
use search::embedding::{EmbedOptions, EmbedReport};
use serde::Serialize;
use std::sync::Arc;
use store::runs::RunStatus;

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
}

/// What the command line adds to the config.
#[derive(Debug, Default)]
pub struct Request {
    pub command: String,
    /// Only these of the configured projects; empty means all.
    pub projects: Vec<String>,
    pub wanted: Option<Wanted>,
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
    let (command, no_docs, no_embed) = (request.command.clone(), request.no_docs, request.no_embed);
    let no_code = request.no_code;
    let sync = fetch(ctx, ui, request)?;
    let mut answer =
        SyncAnswer { sync, commits: None, code: Vec::new(), documents: None, embedding: None };
    let is_over = answer.sync.status != RunStatus::Interrupted && !answer.sync.is_dry_run;
    if !is_over {
        return Ok(answer);
    }
    let commits = run_commits::run(ctx, ui, &command);
    answer.commits =
        unless_locked(ui, commits, "the commits of local clones were not read")?.flatten();
    if !no_code {
        answer.code = run_index::all(ctx, ui, &command)?;
    }
    if no_docs {
        return Ok(answer);
    }
    let documents = run_documents::run(ctx, ui, &command, false);
    answer.documents = unless_locked(ui, documents, "the search index was not brought up to date")?;
    if !no_embed && answer.documents.is_some() {
        answer.embedding = embed(ctx, ui, &command)?;
    }
    Ok(answer)
}

/// What was fetched stands; whoever writes now, or the next run, goes on.
fn unless_locked<T>(ui: &mut Ui, outcome: Result<T>, what: &str) -> Result<Option<T>> {
    match outcome {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.code() == ErrorCode::Locked => {
            ui.warn(&format!("{what}: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A share of the vectors. What was fetched is worth having without them.
pub fn embed(ctx: &Ctx, ui: &mut Ui, command: &str) -> Result<Option<EmbedReport>> {
    let options =
        EmbedOptions { most_texts: Some(run_embed::SYNC_SHARE), ..EmbedOptions::default() };
    let outcome = run_embed::provider(ctx, ui).and_then(|provider| match provider {
        Some(provider) => run_embed::run(ctx, ui, command, provider, options).map(Some),
        None => Ok(None),
    });
    match outcome {
        Err(error) if error.code() != ErrorCode::Interrupted => {
            let next = error.suggestion().map(|next| format!(" ({next})")).unwrap_or_default();
            ui.warn(&format!("no vectors were made: {error}{next}"));
            Ok(None)
        }
        outcome => outcome,
    }
}

fn fetch(ctx: &Ctx, ui: &mut Ui, request: Request) -> Result<SyncReport> {
    let config = ctx.config(ui)?;
    let connection = Connection::from_config(config, &ctx.env)?;
    let settings = config.sync();
    let mut options = SyncOptions::new(
        ctx.writable_db(ui)?,
        &connection.host(),
        chosen(config.projects(), &request.projects)?,
    );
    options.wanted = request.wanted.unwrap_or_else(Wanted::everything).without(|dependent| {
        (dependent.is_event() && !settings.fetch_resource_events)
            || (dependent == model::record::Dependent::FileChanges
                && !settings.fetch_mr_file_changes)
    });
    options.full = request.full;
    options.force = request.force;
    options.retry_failed = request.retry_failed;
    options.dry_run = request.dry_run;
    options.overlap = settings.overlap;
    options.reconcile.budget = settings.reconcile_budget;
    options.concurrency = settings.concurrency;
    options.owner = format!("{} (lore {})", ctx.env.process_name(), request.command);
    options.command = request.command;
    let progress = ui.progress();
    let client = Arc::new(connection.client(Arc::clone(&progress))?);
    let clock = ctx.clock();
    let told = Arc::clone(&progress);
    block_on_stoppable(
        ctx.stop(),
        |stop| sync::run(client, options, clock, progress, stop),
        || told.note("stopping after the transaction in hand; press Ctrl-C again to stop at once"),
    )
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
