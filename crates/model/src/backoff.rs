//! The one backoff of lore: HTTP retries, the fetch queue and the document
//! queue all wait by this rule.

use std::time::Duration;

/// Exponential growth from `base`, doubled per attempt, capped, with a spread
/// of ±10 % so that many waiters do not wake together.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    pub base: Duration,
    pub cap: Duration,
}

impl Backoff {
    /// For jobs that stay in a queue between runs: 1 s, 2 s, 4 s … 1 h.
    pub const QUEUE: Backoff =
        Backoff { base: Duration::from_secs(1), cap: Duration::from_hours(1) };

    /// The wait after the `attempts`-th failure (first failure: 1).
    ///
    /// `seed` picks the jitter; the same seed and attempt always give the same
    /// wait, which keeps tests and replays exact.
    pub fn delay(&self, attempts: u32, seed: u64) -> Duration {
        let doublings = attempts.saturating_sub(1).min(32);
        let grown = self.base.saturating_mul(1u32.checked_shl(doublings).unwrap_or(u32::MAX));
        let capped = grown.min(self.cap);
        let spread = (splitmix(seed ^ u64::from(attempts)) % 2001) as f64 / 10_000.0 - 0.1;
        capped.mul_f64(1.0 + spread)
    }
}

/// One round of SplitMix64: enough to spread waits, not a random generator.
fn splitmix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn doubles_until_the_cap() {
        let seconds: Vec<u64> =
            (1..=14).map(|n| Backoff::QUEUE.delay(n, 7).as_secs_f64().round() as u64).collect();
        for (index, wait) in seconds.iter().enumerate() {
            let ideal = (1u64 << index).min(3600) as f64;
            assert!((*wait as f64 - ideal).abs() <= ideal * 0.1 + 0.5, "{seconds:?}");
        }
    }

    proptest! {
        #[test]
        fn never_leaves_its_bounds(attempts in 0u32..1_000_000, seed in any::<u64>()) {
            let wait = Backoff::QUEUE.delay(attempts, seed);
            prop_assert!(wait >= Duration::from_millis(900));
            prop_assert!(wait <= Duration::from_secs(3960));
        }
    }
}
