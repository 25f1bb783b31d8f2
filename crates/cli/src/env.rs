//! Everything lore learns from the process it runs in: environment variables,
//! directories, the wall clock, terminals.
//!
//! This is the only file that asks the operating system for any of it. The
//! rest of lore gets an [`Env`] value, so a test can hand it another one.

use model::{Clock, Timestamp};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Columns assumed when nobody says how wide the terminal is.
pub const DEFAULT_WIDTH: usize = 100;
/// Lines assumed when nobody says how high it is.
const DEFAULT_HEIGHT: usize = 24;

/// The command line as it was typed, program name first.
pub fn arguments() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// The process's surroundings, read once at the start.
#[derive(Clone)]
pub struct Env {
    vars: BTreeMap<String, String>,
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// This program's own file.
    pub exe: Option<PathBuf>,
    pub stdin_is_tty: bool,
    pub stdout_is_tty: bool,
    pub stderr_is_tty: bool,
    /// `LORE_FORCE_TTY` made stdout look like a terminal that it is not.
    pub tty_is_forced: bool,
    pub width: usize,
    pub height: usize,
    clock: Arc<dyn Clock>,
    started: Option<Instant>,
}

impl Env {
    /// Reads the real surroundings.
    pub fn from_process() -> Self {
        let vars = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut env = Env::from_vars(vars, std::env::current_dir().unwrap_or_default());
        env.home = env.home.or_else(std::env::home_dir);
        env.exe = std::env::current_exe().ok();
        env.stdin_is_tty = std::io::stdin().is_terminal();
        env.stderr_is_tty = std::io::stderr().is_terminal();
        if !env.tty_is_forced {
            env.stdout_is_tty = std::io::stdout().is_terminal();
            env.measure_terminal();
        }
        env
    }

    /// Surroundings made of variables alone; no terminal unless they force one.
    pub fn from_vars(vars: BTreeMap<String, String>, cwd: PathBuf) -> Self {
        let set = |name: &str| vars.get(name).filter(|value| !value.is_empty());
        let frozen = set("LORE_NOW").and_then(|text| Timestamp::parse_rfc3339(text).ok());
        let forced_width = set("LORE_FORCE_TTY");
        let columns = forced_width.or_else(|| set("COLUMNS")).and_then(|text| text.parse().ok());
        let lines = set("LINES").and_then(|text| text.parse().ok());
        let home = set("HOME").map(PathBuf::from);
        let clock: Arc<dyn Clock> = match frozen {
            Some(now) => Arc::new(model::time::FixedClock(now)),
            None => Arc::new(SystemClock),
        };
        Env {
            cwd,
            home,
            exe: None,
            stdin_is_tty: false,
            stdout_is_tty: forced_width.is_some(),
            stderr_is_tty: false,
            tty_is_forced: forced_width.is_some(),
            width: columns.unwrap_or(DEFAULT_WIDTH),
            height: lines.unwrap_or(DEFAULT_HEIGHT),
            // A frozen clock freezes the stopwatch too: its users want the
            // same bytes from every run.
            started: frozen.is_none().then(Instant::now),
            clock,
            vars,
        }
    }

    fn measure_terminal(&mut self) {
        let Some((width, height)) = terminal_size::terminal_size() else { return };
        if self.var("COLUMNS").is_none() {
            self.width = usize::from(width.0);
        }
        if self.var("LINES").is_none() {
            self.height = usize::from(height.0);
        }
    }

    /// A variable that is set to something; empty counts as unset.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A switch: set, and not `0` or `false`.
    pub fn flag(&self, name: &str) -> bool {
        self.var(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Whether a coding agent reads what is printed: by lore's own variable, or by those
    /// that agents set for the commands they run.
    pub fn is_for_agent(&self) -> bool {
        const SET_BY_AGENTS: [&str; 6] = [
            "CLAUDECODE",
            "GEMINI_CLI",
            "CURSOR_AGENT",
            "CODEX_SANDBOX",
            "COPILOT_CLI",
            "OPENCODE",
        ];
        match self.var("LORE_AGENT") {
            Some(_) => self.flag("LORE_AGENT"),
            None => !self.stdout_is_tty && SET_BY_AGENTS.iter().any(|name| self.flag(name)),
        }
    }

    /// Names of the variables that begin with `prefix`, sorted.
    pub fn names_with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.vars
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, _)| name.as_str())
            .filter(move |name| name.starts_with(prefix))
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Who this process is, for others who find it at work: unique per run.
    pub fn process_name(&self) -> String {
        let user = self.var("USER").or_else(|| self.var("LOGNAME")).unwrap_or("someone");
        let host = self.var("HOSTNAME").map(|host| format!("@{host}")).unwrap_or_default();
        format!("{user}{host}, process {}", std::process::id())
    }

    /// The number of this process.
    pub fn pid(&self) -> u32 {
        std::process::id()
    }

    /// Time since the process began.
    pub fn elapsed(&self) -> Duration {
        self.started.map(|start| start.elapsed()).unwrap_or_default()
    }

    /// `$XDG_CONFIG_HOME/lore`, else `~/.config/lore`.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_CONFIG_HOME", ".config")
    }

    /// `$XDG_DATA_HOME/lore`, else `~/.local/share/lore`.
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_DATA_HOME", ".local/share")
    }

    /// `$XDG_STATE_HOME/lore`, else `~/.local/state/lore`: logs, what was said to agents.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_STATE_HOME", ".local/state")
    }

    /// `$XDG_RUNTIME_DIR/lore`, else a folder of the state: sockets.
    pub fn runtime_dir(&self) -> Option<PathBuf> {
        let named = self.var("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|it| it.is_absolute());
        named.map(|dir| dir.join("lore")).or_else(|| self.state_run_dir())
    }

    /// The same for every session of this user.
    pub fn state_run_dir(&self) -> Option<PathBuf> {
        Some(self.state_dir()?.join("run"))
    }

    /// Every variable that is text, for a process that stands in for this one.
    pub fn vars(&self) -> &BTreeMap<String, String> {
        &self.vars
    }

    /// The XDG standard says relative values must be ignored.
    fn xdg(&self, name: &str, under_home: &str) -> Option<PathBuf> {
        self.var(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| self.home.as_ref().map(|home| home.join(under_home)))
            .map(|base| base.join("lore"))
    }

    /// Makes a path absolute: `~/` is the home directory, relative paths start
    /// at `base`.
    pub fn resolve(&self, path: &str, base: &Path) -> PathBuf {
        let joined = match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if path == "~" => self.home.clone().unwrap_or_else(|| base.join(path)),
            _ => base.join(path),
        };
        // Taking it apart and together again drops `.` steps.
        joined.components().collect()
    }

    /// The inverse of [`Env::resolve`] for people: `~/src/app` is shorter.
    pub fn display(&self, path: &Path) -> String {
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}

/// The wall clock.
#[derive(Debug, Clone, Copy)]
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::EPOCH.plus(since_epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Env::from_vars(vars, "/work dir".into())
    }

    #[test]
    fn directories_follow_xdg_and_ignore_relative_values() {
        let plain = env(&[("HOME", "/home/me")]);
        assert_eq!(plain.data_dir().unwrap(), Path::new("/home/me/.local/share/lore"));
        let moved = env(&[("HOME", "/home/me"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(moved.data_dir().unwrap(), Path::new("/data/lore"));
        let wrong = env(&[("HOME", "/home/me"), ("XDG_CONFIG_HOME", "conf")]);
        assert_eq!(wrong.config_dir().unwrap(), Path::new("/home/me/.config/lore"));
        assert_eq!(env(&[]).config_dir(), None);
    }

    #[test]
    fn paths_resolve_against_home_and_base() {
        let env = env(&[("HOME", "/home/me")]);
        let base = Path::new("/repo");
        assert_eq!(env.resolve("~/x", base), Path::new("/home/me/x"));
        assert_eq!(env.resolve("a/b", base), Path::new("/repo/a/b"));
        assert_eq!(env.resolve("/abs", base), Path::new("/abs"));
        assert_eq!(env.resolve(".", base).as_os_str(), "/repo");
        assert_eq!(env.display(Path::new("/home/me/x")), "~/x");
        assert_eq!(env.display(Path::new("/elsewhere")), "/elsewhere");
    }

    #[test]
    fn a_given_now_stops_the_clock_and_the_stopwatch() {
        let env = env(&[("LORE_NOW", "2024-05-01T00:00:00Z")]);
        assert_eq!(env.now().to_rfc3339(), "2024-05-01T00:00:00.000Z");
        assert_eq!(env.elapsed(), Duration::ZERO);
    }

    #[test]
    fn switches_are_off_when_zero_false_or_empty() {
        let env = env(&[("A", "1"), ("B", "0"), ("C", "false"), ("D", ""), ("E", "yes")]);
        let on: Vec<&str> =
            ["A", "B", "C", "D", "E", "F"].into_iter().filter(|name| env.flag(name)).collect();
        assert_eq!(on, ["A", "E"]);
    }
}
