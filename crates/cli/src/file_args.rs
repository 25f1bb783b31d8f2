//! Arguments that name a file, shared by `file-history`, `trace` and `why`.

use crate::ctx::Ctx;
use insight::file_target::{self, FileQuery};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct ScopeArgs {
    /// Project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Registered repository (folder or name)
    #[arg(short, long, value_name = "REPO", conflicts_with = "project")]
    repo: Option<String>,
}

/// The working directory as registered clones know it.
pub fn cwd(ctx: &Ctx) -> PathBuf {
    file_target::real(&ctx.env.cwd)
}

impl ScopeArgs {
    /// The repository that was named.
    pub fn repo(&self) -> Option<&str> {
        self.repo.as_deref()
    }

    pub fn typed<'a>(&'a self, path: &'a str, cwd: &'a std::path::Path) -> FileQuery<'a> {
        FileQuery { path, project: self.project.as_deref(), repo: self.repo.as_deref(), cwd }
    }
}
