//! Each kind of trouble alone, and all at once: the record is the same.

use crate::harness::{Site, assert_same};
use sim::fault::{Fault, FaultBurst};
use sim::{Corpus, FaultPlan};
use std::time::Duration;

fn world() -> sim::World {
    Corpus::new(7, 50, 40).build().unwrap()
}

/// Syncs under the plan (again, where a run had to give up) and compares.
#[track_caller]
fn check(name: &str, plan: FaultPlan) {
    let site = Site::of(world());
    site.wait(Duration::from_secs(3600));
    site.server.set_faults(plan);
    for _ in 0..5 {
        let outcome = site.run(site.options(site.database()));
        let is_done = outcome.is_ok_and(|report| report.queue_waiting == 0);
        if is_done {
            break;
        }
    }
    assert_same(&site.dump(), &site.undisturbed(), name);
}

fn calm() -> FaultPlan {
    FaultPlan {
        seed: 11,
        slow: Duration::from_millis(5),
        retry_after_seconds: 0,
        ..FaultPlan::default()
    }
}

#[test]
fn server_errors() {
    check("500", FaultPlan { p500: 0.1, ..calm() });
    check("502", FaultPlan { p502: 0.1, ..calm() });
    check("503", FaultPlan { p503: 0.05, p503_retry_after: 0.05, ..calm() });
}

#[test]
fn rate_limits_and_storms() {
    check("429", FaultPlan { p429_throttle: 0.05, p429_endpoint: 0.05, ..calm() });
    check("storm", FaultPlan { storm: Some(FaultBurst { every: 50, length: 6 }), ..calm() });
}

#[test]
fn broken_connections_and_bodies() {
    check("reset", FaultPlan { p_reset_before: 0.05, p_reset_mid_body: 0.05, ..calm() });
    check("short read", FaultPlan { p_short_read: 0.1, ..calm() });
    check("truncated", FaultPlan { p_truncate_json: 0.1, ..calm() });
}

#[test]
fn pages_that_do_not_say_what_follows() {
    check("no next page", FaultPlan { p_drop_next_page: 0.5, ..calm() });
    check("no link", FaultPlan { p_drop_link: 0.5, ..calm() });
    check("neither", FaultPlan { p_drop_both: 1.0, ..calm() });
    check("short pages", FaultPlan { p_short_page: 0.3, p_empty_page: 0.1, ..calm() });
}

#[test]
fn a_first_answer_that_always_fails() {
    let plan = FaultPlan { fail_first_n: 1, fail_first_with: Fault::Internal500, ..calm() };
    check("first", plan);
}

#[test]
fn all_faults_in_one_sync() {
    check(
        "all",
        FaultPlan {
            p500: 0.05,
            p502: 0.03,
            p503: 0.02,
            p429_throttle: 0.02,
            p429_endpoint: 0.02,
            storm: Some(FaultBurst { every: 200, length: 5 }),
            p_reset_before: 0.03,
            p_reset_mid_body: 0.02,
            p_short_read: 0.02,
            p_truncate_json: 0.02,
            p_slow: 0.02,
            p_drop_next_page: 0.1,
            p_drop_link: 0.1,
            ..calm()
        },
    );
}
