//! `POST /v1/traces`, as protobuf or JSON.

use super::intake::{Refusal, SpanQueue, SpanQueueLimits};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use model::runtime::InputKind;
use prost::Message as _;
use serde_json::json;
use traces::compression::{Compression, unpack};
use traces::decode::otlp::{PartialSuccess, TracesResponse};
use traces::decode::{DecodedSpans, otlp, otlp_json};

#[derive(Clone)]
struct Receiver {
    intake: SpanQueue,
    limits: SpanQueueLimits,
}

/// The form of a request, and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Protobuf,
    Json,
}

/// An error as OTLP wants it: `google.rpc.Status`.
#[derive(Clone, PartialEq, prost::Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

pub fn routes(intake: SpanQueue, limits: SpanQueueLimits) -> Router {
    let receiver = Receiver { intake, limits };
    Router::new().route("/v1/traces", post(receive)).with_state(receiver)
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(form) = form(&headers) else {
        let said = "send application/x-protobuf or application/json";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{said}\n")).into_response();
    };
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?"));
    let Some(compression) = Compression::from_name(encoding.unwrap_or_default()) else {
        let said = "send it as it is, or packed with gzip, deflate or zstd";
        return failed(form, StatusCode::UNSUPPORTED_MEDIA_TYPE, said);
    };
    let most = receiver.limits.unpacked_bytes;
    let decoding = tokio::task::spawn_blocking(move || decode(&body, form, compression, most));
    let decoded = match decoding.await {
        Ok(Ok(decoded)) => decoded,
        Ok(Err((status, why))) => return failed(form, status, &why),
        Err(_) => return failed(form, StatusCode::INTERNAL_SERVER_ERROR, "decoding failed"),
    };
    let reason = decoded.reason.clone();
    match receiver.intake.take(decoded, InputKind::OtlpHttp).await {
        Ok(accepted) => stored(form, accepted.n_rejected, reason),
        Err(Refusal::Full) => {
            again(form, StatusCode::TOO_MANY_REQUESTS, "too much waits to be stored")
        }
        Err(Refusal::Unwritten(why)) => again(form, StatusCode::SERVICE_UNAVAILABLE, &why),
    }
}

fn form(headers: &HeaderMap) -> Option<Form> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    match value.split(';').next()?.trim().to_ascii_lowercase().as_str() {
        "application/x-protobuf" | "application/protobuf" => Some(Form::Protobuf),
        "application/json" => Some(Form::Json),
        _ => None,
    }
}

fn decode(
    body: &[u8],
    form: Form,
    compression: Compression,
    most: usize,
) -> Result<DecodedSpans, (StatusCode, String)> {
    let unpacked;
    let bytes = if compression == Compression::None {
        body
    } else {
        unpacked = unpack(body, compression, most).map_err(|error| {
            let is_long = error.message().contains("more than");
            let status =
                if is_long { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            (status, error.message().to_owned())
        })?;
        &unpacked
    };
    let decoded = match form {
        Form::Protobuf => otlp::decode(bytes),
        Form::Json => otlp_json::decode(bytes),
    };
    decoded.map_err(|error| (StatusCode::BAD_REQUEST, error.message().to_owned()))
}

fn stored(form: Form, n_rejected: u64, reason: Option<String>) -> Response {
    let partial = (n_rejected > 0).then(|| PartialSuccess {
        rejected_spans: n_rejected as i64,
        error_message: reason.unwrap_or_default(),
    });
    match form {
        Form::Protobuf => {
            let body = TracesResponse { partial_success: partial }.encode_to_vec();
            ([(header::CONTENT_TYPE, "application/x-protobuf")], body).into_response()
        }
        Form::Json => {
            let body = match partial {
                Some(partial) => json!({"partialSuccess": {
                    "rejectedSpans": partial.rejected_spans.to_string(),
                    "errorMessage": partial.error_message,
                }}),
                None => json!({}),
            };
            ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
    }
}

fn failed(form: Form, status: StatusCode, why: &str) -> Response {
    let message = model::text::one_line(why, 300);
    match form {
        Form::Protobuf => {
            let body = RpcStatus { code: 3, message }.encode_to_vec();
            (status, [(header::CONTENT_TYPE, "application/x-protobuf")], body).into_response()
        }
        Form::Json => {
            let body = json!({"code": 3, "message": message}).to_string();
            (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
    }
}

fn again(form: Form, status: StatusCode, why: &str) -> Response {
    let mut response = failed(form, status, why);
    response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    response
}
