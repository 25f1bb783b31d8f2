//! Histories from before resource events, and from the time of both.

use crate::harness::Site;
use expect_test::{Expect, expect};
use model::Timestamp;
use sim::World;
use sim::world::{Era, LabelChange, NewIssue, NewLabel, NewMilestone, NewProject, NewUser};
use std::time::Duration;
use store::entities::{self, EntityRow};
use store::events;

/// One issue: labelled, planned, closed, opened again, closed.
fn history(era: Era) -> World {
    let mut world = World::new();
    world.settings.era = era;
    let start = Timestamp::parse_rfc3339("2018-01-09T10:00:00Z").unwrap();
    let day = |n: u64| start.plus(Duration::from_secs(n * 86_400));
    for name in ["ada", "bo"] {
        world.add_user(NewUser::named(name)).unwrap();
    }
    let project = world.add_project(NewProject::at_path("harbor/tide", start)).unwrap();
    world.add_label(project, NewLabel::named("bug")).unwrap();
    world.add_milestone(project, NewMilestone::titled("1.0")).unwrap();
    let issue = world.create_issue(project, "ada", start, NewIssue::titled("Login fails")).unwrap();
    world.change_labels(issue, "bo", day(1), LabelChange::adding(&["bug"])).unwrap();
    world.set_milestone(issue, "bo", day(2), Some("1.0")).unwrap();
    world.close(issue, "bo", day(3)).unwrap();
    world.reopen(issue, "ada", day(4)).unwrap();
    world.close(issue, "bo", day(5)).unwrap();
    world
}

/// The issue's events as the database tells them, with their source.
fn check(era: Era, expected: Expect) {
    let site = Site::of(history(era));
    site.wait(Duration::from_secs(3600));
    site.sync();
    let reader = site.reader();
    let project = store::projects::all(&reader).unwrap()[0].id;
    let kind = model::EntityKind::Issue;
    let head = entities::find(&reader, project, kind, model::ids::Iid(1)).unwrap().unwrap();
    let told: String = events::entity_events(&reader, EntityRow { kind, id: head.row.id })
        .unwrap()
        .iter()
        .map(|event| {
            let what = event.text.clone().or_else(|| event.name.clone()).unwrap_or_default();
            let by = event.actor.as_deref().unwrap_or("");
            format!("{} {} {what} by {by} [{:?}]\n", event.at.to_date(), event.event, event.source)
        })
        .collect();
    expected.assert_eq(&told);
}

#[test]
fn today_everything_is_a_resource_event() {
    check(
        Era::Modern,
        expect![[r#"
        2018-01-10 label bug by bo [Resource]
        2018-01-11 milestone 1.0 by bo [Resource]
        2018-01-12 closed  by bo [Resource]
        2018-01-13 reopened  by ada [Resource]
        2018-01-14 closed  by bo [Resource]
    "#]],
    );
}

#[test]
fn around_2019_labels_were_events_and_states_were_notes() {
    check(
        Era::LabelEvents,
        expect![[r#"
        2018-01-10 label bug by bo [Resource]
        2018-01-11 milestone changed milestone to %1.0 by bo [SystemNote]
        2018-01-12 closed closed by bo [SystemNote]
        2018-01-13 reopened reopened by ada [SystemNote]
        2018-01-14 closed closed by bo [SystemNote]
    "#]],
    );
}

#[test]
fn around_2016_everything_was_a_note() {
    check(
        Era::NotesOnly,
        expect![[r#"
        2018-01-10 label added ~bug label by bo [SystemNote]
        2018-01-11 milestone changed milestone to %1.0 by bo [SystemNote]
        2018-01-12 closed closed by bo [SystemNote]
        2018-01-13 reopened reopened by ada [SystemNote]
        2018-01-14 closed closed by bo [SystemNote]
    "#]],
    );
}
