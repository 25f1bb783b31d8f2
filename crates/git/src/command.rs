//! The one way git is run.
//!
//! Every call has the same surroundings: no pager, no colours, no prompt, no
//! lock files, no fetching of missing objects, C locale, and none of the
//! variables with which an enclosing git would point elsewhere. The user's own
//! configuration stays in force (it says which directories are safe); what of
//! it could change an output is set aside by option.

use model::{Error, ErrorCode, Result};
use std::ffi::OsStr;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

/// Set for every run.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("LANGUAGE", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_LITERAL_PATHSPECS", "1"),
];

/// Taken away for every run: what would make git look at another place or
/// speak otherwise.
const FOREIGN: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_DEFAULT_HASH",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
];

/// Settings that would change an output or run a program.
const SETTINGS: &[&str] = &[
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.commitGraph=true",
    "color.ui=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.algorithm=myers",
    "diff.suppressBlankEmpty=false",
    "i18n.logOutputEncoding=UTF-8",
    "submodule.recurse=false",
];

/// A run of git in the making.
pub(crate) struct Git {
    command: Command,
    /// For messages: the subcommand.
    name: String,
}

impl Git {
    /// `git -C dir name …`.
    pub fn new(dir: &Path, name: &str) -> Self {
        let mut command = Command::new("git");
        command.arg("-C").arg(dir);
        for setting in SETTINGS {
            command.arg("-c").arg(setting);
        }
        command.arg(name);
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.envs(ENVIRONMENT.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Git { command, name: name.to_owned() }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    /// With the repository's settings only.
    pub fn without_user_config(mut self) -> Self {
        self.command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        self
    }

    /// Runs to the end; stdout when git succeeded, [`Failed`] in its own words
    /// when it did not.
    pub fn run(mut self) -> Result<Vec<u8>, Failed> {
        let output = self.command.output().map_err(|error| Failed::not_run(&self.name, &error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(Failed { name: self.name, stdout: output.stdout, stderr: lossy(&output.stderr) })
    }

    /// [`Git::run`] with the last line end removed, as text.
    pub fn line(self) -> Result<String, Failed> {
        let text = lossy(&self.run()?);
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// Starts git and hands over its output as it comes. `input` is written to
    /// its stdin meanwhile.
    pub fn stream(mut self, input: Vec<u8>) -> Result<Stream> {
        self.command.stdin(Stdio::piped());
        let mut child =
            self.command.spawn().map_err(|error| Failed::not_run(&self.name, &error))?;
        let missing = || Error::internal("git was started without its pipes");
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let mut stderr = child.stderr.take().ok_or_else(missing)?;
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        // Git may fill any of its pipes before it empties another: each needs
        // its own thread. When git stops reading, it says why on stderr.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            drop(stderr.by_ref().take(MAX_MESSAGE).read_to_end(&mut text));
            drop(std::io::copy(&mut stderr, &mut std::io::sink()));
            lossy(&text)
        });
        let stdout = BufReader::with_capacity(1 << 16, stdout);
        Ok(Stream { name: self.name, child, stdout, threads: Some((writer, errors)) })
    }

    /// Starts git for a conversation over stdin and stdout.
    pub fn converse(mut self) -> Result<Child> {
        self.command.stdin(Stdio::piped()).stderr(Stdio::null());
        self.command.spawn().map_err(|error| Failed::not_run(&self.name, &error).into())
    }
}

/// More words than this from a failing git help nobody.
const MAX_MESSAGE: u64 = 1 << 14;

/// A running git whose output is read piece by piece.
pub(crate) struct Stream {
    name: String,
    child: Child,
    pub stdout: BufReader<ChildStdout>,
    threads: Option<(JoinHandle<()>, JoinHandle<String>)>,
}

impl Stream {
    /// To be called at the end of the output: was it complete?
    pub fn finish(&mut self) -> Result<()> {
        let status = self.child.wait().map_err(|error| Failed::not_run(&self.name, &error))?;
        let stderr = match self.threads.take() {
            Some((writer, errors)) => {
                drop(writer.join());
                errors.join().unwrap_or_default()
            }
            None => String::new(),
        };
        if status.success() {
            return Ok(());
        }
        Err(Failed { name: self.name.clone(), stdout: Vec::new(), stderr }.into())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.threads.is_some() {
            // Not read to the end: nobody waits for the rest.
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

/// Git ended with an error.
#[derive(Debug)]
pub(crate) struct Failed {
    name: String,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Failed {
    fn not_run(name: &str, error: &std::io::Error) -> Self {
        Failed { name: name.to_owned(), stdout: Vec::new(), stderr: format!("{NOT_RUN}: {error}") }
    }

    pub fn says(&self, words: &str) -> bool {
        self.stderr.contains(words)
    }
}

const NOT_RUN: &str = "git could not be run";

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        if failed.says(NOT_RUN) {
            return Error::new(ErrorCode::NotFound, failed.stderr)
                .suggest("install git and make sure it is on the PATH");
        }
        if failed.says("dubious ownership") {
            return Error::new(
                ErrorCode::NotFound,
                "git does not trust this repository: it belongs to another user",
            )
            .suggest("run: git config --global --add safe.directory <its path>");
        }
        let words = failed.stderr.lines().find(|line| !line.trim().is_empty());
        let words = words.unwrap_or("it gave no reason").trim_start_matches("fatal: ");
        Error::new(
            ErrorCode::Internal,
            format!("git {} failed: {}", failed.name, model::text::one_line(words, 300)),
        )
    }
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `2.47.1`; none when git cannot be run.
pub fn version() -> Option<String> {
    let text = Git::new(Path::new("."), "version").line().ok()?;
    Some(text.trim_start_matches("git version ").to_owned())
}
