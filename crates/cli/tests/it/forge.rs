//! Commands that ask the server who and where.

use crate::fake_gitlab::{FakeGitlab, Mood, start};
use crate::lore;
use expect_test::{Expect, expect};
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use testkit::TestEnv;

fn config(server: &FakeGitlab, projects: &[&str]) -> String {
    let mut text = format!("[gitlab]\nbase_url = \"{}\"\n", server.url);
    for project in projects {
        let _ = writeln!(text, "[[projects]]\npath = \"{project}\"");
    }
    text
}

fn check(env: &TestEnv, server: &FakeGitlab, args: &[&str], expected: Expect) {
    let version = env.git(&["--version"]).stdout;
    let version = version.trim().trim_start_matches("git version ").to_owned();
    let shown = env.lore(args).to_string();
    let lines: Vec<&str> = shown.lines().filter(|line| !line.contains("disk")).collect();
    let shown = lines.join("\n").replace(&server.url, "$URL").replace(&version, "<git>");
    expected.assert_eq(&shown);
}

#[test]
fn auth_tells_who_you_are() {
    let server = start(Mood::Friendly);
    let env = lore().with_config(&config(&server, &[])).with_var("GITLAB_TOKEN", "good");
    check(&env, &server, &["auth"], expect!["@ann (Ann Lee[31m) at $URL, GitLab 18.2.1-ee"]);
    check(
        &env,
        &server,
        &["auth", "-J"],
        expect![[
            r#"{"ok":true,"data":{"base_url":"$URL","name":"Ann Lee\u001b[31m","server_version":"18.2.1-ee","token_source":"env:GITLAB_TOKEN","user_id":7,"username":"ann"},"meta":{"elapsed_ms":0}}"#
        ]],
    );
}

#[test]
fn a_refused_token_is_told_apart() {
    let server = start(Mood::Friendly);
    let env = lore().with_config(&config(&server, &[])).with_var("GITLAB_TOKEN", "stale-secret");
    check(
        &env,
        &server,
        &["auth", "-J"],
        expect![[r#"
                        {"ok":false,"error":{"code":"GITLAB_AUTH_FAILED","message":"GitLab refused the token: 401 Unauthorized","suggestion":"check the token: it needs the scope read_api and must be neither expired nor revoked","retryable":false}}
                        [exit status: 6]"#]],
    );
    let output = env.lore(&["doctor", "-v"]).failure(6);
    assert!(!output.to_string().contains("stale-secret"), "{output}");
}

#[test]
fn doctor_looks_at_server_and_projects() {
    let server = start(Mood::Friendly);
    let env = lore()
        .with_config(&config(&server, &["group/app", "Group/App", "group/gone"]))
        .with_var("GITLAB_TOKEN", "good")
        .on_terminal(100);
    check(
        &env,
        &server,
        &["doctor", "--color", "never"],
        expect![[r#"
            ✓ config              ~/.config/lore/lore.toml
            ✓ token               from env:GITLAB_TOKEN
            ✓ forge               $URL as @ann, GitLab 18.2.1-ee
            ✓ project group/app   visible
            ! project Group/App   now called group/app
                                  fix: write group/app in the config
            ✗ project group/gone  GET projects/group%2Fgone failed: 404 Project Not Found
                                  fix: check that it exists and that the token's owner may see it
            ! database            $HOME/.local/share/lore/lore.db does not exist yet
                                  fix: lore index
            ✓ embedding           gte-small-int8, built in
            ✓ git                 <git>
            ------- stderr -------
            error: check failed: project group/gone: GET projects/group%2Fgone failed: 404 Project Not Found
            hint: check that it exists and that the token's owner may see it
            [exit status: 7]"#]],
    );
}

#[test]
fn an_unreachable_server_is_a_network_error() {
    let server = start(Mood::Friendly);
    // A port that was free a moment ago and that nobody listens on.
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let env = lore()
        .with_config(&format!("[gitlab]\nbase_url = \"{url}\"\n"))
        .with_var("GITLAB_TOKEN", "good");
    let output = env.lore(&["auth", "-J"]).failure(9);
    assert!(output.stdout.contains(r#""code":"NETWORK_ERROR""#), "{output}");
    assert!(output.stdout.contains(r#""retryable":true"#), "{output}");
    drop(server);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130() {
    let server = start(Mood::Mute);
    let env = lore().with_config(&config(&server, &[])).with_var("GITLAB_TOKEN", "good");
    let child = env
        .command(&["auth", "-J"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The request has arrived, so the handler is in place.
    let _ = server.requests.recv().unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    expect![[r#"
                    {"ok":false,"error":{"code":"INTERRUPTED","message":"interrupted","suggestion":null,"retryable":true}}
        "#]].assert_eq(&env.redact(&output.stdout));
    assert_eq!(output.status.code(), Some(130));
}
