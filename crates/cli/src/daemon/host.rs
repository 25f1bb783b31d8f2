//! What the daemon asks of the program around it.

use super::{child, machine};
use crate::args::{self, Globals};
use crate::commands::Writing;
use crate::config::{Config, EmbeddingProvider, token};
use crate::ctx::Ctx;
use crate::env::Env;
use crate::mcp::CliHost;
use crate::ui::Ui;
use crate::{notifications, otlp_address, run_traces};
use model::progress::NoProgress;
use model::{Clock, Error, ErrorCode, Result};
use pipeline::traces::TraceSink;
use serve::daemon::protocol::{CommandRequest, Terminal};
use serve::daemon::{DaemonHost, Machine, OtlpPlace, Running, Settings, Work};
use serve::mcp::{McpHost, Options};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct CliDaemonHost {
    pub env: Env,
    pub globals: Globals,
    pub database: PathBuf,
    pub socket: PathBuf,
    pub last_runs: PathBuf,
    /// From the command line; before the config.
    pub http: Option<SocketAddr>,
    pub otlp: Option<SocketAddr>,
}

impl CliDaemonHost {
    fn http(&self, config: Option<&str>) -> Result<Option<SocketAddr>> {
        if self.http.is_some() {
            return Ok(self.http);
        }
        config
            .map(|text| {
                text.parse().map_err(|_| {
                    let message = format!("`daemon.http` is no address and port: `{text}`");
                    Error::new(ErrorCode::ConfigInvalid, message)
                        .suggest("write it as 127.0.0.1:7420")
                })
            })
            .transpose()
    }

    fn otlp(&self, config: Option<&str>) -> Result<Option<OtlpPlace>> {
        let address = match (self.otlp, config) {
            (Some(address), _) => Some(address),
            (None, Some(text)) => Some(otlp_address::parse(text).map_err(|_| {
                let message = format!("`daemon.otlp` is no address and port: `{text}`");
                Error::new(ErrorCode::ConfigInvalid, message).suggest("write it as 127.0.0.1:4317")
            })?),
            (None, None) => None,
        };
        address.map(otlp_address::place).transpose()
    }

    fn ctx(&self) -> (Ctx, Ui) {
        let ui = Ui::silent(&self.env, &self.globals, Arc::new(NoProgress));
        (Ctx::new(self.env.clone(), self.globals.clone()), ui)
    }
}

impl DaemonHost for CliDaemonHost {
    fn clock(&self) -> Arc<dyn Clock> {
        self.env.clock()
    }

    fn version(&self) -> String {
        super::VERSION.to_owned()
    }

    fn pid(&self) -> u32 {
        self.env.pid()
    }

    fn database(&self) -> &Path {
        &self.database
    }

    fn settings(&self) -> Result<Settings> {
        let config = Config::load(&self.env, &self.globals)?;
        let daemon = config.daemon();
        let mut warnings = config.warnings().to_vec();
        let has_forge = config.base_url().is_ok() && !config.projects().is_empty();
        if has_forge && let Err(error) = config.token(&self.env) {
            warnings.push(format!("no syncs will succeed: {error}"));
        }
        Ok(Settings {
            has_forge,
            embeds: config.embedding().provider != EmbeddingProvider::None,
            watches: daemon.watches,
            debounce: daemon.debounce,
            pause_on_battery: daemon.pause_on_battery,
            max_load: daemon.max_load,
            http: self.http(daemon.http.as_deref())?,
            otlp: self.otlp(daemon.otlp.as_deref())?,
            http_token: token::of_mcp(&config, &self.env)?.map(|token| token.secret),
            webhook_secret: token::of_webhooks(&config, &self.env)?.map(|token| token.secret),
            projects: config.projects().to_vec(),
            has_rules: !config.notify_rules().is_empty(),
            intervals: daemon.intervals,
            warnings,
        })
    }

    fn command(&self, arguments: &[&str], dir: Option<&Path>, niceness: i32) -> CommandRequest {
        let mut words: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let flags = [("--db", &self.globals.db), ("--config", &self.globals.config)];
        for (flag, path) in flags {
            let path = path.as_ref().map(|path| self.env.cwd.join(path));
            if let Some(path) = path.as_deref().and_then(Path::to_str) {
                words.splice(0..0, [flag.to_owned(), path.to_owned()]);
            }
        }
        let line: Vec<OsString> =
            std::iter::once("lore".into()).chain(words.iter().map(Into::into)).collect();
        let parsed = args::parse(&line, &self.env).ok();
        let writing = parsed.as_ref().and_then(|cli| cli.command.writing());
        CommandRequest {
            name: parsed.map(|cli| cli.command.name().to_owned()).unwrap_or_default(),
            arguments: words,
            dir: dir.unwrap_or(&self.env.cwd).to_owned(),
            vars: self.env.vars().clone(),
            terminal: Terminal { width: self.env.width, ..Terminal::default() },
            is_exclusive: writing == Some(Writing::Run),
            niceness,
        }
    }

    fn start(&self, work: Work) -> Running {
        child::start(self.env.exe.clone(), work)
    }

    fn machine(&self) -> Machine {
        machine::now()
    }

    fn mcp(&self) -> (Arc<dyn McpHost>, Options) {
        let host = CliHost::new(self.env.clone(), self.globals.clone());
        (Arc::new(host), Options::new(self.env.cwd.clone()))
    }

    fn traces(&self) -> Arc<TraceSink> {
        let owner = format!("{} (lore daemon)", self.env.process_name());
        let routes = run_traces::routes_of(&self.database, self.clock());
        Arc::new(TraceSink::new(&self.database, &owner, self.env.clock(), routes))
    }

    fn notify(&self) -> Result<usize> {
        let (ctx, mut ui) = self.ctx();
        notifications::tell(&ctx, &mut ui)
    }

    fn last_runs(&self) -> PathBuf {
        self.last_runs.clone()
    }

    fn socket(&self) -> PathBuf {
        self.socket.clone()
    }
}
