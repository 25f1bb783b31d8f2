//! State, label and milestone events.

use crate::entities::{EntityRow, Scope};
use crate::handle::Tx;
use crate::people::upsert_maybe;
use crate::sql::{self, owner_column};
use model::Result;
use model::record::{LabelEventRecord, MilestoneEventRecord, StateEventRecord};

/// Events never change once made and nothing points at their rows, so a set
/// that differs is written afresh.
fn clear(tx: &Tx<'_>, table: &str, owner: EntityRow) -> Result<()> {
    let column = owner_column(owner.kind);
    sql::run(tx, &format!("DELETE FROM {table} WHERE {column} = ?1"), [owner.id])?;
    Ok(())
}

pub(super) fn replace_states(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[StateEventRecord],
) -> Result<()> {
    clear(tx, "resource_state_events", owner)?;
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
                &event.state,
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
) -> Result<()> {
    clear(tx, "resource_label_events", owner)?;
    let insert = format!(
        "INSERT OR IGNORE INTO resource_label_events
           ({}, forge_id, user_id, created_at, action, label_name, label_forge_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        owner_column(owner.kind)
    );
    for event in set {
        let user = upsert_maybe(tx, &scope.host, event.user.as_ref())?;
        let label = event.label.as_ref();
        sql::run(
            tx,
            &insert,
            (
                owner.id,
                event.forge_id.0,
                user,
                event.created_at.as_millis(),
                event.action.as_str(),
                label.map(|label| &label.name),
                label.and_then(|label| label.forge_id).map(|id| id.0),
            ),
        )?;
    }
    Ok(())
}

pub(super) fn replace_milestones(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[MilestoneEventRecord],
) -> Result<()> {
    clear(tx, "resource_milestone_events", owner)?;
    let insert = format!(
        "INSERT OR IGNORE INTO resource_milestone_events
           ({}, forge_id, user_id, created_at, action, milestone_title, milestone_forge_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        owner_column(owner.kind)
    );
    for event in set {
        let user = upsert_maybe(tx, &scope.host, event.user.as_ref())?;
        let milestone = event.milestone.as_ref();
        sql::run(
            tx,
            &insert,
            (
                owner.id,
                event.forge_id.0,
                user,
                event.created_at.as_millis(),
                event.action.as_str(),
                milestone.map(|milestone| &milestone.title),
                milestone.map(|milestone| milestone.forge_id.0),
            ),
        )?;
    }
    Ok(())
}
