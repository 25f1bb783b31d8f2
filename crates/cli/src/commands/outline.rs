use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::outline::{FileOutline, outline};
use model::Result;

/// List what a file or a type defines, without the bodies
///
/// Types, functions and methods with their lines and signatures; of a type its
/// members, in whatever file they are written. --all adds fields, variables and
/// what is written inside functions.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore outline src/flask/app.py
  lore outline app.py --all
  lore outline Flask")]
pub struct Args {
    /// File path, or the end of it, or the name of a type
    path: String,
    /// Include fields, variables and inner functions
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = FileOutline;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FileOutline> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        outline(&reader, &scope, &self.path, self.all)
    }
}
