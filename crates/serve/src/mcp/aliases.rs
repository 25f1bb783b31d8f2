//! Other names for tools and arguments: those of earlier plans, and those a
//! model is likely to make up. A call should not fail over a word.

use super::arguments::Argument;
use rmcp::model::JsonObject;

/// Tools by other names; what they are asked is the same.
const TOOLS: &[(&str, &str)] = &[
    ("context", "context_for_task"),
    ("pr_context", "context_for_pr"),
    ("context_for_mr", "context_for_pr"),
    ("mr_impact", "pr_impact"),
    ("diff", "semantic_diff"),
    ("tests", "test_scope"),
    ("affected_tests", "test_scope"),
    ("when", "symbol_history"),
    ("blast_radius", "impact"),
    ("cross_repo_callers", "callers"),
    ("find_callers", "callers"),
    ("find_symbol", "symbol"),
    ("flow_between", "flow"),
    ("ownership", "owners"),
    ("stale_edges", "stale"),
    ("dataflow", "trace_dataflow"),
    ("query_graph", "graph_query"),
    ("callers_of", "callers"),
    ("get_context", "context_for_task"),
    ("plan", "plan_turn"),
    ("hand_over", "handoff"),
    ("list_snapshots", "snapshots"),
    ("learn", "remember"),
    ("show_issue", "show"),
    ("show_mr", "show"),
    ("history", "file_history"),
    ("sync", "sync_now"),
    ("index", "index_repo"),
    ("question", "ask"),
    ("query", "ask"),
];

/// What the one thing is called that a tool is asked about.
const SUBJECTS: &[&str] = &[
    "question",
    "query",
    "q",
    "text",
    "task",
    "target",
    "reference",
    "ref",
    "name",
    "symbol",
    "path",
    "file",
    "topic",
    "prompt",
    "user",
    "merge_request",
    "mr",
    "iid",
];

/// The same where a tool takes several.
const LISTS: &[&str] = &["files", "paths"];

/// Arguments by other names where a tool has the second one and not the first.
const ARGUMENTS: &[(&str, &str)] = &[
    ("source", "from"),
    ("start", "from"),
    ("target", "to"),
    ("end", "to"),
    ("files", "paths"),
    ("file", "paths"),
    ("paths", "files"),
    ("old", "base"),
    ("new", "head"),
];

/// The tool that is called by another name.
pub fn tool(name: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(alias, _)| *alias == name).map(|(_, tool)| *tool)
}

/// Gives the first argument the tool's own name for it, where another name of
/// the same meaning was used and nothing else could be meant.
pub fn rename_arguments(arguments: &mut JsonObject, known: &[Argument]) {
    make_plural(arguments, known);
    let is_known = |name: &str| known.iter().any(|argument| argument.name == name);
    for (alias, own) in ARGUMENTS {
        if !is_known(alias)
            && is_known(own)
            && !arguments.contains_key(*own)
            && let Some(value) = arguments.remove(*alias)
        {
            arguments.insert((*own).to_owned(), value);
        }
    }
    let named = |words: &[&str]| {
        known.iter().map(|argument| argument.name.as_str()).find(|name| words.contains(name))
    };
    let Some(subject) = named(SUBJECTS).or_else(|| named(LISTS)) else { return };
    if arguments.contains_key(subject) {
        return;
    }
    let strange: Vec<String> = arguments
        .keys()
        .filter(|name| !is_known(name.as_str()))
        .filter(|name| SUBJECTS.contains(&name.as_str()) || LISTS.contains(&name.as_str()))
        .cloned()
        .collect();
    if let [only] = strange.as_slice()
        && let Some(value) = arguments.remove(only)
    {
        arguments.insert(subject.to_owned(), value);
    }
}

/// `kind` where the tool takes `kinds`.
fn make_plural(arguments: &mut JsonObject, known: &[Argument]) {
    let is_known = |name: &str| known.iter().any(|argument| argument.name == name);
    let singular: Vec<String> = arguments
        .keys()
        .filter(|name| !is_known(name) && is_known(&format!("{name}s")))
        .cloned()
        .collect();
    for name in singular {
        let plural = format!("{name}s");
        if !arguments.contains_key(&plural)
            && let Some(value) = arguments.remove(&name)
        {
            arguments.insert(plural, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{arguments, tools};
    use serde_json::json;

    #[test]
    fn every_alias_means_a_tool_and_hides_none() {
        for (alias, meant) in TOOLS {
            assert!(tools::find(meant).is_some(), "{alias} means {meant}, which is no tool");
            assert!(tools::names().all(|name| name != *alias), "{alias} is a tool itself");
        }
    }

    #[test]
    fn both_ends_and_lists_of_files_have_other_names() {
        let renamed = |properties: serde_json::Value, given: serde_json::Value| {
            let schema = json!({ "properties": properties });
            let names = arguments::of_schema(schema.as_object().unwrap());
            let mut arguments = given.as_object().unwrap().clone();
            rename_arguments(&mut arguments, &names);
            serde_json::Value::Object(arguments)
        };
        let flow = json!({ "from": {}, "to": {}, "repo": {} });
        let ends = json!({ "source": "a", "target": "b" });
        assert_eq!(renamed(flow.clone(), ends), json!({ "from": "a", "to": "b" }));
        let given = json!({ "from": "a", "source": "c", "to": "b" });
        assert_eq!(renamed(flow, given.clone()), given, "what is said already stays");
        let tests = json!({ "paths": {}, "base": {}, "merge_request": {} });
        assert_eq!(renamed(tests, json!({ "files": ["a"] })), json!({ "paths": ["a"] }));
        let subject = json!({ "target": {}, "to": {} });
        assert_eq!(renamed(subject, json!({ "target": "a" })), json!({ "target": "a" }));
    }

    #[test]
    fn another_word_for_the_subject_is_understood() {
        let schema = json!({ "properties": { "target": {}, "repo": {}, "limit": {} } });
        let names = arguments::of_schema(schema.as_object().unwrap());
        let renamed = |given: serde_json::Value| {
            let mut arguments = given.as_object().unwrap().clone();
            rename_arguments(&mut arguments, &names);
            serde_json::Value::Object(arguments)
        };
        assert_eq!(renamed(json!({"symbol": "run"})), json!({"target": "run"}));
        assert_eq!(renamed(json!({"target": "run"})), json!({"target": "run"}));
        // Which of two is meant is not known; the check of arguments says so.
        let two = json!({"symbol": "run", "path": "a.rs"});
        assert_eq!(renamed(two.clone()), two);
        assert_eq!(renamed(json!({"limits": 3})), json!({"limits": 3}));
    }

    #[test]
    fn one_of_several_may_be_named_in_the_singular() {
        let schema = json!({ "properties": { "name": {}, "kinds": { "type": "array" } } });
        let names = arguments::of_schema(schema.as_object().unwrap());
        let mut given = json!({"name": "run", "kind": "function"}).as_object().unwrap().clone();
        arguments::settle(&mut given, &names);
        let given = serde_json::Value::Object(given);
        assert_eq!(given, json!({"name": "run", "kinds": ["function"]}));
    }
}
