//! Noise told in one line: changes made in one go, labels that come and go,
//! the same edit on many entities, mentions from all sides.
//!
//! Nothing is lost: a folded event says how many it stands for and when they
//! happened, and `--all` tells each.

use super::answer::{
    Details, EventType, FoldedEvents, ReferenceDetails, SubjectKind, TimelineEvent, short_reference,
};
use model::Timestamp;
use model::relation::RelationType;
use model::text::one_line;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Changes of one person to one entity this close together are one edit.
const ONE_GO: Duration = Duration::from_secs(3600);
/// An issue is closed this soon after the merge that closes it.
const ONE_MERGE: Duration = Duration::from_secs(600);
/// A label that changed this often on one entity flaps.
const FLAPS: usize = 3;
/// The same edit on this many entities in one go is a bulk edit.
const BULK: usize = 4;
/// Names in a folded line.
const NAMED: usize = 4;

/// Events in order, with the noise folded.
pub(super) fn fold(mut events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    events.sort_by(|a, b| a.order().cmp(&b.order()));
    let events = fold_flapping(events);
    let events = fold_bulk(events);
    let events = fold_edits(events);
    let events = fold_mentions(events);
    let events = fold_closings(events);
    let mut events = fold_beginnings(events);
    events.sort_by(|a, b| a.order().cmp(&b.order()));
    events
}

type Entity = (String, SubjectKind, Option<model::ids::Iid>);

fn entity(event: &TimelineEvent) -> Entity {
    (event.project.clone(), event.entity_type, event.entity_iid)
}

/// Takes out groups of at least `least`, puts in what `tell` makes of each.
fn fold_groups<K: Ord>(
    events: Vec<TimelineEvent>,
    least: usize,
    key: impl Fn(&TimelineEvent) -> Option<K>,
    tell: impl Fn(&[TimelineEvent]) -> TimelineEvent,
) -> Vec<TimelineEvent> {
    let mut groups: BTreeMap<K, Vec<TimelineEvent>> = BTreeMap::new();
    let mut kept = Vec::new();
    for event in events {
        match key(&event) {
            Some(key) => groups.entry(key).or_default().push(event),
            None => kept.push(event),
        }
    }
    for group in groups.into_values() {
        if group.len() >= least {
            kept.push(tell(&group));
        } else {
            kept.extend(group);
        }
    }
    kept
}

/// The first of a group, standing for all of it.
fn standing_for(group: &[TimelineEvent], summary: String) -> TimelineEvent {
    let last = group.iter().map(|event| event.timestamp).max();
    let first = &group[0];
    let count = group.iter().map(n_events).sum();
    TimelineEvent {
        summary: one_line(&summary, 200),
        actor: first
            .actor
            .clone()
            .filter(|actor| group.iter().all(|event| event.actor.as_ref() == Some(actor))),
        details: Details {
            folded: Some(FoldedEvents {
                count,
                first_at: first.timestamp,
                last_at: last.unwrap_or(first.timestamp),
                entities: Vec::new(),
            }),
            ..Details::default()
        },
        ..first.clone()
    }
}

fn n_events(event: &TimelineEvent) -> usize {
    event.details.folded.as_ref().map_or(1, |folded| folded.count)
}

fn only_label(event: &TimelineEvent) -> Option<&str> {
    let Details { labels_added, labels_removed, folded: None, .. } = &event.details else {
        return None;
    };
    match (labels_added.as_slice(), labels_removed.as_slice()) {
        ([label], []) | ([], [label]) => Some(label),
        _ => None,
    }
}

/// One label of one entity, on and off and on again.
fn fold_flapping(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    fold_groups(
        events,
        FLAPS,
        |event| only_label(event).map(|label| (entity(event), label.to_owned())),
        |group| {
            let label = only_label(&group[0]).unwrap_or_default();
            let last = &group[group.len() - 1];
            let state = if last.details.labels_added.is_empty() { "off" } else { "on" };
            let until = last.timestamp.to_minute();
            let until = until.get(..10).unwrap_or_default();
            standing_for(
                group,
                format!("{label} changed {} times until {until}, then {state}", group.len()),
            )
        },
    )
}

/// The same label or milestone given to many entities by one person in one go.
fn fold_bulk(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let is_edit = |event: &TimelineEvent| {
        matches!(event.event_type, EventType::Labels | EventType::Milestone | EventType::Assigned)
            && event.details.folded.is_none()
            && event.actor.is_some()
    };
    let runs = runs(&events, |event| {
        is_edit(event).then(|| (event.actor.clone(), event.event_type, event.summary.clone()))
    });
    fold_runs(events, &runs, |group| {
        let touched: BTreeSet<Entity> = group.iter().map(entity).collect();
        if touched.len() < BULK {
            return None;
        }
        let names: Vec<String> = group.iter().map(TimelineEvent::reference).collect();
        let summary = format!("{} on {} at once", group[0].summary, touched.len());
        let mut event = standing_for(group, summary);
        if let Some(folded) = &mut event.details.folded {
            folded.entities = names;
        }
        Some(event)
    })
}

/// Labels, people or milestones of one entity, changed by one person in one go.
fn fold_edits(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let is_edit = |event: &TimelineEvent| {
        matches!(
            event.event_type,
            EventType::Labels
                | EventType::Milestone
                | EventType::Assigned
                | EventType::ReviewRequested
                | EventType::Activity
        ) && event.details.folded.is_none()
    };
    let runs = runs(&events, |event| {
        is_edit(event).then(|| (entity(event), event.actor.clone(), event.event_type))
    });
    fold_runs(events, &runs, |group| (group.len() > 1).then(|| edit(group)))
}

fn edit(group: &[TimelineEvent]) -> TimelineEvent {
    let mut parts: Vec<&str> = group.iter().map(|event| event.summary.as_str()).collect();
    let mut seen = BTreeSet::new();
    parts.retain(|part| seen.insert(*part));
    let separator = if group[0].event_type == EventType::Labels { " " } else { "; " };
    let mut event = standing_for(group, parts.join(separator));
    event.details.milestone = group.iter().rev().find_map(|event| event.details.milestone.clone());
    for change in group {
        event.details.labels_added.extend(change.details.labels_added.iter().cloned());
        event.details.labels_removed.extend(change.details.labels_removed.iter().cloned());
    }
    event
}

/// For each event the run it is part of: same key, each step within one go.
fn runs<K: Ord>(
    events: &[TimelineEvent],
    key: impl Fn(&TimelineEvent) -> Option<K>,
) -> Vec<Option<usize>> {
    let mut open: BTreeMap<K, (usize, Timestamp)> = BTreeMap::new();
    let mut n_runs = 0;
    let mut places: Vec<usize> = (0..events.len()).collect();
    places.sort_by(|a, b| events[*a].order().cmp(&events[*b].order()));
    let mut found = vec![None; events.len()];
    for place in places {
        let event = &events[place];
        let Some(key) = key(event) else { continue };
        let run = match open.get(&key) {
            Some((run, last)) if event.timestamp.since(*last) <= ONE_GO => *run,
            _ => {
                n_runs += 1;
                n_runs
            }
        };
        open.insert(key, (run, event.timestamp));
        found[place] = Some(run);
    }
    found
}

/// Replaces each run by what `tell` makes of it, where it makes something.
fn fold_runs(
    events: Vec<TimelineEvent>,
    runs: &[Option<usize>],
    tell: impl Fn(&[TimelineEvent]) -> Option<TimelineEvent>,
) -> Vec<TimelineEvent> {
    let mut groups: BTreeMap<usize, Vec<TimelineEvent>> = BTreeMap::new();
    let mut kept = Vec::new();
    for (event, run) in events.into_iter().zip(runs) {
        match run {
            Some(run) => groups.entry(*run).or_default().push(event),
            None => kept.push(event),
        }
    }
    for mut group in groups.into_values() {
        group.sort_by(|a, b| a.order().cmp(&b.order()));
        match tell(&group) {
            Some(event) => kept.push(event),
            None => kept.extend(group),
        }
    }
    kept
}

/// Mentions of and by one entity: one line for each direction.
fn fold_mentions(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let mention = |event: &TimelineEvent| {
        let reference = event.details.reference.as_ref()?;
        (reference.reference_type == RelationType::Mentioned)
            .then(|| (entity(event), reference.is_outgoing))
    };
    fold_groups(events, 2, mention, |group| {
        let is_outgoing =
            group[0].details.reference.as_ref().is_some_and(|reference| reference.is_outgoing);
        let words = if is_outgoing { "mentions" } else { "mentioned in" };
        let names: Vec<String> = group
            .iter()
            .filter_map(|event| event.details.reference.as_ref())
            .map(|reference| reference.other.clone())
            .collect();
        let shown: Vec<&str> = group
            .iter()
            .filter_map(|event| event.details.reference.as_ref())
            .map(|reference| reference.other_short.as_str())
            .take(NAMED)
            .collect();
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let mut event = standing_for(group, format!("{words} {}{more}", shown.join(", ")));
        if let Some(folded) = &mut event.details.folded {
            folded.entities = names;
        }
        event
    })
}

/// A merge that closes an issue is told by the closing: "closed by !8".
fn fold_closings(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let is_closed = |event: &&TimelineEvent| event.event_type == EventType::Closed;
    let mut closed: BTreeMap<String, Vec<Timestamp>> = BTreeMap::new();
    for event in events.iter().filter(is_closed) {
        closed.entry(event.reference()).or_default().push(event.timestamp);
    }
    let mut closers: BTreeMap<(String, Timestamp), TimelineEvent> = BTreeMap::new();
    let mut kept = Vec::new();
    for event in events {
        let closing = event
            .details
            .reference
            .as_ref()
            .filter(|reference| {
                reference.reference_type == RelationType::Closes && reference.is_outgoing
            })
            .and_then(|reference| {
                let moments = closed.get(&reference.other)?;
                let at = moments.iter().find(|at| distance(**at, event.timestamp) <= ONE_MERGE)?;
                Some((reference.other.clone(), *at))
            });
        match closing {
            Some(closing) => {
                closers.entry(closing).or_insert(event);
            }
            None => kept.push(event),
        }
    }
    for event in &mut kept {
        let closer = closers.get(&(event.reference(), event.timestamp));
        if let (EventType::Closed, Some(closer)) = (event.event_type, closer)
            && let (Some(kind), Some(iid)) = (closer.entity_type.entity(), closer.entity_iid)
        {
            let name = model::relation::EntityName {
                kind,
                host: closer.host.clone(),
                project: closer.project.clone(),
                iid,
            };
            let short = short_reference(&name, &event.project);
            event.summary = one_line(&format!("by {short}: {}", event.summary), 200);
            event.details.reference =
                closer.details.reference.clone().map(|reference| ReferenceDetails {
                    other: closer.reference(),
                    other_short: short,
                    title: reference.other_title,
                    other_title: reference.title,
                    is_outgoing: false,
                    ..reference
                });
        }
    }
    kept
}

fn distance(a: Timestamp, b: Timestamp) -> Duration {
    a.since(b).max(b.since(a))
}

/// Labels, people and milestone given within the first hour belong to the
/// beginning.
fn fold_beginnings(events: Vec<TimelineEvent>) -> Vec<TimelineEvent> {
    let created: BTreeMap<String, Timestamp> = events
        .iter()
        .filter(|event| event.event_type == EventType::Created)
        .map(|event| (event.reference(), event.timestamp))
        .collect();
    let is_edit = |event: &TimelineEvent| {
        matches!(
            event.event_type,
            EventType::Labels
                | EventType::Milestone
                | EventType::Assigned
                | EventType::ReviewRequested
        ) && event.details.folded.as_ref().is_none_or(|folded| folded.entities.is_empty())
    };
    let mut along: BTreeMap<String, Vec<TimelineEvent>> = BTreeMap::new();
    let mut kept = Vec::new();
    for event in events {
        let reference = event.reference();
        let begun = created
            .get(&reference)
            .filter(|begun| is_edit(&event) && distance(**begun, event.timestamp) <= ONE_GO);
        match begun {
            Some(_) => along.entry(reference).or_default().push(event),
            None => kept.push(event),
        }
    }
    for event in kept.iter_mut().filter(|event| event.event_type == EventType::Created) {
        let Some(mut edits) = along.remove(&event.reference()) else { continue };
        edits.sort_by(|a, b| a.order().cmp(&b.order()));
        absorb(event, &edits);
    }
    kept
}

fn absorb(event: &mut TimelineEvent, edits: &[TimelineEvent]) {
    let last_at = edits.iter().map(|edit| edit.timestamp).max();
    event.details.folded = Some(FoldedEvents {
        count: 1 + edits.iter().map(n_events).sum::<usize>(),
        first_at: event.timestamp,
        last_at: last_at.unwrap_or(event.timestamp),
        entities: Vec::new(),
    });
    for edit in edits {
        let details = &edit.details;
        event.details.labels_added.extend(details.labels_added.iter().cloned());
        event.details.labels_removed.extend(details.labels_removed.iter().cloned());
        event.details.milestone = details.milestone.clone().or(event.details.milestone.take());
        event.details.along.push(match edit.event_type {
            EventType::Labels => format!("labels {}", edit.summary),
            EventType::Milestone => format!("milestone {}", edit.summary),
            _ => edit.summary.clone(),
        });
    }
}
