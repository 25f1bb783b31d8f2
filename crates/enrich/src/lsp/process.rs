//! A language server as a process: bounded memory, drained standard error, ended
//! together with what it started.

use model::text::one_line;
use model::{Error, Result};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// What is kept of what a server writes to its standard error.
const LAST_WORDS: usize = 4096;
/// How often, and for how long, it is looked whether all of it has arrived.
const LOOKS: usize = 30;
const LOOK: Duration = Duration::from_millis(10);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ProcessOptions {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// All of its environment.
    pub variables: Vec<(String, String)>,
    pub dir: PathBuf,
    /// Memory it may allocate, in bytes.
    pub memory: u64,
    pub low_priority: bool,
}

/// A running server. Dropping it ends it and its children.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    words: Arc<Mutex<Vec<u8>>>,
    /// Takes what it writes to its standard error; ends with it.
    drain: Option<JoinHandle<()>>,
}

impl ServerProcess {
    pub fn start(options: &ProcessOptions) -> Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = Command::new(&options.program);
        command
            .args(&options.args)
            .env_clear()
            .envs(options.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&options.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        {
            use std::os::unix::process::CommandExt as _;
            // A group of its own: Ctrl-C is ours to answer, and children end with it.
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|error| cannot_start(&options.program, error))?;
        bound(&child, options);
        let words = Arc::new(Mutex::new(Vec::new()));
        let drain = child.stderr.take().map(|stderr| {
            let words = Arc::clone(&words);
            std::thread::spawn(move || drain(stderr, &words))
        });
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let process = ServerProcess { child, words, drain };
        match (stdin, stdout) {
            (Some(stdin), Some(stdout)) => Ok((process, stdin, stdout)),
            _ => Err(Error::internal("a server without pipes")),
        }
    }

    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The last line it wrote to its standard error, made safe to show. For a server
    /// that has just ended: what it wrote last may be on its way still.
    pub fn last_words(&self) -> Option<String> {
        for _ in 0..LOOKS {
            if self.drain.as_ref().is_none_or(JoinHandle::is_finished) {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&words).into_owned();
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        Some(one_line(line, 200))
    }

    /// The largest amount of memory it had in use, in bytes, of itself and those of
    /// its children that still run; none where the system does not say.
    pub fn peak_memory(&self) -> Option<u64> {
        let group = self.child.id();
        let mut total = 0;
        for entry in std::fs::read_dir("/proc").ok()?.flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
            else {
                continue;
            };
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            let after = stat.rsplit(')').next().unwrap_or_default();
            let its_group = after.split_whitespace().nth(2).and_then(|text| text.parse().ok());
            if pid == group || its_group == Some(group) {
                total += high_water(&entry.path()).unwrap_or(0);
            }
        }
        (total > 0).then_some(total)
    }

    pub fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

fn high_water(process: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().split(' ').next()?.parse::<u64>().ok()? * 1024)
}

fn cannot_start(program: &Path, error: std::io::Error) -> Error {
    Error::not_found(format!("cannot start `{}`", program.display()))
        .caused_by(error)
        .suggest("see which servers are found: lore doctor")
}

/// Takes all that is written, so that the server never waits, and keeps the end.
fn drain(mut stderr: impl Read, words: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(n) = stderr.read(&mut buffer) {
        if n == 0 {
            return;
        }
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..n]);
        let surplus = words.len().saturating_sub(LAST_WORDS);
        words.drain(..surplus);
    }
}

#[cfg(target_os = "linux")]
fn bound(child: &Child, options: &ProcessOptions) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit, setpriority_process};
    let pid = Pid::from_child(child);
    let limit = Rlimit { current: Some(options.memory), maximum: Some(options.memory) };
    // Without them it still runs, only less safely.
    let _ = prlimit(Some(pid), Resource::Data, limit);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = prlimit(Some(pid), Resource::Core, none);
    if options.low_priority {
        let _ = setpriority_process(Some(pid), 10);
    }
}

#[cfg(not(target_os = "linux"))]
fn bound(_: &Child, _: &ProcessOptions) {}
