//! x86 with 256 bits, which is nearly every one since 2013.
//!
//! The byte instruction of AVX2 multiplies unsigned by signed and saturates, so
//! both sides are widened to sixteen bits instead: activations when they are
//! entered, weights as they are loaded, shared by six rows. That needs no more
//! multiplications than the byte instruction and is exact: a pair of products
//! is at most 2 · 127 · 127, and a sum of 1,536 of them stays below 2^25.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and calls into compiled-for-AVX2 code"
)]

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::WeightBlock;
use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_hadd_epi32,
    _mm256_madd_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_storeu_si256,
};

/// The proof that this processor has AVX2.
#[derive(Clone, Copy)]
pub struct Avx2(());

const ROWS: usize = 6;
/// Columns that six rows of accumulators leave registers for.
const COLUMNS: usize = 8;

impl Avx2 {
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }
}

impl Kernel for Avx2 {
    /// For each row four activations of sixteen bits.
    type Codes = [i64; ROWS];

    const EMPTY: Self::Codes = [0; ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = 1;
    const FEED_ROWS: usize = 48;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        let wide = |at: usize| i64::from(values[at] as u16) << (16 * at);
        codes[row] = wide(0) | wide(1) | wide(2) | wide(3);
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], _sums: &[i32], out: &mut [Line]) {
        // SAFETY: `self` exists, so `detect` has found AVX2.
        unsafe { tile(codes, steps, out) }
    }

    fn run(self, pass: Pass<'_, Self>) {
        #[target_feature(enable = "avx2")]
        fn run(kernel: Avx2, pass: Pass<'_, Avx2>) {
            forward(kernel, pass);
        }
        // SAFETY: `self` exists, so `detect` has found AVX2.
        unsafe { run(self, pass) }
    }
}

#[target_feature(enable = "avx2")]
fn tile(codes: &[[i64; ROWS]], steps: &[WeightBlock], out: &mut [Line]) {
    for half in 0..2 {
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for (codes, step) in codes.iter().zip(steps) {
            let (quarters, _) = step.as_chunks::<16>();
            let low = widened(&quarters[2 * half]);
            let high = widened(&quarters[2 * half + 1]);
            for (sums, code) in sums.iter_mut().zip(codes) {
                let code = _mm256_set1_epi64x(*code);
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(code, low));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(code, high));
            }
        }
        for (line, sums) in out.iter_mut().zip(sums) {
            // Each column is in two neighbouring lanes; adding those leaves the
            // pairs of columns in the order 0 2 1 3.
            let pairs = _mm256_hadd_epi32(sums[0], sums[1]);
            let columns = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
            let (halves, _) = line.as_chunks_mut::<COLUMNS>();
            store(&mut halves[half], columns);
        }
    }
}

/// Sixteen weights, each in sixteen bits.
#[target_feature(enable = "avx2")]
fn widened(weights: &[u8; 16]) -> __m256i {
    // SAFETY: the reference says that 16 bytes may be read; the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(weights.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
fn store(out: &mut [i32; COLUMNS], columns: __m256i) {
    // SAFETY: the reference says that 32 bytes may be written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), columns) }
}
