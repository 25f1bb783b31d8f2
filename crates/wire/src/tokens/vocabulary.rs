//! The byte sequences that are tokens, with their ranks. Layout and origin of
//! the file are told in its folder.

use rustc_hash::FxHasher;
use std::hash::Hasher as _;
use std::sync::LazyLock;

const PACKED: &[u8] = include_bytes!("../../data/cl100k_base.zst");
const N_TOKENS: usize = 100_256;
/// Unpacked, with room to spare; a larger one is not our file.
const MAX_BYTES: usize = 1 << 20;
/// Places in the table: a power of two, not half full.
const N_SLOTS: usize = 1 << 18;
pub const LONGEST: usize = 128;

static SHARED: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::unpack);

pub struct Vocabulary {
    bytes: Vec<u8>,
    /// Where each token begins, by rank; one more for the end.
    starts: Vec<u32>,
    /// Ranks + 1 by hash; 0 is free.
    slots: Vec<u32>,
}

impl Vocabulary {
    /// Read on first use, in about five milliseconds.
    pub fn shared() -> &'static Vocabulary {
        &SHARED
    }

    fn unpack() -> Self {
        let raw = zstd::bulk::decompress(PACKED, MAX_BYTES).unwrap_or_default();
        let (lengths, bytes) = raw.split_at(N_TOKENS.min(raw.len()));
        let mut starts = vec![0];
        let mut at = 0_u32;
        for length in lengths {
            at += u32::from(*length);
            starts.push(at);
        }
        let mut vocabulary = Vocabulary { bytes: bytes.to_vec(), starts, slots: vec![0; N_SLOTS] };
        for rank in 0..lengths.len() as u32 {
            let mut slot = slot(vocabulary.token(rank));
            while vocabulary.slots[slot] != 0 {
                slot = (slot + 1) % N_SLOTS;
            }
            vocabulary.slots[slot] = rank + 1;
        }
        vocabulary
    }

    fn token(&self, rank: u32) -> &[u8] {
        let place = |rank: u32| self.starts.get(rank as usize).map_or(0, |start| *start as usize);
        self.bytes.get(place(rank)..place(rank + 1)).unwrap_or_default()
    }

    /// The lower, the earlier it is merged.
    pub fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() > LONGEST {
            return None;
        }
        let mut slot = slot(bytes);
        loop {
            match self.slots[slot] {
                0 => return None,
                known if self.token(known - 1) == bytes => return Some(known - 1),
                _ => slot = (slot + 1) % N_SLOTS,
            }
        }
    }
}

fn slot(bytes: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish() as usize % N_SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let vocabulary = Vocabulary::shared();
        assert_eq!(vocabulary.starts.len(), N_TOKENS + 1);
        assert_eq!(*vocabulary.starts.last().unwrap() as usize, vocabulary.bytes.len());
        for rank in [0, 255, 256, 50_000, N_TOKENS as u32 - 1] {
            assert_eq!(vocabulary.rank(vocabulary.token(rank)), Some(rank));
        }
        for byte in 0..=255_u8 {
            assert!(vocabulary.rank(&[byte]).is_some(), "every text can be written");
        }
        assert_eq!(vocabulary.rank(b"queryset filter"), None);
    }
}
