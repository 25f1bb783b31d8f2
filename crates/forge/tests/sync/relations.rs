//! Which entity closes, mentions, follows which: from a history to relations.

use crate::harness::Site;
use expect_test::{Expect, expect};
use store::details;
use store::entities::EntityRow;
use store::listing::{self, EntityFilter};

/// All relations as `source → target`, best witness in brackets.
fn check(scenario: &str, expected: Expect) {
    let site = Site::scenario(scenario);
    site.wait(std::time::Duration::from_secs(3600));
    site.sync();
    expected.assert_eq(&told(&site));
}

fn told(site: &Site) -> String {
    let reader = site.reader();
    let mut lines = Vec::new();
    for kind in model::EntityKind::ALL {
        let filter = EntityFilter { limit: 1000, ..EntityFilter::default() };
        for entity in listing::entities(&reader, kind, &filter).unwrap().0 {
            let row = EntityRow { kind, id: entity.id };
            for relation in details::relations(&reader, row).unwrap() {
                let other =
                    format!("{}{}{}", relation.project, relation.kind.sigil(), relation.iid);
                let unsynced = if relation.title.is_none() { " (not synced)" } else { "" };
                if relation.is_outgoing {
                    lines.push(format!(
                        "{}{} {} {other}{unsynced} [{}, {}]\n",
                        entity.project,
                        entity.reference(),
                        relation.reference_type,
                        relation.method,
                        relation.certainty
                    ));
                }
            }
        }
    }
    lines.sort();
    lines.concat()
}

const PEOPLE: &str = r#"
user ada "Ada"
user bo "Bo"
project harbor/tide "Tide"
project harbor/charts "Charts"
"#;

#[test]
fn a_merge_closes_what_it_says() {
    check(
        &format!(
            r#"{PEOPLE}
issue #1 "Login fails" by ada at 2024-01-09T10:00
issue #2 "Slow tables" by bo at 2024-01-10T10:00
mr !1 "Keep the session" by bo at 2024-01-11T10:00 from fix
  | Closes #1, see #2 and charts#9.
  merge by ada +1h
mr !2 "Not yet" by bo at 2024-01-12T10:00 from later
  | Fixes #2
"#
        ),
        expect![[r#"
            harbor/tide!1 closes harbor/tide#1 [api_state_event, stated]
            harbor/tide!1 mentioned harbor/charts#9 (not synced) [description, stated]
            harbor/tide!1 mentioned harbor/tide#1 [system_note, stated]
            harbor/tide!1 mentioned harbor/tide#2 [system_note, stated]
            harbor/tide!2 closes harbor/tide#2 [api_closes_issues, declared]
            harbor/tide!2 mentioned harbor/tide#2 [system_note, stated]
        "#]],
    );
}

#[test]
fn comments_mention_across_projects_and_code_does_not() {
    check(
        &format!(
            r#"{PEOPLE}
issue #1 "Login fails" by ada at 2024-01-09T10:00
  comment bo +1h
    | Same as harbor/charts#1, not `#2`.
issue harbor/charts#1 "Blank page" by bo at 2024-01-08T10:00
issue #2 "Slow tables" by bo at 2024-01-10T10:00
"#
        ),
        expect![[r#"
            harbor/tide#1 mentioned harbor/charts#1 [system_note, stated]
        "#]],
    );
}

#[test]
fn related_duplicate_and_moved() {
    check(
        &format!(
            r#"{PEOPLE}
issue #1 "Login fails" by ada at 2024-01-09T10:00
  relate #2 by ada +5m
issue #2 "Slow tables" by bo at 2024-01-09T10:01
issue #3 "Login broken" by bo at 2024-01-10T10:00
  duplicate #1 by ada +5m
issue #4 "Charts are blank" by bo at 2024-01-10T11:00
  move harbor/charts#1 by ada +5m
"#
        ),
        expect![[r#"
            harbor/tide#1 related harbor/tide#2 [system_note, stated]
            harbor/tide#2 related harbor/tide#1 [system_note, stated]
            harbor/tide#3 duplicate harbor/tide#1 [api_entity, stated]
            harbor/tide#4 moved harbor/charts#1 [api_entity, stated]
        "#]],
    );
}

#[test]
fn an_unsynced_target_is_resolved_when_its_project_arrives() {
    let site = Site::scenario(&format!(
        r#"{PEOPLE}
issue #1 "Login fails" by ada at 2024-01-09T10:00
  | Like harbor/charts#1.
issue harbor/charts#1 "Blank page" by bo at 2024-01-10T10:00
"#
    ));
    site.wait(std::time::Duration::from_secs(3600));
    site.sync_with(|options| options.projects = vec!["harbor/tide".to_owned()]);
    expect![[r#"
        harbor/tide#1 mentioned harbor/charts#1 (not synced) [description, stated]
    "#]]
    .assert_eq(&told(&site));
    site.sync();
    assert!(!told(&site).contains("not synced"), "{}", told(&site));
}

#[test]
fn an_edited_description_takes_its_relations_along() {
    let site = Site::scenario(&format!(
        r#"{PEOPLE}
issue #1 "Login fails" by ada at 2024-01-09T10:00
issue #2 "Slow tables" by bo at 2024-01-09T10:00
mr !1 "Index" by bo at 2024-01-11T10:00 from index
  | Closes #2
"#
    ));
    site.wait(std::time::Duration::from_secs(3600));
    site.sync();
    assert!(told(&site).contains("!1 closes harbor/tide#2"), "{}", told(&site));
    site.change(|world| {
        let project = world.project_id("harbor/tide").unwrap();
        let now = world.now();
        let on = sim::world::EntityKey::mr(project, 1);
        world.redescribe(on, "bo", now, "Closes #1").unwrap();
    });
    site.wait(std::time::Duration::from_secs(3600));
    site.sync();
    assert!(told(&site).contains("!1 closes harbor/tide#1"), "{}", told(&site));
    assert!(!told(&site).contains("!1 closes harbor/tide#2"), "{}", told(&site));
}
