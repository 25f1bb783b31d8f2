//! Six answers as agents get them, about symbols of Django.

use wire::Payload;

const ALL: [(&str, &str); 6] = [
    ("context_for_task_small", include_str!("../fixtures/context_for_task_small.json")),
    ("context_for_task_medium", include_str!("../fixtures/context_for_task_medium.json")),
    ("context_for_files", include_str!("../fixtures/context_for_files.json")),
    ("blast_radius", include_str!("../fixtures/blast_radius.json")),
    ("semantic_diff", include_str!("../fixtures/semantic_diff.json")),
    ("graph_query", include_str!("../fixtures/graph_query.json")),
];

pub fn all() -> Vec<(&'static str, Payload)> {
    ALL.iter().map(|(name, json)| (*name, serde_json::from_str(json).unwrap())).collect()
}

pub fn named(name: &str) -> Payload {
    all().into_iter().find(|(known, _)| *known == name).unwrap().1
}
