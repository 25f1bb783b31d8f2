//! Generated worlds: repeatable, whole, and heavy-tailed.

use crate::support::Api;
use model::EntityKind;
use sim::{Corpus, FaultPlan, Options};
use std::collections::BTreeMap;

#[test]
fn a_seed_always_makes_the_same_world() {
    let corpus = Corpus::new(3, 60, 40);
    let (one, two) = (corpus.build().unwrap(), corpus.build().unwrap());
    assert!(one.entities().eq(two.entities()));
    let other = Corpus::new(4, 60, 40).build().unwrap();
    assert!(!one.entities().eq(other.entities()));
}

#[test]
fn the_counts_are_as_asked_over_all_projects() {
    let corpus = Corpus { projects: 3, ..Corpus::new(1, 100, 50) };
    let world = corpus.build().unwrap();
    let count = |kind| world.entities().filter(|entity| entity.kind() == kind).count();
    assert_eq!((count(EntityKind::Issue), count(EntityKind::MergeRequest)), (100, 50));
    assert_eq!(world.projects().count(), 3);
    for project in world.projects() {
        let iids: Vec<i64> =
            world.entities_of(project.id, EntityKind::Issue).map(|entity| entity.iid().0).collect();
        assert!(iids.iter().copied().eq(1..=iids.len() as i64));
    }
}

#[test]
fn sizes_are_heavy_tailed_and_some_text_is_odd() {
    let corpus = Corpus { huge_descriptions: 1, ..Corpus::new(9, 700, 300) };
    let world = corpus.build().unwrap();
    let mut lengths: Vec<usize> =
        world.entities().map(|entity| entity.description.as_ref().map_or(0, String::len)).collect();
    lengths.sort_unstable();
    assert!(lengths[999] >= 1_000_000);
    assert!(lengths[990] > 5 * lengths[500], "{} {}", lengths[990], lengths[500]);
    let notes: usize = world.entities().map(|entity| entity.notes().count()).sum();
    assert!(notes > 1000, "{notes}");
    let has = |what: &str| {
        world.entities().any(|entity| entity.notes().any(|note| note.body.contains(what)))
    };
    assert!(has("\r\n") && has("\u{202e}") && has("👩‍👩‍👧‍👦"));
    let closing = world.entities().filter_map(|entity| entity.merge_request());
    assert!(closing.filter(|mr| !mr.closes.is_empty()).count() > 50);
}

#[test]
fn runs_of_rows_share_one_timestamp() {
    let corpus = Corpus { tie_every: 200, tie_length: 120, ..Corpus::new(2, 400, 0) };
    let world = corpus.build().unwrap();
    let mut ties: BTreeMap<_, usize> = BTreeMap::new();
    for entity in world.entities() {
        *ties.entry(entity.updated_at).or_default() += 1;
    }
    assert!(ties.values().filter(|count| **count >= 120).count() == 2);
}

#[test]
fn it_can_be_read_whole_over_a_bad_line() {
    let world = Corpus::new(5, 150, 0).build().unwrap();
    let faults = FaultPlan { p_short_page: 0.3, p_empty_page: 0.1, ..FaultPlan::default() };
    let api = Api::with(world, Options { faults, ..Options::default() });
    let (items, _) = api.all("/projects/1/issues?order_by=updated_at&sort=asc&per_page=20");
    let mut iids: Vec<i64> = items.iter().map(|item| item["iid"].as_i64().unwrap()).collect();
    iids.sort_unstable();
    assert!(iids.into_iter().eq(1..=150));
}
