//! Clients that do everything wrong: the right error, no crash, nothing but
//! protocol on stdout, and the next call works.

use super::{Client, HISTORY, QUESTIONS, harbour};
use crate::BINARY;
use serde_json::{Value, json};
use sim::FaultPlan;
use std::time::Duration;
use testkit::Site;

#[test]
fn nonsense_is_refused_and_the_next_call_works() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--no-index"]);
    for line in [
        "{",
        "nonsense",
        "[]",
        "null",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","id":9001,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9002,"method":"tools/call","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":9003,"method":"tools/call","params":{"name":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":424242}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#,
    ] {
        agent.send_line(line);
    }
    agent.send_bytes(&[0xff, 0xfe, 0x00, 0x80]);
    agent.send_bytes("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":9004,\"method\":\"ping\"}".as_bytes());
    agent.send_line(&"[".repeat(100_000));
    let unknown = agent.request("tools/dance", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let unknown = agent.request("tools/call", json!({"name": "serch", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean `search`"));
    let found = agent.ask("search", json!({"query": "cookie"}));
    assert!(found["data"]["items"].is_array());
    let (_, stderr, status) = agent.close();
    assert_eq!((stderr.as_str(), status), ("", Some(0)));
}

#[test]
fn wrong_arguments_are_named() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--no-index", "--tools", "all"]);
    for (tool, arguments, said) in [
        ("search", json!({}), "missing field `query`"),
        ("search", json!({"query": true}), "invalid type"),
        ("search", json!({"query": "x", "limit": "many"}), "invalid type"),
        ("symbol", json!({"name": "x", "limit": 0}), "it must be 1 to 200"),
        ("search", json!({"query": "x", "limit": -1}), "invalid value"),
        ("search", json!({"query": "x", "limit": 1e300}), "invalid"),
        ("search", json!({"query": "x", "types": ["novel"]}), "unknown variant `novel`"),
        ("search", json!({"query": "x", "since": "yesterdayish"}), "yesterdayish"),
        ("search", json!({"query": "x", "cursor": [3]}), "`cursor` must be a text"),
        ("search", json!({"query": "x", "cursor": "nonsense"}), "no cursor"),
        ("search", json!({"query": "x", "project": "nowhere"}), "no project matches"),
        ("trace", json!({"target": ""}), "no path"),
        ("trace", json!({"target": "src/login.rs:99999"}), "line"),
        ("why", json!({"target": "src/nothing.rs"}), "src/nothing.rs"),
        ("show", json!({"reference": "\u{0}\u{202e}"}), "no reference"),
        ("impact", json!({"target": "session", "min_confidence": 7}), "between 0 and 1"),
        ("callers", json!({"symbol": "sesion"}), "no symbol `sesion`"),
        ("remember", json!({"kind": "decision", "text": "  "}), "`text` is empty"),
        ("index_repo", json!({"path": "no/such/folder"}), "there is no folder"),
    ] {
        let error = agent.refused(tool, arguments);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(said), "{tool}: {error}");
        assert!(error["code"].is_string() && error["retryable"] == json!(false), "{error}");
    }
    let error = agent.refused("search", json!({"quary": "x"}));
    assert_eq!(error["suggestion"], "did you mean `query` instead of `quary`?", "{error}");
    let error = agent.refused("callers", json!({"symbol": "sesion"}));
    assert_eq!(error["suggestion"], "did you mean session?", "{error}");
}

#[test]
fn ten_megabytes_are_no_question() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--no-index", "--tools", "all"]);
    let huge = "x ".repeat(5 * 1024 * 1024);
    for (tool, arguments) in [
        ("search", json!({"query": huge})),
        ("remember", json!({"kind": "decision", "text": huge})),
        ("search", json!({"query": "x", "labels": vec!["y"; 1_000_000]})),
    ] {
        let error = agent.refused(tool, arguments);
        assert_eq!(error["code"], "USAGE", "{error}");
        assert!(error["message"].as_str().unwrap().contains("KiB"), "{error}");
    }
    // Longer than any line may be: dropped, and the connection lives.
    agent.send_line(&"x".repeat(17 * 1024 * 1024));
    assert!(agent.ask("search", json!({"query": "cookie"}))["data"]["items"].is_array());
}

#[test]
fn a_cancelled_sync_stops_and_leaves_the_database_free() {
    let site = Site::scenario(BINARY, HISTORY);
    site.server.set_faults(FaultPlan {
        p_slow: 1.0,
        slow: Duration::from_secs(600),
        ..FaultPlan::default()
    });
    let env = &site.env;
    let mut agent = Client::greeted(env, &env.dir(), &["--tools", "all"]);
    let id = agent.begin(
        "tools/call",
        json!({"name": "sync_now", "arguments": {}, "_meta": {"progressToken": 1}}),
    );
    let _begun = agent.notified("notifications/progress");
    let busy = agent.refused("sync_now", json!({}));
    assert_eq!((&busy["code"], &busy["retryable"]), (&json!("LOCKED"), &json!(true)));
    agent.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
    site.server.set_faults(FaultPlan::default());
    // Whoever asks next gets through as soon as the other has let go.
    loop {
        let result = agent.call("sync_now", json!({}));
        if result["isError"] == json!(false) {
            break;
        }
        assert_eq!(result["structuredContent"]["error"]["code"], "LOCKED", "{result}");
    }
    let (rest, _, status) = agent.close();
    assert!(rest.iter().all(|message| message["id"] != json!(id)), "{rest:?}");
    assert_eq!(status, Some(0));
}

#[test]
fn fifty_calls_at_once_during_a_sync_and_an_index() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--no-index", "--tools", "all"]);
    site.server.world().advance(Duration::from_secs(3_600));
    // Feedback is on a pack that was given before.
    let _ = agent.ask("context_for_task", json!({ "task": "login loses the session" }));
    let jobs = [agent.begin_call("sync_now", json!({})), agent.begin_call("index_repo", json!({}))];
    let readers: Vec<(&str, i64)> = QUESTIONS
        .iter()
        .filter(|(tool, _)| !["sync_now", "index_repo", "remember"].contains(tool))
        .cycle()
        .take(50)
        .map(|(tool, arguments)| {
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            (*tool, agent.begin_call(tool, arguments))
        })
        .collect();
    for (tool, id) in readers {
        let result = agent.result_of(id);
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
    }
    // One job runs at a time; the other is told so.
    for id in jobs {
        let result = agent.result_of(id);
        let code = &result["structuredContent"]["error"]["code"];
        assert!(result["isError"] == json!(false) || *code == "LOCKED", "{result}");
    }
    let (rest, stderr, status) = agent.close();
    assert!(rest.iter().all(|message| message.get("id").is_none()), "{rest:?}");
    assert_eq!((stderr.as_str(), status), ("", Some(0)));
}

#[test]
fn a_client_that_only_looks_in_is_no_failure() {
    let site = Site::scenario(BINARY, HISTORY);
    for said in ["", "nonsense\n"] {
        let output = site.env.lore_with_input(&["mcp"], said);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(0)), "{output}");
    }
    // In JSON mode, too, stdout belongs to the protocol.
    let mut robot = site.another_machine(BINARY);
    robot.set_var("LORE_ROBOT", "1");
    let output = robot.lore_with_input(&["mcp"], "");
    assert_eq!((output.stdout.as_str(), output.status), ("", Some(0)), "{output}");
}
