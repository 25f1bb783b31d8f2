//! Questions asked of the demo's memory: the record that answers is found, and
//! use changes the order only among near ties.

use crate::lore;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::TestEnv;

/// A question, and the records that answer it.
const QUESTIONS: &[(&str, &[&str])] = &[
    ("why do we not use postgres", &["dec-akce6qfe", "dec-5096m0x2"]),
    ("which database do we use and why", &["dec-5096m0x2", "dec-akce6qfe"]),
    ("why was NATS removed", &["dec-55pf09aa"]),
    ("message queue between ingest and evaluation", &["dec-55pf09aa", "dec-q3cnfpnj"]),
    ("duplicate alarms sent several times", &["dec-xaetfry2", "dec-55pf09aa", "pat-hqt9wnh3"]),
    ("how is an alarm sent only once", &["dec-xaetfry2", "pat-hqt9wnh3"]),
    ("mTLS for gateways", &["dec-1zmzw7a2"]),
    ("static API keys", &["dec-1zmzw7a2", "dec-665nr3yk"]),
    ("wet bulb formula", &["dec-p3svkbyv", "dec-hjzf2rh0"]),
    ("false alarms model change", &["pat-sf8qbn4y", "dec-p3svkbyv"]),
    ("when does a night begin", &["dec-es1r5b22"]),
    ("primary key of readings", &["dec-xevh87n5"]),
    ("clock skew of gateways, two timestamps", &["dec-tn3w90ed"]),
    ("CBOR or JSON", &["dec-tc9gdw5w"]),
    ("frontend framework React", &["dec-epja3c3w"]),
    ("difference between alarm and alert", &["dec-s5vg2y8c"]),
    ("retry after the server was down", &["pat-7w6x763d"]),
    ("SMS not delivered", &["dec-cc80190c"]),
    ("averages of temperature per hour", &["dec-wf1nn49q"]),
    ("unicode characters in text messages", &["dec-b34dsde2", "pat-pqfp765b"]),
    ("boxes without network", &["dec-665nr3yk"]),
    ("testing a new frost model", &["pat-sf8qbn4y"]),
];

/// By words alone; meaning finds the rest.
const FIRST_AT_LEAST: usize = 16;
const AMONG_THREE_AT_LEAST: usize = 19;
/// What use can lift a record by: 1.15 for how often, 1.1 for how lately.
const NEAR_TIE: f64 = 1.15 * 1.1 + 0.01;

fn playground() -> (TestEnv, PathBuf) {
    let env = lore().with_var("LORE_NOW", "2024-10-01T09:00:00Z");
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let clone = env.dir().join("playground/orchard/frostline");
    (env, clone)
}

/// Ids and scores, best first.
fn recalled(env: &TestEnv, clone: &Path, question: &str, more: &[&str]) -> Vec<(String, f64)> {
    let words = [&["recall", question, "--json", "-n", "10"], more].concat();
    let output = env.lore_in(clone, &words, "").success();
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let items = answer["data"]["items"].as_array().unwrap().clone();
    let pair = |item: &Value| Some((item["id"].as_str()?.to_owned(), item["score"].as_f64()?));
    items.iter().filter_map(pair).collect()
}

#[test]
fn the_record_that_answers_is_found() {
    let (env, clone) = playground();
    let mut n_first = 0;
    let mut n_among_three = 0;
    let mut missed = Vec::new();
    for (question, wanted) in QUESTIONS {
        let found = recalled(&env, &clone, question, &[]);
        let place = found.iter().position(|(id, _)| wanted.contains(&id.as_str()));
        n_first += usize::from(place == Some(0));
        n_among_three += usize::from(place.is_some_and(|place| place < 3));
        if place != Some(0) {
            missed.push(format!("{question}: place {place:?}"));
        }
    }
    assert!(n_first >= FIRST_AT_LEAST, "{n_first} first; {missed:#?}");
    assert!(n_among_three >= AMONG_THREE_AT_LEAST, "{n_among_three}; {missed:#?}");
}

#[test]
fn what_is_used_much_overtakes_near_ties_only() {
    let (env, clone) = playground();
    for popular in ["dec-b34dsde2", "pat-pqfp765b", "dec-s5vg2y8c"] {
        for _ in 0..5 {
            let _ = env.lore_in(&clone, &["memory", "show", popular], "").success();
        }
    }
    let mut n_overtaken = 0;
    for (question, _) in QUESTIONS {
        // What was superseded stands behind its successor, whatever the scores.
        let as_it_is = ["--without", "superseded"];
        let unused =
            ["--without", "superseded", "--without", "frequency", "--without", "last-access"];
        let plain: BTreeMap<String, f64> =
            recalled(&env, &clone, question, &unused).into_iter().collect();
        let ranked = recalled(&env, &clone, question, &as_it_is);
        for (place, (winner, _)) in ranked.iter().enumerate() {
            for (loser, _) in &ranked[place + 1..] {
                let (Some(winner), Some(loser)) = (plain.get(winner), plain.get(loser)) else {
                    continue;
                };
                if winner < loser {
                    n_overtaken += 1;
                    assert!(loser / winner < NEAR_TIE, "{question}: {winner} overtook {loser}");
                }
            }
        }
    }
    assert!(n_overtaken > 0, "use made no difference at all");
}
