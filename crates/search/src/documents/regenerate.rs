//! Keeping documents level with their sources, from a queue.

use super::source;
use model::{Clock, Error, ErrorCode, Progress, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::dirty::{self, DirtySource, SourceType};
use store::documents::{self, Stored};
use store::lock::{self, AppLock};
use store::{Tx, Writer};

/// Sources per transaction: large enough that the index is written in good
/// pieces, small enough that others get their turn.
const BATCH: usize = 500;
/// Sources queued per transaction by `--full`.
const PAGE: usize = 5_000;

/// What making documents did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct DocumentReport {
    pub new: u64,
    pub changed: u64,
    pub unchanged: u64,
    pub removed: u64,
    pub failed: u64,
    /// Left in the queue for later, those that failed included.
    pub waiting: u64,
}

/// A run over the queue. Whoever has one holds the lock.
pub struct Regeneration<'a> {
    pub writer: &'a mut Writer,
    pub lock: &'a AppLock,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    /// Asked between transactions.
    pub is_stopped: &'a dyn Fn() -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Stored(Stored),
    Removed,
    /// There was no document, and there is none now.
    Absent,
}

impl Regeneration<'_> {
    /// Makes the documents of all sources that are due. With `full`, all
    /// sources are made due first.
    pub fn run(&mut self, full: bool) -> Result<DocumentReport> {
        let now = self.clock.now();
        if full {
            self.queue_all(now)?;
        }
        let mut report = DocumentReport::default();
        let mut last_sign = now;
        self.progress.phase("documents", Some(dirty::count(self.writer)?));
        for source in SourceType::ALL {
            loop {
                let batch = dirty::due(self.writer, source, now, BATCH)?;
                if batch.is_empty() {
                    break;
                }
                self.check_stopped()?;
                self.make(&batch, now, &mut report)?;
                self.progress.advance(batch.len() as u64);
                if self.clock.now().since(last_sign) > lock::HEARTBEAT {
                    last_sign = self.clock.now();
                    self.lock.heartbeat(self.writer, self.clock)?;
                }
            }
        }
        self.progress.finish();
        report.waiting = dirty::count(self.writer)?;
        Ok(report)
    }

    fn queue_all(&mut self, now: Timestamp) -> Result<()> {
        self.writer.write(|tx| dirty::mark_orphans(tx, now))?;
        for source in SourceType::ALL {
            let mut after = 0;
            loop {
                self.check_stopped()?;
                let page = self.writer.write(|tx| {
                    self.lock.check(tx)?;
                    dirty::mark_page(tx, source, after, PAGE, now)
                })?;
                match page {
                    Some(last) => after = last,
                    None => break,
                }
            }
        }
        Ok(())
    }

    fn check_stopped(&self) -> Result<()> {
        if (self.is_stopped)() {
            return Err(Error::new(ErrorCode::Interrupted, "interrupted")
                .suggest("run `lore generate-docs`; it goes on where this one stopped"));
        }
        Ok(())
    }

    /// One transaction, in which each source stands or falls alone.
    fn make(
        &mut self,
        batch: &[DirtySource],
        now: Timestamp,
        report: &mut DocumentReport,
    ) -> Result<()> {
        let lock = self.lock;
        let outcomes = self.writer.write(|tx| {
            lock.check(tx)?;
            batch.iter().map(|source| attempt(tx, source, now)).collect::<Result<Vec<_>>>()
        })?;
        for outcome in outcomes {
            match outcome {
                Some(Outcome::Stored(Stored::New)) => report.new += 1,
                Some(Outcome::Stored(Stored::Changed)) => report.changed += 1,
                Some(Outcome::Stored(Stored::Unchanged)) => report.unchanged += 1,
                Some(Outcome::Removed) => report.removed += 1,
                Some(Outcome::Absent) => {}
                None => report.failed += 1,
            }
        }
        Ok(())
    }
}

/// Makes the documents of these kinds that are due, at once and without the
/// lock of long runs: for a few sources that must be found by the next search.
/// Each batch is one transaction, so a run beside it loses nothing.
pub fn catch_up(writer: &mut Writer, sources: &[SourceType], now: Timestamp) -> Result<u64> {
    let mut n_made = 0;
    for source in sources {
        loop {
            let batch = dirty::due(writer, *source, now, BATCH)?;
            if batch.is_empty() {
                break;
            }
            writer.write(|tx| {
                for item in &batch {
                    attempt(tx, item, now)?;
                }
                Ok(())
            })?;
            n_made += batch.len() as u64;
        }
    }
    Ok(n_made)
}

/// None when the source failed and will be tried again.
fn attempt(tx: &Tx<'_>, source: &DirtySource, now: Timestamp) -> Result<Option<Outcome>> {
    let outcome = tx.attempt(|| {
        let outcome = follow(tx, source, now)?;
        dirty::done(tx, source)?;
        Ok(outcome)
    })?;
    match outcome {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => {
            dirty::fail(tx, source, error.message(), now)?;
            Ok(None)
        }
    }
}

fn follow(tx: &Tx<'_>, item: &DirtySource, now: Timestamp) -> Result<Outcome> {
    let Some(document) = source::document(tx, item)? else {
        let was_there = documents::remove(tx, item.source, item.id)?;
        return Ok(if was_there { Outcome::Removed } else { Outcome::Absent });
    };
    let stored = documents::store(tx, &document)?;
    // Threads carry the title and labels of their entity.
    if let (Some(row), Stored::Changed) = (source::entity_row(item), stored) {
        dirty::mark_threads(tx, row, now)?;
    }
    Ok(Outcome::Stored(stored))
}
