use super::Run;
use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::run_pipeline;
use crate::ui::Ui;
use git::Repo;
use insight::code::scope::{self, ScopeRequest};
use model::code::Provenance;
use model::{Error, ErrorCode, Result};
use pipeline::RunControl;
use pipeline::enrich::{ForgetReport, ScipReport};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use store::Reader;

/// Read call edges from a SCIP index
///
/// SCIP indexes are made by compilers: scip-typescript, scip-python, `rust-analyzer
/// scip`. What the index says of calls in the indexed commit is kept beside lore's own
/// edges, with more confidence; symbols of other packages become external symbols. An
/// index of another commit is refused: its lines and columns would not fit the code.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore ingest-scip index.scip
  lore ingest-scip index.scip --commit 3f2a9c1d
  lore ingest-scip --forget")]
pub struct Args {
    /// The index
    #[arg(value_name = "FILE", required_unless_present = "forget")]
    file: Option<PathBuf>,
    /// The commit the index was made of; refused if another one is indexed
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// Directory inside the repository
    #[arg(long, value_name = "PATH", default_value = ".")]
    dir: PathBuf,
    /// Remove all that SCIP indexes added, from every commit
    #[arg(long, conflicts_with_all = ["file", "commit"])]
    forget: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    Read(ScipReport),
    Forgotten(ForgetReport),
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        let dir = ctx.env.cwd.join(&self.dir);
        let reader = Reader::open(&ctx.db_path(ui)?).map_err(|error| match error.code() {
            ErrorCode::NotIndexed => error.suggest("run: lore index"),
            _ => error,
        })?;
        let at = self.commit.as_deref();
        let asked = ScopeRequest { here: Some(&dir), at, ..ScopeRequest::default() };
        let scope = scope::resolve(&reader, &asked)?;
        if let Some(sha) = at {
            let meant = Repo::open(&dir)?.resolve(sha)?.to_string();
            if meant != scope.snapshot.sha {
                return Err(Error::usage(format!("commit {sha} is not the one indexed"))
                    .suggest(format!("run: lore index --at {sha}")));
            }
        }
        drop(reader);
        let database = run_pipeline::database(ctx, ui, "ingest-scip")?;
        let control =
            RunControl { clock: ctx.clock(), progress: ui.progress(), cancel: ctx.stop() };
        let Some(file) = &self.file else {
            let scip = Provenance::ScipResolved;
            let forgotten = pipeline::enrich::forget(scope.repo.id, scip, &database, &control)?;
            return Ok(Answer::Forgotten(forgotten));
        };
        let file = ctx.env.cwd.join(file);
        let seq = scope.snapshot.seq;
        let report = block_on_stoppable(
            ctx.stop(),
            |cancel| async move {
                let control = RunControl { cancel, ..control };
                let work = move || {
                    pipeline::enrich::ingest_scip(&dir, seq, &file, &database, &control)
                };
                tokio::task::spawn_blocking(work)
                    .await
                    .map_err(|error| Error::internal("the run ended early").caused_by(error))?
            },
            || {},
        )?;
        Ok(Answer::Read(report))
    }
}
