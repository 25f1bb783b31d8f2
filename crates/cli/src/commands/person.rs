use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::people::person::{self, PersonActivity};
use model::Result;
use model::time::parse_when;
use store::Reader;

/// Show a person's areas, commits, merge requests and reviews
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore person ada
  lore person @ada --since 1y -p group/project
  lore person ada --fields paths,labels")]
pub struct Args {
    /// Username, full name or the address of their commits
    user: String,
    /// Limit to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only activity after this date: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
}

impl Run for Args {
    type Answer = PersonActivity;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<PersonActivity> {
        let since = self.since.as_deref().map(|text| parse_when(text, ctx.now())).transpose()?;
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let cwd = insight::file_target::real(&ctx.env.cwd);
        let project = self.project.as_deref();
        person::person(&reader, &self.user, project, since, &cwd, ctx.now())
    }
}
