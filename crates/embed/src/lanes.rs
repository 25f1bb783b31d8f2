//! Floating-point arithmetic over rows, sixteen numbers at a time.
//!
//! Plain Rust that the compiler turns into vector instructions of whatever
//! processor the caller is compiled for; every function is inlined into it.
//! Sums run in sixteen lanes that are joined in one fixed order, and nothing
//! is fused, so the result is the same to the bit everywhere.

use crate::weights::Norm;

/// How many numbers are worked on together.
pub const WIDTH: usize = 16;

pub type Lanes = [f32; WIDTH];

/// The larger of two, without `f32::max`'s care for what is not a number.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Joins lanes in halves, always in the same order.
#[inline(always)]
fn joined(mut lanes: Lanes, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = WIDTH / 2;
    while half > 0 {
        for at in 0..half {
            lanes[at] = join(lanes[at], lanes[at + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The sum of `f` over a row whose length is a multiple of the width.
#[inline(always)]
pub fn sum_of(row: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; WIDTH];
    for chunk in row.as_chunks::<WIDTH>().0 {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += f(*value);
        }
    }
    joined(lanes, |a, b| a + b)
}

/// The least and the largest number of a row.
#[inline(always)]
pub fn extremes(row: &[f32]) -> (f32, f32) {
    let (mut least, mut most) = ([f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]);
    for chunk in row.as_chunks::<WIDTH>().0 {
        for at in 0..WIDTH {
            least[at] = smaller(least[at], chunk[at]);
            most[at] = larger(most[at], chunk[at]);
        }
    }
    (joined(least, smaller), joined(most, larger))
}

/// Brings a row to mean 0 and deviation 1, then to the learned gain and offset.
#[inline(always)]
pub fn normalise(row: &mut [f32], norm: &Norm, epsilon: f32) {
    let n = row.len() as f32;
    let mean = sum_of(row, |value| value) / n;
    let variance = sum_of(row, |value| (value - mean) * (value - mean)) / n;
    let factor = 1.0 / (variance + epsilon).sqrt();
    for ((value, gain), offset) in row.iter_mut().zip(&norm.gain).zip(&norm.offset) {
        *value = (*value - mean) * factor * gain + offset;
    }
}

/// Makes probabilities of scores. What lies behind `n` becomes 0; the length
/// of the row is a multiple of the width.
#[inline(always)]
pub fn softmax(row: &mut [f32], n: usize) {
    row[n..].fill(f32::NEG_INFINITY);
    let mut lanes = [f32::NEG_INFINITY; WIDTH];
    for chunk in row.as_chunks::<WIDTH>().0 {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, *value);
        }
    }
    let largest = joined(lanes, larger);
    let mut sums = [0.0; WIDTH];
    for chunk in row.as_chunks_mut::<WIDTH>().0 {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *value = exp(*value - largest);
            *sum += *value;
        }
    }
    let factor = 1.0 / joined(sums, |a, b| a + b);
    for value in &mut row[..n] {
        *value *= factor;
    }
    row[n..].fill(0.0);
}

/// Adding this to a number below 2^22 rounds it to an integer, which then
/// stands in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// The nearest integer, ties to even, of a magnitude below 2^22.
#[inline(always)]
pub fn nearest(value: f32) -> i32 {
    (value + ROUNDER).to_bits().cast_signed() - ROUNDER.to_bits().cast_signed()
}

/// e^x for x ≤ 0, to about 2e-7 of its value.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "the constants as they are published")]
pub fn exp(x: f32) -> f32 {
    // Below this the result would not be a normal number; 1e-38 will do for 0.
    let x = larger(x, -87.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    // ln 2 in two parts, the first with few enough bits for an exact product.
    let r = x - n * 0.693_359_375 - n * -2.121_944_4e-4;
    let mut p = 1.987_569_150_0e-4;
    for c in [1.398_199_950_7e-3, 8.333_451_907_3e-3, 4.166_579_589_4e-2, 1.666_666_545_9e-1, 0.5] {
        p = p * r + c;
    }
    let fraction = p * r * r + r + 1.0;
    let power = (rounded.to_bits() << 23).wrapping_add(127 << 23);
    fraction * f32::from_bits(power)
}

/// x · Φ(x), with Φ the normal distribution, to about 1e-6.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function as a quotient of two polynomials; beyond ±4 it is ±1.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "the constants as they are published")]
fn erf(x: f32) -> f32 {
    let x = if x > 4.0 { 4.0 } else { x };
    let x = if x < -4.0 { -4.0 } else { x };
    let square = x * x;
    let mut above = -2.726_142_258_013_06e-10;
    for c in [
        2.770_681_424_959_02e-8,
        -2.101_024_020_825_08e-6,
        -5.692_506_394_623_46e-5,
        -7.349_906_303_268_55e-4,
        -2.954_599_808_540_25e-3,
        -1.609_603_332_624_15e-2,
    ] {
        above = above * square + c;
    }
    let mut below = -1.456_607_184_649_96e-5;
    for c in [
        -2.133_740_552_789_05e-4,
        -1.682_826_974_382_03e-3,
        -7.373_329_167_204_68e-3,
        -1.426_473_905_141_89e-2,
    ] {
        below = below * square + c;
    }
    x * above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_to_the_library() {
        for step in 0..8_700 {
            let x = -0.01 * step as f32;
            let (found, expected) = (exp(x), x.exp());
            assert!((found - expected).abs() <= 3e-7 * expected, "e^{x}: {found}, {expected}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    /// Φ by summing the density in small steps.
    fn distribution(x: f64) -> f64 {
        let steps = 20_000;
        let width = x / f64::from(steps);
        let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let middle = |step: i32| density((f64::from(step) + 0.5) * width);
        0.5 + width * (0..steps).map(middle).sum::<f64>()
    }

    #[test]
    fn gelu_is_x_times_the_normal_distribution() {
        for step in -120..=120 {
            let x = f64::from(step) / 15.0;
            let (found, expected) = (f64::from(gelu(x as f32)), x * distribution(x));
            assert!((found - expected).abs() < 2e-6, "gelu({x}): {found}, {expected}");
        }
    }

    #[test]
    fn nearest_rounds_ties_to_even() {
        let found: Vec<i32> =
            [-127.0, -2.5, -1.5, -0.4, 0.5, 1.5, 126.6].map(nearest).into_iter().collect();
        assert_eq!(found, [-127, -2, -2, 0, 0, 2, 127]);
    }

    #[test]
    fn softmax_ignores_what_lies_behind() {
        let mut row = [9.0; 16];
        row[..3].copy_from_slice(&[0.0, 2.0_f32.ln(), 5.0_f32.ln()]);
        softmax(&mut row, 3);
        for (found, expected) in row.iter().zip([0.125, 0.25, 0.625, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{row:?}");
        }
    }
}
