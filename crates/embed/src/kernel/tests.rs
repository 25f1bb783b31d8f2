//! Every kernel of this processor computes what the plain one does.

use super::plain::Plain;
use super::{Kernel, Line, MAX_TILE};
use crate::weights::{PANEL, WeightBlock};
use proptest::collection::vec;
use proptest::prelude::*;

/// Weights and activations of some steps, in -127..=127, extremes often.
fn inputs() -> impl Strategy<Value = (Vec<Vec<i32>>, Vec<i32>)> {
    let code = || prop_oneof![-127..=127, Just(127), Just(-127)];
    (1_usize..40).prop_flat_map(move |n_steps| {
        (vec(vec(code(), n_steps * 4), 12), vec(code(), n_steps * 4 * PANEL * 2))
    })
}

/// The products of `K::ROWS` rows with `K::PANELS` panels.
fn products<K: Kernel>(kernel: K, rows: &[Vec<i32>], weights: &[i32]) -> Vec<Vec<Line>> {
    let n_steps = rows[0].len() / 4;
    let mut codes = vec![K::EMPTY; n_steps];
    for (at, row) in rows.iter().enumerate().take(K::ROWS) {
        for (codes, values) in codes.iter_mut().zip(row.as_chunks::<4>().0) {
            K::put(codes, at, *values);
        }
    }
    let bytes: Vec<u8> = weights.iter().map(|weight| *weight as u8).collect();
    let steps: &[WeightBlock] = bytes.as_chunks().0;
    let mut found = Vec::new();
    for panels in steps.chunks_exact(n_steps * K::PANELS) {
        let sums: Vec<i32> = panels.chunks_exact(n_steps).flat_map(column_sums).collect();
        let mut tile = [[0; PANEL]; MAX_TILE];
        kernel.tile(&codes, panels, &sums, &mut tile[..K::ROWS * K::PANELS]);
        found.extend(tile[..K::ROWS * K::PANELS].chunks_exact(K::ROWS).map(<[Line]>::to_vec));
    }
    found
}

fn column_sums(panel: &[WeightBlock]) -> [i32; PANEL] {
    std::array::from_fn(|column| {
        let weights = panel.iter().flat_map(|step| &step[4 * column..4 * column + 4]);
        weights.map(|weight| i32::from(weight.cast_signed())).sum()
    })
}

/// The same by the definition of a product of matrices.
fn expected(rows: &[Vec<i32>], weights: &[i32]) -> Vec<Vec<Line>> {
    let n_inputs = rows[0].len();
    let panel = |weights: &[i32]| {
        let line = |row: &Vec<i32>| {
            std::array::from_fn(|column| {
                let weight = |at: usize| weights[at / 4 * 64 + column * 4 + at % 4];
                row.iter().enumerate().map(|(at, value)| value * weight(at)).sum()
            })
        };
        rows.iter().map(line).collect()
    };
    weights.chunks_exact(n_inputs * PANEL).map(panel).collect()
}

fn check<K: Kernel>(kernel: Option<K>, rows: &[Vec<i32>], weights: &[i32]) {
    if let Some(kernel) = kernel {
        let rows = &rows[..K::ROWS];
        assert_eq!(products(kernel, rows, weights), expected(rows, weights));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 3 } else { 256 }))]

    #[test]
    fn all_kernels_are_exact((rows, weights) in inputs()) {
        check(Some(Plain), &rows, &weights);
        #[cfg(target_arch = "x86_64")]
        {
            check(super::avx2::Avx2::detect(), &rows, &weights);
            check(super::avx_vnni::AvxVnni::detect(), &rows, &weights);
            check(super::avx512::Avx512::detect(), &rows, &weights);
        }
        #[cfg(target_arch = "aarch64")]
        {
            check(super::neon::Neon::detect(), &rows, &weights);
            check(super::neon_dot::NeonDot::detect(), &rows, &weights);
        }
    }
}

#[test]
fn the_largest_products_do_not_overflow() {
    for sign in [1, -1] {
        let (rows, weights) = (vec![vec![127; 1536]; 12], vec![127 * sign; 1536 * PANEL * 2]);
        check(Some(Plain), &rows, &weights);
        #[cfg(target_arch = "x86_64")]
        {
            check(super::avx2::Avx2::detect(), &rows, &weights);
            check(super::avx_vnni::AvxVnni::detect(), &rows, &weights);
            check(super::avx512::Avx512::detect(), &rows, &weights);
        }
        #[cfg(target_arch = "aarch64")]
        {
            check(super::neon::Neon::detect(), &rows, &weights);
            check(super::neon_dot::NeonDot::detect(), &rows, &weights);
        }
    }
}
