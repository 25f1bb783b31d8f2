//! `lore diff`, `lore tests` and `lore history` on what goes wrong in real clones:
//! each answers or says what to do next.

use crate::BINARY;
use testkit::{Output, Site, TestEnv};

/// Runs a script in the folder `repo`, after `git init` there.
fn repo(script: &str) -> TestEnv {
    let env = TestEnv::new(BINARY);
    let dir = env.dir().join("repo");
    std::fs::create_dir_all(&dir).unwrap();
    let _ = env.shell(&dir, "git init -q -b main", "").success();
    run(&env, script);
    env
}

fn run(env: &TestEnv, script: &str) {
    let script = format!(
        "set -e\nexport GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=a@example.com \
         GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=a@example.com \
         GIT_AUTHOR_DATE=2024-05-01T10:00:00Z GIT_COMMITTER_DATE=2024-05-01T10:00:00Z\n\
         save() {{ git add -A && git commit -q -m \"$1\"; }}\n{script}"
    );
    let _ = env.shell(&env.dir().join("repo"), &script, "").success();
}

fn lore(env: &TestEnv, args: &[&str]) -> Output {
    env.lore_in(&env.dir().join("repo"), args, "")
}

#[test]
fn an_unknown_revision_is_told_with_the_nearest_branch() {
    let env = repo("echo 'def a(): pass' > a.py; save one; git branch release-2");
    for args in [
        &["diff", "relaese-2"][..],
        &["diff", "main", "relaese-2"],
        &["tests", "--base", "relaese-2"],
        &["history", "a.py#a", "--at", "relaese-2"],
    ] {
        let told = lore(&env, args).failure(17).to_string();
        assert!(told.contains("no commit `relaese-2`"), "{args:?}: {told}");
        assert!(told.contains("did you mean release-2?"), "{args:?}: {told}");
    }
}

#[test]
fn unrelated_histories_are_compared_as_they_are() {
    let env = repo(
        "echo 'def a(): pass' > a.py; save one
         git checkout -q --orphan other; git rm -q -rf .; echo 'def b(): return 2' > b.py; save two",
    );
    let told = lore(&env, &["diff", "main", "other"]).success().to_string();
    assert!(told.contains("the histories are unrelated; compared as they are"), "{told}");
    assert!(told.contains("function b  added"), "{told}");
}

#[test]
fn a_shallow_clone_without_a_merge_base_says_how_to_get_it() {
    let env = repo(
        "echo 'def a(): pass' > a.py; save one
         git checkout -q -b side; echo 'def b(): pass' > b.py; save two
         git checkout -q main; echo 'def c(): pass' > c.py; save three
         git clone -q --depth 1 --no-single-branch \"file://$PWD\" ../shallow",
    );
    let dir = env.dir().join("shallow");
    let told = env.lore_in(&dir, &["diff", "main", "origin/side"], "").success().to_string();
    assert!(told.contains("this clone is shallow and has no merge base"), "{told}");
    assert!(told.contains("git fetch --unshallow"), "{told}");
}

#[test]
fn binary_and_generated_files_are_named_and_not_compared() {
    let env = repo(
        "echo 'def a(): pass' > a.py; printf 'x\\0y' > blob.py; mkdir -p node_modules/x
         echo 'function f() {}' > node_modules/x/index.js; save one
         echo 'def a(): return 1' > a.py; printf 'x\\0z' > blob.py
         echo 'function g() {}' > node_modules/x/index.js; save two",
    );
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]).success().stdout;
    assert!(told.contains("~ function a  body"), "{told}");
    assert!(told.contains("blob.py: not compared, binary"), "{told}");
    assert!(told.contains("node_modules/x/index.js: not compared, vendored"), "{told}");
    assert!(!told.contains("function f") && !told.contains("function g"), "{told}");
}

/// What the index leaves out by the repository's own rules, a comparison told as changed.
#[test]
fn what_the_repository_calls_generated_is_not_compared() {
    let env = repo(
        "mkdir -p gen app; echo '* linguist-generated' > gen/.gitattributes
         echo 'def a(): pass' > gen/a.py; echo 'def b(): pass' > app/b.py; save one
         echo 'def a(): return 1' > gen/a.py; echo 'def b(): return 1' > app/b.py; save two",
    );
    let told = lore(&env, &["diff", "HEAD~1..HEAD"]).success().stdout;
    assert!(told.contains("~ function b  body"), "{told}");
    assert!(told.contains("gen/a.py: not compared, generated"), "{told}");
    assert!(!told.contains("function a"), "{told}");
    let three_dots = lore(&env, &["diff", "HEAD~1..."]).success().stdout;
    assert!(three_dots.contains("~ function b  body"), "{three_dots}");
}

#[test]
fn a_file_that_does_not_parse_is_named_whichever_side_it_is_on() {
    let broken = "def a(:\\n    return (((\\n";
    let env = repo(&format!(
        "printf 'def a():\\n    return 1\\n' > a.py; save one
         printf '{broken}' > a.py; save two
         printf 'def a():\\n    return 1\\n' > a.py; save three",
    ));
    let told = lore(&env, &["diff", "HEAD~2", "HEAD~1"]).success().stdout;
    assert!(told.contains("a.py: read in part: line 1 is not understood"), "{told}");
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]).success().stdout;
    assert!(told.contains("a.py: read in part before: line 1 is not understood"), "{told}");
}

#[test]
fn modes_and_submodules_are_no_changes_of_symbols() {
    let env = repo(
        "echo 'def a(): pass' > a.py; save one
         chmod +x a.py
         git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib
         git add a.py; git commit -q -m two",
    );
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]).success().stdout;
    assert!(told.contains("2 files, no symbol changed"), "{told}");
    let told = lore(&env, &["diff", "HEAD~1", "HEAD", "--json"]).success().stdout;
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["data"]["changes"].as_array().map(Vec::len), Some(0), "{told}");
}

#[test]
fn a_change_of_very_many_files_is_told_in_part_and_says_so() {
    let env = repo(
        "echo x > readme; save one
         i=0; while [ $i -lt 5003 ]; do echo \"a$i = $i\" > f$i.py; i=$((i+1)); done; save two",
    );
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]).success().stdout;
    assert!(told.contains("5,003 files; symbols: 5000 added"), "{told}");
    assert!(told.contains("not compared, the change is too large"), "{told}");
    assert!(told.lines().count() < 60, "one screen: {told}");
}

const ABSENT: &str = r#"
user ada "Ada Larsen"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-09T09:00
  write tide/level.py
    | def level(port, at):
    |     return at
  write tests/test_level.py
    | from tide.level import level
    |
    | def test_level():
    |     assert level(1, 2) == 2
mr !1 "Levels by day" by ada at 2024-01-10T09:00 from days
  commit "Ask for a day" +5m
    edit tide/level.py
      - def level(port, at):
      + def level(port, day, at):
"#;

#[test]
fn a_merge_request_whose_commits_are_not_here_names_the_fetch_to_run() {
    let site = Site::with_clones(BINARY, ABSENT);
    site.sync();
    let dir = site.env.dir().join("harbor/tide");
    // Only the main branch stays; its objects alone are copied.
    let script = "set -e; git clone -q --single-branch -b main --no-local . ../only-main
        cd ../only-main; git remote set-url origin \"$(git -C ../tide remote get-url origin)\"";
    let _ = site.env.shell(&dir, script, "").success();
    let dir = site.env.dir().join("harbor/only-main");
    for command in ["diff", "tests"] {
        let told = site.env.lore_in(&dir, &[command, "--mr", "1"], "").failure(17).to_string();
        assert!(told.contains("the commits of !1 are not in this clone"), "{told}");
        assert!(told.contains("git fetch origin refs/merge-requests/1/head"), "{told}");
    }
}

#[test]
fn tests_of_a_merge_request_are_those_its_commits_affect() {
    let site = Site::with_clones(BINARY, ABSENT);
    site.sync();
    let dir = site.env.dir().join("harbor/tide");
    let _ = site.env.lore_in(&dir, &["index", "-q"], "").success();
    let told = site.env.lore_in(&dir, &["tests", "--mr", "1"], "").success().stdout;
    assert!(told.contains("tests/test_level.py  uses level"), "{told}");
    let listed = ["tests", "--mr", "1", "--format", "list"];
    let told = site.env.lore_in(&dir, &listed, "").success().stdout;
    assert_eq!(told, "tests/test_level.py\n");
    let told = site.env.lore_in(&dir, &["tests", "--mr", "7"], "").to_string();
    assert!(told.contains('7') && told.contains("error"), "{told}");
}
