//! Repositories that nobody should make, and some do.

use crate::fixture::{Fixture, commit, file};
use git::{BlameAt, BlameRequest, LogOptions, RepoPath};

fn all(fixture: &Fixture) -> Vec<git::Commit> {
    let options = LogOptions {
        heads: vec![fixture.id("main")],
        with_changes: true,
        is_oldest_first: true,
        ..LogOptions::default()
    };
    fixture.repo().log(&options).unwrap().map(Result::unwrap).collect()
}

#[test]
fn names_of_files_may_be_any_bytes() {
    let mut stream = b"commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 1\nx\n".to_vec();
    for path in [&b"\"a\\nb\""[..], b"\"\\377\\376\"", b"-rf", b"\"\\001:tab\\there\"", b"*"] {
        stream.extend_from_slice(b"M 100644 inline ");
        stream.extend_from_slice(path);
        stream.extend_from_slice(b"\ndata 2\nx\n\n");
    }
    let fixture = Fixture::imported(stream);
    let repo = fixture.repo();
    let names: Vec<String> =
        all(&fixture)[0].changes.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(names, ["\u{1}:tab\there", "*", "-rf", "a\nb", "\\xff\\xfe"]);
    let files = repo.files(fixture.id("main")).unwrap();
    assert_eq!(files.len(), 5);
    for file in files {
        let request = BlameRequest {
            path: file.path.clone(),
            at: BlameAt::WorkTree,
            lines: Some((1, 1)),
            follows_moves: true,
            ancestry: None,
        };
        let blame = repo.blame(&request).unwrap();
        assert_eq!(blame.runs[0].original_path, file.path);
    }
    // A name is never a pattern.
    let request = BlameRequest {
        path: RepoPath::from("-r?"),
        at: BlameAt::WorkTree,
        lines: None,
        follows_moves: true,
        ancestry: None,
    };
    assert!(repo.blame(&request).is_err());
}

#[test]
fn dates_may_be_absurd() {
    for (date, expected) in [
        ("99999999999999 +0000", "9999-12-30T22:00:00.000Z"),
        ("1700000000 -9959", "2023-11-14T22:13:20.000Z"),
        ("0 +0000", "1970-01-01T00:00:00.000Z"),
    ] {
        let fixture = Fixture::new();
        // The object itself, since no command of git would write such a date.
        let body = format!(
            "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> {date}\n\
             committer A <a@b> {date}\n\nm\n"
        );
        std::fs::write(fixture.beside("body"), body).unwrap();
        fixture.in_repo(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let args = ["hash-object", "-t", "commit", "-w", "--literally", "../body"];
        let id = fixture.in_repo(&args);
        fixture.in_repo(&["update-ref", "refs/heads/main", &id]);
        assert_eq!(all(&fixture)[0].author.at.to_rfc3339(), expected, "{date}");
    }
}

#[test]
fn messages_may_be_huge_or_no_text() {
    let huge = "x".repeat(3_000_000);
    let mut stream = commit("main", 1, 1, &huge, &file("a", "1")).into_bytes();
    stream.extend_from_slice(
        b"commit refs/heads/main\ncommitter \xe9 <a@b> 2 +0000\nencoding latin1\ndata 4\ncaf\xe9\n",
    );
    stream.extend_from_slice(
        b"commit refs/heads/main\ncommitter A <a@b> 3 +0000\ndata 3\n\xff\xfea\n",
    );
    stream.extend_from_slice(b"commit refs/heads/main\ncommitter A <a@b> 4 +0000\ndata 0\n\n");
    let fixture = Fixture::imported(stream);
    let commits = all(&fixture);
    assert_eq!(commits.len(), 4);
    assert_eq!(commits[0].message.len(), 1 << 20);
    assert_eq!(commits[1].subject(), "café");
    assert!(commits[2].subject().ends_with('a'));
    assert_eq!(commits[3].subject(), "");
}

#[test]
fn settings_of_the_user_change_nothing() {
    let stream = [
        commit("main", 1, 1, "One", &file("a.txt", "one\ntwo\nthree\nfour\n")),
        commit("main", 2, 2, "Two", "R a.txt b.txt\n"),
    ]
    .concat();
    let fixture = Fixture::imported(stream);
    let before = all(&fixture);
    for (key, value) in [
        ("diff.renames", "false"),
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("log.decorate", "full"),
        ("log.mailmap", "true"),
        ("format.pretty", "oneline"),
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("core.quotePath", "true"),
        ("core.pager", "false"),
        ("color.ui", "always"),
        ("blame.coloring", "highlightRecent"),
    ] {
        fixture.in_repo(&["config", key, value]);
    }
    assert_eq!(all(&fixture), before);
    let repo = fixture.repo();
    let request = BlameRequest {
        path: RepoPath::from("b.txt"),
        at: BlameAt::WorkTree,
        lines: None,
        follows_moves: true,
        ancestry: None,
    };
    assert_eq!(repo.blame(&request).unwrap().runs.len(), 1);
    let changes = repo.changes(Some(fixture.id("main~1")), fixture.id("main")).unwrap();
    assert_eq!(changes[0].similarity, Some(100));
}

#[test]
fn revisions_are_never_options() {
    let fixture = Fixture::imported(commit("main", 1, 1, "One", &file("a.txt", "1\n")));
    for rev in ["--help", "-h", "--git-dir", "", "a\0b", "main:a.txt", "no such", "@{"] {
        let error = fixture.repo().resolve(rev).unwrap_err();
        assert_eq!(error.code(), model::ErrorCode::NotFound, "{rev}: {error}");
    }
}
