//! Spans in, changes out.

use super::*;
use crate::span::{Resource, SpanKind};
use std::sync::Arc;

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

fn ingester() -> Ingester {
    Ingester::new(Limits::DEFAULT, Box::new(|_| Vec::new()))
}

fn span(service: &str, id: u64, parent: u64, kind: SpanKind, pairs: &[(&str, &str)]) -> Span {
    let mut span = Span::new(&Arc::new(Resource::of_service(service)));
    span.trace_id = [7; 16];
    span.span_id = id;
    span.parent_id = parent;
    span.kind = kind;
    span.start_ms = now().as_millis() - 60_000;
    span.duration_us = Some(1500);
    for (name, value) in pairs {
        span.attributes.put(name, (*value).into());
    }
    span
}

fn decoded(spans: Vec<Span>) -> DecodedSpans {
    DecodedSpans { spans, ..DecodedSpans::default() }
}

fn told(batch: &Batch) -> Vec<String> {
    let name = |at: usize| {
        let endpoint = &batch.endpoints[at].endpoint;
        format!("{} [{}] {}", endpoint.kind, endpoint.service, endpoint.name)
    };
    let mut lines: Vec<String> = batch
        .edges
        .iter()
        .map(|edge| {
            format!("{} -> {} {} {}", name(edge.source), name(edge.target), edge.kind, edge.n)
        })
        .collect();
    lines.sort();
    lines
}

const GET: (&str, &str) = ("http.request.method", "GET");

#[test]
fn a_call_between_services_is_one_edge() {
    let mut ingester = ingester();
    let spans = vec![
        span("web", 1, 0, SpanKind::Server, &[GET, ("http.route", "/checkout")]),
        span("web", 2, 1, SpanKind::Client, &[GET, ("url.full", "http://cart:80/items/7")]),
        span("cart", 3, 2, SpanKind::Server, &[GET, ("http.route", "/items/{id}")]),
        span(
            "cart",
            4,
            3,
            SpanKind::Client,
            &[("db.system", "postgresql"), ("db.statement", "select 1 from items")],
        ),
    ];
    assert_eq!(ingester.absorb(decoded(spans.clone()), InputKind::OtlpGrpc, now()), 4);
    let batch = ingester.take_batch();
    assert_eq!(
        told(&batch),
        [
            "outside []  -> route [web] GET /checkout runtime_calls 1",
            "route [cart] GET /items/{id} -> table [] items runtime_queries 1",
            "route [web] GET /checkout -> route [cart] GET /items/{id} runtime_calls 1",
        ]
    );
    assert_eq!(batch.edges[0].samples, ["07070707070707070707070707070707"]);
    assert_eq!(batch.seen.len(), 4);
    // The same again changes nothing but the count of duplicates.
    assert_eq!(ingester.absorb(decoded(spans), InputKind::OtlpHttp, now()), 0);
    let again = ingester.take_batch();
    assert_eq!((again.edges.len(), again.inputs[&InputKind::OtlpHttp].n_duplicates), (0, 4));
}

#[test]
fn a_later_half_takes_back_what_the_earlier_one_counted() {
    let mut ingester = ingester();
    let server = span("cart", 3, 2, SpanKind::Server, &[GET, ("http.route", "/items/{id}")]);
    ingester.absorb(decoded(vec![server]), InputKind::OtlpGrpc, now());
    assert_eq!(
        told(&ingester.take_batch()),
        ["outside []  -> route [cart] GET /items/{id} runtime_calls 1"]
    );
    let client = span("web", 2, 0, SpanKind::Client, &[GET, ("url.full", "http://cart/items/7")]);
    ingester.absorb(decoded(vec![client]), InputKind::OtlpGrpc, now());
    assert_eq!(
        told(&ingester.take_batch()),
        [
            "outside []  -> route [cart] GET /items/{id} runtime_calls -1",
            "service [web]  -> route [cart] GET /items/{id} runtime_calls 1",
        ]
    );
}

#[test]
fn impossible_times_are_those_of_arrival() {
    let mut ingester = ingester();
    let mut spans = Vec::new();
    for (id, start) in [(1, 0), (2, -5), (3, i64::MAX), (4, now().as_millis() + 1000)] {
        let mut one = span("web", id, 0, SpanKind::Server, &[GET, ("http.route", "/a")]);
        one.start_ms = start;
        one.duration_us = Some(u64::MAX);
        spans.push(one);
    }
    ingester.absorb(decoded(spans), InputKind::OtlpGrpc, now());
    let batch = ingester.take_batch();
    assert_eq!(batch.inputs[&InputKind::OtlpGrpc].n_skewed, 3);
    assert_eq!((batch.edges.len(), batch.edges[0].n, batch.edges[0].hour), (1, 4, hour_of(now())));
    assert!(batch.edges[0].durations.is_empty(), "nobody knows how long they took");
}

#[test]
fn calls_of_unknown_duration_leave_those_of_others_alone() {
    let mut ingester = ingester();
    let mut spans = Vec::new();
    for (id, duration) in [(1, Some(1500)), (2, None), (3, Some(100_000_000_000_000)), (4, None)] {
        let mut one = span("web", id, 0, SpanKind::Server, &[GET, ("http.route", "/a")]);
        one.duration_us = duration;
        spans.push(one);
    }
    ingester.absorb(decoded(spans), InputKind::OtlpGrpc, now());
    let batch = ingester.take_batch();
    assert_eq!((batch.edges.len(), batch.edges[0].n), (1, 4));
    let durations = &batch.edges[0].durations;
    for share in [0.01, 0.5, 0.99] {
        let micros = durations.quantile(share).unwrap();
        assert!((1460..=1540).contains(&micros), "{micros}");
    }
}

#[test]
fn names_are_bounded_per_service_and_in_all() {
    let limits = Limits { names: 10, services: 5, ..Limits::DEFAULT };
    let mut ingester = Ingester::new(limits, Box::new(|_| Vec::new()));
    let mut spans = Vec::new();
    for id in 1..=1000_u64 {
        let route = format!("/r{id}");
        let pairs = [GET, ("http.route", route.as_str())];
        spans.push(span(&format!("s{}", id % 20), id, 0, SpanKind::Server, &pairs));
    }
    spans.push(span("", 2000, 0, SpanKind::Server, &[GET, ("http.route", "/a")]));
    ingester.absorb(decoded(spans), InputKind::OtlpGrpc, now());
    let batch = ingester.take_batch();
    assert!(batch.endpoints.len() < 100, "{}", batch.endpoints.len());
    assert_eq!(batch.edges.iter().map(|edge| edge.n).sum::<i64>(), 1001);
    assert_eq!(batch.services.len(), 7, "five, the others, and the nameless one");
}
