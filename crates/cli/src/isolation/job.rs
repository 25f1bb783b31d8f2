//! Jobs of a server: the request goes to the child's input as one line, what
//! happens comes back line by line, the report or the error last.

use super::{GRACE, JOB, Running, cannot_start, command, death, no_program};
use crate::args::Globals;
use crate::env::Env;
use crate::mcp::CliHost;
use crate::ui;
use model::CancelToken;
use model::{Error, ErrorCode, Progress, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serve::mcp::Job;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often a waiting parent looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// Longer than any report.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// Units of progress between two lines.
const STEP: u64 = 16;

/// No repository takes this long; something hangs.
const fn time_limit(job: &Job) -> Duration {
    match job {
        Job::Index => Duration::from_secs(2 * 60 * 60),
        Job::Sync => Duration::from_secs(12 * 60 * 60),
        Job::Question(_) => Duration::from_secs(5 * 60),
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    is_sync: bool,
    question: Option<Vec<String>>,
    db: Option<PathBuf>,
    config: Option<PathBuf>,
}

/// A line from the child.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Message {
    Phase { name: String, total: Option<u64> },
    Advance(u64),
    Grow(u64),
    Waiting { reason: String, millis: u64 },
    Note(String),
    Finish,
    Done { report: Value, warnings: Vec<String> },
    Failed { code: String, message: String, suggestion: Option<String> },
}

type Outcome = Result<(Value, Vec<String>)>;

/// Does a job in a child process; its report and warnings.
pub fn run(
    env: &Env,
    globals: &Globals,
    (job, dir): (Job, &Path),
    progress: &dyn Progress,
    stop: &CancelToken,
) -> Outcome {
    let mut command = command(env, JOB).ok_or_else(no_program)?;
    let child = command.current_dir(dir).stderr(Stdio::piped()).spawn().map_err(cannot_start)?;
    let mut child = Running(child);
    let request = Request {
        is_sync: job == Job::Sync,
        question: match &job {
            Job::Question(words) => Some(words.clone()),
            Job::Sync | Job::Index => None,
        },
        db: globals.db.clone(),
        config: globals.config.clone(),
    };
    let request = serde_json::to_string(&request)
        .map_err(|error| Error::usage("a path is not text").caused_by(error))?;
    let mut stdin = child.0.stdin.take();
    if let Some(stdin) = &mut stdin {
        // A child that died at once does not read; its end is looked at below.
        let _ = writeln!(stdin, "{request}").and_then(|()| stdin.flush());
    }
    let stderr = child.0.stderr.take();
    let words = std::thread::spawn(move || stderr.map(super::last_words).unwrap_or_default());
    let (to, messages) = sync_channel(64);
    if let Some(stdout) = child.0.stdout.take() {
        std::thread::spawn(move || read_messages(stdout, &to));
    }
    let limit = time_limit(&job);
    let mut patience = Patience { stdin, until: Instant::now() + limit, is_stopping: false };
    let outcome = follow(&mut child, &messages, &mut patience, (progress, stop));
    if let Some(outcome) = outcome {
        return outcome;
    }
    let status = child.0.wait().map_err(cannot_start)?;
    if patience.is_stopping {
        return Err(Error::new(ErrorCode::Interrupted, "interrupted"));
    }
    Err(death(status, &words.join().unwrap_or_default()))
}

/// How long the parent goes on waiting.
struct Patience<Stdin> {
    /// Its end asks the child to stop.
    stdin: Option<Stdin>,
    until: Instant,
    is_stopping: bool,
}

/// Hands on what the child tells, to its end; none when it gave no answer.
fn follow<Stdin>(
    child: &mut Running,
    messages: &Receiver<Message>,
    patience: &mut Patience<Stdin>,
    (progress, stop): (&dyn Progress, &CancelToken),
) -> Option<Outcome> {
    let mut outcome = None;
    loop {
        if stop.is_cancelled() && !patience.is_stopping {
            patience.is_stopping = true;
            patience.stdin = None;
            patience.until = patience.until.min(Instant::now() + GRACE);
        }
        if Instant::now() > patience.until {
            let _ = child.0.kill();
        }
        match messages.recv_timeout(LOOK) {
            Ok(Message::Done { report, warnings }) => outcome = Some(Ok((report, warnings))),
            Ok(Message::Failed { code, message, suggestion }) => {
                outcome = Some(Err(error(&code, message, suggestion)));
            }
            Ok(message) => hand_on(message, progress),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return outcome,
        }
    }
}

fn hand_on(message: Message, progress: &dyn Progress) {
    match message {
        Message::Phase { name, total } => progress.phase(&name, total),
        Message::Advance(n) => progress.advance(n),
        Message::Grow(n) => progress.grow(n),
        Message::Waiting { reason, millis } => {
            progress.waiting(&reason, Duration::from_millis(millis));
        }
        Message::Note(message) => progress.note(&message),
        Message::Finish => progress.finish(),
        Message::Done { .. } | Message::Failed { .. } => {}
    }
}

fn error(code: &str, message: String, suggestion: Option<String>) -> Error {
    let known = ErrorCode::ALL.iter().find(|known| known.as_str() == code);
    let error = Error::new(known.copied().unwrap_or(ErrorCode::Internal), message);
    match suggestion {
        Some(suggestion) => error.suggest(suggestion),
        None => error,
    }
}

/// Ends with the child's output, or with a line that is none of ours.
fn read_messages(stdout: ChildStdout, to: &SyncSender<Message>) {
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if !matches!(read, Ok(n) if n > 0) {
            return;
        }
        let Ok(message) = serde_json::from_slice(&line) else { return };
        if to.send(message).is_err() {
            return;
        }
    }
}

/// The child: reads what to do, does it, says how it went.
pub fn main(env: &Env) -> u8 {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    let request = input
        .by_ref()
        .take(MAX_LINE)
        .read_line(&mut line)
        .ok()
        .and_then(|_| serde_json::from_str::<Request>(&line).ok());
    let teller = Arc::new(Teller::new(ui::protocol()));
    let Some(request) = request else {
        let error = Error::usage("this is no command for people").suggest("lore help");
        return teller.failed(&error);
    };
    let stop = super::enter(env, input);
    let job = match request.question {
        Some(words) => Job::Question(words),
        None if request.is_sync => Job::Sync,
        None => Job::Index,
    };
    let globals = Globals { db: request.db, config: request.config, ..Globals::default() };
    let around = CliHost::new(env.clone(), globals);
    let progress: Arc<dyn Progress> = Arc::clone(&teller) as _;
    let outcome = catch_unwind(AssertUnwindSafe(|| around.run_here(job, &env.cwd, progress, stop)))
        .unwrap_or_else(|_| Err(Error::internal("lore crashed over this job")));
    match outcome {
        Ok((report, warnings)) => {
            teller.tell(Message::Done { report, warnings });
            0
        }
        Err(error) => teller.failed(&error),
    }
}

/// Progress as lines; advances are gathered, because there are many.
struct Teller {
    state: Mutex<TellerState>,
}

struct TellerState {
    to: Box<dyn Write + Send>,
    n_untold: u64,
}

impl TellerState {
    fn write(&mut self, message: &Message) {
        // A parent that left is noticed elsewhere.
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            let _ = self.to.write_all(&line).and_then(|()| self.to.flush());
        }
    }

    fn write_untold(&mut self) {
        if self.n_untold > 0 {
            let n = std::mem::take(&mut self.n_untold);
            self.write(&Message::Advance(n));
        }
    }
}

impl Teller {
    fn new(to: Box<dyn Write + Send>) -> Self {
        Teller { state: Mutex::new(TellerState { to, n_untold: 0 }) }
    }

    fn tell(&self, message: Message) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.write_untold();
        state.write(&message);
    }

    fn failed(&self, error: &Error) -> u8 {
        let document = ui::ErrorDocument::from(error);
        self.tell(Message::Failed {
            code: document.code.to_owned(),
            message: document.message,
            suggestion: document.suggestion,
        });
        error.code().exit_code()
    }
}

impl Progress for Teller {
    fn phase(&self, name: &str, total: Option<u64>) {
        self.tell(Message::Phase { name: name.to_owned(), total });
    }

    fn advance(&self, n: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.n_untold += n;
        if state.n_untold >= STEP {
            state.write_untold();
        }
    }

    fn grow(&self, n: u64) {
        self.tell(Message::Grow(n));
    }

    fn waiting(&self, reason: &str, wait: Duration) {
        let millis = wait.as_millis().try_into().unwrap_or(u64::MAX);
        self.tell(Message::Waiting { reason: reason.to_owned(), millis });
    }

    fn note(&self, message: &str) {
        self.tell(Message::Note(message.to_owned()));
    }

    fn finish(&self) {
        self.tell(Message::Finish);
    }
}
