//! Jobs of a server: the request goes to the child's input as one line, what
//! happens comes back line by line, the report or the error last.

use super::teller::FrameWriter;
use super::{GRACE, JOB, Running, cannot_start, command, death, no_program};
use crate::args::Globals;
use crate::daemon::client;
use crate::env::Env;
use crate::mcp::CliHost;
use crate::ui;
use model::CancelToken;
use model::{Error, ErrorCode, Progress, Result};
use serde_json::Value;
use serve::daemon::protocol::{self, Frame, JobRequest, MAX_LINE};
use serve::mcp::Job;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use tokio::time::Instant;

/// How often a waiting parent looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// No repository takes this long; something hangs.
const fn time_limit(job: &Job) -> Duration {
    match job {
        Job::Index => Duration::from_secs(2 * 60 * 60),
        Job::Sync => Duration::from_secs(12 * 60 * 60),
        Job::Question(_) => Duration::from_secs(5 * 60),
    }
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
    let request = JobRequest {
        is_sync: job == Job::Sync,
        dir: dir.to_owned(),
        question: match &job {
            Job::Question(words) => Some(words.clone()),
            Job::Sync | Job::Index => None,
        },
        db: globals.db.clone(),
        config: globals.config.clone(),
        vars: env.vars().clone(),
    };
    // A question writes nothing, so it need not wait for the daemon's turn.
    if request.question.is_none()
        && let Some(outcome) = client::job(env, globals, &request, progress, stop)
    {
        return outcome;
    }
    let mut command = command(env, JOB).ok_or_else(no_program)?;
    let child = command.current_dir(dir).stderr(Stdio::piped()).spawn().map_err(cannot_start)?;
    let mut child = Running(child);
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
    let mut patience = ChildDeadline { stdin, until: Instant::now() + limit, is_stopping: false };
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
struct ChildDeadline<Stdin> {
    /// Its end asks the child to stop.
    stdin: Option<Stdin>,
    until: Instant,
    is_stopping: bool,
}

/// Hands on what the child tells, to its end; none when it gave no answer.
fn follow<Stdin>(
    child: &mut Running,
    messages: &Receiver<Frame>,
    patience: &mut ChildDeadline<Stdin>,
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
            Ok(Frame::Done { report, warnings }) => outcome = Some(Ok((report, warnings))),
            Ok(Frame::Failed { code, message, suggestion }) => {
                outcome = Some(Err(protocol::error(&code, message, suggestion)));
            }
            Ok(frame) => drop(frame.tell(progress)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return outcome,
        }
    }
}

/// Ends with the child's output, or with a line that is none of ours.
fn read_messages(stdout: ChildStdout, to: &SyncSender<Frame>) {
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
        .and_then(|_| serde_json::from_str::<JobRequest>(&line).ok());
    let teller = Arc::new(FrameWriter::new(ui::protocol()));
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
            teller.tell(Frame::Done { report, warnings });
            0
        }
        Err(error) => teller.failed(&error),
    }
}
