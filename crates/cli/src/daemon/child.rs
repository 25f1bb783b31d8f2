//! The daemon's children: lore itself, for one command or job each.

use crate::isolation::{COMMAND, GRACE, JOB, cannot_start, death};
use model::{CancelToken, Error, ErrorCode, Result};
use serve::daemon::protocol::{Frame, MAX_LINE};
use serve::daemon::{Running, Work};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Frames on their way from a child.
const FRAMES: usize = 256;
/// What is kept of a child's last words.
const LAST_WORDS: usize = 2048;

/// Starts a child for the work. It ends when its frames are dropped, or some time
/// after it was asked to.
pub fn start(program: Option<PathBuf>, work: Work) -> Running {
    let (to, frames) = mpsc::channel(FRAMES);
    let stop = CancelToken::default();
    let asked = stop.clone();
    tokio::spawn(async move {
        let outcome = match program {
            Some(program) => follow(&program, &work, &to, &asked).await,
            None => Err(crate::isolation::no_program()),
        };
        if let Err(error) = outcome {
            let _ = to.send(Frame::failure(&error)).await;
        }
    });
    Running { frames, stop }
}

/// Hands on what the child says, to its last frame.
async fn follow(
    program: &Path,
    work: &Work,
    to: &mpsc::Sender<Frame>,
    stop: &CancelToken,
) -> Result<()> {
    let mut child = spawn(program, work)?;
    let mut stdin = child.stdin.take();
    if let Some(stdin) = &mut stdin {
        let mut line = match work {
            Work::Command(request) => serde_json::to_vec(request),
            Work::Job(request) => serde_json::to_vec(request),
        }
        .map_err(|error| Error::internal("a request as JSON").caused_by(error))?;
        line.push(b'\n');
        // A child that died at once does not read; its end is looked at below.
        let _ = stdin.write_all(&line).await;
        let _ = stdin.flush().await;
    }
    let words = tokio::spawn(last_words(child.stderr.take()));
    let stdout = child.stdout.take().ok_or_else(|| Error::internal("a child without output"))?;
    let mut lines = BufReader::new(stdout.take(MAX_LINE)).lines();
    let mut is_asked = false;
    let grace = tokio::time::sleep(GRACE);
    tokio::pin!(grace);
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { break };
                let Ok(frame) = serde_json::from_str::<Frame>(&line) else { break };
                let is_last = frame.is_last();
                if to.send(frame).await.is_err() || is_last {
                    return reap(child).await;
                }
            }
            () = stop.cancelled(), if !is_asked => {
                is_asked = true;
                // The end of its input asks it to stop.
                stdin = None;
                grace.as_mut().reset(Instant::now() + GRACE);
            }
            () = &mut grace, if is_asked => {
                let _ = child.start_kill();
            }
        }
    }
    drop(stdin);
    let status = child.wait().await.map_err(cannot_start)?;
    if is_asked {
        return Err(Error::new(ErrorCode::Interrupted, "interrupted"));
    }
    Err(death(status, &words.await.unwrap_or_default()))
}

fn spawn(program: &Path, work: &Work) -> Result<Child> {
    let mut command = Command::new(program);
    match work {
        Work::Command(request) => {
            command.arg(COMMAND).env_clear().envs(&request.vars).current_dir(&request.dir);
        }
        Work::Job(request) => {
            command.arg(JOB).env_clear().envs(&request.vars).current_dir(&request.dir);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C in the terminal of a daemon in the foreground is for the daemon.
    command.process_group(0);
    command.kill_on_drop(true).spawn().map_err(cannot_start)
}

/// A child that has said everything ends by itself.
async fn reap(mut child: Child) -> Result<()> {
    drop(child.stdin.take());
    let _ = tokio::time::timeout(GRACE, child.wait()).await;
    Ok(())
}

/// The end of what a child says on its standard error.
async fn last_words(from: Option<ChildStderr>) -> String {
    let Some(mut from) = from else { return String::new() };
    let mut kept = Vec::new();
    let mut part = [0; 4096];
    while let Ok(n) = from.read(&mut part).await {
        if n == 0 {
            break;
        }
        kept.extend_from_slice(&part[..n]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
