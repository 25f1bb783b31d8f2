//! What happened, as rules of notifications look at it.

use crate::handle::Read;
use crate::sql::{self, At};
use model::{Result, Timestamp};
use std::collections::BTreeSet;

/// A merge request or a commit, with the files it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// `group/project!7`, or the name of the repository and the hash.
    pub reference: String,
    pub title: String,
    /// User name, or name and address of a commit's author.
    pub author: String,
    pub at: Timestamp,
    pub is_merge_request: bool,
    pub paths: Vec<String>,
}

/// An issue or merge request with its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityRow {
    pub reference: String,
    pub title: String,
    pub author: String,
    pub labels: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A record that contradicts a decision of somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContradictionRow {
    pub by: String,
    pub decision: String,
    pub title: String,
    pub author: String,
    pub at: Timestamp,
}

fn list(json: Option<String>) -> Vec<String> {
    json.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Merge requests that changed since then, newest first.
pub fn merge_requests(on: &impl Read, since: Timestamp, most: u32) -> Result<Vec<ChangeRow>> {
    sql::all(
        on,
        "SELECT p.path || '!' || m.iid, m.title, coalesce(u.username, ''), m.updated_at,
           (SELECT json_group_array(new_path) FROM mr_file_changes AS f
            WHERE f.merge_request_id = m.id) AS paths
         FROM merge_requests AS m JOIN projects AS p ON p.id = m.project_id
         LEFT JOIN users AS u ON u.id = m.author_id
         WHERE m.updated_at >= ?1 AND m.gone_at IS NULL
         ORDER BY m.updated_at DESC, m.id DESC LIMIT ?2",
        (At(since), most),
        |row| {
            Ok(ChangeRow {
                reference: row.get(0)?,
                title: row.get(1)?,
                author: row.get(2)?,
                at: sql::at(row, "updated_at")?,
                is_merge_request: true,
                paths: list(row.get(4)?),
            })
        },
    )
}

/// Commits made since then, newest first.
pub fn commits(on: &impl Read, since: Timestamp, most: u32) -> Result<Vec<ChangeRow>> {
    sql::all(
        on,
        "SELECT r.canonical_url || '@' || c.sha, c.message,
           c.author_name || ' <' || c.author_email || '>', c.committed_at,
           (SELECT json_group_array(path) FROM commit_files AS f
            WHERE f.commit_id = c.id) AS paths
         FROM git_commits AS c JOIN repos AS r ON r.id = c.repo_id
         WHERE c.committed_at >= ?1 AND c.unreachable_at IS NULL
         ORDER BY c.committed_at DESC, c.id DESC LIMIT ?2",
        (At(since), most),
        |row| {
            let message: String = row.get(1)?;
            Ok(ChangeRow {
                reference: row.get(0)?,
                title: message.lines().next().unwrap_or_default().to_owned(),
                author: row.get(2)?,
                at: sql::at(row, "committed_at")?,
                is_merge_request: false,
                paths: list(row.get(4)?),
            })
        },
    )
}

/// The commit that a reference names, without its paths; none where it names none.
pub fn commit(on: &impl Read, reference: &str) -> Result<Option<ChangeRow>> {
    let Some((repo, sha)) = reference.rsplit_once('@') else { return Ok(None) };
    sql::first(
        on,
        "SELECT c.message, c.author_name || ' <' || c.author_email || '>' AS author,
           c.committed_at
         FROM git_commits AS c JOIN repos AS r ON r.id = c.repo_id
         WHERE r.canonical_url = ?1 AND c.sha = ?2",
        (repo, sha),
        |row| {
            let message: String = row.get("message")?;
            Ok(ChangeRow {
                reference: reference.to_owned(),
                title: message.lines().next().unwrap_or_default().to_owned(),
                author: row.get("author")?,
                at: sql::at(row, "committed_at")?,
                is_merge_request: false,
                paths: Vec::new(),
            })
        },
    )
}

/// Issues and merge requests that changed since then, newest first.
pub fn entities(on: &impl Read, since: Timestamp, most: u32) -> Result<Vec<EntityRow>> {
    let of = |table: &str, sigil: &str, labels: &str, column: &str| {
        format!(
            "SELECT p.path || '{sigil}' || e.iid AS reference, e.title AS title,
               coalesce(u.username, '') AS author, e.created_at AS created_at,
               e.updated_at AS updated_at,
               (SELECT json_group_array(l.name) FROM {labels} AS x
                JOIN labels AS l ON l.id = x.label_id WHERE x.{column} = e.id) AS labels
             FROM {table} AS e JOIN projects AS p ON p.id = e.project_id
             LEFT JOIN users AS u ON u.id = e.author_id
             WHERE e.updated_at >= ?1 AND e.gone_at IS NULL"
        )
    };
    let issues = of("issues", "#", "issue_labels", "issue_id");
    let requests = of("merge_requests", "!", "mr_labels", "merge_request_id");
    let sql = format!("{issues} UNION ALL {requests} ORDER BY updated_at DESC, reference LIMIT ?2");
    sql::all(on, &sql, (At(since), most), |row| {
        Ok(EntityRow {
            reference: row.get("reference")?,
            title: row.get("title")?,
            author: row.get("author")?,
            labels: list(row.get("labels")?),
            created_at: sql::at(row, "created_at")?,
            updated_at: sql::at(row, "updated_at")?,
        })
    })
}

/// Records that contradict decisions, whenever that was written down.
pub fn contradictions(on: &impl Read) -> Result<Vec<ContradictionRow>> {
    sql::all(
        on,
        "SELECT DISTINCT e.from_end, d.record_id, d.decision, coalesce(d.author, ''),
           coalesce(e.created_at,
             (SELECT n.created_at FROM decisions AS n WHERE n.record_id = e.from_end),
             d.created_at) AS at
         FROM memory_edges AS e JOIN decisions AS d ON d.record_id = e.to_end
         WHERE e.relation = 'contradicts' ORDER BY 1, 2",
        [],
        |row| {
            Ok(ContradictionRow {
                by: row.get(0)?,
                decision: row.get(1)?,
                title: row.get(2)?,
                author: row.get(3)?,
                at: sql::at(row, "at")?,
            })
        },
    )
}

/// Files that decisions in force speak of: record, decision, path.
pub fn decision_paths(on: &impl Read) -> Result<Vec<(String, String, String)>> {
    sql::all(
        on,
        "SELECT DISTINCT d.record_id, d.decision, e.to_path FROM decisions AS d
         JOIN memory_edges AS e ON e.from_end = d.record_id
         WHERE d.status = 'active' AND e.to_path IS NOT NULL ORDER BY 1, 3",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// Files that somebody with one of these names or addresses committed since then.
pub fn paths_of(on: &impl Read, names: &[String], since: Timestamp) -> Result<BTreeSet<String>> {
    let mut paths = BTreeSet::new();
    for name in names {
        let found = sql::all(
            on,
            "SELECT DISTINCT f.path FROM git_commits AS c JOIN commit_files AS f
               ON f.commit_id = c.id
             WHERE c.committed_at >= ?2
               AND (lower(c.author_name) = lower(?1) OR lower(c.author_email) = lower(?1))",
            (name, At(since)),
            |row| row.get::<_, String>(0),
        )?;
        paths.extend(found);
    }
    Ok(paths)
}

/// Answers of standing queries that differ from the one before: name, number, when.
pub fn standing_changes(on: &impl Read, since: Timestamp) -> Result<Vec<(String, i64, Timestamp)>> {
    sql::all(
        on,
        "SELECT q.name, r.id, r.asked_at FROM standing_results AS r
         JOIN standing_queries AS q ON q.id = r.query_id
         WHERE r.asked_at >= ?1 AND EXISTS (SELECT 1 FROM standing_results AS o
           WHERE o.query_id = r.query_id AND o.id < r.id)
         ORDER BY r.asked_at DESC, r.id DESC",
        [At(since)],
        |row| Ok((row.get(0)?, row.get(1)?, sql::at(row, "asked_at")?)),
    )
}
