use super::Run;
use crate::ctx::Ctx;
use crate::run_commits;
use crate::ui::Ui;
use code::history::ScanReport;
use insight::repos::{self, RepoList};
use model::Result;
use pipeline::CloneSpec;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use store::Reader;

/// Register local clones
///
/// Reads their commits and changed files into the database, now and at every
/// `lore sync`. A clone belongs to the forge project that its remote names.
/// Clones under `[[repos]]` in the config are registered automatically. lore
/// never writes to a clone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore repo add .
  lore repo add ~/src/project --url https://gitlab.example.com/group/project
  lore repo list
  lore repo remove ~/src/project")]
pub struct Args {
    #[command(subcommand)]
    what: Option<RepoCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum RepoCommand {
    /// Register a clone, a linked work tree or a bare repository
    Add {
        /// Directory inside the clone
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
        /// Canonical URL, if the remote does not name it
        #[arg(long, value_name = "URL")]
        url: Option<String>,
    },
    /// List registered clones
    List,
    /// Unregister a clone; the last one also removes its commits
    Remove {
        /// Directory of the clone, or name of the repository
        #[arg(value_name = "PATH")]
        repo: String,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    List(RepoList),
    Added(Added),
    Removed(RemoveAnswer),
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Added {
    #[serde(flatten)]
    pub scan: ScanReport,
    /// What the repository is called here.
    pub label: String,
    /// The synced forge project it is a clone of.
    pub project: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RemoveAnswer {
    pub removed: String,
}

impl Args {
    pub fn writes(&self) -> bool {
        matches!(self.what, Some(RepoCommand::Add { .. } | RepoCommand::Remove { .. }))
    }
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match self.what.as_ref().unwrap_or(&RepoCommand::List) {
            RepoCommand::List => {
                let reader = Reader::open(&ctx.db_path(ui)?)?;
                repos::list(&reader).map(Answer::List)
            }
            RepoCommand::Add { path, url } => {
                let path = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
                let clone = CloneSpec { path, url: url.clone() };
                let scan = run_commits::add(ctx, ui, &clone)?;
                let reader = Reader::open(&ctx.db_path(ui)?)?;
                let known = repos::list(&reader)?.items;
                let (label, project) = known
                    .into_iter()
                    .find(|repo| repo.name == scan.repo)
                    .map_or_else(|| (scan.repo.clone(), None), |repo| (repo.label, repo.project));
                Ok(Answer::Added(Added { scan, label, project }))
            }
            RepoCommand::Remove { repo } => {
                let reader = Reader::open(&ctx.db_path(ui)?)?;
                let dir = ctx.env.resolve(repo, &ctx.env.cwd);
                // A folder that still exists may be named by any path to it.
                let dir = dir.canonicalize().unwrap_or(dir);
                let place = repos::find_place(&reader, repo, Some(&dir))?;
                drop(reader);
                let removed = place.dir.clone();
                run_commits::remove(ctx, ui, &place)?;
                Ok(Answer::Removed(RemoveAnswer { removed }))
            }
        }
    }
}
