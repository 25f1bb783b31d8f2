//! Threads, events, closed issues, files and commits.

use super::*;

#[test]
fn a_whole_thread() {
    let body = br#"{"id":"617967369d98d8b73b6105a40318fe839f931a24","individual_note":false,"resolvable":true,"notes":[
        {"id":251637434,"type":"DiffNote","body":"why?","author":{"id":7,"username":"ada"},"created_at":"2024-01-01T00:00:00.000Z","updated_at":"2024-01-01T00:00:01.000Z","system":false,
         "noteable_id":324656914,"noteable_type":"MergeRequest","project_id":42,"commit_id":null,
         "position":{"base_sha":"b5d6","start_sha":"7c9c","head_sha":"4803","old_path":"a.rs","new_path":"a.rs","position_type":"text",
           "old_line":null,"new_line":27,"line_range":{"start":{"line_code":"5884_10_10","type":"new","old_line":null,"new_line":10},"end":{"line_code":"5884_11_11","type":"new","old_line":null,"new_line":11}}},
         "resolvable":true,"resolved":true,"resolved_by":{"id":8,"username":"bob"},"resolved_at":"2024-01-02T00:00:00.000Z","suggestions":[],
         "confidential":false,"internal":true,"noteable_iid":3,"commands_changes":{}},
        {"id":251637435,"type":null,"body":null,"author":null,"created_at":"2024-01-01T00:00:00.000Z","system":false}]}"#;
    check(
        discussion(body),
        &expect![[r#"
            Some(
                DiscussionRecord {
                    forge_id: "617967369d98d8b73b6105a40318fe839f931a24",
                    is_individual: false,
                    notes: [
                        NoteRecord {
                            forge_id: ForgeId(251637434),
                            note_type: Some("DiffNote"),
                            body: "why?",
                            author: Some(
                                UserRecord {
                                    forge_id: ForgeId(7),
                                    username: "ada",
                                    name: "ada",
                                },
                            ),
                            created_at: 2024-01-01T00:00:00.000Z,
                            updated_at: 2024-01-01T00:00:01.000Z,
                            is_system: false,
                            system_action: None,
                            is_internal: true,
                            is_resolvable: true,
                            is_resolved: true,
                            resolved_by: Some(
                                UserRecord {
                                    forge_id: ForgeId(8),
                                    username: "bob",
                                    name: "bob",
                                },
                            ),
                            resolved_at: Some(2024-01-02T00:00:00.000Z),
                            position: Some(
                                NotePosition {
                                    position_type: Some("text"),
                                    old_path: Some("a.rs"),
                                    new_path: Some("a.rs"),
                                    old_line: None,
                                    new_line: Some(27),
                                    range_start: Some(10),
                                    range_end: Some(11),
                                    base_sha: Some("b5d6"),
                                    start_sha: Some("7c9c"),
                                    head_sha: Some("4803"),
                                },
                            ),
                        },
                        NoteRecord {
                            forge_id: ForgeId(251637435),
                            note_type: None,
                            body: "",
                            author: None,
                            created_at: 2024-01-01T00:00:00.000Z,
                            updated_at: 2024-01-01T00:00:00.000Z,
                            is_system: false,
                            system_action: None,
                            is_internal: false,
                            is_resolvable: false,
                            is_resolved: false,
                            resolved_by: None,
                            resolved_at: None,
                            position: None,
                        },
                    ],
                },
            )"#]],
    );
}

#[test]
fn threads_without_visible_notes_are_none() {
    assert_eq!(discussion(br#"{"id":"6179","notes":[]}"#), Ok(None));
    assert_eq!(discussion(br#"{"id":"6179"}"#), Ok(None));
    check(discussion(br#"{"notes":[]}"#), &expect!["unreadable: `id` is missing or not usable"]);
}

#[test]
fn a_note_without_id_or_time_makes_its_thread_unreadable() {
    for changes in [json!({"id": null}), json!({"created_at": "soon"}), json!({"created_at": 3})] {
        assert!(note_with(changes.clone()).is_err(), "{changes}");
    }
    check(
        discussion(br#"{"id":"6179","notes":[null]}"#),
        &expect!["unreadable: a note of thread 6179: `notes` is missing or not usable"],
    );
}

#[test]
fn positions_take_what_there_is() {
    let mut table = Vec::new();
    for position in [
        json!(null),
        json!({}),
        json!([]),
        json!({"position_type": "image", "new_path": "a.png", "width": 3, "x": 1.5}),
        json!({"position_type": "file", "old_path": "a.rs", "new_path": "b.rs"}),
        json!({"old_path": "a.rs", "old_line": 4, "new_line": null, "base_sha": null}),
        // Before 13.x a range had only codes and sides.
        json!({"new_path": "a.rs", "line_range": {
            "start": {"line_code": "5884_10_12", "type": "old"},
            "end": {"line_code": "5884_11_13", "type": "new"}}}),
        json!({"new_path": "a.rs", "line_range": {
            "start": {"line_code": "nonsense"}, "end": {"type": "old", "new_line": 5}}}),
    ] {
        let note = note_with(json!({"position": position})).unwrap();
        table.push(note.position.map_or("none".to_owned(), |found| {
            let NotePosition { old_path, new_path, old_line, new_line, .. } = &found;
            format!(
                "{:?} {old_path:?} {new_path:?} {old_line:?} {new_line:?} {:?}..{:?}",
                found.position_type, found.range_start, found.range_end
            )
        }));
    }
    expect![[r#"
        none
        none
        none
        Some("image") None Some("a.png") None None None..None
        Some("file") Some("a.rs") Some("b.rs") None None None..None
        None Some("a.rs") None Some(4) None None..None
        None None Some("a.rs") None None Some(10)..Some(13)
        None None Some("a.rs") None None None..Some(5)"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn internal_notes_have_two_names() {
    assert!(note_with(json!({"confidential": true})).unwrap().is_internal);
    assert!(note_with(json!({"internal": true, "confidential": null})).unwrap().is_internal);
    assert!(!note_with(json!({})).unwrap().is_internal);
}

#[test]
fn state_events_of_old_and_new_servers() {
    let old = br#"{"id":143,"user":{"id":7,"username":"ada"},"created_at":"2024-08-21T14:38:20.077Z","resource_type":"Issue","resource_id":27687706,"state":"closed"}"#;
    check(
        state_event(old),
        &expect![[r#"
            Some(
                StateEventRecord {
                    forge_id: ForgeId(143),
                    user: Some(
                        UserRecord {
                            forge_id: ForgeId(7),
                            username: "ada",
                            name: "ada",
                        },
                    ),
                    created_at: 2024-08-21T14:38:20.077Z,
                    state: Closed,
                    source_merge_request: None,
                    source_commit: None,
                },
            )"#]],
    );
    let new = br#"{"id":143,"user":null,"created_at":"2024-08-21T14:38:20.077Z","source_commit":"abc","source_merge_request_id":324656914,"state":"merged"}"#;
    check(
        state_event(new),
        &expect![[r#"
            Some(
                StateEventRecord {
                    forge_id: ForgeId(143),
                    user: None,
                    created_at: 2024-08-21T14:38:20.077Z,
                    state: Merged,
                    source_merge_request: Some(ForgeId(324656914)),
                    source_commit: Some("abc"),
                },
            )"#]],
    );
    assert!(state_event(br#"{"id":1,"created_at":"2024-08-21T14:38:20Z"}"#).is_err());
    let odd = br#"{"id":1,"created_at":"2024-08-21T14:38:20Z","state":"frozen"}"#;
    assert_eq!(state_event(odd).unwrap(), None, "one odd event does not hide the others");
}

#[test]
fn label_events_outlive_their_label() {
    let event = |rest: &str| {
        label_event(
            format!(r#"{{"id":142,"user":{{"id":7}},"created_at":"2024-08-21T14:38:20Z",{rest}}}"#)
                .as_bytes(),
        )
    };
    check(
        event(r#""label":null,"action":"remove""#),
        &expect![[r#"
            Some(
                LabelEventRecord {
                    forge_id: ForgeId(142),
                    user: Some(
                        UserRecord {
                            forge_id: ForgeId(7),
                            username: "",
                            name: "",
                        },
                    ),
                    created_at: 2024-08-21T14:38:20.000Z,
                    action: Remove,
                    label: None,
                },
            )"#]],
    );
    let kept = event(r#""label":{"id":73,"name":"bug"},"action":"add""#).unwrap().unwrap();
    assert_eq!((kept.action, kept.label.unwrap().name.as_str()), (EventAction::Add, "bug"));
    assert_eq!(event(r#""label":null,"action":"renamed""#), Ok(None));
    assert!(label_event(br#"{"id":1,"action":"add"}"#).is_err());
}

#[test]
fn milestone_events_carry_the_milestone() {
    let event = milestone_event(
        br#"{"id":5,"user":{"id":7},"created_at":"2024-08-21T14:38:20Z","milestone":{"id":61,"title":"v1","group_id":3},"action":"add","state":"opened"}"#,
    );
    check(
        event.map(|event| event.and_then(|event| event.milestone)),
        &expect![[r#"
            Some(
                MilestoneRecord {
                    forge_id: ForgeId(61),
                    iid: None,
                    title: "v1",
                    description: None,
                    state: "active",
                    due_date: None,
                    start_date: None,
                    web_url: None,
                },
            )"#]],
    );
}

#[test]
fn closed_issues_are_named_by_project_and_number() {
    let mut table = Vec::new();
    for (issue, prefix) in [
        (json!({"project_id": 42, "iid": 3, "references": {"full": "group/sub/proj#3"}}), ""),
        (
            json!({"project_id": 42, "iid": 3, "web_url": "https://gl.test/group/proj/-/issues/3"}),
            "",
        ),
        (
            json!({"project_id": 42, "iid": 3, "web_url": "https://gl.test/group/proj/-/work_items/3"}),
            "",
        ),
        (json!({"project_id": 42, "iid": 3, "web_url": "https://gl.test/group/proj/issues/3"}), ""),
        (
            json!({"project_id": 42, "iid": 3, "web_url": "https://gl.test/root/group/proj/-/issues/3"}),
            "/root",
        ),
        (
            json!({"project_id": 42, "iid": 3, "web_url": "https://gl.test/other/proj/-/issues/3"}),
            "/root",
        ),
        (json!({"project_id": 42, "iid": 3, "web_url": "nonsense"}), ""),
        (json!({"project_id": 42, "iid": 3}), ""),
        // Jira and the like.
        (json!({"title": "external", "id": "PROJ-12"}), ""),
    ] {
        table.push(match closes(issue.to_string().as_bytes(), prefix).unwrap() {
            Some(found) => format!("{}#{} {:?}", found.project, found.iid, found.project_path),
            None => "none".to_owned(),
        });
    }
    expect![[r#"
        42#3 Some("group/sub/proj")
        42#3 Some("group/proj")
        42#3 Some("group/proj")
        42#3 Some("group/proj")
        42#3 Some("group/proj")
        42#3 None
        42#3 None
        42#3 None
        none"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn files_are_added_modified_renamed_or_deleted() {
    let mut table = Vec::new();
    for diff in [
        json!({"old_path": "a", "new_path": "a", "new_file": true, "diff": "+x"}),
        json!({"old_path": "a", "new_path": "a", "deleted_file": true}),
        json!({"old_path": "a", "new_path": "b", "renamed_file": true}),
        json!({"old_path": "a", "new_path": "b"}),
        json!({"old_path": "a", "new_path": "a", "new_file": null}),
        json!({"old_path": null, "new_path": "a", "new_file": true}),
        json!({"old_path": "", "new_path": ""}),
    ] {
        table.push(match file_change(diff.to_string().as_bytes()) {
            Ok(Some(found)) => {
                format!("{} {} -> {}", found.kind.as_str(), found.old_path, found.new_path)
            }
            Ok(None) => "none".to_owned(),
            Err(Unreadable(why)) => why,
        });
    }
    expect![[r#"
        added a -> a
        deleted a -> a
        renamed a -> b
        renamed a -> b
        modified a -> a
        added a -> a
        `new_path` is missing or not usable"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn commits_keep_their_instant_whatever_the_offset() {
    let body = br#"{"id":"0f1e","short_id":"0f1e","created_at":"2024-01-02T03:04:05.000+02:00","parent_ids":[],"title":"Fix","message":"Fix\n\nCloses #3","author_name":"Ada","author_email":"ada@x.test","authored_date":"2024-01-02T03:04:05.000+02:00","committed_date":"never"}"#;
    check(
        commit(body),
        &expect![[r#"
            Some(
                MrCommitRecord {
                    sha: "0f1e",
                    title: "Fix",
                    message: "Fix\n\nCloses #3",
                    author_name: "Ada",
                    author_email: "ada@x.test",
                    authored_at: Some(2024-01-02T01:04:05.000Z),
                    committed_at: Some(2024-01-02T01:04:05.000Z),
                },
            )"#]],
    );
    assert!(commit(br#"{"title":"no sha"}"#).is_err());
}
