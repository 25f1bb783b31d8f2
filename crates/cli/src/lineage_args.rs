//! What the commands about the history of a symbol share: which symbol, of
//! which clone, from which commit backwards.

use crate::ctx::Ctx;
use crate::file_args;
use crate::ui::Ui;
use code::compare::rules_version;
use code::lineage::{self, Request};
use git::ObjectId;
use insight::code::scope::{self, ScopeRequest};
use insight::file_target::{LocalClone, clone_at};
use insight::history::{self, LineageQuestion, Place, Target};
use model::lineage::Lineage;
use model::{Error, Result};
use std::path::{Path, PathBuf};
use store::Reader;

#[derive(Debug, Default, clap::Args)]
pub struct LineageArgs {
    /// Repository (folder or name; default: the one you are in)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
    /// Commit, branch or tag to begin with, going back (default: HEAD)
    #[arg(long, value_name = "REV")]
    at: Option<String>,
}

/// A clone, and where its history is asked from.
pub struct CloneRevision {
    pub reader: Option<Reader>,
    pub clone: LocalClone,
    pub at: ObjectId,
    pub cwd: PathBuf,
}

impl LineageArgs {
    pub fn standpoint(&self, ctx: &Ctx, ui: &mut Ui) -> Result<CloneRevision> {
        let database = ctx.db_path(ui);
        let reader = database.as_ref().ok().and_then(|database| Reader::open(database).ok());
        if let (Ok(database), Some(reader)) = (&database, &reader) {
            ctx.keep_results(database, reader);
        }
        let cwd = file_args::cwd(ctx);
        let dir = match (&self.repo, &reader) {
            (None, _) => cwd.clone(),
            (Some(named), Some(reader)) if !Path::new(named).is_dir() => {
                PathBuf::from(insight::repos::find_place(reader, named, None)?.dir)
            }
            (Some(named), _) => ctx.env.cwd.join(named),
        };
        let clone = clone_at(reader.as_ref(), &dir)?;
        let at = match &self.at {
            Some(rev) => super::commands::diff::resolve(&clone.git, rev)?,
            None => clone.git.head_commit()?.ok_or_else(|| {
                Error::not_found("this repository has no commits").suggest("commit something first")
            })?,
        };
        Ok(CloneRevision { reader, clone, at, cwd })
    }
}

impl CloneRevision {
    pub fn place(&self) -> Result<Place<'_>> {
        Place::of(self.reader.as_ref(), &self.clone)
    }

    /// Everything that a name may mean, the likeliest first.
    pub fn targets(&self, typed: &str) -> Result<Vec<Target>> {
        let asked = self.asked();
        history::targets(self.reader.as_ref(), &self.clone.git, self.at, &asked, typed)
    }

    pub fn target(&self, typed: &str) -> Result<Target> {
        history::target(self.reader.as_ref(), &self.clone.git, self.at, &self.asked(), typed)
    }

    fn asked(&self) -> ScopeRequest<'_> {
        // The folder matters where it is in the clone; else paths are the clone's own.
        let is_inside = self.cwd.starts_with(self.clone.git.dir());
        let here = if is_inside { &self.cwd } else { self.clone.git.dir() };
        ScopeRequest { repo: None, at: None, here: Some(here) }
    }

    pub fn lineage(&self, target: &Target, watch: &[String]) -> Result<Lineage> {
        let index = self.place()?.index();
        let work_out = || {
            lineage::lineage(&Request {
                repo: &self.clone.git,
                at: self.at,
                path: &target.path,
                symbol: &target.locator,
                index,
                watch,
            })
        };
        // What was watched for is not kept.
        let Some((reader, repo)) = index.filter(|_| watch.is_empty()) else { return work_out() };
        let asked = ScopeRequest { repo: None, at: None, here: Some(self.clone.git.dir()) };
        let scope = scope::resolve(reader, &asked).ok().filter(|scope| scope.repo.id == repo);
        let question = LineageQuestion {
            at: &self.at.to_string(),
            target,
            rules: &rules_version().to_string(),
            n_commits: store::commits::count(reader, Some(repo))?.0,
        };
        history::lineage(reader, scope.as_ref(), &question, work_out)
    }
}
