//! Asking the daemon. A command that writes goes to the one that runs for its
//! database, and looks to whoever typed it as if it had been done here.

use super::VERSION;
use super::paths::{self, DaemonPaths};
use crate::args::{Cli, Globals};
use crate::commands::Writing;
use crate::config::Config;
use crate::ctx::Ctx;
use crate::env::Env;
use crate::interrupt;
use crate::ui::Ui;
use model::{CancelToken, Error, ErrorCode, Progress, Result};
use serde_json::Value;
use serve::daemon::protocol::{
    self, CommandRequest, DaemonStatus, Frame, Hello, JobRequest, MAX_LINE, Request, Terminal,
};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// To greet, and to answer what needs no work.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a waiting client looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// What a child of a daemon that was killed may still need.
const TAKEOVER: Duration = Duration::from_secs(15);

/// A connection to a daemon that has greeted.
pub struct Connection {
    stream: UnixStream,
    lines: BufReader<std::io::Take<UnixStream>>,
    pub hello: Hello,
}

impl Connection {
    /// None where no daemon answers.
    pub fn open(socket: &Path) -> Option<Connection> {
        let stream = UnixStream::connect(socket).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut lines = BufReader::new(stream.try_clone().ok()?.take(u64::MAX));
        let mut line = String::new();
        lines.by_ref().take(MAX_LINE).read_line(&mut line).ok()?;
        let hello = serde_json::from_str(&line).ok()?;
        Some(Connection { stream, lines, hello })
    }

    /// The daemon of the database that the settings name.
    fn of_config(env: &Env, globals: &Globals) -> Option<Connection> {
        let config = Config::load(env, globals).ok()?;
        let paths = DaemonPaths::of(env, config.db_path().ok()?).ok()?;
        paths.connect().map(|(connection, _)| connection)
    }

    pub fn send(&mut self, request: &Request) -> Result<()> {
        let lost = |error: std::io::Error| {
            Error::new(ErrorCode::NetworkError, "the daemon does not listen").caused_by(error)
        };
        let mut line = serde_json::to_vec(request)
            .map_err(|error| Error::usage("a path is not text").caused_by(error))?;
        line.push(b'\n');
        self.stream.write_all(&line).map_err(lost)
    }

    /// The next frame; none when the daemon is gone.
    fn frame(&mut self) -> Option<Frame> {
        let mut line = String::new();
        match self.lines.by_ref().take(MAX_LINE).read_line(&mut line) {
            Ok(n) if n > 0 => serde_json::from_str(&line).ok(),
            _ => None,
        }
    }

    /// Asks for something that is answered at once.
    pub fn ask(&mut self, request: &Request) -> Result<Frame> {
        self.send(request)?;
        match self.frame() {
            Some(Frame::Failed { code, message, suggestion }) => {
                Err(protocol::error(&code, message, suggestion))
            }
            Some(frame) => Ok(frame),
            None => Err(Error::new(ErrorCode::NetworkError, "the daemon did not answer")
                .suggest("see: lore daemon logs")),
        }
    }
}

/// Has a command done by the daemon; its exit status. None where none runs, where the
/// command only reads, or where a daemon that died left the work to us.
pub fn forward(arguments: &[OsString], env: &Env, cli: &Cli, ui: &mut Ui) -> Option<u8> {
    let writing = cli.command.writing()?;
    if env.flag("LORE_NO_DAEMON") {
        return None;
    }
    let mut connection = Connection::of_config(env, &cli.globals)?;
    if let Some(mismatch) = connection.hello.mismatch(VERSION) {
        return Some(ui.finish(Err(mismatch)));
    }
    let words = arguments.iter().skip(1).map(|word| word.to_str().map(str::to_owned));
    let request = CommandRequest {
        name: cli.command.name().to_owned(),
        arguments: words.collect::<Option<Vec<_>>>()?,
        dir: env.cwd.clone(),
        vars: env.vars().clone(),
        terminal: Terminal {
            stdout_is_tty: env.stdout_is_tty,
            stderr_is_tty: env.stderr_is_tty,
            width: env.width,
            height: env.height,
        },
        is_exclusive: writing == Writing::Run,
        niceness: 0,
    };
    connection.send(&Request::Command(Box::new(request))).ok()?;
    match follow(connection, ui) {
        Some(code) => Some(code),
        None if writing != Writing::Rows => {
            ui.note("the daemon ended; the work goes on here");
            wait_for_lock(env, &cli.globals);
            None
        }
        None => {
            let error = Error::new(ErrorCode::Interrupted, "the daemon ended over this command")
                .suggest("look whether it was done before you run it again");
            Some(ui.finish(Err(error)))
        }
    }
}

/// Shows what comes back; none when the daemon is gone before the end.
fn follow(mut connection: Connection, ui: &mut Ui) -> Option<u8> {
    let progress = ui.progress();
    let _ = connection.stream.set_read_timeout(None);
    let writer = connection.stream.try_clone().ok()?;
    let (pressed, presses) = channel();
    interrupt::on_each(move || {
        // The daemon cancels what nobody waits for.
        let _ = writer.shutdown(Shutdown::Write);
        let _ = pressed.send(());
    });
    let (to, frames) = channel();
    std::thread::spawn(move || {
        while let Some(frame) = connection.frame() {
            let is_last = frame.is_last();
            if to.send(frame).is_err() || is_last {
                return;
            }
        }
    });
    let mut n_presses = 0;
    loop {
        while presses.try_recv().is_ok() {
            n_presses += 1;
            if n_presses == 1 {
                progress.note(
                    "stopping after the transaction in hand; press Ctrl-C again to stop at once",
                );
            } else {
                return Some(ui.finish(Err(Error::new(ErrorCode::Interrupted, "interrupted"))));
            }
        }
        let frame = match frames.recv_timeout(LOOK) {
            Ok(frame) => frame,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        match frame.tell(&*progress) {
            Some(Frame::Out(text)) => {
                let _ = ui.to_stdout(&text);
            }
            Some(Frame::Err(text)) => ui.to_stderr(&text),
            Some(Frame::Exit(code)) => return Some(code),
            Some(Frame::Failed { code, message, suggestion }) => {
                return Some(ui.finish(Err(protocol::error(&code, message, suggestion))));
            }
            // Told, or nothing that a command says.
            None | Some(_) => {}
        }
    }
}

/// A child of the daemon that died ends soon; what it wrote is whole.
fn wait_for_lock(env: &Env, globals: &Globals) {
    let Some(database) = Config::load(env, globals)
        .ok()
        .and_then(|config| config.db_path().ok().map(Path::to_owned))
    else {
        return;
    };
    let n_looks = TAKEOVER.as_millis() / LOOK.as_millis();
    for _ in 0..n_looks {
        if store::lock::is_free(&database) {
            return;
        }
        std::thread::sleep(LOOK);
    }
}

/// Has a job of an MCP server done by the daemon; none where none runs.
pub fn job(
    env: &Env,
    globals: &Globals,
    request: &JobRequest,
    progress: &dyn Progress,
    stop: &CancelToken,
) -> Option<Result<(Value, Vec<String>)>> {
    if env.flag("LORE_NO_DAEMON") {
        return None;
    }
    let mut around = env.clone();
    around.cwd.clone_from(&request.dir);
    let mut connection = Connection::of_config(&around, globals)?;
    if connection.hello.mismatch(VERSION).is_some() {
        return None;
    }
    connection.send(&Request::Job(request.clone())).ok()?;
    let _ = connection.stream.set_read_timeout(Some(LOOK));
    let mut line = Vec::new();
    loop {
        if stop.is_cancelled() {
            let _ = connection.stream.shutdown(Shutdown::Write);
        }
        match connection.lines.read_until(b'\n', &mut line) {
            Ok(0) => return Some(Err(gone())),
            Ok(_) => {}
            Err(error) if is_timeout(&error) => continue,
            Err(_) => return Some(Err(gone())),
        }
        let frame = serde_json::from_slice::<Frame>(&line).ok();
        line.clear();
        match frame.and_then(|frame| frame.tell(progress)) {
            Some(Frame::Done { report, warnings }) => return Some(Ok((report, warnings))),
            Some(Frame::Failed { code, message, suggestion }) => {
                return Some(Err(protocol::error(&code, message, suggestion)));
            }
            _ => {}
        }
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

fn gone() -> Error {
    Error::new(ErrorCode::Interrupted, "the daemon ended over this job")
        .suggest("ask again; the work goes on where it stopped")
}

/// How the daemon of this database stands; none where none runs.
pub fn status(ctx: &Ctx, ui: &mut Ui) -> Option<DaemonStatus> {
    let database = ctx.config(ui).ok()?.db_path().ok()?.to_owned();
    let paths = DaemonPaths::of(&ctx.env, &database).ok()?;
    match paths.connect()?.0.ask(&Request::Status).ok()? {
        Frame::Status(status) => Some(*status),
        _ => None,
    }
}

/// Tells every daemon of this user that refs of the clone around `dir` may have
/// moved; those that do not know it ignore it.
pub fn tell_changed(env: &Env, dir: &Path) -> usize {
    let mut n_told = 0;
    for socket in paths::all_sockets(env) {
        let told = Connection::open(&socket)
            .and_then(|mut it| it.ask(&Request::Changed { dir: dir.to_owned() }).ok());
        n_told += usize::from(told.is_some());
    }
    n_told
}
