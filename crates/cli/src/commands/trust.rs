use super::Run;
use crate::config::file::{self, CLONE_DIR, ConfigFile, JSON_NAME, Origin, TOML_NAME};
use crate::config::keys::{FromClone, list_from_clone};
use crate::config::repo_trust::Repository;
use crate::config::trust::{Pins, RepositoryPin};
use crate::config::{layer, tree};
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use memory::Root;
use memory::files::{decisions, handoffs, patterns};
use memory::root::{FOLDER, RootKind};
use model::hash::Hash32;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Trust the settings, memory and database of a repository
///
/// A clone may hold a `.lore/` of somebody else's making. Until you trust the
/// repository, its settings of servers, tokens, projects, folders and the
/// database are ignored, its memory is marked as foreign and stays out of
/// agents' prompts, and a database in it is read but never written to.
///
/// The config file is trusted as it is now: any change ends that. Memory and
/// databases change with every pull, so they are trusted as long as the
/// repository stays where it is and keeps its origin.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore trust
  lore trust ~/src/project
  lore trust --list
  lore trust --revoke")]
pub struct Args {
    /// The repository, or its config file (default: the one you are in)
    path: Option<PathBuf>,
    /// List the trusted repositories
    #[arg(long, conflicts_with_all = ["path", "revoke"])]
    list: bool,
    /// Revoke the trust
    #[arg(long)]
    revoke: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TrustAnswer {
    pub repositories: Vec<TrustedRepository>,
    /// Databases in repositories that lore made itself; only in the list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<String>,
    /// Whether this is the list, and not what was just granted or revoked.
    #[serde(skip)]
    is_list: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TrustedRepository {
    /// The top of its work tree.
    pub path: String,
    pub state: TrustState,
    /// What the trust in memory and databases is bound to; none where it was
    /// not cloned.
    pub origin: Option<String>,
    pub config: Vec<TrustedFile>,
    /// What may be put into prompts; none when its memory is not trusted.
    pub memory: Option<MemoryGrant>,
    /// Whether databases in it may be written to and upgraded.
    pub trusts_databases: bool,
    /// Those that are there now.
    pub databases: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TrustedFile {
    pub path: String,
    /// What the trust is bound to; none once it is revoked.
    pub sha256: Option<String>,
    pub state: TrustState,
    /// `key = value` of what the trust lets count.
    pub unlocks: Vec<String>,
}

/// How many records there are now; those of later pulls are trusted too.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MemoryGrant {
    pub decisions: u64,
    pub patterns: u64,
    pub handoffs: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    Trusted,
    /// Trusted once, but the config file or the origin has changed since.
    Changed,
    /// Trusted, but gone.
    Missing,
    Revoked,
}

impl TrustState {
    const fn word(self) -> &'static str {
        match self {
            TrustState::Trusted => "trusted",
            TrustState::Changed => "changed",
            TrustState::Missing => "missing",
            TrustState::Revoked => "revoked",
        }
    }
}

impl Run for Args {
    type Answer = TrustAnswer;

    fn run(&self, ctx: &Ctx, _: &mut Ui) -> Result<TrustAnswer> {
        let mut pins = Pins::load(&ctx.env)?;
        if self.list {
            return Ok(listed(&pins));
        }
        let target = Target::find(ctx, self.path.as_deref())?;
        let change = if self.revoke { revoke } else { grant };
        let repository = change(&mut pins, &target)?;
        pins.save()?;
        let repositories = vec![repository];
        Ok(TrustAnswer { repositories, databases: Vec::new(), is_list: false })
    }
}

/// What a person means by a path, or by none.
struct Target {
    repository: Repository,
    /// Where it stands or would stand; none when the repository has none.
    config: Option<PathBuf>,
}

impl Target {
    fn find(ctx: &Ctx, path: Option<&Path>) -> Result<Target> {
        let named = path.map(|path| ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd));
        let dir = named.clone().unwrap_or_else(|| ctx.env.cwd.clone());
        let repository = Repository::around(&dir).ok_or_else(|| {
            Error::not_found(format!("{} is in no repository, and has no .lore/", dir.display()))
                .suggest("name the repository: lore trust <PATH>")
        })?;
        if path.is_some() && dir.is_file() {
            return Ok(Target { repository, config: Some(dir) });
        }
        // The nearest one counts, as it does for commands run there.
        let start = dir.canonicalize().unwrap_or(dir);
        let places = start.ancestors().take_while(|dir| dir.starts_with(&repository.top));
        let config = places
            .flat_map(|dir| [TOML_NAME, JSON_NAME].map(|name| dir.join(CLONE_DIR).join(name)))
            .find(|path| path.symlink_metadata().is_ok());
        Ok(Target { repository, config })
    }

    fn read_config(&self) -> Result<Option<ConfigFile>> {
        let Some(path) = &self.config else { return Ok(None) };
        match path.canonicalize().ok().and_then(|real| {
            Some((real.strip_prefix(&self.repository.top).ok()?.to_path_buf(), path.parent()?))
        }) {
            // As it is read when it counts: without following links.
            Some((relative, _)) if path.starts_with(&self.repository.top) => {
                file::read_in_clone(&self.repository.top, &relative).map(Some)
            }
            _ => file::read(path.clone(), Origin::Clone).map(Some),
        }
    }
}

fn grant(pins: &mut Pins, target: &Target) -> Result<TrustedRepository> {
    let repository = &target.repository;
    let mut config = Vec::new();
    if let Some(file) = target.read_config()? {
        let unlocks = unlocks(&file)?;
        pins.pin(&file.path, file.hash.to_string());
        config.push(TrustedFile {
            path: file.path.display().to_string(),
            sha256: Some(file.hash.to_string()),
            state: TrustState::Trusted,
            unlocks,
        });
    }
    let pin = RepositoryPin { origin: repository.origin(), memory: true, databases: true };
    pins.repositories.insert(repository.key.clone(), pin.clone());
    Ok(TrustedRepository {
        path: repository.top.display().to_string(),
        state: TrustState::Trusted,
        origin: pin.origin,
        config,
        memory: Some(counted(&repository.top)),
        trusts_databases: true,
        databases: databases(&repository.top),
    })
}

fn revoke(pins: &mut Pins, target: &Target) -> Result<TrustedRepository> {
    let Repository { top, key } = &target.repository;
    let files: Vec<PathBuf> = pins
        .files
        .keys()
        .filter(|path| path.starts_with(top) || target.config.as_ref() == Some(path))
        .cloned()
        .collect();
    let n_files = files.iter().filter(|path| pins.revoke(path)).count();
    let n_databases = pins.databases.len();
    pins.databases.retain(|path| !path.starts_with(top));
    let had_repository = pins.repositories.remove(key).is_some();
    if n_files == 0 && !had_repository && pins.databases.len() == n_databases {
        return Err(Error::not_found(format!("{} is not trusted", top.display()))
            .suggest("lore trust --list"));
    }
    Ok(TrustedRepository {
        path: top.display().to_string(),
        state: TrustState::Revoked,
        origin: None,
        config: Vec::new(),
        memory: None,
        trusts_databases: false,
        databases: Vec::new(),
    })
}

/// What the user agrees to. A file with mistakes is not worth trusting yet.
fn unlocks(file: &ConfigFile) -> Result<Vec<String>> {
    let layer = tree::parse(&file.text, file.syntax)
        .and_then(|root| layer::read(&root, file.syntax))
        .map_err(|error| error.context(file.path.display()))?;
    let mut unlocks: Vec<String> = layer
        .values
        .iter()
        .filter(|(key, _)| key.from_clone != FromClone::Allowed)
        .map(|(key, value)| format!("{} = {value}", key.name))
        .collect();
    let projects = layer.projects.unwrap_or_default();
    let repos = layer.repos.unwrap_or_default();
    let repos = repos.into_iter().filter_map(|repo| repo.path.or(repo.url));
    for (name, items) in [("projects", projects), ("repos", repos.collect())] {
        if list_from_clone(name) != FromClone::Allowed {
            unlocks.extend(items.iter().map(|item| format!("{name} = {item}")));
        }
    }
    Ok(unlocks)
}

/// The records in a repository's memory, read from its files.
fn counted(top: &Path) -> MemoryGrant {
    let root = Root::new(top.join(FOLDER), RootKind::Project);
    let mut counts = MemoryGrant::default();
    for name in root.names().unwrap_or_default() {
        let Ok(Some(file)) = root.read(&name) else { continue };
        match name.as_str() {
            decisions::NAME => counts.decisions = decisions::parse(&file.text).records.len() as u64,
            patterns::NAME => counts.patterns = patterns::parse(&file.text).records.len() as u64,
            name if name.starts_with(handoffs::FOLDER) => counts.handoffs += 1,
            _ => {}
        }
    }
    counts
}

/// Files in `.lore/` that look like databases.
fn databases(top: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(top.join(CLONE_DIR)) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "db"))
        .map(|path| path.display().to_string())
        .collect();
    found.sort();
    found
}

fn listed(pins: &Pins) -> TrustAnswer {
    // Files of older versions know config files alone; they belong to the
    // repository they lie in.
    let mut files: BTreeMap<PathBuf, Vec<TrustedFile>> = BTreeMap::new();
    for (path, pinned) in &pins.files {
        let file = TrustedFile {
            path: path.display().to_string(),
            sha256: Some(pinned.clone()),
            state: file_state(path, pinned),
            unlocks: Vec::new(),
        };
        let folder = path.parent().and_then(Path::parent).unwrap_or(path);
        let top = Repository::around(folder).map_or_else(|| folder.to_path_buf(), |it| it.top);
        files.entry(top).or_default().push(file);
    }
    let mut tops: Vec<&PathBuf> = pins.repositories.keys().chain(files.keys()).collect();
    tops.sort();
    tops.dedup();
    let tops: Vec<PathBuf> = tops.into_iter().cloned().collect();
    let repositories = tops
        .into_iter()
        .map(|top| {
            let config = files.remove(&top).unwrap_or_default();
            listed_repository(&top, pins.repositories.get(&top), config)
        })
        .collect();
    let databases = pins.databases.iter().map(|path| path.display().to_string()).collect();
    TrustAnswer { repositories, databases, is_list: true }
}

fn listed_repository(
    top: &Path,
    pin: Option<&RepositoryPin>,
    config: Vec<TrustedFile>,
) -> TrustedRepository {
    let here = Repository { top: top.to_path_buf(), key: top.to_path_buf() };
    let state = match pin {
        _ if !top.is_dir() => TrustState::Missing,
        Some(pin) if pin.origin != here.origin() => TrustState::Changed,
        _ => config.iter().map(|it| it.state).find(|it| *it != TrustState::Trusted)
            .unwrap_or(TrustState::Trusted),
    };
    TrustedRepository {
        path: top.display().to_string(),
        state,
        origin: pin.and_then(|pin| pin.origin.clone()),
        config,
        memory: pin.filter(|pin| pin.memory).map(|_| counted(top)),
        trusts_databases: pin.is_some_and(|pin| pin.databases),
        databases: databases(top),
    }
}

fn file_state(path: &Path, pinned: &str) -> TrustState {
    /// As much as a config file may have.
    const MOST: u64 = 1 << 20;
    match files::read(path, MOST) {
        Ok(bytes) if Hash32::of(&bytes).to_string() == pinned => TrustState::Trusted,
        Err(files::ReadError::NotFound) => TrustState::Missing,
        _ => TrustState::Changed,
    }
}

impl Show for TrustAnswer {
    fn text(&self, out: &mut Painter) {
        let columns = [Column::flexible("repository"), Column::new("state"), Column::new("with")];
        let mut table = Table::new(columns);
        for repository in &self.repositories {
            let label = match repository.state {
                TrustState::Trusted => Label::Good,
                TrustState::Revoked => Label::Done,
                TrustState::Changed | TrustState::Missing => Label::Warning,
            };
            table.row([
                Cell::text(&repository.path),
                Cell::text(repository.state.word()).label(label),
                Cell::text(repository.parts()),
            ]);
        }
        out.table(&table);
        if self.is_list {
            for path in &self.databases {
                out.field("database", path);
            }
            if self.repositories.is_empty() && self.databases.is_empty() {
                out.footer("no trusted repositories");
            }
        } else {
            self.repositories.iter().for_each(|repository| repository.granted(out));
        }
    }
}

impl TrustedRepository {
    /// `config, memory, databases`.
    fn parts(&self) -> String {
        let parts = [
            (!self.config.is_empty(), "config"),
            (self.memory.is_some(), "memory"),
            (self.trusts_databases, "databases"),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|it| it.0).map(|it| it.1).collect();
        parts.join(", ")
    }

    /// What counts from now on, and until when.
    fn granted(&self, out: &mut Painter) {
        for file in &self.config {
            out.field("config", &format!("{}, until it changes", file.path));
            for line in &file.unlocks {
                out.text("             ").text(line).end();
            }
        }
        let bound = match &self.origin {
            Some(origin) => format!("as long as its origin is {origin}"),
            None => "as long as it has no origin".to_owned(),
        };
        if let Some(memory) = &self.memory {
            let MemoryGrant { decisions, patterns, handoffs } = memory;
            out.field(
                "memory",
                &format!(
                    "{decisions} decisions, {patterns} patterns, {handoffs} handoffs: agents' \
                     prompts may get these and what later pulls bring, {bound}"
                ),
            );
        }
        for path in &self.databases {
            out.field("database", &format!("{path}: may be written to and upgraded, {bound}"));
        }
    }
}
