//! Over streamable HTTP, for clients that do not start the server themselves:
//! the one route of MCP. Who may ask, and how much, is decided by
//! [`crate::http`], below which it lies.
//!
//! On loopback without a token anybody on this machine may ask. So the folders
//! a client names count only where lore was told of them (see [`super::place`]).

use super::Options;
use super::handler::Session;
use super::place::Folders;
use super::sessions::{CappedSessions, MAX_SESSIONS};
use super::shared::Shared;
use super::surroundings::McpHost;
use crate::http::{self, HttpOptions, Limits};
use axum::Router;
use model::Result;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The one address answered.
pub const PATH: &str = "/mcp";

/// MCP over HTTP as routes, for whoever serves others beside it.
pub struct HttpDoor {
    shared: Arc<Shared>,
    closing: CancellationToken,
}

impl HttpDoor {
    pub fn new(around: Arc<dyn McpHost>, options: Options) -> Self {
        let options = Options { folders: Folders::Registered, ..options };
        HttpDoor { shared: Shared::new(around, options), closing: CancellationToken::new() }
    }

    pub fn routes(&self) -> Router {
        routes(Arc::clone(&self.shared), self.closing.clone())
    }

    /// Ends sessions, and what is done for them.
    pub fn close(&self) {
        self.closing.cancel();
        self.shared.background.stop();
    }
}

/// Serves until `ended`; `listening` is told the address, with its true port.
pub async fn http(
    around: Arc<dyn McpHost>,
    options: Options,
    http: HttpOptions,
    listening: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<()> {
    let door = HttpDoor::new(around, options);
    let served = http::serve(&http, Limits::DEFAULT, door.routes(), listening, ended).await;
    door.close();
    served
}

fn routes(shared: Arc<Shared>, closing: CancellationToken) -> Router {
    // Hosts and origins are checked for all routes alike, before this one.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(Limits::DEFAULT.body_bytes)
        .with_cancellation_token(closing);
    let service = StreamableHttpService::new(
        move || Ok(Session::new(Arc::clone(&shared))),
        Arc::new(CappedSessions::new(MAX_SESSIONS)),
        config,
    );
    Router::new().route_service(PATH, service)
}
