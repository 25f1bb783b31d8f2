//! What production shows: who took part in a call, and how sure that makes an
//! edge as time goes by.

use crate::{Timestamp, vocabulary};
use std::time::Duration;

vocabulary! {
    /// What took part in a call.
    pub enum EndpointKind {
        /// A service as a whole, where no more is known.
        Service = 1 "service",
        /// `GET /users/{id}` of a service.
        Route = 2 "route",
        /// `package.Service/Method`.
        Rpc = 3 "rpc",
        /// A topic or a queue.
        Topic = 4 "topic",
        /// A table or collection; a whole database where the table is not known.
        Table = 5 "table",
        /// A function that instrumentation named.
        Function = 6 "function",
        /// A request to an address whose service did not report.
        Host = 7 "host",
        /// Whoever called without being traced.
        Outside = 8 "outside",
    }
}

/// One side of a call, by its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    pub kind: EndpointKind,
    /// The service it is of; for a host its address, for topics and tables empty.
    pub service: String,
    pub name: String,
    /// Of functions, where that is known: the file they are in.
    pub file: String,
}

impl Endpoint {
    pub fn service(name: &str) -> Self {
        Endpoint::new(EndpointKind::Service, name, "")
    }

    pub fn outside() -> Self {
        Endpoint::new(EndpointKind::Outside, "", "")
    }

    pub fn new(kind: EndpointKind, service: &str, name: &str) -> Self {
        Endpoint { kind, service: service.to_owned(), name: name.to_owned(), file: String::new() }
    }
}

vocabulary! {
    /// By which way spans came in.
    pub enum InputKind {
        OtlpGrpc = "otlp_grpc",
        OtlpHttp = "otlp_http",
        OtlpFile = "otlp_file",
        SpanLines = "span_lines",
        Jaeger = "jaeger",
        Zipkin = "zipkin",
        AccessLog = "access_log",
        JsonLog = "json_log",
    }
}

vocabulary! {
    /// How recently an edge was seen.
    pub enum Liveness {
        /// Within 7 days.
        Active = "active",
        /// Within 30 days.
        Recent = "recent",
        /// Within 90 days.
        Stale = "stale",
        /// Longer ago: removed by the next clean-up.
        GcEligible = "gc_eligible",
    }
}

/// Observations are counted by the hour; hours since 1970.
pub const fn hour_of(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(3_600_000)
}

/// What all names of services and of what they are asked for are beyond the limit.
pub const OTHER: &str = "(other)";

pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The window that confidence is counted over.
pub const ACTIVE_DAYS: u32 = 7;
const RECENT_DAYS: u32 = 30;
/// What was not seen for longer is removed.
pub const KEPT_DAYS: u32 = 90;
/// The confidence of an edge whose target is not known in code, in percent.
pub const UNRESOLVED: u8 = 30;
const STALE: u8 = 20;

impl Liveness {
    pub fn at(last_seen: Timestamp, now: Timestamp) -> Liveness {
        let age = now.since(last_seen);
        match age {
            age if age <= DAY * ACTIVE_DAYS => Liveness::Active,
            age if age <= DAY * RECENT_DAYS => Liveness::Recent,
            age if age <= DAY * KEPT_DAYS => Liveness::Stale,
            _ => Liveness::GcEligible,
        }
    }
}

/// How sure a runtime edge is, in percent: by observations in the last seven
/// days, and by when it was last seen.
pub fn confidence(n_last_week: u64, last_seen: Timestamp, now: Timestamp) -> u8 {
    match Liveness::at(last_seen, now) {
        Liveness::GcEligible => 0,
        Liveness::Stale => STALE,
        Liveness::Active | Liveness::Recent => match n_last_week {
            0 => STALE,
            1..=9 => 50,
            10..=99 => 70,
            100..=1000 => 85,
            _ => 95,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_follows_the_table() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let ago = |days: u32| now.minus(DAY * days);
        let rows: Vec<String> = [
            (1, 0),
            (9, 0),
            (10, 6),
            (99, 7),
            (100, 7),
            (1000, 1),
            (1001, 1),
            (0, 8),
            (0, 30),
            (0, 31),
            (0, 90),
            (0, 91),
        ]
        .map(|(n, days)| {
            format!(
                "{n} {days}d {} {}",
                Liveness::at(ago(days), now),
                confidence(n, ago(days), now)
            )
        })
        .to_vec();
        assert_eq!(
            rows,
            [
                "1 0d active 50",
                "9 0d active 50",
                "10 6d active 70",
                "99 7d active 70",
                "100 7d active 85",
                "1000 1d active 85",
                "1001 1d active 95",
                "0 8d recent 20",
                "0 30d recent 20",
                "0 31d stale 20",
                "0 90d stale 20",
                "0 91d gc_eligible 0",
            ]
        );
    }
}
