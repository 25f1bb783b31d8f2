//! The MCP server: tools, resources, prompts; over stdio or streamable HTTP.

mod agent_clients;
mod aliases;
mod answer;
mod arguments;
mod background;
mod call;
mod completion;
mod cursor;
mod freshness;
mod handler;
mod http;
mod instructions;
mod place;
mod progress;
mod prompts;
mod resources;
mod schema;
mod session_use;
mod sessions;
mod shared;
mod stdio;
mod surroundings;
mod tools;
mod tree_states;

pub use crate::http::HttpOptions;
pub use http::{HttpDoor, PATH as HTTP_PATH, http};
pub use place::Folders;
pub use stdio::{on_streams, stdio};
pub use surroundings::{Job, McpHost, Memory};
pub use tools::{Group, ToolSelection, names};
pub use wire::tokens::estimate;

use std::path::PathBuf;
use std::time::Duration;

/// How a server behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// The tools offered.
    pub tools: ToolSelection,
    /// Where the server was started: meant when the client names no folder.
    pub dir: PathBuf,
    /// Tokens one answer may have, about.
    pub max_tokens: usize,
    /// Whether a repository that is not indexed yet is indexed on first use.
    pub indexes: bool,
    /// How long a question may take.
    pub time_limit: Duration,
    /// Which folders of this machine a client may name.
    pub folders: Folders,
    /// Whether answers are text alone, for clients that hand everything on to
    /// their model.
    pub text_only: bool,
}

impl Options {
    pub const MAX_TOKENS: usize = 4_000;
    pub const TIME_LIMIT: Duration = Duration::from_secs(60);

    pub fn new(dir: PathBuf) -> Self {
        Options {
            tools: ToolSelection::default(),
            dir,
            max_tokens: Options::MAX_TOKENS,
            indexes: true,
            time_limit: Options::TIME_LIMIT,
            folders: Folders::All,
            text_only: false,
        }
    }
}
