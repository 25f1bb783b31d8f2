//! Doors for programs: answers over protocols instead of the terminal.
//!
//! `mcp` speaks the Model Context Protocol to coding agents. It holds no rules
//! of its own: a tool reads its arguments, calls a library, and sends the typed
//! answer that `--json` prints. What only the program around it knows (where
//! the database is, how a sync is run) comes in through [`mcp::McpHost`].
//! `otlp` receives traces of production. `http` is the one HTTP stack: every route
//! lies below its checks and limits.

pub mod daemon;
pub mod http;
pub mod mcp;
pub mod otlp;
pub mod payload;
