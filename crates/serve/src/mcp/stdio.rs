//! Over standard input and output, as most clients start servers. Nothing but
//! the protocol is written there.

use super::Options;
use super::handler::Session;
use super::shared::Shared;
use super::surroundings::McpHost;
use model::{Error, Result};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A message longer than this is dropped; arguments are refused long before.
const LONGEST: usize = 16 * 1024 * 1024;

/// Serves one client until it closes the connection.
pub async fn stdio(around: Arc<dyn McpHost>, options: Options) -> Result<()> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    on_streams(around, options, read, write).await
}

/// The same on streams of the caller's choice.
pub async fn on_streams(
    around: Arc<dyn McpHost>,
    options: Options,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<()> {
    let shared = Shared::new(around, options);
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(LONGEST);
    let running = match Session::new(Arc::clone(&shared)).serve(transport).await {
        Ok(running) => running,
        // A client that only looked in is no failure.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(Error::usage("the client did not speak MCP")
                .suggest("`lore mcp` is started by an agent; see `lore mcp install`")
                .caused_by(error));
        }
    };
    let ended = running.waiting().await;
    shared.background.stop();
    ended.map(drop).map_err(|error| Error::internal("the server crashed").caused_by(error))
}
