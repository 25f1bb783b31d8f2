//! What can go wrong between a client and GitLab, on demand.
//!
//! A plan is seeded and decides by request number, so the same requests in the
//! same order meet the same faults. It touches no state but its own counters;
//! the server carries the faults out.

use crate::world::mix;
use std::collections::BTreeMap;
use std::time::Duration;

/// Probabilities are between 0 and 1 and independent of each other's order of
/// fields; the default plan does nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultPlan {
    pub seed: u64,
    /// Only requests whose path and query contain this; `None`: all.
    pub path_contains: Option<String>,
    /// At most this many failed requests, so that a run surely ends.
    pub limit: Option<u64>,

    pub p500: f64,
    /// A proxy's HTML page.
    pub p502: f64,
    pub p503: f64,
    /// 503 with `Retry-After`.
    pub p503_retry_after: f64,
    /// The throttle's plain-text 429 with `Retry-After`.
    pub p429_throttle: f64,
    /// The endpoint limiter's JSON 429 without `Retry-After`.
    pub p429_endpoint: f64,
    /// What `Retry-After` says.
    pub retry_after_seconds: u32,
    /// After every so many requests, a burst of throttled ones.
    pub storm: Option<FaultBurst>,
    /// The connection is reset before any byte of the answer.
    pub p_reset_before: f64,
    /// The connection is reset in the middle of the body.
    pub p_reset_mid_body: f64,
    /// The body ends early, the connection closes orderly.
    pub p_short_read: f64,
    /// A complete answer whose JSON is cut off.
    pub p_truncate_json: f64,
    /// A whole answer with blanks in it, up to `huge_bytes`.
    pub p_huge_page: f64,
    /// The same, compressed whatever the client accepts.
    pub p_gzip_bomb: f64,
    pub huge_bytes: usize,
    /// A whole answer, one byte of the body at a time with `drip` between.
    pub p_slow_body: f64,
    pub drip: Duration,
    /// Every page of a list promises another one, empty ones included.
    pub endless_lists: bool,
    /// The first so many requests to every URL fail.
    pub fail_first_n: u32,
    pub fail_first_with: Fault,

    pub p_slow: f64,
    pub slow: Duration,

    /// Answers without `X-Next-Page`, without `Link`, without both.
    pub p_drop_next_page: f64,
    pub p_drop_link: f64,
    pub p_drop_both: f64,

    /// Share of pages that hold fewer items than asked for, and of pages that
    /// hold none, though more follow. Nothing is lost: the items come later.
    pub p_short_page: f64,
    pub p_empty_page: f64,

    /// After every so many list requests, one listed item changes.
    pub mutate_every: Option<u64>,
    /// After every so many list requests, one listed item is deleted.
    pub delete_every: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultBurst {
    pub every: u64,
    pub length: u64,
}

/// One failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Internal500,
    Html502,
    Unavailable503,
    Unavailable503RetryAfter,
    Throttled429,
    Endpoint429,
    ResetBefore,
    ResetMidBody,
    ShortRead,
    TruncateJson,
    HugePage,
    GzipBomb,
    SlowBody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderFault {
    DropNextPage,
    DropLink,
    DropBoth,
}

impl Default for FaultPlan {
    fn default() -> Self {
        FaultPlan {
            seed: 0,
            path_contains: None,
            limit: None,
            p500: 0.0,
            p502: 0.0,
            p503: 0.0,
            p503_retry_after: 0.0,
            p429_throttle: 0.0,
            p429_endpoint: 0.0,
            retry_after_seconds: 1,
            storm: None,
            p_reset_before: 0.0,
            p_reset_mid_body: 0.0,
            p_short_read: 0.0,
            p_truncate_json: 0.0,
            p_huge_page: 0.0,
            p_gzip_bomb: 0.0,
            huge_bytes: 64 * 1024 * 1024,
            p_slow_body: 0.0,
            drip: Duration::from_millis(20),
            endless_lists: false,
            fail_first_n: 0,
            fail_first_with: Fault::Internal500,
            p_slow: 0.0,
            slow: Duration::from_millis(50),
            p_drop_next_page: 0.0,
            p_drop_link: 0.0,
            p_drop_both: 0.0,
            p_short_page: 0.0,
            p_empty_page: 0.0,
            mutate_every: None,
            delete_every: None,
        }
    }
}

impl FaultPlan {
    /// A bit of everything that a patient client survives, `share` of all
    /// requests in sum.
    pub fn stormy(seed: u64, share: f64) -> Self {
        let each = share / 9.0;
        FaultPlan {
            seed,
            p500: each,
            p502: each,
            p503: each,
            p503_retry_after: each,
            p429_throttle: each,
            p429_endpoint: each,
            p_reset_before: each,
            p_reset_mid_body: each,
            p_short_read: each / 2.0,
            p_truncate_json: each / 2.0,
            p_short_page: 0.1,
            p_empty_page: 0.02,
            retry_after_seconds: 0,
            ..FaultPlan::default()
        }
    }

    /// How many of `per_page` places of page `page` hold an item. Depends on
    /// the page alone, so that asking twice shows the same.
    pub fn places(&self, page: u64, per_page: u64) -> u64 {
        let roll = self.roll(page, 0x7061_6765);
        if roll < self.p_empty_page {
            0
        } else if roll < self.p_empty_page + self.p_short_page {
            (per_page / 2).max(1)
        } else {
            per_page
        }
    }

    pub fn has_short_pages(&self) -> bool {
        self.p_short_page > 0.0 || self.p_empty_page > 0.0
    }

    pub fn applies_to(&self, path_and_query: &str) -> bool {
        self.path_contains.as_ref().is_none_or(|part| path_and_query.contains(part.as_str()))
    }

    fn roll(&self, n: u64, salt: u64) -> f64 {
        let bits = mix(mix(self.seed ^ salt).wrapping_add(n)) >> 11;
        bits as f64 / (1u64 << 53) as f64
    }

    fn pick(&self, n: u64) -> Option<Fault> {
        let shares = [
            (self.p500, Fault::Internal500),
            (self.p502, Fault::Html502),
            (self.p503, Fault::Unavailable503),
            (self.p503_retry_after, Fault::Unavailable503RetryAfter),
            (self.p429_throttle, Fault::Throttled429),
            (self.p429_endpoint, Fault::Endpoint429),
            (self.p_reset_before, Fault::ResetBefore),
            (self.p_reset_mid_body, Fault::ResetMidBody),
            (self.p_short_read, Fault::ShortRead),
            (self.p_truncate_json, Fault::TruncateJson),
            (self.p_huge_page, Fault::HugePage),
            (self.p_gzip_bomb, Fault::GzipBomb),
            (self.p_slow_body, Fault::SlowBody),
        ];
        pick_share(self.roll(n, 0x6661_756c), &shares)
    }

    fn pick_header(&self, n: u64) -> Option<HeaderFault> {
        let shares = [
            (self.p_drop_next_page, HeaderFault::DropNextPage),
            (self.p_drop_link, HeaderFault::DropLink),
            (self.p_drop_both, HeaderFault::DropBoth),
        ];
        pick_share(self.roll(n, 0x6865_6164), &shares)
    }
}

fn pick_share<T: Copy>(roll: f64, shares: &[(f64, T)]) -> Option<T> {
    let mut sum = 0.0;
    shares.iter().find_map(|(share, picked)| {
        sum += share;
        (roll < sum).then_some(*picked)
    })
}

/// What one request meets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdict {
    pub slow: Option<Duration>,
    pub fault: Option<Fault>,
    pub headers: Option<HeaderFault>,
    pub is_endless: bool,
}

/// A plan at work, with what it has counted so far.
#[derive(Debug, Default)]
pub struct FaultState {
    pub plan: FaultPlan,
    n_requests: u64,
    n_faults: u64,
    n_lists: u64,
    seen: BTreeMap<String, u32>,
}

/// What a list request sets off in the world.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disturbance {
    pub mutate: Option<u64>,
    pub delete: Option<u64>,
}

impl FaultState {
    pub fn new(plan: FaultPlan) -> Self {
        FaultState { plan, ..FaultState::default() }
    }

    /// The fate of the next request.
    pub fn next(&mut self, path_and_query: &str) -> Verdict {
        if !self.plan.applies_to(path_and_query) {
            return Verdict::default();
        }
        self.n_requests += 1;
        let n = self.n_requests;
        let slow = (self.plan.roll(n, 0x736c_6f77) < self.plan.p_slow).then_some(self.plan.slow);
        let fault = self
            .first_failure(path_and_query)
            .or_else(|| self.storm(n))
            .or_else(|| self.plan.pick(n))
            .filter(|_| self.plan.limit.is_none_or(|limit| self.n_faults < limit));
        self.n_faults += u64::from(fault.is_some());
        let is_endless = self.plan.endless_lists;
        Verdict { slow, fault, headers: self.plan.pick_header(n), is_endless }
    }

    fn first_failure(&mut self, path_and_query: &str) -> Option<Fault> {
        if self.plan.fail_first_n == 0 {
            return None;
        }
        let seen = self.seen.entry(path_and_query.to_owned()).or_default();
        *seen += 1;
        (*seen <= self.plan.fail_first_n).then_some(self.plan.fail_first_with)
    }

    /// Requests `every+1 ..= every+length` of each cycle are refused.
    fn storm(&self, n: u64) -> Option<Fault> {
        let storm = self.plan.storm?;
        let place = (n - 1) % (storm.every + storm.length).max(1);
        (place >= storm.every).then_some(Fault::Throttled429)
    }

    /// To be called after each list that was answered; numbers seed the choice
    /// of the item.
    pub fn after_list(&mut self, path_and_query: &str) -> Disturbance {
        if !self.plan.applies_to(path_and_query) {
            return Disturbance::default();
        }
        self.n_lists += 1;
        let n = self.n_lists;
        let due = |every: Option<u64>| {
            every.filter(|every| n.is_multiple_of((*every).max(1))).map(|_| mix(self.plan.seed ^ n))
        };
        Disturbance { mutate: due(self.plan.mutate_every), delete: due(self.plan.delete_every) }
    }

    pub fn n_faults(&self) -> u64 {
        self.n_faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(plan: &FaultPlan, n: usize) -> Vec<Option<Fault>> {
        let mut state = FaultState::new(plan.clone());
        (0..n).map(|_| state.next("/x").fault).collect()
    }

    #[test]
    fn the_default_plan_does_nothing() {
        assert!(verdicts(&FaultPlan::default(), 1000).iter().all(Option::is_none));
    }

    #[test]
    fn the_same_seed_gives_the_same_faults_in_the_asked_share() {
        let plan = FaultPlan::stormy(7, 0.3);
        let first = verdicts(&plan, 10_000);
        assert_eq!(first, verdicts(&plan, 10_000));
        assert_ne!(first, verdicts(&FaultPlan::stormy(8, 0.3), 10_000));
        let n = first.iter().flatten().count();
        assert!((2_700..3_300).contains(&n), "{n}");
    }

    #[test]
    fn storms_come_in_bursts() {
        let plan =
            FaultPlan { storm: Some(FaultBurst { every: 3, length: 2 }), ..FaultPlan::default() };
        let refused: Vec<bool> = verdicts(&plan, 10).iter().map(Option::is_some).collect();
        assert_eq!(refused, [false, false, false, true, true, false, false, false, true, true]);
    }

    #[test]
    fn a_limit_ends_the_trouble() {
        let plan = FaultPlan { p500: 1.0, limit: Some(3), ..FaultPlan::default() };
        assert_eq!(verdicts(&plan, 10).iter().flatten().count(), 3);
    }

    #[test]
    fn the_first_requests_to_every_url_fail() {
        let mut state = FaultState::new(FaultPlan { fail_first_n: 2, ..FaultPlan::default() });
        let mut failed = |url: &str| state.next(url).fault.is_some();
        assert!(failed("/a") && failed("/b") && failed("/a") && !failed("/a") && failed("/b"));
    }

    #[test]
    fn a_filter_leaves_the_rest_alone() {
        let plan =
            FaultPlan { p500: 1.0, path_contains: Some("issues".into()), ..FaultPlan::default() };
        let mut state = FaultState::new(plan);
        assert!(state.next("/api/v4/user").fault.is_none());
        assert!(state.next("/api/v4/projects/1/issues").fault.is_some());
    }
}
