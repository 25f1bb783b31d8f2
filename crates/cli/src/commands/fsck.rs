use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use code::fsck::{FsckReport, fsck};
use insight::code::scope::{Asked, repository};
use model::Result;
use store::Reader;

/// Compute every hash and root of the code graph again and compare
///
/// Exit code 19 when something does not agree.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore fsck
  lore fsck -r app --json")]
pub struct Args {
    /// Of this repository (name, or an ending of it that is unique)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
}

impl Run for Args {
    type Answer = FsckReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FsckReport> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let asked = Asked { repo: self.repo.as_deref(), at: None, here: Some(&ctx.env.cwd) };
        let (repo, _) = repository(&reader, &asked)?;
        fsck(&reader, repo.id, &repo.canonical_url, &*ui.progress())
    }
}
