//! Spans into the database: one ingester, one write queue, one transaction a batch.
//!
//! Under the lock of traces, which is not that of runs: a receiver that is always on must
//! not keep anybody from indexing. Whoever writes spans takes turns with others who do,
//! and reads what they counted before it goes on, so that the same span is counted once
//! whoever it is sent to. What [`TraceSink::write`] returned for is stored.

use model::ids::RepoId;
use model::runtime::InputKind;
use model::{Clock, Error, ErrorCode, Result, Timestamp};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::lock::{Lane, LockRequest};
use store::runtime::{self, CleanupCounts};
use store::{Tx, WriteQueue};
use traces::decode::DecodedSpans;
use traces::{Ingester, Limits};

/// Asked for the methods and patterns of a service's routes.
pub type RouteLookup = Arc<dyn Fn(&str) -> Vec<(String, String)> + Send + Sync>;

/// Code changes; routes are looked up again after so long.
const ROUTES_KEPT: Duration = Duration::from_secs(600);
/// The lock is given up after so long, for others who have spans …
const TURN: Duration = Duration::from_secs(2);
/// … and taken again after this, …
const PAUSE: Duration = Duration::from_millis(50);
/// … for which they look this often, …
const LOOK: Duration = Duration::from_millis(20);
/// … and so many times: longer than several turns.
const MOST_LOOKS: usize = 500;

/// What became of some spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// Counted; the others were known.
    pub n_new: u64,
    pub n_duplicates: u64,
    pub n_rejected: u64,
}

/// Where spans go.
pub struct TraceSink {
    path: PathBuf,
    owner: String,
    clock: Arc<dyn Clock>,
    routes: RouteLookup,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    turn: Option<Turn>,
    /// None until the first span, and after a write that failed.
    counter: Option<SpanCounter>,
    had_database: bool,
}

/// A time for which the lock is held.
struct Turn {
    queue: WriteQueue,
    since: Timestamp,
    file: FileIdentity,
    /// What others counted before it is known.
    is_caught_up: bool,
}

/// Device and number of a file: another one where it was replaced.
type FileIdentity = (u64, u64);

struct SpanCounter {
    ingester: Ingester,
    routes_at: Timestamp,
    /// The file whose spans it knows, up to a row.
    file: FileIdentity,
    row: i64,
}

impl TraceSink {
    /// Touches nothing: the database is opened, or made where there never was one,
    /// for the first span.
    pub fn new(path: &Path, owner: &str, clock: Arc<dyn Clock>, routes: RouteLookup) -> Self {
        TraceSink {
            path: path.to_owned(),
            owner: owner.to_owned(),
            clock,
            routes,
            limits: Limits::DEFAULT,
            state: Mutex::default(),
        }
    }

    /// Opens the database at once, so that one that cannot be written is known of
    /// before anybody sends anything.
    pub fn open(
        path: &Path,
        owner: &str,
        clock: Arc<dyn Clock>,
        routes: RouteLookup,
    ) -> Result<TraceSink> {
        let sink = TraceSink::new(path, owner, clock, routes);
        sink.turn(&mut sink.state())?;
        sink.rest();
        Ok(sink)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts spans and stores what they came to, in one transaction. Blocks.
    pub fn write(&self, batches: Vec<(DecodedSpans, InputKind)>) -> Result<Vec<SpanCounts>> {
        self.write_with(batches, |_, _| Ok(()))
    }

    /// The same, with something else to be written in that transaction.
    pub fn write_with(
        &self,
        batches: Vec<(DecodedSpans, InputKind)>,
        also: impl FnOnce(&Tx<'_>, Timestamp) -> Result<()>,
    ) -> Result<Vec<SpanCounts>> {
        let mut state = self.state();
        self.turn(&mut state)?;
        self.catch_up(&mut state)?;
        let State { turn: Some(turn), counter: Some(counter), .. } = &mut *state else {
            return Err(Error::internal("spans without a turn"));
        };
        let now = self.clock.now();
        let ingester = &mut counter.ingester;
        let mut accepted = Vec::with_capacity(batches.len());
        for (decoded, input) in batches {
            let (n_spans, n_rejected) = (decoded.spans.len() as u64, decoded.n_rejected);
            let n_new = ingester.absorb(decoded, input, now);
            accepted.push(SpanCounts { n_new, n_duplicates: n_spans - n_new, n_rejected });
        }
        let batch = ingester.take_batch();
        let written = turn.queue.write(|tx| {
            let row = if batch.is_empty() { None } else { runtime::apply(tx, &batch, now)? };
            also(tx, now)?;
            Ok(row)
        });
        match written {
            Ok(row) => {
                counter.row = row.unwrap_or(counter.row);
                Ok(accepted)
            }
            Err(error) => {
                // What was counted in memory is not stored: begin again from what is.
                state.counter = None;
                state.turn = None;
                Err(error)
            }
        }
    }

    /// Gives the lock up until there is something to be stored again.
    pub fn rest(&self) {
        self.state().turn = None;
    }

    /// Removes what was not seen for ninety days.
    pub fn collect(&self) -> Result<CleanupCounts> {
        let mut state = self.state();
        self.turn(&mut state)?;
        let Some(turn) = &state.turn else { return Err(Error::internal("no turn")) };
        let now = self.clock.now();
        let collected = turn.queue.write(|tx| runtime::collect(tx, now));
        if collected.is_err() {
            state.turn = None;
        }
        collected
    }

    /// Takes the lock, unless it is held and its time is not over.
    fn turn(&self, state: &mut State) -> Result<()> {
        let now = self.clock.now();
        if let Some(turn) = &state.turn {
            let is_same = identity(&self.path) == Some(turn.file);
            if now.since(turn.since) < TURN && is_same {
                return Ok(());
            }
            state.turn = None;
            std::thread::sleep(PAUSE);
        }
        if state.had_database && identity(&self.path).is_none() {
            // One that was there and is gone is not made anew for some spans.
            return Err(Error::new(ErrorCode::NotIndexed, "the database is gone")
                .suggest("restore it, or start again"));
        }
        let queue = self.queue()?;
        state.had_database = true;
        let file = identity(&self.path)
            .ok_or_else(|| Error::new(ErrorCode::DbError, "the database is gone"))?;
        state.turn = Some(Turn { queue, since: self.clock.now(), file, is_caught_up: false });
        Ok(())
    }

    /// The queue, when others who have spans have had their turn.
    fn queue(&self) -> Result<WriteQueue> {
        let open = || {
            let clock = Arc::clone(&self.clock);
            let (lane, owner) = (Lane::Traces, self.owner.as_str());
            let request = LockRequest { lane, owner, brief: None, force: false };
            WriteQueue::open_as(&self.path, request, clock)
        };
        for _ in 0..MOST_LOOKS {
            match open() {
                Err(error) if error.code() == ErrorCode::Locked => std::thread::sleep(LOOK),
                opened => return opened,
            }
        }
        open()
    }

    /// Learns of spans that others counted since, and now and then of new routes.
    fn catch_up(&self, state: &mut State) -> Result<()> {
        let Some(turn) = &mut state.turn else { return Ok(()) };
        let now = self.clock.now();
        let known = state.counter.take().filter(|counter| counter.file == turn.file);
        let mut counter = known.unwrap_or_else(|| {
            let routes = Arc::clone(&self.routes);
            let ingester = Ingester::new(self.limits, Box::new(move |service| routes(service)));
            SpanCounter { ingester, routes_at: now, file: turn.file, row: 0 }
        });
        if !turn.is_caught_up {
            let seen = runtime::seen_since(&turn.queue.reader()?, counter.row)?;
            counter.ingester.remember(seen.keys);
            counter.row = seen.last;
            turn.is_caught_up = true;
        }
        if now.since(counter.routes_at) >= ROUTES_KEPT {
            counter.ingester.forget_routes();
            counter.routes_at = now;
        }
        state.counter = Some(counter);
        Ok(())
    }
}

/// Removes what was not seen for ninety days, whoever receives.
pub fn collect(path: &Path, owner: &str, clock: Arc<dyn Clock>) -> Result<CleanupCounts> {
    TraceSink::new(path, owner, clock, Arc::new(|_: &str| Vec::new())).collect()
}

/// Notes which repositories services are of, as somebody says.
pub fn assign(
    path: &Path,
    owner: &str,
    clock: Arc<dyn Clock>,
    services: &[(String, RepoId)],
) -> Result<()> {
    let sink = TraceSink::new(path, owner, clock, Arc::new(|_: &str| Vec::new()));
    sink.write_with(Vec::new(), |tx, now| {
        services.iter().try_for_each(|(name, repo)| runtime::assign_repo(tx, name, *repo, now))
    })
    .map(drop)
}

fn identity(path: &Path) -> Option<FileIdentity> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}
