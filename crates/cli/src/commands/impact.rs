use super::Run;
use crate::code_args::{ScopeArgs, WalkArgs};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::impact::{self, Impact, impact};
use model::Result;

/// Show everything a change to a symbol or file can affect
///
/// Follows callers, references, subtypes and tests up to five hops; grouped by
/// package, with the tests to run and the owners to ask.
#[derive(Debug, clap::Args)]
#[command(visible_alias = "blast-radius", after_help = "Examples:
  lore impact Flask.run
  lore impact src/flask/app.py --depth 2
  lore impact Session.get --fields tests.path,owners")]
pub struct Args {
    /// Symbol (name or its end, name(parameters), path:line) or file path
    #[arg(value_name = "SYMBOL|PATH")]
    what: String,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    walk: WalkArgs,
}

impl Run for Args {
    type Answer = Impact;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Impact> {
        let options = self.walk.options(5, impact::KINDS)?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        impact(&reader, &scope, &self.what, &options)?.with_runtime(&reader, ctx.now())
    }
}
