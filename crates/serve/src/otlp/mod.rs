//! The OTLP receiver: traces over gRPC and over HTTP, as protobuf and JSON.
//!
//! A request is decoded where it arrives, counted and stored by one thread together
//! with others that wait, and answered once it is stored: what was acknowledged
//! survives any end. When more comes than can be stored, requests are refused with
//! "try again", which every exporter does; nothing is dropped in silence.

mod grpc;
mod http;
mod intake;

pub use intake::{SpanQueue, SpanQueueLimits};

use crate::http::{HttpOptions, Limits};
use model::{Error, ErrorCode, Result};
use pipeline::traces::TraceSink;
use secrecy::{ExposeSecret as _, SecretString};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where it listens, and who may send.
#[derive(Debug)]
pub struct OtlpOptions {
    pub grpc: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
    /// What a sender must show; needed for any address but loopback.
    pub token: Option<SecretString>,
    pub limits: SpanQueueLimits,
}

/// Where it really listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OtlpAddresses {
    pub grpc: Option<SocketAddr>,
    pub http: Option<SocketAddr>,
}

/// How often what was not seen for ninety days is removed.
const CLEANING: Duration = Duration::from_secs(3600);

/// Receives until `ended`; `listening` is told the addresses with their true ports.
/// What was taken in by then is stored before this returns.
pub async fn serve(
    options: OtlpOptions,
    sink: Arc<TraceSink>,
    listening: impl FnOnce(OtlpAddresses),
    ended: impl Future<Output = ()>,
) -> Result<()> {
    let token = options.token.as_ref().map(|token| token.expose_secret().trim().to_owned());
    let token = token.filter(|token| !token.is_empty());
    let listener = match options.grpc {
        Some(address) => Some(bind(address, token.as_deref()).await?),
        None => None,
    };
    let grpc = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    let (intake, writer) = SpanQueue::start(Arc::clone(&sink), options.limits)?;
    let stop = CancellationToken::new();
    let (told, http_address) = tokio::sync::oneshot::channel();
    let over_http = http_server(&options, intake.clone(), told, stop.clone());
    let over_grpc = async {
        match listener {
            Some(listener) => {
                grpc::serve(listener, intake.clone(), token, options.limits, stop.clone()).await
            }
            None => {
                stop.cancelled().await;
                Ok(())
            }
        }
    };
    let until_ended = async {
        let http = match options.http {
            Some(_) => http_address.await.ok(),
            None => None,
        };
        // A server that could not listen says so itself.
        if options.http.is_none() || http.is_some() {
            listening(OtlpAddresses { grpc, http });
        }
        let mut cleaning = tokio::time::interval(CLEANING);
        tokio::pin!(ended);
        loop {
            tokio::select! {
                () = &mut ended => break,
                () = stop.cancelled() => break,
                _ = cleaning.tick() => {
                    let sink = Arc::clone(&sink);
                    // Tried again in an hour.
                    let _ = tokio::task::spawn_blocking(move || sink.collect()).await;
                }
            }
        }
        stop.cancel();
    };
    let both = async {
        let outcome = tokio::try_join!(over_http, over_grpc);
        stop.cancel();
        outcome
    };
    let (outcome, ()) = tokio::join!(both, until_ended);
    drop(intake);
    let _ = tokio::task::spawn_blocking(move || writer.join()).await;
    outcome.map(|_| ())
}

async fn http_server(
    options: &OtlpOptions,
    intake: SpanQueue,
    told: tokio::sync::oneshot::Sender<SocketAddr>,
    stop: CancellationToken,
) -> Result<()> {
    let Some(address) = options.http else {
        stop.cancelled().await;
        return Ok(());
    };
    let token = options.token.as_ref().map(|token| SecretString::from(token.expose_secret()));
    let limits = Limits {
        body_bytes: options.limits.body_bytes,
        requests: options.limits.requests,
        request_time: Duration::from_secs(30),
        ..Limits::DEFAULT
    };
    let routes = http::routes(intake, options.limits);
    let listening = |address| {
        let _ = told.send(address);
    };
    let options = HttpOptions { address, token, own_secret: Vec::new() };
    crate::http::serve(&options, limits, routes, listening, stop.cancelled()).await
}

async fn bind(address: SocketAddr, token: Option<&str>) -> Result<TcpListener> {
    if token.is_none() && !address.ip().is_loopback() {
        return Err(Error::new(
            ErrorCode::TokenNotSet,
            format!("{address} can be reached by others, and no token is set"),
        )
        .suggest("set LORE_MCP_TOKEN or mcp.token_file, or listen on 127.0.0.1"));
    }
    TcpListener::bind(address).await.map_err(|error| {
        Error::new(ErrorCode::NetworkError, format!("cannot listen on {address}"))
            .suggest("choose another port; 0 takes any that is free")
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests;
