//! The codec `binary`: for caches and between processes of lore. Layout in
//! `docs/wire.md`.
//!
//! Strings are kept once, sorted, each as what it does not share with the one
//! before; everything else refers to them by place.

mod read;
mod write;

use crate::{Codec, Payload};
use model::Result;

const MAGIC: &[u8; 4] = b"GCB1";
const VERSION: u8 = 1;
/// Bytes a string may share with the one before it: a bound, so that a few
/// bytes cannot stand for a long string many times over.
const MAX_SHARED: usize = 127;
/// Names of parts of scores: which of them a symbol has is one number.
const MAX_PARTS: usize = 64;

#[derive(Debug, Clone, Copy, Default)]
pub struct Binary;

impl Codec for Binary {
    fn name(&self) -> &'static str {
        "binary"
    }

    fn is_text(&self) -> bool {
        false
    }

    fn encode(&self, payload: &Payload) -> Result<Vec<u8>> {
        payload.check()?;
        write::payload(payload)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Payload> {
        read::payload(bytes)
    }
}
