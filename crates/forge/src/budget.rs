//! One allowance of requests for a whole run, shared by everybody who calls
//! the same server.
//!
//! Three rules, each of which only ever makes a caller wait longer: lore's own
//! pace (a token bucket with a small burst), the allowance the server reports
//! with each answer, and the pauses it demands. Callers are served in the order
//! they came. Time is tokio's, so tests can stop it; nothing here reads a wall
//! clock.

use model::Progress;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Waits shorter than this are not worth telling anybody about.
const WORTH_TELLING: Duration = Duration::from_millis(250);
/// How far ahead of its pace a quiet client may run, in requests.
const BURST: u32 = 4;
/// Slower than one request an hour is not a pace but a typing error.
const SLOWEST: Duration = Duration::from_secs(3600);
/// The last requests of an allowance are spread out, but no further than this:
/// a window may be an hour long.
const WIDEST_SPREAD: Duration = Duration::from_secs(60);
/// Reports of one rate window may disagree by the rounding of two clocks.
const SAME_WINDOW: Duration = Duration::from_secs(2);

/// A cheap handle; clones share one allowance.
#[derive(Clone)]
pub struct Budget(Arc<Shared>);

struct Shared {
    /// Held while waiting, which is what makes the order first come, first
    /// served: tokio's mutex is fair.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    max_wait: Duration,
    progress: Arc<dyn Progress>,
}

struct State {
    pace: Option<Pace>,
    window: Option<Window>,
    pause: Option<Pause>,
}

/// The token bucket, kept as the time at which it would be full again.
struct Pace {
    interval: Duration,
    full_at: Instant,
}

/// What the server says is left until a moment.
struct Window {
    ends: Instant,
    left: u64,
    /// Below this many, the rest is spread evenly over the time that remains.
    low: u64,
    last_taken: Instant,
}

struct Pause {
    until: Instant,
    reason: String,
}

/// What a server's answer says about the calls it will still take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub limit: Option<u64>,
    pub remaining: u64,
    pub resets_in: Duration,
}

/// The server asks for a longer wait than lore is willing to sit out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    pub wait: Duration,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server asks to wait {}", model::time::human_duration(self.wait))
    }
}

impl std::error::Error for TooLong {}

enum Step {
    Go,
    Wait { until: Instant, reason: String, by_server: bool },
}

impl Budget {
    /// `requests_per_second` of none (or of a nonsense value) sets no pace of
    /// our own; the server's wishes are obeyed all the same.
    pub fn new(
        requests_per_second: Option<f64>,
        max_wait: Duration,
        progress: Arc<dyn Progress>,
    ) -> Self {
        let pace =
            requests_per_second.filter(|rate| rate.is_finite() && *rate > 0.0).map(|rate| Pace {
                interval: Duration::try_from_secs_f64(1.0 / rate)
                    .map_or(SLOWEST, |interval| interval.min(SLOWEST)),
                full_at: Instant::now(),
            });
        Budget(Arc::new(Shared {
            turn: tokio::sync::Mutex::new(()),
            state: Mutex::new(State { pace, window: None, pause: None }),
            max_wait,
            progress,
        }))
    }

    /// Returns when one request may be sent.
    pub async fn acquire(&self) -> Result<(), TooLong> {
        let _turn = self.0.turn.lock().await;
        loop {
            let now = Instant::now();
            let (until, reason, by_server) = match self.state().step(now) {
                Step::Go => return Ok(()),
                Step::Wait { until, reason, by_server } => (until, reason, by_server),
            };
            let wait = until.saturating_duration_since(now);
            if by_server && wait > self.0.max_wait {
                return Err(TooLong { wait });
            }
            if wait > WORTH_TELLING {
                self.0.progress.waiting(&reason, wait);
            }
            // A pause that is lengthened meanwhile is seen on the next round.
            sleep_until(until).await;
        }
    }

    /// Nobody sends anything for `wait`. A longer pause already in force stays.
    pub fn pause(&self, wait: Duration, reason: &str) {
        let now = Instant::now();
        // Beyond any clock's range is the same as for ever.
        let until = now.checked_add(wait).unwrap_or(now + Duration::from_secs(365 * 86_400));
        let mut state = self.state();
        if state.pause.as_ref().is_none_or(|pause| pause.until < until) {
            state.pause = Some(Pause { until, reason: reason.to_owned() });
        }
    }

    /// Takes note of what an answer says is left.
    pub fn observe(&self, allowance: Allowance) {
        let now = Instant::now();
        let Some(ends) = now.checked_add(allowance.resets_in) else { return };
        let mut state = self.state();
        match &mut state.window {
            // An answer that was long under way, about a window that is over.
            Some(window) if ends + SAME_WINDOW < window.ends => {}
            // Requests still in flight are counted here before the server
            // counts them, so the smaller number is the truer one.
            Some(window) if ends < window.ends + SAME_WINDOW && now < window.ends => {
                window.left = window.left.min(allowance.remaining);
            }
            _ => {
                state.window = Some(Window {
                    ends,
                    left: allowance.remaining,
                    low: allowance.limit.map_or(20, |limit| (limit / 10).max(5)),
                    last_taken: now,
                });
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change to the state is a plain assignment; a panic elsewhere
        // cannot leave it half made.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn step(&mut self, now: Instant) -> Step {
        if let Some(pause) = &self.pause {
            if now < pause.until {
                return Step::Wait {
                    until: pause.until,
                    reason: pause.reason.clone(),
                    by_server: true,
                };
            }
            self.pause = None;
        }
        if self.window.as_ref().is_some_and(|window| window.ends <= now) {
            self.window = None;
        }
        if let Some(window) = &self.window {
            let (until, reason) = if window.left == 0 {
                (window.ends, "the server's rate limit is used up")
            } else if window.left < window.low {
                let share = window.ends.duration_since(window.last_taken)
                    / u32::try_from(window.left + 1).unwrap_or(u32::MAX);
                let share = share.min(WIDEST_SPREAD);
                (window.last_taken + share, "the server's rate limit is nearly used up")
            } else {
                (now, "")
            };
            if now < until {
                return Step::Wait { until, reason: reason.to_owned(), by_server: true };
            }
        }
        if let Some(pace) = &mut self.pace {
            // The bucket is full at `full_at`; a request may go as long as that
            // lies no more than the burst ahead.
            let ahead = pace.full_at.saturating_duration_since(now);
            let too_early = ahead.saturating_sub(pace.interval * (BURST - 1));
            if !too_early.is_zero() {
                return Step::Wait {
                    until: now + too_early,
                    reason: "keeping to the configured number of requests per second".to_owned(),
                    by_server: false,
                };
            }
            pace.full_at = pace.full_at.max(now) + pace.interval;
        }
        if let Some(window) = &mut self.window {
            window.left = window.left.saturating_sub(1);
            window.last_taken = now;
        }
        Step::Go
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use model::progress::NoProgress;
    use std::fmt::Write;

    const FOREVER: Duration = Duration::from_secs(900);

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    /// The moments, in milliseconds, at which `n` requests were let through.
    async fn moments(budget: &Budget, n: usize) -> Vec<u128> {
        let start = Instant::now();
        let mut moments = Vec::new();
        for _ in 0..n {
            budget.acquire().await.unwrap();
            moments.push(start.elapsed().as_millis());
        }
        moments
    }

    #[derive(Default)]
    struct RecordedNotes(Mutex<String>);

    impl Progress for RecordedNotes {
        fn phase(&self, _: &str, _: Option<u64>) {}
        fn advance(&self, _: u64) {}
        fn grow(&self, _: u64) {}
        fn waiting(&self, reason: &str, wait: Duration) {
            writeln!(self.0.lock().unwrap(), "{reason}: {wait:?}").unwrap();
        }
        fn note(&self, _: &str) {}
        fn finish(&self) {}
    }

    fn check_told(told: &RecordedNotes, expected: &Expect) {
        expected.assert_eq(&told.0.lock().unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pace_of_ten_lets_a_burst_go_and_then_one_each_tenth_of_a_second() {
        let budget = Budget::new(Some(10.0), FOREVER, Arc::new(NoProgress));
        assert_eq!(moments(&budget, 8).await, [0, 0, 0, 0, 100, 200, 300, 400]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_pace_nobody_waits() {
        for rate in [None, Some(f64::NAN), Some(0.0), Some(-3.0), Some(f64::INFINITY)] {
            let budget = Budget::new(rate, FOREVER, Arc::new(NoProgress));
            assert_eq!(moments(&budget, 100).await.last(), Some(&0), "{rate:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn absurdly_slow_paces_do_not_overflow() {
        let budget = Budget::new(Some(f64::MIN_POSITIVE), FOREVER, Arc::new(NoProgress));
        assert_eq!(moments(&budget, 5).await, [0, 0, 0, 0, 3_600_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_stops_everybody_and_a_shorter_one_does_not_end_it() {
        let told = Arc::new(RecordedNotes::default());
        let budget = Budget::new(None, FOREVER, told.clone());
        budget.pause(seconds(30), "the server said so");
        budget.pause(seconds(2), "something minor");
        assert_eq!(moments(&budget, 2).await, [30_000, 30_000]);
        check_told(
            &told,
            &expect![[r"
            the server said so: 30s
        "]],
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_lengthened_while_waiting_is_kept_to() {
        let budget = Budget::new(None, FOREVER, Arc::new(NoProgress));
        budget.pause(seconds(1), "short");
        let waiter = tokio::spawn({
            let budget = budget.clone();
            async move { moments(&budget, 1).await }
        });
        tokio::time::sleep(Duration::from_millis(500)).await;
        budget.pause(seconds(10), "long");
        assert_eq!(waiter.await.unwrap(), [10_500]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_cap_is_refused_at_once() {
        let budget = Budget::new(None, seconds(900), Arc::new(NoProgress));
        budget.pause(seconds(3600), "hourly limit");
        let refused = budget.acquire().await.unwrap_err();
        assert_eq!(refused.to_string(), "the server asks to wait 1h 00m");
        budget.pause(Duration::MAX, "nonsense");
        assert!(budget.acquire().await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn plenty_left_means_no_waiting() {
        let budget = Budget::new(None, FOREVER, Arc::new(NoProgress));
        budget.observe(Allowance { limit: Some(2000), remaining: 1500, resets_in: seconds(60) });
        assert_eq!(moments(&budget, 50).await.last(), Some(&0));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_few_are_spread_over_the_window_and_then_it_stops() {
        let told = Arc::new(RecordedNotes::default());
        let budget = Budget::new(None, FOREVER, told.clone());
        budget.observe(Allowance { limit: Some(100), remaining: 3, resets_in: seconds(60) });
        assert_eq!(moments(&budget, 5).await, [15_000, 30_000, 45_000, 60_000, 60_000]);
        check_told(
            &told,
            &expect![[r"
            the server's rate limit is nearly used up: 15s
            the server's rate limit is nearly used up: 15s
            the server's rate limit is nearly used up: 15s
            the server's rate limit is used up: 15s
        "]],
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_window_neither_stretches_its_last_requests_nor_is_waited_for() {
        let budget = Budget::new(None, seconds(900), Arc::new(NoProgress));
        budget.observe(Allowance { limit: Some(7200), remaining: 2, resets_in: seconds(3600) });
        assert_eq!(moments(&budget, 2).await, [60_000, 120_000]);
        assert_eq!(budget.acquire().await, Err(TooLong { wait: seconds(3480) }));
    }

    #[tokio::test(start_paused = true)]
    async fn late_answers_do_not_raise_the_allowance_again() {
        let budget = Budget::new(None, FOREVER, Arc::new(NoProgress));
        let report = |remaining| Allowance { limit: None, remaining, resets_in: seconds(60) };
        budget.observe(report(0));
        budget.observe(report(400));
        assert_eq!(moments(&budget, 1).await, [60_000]);
        budget.observe(report(400));
        assert_eq!(moments(&budget, 1).await, [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn callers_are_served_in_the_order_they_came() {
        let budget = Budget::new(Some(10.0), FOREVER, Arc::new(NoProgress));
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiters = Vec::new();
        for n in 0..20 {
            let (budget, order) = (budget.clone(), order.clone());
            waiters.push(tokio::spawn(async move {
                budget.acquire().await.unwrap();
                order.lock().unwrap().push(n);
            }));
            tokio::task::yield_now().await;
        }
        for waiter in waiters {
            waiter.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..20).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_gives_up_does_not_block_the_next() {
        let budget = Budget::new(None, FOREVER, Arc::new(NoProgress));
        budget.pause(seconds(5), "pause");
        let hasty = tokio::time::timeout(seconds(1), budget.acquire()).await;
        assert!(hasty.is_err());
        assert_eq!(moments(&budget, 1).await, [4_000]);
    }
}
