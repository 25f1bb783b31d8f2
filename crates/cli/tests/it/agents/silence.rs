//! When lore says nothing: in clones nobody trusts, over nonsense, and in time.

use super::Shop;
use crate::lore;
use serde_json::json;

/// One of each kind, about files that lore knows much of.
fn events(dir: &str) -> Vec<(&'static str, serde_json::Value)> {
    let file = format!("{dir}/src/shop/cart.py");
    let old = "        return Money(sum(item.cents for item in self.items))";
    vec![
        ("session-start", json!({"source": "startup"})),
        ("sub-agent", json!({})),
        ("prompt", json!({"prompt": "fix Cart.total_price, see #1 and the prices in cents"})),
        (
            "before-tool",
            json!({"tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": old, "new_string": "x"}}),
        ),
        (
            "after-tool",
            json!({"tool_name": "Bash",
            "tool_input": {"command": "rg -l total_price"}, "tool_response": ""}),
        ),
        (
            "after-tool",
            json!({"tool_name": "Read",
            "tool_input": {"file_path": format!("{dir}/src/shop/money.py")}}),
        ),
    ]
}

#[test]
fn a_clone_that_nobody_trusts_says_nothing_to_anybody() {
    let shop = Shop::untrusted();
    let dir = shop.dir().display().to_string();
    for agent in ["claude", "codex", "gemini", "cursor", "copilot", "opencode"] {
        for (event, mut input) in events(&dir) {
            input["cwd"] = dir.clone().into();
            input["session_id"] = "s".into();
            let said = shop.hook(agent, event, &input);
            assert!(["", "{}\n"].contains(&said.as_str()), "{agent} {event}: {said}");
        }
    }
    let _trusted = shop.site.env.lore_in(&shop.dir(), &["trust"], "").success();
    // Each in a session of its own: nothing is said twice in one.
    let said: Vec<bool> = events(&dir)
        .into_iter()
        .enumerate()
        .map(|(nth, (event, mut input))| {
            input["cwd"] = dir.clone().into();
            input["session_id"] = format!("session {nth}").into();
            !shop.hook("claude", event, &input).is_empty()
        })
        .collect();
    assert_eq!(said, [true; 6]);
    let _revoked = shop.site.env.lore_in(&shop.dir(), &["trust", "--revoke"], "").success();
    let start = json!({"cwd": dir, "session_id": "later"});
    assert_eq!(shop.hook("claude", "session-start", &start), "");
}

/// A hook is one process: git would take longer than all the rest. Only a prompt asks it
/// where it stands, to rank what the repository remembers, and a read which commits changed
/// the lines.
#[cfg(unix)]
#[test]
fn a_hook_runs_git_for_memory_and_reasons_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mut shop = Shop::untrusted();
    let _trusted = shop.site.env.lore_in(&shop.dir(), &["trust"], "").success();
    let dir = shop.dir().display().to_string();
    let ran = shop.site.env.dir().join("git-ran");
    let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\nexit 1\n", ran.display());
    let git = shop.site.env.write_file("programs/git", &script);
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", git.parent().unwrap().display());
    shop.site.env.set_var("PATH", &path);
    for (nth, (event, mut input)) in events(&dir).into_iter().enumerate() {
        input["cwd"] = dir.clone().into();
        input["session_id"] = format!("session {nth}").into();
        assert!(!shop.hook("claude", event, &input).is_empty(), "{event}");
        let n_runs = std::fs::read_to_string(&ran).unwrap_or_default().lines().count();
        let may_run = event == "prompt" || input["tool_name"] == "Read";
        assert!(n_runs <= usize::from(may_run), "{event}: {n_runs}");
        let _unless_none = std::fs::remove_file(&ran);
    }
}

#[test]
fn whatever_comes_in_a_hook_ends_well() {
    let shop = Shop::new();
    let env = &shop.site.env;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let inputs = [
        "",
        "{",
        "null",
        "[]",
        "\u{0}\u{1}",
        "{\"tool_name\": 3}",
        &deep,
        r#"{"tool_name":"Edit","tool_input":{"file_path":"../../../etc/passwd","old_string":"root"}}"#,
        r#"{"tool_name":"Bash","tool_input":{"command":"rg '(((' | | ; && \\"}}"#,
    ];
    for event in ["session-start", "prompt", "before-tool", "after-tool", "sub-agent", "unknown"] {
        for input in inputs {
            let args = ["hook", "run", "--agent", "claude", "--event", event];
            let _ended = env.lore_in(&shop.dir(), &args, input).success();
        }
    }
    // A settings file of another version of lore: exit status 2 would block the tool.
    for args in [
        &["hook", "run", "--agent", "nobody", "--event", "prompt"][..],
        &["hook", "run", "--new-flag", "x"],
        &["hook", "run"],
    ] {
        let output = env.lore_in(&shop.dir(), args, "{}").success();
        assert_eq!(output.stdout, "", "{args:?}");
    }
    // Nor do a broken database or config.
    std::fs::write(env.db(), "not a database").unwrap();
    let args = ["hook", "run", "--agent", "claude", "--event", "session-start"];
    assert_eq!(env.lore_in(&shop.dir(), &args, "{}").success().stdout, "");
}

#[test]
fn a_hook_gives_up_in_time_when_its_input_never_ends() {
    let env = lore();
    let mut command = env.command(&["hook", "run", "--agent", "claude", "--event", "prompt"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    // The pipe stays open: a client that forgot to close it.
    let stdin = child.stdin.take();
    let status = child.wait().unwrap();
    drop(stdin);
    // It ended although its input has not.
    assert!(status.success());
}

#[test]
fn the_form_of_a_hook_is_the_clients_whatever_lore_is_told_of_forms() {
    let mut shop = Shop::new();
    shop.site.env.set_var("LORE_ROBOT", "1").set_var("LORE_AGENT", "1");
    let dir = shop.dir().display().to_string();
    let said = shop.hook("claude", "session-start", &json!({"cwd": dir}));
    assert!(said.starts_with("{\"hookSpecificOutput\""), "{said}");
}

#[test]
fn what_was_said_can_be_read_by_a_person() {
    let shop = Shop::new();
    let dir = shop.dir().display().to_string();
    let input = json!({"cwd": dir, "session_id": "abc-123", "tool_name": "Read",
        "tool_input": {"file_path": format!("{dir}/src/shop/money.py")}});
    let said = shop.hook("claude", "after-tool", &input);
    assert!(said.contains("Prices are whole cents"), "{said}");
    let log = shop.site.env.lore_in(&shop.dir(), &["hook", "log"], "").success().stdout;
    assert!(log.contains("claude abc123 after-tool"), "{log}");
    assert!(log.contains("Prices are whole cents"), "{log}");
    let json = shop.site.env.lore_in(&shop.dir(), &["hook", "log", "--json"], "").success();
    let log: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(log["data"]["items"][0]["lines"][0]["kind"], "decision");
}
