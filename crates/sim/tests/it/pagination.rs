//! Pages and their headers, with the quirks clients stumble over.

use crate::support::{Api, TIDE, at, issue, seconds, world};
use sim::server::Release;
use sim::world::EntityKey;
use sim::{Options, World};

fn with_issues(n: usize) -> World {
    let mut world = world();
    for index in 0..n {
        world.set_now(seconds(index as u64));
        issue(&mut world, TIDE, "x");
    }
    world
}

#[test]
fn the_headers_of_a_middle_page() {
    let api = Api::new(with_issues(7));
    let got = api.get("/projects/1/issues?per_page=3&page=2&sort=asc");
    assert_eq!(got.iids(), [4, 5, 6]);
    let header = |name| got.header(name).unwrap();
    assert_eq!(header("x-page"), "2");
    assert_eq!(header("x-per-page"), "3");
    assert_eq!(header("x-prev-page"), "1");
    assert_eq!(header("x-next-page"), "3");
    assert_eq!(header("x-total"), "7");
    assert_eq!(header("x-total-pages"), "3");
    let url =
        |page: u8| api.url(&format!("/projects/1/issues?id=1&page={page}&per_page=3&sort=asc"));
    let expected = format!(
        "<{}>; rel=\"prev\", <{}>; rel=\"next\", <{}>; rel=\"first\", <{}>; rel=\"last\"",
        url(1),
        url(3),
        url(1),
        url(3)
    );
    assert_eq!(header("link"), expected);
}

#[test]
fn the_last_page_has_an_empty_next_page_and_no_next_link() {
    let api = Api::new(with_issues(3));
    let got = api.get("/projects/1/issues?per_page=3");
    assert_eq!(got.header("x-next-page"), Some(""));
    assert!(!got.header("link").unwrap().contains("rel=\"next\""));
}

#[test]
fn beyond_the_end_there_is_an_empty_page_without_neighbours() {
    let api = Api::new(with_issues(3));
    let got = api.get("/projects/1/issues?per_page=3&page=4");
    assert_eq!((got.status, got.text.as_str()), (200, "[]"));
    assert_eq!(got.header("x-page"), Some("4"));
    assert_eq!(got.header("x-next-page"), Some(""));
    assert_eq!(got.header("x-prev-page"), Some(""));
}

#[test]
fn an_empty_list_has_one_page() {
    let got = Api::new(world()).get("/projects/1/issues");
    assert_eq!(got.text, "[]");
    assert_eq!((got.header("x-total"), got.header("x-total-pages")), (Some("0"), Some("1")));
}

#[test]
fn above_the_limit_the_totals_are_left_out() {
    let options = Options { totals_limit: 5, ..Options::default() };
    let api = Api::with(with_issues(6), options);
    let got = api.get("/projects/1/issues?per_page=2");
    assert_eq!((got.header("x-total"), got.header("x-total-pages")), (None, None));
    assert!(!got.header("link").unwrap().contains("rel=\"last\""));
    assert_eq!(got.header("x-next-page"), Some("2"));
    api.server.world().delete_entity(EntityKey::issue(TIDE, 1)).unwrap();
    assert_eq!(api.get("/projects/1/issues").header("x-total"), Some("5"));
}

#[test]
fn per_page_is_20_by_default_and_clamped_to_100() {
    let api = Api::new(with_issues(130));
    assert_eq!(api.get("/projects/1/issues").iids().len(), 20);
    let got = api.get("/projects/1/issues?per_page=5000");
    assert_eq!((got.iids().len(), got.header("x-per-page")), (100, Some("100")));
}

#[test]
fn nonsense_is_refused() {
    let api = Api::new(with_issues(1));
    for (query, error) in [
        ("page=0", "page does not have a valid value"),
        ("per_page=0", "per_page does not have a valid value"),
        ("per_page=x", "per_page is invalid"),
        ("state=open", "state does not have a valid value"),
        ("order_by=colour", "order_by does not have a valid value"),
        ("sort=up", "sort does not have a valid value"),
        ("scope=mine", "scope does not have a valid value"),
        ("updated_after=yesterday", "updated_after is invalid"),
        ("with_labels_details=maybe", "with_labels_details is invalid"),
    ] {
        let got = api.get(&format!("/projects/1/issues?{query}"));
        assert_eq!((got.status, got.json()["error"].as_str()), (400, Some(error)), "{query}");
    }
    assert_eq!(api.get("/projects/1/merge_requests?state=merged").status, 200);
}

#[test]
fn links_point_at_the_configured_host() {
    let options = Options { link_base: Some("https://gl.test".to_owned()), ..Options::default() };
    let api = Api::with(with_issues(3), options);
    let got = api.get("/projects/harbor%2Ftide/issues?per_page=1");
    let link = got.header("link").unwrap();
    assert!(link.starts_with(
        "<https://gl.test/api/v4/projects/harbor%2Ftide/issues?id=harbor%2Ftide&page=2&per_page=1>"
    ));
}

#[test]
fn links_name_the_parameters_of_the_path() {
    let mut world = with_issues(1);
    world.comment(EntityKey::issue(TIDE, 1), "bo", at(9), "x").unwrap();
    let api = Api::new(world);
    let link = |path: &str| api.get(path).header("link").unwrap().to_owned();
    assert!(link("/projects/1/issues/1/discussions").contains("noteable_id=1"));
    assert!(link("/projects/1/issues/1/resource_state_events").contains("eventable_id=1"));
}

#[test]
fn ties_are_broken_by_descending_id_in_both_directions() {
    let mut world = with_issues(4);
    for iid in [1, 2, 3] {
        world.touch(EntityKey::issue(TIDE, iid), at(60)).unwrap();
    }
    let api = Api::new(world);
    let list =
        |sort: &str| api.get(&format!("/projects/1/issues?order_by=updated_at&sort={sort}")).iids();
    assert_eq!(list("asc"), [4, 3, 2, 1]);
    assert_eq!(list("desc"), [3, 2, 1, 4]);
}

#[test]
fn a_row_updated_during_a_scan_shifts_the_others_left() {
    let api = Api::new(with_issues(6));
    let page = |page: u8| {
        api.get(&format!("/projects/1/issues?order_by=updated_at&sort=asc&per_page=2&page={page}"))
            .iids()
    };
    assert_eq!(page(1), [1, 2]);
    api.server.world().touch(EntityKey::issue(TIDE, 1), at(60)).unwrap();
    // 3 has slipped onto page 1 and is never seen.
    assert_eq!([page(2), page(3)].concat(), [4, 5, 6, 1]);
}

#[test]
fn newer_servers_page_issues_by_cursor() {
    let api = Api::new(with_issues(5));
    let path = "/projects/1/issues?pagination=keyset&order_by=updated_at&sort=asc&per_page=2";
    let mut got = api.get(path);
    let mut seen = Vec::new();
    loop {
        assert_eq!((got.header("x-next-page"), got.header("x-total")), (None, None));
        seen.extend(got.iids());
        // Unlike offsets, cursors survive a change in the middle of the scan.
        if seen == [1, 2] {
            api.server.world().touch(EntityKey::issue(TIDE, 1), at(60)).unwrap();
        }
        let Some(link) = got.header("link") else { break };
        let next = link.trim_start_matches('<').split('>').next().unwrap();
        let next = next.split("/api/v4").nth(1).unwrap().to_owned();
        got = api.get(&next);
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 1]);
}

#[test]
fn other_endpoints_and_older_servers_ignore_the_wish_for_cursors() {
    let api = Api::new(with_issues(3));
    let got = api.get("/projects/1/merge_requests?pagination=keyset");
    assert_eq!(got.header("x-page"), Some("1"));
    let options = Options { release: Release::v18_2(), ..Options::default() };
    let old = Api::with(with_issues(3), options);
    assert_eq!(old.get("/projects/1/issues?pagination=keyset").header("x-page"), Some("1"));
}

#[test]
fn discussions_are_paged_by_thread_with_all_their_notes() {
    let mut world = with_issues(1);
    let key = EntityKey::issue(TIDE, 1);
    for index in 0..3 {
        let posted = world.comment(key, "bo", at(10 + index), "x").unwrap();
        for reply in 0..30 {
            world.reply(posted.discussion, "ada", at(100 + reply), "y").unwrap();
        }
    }
    let api = Api::new(world);
    let (threads, sizes) = api.all("/projects/1/issues/1/discussions?per_page=2");
    assert_eq!(sizes, [2, 1]);
    assert!(threads.iter().all(|thread| thread["notes"].as_array().unwrap().len() == 31));
}
