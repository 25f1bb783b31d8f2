//! Text to vector, in process and in pure Rust: the built-in model.
//!
//! Knows neither documents nor the store: text comes in, a vector goes out.
