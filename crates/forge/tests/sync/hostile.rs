//! A forge that means harm: what it sends takes bounded memory, time and disk,
//! what is stored stays, and what failed comes with a later run.

use crate::harness::Site;
use forge::sync::{ListingLimit, Stop};
use sim::FaultPlan;
use std::time::Duration;
use store::runs::RunStatus;

const HISTORY: &str = r#"
user ada "Ada"
user bo "Bo"
project harbor/tide "Tide"
issue #1 "The gate is stuck" by ada at 2024-01-01T09:00
  comment bo +1h
    | Since yesterday.
issue #2 "Lamps" by bo at 2024-01-02T09:00
  comment ada +1h
    | Which?
"#;

fn on_discussions(plan: FaultPlan) -> FaultPlan {
    FaultPlan { path_contains: Some("discussions".into()), ..plan }
}

/// What failed is told of, what was stored is kept, and a later run brings the
/// rest.
fn fails_and_recovers(plan: FaultPlan, word: &str) {
    let site = Site::scenario(HISTORY);
    site.server.set_faults(plan);
    let client = site.client_with(|options| {
        options.max_body_bytes = 2 << 20;
        options.max_attempts = 2;
        options.slow_start = Duration::from_millis(100);
    });
    let report = site.run_by(client, site.options(site.database()), Stop::default()).unwrap();
    assert_eq!(report.queue_failed, 2, "{report:?}");
    let failed = store::queue::failed(&site.reader(), 10).unwrap();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed.iter().all(|job| job.last_error.contains(word)), "{failed:?}");
    site.server.set_faults(FaultPlan::default());
    site.sync_with(|options| options.retry_failed = true);
    assert_eq!(site.dump(), site.undisturbed());
}

#[test]
fn huge_pages_are_put_off_and_come_later() {
    let plan = FaultPlan { p_huge_page: 1.0, huge_bytes: 3 << 20, ..FaultPlan::default() };
    fails_and_recovers(on_discussions(plan), "larger than 2 MiB");
}

#[test]
fn a_gzip_bomb_is_stopped_at_the_limit_of_what_it_unpacks_to() {
    let plan = FaultPlan { p_gzip_bomb: 1.0, huge_bytes: 64 << 20, ..FaultPlan::default() };
    fails_and_recovers(on_discussions(plan), "larger than 2 MiB");
}

#[test]
fn a_body_that_drips_is_given_up() {
    let drip = Duration::from_millis(20);
    let plan = FaultPlan { p_slow_body: 1.0, drip, ..FaultPlan::default() };
    fails_and_recovers(on_discussions(plan), "too slowly");
}

#[test]
fn a_listing_without_end_stops_and_keeps_what_came() {
    let site = Site::scenario(HISTORY);
    site.server.set_faults(FaultPlan {
        endless_lists: true,
        path_contains: Some("/issues?".into()),
        ..FaultPlan::default()
    });
    let report = site.sync();
    assert_eq!(report.status, RunStatus::Partial, "{report:?}");
    let text = format!("{report:?}");
    assert!(text.contains("the list of issues of harbor/tide has no end"), "{text}");
    assert!(site.server.requests().total < 300);
    site.server.set_faults(FaultPlan::default());
    site.sync();
    assert_eq!(site.dump(), site.undisturbed());
}

#[test]
fn a_listing_longer_than_its_limit_goes_on_in_the_next_run() {
    // An hour apart: a run goes on after the last stamp it has seen.
    let issues: String = (0..250)
        .map(|n| {
            let (day, hour) = (n / 24 + 1, n % 24);
            format!("issue #{} \"Lamp\" by ada at 2024-01-{day:02}T{hour:02}:00\n", n + 1)
        })
        .collect();
    let head = "user ada \"Ada\"\nproject harbor/tide \"Tide\"\n";
    let site = Site::scenario(&format!("{head}{issues}"));
    let once = |options: &mut forge::sync::SyncOptions| {
        options.overlap = Duration::ZERO;
        options.listing = ListingLimit { max_pages: 2, ..ListingLimit::default() };
    };
    let report = site.sync_with(once);
    assert_eq!(report.status, RunStatus::Partial);
    assert!(format!("{report:?}").contains("did not end within 2 pages"), "{report:?}");
    for _ in 0..3 {
        site.sync_with(once);
    }
    let report = site.sync_with(once);
    assert_eq!(report.status, RunStatus::Succeeded, "{report:?}");
    assert_eq!(site.dump(), site.undisturbed());
}
