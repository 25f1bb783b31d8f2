//! Projects, issues and merge requests.

use super::*;

#[test]
fn a_whole_issue() {
    let body = br##"{"id":27687706,"iid":2,"project_id":42,"title":"T","description":"D\r\n","state":"closed",
        "created_at":"2019-11-28T08:44:46.277Z","updated_at":"2019-11-28T08:45:44.987Z","closed_at":"2019-11-28T08:45:44.959Z",
        "closed_by":{"id":7,"username":"ada","public_email":"","name":"Ada","state":"active","locked":false,"avatar_url":null,"web_url":"https://gl.test/ada"},
        "labels":[{"id":73,"name":"bug","description":null,"description_html":"","text_color":"#FFFFFF","color":"#d9534f"}],
        "milestone":{"id":61,"iid":9,"project_id":7,"title":"v1","description":"","state":"active","created_at":"2019-11-28T08:44:46.277Z","updated_at":"2019-11-28T08:44:46.277Z","due_date":"2020-01-31","start_date":null,"expired":false,"web_url":"https://gl.test/m/9"},
        "assignees":[{"id":8,"username":"bob","name":"Bob"}],"author":{"id":7,"username":"ada","name":"Ada"},
        "type":"INCIDENT","assignee":{"id":8,"username":"bob","name":"Bob"},"user_notes_count":2,"merge_requests_count":0,"upvotes":1,"downvotes":3,"start_date":null,"due_date":"2020-02-01",
        "confidential":true,"discussion_locked":null,"issue_type":"incident","web_url":"https://gl.test/group/proj/-/issues/2",
        "time_stats":{"time_estimate":0},"has_tasks":true,"weight":5,"_links":{"self":"...","closed_as_duplicate_of":"https://gl.test/api/v4/projects/75/issues/9"},
        "references":{"short":"#2","relative":"#2","full":"group/proj#2"},"severity":"UNKNOWN","moved_to_id":4711,
        "imported":false,"unknown_key":{"deep":[1,{"a":null}]}}"##;
    check(
        entity(body, EntityKind::Issue),
        &expect![[r##"
            Issue(
                IssueRecord {
                    core: EntityCore {
                        forge_id: ForgeId(27687706),
                        iid: Iid(2),
                        title: "T",
                        description: Some("D\r\n"),
                        state: Closed,
                        author: Some(
                            UserRecord {
                                forge_id: ForgeId(7),
                                username: "ada",
                                name: "Ada",
                            },
                        ),
                        assignees: [
                            UserRecord {
                                forge_id: ForgeId(8),
                                username: "bob",
                                name: "Bob",
                            },
                        ],
                        labels: [
                            LabelRecord {
                                forge_id: Some(ForgeId(73)),
                                name: "bug",
                                description: None,
                                color: Some("#d9534f"),
                            },
                        ],
                        milestone: Some(
                            MilestoneRecord {
                                forge_id: ForgeId(61),
                                iid: Some(Iid(9)),
                                title: "v1",
                                description: None,
                                state: "active",
                                due_date: Some("2020-01-31"),
                                start_date: None,
                                web_url: Some("https://gl.test/m/9"),
                            },
                        ),
                        created_at: 2019-11-28T08:44:46.277Z,
                        updated_at: 2019-11-28T08:45:44.987Z,
                        closed_at: Some(2019-11-28T08:45:44.959Z),
                        closed_by: Some(
                            UserRecord {
                                forge_id: ForgeId(7),
                                username: "ada",
                                name: "Ada",
                            },
                        ),
                        web_url: "https://gl.test/group/proj/-/issues/2",
                        discussion_locked: false,
                        upvotes: 1,
                        downvotes: 3,
                        user_notes_count: 2,
                    },
                    issue_type: "incident",
                    is_confidential: true,
                    due_date: Some("2020-02-01"),
                    weight: Some(5),
                    moved_to: Some(ForgeId(4711)),
                    duplicate_of: Some(
                        (
                            ForgeId(75),
                            Iid(9),
                        ),
                    ),
                },
            )"##]],
    );
}

#[test]
fn a_whole_merge_request() {
    let body = br#"{"id":324656914,"iid":3,"project_id":42,"title":"T","description":"","state":"merged",
        "created_at":"2024-09-01T00:00:00.000Z","updated_at":"2024-09-03T08:09:35.000Z",
        "merged_by":{"id":7,"username":"ada","name":"Ada"},"merge_user":{"id":8,"username":"bob","name":"Bob"},"merged_at":"2024-09-03T08:09:34.155Z","closed_by":null,"closed_at":null,
        "target_branch":"main","source_branch":"feat/x","user_notes_count":1,"upvotes":0,"downvotes":0,"author":{"id":7,"username":"ada","name":"Ada"},
        "assignees":[],"assignee":null,"reviewers":[{"id":9,"username":"cyd","name":"Cyd"}],"source_project_id":43,"target_project_id":42,"labels":[],"draft":false,
        "work_in_progress":false,"milestone":null,"sha":"9f733b96b98a4175276edf6a2e1231489c3bdd23",
        "merge_commit_sha":null,"squash_commit_sha":"0000000000000000000000000000000000000001","discussion_locked":true,
        "references":{"full":"group/proj!3"},"web_url":"https://gl.test/group/proj/-/merge_requests/3","changes_count":"1000+"}"#;
    check(
        entity(body, EntityKind::MergeRequest),
        &expect![[r#"
            MergeRequest(
                MergeRequestRecord {
                    core: EntityCore {
                        forge_id: ForgeId(324656914),
                        iid: Iid(3),
                        title: "T",
                        description: None,
                        state: Merged,
                        author: Some(
                            UserRecord {
                                forge_id: ForgeId(7),
                                username: "ada",
                                name: "Ada",
                            },
                        ),
                        assignees: [],
                        labels: [],
                        milestone: None,
                        created_at: 2024-09-01T00:00:00.000Z,
                        updated_at: 2024-09-03T08:09:35.000Z,
                        closed_at: None,
                        closed_by: None,
                        web_url: "https://gl.test/group/proj/-/merge_requests/3",
                        discussion_locked: true,
                        upvotes: 0,
                        downvotes: 0,
                        user_notes_count: 1,
                    },
                    is_draft: false,
                    source_branch: "feat/x",
                    target_branch: "main",
                    source_project: Some(ForgeId(43)),
                    target_project: Some(ForgeId(42)),
                    reviewers: [
                        UserRecord {
                            forge_id: ForgeId(9),
                            username: "cyd",
                            name: "Cyd",
                        },
                    ],
                    merged_at: Some(2024-09-03T08:09:34.155Z),
                    merged_by: Some(
                        UserRecord {
                            forge_id: ForgeId(8),
                            username: "bob",
                            name: "Bob",
                        },
                    ),
                    head_sha: Some("9f733b96b98a4175276edf6a2e1231489c3bdd23"),
                    merge_commit_sha: None,
                    squash_commit_sha: Some("0000000000000000000000000000000000000001"),
                },
            )"#]],
    );
}

#[test]
fn only_a_few_keys_are_required() {
    let mut table = Vec::new();
    for key in ["id", "iid", "state", "created_at", "updated_at", "title"] {
        for bad in [None, Some(json!(null)), Some(json!([])), Some(json!("nonsense"))] {
            let mut fields = required();
            match (&bad, fields.as_object_mut().unwrap()) {
                (None, fields) => {
                    fields.remove(key);
                }
                (Some(bad), fields) => {
                    fields.insert(key.to_owned(), bad.clone());
                }
            }
            let shown = bad.map_or("absent".to_owned(), |bad| bad.to_string());
            let listed = listed(fields.to_string().as_bytes(), EntityKind::MergeRequest);
            table.push(format!(
                "{key} {shown} -> {}",
                match listed {
                    Ok(listed) => format!("title {:?}", listed.entity.core().title),
                    Err(why) => why,
                }
            ));
        }
    }
    expect![[r#"
        id absent -> merge request !2: `id` is missing or not usable
        id null -> merge request !2: `id` is missing or not usable
        id [] -> merge request !2: `id` is missing or not usable
        id "nonsense" -> merge request !2: `id` is missing or not usable
        iid absent -> merge request without a number: `iid` is missing or not usable
        iid null -> merge request without a number: `iid` is missing or not usable
        iid [] -> merge request without a number: `iid` is missing or not usable
        iid "nonsense" -> merge request without a number: `iid` is missing or not usable
        state absent -> merge request !2: `state` is missing or not usable
        state null -> merge request !2: `state` is missing or not usable
        state [] -> merge request !2: `state` is missing or not usable
        state "nonsense" -> merge request !2: `state` is missing or not usable
        created_at absent -> merge request !2: `created_at` is missing or not usable
        created_at null -> merge request !2: `created_at` is missing or not usable
        created_at [] -> merge request !2: `created_at` is missing or not usable
        created_at "nonsense" -> merge request !2: `created_at` is missing or not usable
        updated_at absent -> merge request !2: `updated_at` is missing or not usable
        updated_at null -> merge request !2: `updated_at` is missing or not usable
        updated_at [] -> merge request !2: `updated_at` is missing or not usable
        updated_at "nonsense" -> merge request !2: `updated_at` is missing or not usable
        title absent -> title ""
        title null -> title ""
        title [] -> title ""
        title "nonsense" -> title "nonsense""#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn wrong_types_in_other_fields_do_no_harm() {
    let plain = issue_with(json!({})).unwrap();
    for wrong in [json!(null), json!(-1.5), json!([[{}]]), json!({"a": {"b": []}}), json!("")] {
        let issue = issue_with(json!({
            "description": null, "author": wrong, "assignees": wrong, "assignee": wrong,
            "labels": wrong, "milestone": wrong, "closed_at": wrong, "closed_by": wrong,
            "discussion_locked": wrong, "weight": wrong, "moved_to_id": wrong, "_links": wrong,
            "confidential": wrong, "upvotes": wrong, "references": wrong,
        }));
        assert_eq!(issue.unwrap(), plain, "{wrong}");
    }
}

#[test]
fn numbers_may_be_written_as_text() {
    let issue = issue_with(json!({"id": "1001", "iid": "2", "weight": "3"})).unwrap();
    assert_eq!((issue.core.forge_id.0, issue.core.iid.0, issue.weight), (1001, 2, Some(3)));
}

#[test]
fn labels_come_as_names_or_as_objects() {
    let issue = issue_with(json!({"labels": ["bug", {"id": 5, "name": "ui", "color": "#fff",
        "description": "looks"}, {"name": "no id"}, {"id": 6}, null, 7, ""]}));
    check(
        issue.map(|issue| issue.core.labels),
        &expect![[r##"
            [
                LabelRecord {
                    forge_id: None,
                    name: "bug",
                    description: None,
                    color: None,
                },
                LabelRecord {
                    forge_id: Some(ForgeId(5)),
                    name: "ui",
                    description: Some("looks"),
                    color: Some("#fff"),
                },
                LabelRecord {
                    forge_id: None,
                    name: "no id",
                    description: None,
                    color: None,
                },
            ]"##]],
    );
}

#[test]
fn states_are_three() {
    for (said, kind, state) in [
        ("opened", EntityKind::Issue, Some(EntityState::Opened)),
        ("closed", EntityKind::Issue, Some(EntityState::Closed)),
        ("merged", EntityKind::Issue, None),
        ("merged", EntityKind::MergeRequest, Some(EntityState::Merged)),
        ("locked", EntityKind::MergeRequest, Some(EntityState::Opened)),
        ("reopened", EntityKind::MergeRequest, Some(EntityState::Opened)),
        ("frozen", EntityKind::Issue, None),
    ] {
        let entity = entity(&with(required(), json!({"state": said})), kind);
        assert_eq!(entity.ok().map(|entity| entity.core().state), state, "{said} {kind}");
    }
}

#[test]
fn the_one_assignee_of_old_servers_counts() {
    let bob = json!({"id": 8, "username": "bob"});
    let names = |changes| {
        let issue = issue_with(changes).unwrap();
        issue.core.assignees.into_iter().map(|user| user.name).collect::<Vec<_>>()
    };
    assert_eq!(names(json!({"assignee": bob})), ["bob"]);
    assert_eq!(names(json!({"assignees": [bob], "assignee": {"id": 9}})), ["bob"]);
    assert_eq!(names(json!({"assignees": [{"name": "no id"}, null, bob]})), ["bob"]);
}

#[test]
fn the_type_of_an_issue_has_fallbacks() {
    for (changes, issue_type) in [
        (json!({"issue_type": "task", "type": "ISSUE"}), "task"),
        (json!({"type": "TEST_CASE"}), "test_case"),
        (json!({"issue_type": null}), "issue"),
    ] {
        assert_eq!(issue_with(changes).unwrap().issue_type, issue_type);
    }
}

#[test]
fn a_duplicate_names_its_original() {
    for (link, original) in [
        ("https://gl.test/api/v4/projects/75/issues/9", Some((75, 9))),
        ("https://gl.test/root/api/v4/projects/75/issues/9", Some((75, 9))),
        ("https://gl.test/api/v4/projects/group%2Fproj/issues/9", None),
        ("https://gl.test/api/v4/projects/75/issues/nine", None),
        ("", None),
    ] {
        let issue = issue_with(json!({"_links": {"closed_as_duplicate_of": link}})).unwrap();
        let found = issue.duplicate_of.map(|(project, iid)| (project.0, iid.0));
        assert_eq!(found, original, "{link}");
    }
}

#[test]
fn who_merged_and_when() {
    let (ada, bob) = (json!({"id": 7, "username": "ada"}), json!({"id": 8, "username": "bob"}));
    let mut table = Vec::new();
    for changes in [
        json!({"state": "merged", "merge_user": ada, "merged_by": bob, "merged_at": "2024-01-03T00:00:00Z"}),
        json!({"state": "merged", "merge_user": null, "merged_by": bob, "merged_at": "2024-01-03T00:00:00Z"}),
        json!({"state": "merged", "merged_at": null, "closed_at": "2024-01-04T00:00:00Z"}),
        json!({"state": "merged"}),
        // Waiting for its pipeline: not merged by anybody yet.
        json!({"state": "opened", "merge_user": ada}),
        json!({"state": "locked", "merge_user": ada}),
        json!({"state": "closed", "closed_at": "2024-01-04T00:00:00Z"}),
    ] {
        let mr = mr_with(changes).unwrap();
        table.push(format!(
            "{} {:?} {:?}",
            mr.core.state,
            mr.merged_at,
            mr.merged_by.map(|user| user.username)
        ));
    }
    expect![[r#"
        merged Some(2024-01-03T00:00:00.000Z) Some("ada")
        merged Some(2024-01-03T00:00:00.000Z) Some("bob")
        merged Some(2024-01-04T00:00:00.000Z) None
        merged None None
        opened None None
        opened None None
        closed None None"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn a_draft_is_a_draft_under_either_name() {
    for (changes, is_draft) in [
        (json!({"draft": true}), true),
        (json!({"work_in_progress": true}), true),
        (json!({"draft": false, "work_in_progress": true}), false),
        (json!({}), false),
    ] {
        assert_eq!(mr_with(changes.clone()).unwrap().is_draft, is_draft, "{changes}");
    }
}

#[test]
fn shas_may_be_missing_everywhere() {
    let mr = mr_with(json!({"sha": "", "merge_commit_sha": null, "source_project_id": null,
        "diff_refs": {"head_sha": "abc"}}))
    .unwrap();
    assert_eq!(mr.head_sha.as_deref(), Some("abc"));
    assert_eq!((mr.merge_commit_sha, mr.squash_commit_sha, mr.source_project), (None, None, None));
}

#[test]
fn a_project_with_and_without_code_access() {
    let body = br#"{"id":42,"description":null,"name":"proj","path_with_namespace":"group/proj","created_at":"2019-11-28T08:20:33.019Z","default_branch":"main","web_url":"https://gl.test/group/proj","last_activity_at":"2025-11-25T09:21:43.130Z","visibility":"private","archived":true}"#;
    check(
        project(body),
        &expect![[r#"
            ProjectRecord {
                forge: GitLab,
                forge_id: ForgeId(42),
                path: "group/proj",
                name: "proj",
                description: None,
                default_branch: Some("main"),
                web_url: "https://gl.test/group/proj",
                visibility: Some("private"),
                is_archived: true,
                created_at: Some(2019-11-28T08:20:33.019Z),
                last_activity_at: Some(2025-11-25T09:21:43.130Z),
            }"#]],
    );
    let bare = project(br#"{"id":42,"path_with_namespace":"group/proj"}"#).unwrap();
    assert_eq!((bare.name.as_str(), bare.default_branch), ("proj", None));
    assert!(project(br#"{"id":42}"#).is_err());
    assert!(project(br#"{"path_with_namespace":"group/proj"}"#).is_err());
}

#[test]
fn text_that_is_no_text_is_replaced_in_the_record_only() {
    let body = br#"{"id":1,"iid":1,"state":"opened","title":"half \ud83d emoji, nul \u0000","created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-01T00:00:00Z"}"#;
    let listed = listed(body, EntityKind::Issue).unwrap();
    assert_eq!(listed.entity.core().title, "half \u{FFFD} emoji, nul \u{FFFD}");
    assert_eq!(listed.raw, body);
}
