//! Questions people would ask of the demo history, and where the answer is.
//! From `crates/sim/demo/README.md`, which says more.
//!
//! Not reached by words alone: why NATS was introduced (#11; the talk of its
//! end has more of the words), what a night is (#4; one word, in every thread),
//! why there is no degree sign (#30; it is called by other names there).

use crate::lore;
use serde_json::Value;

/// The first of the references that answer must be among the first ten hits.
const QUESTIONS: &[(&str, &str)] = &[
    ("Why did we switch from JSON lines to SQLite?", "orchard/frostline#3"),
    ("Why not PostgreSQL?", "orchard/frostline#32"),
    ("Why did we remove NATS?", "orchard/frostline!30"),
    ("What caused the duplicate alarms of 17 April 2023?", "orchard/frostline#18"),
    ("How do we make sure an alarm is sent only once?", "orchard/frostline#19"),
    ("Why are there no API keys any more?", "orchard/frostline#26"),
    ("Why not mTLS for the gateways?", "orchard/frostline#12"),
    ("Why is the token not a JWT?", "orchard/frostline!17"),
    ("Why do we use the wet-bulb temperature?", "orchard/frostline#6"),
    ("Why was Stull's formula replaced?", "orchard/frostline!36"),
    ("Why not simply shift the threshold by half a degree?", "orchard/frostline#28"),
    ("Why JSON and not CBOR?", "orchard/fieldkit!4"),
    ("Why full jitter and not exponential backoff alone?", "orchard/fieldkit#4"),
    ("What is the difference between an alarm and an alert?", "orchard/frostline#10"),
    ("Why do we keep minima and not means of old readings?", "orchard/frostline!29"),
    ("What happens when the SMS does not arrive?", "orchard/frostline!26"),
    ("Why does the status page have no JavaScript?", "orchard/frostline#9"),
    ("How can a gateway with a wrong clock get a token?", "orchard/fieldkit#7"),
    ("How does the cursor deal with readings that arrive late?", "orchard/frostline!28"),
    ("Who owns the store since Dag left, and what does it rely on?", "orchard/frostline#27"),
];

#[test]
fn questions_find_where_they_were_answered() {
    let env = lore();
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let playground = env.dir().join("playground");
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
