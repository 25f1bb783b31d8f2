//! Byte-pair merging: neighbours that make the token of the lowest rank are
//! joined until no two make one.

use super::vocabulary::{LONGEST, Vocabulary};

/// Tokens of one piece. A piece longer than any token is cut, so that a text
/// without borders is not quadratic: there the number may be one too high per
/// cut.
pub fn count(vocabulary: &Vocabulary, piece: &[u8]) -> usize {
    piece.chunks(LONGEST).map(|chunk| count_chunk(vocabulary, chunk)).sum()
}

fn count_chunk(vocabulary: &Vocabulary, chunk: &[u8]) -> usize {
    if chunk.len() <= 1 || vocabulary.rank(chunk).is_some() {
        return chunk.len().min(1);
    }
    // Where parts begin, each with the rank of it and its neighbour as one.
    let mut parts: Vec<(usize, u32)> = (0..=chunk.len()).map(|at| (at, u32::MAX)).collect();
    let rank = |parts: &[(usize, u32)], at: usize| {
        let (Some(from), Some(to)) = (parts.get(at), parts.get(at + 2)) else { return u32::MAX };
        vocabulary.rank(&chunk[from.0..to.0]).unwrap_or(u32::MAX)
    };
    for at in 0..parts.len() {
        parts[at].1 = rank(&parts, at);
    }
    while let Some((at, (_, lowest))) = parts.iter().enumerate().min_by_key(|(_, part)| part.1)
        && *lowest < u32::MAX
    {
        parts.remove(at + 1);
        parts[at].1 = rank(&parts, at);
        if at > 0 {
            parts[at - 1].1 = rank(&parts, at - 1);
        }
    }
    parts.len() - 1
}
