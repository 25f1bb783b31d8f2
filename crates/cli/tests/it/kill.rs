//! `kill -9` at random moments: the next run goes on, and in the end the
//! record is that of a run nobody disturbed.

use crate::BINARY;
use std::process::Stdio;
use std::time::Duration;
use testkit::{Site, dump};

/// Kills in all. Rounds follow one another until there were that many.
const KILLS: usize = 200;

fn site(seed: u64) -> Site {
    let world = sim::Corpus::new(seed, 40, 30).build().unwrap();
    let mut site = Site::of(BINARY, world);
    // Long after the last change: nothing is unsettled and asked for again.
    site.server.world().advance(Duration::from_secs(86_400));
    // Real time: a killed run must be seen as killed by the clock on the wall.
    site.env.remove_var("LORE_NOW");
    site
}

#[test]
fn a_sync_survives_two_hundred_kills() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut kills = 0;
    let mut seed = 0;
    while kills < KILLS {
        seed += 1;
        let site = site(seed);
        site.sync();
        let mut disturbed = site.another_machine(BINARY);
        disturbed.remove_var("LORE_NOW");
        loop {
            let mut child = disturbed
                .command(&["sync", "-q"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(rng.u64(5_000..150_000)));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            kills += 1;
        }
        let _checked = disturbed.lore(&["sync", "-q"]).success();
        let differences = store::dump::differences(&dump(&disturbed), &dump(&site.env), 5);
        assert!(differences.is_empty(), "corpus {seed}, {kills} kills: {differences:#?}");
    }
}
