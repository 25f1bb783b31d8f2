//! Keeping the vectors level with the documents: newest first, a few documents
//! at a time, so that it can stop after any of them and go on later.

use super::{Provider, chunk};
use model::hash::Hash32;
use model::{Clock, Error, ErrorCode, Progress, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::embeddings::{self, Chunk, Pending};
use store::lock::{self, AppLock};
use store::vectors::Space;
use store::{Writer, codes};

/// Texts given to the provider at once: enough to keep all cores busy, few
/// enough that stopping does not take long.
const BATCH: usize = 64;

/// After so many texts it is looked whether the centre of the vectors is known.
const SETTLE_EVERY: u64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EmbedOptions {
    /// Forget all vectors first.
    pub full: bool,
    /// Also what failed before and has not changed since.
    pub retry_failed: bool,
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

/// A run. Whoever has one holds the lock.
pub struct Embedding<'a> {
    pub writer: &'a mut Writer,
    pub lock: &'a AppLock,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    pub provider: &'a dyn Provider,
    /// Asked between transactions.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// A document whose pieces are known.
struct Prepared {
    pending: Pending,
    chunks: Vec<(std::ops::Range<usize>, Hash32)>,
}

impl Embedding<'_> {
    pub fn run(&mut self, options: EmbedOptions) -> Result<EmbedReport> {
        let space = self.provider.space();
        if options.full {
            self.writer.write(embeddings::clear)?;
        }
        let n_waiting = embeddings::count_pending(self.writer, &space, options.retry_failed)?;
        let mut report = EmbedReport { model: space.model.clone(), ..EmbedReport::default() };
        if n_waiting == 0 {
            self.settle(&space)?;
            return Ok(report);
        }
        self.provider.check()?;
        self.progress.phase("embedding", Some(n_waiting));
        let outcome = self.all(&space, options, &mut report);
        self.progress.finish();
        outcome?;
        self.writer.write(embeddings::sweep)?;
        self.settle(&space)?;
        report.left = embeddings::count_pending(self.writer, &space, false)?;
        Ok(report)
    }

    fn all(
        &mut self,
        space: &Space,
        options: EmbedOptions,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let mut last: Option<Pending> = None;
        let mut last_sign = self.clock.now();
        let mut settled_at = report.texts;
        while options.most_texts.is_none_or(|most| (report.texts as usize) < most) {
            self.check_stopped()?;
            let page = embeddings::pending(
                self.writer,
                space,
                options.retry_failed,
                last.as_ref(),
                BATCH / 2,
            )?;
            let Some(end) = page.last() else { break };
            last = Some(end.clone());
            self.page(space, page, report)?;
            // Others search meanwhile, and codes around a centre are far better.
            if report.texts - settled_at >= SETTLE_EVERY {
                settled_at = report.texts;
                self.settle(space)?;
            }
            if self.clock.now().since(last_sign) > lock::HEARTBEAT {
                last_sign = self.clock.now();
                self.lock.heartbeat(self.writer, self.clock)?;
            }
        }
        Ok(())
    }

    /// Makes the codes fit where the vectors lie, if that is worth it by now.
    fn settle(&mut self, space: &Space) -> Result<()> {
        if !codes::is_unsettled(self.writer, space)? {
            return Ok(());
        }
        let lock = self.lock;
        self.writer.write(|tx| {
            lock.check(tx)?;
            codes::settle(tx, space)
        })
    }

    fn page(&mut self, space: &Space, page: Vec<Pending>, report: &mut EmbedReport) -> Result<()> {
        let mut prepared = Vec::new();
        let mut vectors: BTreeMap<Hash32, Result<Vec<f32>>> = BTreeMap::new();
        let mut texts: BTreeMap<Hash32, String> = BTreeMap::new();
        for pending in page {
            let Some((title, text)) = embeddings::text(self.writer, pending.document)? else {
                continue;
            };
            let known = embeddings::known_vectors(self.writer, space, pending.document)?;
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
        &mut self,
        space: &Space,
        prepared: Vec<Prepared>,
        vectors: &BTreeMap<Hash32, Result<Vec<f32>>>,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let now: Timestamp = self.clock.now();
        let lock = self.lock;
        let n_documents = prepared.len() as u64;
        let n_failed = self.writer.write(|tx| {
            lock.check(tx)?;
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
        if (self.is_stopped)() {
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
