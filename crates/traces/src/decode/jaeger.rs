//! Jaeger's JSON: what its API and its search page hand out.

use super::DecodedSpans;
use super::json_text::{field, scalar, text_field, unsigned};
use crate::attributes::{Attributes, cleaned};
use crate::span::{Resource, Span, SpanKind, parse_id, parse_span_id};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `{"data":[{"traceID":…,"spans":[…],"processes":{…}}]}`, or one such trace.
pub fn is_jaeger(object: &Map<String, Value>) -> bool {
    let is_trace = |trace: &Value| trace.get("spans").is_some() && trace.get("processes").is_some();
    match object.get("data").and_then(Value::as_array) {
        Some(traces) => traces.first().is_some_and(is_trace),
        None => object.contains_key("processes") && object.contains_key("spans"),
    }
}

pub fn read(object: &Map<String, Value>) -> DecodedSpans {
    let mut decoded = DecodedSpans::default();
    match object.get("data").and_then(Value::as_array) {
        Some(traces) => {
            traces.iter().filter_map(Value::as_object).for_each(|it| trace(it, &mut decoded));
        }
        None => trace(object, &mut decoded),
    }
    decoded
}

fn trace(object: &Map<String, Value>, decoded: &mut DecodedSpans) {
    let processes: BTreeMap<&str, Arc<Resource>> = object
        .get("processes")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(id, process)| (id.as_str(), Arc::new(resource(process))))
        .collect();
    let nobody = Arc::new(Resource::default());
    for one in object.get("spans").and_then(Value::as_array).into_iter().flatten() {
        let Some(message) = one.as_object() else {
            decoded.reject("a span that is no object");
            continue;
        };
        let process = text_field(message, &["processID"]).unwrap_or_default();
        let inline = field(message, &["process"]).map(|process| Arc::new(resource(process)));
        let resource = inline.or_else(|| processes.get(process).cloned());
        match span(message, resource.as_ref().unwrap_or(&nobody)) {
            Some(span) => decoded.spans.push(span),
            None => decoded.reject("a span without a trace id or span id"),
        }
    }
}

fn resource(process: &Value) -> Resource {
    let mut attributes = tags(process.get("tags"));
    if let Some(service) = process.get("serviceName").and_then(Value::as_str) {
        attributes.put("service.name", service.into());
    }
    Resource::of(&attributes)
}

fn tags(list: Option<&Value>) -> Attributes {
    let mut attributes = Attributes::default();
    for tag in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        let value = field(tag, &["value"]).and_then(scalar);
        if let (Some(key), Some(value)) = (text_field(tag, &["key"]), value) {
            attributes.put(key, value);
        }
    }
    attributes
}

fn span(message: &Map<String, Value>, resource: &Arc<Resource>) -> Option<Span> {
    let mut span = Span::new(resource);
    span.trace_id = parse_id(text_field(message, &["traceID"])?);
    span.span_id = parse_span_id(text_field(message, &["spanID"])?);
    if span.trace_id == [0; 16] || span.span_id == 0 {
        return None;
    }
    span.name = cleaned(text_field(message, &["operationName"]).unwrap_or_default(), 200);
    span.parent_id = parent(message);
    let micros = |name: &str| field(message, &[name]).and_then(unsigned);
    span.start_ms = i64::try_from(micros("startTime").unwrap_or(0) / 1000).unwrap_or(i64::MAX);
    span.duration_us = micros("duration");
    span.attributes = tags(message.get("tags"));
    span.kind = span.attributes.get("span.kind").map_or(SpanKind::Unspecified, SpanKind::from_text);
    span.is_error = span.attributes.get("error") == Some("true")
        || span.attributes.get("otel.status_code") == Some("ERROR");
    Some(span)
}

fn parent(message: &Map<String, Value>) -> u64 {
    let references = message.get("references").and_then(Value::as_array);
    let of_references = references.into_iter().flatten().find_map(|reference| {
        let is_child = reference.get("refType").and_then(Value::as_str) == Some("CHILD_OF");
        reference.get("spanID").and_then(Value::as_str).filter(|_| is_child)
    });
    of_references.or(text_field(message, &["parentSpanID"])).map_or(0, parse_span_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_of_the_search_page_is_read() {
        let value = serde_json::json!({"data":[{"traceID":"ab12","processes":{"p1":{"serviceName":"cart","tags":[]}},
          "spans":[
            {"traceID":"ab12","spanID":"1","operationName":"GET /cart","references":[],"startTime":1_700_000_000_000_000_u64,
             "duration":1500,"processID":"p1","tags":[{"key":"span.kind","type":"string","value":"server"},
              {"key":"http.status_code","type":"int64","value":200},{"key":"error","type":"bool","value":true}]},
            {"traceID":"ab12","spanID":"2","references":[{"refType":"CHILD_OF","traceID":"ab12","spanID":"1"}],
             "operationName":"SELECT","startTime":1, "duration":1,"processID":"p1"},
            {"operationName":"no ids"}, 3]}]});
        let object = value.as_object().unwrap();
        assert!(is_jaeger(object));
        let decoded = read(object);
        assert_eq!((decoded.spans.len(), decoded.n_rejected), (2, 2));
        assert_eq!(decoded.spans[0].resource.service, "cart");
        assert_eq!((decoded.spans[0].kind, decoded.spans[0].is_error), (SpanKind::Server, true));
        assert_eq!(decoded.spans[1].parent_id, 1);
    }
}
