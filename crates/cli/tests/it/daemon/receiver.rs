//! Traces through the daemon, and who else may write them meanwhile.

use super::*;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// A request that one service answers, with ids of its own; without a time it is of
/// its arrival.
fn span(n: u64) -> String {
    serde_json::json!({"resourceSpans": [{
        "resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "app"}}]},
        "scopeSpans": [{"spans": [{
            "traceId": format!("{n:032x}"), "spanId": format!("{n:016x}"),
            "name": "GET /a", "kind": 2,
            "startTimeUnixNano": "0", "endTimeUnixNano": "1000000",
            "attributes": [
                {"key": "http.request.method", "value": {"stringValue": "GET"}},
                {"key": "http.route", "value": {"stringValue": "/a"}}]}]}]}]})
    .to_string()
}

/// The status of an answer; none where nobody listens or the daemon died over it.
fn post(address: &str, body: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "POST /v1/traces HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

fn receiving(served: &Served) -> String {
    let address = || served.status().and_then(|it| it["otlp_http"].as_str().map(str::to_owned));
    served.until("a receiver", || address().is_some());
    address().unwrap().trim_start_matches("http://").trim_end_matches("/v1/traces").to_owned()
}

#[test]
fn spans_are_counted_once_whoever_takes_them_and_runs_go_on() {
    let env = machine();
    let dir = repository(&env, "app");
    let served = Served::with(env, &["--otlp", "127.0.0.1:0"]);
    let address = receiving(&served);
    for n in 1..=20 {
        assert_eq!(post(&address, &span(n)), Some(200));
    }
    // The same by a command, which the daemon does beside its own receiver.
    let file = served.env.write_file("spans.json", &span(20));
    let read = json(&served.env, &["ingest-traces", file.to_str().unwrap()]);
    assert_eq!((&read["new"], &read["duplicates"]), (&0.into(), &1.into()), "{read}");
    served.until("the daemon did it", || served.log().contains("job=ingest-traces"));
    let file = served.env.write_file("more.json", &span(21));
    let read = json(&served.env, &["ingest-traces", file.to_str().unwrap()]);
    assert_eq!(read["new"], 1, "{read}");
    // What the command counted, the receiver knows.
    assert_eq!(post(&address, &span(21)), Some(200));
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
    let stats = json(&served.env, &["trace-stats"]);
    assert_eq!(stats["spans"], 21, "{stats}");
    let removed = json(&served.env, &["stale", "--runtime", "--gc"]);
    assert_eq!(removed["removed"], 0, "{removed}");
    served.until("the daemon did it", || served.log().contains("job=stale"));
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill_in_the_middle() {
    let env = machine();
    repository(&env, "app");
    let mut served = Served::with(env, &["--otlp", "127.0.0.1:0"]);
    let mut rng = fastrand::Rng::with_seed(5);
    let mut n_acknowledged = 0;
    let mut next = 1;
    for _ in 0..3 {
        let address = receiving(&served);
        let from = next;
        next += 1000;
        let sender = std::thread::spawn(move || {
            let answered = (from..from + 1000).map(|n| post(&address, &span(n)));
            answered.take_while(|status| *status == Some(200)).count() as u64
        });
        std::thread::sleep(Duration::from_millis(rng.u64(50..250)));
        served.kill();
        n_acknowledged += sender.join().unwrap();
        served.start(&["--otlp", "127.0.0.1:0"]);
    }
    let n_stored = json(&served.env, &["trace-stats"])["spans"].as_u64().unwrap();
    assert!(n_acknowledged > 0, "{}", served.log());
    // One of each round may have been stored and not answered.
    let expected = n_acknowledged..=n_acknowledged + 3;
    assert!(expected.contains(&n_stored), "{n_stored} of {n_acknowledged}\n{}", served.log());
}

#[test]
fn a_reload_moves_what_is_served_and_says_what_is_wrong() {
    let env = machine();
    repository(&env, "app");
    let served = Served::new(env);
    assert!(served.status().unwrap()["otlp"].is_null());
    let config = |text: &str| {
        let path = served.env.home().join(".config/lore/lore.toml");
        std::fs::write(path, format!("{QUIET}{text}")).unwrap();
    };
    config("[daemon]\nhttp = \"127.0.0.1:0\"\notlp = \"127.0.0.1:0\"\n");
    let _ = served.env.lore(&["daemon", "reload"]).success();
    let address = receiving(&served);
    assert_eq!(post(&address, &span(1)), Some(200));
    served.until("HTTP", || served.status().is_some_and(|it| it["http"].is_string()));
    config("[daemon]\notlp = \"nowhere\"\n");
    let refused = served.env.lore(&["daemon", "reload"]).failure(4);
    assert!(refused.stderr.contains("`daemon.otlp` is no address and port"), "{refused}");
    assert_eq!(post(&address, &span(2)), Some(200), "what was read before stays in force");
    config("");
    // As the units in contrib do it.
    let pid = rustix::process::Pid::from_raw(served.child.as_ref().unwrap().id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
    served.until("nothing is served", || {
        served.status().is_some_and(|it| it["otlp"].is_null() && it["http"].is_null())
    });
    served.until("the port is free", || post(&address, &span(3)).is_none());
    assert_eq!(json(&served.env, &["trace-stats"])["spans"], 2);
}
