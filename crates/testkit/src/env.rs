//! A clean room for the `lore` binary: its own home and working directory, an
//! environment with nothing of the developer's in it, a clock that stands
//! still, and output that can be compared byte for byte.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// "Now" in every test.
pub const NOW: &str = "2024-06-01T12:00:00Z";

/// One user's machine. Dropping it removes every trace.
///
/// ```text
/// let env = TestEnv::new(env!("CARGO_BIN_EXE_lore")).with_config("…");
/// expect!["…"].assert_eq(&env.lore(&["issues"]).to_string());
/// ```
#[derive(Debug)]
pub struct TestEnv {
    binary: PathBuf,
    vars: BTreeMap<String, String>,
    root: PathBuf,
    // Held for its side effect: the folder goes with it.
    _folder: TempDir,
}

impl TestEnv {
    /// A machine with `binary` (pass `env!("CARGO_BIN_EXE_lore")`) and nothing else.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        // The real path, because programs resolve links and print the result.
        let root = folder.path().canonicalize().expect("the folder exists");
        // `cargo xtask soak` holds the release build to the same tests.
        let binary =
            std::env::var_os("LORE_TEST_BINARY").map_or_else(|| binary.into(), PathBuf::from);
        let mut env = TestEnv { binary, vars: BTreeMap::new(), root, _folder: folder };
        for dir in [env.home(), env.dir()] {
            std::fs::create_dir_all(dir).expect("the folder can be filled");
        }
        let home = env.home().display().to_string();
        let root = env.root.display().to_string();
        env.set_var("PATH", &std::env::var("PATH").unwrap_or_default())
            .set_var("HOME", &home)
            .set_var("COLUMNS", "100")
            .set_var("LORE_NOW", NOW)
            .set_var("LC_ALL", "C.UTF-8")
            .set_var("NO_PROXY", "*")
            // git must not see the developer's settings, nor a repository
            // that happens to be around the temporary folder.
            .set_var("GIT_CONFIG_GLOBAL", "/dev/null")
            .set_var("GIT_CONFIG_NOSYSTEM", "1")
            .set_var("GIT_CEILING_DIRECTORIES", &root)
            .set_var("GIT_AUTHOR_NAME", "Test")
            .set_var("GIT_AUTHOR_EMAIL", "test@example.com")
            .set_var("GIT_COMMITTER_NAME", "Test")
            .set_var("GIT_COMMITTER_EMAIL", "test@example.com");
        env
    }

    /// `$HOME` of the user.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Where commands are run.
    pub fn dir(&self) -> PathBuf {
        self.root.join("dir")
    }

    /// Where the database is unless a test says otherwise.
    pub fn db(&self) -> PathBuf {
        self.home().join(".local/share/lore/lore.db")
    }

    pub fn set_var(&mut self, name: &str, value: &str) -> &mut Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn remove_var(&mut self, name: &str) -> &mut Self {
        self.vars.remove(name);
        self
    }

    /// The same with a variable, for building in one expression.
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.set_var(name, value);
        self
    }

    /// Writes the user's own config file (`~/.config/lore/lore.toml`).
    pub fn with_config(self, toml: &str) -> Self {
        write(&self.home().join(".config/lore/lore.toml"), toml);
        self
    }

    /// Pretends that stdout is a terminal `width` columns wide.
    pub fn on_terminal(self, width: usize) -> Self {
        self.with_var("LORE_FORCE_TTY", &width.to_string())
    }

    /// Writes a file; relative paths start in the working directory.
    pub fn write_file(&self, path: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.dir().join(path);
        write(&path, text);
        path
    }

    /// Runs `lore` with these arguments in the working directory.
    pub fn lore(&self, args: &[&str]) -> Output {
        self.lore_in(&self.dir(), args, "")
    }

    /// The same with something on stdin.
    pub fn lore_with_input(&self, args: &[&str], input: &str) -> Output {
        self.lore_in(&self.dir(), args, input)
    }

    /// The same in another directory.
    pub fn lore_in(&self, dir: &Path, args: &[&str], input: &str) -> Output {
        let binary = self.binary.clone();
        self.run(&binary, dir, args, input)
    }

    /// Runs `git` in the working directory; a failure is a broken test.
    pub fn git(&self, args: &[&str]) -> Output {
        let output = self.run(Path::new("git"), &self.dir(), args, "");
        assert_eq!(output.status, Some(0), "git {args:?}\n{output}");
        output
    }

    /// Runs a script of the shell in a directory, with `lore` on its path.
    pub fn shell(&self, dir: &Path, script: &str, input: &str) -> Output {
        let folder = self.binary.parent().unwrap_or(Path::new("."));
        let script = format!("PATH='{}':$PATH; export PATH\n{script}", folder.display());
        self.run(Path::new("sh"), dir, &["-c", &script], input)
    }

    /// The command as [`TestEnv::lore`] would run it, for tests that need to
    /// hold the process (signals, pipes that close early).
    pub fn command(&self, args: &[&str]) -> Command {
        self.prepare(&self.binary, &self.dir(), args)
    }

    fn prepare(&self, program: &Path, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(dir).env_clear().envs(&self.vars);
        command
    }

    fn run(&self, program: &Path, dir: &Path, args: &[&str], input: &str) -> Output {
        let mut child = self
            .prepare(program, dir, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
        let mut stdin = child.stdin.take().expect("stdin is piped");
        // A program that reads nothing may be gone already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        Output {
            stdout: self.redact(&output.stdout),
            stderr: self.redact(&output.stderr),
            status: output.status.code(),
        }
    }

    /// Replaces what differs from run to run: the places.
    pub fn redact(&self, bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes)
            .replace(&self.home().display().to_string(), "$HOME")
            .replace(&self.dir().display().to_string(), "$DIR")
            .replace(&self.root.display().to_string(), "$ROOT")
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a file is in a folder");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(path, text).expect("the file can be written");
}

/// What a run left behind. Its text form is the snapshot: stdout, then stderr
/// and the exit status where there is something to say.
#[must_use = "either snapshot the output or assert the exit status"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// None when a signal ended it.
    pub status: Option<i32>,
}

impl Output {
    /// The same, after checking that it went well.
    pub fn success(self) -> Self {
        assert_eq!(self.status, Some(0), "{self}");
        self
    }

    /// The rows of a list in a pipe, without the header above them and the
    /// remarks below.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        self.stdout.lines().skip(1).filter(|line| !line.starts_with("# "))
    }

    /// The same, after checking that it failed with this status.
    pub fn failure(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_block(f, &self.stdout)?;
        if !self.stderr.is_empty() {
            writeln!(f, "------- stderr -------")?;
            write_block(f, &self.stderr)?;
        }
        match self.status {
            Some(0) => Ok(()),
            Some(status) => writeln!(f, "[exit status: {status}]"),
            None => writeln!(f, "[ended by a signal]"),
        }
    }
}

/// A missing last line break is part of the truth.
fn write_block(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(text)?;
    if !text.is_empty() && !text.ends_with('\n') {
        writeln!(f, "[no line break]")?;
    }
    Ok(())
}
