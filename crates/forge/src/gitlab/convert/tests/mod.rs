//! GitLab's answers in, records out: the ordinary shape of each, then every
//! oddity on its own.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod dependents;
mod entities;

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Value, json};

fn check<T: std::fmt::Debug>(converted: Converted<T>, expected: &Expect) {
    let shown = match converted {
        Ok(record) => compact(&format!("{record:#?}")),
        Err(Unreadable(why)) => format!("unreadable: {why}"),
    };
    expected.assert_eq(&shown);
}

/// `Some(\n    7,\n)` on one line: records are long enough as they are.
fn compact(debug: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in debug.lines() {
        lines.push(line.to_owned());
        while let [.., opening, content, closing] = lines.as_slice()
            && closing.trim_start().starts_with(')')
            && opening.ends_with('(')
            && content.ends_with(',')
        {
            let content = content.trim().trim_end_matches(',');
            let joined = format!("{opening}{content}{}", closing.trim_start());
            lines.truncate(lines.len() - 3);
            lines.push(joined);
        }
    }
    lines.join("\n")
}

/// An issue with only what is required, and `changes` put over it.
fn issue_with(changes: Value) -> Converted<IssueRecord> {
    match entity(&with(required(), changes), EntityKind::Issue)? {
        EntityRecord::Issue(issue) => Ok(*issue),
        EntityRecord::MergeRequest(_) => unreachable!("asked for an issue"),
    }
}

fn mr_with(changes: Value) -> Converted<MergeRequestRecord> {
    match entity(&with(required(), changes), EntityKind::MergeRequest)? {
        EntityRecord::MergeRequest(mr) => Ok(*mr),
        EntityRecord::Issue(_) => unreachable!("asked for a merge request"),
    }
}

fn note_with(changes: Value) -> Converted<NoteRecord> {
    let note: Value = serde_json::from_slice(&with(
        json!({"id": 251, "created_at": "2024-01-01T00:00:00.000Z"}),
        changes,
    ))
    .unwrap();
    let thread = json!({"id": "6179", "notes": [note]});
    Ok(discussion(thread.to_string().as_bytes())?.unwrap().notes.remove(0))
}

fn required() -> Value {
    json!({
        "id": 1001, "iid": 2, "state": "opened", "title": "T",
        "created_at": "2024-01-01T00:00:00.000Z", "updated_at": "2024-01-02T00:00:00.000Z",
    })
}

fn with(mut base: Value, changes: Value) -> Vec<u8> {
    let (Value::Object(fields), Value::Object(changes)) = (&mut base, changes) else {
        panic!("both are objects")
    };
    fields.extend(changes);
    base.to_string().into_bytes()
}

/// Any JSON, leaning towards the keys and values that mean something here.
fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "id",
            "iid",
            "state",
            "created_at",
            "updated_at",
            "notes",
            "labels",
            "author",
            "position",
            "line_range",
            "start",
            "end",
            "line_code",
            "type",
            "milestone",
            "action",
            "references",
            "full",
            "web_url",
            "project_id",
            "_links",
            "closed_as_duplicate_of",
        ])
        .prop_map(str::to_owned),
        ".{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "opened",
            "merged",
            "2024-01-01T00:00:00Z",
            "9999-99-99T00:00:00Z",
            "add",
            "a_1_2",
            "https://gl.test/-/",
            "/projects/1/issues/2",
            "g/p#1",
        ])
        .prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_makes_a_converter_panic(value in any_json()) {
        let body = value.to_string().into_bytes();
        for kind in EntityKind::ALL {
            let _ = listed(&body, kind);
            let _ = entity(&with(required(), json!({"author": value, "labels": value})), kind);
        }
        let _ = (project(&body), identity(&body, Some(&body)), discussion(&body));
        let _ = (state_event(&body), label_event(&body), milestone_event(&body));
        let _ = (closes(&body, "/root"), file_change(&body), commit(&body));
        let _ = note_with(json!({"position": value}));
    }

    #[test]
    fn extra_keys_change_nothing(key in "[a-z]{12,20}", value in any_json()) {
        prop_assert_eq!(issue_with(json!({key: value})), issue_with(json!({})));
    }
}
