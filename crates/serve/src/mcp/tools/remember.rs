//! Keeping a decision, a pattern or a handoff.

use super::recall::Kind;
use super::{Effect, Group, Tool};
use crate::mcp::call::Call;
use memory::draft::{self, Draft};
use memory::{ConflictPolicy, KeptRecord, SaveReport};
use model::memory::RecordId;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Remember;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// decision: what was decided and why; pattern: a lesson that applies again; handoff: where work stopped
    kind: Kind,
    /// The decision, the name of the pattern, or what was done
    text: String,
    /// Of a decision: why
    why: Option<String>,
    /// Of a decision: what else was considered
    #[serde(default)]
    alternatives: Vec<String>,
    /// Of a pattern: when it applies
    context: Option<String>,
    /// Of a pattern: what goes wrong without it
    problem: Option<String>,
    /// Of a pattern: what to do
    solution: Option<String>,
    /// Of a pattern: how sure it is, 0 to 1 (default 0.5)
    confidence: Option<f64>,
    /// Of a handoff: what comes next
    #[serde(default)]
    next: Vec<String>,
    /// Of a handoff: what is not settled
    #[serde(default)]
    questions: Vec<String>,
    /// Words to find it by
    #[serde(default)]
    tags: Vec<String>,
    /// What it is about: #12, !34, a path, path:line, a commit
    #[serde(default)]
    links: Vec<String>,
    /// Of a decision: how much it matters, 1 to 5 (default 3)
    importance: Option<u8>,
    /// Ids of records it takes the place of
    #[serde(default)]
    supersede: Vec<String>,
    /// Keep it although another record says nearly the same or the opposite
    #[serde(default)]
    force: bool,
    /// For the user alone, not in the repository
    #[serde(default)]
    personal: bool,
}

impl Tool for Remember {
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Keep a decision, a lesson or a handoff";
    const ABOUT: &'static str = "Keep a decision with its reason, a lesson, or where work stopped, \
        in plain files of the repository (`.lore/memory/`) for people to review and commit. Refused \
        when a record says nearly the same or the opposite, unless forced or superseding.";
    const GROUPS: &'static [Group] = &[Group::Core, Group::Memory];
    const EFFECT: Effect = Effect::Adds;

    type Params = Params;
    type Answer = SaveReport;

    fn answer(call: &Call, params: Params) -> Result<SaveReport> {
        let root = call.around.memory_root(&call.dir, params.personal)?;
        let choice =
            ConflictPolicy { force: params.force, supersede: known(call, &params.supersede)? };
        let draft = draft(call, params)?;
        let kept = root.remember(draft, &choice, call.now)?;
        let kept = KeptRecord::of(&root, kept);
        for warning in call.around.index_memory(&call.dir, &root) {
            call.warn(warning);
        }
        Ok(SaveReport { records: vec![kept] })
    }
}

fn known(call: &Call, ids: &[String]) -> Result<Vec<RecordId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let memory = call.around.memory(&call.dir)?;
    ids.iter().map(|id| insight::memory::resolve(&memory.reader, id)).collect()
}

fn draft(call: &Call, params: Params) -> Result<Draft> {
    if params.text.trim().is_empty() {
        return Err(Error::usage("`text` is empty").suggest("say what is to be remembered"));
    }
    let author = call.around.author(&call.dir);
    Ok(match params.kind {
        Kind::Decision => {
            let mut fields = draft::decision(&params.text);
            fields.rationale = params.why.unwrap_or_default();
            fields.alternatives = params.alternatives;
            fields.tags = params.tags;
            fields.links = params.links;
            fields.importance = params.importance;
            fields.author = author;
            Draft::Decision(fields)
        }
        Kind::Pattern => {
            let mut fields = draft::pattern(&params.text);
            fields.context = params.context.unwrap_or_default();
            fields.problem = params.problem.unwrap_or_default();
            fields.solution = params.solution.unwrap_or_default();
            fields.confidence = params.confidence;
            fields.tags = params.tags;
            Draft::Pattern(fields)
        }
        Kind::Handoff => {
            let mut fields = draft::handoff_of(&params.text);
            fields.next_steps = params.next;
            fields.open_questions = params.questions;
            fields.links = params.links;
            fields.author = author;
            Draft::Handoff(fields)
        }
    })
}
