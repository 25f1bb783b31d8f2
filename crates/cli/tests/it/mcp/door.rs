//! What an agent pays and gets by default: few tools, one of them for any
//! question, answers in few tokens.

use super::{Client, harbour};
use serde_json::{Value, json};
use wire::tokens;

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn the_default_tools_and_instructions_cost_little() {
    let (site, clone) = harbour();
    let mut client = Client::start(&site.env, &clone, &[]);
    let greeted = client.greet(json!({}));
    let instructions = greeted["instructions"].as_str().unwrap();
    assert!(tokens::count(instructions) <= 150, "{instructions}");
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let n_tools = listed.as_array().unwrap().len();
    let cost = tokens::count(&listed.to_string());
    assert!(n_tools <= 6 && cost <= 2_000, "{n_tools} tools, {cost} tokens: {listed}");
    drop(client);
    let mut client = Client::greeted(&site.env, &clone, &["--tools", "all"]);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let cost = tokens::count(&listed.to_string());
    assert!(cost <= 8_200, "all tools cost {cost} tokens");
}

#[test]
fn one_tool_takes_any_question() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &[]);
    for (question, answered_by, holds) in [
        ("who calls session()?", "callers session", "login"),
        ("what breaks if I change `session`", "impact session", "login"),
        ("where is `login` defined?", "symbol login", "src/login.rs"),
        ("#1", "show #1", "Logins are lost on Safari"),
        ("why is src/login.rs:1 so", "why src/login.rs:1", "Keep the session"),
        ("what happened with #1", "timeline #1", "Logins are lost"),
        ("who knows about src/login.rs", "experts src/login.rs", "bo"),
        ("fix the login losing its session", "context_for_task fix the login", "src/login.rs"),
        ("Safari cookie", "search Safari cookie", "Safari"),
    ] {
        let result = client.call("ask", json!({ "question": question }));
        let text = text_of(&result);
        assert!(text.starts_with(&format!("# {answered_by}")), "{question}: {text}");
        assert!(text.contains(holds), "{question}: {text}");
    }
    // A name nobody knows is searched for, and that is said.
    let result = client.call("ask", json!({ "question": "why is harbor/tide!99 so: the cookie" }));
    assert!(text_of(&result).contains("# search"), "{result}");
    assert_eq!(client.refused("ask", json!({ "question": "  " }))["code"], "USAGE");
}

#[test]
fn pr_impact_takes_a_base_in_place_of_a_merge_request() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &["--tools", "all"]);
    let told = client.call("pr_impact", json!({ "base": "HEAD~1" }));
    let compared = client.call("semantic_diff", json!({ "base": "HEAD~1", "head": "HEAD" }));
    assert!(!text_of(&told).is_empty(), "{told}");
    assert_eq!(text_of(&told), text_of(&compared));
    for wrong in [json!({}), json!({ "merge_request": "1", "base": "HEAD~1" })] {
        assert_eq!(client.refused("pr_impact", wrong.clone())["code"], "USAGE", "{wrong}");
    }
}

#[test]
fn what_a_search_lacks_is_said_of_searches() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &[]);
    let mut said = |question: &str| {
        let result = client.call("ask", json!({ "question": question }));
        result["content"].to_string().contains("found by meaning")
            || result["structuredContent"]["meta"]["missing"].to_string().contains("by meaning")
    };
    assert!(!said("who calls session()?"));
    assert!(said("Safari cookie"));
}

#[test]
fn a_tool_that_is_not_listed_answers_by_any_of_its_names() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &[]);
    for (tool, arguments) in [
        ("callers", json!({ "symbol": "session" })),
        ("cross_repo_callers", json!({ "name": "session" })),
        ("blast_radius", json!({ "symbol": "session" })),
        ("show_mr", json!({ "mr": "!1" })),
        ("symbol", json!({ "query": "login" })),
    ] {
        let answer = client.ask(tool, arguments);
        assert!(answer["data"].is_object(), "{tool}: {answer}");
    }
    // Work that goes to the network must have been offered.
    let id = client.begin_call("sync_now", json!({}));
    let refused = client.answer_to(id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("--tools"), "{refused}");
}

#[test]
fn answers_are_lines_unless_a_program_asks_for_json() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &[]);
    let lines = client.call("search", json!({ "query": "cookie" }));
    let as_json = client.call("search", json!({ "query": "cookie", "format": "json" }));
    // What `meta` says of the index depends on when it was asked.
    let data = |it: &Value| it["structuredContent"]["data"].clone();
    assert_eq!(data(&lines), data(&as_json));
    let parsed: Value = serde_json::from_str(text_of(&as_json)).unwrap();
    assert_eq!(parsed, as_json["structuredContent"]);
    let (few, many) = (tokens::count(text_of(&lines)), tokens::count(text_of(&as_json)));
    assert!(few * 10 <= many * 8, "{few} tokens against {many} as JSON");
    let refused = client.refused("search", json!({ "query": "x", "format": "yaml" }));
    assert!(refused["message"].as_str().unwrap().contains("json"), "{refused}");
    drop(client);
    let mut client = Client::greeted(&site.env, &clone, &["--text-only"]);
    let result = client.call("search", json!({ "query": "cookie" }));
    assert_eq!(result.get("structuredContent"), None, "{result}");
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][0].get("outputSchema"), None);
}

/// Such clients hand the JSON form alone to their model, whatever the text says.
#[test]
fn agents_get_the_text_alone_however_the_server_was_entered() {
    let (site, clone) = harbour();
    for (name, is_agent) in [("claude-code", true), ("codex-mcp-client", true), ("probe", false)] {
        let mut client = Client::named(&site.env, &clone, name);
        let result = client.call("search", json!({ "query": "cookie" }));
        assert_eq!(result.get("structuredContent").is_none(), is_agent, "{name}: {result}");
        let refused = client.request(
            "tools/call",
            json!({ "name": "search", "arguments": { "query": "x", "format": "yaml" } }),
        );
        assert_eq!(refused["result"].get("structuredContent").is_none(), is_agent, "{name}");
        let listed = client.request("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"][0].get("outputSchema").is_none(), is_agent, "{name}");
    }
}

#[test]
fn a_budget_is_kept_and_what_is_missing_is_said() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &[]);
    let result = client.call("show", json!({ "reference": "!1", "budget": 200 }));
    let text = text_of(&result);
    assert!(tokens::count(text) <= 300, "{}: {text}", tokens::count(text));
    assert!(text.contains("# cut: "), "{text}");
    for bad in [json!(0), json!(10_000_000), json!("much")] {
        let refused = client.refused("show", json!({ "reference": "!1", "budget": bad }));
        assert_eq!(refused["code"], "USAGE");
    }
}

#[test]
fn context_comes_for_a_task_for_files_and_for_a_merge_request() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &["--tools", "all"]);
    // Of a merge request that is merged, the head need not be indexed.
    let refused = client.refused("context_for_pr", json!({ "mr": "1" }));
    let command = refused["suggestion"].as_str().unwrap().strip_prefix("run: lore ").unwrap();
    // What may be typed ends where another way is offered.
    let command = command.split(';').next().unwrap_or(command);
    let words: Vec<&str> = command.split(' ').collect();
    let _indexed = site.env.lore_in(&clone, &words, "").success();
    let mut known = wire::Session::new();
    for (tool, arguments) in [
        ("context_for_task", json!({ "task": "login() loses the session cookie" })),
        ("context_for_files", json!({ "files": ["src/login.rs"] })),
        ("context_for_pr", json!({ "mr": "1" })),
        ("context_for_pr", json!({ "base": "HEAD~1" })),
    ] {
        let answer = client.ask(tool, arguments.clone());
        let symbols = answer["data"]["symbols"].as_array().unwrap();
        let is_login = |symbol: &Value| symbol["path"] == "src/login.rs";
        assert!(symbols.iter().any(is_login), "{tool}: {answer}");
        let mut arguments = arguments;
        arguments["format"] = json!("gcf");
        let result = client.call(tool, arguments);
        let payload = wire::gcf::decode_in(&mut known, text_of(&result).as_bytes()).unwrap();
        assert_eq!(payload.symbols.len(), symbols.len(), "{result}");
    }
    for (tool, arguments, code) in [
        ("context_for_task", json!({ "task": " " }), "USAGE"),
        ("context_for_files", json!({ "files": [] }), "USAGE"),
        ("context_for_files", json!({ "files": ["no/such.rs"] }), "NOT_FOUND"),
        ("context_for_pr", json!({}), "USAGE"),
        ("context_for_pr", json!({ "mr": "99" }), "NOT_FOUND"),
    ] {
        assert_eq!(client.refused(tool, arguments)["code"], code, "{tool}");
    }
}

#[test]
fn symbols_that_were_sent_are_referred_to_until_they_are_asked_for_in_full() {
    let (site, clone) = harbour();
    let mut client = Client::greeted(&site.env, &clone, &["--tools", "all"]);
    let mut known = wire::Session::new();
    let mut read = |result: &Value| {
        let text = text_of(result).to_owned();
        (wire::gcf::decode_in(&mut known, text.as_bytes()).unwrap(), text)
    };
    let task = json!({ "task": "login() loses the session cookie", "cold": true, "format": "gcf" });
    let (first, whole) = read(&client.call("context_for_task", task.clone()));
    assert!(whole.starts_with("gcf/2 context_for_task session=0"), "{whole}");
    let (again, short) = read(&client.call("context_for_task", task.clone()));
    assert_eq!(again, first, "the same is understood");
    assert!(!short.contains("src/login.rs") && short.contains("\n=0"), "{short}");
    assert!(tokens::count(&short) < tokens::count(&whole), "{short}");
    // Other tools share what the connection knows.
    let (callers, text) =
        read(&client.call("callers", json!({ "symbol": "session", "format": "gcf" })));
    let names: Vec<&str> = callers.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["login.session", "login.login"], "{text}");
    assert_eq!((callers.edges[0].source, callers.edges[0].target), (1, 0));
    assert!(text.starts_with("gcf/2 callers session=2"), "{text}");
    // A call that fails counts for nothing.
    client.refused("callers", json!({ "symbol": "no_such_thing", "format": "gcf" }));
    let mut full = task;
    full["format"] = json!("gcf-full");
    let (in_full, text) = read(&client.call("context_for_task", full));
    assert_eq!(in_full, first);
    assert_eq!(text, whole, "as the first time");
}
