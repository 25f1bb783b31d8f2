//! x86 with dot products of bytes in 256 bits: Intel's desktops and notebooks
//! since 2021, which have no AVX-512.
//!
//! Activations are entered 128 too high and the sums begin as much too low, as
//! in `avx512`.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and calls into compiled-for-VNNI code"
)]

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::WeightBlock;
use std::arch::x86_64::{
    __m256i, _mm256_dpbusd_avx_epi32, _mm256_loadu_si256, _mm256_set1_epi32, _mm256_storeu_si256,
};

/// The proof that this processor has AVX-VNNI, and AVX2 with it.
#[derive(Clone, Copy)]
pub struct AvxVnni(());

const ROWS: usize = 6;
const COLUMNS: usize = 8;

impl AvxVnni {
    pub fn detect() -> Option<Self> {
        let has_both = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni");
        has_both.then_some(AvxVnni(()))
    }
}

impl Kernel for AvxVnni {
    /// For each row four activations of eight bits, 128 too high.
    type Codes = [i32; ROWS];

    const EMPTY: Self::Codes = [i32::from_le_bytes([128; 4]); ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = 1;
    const FEED_ROWS: usize = 96;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        codes[row] = i32::from_le_bytes(values.map(|value| (value + 128) as u8));
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], sums: &[i32], out: &mut [Line]) {
        // SAFETY: `self` exists, so `detect` has found AVX2 and AVX-VNNI.
        unsafe { tile(codes, steps, sums, out) }
    }

    fn run(self, pass: Pass<'_, Self>) {
        #[target_feature(enable = "avx2,avxvnni")]
        fn run(kernel: AvxVnni, pass: Pass<'_, AvxVnni>) {
            forward(kernel, pass);
        }
        // SAFETY: `self` exists, so `detect` has found both.
        unsafe { run(self, pass) }
    }
}

#[target_feature(enable = "avx2,avxvnni")]
fn tile(codes: &[[i32; ROWS]], steps: &[WeightBlock], sums: &[i32], out: &mut [Line]) {
    let (columns, _) = sums.as_chunks::<COLUMNS>();
    let start = |half: usize| columns[half].map(|sum| (-128 * sum).to_le_bytes());
    let starts = [start(0), start(1)];
    let (starts, _) = starts.as_flattened().as_flattened().as_chunks::<32>();
    let mut totals = [[load(&starts[0]), load(&starts[1])]; ROWS];
    for (codes, step) in codes.iter().zip(steps) {
        let (halves, _) = step.as_chunks::<32>();
        let (low, high) = (load(&halves[0]), load(&halves[1]));
        for (totals, code) in totals.iter_mut().zip(codes) {
            let code = _mm256_set1_epi32(*code);
            totals[0] = _mm256_dpbusd_avx_epi32(totals[0], code, low);
            totals[1] = _mm256_dpbusd_avx_epi32(totals[1], code, high);
        }
    }
    for (line, totals) in out.iter_mut().zip(totals) {
        let (halves, _) = line.as_chunks_mut::<COLUMNS>();
        store(&mut halves[0], totals[0]);
        store(&mut halves[1], totals[1]);
    }
}

#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the reference says that 32 bytes may be read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn store(out: &mut [i32; COLUMNS], columns: __m256i) {
    // SAFETY: the reference says that 32 bytes may be written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), columns) }
}
