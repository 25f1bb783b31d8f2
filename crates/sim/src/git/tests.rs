//! Histories written by the real git and read back by it.

use super::{
    FileChange, GitError, History, Hunk, MergeAs, MergeStyle, Signature, command, file_changes,
    merge_message, write_repo, written,
};
use crate::scenario::parse;
use model::Timestamp;
use std::path::Path;

fn git(dir: &Path, args: &[&str]) -> String {
    let output = command(dir).args(args).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + minute * 60_000)
}

fn ada(minute: i64) -> Signature {
    Signature::new("Ada", "ada@x.example", at(minute))
}

fn bo(minute: i64) -> Signature {
    Signature::new("Bo", "bo@x.example", at(minute))
}

/// Two commits on main, two on a branch that started after the first.
fn two_branches() -> History {
    let mut history = History::new("main");
    history.commit("main", &ada(0), "First\n", &written(&[("a.txt", "1\n2\n3\n4\n5\n")])).unwrap();
    history.branch("topic", "main").unwrap();
    let edit = |old: &str, new: &str| {
        let hunk = Hunk { old: vec![old.to_owned()], new: vec![new.to_owned()] };
        vec![FileChange::Edit { path: "a.txt".to_owned(), hunks: vec![hunk] }]
    };
    history.commit("topic", &bo(1), "Two\n", &edit("2", "two")).unwrap();
    history.commit("topic", &bo(2), "New file\n", &written(&[("dir/b.txt", "b\n")])).unwrap();
    history.commit("main", &ada(3), "Five\n", &edit("5", "five")).unwrap();
    history
}

fn merged(style: MergeStyle) -> History {
    let mut history = two_branches();
    let message = merge_message("topic", "main", "The topic", &[], "g/p", 3);
    let how = MergeAs {
        style,
        by: &ada(10),
        author: &bo(10),
        message: &message,
        squash_message: "The topic\n",
    };
    history.merge("topic", "main", how).unwrap();
    history.delete_branch("topic");
    history
}

fn check_merge(style: MergeStyle, graph: &str) {
    let dir = tempfile::tempdir().unwrap();
    merged(style).write(dir.path()).unwrap();
    let format = "--format=%s %an/%cn|%p";
    let log = git(dir.path(), &["log", "--topo-order", "--reverse", format, "main"]);
    // Parents by count, not by name: the names are compared elsewhere.
    let shape: Vec<String> = log
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(words, parents)| format!("{words} ^{}", parents.split_whitespace().count()))
        .collect();
    assert_eq!(shape.join("\n"), graph.trim_matches('\n'), "{style:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.txt")).unwrap(), "1\ntwo\n3\n4\nfive\n");
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "");
    assert_eq!(git(dir.path(), &["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_merge_commit_keeps_the_commits() {
    check_merge(
        MergeStyle::Merge,
        "
First Ada/Ada ^0
Five Ada/Ada ^1
Two Bo/Bo ^1
New file Bo/Bo ^1
Merge branch 'topic' into 'main' Ada/Ada ^2
",
    );
}

#[test]
fn a_squash_is_one_commit_and_a_merge() {
    check_merge(
        MergeStyle::Squash,
        "
First Ada/Ada ^0
Five Ada/Ada ^1
The topic Bo/Ada ^1
Merge branch 'topic' into 'main' Ada/Ada ^2
",
    );
}

#[test]
fn a_rebase_rewrites_the_commits() {
    check_merge(
        MergeStyle::Rebase,
        "
First Ada/Ada ^0
Five Ada/Ada ^1
Two Bo/Ada ^1
New file Bo/Ada ^1
",
    );
}

#[test]
fn a_fast_forward_needs_a_target_that_stood_still() {
    let mut history = two_branches();
    let how = MergeAs {
        style: MergeStyle::FastForward,
        by: &ada(10),
        author: &bo(10),
        message: "",
        squash_message: "",
    };
    let error = history.merge("topic", "main", how).unwrap_err();
    assert!(matches!(error, GitError::NotFastForward { .. }), "{error}");

    history.branch("later", "main").unwrap();
    let tip = history.commit("later", &bo(11), "Later\n", &written(&[("c", "c\n")])).unwrap();
    let merged = history.merge("later", "main", how).unwrap();
    assert_eq!((merged.merge_commit, history.tip("main")), (None, Some(tip)));
}

#[test]
fn conflicts_and_wrong_edits_are_refused() {
    let mut history = two_branches();
    history.branch("clash", "main").unwrap();
    history
        .commit("clash", &ada(4), "x\n", &written(&[("a.txt", "1\nTWO\n3\n4\nfive\n")]))
        .unwrap();
    history.commit("main", &ada(5), "y\n", &written(&[("a.txt", "1\nDUE\n3\n4\nfive\n")])).unwrap();
    let how = MergeAs {
        style: MergeStyle::Merge,
        by: &ada(10),
        author: &bo(10),
        message: "m\n",
        squash_message: "",
    };
    let error = history.merge("clash", "main", how).unwrap_err();
    assert_eq!(error, GitError::Conflict { path: "a.txt".to_owned() });

    let wrong = |history: &mut History, change: FileChange| {
        history.commit("main", &ada(6), "z\n", &[change]).unwrap_err().to_string()
    };
    let path = "a.tx".to_owned();
    assert_eq!(
        wrong(&mut history, FileChange::Delete { path }),
        "there is no file `a.tx` here, did you mean `a.txt`?"
    );
    let hunks = vec![Hunk { old: vec!["nowhere".to_owned()], new: vec![] }];
    assert_eq!(
        wrong(&mut history, FileChange::Edit { path: "a.txt".to_owned(), hunks }),
        "`a.txt` has no such lines: `nowhere`"
    );
    let to = "a.txt/inside".to_owned();
    assert_eq!(
        wrong(&mut history, FileChange::Write { path: to, contents: "x\n".to_owned() }),
        "`a.txt/inside` would be a file and a folder at once"
    );
}

#[test]
fn commit_ids_are_those_git_computes() {
    let dir = tempfile::tempdir().unwrap();
    let history = merged(MergeStyle::Squash);
    history.write(dir.path()).unwrap();
    let tip = history.tip("main").unwrap();
    assert_eq!(git(dir.path(), &["rev-parse", "main"]), history.sha(tip));
    // Written down, so that a change to how histories are made is noticed.
    assert_eq!(history.sha(tip), "9f71ceea90866c09e4f26daa16ab06d75e5c6c39");
}

#[test]
fn unusual_names_survive() {
    let dir = tempfile::tempdir().unwrap();
    let mut history = History::new("trunk");
    let who = Signature::new("Zoë <x>\n", "z@x", at(0));
    let files = written(&[("ä ö/ü.txt", "no line end"), ("a-b", "1\n"), ("a/b", "2\n"), ("e", "")]);
    history.commit("trunk", &who, "Ünïcode\n\nbody\n", &files).unwrap();
    history.write(dir.path()).unwrap();
    let names = git(dir.path(), &["-c", "core.quotePath=false", "ls-files"]);
    assert_eq!(names, "a-b\na/b\ne\nä ö/ü.txt");
    assert_eq!(git(dir.path(), &["log", "--format=%an|%s|%b"]), "Zoë x|Ünïcode|body");
    assert_eq!(git(dir.path(), &["symbolic-ref", "HEAD"]), "refs/heads/trunk");
}

#[test]
fn diffs_are_those_gitlab_shows() {
    let mut history = two_branches();
    let old = history.tip("main").unwrap();
    let rename = FileChange::Rename { from: "a.txt".to_owned(), to: "z.txt".to_owned() };
    let new = history.commit("main", &ada(9), "r\n", &[rename]).unwrap();
    let newer = history.commit("main", &ada(9), "n\n", &written(&[("n", "x\n")])).unwrap();
    let show = |from, to| {
        file_changes(history.tree(from), history.tree(to))
            .iter()
            .map(|change| {
                let kind = match (change.new_file, change.renamed_file, change.deleted_file) {
                    (true, ..) => "new",
                    (_, true, _) => "renamed",
                    (.., true) => "deleted",
                    _ => "changed",
                };
                format!("{kind} {}=>{} {:?}", change.old_path, change.new_path, change.diff)
            })
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(show(old, new), r#"renamed a.txt=>z.txt """#);
    assert_eq!(show(new, newer), r#"new n=>n "@@ -0,0 +1 @@\n+x\n""#);
    assert_eq!(show(newer, new), r#"deleted n=>n "@@ -1 +0,0 @@\n-x\n""#);
    let first = history.merge_base(old, history.tip("topic").unwrap()).unwrap();
    assert_eq!(
        show(first, old),
        r#"changed a.txt=>a.txt "@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n""#
    );
}

#[test]
fn a_scenario_becomes_a_repository() {
    let text = r#"
project g/p
commit "Import" by ada at 2024-01-01T09:00
  write src/lib.rs
    | mod auth;
    |
    | fn main() {}
mr !1 "Say hello" by bo at 2024-01-02T09:00 from hello
  | Closes #7
  commit "Greet"
    edit src/lib.rs
      - fn main() {}
      + fn main() { hello() }
  commit "Move it" +1h
    rename src/lib.rs => src/main.rs
  merge by ada +1d
mr !2 "Never mind" by bo at 2024-01-04 from idea
  commit "Idea"
    write idea.txt
      | ?
"#;
    let dir = tempfile::tempdir().unwrap();
    write_repo(&parse(text, "test").unwrap(), "g/p", dir.path()).unwrap();
    let refs = git(dir.path(), &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(
        refs,
        "refs/heads/idea\nrefs/heads/main\nrefs/merge-requests/1/head\nrefs/merge-requests/2/head"
    );
    assert_eq!(
        git(dir.path(), &["log", "-1", "--format=%B"]),
        "Merge branch 'hello' into 'main'\n\nSay hello\n\nCloses #7\n\nSee merge request g/p!1"
    );
    let blame = git(dir.path(), &["blame", "-s", "--line-porcelain", "src/main.rs"]);
    let subjects: Vec<&str> =
        blame.lines().filter_map(|line| line.strip_prefix("summary ")).collect();
    assert_eq!(subjects, ["Import", "Import", "Greet"]);
    assert_eq!(
        git(dir.path(), &["log", "--follow", "--format=%s %at", "src/main.rs"]),
        "Move it 1704189600\nGreet 1704185400\nImport 1704099600"
    );
}
