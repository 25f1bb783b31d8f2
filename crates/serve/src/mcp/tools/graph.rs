//! The graph by conditions, and where values go.

use super::code::scope;
use super::{Group, Tool};
use crate::mcp::call::{Call, within};
use insight::code::dataflow::{self, DataFlow, FlowDirection, FlowOptions};
use insight::code::query::{self, GraphMatches};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::suggest::nearest;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

pub struct GraphQuery;
pub struct TraceDataflow;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryParams {
    /// Name or its end; * stands for anything
    name: Option<String>,
    /// function, method, class, interface, route_handler, table, rpc, …
    #[serde(default)]
    kinds: Vec<String>,
    /// A folder and all below it
    package: Option<String>,
    /// List edges of these types: calls, imports, inherits, reads_field, …; `any` for all
    #[serde(default)]
    edges: Vec<String>,
    /// ast_inferred, ast_resolved, lsp_resolved, scip_resolved, config_declared, otel_trace, manual
    provenance: Option<String>,
    /// Of edges, 0 to 1
    min_confidence: Option<f64>,
    /// 1 to 1000 (default 100)
    limit: Option<u32>,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for GraphQuery {
    const NAME: &'static str = "graph_query";
    const TITLE: &'static str = "Nodes and edges by what they are";
    const ABOUT: &'static str = "List symbols of the code graph by name, kind and package, and their \
        edges by type, provenance and confidence. All conditions must hold.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/nodes", "/edges"];

    type Params = QueryParams;
    type Answer = GraphMatches;

    fn answer(call: &Call, params: QueryParams) -> Result<GraphMatches> {
        let sure = params.min_confidence.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&sure) {
            return Err(Error::usage("`min_confidence` must be between 0 and 1"));
        }
        let (any, edges): (Vec<&String>, Vec<&String>) =
            params.edges.iter().partition(|word| word.as_str() == "any");
        let query = query::GraphQuery {
            name: params.name.filter(|name| !name.trim().is_empty()),
            kinds: words("kind of symbol", params.kinds.iter(), &NodeKind::ALL, NodeKind::as_str)?,
            package: params.package,
            edges: words("type of edge", edges.into_iter(), &EdgeKind::ALL, EdgeKind::as_str)?,
            provenance: words(
                "provenance",
                params.provenance.iter(),
                &Provenance::ALL,
                Provenance::as_str,
            )?
            .pop(),
            min_confidence: (sure * 100.0).round() as u8,
            any_edge: !any.is_empty(),
            limit: within("limit", params.limit, 100, 1000)?,
        };
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        query::graph_query(call.reader()?, &scope, &query)
    }
}

/// Words of a vocabulary, or which one was probably meant.
fn words<'a, T: Copy>(
    what: &str,
    typed: impl Iterator<Item = &'a String>,
    all: &[T],
    as_str: impl Fn(T) -> &'static str,
) -> Result<Vec<T>> {
    let parse = |word: &String| {
        all.iter().copied().find(|one| as_str(*one) == word).ok_or_else(|| {
            let known = all.iter().map(|one| as_str(*one));
            let hint = match nearest(word, known.clone(), 1).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("one of {}", known.collect::<Vec<_>>().join(", ")),
            };
            let shown = model::text::one_line(word, 60);
            Error::usage(format!("no {what} is called `{shown}`")).suggest(hint)
        })
    };
    typed.map(parse).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataflowParams {
    /// A function, field or variable
    symbol: String,
    /// `forward`: where values go (default); `backward`: where they come from
    #[serde(default)]
    direction: EdgeDirection,
    /// Steps, 1 to 10 (default 3)
    depth: Option<u32>,
    /// 1 to 500 (default 50)
    limit: Option<u32>,
    repo: Option<String>,
    at: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
enum EdgeDirection {
    #[default]
    Forward,
    Backward,
}

impl Tool for TraceDataflow {
    const NAME: &'static str = "trace_dataflow";
    const TITLE: &'static str = "Where values go";
    const ABOUT: &'static str = "Follow values from a symbol through fields, arguments and returns, as \
        far as calls and uses of fields tell; says what it cannot know.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/steps"];

    type Params = DataflowParams;
    type Answer = DataFlow;

    fn answer(call: &Call, params: DataflowParams) -> Result<DataFlow> {
        let options = FlowOptions {
            direction: match params.direction {
                EdgeDirection::Forward => FlowDirection::Forward,
                EdgeDirection::Backward => FlowDirection::Backward,
            },
            max_depth: within("depth", params.depth, 3, 10)? as u32,
            limit: within("limit", params.limit, 50, 500)?,
        };
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        dataflow::trace_dataflow(call.reader()?, &scope, &params.symbol, options)
    }
}
