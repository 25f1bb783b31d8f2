//! The pieces a model knows, found by their text.
//!
//! A table of our own, because it is built at every start that embeds: the
//! hash grows byte by byte, so all beginnings of a word cost one walk over it.

use model::{Error, ErrorCode, Result};

/// Slots of the table: twice the pieces and more, and a power of two.
const SLOTS: usize = 1 << 16;
/// Marks a piece that continues a word in the vocabulary's text.
const CONTINUES: &str = "##";

pub struct Vocabulary {
    text: &'static str,
    /// Where each piece begins in the text, and one past the last.
    starts: Vec<u32>,
    /// For each slot an id plus one, or nothing.
    slots: Vec<u16>,
    /// Bytes of the longest piece.
    longest: usize,
}

impl Vocabulary {
    /// Reads pieces, one a line, in the order of their ids.
    pub fn new(text: &'static str, n_pieces: usize) -> Result<Vocabulary> {
        let mut starts = Vec::with_capacity(n_pieces + 1);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            starts.push(start as u32);
            start += line.len();
        }
        if starts.len() != n_pieces || n_pieces >= SLOTS / 2 || !text.ends_with('\n') {
            let message = format!("the vocabulary has {} pieces, not {n_pieces}", starts.len());
            return Err(Error::new(ErrorCode::EmbeddingFailed, message));
        }
        starts.push(start as u32);
        let mut vocabulary = Vocabulary { text, starts, slots: vec![0; SLOTS], longest: 0 };
        for id in 0..n_pieces {
            vocabulary.enter(id);
        }
        Ok(vocabulary)
    }

    fn enter(&mut self, id: usize) {
        let piece = self.piece(id);
        let (is_start, bytes) = match piece.strip_prefix(CONTINUES) {
            Some(rest) if !rest.is_empty() => (false, rest.as_bytes()),
            _ => (true, piece.as_bytes()),
        };
        self.longest = self.longest.max(bytes.len());
        let hash = bytes.iter().fold(first_hash(is_start), |hash, byte| next_hash(hash, *byte));
        let mut slot = slot_of(hash);
        while self.slots[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = id as u16 + 1;
    }

    fn piece(&self, id: usize) -> &'static str {
        &self.text[self.starts[id] as usize..self.starts[id + 1] as usize - 1]
    }

    pub fn n_pieces(&self) -> usize {
        self.starts.len() - 1
    }

    /// The id of a mark such as `[CLS]`.
    pub fn mark(&self, name: &str) -> Result<u32> {
        self.find(true, name.as_bytes()).ok_or_else(|| {
            let message = format!("the vocabulary lacks `{name}`");
            Error::new(ErrorCode::EmbeddingFailed, message)
        })
    }

    fn find(&self, is_start: bool, bytes: &[u8]) -> Option<u32> {
        let hash = bytes.iter().fold(first_hash(is_start), |hash, byte| next_hash(hash, *byte));
        self.find_hashed(hash, is_start, bytes)
    }

    fn find_hashed(&self, hash: u64, is_start: bool, bytes: &[u8]) -> Option<u32> {
        let mut slot = slot_of(hash);
        loop {
            let id = usize::from(self.slots[slot].checked_sub(1)?);
            let piece = self.piece(id).as_bytes();
            let is_same = if is_start {
                piece == bytes
            } else {
                piece.strip_prefix(CONTINUES.as_bytes()) == Some(bytes)
            };
            if is_same {
                return Some(id as u32);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The longest piece a word begins with, or goes on with, and its length.
    pub fn longest_piece(&self, word: &str, is_start: bool) -> Option<(u32, usize)> {
        let mut hashes = [0; 128];
        let mut hash = first_hash(is_start);
        let len = word.len().min(self.longest).min(hashes.len());
        for (kept, byte) in hashes.iter_mut().zip(word.as_bytes()).take(len) {
            hash = next_hash(hash, *byte);
            *kept = hash;
        }
        (1..=len).rev().filter(|end| word.is_char_boundary(*end)).find_map(|end| {
            let id = self.find_hashed(hashes[end - 1], is_start, &word.as_bytes()[..end])?;
            Some((id, end))
        })
    }
}

fn first_hash(is_start: bool) -> u64 {
    if is_start { 0xcbf2_9ce4_8422_2325 } else { 0x9e37_79b9_7f4a_7c15 }
}

fn next_hash(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

fn slot_of(hash: u64) -> usize {
    // The high bits of a product are the well-mixed ones.
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % SLOTS
}
