//! Writing one merge request.

use super::shared::{REVIEWERS, replace_members, replace_people, upsert_milestone};
use super::{EntityRow, Scope};
use crate::handle::Tx;
use crate::payloads::PayloadId;
use crate::people::upsert_maybe;
use crate::sql::{self, ms};
use model::record::MergeRequestRecord;
use model::{EntityKind, Result};
use rusqlite::named_params;

pub(super) fn upsert(
    tx: &Tx<'_>,
    scope: &Scope,
    mr: &MergeRequestRecord,
    payload: PayloadId,
    known: Option<i64>,
) -> Result<i64> {
    let core = &mr.core;
    sql::run(
        tx,
        "INSERT INTO merge_requests (project_id, forge_id, iid, title, description, state,
           is_draft, author_id, milestone_id, discussion_locked, source_branch, target_branch,
           source_project_forge_id, target_project_forge_id, head_sha, merge_commit_sha,
           squash_commit_sha, upvotes, downvotes, user_notes_count, created_at, updated_at,
           closed_at, closed_by_id, merged_at, merged_by_id, web_url, payload_id)
         VALUES (:project, :forge_id, :iid, :title, :description, :state, :is_draft, :author,
           :milestone, :discussion_locked, :source_branch, :target_branch, :source_project,
           :target_project, :head_sha, :merge_sha, :squash_sha, :upvotes, :downvotes,
           :user_notes_count, :created_at, :updated_at, :closed_at, :closed_by, :merged_at,
           :merged_by, :web_url, :payload)
         ON CONFLICT (project_id, forge_id) DO UPDATE SET
           iid = excluded.iid,
           title = excluded.title,
           description = excluded.description,
           state = excluded.state,
           is_draft = excluded.is_draft,
           author_id = excluded.author_id,
           milestone_id = excluded.milestone_id,
           discussion_locked = excluded.discussion_locked,
           source_branch = excluded.source_branch,
           target_branch = excluded.target_branch,
           source_project_forge_id = excluded.source_project_forge_id,
           target_project_forge_id = excluded.target_project_forge_id,
           head_sha = excluded.head_sha,
           merge_commit_sha = excluded.merge_commit_sha,
           squash_commit_sha = excluded.squash_commit_sha,
           upvotes = excluded.upvotes,
           downvotes = excluded.downvotes,
           user_notes_count = excluded.user_notes_count,
           created_at = excluded.created_at,
           updated_at = excluded.updated_at,
           closed_at = excluded.closed_at,
           closed_by_id = excluded.closed_by_id,
           merged_at = excluded.merged_at,
           merged_by_id = excluded.merged_by_id,
           web_url = excluded.web_url,
           gone_at = NULL,
           payload_id = excluded.payload_id",
        named_params! {
            ":project": scope.project.0,
            ":forge_id": core.forge_id.0,
            ":iid": core.iid.0,
            ":title": core.title,
            ":description": core.description,
            ":state": core.state.as_str(),
            ":is_draft": mr.is_draft,
            ":author": upsert_maybe(tx, &scope.host, core.author.as_ref())?,
            ":milestone": upsert_milestone(tx, scope, core.milestone.as_ref())?,
            ":discussion_locked": core.discussion_locked,
            ":source_branch": mr.source_branch,
            ":target_branch": mr.target_branch,
            ":source_project": mr.source_project.map(|id| id.0),
            ":target_project": mr.target_project.map(|id| id.0),
            ":head_sha": mr.head_sha,
            ":merge_sha": mr.merge_commit_sha,
            ":squash_sha": mr.squash_commit_sha,
            ":upvotes": core.upvotes,
            ":downvotes": core.downvotes,
            ":user_notes_count": core.user_notes_count,
            ":created_at": core.created_at.as_millis(),
            ":updated_at": core.updated_at.as_millis(),
            ":closed_at": ms(core.closed_at),
            ":closed_by": upsert_maybe(tx, &scope.host, core.closed_by.as_ref())?,
            ":merged_at": ms(mr.merged_at),
            ":merged_by": upsert_maybe(tx, &scope.host, mr.merged_by.as_ref())?,
            ":web_url": core.web_url,
            ":payload": payload.0,
        },
    )?;
    let id = known.unwrap_or_else(|| tx.transaction.last_insert_rowid());
    replace_members(
        tx,
        scope,
        EntityRow { kind: EntityKind::MergeRequest, id },
        core,
        known.is_none(),
    )?;
    replace_people(tx, scope, &REVIEWERS, id, &mr.reviewers, known.is_none())?;
    Ok(id)
}
