//! Logs of requests as JSON lines: Caddy, Traefik, Envoy, nginx with a JSON
//! format, and services that write their own, by the names fields usually have.
//! Fields with the names of the conventions of OpenTelemetry are understood as
//! such, so that lines about queries and messages count too.

use super::json_text::{number, scalar};
use super::sdk_json::nanoseconds;
use crate::attributes::known;
use crate::decode::access_log;
use crate::span::{Resource, Span, SpanKind, parse_id, parse_span_id};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const METHOD: &[&str] = &[
    "method",
    "http_method",
    "request_method",
    "request.method",
    "requestmethod",
    "verb",
    "req.method",
];
const PATH: &[&str] = &[
    "path",
    "uri",
    "url",
    "request_uri",
    "request_path",
    "request.uri",
    "request.path",
    "request.url",
    "requestpath",
    "http_path",
    "req.url",
    "http.path",
];
const ROUTE: &[&str] = &["route", "http_route", "endpoint", "route_pattern"];
const STATUS: &[&str] = &[
    "status",
    "status_code",
    "statuscode",
    "response_code",
    "http_status",
    "downstreamstatus",
    "response.status",
    "res.statuscode",
    "code",
];
const TIME: &[&str] = &[
    "time",
    "timestamp",
    "@timestamp",
    "ts",
    "start_time",
    "time_local",
    "time_iso8601",
    "startutc",
    "date",
];
const SERVICE: &[&str] = &["service", "service_name", "servicename", "app", "application"];

/// Fields of nested objects are looked at this far down.
const MOST_DEPTH: usize = 3;
const MOST_FIELDS: usize = 500;

/// The request, query or message of one line; none where it is about none. The
/// service is the one of the line, else `fallback`.
pub fn read(object: &Map<String, Value>, fallback: &Arc<Resource>) -> Option<Span> {
    let mut fields = BTreeMap::new();
    flatten(object, "", 0, &mut fields);
    let text =
        |names: &[&str]| names.iter().find_map(|name| fields.get(*name).and_then(|it| scalar(it)));
    let is_traefik = |field: &str| field == "servicename" && object.contains_key("ServiceName");
    let named = SERVICE.iter().find_map(|field| {
        let name = fields.get(*field).and_then(|it| scalar(it))?;
        Some(match name.split_once('@') {
            // Traefik adds who told it of a service: `cart@docker`.
            Some((service, _)) if is_traefik(field) && !service.is_empty() => {
                service.to_owned().into()
            }
            _ => name,
        })
    });
    let service = fields.get("service.name").and_then(|it| scalar(it)).or(named);
    let resource = match service {
        Some(service) if fallback.service.is_empty() => Arc::new(Resource::of_service(&service)),
        _ => Arc::clone(fallback),
    };
    let mut span = Span::new(&resource);
    for (name, value) in &fields {
        if let (Some(name), Some(value)) = (known(name), scalar(value)) {
            span.attributes.put(name, value);
        }
    }
    if let (Some(method), Some(path)) = (text(METHOD), text(PATH)) {
        span.attributes.put("http.request.method", method.to_ascii_uppercase().into());
        let path = if path.contains("://") { access_log::path_of(&path).into() } else { path };
        span.attributes.put("url.path", path);
        if let Some(route) = text(ROUTE).filter(|route| route.starts_with('/')) {
            span.attributes.put("http.route", route);
        }
    }
    let status = STATUS.iter().find_map(|name| fields.get(*name).and_then(|it| number(it)));
    if let Some(status) = status.filter(|status| (100..600).contains(status)) {
        span.attributes.put("http.response.status_code", status.to_string().into());
    }
    let is_about_something =
        ["http.request.method", "http.method", "db.system", "db.system.name", "rpc.method"]
            .iter()
            .chain(&["messaging.system", "messaging.destination.name"])
            .any(|name| span.attributes.get(name).is_some());
    if !is_about_something {
        return None;
    }
    span.kind = match span.attributes.get("span.kind") {
        Some(kind) => SpanKind::from_text(kind),
        None if span.attributes.first(&["db.system", "db.system.name"]).is_some() => {
            SpanKind::Client
        }
        None => SpanKind::Unspecified,
    };
    span.start_ms = TIME.iter().find_map(|name| time(fields.get(*name)?)).unwrap_or(0);
    span.duration_us = duration(&fields);
    span.trace_id = text(&["trace_id", "traceid", "trace.id"]).map_or([0; 16], |it| parse_id(&it));
    span.span_id = text(&["span_id", "spanid", "span.id"]).map_or(0, |it| parse_span_id(&it));
    Some(span)
}

fn flatten<'v>(
    object: &'v Map<String, Value>,
    prefix: &str,
    depth: usize,
    fields: &mut BTreeMap<String, &'v Value>,
) {
    for (name, value) in object {
        if fields.len() >= MOST_FIELDS || name.len() > 100 {
            return;
        }
        let name = format!("{prefix}{}", name.to_ascii_lowercase());
        match value {
            Value::Object(inner) if depth < MOST_DEPTH => {
                flatten(inner, &format!("{name}."), depth + 1, fields);
            }
            Value::Object(_) | Value::Array(_) | Value::Null => {}
            _ => {
                fields.entry(name).or_insert(value);
            }
        }
    }
}

fn time(value: &Value) -> Option<i64> {
    if let Some(nanos) = nanoseconds(value) {
        return i64::try_from(nanos / 1_000_000).ok();
    }
    access_log::time(value.as_str()?).map(model::Timestamp::as_millis)
}

/// Microseconds, by the unit the name of the field gives.
fn duration(fields: &BTreeMap<String, &Value>) -> Option<u64> {
    const UNITS: &[(&str, f64)] = &[
        ("duration_ms", 1e3),
        ("latency_ms", 1e3),
        ("response_time_ms", 1e3),
        ("elapsed_ms", 1e3),
        ("responsetime", 1e3),
        ("duration_us", 1.0),
        ("duration_ns", 1e-3),
        ("request_time", 1e6),
        ("duration_s", 1e6),
        ("took", 1e3),
    ];
    let of_unit = UNITS.iter().find_map(|(name, micros)| {
        let value = fields.get(*name)?;
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
        Some(number * micros)
    });
    // Caddy writes seconds with a fraction, Traefik nanoseconds, Envoy milliseconds.
    let plain = || {
        let value = fields.get("duration").or_else(|| fields.get("latency"))?;
        let number = value.as_f64()?;
        Some(match number {
            n if n.fract() != 0.0 => n * 1e6,
            n if n >= 1e5 => n * 1e-3,
            n => n * 1e3,
        })
    };
    let micros = of_unit.or_else(plain)?;
    (0.0..8.64e10).contains(&micros).then_some(micros as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> Option<String> {
        let value: Value = serde_json::from_str(text).ok()?;
        let span = read(value.as_object()?, &Arc::new(Resource::default()))?;
        let at = |name: &str| span.attributes.get(name).unwrap_or("-").to_owned();
        Some(format!(
            "{} {} {} {} {} {}",
            model::Timestamp::from_millis(span.start_ms),
            span.resource.service,
            at("http.request.method"),
            at("url.path"),
            at("http.response.status_code"),
            span.duration_us.map_or("-".to_owned(), |it| format!("{it}us"))
        ))
    }

    #[test]
    fn proxies_and_services_are_read() {
        for (line, expected) in [
            (
                r#"{"ts":1700000000.5,"request":{"method":"GET","uri":"/a?b=1","host":"x"},"status":200,"duration":0.0125}"#,
                "2023-11-14T22:13:20.500Z  GET /a?b=1 200 12500us",
            ),
            (
                r#"{"RequestMethod":"POST","RequestPath":"/cart","DownstreamStatus":502,"Duration":2500000,"StartUTC":"2023-11-14T22:13:20Z","ServiceName":"cart@docker"}"#,
                "2023-11-14T22:13:20.000Z cart POST /cart 502 2500us",
            ),
            (
                r#"{"method":"get","path":"/x","response_code":200,"duration":7,"start_time":"2023-11-14T22:13:20.000Z","service":"web"}"#,
                "2023-11-14T22:13:20.000Z web GET /x 200 7000us",
            ),
            // Only Traefik's names have who told it of them behind an `@`.
            (
                r#"{"method":"get","path":"/x","status":200,"time":"2023-11-14T22:13:20.000Z","service":"@acme/web"}"#,
                "2023-11-14T22:13:20.000Z @acme/web GET /x 200 -",
            ),
            (
                r#"{"method":"get","path":"/x","status":200,"time":"2023-11-14T22:13:20.000Z","app":"cart@2.1"}"#,
                "2023-11-14T22:13:20.000Z cart@2.1 GET /x 200 -",
            ),
            (
                r#"{"method":"get","path":"/x","status":200,"duration_ms":-1,"time":"2023-11-14T22:13:20.000Z","service":"web"}"#,
                "2023-11-14T22:13:20.000Z web GET /x 200 -",
            ),
        ] {
            assert_eq!(told(line).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(told(r#"{"level":"info","msg":"started"}"#), None);
    }

    proptest! {
        #[test]
        fn any_object_is_read_or_not(method in "\\PC{0,9}", path in "\\PC{0,30}", n in any::<f64>()) {
            let value = serde_json::json!({"method": method, "path": path, "status": n, "time": n, "duration": n});
            let _ = read(value.as_object().unwrap(), &Arc::new(Resource::default()));
        }
    }
}
