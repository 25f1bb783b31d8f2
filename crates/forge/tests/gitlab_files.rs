//! Which files a merge request touches: from servers that cannot give them all
//! at once, and from servers too old to have the endpoint. Never their text.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod support;

use expect_test::expect;
use forge::api::{ForgeAnswer, Result};
use forge::gitlab::Client;
use forge::{FailureKind, Forge};
use model::EntityKind;
use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, DependentSet};
use support::{Reply, Server, array};

async fn file_changes(client: &Client) -> Result<ForgeAnswer<DependentSet>> {
    client
        .dependents(ForgeId(42), EntityKind::MergeRequest, Iid(3), DependentKind::FileChanges)
        .await
}

fn diff(n: usize) -> String {
    format!(
        r#"{{"diff":"@@ secret text","new_path":"src/{n}.rs","old_path":"src/{n}.rs","new_file":false,"renamed_file":false,"deleted_file":false}}"#
    )
}

#[tokio::test]
async fn the_text_of_a_change_is_not_kept() {
    let server = Server::always(Reply::json(array(1..=2, diff))).await;
    let answer = file_changes(&server.client()).await.unwrap();
    assert_eq!(answer.value.len(), 2);
    expect![[r#"[{"new_path":"src/1.rs","old_path":"src/1.rs","new_file":false,"renamed_file":false,"deleted_file":false},{"new_path":"src/2.rs","old_path":"src/2.rs","new_file":false,"renamed_file":false,"deleted_file":false}]"#]]
        .assert_eq(&String::from_utf8(answer.raw).unwrap());
}

#[tokio::test]
async fn a_server_that_fails_for_the_size_is_asked_for_less() {
    let server = Server::start(|request, _| {
        if request.per_page() > 10 {
            return Reply::status(500, r#"{"message":"500 Internal Server Error"}"#);
        }
        let page = request.page();
        let next = if page < 3 { (page + 1).to_string() } else { String::new() };
        Reply::json(array((page - 1) * 10 + 1..=page * 10, diff)).header("X-Next-Page", next)
    })
    .await;
    assert_eq!(file_changes(&server.client()).await.unwrap().value.len(), 30);
    expect![[r#"
        projects/42/merge_requests/3/diffs?per_page=100&page=1
        projects/42/merge_requests/3/diffs?per_page=100&page=1
        projects/42/merge_requests/3/diffs?per_page=20&page=1
        projects/42/merge_requests/3/diffs?per_page=20&page=1
        projects/42/merge_requests/3/diffs?per_page=10&page=1
        projects/42/merge_requests/3/diffs?per_page=10&page=2
        projects/42/merge_requests/3/diffs?per_page=10&page=3
    "#]]
    .assert_eq(&server.log());
}

#[tokio::test]
async fn a_broken_connection_is_no_reason_to_ask_for_less() {
    let server = Server::script([
        Reply::reset(),
        Reply::reset(),
        Reply::status(502, ""),
        Reply::json("[").cut_after(1),
        Reply::json(array(1..=2, diff)),
    ])
    .await;
    assert_eq!(file_changes(&server.client()).await.unwrap().value.len(), 2);
    assert!(server.asked().iter().all(|request| request.per_page() == 100));
}

#[tokio::test]
async fn a_server_that_fails_at_every_size_is_reported() {
    let server = Server::always(Reply::status(500, "")).await;
    let failure = file_changes(&server.client()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert_eq!(
        failure.to_string(),
        "GET projects/42/merge_requests/3/diffs failed 5 times, last: 500 Internal Server Error"
    );
}

#[tokio::test]
async fn an_old_server_is_asked_the_old_way_and_soon_only_so() {
    let server = Server::start(|request, _| {
        if request.path.ends_with("/changes") {
            Reply::json(format!(r#"{{"iid":3,"changes":{},"overflow":false}}"#, array(1..=2, diff)))
        } else {
            Reply::status(404, r#"{"error":"404 Not Found"}"#)
        }
    })
    .await;
    let client = server.client();
    for _ in 0..4 {
        let answer = file_changes(&client).await.unwrap();
        assert_eq!(answer.value.len(), 2);
        assert!(!String::from_utf8(answer.raw).unwrap().contains("secret"));
    }
    expect![[r#"
        projects/42/merge_requests/3/diffs?per_page=100&page=1
        projects/42/merge_requests/3/changes?access_raw_diffs=true
        projects/42/merge_requests/3/diffs?per_page=100&page=1
        projects/42/merge_requests/3/changes?access_raw_diffs=true
        projects/42/merge_requests/3/diffs?per_page=100&page=1
        projects/42/merge_requests/3/changes?access_raw_diffs=true
        projects/42/merge_requests/3/changes?access_raw_diffs=true
    "#]]
    .assert_eq(&server.log());
}

#[tokio::test]
async fn a_merge_request_that_is_gone_is_gone() {
    let server = Server::always(Reply::status(404, r#"{"message":"404 Not found"}"#)).await;
    assert_eq!(file_changes(&server.client()).await.unwrap_err().kind, FailureKind::Gone);
}

#[tokio::test]
async fn changes_without_a_list_are_not_taken_for_none() {
    let server = Server::start(|request, _| {
        if request.path.ends_with("/changes") {
            Reply::json(r#"{"iid":3}"#)
        } else {
            Reply::status(404, "")
        }
    })
    .await;
    assert_eq!(file_changes(&server.client()).await.unwrap_err().kind, FailureKind::Unreadable);
}
