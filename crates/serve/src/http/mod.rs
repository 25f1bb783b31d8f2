//! The one HTTP stack: a listener, and the layers every route lies under.
//!
//! Whoever serves something over HTTP hands a router to [`serve`], which puts it
//! below all checks and limits. The only other listener is that of OTLP over gRPC
//! (`otlp/grpc.rs`). In order:
//! connections and the time to send a head, the address a request is meant for
//! ([`guard`]), the web page it comes from, the token, the number of requests at
//! once, the size of the body, the time until an answer begins.

mod guard;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use guard::{Guard, Refusal};
use http_body_util::LengthLimitError;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use model::{Error, ErrorCode, Result};
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

#[derive(Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// What a client must show; needed for any address but loopback.
    pub token: Option<SecretString>,
    /// Paths whose routes check a secret of their own, which no web page knows:
    /// whoever sends there can neither show the token nor choose the host.
    pub own_secret: Vec<&'static str>,
}

/// What all clients together may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub connections: usize,
    /// Requests whose answers have not begun.
    pub requests: usize,
    /// Of one request; it is read whole before it is looked at.
    pub body_bytes: usize,
    /// To send the head of a request.
    pub head_time: Duration,
    /// To send the body and get the head of the answer.
    pub request_time: Duration,
}

impl Limits {
    pub const DEFAULT: Limits = Limits {
        connections: 128,
        requests: 32,
        body_bytes: 4 * 1024 * 1024,
        head_time: Duration::from_secs(10),
        request_time: Duration::from_secs(120),
    };
}

/// Serves `routes` until `ended`; `listening` is told the address, with its
/// true port.
pub async fn serve(
    options: &HttpOptions,
    limits: Limits,
    routes: Router,
    listening: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<()> {
    let address = options.address;
    let token = options.token.as_ref().map(|token| token.expose_secret().trim());
    if token.is_none_or(str::is_empty) && !address.ip().is_loopback() {
        return Err(Error::new(
            ErrorCode::TokenNotSet,
            format!("{address} can be reached by others, and no token is set"),
        )
        .suggest("set LORE_MCP_TOKEN or mcp.token_file, or listen on 127.0.0.1"));
    }
    let cannot = |error: std::io::Error| {
        Error::new(ErrorCode::NetworkError, format!("cannot listen on {address}"))
            .suggest("choose another port; 0 takes any that is free")
            .caused_by(error)
    };
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    listening(listener.local_addr().map_err(cannot)?);
    let guard = Guard::new(address.ip(), token).except(options.own_secret.clone());
    let app = stack(routes, guard, limits);
    tokio::select! {
        () = accept(listener, app, limits) => {}
        () = ended => {}
    }
    Ok(())
}

/// `routes` below every check and limit, addresses it does not know included.
fn stack(routes: Router, guard: Guard, limits: Limits) -> Router {
    let guard = Arc::new(guard);
    let requests = Arc::new(Semaphore::new(limits.requests));
    Router::new().fallback_service(routes).layer(middleware::from_fn(
        move |request: Request, next: Next| {
            let (guard, requests) = (Arc::clone(&guard), Arc::clone(&requests));
            async move {
                if let Err(refusal) = guard.check(&request) {
                    return refused(refusal);
                }
                let Ok(_permit) = requests.try_acquire() else {
                    return busy("too many requests at once\n");
                };
                let answer = async {
                    match whole(request, limits.body_bytes).await {
                        Ok(request) => next.run(request).await,
                        Err(refusal) => refusal,
                    }
                };
                let answer = tokio::time::timeout(limits.request_time, answer).await;
                answer.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
            }
        },
    ))
}

/// A server that cannot take more now.
pub fn busy(why: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], why).into_response()
}

fn refused(refusal: Refusal) -> Response {
    match refusal {
        Refusal::Malformed(why) => (StatusCode::BAD_REQUEST, why).into_response(),
        Refusal::Forbidden(why) => (StatusCode::FORBIDDEN, why).into_response(),
        Refusal::NoToken => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            let said = "send the token: Authorization: Bearer …\n";
            (StatusCode::UNAUTHORIZED, challenge, said).into_response()
        }
    }
}

/// The request with its body read to the end.
async fn whole(request: Request, limit: usize) -> std::result::Result<Request, Response> {
    let (parts, body) = request.into_parts();
    match to_bytes(body, limit).await {
        Ok(bytes) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Err(error) => {
            let cause = std::error::Error::source(&error);
            let is_long =
                cause.and_then(|cause| cause.downcast_ref::<LengthLimitError>()).is_some();
            let (status, why) = if is_long {
                (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n")
            } else {
                (StatusCode::BAD_REQUEST, "the body is not whole\n")
            };
            Err((status, why).into_response())
        }
    }
}

async fn accept(listener: TcpListener, app: Router, limits: Limits) {
    let connections = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, most likely; others will be closed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let app = app.clone();
        tokio::spawn(async move {
            let _permit = permit;
            connection(stream, app, limits).await;
        });
    }
}

/// One connection. What goes wrong on it is the client's to notice.
async fn connection(stream: TcpStream, app: Router, limits: Limits) {
    let _ = stream.set_nodelay(true);
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .await;
}
