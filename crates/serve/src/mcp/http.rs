//! Over streamable HTTP, for clients that do not start the server themselves.
//!
//! On loopback anybody on this machine may ask, but no web page: requests must
//! name a local host, and come from no foreign origin. Any other address needs
//! a token. Requests are bounded in size, number and time.

use super::Options;
use super::handler::Session;
use super::shared::Shared;
use super::surroundings::Surroundings;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The one address answered.
pub const PATH: &str = "/mcp";

const MOST_BYTES: usize = 4 * 1024 * 1024;
const MOST_CONNECTIONS: usize = 128;
/// To send the head of a request.
const FOR_HEAD: Duration = Duration::from_secs(10);
/// To send a request whole and get the head of the answer.
const FOR_REQUEST: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// What a client must show; needed for any address but loopback.
    pub token: Option<SecretString>,
}

/// Serves until `ended`; `listening` is told the address, with its true port.
pub async fn http(
    around: Arc<dyn Surroundings>,
    options: Options,
    http: HttpOptions,
    listening: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<()> {
    let is_local = http.address.ip().is_loopback();
    if !is_local && http.token.is_none() {
        return Err(Error::new(
            ErrorCode::TokenNotSet,
            format!("{} can be reached by others, and no token is set", http.address),
        )
        .suggest("set LORE_MCP_TOKEN or mcp.token_file, or listen on 127.0.0.1"));
    }
    let cannot = |error: std::io::Error| {
        Error::new(ErrorCode::NetworkError, format!("cannot listen on {}", http.address))
            .suggest("choose another port; 0 takes any that is free")
            .caused_by(error)
    };
    let listener = TcpListener::bind(http.address).await.map_err(cannot)?;
    listening(listener.local_addr().map_err(cannot)?);
    let shared = Shared::new(around, options);
    let closing = CancellationToken::new();
    let app = app(Arc::clone(&shared), &http, closing.clone());
    tokio::select! {
        () = accept(listener, app) => {}
        () = ended => {}
    }
    closing.cancel();
    shared.background.stop();
    Ok(())
}

fn app(shared: Arc<Shared>, http: &HttpOptions, closing: CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
        .enforce_origin_validation()
        .with_max_request_body_bytes(MOST_BYTES)
        .with_cancellation_token(closing);
    let config = match http.address.ip() {
        // Whatever name leads here; the token is the proof then.
        ip if ip.is_unspecified() => config.disable_allowed_hosts(),
        ip if ip.is_loopback() => config,
        ip => config.with_allowed_hosts([ip.to_string(), "localhost".into(), "127.0.0.1".into()]),
    };
    let service = StreamableHttpService::new(
        move || Ok(Session::new(Arc::clone(&shared))),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let wanted = http.token.as_ref().map(|token| Arc::new(fingerprint(token.expose_secret())));
    Router::new().route_service(PATH, service).layer(middleware::from_fn(
        move |request: Request, next: Next| {
            let wanted = wanted.clone();
            async move { guarded(wanted.as_deref(), request, next).await }
        },
    ))
}

/// The token first, then the request within its time.
async fn guarded(wanted: Option<&Hash32>, request: Request, next: Next) -> Response {
    if let Some(wanted) = wanted
        && shown(request.headers()) != Some(*wanted)
    {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let said = "send the token: Authorization: Bearer …\n";
        return (StatusCode::UNAUTHORIZED, challenge, said).into_response();
    }
    match tokio::time::timeout(FOR_REQUEST, next.run(request)).await {
        Ok(response) => response,
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

/// Hashes are compared, so that time tells nothing of the token.
fn shown(headers: &HeaderMap) -> Option<Hash32> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| fingerprint(token.trim()))
}

fn fingerprint(token: &str) -> Hash32 {
    Hash32::of(token.as_bytes())
}

async fn accept(listener: TcpListener, app: Router) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, most likely; others will be closed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let app = app.clone();
        tokio::spawn(async move {
            let _permit = permit;
            serve(stream, app).await;
        });
    }
}

/// One connection. What goes wrong on it is the client's to notice.
async fn serve(stream: TcpStream, app: Router) {
    let _ = stream.set_nodelay(true);
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(FOR_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .await;
}
