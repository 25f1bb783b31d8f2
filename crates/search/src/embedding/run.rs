//! Keeping the vectors level with the documents: what is asked for most first, a
//! few documents at a time, so that it can stop after any of them and go on later.

use super::{Provider, chunk};
use model::hash::Hash32;
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::embeddings::{self, Chunk, PendingDocument, PendingFilter};
use store::vectors::EmbeddingSpace;
use store::{Reader, WriteQueue, binary_codes};

/// Texts given to the provider at once: enough to keep all cores busy, few
/// enough that stopping does not take long.
const BATCH: usize = 64;

/// Documents embedded before it is asked whether that is enough, or others wait.
pub const SLICE: usize = BATCH / 2;

/// After so many texts it is looked whether the centre of the vectors is known.
const SETTLE_EVERY: u64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmbedOptions {
    /// Forget all vectors first.
    pub full: bool,
    /// Also what failed before and has not changed since.
    pub retry_failed: bool,
    /// Only records of memory.
    pub only_records: bool,
    /// Stop after about so many texts.
    pub most_texts: Option<usize>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct EmbedReport {
    pub model: String,
    /// Documents that have vectors now and had none, or outdated ones.
    pub embedded: u64,
    /// Texts the model read; long documents are read in several.
    pub texts: u64,
    /// Texts that had not changed and kept their vector.
    pub reused: u64,
    pub failed: u64,
    /// Documents that still wait.
    pub left: u64,
}

/// A run over the documents without vectors.
pub struct Embedding<'a> {
    pub queue: &'a WriteQueue,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    pub provider: &'a dyn Provider,
    /// Asked between transactions.
    pub cancel: &'a CancelToken,
}

impl EmbedOptions {
    /// Whether a run has read as many texts as it may.
    pub fn has_enough(self, report: &EmbedReport) -> bool {
        self.most_texts.is_some_and(|most| report.texts as usize >= most)
    }
}

/// A document whose pieces are known.
struct Prepared {
    pending: PendingDocument,
    chunks: Vec<(std::ops::Range<usize>, Hash32)>,
}

impl Embedding<'_> {
    /// All that waits, without giving the queue out of the hand.
    pub fn run(&self, options: EmbedOptions) -> Result<EmbedReport> {
        let waiting = self.waiting(options)?;
        let mut report = self.report();
        if !waiting.is_empty() {
            self.progress.phase("embedding", Some(waiting.len() as u64));
            let mut slices = waiting.chunks(SLICE);
            let outcome = slices.try_for_each(|slice| self.slice(slice, options, &mut report));
            self.progress.finish();
            outcome?;
        }
        self.finish(&mut report)?;
        Ok(report)
    }

    pub fn report(&self) -> EmbedReport {
        EmbedReport { model: self.provider.space().model, ..EmbedReport::default() }
    }

    /// What there is to do, most wanted first.
    pub fn waiting(&self, options: EmbedOptions) -> Result<Vec<PendingDocument>> {
        if options.full {
            self.queue.write(embeddings::clear)?;
        }
        let EmbedOptions { retry_failed, only_records, .. } = options;
        let filter = PendingFilter { with_failed: retry_failed, only_records };
        let waiting = embeddings::pending(&self.queue.reader()?, &self.provider.space(), filter)?;
        if !waiting.is_empty() {
            self.provider.check()?;
        }
        Ok(waiting)
    }

    /// Embeds some of what waits, as long as the run has not read as many texts as it may.
    pub fn slice(
        &self,
        waiting: &[PendingDocument],
        options: EmbedOptions,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let reader = &self.queue.reader()?;
        let space = self.provider.space();
        for page in waiting.chunks(BATCH / 2) {
            if options.has_enough(report) {
                break;
            }
            self.check_stopped()?;
            let n_before = report.texts;
            self.page(reader, &space, page.to_vec(), report)?;
            // Others search meanwhile, and codes around a centre are far better.
            if n_before / SETTLE_EVERY != report.texts / SETTLE_EVERY {
                self.settle(reader, &space)?;
            }
        }
        Ok(())
    }

    /// Puts in order what slices left behind, and counts what still waits.
    pub fn finish(&self, report: &mut EmbedReport) -> Result<()> {
        let (reader, space) = (&self.queue.reader()?, self.provider.space());
        if report.embedded + report.failed > 0 {
            self.queue.write(embeddings::sweep)?;
        }
        self.settle(reader, &space)?;
        report.left = embeddings::count_pending(reader, &space, false)?;
        Ok(())
    }

    /// Makes the codes fit where the vectors lie, if that is worth it by now.
    fn settle(&self, reader: &Reader, space: &EmbeddingSpace) -> Result<()> {
        if !binary_codes::is_unsettled(reader, space)? {
            return Ok(());
        }
        self.queue.write(|tx| binary_codes::recompute_centroid(tx, space))
    }

    fn page(
        &self,
        reader: &Reader,
        space: &EmbeddingSpace,
        page: Vec<PendingDocument>,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let mut prepared = Vec::new();
        let mut vectors: BTreeMap<Hash32, Result<Vec<f32>>> = BTreeMap::new();
        let mut texts: BTreeMap<Hash32, String> = BTreeMap::new();
        for pending in page {
            let Some((title, text)) = embeddings::text(reader, pending.document)? else {
                continue;
            };
            let known = embeddings::known_vectors(reader, space, pending.document)?;
            let mut chunks = Vec::new();
            for piece in chunk(&title, &text, self.provider) {
                let hash = Hash32::of(piece.text.as_bytes());
                match known.get(&hash) {
                    Some(vector) => {
                        report.reused += 1;
                        vectors.insert(hash, Ok(vector.clone()));
                    }
                    None => {
                        texts.insert(hash, piece.text);
                    }
                }
                chunks.push((piece.range, hash));
            }
            prepared.push(Prepared { pending, chunks });
            if texts.len() >= BATCH {
                self.embed(std::mem::take(&mut texts), &mut vectors, report)?;
                self.store(space, std::mem::take(&mut prepared), &vectors, report)?;
                vectors.clear();
                self.check_stopped()?;
            }
        }
        self.embed(texts, &mut vectors, report)?;
        self.store(space, prepared, &vectors, report)
    }

    fn embed(
        &self,
        texts: BTreeMap<Hash32, String>,
        vectors: &mut BTreeMap<Hash32, Result<Vec<f32>>>,
        report: &mut EmbedReport,
    ) -> Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let (hashes, texts): (Vec<Hash32>, Vec<String>) = texts.into_iter().unzip();
        report.texts += texts.len() as u64;
        let made = self.provider.embed_documents(&texts)?;
        vectors.extend(hashes.into_iter().zip(made));
        Ok(())
    }

    /// One transaction, in which each document stands or falls alone.
    fn store(
        &self,
        space: &EmbeddingSpace,
        prepared: Vec<Prepared>,
        vectors: &BTreeMap<Hash32, Result<Vec<f32>>>,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let now: Timestamp = self.clock.now();
        let n_documents = prepared.len() as u64;
        let n_failed = self.queue.write(|tx| {
            let mut n_failed = 0;
            for document in &prepared {
                let outcome = match complete(document, vectors) {
                    Ok(chunks) => tx.attempt(|| {
                        embeddings::replace(tx, space, &document.pending, &chunks, now)
                    })?,
                    Err(error) => Err(error),
                };
                if let Err(error) = outcome {
                    n_failed += 1;
                    embeddings::fail(tx, space, &document.pending, error.message(), now)?;
                }
            }
            Ok(n_failed)
        })?;
        report.failed += n_failed;
        report.embedded += n_documents - n_failed;
        self.progress.advance(n_documents);
        Ok(())
    }

    fn check_stopped(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::new(ErrorCode::Interrupted, "interrupted")
                .suggest("run `lore embed`; it goes on where this one stopped"));
        }
        Ok(())
    }
}

/// All chunks of a document with their vectors, or the first failure.
fn complete(
    document: &Prepared,
    vectors: &BTreeMap<Hash32, Result<Vec<f32>>>,
) -> Result<Vec<Chunk>> {
    let chunk = |(range, hash): &(std::ops::Range<usize>, Hash32)| match vectors.get(hash) {
        Some(Ok(vector)) => {
            Ok(Chunk { start: range.start, end: range.end, hash: *hash, vector: vector.clone() })
        }
        Some(Err(error)) => Err(Error::new(error.code(), error.message())),
        None => Err(Error::internal("a text was not given to the model")),
    };
    document.chunks.iter().map(chunk).collect()
}
