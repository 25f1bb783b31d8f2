//! What documents say, as texts.

use super::commit::of_commit;
use super::cut::HARD_CAP;
use super::draft::body_start;
use super::entity::of_entity;
use super::thread::of_thread;
use expect_test::expect;
use model::EntityKind;
use model::Timestamp;
use model::ids::{ForgeId, Iid, ProjectId};
use store::documents::{CommitProject, CommitSource, EntitySource, NoteSource, Truncation};

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn merge_request() -> EntitySource {
    EntitySource {
        forge: model::ForgeKind::GitLab,
        kind: EntityKind::MergeRequest,
        project: ProjectId(1),
        project_path: "harbor/tide".to_owned(),
        iid: Iid(7),
        title: "Keep the\nsession".to_owned(),
        description: Some("Closes #1\n".to_owned()),
        state: model::EntityState::Merged,
        author: Some("bo".to_owned()),
        labels: vec!["auth".to_owned(), "bug".to_owned()],
        branches: Some(("fix".to_owned(), "main".to_owned())),
        paths: vec!["src/session.rs".to_owned()],
        created_at: at("2024-01-09T10:00:00Z"),
        updated_at: at("2024-01-10T10:00:00Z"),
        web_url: "https://gl.test/harbor/tide/-/merge_requests/7".to_owned(),
    }
}

fn note(id: i64, author: &str, body: &str) -> NoteSource {
    NoteSource {
        forge_id: ForgeId(id),
        author: Some(author.to_owned()),
        body: body.to_owned(),
        created_at: at("2024-01-11T10:00:00Z"),
        updated_at: at("2024-01-12T10:00:00Z"),
        old_path: Some("src/old.rs".to_owned()),
        new_path: Some("src/session.rs".to_owned()),
    }
}

#[test]
fn a_merge_request_begins_with_what_people_remember() {
    let document = of_entity(3, &merge_request());
    expect![[r#"
        Merge request !7: Keep the session
        Project: harbor/tide
        URL: gl.test/harbor/tide/-/merge_requests/7
        Labels: auth, bug
        State: merged
        Author: @bo
        Branches: fix -> main

        --- Description ---
        Closes #1"#]]
    .assert_eq(&document.text);
    assert_eq!(&document.text[body_start(&document.text).unwrap()..], "Closes #1");
    assert_eq!(document.paths, ["src/session.rs"]);
    assert_eq!(document.truncation, None);
}

#[test]
fn a_thread_tells_where_it_hangs_and_what_was_said() {
    let notes = [note(5, "ada", "Why not Lax?"), note(6, "bo", "Because of POST.")];
    let document = of_thread(9, &merge_request(), &notes).unwrap();
    expect![[r#"
        Thread on Merge request !7: Keep the session
        Project: harbor/tide
        URL: gl.test/harbor/tide/-/merge_requests/7#note_5
        Labels: auth, bug
        Author: @ada
        Files: src/old.rs, src/session.rs

        --- Thread ---
        @ada (2024-01-11):
        Why not Lax?

        @bo (2024-01-11):
        Because of POST."#]]
    .assert_eq(&document.text);
    assert_eq!(document.author.as_deref(), Some("ada"));
    assert_eq!(document.updated_at, at("2024-01-12T10:00:00Z"));
    assert_eq!(document.paths, ["src/old.rs", "src/session.rs"]);
}

#[test]
fn a_thread_nobody_wrote_in_has_no_document() {
    assert_eq!(of_thread(9, &merge_request(), &[]), None);
}

#[test]
fn a_giant_description_is_cut_and_said() {
    let mut giant = merge_request();
    giant.description = Some("é".repeat(HARD_CAP));
    let document = of_entity(3, &giant);
    assert_eq!(document.truncation, Some(Truncation::HardCap));
    assert_eq!(document.text.chars().count(), HARD_CAP);
}

#[test]
fn hashes_follow_what_is_stored() {
    let before = of_entity(3, &merge_request()).hashes;
    let changed = |change: fn(&mut EntitySource)| {
        let mut entity = merge_request();
        change(&mut entity);
        of_entity(3, &entity).hashes
    };
    assert_eq!(changed(|_| ()), before);
    assert_ne!(changed(|it| it.updated_at = it.created_at).content, before.content);
    assert_ne!(changed(|it| it.author = None).content, before.content);
    assert_ne!(changed(|it| it.labels.clear()).labels, before.labels);
    assert_ne!(changed(|it| it.paths.clear()).paths, before.paths);
    assert_eq!(changed(|it| it.paths.clear()).content, before.content);
}

#[test]
fn a_commit_tells_its_message_and_its_files() {
    let mut commit = CommitSource {
        repo: 4,
        repo_name: "gl.test/harbor/tide".to_owned(),
        project: Some(CommitProject {
            id: ProjectId(1),
            forge: model::ForgeKind::GitLab,
            path: "harbor/tide".to_owned(),
            web_url: "https://gl.test/harbor/tide".to_owned(),
        }),
        sha: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        message: "Keep the session\n\nSafari drops it otherwise.\n".to_owned(),
        author: "Bo Winther".to_owned(),
        authored_at: at("2024-01-09T10:00:00Z"),
        committed_at: at("2024-01-10T10:00:00Z"),
        paths: vec!["src/session.rs".to_owned()],
    };
    let document = of_commit(8, &commit);
    expect![[r#"
        Commit 0123456789ab: Keep the session
        Project: harbor/tide
        Author: Bo Winther
        Files: src/session.rs

        --- Message ---
        Keep the session

        Safari drops it otherwise."#]]
    .assert_eq(&document.text);
    assert_eq!(document.reference, "@0123456789ab");
    assert_eq!((document.project, document.repo), (Some(ProjectId(1)), Some(4)));
    assert!(document.url.starts_with("https://gl.test/harbor/tide/-/commit/0123"));
    commit.project = None;
    let document = of_commit(8, &commit);
    assert_eq!(document.reference, "gl.test/harbor/tide@0123456789ab");
    assert_eq!((document.project, document.url.as_str()), (None, ""));
}
