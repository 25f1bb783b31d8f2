//! Lists are read to their end, whatever the server says or fails to say about
//! where that is; and a set is read whole or not at all.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod support;

use expect_test::expect;
use forge::api::{ListFrom, Result};
use forge::gitlab::Client;
use forge::{FailureKind, Forge};
use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, DependentSet};
use model::{EntityKind, Timestamp};
use std::ops::RangeInclusive;
use support::{Reply, Request, Server, array, client, event, issue};

const PROJECT: ForgeId = ForgeId(42);
const START: ListFrom = ListFrom { updated_after: None, page: 1 };

/// The ids of all state events of issue 7.
async fn event_ids(client: &Client) -> Result<Vec<i64>> {
    let answer =
        client.dependents(PROJECT, EntityKind::Issue, Iid(7), DependentKind::StateEvents).await?;
    let DependentSet::StateEvents(events) = answer.value else { panic!("asked for state events") };
    Ok(events.into_iter().map(|event| event.forge_id.0).collect())
}

fn events(ids: RangeInclusive<usize>) -> Reply {
    Reply::json(array(ids, event))
}

fn ids(range: RangeInclusive<i64>) -> Vec<i64> {
    range.collect()
}

/// `n` events in pages, with the headers GitLab sends.
fn paged(n: usize, request: &Request) -> Reply {
    let (page, size) = (request.page(), request.per_page());
    let last = n.div_ceil(size).max(1);
    let next = if page < last { (page + 1).to_string() } else { String::new() };
    Reply::json(array((page - 1) * size + 1..=(page * size).min(n), event))
        .header("X-Next-Page", next)
        .header("X-Total", n.to_string())
}

#[tokio::test]
async fn entities_are_asked_for_in_the_order_of_change() {
    let server = Server::always(Reply::json("[]").header("X-Next-Page", "")).await;
    let client = server.client();
    client.entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    let since = Timestamp::parse_rfc3339("2024-01-31T12:00:00.123+02:00").unwrap();
    let from = ListFrom { updated_after: Some(since), page: 3 };
    client.entities(PROJECT, EntityKind::MergeRequest, from).await.unwrap();
    expect![[r#"
        projects/42/issues?order_by=updated_at&sort=asc&scope=all&state=all&with_labels_details=true&per_page=100&page=1
        projects/42/merge_requests?order_by=updated_at&sort=asc&scope=all&state=all&with_labels_details=true&updated_after=2024-01-31T10%3A00%3A00.123Z&per_page=100&page=3
    "#]]
    .assert_eq(&server.log());
}

#[tokio::test]
async fn a_page_of_entities_says_whether_more_follow() {
    let full = || Reply::json(array(1..=100, issue));
    let short = || Reply::json(array(1..=99, issue));
    for (case, reply, has_more) in [
        ("a next page", short().header("X-Next-Page", "2"), true),
        ("an empty next page", full().header("X-Next-Page", ""), false),
        ("a next link", short().header("Link", "<https://gl.test/x?page=2>; rel=\"next\""), true),
        ("a cursor", short().header("Link", "<https://gl.test/x?cursor=abc>; rel=\"next\""), true),
        (
            "only other links",
            full().header("Link", "<https://gl.test/x?page=1>; rel=\"first\""),
            false,
        ),
        ("nothing, full", full(), true),
        ("nothing, short", short(), false),
        ("nothing, empty", Reply::json("[]"), false),
        ("backwards, short", short().header("X-Next-Page", "1"), false),
        ("backwards, full", full().header("X-Next-Page", "1"), true),
    ] {
        let server = Server::always(reply).await;
        let page = server.client().entities(PROJECT, EntityKind::Issue, START).await.unwrap();
        assert_eq!(page.has_more, has_more, "{case}");
    }
}

#[tokio::test]
async fn one_bad_item_does_not_lose_the_page() {
    let body = format!(
        r#"[{}, {{"iid":2,"id":"x"}} ,null,{},{{"id":4,"iid":4,"state":"opened","title":"\ud800","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-01T00:00:00Z"}}]"#,
        issue(1),
        issue(3)
    );
    let server =
        Server::always(Reply::json(body).header("Date", "Thu, 23 Apr 2026 09:45:00 GMT")).await;
    let page = server.client().entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    assert_eq!(
        page.items.iter().map(|item| item.entity.core().iid.0).collect::<Vec<_>>(),
        [1, 3, 4]
    );
    assert_eq!(page.items[1].raw, issue(3).into_bytes(), "the exact bytes");
    assert_eq!(page.items[2].entity.core().title, "\u{FFFD}");
    assert!(String::from_utf8_lossy(&page.items[2].raw).contains(r"\ud800"), "kept as it came");
    assert_eq!(page.server_time.unwrap().to_rfc3339(), "2026-04-23T09:45:00.000Z");
    expect![[r#"
        issue #2: `id` is missing or not usable
        issue without a number: not an object"#]]
    .assert_eq(&page.unreadable.join("\n"));
}

#[tokio::test]
async fn links_are_followed_by_their_query_on_the_server_that_was_configured() {
    let server = Server::start(|request, _| match request.page() {
        1 => events(1..=100).header(
            "Link",
            "<https://elsewhere.test/api/v4/other?id=42&page=2&per_page=100>; rel=\"next\"",
        ),
        _ => events(101..=103).header("Link", "<https://elsewhere.test/x?page=1>; rel=\"first\""),
    })
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=103));
    expect![[r#"
        projects/42/issues/7/resource_state_events?per_page=100&page=1
        projects/42/issues/7/resource_state_events?id=42&page=2&per_page=100
    "#]]
    .assert_eq(&server.log());
}

#[tokio::test]
async fn next_page_numbers_are_followed_through_short_and_empty_pages() {
    let server = Server::script([
        events(1..=100).header("X-Next-Page", "2"),
        Reply::json("[]").header("X-Next-Page", "3"),
        events(101..=103).header("X-Next-Page", "4"),
        events(104..=104).header("X-Next-Page", ""),
    ])
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=104));
}

#[tokio::test]
async fn without_any_word_about_pages_a_full_one_is_followed() {
    let server = Server::script([events(1..=100), events(101..=200), events(201..=250)]).await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=250));
    let server = Server::script([events(1..=100), Reply::json("[]")]).await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=100));
    let server = Server::script([events(1..=99)]).await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=99));
}

#[tokio::test]
async fn a_next_page_that_does_not_move_forward_is_not_followed() {
    let server = Server::script([events(1..=3).header("X-Next-Page", "1")]).await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=3));
    let server = Server::script([
        events(1..=100).header("Link", "<http://x/?page=1>; rel=next"),
        events(101..=101).header("Link", "<http://x/?page=1>; rel=next"),
    ])
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=101));
}

#[tokio::test]
async fn pages_in_circles_or_without_end_are_refused() {
    let server = Server::start(|_, n| {
        events(n + 1..=n + 1).header("Link", format!("<http://x/?cursor={}>; rel=\"next\"", n % 3))
    })
    .await;
    let failure = event_ids(&server.client()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreadable);
    assert!(server.asked().len() < 10);

    let server = Server::start(|request, n| {
        events(n + 1..=n + 1).header("X-Next-Page", (request.page() + 1).to_string())
    })
    .await;
    let failure = event_ids(&server.client()).await.unwrap_err();
    assert!(failure.to_string().ends_with("the server's pages go on or in circles"), "{failure}");
    assert_eq!(server.asked().len(), 1000);
}

#[tokio::test]
async fn a_set_that_grew_while_it_was_read_is_read_again() {
    let server = Server::start(|request, n| paged(if n == 0 { 150 } else { 151 }, request)).await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=151));
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn an_item_that_comes_twice_means_the_set_moved() {
    let server = Server::script([
        events(1..=100).header("X-Next-Page", "2"),
        events(100..=120).header("X-Next-Page", ""),
        events(1..=100).header("X-Next-Page", "2"),
        events(101..=121).header("X-Next-Page", ""),
    ])
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=121));
}

#[tokio::test]
async fn a_server_that_always_repeats_an_item_is_believed_the_second_time() {
    let server = Server::start(|request, _| match request.page() {
        1 => events(1..=100).header("X-Next-Page", "2"),
        _ => events(100..=110).header("X-Next-Page", ""),
    })
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap(), ids(1..=110));
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn a_set_that_never_holds_still_is_no_set() {
    let server = Server::start(|request, n| paged(150 + n, request)).await;
    let failure = event_ids(&server.client()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.to_string().contains("kept changing while it was read"), "{failure}");
    assert_eq!(server.asked().len(), 8, "read once and three times again");
}

#[tokio::test]
async fn a_set_with_a_missing_page_is_no_set() {
    let server = Server::start(|request, _| match request.page() {
        1 => events(1..=100).header("X-Next-Page", "2"),
        _ => Reply::status(404, r#"{"message":"404 Not found"}"#),
    })
    .await;
    assert_eq!(event_ids(&server.client()).await.unwrap_err().kind, FailureKind::Gone);
}

#[tokio::test]
async fn a_set_with_an_item_that_cannot_be_understood_is_no_set() {
    for item in [r#"{"id":2}"#, r#"{"created_at":"2024-01-01T00:00:00Z"}"#, "null", "7", "[]"] {
        let server = Server::always(Reply::json(format!("[{},{item}]", event(1)))).await;
        let failure = event_ids(&server.client()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unreadable, "{item}");
    }
}

#[tokio::test]
async fn a_set_keeps_the_bytes_of_all_its_pages() {
    let server = Server::script([
        Reply::json(format!("[ {} ]", event(1))).header("X-Next-Page", "2"),
        Reply::json("[]").header("X-Next-Page", "3"),
        Reply::json(format!("[{}\n]", event(2))).header("X-Next-Page", ""),
    ])
    .await;
    let answer = server
        .client()
        .dependents(PROJECT, EntityKind::Issue, Iid(7), DependentKind::StateEvents)
        .await
        .unwrap();
    assert_eq!(String::from_utf8(answer.raw).unwrap(), array(1..=2, event));
}

#[tokio::test]
async fn what_does_not_apply_is_empty_and_costs_nothing() {
    let server = Server::script([]).await;
    let answer = server
        .client()
        .dependents(PROJECT, EntityKind::Issue, Iid(7), DependentKind::Commits)
        .await
        .unwrap();
    assert_eq!(answer.value, DependentSet::Commits(Vec::new()));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn too_large_a_page_of_entities_is_read_in_parts() {
    let server = Server::start(|request, _| {
        let (page, size) = (request.page(), request.per_page());
        let last = 130;
        let numbers = (page - 1) * size + 1..=(page * size).min(last);
        let next = if page * size < last { (page + 1).to_string() } else { String::new() };
        Reply::json(array(numbers, issue)).header("X-Next-Page", next)
    })
    .await;
    let mut options = server.options();
    options.max_body_bytes = 5_000;
    let client = client(options);
    let iids = |page: &forge::api::EntityPage| -> Vec<i64> {
        page.items.iter().map(|item| item.entity.core().iid.0).collect()
    };
    let first = client.entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    assert_eq!((iids(&first), first.has_more), (ids(1..=100), true));
    let second =
        client.entities(PROJECT, EntityKind::Issue, ListFrom { page: 2, ..START }).await.unwrap();
    assert_eq!((iids(&second), second.has_more), (ids(101..=130), false));
}

#[tokio::test]
async fn too_large_a_page_of_a_set_is_asked_for_in_smaller_ones() {
    let server = Server::start(|request, _| paged(60, request)).await;
    let mut options = server.options();
    options.max_body_bytes = 3_000;
    let client = client(options);
    assert_eq!(event_ids(&client).await.unwrap(), ids(1..=60));
}
