//! Batches in, rows out.

use super::*;
use crate::{Reader, Writer};
use model::Timestamp;
use model::code::EdgeKind;
use model::runtime::{DAY, Endpoint, EndpointKind, InputKind, hour_of};
use model::sketch::{Sketch, bin};
use std::collections::BTreeMap;
use tempfile::TempDir;

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000)
}

fn endpoint(kind: EndpointKind, service: &str, name: &str) -> BatchEndpoint {
    BatchEndpoint { endpoint: Endpoint::new(kind, service, name), code: None }
}

fn batch(at: Timestamp, n: i64) -> Batch {
    let mut durations = Sketch::default();
    durations.add(bin(2000), n);
    Batch {
        endpoints: vec![
            endpoint(EndpointKind::Outside, "", ""),
            endpoint(EndpointKind::Route, "web", "GET /a"),
        ],
        edges: vec![EdgeDelta {
            source: 0,
            target: 1,
            kind: EdgeKind::RuntimeCalls,
            hour: hour_of(at),
            n,
            n_errors: n / 2,
            durations,
            first: at,
            last: at,
            samples: vec![format!("t{n}")],
        }],
        services: vec![ServiceDelta {
            name: "web".to_owned(),
            namespace: String::new(),
            version: String::new(),
            deployments: Vec::new(),
            hours: BTreeMap::from([(hour_of(at), n.unsigned_abs())]),
            first: at,
            last: at,
        }],
        seen: vec![1, 2, 3],
        inputs: BTreeMap::from([(
            InputKind::OtlpGrpc,
            InputCounts { n_spans: 3, ..InputCounts::default() },
        )]),
    }
}

struct Place {
    dir: TempDir,
    writer: Writer,
}

impl Place {
    fn new() -> Place {
        let dir = TempDir::new().unwrap();
        let writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        Place { dir, writer }
    }

    fn apply(&mut self, batch: &Batch) {
        self.writer.write(|tx| apply(tx, batch, now())).unwrap();
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.dir.path().join("lore.db")).unwrap()
    }

    fn edges(&self) -> Vec<EdgeRow> {
        let week = hour_of(now().minus(DAY * 7));
        edges(&self.reader(), hour_of(now().minus(DAY)), week).unwrap()
    }
}

#[test]
fn observations_add_up_by_the_hour() {
    let mut place = Place::new();
    assert!(!has_any(&place.reader()).unwrap());
    place.apply(&batch(now(), 4));
    place.apply(&batch(now(), 6));
    place.apply(&batch(now().minus(DAY * 3), 100));
    place.apply(&batch(now().minus(DAY * 20), 1000));
    let edges = place.edges();
    let edge = &edges[0];
    assert_eq!((edges.len(), edge.n, edge.n_errors, edge.n_week), (1, 10, 5, 110));
    assert_eq!((edge.first_seen, edge.last_seen), (now().minus(DAY * 20), now()));
    assert_eq!(edge.samples, ["t1000", "t100", "t6", "t4"]);
    let sketch = edge_latency(&place.reader(), edge.id, 0).unwrap();
    assert_eq!(sketch.count(), 1110);
    assert_eq!(totals(&place.reader()).unwrap().n_buckets, 3);
    let seen = seen_since(&place.reader(), 0).unwrap();
    assert_eq!(seen.keys, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(seen_since(&place.reader(), seen.last - 1).unwrap().keys, [1, 2, 3]);
    assert!(seen_since(&place.reader(), seen.last).unwrap().keys.is_empty());
    assert_eq!(inputs(&place.reader()).unwrap()[0].counts.n_spans, 12);
    assert_eq!(service_spans(&place.reader(), 0).unwrap()["web"], 1110);
}

#[test]
fn what_is_taken_back_leaves_nothing() {
    let mut place = Place::new();
    place.apply(&batch(now(), 4));
    place.apply(&batch(now(), -4));
    assert!(place.edges().is_empty());
    place.apply(&batch(now(), -4));
    assert!(place.edges().is_empty());
}

#[test]
fn what_was_not_seen_for_ninety_days_is_collected() {
    let mut place = Place::new();
    place.apply(&batch(now().minus(DAY * 91), 4));
    let collected = place.writer.write(|tx| collect(tx, now())).unwrap();
    assert_eq!(collected, CleanupCounts { n_edges: 1, n_endpoints: 2, n_buckets: 1 });
    assert!(services(&place.reader()).unwrap().is_empty());
    place.apply(&batch(now().minus(DAY * 89), 4));
    let collected = place.writer.write(|tx| collect(tx, now())).unwrap();
    assert_eq!(collected, CleanupCounts::default());
    assert_eq!(place.edges().len(), 1);
}
