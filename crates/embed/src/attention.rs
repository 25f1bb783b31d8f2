//! Attention of one layer, head by head, in floating point.

use crate::aligned::Aligned;
use crate::lanes::{self, Lanes, WIDTH};
use crate::weights::{HEADS, HIDDEN};

/// Numbers of a head.
const HEAD: usize = HIDDEN / HEADS;
/// A row of queries, keys and values as the layer before left it.
pub const TRIPLE: usize = 3 * HIDDEN;
/// Tokens that are worked on together.
pub const BLOCK: usize = 4;

/// Room for one head.
pub struct Scratch {
    /// Keys turned on their side: for each number of the head, all tokens.
    keys: Aligned<f32>,
    values: Aligned<[f32; HEAD]>,
    scores: Aligned<f32>,
}

impl Scratch {
    pub fn new(max_tokens: usize) -> Self {
        let width = max_tokens.next_multiple_of(WIDTH);
        Scratch {
            keys: Aligned::filled(0.0, width * HEAD),
            values: Aligned::filled([0.0; HEAD], max_tokens),
            scores: Aligned::filled(0.0, width * BLOCK),
        }
    }
}

/// Mixes the values of all tokens for each of `n` tokens. `triples` and `out`
/// have room for `n` rounded up to whole blocks.
#[inline(always)]
pub fn attend(triples: &[f32], n: usize, scratch: &mut Scratch, out: &mut [f32]) {
    let width = n.next_multiple_of(WIDTH);
    for head in 0..HEADS {
        gather(triples, n, head, scratch);
        let keys = &scratch.keys[..width * HEAD];
        for first in (0..n).step_by(BLOCK) {
            let rows: [&[f32; HEAD]; BLOCK] =
                std::array::from_fn(|row| part(triples, first + row, head));
            let scores = &mut scratch.scores[..width * BLOCK];
            score(rows, keys, width, scores);
            for row in scores.chunks_exact_mut(width) {
                lanes::softmax(row, n);
            }
            for pair in 0..BLOCK / 2 {
                let weights = scores[2 * pair * width..][..2 * width].split_at(width);
                let mixed = mix(weights, &scratch.values[..n]);
                for (row, mixed) in mixed.iter().enumerate() {
                    let start = (first + 2 * pair + row) * HIDDEN + head * HEAD;
                    out[start..start + HEAD].copy_from_slice(mixed);
                }
            }
        }
    }
}

/// The queries of a token for a head.
#[inline(always)]
fn part(triples: &[f32], token: usize, head: usize) -> &[f32; HEAD] {
    &triples[token * TRIPLE + head * HEAD..].as_chunks().0[0]
}

#[inline(always)]
fn gather(triples: &[f32], n: usize, head: usize, scratch: &mut Scratch) {
    let width = n.next_multiple_of(WIDTH);
    for token in 0..n {
        let start = token * TRIPLE + head * HEAD;
        let keys = &triples[start + HIDDEN..][..HEAD];
        for (at, key) in keys.iter().enumerate() {
            scratch.keys[at * width + token] = *key;
        }
        scratch.values[token].copy_from_slice(&triples[start + 2 * HIDDEN..][..HEAD]);
    }
}

/// Products of a block of queries with the keys of all tokens.
#[inline(always)]
fn score(rows: [&[f32; HEAD]; BLOCK], keys: &[f32], width: usize, scores: &mut [f32]) {
    for first in (0..width).step_by(WIDTH) {
        let mut sums: [Lanes; BLOCK] = [[0.0; WIDTH]; BLOCK];
        for at in 0..HEAD {
            let keys: &Lanes = &keys[at * width + first..].as_chunks().0[0];
            for (sums, row) in sums.iter_mut().zip(rows) {
                for (sum, key) in sums.iter_mut().zip(keys) {
                    *sum += row[at] * key;
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            scores[row * width + first..][..WIDTH].copy_from_slice(sums);
        }
    }
}

/// The values of all tokens, weighted for two tokens.
#[inline(always)]
fn mix(weights: (&[f32], &[f32]), values: &[[f32; HEAD]]) -> [[f32; HEAD]; 2] {
    let mut sums = [[0.0; HEAD]; 2];
    for ((value, a), b) in values.iter().zip(weights.0).zip(weights.1) {
        for at in 0..HEAD {
            sums[0][at] += a * value[at];
            sums[1][at] += b * value[at];
        }
    }
    sums
}
