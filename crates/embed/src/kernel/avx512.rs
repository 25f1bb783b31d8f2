//! x86 with dot products of bytes in 512 bits: servers since 2019, Zen since 4.
//!
//! The instruction multiplies unsigned by signed. Activations are therefore
//! entered 128 higher than they are, and every sum begins at −128 times the
//! sum of its weights, which cancels that exactly.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and calls into compiled-for-VNNI code"
)]

use super::{Kernel, Line};
use crate::forward::{Pass, forward};
use crate::weights::{PANEL, WeightBlock};
use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_storeu_si512,
};

/// The proof that this processor has AVX-512 with VNNI.
#[derive(Clone, Copy)]
pub struct Avx512(());

const ROWS: usize = 12;
const PANELS: usize = 2;

impl Avx512 {
    pub fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        has_all.then_some(Avx512(()))
    }
}

impl Kernel for Avx512 {
    /// For each row four activations of eight bits, 128 too high.
    type Codes = [i32; ROWS];

    const EMPTY: Self::Codes = [i32::from_le_bytes([128; 4]); ROWS];
    const ROWS: usize = ROWS;
    const PANELS: usize = PANELS;
    const FEED_ROWS: usize = 96;

    #[inline(always)]
    fn put(codes: &mut Self::Codes, row: usize, values: [i32; 4]) {
        codes[row] = i32::from_le_bytes(values.map(|value| (value + 128) as u8));
    }

    #[inline(always)]
    fn tile(self, codes: &[Self::Codes], steps: &[WeightBlock], sums: &[i32], out: &mut [Line]) {
        // SAFETY: `self` exists, so `detect` has found AVX-512 with VNNI.
        unsafe { tile(codes, steps, sums, out) }
    }

    fn run(self, pass: Pass<'_, Self>) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
        fn run(kernel: Avx512, pass: Pass<'_, Avx512>) {
            forward(kernel, pass);
        }
        // SAFETY: `self` exists, so `detect` has found all of these.
        unsafe { run(self, pass) }
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn tile(codes: &[[i32; ROWS]], steps: &[WeightBlock], sums: &[i32], out: &mut [Line]) {
    let (first, second) = steps.split_at(codes.len());
    let (columns, _) = sums.as_chunks::<PANEL>();
    let start = |panel: usize| columns[panel].map(|sum| -128 * sum);
    let (first_start, second_start) = (load(&start(0)), load(&start(1)));
    let mut totals = [[first_start, second_start]; ROWS];
    for ((codes, first), second) in codes.iter().zip(first).zip(second) {
        let (first, second) = (load(first), load(second));
        for (totals, code) in totals.iter_mut().zip(codes) {
            let code = _mm512_set1_epi32(*code);
            totals[0] = _mm512_dpbusd_epi32(totals[0], code, first);
            totals[1] = _mm512_dpbusd_epi32(totals[1], code, second);
        }
    }
    let (first, second) = out.split_at_mut(ROWS);
    for ((first, second), totals) in first.iter_mut().zip(second).zip(totals) {
        store(first, totals[0]);
        store(second, totals[1]);
    }
}

/// What fills a vector: sixteen sums, or one step of weights.
trait Full {}
impl Full for [i32; PANEL] {}
impl Full for WeightBlock {}

#[target_feature(enable = "avx512f")]
fn load<T: Full>(line: &T) -> __m512i {
    const { assert!(size_of::<T>() == size_of::<__m512i>()) };
    // SAFETY: the reference says that its 64 bytes may be read; the load needs no alignment.
    unsafe { _mm512_loadu_si512(std::ptr::from_ref(line).cast()) }
}

#[target_feature(enable = "avx512f")]
fn store(line: &mut Line, totals: __m512i) {
    // SAFETY: the reference says that its 64 bytes may be written; the store needs no alignment.
    unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), totals) }
}
