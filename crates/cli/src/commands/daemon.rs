use super::Run;
use crate::config::repo_trust;
use crate::ctx::Ctx;
use crate::daemon::client::Connection;
use crate::daemon::holder::{self, Holder};
use crate::daemon::paths::DaemonPaths;
use crate::daemon::{CliDaemonHost, VERSION};
use crate::interrupt;
use crate::otlp_address;
use crate::ui::{self, Ui};
use files::ReadError;
use model::{CancelToken, Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serve::daemon::protocol::{DaemonStatus, Frame, Request};
use serve::daemon::{Level, Log, LogFormat};
use std::fs::File;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Keep everything current in the background
///
/// Indexes commits as they are made, syncs with the forge on a schedule, computes
/// embeddings, asks language servers and standing queries, and serves MCP over HTTP
/// and receives traces if told to. While it runs, it alone writes: it runs the commands
/// that write for whoever typed them. One daemon for each database; with the hooks of
/// `lore hook install --git` it indexes a commit at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore daemon start
  lore daemon status
  lore daemon run --http 127.0.0.1:7420 --log-format json
  lore daemon logs -n 20
  lore daemon stop")]
pub struct Args {
    #[command(subcommand)]
    what: DaemonCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DaemonCommand {
    /// Start it in the background
    Start(RunArgs),
    /// Run it in the foreground, for systemd, launchd and containers
    Run(RunArgs),
    /// Stop it after its current transaction
    Stop,
    /// Stop it if it runs, and start it again
    Restart(RunArgs),
    /// Show whether it runs, what it does and what comes next
    Status,
    /// Show the end of its log
    Logs {
        /// Number of lines
        #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
        lines: usize,
    },
    /// Read the settings again
    Reload,
}

#[derive(Debug, Clone, clap::Args)]
struct RunArgs {
    /// Serve MCP, health, metrics and webhooks on this address
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Receive OTLP traces; HTTP takes the port after that of gRPC
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1",
          value_parser = otlp_address::parse)]
    otlp: Option<SocketAddr>,
    /// Form of the log: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    log_format: String,
    /// How much is logged: error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "info",
          value_parser = ["error", "warn", "info", "debug"])]
    log_level: String,
    /// Started by `lore daemon start`
    #[arg(long, hide = true)]
    detached: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DaemonReport {
    pub state: DaemonState,
    /// None where no daemon answers.
    pub daemon: Option<DaemonStatus>,
    pub socket: String,
    pub log: String,
    /// The end of the log; only of `logs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DaemonState {
    Running,
    NotRunning,
    /// Somebody holds its lock and does not answer.
    Unresponsive,
    Started,
    Stopped,
    Reloaded,
}

/// How long a daemon may take to greet, and to end.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK: Duration = Duration::from_millis(20);
/// Nobody reads more of a log than this at once.
const MAX_LOG: u64 = 16 * 1024 * 1024;

impl Run for Args {
    type Answer = DaemonReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<DaemonReport> {
        let file = repo_trust::database(&ctx.env, ctx.config(ui)?)?;
        let here = Place { paths: DaemonPaths::of(&ctx.env, file.path())?, database: file.path().to_owned() };
        match &self.what {
            DaemonCommand::Run(args) => {
                ctx.writable_db(ui)?;
                here.run(ctx, ui, args)
            }
            DaemonCommand::Start(args) => {
                ctx.writable_db(ui)?;
                here.start(ctx, args)
            }
            DaemonCommand::Restart(args) => {
                here.stop()?;
                here.start(ctx, args)
            }
            DaemonCommand::Stop => here.stop(),
            DaemonCommand::Status => Ok(here.report(DaemonState::Running)),
            DaemonCommand::Logs { lines } => here.logs(*lines),
            DaemonCommand::Reload => {
                here.ask(&Request::Reload)?;
                Ok(here.report(DaemonState::Reloaded))
            }
        }
    }
}

/// One database's daemon, running or not.
struct Place {
    paths: DaemonPaths,
    database: PathBuf,
}

impl Place {
    fn ask(&self, request: &Request) -> Result<Frame> {
        let (mut connection, _) = self.paths.connect().ok_or_else(|| {
            Error::not_found("no daemon runs for this database").suggest("lore daemon start")
        })?;
        connection.ask(request)
    }

    fn status(&self) -> Option<DaemonStatus> {
        match self.ask(&Request::Status) {
            Ok(Frame::Status(status)) => Some(*status),
            _ => None,
        }
    }

    /// How it stands; without a daemon, that there is none.
    fn report(&self, state: DaemonState) -> DaemonReport {
        let daemon = self.status();
        let is_gone = daemon.is_none() && state == DaemonState::Running;
        let running = self.paths.connect().map(|(_, socket)| socket);
        DaemonReport {
            state: match is_gone {
                true if holder::is_free(&self.paths.lock) => DaemonState::NotRunning,
                true => DaemonState::Unresponsive,
                false => state,
            },
            daemon,
            socket: running.as_ref().unwrap_or(&self.paths.socket).display().to_string(),
            log: self.paths.log.display().to_string(),
            lines: None,
        }
    }

    fn run(&self, ctx: &Ctx, ui: &mut Ui, args: &RunArgs) -> Result<DaemonReport> {
        self.paths.check()?;
        if args.detached {
            // Of no terminal any more: closing it must not end the daemon.
            let _ = rustix::process::setsid();
        }
        let _lock = self.lock(ctx)?;
        let _ = self.paths.publish();
        let format = LogFormat::parse(&args.log_format).unwrap_or(LogFormat::Text);
        let level = Level::parse(&args.log_level).unwrap_or(Level::Info);
        let log = if args.detached {
            Log::to_file(ctx.clock(), format, level, self.paths.log.clone())
        } else {
            Log::to_stream(ctx.clock(), format, level, ui::log_stream())
        };
        let host = Arc::new(CliDaemonHost {
            env: ctx.env.clone(),
            globals: ctx.globals.clone(),
            database: self.database.clone(),
            socket: self.paths.socket.clone(),
            last_runs: self.paths.last_runs.clone(),
            http: args.http,
            otlp: args.otlp,
        });
        ui.leave_stdout();
        let stop = CancelToken::default();
        let socket = self.paths.socket.clone();
        let reload = move || {
            // A signal says the same as the command.
            let asked = Connection::open(&socket).map(|mut it| it.ask(&Request::Reload));
            drop(asked);
        };
        let uid = rustix::process::getuid().as_raw();
        let outcome =
            interrupt::daemon(stop.clone(), reload, serve::daemon::run(host, log, uid, stop));
        self.paths.retract();
        outcome?;
        Ok(self.report(DaemonState::Stopped))
    }

    /// The lock that makes it the only one; gone with the process, however it ends.
    fn lock(&self, ctx: &Ctx) -> Result<File> {
        if let Some(folder) = self.paths.log.parent() {
            files::create_dirs(folder).map_err(|error| {
                Error::new(ErrorCode::Internal, format!("cannot make {}", folder.display()))
                    .suggest("set XDG_STATE_HOME to a folder that is yours")
                    .caused_by(error)
            })?;
        }
        // A daemon may be the first to need a database.
        if let Some(folder) = self.paths.database.parent() {
            files::create_dirs(folder).map_err(|error| {
                Error::new(ErrorCode::DbError, format!("cannot make {}", folder.display()))
                    .suggest("name a database in a folder that is yours: --db FILE")
                    .caused_by(error)
            })?;
        }
        let holder = Holder {
            pid: ctx.env.pid(),
            version: VERSION.to_owned(),
            database: self.paths.database.clone(),
            socket: self.paths.socket.clone(),
        };
        // One whose lock is elsewhere, as with older builds, answers on its socket.
        if self.paths.connect().is_some() {
            return Err(self.refusal());
        }
        let lock = holder.lock(&self.paths.lock).map_err(|error| {
            let path = self.paths.lock.display();
            let what = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    "free some space and run the command again"
                }
                _ => "check that the folder of the database is writable",
            };
            Error::new(ErrorCode::DbError, format!("cannot lock {path}"))
                .suggest(what)
                .caused_by(error)
        })?;
        lock.ok_or_else(|| self.refusal())
    }

    fn refusal(&self) -> Error {
        let who = Holder::last(&self.paths).map_or_else(String::new, |holder| {
            format!(" (process {}, lore {})", holder.pid, holder.version)
        });
        let message = format!("a daemon runs already for {}{who}", self.database.display());
        Error::new(ErrorCode::Locked, message)
            .suggest("lore daemon status, or lore daemon restart")
    }

    fn start(&self, ctx: &Ctx, args: &RunArgs) -> Result<DaemonReport> {
        self.paths.check()?;
        if self.paths.connect().is_some() {
            return Err(self.refusal());
        }
        let program = ctx.env.exe.as_ref().ok_or_else(crate::isolation::no_program)?;
        let mut command = Command::new(program);
        for (flag, path) in [("--db", &ctx.globals.db), ("--config", &ctx.globals.config)] {
            if let Some(path) = path {
                command.arg(flag).arg(path);
            }
        }
        command.args(["daemon", "run", "--detached"]);
        command.args(["--log-format", &args.log_format, "--log-level", &args.log_level]);
        if let Some(address) = args.http {
            command.args(["--http", &address.to_string()]);
        }
        if let Some(address) = args.otlp {
            command.args(["--otlp", &address.to_string()]);
        }
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(crate::isolation::cannot_start)?;
        let n_looks = PATIENCE.as_millis() / LOOK.as_millis();
        for _ in 0..n_looks {
            if self.status().is_some() {
                return Ok(self.report(DaemonState::Started));
            }
            if let Ok(Some(_)) = child.try_wait() {
                return Err(died(child));
            }
            std::thread::sleep(LOOK);
        }
        let _ = child.kill();
        Err(Error::internal("the daemon did not answer in time").suggest("see: lore daemon logs"))
    }

    fn stop(&self) -> Result<DaemonReport> {
        match self.ask(&Request::Stop) {
            Ok(_) => {}
            // It hangs, or it is ending already.
            Err(error)
                if error.code() == ErrorCode::NotFound && !holder::is_free(&self.paths.lock) => {}
            Err(error) if error.code() == ErrorCode::NotFound => {
                return Ok(self.report(DaemonState::NotRunning));
            }
            Err(error) => return Err(error),
        }
        let n_looks = PATIENCE.as_millis() / LOOK.as_millis();
        for _ in 0..n_looks {
            if holder::is_free(&self.paths.lock) {
                return Ok(self.report(DaemonState::Stopped));
            }
            std::thread::sleep(LOOK);
        }
        let pid = Holder::last(&self.paths).map_or(0, |holder| holder.pid);
        Err(Error::internal(format!("the daemon (process {pid}) does not end"))
            .suggest(format!("kill it; nothing is lost: kill -9 {pid}")))
    }

    fn logs(&self, n_lines: usize) -> Result<DaemonReport> {
        let text = match files::read(&self.paths.log, MAX_LOG) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(ReadError::NotFound) => String::new(),
            Err(error) => {
                let message = format!("cannot read {}", self.paths.log.display());
                return Err(Error::new(ErrorCode::NotFound, message).caused_by(error));
            }
        };
        let all: Vec<&str> = text.lines().collect();
        let newest = all.iter().skip(all.len().saturating_sub(n_lines));
        let lines = newest.map(|line| (*line).to_owned()).collect();
        let state = DaemonState::Running;
        Ok(DaemonReport { lines: Some(lines), ..self.report(state) })
    }
}

/// Why a daemon ended before it greeted: its own words.
fn died(child: std::process::Child) -> Error {
    let said = child.wait_with_output().map(|it| it.stderr).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let line = said.lines().find_map(|line| line.strip_prefix("error: "));
    let hint = said.lines().find_map(|line| line.trim().strip_prefix("hint: "));
    let why = line.or_else(|| said.lines().last()).unwrap_or("it said nothing");
    let error = Error::internal(format!("the daemon did not start: {why}"));
    match hint {
        Some(hint) => error.suggest(hint),
        None => error.suggest("see why: lore daemon run"),
    }
}
