//! From text to vectors: who makes them, how texts are cut for it, and keeping
//! the vectors of all documents level with their texts.

mod builtin;
mod chunks;
mod ollama;
mod run;
mod settings;

pub use builtin::Builtin;
pub use chunks::{CHUNKING, ChunkText, chunk};
pub use ollama::Ollama;
pub use run::{EmbedOptions, EmbedReport, Embedding, SLICE};
pub use settings::{Kind, Settings, open};

use model::Result;
use std::ops::Range;
use store::vectors::EmbeddingSpace;

/// Turns text into vectors of length one.
pub trait Provider: Send + Sync {
    /// The model and its dimensions; vectors of two spaces are never compared.
    fn space(&self) -> EmbeddingSpace;

    /// Tokens of one text the model reads; what comes after is lost.
    fn max_tokens(&self) -> usize;

    /// Where the tokens of a text lie, in bytes, in order; an estimate must
    /// rather be too many than too few.
    fn tokens(&self, text: &str) -> Vec<Range<usize>>;

    /// Whether the model can make sense of a word it is shown alone; true when
    /// that cannot be told.
    fn reads(&self, word: &str) -> bool {
        let _ = word;
        true
    }

    /// Whether it answers within milliseconds, without asking anybody.
    fn is_at_hand(&self) -> bool {
        false
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>>;

    /// A vector, or why there is none, for each of the texts. An error of the
    /// whole says that it is of no use to try others now.
    fn embed_documents(&self, texts: &[String]) -> Result<Vec<Result<Vec<f32>>>>;

    /// Whether it can be used, before long work or for `lore doctor`.
    fn check(&self) -> Result<String>;
}
