//! Hands a history to the real git: one `git fast-import` a repository.

use super::error::GitError;
use super::history::History;
use super::tree::Tree;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Where git writes which commit got which name, inside the new repository.
const MARKS: &str = ".git/marks";

/// `git` in `dir`, deaf to the machine's configuration and to an enclosing
/// repository's environment.
pub fn command(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(dir);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").env("TZ", "UTC");
    // The rest of the environment (PATH, TMPDIR) may stay.
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_SYSTEM",
        "GIT_TEMPLATE_DIR",
        "GIT_DEFAULT_HASH",
        "GIT_DEFAULT_REF_FORMAT",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
        "GIT_TRACE",
    ] {
        git.env_remove(name);
    }
    git.stdin(Stdio::null());
    git
}

fn process<T>(message: impl std::fmt::Display) -> Result<T, GitError> {
    Err(GitError::Process(message.to_string()))
}

fn checked(what: &str, output: std::io::Result<Output>) -> Result<(), GitError> {
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => process(format!(
            "git {what} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => process(format!("git could not be run ({error}); is it installed?")),
    }
}

pub(super) fn write(history: &History, dir: &Path) -> Result<(), GitError> {
    if let Err(error) = std::fs::create_dir_all(dir) {
        return process(format!("cannot create {}: {error}", dir.display()));
    }
    let mut init = command(dir);
    init.args(["init", "--quiet", "--template=", "--object-format=sha1"]);
    init.arg(format!("--initial-branch={}", history.default_branch()));
    checked("init", init.output())?;

    let mut child = command(dir)
        .args(["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"])
        .arg(format!("--export-marks={MARKS}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| GitError::Process(format!("git could not be run: {error}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // When git stops reading it says why on stderr, which is read below.
        let _ = stdin.write_all(&stream(history));
    }
    checked("fast-import", child.wait_with_output())?;
    compare_marks(&dir.join(MARKS), history)?;
    if history.tip(history.default_branch()).is_some() {
        checked("reset", command(dir).args(["reset", "--quiet", "--hard"]).output())?;
    }
    Ok(())
}

/// git's names for the commits must be those the history computed.
fn compare_marks(path: &Path, history: &History) -> Result<(), GitError> {
    // A history without commits exports no marks.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut theirs: Vec<(usize, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix(':')?.split_once(' '))
        .filter_map(|(mark, sha)| Some((mark.parse().ok()?, sha)))
        .collect();
    theirs.sort_unstable();
    let ours = history.commits.iter().enumerate().map(|(index, commit)| (index + 1, &*commit.sha));
    if !ours.eq(theirs.iter().copied()) {
        return process("git names the commits otherwise than computed");
    }
    let _ = std::fs::remove_file(path);
    Ok(())
}

/// The stream for `git fast-import`. Commits are made on a scratch ref, and the
/// real refs set at the end.
fn stream(history: &History) -> Vec<u8> {
    const SCRATCH: &str = "refs/scratch";
    let mut out = Vec::new();
    let empty = Tree::default();
    for (index, commit) in history.commits.iter().enumerate() {
        put(&mut out, &format!("commit {SCRATCH}\nmark :{}\n", index + 1));
        put(&mut out, &format!("author {}\n", commit.author.in_commit()));
        put(&mut out, &format!("committer {}\n", commit.committer.in_commit()));
        put_data(&mut out, &commit.message);
        let mut before = &empty;
        match commit.parents.split_first() {
            Some((first, others)) => {
                put(&mut out, &format!("from :{}\n", first.0 + 1));
                for other in others {
                    put(&mut out, &format!("merge :{}\n", other.0 + 1));
                }
                before = history.tree(*first);
            }
            // A scratch ref that exists would become the parent of a root.
            None if index > 0 => {
                put(&mut out, "from 0000000000000000000000000000000000000000\n");
            }
            None => {}
        }
        for path in before.paths().filter(|path| commit.tree.get(path).is_none()) {
            put(&mut out, &format!("D {}\n", quoted(path)));
        }
        for (path, contents) in commit.tree.iter() {
            if before.get(path) != Some(contents) {
                put(&mut out, &format!("M 100644 inline {}\n", quoted(path)));
                put_data(&mut out, contents);
            }
        }
        put(&mut out, "\n");
    }
    for (name, commit) in &history.refs {
        put(&mut out, &format!("reset {name}\nfrom :{}\n\n", commit.0 + 1));
    }
    if !history.commits.is_empty() {
        let nothing = "0".repeat(40);
        put(&mut out, &format!("reset {SCRATCH}\nfrom {nothing}\n\n"));
    }
    out
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn put_data(out: &mut Vec<u8>, text: &str) {
    put(out, &format!("data {}\n{text}\n", text.len()));
}

fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
