//! `opentelemetry.proto.collector.trace.v1.TraceService/Export`.

use super::intake::{Refusal, SpanQueue, SpanQueueLimits};
use model::hash::Hash32;
use model::runtime::InputKind;
use model::{Error, ErrorCode, Result};
use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codec::{CompressionEncoding, EnabledCompressionEncodings};
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use traces::decode::otlp::{self, PartialSuccess, TracesRequest, TracesResponse};

/// Until the answer of a request.
const REQUEST_TIME: Duration = Duration::from_secs(30);

pub async fn serve(
    listener: TcpListener,
    intake: SpanQueue,
    token: Option<String>,
    limits: SpanQueueLimits,
    stop: CancellationToken,
) -> Result<()> {
    let service =
        TraceService { intake, token: token.map(|token| Hash32::of(token.as_bytes())), limits };
    Server::builder()
        .concurrency_limit_per_connection(limits.requests)
        .max_concurrent_streams(limits.requests as u32)
        .timeout(REQUEST_TIME)
        .http2_keepalive_interval(Some(Duration::from_secs(60)))
        .add_service(service)
        .serve_with_incoming_shutdown(TcpIncoming::from(listener), stop.cancelled())
        .await
        .map_err(|error| {
            Error::new(ErrorCode::NetworkError, "the gRPC receiver ended").caused_by(error)
        })
}

#[derive(Clone)]
struct TraceService {
    intake: SpanQueue,
    /// Of the token; hashes are compared, so that time tells nothing of it.
    token: Option<Hash32>,
    limits: SpanQueueLimits,
}

impl NamedService for TraceService {
    const NAME: &'static str = "opentelemetry.proto.collector.trace.v1.TraceService";
}

impl Service<http::Request<Body>> for TraceService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let path = request.uri().path();
            if !path.ends_with("/Export") {
                return Ok(Status::unimplemented("only Export is known").into_http());
            }
            let mut encodings = EnabledCompressionEncodings::default();
            encodings.enable(CompressionEncoding::Gzip);
            let most = service.limits.unpacked_bytes;
            let codec: ProstCodec<TracesResponse, TracesRequest> = ProstCodec::default();
            let mut grpc = Grpc::new(codec)
                .apply_compression_config(encodings, EnabledCompressionEncodings::default())
                .apply_max_message_size_config(Some(most), None);
            Ok(grpc.unary(Export(service), request).await)
        })
    }
}

struct Export(TraceService);

impl UnaryService<TracesRequest> for Export {
    type Response = TracesResponse;
    type Future = BoxFuture<Response<TracesResponse>, Status>;

    fn call(&mut self, request: Request<TracesRequest>) -> Self::Future {
        let service = self.0.clone();
        Box::pin(async move {
            service.check_token(&request)?;
            let decoded = otlp::read(request.into_inner());
            let reason = decoded.reason.clone().unwrap_or_default();
            match service.intake.take(decoded, InputKind::OtlpGrpc).await {
                Ok(accepted) => {
                    let partial_success = (accepted.n_rejected > 0).then_some(PartialSuccess {
                        rejected_spans: accepted.n_rejected as i64,
                        error_message: reason,
                    });
                    Ok(Response::new(TracesResponse { partial_success }))
                }
                // Exporters try again where they are told when.
                Err(Refusal::Full) => Err(Status::unavailable("too much waits to be stored")),
                Err(Refusal::Unwritten(why)) => Err(Status::unavailable(why)),
            }
        })
    }
}

impl TraceService {
    fn check_token(&self, request: &Request<TracesRequest>) -> std::result::Result<(), Status> {
        let Some(wanted) = &self.token else { return Ok(()) };
        let shown = request.metadata().get("authorization").and_then(|it| it.to_str().ok());
        let shown = shown.and_then(|it| it.split_once(' ')).map(|(_, token)| token.trim());
        match shown.map(|token| Hash32::of(token.as_bytes())) {
            Some(shown) if shown == *wanted => Ok(()),
            _ => Err(Status::unauthenticated("send the token: authorization: Bearer …")),
        }
    }
}
