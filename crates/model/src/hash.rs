//! SHA-256 as a value: content addresses that ordinary tools can verify.

use sha2::block_api::compress256;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::fmt;

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash32(pub [u8; 32]);

impl Ord for Hash32 {
    /// By bytes. Two hashes nearly always differ in the first eight, which is
    /// one comparison of numbers; roots sort them by the thousand.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.first_eight().cmp(&other.first_eight()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Hash32 {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash32 {
    pub fn of(bytes: &[u8]) -> Self {
        Hash32(Sha256::digest(bytes).into())
    }

    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    #[inline]
    fn first_eight(&self) -> u64 {
        self.0.first_chunk().map_or(0, |eight| u64::from_be_bytes(*eight))
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

/// A short text put together piece by piece where it is hashed, in the blocks
/// of SHA-256: for the names of nodes and edges, of which there are millions,
/// copying them elsewhere takes nearly as long as hashing them.
#[derive(Debug, Clone)]
pub struct ShortText {
    blocks: [[u8; BLOCK]; N_BLOCKS],
    length: usize,
}

const BLOCK: usize = 64;
const N_BLOCKS: usize = 4;
/// SHA-256 ends a text with one bit and its length.
const END: usize = 9;
/// The state that SHA-256 begins with (FIPS 180-4, 5.3.3).
const BEGIN: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

impl ShortText {
    /// Bytes it has room for.
    pub const MOST: usize = BLOCK * N_BLOCKS - END;

    #[inline]
    pub fn new() -> Self {
        ShortText { blocks: [[0; BLOCK]; N_BLOCKS], length: 0 }
    }

    /// Panics when there is no room left; see [`Self::MOST`].
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        assert!(end <= Self::MOST, "{end} bytes are no short text");
        self.blocks.as_flattened_mut()[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    #[inline]
    pub fn hash(mut self) -> Hash32 {
        let n_blocks = (self.length + END).div_ceil(BLOCK);
        let bytes = &mut self.blocks.as_flattened_mut()[..n_blocks * BLOCK];
        bytes[self.length] = 0x80;
        let n_bits = self.length as u64 * 8;
        bytes[n_blocks * BLOCK - 8..].copy_from_slice(&n_bits.to_be_bytes());
        let mut state = BEGIN;
        compress256(&mut state, &self.blocks[..n_blocks]);
        let mut hash = [0; 32];
        for (bytes, word) in hash.chunks_exact_mut(4).zip(state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Hash32(hash)
    }
}

impl Default for ShortText {
    fn default() -> Self {
        ShortText::new()
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
    fn a_short_text_has_the_same_hash() {
        let text: Vec<u8> = (0..ShortText::MOST).map(|n| n as u8).collect();
        for length in 0..=text.len() {
            let mut short = ShortText::new();
            for piece in text[..length].chunks(7) {
                short.push(piece);
            }
            assert_eq!(short.hash(), Hash32::of(&text[..length]), "{length} bytes");
        }
    }

    #[test]
    #[should_panic(expected = "no short text")]
    fn a_short_text_has_its_limit() {
        ShortText::new().push(&[0; ShortText::MOST + 1]);
    }

    #[test]
    fn hashes_are_ordered_by_their_bytes() {
        let mut hashes: Vec<Hash32> = (0..200u8).map(|n| Hash32::of(&[n])).collect();
        let near = hashes[0].0;
        hashes.extend((0..32).map(|at| {
            let mut bytes = near;
            bytes[at] ^= 1;
            Hash32(bytes)
        }));
        let mut by_bytes: Vec<[u8; 32]> = hashes.iter().map(|hash| hash.0).collect();
        hashes.sort_unstable();
        by_bytes.sort_unstable();
        assert!(hashes.iter().map(|hash| hash.0).eq(by_bytes));
    }

    #[test]
    fn is_read_back() {
        let hash = Hash32::of(b"abc");
        assert_eq!(Hash32::parse(&hash.to_string()), Some(hash));
        assert_eq!(Hash32::parse("abc"), None);
        assert_eq!(Hash32::parse(&"é".repeat(32)), None);
    }
}
