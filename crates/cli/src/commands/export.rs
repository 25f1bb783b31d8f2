use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use insight::code::graph::{Graph, graph};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;

/// Write a snapshot of the code graph for other tools
///
/// All symbols with their community, and all edges with type, provenance and
/// confidence.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore export > graph.json
  lore export --format dot | dot -Tsvg > graph.svg
  lore export --format graphml --at v1.2.0 > graph.graphml")]
pub struct Args {
    /// In this form
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Json,
    Dot,
    Graphml,
}

/// A graph and the form its text takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Export {
    #[serde(flatten)]
    pub graph: Graph,
    #[serde(skip)]
    pub format: Option<Form>,
}

/// The text form of a graph.
pub type Form = fn(&Graph) -> String;

impl Show for Export {
    fn text(&self, out: &mut Painter) {
        if let Some(form) = self.format {
            out.verbatim(&form(&self.graph));
        }
    }
}

impl Run for Args {
    type Answer = Export;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Export> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let form: Form = match self.format {
            Format::Json => crate::text::code::export::json,
            Format::Dot => crate::text::code::export::dot,
            Format::Graphml => crate::text::code::export::graphml,
        };
        Ok(Export { graph: graph(&reader, &scope)?, format: Some(form) })
    }
}
