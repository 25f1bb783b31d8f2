//! What belongs to a timeline, over a record made by hand.

use crate::forges::timeline_of;
use model::EntityKind;
use model::relation::RelationType;
use testkit::record::{RecordFixture, day};

#[test]
fn relations_are_followed_and_mentions_are_not() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    let closed = fixture.issue(&project, 1, "Session lost", 1);
    let mentioned = fixture.issue(&project, 2, "Slow login", 1);
    let mr = fixture.merge_request(&project, 7, "Keep the session", 3);
    fixture
        .relations(&mr, &[(RelationType::Closes, &closed), (RelationType::Mentioned, &mentioned)]);
    let timeline = timeline_of(&fixture, EntityKind::MergeRequest, 7);
    let reached: Vec<&str> =
        timeline.expanded_entities.iter().map(|it| it.entity.reference.as_str()).collect();
    assert_eq!(reached, ["harbor/tide#1"]);
    assert_eq!(timeline.expanded_entities[0].via.reference_type, RelationType::Closes);
}

#[test]
fn a_merge_that_no_event_tells_of_is_told_from_the_record() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    fixture.merge_request(&project, 7, "Keep the session", 3);
    let timeline = timeline_of(&fixture, EntityKind::MergeRequest, 7);
    let events: Vec<(String, i64)> = timeline
        .events
        .iter()
        .map(|event| (event.event_type.to_string(), event.timestamp.as_millis()))
        .collect();
    assert_eq!(
        events,
        [("created".to_owned(), day(3).as_millis()), ("merged".to_owned(), day(4).as_millis())]
    );
}

#[test]
fn what_is_not_synced_is_named_as_unresolved() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    let mr = fixture.merge_request(&project, 7, "Keep the session", 3);
    let mut elsewhere = mr.clone();
    elsewhere.name.kind = EntityKind::Issue;
    elsewhere.name.project = "other/place".to_owned();
    fixture.relations(&mr, &[(RelationType::Closes, &elsewhere)]);
    let timeline = timeline_of(&fixture, EntityKind::MergeRequest, 7);
    let to: Vec<String> =
        timeline.unresolved_references.iter().map(|it| it.target().reference()).collect();
    assert_eq!(to, ["other/place#7"]);
}
