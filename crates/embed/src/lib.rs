//! Text to vector, in process and in pure Rust: the built-in model.
//!
//! Knows neither documents nor the store: text comes in, a vector goes out.
//! The model is gte-small (a BERT of twelve layers), its weights in eight bits
//! from `models/`, linked into the binary and touched by nobody who does not
//! embed.
//!
//! The same text gives the same bits on every machine: sums of products are
//! exact integers, and what is computed in floating point is plain Rust in one
//! fixed order, without fused operations.

#![expect(
    clippy::inline_always,
    reason = "code takes on the instructions of its caller only where it is inlined"
)]

mod aligned;
mod attention;
mod builtin;
mod forward;
mod kernel;
mod lanes;
mod model;
mod tokenizer;
mod weights;

pub use crate::kernel::Arithmetic;
pub use crate::model::{Embedder, Model};
pub use crate::tokenizer::Tokenizer;

/// The name stored with every vector; vectors of two models are never compared.
pub const MODEL_ID: &str = "gte-small-int8";

/// How many numbers a vector has.
pub const DIMS: usize = 384;

/// What the model reads of a text, its two marks of start and end included.
pub const MAX_TOKENS: usize = 256;
