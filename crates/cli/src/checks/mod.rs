//! Is everything in place? The checks behind `lore doctor` and `lore health`.
//!
//! A check never stops the others: each says what it found, and where it can,
//! what to do about it.

mod forge;
mod machine;
mod repair;
mod servers;

pub use repair::repair;

use crate::config::Config;
use crate::ctx::Ctx;
use crate::ui::Ui;
use model::{Error, ErrorCode};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    /// lore works, with less.
    Warn,
    Fail,
}

impl Status {
    pub const fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "fail",
        }
    }

    pub const fn mark(self) -> &'static str {
        match self {
            Status::Ok => "✓",
            Status::Warn => "!",
            Status::Fail => "✗",
        }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// What was looked at: `config`, `token`, `project group/app`, …
    pub id: String,
    pub status: Status,
    /// What was found.
    pub detail: String,
    /// What to do about it, where something is to be done.
    pub fix: Option<String>,
    /// The error code a command would end with.
    pub code: Option<&'static str>,
    #[serde(skip)]
    error: Option<ErrorCode>,
}

impl Check {
    pub fn ok(id: impl Into<String>, detail: impl Into<String>) -> Self {
        Check {
            id: id.into(),
            status: Status::Ok,
            detail: detail.into(),
            fix: None,
            code: None,
            error: None,
        }
    }

    pub fn warn(id: impl Into<String>, detail: impl Into<String>) -> Self {
        Check { status: Status::Warn, ..Check::ok(id, detail) }
    }

    pub fn fail(id: impl Into<String>, error: &Error) -> Self {
        let mut detail = error.message().to_owned();
        for cause in crate::ui::failure::causes(error) {
            detail = format!("{detail}: {cause}");
        }
        Check {
            status: Status::Fail,
            fix: error.suggestion().map(str::to_owned),
            ..Check::ok(id, detail).code(error.code())
        }
    }

    pub fn code(mut self, code: ErrorCode) -> Self {
        self.code = Some(code.as_str());
        self.error = Some(code);
        self
    }

    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// All checks, in the order a person would go. Without `network` nothing is
/// sent and no other program is started.
pub fn all(ctx: &Ctx, ui: &mut Ui, network: bool) -> Vec<Check> {
    let mut checks = Vec::new();
    match ctx.config(ui) {
        Err(error) => checks.push(Check::fail("config", &error)),
        Ok(config) => {
            checks.push(check_config(ctx, config));
            checks.extend(forge::check(ctx, config, network));
            checks.push(machine::check_database(config, &ctx.env, ctx.now()));
            if network {
                checks.push(machine::check_disk(config));
                checks.push(machine::check_embedding(config));
            }
        }
    }
    if network {
        checks.push(machine::check_git());
        if let Ok(config) = ctx.config(ui) {
            checks.extend(servers::check(ctx, config));
        }
    }
    checks.extend(check_daemon(ctx, ui));
    checks.extend(check_messages(ctx, ui));
    checks.extend(machine::check_variables(&ctx.env));
    checks
}

fn check_config(ctx: &Ctx, config: &Config) -> Check {
    match config.file() {
        Some(file) if config.ignored().is_empty() => {
            Check::ok("config", ctx.env.display(&file.path))
        }
        Some(file) => Check::warn(
            "config",
            format!(
                "{}: {} ignored until the file is trusted",
                ctx.env.display(&file.path),
                config.ignored().join(", ")
            ),
        )
        .fix("read it, then run `lore trust`"),
        None => Check::warn("config", "no config file; defaults are in force").fix("lore init"),
    }
}

/// A daemon need not run; one that does must be of this version and well.
fn check_daemon(ctx: &Ctx, ui: &mut Ui) -> Option<Check> {
    let daemon = crate::daemon::client::status(ctx, ui)?;
    let detail = format!("process {}, lore {}", daemon.pid, daemon.version);
    if daemon.version != crate::daemon::VERSION {
        let detail = format!("{detail}; this is lore {}", crate::daemon::VERSION);
        return Some(Check::warn("daemon", detail).fix("lore daemon restart"));
    }
    if let Some(problem) = daemon.problems.first() {
        return Some(Check::warn("daemon", format!("{detail}: {problem}")).fix("lore daemon logs"));
    }
    if let Some(clone) = daemon.troubled.first() {
        let others = match daemon.troubled.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more: lore daemon status)"),
        };
        let detail = format!("{detail}: {} is not indexed: {}{others}", clone.dir, clone.reason);
        return Some(Check::warn("daemon", detail).fix(clone.suggestion.clone()));
    }
    let failing = daemon.tasks.iter().find(|task| task.failures > 0);
    Some(match failing {
        Some(task) => {
            let why = task.last_error.as_deref().unwrap_or("it failed");
            Check::warn("daemon", format!("{detail}: {}: {why}", task.task)).fix("lore daemon logs")
        }
        None => Check::ok("daemon", detail),
    })
}

/// Messages of notifications that were given up within a week.
fn check_messages(ctx: &Ctx, ui: &mut Ui) -> Option<Check> {
    let reader = store::Reader::open(&ctx.db_path(ui).ok()?).ok()?;
    let since = ctx.now().minus(std::time::Duration::from_hours(7 * 24));
    let lost = store::notifications::given_up(&reader, since).ok()?;
    let newest = lost.first()?;
    let why = newest.failure.as_deref().unwrap_or("it failed");
    let detail = format!("{} not delivered, last of rule `{}`: {why}", lost.len(), newest.rule);
    Some(Check::warn("notifications", detail).fix("lore notify"))
}

/// The error the process ends with when checks failed: the first one's code.
pub fn failure(checks: &[Check]) -> Option<Error> {
    let failed: Vec<&Check> = checks.iter().filter(|check| check.status == Status::Fail).collect();
    let first = failed.first()?;
    let names: Vec<&str> = failed.iter().map(|check| check.id.as_str()).collect();
    let message = match failed.as_slice() {
        [only] => format!("check failed: {}: {}", only.id, only.detail),
        several => format!("{} checks failed: {}", several.len(), names.join(", ")),
    };
    let error = Error::new(first.error.unwrap_or(ErrorCode::Internal), message);
    Some(match &first.fix {
        Some(fix) => error.suggest(fix.clone()),
        None => error,
    })
}
