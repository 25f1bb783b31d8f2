use super::Run;
use crate::config::file::{self, CLONE_DIR, ConfigFile, Origin, TOML_NAME};
use crate::config::keys::FromClone;
use crate::config::trust::Pins;
use crate::config::{layer, tree};
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use model::hash::Hash32;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Let the config file of a clone name servers and tokens
///
/// A `.lore/lore.toml` found in a working tree may have come from somebody
/// else. Its server addresses, token sources and certificates count only after
/// you have read it and run this. Any change to the file ends the trust.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore trust
  lore trust ~/src/project/.lore/lore.toml
  lore trust --list
  lore trust --revoke")]
pub struct Args {
    /// The config file, or the directory that holds it (default: the one in force here)
    path: Option<PathBuf>,
    /// List the trusted files
    #[arg(long, conflicts_with_all = ["path", "revoke"])]
    list: bool,
    /// Take the trust away again
    #[arg(long)]
    revoke: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Trusted {
    pub files: Vec<TrustedFile>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    Trusted,
    /// Trusted once, but the file has changed since.
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
    type Answer = Trusted;

    fn run(&self, ctx: &Ctx, _: &mut Ui) -> Result<Trusted> {
        let mut pins = Pins::load(&ctx.env)?;
        if self.list {
            return Ok(Trusted { files: listed(&pins) });
        }
        let file = if self.revoke {
            let path = self.target(ctx)?;
            if !pins.revoke(&path) {
                return Err(Error::not_found(format!("{} is not trusted", path.display()))
                    .suggest("lore trust --list"));
            }
            TrustedFile {
                path: path.display().to_string(),
                sha256: None,
                state: TrustState::Revoked,
                unlocks: Vec::new(),
            }
        } else {
            let file = file::read(self.target(ctx)?, Origin::Clone)?;
            let unlocks = unlocks(&file)?;
            pins.pin(&file.path, file.hash.to_string());
            TrustedFile {
                path: file.path.display().to_string(),
                sha256: Some(file.hash.to_string()),
                state: TrustState::Trusted,
                unlocks,
            }
        };
        pins.save()?;
        Ok(Trusted { files: vec![file] })
    }
}

impl Args {
    /// The file meant: named, in a named directory, or found from here.
    fn target(&self, ctx: &Ctx) -> Result<PathBuf> {
        if let Some(path) = &self.path {
            let path = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
            if !path.is_dir() {
                return Ok(path);
            }
            let inside = path.join(CLONE_DIR).join(TOML_NAME);
            return Ok(if inside.exists() { inside } else { path.join(TOML_NAME) });
        }
        match file::find(&ctx.env, &ctx.globals)? {
            Some(file) if file.origin == Origin::Clone => Ok(file.path),
            Some(file) => Err(Error::not_found(format!(
                "the config in force, {}, needs no trust",
                file.path.display()
            ))
            .suggest("name the file: lore trust <PATH>")),
            None => Err(Error::not_found("no .lore/lore.toml here or above")
                .suggest("name the file: lore trust <PATH>")),
        }
    }
}

/// What the user agrees to. A file with mistakes is not worth trusting yet.
fn unlocks(file: &ConfigFile) -> Result<Vec<String>> {
    let layer = tree::parse(&file.text, file.syntax)
        .and_then(|root| layer::read(&root, file.syntax))
        .map_err(|error| error.context(file.path.display()))?;
    Ok(layer
        .values
        .iter()
        .filter(|(key, _)| key.from_clone != FromClone::Allowed)
        .map(|(key, value)| format!("{} = {value}", key.name))
        .collect())
}

fn listed(pins: &Pins) -> Vec<TrustedFile> {
    pins.files
        .iter()
        .map(|(path, pinned)| {
            let state = match std::fs::read(path) {
                Ok(bytes) if Hash32::of(&bytes).to_string() == *pinned => TrustState::Trusted,
                Ok(_) => TrustState::Changed,
                Err(_) => TrustState::Missing,
            };
            TrustedFile {
                path: path.display().to_string(),
                sha256: Some(pinned.clone()),
                state,
                unlocks: Vec::new(),
            }
        })
        .collect()
}

impl Show for Trusted {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([Column::flexible("file"), Column::new("state")]);
        for file in &self.files {
            let label = match file.state {
                TrustState::Trusted => Label::Good,
                TrustState::Revoked => Label::Done,
                TrustState::Changed | TrustState::Missing => Label::Warning,
            };
            table.row([Cell::text(&file.path), Cell::text(file.state.word()).label(label)]);
        }
        out.table(&table);
        let unlocked: Vec<&str> =
            self.files.iter().flat_map(|file| &file.unlocks).map(String::as_str).collect();
        if !unlocked.is_empty() {
            out.footer(&format!("now in force: {}", unlocked.join(", ")));
        }
        if self.files.is_empty() {
            out.footer("no trusted files");
        }
    }
}
