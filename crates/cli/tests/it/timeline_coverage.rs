//! Nothing that happened is missing: every event of every entity of a world
//! is in the timeline of that entity, folded or told; and the same question
//! gets the same answer, however many events share a moment.

use crate::BINARY;
use insight::timeline::{EventType, Request, Start, Timeline, TimelineEvent, timeline};
use model::reference::EntityReference;
use model::{EntityKind, Timestamp};
use search::Searcher;
use sim::Corpus;
use sim::world::{Entity, StateChange};
use std::collections::BTreeMap;
use store::Reader;
use testkit::Site;

/// Small enough to be quick, large enough for every kind of event.
fn site() -> Site {
    let mut corpus = Corpus::new(7, 60, 60);
    corpus.tie_every = 10;
    corpus.tie_length = 5;
    let mut world = corpus.build().unwrap();
    world.advance(std::time::Duration::from_secs(86_400));
    let site = Site::of(BINARY, world);
    site.sync();
    site
}

fn asked(reader: &Reader, kind: EntityKind, entity: &Entity, everything: bool) -> Timeline {
    let wanted = EntityReference {
        kind,
        host: None,
        project: Some("corpus/project-0".into()),
        iid: entity.iid(),
    };
    let request = Request {
        depth: 0,
        limit: usize::MAX,
        evidence: usize::MAX,
        everything,
        ..Request::new("", Start::Entity { wanted, project: None, here: None })
    };
    let searcher = Searcher { reader, provider: None, now: Timestamp::EPOCH };
    timeline(&searcher, &request).unwrap()
}

/// What the world says happened, by kind.
fn happened(entity: &Entity) -> Vec<(EventType, Timestamp)> {
    let states = entity.state_events.iter().map(|event| {
        let kind = match event.change {
            StateChange::Closed => EventType::Closed,
            StateChange::Reopened => EventType::Reopened,
            StateChange::Merged => EventType::Merged,
        };
        (kind, event.created_at)
    });
    let labels = entity.label_events.iter().map(|event| (EventType::Labels, event.created_at));
    let milestones =
        entity.milestone_events.iter().map(|event| (EventType::Milestone, event.created_at));
    std::iter::once((EventType::Created, entity.created_at))
        .chain(states)
        .chain(labels)
        .chain(milestones)
        .collect()
}

fn tally<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

#[test]
fn every_event_of_every_entity_is_told() {
    let site = site();
    let reader = Reader::open(&site.env.db()).unwrap();
    let world = site.server.world();
    let mut n_events = 0;
    for entity in world.entities() {
        let told = asked(&reader, entity.kind(), entity, true);
        let told = tally(told.events.iter().map(|event| (event.event_type, event.timestamp)));
        for (event, count) in tally(happened(entity).into_iter()) {
            let n_told = told.get(&event).copied().unwrap_or(0);
            assert!(n_told >= count, "{:?}{}: {event:?}", entity.kind(), entity.iid());
            n_events += count;
        }
    }
    assert!(n_events > 400, "only {n_events} events were compared");
}

#[test]
fn folding_loses_no_event() {
    let site = site();
    let reader = Reader::open(&site.env.db()).unwrap();
    let world = site.server.world();
    let mut n_folded = 0;
    for entity in world.entities() {
        let folded = asked(&reader, entity.kind(), entity, false);
        let stands_for = |event: &TimelineEvent| {
            let closer = usize::from(
                event.event_type == EventType::Closed && event.details.reference.is_some(),
            );
            event.details.folded.as_ref().map_or(1, |folded| folded.count) + closer
        };
        let n_told: usize = folded.events.iter().map(stands_for).sum();
        assert_eq!(n_told, folded.meta.total_events, "{:?}{}", entity.kind(), entity.iid());
        n_folded += n_told - folded.events.len();
    }
    assert!(n_folded > 50, "only {n_folded} events were folded");
}

#[test]
fn what_people_wrote_is_evidence_or_worthless() {
    let site = site();
    let reader = Reader::open(&site.env.db()).unwrap();
    let world = site.server.world();
    let (mut n_shown, mut n_written) = (0, 0);
    for entity in world.entities() {
        let told = asked(&reader, entity.kind(), entity, true);
        n_shown += told.meta.evidence_notes_included;
        n_written += entity.user_notes_count();
    }
    assert!(n_shown > n_written / 2, "{n_shown} of {n_written} notes");
}

#[test]
fn events_of_one_moment_keep_their_order() {
    let site = site();
    let other = site.another_machine(BINARY);
    let _ = other.lore(&["sync", "-q"]).success();
    let (mine, theirs) =
        (Reader::open(&site.env.db()).unwrap(), Reader::open(&other.db()).unwrap());
    let world = site.server.world();
    let mut n_ties = 0;
    for entity in world.entities() {
        let told = asked(&mine, entity.kind(), entity, true);
        assert_eq!(told, asked(&mine, entity.kind(), entity, true));
        // Row ids differ from machine to machine; what is told does not.
        let order = |timeline: &Timeline| -> Vec<(Timestamp, EventType, String)> {
            let key =
                |event: &TimelineEvent| (event.timestamp, event.event_type, event.summary.clone());
            timeline.events.iter().map(key).collect()
        };
        assert_eq!(order(&told), order(&asked(&theirs, entity.kind(), entity, true)));
        assert!(told.events.is_sorted_by_key(|event| event.timestamp));
        n_ties +=
            told.events.windows(2).filter(|pair| pair[0].timestamp == pair[1].timestamp).count();
    }
    assert!(n_ties > 20, "only {n_ties} events share a moment");
}
