//! What makes one record of memory rank before another that matches as well:
//! its age, its use, its weight, and whose it is.
//!
//! A record's score is the score of its text times these factors. Use can
//! raise it by at most a quarter ([`FREQUENCY_CAP`] times [`LAST_ACCESS`]), so
//! it decides among near ties and cannot run away.

use model::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::memory::access::Use;

/// Days after which age has halved a score.
const HALF_LIFE: f64 = 30.0;
/// What no age takes away: a decision holds until it is superseded, and that
/// is told apart. Without it the youngest record that shares a word wins
/// (docs/benchmarks.md).
const DECAY_FLOOR: f64 = 0.8;
const FREQUENCY: f64 = 0.15;
/// More than two accesses raise a record no further.
pub const FREQUENCY_CAP: f64 = 1.15;
const IMPORTANCE: f64 = 0.2;
/// What an access just now adds; fades with the days since.
pub const LAST_ACCESS: f64 = 0.1;
const SAME_PROJECT: f64 = 1.5;
/// What was superseded is still found, but lower.
const SUPERSEDED: f64 = 0.5;

/// One of the factors, as people name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    Decay,
    Frequency,
    Importance,
    LastAccess,
    Project,
    Superseded,
}

impl Factor {
    pub const ALL: [Factor; 6] = [
        Factor::Decay,
        Factor::Frequency,
        Factor::Importance,
        Factor::LastAccess,
        Factor::Project,
        Factor::Superseded,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Factor::Decay => "decay",
            Factor::Frequency => "frequency",
            Factor::Importance => "importance",
            Factor::LastAccess => "last-access",
            Factor::Project => "project",
            Factor::Superseded => "superseded",
        }
    }
}

/// What the factors follow from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    pub created_at: Timestamp,
    /// 1 to 5.
    pub importance: u8,
    /// None: never used.
    pub usage: Option<Use>,
    pub is_same_project: bool,
    pub is_superseded: bool,
}

/// What the score of the text was multiplied with; 1 where a factor says
/// nothing or is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Factors {
    /// 0.8 + 0.2 / (1 + days / 30).
    pub decay: f64,
    /// 1 + 0.15 ln(1 + n), at most 1.15.
    pub frequency: f64,
    /// 1 + 0.2 importance / 5.
    pub importance: f64,
    /// 1 + 0.1 e^(-days / 30) since the last access.
    pub last_access: f64,
    /// 1.5 in the project asked from.
    pub project: f64,
    /// 0.5 for what was superseded.
    pub superseded: f64,
}

impl Factors {
    pub fn product(&self) -> f64 {
        self.decay
            * self.frequency
            * self.importance
            * self.last_access
            * self.project
            * self.superseded
    }
}

/// The factors of a record at a time, without those switched off.
pub fn factors(signals: &Signals, now: Timestamp, off: &[Factor]) -> Factors {
    let unless_off = |factor: Factor, value: f64| if off.contains(&factor) { 1.0 } else { value };
    let n = signals.usage.map_or(0, |usage| usage.n);
    let last = signals
        .usage
        .map_or(0.0, |usage| LAST_ACCESS * (-days_between(usage.last, now) / HALF_LIFE).exp());
    let age = days_between(signals.created_at, now);
    let frequency = (1.0 + FREQUENCY * (n as f64).ln_1p()).min(FREQUENCY_CAP);
    let importance = 1.0 + IMPORTANCE * f64::from(signals.importance.min(5)) / 5.0;
    Factors {
        decay: unless_off(Factor::Decay, decay(age)),
        frequency: unless_off(Factor::Frequency, frequency),
        importance: unless_off(Factor::Importance, importance),
        last_access: unless_off(Factor::LastAccess, 1.0 + last),
        project: unless_off(
            Factor::Project,
            if signals.is_same_project { SAME_PROJECT } else { 1.0 },
        ),
        superseded: unless_off(
            Factor::Superseded,
            if signals.is_superseded { SUPERSEDED } else { 1.0 },
        ),
    }
}

fn decay(age: f64) -> f64 {
    DECAY_FLOOR + (1.0 - DECAY_FLOOR) / (1.0 + age / HALF_LIFE)
}

/// Zero when `earlier` is in the future.
fn days_between(earlier: Timestamp, now: Timestamp) -> f64 {
    now.since(earlier).as_secs_f64() / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const DAY: Duration = Duration::from_secs(86_400);

    fn now() -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }

    fn days_ago(days: u32) -> Timestamp {
        now().minus(DAY * days)
    }

    fn plain() -> Signals {
        Signals {
            created_at: now(),
            importance: 3,
            usage: None,
            is_same_project: false,
            is_superseded: false,
        }
    }

    fn used(n: u64, days: u32) -> Signals {
        Signals { usage: Some(Use { n, last: days_ago(days) }), ..plain() }
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 0.0005, "{value} is not {expected}");
    }

    #[test]
    fn age_takes_a_fifth_at_most() {
        for (days, expected) in [(0, 1.0), (15, 0.933), (30, 0.9), (90, 0.85), (3650, 0.802)] {
            let signals = Signals { created_at: days_ago(days), ..plain() };
            near(factors(&signals, now(), &[]).decay, expected);
        }
        let future = Signals { created_at: now().plus(DAY * 9), ..plain() };
        near(factors(&future, now(), &[]).decay, 1.0);
    }

    #[test]
    fn use_counts_up_to_its_cap() {
        near(factors(&plain(), now(), &[]).frequency, 1.0);
        for (n, expected) in [(1, 1.104), (2, 1.15), (5, 1.15), (1_000_000, 1.15)] {
            near(factors(&used(n, 0), now(), &[]).frequency, expected);
        }
    }

    #[test]
    fn the_last_access_fades() {
        near(factors(&plain(), now(), &[]).last_access, 1.0);
        for (days, expected) in [(0, 1.1), (30, 1.037), (300, 1.0)] {
            near(factors(&used(1, days), now(), &[]).last_access, expected);
        }
    }

    #[test]
    fn importance_adds_up_to_a_fifth() {
        for (importance, expected) in [(1, 1.04), (3, 1.12), (5, 1.2), (9, 1.2)] {
            let signals = Signals { importance, ..plain() };
            near(factors(&signals, now(), &[]).importance, expected);
        }
    }

    #[test]
    fn the_own_project_and_what_was_superseded() {
        let own = Signals { is_same_project: true, ..plain() };
        near(factors(&own, now(), &[]).project, 1.5);
        let old = Signals { is_superseded: true, ..plain() };
        near(factors(&old, now(), &[]).superseded, 0.5);
    }

    #[test]
    fn each_factor_can_be_switched_off() {
        let all = Signals {
            created_at: days_ago(90),
            importance: 5,
            usage: Some(Use { n: 9, last: now() }),
            is_same_project: true,
            is_superseded: true,
        };
        for factor in Factor::ALL {
            let found = factors(&all, now(), &[factor]);
            let values = [
                found.decay,
                found.frequency,
                found.importance,
                found.last_access,
                found.project,
                found.superseded,
            ];
            let n_off = values.iter().filter(|value| (**value - 1.0).abs() < 1e-9).count();
            assert_eq!(n_off, 1, "{factor:?}");
        }
        near(factors(&all, now(), &Factor::ALL).product(), 1.0);
    }

    #[test]
    fn use_never_lifts_a_record_by_more_than_a_quarter_and_a_bit() {
        let most = factors(&used(u64::MAX, 0), now(), &[Factor::Importance]).product();
        near(most, FREQUENCY_CAP * (1.0 + LAST_ACCESS));
        assert!(most < 1.27);
    }
}
