//! Work on code of strangers runs in a child process: parsers are large, some
//! are C, and no input may end a server or leave a caller without its document.
//!
//! The child is lore itself, with a word nobody types as its first argument. It
//! has a limit of memory, and it ends when its standard input does: whoever
//! started it is gone then, or wants it to stop. What it needs to know comes
//! with the environment and that input, never with its arguments.

pub mod command;
pub mod job;
pub mod outline;
pub mod supervised;
mod teller;

use crate::env::Env;
use model::CancelToken;
use model::Error;
use model::text::one_line;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// The first argument of a child that does a job of a server.
pub const JOB: &str = "__job";
/// The first argument of a child that runs the command after it.
pub const SUPERVISED: &str = "__supervised";

/// The first argument of a child that runs a command for a daemon's client.
pub const COMMAND: &str = "__command";

/// The first argument of a child that says what files define.
pub const OUTLINE: &str = "__outline";

/// How long work that was asked to stop may take to do so.
pub const GRACE: Duration = Duration::from_secs(10);
/// Memory a child may use, in MiB, unless the variable says otherwise.
const DEFAULT_MEMORY: u64 = 4096;
const MEMORY_VARIABLE: &str = "LORE_INDEX_MEMORY_MB";
/// What is kept of a child's last words.
const LAST_WORDS: usize = 2048;

/// The word that makes this process a child, and the arguments without it.
pub fn role(arguments: &mut Vec<OsString>) -> Option<&'static str> {
    let word = [JOB, COMMAND, OUTLINE, SUPERVISED]
        .into_iter()
        .find(|word| arguments.get(1).is_some_and(|given| given == word))?;
    arguments.remove(1);
    Some(word)
}

/// A process that ends with whoever holds it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Ended already, in most cases.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// lore itself in another role; none where its own file is not known.
fn command(env: &Env, role: &str) -> Option<Command> {
    let mut command = Command::new(env.exe.as_ref()?);
    command.arg(role).stdin(Stdio::piped()).stdout(Stdio::piped());
    Some(command)
}

/// The first thing a child does, once it has read what it was sent: from here
/// on it is bounded, and stops with whoever started it.
fn enter(env: &Env, input: impl Read + Send + 'static) -> CancelToken {
    limit_memory(env.var(MEMORY_VARIABLE).and_then(|text| text.parse().ok()));
    let stop = CancelToken::default();
    stop_with_input(input, stop.clone());
    #[cfg(debug_assertions)]
    crash::on_demand(env);
    stop
}

/// Beyond the limit an allocation fails, which ends this process and no other.
/// Mapped files do not count. A process that died leaves no image of itself:
/// it would hold what was read.
fn limit_memory(megabytes: Option<u64>) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let bytes = megabytes.unwrap_or(DEFAULT_MEMORY).saturating_mul(1024 * 1024);
        for (resource, limit) in [(Resource::Data, bytes), (Resource::Core, 0)] {
            let maximum = getrlimit(resource).maximum;
            let current = Some(maximum.map_or(limit, |maximum| maximum.min(limit)));
            // A system that has no such limit has none.
            let _ = setrlimit(resource, Rlimit { current, maximum });
        }
    }
    #[cfg(not(unix))]
    let _ = megabytes;
}

/// Asks the work to stop when the input ends, and ends it where it stands when
/// that takes too long.
#[expect(clippy::exit, reason = "a child whose parent is gone must end, whatever it is doing")]
fn stop_with_input(mut input: impl Read + Send + 'static, stop: CancelToken) {
    std::thread::spawn(move || {
        let mut ignored = [0; 64];
        while matches!(input.read(&mut ignored), Ok(n) if n > 0) {}
        stop.cancel();
        std::thread::sleep(GRACE);
        std::process::exit(i32::from(model::ErrorCode::Interrupted.exit_code()));
    });
}

/// What is said of a child that ended without its answer.
pub fn death(status: ExitStatus, last_words: &str) -> Error {
    let how = match signal(status) {
        Some(signal) => format!("by signal {signal}"),
        None => format!("with {status}"),
    };
    let error = Error::internal(format!("the process that did the work died {how}")).suggest(
        "a file of the repository may be too much for a parser: leave it out with .loreignore, \
         or set LORE_INDEX_MEMORY_MB higher; please report it",
    );
    match last_words.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => error.caused_by(one_line(line, 200)),
        None => error,
    }
}

/// `6 (SIGABRT)`; none for a process that ended by itself.
fn signal(status: ExitStatus) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        let number = status.signal()?;
        let name = match number {
            4 => " (SIGILL)",
            6 => " (SIGABRT)",
            7 => " (SIGBUS)",
            8 => " (SIGFPE)",
            9 => " (SIGKILL)",
            11 => " (SIGSEGV)",
            15 => " (SIGTERM)",
            _ => "",
        };
        Some(format!("{number}{name}"))
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// The end of what a child says on its standard error.
fn last_words(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    let mut part = [0; 4096];
    while let Ok(n) = from.read(&mut part) {
        if n == 0 {
            break;
        }
        kept.extend_from_slice(&part[..n]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

pub fn cannot_start(error: std::io::Error) -> Error {
    Error::internal("cannot start a process for the work").caused_by(error)
}

pub fn no_program() -> Error {
    Error::internal("lore does not know its own file, and cannot start itself")
}

/// Deaths that tests ask for; no part of a release.
#[cfg(debug_assertions)]
mod crash {
    use crate::env::Env;

    #[expect(clippy::exit, reason = "one of the deaths")]
    pub fn on_demand(env: &Env) {
        match env.var("LORE_TEST_CRASH") {
            Some("abort") => std::process::abort(),
            Some("overflow") => drop(sum_below(u64::MAX)),
            Some("memory") => {
                let mut kept: Vec<Vec<u8>> = Vec::new();
                loop {
                    kept.push(vec![1; 16 * 1024 * 1024]);
                }
            }
            Some("hang") => loop {
                std::thread::park();
            },
            Some("exit") => std::process::exit(0),
            _ => {}
        }
    }

    fn sum_below(n: u64) -> u64 {
        let room = std::hint::black_box([n; 64]);
        if n == 0 { 0 } else { room[7] + sum_below(n - 1) }
    }
}
