use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use code::proof::Proof;
use insight::code::resolve::symbol_named;
use model::code::EdgeKind;
use model::{Error, Result};

/// Prove that an edge is in a snapshot, or that it is not
///
/// Prints a document of hashes that `lore verify` checks without a database;
/// whoever trusts the snapshot's root needs to trust nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore prove Flask.wsgi_app Flask.full_dispatch_request > proof.json
  lore prove Cart.sum price.total --edge imports --at v1.2.0")]
pub struct Args {
    /// Where the edge begins
    source: String,
    /// Where it ends
    target: String,
    /// Its kind
    #[arg(long, value_name = "KIND", default_value = "calls")]
    edge: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = Proof;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Proof> {
        let kind = EdgeKind::parse(&self.edge)
            .ok_or_else(|| Error::usage(format!("no kind of edge is called `{}`", self.edge)))?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let source = symbol_named(&reader, &scope, &self.source)?;
        let target = symbol_named(&reader, &scope, &self.target)?;
        let repo = &scope.repo.canonical_url;
        code::prove_edge(&reader, repo, &scope.snapshot, (source, target, kind))
    }
}
