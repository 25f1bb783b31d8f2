//! What both kinds of entity carry: labels, assignees, milestone.

use super::{EntityRow, Scope};
use crate::handle::Tx;
use crate::people;
use crate::sql;
use model::record::{EntityCore, LabelRecord, MilestoneRecord, UserRecord};
use model::{EntityKind, Result};

/// A table that joins entities to labels or people: its name and columns.
pub(super) struct Link {
    table: &'static str,
    owner: &'static str,
    member: &'static str,
}

pub(super) const fn labels_of(kind: EntityKind) -> Link {
    match kind {
        EntityKind::Issue => Link { table: "issue_labels", owner: "issue_id", member: "label_id" },
        EntityKind::MergeRequest => {
            Link { table: "mr_labels", owner: "merge_request_id", member: "label_id" }
        }
    }
}

pub(super) const fn assignees_of(kind: EntityKind) -> Link {
    match kind {
        EntityKind::Issue => {
            Link { table: "issue_assignees", owner: "issue_id", member: "user_id" }
        }
        EntityKind::MergeRequest => {
            Link { table: "mr_assignees", owner: "merge_request_id", member: "user_id" }
        }
    }
}

pub(super) const REVIEWERS: Link =
    Link { table: "mr_reviewers", owner: "merge_request_id", member: "user_id" };

/// Labels and assignees as the entity has them now.
pub(super) fn replace_members(
    tx: &Tx<'_>,
    scope: &Scope,
    row: EntityRow,
    core: &EntityCore,
    is_new: bool,
) -> Result<()> {
    let labels = core
        .labels
        .iter()
        .map(|label| upsert_label(tx, scope, label))
        .collect::<Result<Vec<i64>>>()?;
    replace_link(tx, &labels_of(row.kind), row.id, &labels, is_new)?;
    replace_people(tx, scope, &assignees_of(row.kind), row.id, &core.assignees, is_new)
}

pub(super) fn replace_people(
    tx: &Tx<'_>,
    scope: &Scope,
    link: &Link,
    owner: i64,
    people: &[UserRecord],
    is_new: bool,
) -> Result<()> {
    let ids = people
        .iter()
        .map(|user| people::upsert(tx, &scope.host, user).map(|id| id.0))
        .collect::<Result<Vec<i64>>>()?;
    replace_link(tx, link, owner, &ids, is_new)
}

/// A new owner has no members yet.
fn replace_link(tx: &Tx<'_>, link: &Link, owner: i64, members: &[i64], is_new: bool) -> Result<()> {
    let Link { table, owner: owner_column, member } = link;
    if !is_new {
        sql::run(tx, &format!("DELETE FROM {table} WHERE {owner_column} = ?1"), [owner])?;
    }
    for id in members {
        sql::run(
            tx,
            &format!("INSERT OR IGNORE INTO {table} ({owner_column}, {member}) VALUES (?1, ?2)"),
            (owner, id),
        )?;
    }
    Ok(())
}

fn upsert_label(tx: &Tx<'_>, scope: &Scope, label: &LabelRecord) -> Result<i64> {
    if let Some(id) = tx.memo.label(scope.project, label) {
        return Ok(id);
    }
    let id = sql::one(
        tx,
        "INSERT INTO labels (project_id, forge_id, name, description, color)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (project_id, name) DO UPDATE SET
           forge_id = coalesce(excluded.forge_id, forge_id),
           description = coalesce(excluded.description, description),
           color = coalesce(excluded.color, color)
         RETURNING id",
        (
            scope.project.0,
            label.forge_id.map(|id| id.0),
            &label.name,
            &label.description,
            &label.color,
        ),
        |row| row.get(0),
    )?;
    tx.memo.keep_label(scope.project, label, id);
    Ok(id)
}

pub(super) fn upsert_milestone(
    tx: &Tx<'_>,
    scope: &Scope,
    milestone: Option<&MilestoneRecord>,
) -> Result<Option<i64>> {
    let Some(milestone) = milestone else { return Ok(None) };
    if let Some(id) = tx.memo.milestone(scope.project, milestone) {
        return Ok(Some(id));
    }
    let id = sql::one(
        tx,
        "INSERT INTO milestones (project_id, forge_id, iid, title, description, state, due_date,
           start_date, web_url)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (project_id, forge_id) DO UPDATE SET
           iid = excluded.iid,
           title = excluded.title,
           description = excluded.description,
           state = excluded.state,
           due_date = excluded.due_date,
           start_date = excluded.start_date,
           web_url = excluded.web_url
         RETURNING id",
        (
            scope.project.0,
            milestone.forge_id.0,
            milestone.iid.map(|iid| iid.0),
            &milestone.title,
            &milestone.description,
            &milestone.state,
            &milestone.due_date,
            &milestone.start_date,
            &milestone.web_url,
        ),
        |row| row.get(0),
    )?;
    tx.memo.keep_milestone(scope.project, milestone, id);
    Ok(Some(id))
}
