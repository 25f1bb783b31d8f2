//! ARM with dot products of bytes: Apple's since the M1, servers since 2019.
//!
//! The instruction multiplies signed by signed, so codes go in as they are.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and calls into compiled-for-dotprod code"
)]

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::WeightBlock;
use std::arch::aarch64::{
    int8x16_t, int32x4_t, vdupq_n_s32, vld1q_s8, vreinterpretq_s8_s32, vst1q_s32,
};
use std::arch::asm;
use std::arch::is_aarch64_feature_detected;

/// The proof that this processor has the dot product instructions.
#[derive(Clone, Copy)]
pub struct NeonDot(());

const ROWS: usize = 6;

impl NeonDot {
    pub fn detect() -> Option<Self> {
        let has_both =
            is_aarch64_feature_detected!("neon") && is_aarch64_feature_detected!("dotprod");
        has_both.then_some(NeonDot(()))
    }
}

impl Kernel for NeonDot {
    /// For each row four activations of eight bits.
    type Codes = [i32; ROWS];

    const EMPTY: Self::Codes = [0; ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = 1;
    const FEED_ROWS: usize = 96;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        codes[row] = i32::from_le_bytes(values.map(|value| value as u8));
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], _sums: &[i32], out: &mut [Line]) {
        // SAFETY: `self` exists, so `detect` has found the instructions.
        unsafe { tile(codes, steps, out) }
    }

    fn run(self, pass: Pass<'_, Self>) {
        #[target_feature(enable = "neon,dotprod")]
        fn run(kernel: NeonDot, pass: Pass<'_, NeonDot>) {
            forward(kernel, pass);
        }
        // SAFETY: `self` exists, so `detect` has found both.
        unsafe { run(self, pass) }
    }
}

#[target_feature(enable = "neon,dotprod")]
fn tile(codes: &[[i32; ROWS]], steps: &[WeightBlock], out: &mut [Line]) {
    let mut totals = [[vdupq_n_s32(0); 4]; ROWS];
    for (codes, step) in codes.iter().zip(steps) {
        let (quarters, _) = step.as_chunks::<16>();
        let weights: [int8x16_t; 4] = [0, 1, 2, 3].map(|quarter| load(&quarters[quarter]));
        for (totals, code) in totals.iter_mut().zip(codes) {
            let code = vreinterpretq_s8_s32(vdupq_n_s32(*code));
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = dot(*total, weights, code);
            }
        }
    }
    for (line, totals) in out.iter_mut().zip(totals) {
        for (quarter, total) in line.as_chunks_mut().0.iter_mut().zip(totals) {
            store(quarter, total);
        }
    }
}

/// Adds to each lane of `total` four products. The intrinsic for this
/// instruction is not stable yet.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn dot(mut total: int32x4_t, weights: int8x16_t, code: int8x16_t) -> int32x4_t {
    // SAFETY: the caller is compiled for `dotprod`; the instruction works on
    // the three registers named and touches neither memory nor flags.
    unsafe {
        asm!(
            "sdot {total:v}.4s, {weights:v}.16b, {code:v}.16b",
            total = inout(vreg) total,
            weights = in(vreg) weights,
            code = in(vreg) code,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    total
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
