//! What was decided, learnt and left off.

use super::{Group, Tool};
use crate::mcp::call::{Call, within};
use insight::memory::recall::{self, Request};
use model::Result;
use model::memory::{RecordId, RecordKind};
use schemars::JsonSchema;
use search::Searcher;
use serde::Deserialize;
use store::memory::access::{self, AccessKind};
use store::memory::records::RecordFilter;

pub struct Recall;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// What to look for, by words and meaning
    query: String,
    /// Only of these kinds
    #[serde(default)]
    kinds: Vec<Kind>,
    /// Only of this project
    project: Option<String>,
    /// Only with all of these tags
    #[serde(default)]
    tags: Vec<String>,
    /// Only since then: 7d, 2w, 1m, 2024-01-31
    since: Option<String>,
    /// Only until then
    until: Option<String>,
    /// 1 to 100 (default 8)
    limit: Option<u32>,
    /// How many edges to follow from each, 0 to 3 (default 0)
    graph_depth: Option<u8>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Decision,
    Pattern,
    Handoff,
}

impl From<Kind> for RecordKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Decision => RecordKind::Decision,
            Kind::Pattern => RecordKind::Pattern,
            Kind::Handoff => RecordKind::Handoff,
        }
    }
}

impl Tool for Recall {
    const NAME: &'static str = "recall";
    const TITLE: &'static str = "Recall decisions and lessons";
    const ABOUT: &'static str = "Find recorded decisions with their reasons, patterns that apply \
        again, handoffs of earlier sessions. Ask at the start of a task and before you decide \
        something.";
    const GROUPS: &'static [Group] = &[Group::Memory];
    const LISTS: &'static [&'static str] = &["/items"];

    type Params = Params;
    type Answer = recall::Recall;

    fn answer(call: &Call, params: Params) -> Result<recall::Recall> {
        let filter = RecordFilter {
            kinds: params.kinds.iter().map(|kind| (*kind).into()).collect(),
            roots: Vec::new(),
            project: params.project,
            tags: params.tags,
            since: call.when(params.since.as_deref())?,
            until: call.when(params.until.as_deref())?,
        };
        let limit = within("limit", params.limit, 8, 100)?;
        let memory = call.around.memory(&call.dir)?;
        call.watch(&memory.reader);
        for warning in memory.warnings {
            call.warn(warning);
        }
        let request = Request {
            query: params.query,
            filter,
            from: memory.standpoint,
            limit,
            graph_depth: params.graph_depth.unwrap_or(0).min(3),
            ..Request::default()
        };
        let provider = call.provider();
        let searcher =
            Searcher { reader: &memory.reader, provider: provider.as_deref(), now: call.now };
        let found = recall::recall_with(&searcher, &request)?;
        let shown: Vec<RecordId> = found.items.iter().map(|it| it.record.id.clone()).collect();
        // What is used often ranks higher; an answer does not fail over it.
        if !memory.database.is_foreign() {
            let _ = pipeline::notes::try_write(memory.database.path(), |tx| {
                access::count_recall(tx, call.now)?;
                access::log(tx, &shown, AccessKind::Shown, call.now)
            });
        }
        Ok(found)
    }
}
