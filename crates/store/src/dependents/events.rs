//! State, label and milestone events.

use super::PriorSet;
use crate::entities::{EntityRow, Scope};
use crate::handle::Tx;
use crate::people::upsert_maybe;
use crate::sql::{self, owner_column};
use model::ids::ForgeId;
use model::record::{
    EventAction, LabelEventRecord, MilestoneEventRecord, StateEventRecord, UserRecord,
};
use model::{Result, Timestamp};

/// Events never change once made and nothing points at their rows, so a set
/// that differs is written afresh.
fn clear(tx: &Tx<'_>, table: &str, owner: EntityRow, stored: PriorSet) -> Result<()> {
    if stored == PriorSet::Perhaps {
        let column = owner_column(owner.kind);
        sql::run(tx, &format!("DELETE FROM {table} WHERE {column} = ?1"), [owner.id])?;
    }
    Ok(())
}

pub(super) fn replace_states(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[StateEventRecord],
    stored: PriorSet,
) -> Result<()> {
    clear(tx, "resource_state_events", owner, stored)?;
    let insert = format!(
        "INSERT OR IGNORE INTO resource_state_events
           ({}, forge_id, user_id, created_at, state, source_merge_request_forge_id, source_commit)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        owner_column(owner.kind)
    );
    for event in set {
        let user = upsert_maybe(tx, &scope.host, event.user.as_ref())?;
        sql::run(
            tx,
            &insert,
            (
                owner.id,
                event.forge_id.0,
                user,
                event.created_at.as_millis(),
                event.state.as_str(),
                event.source_merge_request.map(|id| id.0),
                &event.source_commit,
            ),
        )?;
    }
    Ok(())
}

pub(super) fn replace_labels(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[LabelEventRecord],
    stored: PriorSet,
) -> Result<()> {
    let events = set.iter().map(|event| Named {
        forge_id: event.forge_id,
        user: event.user.as_ref(),
        created_at: event.created_at,
        action: event.action,
        name: event.label.as_ref().map(|label| label.name.as_str()),
        named: event.label.as_ref().and_then(|label| label.forge_id),
    });
    let table = Table { name: "resource_label_events", of: "label_name, label_forge_id" };
    replace_named(tx, scope, owner, &table, events, stored)
}

pub(super) fn replace_milestones(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[MilestoneEventRecord],
    stored: PriorSet,
) -> Result<()> {
    let events = set.iter().map(|event| Named {
        forge_id: event.forge_id,
        user: event.user.as_ref(),
        created_at: event.created_at,
        action: event.action,
        name: event.milestone.as_ref().map(|milestone| milestone.title.as_str()),
        named: event.milestone.as_ref().map(|milestone| milestone.forge_id),
    });
    let table =
        Table { name: "resource_milestone_events", of: "milestone_title, milestone_forge_id" };
    replace_named(tx, scope, owner, &table, events, stored)
}

/// Something with a name was put on an entity or taken off.
struct Named<'a> {
    forge_id: ForgeId,
    user: Option<&'a UserRecord>,
    created_at: Timestamp,
    action: EventAction,
    /// None when the thing was deleted since.
    name: Option<&'a str>,
    named: Option<ForgeId>,
}

/// Where such events are kept, and the columns of what they are about.
struct Table {
    name: &'static str,
    of: &'static str,
}

fn replace_named<'a>(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    table: &Table,
    events: impl Iterator<Item = Named<'a>>,
    stored: PriorSet,
) -> Result<()> {
    clear(tx, table.name, owner, stored)?;
    let insert = format!(
        "INSERT OR IGNORE INTO {} ({}, forge_id, user_id, created_at, action, {})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        table.name,
        owner_column(owner.kind),
        table.of
    );
    for event in events {
        let user = upsert_maybe(tx, &scope.host, event.user)?;
        sql::run(
            tx,
            &insert,
            (
                owner.id,
                event.forge_id.0,
                user,
                event.created_at.as_millis(),
                event.action.as_str(),
                event.name,
                event.named.map(|id| id.0),
            ),
        )?;
    }
    Ok(())
}
