use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use insight::code::Scope;
use insight::code::graph::{Graph, whole_graph};
use model::hash::Hash32;
use model::{Error, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Export the code graph as JSON, DOT, GraphML or SCIP
///
/// All symbols with hash, signature and community, all edges with hash, type,
/// provenance and confidence, and who owns which file. SCIP holds definitions with documentation and every reference,
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
    pub metadata: ExportMetadata,
    #[serde(flatten)]
    pub graph: Graph,
    #[serde(skip)]
    pub format: Option<Form>,
    /// Instead of a text.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
}

/// What was exported, when, and how much it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportMetadata {
    pub repo: String,
    pub commit: String,
    /// Root of the snapshot.
    pub snapshot: String,
    pub exported_at: Timestamp,
    pub node_count: u64,
    pub edge_count: u64,
    pub community_count: u64,
}

/// The text form of a graph.
pub type Form = fn(&Export) -> String;

impl Show for Export {
    fn text(&self, out: &mut Painter) {
        if let Some(form) = self.format {
            out.verbatim(&form(self));
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
        let mut graph = whole_graph(&reader, &scope)?;
        name(&reader, &scope, &mut graph)?;
        let metadata = ExportMetadata {
            repo: scope.repo.canonical_url.clone(),
            commit: scope.snapshot.sha.clone(),
            snapshot: scope.snapshot.root.to_string(),
            exported_at: ctx.now(),
            node_count: graph.nodes.len() as u64,
            edge_count: graph.edges.len() as u64,
            community_count: graph.communities.len() as u64,
        };
        Ok(Export { metadata, graph, format: Some(form), bytes })
    }
}

/// Gives nodes and edges the names they have on every machine.
fn name(reader: &Reader, scope: &Scope, graph: &mut Graph) -> Result<()> {
    let ends: Vec<code::EdgeEnds> = graph
        .edges
        .iter()
        .map(|edge| (edge.source as usize, edge.target as usize, edge.kind, edge.provenance))
        .collect();
    let url = &scope.repo.canonical_url;
    let (nodes, edges) = code::export_hashes(reader, url, &graph.ids, &ends)?;
    let text = |hash: Option<Hash32>| hash.map_or_else(String::new, |hash| hash.to_string());
    for (node, hash) in graph.nodes.iter_mut().zip(nodes) {
        node.hash = text(hash);
    }
    for (edge, hash) in graph.edges.iter_mut().zip(edges) {
        edge.hash = text(hash);
    }
    Ok(())
}
