//! Questions about a change: what it does, which tests it affects, what happened
//! to a symbol before. They read versions that no index holds, so a child
//! process answers them, as the command of the same name does.

use super::{Group, Tool};
use crate::mcp::call::{Call, within};
use crate::mcp::surroundings::Job;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

pub struct SemanticDiff;
pub struct PrImpact;
pub struct TestScope;
pub struct SymbolHistory;

fn ask(call: &Call, words: Vec<String>) -> Result<Value> {
    let progress = Arc::clone(&call.progress);
    let job = Job::Question(words);
    let (answer, warnings) = call.around.run(job, &call.dir, progress, call.brake.stop())?;
    for warning in warnings {
        call.warn(warning);
    }
    Ok(answer)
}

/// A command, its options, and what must not be read as one.
fn words(command: &str, options: &[(&str, Option<&str>)], rest: &[&str]) -> Vec<String> {
    let mut words = vec![command.to_owned()];
    for (name, value) in options {
        words.extend(value.map(|value| format!("--{name}={value}")));
    }
    if !rest.is_empty() {
        words.push("--".to_owned());
        words.extend(rest.iter().map(|word| (*word).to_owned()));
    }
    words
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffParams {
    /// Where the change begins: a branch, tag or commit (default: HEAD)
    base: Option<String>,
    /// Where it ends (default: the files as they lie in the work tree)
    head: Option<String>,
}

impl Tool for SemanticDiff {
    const NAME: &'static str = "semantic_diff";
    const TITLE: &'static str = "What a change does";
    const ABOUT: &'static str = "Compare two versions, or the uncommitted work, by symbols: added, \
        removed, renamed, moved, changed; what breaks whom by rule; edges, users before and after, \
        decisions at risk.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/changes", "/edges"];

    type Params = DiffParams;
    type Answer = Value;

    fn answer(call: &Call, params: DiffParams) -> Result<Value> {
        let (base, head) = (params.base.as_deref(), params.head.as_deref());
        let words = match (base, head) {
            (None, None) => words("diff", &[], &[]),
            (Some(base), None) => {
                let mut words = words("diff", &[], &[base]);
                words.insert(1, "--working-tree".to_owned());
                words
            }
            (base, Some(head)) => words("diff", &[], &[base.unwrap_or("HEAD"), head]),
        };
        ask(call, words)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrParams {
    /// The merge request: 12, !12, group/project!12
    merge_request: Option<String>,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// Instead: where the change begins
    base: Option<String>,
    /// Where it ends (default: HEAD)
    head: Option<String>,
}

impl Tool for PrImpact {
    const NAME: &'static str = "pr_impact";
    const TITLE: &'static str = "What a merge request does";
    const ABOUT: &'static str = "What a merge request does to the system, by symbols: what breaks, \
        who uses it before and after, new edges, tests, owners, decisions at risk.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/changes", "/edges"];

    type Params = PrParams;
    type Answer = Value;

    fn answer(call: &Call, params: PrParams) -> Result<Value> {
        let (base, head) = (params.base.as_deref(), params.head.as_deref());
        match (params.merge_request.as_deref(), base) {
            (Some(mr), None) if head.is_none() => {
                let options = [("mr", Some(mr)), ("project", params.project.as_deref())];
                ask(call, words("diff", &options, &[]))
            }
            (None, Some(base)) if params.project.is_none() => {
                ask(call, words("diff", &[], &[&format!("{base}...{}", head.unwrap_or("HEAD"))]))
            }
            _ => Err(Error::usage(
                "give either `merge_request` (with `project`), or `base` (with `head`)",
            )),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestParams {
    /// Changed files, from the root of the repository
    #[serde(default)]
    paths: Vec<String>,
    /// Instead: where the change begins
    base: Option<String>,
    /// Where it ends (default: the work tree)
    head: Option<String>,
    /// Instead: a merge request
    merge_request: Option<String>,
}

impl Tool for TestScope {
    const NAME: &'static str = "test_scope";
    const TITLE: &'static str = "Which tests a change affects";
    const ABOUT: &'static str = "The test files that changed files or a range of commits can \
        affect, each with the reason; or that everything must run, and why.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/files"];

    type Params = TestParams;
    type Answer = Value;

    fn answer(call: &Call, params: TestParams) -> Result<Value> {
        let paths: Vec<&str> = params.paths.iter().map(String::as_str).collect();
        let is_range = params.base.is_some() || params.merge_request.is_some();
        if paths.is_empty() != is_range {
            return Err(Error::usage("give either `paths`, or `base`, or `merge_request`"));
        }
        let options = [
            ("base", params.base.as_deref()),
            ("head", params.head.as_deref()),
            ("mr", params.merge_request.as_deref()),
        ];
        ask(call, words("tests", &options, &paths))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryParams {
    /// Its name, path#name or path:line
    symbol: String,
    /// Instead: since when it uses this symbol or name
    uses: Option<String>,
    /// From this commit backwards: a branch, tag or commit (default: HEAD)
    at: Option<String>,
    /// 1 to 1000 (default 20)
    limit: Option<u32>,
}

impl Tool for SymbolHistory {
    const NAME: &'static str = "symbol_history";
    const TITLE: &'static str = "What happened to a symbol";
    const ABOUT: &'static str = "Every commit that changed a function, method or class, across \
        renames and moves, with author, merge request, issues and reason; or since when it uses \
        another.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/steps"];

    type Params = HistoryParams;
    type Answer = Value;

    fn answer(call: &Call, params: HistoryParams) -> Result<Value> {
        let at = params.at.as_deref();
        if let Some(used) = &params.uses {
            return ask(call, words("when", &[("at", at)], &[&params.symbol, used]));
        }
        let limit = within("limit", params.limit, 20, 1_000)?.to_string();
        let options = [("at", at), ("limit", Some(limit.as_str()))];
        ask(call, words("history", &options, &[&params.symbol]))
    }
}
