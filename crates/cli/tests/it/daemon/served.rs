//! What the daemon serves over HTTP: health, metrics, MCP, webhooks; and what it
//! tells people of.

use super::*;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Login fails on Safari" by ada at 2024-04-09T10:15
  | The login page reloads for ever.
issue #2 "Tides are late" by bo at 2024-04-10T10:15
  | By an hour.
"#;

/// The status and the body of a request.
fn http(served: &Served, head: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let address = served.status().unwrap()["http"].as_str().unwrap().to_owned();
    let address = address.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let mut request = format!("{head} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(request.as_bytes()).unwrap();
    // A stream of events may stay open.
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    while let Ok(n) = stream.read(&mut part) {
        if n == 0 {
            break;
        }
        answer.extend_from_slice(&part[..n]);
    }
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

fn with_http(env: TestEnv) -> Served {
    let served = Served::with(env, &["--http", "127.0.0.1:0"]);
    served.until("HTTP", || served.status().is_some_and(|it| it["http"].is_string()));
    served
}

#[test]
fn health_metrics_and_mcp_are_served() {
    let env = machine();
    let dir = repository(&env, "app");
    let served = with_http(env);
    assert_eq!(http(&served, "GET /healthz", &[], ""), (200, "ok\n".to_owned()));
    assert_eq!(http(&served, "GET /readyz", &[], "").0, 200);
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
    served.until_idle();
    let (status, page) = http(&served, "GET /metrics", &[], "");
    assert_eq!(status, 200);
    for wanted in [
        "lore_jobs_total{kind=\"index\",result=\"ok\"}",
        "lore_freshness_seconds_count 1",
        "lore_clones 1",
        "lore_ready 1",
        "lore_events_total{source=\"watch\"}",
        "lore_database_bytes ",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let (status, answer) = http(&served, "POST /mcp", &headers, initialize);
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"serverInfo\""), "{answer}");
    // The guard lies over all of it.
    let (status, _) = http(&served, "GET /metrics", &[("Host", "evil.example")], "");
    assert_eq!(status, 403);
    assert_eq!(http(&served, "POST /hooks/gitlab", &[], "{}").0, 404, "no secret is set");
}

fn issue_event(iid: u64) -> String {
    serde_json::json!({
        "object_kind": "issue", "event_type": "issue",
        "user": {"id": 1, "name": "Ada Larsen", "username": "ada"},
        "project": {"id": 1, "name": "Tide", "path_with_namespace": "harbor/tide",
                    "web_url": "https://gitlab.example.com/harbor/tide"},
        "object_attributes": {"id": 301, "iid": iid, "title": "x", "state": "opened",
                              "action": "update"},
        "changes": {"title": {"previous": "a", "current": "b"}},
    })
    .to_string()
}

#[test]
fn a_webhook_fetches_just_what_it_names_and_only_once() {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    let Site { server, env } = site;
    let mut env = real_time(env);
    env.set_var("LORE_WEBHOOK_SECRET", "s3cret").set_var("LORE_DAEMON_SYNC_SECONDS", "0");
    let served = with_http(env);
    let headers = |key: &'static str| {
        [("X-Gitlab-Token", "s3cret"), ("X-Gitlab-Event", "Issue Hook"), ("Idempotency-Key", key)]
    };
    let issue = |iid: &str| json(&served.env, &["show", &format!("harbor/tide#{iid}")]);
    server.world().advance(Duration::from_secs(3600));
    for iid in [1, 2] {
        rename(&server, iid, &format!("Renamed {iid}"));
    }
    let n_before = server.requests().total;
    // The name of the host is whatever the proxy in front of it sends.
    let mut named = headers("k1").to_vec();
    named.push(("Host", "lore.example.com"));
    assert_eq!(http(&served, "POST /hooks/gitlab", &named, &issue_event(1)).0, 202);
    served.until("the new title", || issue("1").to_string().contains("Renamed 1"));
    assert!(issue("2").to_string().contains("Tides are late"), "only what was named");
    served.until_idle();
    let n_asked = server.requests().total - n_before;
    assert!((1..=8).contains(&n_asked), "{n_asked} requests for one issue");
    // The same delivery again brings nothing.
    let n_before = server.requests().total;
    assert_eq!(http(&served, "POST /hooks/gitlab", &headers("k1"), &issue_event(1)).0, 202);
    assert_eq!(http(&served, "POST /hooks/gitlab", &headers("k2"), &issue_event(2)).0, 202);
    served.until("the other title", || issue("2").to_string().contains("Renamed 2"));
    served.until_idle();
    assert!(server.requests().total - n_before <= 8, "one of them was acted on");
    for (token, expected) in [("wrong", 401), ("", 401)] {
        let wrong = [("X-Gitlab-Token", token)];
        assert_eq!(http(&served, "POST /hooks/gitlab", &wrong, &issue_event(1)).0, expected);
    }
    let shown = [("X-Gitlab-Token", "s3cret")];
    for (body, expected) in
        [("", 400), ("{", 400), ("{}", 200), ("[1]", 200), ("{\"object_kind\":\"pipeline\"}", 200)]
    {
        assert_eq!(http(&served, "POST /hooks/gitlab", &shown, body).0, expected, "{body}");
    }
    assert!(!served.log().contains("s3cret"));
}

fn rename(server: &sim::Server, iid: i64, title: &str) {
    let mut world = server.world();
    let project = world.projects().next().unwrap().id;
    let now = world.now();
    world.retitle(sim::world::EntityKey::issue(project, iid), "bo", now, title).unwrap();
}

#[test]
fn rules_tell_of_each_event_once() {
    let mut env = machine();
    // Commits have whole seconds: the first one is certainly older than the rule.
    env.set_var("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z");
    let dir = repository(&env, "app");
    env.remove_var("GIT_COMMITTER_DATE");
    let told = env.dir().join("told");
    let script =
        env.write_file("tell", &format!("#!/bin/sh\necho \"$1 $2\" >> '{}'\n", told.display()));
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let env = env.with_config(&format!(
        "{QUIET}\n[[notifications]]\nname = \"models\"\nwhen = \"paths\"\npaths = [\"*.py\"]\n\
         to = \"command\"\ncommand = [\"{}\", \"{{title}}; touch pwned\", \"{{body}}\"]\n",
        script.display()
    ));
    let served = Served::new(env);
    // The rule begins now: the first commit is no news.
    let kept = || json(&served.env, &["notify"])["items"].as_array().cloned().unwrap_or_default();
    served.until("the rule has begun", || {
        served.status().is_some_and(|it| {
            let tasks = it["tasks"].as_array().cloned().unwrap_or_default();
            tasks.iter().any(|task| task["task"] == "notify" && !task["last_at"].is_null())
        })
    });
    assert!(!told.exists());
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
    // The shell makes the file before it writes the line.
    let text_told = || std::fs::read_to_string(&told).unwrap_or_default();
    served.until("somebody is told", || text_told().ends_with('\n'));
    let lines = text_told();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains("; touch pwned"), "an argument, not a line for a shell: {lines}");
    assert!(!served.env.dir().join("pwned").exists());
    // The commit is named so that people can read it.
    let (short, author) = (&head[..12], "Test");
    assert!(lines.contains(&format!(" app@{short} {author}")), "{lines}");
    assert!(!lines.contains("local/"), "{lines}");
    served.until("it is kept", || kept().len() == 1);
    let _ = served.env.lore(&["daemon", "reload"]).success();
    served.until_idle();
    assert_eq!(text_told().lines().count(), 1);
    assert_eq!(kept().len(), 1);
    // On history, without telling anybody.
    let dry = json(&served.env, &["notify", "--dry-run", "--since", "2000-01-01"]);
    assert_eq!(dry["items"].as_array().unwrap().len(), 2, "{dry}");
    assert_eq!(text_told().lines().count(), 1);
}

#[test]
fn a_message_that_does_not_arrive_is_sent_again_and_told_once() {
    let mut env = machine();
    env.set_var("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z");
    let dir = repository(&env, "app");
    env.remove_var("GIT_COMMITTER_DATE");
    let (told, is_well) = (env.dir().join("told"), env.dir().join("well"));
    let text = format!(
        "#!/bin/sh\ntest -e '{}' || exit 7\necho \"$1\" >> '{}'\n",
        is_well.display(),
        told.display()
    );
    let script = env.write_file("tell", &text);
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut env = env.with_config(&format!(
        "{QUIET}\n[[notifications]]\nname = \"models\"\nwhen = \"paths\"\npaths = [\"*.py\"]\n\
         to = \"command\"\ncommand = [\"{}\", \"{{title}}\"]\n",
        script.display()
    ));
    env.set_var("LORE_DAEMON_NOTIFY_SECONDS", "1");
    let served = Served::new(env);
    served.until("the rule has begun", || {
        let reader = store::Reader::open(&served.env.db()).unwrap();
        store::notifications::happened_at(&reader, "models", "rule added").unwrap().is_some()
    });
    served.commit(&dir, "def second():\n    return 2\n");
    let kept = || json(&served.env, &["notify"])["items"][0].clone();
    served.until("a second failure", || {
        let reader = store::Reader::open(&served.env.db()).unwrap();
        let newest = store::notifications::newest(&reader, model::Timestamp::EPOCH, 1).unwrap();
        newest.first().is_some_and(|it| it.failures >= 2)
    });
    let item = kept();
    assert!(item["failure"].as_str().unwrap().contains("exit status: 7"), "{item}");
    let shown = served.env.lore(&["notify"]).success().stdout;
    assert!(shown.contains("exit status: 7"), "{shown}");
    std::fs::write(&is_well, "").unwrap();
    served.until("it is told", || kept()["told_at"].is_string() && kept()["failure"].is_null());
    let _ = served.env.lore(&["daemon", "reload"]).success();
    served.until_idle();
    assert_eq!(std::fs::read_to_string(&told).unwrap().lines().count(), 1);
}

#[test]
fn rules_of_a_clone_count_only_when_it_is_trusted() {
    let env = machine();
    let dir = repository(&env, "app");
    std::fs::create_dir_all(dir.join(".lore")).unwrap();
    let rules = "[[notifications]]\nname = \"x\"\nwhen = \"paths\"\npaths = [\"*\"]\nto = \"command\"\ncommand = [\"touch\", \"pwned\"]\n";
    std::fs::write(dir.join(".lore/lore.toml"), rules).unwrap();
    let refused = env.lore_in(&dir, &["notify", "--dry-run"], "").failure(4);
    assert!(refused.stderr.contains("`notifications`"), "{refused}");
}
