//! `lore mcp install`: entered once, everything else left alone.

use crate::lore;
use expect_test::expect;

#[test]
fn an_agent_is_told_of_lore_once() {
    let env = lore();
    let home = env.home();
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    let file = home.join(".cursor/mcp.json");
    std::fs::write(&file, "{\n  // mine\n  \"mcpServers\": {}\n}\n").unwrap();
    let said = |args: &[&str]| env.lore(args).to_string().replace(&home.display().to_string(), "~");
    expect![[r#"
        Cursor knows lore from its next start on: $HOME/.cursor/mcp.json
    "#]]
    .assert_eq(&said(&["mcp", "install", "cursor"]));
    expect![[r#"
        Cursor knows lore already: $HOME/.cursor/mcp.json
    "#]]
    .assert_eq(&said(&["mcp", "install", "cursor"]));
    expect![[r#"
        {
          // mine
          "mcpServers": {
            "lore": {
              "command": "lore",
              "args": ["mcp", "--text-only"]
            }
          }
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(&file).unwrap());
    expect![[r#"
        [mcp_servers.lore]
        command = "lore"
        args = ["mcp", "--text-only", "--tools", "core,code"]
    "#]]
    .assert_eq(&said(&["mcp", "install", "codex", "--print", "--tools", "core,code"]));
    assert!(!home.join(".codex").exists());
    expect![[r#"
        {"ok":true,"data":{"client":"zed","file":"$HOME/.config/zed/settings.json","state":"installed"},"meta":{"elapsed_ms":0}}
    "#]]
    .assert_eq(&said(&["mcp", "install", "zed", "--json"]));
}

#[test]
fn every_agent_can_be_entered_for_a_project() {
    let env = lore();
    let _done = env.git(&["init", "-q", "."]);
    for (client, file) in [
        ("claude", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("codex", ".codex/config.toml"),
        ("zed", ".zed/settings.json"),
    ] {
        let _done = env.lore(&["mcp", "install", client, "--scope", "project"]).success();
        let text = std::fs::read_to_string(env.dir().join(file)).unwrap();
        assert!(text.contains("\"mcp\""), "{client}: {text}");
    }
    let skill = env.lore(&["mcp", "install", "claude", "--scope", "project", "--skill"]);
    assert!(skill.to_string().contains(".claude/skills/lore/SKILL.md"), "{skill}");
    let text = std::fs::read_to_string(env.dir().join(".claude/skills/lore/SKILL.md")).unwrap();
    assert_eq!(text, env.lore(&["mcp", "skill"]).success().stdout);
}

#[test]
fn what_cannot_be_entered_is_said() {
    let env = lore();
    expect![[r#"
        ------- stderr -------
        error: lore knows no agent `curser`
        hint: did you mean cursor?
        [exit status: 2]
    "#]]
    .assert_eq(&env.lore(&["mcp", "install", "curser"]).to_string());
    std::fs::create_dir_all(env.home().join(".cursor")).unwrap();
    std::fs::write(env.home().join(".cursor/mcp.json"), "{ broken").unwrap();
    let refused = env.lore(&["mcp", "install", "cursor"]);
    assert_eq!(refused.status, Some(4), "{refused}");
    let outside = env.lore(&["mcp", "install", "claude", "--scope", "project"]);
    assert_eq!(outside.status, Some(17), "{outside}");
    let shown = env.lore(&["mcp", "install", "generic"]).success();
    assert!(shown.stdout.contains("\"mcpServers\""), "{shown}");
}

#[test]
fn the_skill_names_commands_and_tools_that_exist() {
    let env = lore();
    let skill = env.lore(&["mcp", "skill"]).success().stdout;
    for tool in skill.lines().filter(|line| line.starts_with("| ")).skip(1) {
        for name in tool.split('|').nth(2).unwrap_or_default().split('`').skip(1).step_by(2) {
            let is_known = serve::mcp::names().any(|known| known == name);
            assert!(is_known, "the skill names a tool `{name}`");
        }
    }
    for line in skill.lines() {
        for command in line.split('`').skip(1).step_by(2).filter(|it| it.starts_with("lore ")) {
            let words = cli::help::shell_words(command);
            let is_example = !command.contains('…');
            let env = cli::env::Env::from_vars(std::collections::BTreeMap::new(), "/".into());
            assert!(!is_example || cli::args::parse(&words, &env).is_ok(), "{command}");
        }
    }
}
