//! From a commit to the merge requests that name it.

use crate::handle::Read;
use crate::sql;
use model::ids::{Iid, ProjectId};
use model::{EntityState, Result, Timestamp};
use rusqlite::Row;

/// How a merge request names a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitRole {
    MergeCommit,
    SquashCommit,
    /// Head of its branch.
    Head,
    /// One of the commits it lists.
    Listed,
    /// It lists a commit by the same author, of the same moment, with the same
    /// title: this one before a rebase or cherry-pick.
    SameAuthorship,
    /// By its own number, in a message.
    Number,
}

/// A merge request that may have brought a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub id: i64,
    pub project_id: ProjectId,
    pub iid: Iid,
    pub project: String,
    pub state: EntityState,
    pub merged_at: Option<Timestamp>,
    pub target_branch: String,
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
    pub named_as: CommitRole,
}

const COLUMNS: &str = "m.id, m.project_id, m.iid, p.path AS project, m.state, m.merged_at,
  m.target_branch, m.merge_commit_sha, m.squash_commit_sha";

fn read(named_as: CommitRole) -> impl Fn(&Row<'_>) -> rusqlite::Result<Candidate> {
    move |row| {
        let state: String = row.get("state")?;
        Ok(Candidate {
            id: row.get("id")?,
            project_id: ProjectId(row.get("project_id")?),
            iid: Iid(row.get("iid")?),
            project: row.get("project")?,
            state: EntityState::parse(&state).unwrap_or(EntityState::Opened),
            merged_at: sql::maybe_at(row, "merged_at")?,
            target_branch: row.get("target_branch")?,
            merge_commit_sha: row.get("merge_commit_sha")?,
            squash_commit_sha: row.get("squash_commit_sha")?,
            named_as,
        })
    }
}

/// Every merge request that names this commit by its hash, the earliest merged
/// first, those not merged last.
pub fn naming(on: &impl Read, project: Option<ProjectId>, sha: &str) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for (named_as, condition) in [
        (CommitRole::MergeCommit, "m.merge_commit_sha = ?1"),
        (CommitRole::SquashCommit, "m.squash_commit_sha = ?1"),
        (CommitRole::Head, "m.head_sha = ?1"),
        (CommitRole::Listed, "m.id IN (SELECT merge_request_id FROM mr_commits WHERE sha = ?1)"),
    ] {
        found.extend(sql::all(
            on,
            &format!(
                "SELECT {COLUMNS} FROM merge_requests AS m
                 JOIN projects AS p ON p.id = m.project_id
                 WHERE {condition} AND m.gone_at IS NULL AND (?2 IS NULL OR m.project_id = ?2)
                 ORDER BY m.merged_at IS NULL, m.merged_at, m.project_id, m.iid"
            ),
            (sha, project.map(|project| project.0)),
            read(named_as),
        )?);
    }
    Ok(found)
}

/// Who wrote a commit, when and under which title: what stays when it is
/// rebased or cherry-picked.
#[derive(Debug, Clone, Copy)]
pub struct Authorship<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub at: Timestamp,
    pub title: &'a str,
}

/// Merge requests that list a commit of the same authorship.
pub fn same_authorship(
    on: &impl Read,
    project: Option<ProjectId>,
    of: Authorship<'_>,
) -> Result<Vec<Candidate>> {
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM merge_requests AS m
             JOIN projects AS p ON p.id = m.project_id
             WHERE m.id IN (SELECT merge_request_id FROM mr_commits
               WHERE authored_at = ?1 AND title = ?2 AND (author_email = ?3 OR author_name = ?4))
               AND m.gone_at IS NULL AND (?5 IS NULL OR m.project_id = ?5)
             ORDER BY m.merged_at IS NULL, m.merged_at, m.project_id, m.iid"
        ),
        (of.at.as_millis(), of.title, of.email, of.name, project.map(|project| project.0)),
        read(CommitRole::SameAuthorship),
    )
}

/// The merge request with this number.
pub fn numbered(on: &impl Read, project: ProjectId, iid: Iid) -> Result<Option<Candidate>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM merge_requests AS m JOIN projects AS p ON p.id = m.project_id
             WHERE m.project_id = ?1 AND m.iid = ?2 AND m.gone_at IS NULL"
        ),
        (project.0, iid.0),
        read(CommitRole::Number),
    )
}
