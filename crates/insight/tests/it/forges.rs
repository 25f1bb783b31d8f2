//! Two forges with projects of one path do not answer for each other.

use insight::timeline::{self, Request, Start, Timeline};
use model::EntityKind;
use model::ids::Iid;
use model::reference::EntityReference;
use model::relation::RelationType;
use search::Searcher;
use testkit::record::{RecordFixture, day};

/// The timeline of an entity of `harbor/tide`.
#[expect(clippy::unwrap_used, reason = "a question that fails is a failed test")]
pub fn timeline_of(fixture: &RecordFixture, kind: EntityKind, iid: i64) -> Timeline {
    let project = Some("harbor/tide".to_owned());
    let wanted = EntityReference { kind, host: None, project, iid: Iid(iid) };
    let request = Request::new("it", Start::Entity { wanted, project: None, here: None });
    let reader = fixture.reader();
    let searcher = Searcher { reader: &reader, provider: None, now: day(200) };
    timeline::timeline(&searcher, &request).unwrap()
}

#[test]
fn a_relation_leads_to_the_entity_of_its_own_forge() {
    let fixture = RecordFixture::new();
    let ours = fixture.project("gl.one", "harbor/tide");
    let theirs = fixture.project("gl.two", "harbor/tide");
    let other_issue = fixture.issue(&ours, 1, "Ours", 1);
    let issue = fixture.issue(&theirs, 1, "Theirs", 1);
    let mr = fixture.merge_request(&theirs, 2, "Fix theirs", 3);
    fixture.relations(&mr, &[(RelationType::Closes, &issue)]);

    let reader = fixture.reader();
    let links = store::timeline::links(&reader, &[mr.row]).unwrap();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0].target.row, Some(issue.row));
    assert_eq!(links[0].target.title.as_deref(), Some("Theirs"));
    assert!(store::timeline::links(&reader, &[other_issue.row]).unwrap().is_empty());
}

#[test]
fn a_note_is_addressed_in_the_dialect_of_its_forge() {
    let fixture = RecordFixture::new();
    let project = fixture.project("gl.one", "harbor/tide");
    let issue = fixture.issue(&project, 1, "Session lost", 1);
    let decision = "We decided to keep the session in a cookie, because Safari drops storage.";
    fixture.threads(&issue, &[&[("ann", decision, 2)]]);

    let timeline = timeline_of(&fixture, EntityKind::Issue, 1);
    let note = timeline.events.iter().find(|event| event.details.note.is_some()).unwrap();
    assert_eq!(note.url, "https://gl.one/harbor/tide/issue/1#note_4");
}

#[test]
fn two_projects_of_one_path_are_told_apart_by_their_host() {
    let fixture = RecordFixture::new();
    for host in ["gl.one", "gl.two"] {
        let _ = fixture.project(host, "harbor/tide");
    }
    let reader = fixture.reader();
    let error = insight::projects::resolve(&reader, "tide").unwrap_err();
    assert_eq!(error.message(), "2 projects match `tide`: gl.one/harbor/tide, gl.two/harbor/tide");
    let found = insight::projects::resolve(&reader, "gl.two/harbor/tide").unwrap();
    assert_eq!(found.host, "gl.two");
}
