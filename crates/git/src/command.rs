//! The one way git is run.
//!
//! git reads commits, objects, the index and names of files; the bytes of a
//! work tree are read by lore (`work_tree.rs`), because git would run the
//! filters that a repository configures. Every call has the same surroundings:
//! no pager, no colours, no prompt, no lock files, no network, no hooks, C
//! locale, and none of the variables with which an enclosing git would point
//! elsewhere. The user's own configuration stays in force (it says which
//! directories are safe); what of it, or of a hostile `.git/config`, could change
//! an output or name a program is set aside by option.
//!
//! Of what a `.git` that came in an archive can hold beside its settings:
//! replacements and grafts are ignored. Alternates stay in force, since clones
//! made with `--reference` need them; they lend objects of another repository of
//! this machine to whoever knows their names, and nothing lore reads leaves it.

use crate::process::{Output, Process, TimeLimit};
use model::{Error, ErrorCode, Result};
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

/// Set for every run.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    ("LANGUAGE", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // git before 2.45 does not know the line above, and would fetch what a
    // partial clone lacks by any program its settings name. No transport is
    // called `none`, so every fetch ends before it begins. Stands above
    // `protocol.*.allow` in any file.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
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
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_ATTR_SOURCE",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_DEFAULT_HASH",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_PROXY_COMMAND",
    "GIT_TRACE",
    "GIT_TRACE_SETUP",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
];

/// Settings that would change an output or run a program. Filters, text
/// conversions and merge drivers have names of the repository's choosing, so
/// they cannot be set aside here: no command that would use one is ever run.
const SETTINGS: &[&str] = &[
    "core.quotePath=false",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.commitGraph=true",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=:",
    "core.askPass=",
    "core.sshCommand=:",
    "core.alternateRefsCommand=:",
    "credential.helper=",
    "protocol.allow=never",
    "gpg.program=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
    // That the file of grafts is empty is not worth a word.
    "advice.graftFileDeprecated=false",
    "color.ui=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
    "mailmap.file=/dev/null",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.algorithm=myers",
    "diff.suppressBlankEmpty=false",
    "i18n.logOutputEncoding=UTF-8",
    "submodule.recurse=false",
];

/// For questions that git answers from a few small files.
pub(crate) const SHORT: TimeLimit = TimeLimit::Total(Duration::from_secs(60));

/// For questions that may need the whole of a large history.
pub(crate) const LONG: TimeLimit = TimeLimit::Total(Duration::from_secs(300));

/// For what comes piece by piece; the first may need the whole history.
const STREAM: TimeLimit = TimeLimit::Idle(Duration::from_secs(300));

/// Bytes of one answer; a listing of a million files has about so many.
pub(crate) const MAX_OUTPUT: u64 = 128 << 20;

/// More words than this from a failing git help nobody.
const MAX_MESSAGE: u64 = 1 << 14;

/// How git is led to a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The work tree around a folder. A folder that looks like a bare
    /// repository is not one: a plain clone may bring such a folder, with
    /// settings of its own.
    Around(PathBuf),
    /// A bare repository that lore checked.
    GitDir(PathBuf),
    /// A folder that is about to be checked: git refuses it if it belongs to
    /// another user, which it does not do when it is named outright.
    Candidate(PathBuf),
}

/// A run of git in the making.
pub(crate) struct Git {
    place: Place,
    /// The subcommand.
    name: &'static str,
    args: Vec<OsString>,
    limit: TimeLimit,
    max_output: u64,
    reads_attributes: bool,
    has_user_config: bool,
    has_patterns: bool,
}

impl Git {
    pub fn new(place: Place, name: &'static str) -> Self {
        Git {
            place,
            name,
            args: Vec::new(),
            limit: SHORT,
            max_output: MAX_OUTPUT,
            reads_attributes: false,
            has_user_config: true,
            has_patterns: false,
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn limit(mut self, limit: TimeLimit) -> Self {
        self.limit = limit;
        self
    }

    pub fn max_output(mut self, max_output: u64) -> Self {
        self.max_output = max_output;
        self
    }

    /// With the user's own file of attributes: where it matters what a file's
    /// attributes are, and nothing is done by them.
    pub fn with_user_attributes(mut self) -> Self {
        self.reads_attributes = true;
        self
    }

    /// With the repository's settings only.
    pub fn without_user_config(mut self) -> Self {
        self.has_user_config = false;
        self
    }

    /// With paths as patterns: for those that lore itself makes up.
    pub fn with_patterns(mut self) -> Self {
        self.has_patterns = true;
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        let (dir, bare) = match &self.place {
            Place::Around(dir) | Place::GitDir(dir) => (dir, "safe.bareRepository=explicit"),
            Place::Candidate(dir) => (dir, "safe.bareRepository=all"),
        };
        command.arg("-C").arg(dir).arg("--no-pager");
        if matches!(self.place, Place::GitDir(_)) {
            command.arg("--git-dir=.");
        }
        command.args(["-c", bare]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        if !self.reads_attributes {
            command.args(["-c", "core.attributesFile=/dev/null"]);
        }
        command.arg(self.name).args(&self.args);
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.envs(ENVIRONMENT.iter().copied());
        if self.has_patterns {
            command.env("GIT_LITERAL_PATHSPECS", "0");
        }
        if !self.has_user_config {
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end; stdout when git succeeded, [`GitFailure`] in its own words
    /// when it did not.
    pub fn run(self) -> Result<Vec<u8>, GitFailure> {
        self.start()?.output()
    }

    /// [`Git::run`] with the last line end removed, as text.
    pub fn line(self) -> Result<String, GitFailure> {
        let text = lossy(&self.run()?);
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// Starts git; its output is asked for later.
    pub fn start(self) -> Result<Stream, GitFailure> {
        let command = self.command();
        self.spawn(command, None)
    }

    /// Starts git with `input` on its stdin; its output is asked for later.
    pub fn start_with(self, input: Vec<u8>) -> Result<Stream, GitFailure> {
        let mut command = self.command();
        command.stdin(Stdio::piped());
        self.spawn(command, Some(input))
    }

    /// Starts git and hands over its output as it comes. `input` is written to
    /// its stdin meanwhile.
    pub fn stream(self, input: Vec<u8>) -> Result<Stream> {
        Ok(self.limit(STREAM).start_with(input)?)
    }

    /// Starts git for a conversation over stdin and stdout.
    pub fn converse(self) -> Result<(Process, ChildStdin, BufReader<Output>)> {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let process = Process::spawn(&mut command, STREAM)
            .map_err(|error| GitFailure::not_run(self.name, &error))?;
        let missing = || Error::internal("git was started without its pipes");
        let stdin = process.child().stdin.take().ok_or_else(missing)?;
        let stdout = process.stdout().ok_or_else(missing)?;
        Ok((process, stdin, BufReader::with_capacity(1 << 16, stdout)))
    }

    fn spawn(self, mut command: Command, input: Option<Vec<u8>>) -> Result<Stream, GitFailure> {
        let failed = |error: &std::io::Error| GitFailure::not_run(self.name, error);
        let process = Process::spawn(&mut command, self.limit).map_err(|error| failed(&error))?;
        let missing = || failed(&std::io::Error::other("it was started without its pipes"));
        let stdout = process.stdout().ok_or_else(missing)?;
        let mut stderr = process.child().stderr.take().ok_or_else(missing)?;
        let stdin = process.child().stdin.take();
        // Git may fill any of its pipes before it empties another: each needs
        // its own thread. When git stops reading, it says why on stderr.
        let writer = match (stdin, input) {
            (Some(mut stdin), Some(input)) => {
                Some(std::thread::spawn(move || drop(stdin.write_all(&input))))
            }
            _ => None,
        };
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            drop(stderr.by_ref().take(MAX_MESSAGE).read_to_end(&mut text));
            drop(std::io::copy(&mut stderr, &mut std::io::sink()));
            lossy(&text)
        });
        Ok(Stream {
            name: self.name,
            limit: self.limit,
            max_output: self.max_output,
            process,
            stdout: BufReader::with_capacity(1 << 16, stdout),
            writer,
            errors: Some(errors),
        })
    }
}

/// A running git whose output is read piece by piece. Dropping it ends git:
/// nobody waits for the rest.
pub(crate) struct Stream {
    name: &'static str,
    limit: TimeLimit,
    max_output: u64,
    process: Process,
    pub stdout: BufReader<Output>,
    writer: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<String>>,
}

impl Stream {
    /// All of the output; git's own words when it failed.
    pub fn output(mut self) -> Result<Vec<u8>, GitFailure> {
        let mut stdout = Vec::new();
        let read = self.stdout.by_ref().take(self.max_output + 1).read_to_end(&mut stdout);
        if let Err(error) = read {
            return Err(GitFailure::not_run(self.name, &error));
        }
        if stdout.len() as u64 > self.max_output {
            self.process.kill();
            return Err(GitFailure::new(self.name, Cause::TooLarge(self.max_output)));
        }
        match self.end() {
            Ok(()) => Ok(stdout),
            Err(failed) => Err(GitFailure { stdout, ..failed }),
        }
    }

    /// To be called at the end of the output: was it complete?
    pub fn finish(&mut self) -> Result<()> {
        Ok(self.end()?)
    }

    fn end(&mut self) -> Result<(), GitFailure> {
        let status = self.process.wait().map_err(|error| GitFailure::not_run(self.name, &error))?;
        if self.process.is_expired() {
            return Err(GitFailure::new(self.name, Cause::TooSlow(self.limit.seconds())));
        }
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
        let errors = self.errors.take();
        let stderr = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        Err(GitFailure { name: self.name, cause: Cause::Exit, stdout: Vec::new(), stderr })
    }
}

/// Git ended with an error.
#[derive(Debug)]
pub(crate) struct GitFailure {
    name: &'static str,
    cause: Cause,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Exit,
    NotRun,
    /// After so many seconds.
    TooSlow(u64),
    /// At so many bytes.
    TooLarge(u64),
}

/// What git says of objects, packs and references that it cannot read.
const DAMAGE: [&str; 14] = [
    "bad object",
    "bad tree object",
    "is corrupt",
    "corrupt loose object",
    "unable to read",
    "could not read",
    "unable to parse",
    "inflate",
    "missing blob",
    "missing tree",
    "missing commit",
    "packfile",
    "broken ref",
    "index file corrupt",
];

impl GitFailure {
    fn new(name: &'static str, cause: Cause) -> Self {
        GitFailure { name, cause, stdout: Vec::new(), stderr: String::new() }
    }

    fn not_run(name: &'static str, error: &std::io::Error) -> Self {
        GitFailure { stderr: error.to_string(), ..GitFailure::new(name, Cause::NotRun) }
    }

    pub fn says(&self, words: &str) -> bool {
        self.stderr.contains(words)
    }

    /// Git's way to answer no: it failed and gave no reason.
    pub fn is_no(&self) -> bool {
        self.cause == Cause::Exit && self.stderr.is_empty()
    }

    /// A name that is no commit of this clone.
    pub fn is_unknown_commit(&self) -> bool {
        self.cause == Cause::Exit && self.says("Not a valid commit name")
    }

    /// Git answered, if only with an error.
    pub fn is_answer(&self) -> bool {
        self.cause == Cause::Exit && !self.says("dubious ownership")
    }

    pub fn is_damage(&self) -> bool {
        self.cause == Cause::Exit && DAMAGE.iter().any(|words| self.says(words))
    }
}

impl From<GitFailure> for Error {
    fn from(failed: GitFailure) -> Self {
        let name = failed.name;
        match failed.cause {
            Cause::NotRun => {
                let message = format!("git could not be run: {}", failed.stderr);
                return Error::new(ErrorCode::NotFound, message)
                    .suggest("install git and make sure it is on the PATH");
            }
            Cause::TooSlow(seconds) => {
                let message = format!("git {name} was stopped: no end after {seconds} seconds");
                return Error::internal(message)
                    .suggest("look for unusual settings: git config --list --show-origin");
            }
            Cause::TooLarge(bytes) => {
                let message =
                    format!("git {name} was stopped: it answered more than {} MB", bytes >> 20);
                return Error::internal(message)
                    .suggest("check how many files the commit has: git ls-tree -r HEAD | wc -l");
            }
            Cause::Exit => {}
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
        let words = model::text::one_line(words, 300);
        if failed.says("lazy fetching disabled") || failed.says("promisor remote") {
            let message = format!("git {name} needs objects that this partial clone lacks");
            return Error::not_found(message).suggest("run: git fetch --refetch --no-filter");
        }
        if failed.is_damage() {
            return damaged(words);
        }
        Error::new(ErrorCode::Internal, format!("git {name} failed: {words}"))
    }
}

/// What cannot be read of a repository, as an error for people.
pub(crate) fn damaged(words: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::Integrity, format!("the repository is damaged: {words}"))
        .suggest("run: git fsck, and clone the repository again if it finds damage")
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `2.47.1`; none when git cannot be run.
pub fn version() -> Option<String> {
    let text = Git::new(Place::Around(Path::new(".").to_owned()), "version").line().ok()?;
    Some(text.trim_start_matches("git version ").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn sh(dir: &Path, script: &str) {
        let status = Command::new("sh").args(["-ec", script]).current_dir(dir).status().unwrap();
        assert!(status.success(), "{script}");
    }

    fn repo(script: &str) -> TempDir {
        let dir = TempDir::new().unwrap();
        sh(dir.path(), "git init --quiet --template= --initial-branch=main .");
        sh(dir.path(), script);
        dir
    }

    fn git(dir: &TempDir, name: &'static str) -> Git {
        Git::new(Place::Around(dir.path().to_owned()), name)
    }

    /// Opening a pipe waits for a writer that never comes.
    const ENDLESS: &str = "mkfifo pipe; git config include.path ../pipe";

    #[test]
    fn a_git_that_never_ends_is_ended() {
        let dir = repo(ENDLESS);
        let limit = Duration::from_millis(100);
        for limit in [TimeLimit::Total(limit), TimeLimit::Idle(limit)] {
            let failed = git(&dir, "rev-parse").arg("HEAD").limit(limit).run().unwrap_err();
            assert_eq!(failed.cause, Cause::TooSlow(0));
            assert!(!failed.is_no() && !failed.is_answer());
            let error = Error::from(failed);
            assert!(error.message().starts_with("git rev-parse was stopped"), "{error}");
        }
    }

    #[test]
    fn a_reader_may_take_its_time() {
        let dir = repo("");
        let limit = TimeLimit::Idle(Duration::from_millis(1));
        let mut command = git(&dir, "cat-file").arg("--batch").command();
        command.stdin(Stdio::piped());
        let process = Process::spawn(&mut command, limit).unwrap();
        // Nobody waits for output: whatever time goes by, git is not at fault.
        for _ in 0..200 {
            std::thread::yield_now();
            assert!(!process.is_expired());
        }
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let dir = repo("");
        let failed = git(&dir, "help").arg("-a").max_output(100).run().unwrap_err();
        assert_eq!(failed.cause, Cause::TooLarge(100));
        let error = Error::from(failed);
        assert!(error.message().contains("answered more than"), "{error}");
    }

    /// What git before 2.45 would do with a partial clone.
    #[test]
    fn nothing_is_fetched_by_a_git_that_knows_no_other_way() {
        let dir = repo(
            "git config extensions.partialClone origin
             git config core.repositoryFormatVersion 1
             git config remote.origin.promisor true
             git config remote.origin.url 'ext::touch ran'
             git config protocol.ext.allow always",
        );
        let read = |allowed: bool| {
            let mut command = git(&dir, "cat-file").args(["-p", &"1".repeat(40)]).command();
            command.env_remove("GIT_NO_LAZY_FETCH");
            if allowed {
                command.env_remove("GIT_ALLOW_PROTOCOL");
            }
            assert!(!command.output().unwrap().status.success());
            dir.path().join("ran").exists()
        };
        assert!(!read(false));
        assert!(read(true), "the test proves nothing: git did not try to fetch");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_git_has_a_bound() {
        let dir = repo("");
        let mut command = git(&dir, "cat-file").arg("--batch").command();
        command.stdin(Stdio::piped());
        let process = Process::spawn(&mut command, SHORT).unwrap();
        let limits = format!("/proc/{}/limits", process.child().id());
        let limits = std::fs::read_to_string(limits).unwrap();
        let data = limits.lines().find(|line| line.starts_with("Max data size")).unwrap();
        assert!(data.contains("2147483648"), "{data}");
    }
}
