//! How changes follow each other: what commits say of other commits, and what
//! of that holds between merge requests. What texts of issues and merge requests
//! say comes by [`crate::references`].

use crate::entities::EntityRow;
use crate::handle::{Read, Tx};
use crate::sql::{self, Word, json_ids};
use model::change_text;
use model::ids::{Iid, RepoId};
use model::relation::{Certainty, EntityName, EvidenceSource, RelationType};
use model::{EntityKind, Result, Timestamp};
use std::collections::BTreeSet;

/// Keeps what a commit's message says of other commits.
pub(crate) fn keep(tx: &Tx<'_>, commit: i64, message: &str) -> Result<()> {
    for stated in change_text::commit_relations(message) {
        // What was done to a commit is known by the one that did it.
        if stated.is_incoming {
            continue;
        }
        sql::run(
            tx,
            "INSERT OR IGNORE INTO commit_relations (commit_id, relation, target_sha)
             VALUES (?1, ?2, ?3)",
            (commit, Word(stated.relation), &stated.other),
        )?;
    }
    Ok(())
}

/// A commit that follows another or is followed by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitLink {
    pub relation: RelationType,
    /// The other one does it to this one.
    pub is_incoming: bool,
    /// As far as it is known: the whole hash where the commit is here.
    pub sha: String,
    /// None where the commit is not here.
    pub subject: Option<String>,
    pub authored_at: Option<Timestamp>,
}

/// What a commit of a repository does to others, then what others did to it.
pub fn of_commit(on: &impl Read, repo: RepoId, commit: i64, sha: &str) -> Result<Vec<CommitLink>> {
    let mut found = sql::all(
        on,
        "SELECT r.relation, coalesce(c.sha, r.target_sha) AS sha, c.message, c.authored_at
         FROM commit_relations AS r
         LEFT JOIN git_commits AS c ON c.id = (
           SELECT id FROM git_commits AS t
           WHERE t.sha >= r.target_sha AND t.sha < r.target_sha || 'g' AND t.repo_id = ?2
           ORDER BY t.sha LIMIT 1)
         WHERE r.commit_id = ?1 ORDER BY r.relation, r.target_sha",
        (commit, repo.0),
        |row| link(row, false),
    )?;
    // A hash may have been written short.
    let beginnings: Vec<&str> = (10..=sha.len()).filter_map(|length| sha.get(..length)).collect();
    let beginnings = serde_json::to_string(&beginnings).unwrap_or_default();
    found.extend(sql::all(
        on,
        "SELECT r.relation, c.sha, c.message, c.authored_at
         FROM commit_relations AS r CROSS JOIN git_commits AS c ON c.id = r.commit_id
         WHERE r.target_sha IN (SELECT value FROM json_each(?1)) AND c.repo_id = ?2
         ORDER BY c.committed_at, c.sha",
        (beginnings, repo.0),
        |row| link(row, true),
    )?);
    Ok(found)
}

fn link(row: &rusqlite::Row<'_>, is_incoming: bool) -> rusqlite::Result<CommitLink> {
    let message: Option<String> = row.get("message")?;
    let subject = message.map(|it| it.trim_start().lines().next().unwrap_or("").to_owned());
    Ok(CommitLink {
        relation: sql::word(row, "relation")?,
        is_incoming,
        sha: row.get("sha")?,
        subject,
        authored_at: sql::maybe_at(row, "authored_at")?,
    })
}

/// What messages of a merge request's commits say of commits of other merge
/// requests.
pub(crate) fn by_commits(
    on: &impl Read,
    merge_request: i64,
    messages: &[String],
) -> Result<Vec<(RelationType, EntityName)>> {
    let mut found = BTreeSet::new();
    for message in messages {
        for stated in
            change_text::commit_relations(message).into_iter().filter(|it| !it.is_incoming)
        {
            let other = merge_request_of(on, merge_request, &stated.other)?;
            found.extend(other.map(|other| (stated.relation, other)));
        }
    }
    Ok(found.into_iter().collect())
}

/// The merge request, another than this one, that has a commit: the merged
/// before the others, the earliest first.
fn merge_request_of(on: &impl Read, except: i64, sha: &str) -> Result<Option<EntityName>> {
    sql::first(
        on,
        "SELECT p.host, p.path, m.iid
         FROM merge_requests AS m JOIN projects AS p ON p.id = m.project_id
         WHERE m.id IN (
             SELECT merge_request_id FROM mr_commits WHERE sha >= ?1 AND sha < ?1 || 'g'
             UNION SELECT id FROM merge_requests
               WHERE merge_commit_sha >= ?1 AND merge_commit_sha < ?1 || 'g'
             UNION SELECT id FROM merge_requests
               WHERE squash_commit_sha >= ?1 AND squash_commit_sha < ?1 || 'g')
           AND m.id <> ?2 AND m.gone_at IS NULL
           AND p.host = (SELECT own.host FROM projects AS own
             JOIN merge_requests AS o ON o.project_id = own.id WHERE o.id = ?2)
         ORDER BY m.merged_at IS NULL, m.merged_at, m.id LIMIT 1",
        (sha, except),
        |row| {
            Ok(EntityName {
                kind: EntityKind::MergeRequest,
                host: row.get(0)?,
                project: row.get(1)?,
                iid: Iid(row.get(2)?),
            })
        },
    )
}

/// Merge requests of the project that have commits in common with this one, at
/// least half of the earlier's, where the earlier was closed without a merge: its
/// work went on in the later.
pub(crate) fn shared_commits(
    on: &impl Read,
    merge_request: i64,
) -> Result<Vec<(bool, EntityName)>> {
    sql::all(
        on,
        "SELECT o.created_at > m.created_at AS is_later, p.host, p.path, o.iid
         FROM merge_requests AS m
         JOIN mr_commits AS k ON k.merge_request_id = m.id
         CROSS JOIN mr_commits AS other ON other.sha = k.sha AND other.merge_request_id <> m.id
         CROSS JOIN merge_requests AS o ON o.id = other.merge_request_id
         JOIN projects AS p ON p.id = o.project_id
         WHERE m.id = ?1 AND o.project_id = m.project_id AND o.gone_at IS NULL
           AND o.created_at <> m.created_at
           AND CASE WHEN o.created_at < m.created_at THEN o.state ELSE m.state END = 'closed'
         GROUP BY o.id
         HAVING 2 * count(*) >= (SELECT count(*) FROM mr_commits AS earlier
           WHERE earlier.merge_request_id =
             CASE WHEN o.created_at < m.created_at THEN o.id ELSE m.id END)
         ORDER BY o.iid LIMIT 20",
        [merge_request],
        |row| {
            let name = EntityName {
                kind: EntityKind::MergeRequest,
                host: row.get(1)?,
                project: row.get(2)?,
                iid: Iid(row.get(3)?),
            };
            Ok((row.get(0)?, name))
        },
    )
}

/// That one change follows another, both here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangeLink {
    pub relation: RelationType,
    pub source: EntityRow,
    pub target: EntityRow,
    pub method: EvidenceSource,
    pub certainty: Certainty,
}

/// How these issues and merge requests follow others and are followed: continues,
/// supersedes, reverts, re-applies, backports, split from. In order of row.
pub fn between(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<ChangeLink>> {
    let words: Vec<&str> = RelationType::ALL
        .into_iter()
        .filter(|relation| relation.is_between_changes())
        .map(RelationType::as_str)
        .collect();
    let words = serde_json::to_string(&words).unwrap_or_default();
    let mut found = BTreeSet::new();
    for kind in EntityKind::ALL {
        let ids: Vec<i64> =
            entities.iter().filter(|row| row.kind == kind).map(|row| row.id).collect();
        if ids.is_empty() {
            continue;
        }
        for end in ["source", "target"] {
            found.extend(sql::all(
                on,
                &format!(
                    "SELECT reference_type, source_kind, source_id, target_kind, target_id,
                       source_method, certainty
                     FROM entity_references
                     WHERE {end}_kind = ?1 AND {end}_id IN (SELECT value FROM json_each(?2))
                       AND reference_type IN (SELECT value FROM json_each(?3))
                       AND source_id IS NOT NULL AND target_id IS NOT NULL"
                ),
                (Word(kind), json_ids(&ids), &words),
                |row| {
                    Ok(ChangeLink {
                        relation: sql::word(row, "reference_type")?,
                        source: EntityRow {
                            kind: sql::word(row, "source_kind")?,
                            id: row.get("source_id")?,
                        },
                        target: EntityRow {
                            kind: sql::word(row, "target_kind")?,
                            id: row.get("target_id")?,
                        },
                        method: sql::word(row, "source_method")?,
                        certainty: sql::word(row, "certainty")?,
                    })
                },
            )?);
        }
    }
    Ok(found.into_iter().collect())
}
