//! What answers about events print when it was asked for, and what they do not claim.

use super::*;
use crate::decisions::Signal;
use crate::file_history::{DirectCommit, FileChange};
use crate::reasons::CommitReason;
use crate::timeline::{Details, SubjectKind};
use crate::trace::{Generation, LineOrigin, Lines};
use model::ids::{ForgeId, Iid};
use model::record::ChangeKind;
use model::{EntityState, Timestamp};
use store::details::{Note, NoteLocation};

const NOTHING: &str = "no merge request and no commit changed this file\n";

fn at() -> Timestamp {
    Timestamp::parse_rfc3339("2024-05-01T09:00:00Z").unwrap()
}

fn lacks() -> Vec<MissingPart> {
    vec![MissingPart::new("the clone is not indexed", "lore index .")]
}

fn no_trace() -> Trace {
    Trace::of_file("src/a.rs".to_owned())
}

fn no_history() -> FileHistory {
    FileHistory {
        path: "src/a.rs".to_owned(),
        project: None,
        repo: None,
        rename_chain: Vec::new(),
        items: Vec::new(),
        total: 0,
        direct_commits: Vec::new(),
        total_direct_commits: 0,
        missing: Vec::new(),
    }
}

#[test]
fn nothing_changed_a_file_only_where_nothing_is_missing() {
    assert_eq!(trace(&no_trace()), NOTHING);
    assert_eq!(file_history(&no_history()), NOTHING);
    let lacking = "missing: the clone is not indexed; lore index .\n";
    assert_eq!(trace(&Trace { missing: lacks(), ..no_trace() }), lacking);
    assert_eq!(file_history(&FileHistory { missing: lacks(), ..no_history() }), lacking);
}

#[test]
fn as_many_commits_are_shown_as_were_asked_for() {
    let direct = |nth: u32| DirectCommit {
        sha: format!("{nth:040}"),
        subject: format!("Change {nth}"),
        author: "Ada".to_owned(),
        committed_at: at(),
    };
    let direct_commits: Vec<DirectCommit> = (0..30).map(direct).collect();
    let answer = FileHistory { direct_commits, total_direct_commits: 31, ..no_history() };
    let text = file_history(&answer);
    assert!(text.contains("Ada: Change 29\n"), "{text}");
    assert!(text.ends_with("# 1 more; a higher limit shows them\n"), "{text}");
    let commits: Vec<CommitReason> = (0..7).map(reason).collect();
    let text = trace(&Trace { commits, total_commits: 9, ..no_trace() });
    assert!(text.contains("Reason 6"), "{text}");
    assert!(text.ends_with("# 2 more; a higher limit shows them\n"), "{text}");
}

fn reason(nth: u32) -> CommitReason {
    CommitReason {
        sha: format!("{nth:040}"),
        subject: format!("Reason {nth}"),
        author: "Ada".to_owned(),
        authored_at: at(),
        committed_at: None,
        landed_in: None,
        merge: None,
        body: None,
        tickets: Vec::new(),
        companions: Vec::new(),
        n_files: None,
        changes: Vec::new(),
    }
}

#[test]
fn threads_of_a_file_are_printed() {
    let note = |author: &str, body: &str, place: Option<NoteLocation>| Note {
        id: ForgeId(1),
        author: Some(author.to_owned()),
        created_at: at(),
        updated_at: at(),
        body: body.to_owned(),
        is_system: false,
        is_internal: false,
        location: place,
    };
    let place = NoteLocation {
        path: "src/a.rs".to_owned(),
        old_path: None,
        line: Some(3),
        old_line: None,
        range_start: None,
        range_end: None,
    };
    let thread = Thread {
        id: "t".to_owned(),
        is_individual: false,
        is_resolved: Some(true),
        notes: vec![note("ada", "Why not Lax?", Some(place)), note("bo", "It is a POST.", None)],
    };
    let change = FileChange {
        reference: "g/p!1".to_owned(),
        iid: Iid(1),
        title: "Keep it".to_owned(),
        state: EntityState::Merged,
        author: None,
        created_at: at(),
        merged_at: None,
        merge_commit_sha: None,
        change: ChangeKind::Modified,
        path: "src/a.rs".to_owned(),
        old_path: None,
        discussions: 1,
        notes_on_file: 2,
        closes: Vec::new(),
        url: String::new(),
        threads: vec![thread],
    };
    let answer = FileHistory { items: vec![change], total: 1, ..no_history() };
    assert_eq!(
        file_history(&answer),
        "2024-05-01 g/p!1 merged Keep it, 2 notes on it\n \
         src/a.rs:3 resolved @ada: Why not Lax?\n  @bo: It is a POST.\n"
    );
}

#[test]
fn earlier_forms_of_a_line_are_printed() {
    let before = Generation {
        path: "src/a.rs".to_owned(),
        line: 3,
        text: "let x = 1;".to_owned(),
        sha: "b".repeat(40),
        subject: "Begin".to_owned(),
        author: "Bo".to_owned(),
        authored_at: at(),
        merge_request: Some("g/p!1".to_owned()),
        method: None,
        confidence: None,
    };
    let origin = LineOrigin {
        lines: Lines { first: 4, last: 4 },
        text: vec!["let x = 2;".to_owned()],
        commit: Some(reason(7)),
        original_path: "src/a.rs".to_owned(),
        merge_request: None,
        method: None,
        confidence: None,
        also: Vec::new(),
        moved_by: None,
        unknown_because: None,
        change: None,
        generations: vec![before],
        merge_request_id: None,
    };
    let text = trace(&Trace { tier: Tier::Line, origins: vec![origin], ..no_trace() });
    let line = " 4 was `let x = 1;` by bbbbbbbbbb 2024-05-01 Bo: Begin (g/p!1)\n";
    assert!(text.ends_with(line), "{text}");
}

#[test]
fn signals_of_a_note_are_printed_where_they_were_asked_for() {
    let note = |signals: Vec<Signal>| NoteDetails {
        note_id: 1,
        snippet: "We decided.".to_owned(),
        path: None,
        line: None,
        is_decision_bearing: true,
        decision_points: 70,
        signals,
    };
    let printed = |note: NoteDetails| {
        let event = TimelineEvent {
            timestamp: at(),
            entity_type: SubjectKind::Issue,
            entity_iid: Some(Iid(1)),
            project: "g/p".to_owned(),
            event_type: EventType::Note,
            summary: String::new(),
            actor: None,
            url: String::new(),
            is_seed: true,
            depth: 0,
            via: None,
            details: Details { note: Some(note), ..Details::default() },
            host: String::new(),
            id: 1,
        };
        let mut out = String::new();
        line(&event, false, &mut out);
        out
    };
    let signal = |name: &str, points: i32, phrases: &[&str]| Signal {
        signal: name.to_owned(),
        points,
        phrases: phrases.iter().map(|it| (*it).to_owned()).collect(),
    };
    let signals = vec![signal("decision", 60, &["decided"]), signal("by_who_ended_it", 10, &[])];
    assert_eq!(printed(note(Vec::new())), "2024-05-01 said on #1: We decided.\n");
    let why = " [7.0 = +6.0 decision (decided), +1.0 by who ended it]\n";
    assert_eq!(printed(note(signals)), format!("2024-05-01 said on #1: We decided.{why}"));
}
