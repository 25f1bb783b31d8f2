//! ARM without dot products: the first processors of 64 bits.
//!
//! Bytes are multiplied into sixteen bits, where 127 · 127 fits, and pairs of
//! those are added into 32.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and calls into compiled-for-NEON code"
)]

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::WeightBlock;
use std::arch::aarch64::{
    int8x16_t, int32x4_t, vdupq_n_s32, vget_low_s8, vld1q_s8, vmull_high_s8, vmull_s8, vpadalq_s16,
    vpaddq_s32, vreinterpretq_s8_s32, vst1q_s32,
};
use std::arch::is_aarch64_feature_detected;

/// The proof that this processor has NEON.
#[derive(Clone, Copy)]
pub struct Neon(());

const ROWS: usize = 6;

impl Neon {
    pub fn detect() -> Option<Self> {
        is_aarch64_feature_detected!("neon").then_some(Neon(()))
    }
}

impl Kernel for Neon {
    /// For each row four activations of eight bits.
    type Codes = [i32; ROWS];

    const EMPTY: Self::Codes = [0; ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = 1;
    const FEED_ROWS: usize = 48;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        codes[row] = i32::from_le_bytes(values.map(|value| value as u8));
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], _sums: &[i32], out: &mut [Line]) {
        // SAFETY: `self` exists, so `detect` has found NEON.
        unsafe { tile(codes, steps, out) }
    }

    fn run(self, pass: Pass<'_, Self>) {
        #[target_feature(enable = "neon")]
        fn run(kernel: Neon, pass: Pass<'_, Neon>) {
            forward(kernel, pass);
        }
        // SAFETY: `self` exists, so `detect` has found NEON.
        unsafe { run(self, pass) }
    }
}

#[target_feature(enable = "neon")]
fn tile(codes: &[[i32; ROWS]], steps: &[WeightBlock], out: &mut [Line]) {
    for half in 0..2 {
        // Each column is in two lanes of two neighbouring sums until the end.
        let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
        for (codes, step) in codes.iter().zip(steps) {
            let (quarters, _) = step.as_chunks::<16>();
            let low = load(&quarters[2 * half]);
            let high = load(&quarters[2 * half + 1]);
            for (sums, code) in sums.iter_mut().zip(codes) {
                let code = vreinterpretq_s8_s32(vdupq_n_s32(*code));
                sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(low), vget_low_s8(code)));
                sums[1] = vpadalq_s16(sums[1], vmull_high_s8(low, code));
                sums[2] = vpadalq_s16(sums[2], vmull_s8(vget_low_s8(high), vget_low_s8(code)));
                sums[3] = vpadalq_s16(sums[3], vmull_high_s8(high, code));
            }
        }
        for (line, sums) in out.iter_mut().zip(sums) {
            let (quarters, _) = line.as_chunks_mut::<4>();
            store(&mut quarters[2 * half], vpaddq_s32(sums[0], sums[1]));
            store(&mut quarters[2 * half + 1], vpaddq_s32(sums[2], sums[3]));
        }
    }
}

#[target_feature(enable = "neon")]
fn load(weights: &[u8; 16]) -> int8x16_t {
    // SAFETY: the reference says that 16 bytes may be read.
    unsafe { vld1q_s8(weights.as_ptr().cast()) }
}

#[target_feature(enable = "neon")]
fn store(out: &mut [i32; 4], total: int32x4_t) {
    // SAFETY: the reference says that 16 bytes may be written.
    unsafe { vst1q_s32(out.as_mut_ptr(), total) }
}
