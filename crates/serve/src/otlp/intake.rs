//! The queue between those who receive and the one who stores.

use model::runtime::InputKind;
use model::{Error, Result};
use pipeline::traces::{SpanCounts, TraceSink};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use traces::decode::DecodedSpans;

/// What all senders together may use.
#[derive(Debug, Clone, Copy)]
pub struct SpanQueueLimits {
    /// Requests that wait to be stored.
    pub queue: usize,
    /// Requests that are read at once.
    pub requests: usize,
    /// Of one request, as sent …
    pub body_bytes: usize,
    /// … and unpacked.
    pub unpacked_bytes: usize,
    /// Spans stored in one transaction.
    pub batch: usize,
}

impl SpanQueueLimits {
    pub const DEFAULT: SpanQueueLimits = SpanQueueLimits {
        queue: 64,
        requests: 32,
        body_bytes: 16 << 20,
        unpacked_bytes: 32 << 20,
        batch: 20_000,
    };
}

/// A receiver that got nothing for so long gives up the lock.
const IDLE: Duration = Duration::from_millis(200);

/// Why a request was not stored.
#[derive(Debug)]
pub enum Refusal {
    /// Too much waits already: try again.
    Full,
    /// The database could not be written: try again.
    Unwritten(String),
}

struct Job {
    decoded: DecodedSpans,
    input: InputKind,
    reply: oneshot::Sender<std::result::Result<SpanCounts, String>>,
}

/// The receiving end of the queue.
#[derive(Clone)]
pub struct SpanQueue {
    jobs: mpsc::Sender<Job>,
}

impl SpanQueue {
    /// Starts the thread that stores; it ends when the last intake is dropped and
    /// what waits is stored. Called on a runtime, whose timer it uses.
    pub fn start(
        sink: Arc<TraceSink>,
        limits: SpanQueueLimits,
    ) -> Result<(SpanQueue, JoinHandle<()>)> {
        let (jobs, waiting) = mpsc::channel(limits.queue.max(1));
        let runtime = Handle::current();
        let thread = std::thread::Builder::new()
            .name("lore-traces".to_owned())
            .spawn(move || store(&sink, waiting, limits.batch, &runtime))
            .map_err(|error| Error::internal("starting the thread for traces").caused_by(error))?;
        Ok((SpanQueue { jobs }, thread))
    }

    /// Hands over spans, and waits until they are stored.
    pub async fn take(
        &self,
        decoded: DecodedSpans,
        input: InputKind,
    ) -> std::result::Result<SpanCounts, Refusal> {
        let (reply, stored) = oneshot::channel();
        self.jobs.try_send(Job { decoded, input, reply }).map_err(|_| Refusal::Full)?;
        match stored.await {
            Ok(outcome) => outcome.map_err(Refusal::Unwritten),
            Err(_) => Err(Refusal::Full),
        }
    }
}

/// The next request. When none comes for a moment, others who have spans get a turn.
fn next(sink: &TraceSink, waiting: &mut mpsc::Receiver<Job>, runtime: &Handle) -> Option<Job> {
    let soon = runtime.block_on(async { tokio::time::timeout(IDLE, waiting.recv()).await });
    soon.unwrap_or_else(|_| {
        sink.rest();
        waiting.blocking_recv()
    })
}

/// Stores what waits, as much as fits together.
fn store(sink: &TraceSink, mut waiting: mpsc::Receiver<Job>, most: usize, runtime: &Handle) {
    while let Some(first) = next(sink, &mut waiting, runtime) {
        let mut n_spans = first.decoded.spans.len();
        let mut batches = vec![(first.decoded, first.input)];
        let mut replies = vec![first.reply];
        while n_spans < most
            && let Ok(next) = waiting.try_recv()
        {
            n_spans += next.decoded.spans.len();
            batches.push((next.decoded, next.input));
            replies.push(next.reply);
        }
        match sink.write(batches) {
            Ok(accepted) => {
                for (reply, accepted) in replies.into_iter().zip(accepted) {
                    let _ = reply.send(Ok(accepted));
                }
            }
            Err(error) => {
                for reply in replies {
                    let _ = reply.send(Err(error.message().to_owned()));
                }
            }
        }
    }
}
