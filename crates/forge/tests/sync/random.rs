//! Thousands of random changes at the forge, syncs in between, faults on top.

use crate::harness::{Site, assert_same, tireless};
use crate::truth;
use fastrand::Rng;
use sim::{FaultPlan, World};

/// One simulation. After every sync the database must equal the forge; at the
/// end it must equal a sync from nothing as well.
fn simulate(seed: u64, steps: usize, gap: u32, faults: FaultPlan) {
    let mut rng = Rng::with_seed(seed);
    let site = Site::of(World::new());
    let mut log = vec![format!("seed {seed}")];
    site.change(|world| log.push(sim::mutate::step(world, &mut rng)));
    for step in 0..steps {
        site.change(|world| log.push(format!("{step}: {}", sim::mutate::step(world, &mut rng))));
        // On average `gap` changes between two syncs.
        if rng.u32(..gap) == 0 || step + 1 == steps {
            site.server.set_faults(FaultPlan { seed: rng.u64(..), ..faults.clone() });
            site.sync_with(|options| {
                options.reconcile = tireless();
                options.full = rng.u8(..10) == 0;
            });
            let (held, real) =
                (truth::of_database(&site.reader()), truth::of_world(&site.server.world()));
            let recent = log[log.len().saturating_sub(30)..].join("\n");
            assert_same(&held, &real, &format!("seed {seed}, after step {step}:\n{recent}\n"));
        }
    }
    // Relations differ by rights: a sync from nothing knows no former names of
    // projects, and what a merge closed was frozen then.
    let comparable = |lines: Vec<String>| -> Vec<String> {
        let is_frozen = |line: &String| line.starts_with("reference") || line.starts_with("closes");
        lines.into_iter().filter(|line| !is_frozen(line)).collect()
    };
    assert_same(
        &comparable(site.living()),
        &comparable(site.undisturbed_living()),
        &format!("seed {seed}, at the end"),
    );
}

fn rough() -> FaultPlan {
    FaultPlan {
        p500: 0.04,
        p502: 0.02,
        p503: 0.02,
        p429_endpoint: 0.02,
        p_reset_before: 0.02,
        p_reset_mid_body: 0.02,
        p_truncate_json: 0.02,
        p_short_read: 0.01,
        ..FaultPlan::default()
    }
}

#[test]
fn many_syncs_on_a_calm_day() {
    simulate(1, 300, 15, FaultPlan::default());
}

#[test]
fn many_syncs_on_a_rough_day() {
    simulate(2, 300, 15, rough());
}

#[test]
fn two_thousand_rough_steps() {
    simulate(3, 2000, 250, rough());
}
