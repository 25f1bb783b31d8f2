//! Every way a config can be wrong has its code, its line and its way out.

use crate::{CONFIG, fake_gitlab, lore};
use expect_test::{Expect, expect};
use testkit::TestEnv;

fn check(env: &TestEnv, args: &[&str], expected: Expect) {
    expected.assert_eq(&env.lore(args).to_string());
}

/// The JSON form of what `lore auth` says to a config.
fn check_config(config: &str, expected: Expect) {
    check(&lore().with_config(config), &["auth", "--json"], expected);
}

#[test]
fn no_config_at_all() {
    check(
        &lore(),
        &["auth", "--json"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_NOT_FOUND","message":"no GitLab server is configured","suggestion":"lore init","retryable":false}}
            [exit status: 3]
        "#]],
    );
    check(
        &lore(),
        &["auth"],
        expect![[r#"
            ------- stderr -------
            error: no GitLab server is configured
            hint: lore init
            [exit status: 3]
        "#]],
    );
}

#[test]
fn a_named_file_that_is_not_there() {
    check(
        &lore(),
        &["auth", "--config", "missing.toml", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_NOT_FOUND","message":"no config file at $DIR/missing.toml","suggestion":"lore init","retryable":false}}
            [exit status: 3]
        "#]],
    );
}

#[test]
fn broken_toml_names_the_line() {
    check_config(
        "[gitlab]\nbase_url = \"https://x\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: invalid basic string, expected `\"`","suggestion":"lore help config","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn broken_json_names_the_line() {
    let env = lore();
    env.write_file("c.json", "{\n  \"gitlab\": {\n");
    check(
        &env,
        &["auth", "--config", "c.json", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"$DIR/c.json: line 3: EOF while parsing an object","suggestion":"lore help config","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn unknown_keys_name_the_nearest() {
    check_config(
        "[gitlab]\nbase_ulr = \"https://x\"\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: unknown key `gitlab.base_ulr`","suggestion":"did you mean `gitlab.base_url`?","retryable":false}}
            [exit status: 4]
        "#]],
    );
    let env = lore();
    env.write_file("c.json", "{\"gitlab\": {\n  \"base_url\": \"https://x\"}}");
    check(
        &env,
        &["auth", "--config", "c.json", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"$DIR/c.json: line 2: unknown key `gitlab.base_url`","suggestion":"did you mean `gitlab.baseUrl`?","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn wrong_types_and_values() {
    check_config(
        "[sync]\nconcurrency = \"many\"\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: `sync.concurrency` must be a number, not text","suggestion":"lore help config","retryable":false}}
            [exit status: 4]
        "#]],
    );
    check_config(
        "[sync]\nconcurrency = 500\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: `sync.concurrency` must be a whole number from 1 to 64, not 500","suggestion":"lore help config","retryable":false}}
            [exit status: 4]
        "#]],
    );
    check_config(
        "[embedding]\nprovider = \"openai\"\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: `embedding.provider` must be one of builtin, ollama, none, not `openai`","suggestion":"lore help config","retryable":false}}
            [exit status: 4]
        "#]],
    );
    check_config(
        "[gitlab]\nbase_url = \"gitlab.example.com\"\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"~/.config/lore/lore.toml: line 2: `gitlab.base_url` must begin with https:// or http://, not `gitlab.example.com`","suggestion":"write it as https://gitlab.example.com","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn a_file_without_a_server() {
    check_config(
        "[[projects]]\npath = \"a/b\"\n",
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"`gitlab.base_url` is not set in $HOME/.config/lore/lore.toml","suggestion":"add it, or run `lore init --force`","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn a_wrong_variable_is_named() {
    let env = lore().with_config(CONFIG).with_var("LORE_SYNC_CONCURRENCY", "lots");
    check(
        &env,
        &["auth", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"environment variable LORE_SYNC_CONCURRENCY: `sync.concurrency` must be a number, not `lots`","suggestion":null,"retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn not_text_and_not_small() {
    let env = lore();
    std::fs::write(env.dir().join("c.toml"), b"\xff\xfe").unwrap();
    check(
        &env,
        &["auth", "--config", "c.toml", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"$DIR/c.toml is not UTF-8 text; caused by: invalid utf-8 sequence of 1 bytes from index 0","suggestion":"save it as UTF-8, or name another file with --config","retryable":false}}
            [exit status: 4]
        "#]],
    );
    env.write_file("big.toml", &"# filler\n".repeat(200_000));
    check(
        &env,
        &["auth", "--config", "big.toml", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"$DIR/big.toml is no config file: larger than 1048576 bytes","suggestion":"name another file with --config","retryable":false}}
            [exit status: 4]
        "#]],
    );
    check(
        &env,
        &["auth", "--config", ".", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"$DIR is no config file: not a regular file","suggestion":"name another file with --config","retryable":false}}
            [exit status: 4]
        "#]],
    );
}

#[test]
fn a_missing_token_is_an_error_that_names_the_page_to_make_one() {
    check(
        &lore().with_config(CONFIG),
        &["auth", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"TOKEN_NOT_SET","message":"`GITLAB_TOKEN` is not set","suggestion":"create a token with scope `read_api` at https://gitlab.example.com/-/user_settings/personal_access_tokens, then `export GITLAB_TOKEN=…`, or put it in a file and set gitlab.token_file","retryable":false}}
            [exit status: 5]
        "#]],
    );
}

#[test]
fn a_token_that_is_not_one_word() {
    let env = lore().with_config(CONFIG).with_var("GITLAB_TOKEN", "two words");
    let output = env.lore(&["auth", "-J"]);
    assert!(!output.to_string().contains("two words"), "the token leaked: {output}");
    check(
        &env,
        &["auth", "-J"],
        expect![[r#"
            {"ok":false,"error":{"code":"TOKEN_NOT_SET","message":"the token in env:GITLAB_TOKEN is not one plain word","suggestion":"copy it again, without blanks or line breaks","retryable":false}}
            [exit status: 5]
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_token_file_others_may_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = fake_gitlab::start(fake_gitlab::Mood::Friendly);
    let env = lore();
    let path = env.write_file("token", "good\n");
    let env = env.with_config(&format!(
        "[gitlab]\nbase_url = \"{}\"\ntoken_file = \"{}\"\n",
        server.url,
        path.display()
    ));
    let set = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o644);
    check(
        &env,
        &["health", "-J", "--fields", "healthy"],
        expect![[r#"
            {"ok":false,"data":{"healthy":false},"error":{"code":"TOKEN_NOT_SET","message":"check failed: token: the token file $DIR/token may be read by others (mode 0644)","suggestion":"chmod 600 $DIR/token","retryable":false},"meta":{"elapsed_ms":0}}
            [exit status: 5]
        "#]],
    );
    check(
        &env,
        &["doctor", "--fix", "-J", "--fields", "fixed"],
        expect![[r#"
            {"ok":true,"data":{"fixed":["made $DIR/token readable to you alone","created $HOME/.local/share/lore"]},"meta":{"elapsed_ms":0}}
        "#]],
    );
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    check(
        &env,
        &["health"],
        expect![[r#"
            ok (1 to look at: lore doctor)
        "#]],
    );
    std::fs::write(&path, "  \n").unwrap();
    check(
        &env,
        &["auth"],
        expect![[r#"
            ------- stderr -------
            error: the token file $DIR/token is empty
            hint: write a token with the scope read_api into it
            [exit status: 5]
        "#]],
    );
}

#[test]
fn a_database_that_cannot_be_there() {
    let env = lore().with_config(CONFIG).with_var("GITLAB_TOKEN", "t");
    env.write_file("file", "");
    check(
        &env,
        &["health", "--db", "file/sub/lore.db"],
        expect![[r#"
            ------- stderr -------
            error: check failed: database: cannot write to $DIR/file: Not a directory (os error 20)
            hint: check its permissions, or choose another file with --db
            [exit status: 11]
        "#]],
    );
    env.write_file("notes.db", &"these are notes, not a database ".repeat(40));
    check(
        &env,
        &["health", "--db", "notes.db"],
        expect![[r#"
            ------- stderr -------
            error: check failed: database: $DIR/notes.db: the file is not a SQLite database
            hint: choose another file with --db; this one was left untouched
            [exit status: 11]
        "#]],
    );
}
