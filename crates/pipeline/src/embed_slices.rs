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
use store::lock::BriefWork;

/// Between two slices, and between two looks at a lock that another run has.
const PAUSE: Duration = Duration::from_millis(200);
/// Slices under one lock.
const SLICES: usize = 4;
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
    let outcome: Result<()> = waiting.chunks(SLICE * SLICES).try_for_each(|slice| {
        if options.has_enough(&report) {
            return Ok(());
        }
        slices.with(slices.reopened()?, |it| it.slice(slice, options, &mut report))?;
        std::thread::sleep(PAUSE);
        Ok(())
    });
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
