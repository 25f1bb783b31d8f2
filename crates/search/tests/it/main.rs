//! Searching, by words and by meaning, through the crate's public surface.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod flush;
mod fuzz_smoke;
mod index;
mod meaning;
mod ollama;
mod queries;
mod vectors;
