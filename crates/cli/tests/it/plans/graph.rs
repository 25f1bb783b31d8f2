//! The plan for the code graph (004), as far as its parts have no tests of their own
//! (contexts, payloads, diffs, language servers, traces, the daemon do).

use crate::BINARY;
use crate::mcp::{Client, harbour};
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::Site;

/// Section on its server: tools by the names it gives them. Those of runtime traces, diffs and tests are named where they are tested.
const TOOLS: &[(&str, &str)] = &[
    ("index_repo", "{}"),
    ("graph_query", r#"{"name": "session"}"#),
    ("cross_repo_callers", r#"{"symbol": "session"}"#),
    ("repo_graph", "{}"),
    ("blast_radius", r#"{"target": "session"}"#),
    ("trace_dataflow", r#"{"symbol": "session"}"#),
    ("flow_between", r#"{"from": "login", "to": "session"}"#),
    ("communities", "{}"),
    ("stale_edges", "{}"),
    ("ownership", r#"{"path": "src/login.rs"}"#),
    ("snapshot_diff", r#"{"base": "HEAD"}"#),
    ("context_for_task", r#"{"task": "login loses the session"}"#),
    ("context_for_files", r#"{"files": ["src/login.rs"]}"#),
    ("context_for_pr", r#"{"base": "HEAD~1"}"#),
    ("feedback", r#"{"pack": "last", "symbol": "login", "verdict": "useful"}"#),
    ("plan_turn", r#"{"task": "login loses the session"}"#),
];

#[test]
fn every_tool_of_the_plan_for_code_answers_by_its_name() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--tools", "all", "--no-index"]);
    for (tool, arguments) in TOOLS {
        let _ = agent.ask(tool, serde_json::from_str(arguments).unwrap());
    }
    // Resources of the plan.
    let read = agent.request("resources/read", json!({ "uri": "lore://snapshot/@1" }));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"counter\":1"), "{text}");
}

/// Section "Export": the fields of the JSON form.
#[test]
fn an_export_has_the_fields_of_the_plan() {
    let (site, clone) = harbour();
    let output = site.env.lore_in(&clone, &["export"], "").success();
    let graph: Value = serde_json::from_str(&output.stdout).unwrap();
    let metadata = &graph["metadata"];
    for field in ["repo", "snapshot", "exported_at", "node_count", "edge_count"] {
        assert!(!metadata[field].is_null(), "metadata.{field}");
    }
    let count = |list: &str| graph[list].as_array().unwrap().len() as u64;
    assert_eq!(metadata["node_count"], count("nodes"));
    assert_eq!(metadata["edge_count"], count("edges"));
    let nodes = graph["nodes"].as_array().unwrap();
    let is_login = |node: &&Value| {
        node["kind"] == "function"
            && node["qualified_name"].as_str().unwrap().split('.').next_back() == Some("login")
    };
    let login = nodes.iter().find(is_login).unwrap();
    assert_eq!(login["hash"].as_str().unwrap().len(), 64);
    assert!(login["signature"].as_str().unwrap().contains("fn login()"));
    let edges = graph["edges"].as_array().unwrap();
    assert!(edges.iter().all(|edge| edge["cross_community"].is_boolean()));
    let owned = edges.iter().filter(|edge| edge["type"] == "owned_by_user").count();
    assert_eq!(owned, 1, "src/ belongs to @ada");
    let sizes: u64 = graph["communities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|community| community["size"].as_u64().unwrap())
        .sum();
    assert!(sizes > 0 && sizes <= count("nodes"));
}

const CODE: &str = r#"
project harbor/tide "Tide"
commit "Begin" by ada at 2024-01-08T09:00
  write src/app.py
    | from helpers import fetch_all
    |
    | def start_app():
    |     return fetch_all()
  write src/helpers.py
    | def fetch_all():
    |     return fetch_one()
    |
    | def fetch_one():
    |     return 1
  write CODEOWNERS
    | src/ @harbor/backend @ada
    | src/app.py @bo
commit "Call it twice" by ada at 2024-01-09T09:00
  edit src/app.py
    -     return fetch_all()
    +     fetch_all()
    +     return fetch_one()
commit "Add a file" by ada at 2024-01-10T09:00
  write src/extra.py
    | from helpers import fetch_one
    |
    | def more():
    |     return fetch_one()
commit "Hand over" by ada at 2024-01-11T09:00
  write CODEOWNERS
    | src/ @harbor/frontend
"#;

/// A clone of four commits; nothing is indexed.
fn clone() -> (Site, PathBuf) {
    let site = Site::with_clones(BINARY, CODE);
    let clone = site.env.dir().join("harbor/tide");
    let _ = site.env.lore_in(&clone, &["repo", "add", "."], "").success();
    (site, clone)
}

fn asked(site: &Site, clone: &std::path::Path, args: &[&str]) -> Value {
    let output = site.env.lore_in(clone, &[args, &["--json"]].concat(), "").success();
    serde_json::from_str(&output.stdout).unwrap()
}

/// "Computes new snapshot, links to parent snapshot": the chain mirrors the commits, in
/// whatever order they are indexed, and the roots are those of each commit indexed alone.
#[test]
fn snapshots_mirror_the_commits() {
    let (site, clone) = clone();
    let roots = |listed: &Value| -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = listed["data"]["snapshots"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| {
                let text = |field: &str| it[field].as_str().unwrap().to_owned();
                (text("commit"), text("root"))
            })
            .collect();
        all.sort();
        all
    };
    let _ = site.env.lore_in(&clone, &["index", "--all"], "").success();
    let chain = asked(&site, &clone, &["snapshots"]);
    let by_range = roots(&chain);
    assert_eq!(by_range.len(), 4);
    let parents = chain["data"]["snapshots"].as_array().unwrap().iter();
    assert_eq!(parents.filter(|it| it["parent"].is_null()).count(), 1, "{chain}");
    // The same commits backwards on another machine: each is there before its parent.
    let other = site.another_machine(BINARY);
    for back in ["HEAD", "HEAD~1", "HEAD~2", "HEAD~3"] {
        let _ = other.lore_in(&clone, &["index", "--at", back], "").success();
    }
    let output = other.lore_in(&clone, &["snapshots", "--json"], "").success();
    let backwards: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(roots(&backwards), by_range);
    let parents = backwards["data"]["snapshots"].as_array().unwrap().iter();
    assert_eq!(parents.filter(|it| it["parent"].is_null()).count(), 1, "{backwards}");
    // --at on a commit that is not indexed offers to do it, and --index does.
    let fresh = site.another_machine(BINARY);
    let _ = fresh.lore_in(&clone, &["index"], "").success();
    let offered = fresh.lore_in(&clone, &["symbol", "start_app", "--at", "HEAD~2"], "");
    assert!(offered.failure(20).stderr.contains("--index"));
    let args = ["symbol", "start_app", "--at", "HEAD~2", "--index"];
    assert!(fresh.lore_in(&clone, &args, "").success().stdout.contains("start_app"));
}

/// Edge types owned_by_team and owned_by_user: stored, covered by the root, in step with
/// `CODEOWNERS`.
#[test]
fn ownership_is_part_of_the_graph() {
    let (site, clone) = clone();
    let _ = site.env.lore_in(&clone, &["index", "--all"], "").success();
    let mut agent = Client::greeted(&site.env, &clone, &["--tools", "all", "--no-index"]);
    let mut owned = |at: &str, kind: &str| -> Vec<String> {
        let answer = agent.ask("graph_query", json!({ "edges": [kind], "at": at, "name": "*" }));
        let edges = answer["data"]["edges"].as_array().cloned().unwrap_or_default();
        let mut ends: Vec<String> = edges
            .iter()
            .map(|edge| {
                let last = |field: &str| {
                    let text = edge[field].as_str().unwrap();
                    text.rsplit("://").next().unwrap().to_owned()
                };
                assert_eq!(edge["provenance"], "config_declared");
                format!("{} {}", last("source"), last("target"))
            })
            .collect();
        ends.sort();
        ends
    };
    assert_eq!(owned("HEAD~3", "owned_by_team"), ["src.helpers @harbor/backend"]);
    assert_eq!(owned("HEAD~3", "owned_by_user"), ["src.app @bo", "src.helpers @ada"]);
    // A file that came with an update has its owners too.
    assert_eq!(
        owned("HEAD~1", "owned_by_team"),
        ["src.extra @harbor/backend", "src.helpers @harbor/backend"]
    );
    // The rules changed: so did every edge.
    assert_eq!(
        owned("HEAD", "owned_by_team"),
        ["src.app @harbor/frontend", "src.extra @harbor/frontend", "src.helpers @harbor/frontend"]
    );
    assert_eq!(owned("HEAD", "owned_by_user"), Vec::<String>::new());
    drop(agent);
    // They can be proved, and mean no use.
    let impact = site.env.lore_in(&clone, &["impact", "fetch_one"], "").success();
    assert!(!impact.stdout.contains("owned_by"), "{impact}");
    let checked = site.env.lore_in(&clone, &["fsck"], "").success();
    assert!(!checked.stdout.contains("differ"), "{checked}");
}

/// `knowing index --working-tree` and answers for what lies here; symbols by the
/// beginning of a name, with and without what they are in.
#[test]
fn the_work_tree_and_beginnings_of_names() {
    let (site, clone) = clone();
    let _ = site.env.lore_in(&clone, &["index"], "").success();
    let symbol = |name: &str| site.env.lore_in(&clone, &["symbol", name], "").success().stdout;
    assert!(symbol("start_").contains("start_app"));
    assert!(symbol("helpers.fet").contains("fetch_all"));
    assert!(symbol("helpers.f").contains("fetch_one"));
    assert!(symbol("fetch_o*").contains("fetch_one"));
    std::fs::write(clone.join("src/new.py"), "def not_committed():\n    pass\n").unwrap();
    assert!(symbol("not_committed").contains("src/new.py:1"));
    let standing = asked(&site, &clone, &["symbol", "not_committed"])["data"]["standing"].clone();
    assert_eq!(standing["is_work_tree"], true, "{standing}");
    let told = site.env.lore_in(&clone, &["symbol", "not_committed", "--agent"], "").success();
    assert!(told.stdout.contains("(edited)"), "{told}");
    let _ = site.env.lore_in(&clone, &["index", "--working-tree"], "").success();
    assert!(symbol("not_committed").contains("src/new.py:1"));
}

/// Edges that people declare: provenance manual, certain, with a reason, in a file.
#[test]
fn declared_edges_follow_every_index() {
    let (site, clone) = clone();
    let run = |args: &[&str]| site.env.lore_in(&clone, args, "").success();
    let _ = run(&["index"]);
    let _ = run(&["trust"]);
    let _ = run(&["edge", "add", "fetch_one", "start_app", "--reason", "by its name"]);
    assert!(run(&["edge", "list"]).stdout.contains("by its name"));
    let callers = asked(&site, &clone, &["callers", "start_app"]);
    let found = &callers["data"]["found"][0];
    assert_eq!((&found["provenance"], &found["confidence"]), (&"manual".into(), &1.0.into()));
    let _ = run(&["index", "--full"]);
    assert!(run(&["callers", "start_app"]).stdout.contains("fetch_one"));
    let _ = run(&["edge", "remove", "fetch_one", "start_app"]);
    assert!(!run(&["callers", "start_app"]).stdout.contains("fetch_one"));
}
