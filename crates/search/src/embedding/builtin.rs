//! The model that is part of lore: no server, no download.

use super::{CHUNKING, Provider};
use embed::Model;
use model::{Error, Result};
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::vectors::EmbeddingSpace;

/// The marks of start and end that every text gets.
const MARKS: usize = 2;
/// Of how many pieces of the vocabulary a word may be that the model can read.
const MOST_PIECES: usize = 2;
/// How much politer than other programs.
#[cfg(unix)]
const NICENESS: i32 = 10;

/// Its weights are touched when the first text is read.
#[derive(Debug, Default)]
pub struct Builtin;

impl Provider for Builtin {
    fn space(&self) -> EmbeddingSpace {
        EmbeddingSpace { model: embed::MODEL_ID.to_owned(), dims: embed::DIMS, chunking: CHUNKING }
    }

    fn max_tokens(&self) -> usize {
        embed::MAX_TOKENS - MARKS
    }

    fn tokens(&self, text: &str) -> Vec<Range<usize>> {
        // Whoever cuts texts is about to have them read, and is told then.
        let Ok(model) = Model::builtin() else { return Vec::new() };
        model.tokenizer().encode_with_offsets(text).into_iter().map(|(_, range)| range).collect()
    }

    /// A word of its vocabulary, or made of two of its pieces; what falls into
    /// more is letters to it.
    fn reads(&self, word: &str) -> bool {
        Model::builtin().is_ok_and(|model| model.tokenizer().count(word) <= MOST_PIECES)
    }

    fn is_at_hand(&self) -> bool {
        true
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        Ok(Model::builtin()?.embed(text))
    }

    fn embed_documents(&self, texts: &[String]) -> Result<Vec<Result<Vec<f32>>>> {
        let model = Model::builtin()?;
        let n_threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let next = AtomicUsize::new(0);
        let work = || {
            be_polite();
            let mut embedder = model.embedder();
            let mut made = Vec::new();
            while let Some((index, text)) = take(&next, texts) {
                made.push((index, embedder.embed(text)));
            }
            made
        };
        let mut vectors: Vec<Option<Vec<f32>>> = texts.iter().map(|_| None).collect();
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..n_threads.min(texts.len())).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                for (index, vector) in worker.join().unwrap_or_default() {
                    vectors[index] = Some(vector);
                }
            }
        });
        let lost = || Error::internal("the model ended early");
        Ok(vectors.into_iter().map(|vector| vector.ok_or_else(lost)).collect())
    }

    fn check(&self) -> Result<String> {
        Model::builtin()?;
        Ok(format!("{}, built in", embed::MODEL_ID))
    }
}

fn take<'a>(next: &AtomicUsize, texts: &'a [String]) -> Option<(usize, &'a String)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    texts.get(index).map(|text| (index, text))
}

/// Lowers the priority of this thread alone; without the right to, it works on
/// as it is.
fn be_polite() {
    #[cfg(unix)]
    let _ = rustix::process::nice(NICENESS);
}
