//! The stored form of file facts: compact, and the same bytes for the same
//! facts on every machine.

use super::FileFacts;

/// The bytes are not facts of this version of lore.
#[derive(Debug)]
pub struct DecodeError;

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stored file facts cannot be read")
    }
}

impl std::error::Error for DecodeError {}

impl FileFacts {
    pub fn encode(&self) -> Vec<u8> {
        // Only a failing writer or a sequence of unknown length can fail here;
        // a growing vector and these types know neither.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        postcard::from_bytes(bytes).map_err(|_| DecodeError)
    }
}
