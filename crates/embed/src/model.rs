//! The model as others use it: text in, vector out.

use crate::builtin;
use crate::forward::Forward;
use crate::kernel::Arithmetic;
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;
use crate::{DIMS, MAX_TOKENS};
use ::model::{Error, ErrorCode, Result};
use std::sync::OnceLock;

/// The model and its vocabulary, shared by all threads.
pub struct Model {
    weights: Weights,
    tokenizer: Tokenizer,
}

impl Model {
    /// The model that comes with lore. The first call prepares it, which takes
    /// about a millisecond; the weights themselves are brought in when used.
    pub fn builtin() -> Result<&'static Model> {
        static BUILTIN: OnceLock<Result<Model>> = OnceLock::new();
        let built = BUILTIN.get_or_init(|| Model::read(builtin::GTE_SMALL));
        built.as_ref().map_err(|error| {
            Error::new(ErrorCode::EmbeddingFailed, error.to_string()).suggest("install lore again")
        })
    }

    fn read(file: &'static [u8]) -> Result<Model> {
        let weights = Weights::read(file)?;
        let tokenizer = Tokenizer::new(weights.vocabulary, weights.n_pieces())?;
        Ok(Model { weights, tokenizer })
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The vector of one text, of length 1. For many texts take an
    /// [`Embedder`], which keeps its buffers.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.embedder().embed(text)
    }

    /// What one thread needs to embed many texts, about 4 MB.
    pub fn embedder(&self) -> Embedder<'_> {
        self.embedder_with(Arithmetic::best())
    }

    /// The same with arithmetic that was chosen; the vectors are the same to
    /// the bit. What this processor cannot do is done plainly.
    pub fn embedder_with(&self, arithmetic: Arithmetic) -> Embedder<'_> {
        Embedder { model: self, engine: arithmetic.engine_or_plain() }
    }
}

/// Buffers for one thread that embeds.
pub struct Embedder<'a> {
    model: &'a Model,
    engine: Box<dyn Forward>,
}

impl Embedder<'_> {
    /// The vector of a text, of length 1. What lies behind [`MAX_TOKENS`] is
    /// not read.
    pub fn embed(&mut self, text: &str) -> Vec<f32> {
        let ids = self.model.tokenizer.encode_up_to(text, MAX_TOKENS - 2);
        self.embed_tokens(&ids)
    }

    /// The vector of pieces as [`Tokenizer::encode`] gives them, without the
    /// marks of start and end.
    pub fn embed_tokens(&mut self, ids: &[u32]) -> Vec<f32> {
        let tokenizer = &self.model.tokenizer;
        let body = &ids[..ids.len().min(MAX_TOKENS - 2)];
        let mut framed = Vec::with_capacity(body.len() + 2);
        framed.push(tokenizer.start());
        framed.extend(body.iter().map(|id| tokenizer.known(*id)));
        framed.push(tokenizer.end());
        let vector: [f32; DIMS] = self.engine.vector(&self.model.weights, &framed);
        vector.to_vec()
    }
}
