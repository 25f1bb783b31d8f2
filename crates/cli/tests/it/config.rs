//! Which settings are in force, and why.

use crate::{CONFIG, lore};
use expect_test::{Expect, expect};
use testkit::TestEnv;

fn check(env: &TestEnv, args: &[&str], expected: Expect) {
    expected.assert_eq(&env.lore(args).to_string());
}

#[test]
fn each_value_tells_its_source() {
    let env = lore()
        .with_config(&format!("{CONFIG}\n[sync]\nconcurrency = 2\n"))
        .with_var("LORE_SYNC_REQUESTS_PER_SECOND", "2.5");
    check(
        &env,
        &["config", "list", "--db", "my.db"],
        expect![[r#"
            KEY	VALUE	SOURCE
            gitlab.base_url	https://gitlab.example.com	file:$HOME/.config/lore/lore.toml
            gitlab.token_env_var	GITLAB_TOKEN	default
            gitlab.token_file		default
            gitlab.ca_file		default
            storage.db_path	$DIR/my.db	flag:--db
            sync.requests_per_second	2.5	env:LORE_SYNC_REQUESTS_PER_SECOND
            sync.concurrency	2	file:$HOME/.config/lore/lore.toml
            sync.fetch_resource_events	true	default
            sync.fetch_mr_file_changes	true	default
            sync.reconcile	200	default
            sync.full_every_days	0	default
            sync.overlap_seconds	120	default
            embedding.provider	builtin	default
            embedding.model	nomic-embed-text	default
            embedding.base_url	http://localhost:11434	default
            embedding.concurrency	4	default
            embedding.timeout	300	default
            enrich.allow_build	false	default
            enrich.memory_mb	4096	default
            mcp.token_file		default
            daemon.sync_seconds	600	default
            daemon.poll_seconds	60	default
            daemon.documents_seconds	300	default
            daemon.embed_seconds	60	default
            daemon.watches_seconds	300	default
            daemon.notify_seconds	300	default
            daemon.enrich_seconds	300	default
            daemon.decay_seconds	3600	default
            daemon.gc_seconds	86400	default
            daemon.maintenance_seconds	21600	default
            daemon.watch	true	default
            daemon.debounce_ms	500	default
            daemon.pause_on_battery	true	default
            daemon.max_load	2	default
            daemon.quiet_hours		default
            daemon.digest_hours	0	default
            daemon.http		default
            daemon.otlp		default
            daemon.webhook_secret_file		default
            projects	group/app	file:$HOME/.config/lore/lore.toml
            repos		default
        "#]],
    );
    let env = lore().on_terminal(74).with_var("LORE_DB", "/a/very/long/way/to/the/lore.db");
    check(
        &env,
        &["config", "--color", "never"],
        expect![[r#"
            KEY                         VALUE                            SOURCE
            gitlab.base_url                                              default
            gitlab.token_env_var        GITLAB_TOKEN                     default
            gitlab.token_file                                            default
            gitlab.ca_file                                               default
            storage.db_path             /a/very/long/way/to/the/lore.db  env:LORE_DB
            sync.requests_per_second    10                               default
            sync.concurrency            8                                default
            sync.fetch_resource_events  true                             default
            sync.fetch_mr_file_changes  true                             default
            sync.reconcile              200                              default
            sync.full_every_days        0                                default
            sync.overlap_seconds        120                              default
            embedding.provider          builtin                          default
            embedding.model             nomic-embed-text                 default
            embedding.base_url          http://localhost:11434           default
            embedding.concurrency       4                                default
            embedding.timeout           300                              default
            enrich.allow_build          false                            default
            enrich.memory_mb            4096                             default
            mcp.token_file                                               default
            daemon.sync_seconds         600                              default
            daemon.poll_seconds         60                               default
            daemon.documents_seconds    300                              default
            daemon.embed_seconds        60                               default
            daemon.watches_seconds      300                              default
            daemon.notify_seconds       300                              default
            daemon.enrich_seconds       300                              default
            daemon.decay_seconds        3600                             default
            daemon.gc_seconds           86400                            default
            daemon.maintenance_seconds  21600                            default
            daemon.watch                true                             default
            daemon.debounce_ms          500                              default
            daemon.pause_on_battery     true                             default
            daemon.max_load             2                                default
            daemon.quiet_hours                                           default
            daemon.digest_hours         0                                default
            daemon.http                                                  default
            daemon.otlp                                                  default
            daemon.webhook_secret_file                                   default
            projects                                                     default
            repos                                                        default
        "#]],
    );
}

#[test]
fn variables_win_over_the_file_and_flags_over_both() {
    let env = lore().with_config("[storage]\ndb_path = \"from-file.db\"\n");
    check(
        &env,
        &["config", "get", "storage.db_path"],
        expect![[r#"
            $HOME/.config/lore/from-file.db
        "#]],
    );
    let env = env.with_var("LORE_DB", "from-env.db");
    check(
        &env,
        &["config", "get", "storage.db_path"],
        expect![[r#"
            $DIR/from-env.db
        "#]],
    );
    check(
        &env,
        &["config", "get", "storage.db_path", "--db", "from-flag.db"],
        expect![[r#"
            $DIR/from-flag.db
        "#]],
    );
}

#[test]
fn json_files_use_camel_case() {
    let env = lore();
    env.write_file(
        "../home/.config/lore/lore.json",
        r#"{"gitlab": {"baseUrl": "https://gl.example/", "tokenEnvVar": "T"},
            "projects": [{"path": "a/b"}, {"path": "c/d"}],
            "storage": {"dbPath": "~/my.db"}, "sync": {"fetchResourceEvents": false}}"#,
    );
    check(
        &env,
        &["config", "list", "-J", "--fields", "settings.key,settings.value"],
        expect![[r#"
            {"ok":true,"data":{"settings":[{"key":"gitlab.base_url","value":"https://gl.example"},{"key":"gitlab.token_env_var","value":"T"},{"key":"gitlab.token_file","value":null},{"key":"gitlab.ca_file","value":null},{"key":"storage.db_path","value":"$HOME/my.db"},{"key":"sync.requests_per_second","value":10.0},{"key":"sync.concurrency","value":8},{"key":"sync.fetch_resource_events","value":false},{"key":"sync.fetch_mr_file_changes","value":true},{"key":"sync.reconcile","value":200},{"key":"sync.full_every_days","value":0},{"key":"sync.overlap_seconds","value":120},{"key":"embedding.provider","value":"builtin"},{"key":"embedding.model","value":"nomic-embed-text"},{"key":"embedding.base_url","value":"http://localhost:11434"},{"key":"embedding.concurrency","value":4},{"key":"embedding.timeout","value":300},{"key":"enrich.allow_build","value":false},{"key":"enrich.memory_mb","value":4096},{"key":"mcp.token_file","value":null},{"key":"daemon.sync_seconds","value":600},{"key":"daemon.poll_seconds","value":60},{"key":"daemon.documents_seconds","value":300},{"key":"daemon.embed_seconds","value":60},{"key":"daemon.watches_seconds","value":300},{"key":"daemon.notify_seconds","value":300},{"key":"daemon.enrich_seconds","value":300},{"key":"daemon.decay_seconds","value":3600},{"key":"daemon.gc_seconds","value":86400},{"key":"daemon.maintenance_seconds","value":21600},{"key":"daemon.watch","value":true},{"key":"daemon.debounce_ms","value":500},{"key":"daemon.pause_on_battery","value":true},{"key":"daemon.max_load","value":2.0},{"key":"daemon.quiet_hours","value":null},{"key":"daemon.digest_hours","value":0},{"key":"daemon.http","value":null},{"key":"daemon.otlp","value":null},{"key":"daemon.webhook_secret_file","value":null},{"key":"projects","value":["a/b","c/d"]},{"key":"repos","value":[]}]},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &env,
        &["config", "get", "projects"],
        expect![[r#"
            a/b
            c/d
        "#]],
    );
    check(
        &env,
        &["config", "path"],
        expect![[r#"
            $HOME/.config/lore/lore.json
        "#]],
    );
    let env = env.with_config(CONFIG);
    check(
        &env,
        &["config", "get", "gitlab.base_url"],
        expect![[r#"
            https://gitlab.example.com
            ------- stderr -------
            warning: ~/.config/lore/lore.json ignored: ~/.config/lore/lore.toml is beside it
        "#]],
    );
}

#[test]
fn the_nearest_file_above_counts() {
    let env = lore().with_config(CONFIG);
    env.write_file(".lore/lore.toml", "[sync]\nconcurrency = 3\n");
    env.write_file("deep/er/x", "");
    let deep = env.dir().join("deep/er");
    let output = env.lore_in(&deep, &["config", "get", "sync.concurrency"], "");
    expect![[r#"
        3
    "#]]
    .assert_eq(&output.to_string());
    check(
        &env,
        &["config", "path"],
        expect![[r#"
            $DIR/.lore/lore.toml
        "#]],
    );
}

#[test]
fn unknown_and_unset_settings() {
    check(
        &lore(),
        &["config", "get", "gitlab.url"],
        expect![[r#"
            ------- stderr -------
            error: there is no setting `gitlab.url`
            hint: did you mean `gitlab.base_url`?
            [exit status: 17]
        "#]],
    );
    check(
        &lore(),
        &["config", "get", "gitlab.base_url"],
        expect![[r#"
            ------- stderr -------
            error: `gitlab.base_url` is not set
            hint: `lore config path` says where to set it
            [exit status: 17]
        "#]],
    );
    check(
        &lore(),
        &["config", "path", "-J"],
        expect![[r#"
            {"ok":true,"data":{"exists":false,"path":"$HOME/.config/lore/lore.toml"},"meta":{"elapsed_ms":0}}
        "#]],
    );
}
