//! What goes to which stream, in which form.

use crate::{CONFIG, lore};
use expect_test::{Expect, expect};
use std::process::Stdio;
use testkit::TestEnv;

fn check(env: &TestEnv, args: &[&str], expected: Expect) {
    expected.assert_eq(&env.lore(args).to_string());
}

#[test]
fn the_version_needs_nothing() {
    let mut env = lore().with_config("this is not TOML");
    check(
        &env,
        &["--version"],
        expect![[r#"
            lore 0.1.0
        "#]],
    );
    let output = env.lore(&["version"]).success();
    assert!(output.stdout.starts_with("lore 0.1.0 (development build, "), "{output}");
    env.remove_var("HOME");
    check(
        &env,
        &["-V"],
        expect![[r#"
            lore 0.1.0
        "#]],
    );
}

#[test]
fn doctor_has_a_form_for_people_and_one_for_pipes() {
    let env =
        lore().with_config("[[projects]]\npath = \"a/b\"\n").with_var("LORE_SYNC_CONCURENCY", "1");
    let env = env.with_var("LORE_AGENT", "0").with_var("LORE_HOOK_DEADLINE_MS", "100");
    let stable = |env: &TestEnv| {
        let version = env.git(&["--version"]).stdout;
        let version = version.trim().trim_start_matches("git version ").to_owned();
        let output = env.lore(&["doctor", "--color", "never"]).to_string();
        // How full the developer's disk is, is not the question here.
        let lines = output.lines().filter(|line| !line.contains("disk"));
        lines.collect::<Vec<_>>().join("\n").replace(&version, "<git>")
    };
    expect![[r#"
        ID	STATUS	DETAIL	FIX
        config	ok	~/.config/lore/lore.toml	
        forge	fail	`gitlab.base_url` is not set in $HOME/.config/lore/lore.toml	add it, or run `lore init --force`
        database	warn	$HOME/.local/share/lore/lore.db does not exist yet	lore index
        embedding	ok	gte-small-int8, built in	
        git	ok	<git>	
        environment	warn	LORE_SYNC_CONCURENCY has no meaning to lore	did you mean LORE_SYNC_CONCURRENCY?
        ------- stderr -------
        error: check failed: forge: `gitlab.base_url` is not set in $HOME/.config/lore/lore.toml
        hint: add it, or run `lore init --force`
        [exit status: 4]"#]].assert_eq(&stable(&env));
    expect![[r#"
        ✓ config       ~/.config/lore/lore.toml
        ✗ forge        `gitlab.base_url` is not set in $HOME/.config/lore/lore.toml
                       fix: add it, or run `lore init --force`
        ! database     $HOME/.local/share/lore/lore.db does not exist yet
                       fix: lore index
        ✓ embedding    gte-small-int8, built in
        ✓ git          <git>
        ! environment  LORE_SYNC_CONCURENCY has no meaning to lore
                       fix: did you mean LORE_SYNC_CONCURRENCY?
        ------- stderr -------
        error: check failed: forge: `gitlab.base_url` is not set in $HOME/.config/lore/lore.toml
        hint: add it, or run `lore init --force`
        [exit status: 4]"#]]
    .assert_eq(&stable(&env.on_terminal(80)));
}

#[test]
fn fields_choose_parts_of_the_answer() {
    let env = lore().with_config(CONFIG).with_var("GITLAB_TOKEN", "t");
    check(
        &env,
        &["health", "--fields", "checks.id,healthy"],
        expect![[r#"
                {"ok":true,"data":{"checks":[{"id":"config"},{"id":"token"},{"id":"database"}],"healthy":true},"meta":{"elapsed_ms":0}}
    "#]],
    );
    check(
        &env,
        &["health", "--fields", "status"],
        expect![[r#"
            {"ok":true,"data":{"checks":[{"status":"ok"},{"status":"ok"},{"status":"warn"}]},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &env,
        &["health", "--fields", "?"],
        expect![[r#"
            checks
            checks.code
            checks.detail
            checks.fix
            checks.id
            checks.status
            healthy
        "#]],
    );
    check(
        &env,
        &["health", "-J", "--fields", "?"],
        expect![[r#"
            {"ok":true,"data":{"fields":["checks","checks.code","checks.detail","checks.fix","checks.id","checks.status","healthy"]},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &env,
        &["health", "--fields", "check.id"],
        expect![[r#"
            {"ok":false,"error":{"code":"USAGE","message":"this answer has no field `check.id`","suggestion":"did you mean `checks.id`, `checks.fix`, `checks.code`? `--fields ?` lists them all","retryable":false}}
            [exit status: 2]
        "#]],
    );
}

#[test]
fn robot_mode_is_json_everywhere() {
    let env = lore().with_var("LORE_ROBOT", "1");
    check(
        &env,
        &["config", "path"],
        expect![[r#"
            {"ok":true,"data":{"exists":false,"path":"$HOME/.config/lore/lore.toml"},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &env,
        &["nonsense"],
        expect![[r#"
            {"ok":false,"error":{"code":"USAGE","message":"unrecognized subcommand 'nonsense'","suggestion":"lore [OPTIONS] <COMMAND>","retryable":false}}
            [exit status: 2]
        "#]],
    );
    let env = env.with_var("LORE_ROBOT", "0");
    check(
        &env,
        &["config", "path"],
        expect![[r#"
            $HOME/.config/lore/lore.toml
        "#]],
    );
}

#[test]
fn colour_only_where_it_is_wanted() {
    let has_colour = |env: &TestEnv, args: &[&str]| env.lore(args).stdout.contains('\u{1b}');
    let list = ["config", "list"];
    let env = lore();
    assert!(!has_colour(&env, &list));
    assert!(has_colour(&env, &["config", "list", "--color", "always"]));
    let env = env.on_terminal(100);
    assert!(has_colour(&env, &list));
    assert!(has_colour(&env, &["--help"]));
    assert!(!has_colour(&env, &["config", "list", "--color", "never"]));
    assert!(!has_colour(&env, &["--help", "--color=never"]));
    assert!(!has_colour(&env, &["config", "list", "--json"]));
    let env = env.with_var("NO_COLOR", "1");
    assert!(!has_colour(&env, &list));
    assert!(has_colour(&env, &["config", "list", "--color", "always"]));
    let env = lore().with_var("CLICOLOR_FORCE", "1");
    assert!(has_colour(&env, &list));
}

#[test]
fn quiet_and_verbose() {
    let env = lore();
    env.write_file(".lore/lore.toml", "[gitlab]\nbase_url = \"https://x.example\"\n");
    check(
        &env,
        &["config", "get", "sync.concurrency"],
        expect![[r#"
            8
            ------- stderr -------
            warning: `gitlab.base_url` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`
        "#]],
    );
    check(
        &env,
        &["config", "get", "sync.concurrency", "-q"],
        expect![[r#"
            8
        "#]],
    );
    check(
        &env,
        &["config", "get", "sync.concurrency", "-v"],
        expect![[r#"
            8
            ------- stderr -------
            warning: `gitlab.base_url` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`
            config: $DIR/.lore/lore.toml
        "#]],
    );
    check(
        &env,
        &["config", "get", "sync.concurrency", "-J"],
        expect![[r#"
            {"ok":true,"data":{"key":"sync.concurrency","source":"default","value":8},"meta":{"elapsed_ms":0,"warnings":["`gitlab.base_url` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`"]}}
        "#]],
    );
}

#[test]
fn long_answers_go_through_the_pager_of_a_terminal() {
    let env = lore().on_terminal(80).with_var("LORE_PAGER", "sed -n 's/^/> /;1p'");
    let paged = env.lore(&["help", "config"]).success();
    expect![[r#"
        > CONFIG
    "#]]
    .assert_eq(&paged.to_string());
    let plain = env.lore(&["help", "config", "--no-pager"]).success();
    assert!(plain.stdout.starts_with("CONFIG\n"), "{plain}");
    check(
        &env,
        &["config", "get", "sync.concurrency"],
        expect![[r#"
            8
        "#]],
    );
    let env = env.with_var("LORE_PAGER", "no-such-pager-anywhere");
    let fallback = env.lore(&["help", "config"]);
    assert!(fallback.stdout.starts_with("CONFIG\n"), "{fallback}");
    assert_eq!(fallback.status, Some(0));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let env = lore();
    let mut child =
        env.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let env = lore();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = env.command(&["schema", "-J"]).stdout(full).output().unwrap();
    expect![[r#"
        error: cannot write to standard output
          caused by: No space left on device (os error 28)
    "#]]
    .assert_eq(&env.redact(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
}
