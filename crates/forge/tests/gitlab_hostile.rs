//! A server that means harm: answers without end, in size, in number or in
//! time. None of them takes more memory or time than was set aside.

mod support;

use forge::api::ListFrom;
use forge::{FailureKind, Forge};
use model::EntityKind;
use model::ids::{ForgeId, Iid};
use model::record::DependentKind;
use std::sync::Arc;
use std::time::Duration;
use support::{Reply, Server, array, client, event, issue};

const PROJECT: ForgeId = ForgeId(42);
const START: ListFrom = ListFrom { updated_after: None, page: 1 };
const MIB: usize = 1024 * 1024;

/// An issue with a description of so many bytes.
fn large_issue(iid: usize, n_bytes: usize) -> String {
    let issue = issue(iid);
    let head = issue.strip_suffix('}').unwrap_or(&issue);
    format!("{head},\"description\":\"{}\"}}", "x".repeat(n_bytes))
}

async fn events(client: &forge::gitlab::Client) -> forge::api::Result<()> {
    client
        .dependents(PROJECT, EntityKind::Issue, Iid(7), DependentKind::StateEvents)
        .await
        .map(|_| ())
}

#[tokio::test]
async fn a_large_answer_keeps_others_waiting_until_it_is_dropped() {
    let body = format!("[{}]", large_issue(1, 2 * MIB));
    let server = Server::always(Reply::json(body).header("X-Next-Page", "")).await;
    let mut options = server.options();
    options.max_large_answers = 2;
    let client = Arc::new(client(options));
    let first = client.entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    let second = client.entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    assert!(first.reservation.is_held() && second.reservation.is_held());
    let asking = Arc::clone(&client);
    let mut third =
        tokio::spawn(async move { asking.entities(PROJECT, EntityKind::Issue, START).await });
    let early = tokio::time::timeout(Duration::from_millis(300), &mut third).await;
    assert!(early.is_err(), "a third large answer is in memory");
    drop(first);
    assert_eq!(third.await.unwrap().unwrap().items.len(), 1);
}

#[tokio::test]
async fn small_answers_never_wait_for_large_ones() {
    let large = format!("[{}]", large_issue(1, 2 * MIB));
    let server = Server::start(move |request, _| {
        let body = if request.path.ends_with("/issues") { large.clone() } else { "[]".to_owned() };
        Reply::json(body).header("X-Next-Page", "")
    })
    .await;
    let mut options = server.options();
    options.max_large_answers = 1;
    let client = client(options);
    let held = client.entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    let small = client.entities(PROJECT, EntityKind::MergeRequest, START).await.unwrap();
    assert!(held.reservation.is_held() && !small.reservation.is_held());
}

#[tokio::test]
async fn a_list_larger_than_its_limit_is_given_up_by_name() {
    let server = Server::start(|request, _| {
        let first = (request.page() - 1) * 100 + 1;
        Reply::json(array(first..=first + 99, event))
            .header("X-Next-Page", (request.page() + 1).to_string())
    })
    .await;
    let mut options = server.options();
    options.max_set_bytes = 2 * MIB;
    let failure = events(&client(options)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreadable);
    assert_eq!(
        failure.to_string(),
        "GET projects/42/issues/7/resource_state_events failed: the list is larger than 2 MiB"
    );
}

#[tokio::test]
async fn a_cursor_that_stands_still_and_pages_of_nothing_new_are_refused() {
    let standing = Server::start(|request, n| {
        assert!(n < 5, "asked again and again");
        let cursor = request.parameter("cursor").unwrap_or("abc");
        Reply::json(array(1..=3, event))
            .header("Link", format!("<https://gl.test/x?cursor={cursor}>; rel=\"next\""))
    })
    .await;
    let failure = events(&standing.client()).await.unwrap_err();
    assert!(failure.to_string().contains("resource_state_events has no end"), "{failure}");
    // The cursor moves, what it brings does not.
    let repeating = Server::start(|_, n| {
        Reply::json(array(1..=3, event))
            .header("Link", format!("<https://gl.test/x?cursor={n}>; rel=\"next\""))
    })
    .await;
    let failure = events(&repeating.client()).await.unwrap_err();
    assert!(failure.to_string().contains("has no end"), "{failure}");
    assert!(repeating.asked().len() < 150, "{}", repeating.asked().len());
}

#[tokio::test]
async fn a_page_of_a_million_items_is_refused_before_they_are_read() {
    let body = format!("[{}1]", "1,".repeat(1_000_000));
    let server = Server::always(Reply::json(body)).await;
    let failure = server.client().entities(PROJECT, EntityKind::Issue, START).await.unwrap_err();
    assert!(failure.to_string().ends_with("one page has more than 100000 items"), "{failure}");
    assert_eq!(server.asked().len(), 1, "asking again would not help");
}

#[tokio::test]
async fn a_list_inside_an_item_has_an_end_too() {
    let thread = format!("[{{\"id\":\"a\",\"notes\":[{}{{}}]}}]", "{},".repeat(20_000));
    let server = Server::always(Reply::json(thread).header("X-Next-Page", "")).await;
    let failure = server
        .client()
        .dependents(PROJECT, EntityKind::Issue, Iid(7), DependentKind::Discussions)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreadable, "{failure}");
}

#[tokio::test]
async fn headers_without_end_are_refused() {
    let server = Server::always(Reply::json("[]").header("X-Padding", "x".repeat(4 * MIB))).await;
    let mut options = server.options();
    options.max_attempts = 1;
    let failure = client(options).entities(PROJECT, EntityKind::Issue, START).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure}");
}

#[tokio::test]
async fn thousands_of_unreadable_items_are_told_of_in_a_few_lines() {
    let body = format!("[{}null]", "null,".repeat(5_000));
    let server = Server::always(Reply::json(body).header("X-Next-Page", "")).await;
    let page = server.client().entities(PROJECT, EntityKind::Issue, START).await.unwrap();
    assert_eq!(page.unreadable.len(), 101);
    assert_eq!(page.unreadable[100], "4901 more items of the same page");
}
