//! Attention of one layer, head by head, in floating point.

use crate::aligned::Aligned;
use crate::lanes::{self, WIDTH};
use crate::weights::{HEADS, HIDDEN};

/// Numbers of a head.
const HEAD: usize = HIDDEN / HEADS;
/// A row of queries, keys and values as the layer before left it.
pub const TRIPLE: usize = 3 * HIDDEN;
/// Tokens that are worked on together.
const BLOCK: usize = 2;

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
            let scores = &mut scratch.scores[..width * BLOCK];
            for (row, scores) in scores.chunks_exact_mut(width).enumerate() {
                score(part(triples, first + row, head), keys, scores);
                lanes::softmax(scores, n);
            }
            let mixed = mix(scores.split_at(width), &scratch.values[..n]);
            for (row, mixed) in mixed.iter().enumerate() {
                let start = (first + row) * HIDDEN + head * HEAD;
                out[start..start + HEAD].copy_from_slice(mixed);
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
    for (token, values) in scratch.values[..n].iter_mut().enumerate() {
        let triple = &triples[token * TRIPLE + head * HEAD..];
        let key: &[f32; HEAD] = &triple[HIDDEN..].as_chunks().0[0];
        for (row, key) in scratch.keys.chunks_exact_mut(width).zip(key) {
            row[token] = *key;
        }
        *values = triple[2 * HIDDEN..].as_chunks().0[0];
    }
}

/// Products of one token's queries with the keys of all tokens.
///
/// The inner loop runs along the tokens, half the rows of keys at a time: that is
/// the form compilers turn into vector instructions without fail.
#[inline(always)]
fn score(queries: &[f32; HEAD], keys: &[f32], scores: &mut [f32]) {
    const ROWS: usize = HEAD / 2;
    let width = scores.len();
    scores.fill(0.0);
    for (queries, keys) in queries.as_chunks::<ROWS>().0.iter().zip(keys.chunks_exact(ROWS * width))
    {
        let rows: [&[f32]; ROWS] = std::array::from_fn(|row| &keys[row * width..][..width]);
        for token in 0..width {
            let mut sum = scores[token];
            for row in 0..ROWS {
                sum += queries[row] * rows[row][token];
            }
            scores[token] = sum;
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
