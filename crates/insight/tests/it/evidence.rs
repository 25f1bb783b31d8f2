//! Merge requests with the issues and notes that explain them.

use insight::evidence::{EvidenceSubject, explain};
use model::relation::RelationType;
use testkit::record::RecordFixture;

#[test]
fn what_was_closed_comes_before_what_is_related() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    let related = fixture.issue(&project, 1, "Slow login", 1);
    let closed = fixture.issue(&project, 2, "Session lost", 1);
    let mentioned = fixture.issue(&project, 3, "Colours", 1);
    let mr = fixture.merge_request(&project, 7, "Keep the session", 3);
    fixture.relations(
        &mr,
        &[
            (RelationType::Related, &related),
            (RelationType::Closes, &closed),
            (RelationType::Mentioned, &mentioned),
        ],
    );
    let explained = explain(&fixture.reader(), &[mr.row], EvidenceSubject::default()).unwrap();
    let issues: Vec<String> =
        explained[0].issues.iter().map(|it| format!("{} {}", it.relation, it.reference)).collect();
    assert_eq!(issues, ["closes harbor/tide#2", "related harbor/tide#1"]);
}

#[test]
fn the_note_that_argues_is_chosen_over_small_talk() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    let mr = fixture.merge_request(&project, 7, "Keep the session", 3);
    let reason = "We decided against local storage because Safari drops it after seven days.";
    fixture.threads(&mr, &[&[("bo", "Nice!", 4)], &[("ann", reason, 4), ("bo", "ok", 5)]]);
    let about = EvidenceSubject { most_notes: 1, ..EvidenceSubject::default() };
    let explained = explain(&fixture.reader(), &[mr.row], about).unwrap();
    let notes: Vec<&str> = explained[0].notes.iter().map(|note| note.body.as_str()).collect();
    assert_eq!(notes, [reason]);
}
