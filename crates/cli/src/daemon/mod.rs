//! The daemon seen from the command line: where its files are, who starts it, and
//! how commands that write ask it.

mod child;
pub mod client;
pub mod holder;
mod host;
mod machine;
pub mod paths;

pub use host::CliDaemonHost;

/// What this program is called when two versions of it meet.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
