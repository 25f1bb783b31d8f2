use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots::{self, PlaceArgs};
use crate::ui::{Label, Painter, Show, Ui};
use insight::memory::graph::GraphView;
use memory::Root;
use memory::files::graph::Edge;
use model::memory::{LinkTarget, Extra, RecordId, Relation};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Link memory records to each other, to code and to issues
///
/// Either end is a record, a path, path:line, a symbol, #12, !34 or a commit.
/// Relations: relates_to, depends_on, implements, learned_from, affects,
/// produces, contradicts, supersedes, derived_from, part_of, summarized_by.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore graph connect dec-4k2p9xqa src/store.rs affects
  lore graph connect pat-77ab01cd dec-4k2p9xqa derived_from
  lore graph disconnect dec-4k2p9xqa src/store.rs
  lore graph show src/store.rs --depth 2")]
pub struct Args {
    #[command(subcommand)]
    what: GraphCommand,
}

#[derive(Debug, clap::Subcommand)]
enum GraphCommand {
    /// Add an edge
    Connect {
        /// Source of the edge
        from: String,
        /// Target of the edge
        to: String,
        /// Relation type
        #[arg(default_value = "relates_to")]
        relation: String,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Remove edges
    Disconnect {
        /// Source of the edges
        from: String,
        /// Target of the edges
        to: String,
        /// Remove only this relation type
        relation: Option<String>,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Show edges from and to a record, path, symbol or issue
    Show {
        /// A record, a path, a symbol, #12, !34, a commit
        end: String,
        /// Number of hops, 1 to 3
        #[arg(long, value_name = "N", default_value_t = 1,
              value_parser = clap::value_parser!(u8).range(1..=3))]
        depth: u8,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GraphAnswer {
    Changed(EdgeChanges),
    View(GraphView),
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeChanges {
    pub added: Vec<ChangedEdge>,
    pub removed: Vec<ChangedEdge>,
    /// The folder they lie in.
    pub root: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedEdge {
    pub from: String,
    pub relation: Relation,
    pub to: String,
}

impl ChangedEdge {
    fn of(edge: &Edge) -> Self {
        let (from, relation, to) = edge.key();
        ChangedEdge { from, relation, to }
    }
}

impl Run for Args {
    type Answer = GraphAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<GraphAnswer> {
        let level = memory_roots::level(ctx, ui, &[])?;
        let reader = &level.reader;
        match &self.what {
            GraphCommand::Connect { from, to, relation, place } => {
                let edge = Edge {
                    from: end(reader, from)?,
                    relation: Relation::read(relation)?,
                    to: end(reader, to)?,
                    timestamp: Some(ctx.now()),
                    extra: Extra::new(),
                };
                if edge.from == edge.to {
                    return Err(Error::usage("an edge needs two different ends")
                        .suggest("lore graph connect --help shows examples"));
                }
                let root = place_of(ctx, reader, place, &edge)?;
                let n_added = root.edit(|edit| edit.connect(std::slice::from_ref(&edge)))?;
                memory_roots::follow(ctx, ui, &root);
                let added = if n_added > 0 { vec![ChangedEdge::of(&edge)] } else { Vec::new() };
                Ok(changed(added, Vec::new(), &root))
            }
            GraphCommand::Disconnect { from, to, relation, place } => {
                let (from, to) = (end(reader, from)?, end(reader, to)?);
                let relation = relation.as_deref().map(Relation::read).transpose()?;
                let like = Edge {
                    from,
                    relation: relation.unwrap_or(Relation::RelatesTo),
                    to,
                    timestamp: None,
                    extra: Extra::new(),
                };
                let root = place_of(ctx, reader, place, &like)?;
                let gone = root.edit(|edit| {
                    edit.disconnect(|edge| {
                        edge.from == like.from
                            && edge.to == like.to
                            && relation.is_none_or(|relation| edge.relation == relation)
                    })
                })?;
                if gone.is_empty() {
                    return Err(Error::not_found(format!(
                        "no edge leads from {} to {}",
                        like.from, like.to
                    ))
                    .suggest(format!("lore graph show {}", like.from)));
                }
                memory_roots::follow(ctx, ui, &root);
                Ok(changed(Vec::new(), gone.iter().map(ChangedEdge::of).collect(), &root))
            }
            GraphCommand::Show { end: text, depth } => {
                let home = level.standpoint.project.as_deref();
                let start = memory::index::absolute(end(reader, text)?, home);
                Ok(GraphAnswer::View(insight::memory::graph::view(reader, &start, *depth)?))
            }
        }
    }
}

fn changed(added: Vec<ChangedEdge>, removed: Vec<ChangedEdge>, root: &Root) -> GraphAnswer {
    GraphAnswer::Changed(EdgeChanges { added, removed, root: root.dir.display().to_string() })
}

/// An end as typed; the beginning of an id of a record will do.
fn end(reader: &Reader, text: &str) -> Result<LinkTarget> {
    let end = LinkTarget::parse(text)?;
    match &end {
        LinkTarget::Record(_) => insight::memory::resolve(reader, text).map(LinkTarget::Record),
        _ => Ok(end),
    }
}

/// The folder an edge belongs to: the one named, else that of its records.
fn place_of(ctx: &Ctx, reader: &Reader, place: &PlaceArgs, edge: &Edge) -> Result<Root> {
    let named = place.personal || place.root.is_some();
    let record: Option<&RecordId> = edge.from.record().or(edge.to.record());
    match record {
        Some(id) if !named => memory_roots::holder(reader, ctx, id),
        _ => place.root(ctx),
    }
}

impl Show for GraphAnswer {
    fn text(&self, out: &mut Painter) {
        match self {
            GraphAnswer::View(view) => view.text(out),
            GraphAnswer::Changed(changes) => {
                for (word, edges) in [("added", &changes.added), ("removed", &changes.removed)] {
                    for edge in edges {
                        out.text(&format!("{word} ")).label(Label::Id, &edge.from);
                        out.text(&format!(" → {} → ", edge.relation));
                        out.label(Label::Id, &edge.to).end();
                    }
                }
                if changes.added.is_empty() && changes.removed.is_empty() {
                    out.footer("that edge is there already");
                }
            }
        }
    }
}
