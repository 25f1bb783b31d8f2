//! One writer: commands that write ask the daemon and look as they do without it.

use super::*;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;

/// Durations differ from run to run.
fn steady(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let is_time = word.trim_end().ends_with("ms") || word.trim_end().ends_with('s');
        let has_digit = word.starts_with(|c: char| c.is_ascii_digit());
        if is_time && has_digit { "TIME ".to_owned() } else { word.to_owned() }
    });
    words.collect()
}

#[test]
fn answers_errors_and_statuses_are_those_of_a_command_without_a_daemon() {
    let (mut alone, mut env) = (machine(), machine());
    // The same commits on both.
    for machine in [&mut alone, &mut env] {
        machine.set_var("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z");
        machine.set_var("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z");
    }
    repository(&alone, "app");
    repository(&env, "app");
    let served = Served::new(env);
    for args in [
        &["index", "app"][..],
        &["index", "nowhere"],
        &["index", "app", "--at", "v9"],
        &["repo", "add", "nowhere"],
        &["repo", "remove", "nowhere"],
        &["generate-docs"],
        &["sync"],
        &["embed"],
        &["snapshots", "--gc", "-r", "nothing"],
        &["forget", "dec-zzzzzzz1"],
    ] {
        served.until_idle();
        let expected = alone.lore(args);
        let n_before = served.log().matches("job=").count();
        let got = served.env.lore(args);
        assert_eq!(steady(&got.to_string()), steady(&expected.to_string()), "{args:?}");
        served.until("a job", || served.log().matches("job=").count() > n_before);
    }
}

#[test]
fn a_record_is_kept_once_and_found_at_once() {
    let env = machine();
    let dir = repository(&env, "app");
    let served = Served::new(env);
    let remember = ["remember", "decision", "Sockets, not ports", "--why", "no one else listens"];
    let kept = served.env.lore_in(&dir, &remember, "").success();
    assert!(kept.stdout.contains("Sockets, not ports"), "{kept}");
    let found = served.env.lore_in(&dir, &["recall", "sockets"], "").success();
    assert_eq!(found.stdout.matches("Sockets, not ports").count(), 1, "{found}");
    assert!(served.log().contains("job=remember"), "{}", served.log());
}

#[test]
fn a_second_daemon_is_refused_and_told_who_runs() {
    let env = machine();
    repository(&env, "app");
    let served = Served::new(env);
    let pid = served.status().unwrap()["pid"].clone();
    for verb in ["run", "start"] {
        let refused = served.env.lore(&["daemon", verb]).failure(10);
        assert!(refused.stderr.contains("a daemon runs already"), "{refused}");
        assert!(refused.stderr.contains(&format!("process {pid}")), "{refused}");
    }
    let doctor = json(&served.env, &["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    assert!(checks.iter().any(|it| it["id"] == "daemon" && it["status"] == "ok"), "{doctor}");
    assert_eq!(json(&served.env, &["status"])["daemon"]["pid"], pid);
}

#[test]
fn it_may_be_the_first_that_lore_does_on_a_machine() {
    let env = machine();
    let started = env.lore(&["daemon", "start"]).success();
    assert!(started.stdout.starts_with("started, process "), "{started}");
    let dir = repository(&env, "app");
    let head = git(&env, &dir, &["rev-parse", "HEAD"]);
    assert!(awaited(|| is_fresh(&env, &dir, head.trim())), "{}", env.lore(&["daemon", "logs"]));
    assert_eq!(env.lore(&["daemon", "stop"]).success().stdout, "stopped\n");
}

#[test]
fn one_daemon_serves_a_database_whatever_the_runtime_directory_is() {
    let mut env = machine();
    // Only a hook may tell of the commit.
    env.set_var("LORE_DAEMON_WATCH", "false").set_var("LORE_DAEMON_POLL_SECONDS", "86400");
    let dir = repository(&env, "app");
    let mut served = Served::new(env);
    let pid = served.status().unwrap()["pid"].clone();
    let elsewhere = served.env.home().join("elsewhere").display().to_string();
    served.env.set_var("XDG_RUNTIME_DIR", &elsewhere);
    for verb in ["run", "start"] {
        let refused = served.env.lore(&["daemon", verb]).failure(10);
        assert!(refused.stderr.contains(&format!("process {pid}")), "{refused}");
    }
    // As from cron.
    served.env.remove_var("XDG_RUNTIME_DIR");
    let refused = served.env.lore(&["daemon", "start"]).failure(10);
    assert!(refused.stderr.contains("a daemon runs already"), "{refused}");
    assert_eq!(served.status().unwrap()["pid"], pid);
    let _ = served.env.lore(&["index", "app"]).success();
    served.until("the daemon did it", || served.log().contains("job=index"));
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    served.env.set_var("XDG_RUNTIME_DIR", &elsewhere);
    let _ = served.env.lore_in(&dir, &["hook", "install", "--git"], "").success();
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
    assert_eq!(served.env.lore(&["daemon", "stop"]).success().stdout, "stopped\n");
    assert_eq!(served.env.lore(&["daemon", "status"]).success().stdout, "not running\n");
}

#[test]
fn it_starts_in_the_background_and_stops_when_it_is_told_to() {
    let env = machine();
    let dir = repository(&env, "app");
    let started = env.lore(&["daemon", "start"]).success();
    assert!(started.stdout.starts_with("started, process "), "{started}");
    let head = commit(&env, &dir, "def second():\n    return 2\n");
    assert!(awaited(|| is_fresh(&env, &dir, &head)), "{}", env.lore(&["daemon", "logs"]));
    let stopped = env.lore(&["daemon", "stop"]).success();
    assert_eq!(stopped.stdout, "stopped\n");
    assert_eq!(env.lore(&["daemon", "status"]).success().stdout, "not running\n");
    let logs = env.lore(&["daemon", "logs", "-n", "1"]).success();
    assert!(logs.stdout.contains("stopped"), "{logs}");
    assert_eq!(env.lore(&["daemon", "stop"]).success().stdout, "not running\n");
    let _ = env.lore(&["daemon", "reload"]).failure(17);
}

#[test]
fn a_daemon_of_another_version_is_not_asked() {
    let env = machine();
    repository(&env, "app");
    // Where the daemon's socket would be.
    let socket = socket(&env);
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut to = stream.try_clone().unwrap();
            let hello = "{\"protocol\":1,\"version\":\"9.9.9\",\"pid\":4242}\n";
            to.write_all(hello.as_bytes()).unwrap();
            let mut line = String::new();
            let _ = BufReader::new(stream).read_line(&mut line);
        }
    });
    let refused = env.lore(&["index", "app"]).failure(10);
    assert!(refused.stderr.contains("the daemon (process 4242) is lore 9.9.9"), "{refused}");
    assert!(refused.stderr.contains("lore daemon restart"), "{refused}");
    // Questions do not ask it, and whoever must can do without.
    let _ = env.lore(&["search", "first"]).success();
    let mut env = env;
    env.set_var("LORE_NO_DAEMON", "1");
    let _ = env.lore(&["index", "app"]).success();
}

#[test]
fn a_daemon_that_dies_over_a_command_leaves_the_work_to_it() {
    let env = machine();
    repository(&env, "app");
    let socket = socket(&env);
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut to = stream.try_clone().unwrap();
            let version = env!("CARGO_PKG_VERSION");
            let hello = format!("{{\"protocol\":1,\"version\":\"{version}\",\"pid\":1}}\n");
            to.write_all(hello.as_bytes()).unwrap();
            let mut line = String::new();
            let _ = BufReader::new(stream.try_clone().unwrap()).read_line(&mut line);
            // Dies in the middle of it.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    });
    let done = env.lore(&["index", "app"]).success();
    assert!(done.stderr.contains("the daemon ended; the work goes on here"), "{done}");
    assert!(done.stdout.contains("1 file"), "{done}");
    let remember = ["remember", "decision", "x", "--personal"];
    let refused = env.lore(&remember).failure(130);
    assert!(refused.stderr.contains("look whether it was done"), "{refused}");
}

#[test]
fn ctrl_c_stops_the_work_in_the_daemon() {
    let mut env = machine();
    repository(&env, "app");
    env.set_var("LORE_TEST_CRASH", "hang");
    let served = Served::new(env);
    let mut client = served
        .env
        .command(&["index", "app"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_running = |it: &Value| it["running"].as_array().is_some_and(|all| !all.is_empty());
    served.until("the work", || served.status().is_some_and(|it| is_running(&it)));
    let pid = client.id().to_string();
    for _ in 0..2 {
        let sent = std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
        std::thread::yield_now();
    }
    let status = client.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    // A child that does not even answer to that is killed after a while.
    served.until_idle();
}

#[test]
fn a_parser_that_dies_takes_a_child_with_it_and_not_the_daemon() {
    let mut env = machine();
    repository(&env, "app");
    env.set_var("LORE_TEST_CRASH", "abort");
    let served = Served::new(env);
    let pid = served.status().unwrap()["pid"].clone();
    let failed = served.env.lore(&["index", "app"]).failure(1);
    assert!(failed.stderr.contains("the process that did the work died by signal 6"), "{failed}");
    assert_eq!(served.status().unwrap()["pid"], pid);
}

#[test]
fn a_job_of_an_agent_runs_with_the_environment_of_its_server() {
    let mut env = machine();
    let dir = repository(&env, "app");
    // Children of the daemon that get its own environment die.
    env.set_var("LORE_TEST_CRASH", "abort").set_var("LORE_DAEMON_WATCH", "false");
    env.set_var("LORE_DAEMON_POLL_SECONDS", "0");
    let mut served = Served::new(env);
    served.env.remove_var("LORE_TEST_CRASH");
    let head = commit(&served.env, &dir, "def second():\n    return 2\n");
    let mut agent = crate::mcp::Client::greeted(&served.env, &dir, &["--tools", "code"]);
    let report = agent.ask("index_repo", serde_json::json!({}));
    assert!(is_fresh(&served.env, &dir, &head), "{report}");
    served.until("the daemon did it", || served.log().contains("job=index"));
}
