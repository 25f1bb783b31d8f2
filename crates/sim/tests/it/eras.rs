//! Old GitLabs told their history in notes, in words of their own.

use crate::support::{TIDE, at, issue, mr, system_notes, world};
use sim::world::{Era, LabelChange, Merge};

/// The same short history as each era would have written it down.
fn history(era: Era) -> (Vec<String>, usize, usize, usize) {
    let mut world = world();
    world.settings.era = era;
    let key = issue(&mut world, TIDE, "One");
    let mr = mr(&mut world, TIDE, "Closes #1");
    world.change_labels(key, "bo", at(1), LabelChange::adding(&["bug"])).unwrap();
    world.set_milestone(key, "bo", at(2), Some("1.1")).unwrap();
    world.assign(key, "bo", at(3), &["cem"]).unwrap();
    world.merge(mr, "bo", at(4), Merge::default()).unwrap();
    world.reopen(key, "bo", at(5)).unwrap();
    let entity = world.entity(key).unwrap();
    let events =
        (entity.label_events.len(), entity.milestone_events.len(), entity.state_events.len());
    (system_notes(&world, key), events.0, events.1, events.2)
}

#[test]
fn up_to_2016_notes_are_sentences() {
    let (notes, labels, milestones, states) = history(Era::Capitalized);
    assert_eq!(
        notes,
        [
            "Mentioned in merge request !1",
            "Added ~1 label",
            "Milestone changed to %2",
            "Reassigned to @cem",
            "Status changed to closed by merge request !1",
            "Status changed to reopened",
        ]
    );
    assert_eq!((labels, milestones, states), (0, 0, 0));
}

#[test]
fn up_to_2018_everything_is_a_note() {
    let (notes, labels, milestones, states) = history(Era::NotesOnly);
    assert_eq!(
        notes,
        [
            "mentioned in merge request !1",
            "added ~1 label",
            "changed milestone to %2",
            "assigned to @cem",
            "closed via merge request !1",
            "reopened",
        ]
    );
    assert_eq!((labels, milestones, states), (0, 0, 0));
}

#[test]
fn up_to_2020_labels_are_events() {
    let (notes, labels, milestones, states) = history(Era::LabelEvents);
    assert!(!notes.iter().any(|note| note.contains("label")));
    assert!(notes.contains(&"closed via merge request !1".to_owned()));
    assert_eq!((labels, milestones, states), (1, 0, 0));
}

#[test]
fn today_labels_milestones_and_states_leave_no_note() {
    let (notes, labels, milestones, states) = history(Era::Modern);
    assert_eq!(notes, ["mentioned in merge request !1", "assigned to @cem"]);
    assert_eq!((labels, milestones, states), (1, 1, 2));
}
