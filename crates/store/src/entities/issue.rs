//! Writing one issue.

use super::shared::{replace_members, upsert_milestone};
use super::{EntityRow, Scope};
use crate::handle::Tx;
use crate::payloads::PayloadId;
use crate::people::upsert_maybe;
use crate::sql::{self, ms};
use model::record::IssueRecord;
use model::{EntityKind, EntityState, Result};
use rusqlite::named_params;

pub(super) fn upsert(
    tx: &Tx<'_>,
    scope: &Scope,
    issue: &IssueRecord,
    payload: PayloadId,
    known: Option<i64>,
) -> Result<i64> {
    let core = &issue.core;
    // An issue cannot be merged; a forge that says so means closed.
    let state = match core.state {
        EntityState::Opened => EntityState::Opened,
        EntityState::Closed | EntityState::Merged => EntityState::Closed,
    };
    sql::run(
        tx,
        "INSERT INTO issues (project_id, forge_id, iid, title, description, state, issue_type,
           author_id, milestone_id, is_confidential, discussion_locked, due_date, weight, upvotes,
           downvotes, user_notes_count, created_at, updated_at, closed_at, closed_by_id,
           moved_to_forge_id, duplicate_of_project_forge_id, duplicate_of_iid, web_url, payload_id)
         VALUES (:project, :forge_id, :iid, :title, :description, :state, :issue_type, :author,
           :milestone, :is_confidential, :discussion_locked, :due_date, :weight, :upvotes,
           :downvotes, :user_notes_count, :created_at, :updated_at, :closed_at, :closed_by,
           :moved_to, :duplicate_project, :duplicate_iid, :web_url, :payload)
         ON CONFLICT (project_id, forge_id) DO UPDATE SET
           iid = excluded.iid,
           title = excluded.title,
           description = excluded.description,
           state = excluded.state,
           issue_type = excluded.issue_type,
           author_id = excluded.author_id,
           milestone_id = excluded.milestone_id,
           is_confidential = excluded.is_confidential,
           discussion_locked = excluded.discussion_locked,
           due_date = excluded.due_date,
           weight = excluded.weight,
           upvotes = excluded.upvotes,
           downvotes = excluded.downvotes,
           user_notes_count = excluded.user_notes_count,
           created_at = excluded.created_at,
           updated_at = excluded.updated_at,
           closed_at = excluded.closed_at,
           closed_by_id = excluded.closed_by_id,
           moved_to_forge_id = excluded.moved_to_forge_id,
           duplicate_of_project_forge_id = excluded.duplicate_of_project_forge_id,
           duplicate_of_iid = excluded.duplicate_of_iid,
           web_url = excluded.web_url,
           gone_at = NULL,
           payload_id = excluded.payload_id",
        named_params! {
            ":project": scope.project.0,
            ":forge_id": core.forge_id.0,
            ":iid": core.iid.0,
            ":title": core.title,
            ":description": core.description,
            ":state": state.as_str(),
            ":issue_type": issue.issue_type,
            ":author": upsert_maybe(tx, &scope.host, core.author.as_ref())?,
            ":milestone": upsert_milestone(tx, scope, core.milestone.as_ref())?,
            ":is_confidential": issue.is_confidential,
            ":discussion_locked": core.discussion_locked,
            ":due_date": issue.due_date,
            ":weight": issue.weight,
            ":upvotes": core.upvotes,
            ":downvotes": core.downvotes,
            ":user_notes_count": core.user_notes_count,
            ":created_at": core.created_at.as_millis(),
            ":updated_at": core.updated_at.as_millis(),
            ":closed_at": ms(core.closed_at),
            ":closed_by": upsert_maybe(tx, &scope.host, core.closed_by.as_ref())?,
            ":moved_to": issue.moved_to.map(|id| id.0),
            ":duplicate_project": issue.duplicate_of.map(|(project, _)| project.0),
            ":duplicate_iid": issue.duplicate_of.map(|(_, iid)| iid.0),
            ":web_url": core.web_url,
            ":payload": payload.0,
        },
    )?;
    let id = known.unwrap_or_else(|| tx.transaction.last_insert_rowid());
    replace_members(tx, scope, EntityRow { kind: EntityKind::Issue, id }, core, known.is_none())?;
    Ok(id)
}
