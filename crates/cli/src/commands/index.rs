use super::Run;
use crate::ctx::Ctx;
use crate::run_index::{self, IndexAnswer};
use crate::run_pipeline;
use crate::ui::Ui;
use code::index::Request;
use git::{LogOptions, ObjectId, Repo};
use model::time::parse_when;
use model::{Error, Result};
use std::path::{Path, PathBuf};

/// Index a repository: its code, commits and memory
///
/// All that lore can know without a forge, from git's object database alone: the
/// code of a commit (default: the one checked out), the commits of all branches,
/// and the texts to search. Incremental: unchanged files and known commits are not
/// read again. Branches and work trees are kept side by side.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore index
  lore index ~/src/project --at v1.2.0
  lore index --working-tree
  lore index --range v1.1.0..v1.2.0
  lore index --since 3m")]
pub struct Args {
    /// Directory inside the repository
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Branch, tag or commit to index (default: HEAD)
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Index the working tree, including uncommitted changes
    #[arg(long, conflicts_with = "at")]
    working_tree: bool,
    /// Index every commit of a range, oldest first
    #[arg(long, value_name = "A..B", conflicts_with_all = ["at", "working_tree"])]
    range: Option<String>,
    /// Index every commit since this date: 7d, 2w, 2024-01-31
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["at", "working_tree", "range"])]
    since: Option<String>,
    /// Index every commit of the branch checked out
    #[arg(long, conflicts_with_all = ["at", "working_tree", "range", "since"])]
    all: bool,
    /// Read and link every file again
    #[arg(long)]
    full: bool,
}

impl Run for Args {
    type Answer = IndexAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<IndexAnswer> {
        let dir = ctx.env.cwd.join(&self.path);
        let request = Request {
            url: None,
            rev: self.at.clone(),
            work_tree: self.working_tree,
            full: self.full,
            n_threads: run_pipeline::n_threads(),
        };
        match self.chain(ctx, &dir)? {
            Some(commits) => run_index::run_chain(ctx, ui, &dir, request, commits),
            None => run_index::run(ctx, ui, &dir, request),
        }
    }
}

impl Args {
    /// The commits of a range, oldest first; none when one commit is asked for.
    fn chain(&self, ctx: &Ctx, dir: &Path) -> Result<Option<Vec<ObjectId>>> {
        if self.range.is_none() && self.since.is_none() && !self.all {
            return Ok(None);
        }
        let repo = Repo::open(dir)?;
        let since = self.since.as_deref().map(|text| parse_when(text, ctx.now())).transpose()?;
        let (from, to) = match self.range.as_deref().map(|range| range.split_once("..")) {
            None => (None, "HEAD"),
            Some(Some((from, to))) => (Some(from), if to.is_empty() { "HEAD" } else { to }),
            Some(None) => {
                return Err(Error::usage("a range is two revisions with `..` between them")
                    .suggest("e.g. lore index --range v1.1.0..v1.2.0"));
            }
        };
        let known = from.filter(|from| !from.is_empty()).map(|from| repo.resolve(from));
        let options = LogOptions {
            heads: vec![repo.resolve(to)?],
            known: known.transpose()?.into_iter().collect(),
            with_changes: false,
            is_oldest_first: true,
            ..LogOptions::default()
        };
        let mut commits = Vec::new();
        for commit in repo.log(&options)? {
            let commit = commit?;
            if since.is_none_or(|since| commit.committer.at >= since) {
                commits.push(commit.id);
            }
        }
        if commits.is_empty() {
            return Err(Error::not_found("no commit is in this range")
                .suggest("list them: git log --oneline A..B"));
        }
        Ok(Some(commits))
    }
}
