//! Lines and the commits they come from.

use crate::fixture::{Fixture, commit, file};
use expect_test::{Expect, expect};
use git::{BlameAt, BlameRequest, Repo, RepoPath};
use model::ErrorCode;

fn lines(range: std::ops::RangeInclusive<u32>) -> String {
    range.map(|n| format!("    the line with number {n} of this file\n")).collect()
}

fn check(repo: &Repo, path: &str, at: BlameAt, range: Option<(u64, u64)>, expected: Expect) {
    let request = BlameRequest {
        path: RepoPath::from(path),
        at,
        lines: range,
        follows_moves: true,
        ancestry: None,
    };
    let mut text = String::new();
    for run in repo.blame(&request).unwrap().runs {
        let commit = run.commit.map_or_else(|| "not committed".to_owned(), |_| run.summary.clone());
        text.push_str(&format!(
            "{}+{} {commit}: {}:{} before {:?}\n",
            run.line,
            run.len,
            run.original_path,
            run.original_line,
            run.previous.map(|(_, path)| path)
        ));
        assert_eq!(run.text.len() as u64, run.len);
    }
    expected.assert_eq(&text);
}

#[test]
fn lines_are_followed_through_renames_and_moves() {
    let fixture = Fixture::imported(
        [
            commit("main", 1, 1000, "First", &file("old.txt", &lines(1..=9))),
            commit("main", 2, 2000, "Rename", "R old.txt new.txt\n"),
            commit(
                "main",
                3,
                3000,
                "Move to another file",
                &(file("new.txt", &lines(1..=6)) + &file("third.txt", &lines(7..=9))),
            ),
            commit("main", 4, 4000, "Add a line", &file("new.txt", &(lines(1..=6) + "last\n"))),
        ]
        .concat(),
    );
    let repo = fixture.repo();
    check(
        &repo,
        "new.txt",
        BlameAt::WorkTree,
        Some((5, 7)),
        expect![[r#"
            5+2 First: old.txt:5 before None
            7+1 Add a line: new.txt:7 before Some("new.txt")
        "#]],
    );
    check(
        &repo,
        "third.txt",
        BlameAt::Commit(fixture.id("HEAD")),
        None,
        expect![[r#"
            1+3 First: old.txt:7 before None
        "#]],
    );
}

#[test]
fn lines_not_committed_have_no_commit() {
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &file("a.txt", "one\ntwo\n")));
    std::fs::write(fixture.path().join("a.txt"), "zero\none\ntwo\n").unwrap();
    check(
        &fixture.repo(),
        "a.txt",
        BlameAt::WorkTree,
        Some((1, 2)),
        expect![[r#"
            1+1 not committed: a.txt:1 before Some("a.txt")
            2+1 First: a.txt:1 before None
        "#]],
    );
}

/// A repository whose second commit only changes the indentation.
fn reformatted(list: &str) -> Fixture {
    let fixture = Fixture::imported(
        [
            commit("main", 1, 1000, "Write", &file("a.txt", "if x {\ny();\n}\n")),
            commit("main", 2, 2000, "Reformat", &file("a.txt", "if x {\n    y();\n}\n")),
        ]
        .concat(),
    );
    let list = list.replace("REFORMAT", &fixture.id("HEAD").to_string());
    std::fs::write(fixture.path().join(".git-blame-ignore-revs"), list).unwrap();
    fixture
}

#[test]
fn commits_to_look_through_are_looked_through() {
    let fixture = reformatted("# layout\nREFORMAT\n");
    let expected = expect![[r#"
        2+1 Write: a.txt:2 before None
    "#]];
    check(&fixture.repo(), "a.txt", BlameAt::WorkTree, Some((2, 2)), expected);
    // In a bare clone the list is read from the newest commit.
    fixture.in_repo(&["add", ".git-blame-ignore-revs"]);
    fixture.in_repo(&["commit", "--quiet", "-m", "List"]);
    fixture.git(&["clone", "--quiet", "--bare", "repo", "bare.git"]);
    let bare = Repo::open(&fixture.beside("bare.git")).unwrap();
    let head = BlameAt::Commit(fixture.id("HEAD"));
    let expected = expect![[r#"
        2+1 Write: a.txt:2 before None
    "#]];
    check(&bare, "a.txt", head, Some((2, 2)), expected);
}

#[test]
fn a_list_that_cannot_be_read_is_left_aside() {
    let fixture = reformatted("this is no commit\n");
    let request = BlameRequest {
        path: RepoPath::from("a.txt"),
        at: BlameAt::WorkTree,
        lines: Some((2, 2)),
        follows_moves: true,
        ancestry: None,
    };
    let blame = fixture.repo().blame(&request).unwrap();
    assert_eq!(blame.runs[0].summary, "Reformat");
    assert!(!blame.uses_ignore_revs);
}

#[test]
fn lines_and_files_that_are_not_there_are_said() {
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &file("a.txt", "one\n")));
    for (path, range, message) in [
        ("a.txt", Some((5, 5)), "`a.txt` has only 1 lines"),
        ("b.txt", None, "no file `b.txt` here"),
        ("--help", None, "no file `--help` here"),
    ] {
        for at in [BlameAt::WorkTree, BlameAt::Commit(fixture.id("HEAD"))] {
            let request = BlameRequest {
                path: RepoPath::from(path),
                at,
                lines: range,
                follows_moves: true,
                ancestry: None,
            };
            let error = fixture.repo().blame(&request).unwrap_err();
            assert_eq!(error.code(), ErrorCode::NotFound, "{error}");
            assert_eq!(error.message(), message);
        }
    }
}

#[test]
fn a_configured_list_that_is_missing_is_said() {
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &file("a.txt", "one\n")));
    fixture.in_repo(&["config", "blame.ignoreRevsFile", "no-such-file"]);
    let request = BlameRequest {
        path: RepoPath::from("a.txt"),
        at: BlameAt::WorkTree,
        lines: None,
        follows_moves: true,
        ancestry: None,
    };
    let error = fixture.repo().blame(&request).unwrap_err();
    assert!(error.suggestion().unwrap().contains("blame.ignoreRevsFile"), "{error:?}");
}
