//! What is tried again, what is not, how long the client waits, and what it
//! says when it gives up.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod support;

use expect_test::expect;
use forge::api::{Identity, ListFrom, ProjectLocator, Result};
use forge::gitlab::Client;
use forge::{FailureKind, Forge};
use model::EntityKind;
use model::ids::ForgeId;
use std::sync::Arc;
use std::time::Duration;
use support::{ProgressLog, Reply, Server, array, client, issue};
use tokio::time::Instant;

const USER: &str = r#"{"id":7,"username":"ada","name":"Ada"}"#;
const VERSION: &str = r#"{"version":"18.2.1-ee"}"#;

async fn project(client: &Client) -> Result<i64> {
    let answer = client.project(ProjectLocator::Id(ForgeId(42))).await?;
    Ok(answer.value.forge_id.0)
}

fn good() -> Reply {
    Reply::json(r#"{"id":42,"path_with_namespace":"group/project"}"#)
}

/// How often the server was asked, and the failure if there was one.
async fn outcome(replies: impl IntoIterator<Item = Reply>) -> String {
    let server = Server::script(replies).await;
    let outcome = project(&server.client()).await;
    let n = server.asked().len();
    match outcome {
        Ok(_) => format!("{n} requests, fine"),
        Err(failure) => format!("{n} requests, {:?}: {failure}", failure.kind),
    }
}

#[tokio::test]
async fn passing_faults_are_sat_out() {
    let html = "<html><head><title>GitLab is not responding</title></head></html>";
    for status in [408, 500, 502, 503, 504, 520, 522, 524] {
        let replies = [Reply::status(status, html), Reply::status(status, html), good()];
        assert_eq!(outcome(replies).await, "3 requests, fine", "{status}");
    }
}

#[tokio::test]
async fn broken_answers_are_asked_for_again() {
    for (case, broken) in [
        ("reset", Reply::reset()),
        ("cut short", good().cut_after(20)),
        ("cut before the body", good().cut_after(0)),
        ("half of the JSON", Reply::json(r#"{"id":42,"path_with"#)),
        ("empty", Reply::json("")),
        ("HTML", Reply::status(200, "<html>please sign in</html>")),
        ("a list", Reply::json("[]")),
    ] {
        assert_eq!(outcome([broken.clone(), broken, good()]).await, "3 requests, fine", "{case}");
    }
}

#[tokio::test]
async fn what_will_not_change_is_not_tried_again() {
    let mut table = Vec::new();
    for (status, body) in [
        (400, r#"{"error":"state does not have a valid value"}"#),
        (401, r#"{"message":"401 Unauthorized"}"#),
        (403, r#"{"message":"403 Forbidden"}"#),
        (403, r#"{"error":"insufficient_scope","error_description":"More privileges needed."}"#),
        (404, r#"{"message":"404 Project Not Found"}"#),
        (405, r#"{"error":"Keyset pagination is not yet available for this type of request"}"#),
        (409, r#"{"message":"409 Conflict: Resource lock"}"#),
        (410, ""),
        (501, "<html>"),
        (302, ""),
    ] {
        table.push(outcome([Reply::status(status, body)]).await);
    }
    expect![[r#"
        1 requests, Unreadable: GET projects/42 failed: 400 Bad Request: state does not have a valid value
        1 requests, Unauthorized: GitLab refused the token: 401 Unauthorized
        1 requests, Forbidden: GET projects/42 failed: 403 Forbidden
        1 requests, Unauthorized: GitLab refused the token: 403 Forbidden: insufficient_scope: More privileges needed.
        1 requests, Gone: GET projects/42 failed: 404 Project Not Found
        1 requests, Unreadable: GET projects/42 failed: 405 Method Not Allowed: Keyset pagination is not yet available for this type of request
        1 requests, Unreadable: GET projects/42 failed: 409 Conflict: Resource lock
        1 requests, Gone: GET projects/42 failed: 410 Gone
        1 requests, Unreachable: GET projects/42 failed: 501 Not Implemented
        1 requests, Unreadable: GET projects/42 failed: 302 Found"#]].assert_eq(&table.join("\n"));
}

#[tokio::test]
async fn giving_up_says_how_often_and_why() {
    let mut table = Vec::new();
    for reply in [
        Reply::status(502, "<html><head><title>502 Bad Gateway</title></head></html>"),
        Reply::status(500, r#"{"message":"500 Internal Server Error"}"#),
        Reply::reset(),
        good().cut_after(9),
        Reply::status(200, "<html>\n<body>Please   sign in\u{1b}[0m</body></html>"),
        Reply::status(429, "Retry later").header("Retry-After", "0"),
        Reply::status(429, r#"{"message":{"error":"Requested too many times."}}"#),
    ] {
        table.push(outcome(vec![reply; 20]).await);
    }
    expect![[r#"
        5 requests, Unreachable: GET projects/42 failed 5 times, last: 502 Bad Gateway
        5 requests, Unreachable: GET projects/42 failed 5 times, last: 500 Internal Server Error
        5 requests, Unreachable: GET projects/42 failed 5 times, last: the connection broke: Connection reset by peer
        5 requests, Unreachable: GET projects/42 failed 5 times, last: the connection broke: end of file before message length reached
        3 requests, Unreadable: GET projects/42 failed 3 times, last: the answer is not whole JSON: `<html> <body>Please sign in[0m</body></html>`
        20 requests, RateLimited: GET projects/42 failed 20 times, last: 429 Too Many Requests: Retry later
        20 requests, RateLimited: GET projects/42 failed 20 times, last: 429 Too Many Requests: Requested too many times."#]].assert_eq(&table.join("\n"));
}

#[tokio::test]
async fn a_server_that_does_not_answer_in_time_is_asked_again() {
    let server = Server::start(|_, n| if n < 2 { Reply::silence() } else { good() }).await;
    let mut options = server.options();
    options.request_timeout = Duration::from_millis(50);
    assert_eq!(project(&client(options.clone())).await.unwrap(), 42);

    options.max_attempts = 2;
    let silent = Server::always(Reply::silence()).await;
    options.base_url.clone_from(&silent.url);
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert_eq!(failure.to_string(), "GET projects/42 failed 2 times, last: timed out");
}

#[tokio::test]
async fn nobody_listening_is_told_apart_from_a_failing_server() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let server = Server::script([]).await;
    let mut options = server.options();
    options.base_url = format!("http://{address}");
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert_eq!(
        failure.to_string(),
        "GET projects/42 failed 2 times, last: `127.0.0.1` refused the connection"
    );
    assert!(failure.error.suggestion().unwrap().contains("is the server running"));
}

#[tokio::test]
async fn a_host_that_cannot_exist_is_told_apart_too() {
    let server = Server::script([]).await;
    let mut options = server.options();
    // Two dots in a row are refused before anybody is asked for the name.
    options.base_url = "http://no..such.localhost".to_owned();
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.to_string().contains("is not known"), "{failure}");
    assert!(failure.error.suggestion().unwrap().contains("gitlab.base_url"));
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused_at_once() {
    let server = Server::always(Reply::json(format!("[{}]", "1,".repeat(2_000_000)))).await;
    let mut options = server.options();
    options.max_body_bytes = 1024 * 1024;
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreadable);
    assert_eq!(failure.to_string(), "GET projects/42 failed: the answer is larger than 1 MiB");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn packed_answers_are_unpacked_and_measured_unpacked() {
    // `printf '{"id":42,"path_with_namespace":"g/p"}' | gzip -n`
    let server = Server::always(
        Reply::json(include_bytes!("support/project.json.gz").to_vec())
            .header("Content-Encoding", "gzip"),
    )
    .await;
    assert_eq!(project(&server.client()).await.unwrap(), 42);
    assert!(server.asked()[0].header("accept-encoding").unwrap().contains("gzip"));

    let mut options = server.options();
    options.max_body_bytes = 30;
    let failure = project(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreadable, "{failure}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_the_server_asks_for_is_kept_and_told() {
    let date = "Thu, 23 Apr 2026 09:45:00 GMT";
    for limited in [
        Reply::status(429, "Retry later").header("Retry-After", "30"),
        Reply::status(429, "Retry later")
            .header("Date", date)
            .header("Retry-After", "Thu, 23 Apr 2026 09:45:30 GMT"),
        Reply::status(429, "Retry later")
            .header("Date", date)
            .header("RateLimit-Reset", "1776937530"),
        Reply::status(503, "").header("Retry-After", "30"),
    ] {
        let server = Server::script([limited.clone(), good()]).await;
        let told = Arc::new(ProgressLog::default());
        let client = Client::new(server.options(), told.clone()).unwrap();
        let start = Instant::now();
        project(&client).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 30, "{limited:?}");
        assert_eq!(told.lines(), ["waiting: the server asked for a pause"], "{limited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_for_every_clone_of_the_client() {
    let server = Server::start(|request, n| match n {
        0 => Reply::status(429, "").header("Retry-After", "30"),
        _ if request.path.ends_with("/user") => Reply::json(USER),
        _ => good(),
    })
    .await;
    let client = server.client();
    let other = client.clone();
    let start = Instant::now();
    let first = tokio::spawn(async move { project(&client).await });
    while server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    // The clock only moves when nobody has anything left to do: by then the
    // answer has arrived and the pause has begun.
    tokio::time::sleep(Duration::from_millis(1)).await;
    other.identity().await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 30);
    first.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn too_long_a_pause_is_not_sat_out() {
    let server =
        Server::always(Reply::status(429, "Retry later").header("Retry-After", "3600")).await;
    let failure = project(&server.client()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::RateLimited);
    assert!(failure.to_string().contains("the server asks to wait"), "{failure}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_remaining_allowance_is_obeyed_before_it_is_refused() {
    let server = Server::start(|_, _| {
        good()
            .header("Date", "Thu, 23 Apr 2026 09:45:00 GMT")
            .header("RateLimit-Limit", "2000")
            .header("RateLimit-Remaining", "0")
            .header("RateLimit-Reset", "1776937560")
    })
    .await;
    let told = Arc::new(ProgressLog::default());
    let client = Client::new(server.options(), told.clone()).unwrap();
    let start = Instant::now();
    project(&client).await.unwrap();
    project(&client).await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 60);
    assert_eq!(told.lines(), ["waiting: the server's rate limit is used up"]);
}

#[tokio::test]
async fn rate_limits_do_not_use_up_the_tries() {
    let limited = Reply::status(429, r#"{"message":{"error":"Too many times."}}"#);
    let mut replies = vec![limited; 8];
    replies.extend(vec![Reply::status(500, ""); 4]);
    replies.push(good());
    assert_eq!(outcome(replies).await, "13 requests, fine");
}

#[tokio::test(start_paused = true)]
async fn the_configured_pace_is_kept() {
    let server = Server::always(good()).await;
    let mut options = server.options();
    options.requests_per_second = Some(50.0);
    let client = client(options);
    let start = Instant::now();
    for _ in 0..14 {
        project(&client).await.unwrap();
    }
    assert_eq!(start.elapsed().as_millis(), 200);
}

#[tokio::test]
async fn merge_requests_switched_off_are_forbidden_not_gone() {
    let server = Server::always(Reply::status(403, r#"{"message":"403 Forbidden"}"#)).await;
    let from = ListFrom { updated_after: None, page: 1 };
    let failure =
        server.client().entities(ForgeId(42), EntityKind::MergeRequest, from).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Forbidden);
}

#[tokio::test]
async fn faults_in_the_middle_of_a_list_do_not_show_in_it() {
    let server = Server::start(|request, n| {
        let page = request.page();
        let good = Reply::json(array((page - 1) * 100 + 1..=page * 100, issue))
            .header("X-Next-Page", (page + 1).to_string());
        match n % 5 {
            0 => Reply::status(502, "<html>"),
            1 => good.cut_after(4000),
            2 => Reply::reset(),
            3 => Reply::status(429, "Retry later"),
            _ => good,
        }
    })
    .await;
    let client = server.client();
    for page in 1..=5 {
        let from = ListFrom { updated_after: None, page };
        let page = client.entities(ForgeId(42), EntityKind::Issue, from).await.unwrap();
        assert_eq!((page.items.len(), page.unreadable.len(), page.has_more), (100, 0, true));
    }
}

#[tokio::test]
async fn identity_names_the_user_and_the_version_where_it_is_told() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/api/v4/user" => Reply::json(USER),
        _ => Reply::json(VERSION),
    })
    .await;
    let Identity { user, server_version } = server.client().identity().await.unwrap();
    assert_eq!((user.forge_id.0, user.username.as_str()), (7, "ada"));
    assert_eq!(server_version.as_deref(), Some("18.2.1-ee"));

    let secretive = Server::start(|request, _| match request.path.as_str() {
        "/api/v4/user" => Reply::json(USER),
        _ => Reply::status(403, ""),
    })
    .await;
    assert_eq!(secretive.client().identity().await.unwrap().server_version, None);
}
