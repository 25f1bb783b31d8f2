//! Questions people would ask of the demo history, and where the answer is.
//! From `crates/sim/demo/README.md`, which says more.
//!
//! Asked by words and by meaning together, with the built-in model. One of the
//! 25 is not here: why NATS was introduced in the first place (#11) finds its
//! removal first, and of the introduction only the merge request (!16).

use crate::lore;
use serde_json::Value;

/// The answer the README names first must be among the first ten hits, itself
/// or by one of its threads.
const QUESTIONS: &[(&str, &str)] = &[
    ("Why did we switch from JSON lines to SQLite?", "orchard/frostline#3"),
    ("Why not PostgreSQL?", "orchard/frostline#3"),
    ("Why did we remove NATS?", "orchard/frostline#21"),
    ("What caused the duplicate alarms of 17 April 2023?", "orchard/frostline#18"),
    ("How do we make sure an alarm is sent only once?", "orchard/frostline#19"),
    ("Why are there no API keys any more?", "orchard/frostline#12"),
    ("Why not mTLS for the gateways?", "orchard/frostline#12"),
    ("Why is the token not a JWT?", "orchard/frostline!17"),
    ("How long does a token live, and why?", "orchard/frostline!17"),
    ("Why was the end of API keys postponed?", "orchard/frostline#26"),
    ("Why do we use the wet-bulb temperature?", "orchard/frostline#6"),
    ("Why was Stull's formula replaced?", "orchard/frostline#28"),
    ("Why not simply shift the threshold by half a degree?", "orchard/frostline#28"),
    ("What is a night?", "orchard/frostline#4"),
    ("Why JSON and not CBOR?", "orchard/fieldkit#3"),
    ("Why full jitter and not exponential backoff alone?", "orchard/fieldkit#4"),
    ("What is the difference between an alarm and an alert?", "orchard/frostline#10"),
    ("Why do we keep minima and not means of old readings?", "orchard/frostline#25"),
    ("What happens when the SMS does not arrive?", "orchard/frostline#22"),
    ("Why does the status page have no JavaScript?", "orchard/frostline#9"),
    ("Why is there no degree sign in the messages?", "orchard/frostline#30"),
    ("How can a gateway with a wrong clock get a token?", "orchard/fieldkit#7"),
    ("How does the cursor deal with readings that arrive late?", "orchard/frostline!28"),
    ("Who owns the store since Dag left, and what does it rely on?", "orchard/frostline#27"),
];

#[test]
fn questions_find_where_they_were_answered() {
    let mut env = lore();
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let playground = env.dir().join("playground");
    env.set_var("LORE_EMBEDDING_PROVIDER", "builtin");
    let _ = env.lore_in(&playground, &["embed", "-q"], "").success();
    let mut missed = Vec::new();
    for (question, answer) in QUESTIONS {
        let output = env.lore_in(&playground, &["search", question, "-n", "10", "--json"], "");
        let document: Value = serde_json::from_str(&output.success().stdout).unwrap();
        let hits = document["data"]["items"].as_array().unwrap();
        let references: Vec<&str> =
            hits.iter().filter_map(|hit| hit["reference"].as_str()).collect();
        if !references.contains(answer) {
            missed.push(format!("{question} → {answer}, found {references:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
