//! Keeping documents level with their sources, from a queue.

use super::source::{self, Sources};
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::mpsc::sync_channel;
use store::dirty::{self, DirtySource, SourceType};
use store::documents::{self, Document, UpsertOutcome};
use store::{Reader, Tx, WriteQueue, WriteTurns};

/// Sources per transaction: large enough that the index is written in good
/// pieces, small enough that others get their turn.
const BATCH: usize = 2_000;
/// Sources queued per transaction by `--full`.
const PAGE: usize = 5_000;
/// Documents passed on together, and how often that is done ahead of storing.
const GROUP: usize = 20;
const AHEAD: usize = 5;

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

/// A run over the sources that are due.
pub struct Regeneration<'a> {
    pub queue: &'a WriteQueue,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    /// Asked between transactions.
    pub cancel: &'a CancelToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Stored(UpsertOutcome),
    Removed,
    /// There was no document, and there is none now.
    Absent,
}

impl Regeneration<'_> {
    /// Makes the documents of all sources that are due. With `full`, all
    /// sources are made due first.
    pub fn run(&self, full: bool) -> Result<DocumentReport> {
        let now = self.clock.now();
        if full {
            self.queue_all(now)?;
        }
        let mut report = DocumentReport::default();
        let mut reader = self.queue.reader()?;
        self.progress.phase("documents", Some(dirty::count(&reader)?));
        for source in SourceType::ALL {
            loop {
                let batch = dirty::due(&reader, source, now, BATCH)?;
                if batch.is_empty() {
                    break;
                }
                self.check_stopped()?;
                self.make(&batch, &mut reader, now, &mut report)?;
                self.progress.advance(batch.len() as u64);
            }
        }
        self.progress.finish();
        report.waiting = dirty::count(&reader)?;
        Ok(report)
    }

    fn queue_all(&self, now: Timestamp) -> Result<()> {
        self.queue.write(|tx| dirty::mark_orphans(tx, now))?;
        for source in SourceType::ALL {
            let mut after = 0;
            loop {
                self.check_stopped()?;
                let page = self.queue.write(|tx| dirty::mark_page(tx, source, after, PAGE, now))?;
                match page {
                    Some(last) => after = last,
                    None => break,
                }
            }
        }
        Ok(())
    }

    fn check_stopped(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::new(ErrorCode::Interrupted, "interrupted")
                .suggest("run `lore generate-docs`; it goes on where this one stopped"));
        }
        Ok(())
    }

    /// One transaction, in which each source stands or falls alone.
    fn make(
        &self,
        batch: &[DirtySource],
        reader: &mut Reader,
        now: Timestamp,
        report: &mut DocumentReport,
    ) -> Result<()> {
        let together = self.queue.write(|tx| {
            let outcomes = made_ahead(tx, reader, batch, now)?;
            documents::flush_full_text(tx)?;
            Ok(outcomes)
        });
        // For a savepoint SQLite copies every page before it changes, and hardly
        // ever does one fail: then all is undone, and each is tried in its own.
        let outcomes = together.or_else(|_| {
            self.queue.write(|tx| {
                let mut sources = Sources::new(tx);
                let each = batch.iter().map(|item| attempt(tx, &mut sources, item, now));
                let outcomes = each.collect::<Result<Vec<_>>>()?;
                documents::flush_full_text(tx)?;
                Ok(outcomes)
            })
        })?;
        for outcome in outcomes {
            match outcome {
                Some(Outcome::Stored(UpsertOutcome::New)) => report.new += 1,
                Some(Outcome::Stored(UpsertOutcome::Changed)) => report.changed += 1,
                Some(Outcome::Stored(UpsertOutcome::Unchanged)) => report.unchanged += 1,
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
pub fn process_due(
    writer: &mut impl WriteTurns,
    sources: &[SourceType],
    now: Timestamp,
) -> Result<u64> {
    let mut n_made = 0;
    for source in sources {
        loop {
            let batch = dirty::due(writer, *source, now, BATCH)?;
            if batch.is_empty() {
                break;
            }
            writer.in_turn(|tx| {
                let mut sources = Sources::new(tx);
                for item in &batch {
                    attempt(tx, &mut sources, item, now)?;
                }
                documents::flush_full_text(tx)
            })?;
            n_made += batch.len() as u64;
        }
    }
    Ok(n_made)
}

/// Stores the documents of a batch, made on another thread while those before
/// them are stored. What the reader sees is what the transaction found: nobody
/// else can write meanwhile, and sources are not changed here.
fn made_ahead(
    tx: &Tx<'_>,
    reader: &mut Reader,
    batch: &[DirtySource],
    now: Timestamp,
) -> Result<Vec<Option<Outcome>>> {
    std::thread::scope(|scope| {
        let (sender, made) = sync_channel(AHEAD);
        scope.spawn(move || {
            let mut sources = Sources::new(&*reader);
            batch.chunks(GROUP).try_for_each(|group| {
                let made: Vec<_> = group.iter().map(|item| sources.document(item)).collect();
                // Nobody listens any more when storing failed.
                sender.send(made)
            })
        });
        // The other thread sends one for each, unless it panicked; then the scope
        // passes that on.
        let stored =
            batch.iter().zip(made.into_iter().flatten()).map(|(item, document)| match document {
                Ok(document) => apply_document(tx, item, document, now).map(Some),
                Err(error) => defer(tx, item, &error, now),
            });
        stored.collect()
    })
}

/// None when the source failed and will be tried again.
fn attempt(
    tx: &Tx<'_>,
    sources: &mut Sources<'_, Tx<'_>>,
    item: &DirtySource,
    now: Timestamp,
) -> Result<Option<Outcome>> {
    match tx.attempt(|| apply_document(tx, item, sources.document(item)?, now))? {
        Ok(outcome) => Ok(Some(outcome)),
        Err(error) => defer(tx, item, &error, now),
    }
}

fn defer(
    tx: &Tx<'_>,
    item: &DirtySource,
    error: &Error,
    now: Timestamp,
) -> Result<Option<Outcome>> {
    dirty::fail(tx, item, error.message(), now)?;
    Ok(None)
}

/// Has the stored document follow its source, and takes it off the queue.
fn apply_document(
    tx: &Tx<'_>,
    item: &DirtySource,
    document: Option<Document>,
    now: Timestamp,
) -> Result<Outcome> {
    let outcome = match document {
        Some(document) => Outcome::Stored(documents::store(tx, &document)?),
        None if documents::remove(tx, item.source, item.id)? => Outcome::Removed,
        None => Outcome::Absent,
    };
    // Threads carry the title and labels of their entity.
    if let (Some(row), Outcome::Stored(UpsertOutcome::Changed)) =
        (source::entity_row(item), outcome)
    {
        dirty::mark_threads(tx, row, now)?;
    }
    dirty::done(tx, item)?;
    Ok(outcome)
}
