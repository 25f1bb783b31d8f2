//! What a connection is given and asks about changes what it is given next.

use super::{Client, harbour};
use serde_json::{Value, json};

fn shown(agent: &mut Client, arguments: Value) -> Value {
    agent.ask("context_for_task", arguments)["data"].clone()
}

#[test]
fn a_session_remembers_what_was_asked_about_and_a_cold_pack_does_not() {
    let (site, clone) = harbour();
    let task = "login loses the session";
    let mut agent = Client::greeted(&site.env, &clone, &["--tools", "all", "--no-index"]);
    let cold = shown(&mut agent, json!({ "task": task, "cold": true }));
    let first = shown(&mut agent, json!({ "task": task }));
    assert_eq!(first["pack_root"], cold["pack_root"]);
    // What is asked about after a pack was worth having.
    let _ = agent.ask("symbol", json!({ "name": "session" }));
    let report =
        agent.ask("feedback", json!({ "pack": "last", "symbol": "login", "verdict": "noise" }));
    assert_eq!(report["data"]["verdict"], "noise");
    assert!(report["data"]["score"].as_f64().unwrap() < 0.5, "{report}");
    let again = shown(&mut agent, json!({ "task": task, "cold": true }));
    assert_eq!(again, cold, "byte for byte");
    let refused =
        agent.refused("feedback", json!({ "pack": "0000", "symbol": "x", "verdict": "useful" }));
    assert_eq!(refused["code"], "NOT_FOUND", "{refused}");
    let (_, stderr, status) = agent.close();
    assert_eq!(status, Some(0), "{stderr}");
    // The use was seen, and outlives the connection.
    let args = ["context", task, "--explain", "--json"];
    let output = site.env.lore_in(&clone, &args, "").success();
    let pack: Value = serde_json::from_str(&output.stdout).unwrap();
    let share = |name: &str| -> f64 {
        let symbols = pack["data"]["symbols"].as_array().unwrap();
        let symbol = symbols.iter().find(|it| it["symbol"].as_str().unwrap().ends_with(name));
        let shares = symbol.and_then(|it| it["shares"].as_array()).unwrap();
        let share = shares.iter().find(|share| share["channel"] == "feedback");
        share.map_or(0.0, |share| share["score"].as_f64().unwrap())
    };
    assert!(share(".session") > 0.0, "{pack:#}");
    assert!(share(".login") < 0.0, "{pack:#}");
}

#[test]
fn the_graph_answers_by_conditions_and_follows_values() {
    let (site, clone) = harbour();
    let mut agent = Client::greeted(&site.env, &clone, &["--tools", "all", "--no-index"]);
    let found = agent.ask("graph_query", json!({ "name": "log*", "edges": ["calls"] }));
    let edge = &found["data"]["edges"][0];
    assert!(edge["source"].as_str().unwrap().split('.').next_back() == Some("login"), "{found}");
    assert!(edge["target"].as_str().unwrap().ends_with(".session"), "{found}");
    let none = agent
        .ask("graph_query", json!({ "name": "log*", "edges": ["calls"], "provenance": "manual" }));
    assert_eq!(none["data"]["total_edges"], 0);
    for (arguments, said) in [
        (json!({}), "no condition"),
        (json!({ "kinds": ["functoin"] }), "did you mean function?"),
        (json!({ "edges": ["paints"] }), "no type of edge is called"),
        (json!({ "name": "x", "min_confidence": 2 }), "between 0 and 1"),
    ] {
        let refused = agent.refused("graph_query", arguments).to_string();
        assert!(refused.contains(said), "{refused}");
    }
    let back = agent.ask("trace_dataflow", json!({ "symbol": "login", "direction": "backward" }));
    assert!(!back["data"]["limits"].as_array().unwrap().is_empty(), "{back}");
    let plan = agent.ask("plan_turn", json!({ "task": "why is src/login.rs:1 so" }));
    let tools: Vec<&str> = plan["data"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["tool"].as_str().unwrap())
        .collect();
    assert!(tools.contains(&"ask") && tools.contains(&"recall"), "{plan}");
    assert_eq!(tools.last(), Some(&"remember"));
}
