//! The encoder: from the ids of pieces to one vector.
//!
//! Written once and compiled for each kernel. What multiplies matrices works
//! on codes of eight bits, one scale a token; everything else is floating
//! point.

use crate::aligned::Aligned;
use crate::attention::{self, TRIPLE};
use crate::kernel::{Kernel, Line, MAX_TILE};
use crate::lanes;
use crate::weights::{FEED, GROUP, HIDDEN, Layer, Linear, PANEL, Weights};
use crate::{DIMS, MAX_TOKENS};

/// Buffers are this much longer than the longest text, so that the last tile
/// of any kernel may be full.
const ROWS: usize = MAX_TOKENS + 16;

/// A model that runs, whatever multiplies inside.
pub trait Forward: Send {
    /// The vector of a text; `ids` are at least one and at most [`MAX_TOKENS`].
    fn vector(&mut self, weights: &Weights, ids: &[u32]) -> [f32; DIMS];
}

/// A kernel with the buffers it needs.
pub struct Engine<K: Kernel> {
    kernel: K,
    buffers: Buffers<K>,
}

/// Everything a pass works on.
pub struct Pass<'a, K: Kernel> {
    weights: &'a Weights,
    ids: &'a [u32],
    buffers: &'a mut Buffers<K>,
    vector: &'a mut [f32; DIMS],
}

struct Buffers<K: Kernel> {
    /// The state of each token.
    hidden: Aligned<f32>,
    /// Queries, keys and values of each token.
    triples: Aligned<f32>,
    /// What attention made of them.
    mixed: Aligned<f32>,
    /// The wide layer, for as many tokens as are worked on together.
    wide: Aligned<f32>,
    codes: Coded<K>,
    attention: attention::Scratch,
}

/// Activations in eight bits, in tiles as the kernel wants them.
struct Coded<K: Kernel> {
    codes: Aligned<K::Codes>,
    /// What a code of each row is worth: this times the code, plus the middle.
    scales: Aligned<f32>,
    middles: Aligned<f32>,
}

impl<K: Kernel> Engine<K> {
    pub fn boxed(kernel: K) -> Box<dyn Forward> {
        let feed_rows = K::FEED_ROWS.min(ROWS);
        let n_codes = (ROWS * HIDDEN).max(feed_rows * FEED) / GROUP / K::ROWS + FEED;
        let buffers = Buffers {
            hidden: Aligned::filled(0.0, ROWS * HIDDEN),
            triples: Aligned::filled(0.0, ROWS * TRIPLE),
            mixed: Aligned::filled(0.0, ROWS * HIDDEN),
            wide: Aligned::filled(0.0, feed_rows * FEED),
            codes: Coded {
                codes: Aligned::filled(K::EMPTY, n_codes),
                scales: Aligned::filled(0.0, ROWS),
                middles: Aligned::filled(0.0, ROWS),
            },
            attention: attention::Scratch::new(MAX_TOKENS),
        };
        Box::new(Engine { kernel, buffers })
    }
}

impl<K: Kernel> Forward for Engine<K> {
    fn vector(&mut self, weights: &Weights, ids: &[u32]) -> [f32; DIMS] {
        let mut vector = [0.0; DIMS];
        let pass = Pass { weights, ids, buffers: &mut self.buffers, vector: &mut vector };
        self.kernel.run(pass);
        vector
    }
}

/// The whole pass. Inlined with all it calls into a function of each kernel
/// that is compiled for its processor.
#[inline(always)]
pub fn forward<K: Kernel>(kernel: K, pass: Pass<'_, K>) {
    let Pass { weights, ids, buffers, vector } = pass;
    for (position, (row, id)) in buffers.hidden.chunks_exact_mut(HIDDEN).zip(ids).enumerate() {
        weights.embedding(*id as usize, position, row);
        lanes::normalise(row, &weights.embedding_norm, weights.epsilon);
    }
    for layer in &weights.layers {
        attention_part(kernel, layer, weights.epsilon, ids.len(), buffers);
        feed_part(kernel, layer, weights.epsilon, ids.len(), buffers);
    }
    for row in buffers.hidden.chunks_exact(HIDDEN).take(ids.len()) {
        for (sum, value) in vector.iter_mut().zip(row) {
            *sum += value;
        }
    }
    // The mean and the sum point the same way, and only the direction stays.
    let length = lanes::sum_of(vector.as_slice(), |value| value * value).sqrt();
    for value in vector {
        *value /= length;
    }
}

#[inline(always)]
fn attention_part<K: Kernel>(
    kernel: K,
    layer: &Layer,
    epsilon: f32,
    n: usize,
    buffers: &mut Buffers<K>,
) {
    let Buffers { hidden, triples, mixed, codes, attention, .. } = buffers;
    codes.fill(&hidden[..n * HIDDEN], HIDDEN);
    multiply(kernel, &layer.attention, codes, n, triples, |value, _| value);
    attention::attend(triples, n, attention, mixed);
    codes.fill(&mixed[..n * HIDDEN], HIDDEN);
    multiply(kernel, &layer.attention_output, codes, n, hidden, |value, state| value + state);
    for row in hidden.chunks_exact_mut(HIDDEN).take(n) {
        lanes::normalise(row, &layer.attention_norm, epsilon);
    }
}

#[inline(always)]
fn feed_part<K: Kernel>(
    kernel: K,
    layer: &Layer,
    epsilon: f32,
    n: usize,
    buffers: &mut Buffers<K>,
) {
    let Buffers { hidden, wide, codes, .. } = buffers;
    for first in (0..n).step_by(K::FEED_ROWS) {
        let n = K::FEED_ROWS.min(n - first);
        let hidden = &mut hidden[first * HIDDEN..];
        codes.fill(&hidden[..n * HIDDEN], HIDDEN);
        multiply(kernel, &layer.feed_up, codes, n, wide, |value, _| lanes::gelu(value));
        codes.fill(&wide[..n * FEED], FEED);
        multiply(kernel, &layer.feed_down, codes, n, hidden, |value, state| value + state);
        for row in hidden.chunks_exact_mut(HIDDEN).take(n) {
            lanes::normalise(row, &layer.feed_norm, epsilon);
        }
    }
}

impl<K: Kernel> Coded<K> {
    /// Brings each row to eight bits between its own smallest and largest
    /// number. Around the middle of those and not around zero: rows lean to
    /// one side (after GELU wholly), and half the codes would be wasted.
    #[inline(always)]
    fn fill(&mut self, rows: &[f32], n_inputs: usize) {
        let n_steps = n_inputs / GROUP;
        for (at, row) in rows.chunks_exact(n_inputs).enumerate() {
            let (least, most) = lanes::extremes(row);
            let (middle, reach) = ((least + most) * 0.5, (most - least) * 0.5);
            let factor = if reach > 0.0 { 127.0 / reach } else { 0.0 };
            self.scales[at] = reach / 127.0;
            self.middles[at] = middle;
            let tile = &mut self.codes[at / K::ROWS * n_steps..][..n_steps];
            for (codes, values) in tile.iter_mut().zip(row.as_chunks::<GROUP>().0) {
                let values = values.map(|value| lanes::nearest((value - middle) * factor));
                K::put(codes, at % K::ROWS, values);
            }
        }
    }
}

/// Multiplies `n` coded rows with a matrix and enters the results into `out`,
/// which `finish` computes from the new number and the one that stood there.
#[inline(always)]
fn multiply<K: Kernel>(
    kernel: K,
    linear: &Linear,
    coded: &Coded<K>,
    n: usize,
    out: &mut [f32],
    finish: impl Fn(f32, f32) -> f32 + Copy,
) {
    let n_steps = linear.n_inputs / GROUP;
    let n_outputs = linear.bias.len();
    let mut tile = [[0; PANEL]; MAX_TILE];
    let tile = &mut tile[..K::ROWS * K::PANELS];
    for (group, steps) in linear.steps.chunks_exact(n_steps * K::PANELS).enumerate() {
        let column = group * K::PANELS * PANEL;
        let sums = &linear.sums[column..][..K::PANELS * PANEL];
        for first in (0..n).step_by(K::ROWS) {
            let codes = &coded.codes[first / K::ROWS * n_steps..][..n_steps];
            kernel.tile(codes, steps, sums, tile);
            for (panel, lines) in tile.chunks_exact(K::ROWS).enumerate() {
                let column = column + panel * PANEL;
                let columns = Columns::of(linear, column);
                let out = &mut out[first * n_outputs + column..];
                for (row, line) in lines.iter().enumerate().take(n - first) {
                    let out = &mut out[row * n_outputs..].as_chunks_mut().0[0];
                    let (scale, middle) = (coded.scales[first + row], coded.middles[first + row]);
                    columns.enter(line, scale, middle, out, finish);
                }
            }
        }
    }
}

/// What turns the integers of a panel into numbers.
struct Columns<'a> {
    scales: &'a [f32; PANEL],
    totals: &'a [f32; PANEL],
    bias: &'a [f32; PANEL],
}

impl<'a> Columns<'a> {
    #[inline(always)]
    fn of(linear: &'a Linear, column: usize) -> Self {
        Columns {
            scales: &linear.scales[column..].as_chunks().0[0],
            totals: &linear.totals[column..].as_chunks().0[0],
            bias: &linear.bias[column..].as_chunks().0[0],
        }
    }

    #[inline(always)]
    fn enter(
        &self,
        line: &Line,
        scale: f32,
        middle: f32,
        out: &mut [f32; PANEL],
        finish: impl Fn(f32, f32) -> f32,
    ) {
        for at in 0..PANEL {
            let start = middle * self.totals[at] + self.bias[at];
            let value = line[at] as f32 * (scale * self.scales[at]) + start;
            out[at] = finish(value, out[at]);
        }
    }
}
