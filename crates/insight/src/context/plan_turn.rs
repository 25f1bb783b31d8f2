//! `plan_turn`: which tools help with a task, given what is indexed here.

use super::task::{Part, Task};
use crate::ask::{IndexLookup, Intent, route};
use crate::code::scope::{self, ScopeRequest};
use model::text::{clean, one_line};
use model::{EntityKind, Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use store::memory::records::{self, RecordFilter};
use store::{Reader, commits, entities};

/// The calls that help, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TurnPlan {
    pub task: String,
    pub steps: Vec<PlannedCall>,
    /// What would help and is not there, with the command that brings it.
    pub missing: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlannedCall {
    pub tool: String,
    #[schemars(with = "Value")]
    pub arguments: Value,
    pub why: String,
}

/// What the record here can answer.
#[derive(Debug, Clone, Copy, Default)]
struct RecordState {
    has_code: bool,
    has_commits: bool,
    has_forge: bool,
    has_memory: bool,
}

impl RecordState {
    fn load(reader: &Reader, here: &Path) -> Result<RecordState> {
        let asked = ScopeRequest { here: Some(here), ..ScopeRequest::default() };
        let mut n_entities = 0;
        for kind in [EntityKind::Issue, EntityKind::MergeRequest] {
            n_entities += entities::count(reader, kind, None)?;
        }
        Ok(RecordState {
            has_code: scope::resolve(reader, &asked).is_ok(),
            has_commits: commits::count(reader, None)?.0 > 0,
            has_forge: n_entities > 0,
            has_memory: !records::list(reader, &RecordFilter::default(), 1)?.is_empty(),
        })
    }
}

const MOST_STEPS: usize = 6;
/// Words of tasks that change something others depend on.
const CHANGES: &[&str] = &[
    "change",
    "rename",
    "remove",
    "refactor",
    "delete",
    "replace",
    "deprecate",
    "move",
    "extract",
];
const REVIEWS: &[&str] = &["review", "merge request", "pull request"];

pub fn plan_turn(reader: &Reader, here: &Path, text: &str) -> Result<TurnPlan> {
    if text.trim().is_empty() {
        return Err(Error::usage("the task is empty").suggest("say what is to be done"));
    }
    let task = Task::read(text);
    let title = one_line(&clean(task.texts(Part::Title).next().unwrap_or_default()), 160);
    let state = RecordState::load(reader, here)?;
    let mut plan = TurnPlan { task: title.clone(), steps: Vec::new(), missing: missing(state) };
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if state.has_memory {
        plan.add("recall", json!({ "query": title }), "what was decided or learnt about it");
    }
    let asked = route(text, &IndexLookup::new(reader, here));
    match asked.intent {
        Intent::Context | Intent::Search | Intent::Decided if state.has_code => {
            plan.add(
                "context_for_task",
                json!({ "task": title }),
                "the files and functions to read",
            );
        }
        Intent::Search | Intent::Decided | Intent::Context => {
            plan.add("search", json!({ "query": title }), "where it was discussed");
        }
        _ => plan.add("ask", json!({ "question": text.trim() }), "answers the question itself"),
    }
    if state.has_code {
        code_steps(&mut plan, &task, says(CHANGES), says(REVIEWS));
    }
    if state.has_forge && !matches!(asked.intent, Intent::Search | Intent::Decided) {
        plan.add("search", json!({ "query": title }), "issues and threads about it");
    }
    if let Some(place) = task.paths.first().filter(|_| state.has_forge || state.has_commits) {
        let target =
            place.line.map_or_else(|| place.path.clone(), |n| format!("{}:{n}", place.path));
        plan.add("why", json!({ "target": target }), "why it is as it is, before you change it");
    }
    plan.steps.truncate(MOST_STEPS - 1);
    plan.add(
        "remember",
        json!({ "kind": "handoff", "text": "" }),
        "at the end: what was decided, or where work stopped",
    );
    Ok(plan)
}

fn code_steps(plan: &mut TurnPlan, task: &Task, changes: bool, reviews: bool) {
    if reviews {
        plan.add(
            "context_for_pr",
            json!({ "base": "main" }),
            "what the change touches and reaches",
        );
    }
    let mut files: Vec<&str> = task.paths.iter().map(|place| place.path.as_str()).collect();
    files.dedup();
    if !files.is_empty() {
        files.truncate(5);
        let why = "callers, tests and owners of the files it names";
        plan.add("context_for_files", json!({ "files": files }), why);
    }
    let symbol = task.dotted.first().or(task.in_code.first()).or(task.names.first());
    if let Some(symbol) = symbol {
        let (tool, argument, why) = if changes {
            ("impact", "target", "what a change of it reaches, and the tests to run")
        } else {
            ("symbol", "name", "where it is, its signature, who uses it")
        };
        plan.add(tool, json!({ argument: symbol }), why);
    }
}

impl TurnPlan {
    fn add(&mut self, tool: &str, arguments: Value, why: &str) {
        let step = PlannedCall { tool: tool.to_owned(), arguments, why: why.to_owned() };
        if self.steps.iter().all(|known| known.tool != step.tool) {
            self.steps.push(step);
        }
    }
}

fn missing(state: RecordState) -> Vec<String> {
    let mut missing = Vec::new();
    if !state.has_code {
        missing.push("no code is indexed here; run: lore index".to_owned());
    }
    if !state.has_commits {
        missing.push("no commits are read; run: lore repo add .".to_owned());
    }
    if !state.has_forge {
        missing.push("no issues or merge requests; run: lore init, then lore sync".to_owned());
    }
    if !state.has_memory {
        missing.push("nothing is remembered yet; `remember` keeps decisions".to_owned());
    }
    missing
}
