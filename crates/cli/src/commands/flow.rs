use super::Run;
use crate::code_args::{ScopeArgs, WalkArgs};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::flow::{Flow, flow};
use model::Result;
use model::code::EdgeKind;

/// Show call paths between two symbols
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore flow Flask.wsgi_app Flask.dispatch_request
  lore flow main Parser.parse --depth 8")]
pub struct Args {
    /// First symbol of the path: name or its end, or path:line
    from: String,
    /// Last symbol of the path
    to: String,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    walk: WalkArgs,
}

impl Run for Args {
    type Answer = Flow;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Flow> {
        let options = self.walk.options(10, &[EdgeKind::Calls])?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        flow(&reader, &scope, (&self.from, &self.to), &options)
    }
}
