//! A quantile sketch: how long things took, in a few dozen bytes.
//!
//! Durations are counted in bins whose bounds grow by 5 %, so that a quantile
//! is wrong by at most 2.5 % whatever the distribution. Sketches add up and can be
//! taken from each other exactly, which averages and stored quantiles cannot.

use std::collections::BTreeMap;

/// Each bin ends this much above where it begins.
const GROWTH: f64 = 1.05;
/// Longer ones are counted in the last bin: about nine days.
const LAST_BIN: u16 = 560;

/// The bin of a duration in microseconds.
pub fn bin(micros: u64) -> u16 {
    if micros <= 1 {
        return 0;
    }
    let bin = ((micros as f64).ln() / GROWTH.ln()).ceil();
    (bin as u16).min(LAST_BIN)
}

/// The middle of a bin, in microseconds.
fn middle(bin: u16) -> u64 {
    if bin == 0 {
        return 1;
    }
    let upper = GROWTH.powi(i32::from(bin));
    (f64::midpoint(upper / GROWTH, upper)).round() as u64
}

/// How many durations fell into which bin. A difference may hold negative counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    bins: BTreeMap<u16, i64>,
}

impl Sketch {
    pub fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    pub fn count(&self) -> i64 {
        self.bins.values().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// Counts a bin `n` times more; fewer where `n` is negative.
    pub fn add(&mut self, bin: u16, n: i64) {
        let count = self.bins.entry(bin.min(LAST_BIN)).or_default();
        *count = count.saturating_add(n);
        if *count == 0 {
            self.bins.remove(&bin.min(LAST_BIN));
        }
    }

    pub fn merge(&mut self, other: &Sketch) {
        for (bin, n) in &other.bins {
            self.add(*bin, *n);
        }
    }

    /// The duration in microseconds below which the share `q` of all lies; none
    /// where nothing was counted.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let counts = self.bins.values().filter(|n| **n > 0);
        let total = counts.fold(0_i64, |sum, n| sum.saturating_add(*n));
        if total == 0 {
            return None;
        }
        let rank = ((total as f64 * q).ceil() as i64).clamp(1, total);
        let mut seen = 0_i64;
        for (bin, n) in self.bins.iter().filter(|(_, n)| **n > 0) {
            seen = seen.saturating_add(*n);
            if seen >= rank {
                return Some(middle(*bin));
            }
        }
        None
    }

    /// As few bytes as it takes: pairs of variable-length numbers. Negative counts
    /// are left out.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut before = 0;
        for (bin, n) in self.bins.iter().filter(|(_, n)| **n > 0) {
            varint(u64::from(bin - before), &mut bytes);
            varint(*n as u64, &mut bytes);
            before = *bin;
        }
        bytes
    }

    /// What [`Sketch::to_bytes`] wrote; of damaged bytes, what is whole.
    pub fn from_bytes(bytes: &[u8]) -> Sketch {
        let mut sketch = Sketch::default();
        let (mut rest, mut at) = (bytes, 0_u16);
        while let Some((gap, after)) = read_varint(rest)
            && let Some((n, after)) = read_varint(after)
        {
            at = at.saturating_add(u16::try_from(gap).unwrap_or(u16::MAX)).min(LAST_BIN);
            sketch.add(at, i64::try_from(n).unwrap_or(i64::MAX));
            rest = after;
        }
        sketch
    }
}

fn varint(mut value: u64, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push((value as u8) | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn read_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(at as u32 * 7)?;
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(micros: &[u64]) -> Sketch {
        let mut sketch = Sketch::default();
        for one in micros {
            sketch.add(bin(*one), 1);
        }
        sketch
    }

    proptest! {
        #[test]
        fn a_quantile_is_within_the_promised_error(
            mut micros in prop::collection::vec(1_u64..600_000_000, 1..300),
            q in 0.01_f64..1.0,
        ) {
            let told = of(&micros).quantile(q).unwrap() as f64;
            micros.sort_unstable();
            let rank = ((micros.len() as f64 * q).ceil() as usize).clamp(1, micros.len());
            let exact = micros[rank - 1] as f64;
            prop_assert!((told - exact).abs() <= exact * 0.026 + 1.0, "{told} for {exact}");
        }

        #[test]
        fn bytes_are_read_back(micros in prop::collection::vec(0_u64..u64::MAX, 0..100)) {
            let sketch = of(&micros);
            prop_assert_eq!(Sketch::from_bytes(&sketch.to_bytes()), sketch);
        }

        #[test]
        fn any_bytes_are_a_sketch(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let sketch = Sketch::from_bytes(&bytes);
            prop_assert!(sketch.is_empty() || sketch.quantile(0.5).is_some());
        }

        #[test]
        fn what_was_merged_can_be_taken_away(
            one in prop::collection::vec(1_u64..1_000_000, 0..50),
            other in prop::collection::vec(1_u64..1_000_000, 0..50),
        ) {
            let mut sketch = of(&one);
            sketch.merge(&of(&other));
            for micros in &other {
                sketch.add(bin(*micros), -1);
            }
            prop_assert_eq!(sketch, of(&one));
        }
    }
}
