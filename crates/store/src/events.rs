//! What happened to an entity: one stream from two eras.
//!
//! Since mid-2020 GitLab keeps state, label and milestone changes as resource
//! events; before that they were system notes, and for a while both. Here they
//! are one list, each with its source, and what both tell is told once.

use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, entity_table, owner_column};
use crate::timeline::ids_of;
use model::record::EventAction;
use model::relation::SystemAction;
use model::{EntityKind, Result, Timestamp, vocabulary};
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
    pub event: SystemAction,
    /// `add` or `remove`, for labels and milestones told as resource events.
    pub action: Option<EventAction>,
    /// The label's or milestone's name; none when it was deleted since.
    pub name: Option<String>,
    /// The forge's own words, for events told as system notes.
    pub text: Option<String>,
    pub source: EventSource,
    /// The forge's id of the event or note: settles the order within a moment.
    #[serde(skip)]
    pub forge_id: i64,
}

vocabulary! {
    /// Where the forge keeps an event.
    pub enum EventSource {
        Resource = "resource",
        SystemNote = "system_note",
    }
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
pub fn entity_events(on: &impl Read, entity: EntityRow) -> Result<Vec<Event>> {
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
        let rank = |event: &Event| match (event.source, event.event) {
            (EventSource::SystemNote, _) => 3,
            (EventSource::Resource, SystemAction::Label) => 1,
            (EventSource::Resource, SystemAction::Milestone) => 2,
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
    let mut moments: BTreeMap<(EntityRow, SystemAction), Vec<Timestamp>> = BTreeMap::new();
    for (row, event) in told {
        moments.entry((*row, event.event)).or_default().push(event.at);
    }
    move |row, note| {
        moments.get(&(row, note.event)).is_some_and(|moments| {
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
            let word: String = row.get("event")?;
            let event = Event {
                at: sql::at(row, "created_at")?,
                actor: row.get("actor")?,
                // A state that lore does not know is told, not lost.
                event: SystemAction::parse(&word).unwrap_or(SystemAction::Unknown),
                action: sql::maybe_word(row, "action")?,
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
    let mut told = sql::all(
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
                event: sql::word(row, "system_action")?,
                action: None,
                name: None,
                text: row.get("body")?,
                source: EventSource::SystemNote,
                forge_id: row.get("forge_id")?,
            };
            Ok((EntityRow { kind, id: row.get("owner")? }, event))
        },
    )?;
    for (row, event) in &mut told {
        let names_something = matches!(event.event, SystemAction::Label | SystemAction::Milestone);
        if let Some(text) = event.text.as_mut().filter(|_| names_something) {
            *text = with_names(text, |sigil, number| name_of(on, *row, sigil, number))?;
        }
    }
    Ok(told)
}

/// Old notes name labels and milestones by number alone: `~12`, `%2`.
fn with_names(text: &str, name_of: impl Fn(char, i64) -> Result<Option<String>>) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['~', '%']) {
        let (before, from) = rest.split_at(at);
        let digits = from[1..].bytes().take_while(u8::is_ascii_digit).count();
        let (named, after) = from.split_at(1 + digits);
        let is_word = before.ends_with(char::is_alphanumeric)
            || after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let sigil = if named.starts_with('~') { '~' } else { '%' };
        let name = match named[1..].parse() {
            Ok(number) if !is_word => name_of(sigil, number)?,
            _ => None,
        };
        out.push_str(before);
        match name {
            Some(name) if name.contains(char::is_whitespace) => {
                out.extend([sigil, '"']);
                out.push_str(&name);
                out.push('"');
            }
            Some(name) => {
                out.push(sigil);
                out.push_str(&name);
            }
            None => out.push_str(named),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The label with this id, or the milestone with this number, of the entity's
/// own project, if it is known here.
fn name_of(on: &impl Read, entity: EntityRow, sigil: char, number: i64) -> Result<Option<String>> {
    let project = format!("(SELECT project_id FROM {} WHERE id = ?1)", entity_table(entity.kind));
    let statement = match sigil {
        '~' => format!("SELECT name FROM labels WHERE project_id = {project} AND forge_id = ?2"),
        _ => format!("SELECT title FROM milestones WHERE project_id = {project} AND iid = ?2"),
    };
    sql::first(on, &statement, (entity.id, number), |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_labels_and_milestones_become_names() {
        let names = |sigil, number| {
            Ok(match (sigil, number) {
                ('~', 12) => Some("bug".to_owned()),
                ('~', 13) => Some("in progress".to_owned()),
                ('%', 2) => Some("1.0".to_owned()),
                _ => None,
            })
        };
        for (text, shown) in [
            ("added ~12 ~13 labels", "added ~bug ~\"in progress\" labels"),
            ("Removed ~12 label", "Removed ~bug label"),
            ("added ~99 label", "added ~99 label"),
            ("Milestone changed to %2", "Milestone changed to %1.0"),
            ("changed milestone to %\"2 weeks\"", "changed milestone to %\"2 weeks\""),
            ("a~12, 100%2, ~12b, ~, 5 %", "a~12, 100%2, ~12b, ~, 5 %"),
            ("~12é ~12", "~12é ~bug"),
            ("~99999999999999999999", "~99999999999999999999"),
        ] {
            assert_eq!(with_names(text, names).unwrap(), shown, "{text}");
        }
    }
}
