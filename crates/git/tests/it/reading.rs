//! Commits, trees, blobs and differences.

use crate::fixture::{Fixture, commit, file};
use expect_test::{Expect, expect};
use git::{Blob, Change, LogOptions, Repo, RepoPath};

/// main: 1 2 ── 4(merge 3) 5; the branch `side` is 1 ─ 3.
fn merged() -> Fixture {
    let lines: String = (1..=9).map(|n| format!("line {n}\n")).collect();
    Fixture::imported(
        [
            commit("main", 1, 1000, "First", &(file("a.txt", &lines) + &file("b.txt", "b\n"))),
            commit("main", 2, 2000, "Second\n\nWith a body.", &file("b.txt", "b\nc\n")),
            commit("side", 3, 2500, "Aside", &format!("from :1\n{}", file("s.txt", "s\n"))),
            commit(
                "main",
                4,
                3000,
                "Merge branch 'side'",
                "from :2\nmerge :3\nM 100644 inline s.txt\ndata 2\ns\n\n",
            ),
            commit("main", 5, 4000, "Move a", "R a.txt dir/moved.txt\nD b.txt\n"),
        ]
        .concat(),
    )
}

fn shown(changes: &[Change]) -> String {
    changes
        .iter()
        .map(|change| format!("{} {} <- {}\n", change.kind.as_str(), change.path, change.old_path))
        .collect()
}

fn check_log(repo: &Repo, options: &LogOptions, expected: Expect) {
    let mut text = String::new();
    for commit in repo.log(options).unwrap() {
        let commit = commit.unwrap();
        text.push_str(&format!(
            "{} by {} at {} parents {}\n",
            commit.subject(),
            commit.author.name,
            commit.author.at.to_rfc3339(),
            commit.parents.len()
        ));
        text.push_str(&shown(&commit.changes));
    }
    expected.assert_eq(&text);
}

#[test]
fn a_log_has_every_commit_with_its_changes() {
    let fixture = merged();
    let options = LogOptions {
        heads: vec![fixture.id("main")],
        with_changes: true,
        is_oldest_first: true,
        ..LogOptions::default()
    };
    check_log(
        &fixture.repo(),
        &options,
        expect![[r#"
            First by Ada at 1970-01-01T00:16:40.000Z parents 0
            added a.txt <- a.txt
            added b.txt <- b.txt
            Second by Ada at 1970-01-01T00:33:20.000Z parents 1
            modified b.txt <- b.txt
            Aside by Ada at 1970-01-01T00:41:40.000Z parents 1
            added s.txt <- s.txt
            Merge branch 'side' by Ada at 1970-01-01T00:50:00.000Z parents 2
            Move a by Ada at 1970-01-01T01:06:40.000Z parents 1
            deleted b.txt <- b.txt
            renamed dir/moved.txt <- a.txt
        "#]],
    );
}

#[test]
fn a_log_since_known_heads_has_only_what_is_new() {
    let fixture = merged();
    let options = LogOptions {
        heads: vec![fixture.id("main")],
        known: vec![fixture.id("main~2")],
        ..LogOptions::default()
    };
    check_log(
        &fixture.repo(),
        &options,
        expect![[r#"
            Move a by Ada at 1970-01-01T01:06:40.000Z parents 1
            Merge branch 'side' by Ada at 1970-01-01T00:50:00.000Z parents 2
            Aside by Ada at 1970-01-01T00:41:40.000Z parents 1
        "#]],
    );
    assert!(fixture.repo().log(&LogOptions::default()).unwrap().next().is_none());
}

#[test]
fn a_log_that_is_not_read_to_the_end_ends_git() {
    let fixture = merged();
    let options = LogOptions { heads: vec![fixture.id("main")], ..LogOptions::default() };
    let mut log = fixture.repo().log(&options).unwrap();
    assert_eq!(log.next().unwrap().unwrap().subject(), "Move a");
    drop(log);
}

#[test]
fn a_commit_that_is_not_there_is_an_error_and_can_be_asked_for() {
    let fixture = merged();
    let absent = git::ObjectId::parse("1".repeat(40)).unwrap();
    let head = fixture.id("HEAD");
    assert_eq!(fixture.repo().existing(&[absent, head]).unwrap(), [head]);
    let options = LogOptions { heads: vec![absent], ..LogOptions::default() };
    assert!(fixture.repo().log(&options).unwrap().next().unwrap().is_err());
}

#[test]
fn files_and_their_content() {
    let fixture = merged();
    let repo = fixture.repo();
    let files = repo.files(fixture.id("main")).unwrap();
    let names: Vec<String> = files.iter().map(|f| format!("{} {}", f.path, f.size)).collect();
    assert_eq!(names, ["dir/moved.txt 63", "s.txt 2"]);
    let mut blobs = repo.blobs().unwrap();
    let content = Blob::Content(b"s\n".to_vec());
    assert_eq!(blobs.read(files[1].id, 2).unwrap(), content);
    let absent = git::ObjectId::parse("1".repeat(40)).unwrap();
    assert_eq!(blobs.read(absent, 2).unwrap(), Blob::Missing);
    assert_eq!(blobs.read(files[1].id, 2).unwrap(), content);
    let head = fixture.id("HEAD");
    let mut file = |path: &str| blobs.read_file(head, &RepoPath::from(path), 2).unwrap();
    assert_eq!(file("s.txt"), content);
    assert_eq!(file("not there"), Blob::Missing);
    assert_eq!(file("dir"), Blob::Missing);
    assert_eq!(file("dir/moved.txt"), Blob::TooLarge(63));
    assert_eq!(file("s.txt"), content);
}

#[test]
fn a_huge_file_is_not_read() {
    let huge = "x".repeat(20 << 20);
    let files = file("huge", &huge) + &file("small", "s\n");
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &files));
    let mut blobs = fixture.repo().blobs().unwrap();
    let head = fixture.id("HEAD");
    for _ in 0..2 {
        let huge = blobs.read_file(head, &RepoPath::from("huge"), 1 << 20).unwrap();
        assert_eq!(huge, Blob::TooLarge(20 << 20));
        let small = blobs.read_file(head, &RepoPath::from("small"), 1 << 20).unwrap();
        assert_eq!(small, Blob::Content(b"s\n".to_vec()));
    }
}

#[test]
fn differences_follow_renames() {
    let fixture = merged();
    let repo = fixture.repo();
    let changes = repo.changes(Some(fixture.id("main~1")), fixture.id("main")).unwrap();
    assert_eq!(shown(&changes), "deleted b.txt <- b.txt\nrenamed dir/moved.txt <- a.txt\n");
    let all = repo.changes(None, fixture.id("main~3")).unwrap();
    assert_eq!(shown(&all), "added a.txt <- a.txt\nadded b.txt <- b.txt\n");
}

#[test]
fn hunks_pair_old_lines_with_new() {
    let fixture = merged();
    let path = git::RepoPath::from("b.txt");
    let now = (fixture.id("main~2"), &path);
    let hunks = fixture.repo().hunks((fixture.id("main~3"), &path), now).unwrap();
    assert_eq!(hunks, [git::Hunk { old_start: 1, old_len: 0, start: 2, len: 1 }]);
}

#[test]
fn ancestry_and_landings() {
    let fixture = merged();
    let repo = fixture.repo();
    let [side, main, merge, second] =
        ["side", "main", "main~1", "main~2"].map(|rev| fixture.id(rev));
    assert!(repo.is_ancestor(side, main).unwrap());
    assert!(!repo.is_ancestor(main, side).unwrap());
    let gone = git::ObjectId::parse("1".repeat(40)).unwrap();
    assert!(!repo.is_ancestor(gone, main).unwrap());
    assert!(!repo.is_ancestor(main, gone).unwrap());
    assert_eq!(repo.merge_base(side, second).unwrap(), Some(fixture.id("main~3")));
    assert_eq!(repo.parents(merge).unwrap(), [second, side]);
    for (commit, landing) in [(side, merge), (merge, merge), (second, second), (main, main)] {
        assert_eq!(repo.landing(commit, main).unwrap(), Some(landing));
    }
    assert_eq!(repo.landing(main, side).unwrap(), None);
    assert_eq!(repo.root(main).unwrap(), Some(fixture.id("main~3")));
}
