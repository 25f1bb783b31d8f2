//! What happened to an entity: one stream from two eras.
//!
//! Since mid-2020 GitLab keeps state, label and milestone changes as resource
//! events; before that they were system notes, and for a while both. Here they
//! are one list, each with its source, and what both tell is told once.

use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, owner_column};
use model::relation::SystemAction;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    Resource,
    SystemNote,
}

/// The two sources write at slightly different moments.
const SAME_MOMENT: Duration = Duration::from_secs(10);

/// All events of an entity in order of time.
pub fn of(on: &impl Read, entity: EntityRow) -> Result<Vec<Event>> {
    let mut events = resource_events(on, entity)?;
    let told: Vec<(String, Timestamp)> =
        events.iter().map(|event| (event.event.clone(), event.at)).collect();
    let is_told = |note: &Event| {
        told.iter().any(|(event, at)| {
            *event == note.event && at.since(note.at).max(note.at.since(*at)) <= SAME_MOMENT
        })
    };
    events.extend(note_events(on, entity)?.into_iter().filter(|note| !is_told(note)));
    // Stable: events of one moment keep the order of their source.
    events.sort_by_key(|event| event.at);
    Ok(events)
}

fn resource_events(on: &impl Read, entity: EntityRow) -> Result<Vec<Event>> {
    let owner = owner_column(entity.kind);
    let user = "(SELECT username FROM users WHERE id = user_id) AS actor";
    sql::all(
        on,
        &format!(
            "SELECT created_at, {user}, state AS event, NULL AS action, NULL AS name,
               0 AS rank, forge_id
             FROM resource_state_events WHERE {owner} = ?1
             UNION ALL
             SELECT created_at, {user}, 'label', action, label_name, 1, forge_id
             FROM resource_label_events WHERE {owner} = ?1
             UNION ALL
             SELECT created_at, {user}, 'milestone', action, milestone_title, 2, forge_id
             FROM resource_milestone_events WHERE {owner} = ?1
             ORDER BY created_at, rank, forge_id"
        ),
        [entity.id],
        |row| {
            Ok(Event {
                at: sql::at(row, "created_at")?,
                actor: row.get("actor")?,
                event: row.get("event")?,
                action: row.get("action")?,
                name: row.get("name")?,
                text: None,
                source: EventSource::Resource,
            })
        },
    )
}

/// System notes that say what resource events say today.
fn note_events(on: &impl Read, entity: EntityRow) -> Result<Vec<Event>> {
    const TOLD: [SystemAction; 5] = [
        SystemAction::Closed,
        SystemAction::Reopened,
        SystemAction::Merged,
        SystemAction::Label,
        SystemAction::Milestone,
    ];
    let rows = sql::all(
        on,
        &format!(
            "SELECT n.created_at, n.system_action, n.body,
               (SELECT username FROM users WHERE id = n.author_id) AS actor
             FROM discussions AS d JOIN notes AS n ON n.discussion_id = d.id
             WHERE d.{} = ?1 AND n.is_system = 1
             ORDER BY n.created_at, n.forge_id",
            owner_column(entity.kind)
        ),
        [entity.id],
        |row| {
            Ok(Event {
                at: sql::at(row, "created_at")?,
                actor: row.get("actor")?,
                event: row.get("system_action")?,
                action: None,
                name: None,
                text: row.get("body")?,
                source: EventSource::SystemNote,
            })
        },
    )?;
    Ok(rows
        .into_iter()
        .filter(|event| TOLD.iter().any(|action| action.as_str() == event.event))
        .collect())
}
