//! What changes at the forge, with and without leaving a trace.

use crate::harness::{Site, assert_same, tireless};
use crate::truth;
use model::EntityKind;
use sim::world::{EntityKey, LabelChange, MoveTo, NewIssue, ProjectId};
use sim::{FaultPlan, World};
use std::time::Duration;
use store::Writer;
use store::dirty::{self, SourceType};

const SMALL: &str = r#"
user ada "Ada"
user bo "Bo"
project harbor/tide "Tide"
  label bug
issue #1 "Login fails" by ada at 2024-01-09T10:00
  labels bug
  | It reloads for ever.
issue #2 "Slow tables" by bo at 2024-01-10T10:00
  comment bo +2h
    | I can reproduce it.
    reply ada +10m
      | Thanks!
mr !1 "Keep the session" by bo at 2024-01-11T10:00 from fix
  | Closes #1
project harbor/charts "Charts"
"#;

fn tide(world: &World) -> ProjectId {
    world.projects().find(|project| project.name == "Tide").unwrap().id
}

fn issue(world: &World, iid: i64) -> EntityKey {
    EntityKey::issue(tide(world), iid)
}

#[track_caller]
fn assert_level(site: &Site) {
    assert_same(
        &truth::of_database(&site.reader()),
        &truth::of_world(&site.server.world()),
        "database and forge differ",
    );
}

/// A site whose first sync lies well behind.
fn settled() -> Site {
    let site = Site::scenario(SMALL);
    site.wait(Duration::from_secs(86_400));
    site.sync();
    assert_level(&site);
    site
}

/// What waits for its document; none of it does afterwards.
fn documents_due(site: &Site) -> Vec<(SourceType, u64)> {
    let mut writer = Writer::open(&site.database()).unwrap();
    let count = |source| {
        writer.write(|tx| {
            let due = dirty::due(tx, source, model::Timestamp::from_millis(i64::MAX / 4), 1000)?;
            due.iter().try_for_each(|source| dirty::done(tx, source))?;
            Ok((source, due.len() as u64))
        })
    };
    let sources = [SourceType::Issue, SourceType::MergeRequest, SourceType::Discussion];
    sources.map(count).into_iter().collect::<model::Result<_>>().unwrap()
}

#[test]
fn a_person_with_a_new_name_has_their_documents_made_again() {
    let site = settled();
    documents_due(&site);
    site.change(|world| {
        world.rename_user("bo", "bobby").unwrap();
        // Any sign of life brings the new name; this one is of somebody else's.
        let (on, now) = (issue(world, 1), world.now());
        world.comment(on, "bobby", now, "Is it still so?").unwrap();
    });
    site.sync();
    // The issue that was talked on and the one bo wrote; bo's merge request;
    // the new thread, the one bo began, and the mention on the first issue,
    // which the forge noted in bo's name.
    assert_eq!(
        documents_due(&site),
        [(SourceType::Issue, 2), (SourceType::MergeRequest, 1), (SourceType::Discussion, 3)]
    );
}

#[test]
fn a_comment_that_does_not_bump_its_issue_is_found() {
    let site = settled();
    site.change(|world| {
        let (on, now) = (issue(world, 2), world.now());
        world.retitle(on, "bo", now, "Very slow tables").unwrap();
    });
    site.wait(Duration::from_secs(5));
    site.sync();
    // Within 60 s of the last touch: the stamp stays as it was.
    site.wait(Duration::from_secs(20));
    site.change(|world| {
        let (on, now) = (issue(world, 2), world.now());
        let before = world.entity(on).unwrap().updated_at;
        world.comment(on, "ada", now, "Three seconds here.").unwrap();
        assert_eq!(
            world.entity(on).unwrap().updated_at,
            before,
            "the scene needs a throttled touch"
        );
    });
    site.wait(Duration::from_secs(3600));
    site.sync();
    assert_level(&site);
}

#[test]
fn deleted_notes_and_resolved_threads_are_found_by_looking_again() {
    let site = settled();
    site.change(|world| {
        let now = world.now();
        let thread = world.entity(issue(world, 2)).unwrap().discussions[0].clone();
        world.resolve(thread.id, "ada", now).unwrap();
        world.delete_note(thread.notes[1].id).unwrap();
    });
    site.sync();
    assert_ne!(
        truth::of_database(&site.reader()),
        truth::of_world(&site.server.world()),
        "a plain sync cannot see this: nothing was bumped"
    );
    site.sync_with(|options| options.reconcile = tireless());
    assert_level(&site);
    site.change(|world| {
        let note = world.entity(issue(world, 2)).unwrap().discussions[0].notes[0].id;
        world.delete_note(note).unwrap();
    });
    site.sync_with(|options| options.full = true);
    assert_level(&site);
}

#[test]
fn looking_again_keeps_to_its_budget_and_takes_turns() {
    let site = settled();
    site.wait(Duration::from_secs(400 * 86_400));
    let visits = |site: &Site| {
        site.server.clear_requests();
        // Five requests per issue, six per merge request; two projects share.
        site.sync_with(|options| options.reconcile.budget = 12);
        let asked = site.server.requests();
        asked.entries.iter().filter(|entry| entry.path_and_query.contains("/discussions")).count()
    };
    assert_eq!(visits(&site), 1);
    assert_eq!(visits(&site), 1);
    assert_eq!(visits(&site), 1);
    assert_eq!(visits(&site), 0, "each was visited once; none is due again");
}

#[test]
fn what_was_deleted_is_kept_as_gone() {
    let site = settled();
    site.change(|world| world.delete_entity(issue(world, 2)).unwrap());
    let report = site.sync_with(|options| options.full = true);
    assert_eq!(report.projects.iter().map(|project| project.issues.gone).sum::<u64>(), 1);
    assert_level(&site);
    let kept = site.dump();
    assert!(kept.iter().any(|line| line.starts_with("issue ") && line.contains("Slow tables")));
}

#[test]
fn an_entity_that_vanishes_before_its_threads_are_fetched_is_gone_not_retried() {
    let site = Site::scenario(SMALL);
    site.server.set_faults(FaultPlan { delete_every: Some(1), ..FaultPlan::default() });
    let report = site.sync();
    assert_eq!(report.queue_waiting, 0);
    site.server.set_faults(FaultPlan::default());
    site.sync_with(|options| options.full = true);
    assert_level(&site);
}

#[test]
fn a_moved_issue_is_kept_in_both_places_and_linked() {
    let site = settled();
    site.wait(Duration::from_secs(600));
    site.change(|world| {
        let charts = world.project_id("harbor/charts").unwrap();
        let (on, now) = (issue(world, 1), world.now());
        world.move_issue(on, "ada", now, MoveTo { project: charts, iid: None }).unwrap();
    });
    site.wait(Duration::from_secs(600));
    site.sync();
    assert_level(&site);
    let moved = site
        .dump()
        .into_iter()
        .find(|line| line.starts_with("reference") && line.contains("\"moved\""));
    let moved = moved.unwrap();
    assert!(
        moved.contains(r#""harbor/tide",1,0,"issue","gitlab.test","harbor/charts",1,0"#),
        "{moved}"
    );
}

#[test]
fn a_renamed_project_keeps_its_identity() {
    let site = settled();
    site.change(|world| {
        let project = tide(world);
        world.rename_project(project, "harbor/tides").unwrap();
    });
    let before = store::entities::count(&site.reader(), EntityKind::Issue, None).unwrap();
    // The config still says the old name.
    let mut options = site.options(site.database());
    options.projects = vec!["harbor/tide".to_owned(), "harbor/charts".to_owned()];
    let report = site.run(options).unwrap();
    assert!(report.projects.iter().any(|project| project.path == "harbor/tides"));
    assert_eq!(store::entities::count(&site.reader(), EntityKind::Issue, None).unwrap(), before);
    let projects = store::projects::all(&site.reader()).unwrap();
    let paths: Vec<&str> = projects.iter().map(|project| project.path.as_str()).collect();
    assert_eq!(paths, ["harbor/charts", "harbor/tides"]);
}

/// A world in which many issues share one stamp.
fn tied(n: usize) -> World {
    let mut world = sim::scenario::load(SMALL, "test").unwrap();
    let project = tide(&world);
    let at = world.now();
    for number in 0..n {
        world
            .create_issue(project, "ada", at, NewIssue::titled(&format!("Tied {number}")))
            .unwrap();
    }
    world
}

#[test]
fn hundreds_with_the_same_stamp_are_all_found() {
    let site = Site::of(tied(350));
    site.sync();
    assert_level(&site);
}

#[test]
fn rows_that_move_while_they_are_listed_push_nobody_out() {
    let site = Site::of(tied(350));
    site.server.set_faults(FaultPlan { mutate_every: Some(1), ..FaultPlan::default() });
    site.sync();
    site.server.set_faults(FaultPlan::default());
    let found = store::entities::count(&site.reader(), EntityKind::Issue, None).unwrap();
    assert_eq!(found, 352);
    site.wait(Duration::from_secs(600));
    site.sync();
    assert_level(&site);
}

#[test]
fn a_stamp_in_the_future_hides_nothing() {
    let site = settled();
    site.change(|world| {
        let (on, future) = (issue(world, 1), world.now().plus(Duration::from_secs(30 * 86_400)));
        world.backdate(on, future).unwrap();
    });
    site.sync();
    site.wait(Duration::from_secs(86_400));
    site.change(|world| {
        let (on, now) = (issue(world, 2), world.now());
        world.comment(on, "ada", now, "Still slow.").unwrap();
    });
    site.wait(Duration::from_secs(600));
    site.sync();
    assert_level(&site);
}

#[test]
fn a_row_stamped_behind_the_cursor_is_found_by_a_full_run() {
    let site = settled();
    site.change(|world| {
        let (project, now) = (tide(world), world.now());
        let on = world.create_issue(project, "ada", now, NewIssue::titled("Imported")).unwrap();
        world.backdate(on, now.minus(Duration::from_secs(365 * 86_400))).unwrap();
    });
    site.sync_with(|options| options.full = true);
    assert_level(&site);
}

#[test]
fn merge_requests_switched_off_are_no_failure() {
    let site = Site::scenario(SMALL);
    site.change(|world| {
        let project = tide(world);
        world.edit_project(project, |project| project.merge_requests_enabled = false).unwrap();
    });
    let report = site.sync();
    assert!(report.projects.iter().all(|project| project.error.is_none()), "{report:?}");
}

#[test]
fn events_of_a_time_they_were_switched_off_are_fetched_when_they_are_wanted() {
    let site = settled();
    site.wait(Duration::from_secs(86_400));
    site.change(|world| {
        let (issue, at) = (issue(world, 1), world.now());
        world.change_labels(issue, "bo", at, LabelChange::removing(&["bug"])).unwrap();
    });
    site.wait(Duration::from_secs(86_400));
    site.sync_with(|options| {
        options.wanted = options.wanted.clone().without(model::record::DependentKind::is_event);
    });
    assert_ne!(site.dump(), site.undisturbed());
    site.wait(Duration::from_secs(86_400));
    site.sync();
    assert_level(&site);
    assert_same(&site.dump(), &site.undisturbed(), "after switching on");
}
