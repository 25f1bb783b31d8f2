//! The demo history says where its decisions were made: are those notes among
//! the evidence of the issue's timeline, and judged to carry a decision?

use crate::lore;
use serde_json::Value;

/// Issue, and words of the note that decides it.
const DECIDED: &[(&str, &str)] = &[
    ("orchard/frostline#6", "Let's go with Stull's formula"),
    ("orchard/fieldkit#3", "JSON with gzip"),
    ("orchard/frostline#12", "device keys with short-lived tokens"),
    ("orchard/frostline#25", "hourly minima"),
    ("orchard/frostline#28", "we replace Stull's formula"),
];

#[test]
fn decisions_of_the_demo_are_found() {
    let env = lore();
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let playground = env.dir().join("playground");
    let mut missed = Vec::new();
    for (issue, words) in DECIDED {
        let args = ["timeline", issue, "--depth", "0", "--evidence", "3", "--json"];
        let output = env.lore_in(&playground, &args, "").success();
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        let events = document["data"]["events"].as_array().unwrap();
        let is_it = |event: &&Value| {
            event["details"]["is_decision_bearing"] == true
                && event["summary"].as_str().is_some_and(|summary| summary.contains(words))
        };
        if !events.iter().any(|event| is_it(&event)) {
            missed.push(format!("{issue}: {words}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
