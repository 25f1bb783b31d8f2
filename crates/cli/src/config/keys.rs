//! Every setting lore knows, in one table: its name, what it may hold, its
//! default, the variables that override it, and whether a file that came with
//! a clone may set it. Reading, overriding, `lore config`, the written
//! template and the help all follow this table.

use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// A setting, as `section.key`.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// Written as in an environment variable.
    pub default: Option<&'static str>,
    /// `LORE_<SECTION>_<KEY>`, then short names.
    pub env: &'static [&'static str],
    /// Whether it counts when it stands in an untrusted clone's file.
    pub from_clone: FromClone,
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromClone {
    Allowed,
    /// Names a host, a credential, a server, a file or folder of this machine,
    /// or what to fetch: only after `lore trust`.
    NeedsTrust,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Text,
    /// `http://` or `https://`, without a trailing slash.
    Url,
    /// Relative to where the file belongs; `~/` is the home directory.
    Path,
    Count {
        min: u64,
        max: u64,
    },
    /// A positive number.
    Rate {
        max: f64,
    },
    Flag,
    /// Two hours of the day, from and to which something holds: `22-7`.
    Hours,
    Choice(&'static [&'static str]),
}

/// What a setting holds.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Value {
    Flag(bool),
    Count(u64),
    Rate(f64),
    Text(String),
    Path(PathBuf),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(value) => value.fmt(f),
            Value::Count(value) => value.fmt(f),
            Value::Rate(value) => value.fmt(f),
            Value::Text(value) => value.fmt(f),
            Value::Path(value) => value.display().fmt(f),
        }
    }
}

pub const KEYS: &[Key] = &[
    Key {
        name: "gitlab.base_url",
        kind: Kind::Url,
        default: None,
        env: &["LORE_GITLAB_BASE_URL"],
        from_clone: FromClone::NeedsTrust,
        about: "address of the GitLab server",
    },
    Key {
        name: "gitlab.token_env_var",
        kind: Kind::Text,
        default: Some("GITLAB_TOKEN"),
        env: &["LORE_GITLAB_TOKEN_ENV_VAR"],
        from_clone: FromClone::NeedsTrust,
        about: "environment variable that holds the token",
    },
    Key {
        name: "gitlab.token_file",
        kind: Kind::Path,
        default: None,
        env: &["LORE_GITLAB_TOKEN_FILE"],
        from_clone: FromClone::NeedsTrust,
        about: "file (mode 0600) that holds the token, used when the variable is not set",
    },
    Key {
        name: "gitlab.ca_file",
        kind: Kind::Path,
        default: None,
        env: &["LORE_GITLAB_CA_FILE"],
        from_clone: FromClone::NeedsTrust,
        about: "PEM file with a certificate authority to trust in addition",
    },
    Key {
        name: "storage.db_path",
        kind: Kind::Path,
        default: None,
        env: &["LORE_STORAGE_DB_PATH", "LORE_DB"],
        from_clone: FromClone::NeedsTrust,
        about: "the database file",
    },
    Key {
        name: "sync.requests_per_second",
        kind: Kind::Rate { max: 1000.0 },
        default: Some("10"),
        env: &["LORE_SYNC_REQUESTS_PER_SECOND"],
        from_clone: FromClone::Allowed,
        about: "how fast the forge may be asked",
    },
    Key {
        name: "sync.concurrency",
        kind: Kind::Count { min: 1, max: 64 },
        default: Some("8"),
        env: &["LORE_SYNC_CONCURRENCY"],
        from_clone: FromClone::Allowed,
        about: "requests in flight at once",
    },
    Key {
        name: "sync.fetch_resource_events",
        kind: Kind::Flag,
        default: Some("true"),
        env: &["LORE_SYNC_FETCH_RESOURCE_EVENTS"],
        from_clone: FromClone::Allowed,
        about: "fetch who changed state, labels and milestones, and when",
    },
    Key {
        name: "sync.fetch_mr_file_changes",
        kind: Kind::Flag,
        default: Some("true"),
        env: &["LORE_SYNC_FETCH_MR_FILE_CHANGES"],
        from_clone: FromClone::Allowed,
        about: "fetch which files each merge request touched",
    },
    Key {
        name: "sync.reconcile",
        kind: Kind::Count { min: 0, max: 1_000_000 },
        default: Some("200"),
        env: &["LORE_SYNC_RECONCILE"],
        from_clone: FromClone::Allowed,
        about: "requests per run spent on revisiting old entities; 0 for none",
    },
    Key {
        name: "sync.full_every_days",
        kind: Kind::Count { min: 0, max: 3650 },
        default: Some("0"),
        env: &["LORE_SYNC_FULL_EVERY_DAYS"],
        from_clone: FromClone::Allowed,
        about: "`lore sync` lists everything again after so many days; 0 for never",
    },
    Key {
        name: "sync.overlap_seconds",
        kind: Kind::Count { min: 0, max: 86_400 },
        default: Some("120"),
        env: &["LORE_SYNC_OVERLAP_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how far before the last seen change a run starts again",
    },
    Key {
        name: "embedding.provider",
        kind: Kind::Choice(&["builtin", "ollama", "none"]),
        default: Some("builtin"),
        env: &["LORE_EMBEDDING_PROVIDER"],
        // `ollama` hands every text to whoever listens there.
        from_clone: FromClone::NeedsTrust,
        about: "who turns text into vectors: builtin, ollama or none",
    },
    Key {
        name: "embedding.model",
        kind: Kind::Text,
        default: Some("nomic-embed-text"),
        env: &["LORE_EMBEDDING_MODEL"],
        from_clone: FromClone::Allowed,
        about: "model of the ollama provider",
    },
    Key {
        name: "embedding.base_url",
        kind: Kind::Url,
        default: Some("http://localhost:11434"),
        env: &["LORE_EMBEDDING_BASE_URL"],
        from_clone: FromClone::NeedsTrust,
        about: "address of the ollama server",
    },
    Key {
        name: "embedding.concurrency",
        kind: Kind::Count { min: 1, max: 64 },
        default: Some("4"),
        env: &["LORE_EMBEDDING_CONCURRENCY"],
        from_clone: FromClone::Allowed,
        about: "requests to the ollama server in flight at once",
    },
    Key {
        name: "embedding.timeout",
        kind: Kind::Count { min: 1, max: 86_400 },
        default: Some("300"),
        env: &["LORE_EMBEDDING_TIMEOUT"],
        from_clone: FromClone::Allowed,
        about: "seconds to wait for an answer of the ollama server",
    },
    Key {
        name: "enrich.allow_build",
        kind: Kind::Flag,
        default: Some("false"),
        env: &["LORE_ENRICH_ALLOW_BUILD"],
        // Such a server runs programs that files of the repository name.
        from_clone: FromClone::NeedsTrust,
        about: "use language servers that run the repository's build tool",
    },
    Key {
        name: "enrich.memory_mb",
        kind: Kind::Count { min: 256, max: 1_048_576 },
        default: Some("4096"),
        env: &["LORE_ENRICH_MEMORY_MB"],
        from_clone: FromClone::NeedsTrust,
        about: "memory a language server may use, in MiB",
    },
    Key {
        name: "mcp.token_file",
        kind: Kind::Path,
        default: None,
        env: &["LORE_MCP_TOKEN_FILE"],
        from_clone: FromClone::NeedsTrust,
        about: "file (mode 0600) with the token clients of `lore mcp --http` must show",
    },
    Key {
        name: "daemon.sync_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("600"),
        env: &["LORE_DAEMON_SYNC_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often the daemon syncs with the forge; 0 for never",
    },
    Key {
        name: "daemon.poll_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("60"),
        env: &["LORE_DAEMON_POLL_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it looks for changes that nothing told of; 0 for never",
    },
    Key {
        name: "daemon.documents_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("300"),
        env: &["LORE_DAEMON_DOCUMENTS_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it catches up on search documents",
    },
    Key {
        name: "daemon.embed_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("60"),
        env: &["LORE_DAEMON_EMBED_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "pause between two slices of embeddings; 0 for none at all",
    },
    Key {
        name: "daemon.watches_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("300"),
        env: &["LORE_DAEMON_WATCHES_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it looks for standing queries that are due",
    },
    Key {
        name: "daemon.notify_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("300"),
        env: &["LORE_DAEMON_NOTIFY_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it tells of what rules match, beside every change",
    },
    Key {
        name: "daemon.enrich_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("300"),
        env: &["LORE_DAEMON_ENRICH_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "pause between two minutes of language servers; 0 for none at all",
    },
    Key {
        name: "daemon.decay_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("3600"),
        env: &["LORE_DAEMON_DECAY_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it removes calls that production has not made for long",
    },
    Key {
        name: "daemon.gc_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("86400"),
        env: &["LORE_DAEMON_GC_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it removes old snapshots; 0 for never",
    },
    Key {
        name: "daemon.maintenance_seconds",
        kind: Kind::Count { min: 0, max: 31_536_000 },
        default: Some("21600"),
        env: &["LORE_DAEMON_MAINTENANCE_SECONDS"],
        from_clone: FromClone::Allowed,
        about: "how often it refreshes statistics and checks a sample of pages",
    },
    Key {
        name: "daemon.watch",
        kind: Kind::Flag,
        default: Some("true"),
        env: &["LORE_DAEMON_WATCH"],
        from_clone: FromClone::Allowed,
        about: "follow refs through the operating system",
    },
    Key {
        name: "daemon.debounce_ms",
        kind: Kind::Count { min: 0, max: 60_000 },
        default: Some("500"),
        env: &["LORE_DAEMON_DEBOUNCE_MS"],
        from_clone: FromClone::Allowed,
        about: "how long it gathers changes that the operating system tells of",
    },
    Key {
        name: "daemon.pause_on_battery",
        kind: Kind::Flag,
        default: Some("true"),
        env: &["LORE_DAEMON_PAUSE_ON_BATTERY"],
        from_clone: FromClone::Allowed,
        about: "leave background work on battery",
    },
    Key {
        name: "daemon.max_load",
        kind: Kind::Rate { max: 1000.0 },
        default: Some("2"),
        env: &["LORE_DAEMON_MAX_LOAD"],
        from_clone: FromClone::Allowed,
        about: "load per processor above which background work is put off",
    },
    Key {
        name: "daemon.quiet_hours",
        kind: Kind::Hours,
        default: None,
        env: &["LORE_DAEMON_QUIET_HOURS"],
        from_clone: FromClone::Allowed,
        about: "hours of UTC in which nobody is told of anything, e.g. 22-7",
    },
    Key {
        name: "daemon.digest_hours",
        kind: Kind::Count { min: 0, max: 168 },
        default: Some("0"),
        env: &["LORE_DAEMON_DIGEST_HOURS"],
        from_clone: FromClone::Allowed,
        about: "gather notifications for so many hours; 0 tells at once",
    },
    Key {
        name: "daemon.http",
        kind: Kind::Text,
        default: None,
        env: &["LORE_DAEMON_HTTP"],
        from_clone: FromClone::NeedsTrust,
        about: "address for MCP, health, metrics and webhooks, e.g. 127.0.0.1:7420",
    },
    Key {
        name: "daemon.otlp",
        kind: Kind::Text,
        default: None,
        env: &["LORE_DAEMON_OTLP"],
        from_clone: FromClone::NeedsTrust,
        about: "address for traces of production, e.g. 127.0.0.1:4317; HTTP on the port after",
    },
    Key {
        name: "daemon.webhook_secret_file",
        kind: Kind::Path,
        default: None,
        env: &["LORE_DAEMON_WEBHOOK_SECRET_FILE"],
        from_clone: FromClone::NeedsTrust,
        about: "file (mode 0600) with the secret token of webhooks",
    },
];

/// The lists of tables: their keys and which of them must be given.
pub const LISTS: &[List] = &[
    List {
        name: "projects",
        keys: &["path"],
        from_clone: FromClone::NeedsTrust,
        about: "forge projects to keep, as `group/project`",
    },
    // Draws folders of the user into the index.
    List {
        name: "repos",
        keys: &["path", "url"],
        from_clone: FromClone::NeedsTrust,
        about: "git repositories on this machine",
    },
    // Names programs to run and servers to tell.
    List {
        name: "notifications",
        keys: &["name", "when", "to", "paths", "labels", "people", "watch", "command", "url"],
        from_clone: FromClone::NeedsTrust,
        about: "what the daemon tells you of (docs/daemon.md)",
    },
    // Says whose code production's calls are counted for.
    List {
        name: "services",
        keys: &["name", "repo"],
        from_clone: FromClone::NeedsTrust,
        about: "repositories of services that traces name (docs/traces.md)",
    },
    // Names programs to run.
    List {
        name: "servers",
        keys: &["name", "command", "args"],
        from_clone: FromClone::NeedsTrust,
        about: "language servers in the place of those found on PATH",
    },
];

#[derive(Debug)]
pub struct List {
    pub name: &'static str,
    pub keys: &'static [&'static str],
    /// Whether it counts when it stands in an untrusted clone's file.
    pub from_clone: FromClone,
    pub about: &'static str,
}

/// Variables that are not settings, for the help and the doctor.
pub const OTHER_VARIABLES: &[(&str, &str)] = &[
    ("LORE_CONFIG", "the config file to use"),
    ("LORE_PROJECTS", "forge projects to keep, separated by commas, instead of `projects`"),
    ("LORE_ROBOT", "1: answer in JSON, as with --json"),
    ("LORE_PAGER", "pager for long answers, before PAGER; `cat` for none"),
    ("LORE_MCP_TOKEN", "the token clients of `lore mcp --http` must show"),
    ("LORE_WEBHOOK_SECRET", "the secret token webhooks must show"),
    ("LORE_NO_DAEMON", "1: write without asking a running daemon"),
    ("LORE_NO_PROGRESS", "1: never draw progress"),
    ("LORE_AGENT", "1 or 0: the compact form for agents; inside one it is chosen"),
    ("LORE_HOOK_DEADLINE_MS", "longest time of a hook (default 100)"),
    ("LORE_INDEX_MEMORY_MB", "memory for indexing, in MiB (default 4096)"),
];

/// Variables for tests and the demo, known but not advertised.
pub const HIDDEN_VARIABLES: &[&str] = &["LORE_NOW", "LORE_FORCE_TTY"];

/// What an untrusted clone's file may say of a list.
pub fn list_from_clone(name: &str) -> FromClone {
    LISTS.iter().find(|list| list.name == name).map_or(FromClone::NeedsTrust, |it| it.from_clone)
}

pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// `base_url` as a JSON file writes it: `baseUrl`.
pub fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut is_upper = false;
    for c in name.chars() {
        if c == '_' {
            is_upper = true;
        } else if std::mem::take(&mut is_upper) {
            out.push(c.to_ascii_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_names_follow_the_rule() {
        for key in KEYS {
            let expected = format!("LORE_{}", key.name.to_uppercase().replace('.', "_"));
            assert_eq!(key.env[0], expected);
        }
    }

    #[test]
    fn every_default_is_valid_for_its_kind() {
        for key in KEYS {
            if let Some(default) = key.default {
                super::super::value::parse_text(key, default).unwrap();
            }
        }
    }

    #[test]
    fn json_names_are_camel_case() {
        assert_eq!(camel_case("fetch_mr_file_changes"), "fetchMrFileChanges");
        assert_eq!(camel_case("model"), "model");
    }
}
