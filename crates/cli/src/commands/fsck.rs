use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use code::fsck::{FsckReport, fsck};
use insight::code::scope::{ScopeRequest, repository};
use model::Result;
use store::Reader;

/// Verify every hash and Merkle root of the code graph
///
/// Recomputes them from the stored facts. Exit code 19 on a mismatch.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore fsck
  lore fsck -r app --json")]
pub struct Args {
    /// Limit to one repository (name or unique suffix)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
}

impl Run for Args {
    type Answer = FsckReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FsckReport> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let asked = ScopeRequest { repo: self.repo.as_deref(), at: None, here: Some(&ctx.env.cwd) };
        let (repo, _) = repository(&reader, &asked)?;
        fsck(&reader, repo.id, &repo.canonical_url, &*ui.progress())
    }
}
