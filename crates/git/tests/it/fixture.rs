//! A repository in a temporary folder, written by `git fast-import`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// An empty repository on branch `main`.
    pub fn new() -> Self {
        let fixture = Fixture { dir: TempDir::new().unwrap() };
        fixture.git(&["init", "--quiet", "--template=", "--initial-branch=main", "repo"]);
        fixture
    }

    /// What `stream` says to `git fast-import`, checked out.
    pub fn imported(stream: impl AsRef<[u8]>) -> Self {
        let fixture = Fixture::new();
        fixture.import(stream);
        fixture.in_repo(&["reset", "--quiet", "--hard"]);
        fixture
    }

    pub fn import(&self, stream: impl AsRef<[u8]>) {
        let mut child = command(&self.path())
            .args(["fast-import", "--quiet", "--force"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(stream.as_ref()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn repo(&self) -> git::Repo {
        git::Repo::open(&self.path()).unwrap()
    }

    pub fn git(&self, args: &[&str]) -> String {
        run(self.dir.path(), args)
    }

    pub fn in_repo(&self, args: &[&str]) -> String {
        run(&self.path(), args)
    }

    /// A tree with what the lines of a file say.
    pub fn make_tree(&self, lines: &Path) -> String {
        let lines = std::fs::File::open(lines).unwrap();
        let output = command(&self.path()).args(["mktree", "--missing"]).stdin(lines).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    }

    /// For what git calls a failure, such as a merge with conflicts.
    pub fn in_repo_may_fail(&self, args: &[&str]) {
        command(&self.path()).args(args).output().unwrap();
    }

    pub fn id(&self, rev: &str) -> git::ObjectId {
        self.repo().resolve(rev).unwrap()
    }
}

fn command(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    git.args(["-c", "protocol.file.allow=always"]);
    git.env("GIT_AUTHOR_DATE", "1700000000 +0000").env("GIT_COMMITTER_DATE", "1700000000 +0000");
    git
}

fn run(dir: &Path, args: &[&str]) -> String {
    let output = command(dir).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// One commit for fast-import: `changes` in its own language.
pub fn commit(branch: &str, mark: u32, at: u32, message: &str, rest: &str) -> String {
    format!(
        "commit refs/heads/{branch}\nmark :{mark}\nauthor Ada <ada@example.com> {at} +0100\n\
         committer Ada <ada@example.com> {at} +0100\ndata {}\n{message}\n{rest}\n",
        message.len()
    )
}

/// A file with content, as a change of a commit.
pub fn file(path: &str, content: &str) -> String {
    format!("M 100644 inline {path}\ndata {}\n{content}\n", content.len())
}
