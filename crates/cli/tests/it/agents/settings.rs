//! Settings of every client: hooks go in once, and the file comes back as it was.

use crate::lore;
use expect_test::expect;
use std::path::PathBuf;
use testkit::TestEnv;

/// Where each client keeps its hooks, below the home directory.
const FILES: &[(&str, &str)] = &[
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
    ("copilot", ".copilot/hooks/lore.json"),
    ("opencode", ".config/opencode/plugins/lore.js"),
];

fn repo() -> TestEnv {
    let env = lore();
    let _made = env.git(&["init", "-q", "-b", "main", "."]);
    env
}

fn put(env: &TestEnv, file: &str, text: &str) -> PathBuf {
    let path = env.home().join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_clients_file_round_trips_byte_for_byte() {
    let odd = "{\r\n // mine\n\t\"hooks\" : { } , \"zeta\": [1 ,2],\n}\n\n";
    for (agent, file) in FILES {
        for before in [None, Some("{}"), Some(odd)] {
            if *agent == "opencode" && before.is_some() {
                continue;
            }
            let env = repo();
            let path = match before {
                Some(text) => put(&env, file, text),
                None => env.home().join(file),
            };
            let _in = env.lore(&["hook", "install", "--agent", agent]).success();
            let installed = std::fs::read_to_string(&path).unwrap();
            assert!(installed.contains("lore"), "{agent}: {installed}");
            let _again = env.lore(&["hook", "install", "--agent", agent]).success();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), installed, "{agent}");
            let _out = env.lore(&["hook", "remove", "--agent", agent]).success();
            assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), before, "{agent}");
        }
    }
}

#[test]
fn hooks_of_others_stay_when_somebody_changed_the_file_since() {
    let env = repo();
    let path = put(&env, ".claude/settings.json", "{\n  \"zeta\": 1 // mine\n}\n");
    let _in = env.lore(&["hook", "install", "--agent", "claude"]).success();
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"zeta\": 1", "\"zeta\": 2");
    std::fs::write(&path, &changed).unwrap();
    let _out = env.lore(&["hook", "remove", "--agent", "claude"]).success();
    let left = std::fs::read_to_string(&path).unwrap();
    assert!(!left.contains("lore") && left.contains("\"zeta\": 2 // mine"), "{left}");
}

#[test]
fn what_is_installed_is_shown_and_can_be_printed_first() {
    let env = repo();
    put(&env, ".claude/settings.json", "{\n  \"zeta\": 1, // mine\n  \"alpha\": [1]\n}\n");
    expect![[r#"
        {
          "zeta": 1, // mine
          "alpha": [1],
          "hooks": {
            "SessionStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "lore hook run --agent claude --event session-start",
                    "timeout": 5
                  }
                ]
              }
            ],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "lore hook run --agent claude --event prompt",
                    "timeout": 5
                  }
                ]
              }
            ],
            "PreToolUse": [
              {
                "matcher": "Edit|MultiEdit|Write|NotebookEdit",
                "hooks": [
                  {
                    "type": "command",
                    "command": "lore hook run --agent claude --event before-tool",
                    "timeout": 5
                  }
                ]
              }
            ],
            "PostToolUse": [
              {
                "matcher": "Read|Grep|Bash",
                "hooks": [
                  {
                    "type": "command",
                    "command": "lore hook run --agent claude --event after-tool",
                    "timeout": 5
                  }
                ]
              }
            ],
            "SubagentStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "lore hook run --agent claude --event sub-agent",
                    "timeout": 5
                  }
                ]
              }
            ]
          }
        }
    "#]]
    .assert_eq(&env.lore(&["hook", "install", "--agent", "claude", "--print"]).to_string());
    expect![[r#"
        Claude Code hears from lore from its next session on: $HOME/.claude/settings.json
        events:      SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, SubagentStart
        ------- stderr -------
        lore speaks in repositories you trust; in each of them, run: lore trust
    "#]]
    .assert_eq(&env.lore(&["hook", "install", "--agent", "claude"]).to_string());
    expect![[r#"
        Claude Code hears from lore already: $HOME/.claude/settings.json
    "#]]
    .assert_eq(&env.lore(&["hook", "install", "--agent", "claude"]).to_string());
    expect![[r#"
        Codex hears from lore from its next session on: $DIR/.codex/hooks.json
        events:      SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, SubagentStart
        ------- stderr -------
        older versions need `codex_hooks = true` under [features] of config.toml
        lore speaks in repositories you trust; in each of them, run: lore trust
    "#]]
    .assert_eq(&env.lore(&["hook", "install", "--agent", "codex", "--project"]).to_string());
    expect![[r#"
        {"ok":true,"data":{"agent":"claude","events":["SessionStart","UserPromptSubmit","PreToolUse","PostToolUse","SubagentStart"],"file":"$HOME/.claude/settings.json","state":"removed"},"meta":{"elapsed_ms":0}}
    "#]]
        .assert_eq(&env.lore(&["hook", "remove", "--agent", "claude", "--json"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: lore knows no hooks of `eliza`
        hint: known: claude, codex, gemini, cursor, copilot, opencode; any agent can run `lore inject` with the prompt on stdin
        [exit status: 2]
    "#]].assert_eq(&env.lore(&["hook", "install", "--agent", "eliza"]).to_string());
}
