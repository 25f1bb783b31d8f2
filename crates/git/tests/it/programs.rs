//! Whatever the settings and attributes of a repository say, no program runs.

use crate::fixture::{Fixture, commit, file};
use git::{BlameAt, BlameRequest, FileMode, LogOptions, Repo, RepoPath};
use std::path::Path;

/// Settings that name a program; `RUN` stands for one that leaves a trace.
const SETTINGS: &str = r#"
[core]
    fsmonitor = RUN core.fsmonitor
    hooksPath = HOOKS
    sshCommand = RUN core.sshCommand
    gitProxy = RUN
    pager = RUN core.pager
    editor = RUN core.editor
    askPass = RUN
    alternateRefsCommand = RUN core.alternateRefsCommand
[pager]
    log = RUN pager.log
    blame = RUN pager.blame
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
    cachetextconv = false
[merge "x"]
    driver = RUN merge.driver
[log]
    showSignature = true
[gpg]
    program = RUN
[credential]
    helper = !RUN credential
[sequence]
    editor = RUN sequence.editor
[interactive]
    diffFilter = RUN interactive
[trailer "x"]
    command = RUN trailer
[uploadpack]
    packObjectsHook = RUN uploadpack
[alias]
    log = !RUN alias.log
    blame = !RUN alias.blame
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
    partialclonefilter = blob:none
[extensions]
    partialClone = origin
"#;

/// A repository with a program behind everything that can have one.
struct Trap {
    fixture: Fixture,
}

impl Trap {
    fn new() -> Self {
        let numbers: String = (1..=9).map(|n| format!("the line with number {n}\n")).collect();
        let files = file("a.txt", &numbers)
            + &file(".gitattributes", "* filter=x diff=x merge=x\n")
            + &file("b.txt", "b\n");
        let fixture = Fixture::imported(
            [
                commit("main", 1, 1000, "First", &files),
                commit("main", 2, 2000, "Second", &file("b.txt", "b\nc\n")),
                commit("side", 3, 2500, "Aside", &format!("from :1\n{}", file("s.txt", "s\n"))),
            ]
            .concat(),
        );
        let trap = Trap { fixture };
        let fixture = &trap.fixture;
        // A submodule whose own settings are as bad.
        fixture.git(&["clone", "--quiet", "--no-local", "repo", "repo/inner"]);
        fixture.in_repo(&["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
        // A commit with a file that this clone lacks.
        let lines = fixture.in_repo(&["ls-tree", "main"]);
        let lines = format!("{lines}\n100644 blob {}\tmissing.txt\n", "1".repeat(40));
        std::fs::write(fixture.beside("tree"), lines).unwrap();
        let tree = fixture.make_tree(&fixture.beside("tree"));
        let third = fixture.in_repo(&["commit-tree", "-p", "main", "-m", "Third", &tree]);
        fixture.in_repo(&["update-ref", "refs/heads/main", &third]);
        trap.arm();
        trap
    }

    fn arm(&self) {
        let fixture = &self.fixture;
        let dir = fixture.beside("").display().to_string();
        // By another process: a file that this one has open for writing when
        // another test starts a program cannot be run.
        sh(
            &fixture.beside(""),
            r#"printf '#!/bin/sh\necho "$0 $*" >> "%s/ran"\nexit 1\n' "$PWD" > run
               chmod +x run; mkdir hooks
               for hook in pre-commit post-checkout post-index-change fsmonitor-watchman \
                   reference-transaction query-watchman pre-auto-gc post-rewrite; do
                   cp run hooks/$hook
               done"#,
        );
        let run = format!("{}/run", dir.trim_end_matches('/'));
        let settings = SETTINGS.replace("RUN", &run).replace("HOOKS", &format!("{dir}/hooks"));
        for config in [".git/config", "inner/.git/config"] {
            let path = fixture.path().join(config);
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
            std::fs::write(path, text + &settings).unwrap();
        }
        for attributes in [".git/info/attributes", "inner/.git/info/attributes"] {
            let path = fixture.path().join(attributes);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "* filter=x diff=x merge=x\n").unwrap();
        }
        // No file is as git remembers it.
        for changed in ["a.txt", "b.txt", "inner/a.txt"] {
            let path = fixture.path().join(changed);
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(path, text.replace("number 5", "number five")).unwrap();
        }
    }

    /// What ran, since the last time this was asked.
    fn ran(&self) -> String {
        let trace = self.fixture.beside("ran");
        let text = std::fs::read_to_string(&trace).unwrap_or_default();
        drop(std::fs::remove_file(trace));
        text
    }
}

fn sh(dir: &Path, script: &str) {
    let mut command = std::process::Command::new("sh");
    assert!(command.args(["-ec", script]).current_dir(dir).status().unwrap().success());
}

#[test]
fn plain_git_runs_what_the_repository_names() {
    let trap = Trap::new();
    for (args, what) in [
        (&["status"][..], "core.fsmonitor"),
        (&["-c", "core.fsmonitor=false", "diff", "HEAD"], "filter."),
        (&["blame", "a.txt"], "diff.textconv"),
        (&["blame", "--no-textconv", "a.txt"], "filter."),
        (&["cat-file", "-p", &"1".repeat(40)], "remote.url"),
        (&["log", "-p", "--ext-diff", "main~1"], "filter."),
    ] {
        trap.fixture.in_repo_may_fail(args);
        let ran = trap.ran();
        assert!(ran.contains(what), "git {args:?} ran only: {ran}");
    }
}

#[test]
fn no_function_of_this_crate_runs_a_program() {
    let trap = Trap::new();
    let repo = Repo::open(&trap.fixture.path()).unwrap();
    let known = Repo::known(repo.dir());
    let inner = Repo::open(&trap.fixture.path().join("inner")).unwrap();
    for repo in [&repo, &known, &inner] {
        every_question(&trap, repo);
    }
}

fn every_question(trap: &Trap, repo: &Repo) {
    let check = |what: &str| assert_eq!(trap.ran(), "", "{what} in {}", repo.dir().display());
    let head = repo.head().unwrap().commit.unwrap();
    check("head");
    assert_eq!(repo.head_commit().unwrap(), Some(head));
    drop((repo.branches().unwrap(), repo.tagged().unwrap(), repo.default_branch().unwrap()));
    drop((repo.worktrees().unwrap(), repo.user_name(), repo.remote(), repo.canonical_url()));
    check("refs and remotes");
    let options = LogOptions { heads: vec![head], with_changes: true, ..LogOptions::default() };
    assert!(repo.log(&options).unwrap().count() >= 2);
    check("log");
    let first = repo.root(head).unwrap().unwrap();
    let parent = repo.parents(head).unwrap()[0];
    assert!(repo.is_ancestor(first, head).unwrap());
    assert_eq!(repo.merge_base(first, head).unwrap(), Some(first));
    assert_eq!(repo.landing(first, head).unwrap(), Some(first));
    drop((repo.existing(&[head]).unwrap(), repo.commit_ids(&[head], &[]).unwrap()));
    check("ancestry");
    let listed = repo.files(head);
    check("files");
    let mut blobs = repo.blobs().unwrap();
    for entry in listed.unwrap_or_default() {
        if entry.mode != FileMode::Submodule {
            drop(blobs.read(entry.id, 1000));
            drop(blobs.read_file(head, &entry.path, 1000));
        }
    }
    let absent = git::ObjectId::parse("1".repeat(40)).unwrap();
    drop(blobs.read(absent, 1000));
    check("blobs");
    drop((repo.changes(Some(parent), head), repo.changes(None, head)));
    let path = RepoPath::from("b.txt");
    drop(repo.hunks((first, &path), (head, &path)).unwrap());
    check("differences");
    for path in ["a.txt", "b.txt", "missing.txt"] {
        for at in [BlameAt::WorkTree, BlameAt::Commit(head), BlameAt::Commit(first)] {
            for follows_moves in [false, true] {
                let path = RepoPath::from(path);
                let request =
                    BlameRequest { path, at, lines: Some((1, 1)), follows_moves, ancestry: None };
                drop(repo.blame(&request));
                check(&format!("blame {request:?}"));
            }
        }
    }
    drop(repo.work_tree_changes(head, 1 << 20, |_| true).unwrap());
    check("work tree");
    drop((repo.resolve("main"), repo.resolve(&"1".repeat(40))));
    check("resolve");
}

/// A `.git` file may lead to settings anywhere, and a folder of a plain clone
/// may look like a repository with settings.
#[test]
fn no_program_runs_wherever_the_settings_are() {
    let trap = Trap::new();
    let outer = trap.fixture.beside("outer");
    std::fs::create_dir(&outer).unwrap();
    std::fs::write(outer.join(".git"), "gitdir: ../repo/.git\n").unwrap();
    sh(&outer, "cp ../repo/*.txt .");
    every_question(&trap, &Repo::open(&outer).unwrap());
    // A bare repository in a folder of a clone.
    let plain = trap.fixture.beside("plain");
    trap.fixture.git(&["init", "--quiet", "plain"]);
    sh(
        &plain,
        "cp -r ../repo/.git sub; cp ../repo/*.txt sub; git config -f sub/config core.worktree .",
    );
    let found = Repo::open(&plain.join("sub")).unwrap();
    assert_eq!(found.dir(), plain.canonicalize().unwrap());
    assert_eq!(trap.ran(), "");
}
