//! A repository whose settings, attributes, objects or names mean harm: no
//! program runs, and what cannot be read is said.

use crate::BINARY;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Output, TestEnv};

/// Settings that name a program; `RUN` stands for one that leaves a trace.
const SETTINGS: &str = r#"
[core]
    fsmonitor = RUN core.fsmonitor
    hooksPath = HOOKS
    sshCommand = RUN core.sshCommand
    pager = RUN core.pager
    editor = RUN core.editor
    alternateRefsCommand = RUN core.alternateRefsCommand
[filter "x"]
    clean = RUN filter.clean
    smudge = RUN filter.smudge
    process = RUN filter.process
    required = true
[diff]
    external = RUN diff.external
[diff "x"]
    command = RUN diff.command
    textconv = RUN diff.textconv
[merge "x"]
    driver = RUN merge.driver
[log]
    showSignature = true
[gpg]
    program = RUN
[credential]
    helper = !RUN credential
[submodule "inner"]
    update = !RUN submodule.update
    active = true
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[url "ext::RUN insteadOf "]
    insteadOf = https://
[remote "origin"]
    url = ext::RUN remote.url
    uploadpack = RUN remote.uploadpack
    promisor = true
[extensions]
    partialClone = origin
"#;

fn sh(dir: &Path, script: &str) {
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(dir);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada");
        command.env(format!("GIT_{role}_EMAIL"), "ada@example.com");
        command.env(format!("GIT_{role}_DATE"), "1700000000 +0000");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A clone of two commits.
const CLONE: &str = r#"
    git init --quiet --initial-branch=main clone
    cd clone
    printf 'def first():\n    return 1\n\n\ndef second():\n    return first()\n' > a.py
    git add .; git commit --quiet -m First
    printf '\n\ndef third():\n    return second()\n' >> a.py
    git add .; git commit --quiet -m Second
"#;

/// The clone with a program behind everything that can have one, a submodule
/// that is as bad, and a file that is missing.
const TRAP: &str = r#"
    printf '#!/bin/sh\necho "$0 $*" >> "%s/ran"\nexit 1\n' "$PWD" > run
    chmod +x run; mkdir hooks
    for hook in pre-commit post-checkout post-index-change reference-transaction pre-auto-gc; do
        cp run hooks/$hook
    done
    cd clone
    git clone --quiet --no-local . inner
    git -c advice.addEmbeddedRepo=false add inner
    tree=$( (git ls-tree HEAD; printf '100644 blob 1111111111111111111111111111111111111111\tmissing.py\n') |
        git mktree --missing)
    git update-ref refs/heads/main $(git commit-tree -p HEAD -m Third $tree)
    for config in .git inner/.git; do
        sed -i 's/repositoryformatversion = 0/repositoryformatversion = 1/' $config/config
        cat ../settings >> $config/config
        mkdir -p $config/info
        echo '* filter=x diff=x merge=x' > $config/info/attributes
    done
    echo '* filter=x diff=x merge=x' > .gitattributes
    printf '\n\ndef fourth():\n    return third()\n' >> a.py
    cp a.py inner/a.py
    touch a.py inner/a.py
"#;

fn clone() -> (TestEnv, PathBuf) {
    let env = TestEnv::new(BINARY);
    sh(&env.dir(), CLONE);
    let clone = env.dir().join("clone");
    (env, clone)
}

fn trap() -> (TestEnv, PathBuf) {
    let (env, clone) = clone();
    let dir = env.dir().display().to_string();
    let settings =
        SETTINGS.replace("RUN", &format!("{dir}/run")).replace("HOOKS", &format!("{dir}/hooks"));
    env.write_file("settings", &settings);
    sh(&env.dir(), TRAP);
    (env, clone)
}

fn ran(env: &TestEnv) -> String {
    let trace = env.dir().join("ran");
    let text = std::fs::read_to_string(&trace).unwrap_or_default();
    drop(std::fs::remove_file(trace));
    text
}

const COMMANDS: &[&[&str]] = &[
    &["repo", "add", "."],
    &["index"],
    &["index", "--working-tree"],
    &["index", "--full", "--working-tree"],
    &["trace", "a.py:1-6"],
    &["trace", "a.py:14"],
    &["why", "a.py:6"],
    &["file-history", "a.py"],
    &["status"],
    &["stale"],
    &["stats"],
    &["sync"],
    &["experts", "a.py"],
    &["callers", "first"],
    &["remember", "--personal", "a thing"],
    &["recall", "thing"],
    &["doctor"],
];

#[test]
fn plain_git_runs_what_the_repository_names() {
    let (env, clone) = trap();
    sh(
        &clone,
        "git status > /dev/null 2>&1 || true; git blame --no-textconv a.py > /dev/null 2>&1 || true",
    );
    let ran = ran(&env);
    assert!(ran.contains("core.fsmonitor") && ran.contains("filter."), "{ran}");
}

#[test]
fn no_command_runs_a_program_that_a_repository_names() {
    let (env, clone) = trap();
    for dir in [clone.clone(), clone.join("inner")] {
        for args in COMMANDS {
            let output = env.lore_in(&dir, args, "");
            assert!(output.status.is_some(), "{args:?}: {output}");
            assert_eq!(ran(&env), "", "lore {args:?} in {}", dir.display());
        }
    }
    // The answers are there all the same.
    let indexed = env.lore_in(&clone, &["index", "--working-tree"], "");
    assert_eq!(indexed.status, Some(0), "{indexed}");
    let traced = env.lore_in(&clone, &["trace", "a.py:2"], "").success();
    assert!(traced.stdout.contains("First"), "{traced}");
}

/// What plain `git clone` can bring: a folder that git takes for a bare
/// repository, with settings of its own.
#[test]
fn a_bare_repository_inside_a_clone_has_no_say() {
    let (env, clone) = trap();
    sh(
        &env.dir(),
        "git init --quiet plain
         cp -r clone/.git plain/sub; cp clone/a.py plain/sub/a.py
         git config -f plain/sub/config core.worktree .
         cd plain; git add -f sub/HEAD sub/config sub/a.py; git commit --quiet -m Plain",
    );
    drop(clone);
    for args in COMMANDS {
        let output = env.lore_in(&env.dir().join("plain/sub"), args, "");
        assert!(output.status.is_some(), "{args:?}: {output}");
        assert_eq!(ran(&env), "", "lore {args:?}");
    }
    let traced = env.lore_in(&env.dir().join("plain/sub"), &["trace", "a.py:1"], "").success();
    assert!(traced.stdout.contains("Plain"), "{traced}");
}

#[test]
fn a_file_named_head_is_a_file() {
    let (env, clone) = clone();
    sh(&clone, "echo x > HEAD; echo x > main; git add .; git commit --quiet -m Names");
    sh(&clone, "printf 'def fifth():\n    return 5\n' > b.py; echo y > HEAD");
    let index = |args: &[&str]| -> Output { env.lore_in(&clone, args, "").success() };
    let _ = index(&["index", "--working-tree"]);
    let _ = index(&["index"]);
    let _ = index(&["index", "--working-tree"]);
}

#[test]
fn a_damaged_repository_is_said_to_be_damaged() {
    let (env, clone) = clone();
    sh(
        &clone,
        "git repack --quiet -a -d
         for pack in .git/objects/pack/*.pack; do
             size=$(wc -c < $pack); rm -f $pack; head -c $size /dev/zero > $pack
         done",
    );
    for args in [&["index"][..], &["index", "--working-tree"], &["repo", "add", "."]] {
        let output = env.lore_in(&clone, args, "").failure(19);
        assert!(output.stderr.contains("the repository is damaged"), "{args:?}: {output}");
    }
}

/// A file of 64 MB from a clone of a few kilobytes.
#[test]
fn a_huge_file_is_skipped_and_the_rest_is_indexed() {
    let (env, clone) = clone();
    sh(
        &clone,
        "head -c 67108864 /dev/zero | tr '\\0' '\\n' > huge.py
         cp huge.py CODEOWNERS; git add .; git commit --quiet -m Huge",
    );
    for args in [&["index"][..], &["index", "--working-tree"]] {
        let output = env.lore_in(&clone, args, "").success();
        assert!(output.to_string().contains("huge"), "{output}");
    }
    let output = env.lore_in(&clone, &["trace", "huge.py:1"], "");
    assert_eq!(output.status, Some(2), "{output}");
    assert!(output.stderr.contains("larger than 32 MB"), "{output}");
}

/// Opening a pipe waits for a writer that never comes: nothing below a work
/// tree may be opened so.
#[test]
fn pipes_in_a_work_tree_are_left_alone() {
    let (env, clone) = clone();
    sh(&clone, "rm a.py; mkfifo a.py new.py .git-blame-ignore-revs");
    let _ = env.lore_in(&clone, &["index", "--working-tree"], "").success();
    let output = env.lore_in(&clone, &["trace", "a.py:1"], "");
    assert!(output.status.is_some(), "{output}");
}
