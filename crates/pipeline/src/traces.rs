//! Spans into the database: one ingester, one connection, one transaction a batch.
//!
//! Beside a run and without its lock, as notes are: nothing else writes these tables,
//! and a receiver that is always on must not keep anybody from indexing. What
//! [`TraceSink::write`] returned for is stored.

use model::runtime::InputKind;
use model::{Clock, Result, Timestamp};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::runtime::{self, Collected};
use store::{Reader, Tx, Writer};
use traces::decode::Decoded;
use traces::{Ingester, Limits};

/// Asked for the methods and patterns of a service's routes.
pub type RouteLookup = Arc<dyn Fn(&str) -> Vec<(String, String)> + Send + Sync>;

/// Code changes; routes are looked up again after so long.
const ROUTES_KEPT: Duration = Duration::from_secs(600);

/// What became of some spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Counted; the others were known.
    pub n_new: u64,
    pub n_duplicates: u64,
    pub n_rejected: u64,
}

/// Where spans go.
pub struct TraceSink {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    routes: RouteLookup,
    limits: Limits,
    state: Mutex<State>,
}

struct State {
    writer: Writer,
    ingester: Ingester,
    routes_at: Timestamp,
}

impl TraceSink {
    /// Opens the database, which is made where there is none.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, routes: RouteLookup) -> Result<TraceSink> {
        let writer = Writer::open(path)?;
        let limits = Limits::DEFAULT;
        let ingester = ingester(path, limits, &routes)?;
        let routes_at = clock.now();
        let state = Mutex::new(State { writer, ingester, routes_at });
        Ok(TraceSink { path: path.to_owned(), clock, routes, limits, state })
    }

    /// Counts spans and stores what they came to, in one transaction. Blocks.
    pub fn write(&self, batches: Vec<(Decoded, InputKind)>) -> Result<Vec<Accepted>> {
        self.write_with(batches, |_, _| Ok(()))
    }

    /// The same, with something else to be written in that transaction.
    pub fn write_with(
        &self,
        batches: Vec<(Decoded, InputKind)>,
        also: impl FnOnce(&Tx<'_>, Timestamp) -> Result<()>,
    ) -> Result<Vec<Accepted>> {
        let now = self.clock.now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { writer, ingester, routes_at } = &mut *state;
        if now.since(*routes_at) >= ROUTES_KEPT {
            ingester.forget_routes();
            *routes_at = now;
        }
        let mut accepted = Vec::with_capacity(batches.len());
        for (decoded, input) in batches {
            let (n_spans, n_rejected) = (decoded.spans.len() as u64, decoded.n_rejected);
            let n_new = ingester.absorb(decoded, input, now);
            accepted.push(Accepted { n_new, n_duplicates: n_spans - n_new, n_rejected });
        }
        let batch = ingester.take_batch();
        let written = writer.write(|tx| {
            if !batch.is_empty() {
                runtime::apply(tx, &batch, now)?;
            }
            also(tx, now)
        });
        if let Err(error) = written {
            // What was counted in memory is not stored: begin again from what is.
            *ingester = self::ingester(&self.path, self.limits, &self.routes)?;
            return Err(error);
        }
        Ok(accepted)
    }

    /// Removes what was not seen for ninety days.
    pub fn collect(&self) -> Result<Collected> {
        let now = self.clock.now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.writer.write(|tx| runtime::collect(tx, now))
    }
}

/// Removes what was not seen for ninety days, where nobody receives.
pub fn collect(path: &Path, now: Timestamp) -> Result<Collected> {
    Writer::open(path)?.write(|tx| runtime::collect(tx, now))
}

fn ingester(path: &Path, limits: Limits, routes: &RouteLookup) -> Result<Ingester> {
    let routes = Arc::clone(routes);
    let seen = runtime::seen(&Reader::open(path)?)?;
    Ok(Ingester::new(limits, Box::new(move |service| routes(service))).with_seen(seen))
}
