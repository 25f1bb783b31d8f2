//! The daemon's door: a unix socket that only its own user can open.

use super::protocol::{Frame, Hello, MAX_LINE, PROTOCOL, Request};
use super::queue::{NewJob, Origin, Priority};
use super::{Daemon, Event, Work};
use model::{CancelToken, Error, ErrorCode, Result};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};

/// Connections at the same time; more wait.
const CONNECTIONS: usize = 128;
/// To send a request after the greeting.
const PATIENCE: Duration = Duration::from_secs(10);
/// Frames on their way to a client that reads slowly.
const FRAMES: usize = 256;
/// How often it is looked whether the socket is still there.
const LOOK: Duration = Duration::from_secs(5);

/// Opens the socket; one that a dead daemon left is replaced. Whoever calls holds
/// the lock that makes it the only one.
pub fn bind(path: &Path) -> Result<UnixListener> {
    let cannot = |error: io::Error| {
        Error::new(ErrorCode::Internal, format!("cannot open the socket {}", path.display()))
            .suggest("set XDG_RUNTIME_DIR to a short path of a folder that is yours")
            .caused_by(error)
    };
    if let Some(folder) = path.parent() {
        files::create_dirs(folder).map_err(cannot)?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(cannot)?;
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(cannot)?;
    // The folder keeps others out already; a umask must not let them in.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(cannot)?;
    Ok(listener)
}

/// Answers until the daemon ends. A socket that was removed is made again.
pub async fn serve(daemon: Arc<Daemon>, path: PathBuf, mut listener: UnixListener) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let mut inode = inode(&path);
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
                let daemon = Arc::clone(&daemon);
                tokio::spawn(async move {
                    let _slot = slot;
                    // What goes wrong is the client's to notice.
                    let _ = connection(&daemon, stream).await;
                });
            }
            _ = look.tick() => {
                if self::inode(&path) == inode {
                    continue;
                }
                match bind(&path) {
                    Ok(again) => {
                        daemon.log.warn("the socket was gone and is there again", &[]);
                        listener = again;
                        inode = self::inode(&path);
                    }
                    Err(error) => {
                        daemon.log.error("the socket is gone", &[("error", &error.to_string())]);
                    }
                }
            }
        }
    }
}

fn inode(path: &Path) -> Option<u64> {
    std::fs::symlink_metadata(path).ok().map(|found| found.ino())
}

async fn connection(daemon: &Arc<Daemon>, stream: UnixStream) -> io::Result<()> {
    // The mode of the socket says the same; a root process may ask, too.
    let peer = stream.peer_cred()?.uid();
    if peer != daemon.uid && peer != 0 {
        daemon.log.warn("somebody else knocked", &[("uid", &peer.to_string())]);
        return Ok(());
    }
    let (from, mut to) = stream.into_split();
    let hello =
        Hello { protocol: PROTOCOL, version: daemon.host.version(), pid: daemon.host.pid() };
    send(&mut to, &hello).await?;
    let mut lines = BufReader::new(from.take(MAX_LINE));
    let mut line = String::new();
    let read = tokio::time::timeout(PATIENCE, lines.read_line(&mut line)).await;
    if !matches!(read, Ok(Ok(n)) if n > 0) {
        return Ok(());
    }
    let Ok(request) = serde_json::from_str::<Request>(&line) else {
        let error = Error::usage("the daemon does not understand the request")
            .suggest("run: lore daemon restart");
        return send(&mut to, &Frame::failure(&error)).await;
    };
    let rest = lines.into_inner().into_inner();
    answer(daemon, request, rest, &mut to).await
}

async fn answer(
    daemon: &Arc<Daemon>,
    request: Request,
    rest: OwnedReadHalf,
    to: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let work = match request {
        Request::Changed { dir } => {
            daemon.metrics.request("changed");
            daemon.tell(Event::Hook(dir));
            return send(to, &Frame::Accepted).await;
        }
        Request::Status => {
            daemon.metrics.request("status");
            let (reply, status) = tokio::sync::oneshot::channel();
            daemon.tell(Event::Status(reply));
            return match status.await {
                Ok(status) => send(to, &Frame::Status(Box::new(status))).await,
                Err(_) => Ok(()),
            };
        }
        Request::Reload => {
            daemon.metrics.request("reload");
            let (reply, outcome) = tokio::sync::oneshot::channel();
            daemon.tell(Event::Reload(reply));
            return match outcome.await {
                Ok(Ok(())) => send(to, &Frame::Accepted).await,
                Ok(Err(error)) => send(to, &Frame::failure(&error)).await,
                Err(_) => Ok(()),
            };
        }
        Request::Stop => {
            daemon.metrics.request("stop");
            send(to, &Frame::Accepted).await?;
            daemon.stop.cancel();
            return Ok(());
        }
        Request::Command(command) => Work::Command(*command),
        Request::Job(job) => Work::Job(job),
    };
    daemon.metrics.request("command");
    relay(daemon, work, rest, to).await
}

/// Has work done and hands its frames on, until the client leaves.
async fn relay(
    daemon: &Arc<Daemon>,
    work: Work,
    mut rest: OwnedReadHalf,
    to: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let (frames, mut from) = mpsc::channel(FRAMES);
    let stop = CancelToken::default();
    let is_exclusive = match &work {
        Work::Command(command) => command.is_exclusive,
        Work::Job(_) => true,
    };
    daemon.queue.submit(NewJob {
        label: label(&work),
        origin: Origin::Client,
        priority: Priority::Interactive,
        is_exclusive,
        work,
        to: Some(frames),
        stop: stop.clone(),
    });
    let mut ignored = [0; 64];
    let mut is_open = true;
    loop {
        tokio::select! {
            frame = from.recv() => {
                let Some(frame) = frame else {
                    let error = Error::new(ErrorCode::Interrupted, "the daemon is stopping");
                    return send(to, &Frame::failure(&error)).await;
                };
                let is_last = frame.is_last();
                send(to, &frame).await?;
                if is_last {
                    return Ok(());
                }
            }
            read = rest.read(&mut ignored), if is_open => {
                if !matches!(read, Ok(n) if n > 0) {
                    is_open = false;
                    stop.cancel();
                    if daemon.queue.withdraw(&stop) {
                        let error = Error::new(
                            ErrorCode::Interrupted,
                            "interrupted before its turn; nothing was done",
                        );
                        return send(to, &Frame::failure(&error)).await;
                    }
                }
            }
        }
    }
}

fn label(work: &Work) -> String {
    match work {
        Work::Job(job) => if job.is_sync { "sync" } else { "index" }.to_owned(),
        Work::Command(command) => model::text::one_line(&command.name, 40),
    }
}

async fn send(to: &mut OwnedWriteHalf, message: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::protocol::{CommandRequest, Terminal};

    #[test]
    fn work_is_told_of_by_the_name_of_its_command_and_no_value() {
        let command = CommandRequest {
            name: "index".to_owned(),
            arguments: ["--db", "/home/ada/secret.db", "index"].map(str::to_owned).to_vec(),
            dir: std::path::PathBuf::from("/"),
            vars: std::collections::BTreeMap::new(),
            terminal: Terminal::default(),
            is_exclusive: true,
            niceness: 0,
        };
        assert_eq!(label(&Work::Command(command)), "index");
    }
}
