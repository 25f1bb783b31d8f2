use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use insight::code::graph::{Graph, graph};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Export the code graph as JSON, DOT, GraphML or SCIP
///
/// All symbols with their community, and all edges with type, provenance and
/// confidence. SCIP holds definitions with documentation and every reference,
/// for code search and editors.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore export > graph.json
  lore export --format dot | dot -Tsvg > graph.svg
  lore export --format graphml --at v1.2.0 > graph.graphml
  lore export --format scip > index.scip")]
pub struct Args {
    /// Output format
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
    /// Binary: an index for tools that read SCIP
    Scip,
}

/// A graph and the form its text takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Export {
    #[serde(flatten)]
    pub graph: Graph,
    #[serde(skip)]
    pub format: Option<Form>,
    /// Instead of a text.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
}

/// The text form of a graph.
pub type Form = fn(&Graph) -> String;

impl Show for Export {
    fn text(&self, out: &mut Painter) {
        if let Some(form) = self.format {
            out.verbatim(&form(&self.graph));
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }
}

impl Run for Args {
    type Answer = Export;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Export> {
        if self.format == Format::Scip && ui.look().is_tty {
            return Err(Error::usage("SCIP is binary and no text for a terminal")
                .suggest("write it to a file: lore export --format scip > index.scip"));
        }
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let mut bytes = None;
        let form: Form = match self.format {
            Format::Json => crate::text::code::export::json,
            Format::Dot => crate::text::code::export::dot,
            Format::Graphml => crate::text::code::export::graphml,
            Format::Scip => {
                bytes = Some(insight::code::scip(&reader, &scope, env!("CARGO_PKG_VERSION"))?);
                crate::text::code::export::json
            }
        };
        Ok(Export { graph: graph(&reader, &scope)?, format: Some(form), bytes })
    }
}
