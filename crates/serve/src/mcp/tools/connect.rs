//! Edges between records of memory and what they are about, and handoffs.

use super::{Effect, Group, Tool};
use crate::mcp::call::Call;
use memory::draft::{self, Draft};
use memory::files::graph::Edge;
use memory::{ConflictPolicy, KeptRecord, SaveReport};
use model::memory::{Extra, LinkTarget, Relation};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Connect;
pub struct Handoff;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectParams {
    /// dec-…, pat-…, han-…, a path, path:line, a symbol, #12, !34, a commit, concept:NAME, project:NAME, session:NAME
    from: String,
    /// relates_to, depends_on, implements, learned_from, affects, produces, contradicts, supersedes, derived_from, part_of, summarized_by
    relation: String,
    to: String,
    /// For the user alone, not in the repository
    #[serde(default)]
    personal: bool,
}

/// The edge as it stands now.
#[derive(Serialize, JsonSchema)]
pub struct ConnectAnswer {
    pub from: String,
    pub relation: Relation,
    pub to: String,
    /// False when it was there already.
    pub added: bool,
    /// The folder it lies in.
    pub root: String,
}

impl Tool for Connect {
    const NAME: &'static str = "connect";
    const TITLE: &'static str = "Connect records of memory";
    const ABOUT: &'static str = "Connect a remembered decision, pattern or handoff with another, or \
        with code, issues, merge requests, a concept, a project or a session.";
    const GROUPS: &'static [Group] = &[Group::Memory];
    const EFFECT: Effect = Effect::Adds;

    type Params = ConnectParams;
    type Answer = ConnectAnswer;

    fn answer(call: &Call, params: ConnectParams) -> Result<ConnectAnswer> {
        let edge = Edge {
            from: end(call, &params.from)?,
            relation: Relation::read(&params.relation)?,
            to: end(call, &params.to)?,
            timestamp: Some(call.now),
            extra: Extra::new(),
        };
        if edge.from == edge.to {
            return Err(Error::usage("an edge needs two different ends"));
        }
        let root = call.around.memory_root(&call.dir, params.personal)?;
        let n_added = root.edit(|edit| edit.connect(std::slice::from_ref(&edge)))?;
        for warning in call.around.index_memory(&call.dir, &root) {
            call.warn(warning);
        }
        let (from, relation, to) = edge.key();
        Ok(ConnectAnswer {
            from,
            relation,
            to,
            added: n_added > 0,
            root: root.dir.display().to_string(),
        })
    }
}

/// An end as sent; the beginning of an id of a record will do.
fn end(call: &Call, text: &str) -> Result<LinkTarget> {
    let end = LinkTarget::parse(text)?;
    match &end {
        LinkTarget::Record(_) => {
            let memory = call.around.memory(&call.dir)?;
            insight::memory::resolve(&memory.reader, text).map(LinkTarget::Record)
        }
        _ => Ok(end),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffParams {
    /// What was done, and where it stands
    summary: String,
    /// What comes next
    #[serde(default)]
    next: Vec<String>,
    /// What is not settled
    #[serde(default)]
    questions: Vec<String>,
    /// What it is about: #12, !34, a path, path:line, a commit
    #[serde(default)]
    links: Vec<String>,
    /// For the user alone, not in the repository
    #[serde(default)]
    personal: bool,
}

impl Tool for Handoff {
    const NAME: &'static str = "handoff";
    const TITLE: &'static str = "Hand work over";
    const ABOUT: &'static str = "At the end of a session: keep what was done, what comes next and what \
        is open, for whoever goes on.";
    const GROUPS: &'static [Group] = &[Group::Memory];
    const EFFECT: Effect = Effect::Adds;

    type Params = HandoffParams;
    type Answer = SaveReport;

    fn answer(call: &Call, params: HandoffParams) -> Result<SaveReport> {
        if params.summary.trim().is_empty() {
            return Err(Error::usage("`summary` is empty").suggest("say what was done"));
        }
        let root = call.around.memory_root(&call.dir, params.personal)?;
        let mut fields = draft::handoff_of(&params.summary);
        fields.next_steps = params.next;
        fields.open_questions = params.questions;
        fields.links = params.links;
        fields.author = call.around.author(&call.dir);
        let kept = root.remember(Draft::Handoff(fields), &ConflictPolicy::default(), call.now)?;
        let kept = KeptRecord::of(&root, kept);
        for warning in call.around.index_memory(&call.dir, &root) {
            call.warn(warning);
        }
        Ok(SaveReport { records: vec![kept] })
    }
}
