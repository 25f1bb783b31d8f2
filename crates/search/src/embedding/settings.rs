//! Which provider the configuration asks for.

use super::{Builtin, Ollama, Provider};
use model::Result;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The model that is part of lore.
    Builtin,
    /// A server that speaks Ollama's API.
    Ollama,
    /// Words only.
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub kind: Kind,
    /// Of a server; the built-in model is what it is.
    pub model: String,
    pub base_url: String,
    /// Requests to it in flight at once.
    pub concurrency: usize,
    /// How long it may take to answer.
    pub timeout: Duration,
}

impl Settings {
    /// The model in this binary, with nothing to set.
    pub fn builtin() -> Self {
        Settings {
            kind: Kind::Builtin,
            model: String::new(),
            base_url: String::new(),
            concurrency: 1,
            timeout: Duration::ZERO,
        }
    }
}

/// The provider the settings name; none when there shall be none. Nothing is
/// read or asked before it is used.
pub fn open(settings: &Settings) -> Result<Option<Box<dyn Provider>>> {
    Ok(match settings.kind {
        Kind::None => None,
        Kind::Builtin => Some(Box::new(Builtin)),
        Kind::Ollama => {
            let Settings { base_url, model, concurrency, timeout, .. } = settings;
            let server = Ollama::with_patience(base_url, model, *timeout)?;
            Some(Box::new(server.with_concurrency(*concurrency)))
        }
    })
}
