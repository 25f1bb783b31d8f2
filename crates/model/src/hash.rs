//! SHA-256 as a value: content addresses that ordinary tools can verify.

use sha2::{Digest, Sha256};
use std::fmt;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash32(pub [u8; 32]);

impl Hash32 {
    pub fn of(bytes: &[u8]) -> Self {
        Hash32(Sha256::digest(bytes).into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads the sixty-four digits that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |c: u8| (c as char).to_digit(16).map(|digit| digit as u8);
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Hash32(bytes))
    }

    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Hash32)
    }
}

impl fmt::Display for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_sha256sum() {
        assert_eq!(
            Hash32::of(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn is_read_back() {
        let hash = Hash32::of(b"abc");
        assert_eq!(Hash32::parse(&hash.to_string()), Some(hash));
        assert_eq!(Hash32::parse("abc"), None);
        assert_eq!(Hash32::parse(&"é".repeat(32)), None);
    }
}
