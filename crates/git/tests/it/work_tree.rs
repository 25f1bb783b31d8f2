//! What a work tree has that its commit has not, told without running git on it.

use crate::fixture::{Fixture, commit, file};
use git::{BlameAt, BlameRequest, RepoPath, WorkTreeContent};
use std::path::Path;

/// Changed files, each with what it has now.
fn changes(fixture: &Fixture) -> Vec<String> {
    let changes = fixture.repo().work_tree_changes(fixture.id("HEAD"), 1000, |_| true).unwrap();
    let content = |content: Option<WorkTreeContent>| match content {
        Some(WorkTreeContent::Bytes(id, bytes)) => {
            assert_eq!(id, fixture.id("HEAD").of_blob_like(&bytes));
            String::from_utf8_lossy(&bytes).replace('\n', "|")
        }
        Some(WorkTreeContent::TooLarge(size)) => format!("{size} bytes"),
        None => "gone".to_owned(),
    };
    changes.into_iter().map(|it| format!("{}: {}", it.path, content(it.content))).collect()
}

fn two_files() -> Fixture {
    let files = file("a.txt", "one\ntwo\n") + &file("sub/b.txt", "b\n");
    Fixture::imported(commit("main", 1, 1000, "First", &files))
}

fn write(fixture: &Fixture, path: &str, text: impl AsRef<[u8]>) {
    let place = fixture.path().join(path);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

/// Makes git forget what it knows about the files, so that all are read.
fn forget_times(fixture: &Fixture) {
    fixture.in_repo(&["read-tree", "HEAD"]);
}

#[test]
fn a_clean_work_tree_has_no_changes() {
    let fixture = two_files();
    assert_eq!(changes(&fixture), [""; 0]);
    forget_times(&fixture);
    assert_eq!(changes(&fixture), [""; 0]);
}

#[test]
fn changed_new_and_deleted_files_are_told() {
    let fixture = two_files();
    write(&fixture, "a.txt", "ONE\ntwo\n");
    std::fs::remove_file(fixture.path().join("sub/b.txt")).unwrap();
    write(&fixture, "new/c.txt", "c\n");
    write(&fixture, "large.txt", "x".repeat(1001));
    write(&fixture, ".gitignore", "*.log\n");
    write(&fixture, "x.log", "no\n");
    assert_eq!(
        changes(&fixture),
        [
            ".gitignore: *.log|",
            "a.txt: ONE|two|",
            "large.txt: 1001 bytes",
            "new/c.txt: c|",
            "sub/b.txt: gone"
        ]
    );
}

/// The size and, within the tick of a clock, the times are the same.
#[test]
fn a_change_right_after_the_index_was_written_is_seen() {
    for _ in 0..20 {
        let fixture = two_files();
        write(&fixture, "a.txt", "two\none\n");
        assert_eq!(changes(&fixture), ["a.txt: two|one|"]);
    }
}

#[test]
fn staged_changes_are_told_against_the_commit() {
    let fixture = two_files();
    write(&fixture, "a.txt", "staged\n");
    write(&fixture, "new.txt", "new\n");
    fixture.in_repo(&["add", "."]);
    fixture.in_repo(&["rm", "--quiet", "--cached", "sub/b.txt"]);
    assert_eq!(changes(&fixture), ["a.txt: staged|", "new.txt: new|", "sub/b.txt: b|"]);
    // Staged, and taken back in the work tree.
    write(&fixture, "a.txt", "one\ntwo\n");
    assert_eq!(changes(&fixture), ["new.txt: new|", "sub/b.txt: b|"]);
}

#[test]
fn files_in_conflict_are_told_as_they_lie_there() {
    let stream = [
        commit("main", 1, 1000, "First", &file("a.txt", "one\n")),
        commit("main", 2, 2000, "Ours", &file("a.txt", "ours\n")),
        commit("side", 3, 2000, "Theirs", &format!("from :1\n{}", file("a.txt", "theirs\n"))),
    ];
    let fixture = Fixture::imported(stream.concat());
    fixture.in_repo_may_fail(&["merge", "--quiet", "side"]);
    let [change] = changes(&fixture).try_into().unwrap();
    assert!(change.contains("<<<<<<<") && change.contains("theirs"), "{change}");
}

#[test]
fn line_ends_that_git_converted_are_no_change() {
    let fixture = two_files();
    fixture.in_repo(&["config", "core.autocrlf", "true"]);
    write(&fixture, "a.txt", "one\r\ntwo\r\n");
    assert_eq!(changes(&fixture), [""; 0]);
    write(&fixture, "a.txt", "one\r\ntwo\r\nthree\r\n");
    assert_eq!(changes(&fixture), ["a.txt: one\r|two\r|three\r|"]);
    let blame = blame(&fixture, "a.txt");
    assert_eq!(blame, ["1+2 First: one two", "3+1 not committed: three"]);
}

fn blame(fixture: &Fixture, path: &str) -> Vec<String> {
    let request = BlameRequest {
        path: RepoPath::from(path),
        at: BlameAt::WorkTree,
        lines: None,
        follows_moves: false,
        ancestry: None,
    };
    let runs = fixture.repo().blame(&request).unwrap().runs;
    let who = |run: &git::BlamedRun| match run.commit {
        Some(_) => run.summary.clone(),
        None => "not committed".to_owned(),
    };
    runs.iter()
        .map(|run| format!("{}+{} {}: {}", run.line, run.len, who(run), run.text.join(" ")))
        .collect()
}

/// What a file with a filter is in a commit only a program knows.
#[test]
fn files_with_a_filter_are_never_changed() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    let files = file(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
        + &file("a.bin", pointer)
        + &file("a.txt", "one\n");
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &files));
    write(&fixture, "a.bin", "the real thing\n");
    write(&fixture, "a.txt", "two\n");
    assert_eq!(changes(&fixture), ["a.txt: two|"]);
    assert_eq!(blame(&fixture, "a.bin").len(), 1);
    assert!(blame(&fixture, "a.bin")[0].starts_with("1+3 First"));
}

#[test]
fn files_that_are_not_checked_out_are_no_change() {
    let fixture = two_files();
    fixture.in_repo(&["sparse-checkout", "set", "--no-cone", "/a.txt"]);
    assert!(!fixture.path().join("sub/b.txt").exists());
    assert_eq!(changes(&fixture), [""; 0]);
}

#[test]
fn no_link_is_followed() {
    let fixture = two_files();
    std::fs::create_dir(fixture.beside("outside")).unwrap();
    std::fs::write(fixture.beside("outside/b.txt"), "secret\n").unwrap();
    let repo = fixture.path();
    std::fs::remove_dir_all(repo.join("sub")).unwrap();
    std::fs::remove_file(repo.join("a.txt")).unwrap();
    let link = |to: &Path, from: &str| std::os::unix::fs::symlink(to, repo.join(from)).unwrap();
    link(&fixture.beside("outside"), "sub");
    link(&fixture.beside("outside/b.txt"), "a.txt");
    link(&fixture.beside("outside/b.txt"), "new.txt");
    assert_eq!(changes(&fixture), ["a.txt: gone", "sub/b.txt: gone"]);
    // A link that is committed is its target, as a text.
    fixture.in_repo(&["add", "a.txt"]);
    fixture.in_repo(&["commit", "--quiet", "-m", "Link"]);
    assert_eq!(changes(&fixture), ["sub/b.txt: gone"]);
    forget_times(&fixture);
    assert_eq!(changes(&fixture), ["sub/b.txt: gone"]);
    let target = fixture.beside("outside/b.txt").display().to_string();
    assert_eq!(blame(&fixture, "a.txt"), [format!("1+1 Link: {target}")]);
}

#[test]
fn a_pipe_is_no_file() {
    let fixture = two_files();
    std::fs::remove_file(fixture.path().join("a.txt")).unwrap();
    let pipe = fixture.path().join("a.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(changes(&fixture), ["a.txt: gone"]);
}

#[test]
fn lines_of_a_changed_file_keep_their_commits() {
    let numbers = |n: u32| (1..=n).map(|n| format!("line {n}\n")).collect::<String>();
    let fixture = Fixture::imported(
        [
            commit("main", 1, 1000, "First", &file("a.txt", &numbers(3))),
            commit("main", 2, 2000, "Second", &file("a.txt", &numbers(6))),
        ]
        .concat(),
    );
    write(&fixture, "a.txt", "top\nline 2\nline 3\nline 4\nmiddle\nline 5\nline 6\nend");
    assert_eq!(
        blame(&fixture, "a.txt"),
        [
            "1+1 not committed: top",
            "2+2 First: line 2 line 3",
            "4+1 Second: line 4",
            "5+1 not committed: middle",
            "6+2 Second: line 5 line 6",
            "8+1 not committed: end",
        ]
    );
}

#[test]
fn a_file_that_is_only_staged_is_blamed() {
    let fixture = two_files();
    fixture.in_repo(&["mv", "a.txt", "moved.txt"]);
    write(&fixture, "new.txt", "quite another thing\n");
    fixture.in_repo(&["add", "new.txt"]);
    assert_eq!(blame(&fixture, "moved.txt"), ["1+2 First: one two"]);
    assert_eq!(blame(&fixture, "new.txt"), ["1+1 not committed: quite another thing"]);
}

#[test]
fn a_file_named_like_a_revision_is_a_file() {
    let files = file("HEAD", "one\n") + &file("main", "one\n");
    let fixture = Fixture::imported(commit("main", 1, 1000, "First", &files));
    write(&fixture, "HEAD", "two\n");
    write(&fixture, "main", "two\n");
    assert_eq!(changes(&fixture), ["HEAD: two|", "main: two|"]);
    assert_eq!(blame(&fixture, "HEAD"), ["1+1 not committed: two"]);
}
