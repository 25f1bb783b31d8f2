//! Runs as a whole: the lock, stopping, failing in part, telling what happened.

use crate::harness::{Site, assert_same};
use model::{Clock, ErrorCode, Timestamp};
use sim::{Corpus, FaultPlan};
use std::time::Duration;
use store::lock::AppLock;
use store::runs::{self, RunStatus};
use store::{Writer, queue};

fn corpus() -> Site {
    let site = Site::of(Corpus::new(3, 60, 40).build().unwrap());
    // Long after the last change, so that nothing is still unsettled.
    site.wait(Duration::from_secs(86_400));
    site
}

struct At(Timestamp);

impl Clock for At {
    fn now(&self) -> Timestamp {
        self.0
    }
}

#[test]
fn a_second_run_is_refused_while_one_is_at_work() {
    let site = corpus();
    let mut writer = Writer::open(&site.database()).unwrap();
    let clock = At(site.server.world().now());
    let lock =
        AppLock::acquire(&mut writer, &site.database(), "ada, process 1", &clock, false).unwrap();
    let error = site.run(site.options(site.database())).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Locked);
    assert!(error.message().contains("ada, process 1"), "{error}");
    lock.release(&mut writer).unwrap();
    site.sync();
}

#[test]
fn a_stopped_run_is_continued_not_repeated() {
    let site = corpus();
    let undisturbed = site.undisturbed();
    let mut runs = 0;
    loop {
        let stop = model::CancelToken::default();
        let trigger = stop.clone();
        let before = site.server.requests().entries.len();
        let watched = &site.server;
        let report = std::thread::scope(|scope| {
            scope.spawn(move || {
                while watched.requests().entries.len() < before + 120 && !trigger.is_cancelled() {
                    std::thread::yield_now();
                }
                trigger.cancel();
            });
            let report = site.run_until(site.options(site.database()), stop.clone()).unwrap();
            stop.cancel();
            report
        });
        runs += 1;
        if report.status == RunStatus::Succeeded {
            break;
        }
        assert_eq!(report.status, RunStatus::Interrupted);
        assert!(runs < 50, "it never gets done");
    }
    assert!(runs > 2, "it was never interrupted");
    assert_same(&site.dump(), &undisturbed, "after stops");
}

#[test]
fn one_failing_project_does_not_stop_the_others() {
    let site = corpus();
    let mut options = site.options(site.database());
    options.projects.insert(0, "no/such-project".to_owned());
    let report = site.run(options).unwrap();
    assert_eq!(report.status, RunStatus::Partial);
    let failed: Vec<_> = report.projects.iter().filter(|project| project.error.is_some()).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].error.as_ref().unwrap().code, "GITLAB_NOT_FOUND");
    assert!(report.projects.iter().any(|project| project.issues.new > 0));
}

#[test]
fn only_failing_projects_are_an_error() {
    let site = corpus();
    let mut options = site.options(site.database());
    options.projects = vec!["no/such-project".to_owned()];
    let error = site.run(options).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ForgeNotFound);
    assert!(error.message().starts_with("no/such-project"), "{error}");
}

#[test]
fn a_job_that_keeps_failing_waits_and_the_rest_is_done() {
    let site = corpus();
    site.server.set_faults(FaultPlan {
        p500: 1.0,
        path_contains: Some("/issues/1/discussions".to_owned()),
        ..FaultPlan::default()
    });
    let report = site.sync();
    assert_eq!((report.queue_waiting, report.queue_failed), (1, 1), "{report:?}");
    let failed = queue::failed(&site.reader(), 10).unwrap();
    assert!(failed[0].last_error.contains("500"), "{failed:?}");
    assert!(failed[0].attempts >= 2, "{failed:?}");
    site.server.set_faults(FaultPlan::default());
    let report = site.sync_with(|options| options.retry_failed = true);
    assert_eq!(report.queue_waiting, 0);
    assert_same(&site.dump(), &site.undisturbed(), "after the trouble");
}

#[test]
fn a_forge_that_goes_down_ends_the_run_soon() {
    let site = corpus();
    site.server.set_faults(FaultPlan {
        p500: 1.0,
        path_contains: Some("resource_".to_owned()),
        ..FaultPlan::default()
    });
    let mut options = site.options(site.database());
    options.wanted = options.wanted.without(|what| !what.is_event());
    let error = site.run(options).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NetworkError);
    site.server.set_faults(FaultPlan::default());
    site.sync_with(|options| options.retry_failed = true);
    assert_same(&site.dump(), &site.undisturbed(), "after the outage");
}

#[test]
fn a_dry_run_stores_nothing() {
    let site = corpus();
    let report = site.sync_with(|options| options.dry_run = true);
    assert!(report.is_dry_run);
    assert_eq!(report.projects.iter().map(|project| project.issues.new).sum::<u64>(), 60);
    assert_eq!(site.dump(), Vec::<String>::new());
    assert_eq!(runs::latest(&site.reader(), 10).unwrap(), []);
}

#[test]
fn every_run_leaves_its_row() {
    let site = corpus();
    site.sync();
    site.wait(Duration::from_secs(60));
    site.sync();
    let runs = runs::latest(&site.reader(), 10).unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run.status == RunStatus::Succeeded));
    assert!(runs[1].counts["projects"][0]["issues"]["new"].as_u64().unwrap() > 0);
}

#[test]
fn sets_that_were_switched_off_are_fetched_when_wanted() {
    let site = corpus();
    site.sync_with(|options| {
        options.wanted = options.wanted.clone().without(model::record::DependentKind::is_event);
    });
    assert!(!site.dump().iter().any(|line| line.starts_with("label_event")));
    site.sync();
    assert_same(&site.dump(), &site.undisturbed(), "after switching on");
}
