//! The settings in force, each with where it came from.
//!
//! Four layers, later ones win: defaults, one config file, `LORE_*`
//! variables, flags. A file found in a working tree is not trusted with hosts,
//! credentials, files and folders until `lore trust` pins it; until then the
//! user's own file counts for these.

pub mod file;
pub mod glab;
pub mod keys;
pub mod layer;
pub mod notifications;
pub mod repo_trust;
pub mod token;
pub mod tree;
pub mod trust;
pub mod value;
pub mod write;

pub use file::{ConfigFile, Origin};
pub use token::{Token, wide_mode};

use crate::args::Globals;
use crate::env::Env;
use keys::{FromClone, KEYS, Key, Value, list_from_clone};
pub use layer::ServiceEntry;
use layer::{Layer, RepoEntry};
use model::suggest::nearest;
use model::{Error, ErrorCode, Result};
use notifications::NotifyRule;
use pipeline::schedule::{Intervals, Task};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File(PathBuf),
    Env(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File(path) => write!(f, "file:{}", path.display()),
            Source::Env(name) => write!(f, "env:{name}"),
            Source::Flag(name) => write!(f, "flag:{name}"),
        }
    }
}

/// A key, what it holds, and why.
#[derive(Debug, Clone)]
pub struct Setting {
    pub key: &'static Key,
    pub value: Option<Value>,
    pub source: Source,
}

/// A language server in the place of the one found on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// As `lore doctor` names it.
    pub name: String,
    pub command: PathBuf,
    pub args: Option<Vec<String>>,
}

/// A git repository on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    pub path: Option<PathBuf>,
    pub url: Option<String>,
}

#[derive(Debug)]
pub struct Config {
    file: Option<ConfigFile>,
    /// In the order of [`KEYS`].
    settings: Vec<Setting>,
    projects: (Vec<String>, Source),
    repos: (Vec<Repo>, Source),
    notifications: Vec<NotifyRule>,
    servers: Vec<Server>,
    services: Vec<ServiceEntry>,
    /// Keys of an untrusted file that were left out.
    ignored: Vec<&'static str>,
    warnings: Vec<String>,
}

/// How language servers are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnrichSettings {
    /// Those that run the repository's build tool as well.
    pub allow_build: bool,
    /// For one server, in bytes.
    pub memory: u64,
}

/// The settings of `lore sync`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SyncSettings {
    pub requests_per_second: f64,
    pub concurrency: usize,
    pub fetch_resource_events: bool,
    pub fetch_mr_file_changes: bool,
    /// Requests per run spent on revisiting old entities.
    pub reconcile_budget: u64,
    /// How long after the last full run the next is due; zero for never.
    pub full_every: Duration,
    pub overlap: Duration,
}

/// The settings of `lore daemon`.
#[derive(Debug, Clone, PartialEq)]
pub struct DaemonSettings {
    pub intervals: Intervals,
    pub watches: bool,
    pub debounce: Duration,
    pub pause_on_battery: bool,
    pub max_load: f64,
    pub http: Option<String>,
    pub otlp: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSettings {
    pub provider: EmbeddingProvider,
    pub model: String,
    pub base_url: String,
    pub concurrency: usize,
    pub timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    Builtin,
    Ollama,
    None,
}

impl Config {
    pub fn load(env: &Env, globals: &Globals) -> Result<Self> {
        let found = file::find(env, globals)?;
        let mut config = Config::defaults(env);
        config.warnings = found.warnings;
        if let Some(file) = found.file {
            config.take_file(env, file)?;
        }
        config.take_variables(env)?;
        if let Some(db) = &globals.db {
            config.set("storage.db_path", Value::Path(env.cwd.join(db)), Source::Flag("--db"));
        }
        Ok(config)
    }

    /// The settings `lore init` is about to write, over defaults and variables
    /// but no file.
    pub fn for_init(env: &Env, base_url: &str, token_env_var: &str) -> Self {
        let mut config = Config::defaults(env);
        let flag = |value: &str| Value::Text(value.to_owned());
        config.set("gitlab.base_url", flag(base_url), Source::Flag("--base-url"));
        config.set("gitlab.token_env_var", flag(token_env_var), Source::Flag("--token-env-var"));
        for name in ["gitlab.token_file", "gitlab.ca_file"] {
            let set = keys::find(name).and_then(|key| {
                let variable = key.env.first()?;
                Some((*variable, env.var(variable)?))
            });
            if let Some((variable, path)) = set {
                let path = Value::Path(env.resolve(path, &env.cwd));
                config.set(name, path, Source::Env(variable));
            }
        }
        config
    }

    fn defaults(env: &Env) -> Self {
        let settings = KEYS
            .iter()
            .map(|key| {
                let value = match key.name {
                    "storage.db_path" => env.data_dir().map(|dir| Value::Path(dir.join("lore.db"))),
                    // The table's test holds every default to its kind.
                    _ => key.default.and_then(|text| value::parse_text(key, text).ok()),
                };
                Setting { key, value, source: Source::Default }
            })
            .collect();
        Config {
            file: None,
            settings,
            projects: (Vec::new(), Source::Default),
            repos: (Vec::new(), Source::Default),
            notifications: Vec::new(),
            servers: Vec::new(),
            services: Vec::new(),
            ignored: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn take_file(&mut self, env: &Env, file: ConfigFile) -> Result<()> {
        let layer = parsed(env, &file)?;
        let is_trusted =
            file.origin != Origin::Clone || trust::Pins::load(env)?.covers_config(&file);
        if !is_trusted && let Some(own) = file::users_own(env)? {
            let layer = parsed(env, &own)?;
            self.take_layer(env, &own, layer, true);
        }
        self.take_layer(env, &file, layer, is_trusted);
        self.warn_about(env, &file);
        self.file = Some(file);
        Ok(())
    }

    fn take_layer(&mut self, env: &Env, file: &ConfigFile, layer: Layer, is_trusted: bool) {
        let source = Source::File(file.path.clone());
        let counts = |from_clone| is_trusted || from_clone == FromClone::Allowed;
        for (key, value) in layer.values {
            let value = match value {
                Value::Path(path) => Value::Path(env.resolve(&path.to_string_lossy(), file.base())),
                other => other,
            };
            if counts(key.from_clone) {
                self.set(key.name, value, source.clone());
            } else {
                self.ignored.push(key.name);
            }
        }
        match layer.projects {
            Some(projects) if counts(list_from_clone("projects")) => {
                self.projects = (projects, source.clone());
            }
            Some(_) => self.ignored.push("projects"),
            None => {}
        }
        match layer.repos {
            Some(repos) if counts(list_from_clone("repos")) => {
                let repos = repos.into_iter().map(|entry| repo(env, file, entry)).collect();
                self.repos = (repos, source);
            }
            Some(_) => self.ignored.push("repos"),
            None => {}
        }
        match layer.notifications {
            Some(rules) if counts(list_from_clone("notifications")) => self.notifications = rules,
            Some(_) => self.ignored.push("notifications"),
            None => {}
        }
        match layer.services {
            Some(services) if counts(list_from_clone("services")) => self.services = services,
            Some(_) => self.ignored.push("services"),
            None => {}
        }
        match layer.servers {
            Some(servers) if counts(list_from_clone("servers")) => {
                let resolved = |entry: layer::ServerEntry| Server {
                    command: env.resolve(&entry.command, file.base()),
                    name: entry.name,
                    args: entry
                        .args
                        .map(|args| args.split_whitespace().map(str::to_owned).collect()),
                };
                self.servers = servers.into_iter().map(resolved).collect();
            }
            Some(_) => self.ignored.push("servers"),
            None => {}
        }
    }

    fn warn_about(&mut self, env: &Env, file: &ConfigFile) {
        let path = env.display(&file.path);
        if !self.ignored.is_empty() {
            let keys: Vec<String> = self.ignored.iter().map(|key| format!("`{key}`")).collect();
            self.warnings.push(format!(
                "{} in {path} ignored: the file may have come with a clone; \
                 read it, then run `lore trust`",
                keys.join(", ")
            ));
        }
        if let Some(shadowed) = &file.shadowed {
            self.warnings.push(format!("{} ignored: {path} is beside it", env.display(shadowed)));
        }
    }

    fn take_variables(&mut self, env: &Env) -> Result<()> {
        for key in KEYS {
            let set = key.env.iter().find_map(|name| Some((*name, env.var(name)?)));
            let Some((name, text)) = set else { continue };
            let value = value::parse_text(key, text)
                .map_err(|error| error.context(format!("environment variable {name}")))?;
            let value = match value {
                Value::Path(_) => Value::Path(env.resolve(text, &env.cwd)),
                other => other,
            };
            self.set(key.name, value, Source::Env(name));
        }
        if let Some(list) = env.var("LORE_PROJECTS") {
            let projects = list
                .split(',')
                .filter(|path| !path.trim().is_empty())
                .map(layer::check_project)
                .collect::<Result<Vec<_>>>()
                .map_err(|error| error.context("environment variable LORE_PROJECTS"))?;
            self.projects = (projects, Source::Env("LORE_PROJECTS"));
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: Value, source: Source) {
        if let Some(setting) = self.settings.iter_mut().find(|setting| setting.key.name == name) {
            setting.value = Some(value);
            setting.source = source;
        }
    }

    pub fn file(&self) -> Option<&ConfigFile> {
        self.file.as_ref()
    }

    /// Whether this is a file the user named for this run.
    pub fn is_named_file(&self, path: &Path) -> bool {
        self.file.as_ref().is_some_and(|file| file.origin == Origin::Named && file.path == path)
    }

    /// What a person should know about how this came together.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Keys that do not count until the file is trusted.
    pub fn ignored(&self) -> &[&'static str] {
        &self.ignored
    }

    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    pub fn projects(&self) -> &[String] {
        &self.projects.0
    }

    pub fn projects_source(&self) -> &Source {
        &self.projects.1
    }

    pub fn repos(&self) -> &[Repo] {
        &self.repos.0
    }

    /// What people want to be told of.
    pub fn notify_rules(&self) -> &[NotifyRule] {
        &self.notifications
    }

    /// Hours of UTC from and to which nobody is told of anything.
    pub fn quiet_hours(&self) -> Option<(u8, u8)> {
        self.text("daemon.quiet_hours").and_then(value::hours)
    }

    pub fn digest(&self) -> Duration {
        Duration::from_secs(self.count("daemon.digest_hours") * 3600)
    }

    /// Repositories of services, named by trusted settings.
    pub fn services(&self) -> &[ServiceEntry] {
        &self.services
    }

    /// Language servers named by trusted settings.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    pub fn enrich(&self) -> EnrichSettings {
        EnrichSettings {
            allow_build: self.flag("enrich.allow_build"),
            memory: self.count("enrich.memory_mb") << 20,
        }
    }

    pub fn repos_source(&self) -> &Source {
        &self.repos.1
    }

    /// One setting by its name, or an error naming the nearest.
    pub fn setting(&self, name: &str) -> Result<&Setting> {
        self.settings.iter().find(|setting| setting.key.name == name).ok_or_else(|| {
            let names = KEYS.iter().map(|key| key.name).chain(["projects", "repos"]);
            let error = Error::not_found(format!(
                "there is no setting `{}`",
                model::text::one_line(name, 60)
            ));
            match nearest(name, names, 1).first() {
                Some(near) => error.suggest(format!("did you mean `{near}`?")),
                None => error.suggest("lore config list"),
            }
        })
    }

    /// The forge's address, or the error that says how to name one.
    pub fn base_url(&self) -> Result<&str> {
        if let Some(url) = self.text("gitlab.base_url") {
            return Ok(url);
        }
        Err(match &self.file {
            None => Error::new(ErrorCode::ConfigNotFound, "no GitLab server is configured")
                .suggest("lore init"),
            Some(_) if self.ignored.contains(&"gitlab.base_url") => {
                Error::new(ErrorCode::ConfigInvalid, "the config of this clone is not trusted yet")
                    .suggest("read it, then run `lore trust`")
            }
            Some(file) => Error::new(
                ErrorCode::ConfigInvalid,
                format!("`gitlab.base_url` is not set in {}", file.path.display()),
            )
            .suggest("add it, or run `lore init --force`"),
        })
    }

    pub fn token(&self, env: &Env) -> Result<Token> {
        token::find(self, env)
    }

    pub fn token_env_var(&self) -> &str {
        self.text("gitlab.token_env_var").unwrap_or("GITLAB_TOKEN")
    }

    pub fn token_file(&self) -> Option<&Path> {
        self.path("gitlab.token_file")
    }

    pub fn mcp_token_file(&self) -> Option<&Path> {
        self.path("mcp.token_file")
    }

    pub fn webhook_secret_file(&self) -> Option<&Path> {
        self.path("daemon.webhook_secret_file")
    }

    pub fn daemon(&self) -> DaemonSettings {
        let every = |name: &str| Duration::from_secs(self.count(name));
        DaemonSettings {
            intervals: Intervals::new([
                (Task::Sync, every("daemon.sync_seconds")),
                (Task::Poll, every("daemon.poll_seconds")),
                (Task::Documents, every("daemon.documents_seconds")),
                (Task::Embed, every("daemon.embed_seconds")),
                (Task::Watches, every("daemon.watches_seconds")),
                (Task::Notify, every("daemon.notify_seconds")),
                (Task::Enrich, every("daemon.enrich_seconds")),
                (Task::Decay, every("daemon.decay_seconds")),
                (Task::SnapshotGc, every("daemon.gc_seconds")),
                (Task::Maintenance, every("daemon.maintenance_seconds")),
            ]),
            watches: self.flag("daemon.watch"),
            debounce: Duration::from_millis(self.count("daemon.debounce_ms")),
            pause_on_battery: self.flag("daemon.pause_on_battery"),
            max_load: self.rate("daemon.max_load"),
            http: self.text("daemon.http").map(str::to_owned),
            otlp: self.text("daemon.otlp").map(str::to_owned),
        }
    }

    pub fn ca_file(&self) -> Option<&Path> {
        self.path("gitlab.ca_file")
    }

    pub fn db_path(&self) -> Result<&Path> {
        self.path("storage.db_path").ok_or_else(|| {
            Error::new(ErrorCode::ConfigInvalid, "no home directory to keep the database in")
                .suggest("name a file with --db, or set HOME")
        })
    }

    pub fn sync(&self) -> SyncSettings {
        SyncSettings {
            requests_per_second: self.rate("sync.requests_per_second"),
            concurrency: self.count("sync.concurrency") as usize,
            fetch_resource_events: self.flag("sync.fetch_resource_events"),
            fetch_mr_file_changes: self.flag("sync.fetch_mr_file_changes"),
            reconcile_budget: self.count("sync.reconcile"),
            full_every: Duration::from_hours(24 * self.count("sync.full_every_days")),
            overlap: Duration::from_secs(self.count("sync.overlap_seconds")),
        }
    }

    pub fn embedding(&self) -> EmbeddingSettings {
        EmbeddingSettings {
            provider: match self.text("embedding.provider") {
                Some("ollama") => EmbeddingProvider::Ollama,
                Some("none") => EmbeddingProvider::None,
                _ => EmbeddingProvider::Builtin,
            },
            model: self.text("embedding.model").unwrap_or_default().to_owned(),
            base_url: self.text("embedding.base_url").unwrap_or_default().to_owned(),
            concurrency: self.count("embedding.concurrency") as usize,
            timeout: Duration::from_secs(self.count("embedding.timeout")),
        }
    }

    // The readers below serve names of the table with their own kind; a test
    // asks every accessor once, so a mismatch cannot reach a release.

    fn value(&self, name: &str) -> Option<&Value> {
        self.settings.iter().find(|setting| setting.key.name == name)?.value.as_ref()
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn path(&self, name: &str) -> Option<&Path> {
        match self.value(name) {
            Some(Value::Path(path)) => Some(path),
            _ => None,
        }
    }

    fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Count(count)) => *count,
            _ => 0,
        }
    }

    fn rate(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Value::Rate(rate)) => *rate,
            _ => 1.0,
        }
    }

    fn flag(&self, name: &str) -> bool {
        matches!(self.value(name), Some(Value::Flag(true)))
    }
}

/// Which file is wrong, and where the keys are explained.
fn in_file(error: Error, path: &str) -> Error {
    let error = error.context(path);
    match error.suggestion() {
        Some(_) => error,
        None => error.suggest("lore help config"),
    }
}

fn parsed(env: &Env, file: &ConfigFile) -> Result<Layer> {
    tree::parse(&file.text, file.syntax)
        .and_then(|root| layer::read(&root, file.syntax))
        .map_err(|error| in_file(error, &env.display(&file.path)))
}

fn repo(env: &Env, file: &ConfigFile, entry: RepoEntry) -> Repo {
    Repo { path: entry.path.map(|path| env.resolve(&path, file.base())), url: entry.url }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accessor_finds_its_default() {
        let vars = [("HOME".to_owned(), "/home/me".to_owned())].into();
        let env = Env::from_vars(vars, "/nowhere".into());
        let config = Config::load(&env, &Globals::default()).unwrap();
        assert_eq!(
            config.sync(),
            SyncSettings {
                requests_per_second: 10.0,
                concurrency: 8,
                fetch_resource_events: true,
                fetch_mr_file_changes: true,
                reconcile_budget: 200,
                full_every: Duration::ZERO,
                overlap: Duration::from_secs(120),
            }
        );
        assert_eq!(
            config.embedding(),
            EmbeddingSettings {
                provider: EmbeddingProvider::Builtin,
                model: "nomic-embed-text".into(),
                base_url: "http://localhost:11434".into(),
                concurrency: 4,
                timeout: Duration::from_secs(300),
            }
        );
        assert_eq!(config.db_path().unwrap(), Path::new("/home/me/.local/share/lore/lore.db"));
        assert_eq!(config.token_env_var(), "GITLAB_TOKEN");
        assert_eq!((config.token_file(), config.ca_file()), (None, None));
        assert_eq!(config.base_url().unwrap_err().code(), ErrorCode::ConfigNotFound);
    }
}
