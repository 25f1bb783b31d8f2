use super::Run;
use crate::ctx::Ctx;
use crate::run_commits;
use crate::ui::Ui;
use code::history::ScanReport;
use insight::repos::{self, RepoList};
use model::{Error, Result};
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
  lore repo add ~/src/api ~/src/web
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
        /// Directories inside clones
        #[arg(value_name = "PATH", default_value = ".")]
        paths: Vec<PathBuf>,
        /// Canonical URL of the one clone, if the remote does not name it
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
    AllAdded { added: Vec<Added> },
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

fn add(ctx: &Ctx, ui: &mut Ui, clone: &CloneSpec) -> Result<Added> {
    let scan = run_commits::add(ctx, ui, clone)?;
    let reader = Reader::open(&ctx.db_path(ui)?)?;
    let known = repos::list(&reader)?.items;
    let (label, project) = known
        .into_iter()
        .find(|repo| repo.name == scan.repo)
        .map_or_else(|| (scan.repo.clone(), None), |repo| (repo.label, repo.project));
    Ok(Added { scan, label, project })
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match self.what.as_ref().unwrap_or(&RepoCommand::List) {
            RepoCommand::List => {
                let reader = Reader::open(&ctx.db_path(ui)?)?;
                repos::list(&reader).map(Answer::List)
            }
            RepoCommand::Add { paths, url } => {
                if url.is_some() && paths.len() > 1 {
                    return Err(Error::usage("--url names one clone, and there are several")
                        .suggest("add that one by itself"));
                }
                let clone = |path: &PathBuf| {
                    let path = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
                    CloneSpec { path, url: url.clone() }
                };
                let clones: Vec<CloneSpec> = paths.iter().map(clone).collect();
                // One that is no clone is told of before any is added.
                for clone in clones.iter().filter(|_| clones.len() > 1) {
                    code::history::find_clone(&clone.path, None).map_err(|error| {
                        error.context(clone.path.display().to_string())
                    })?;
                }
                let mut added = Vec::new();
                for clone in &clones {
                    added.push(add(ctx, ui, clone)?);
                }
                Ok(match added.len() {
                    1 => Answer::Added(added.remove(0)),
                    _ => Answer::AllAdded { added },
                })
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
