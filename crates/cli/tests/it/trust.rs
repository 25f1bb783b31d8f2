//! A config that came with a clone gets no say over hosts and credentials.

use crate::lore;
use expect_test::{Expect, expect};
use testkit::TestEnv;

const FROM_CLONE: &str = r#"
[gitlab]
base_url = "https://evil.example"
token_env_var = "AWS_SECRET_ACCESS_KEY"
token_file = "/home/me/.ssh/id_ed25519"
ca_file = "evil.pem"
[[projects]]
path = "group/app"
[storage]
db_path = "/etc/lore.db"
[embedding]
base_url = "https://evil.example"
[sync]
concurrency = 3
"#;

fn check(env: &TestEnv, args: &[&str], expected: Expect) {
    expected.assert_eq(&env.lore(args).to_string());
}

fn clone(config: &str) -> TestEnv {
    let env = lore();
    env.write_file(".lore/lore.toml", config);
    env
}

#[test]
fn sensitive_keys_are_ignored_until_trusted() {
    let env = clone(FROM_CLONE);
    check(
        &env,
        &["config", "list"],
        expect![[r#"
            KEY	VALUE	SOURCE
            gitlab.base_url		default
            gitlab.token_env_var	GITLAB_TOKEN	default
            gitlab.token_file		default
            gitlab.ca_file		default
            storage.db_path	$HOME/.local/share/lore/lore.db	default
            sync.requests_per_second	10	default
            sync.concurrency	3	file:$DIR/.lore/lore.toml
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
            projects		default
            repos		default
            ------- stderr -------
            warning: `gitlab.base_url`, `gitlab.token_env_var`, `gitlab.token_file`, `gitlab.ca_file`, `storage.db_path`, `embedding.base_url`, `projects` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`
        "#]],
    );
    check(
        &env,
        &["auth", "--json"],
        expect![[r#"
            {"ok":false,"error":{"code":"CONFIG_INVALID","message":"the config of this clone is not trusted yet","suggestion":"read it, then run `lore trust`","retryable":false}}
            ------- stderr -------
            warning: `gitlab.base_url`, `gitlab.token_env_var`, `gitlab.token_file`, `gitlab.ca_file`, `storage.db_path`, `embedding.base_url`, `projects` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`
            [exit status: 4]
        "#]],
    );
    check(
        &env,
        &["trust"],
        expect![[r#"
            REPOSITORY	STATE	WITH
            $DIR	trusted	config, memory, databases
            config:      $DIR/.lore/lore.toml, until it changes
                         gitlab.base_url = https://evil.example
                         gitlab.token_env_var = AWS_SECRET_ACCESS_KEY
                         gitlab.token_file = /home/me/.ssh/id_ed25519
                         gitlab.ca_file = evil.pem
                         storage.db_path = /etc/lore.db
                         embedding.base_url = https://evil.example
                         projects = group/app
            memory:      0 decisions, 0 patterns, 0 handoffs: agents' prompts may get these and what later pulls bring, as long as it has no origin
        "#]],
    );
    check(
        &env,
        &["config", "get", "gitlab.base_url"],
        expect![[r#"
            https://evil.example
        "#]],
    );
}

#[test]
fn a_changed_file_is_not_trusted_any_more() {
    let env = clone("[gitlab]\nbase_url = \"https://good.example\"\n");
    check(
        &env,
        &["trust", "-J"],
        expect![[r#"
            {"ok":true,"data":{"repositories":[{"config":[{"path":"$DIR/.lore/lore.toml","sha256":"47564a62076ec92dc87a00bd49e3237a97de30f88c3654501740e5e7afdbeb70","state":"trusted","unlocks":["gitlab.base_url = https://good.example"]}],"databases":[],"memory":{"decisions":0,"handoffs":0,"patterns":0},"origin":null,"path":"$DIR","state":"trusted","trusts_databases":true}]},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &env,
        &["trust", "--list"],
        expect![[r#"
            REPOSITORY	STATE	WITH
            $DIR	trusted	config, memory, databases
        "#]],
    );
    env.write_file(".lore/lore.toml", "[gitlab]\nbase_url = \"https://evil.example\"\n");
    check(
        &env,
        &["trust", "--list"],
        expect![[r#"
            REPOSITORY	STATE	WITH
            $DIR	changed	config, memory, databases
        "#]],
    );
    check(
        &env,
        &["config", "get", "gitlab.base_url"],
        expect![[r#"
            ------- stderr -------
            warning: `gitlab.base_url` in $DIR/.lore/lore.toml ignored: the file may have come with a clone; read it, then run `lore trust`
            error: `gitlab.base_url` is not set
            hint: `lore config path` says where to set it
            [exit status: 17]
        "#]],
    );
}

#[test]
fn trust_can_be_taken_away() {
    let env = clone("[gitlab]\nbase_url = \"https://good.example\"\n");
    let _ = env.lore(&["trust", "."]).success();
    check(
        &env,
        &["trust", "--revoke"],
        expect![[r#"
            REPOSITORY	STATE	WITH
            $DIR	revoked	
        "#]],
    );
    check(
        &env,
        &["trust", "--revoke"],
        expect![[r#"
            ------- stderr -------
            error: $DIR is not trusted
            hint: lore trust --list
            [exit status: 17]
        "#]],
    );
    let env = env.on_terminal(80);
    check(
        &env,
        &["trust", "--list", "--color", "never"],
        expect![[r#"
            no trusted repositories
        "#]],
    );
}

#[test]
fn trust_needs_a_repository() {
    check(
        &lore(),
        &["trust"],
        expect![[r#"
            ------- stderr -------
            error: $DIR is in no repository, and has no .lore/
            hint: name the repository: lore trust <PATH>
            [exit status: 17]
        "#]],
    );
    let env = lore().with_config(FROM_CLONE);
    check(
        &env,
        &["trust"],
        expect![[r#"
            ------- stderr -------
            error: $DIR is in no repository, and has no .lore/
            hint: name the repository: lore trust <PATH>
            [exit status: 17]
        "#]],
    );
    check(
        &clone("[gitlb]\n"),
        &["trust"],
        expect![[r#"
            ------- stderr -------
            error: $DIR/.lore/lore.toml: line 1: unknown key `gitlb`
            hint: did you mean `gitlab`?
            [exit status: 4]
        "#]],
    );
}

#[test]
fn a_damaged_list_of_pins_stops_everything() {
    let env = clone(FROM_CLONE);
    env.write_file("../home/.local/share/lore/trusted.json", "{");
    check(
        &env,
        &["config", "list"],
        expect![[r#"
            ------- stderr -------
            error: $HOME/.local/share/lore/trusted.json is damaged
              caused by: EOF while parsing an object at line 1 column 1
            hint: remove it and run `lore trust` again
            [exit status: 4]
        "#]],
    );
}
