//! `lore mcp` as an agent meets it: the real program, spoken to line by line
//! and over HTTP, by this file's plain client and by the official ones.

mod answers;
mod client;
mod door;
mod first_use;
mod hostile;
pub mod http;
mod install;
mod official;
mod session;
mod trust;

use crate::BINARY;
pub use client::Client;
use std::path::PathBuf;
use testkit::Site;

/// A small project with everything an agent may ask about.
const HISTORY: &str = r#"
project harbor/tide "Tide"
issue #1 "Logins are lost on Safari" by ada at 2024-01-08T09:00
  | Safari drops the cookie.
  comment bo +1h
    | I see it too, only in private windows.
mr !1 "Keep the session" by bo at 2024-01-10T09:00 from keep
  | Closes #1
  commit "Keep it in a cookie" +5m
    write src/login.rs
      | pub fn login() { session() }
      | fn session() {}
    write CODEOWNERS
      | src/ @ada
  comment ada +1h
    | We decided to keep the cookie instead of a token because Safari blocks storage.
  merge by ada +1h
issue #2 "Sessions end too soon" by bo at 2024-02-01T09:00
  | After an hour one has to log in again.
"#;

/// The project synced, its clone read and indexed, one decision kept.
pub fn harbour() -> (Site, PathBuf) {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let clone = site.env.dir().join("harbor/tide");
    for command in [
        &["repo", "add", "."][..],
        &["index"],
        &["remember", "decision", "Sessions live in a cookie", "--link", "harbor/tide!1"],
        &["generate-docs"],
    ] {
        let _done = site.env.lore_in(&clone, command, "").success();
    }
    (site, clone)
}

/// What each tool can be asked about the project, one question a tool.
const QUESTIONS: &[(&str, &str)] = &[
    ("ask", r#"{"question": "who calls session()?"}"#),
    ("context_for_task", r#"{"task": "login loses the session"}"#),
    ("search", r#"{"query": "cookie"}"#),
    ("timeline", r##"{"query": "#1"}"##),
    ("trace", r#"{"target": "src/login.rs:1"}"#),
    ("why", r#"{"target": "src/login.rs:1"}"#),
    ("file_history", r#"{"path": "src/login.rs"}"#),
    ("show", r#"{"reference": "!1"}"#),
    ("symbol", r#"{"name": "login"}"#),
    ("impact", r#"{"target": "session"}"#),
    ("recall", r#"{"query": "cookie"}"#),
    (
        "remember",
        r#"{"kind": "pattern", "text": "Ask before logging out", "solution": "a dialog"}"#,
    ),
    ("context_for_files", r#"{"files": ["src/login.rs"]}"#),
    ("context_for_pr", r#"{"base": "HEAD~1"}"#),
    ("callers", r#"{"symbol": "session"}"#),
    ("callees", r#"{"symbol": "login"}"#),
    ("overrides", r#"{"symbol": "session"}"#),
    ("subtypes", r#"{"symbol": "session"}"#),
    ("flow", r#"{"from": "login", "to": "session"}"#),
    ("map", "{}"),
    ("outline", r#"{"path": "src/login.rs"}"#),
    ("read", r#"{"target": "session"}"#),
    ("find_text", r#"{"text": "session"}"#),
    ("communities", "{}"),
    ("owners", r#"{"path": "src/login.rs"}"#),
    ("routes", "{}"),
    ("repo_graph", "{}"),
    ("snapshot_diff", r#"{"base": "HEAD"}"#),
    ("semantic_diff", r#"{"base": "HEAD~1", "head": "HEAD"}"#),
    ("pr_impact", r#"{"merge_request": "1"}"#),
    ("test_scope", r#"{"paths": ["src/login.rs"]}"#),
    ("symbol_history", r#"{"symbol": "src/login.rs#login", "uses": "session"}"#),
    ("stale", "{}"),
    ("runtime_traffic", "{}"),
    ("dead_routes", "{}"),
    ("trace_stats", "{}"),
    ("graph_query", r#"{"name": "log*", "edges": ["calls"]}"#),
    ("trace_dataflow", r#"{"symbol": "session"}"#),
    ("snapshots", "{}"),
    ("feedback", r#"{"pack": "last", "symbol": "login", "verdict": "useful"}"#),
    ("plan_turn", r#"{"task": "login loses the session"}"#),
    ("connect", r#"{"from": "concept:login", "relation": "affects", "to": "src/login.rs"}"#),
    ("handoff", r#"{"summary": "The cookie is kept"}"#),
    ("person", r#"{"user": "ada"}"#),
    ("experts", r#"{"target": "src/login.rs"}"#),
    ("status", "{}"),
    ("sync_now", "{}"),
    ("index_repo", "{}"),
];
