//! What the daemon answers over HTTP: health, metrics, webhooks, MCP.

use super::{Daemon, webhook};
use crate::http::{self, HttpOptions, Limits};
use crate::mcp::HttpDoor;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use axum::routing::get;
use model::{CancelToken, Result};
use std::net::SocketAddr;
use std::sync::Arc;

/// Serves until the daemon stops or the door is closed. To add something, merge its
/// routes here.
pub async fn serve(daemon: Arc<Daemon>, address: SocketAddr, close: &CancelToken) -> Result<()> {
    let (host, options) = daemon.host.mcp();
    let door = HttpDoor::new(host, options);
    let routes = health(&daemon).merge(webhook::routes(Arc::clone(&daemon))).merge(door.routes());
    let options = HttpOptions {
        address,
        token: daemon.settings().http_token.clone(),
        own_secret: vec![webhook::PATH],
    };
    let listening = |address: SocketAddr| daemon.listening(address);
    let ended = daemon.ended(close);
    let served = http::serve(&options, Limits::DEFAULT, routes, listening, ended).await;
    door.close();
    served
}

fn health(daemon: &Arc<Daemon>) -> Router {
    let (ready, metrics) = (Arc::clone(daemon), Arc::clone(daemon));
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route(
            "/readyz",
            get(move || async move {
                let problems = ready.problems();
                if problems.is_empty() {
                    return (StatusCode::OK, "ready\n".to_owned());
                }
                (StatusCode::SERVICE_UNAVAILABLE, format!("{}\n", problems.join("\n")))
            }),
        )
        .route(
            "/metrics",
            get(move || async move {
                let daemon = Arc::clone(&metrics);
                let page = tokio::task::spawn_blocking(move || daemon.metrics_page()).await;
                let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
                match page {
                    Ok(page) => (kind, page).into_response(),
                    Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                }
            }),
        )
}
