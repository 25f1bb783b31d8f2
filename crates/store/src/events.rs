//! What happened to an entity: one stream from two eras.
//!
//! Since mid-2020 GitLab keeps state, label and milestone changes as resource
//! events; before that they were system notes, and for a while both. Here they
//! are one list, each with its source, and what both tell is told once.

use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, owner_column};
use crate::timeline::ids_of;
use model::relation::SystemAction;
use model::{EntityKind, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A change of state, label or milestone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    pub at: Timestamp,
    pub actor: Option<String>,
    /// `closed`, `reopened`, `merged`, `label`, `milestone`.
    pub event: String,
    /// `add` or `remove`, for labels and milestones told as resource events.
    pub action: Option<String>,
    /// The label's or milestone's name; none when it was deleted since.
    pub name: Option<String>,
    /// The forge's own words, for events told as system notes.
    pub text: Option<String>,
    pub source: EventSource,
    /// The forge's id of the event or note: settles the order within a moment.
    #[serde(skip)]
    pub forge_id: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    Resource,
    SystemNote,
}

/// The two sources write at slightly different moments.
const SAME_MOMENT: Duration = Duration::from_secs(10);

/// What resource events say today.
const ERA: [SystemAction; 5] = [
    SystemAction::Closed,
    SystemAction::Reopened,
    SystemAction::Merged,
    SystemAction::Label,
    SystemAction::Milestone,
];

/// All events of an entity in order of time.
pub fn of(on: &impl Read, entity: EntityRow) -> Result<Vec<Event>> {
    let told = of_all(on, &[entity], &ERA)?;
    Ok(told.into_iter().map(|(_, event)| event).collect())
}

/// Resource events of these entities, and what their system notes say of
/// these actions; each told once, in order of time. Three statements for each
/// kind of entity, however many there are.
pub fn of_all(
    on: &impl Read,
    entities: &[EntityRow],
    actions: &[SystemAction],
) -> Result<Vec<(EntityRow, Event)>> {
    let mut events = Vec::new();
    for kind in EntityKind::ALL {
        let ids = ids_of(kind, entities);
        if ids != "[]" {
            let resource = resource_events(on, kind, &ids)?;
            let notes = note_events(on, kind, &ids, actions)?;
            let is_told = telling(&resource);
            events.extend(notes.into_iter().filter(|(row, note)| !is_told(*row, note)));
            events.extend(resource);
        }
    }
    events.sort_by(|(row, event), (other_row, other)| {
        let rank = |event: &Event| match (event.source, event.event.as_str()) {
            (EventSource::SystemNote, _) => 3,
            (EventSource::Resource, "label") => 1,
            (EventSource::Resource, "milestone") => 2,
            (EventSource::Resource, _) => 0,
        };
        (event.at, row, rank(event), event.forge_id).cmp(&(
            other.at,
            other_row,
            rank(other),
            other.forge_id,
        ))
    });
    Ok(events)
}

/// Whether a system note repeats one of these events.
fn telling(told: &[(EntityRow, Event)]) -> impl Fn(EntityRow, &Event) -> bool + use<> {
    let mut moments: BTreeMap<(EntityRow, String), Vec<Timestamp>> = BTreeMap::new();
    for (row, event) in told {
        moments.entry((*row, event.event.clone())).or_default().push(event.at);
    }
    move |row, note| {
        moments.get(&(row, note.event.clone())).is_some_and(|moments| {
            moments.iter().any(|at| at.since(note.at).max(note.at.since(*at)) <= SAME_MOMENT)
        })
    }
}

fn resource_events(on: &impl Read, kind: EntityKind, ids: &str) -> Result<Vec<(EntityRow, Event)>> {
    let owner = owner_column(kind);
    let user = "(SELECT username FROM users WHERE id = user_id) AS actor";
    let these = format!("WHERE {owner} IN (SELECT value FROM json_each(?1))");
    sql::all(
        on,
        &format!(
            "SELECT {owner} AS owner, created_at, {user}, state AS event, NULL AS action,
               NULL AS name, forge_id
             FROM resource_state_events {these}
             UNION ALL
             SELECT {owner}, created_at, {user}, 'label', action, label_name, forge_id
             FROM resource_label_events {these}
             UNION ALL
             SELECT {owner}, created_at, {user}, 'milestone', action, milestone_title, forge_id
             FROM resource_milestone_events {these}"
        ),
        [ids],
        |row| {
            let event = Event {
                at: sql::at(row, "created_at")?,
                actor: row.get("actor")?,
                event: row.get("event")?,
                action: row.get("action")?,
                name: row.get("name")?,
                text: None,
                source: EventSource::Resource,
                forge_id: row.get("forge_id")?,
            };
            Ok((EntityRow { kind, id: row.get("owner")? }, event))
        },
    )
}

/// System notes that speak of these actions.
fn note_events(
    on: &impl Read,
    kind: EntityKind,
    ids: &str,
    actions: &[SystemAction],
) -> Result<Vec<(EntityRow, Event)>> {
    let owner = owner_column(kind);
    let actions: Vec<String> = actions.iter().map(|it| format!("\"{}\"", it.as_str())).collect();
    sql::all(
        on,
        &format!(
            "SELECT d.{owner} AS owner, n.created_at, n.system_action, n.body, n.forge_id,
               (SELECT username FROM users WHERE id = n.author_id) AS actor
             FROM discussions AS d JOIN notes AS n ON n.discussion_id = d.id
             WHERE d.{owner} IN (SELECT value FROM json_each(?1))
               AND n.is_system = 1
               AND n.system_action IN (SELECT value FROM json_each(?2))"
        ),
        (ids, format!("[{}]", actions.join(","))),
        |row| {
            let event = Event {
                at: sql::at(row, "created_at")?,
                actor: row.get("actor")?,
                event: row.get("system_action")?,
                action: None,
                name: None,
                text: row.get("body")?,
                source: EventSource::SystemNote,
                forge_id: row.get("forge_id")?,
            };
            Ok((EntityRow { kind, id: row.get("owner")? }, event))
        },
    )
}
