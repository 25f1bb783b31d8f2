//! Which keys every object has, and which are absent when.

use crate::support::{Api, TIDE, at, issue, mr, world};
use serde_json::{Value, json};
use sim::server::Release;
use sim::world::{
    DiffLine, FileChange, Merge, NewCommit, NewDiffNote, NewMergeRequest, NewMilestone,
};
use sim::{Options, World};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Keys of `value` in alphabetical order, as words.
fn assert_keys(value: &Value, expected: &str) {
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    let mut found = keys(value);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

const ISSUE_BASIC: &str = "id iid project_id title description state created_at updated_at \
    closed_at closed_by labels milestone assignees author type assignee user_notes_count \
    merge_requests_count upvotes downvotes start_date due_date confidential discussion_locked \
    issue_type web_url time_stats task_completion_status blocking_issues_count has_tasks \
    task_status imported imported_from service_desk_reply_to";
const ISSUE: &str = "_links references severity moved_to_id";

const MR: &str = "id iid project_id title description state created_at updated_at merged_by \
    merge_user merged_at closed_by closed_at target_branch source_branch user_notes_count upvotes \
    downvotes author assignees assignee reviewers source_project_id target_project_id labels draft \
    imported imported_from work_in_progress milestone merge_when_pipeline_succeeds merge_status \
    detailed_merge_status merge_after sha merge_commit_sha squash_commit_sha discussion_locked \
    should_remove_source_branch force_remove_source_branch prepared_at reference references \
    web_url time_stats squash squash_on_merge task_completion_status has_conflicts \
    blocking_discussions_resolved";
const MR_SINGLE: &str = "subscribed changes_count latest_build_started_at \
    latest_build_finished_at first_deployed_to_production_at pipeline head_pipeline diff_refs \
    merge_error first_contribution user";

fn rich() -> World {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    let mut new = NewMergeRequest::titled("Fix", "fix").described("Closes #1\n\n- [x] a\n- [ ] b");
    new.commits = vec![NewCommit::saying("One\n\nbody"), NewCommit::saying("Two")];
    new.changes = vec![
        FileChange {
            old_path: "a.rs".into(),
            new_path: "b.rs".into(),
            renamed_file: true,
            diff: "@@ -1 +1 @@\n-a\n+b\n".into(),
            ..FileChange::default()
        },
        FileChange {
            new_path: "big".into(),
            old_path: "big".into(),
            diff: "x".into(),
            too_large: true,
            ..FileChange::default()
        },
    ];
    world.create_mr(TIDE, "bo", at(1), new).unwrap();
    world
}

#[test]
fn an_issue_in_a_list_and_alone() {
    let api = Api::new(rich());
    let listed = &api.get("/projects/1/issues").json()[0];
    assert_keys(listed, &format!("{ISSUE_BASIC} {ISSUE}"));
    assert_keys(
        &api.get("/projects/1/issues/1").json(),
        &format!("{ISSUE_BASIC} {ISSUE} subscribed"),
    );
    assert_keys(&api.get("/projects/1/merge_requests/1/closes_issues").json()[0], ISSUE_BASIC);
    assert_eq!(listed["created_at"], "2024-01-09T10:00:00.000Z");
    assert_eq!(listed["web_url"], "https://gitlab.example.com/harbor/tide/-/issues/1");
    assert_eq!(
        listed["references"],
        json!({"short": "#1", "relative": "#1", "full": "harbor/tide#1"})
    );
    assert_eq!(listed["merge_requests_count"], 1);
    assert_eq!(listed["type"], "ISSUE");
    assert_keys(&listed["author"], "id username public_email name state locked avatar_url web_url");
}

#[test]
fn a_merge_request_in_a_list_and_alone() {
    let api = Api::new(rich());
    let listed = &api.get("/projects/1/merge_requests").json()[0];
    assert_keys(listed, MR);
    let single = api.get("/projects/1/merge_requests/1").json();
    assert_keys(&single, &format!("{MR} {MR_SINGLE}"));
    assert_eq!(single["changes_count"], "2");
    assert_eq!(single["diff_refs"]["head_sha"], single["sha"]);
    assert_eq!(listed["task_completion_status"], json!({"count": 2, "completed_count": 1}));
}

#[test]
fn releases_add_and_lack_keys() {
    let with = |release| Api::with(rich(), Options { release, ..Options::default() });
    let old = with(Release::v13_0());
    let issue = old.get("/projects/1/issues/1").json();
    for key in ["imported", "start_date", "merge_requests_count", "weight"] {
        assert!(!keys(&issue).contains(&key), "{key}");
    }
    assert_eq!(old.get("/projects/1/merge_requests/1/diffs").status, 404);
    let changes = old.get("/projects/1/merge_requests/1/changes").json();
    assert_eq!(changes["changes"][0]["new_path"], "b.rs");
    assert_eq!(changes["overflow"], false);
    let ee = with(Release::v18_2()).get("/projects/1/issues/1").json();
    assert_eq!(ee["weight"], Value::Null);
    assert!(keys(&ee).contains(&"weight"));
    let newest = with(Release::v19_0()).get("/projects/1/issues/1").json();
    assert!(newest["web_url"].as_str().unwrap().ends_with("/-/work_items/1"));
}

#[test]
fn label_details_come_when_asked_for() {
    let mut world = rich();
    let key = sim::world::EntityKey::issue(TIDE, 1);
    let change = sim::world::LabelChange::adding(&["bug", "auth"]);
    world.change_labels(key, "bo", at(1), change).unwrap();
    let api = Api::new(world);
    assert_eq!(api.get("/projects/1/issues").json()[0]["labels"], json!(["auth", "bug"]));
    let details = api.get("/projects/1/issues?with_labels_details=true").json();
    assert_keys(&details[0]["labels"][0], "id name description description_html text_color color");
    assert_eq!(details[0]["labels"][0]["name"], "auth");
}

#[test]
fn a_milestone_belongs_to_a_project_or_to_a_group() {
    let mut world = rich();
    let group = NewMilestone { group_id: Some(77), ..NewMilestone::titled("Summer") };
    world.add_milestone(TIDE, group).unwrap();
    let key = sim::world::EntityKey::issue(TIDE, 1);
    world.set_milestone(key, "bo", at(1), Some("1.0")).unwrap();
    let api = Api::new(world);
    let own = api.get("/projects/1/issues/1").json()["milestone"].clone();
    assert_eq!(own["project_id"], 1);
    assert!(!keys(&own).contains(&"group_id"));
    api.server.world().set_milestone(key, "bo", at(2), Some("Summer")).unwrap();
    let groups = api.get("/projects/1/issues/1").json()["milestone"].clone();
    assert_eq!(groups["group_id"], 77);
    assert!(!keys(&groups).contains(&"project_id"));
}

#[test]
fn notes_have_positions_and_resolutions_only_where_they_make_sense() {
    let mut world = rich();
    let mr = sim::world::EntityKey::mr(TIDE, 1);
    world.comment(mr, "ada", at(2), "plain").unwrap();
    let note = NewDiffNote { path: "b.rs".into(), line: DiffLine::New(27), body: "why?".into() };
    let posted = world.diff_note(mr, "ada", at(3), note).unwrap();
    world.reply(posted.discussion, "bo", at(4), "because").unwrap();
    world.resolve(posted.discussion, "cem", at(5)).unwrap();
    let api = Api::new(world);
    let threads = api.get("/projects/1/merge_requests/1/discussions").json();
    let plain = &threads[0]["notes"][0];
    const NOTE: &str = "id type body author created_at updated_at system noteable_id noteable_type \
        project_id resolvable confidential internal imported imported_from noteable_iid \
        commands_changes";
    assert_eq!(threads[0]["individual_note"], true);
    assert_keys(plain, NOTE);
    assert_eq!(plain["type"], Value::Null);
    let diff = &threads[1]["notes"][0];
    assert_keys(
        diff,
        &format!("{NOTE} position commit_id suggestions resolved resolved_by resolved_at"),
    );
    assert_eq!(diff["type"], "DiffNote");
    assert_eq!(diff["position"]["new_line"], 27);
    assert_eq!(diff["position"]["old_line"], Value::Null);
    assert_eq!(diff["position"]["old_path"], "a.rs", "looked up in the diff");
    assert_eq!(diff["resolved_by"]["username"], "cem");
    assert_eq!(diff["updated_at"], at(5).to_rfc3339());
    assert_eq!(threads[1]["notes"][1]["type"], "DiffNote");
    assert_eq!(threads[1]["id"].as_str().unwrap().len(), 40);
    let single = api.get(&format!(
        "/projects/1/merge_requests/1/discussions/{}",
        threads[1]["id"].as_str().unwrap()
    ));
    assert_eq!(single.json(), threads[1]);
    assert_eq!(threads[2]["notes"][0]["body"], "resolved all threads");
}

#[test]
fn a_reply_turns_a_comment_into_a_thread_with_the_same_id() {
    let mut world = rich();
    let key = sim::world::EntityKey::issue(TIDE, 1);
    let posted = world.comment(key, "ada", at(2), "hm").unwrap();
    assert!(world.resolve(posted.discussion, "ada", at(3)).is_err());
    let api = Api::new(world);
    let before = api.get("/projects/1/issues/1/discussions").json();
    api.server.world().reply(posted.discussion, "bo", at(4), "yes").unwrap();
    let after = api.get("/projects/1/issues/1/discussions").json();
    // The first thread is the mention by the merge request.
    assert_eq!(before[1]["individual_note"], true);
    assert_eq!(after[1]["individual_note"], false);
    assert_eq!(before[1]["id"], after[1]["id"]);
    assert_eq!(after[1]["notes"][0]["type"], "DiscussionNote");
    assert_eq!(after[1]["notes"][0]["resolved"], false);
}

#[test]
fn notes_can_be_listed_flat() {
    let mut world = rich();
    let key = sim::world::EntityKey::issue(TIDE, 1);
    let first = world.comment(key, "ada", at(2), "first").unwrap();
    world.comment(key, "bo", at(3), "second").unwrap();
    world.edit_note(first.note, at(9), "first, edited").unwrap();
    let api = Api::new(world);
    let bodies = |query: &str| -> Vec<String> {
        let list = api.get(&format!("/projects/1/issues/1/notes?{query}")).json();
        let list = list.as_array().unwrap();
        list.iter().map(|note| note["body"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(bodies(""), ["second", "first, edited", "mentioned in merge request !1"]);
    assert_eq!(
        bodies("order_by=updated_at&activity_filter=only_comments"),
        ["first, edited", "second"]
    );
    assert_eq!(bodies("activity_filter=only_activity"), ["mentioned in merge request !1"]);
}

#[test]
fn diffs_commits_and_versions() {
    let api = Api::new(rich());
    let get = |tail: &str| api.get(&format!("/projects/1/merge_requests/1/{tail}")).json();
    let diffs = get("diffs");
    assert_keys(
        &diffs[0],
        "diff collapsed too_large new_path old_path a_mode b_mode new_file renamed_file \
         deleted_file generated_file",
    );
    assert_eq!(diffs[0]["diff"], "@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(diffs[1]["diff"], "", "too large");
    assert!(get("diffs?unidiff=true")[0]["diff"].as_str().unwrap().starts_with("--- a/a.rs\n"));
    let commits = get("commits");
    assert_eq!(commits[0]["title"], "Two", "newest first");
    assert_eq!(commits[0]["authored_date"], "2024-01-09T10:01:00.000+00:00");
    let versions = get("versions");
    assert_eq!(versions[0]["head_commit_sha"], commits[0]["id"]);
    assert_eq!(versions[0]["real_size"], "2");
    let one = get(&format!("versions/{}", versions[0]["id"]));
    assert_eq!(one["diffs"].as_array().unwrap().len(), 2);
}

#[test]
fn what_closes_and_relates() {
    let mut world = rich();
    let other = sim::world::ProjectId(3);
    mr(&mut world, other, "Closes harbor/tide#1");
    let api = Api::new(world);
    let closed_by = api.get("/projects/1/issues/1/closed_by");
    assert_eq!(closed_by.iids(), [1], "of the same project only");
    assert!(!keys(&closed_by.json()[0]).contains(&"diff_refs"));
    let related = api.get("/projects/1/issues/1/related_merge_requests").json();
    assert_eq!(related.as_array().unwrap().len(), 2);
    assert!(keys(&related[0]).contains(&"diff_refs"));
    let key = sim::world::EntityKey::mr(TIDE, 1);
    api.server
        .world()
        .edit_raw(key, |entity| {
            if let sim::world::Detail::MergeRequest(mr) = &mut entity.detail {
                mr.external_closes.push("PROJ-12".to_owned());
            }
        })
        .unwrap();
    let closes = api.get("/projects/1/merge_requests/1/closes_issues").json();
    assert_eq!(closes[1], json!({"title": "PROJ-12", "id": "PROJ-12"}));
    api.server.world().edit_project(TIDE, |project| project.autoclose = false).unwrap();
    let closes = api.get("/projects/1/merge_requests/1/closes_issues").json();
    assert_eq!(closes.as_array().unwrap().len(), 1, "the switch hides the link when read");
}

#[test]
fn the_rough_edges_of_merge_requests() {
    let mut world = rich();
    let key = sim::world::EntityKey::mr(TIDE, 1);
    world.set_locked(key, true).unwrap();
    world.lose_source_project(key).unwrap();
    let options = Options {
        diff_delay: std::time::Duration::from_mins(1),
        diffs_fail_above: Some(20),
        unknown_keys: true,
        ..Options::default()
    };
    let api = Api::with(world, options);
    let single = api.get("/projects/1/merge_requests/1").json();
    assert_eq!(single["state"], "locked");
    assert_eq!(single["source_project_id"], Value::Null);
    assert_eq!((&single["diff_refs"], &single["changes_count"]), (&Value::Null, &Value::Null));
    assert_eq!(single["future_key"]["since"], "99.1");
    assert_eq!(api.get("/projects/1/merge_requests/1/diffs?per_page=21").status, 500);
    assert_eq!(api.get("/projects/1/merge_requests/1/diffs").status, 200);
    {
        let mut world = api.server.world();
        world.set_locked(key, false).unwrap();
        let method = sim::world::MergeMethod::FastForward;
        world.merge(key, "bo", at(60), Merge { method, ..Merge::default() }).unwrap();
    }
    let merged = api.get("/projects/1/merge_requests/1").json();
    assert_eq!(merged["merge_commit_sha"], Value::Null);
    assert_ne!(merged["diff_refs"], Value::Null);
}

#[test]
fn the_date_is_the_worlds_own_and_large_answers_are_packed() {
    let mut world = rich();
    world.set_now(at(60));
    let api = Api::new(world);
    let got = api.get("/projects/1");
    assert_eq!(got.header("date"), Some("Tue, 09 Jan 2024 11:00:00 GMT"));
    // By hand, because the client unpacks without saying so.
    let address = api.server.base_url().trim_start_matches("http://").to_owned();
    let mut socket = TcpStream::connect(address).unwrap();
    let request = "GET /api/v4/projects/1/issues HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
                   PRIVATE-TOKEN: sim-token\r\nAccept-Encoding: gzip\r\n\r\n";
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    assert!(String::from_utf8_lossy(&answer[..head]).contains("content-encoding: gzip"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&answer[head + 4..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, api.get("/projects/1/issues").text);
}
