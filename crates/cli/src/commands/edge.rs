use super::Run;
use crate::code_args::{self, ScopeArgs};
use crate::ctx::Ctx;
use crate::manual_edges::{self, EdgeFile};
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use ::code::manual::ManualEdge;
use insight::code::manual::bind;
use model::{Error, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// Declare edges no parser can see
///
/// A plugin loaded by its name, a contract over a queue: written once with the
/// reason into `.lore/edges.jsonl`, reviewed and committed like memory, and counted
/// as certain (provenance `manual`) by callers, impact, flow and tests.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore edge add PluginHost.start CsvPlugin.load --reason 'loaded by name from plugins.toml'
  lore edge add Cart.checkout orders.consume --type depends_on --reason 'topic orders'
  lore edge list
  lore edge remove PluginHost.start CsvPlugin.load")]
pub struct Args {
    #[command(subcommand)]
    what: Option<EdgeCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum EdgeCommand {
    /// Declare that one symbol leads to another
    Add {
        /// Symbol it starts at (name or its end, path:line)
        from: String,
        /// Symbol it leads to
        to: String,
        /// Edge type
        #[arg(long = "type", short = 't', value_name = "TYPE", default_value = "calls")]
        kind: String,
        /// Why it is so, for those who read it later
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Take a declared edge back
    Remove {
        /// Symbol it starts at, as it was declared or as it is called now
        from: String,
        /// Symbol it leads to
        to: String,
        /// Only of this edge type
        #[arg(long = "type", short = 't', value_name = "TYPE")]
        kind: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// List declared edges
    List {
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DeclaredEdges {
    /// The file they are kept in.
    pub file: String,
    /// Whether the file counts: one that came with a clone must be trusted first.
    pub trusted: bool,
    pub added: u64,
    pub removed: u64,
    pub edges: Vec<DeclaredEdge>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DeclaredEdge {
    pub from: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub to: String,
    pub reason: String,
    pub author: Option<String>,
    pub timestamp: Option<Timestamp>,
    /// Why it does not count in the snapshot of what is checked out.
    pub unbound: Option<String>,
}

impl Run for Args {
    type Answer = DeclaredEdges;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<DeclaredEdges> {
        let file = EdgeFile::around(&ctx.env.cwd)?;
        match &self.what {
            Some(EdgeCommand::Add { from, to, kind, reason, scope }) => {
                let kind = code_args::edge_kind(kind)?;
                if reason.trim().is_empty() {
                    return Err(Error::usage("an edge needs a reason").suggest("--reason 'why'"));
                }
                refuse_foreign(ctx, &file)?;
                let (reader, scope) = scope.open(ctx, ui)?;
                let bound = bind(&reader, &scope, from, to, kind)?;
                let name = |symbol: &str| symbol.split("://").last().unwrap_or(symbol).to_owned();
                let edge = ManualEdge {
                    from: name(&bound.from.qualified_name),
                    to: name(&bound.to.qualified_name),
                    kind,
                    reason: reason.clone(),
                    author: crate::commands::remember::author(ctx),
                    timestamp: Some(ctx.now()),
                };
                let mut added = 0;
                file.edit(ctx, |edges| {
                    let is_same =
                        |it: &ManualEdge| (&it.from, it.kind, &it.to) == (&edge.from, kind, &edge.to);
                    added = u64::from(!edges.iter().any(is_same));
                    edges.retain(|it| !is_same(it));
                    edges.push(edge.clone());
                })?;
                let (_, unbound) = manual_edges::apply(ctx, ui, &ctx.env.cwd, &file)?;
                manual_edges::warn(ui, &unbound);
                answer(ctx, &file, (added, 0), &reader, &scope)
            }
            Some(EdgeCommand::Remove { from, to, kind, scope }) => {
                let kind = kind.as_deref().map(code_args::edge_kind).transpose()?;
                refuse_foreign(ctx, &file)?;
                let (reader, scope) = scope.open(ctx, ui)?;
                let is_end = |kept: &str, typed: &str| {
                    kept == typed
                        || kept
                            .strip_suffix(typed)
                            .is_some_and(|before| before.ends_with(['.', '/']) && !typed.is_empty())
                };
                let mut removed = 0;
                file.edit(ctx, |edges| {
                    let n_before = edges.len();
                    edges.retain(|edge| {
                        !(is_end(&edge.from, from)
                            && is_end(&edge.to, to)
                            && kind.is_none_or(|kind| kind == edge.kind))
                    });
                    removed = (n_before - edges.len()) as u64;
                })?;
                if removed == 0 {
                    return Err(Error::not_found(format!("no edge from `{from}` to `{to}` is declared"))
                        .suggest("list them: lore edge list"));
                }
                manual_edges::apply(ctx, ui, &ctx.env.cwd, &file)?;
                answer(ctx, &file, (0, removed), &reader, &scope)
            }
            Some(EdgeCommand::List { scope }) => {
                let (reader, scope) = scope.open(ctx, ui)?;
                answer(ctx, &file, (0, 0), &reader, &scope)
            }
            None => {
                let (reader, scope) = ScopeArgs::default().open(ctx, ui)?;
                answer(ctx, &file, (0, 0), &reader, &scope)
            }
        }
    }
}

/// What strangers wrote is not mixed with the user's own.
fn refuse_foreign(ctx: &Ctx, file: &EdgeFile) -> Result<()> {
    if file.exists() && !file.is_trusted(ctx) {
        let what = format!("{} came with the clone and is not trusted", file.path().display());
        return Err(Error::new(model::ErrorCode::ConfigInvalid, what).suggest("run: lore trust"));
    }
    Ok(())
}

fn answer(
    ctx: &Ctx,
    file: &EdgeFile,
    (added, removed): (u64, u64),
    reader: &store::Reader,
    scope: &insight::code::Scope,
) -> Result<DeclaredEdges> {
    let trusted = !file.exists() || file.is_trusted(ctx);
    let (declared, problems) = file.read()?;
    let mut edges = Vec::new();
    for (_, edge) in declared {
        let unbound = bind(reader, scope, &edge.from, &edge.to, edge.kind).err();
        edges.push(DeclaredEdge {
            unbound: unbound.map(|error| error.message().to_owned()),
            from: edge.from,
            kind: edge.kind.as_str().to_owned(),
            to: edge.to,
            reason: edge.reason,
            author: edge.author,
            timestamp: edge.timestamp,
        });
    }
    edges.extend(problems.into_iter().map(|problem| DeclaredEdge {
        from: String::new(),
        kind: String::new(),
        to: String::new(),
        reason: String::new(),
        author: None,
        timestamp: None,
        unbound: Some(format!("line {}: {}", problem.line, problem.message)),
    }));
    let path = file.path().display().to_string();
    Ok(DeclaredEdges { file: path, trusted, added, removed, edges })
}

impl Show for DeclaredEdges {
    fn text(&self, out: &mut Painter) {
        if self.added + self.removed > 0 {
            let word = if self.added > 0 { "added" } else { "removed" };
            let n = self.added + self.removed;
            out.text(&format!("{n} {word} in {}", self.file)).end();
            return;
        }
        if self.edges.is_empty() {
            out.footer("no edges are declared; add one: lore edge add FROM TO --reason WHY");
            return;
        }
        let mut table = Table::new([
            Column::new("from"),
            Column::new("type"),
            Column::new("to"),
            Column::flexible("reason"),
        ]);
        for edge in &self.edges {
            let reason = match &edge.unbound {
                Some(why) => Cell::text(why).label(Label::Warning),
                None => Cell::text(&edge.reason),
            };
            let cells = [&edge.from, &edge.kind, &edge.to].map(Cell::text);
            let [from, kind, to] = cells;
            table.row([from, kind, to, reason]);
        }
        out.table(&table);
        if !self.trusted {
            out.footer("the file came with the clone: it counts once you run `lore trust`");
        }
    }
}
