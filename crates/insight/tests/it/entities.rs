//! One issue or merge request, and lists of them.

use insight::entities;
use model::relation::RelationType;
use model::{EntityKind, ErrorCode};
use store::listing::EntityFilter;
use testkit::record::RecordFixture;

#[test]
fn a_mention_is_not_shown_beside_the_closing_that_implies_it() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.test", "harbor/tide");
    let closed = fixture.issue(&project, 1, "Session lost", 1);
    let mentioned = fixture.issue(&project, 2, "Slow login", 1);
    let mr = fixture.merge_request(&project, 7, "Keep the session", 3);
    fixture.relations(
        &mr,
        &[
            (RelationType::Closes, &closed),
            (RelationType::Mentioned, &closed),
            (RelationType::Mentioned, &mentioned),
        ],
    );

    let reader = fixture.reader();
    let detail = entities::show(&reader, EntityKind::MergeRequest, "!7", None).unwrap();
    assert_eq!(detail.relations.len(), 3);
    let shown: Vec<String> =
        detail.relations_to_show().map(|it| format!("{} #{}", it.reference_type, it.iid)).collect();
    assert_eq!(shown, ["closes #1", "mentioned #2"]);
}

#[test]
fn a_list_of_nothing_synced_says_so_and_an_empty_project_does_not() {
    let fixture = RecordFixture::new();
    let list = || entities::list(&fixture.reader(), EntityKind::Issue, &EntityFilter::default());
    assert_eq!(list().unwrap_err().code(), ErrorCode::NotIndexed);
    let _ = fixture.project("gl.test", "harbor/tide");
    assert_eq!(list().unwrap().total, 0);
}

#[test]
fn a_number_of_several_projects_asks_which() {
    let fixture = RecordFixture::new();
    for path in ["harbor/tide", "harbor/quay"] {
        let project = fixture.project("gl.test", path);
        fixture.issue(&project, 1, path, 1);
    }
    let reader = fixture.reader();
    let error = entities::show(&reader, EntityKind::Issue, "#1", None).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Ambiguous);
    let detail = entities::show(&reader, EntityKind::Issue, "quay#1", None).unwrap();
    assert_eq!(detail.summary.project, "harbor/quay");
}
