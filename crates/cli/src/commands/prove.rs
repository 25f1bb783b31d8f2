use super::Run;
use crate::code_args::{ScopeArgs, edge_kind};
use crate::ctx::Ctx;
use crate::ui::Ui;
use code::proof::Proof;
use insight::code::resolve::edge_named;
use model::Result;

/// Print a Merkle inclusion or absence proof for an edge
///
/// `lore verify` checks the proof without a database; only the root of the
/// snapshot has to be trusted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore prove Flask.wsgi_app Flask.full_dispatch_request > proof.json
  lore prove Cart.sum price.total --edge imports --at v1.2.0")]
pub struct Args {
    /// Source symbol
    source: String,
    /// Target symbol
    target: String,
    /// Edge type
    #[arg(long, value_name = "KIND", default_value = "calls")]
    edge: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = Proof;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Proof> {
        let kind = edge_kind(&self.edge)?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let (source, target) =
            edge_named(&reader, &scope, (&self.source, &self.target), kind)?;
        let repo = &scope.repo.canonical_url;
        code::prove_edge(&reader, repo, &scope.snapshot, (source, target, kind))
    }
}
