//! Faults do what they say, as a client sees it.

use crate::support::{Api, Got, TIDE, issue, world};
use sim::fault::{Fault, FaultBurst};
use sim::server::{RateLimit, Token};
use sim::{FaultPlan, Options, World};
use std::error::Error;

fn crowded(n: usize) -> World {
    let mut world = world();
    for index in 0..n {
        issue(&mut world, TIDE, &format!("Issue {index}"));
    }
    world
}

fn under(plan: FaultPlan) -> Api {
    Api::with(crowded(30), Options { faults: plan, ..Options::default() })
}

fn first(fault: Fault) -> Api {
    under(FaultPlan { fail_first_n: 1, fail_first_with: fault, ..FaultPlan::default() })
}

const LIST: &str = "/projects/1/issues?per_page=100";

/// The first request fails in the given way and the second succeeds.
fn failed(fault: Fault) -> Result<Got, reqwest::Error> {
    let api = first(fault);
    let got = api.try_get(LIST, Some(Token::VALID));
    assert_eq!(api.get(LIST).iids().len(), 30, "{fault:?} passes");
    assert_eq!(api.server.requests().by_fault.get(&fault), Some(&1));
    got
}

#[test]
fn errors_of_the_server_look_like_those_of_gitlab() {
    let got = failed(Fault::Internal500).unwrap();
    assert_eq!(
        (got.status, got.text.as_str()),
        (500, r#"{"message":"500 Internal Server Error"}"#)
    );
    let got = failed(Fault::Html502).unwrap();
    assert_eq!((got.status, got.header("content-type")), (502, Some("text/html")));
    assert!(got.text.contains("GitLab is not responding"));
    let got = failed(Fault::Unavailable503).unwrap();
    assert_eq!((got.status, got.header("retry-after")), (503, None));
    let got = failed(Fault::Unavailable503RetryAfter).unwrap();
    assert_eq!((got.status, got.header("retry-after")), (503, Some("1")));
}

#[test]
fn the_two_shapes_of_429() {
    let got = failed(Fault::Throttled429).unwrap();
    assert_eq!((got.status, got.text.as_str()), (429, "Retry later\n"));
    assert_eq!(got.header("content-type"), Some("text/plain"));
    assert_eq!(got.header("retry-after"), Some("1"));
    assert_eq!(got.header("ratelimit-remaining"), Some("0"));
    assert!(got.header("ratelimit-resettime").unwrap().ends_with("GMT"));
    let got = failed(Fault::Endpoint429).unwrap();
    assert_eq!((got.status, got.header("retry-after")), (429, None));
    assert!(got.json()["message"]["error"].as_str().unwrap().starts_with("This endpoint"));
}

/// The innermost cause, in words.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

#[test]
fn connections_that_die() {
    let before = failed(Fault::ResetBefore).unwrap_err();
    assert!(before.is_request(), "{before:?}");
    let in_body = failed(Fault::ResetMidBody).unwrap_err();
    assert!(in_body.is_body() || in_body.is_decode() || in_body.is_request(), "{in_body:?}");
    assert!(cause(&in_body).contains("reset"), "{}", cause(&in_body));
    let short = failed(Fault::ShortRead).unwrap_err();
    assert!(short.is_body() || short.is_decode(), "{short:?}");
    assert!(!cause(&short).contains("reset"), "{}", cause(&short));
}

#[test]
fn json_that_stops_in_the_middle() {
    let got = failed(Fault::TruncateJson).unwrap();
    assert_eq!(got.status, 200);
    assert!(got.text.starts_with('['));
    assert!(serde_json::from_str::<serde_json::Value>(&got.text).is_err());
}

#[test]
fn slow_answers_take_their_time() {
    let slow = std::time::Duration::from_millis(30);
    let api = under(FaultPlan { p_slow: 1.0, slow, ..FaultPlan::default() });
    let start = std::time::Instant::now();
    assert_eq!(api.get("/user").status, 200);
    assert!(start.elapsed() >= slow);
}

#[test]
fn storms_throttle_in_bursts() {
    let storm = Some(FaultBurst { every: 2, length: 1 });
    let api = under(FaultPlan { storm, ..FaultPlan::default() });
    let statuses: Vec<u16> = (0..6).map(|_| api.get("/user").status).collect();
    assert_eq!(statuses, [200, 200, 429, 200, 200, 429]);
}

#[test]
fn headers_that_get_lost() {
    let missing = |plan: FaultPlan| {
        let got = under(plan).get("/projects/1/issues?per_page=10");
        (got.header("x-next-page").is_none(), got.header("link").is_none())
    };
    let none = FaultPlan::default();
    assert_eq!(missing(none.clone()), (false, false));
    assert_eq!(missing(FaultPlan { p_drop_next_page: 1.0, ..none.clone() }), (true, false));
    assert_eq!(missing(FaultPlan { p_drop_link: 1.0, ..none.clone() }), (false, true));
    assert_eq!(missing(FaultPlan { p_drop_both: 1.0, ..none }), (true, true));
}

#[test]
fn short_and_empty_pages_lose_nothing() {
    let plan = FaultPlan { seed: 4, p_short_page: 0.4, p_empty_page: 0.3, ..FaultPlan::default() };
    let api = under(plan);
    let (items, sizes) = api.all("/projects/1/issues?per_page=4");
    assert_eq!(items.len(), 30);
    let last = sizes.len() - 1;
    assert!(sizes[..last].contains(&0), "{sizes:?}");
    assert!(sizes[..last].contains(&2), "{sizes:?}");
    assert!(sizes[..last].contains(&4), "{sizes:?}");
}

#[test]
fn items_change_and_vanish_between_pages() {
    let api = under(FaultPlan { mutate_every: Some(2), ..FaultPlan::default() });
    let titles = |api: &Api| {
        let world = api.server.world();
        world.entities().filter(|entity| entity.title.ends_with('\'')).count()
    };
    for expected in [0, 1, 1, 2] {
        api.get(LIST);
        assert_eq!(titles(&api), expected);
    }
    let api = under(FaultPlan { delete_every: Some(3), ..FaultPlan::default() });
    for expected in [30, 30, 29, 29] {
        api.get(LIST);
        assert_eq!(api.server.world().entities().count(), expected);
    }
}

#[test]
fn plans_can_be_changed_while_serving_and_requests_are_counted() {
    let api = under(FaultPlan { p500: 1.0, ..FaultPlan::default() });
    assert_eq!(api.get("/user").status, 500);
    api.server.set_faults(FaultPlan::default());
    assert_eq!(api.get("/user").status, 200);
    api.get("/projects/1/issues/1/discussions");
    api.get("/projects/harbor%2Ftide/issues/2/discussions");
    let log = api.server.requests();
    assert_eq!(log.total, 4);
    assert_eq!(log.count("projects/:id/issues/:iid/discussions"), 2);
    assert_eq!(log.by_status.get(&200), Some(&3));
    assert_eq!(log.entries[0].fault, Some(Fault::Internal500));
    assert_eq!(log.entries[2].path_and_query, "/api/v4/projects/1/issues/1/discussions");
    api.server.clear_requests();
    assert_eq!(api.server.requests().total, 0);
}

#[test]
fn a_rate_limit_counts_by_the_virtual_minute() {
    let rate_limit = Some(RateLimit { limit: 2, enforce: true, retry_after: true });
    let api = Api::with(crowded(1), Options { rate_limit, ..Options::default() });
    let got = api.get("/user");
    assert_eq!(got.header("ratelimit-remaining"), Some("1"));
    assert_eq!(got.header("retry-after"), None);
    assert_eq!(api.get("/user").status, 200);
    let refused = api.get("/user");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("60")));
    api.server.world().advance(std::time::Duration::from_mins(1));
    assert_eq!(api.get("/user").status, 200);
}
