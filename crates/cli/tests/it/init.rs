//! Setting lore up.

use crate::fake_gitlab::{Mood, start};
use crate::lore;
use expect_test::{expect, expect_file};

fn user_config(env: &testkit::TestEnv) -> std::path::PathBuf {
    env.home().join(".config/lore/lore.toml")
}

#[test]
fn flags_alone_are_enough() {
    let env = lore();
    let output = env.lore(&[
        "init",
        "--no-check",
        "--base-url",
        "https://gitlab.example.com/",
        "-p",
        "group/app",
        "-p",
        "group/lib",
    ]);
    expect![[r#"
        wrote $HOME/.config/lore/lore.toml
        server:      https://gitlab.example.com
        token:       from GITLAB_TOKEN, not checked
        project:     group/app
        project:     group/lib
        next: lore sync
    "#]]
    .assert_eq(&output.to_string());
    let written = std::fs::read_to_string(user_config(&env)).unwrap();
    expect_file!["snapshots/lore.toml"].assert_eq(&written);
    expect![[r#"
        group/app
        group/lib
    "#]]
    .assert_eq(&env.lore(&["config", "get", "projects"]).to_string());
}

#[test]
fn nothing_is_overwritten_without_force() {
    let env = lore().with_config("# mine\n");
    let init = ["init", "--no-check", "--base-url", "https://gitlab.example.com"];
    expect![[r#"
        ------- stderr -------
        error: $HOME/.config/lore/lore.toml already exists
        hint: edit it, or replace it with `lore init --force` (the old one is kept)
        [exit status: 2]
    "#]]
    .assert_eq(&env.lore(&init).to_string());
    let forced = env.lore(&[&init[..], &["--force"]].concat());
    expect![[r#"
        wrote $HOME/.config/lore/lore.toml
        server:      https://gitlab.example.com
        token:       from GITLAB_TOKEN, not checked
        next: add [[projects]] to the config, then run: lore sync
        ------- stderr -------
        the old config is kept as $HOME/.config/lore/lore.toml.bak
    "#]]
    .assert_eq(&forced.to_string());
    let kept = user_config(&env).with_extension("toml.bak");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "# mine\n");
}

#[test]
fn server_and_projects_are_checked_before_writing() {
    let server = start(Mood::Friendly);
    let init = |project: &'static str| {
        vec![
            "init".to_owned(),
            "--base-url".into(),
            server.url.clone(),
            "-p".into(),
            project.into(),
        ]
    };
    let run = |env: &testkit::TestEnv, args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        env.lore(&args).to_string().replace(&server.url, "$URL")
    };
    let env = lore();
    expect![[r#"
        ------- stderr -------
        error: `GITLAB_TOKEN` is not set
        hint: create a token with scope `read_api` at $URL/-/user_settings/personal_access_tokens, then `export GITLAB_TOKEN=…`, or put it in a file and set gitlab.token_file; or write the config anyway with --no-check
        [exit status: 5]
    "#]].assert_eq(&run(&env, &init("group/app")));
    let env = env.with_var("GITLAB_TOKEN", "good");
    let refused = run(&env, &init("group/gone"));
    assert!(refused.contains("[exit status: 7]"), "{refused}");
    assert!(!user_config(&env).exists());
    // The server knows best how the project is spelled.
    expect![[r#"
        wrote $HOME/.config/lore/lore.toml
        server:      $URL
        you are:     @ann
        project:     group/app
        next: lore sync
    "#]]
    .assert_eq(&run(&env, &init("Group/App")));
}

#[test]
fn a_clone_tells_server_project_and_repository() {
    let env = lore();
    let _ = env.git(&["init", "-q"]);
    let _ = env.git(&["remote", "add", "origin", "git@gitlab.example.com:group/sub/app.git"]);
    let output = env.lore(&["init", "--no-check", "--local", "-J"]);
    expect![[r#"
        {"ok":true,"data":{"base_url":"https://gitlab.example.com","config":"$DIR/.lore/lore.toml","next":"lore sync","projects":["group/sub/app"],"repos":["$DIR"],"token_env_var":"GITLAB_TOKEN","username":null},"meta":{"elapsed_ms":0}}
    "#]].assert_eq(&output.to_string());
    // What the user has just written needs no further trust.
    let output = env.lore(&["config", "get", "gitlab.base_url"]);
    expect![[r#"
        https://gitlab.example.com
    "#]]
    .assert_eq(&output.to_string());
}

#[test]
fn what_cannot_be_known_is_asked_for() {
    let env = lore();
    expect![[r#"
        ------- stderr -------
        error: no GitLab server was named, and this directory's git does not tell
        hint: lore init --base-url https://gitlab.example.com --project group/app
        [exit status: 2]
    "#]]
    .assert_eq(&env.lore(&["init"]).to_string());
    let output = env.lore(&[
        "init",
        "--no-check",
        "--base-url",
        "https://gitlab.example.com",
        "--token-env-var",
        "glpat-abcdef",
    ]);
    assert!(!output.to_string().contains("glpat-abcdef"), "{output}");
    expect![[r#"
        ------- stderr -------
        error: that is not the name of an environment variable
        hint: name the variable, not the token: --token-env-var GITLAB_TOKEN
        [exit status: 2]
    "#]]
    .assert_eq(&output.to_string());
    let output = env.lore(&["init", "--base-url", "https://x.example", "--repo", "."]);
    expect![[r#"
        ------- stderr -------
        error: $DIR is not in a git repository
        hint: name a folder of a clone with --repo
        [exit status: 17]
    "#]]
    .assert_eq(&output.to_string());
}
