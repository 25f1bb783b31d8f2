//! Embedding as work in the background: in slices, between which the lock is
//! free, so that an index or a sync waits for one slice and not for all texts.

use crate::plan::EmbedPlan;
use crate::run::{Database, RunControl};
use model::progress::NoProgress;
use model::{CancelToken, Clock, Error, ErrorCode, Result};
use search::embedding::{EmbedOptions, EmbedReport, Embedding, Provider, SLICE};
use std::sync::Arc;
use std::time::Duration;
use store::WriteQueue;
use store::embeddings::PendingDocument;
use store::lock::BriefWork;

/// Between two slices, and between two looks at a lock that another run has.
const PAUSE: Duration = Duration::from_millis(200);
/// Texts under one lock: at first, and at most.
const FIRST: usize = SLICE / 2;
const MOST: usize = SLICE * 4;
/// How long the lock may be held at a stretch; who waits for it gives up after a minute.
/// Texts of a length take a hundred times as long on a busy machine as on a quiet one.
const STRETCH: Duration = Duration::from_secs(4);
/// Texts of records that whoever wrote one waits for.
const RECORDS: usize = 32;

/// Embeds what waits. Fails when another run is at work at the start, waits for
/// those that come later.
pub fn embed_in_slices(
    plan: EmbedPlan,
    database: &Database,
    control: &RunControl,
) -> Result<Option<EmbedReport>> {
    let EmbedPlan { provider, options, .. } = plan;
    let Some(provider) = provider? else { return Ok(None) };
    let slices = Slices { provider: &*provider, database, control };
    let (waiting, mut report) =
        slices.with(slices.opened()?, |it| Ok((it.waiting(options)?, it.report())))?;
    control.progress.phase("embedding", Some(waiting.len() as u64));
    let outcome = slices.all(&waiting, options, &mut report);
    control.progress.finish();
    outcome?;
    slices.with(slices.reopened()?, |it| it.finish(&mut report))?;
    Ok(Some(report))
}

struct Slices<'a> {
    provider: &'a dyn Provider,
    database: &'a Database,
    control: &'a RunControl,
}

impl Slices<'_> {
    /// All that waits, as much at a time as takes a few seconds.
    fn all(
        &self,
        waiting: &[PendingDocument],
        options: EmbedOptions,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let (mut rest, mut n) = (waiting, FIRST);
        while !rest.is_empty() && !options.has_enough(report) {
            let slice;
            (slice, rest) = rest.split_at(n.min(rest.len()));
            let queue = self.reopened()?;
            let started = self.control.clock.now();
            self.with(queue, |it| it.slice(slice, options, report))?;
            n = next_length(n, self.control.clock.now().since(started));
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn with<T>(
        &self,
        queue: Arc<WriteQueue>,
        work: impl FnOnce(&Embedding<'_>) -> Result<T>,
    ) -> Result<T> {
        let outcome = work(&Embedding {
            queue: &queue,
            clock: &*self.control.clock,
            progress: &*self.control.progress,
            provider: self.provider,
            cancel: &self.control.cancel,
        });
        let closed = queue.close();
        let value = outcome?;
        closed?;
        Ok(value)
    }

    fn opened(&self) -> Result<Arc<WriteQueue>> {
        self.database.open_for(Some(BriefWork::Embed), &self.control.clock)
    }

    /// The queue again, when whoever came in between has finished.
    fn reopened(&self) -> Result<Arc<WriteQueue>> {
        loop {
            match self.opened() {
                Err(error) if error.code() == ErrorCode::Locked => {
                    if self.control.cancel.is_cancelled() {
                        return Err(Error::new(ErrorCode::Interrupted, "interrupted")
                            .suggest("run `lore embed`; it goes on where this one stopped"));
                    }
                    std::thread::sleep(PAUSE);
                }
                outcome => return outcome,
            }
        }
    }
}

/// How many texts the next slice has, after one of `n` took so long.
fn next_length(n: usize, took: Duration) -> usize {
    if took > STRETCH {
        // What took far too long must not be tried a dozen times more.
        let fitting = n as f64 * STRETCH.as_secs_f64() / took.as_secs_f64();
        (fitting as usize).clamp(1, MOST)
    } else if took < STRETCH / 2 {
        (n * 2).min(MOST)
    } else {
        n
    }
}

/// Embeds records of memory that were just written, if nobody else is writing:
/// else whoever embeds next does it.
pub fn embed_records(
    provider: &dyn Provider,
    database: &Database,
    clock: &Arc<dyn Clock>,
) -> Result<EmbedReport> {
    let queue = WriteQueue::open(&database.path, &database.owner, Arc::clone(clock), false)?;
    let options =
        EmbedOptions { only_records: true, most_texts: Some(RECORDS), ..EmbedOptions::default() };
    let outcome = Embedding {
        queue: &queue,
        clock: &**clock,
        progress: &NoProgress,
        provider,
        cancel: &CancelToken::default(),
    }
    .run(options);
    let closed = queue.close();
    let report = outcome?;
    closed?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever waits for the lock gives up after a minute.
    #[test]
    fn a_slow_machine_gets_short_slices() {
        let seconds = Duration::from_secs;
        assert_eq!(next_length(FIRST, seconds(1)), 2 * FIRST);
        assert_eq!(next_length(MOST, seconds(1)), MOST);
        assert_eq!(next_length(64, seconds(3)), 64);
        // Three seconds for each text.
        let mut n = MOST;
        for _ in 0..3 {
            n = next_length(n, seconds(3 * n as u64));
        }
        assert_eq!(n, 1);
        assert_eq!(next_length(1, seconds(100)), 1);
    }
}
