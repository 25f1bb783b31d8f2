//! The documents lore prints about itself.

use crate::lore;
use cli::commands::ENTRIES;
use expect_test::expect_file;
use serde_json::Value;

#[test]
fn answers_keep_their_shapes() {
    let schemas = lore().lore(&["schema"]).success().stdout;
    expect_file!["snapshots/schemas.json"].assert_eq(&schemas);
    let schemas: Value = serde_json::from_str(&schemas).unwrap();
    for entry in ENTRIES {
        assert!(schemas["commands"].get(entry.name).is_some(), "{}", entry.name);
    }
}

#[test]
fn one_schema_alone_is_the_same_schema() {
    let env = lore();
    let all: Value = serde_json::from_str(&env.lore(&["schema"]).success().stdout).unwrap();
    let one: Value =
        serde_json::from_str(&env.lore(&["schema", "doctor"]).success().stdout).unwrap();
    assert_eq!(all["commands"]["doctor"], one);
    let output = env.lore(&["schema", "docter"]).failure(17);
    assert!(output.stderr.contains("did you mean `lore schema doctor`?"), "{output}");
}

#[test]
fn agents_get_one_page() {
    expect_file!["snapshots/robot-docs.md"]
        .assert_eq(&lore().lore(&["robot-docs"]).success().stdout);
}

#[test]
fn completions_exist_for_every_shell() {
    let env = lore();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = env.lore(&["completions", shell]).success().stdout;
        assert!(script.contains("doctor"), "{shell}: {script}");
    }
}

#[cfg(unix)]
#[test]
fn bash_understands_its_completions() {
    let env = lore();
    let script = env.lore(&["completions", "bash"]).success().stdout;
    env.write_file("lore.bash", &script);
    let bash = std::process::Command::new("bash")
        .args(["--norc", "-c", "source lore.bash && complete -p lore"])
        .current_dir(env.dir())
        .output();
    match bash {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(error) => testkit::outside::leave_out(&format!("bash cannot be run: {error}")),
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let env = lore();
    let page = env.lore(&["man"]).success().stdout;
    assert!(page.contains(".TH lore 1"), "{page}");
    let written = env.lore(&["man", "--dir", "man1"]).success().stdout;
    for entry in ENTRIES {
        let name = format!("lore-{}.1", entry.name);
        assert!(written.contains(&name), "{written}");
        let page = std::fs::read_to_string(env.dir().join("man1").join(name)).unwrap();
        assert!(page.contains("Examples"), "{page}");
    }
}
