//! The compact form for agents, its budget and its cost; pointers and setup.

use super::Shop;
use crate::lore;
use expect_test::expect;

fn run(shop: &Shop, args: &[&str]) -> String {
    shop.site.env.lore_in(&shop.dir(), args, "").success().stdout
}

#[test]
fn the_agent_form_is_short_and_says_what_it_cut() {
    let shop = Shop::new();
    expect![[r#"
        callers of Cart.total_price src/shop/cart.py:11: 4
        src/shop/cart.py Cart.apply_discount:15
        src/shop/checkout.py checkout_cart:5
        src/shop/refund.py refund_order:5
        in tests:
        tests/test_cart.py test_total_price:5
    "#]]
    .assert_eq(&run(&shop, &["callers", "Cart.total_price", "--agent"]));
    expect![[r#"
        callers of charge_card src/shop/checkout.py:8: 1
        src/shop/checkout.py checkout_cart:5
    "#]]
    .assert_eq(&run(&shop, &["--agent", "who calls charge_card"]));
    let whole = run(&shop, &["map", "--agent"]);
    let cut = run(&shop, &["map", "--agent", "--budget", "60"]);
    assert!(wire::tokens::count(&cut) <= 60, "{cut}");
    let mark = cut.lines().last().unwrap();
    assert!(mark.starts_with("# cut: ") && mark.contains("--budget"), "{mark}");
    assert!(whole.starts_with(cut.lines().next().unwrap()), "{whole}");
    // Text for people and JSON keep to a budget too.
    let text = run(&shop, &["outline", "src/shop/storage.py", "--budget", "50"]);
    assert!(text.contains("# cut: "), "{text}");
    let json = run(&shop, &["outline", "src/shop/storage.py", "--json", "--budget", "50"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let warning = json["meta"]["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("--budget 50"), "{json}");
}

#[test]
fn inside_an_agent_the_form_is_chosen_and_its_cost_counted() {
    let mut shop = Shop::new();
    expect![[r#""#]].assert_eq(&run(&shop, &["gain"]));
    shop.site.env.set_var("CLAUDECODE", "1");
    let compact = run(&shop, &["callers", "Cart.total_price"]);
    assert_eq!(compact, run(&shop, &["callers", "Cart.total_price", "--agent"]));
    let _also = run(&shop, &["why", "src/shop/money.py:10"]);
    shop.site.env.remove_var("CLAUDECODE");
    let gain = run(&shop, &["gain", "--json"]);
    let gain: serde_json::Value = serde_json::from_str(&gain).unwrap();
    let commands = gain["data"]["commands"].as_array().unwrap();
    let callers = commands.iter().find(|row| row["name"] == "callers").unwrap();
    assert_eq!(callers["answers"], 2);
    assert!(callers["estimated_without"].as_u64() > callers["tokens"].as_u64());
    assert!(commands.iter().any(|row| row["name"] == "why"));
    let text = run(&shop, &["gain"]);
    assert!(text.contains("(estimate)"), "{text}");
}

#[test]
fn pointers_are_shown_written_once_and_taken_out() {
    let env = lore();
    let _made = env.git(&["init", "-q", "-b", "main", "."]);
    env.write_file("AGENTS.md", "# Rules\n");
    env.write_file("CLAUDE.md", "@AGENTS.md\n");
    env.write_file("GEMINI.md", "Be kind.\n");
    let plan = env.lore(&["agents", "init", "--dry-run"]).success().stdout;
    assert!(plan.contains("would change $DIR/AGENTS.md"), "{plan}");
    assert!(!env.dir().join(".agents").exists());
    let refused = env.lore(&["agents", "init"]).failure(2);
    assert!(refused.stderr.contains("--yes"), "{refused}");
    expect![[r#"
        wrote $DIR/AGENTS.md (section for agents)
        wrote $DIR/GEMINI.md (section for agents)
        wrote $DIR/.agents/skills/lore/SKILL.md (skill)
        sub-agents:  list these tools: Bash(lore:*), mcp__lore__ask
    "#]]
    .assert_eq(&env.lore(&["agents", "init", "--yes"]).to_string());
    let read = |file: &str| std::fs::read_to_string(env.dir().join(file)).unwrap();
    assert!(read("AGENTS.md").starts_with("# Rules\n\n<!-- lore:begin -->"));
    assert_eq!(read("CLAUDE.md"), "@AGENTS.md\n");
    assert!(read("GEMINI.md").contains("lore map"));
    expect![[r#""#]].assert_eq(&env.lore(&["agents", "init", "--yes"]).to_string());
    let _out = env.lore(&["agents", "init", "--remove", "--yes"]).success();
    assert_eq!(
        (read("AGENTS.md").as_str(), read("GEMINI.md").as_str()),
        ("# Rules\n", "Be kind.\n")
    );
    assert!(!env.dir().join(".agents/skills/lore/SKILL.md").exists());
}

#[test]
fn setup_does_everything_once_and_takes_it_back() {
    let env = lore();
    let _made = env.git(&["init", "-q", "-b", "main", "."]);
    env.write_file("a.py", "def helper():\n    pass\n\n\ndef main():\n    helper()\n");
    let _added = env.git(&["add", "-A"]);
    let _kept = env.git(&["commit", "-q", "-m", "start"]);
    for folder in [".claude", ".codex"] {
        std::fs::create_dir_all(env.home().join(folder)).unwrap();
    }
    let claude = env.home().join(".claude/settings.json");
    std::fs::write(&claude, "{ \"model\": \"x\" }").unwrap();
    let plan = env.lore(&["setup", "--dry-run"]).success().stdout;
    assert!(plan.contains("would change $HOME/.claude/settings.json"), "{plan}");
    assert!(plan.contains("agents:      claude, codex"), "{plan}");
    assert_eq!(std::fs::read_to_string(&claude).unwrap(), "{ \"model\": \"x\" }");
    let done = env.lore(&["setup", "--yes"]).success().stdout;
    assert!(done.contains("try: lore \"who calls helper()\""), "{done}");
    for file in [
        ".claude/settings.json",
        ".claude.json",
        ".claude/skills/lore/SKILL.md",
        ".codex/hooks.json",
        ".codex/config.toml",
    ] {
        let text = std::fs::read_to_string(env.home().join(file)).unwrap();
        assert!(text.contains("lore"), "{file}: {text}");
    }
    let again = env.lore(&["setup", "--yes", "--json"]).success().stdout;
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["data"]["files"], serde_json::json!([]), "{again}");
    let answer = env.lore(&["who calls helper()", "--agent"]).success().stdout;
    assert!(answer.contains("main"), "{answer}");
    let _removed = env.lore(&["setup", "--remove", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&claude).unwrap(), "{ \"model\": \"x\" }");
    for file in [".claude.json", ".codex/hooks.json", ".claude/skills/lore/SKILL.md"] {
        assert!(!env.home().join(file).exists(), "{file}");
    }
    assert!(!env.dir().join("AGENTS.md").exists());
}
