//! From what a query names, or a thread hangs on, to documents.

use crate::handle::Read;
use crate::sql;
use model::{EntityKind, Result};
use std::collections::BTreeMap;

/// Of each thread among these documents, the document of the issue or merge
/// request it hangs on; of each commit, that of the merge request that brought it.
pub fn parents(on: &impl Read, documents: &[i64]) -> Result<BTreeMap<i64, i64>> {
    let mut found = threads(on, documents)?;
    found.extend(commits(on, documents)?);
    Ok(found)
}

fn commits(on: &impl Read, documents: &[i64]) -> Result<Vec<(i64, i64)>> {
    sql::all(
        on,
        "SELECT d.id, p.id FROM documents AS d
         JOIN git_commits AS c ON c.id = d.source_id
         JOIN documents AS p ON p.source_type = 'merge_request' AND p.source_id = coalesce(
           (SELECT id FROM merge_requests
            WHERE merge_commit_sha = c.sha AND gone_at IS NULL ORDER BY id LIMIT 1),
           (SELECT id FROM merge_requests
            WHERE squash_commit_sha = c.sha AND gone_at IS NULL ORDER BY id LIMIT 1),
           (SELECT m.id FROM mr_commits AS l
            CROSS JOIN merge_requests AS m ON m.id = l.merge_request_id
            WHERE l.sha = c.sha AND m.merged_at IS NOT NULL AND m.gone_at IS NULL
            ORDER BY m.merged_at, m.id LIMIT 1))
         WHERE d.source_type = 'commit' AND d.id IN (SELECT value FROM json_each(?1))",
        [sql::json_ids(documents)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn threads(on: &impl Read, documents: &[i64]) -> Result<BTreeMap<i64, i64>> {
    let rows = sql::all(
        on,
        "SELECT d.id, p.id FROM documents AS d
         JOIN discussions AS t ON t.id = d.source_id
         JOIN documents AS p
           ON p.source_type = CASE WHEN t.issue_id IS NULL THEN 'merge_request' ELSE 'issue' END
           AND p.source_id = coalesce(t.issue_id, t.merge_request_id)
         WHERE d.source_type = 'discussion' AND d.id IN (SELECT value FROM json_each(?1))",
        [sql::json_ids(documents)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.into_iter().collect())
}

/// All documents of the issues and merge requests that these documents are of: their
/// own, those of their threads and those of the commits that merge requests brought.
pub fn of_same_entities(on: &impl Read, documents: &[i64]) -> Result<Vec<i64>> {
    let given = sql::json_ids(documents);
    let mut all = Vec::new();
    for (source, column) in [("issue", "issue_id"), ("merge_request", "merge_request_id")] {
        all.extend(sql::all(
            on,
            &format!(
                "WITH given AS MATERIALIZED (
                   SELECT d.source_type, d.source_id FROM json_each(?1)
                   CROSS JOIN documents AS d ON d.id = json_each.value),
                 entities AS MATERIALIZED (
                   SELECT source_id AS id FROM given WHERE source_type = ?2
                   UNION SELECT t.{column} FROM given
                     JOIN discussions AS t ON t.id = given.source_id
                     WHERE given.source_type = 'discussion' AND t.{column} IS NOT NULL)
                 SELECT d.id FROM entities JOIN documents AS d
                   ON d.source_type = ?2 AND d.source_id = entities.id
                 UNION ALL
                 SELECT d.id FROM entities JOIN discussions AS t ON t.{column} = entities.id
                   JOIN documents AS d ON d.source_type = 'discussion' AND d.source_id = t.id"
            ),
            (&given, source),
            |row| row.get::<_, i64>(0),
        )?);
    }
    all.extend(of_same_merge_requests(on, &given)?);
    Ok(all)
}

/// The documents of the commits that these merge requests brought.
fn of_same_merge_requests(on: &impl Read, given: &str) -> Result<Vec<i64>> {
    sql::all(
        on,
        "WITH entities AS MATERIALIZED (
           SELECT d.source_id AS id FROM json_each(?1)
           CROSS JOIN documents AS d ON d.id = json_each.value
           WHERE d.source_type = 'merge_request'),
         shas AS MATERIALIZED (
           SELECT l.sha FROM entities JOIN mr_commits AS l ON l.merge_request_id = entities.id
           UNION SELECT m.merge_commit_sha FROM entities JOIN merge_requests AS m USING (id)
           UNION SELECT m.squash_commit_sha FROM entities JOIN merge_requests AS m USING (id))
         SELECT d.id FROM shas JOIN git_commits AS c ON c.sha = shas.sha
           JOIN documents AS d ON d.source_type = 'commit' AND d.source_id = c.id",
        [given],
        |row| row.get(0),
    )
}

/// Of each commit among these documents that another one of them repeats, the one
/// that is shown: a commit that was picked to another branch or rebased keeps its
/// author, their time and its subject. The main branch's comes first.
pub fn copied_commits(on: &impl Read, documents: &[i64]) -> Result<BTreeMap<i64, i64>> {
    let rows: Vec<(i64, (String, i64, String))> = sql::all(
        on,
        "SELECT d.id, c.author_email, c.authored_at,
           substr(c.message, 1, instr(c.message || char(10), char(10))) AS subject
         FROM documents AS d CROSS JOIN git_commits AS c ON c.id = d.source_id
         WHERE d.source_type = 'commit' AND d.id IN (SELECT value FROM json_each(?1))
         ORDER BY c.landed_id IS NULL, d.id",
        [sql::json_ids(documents)],
        |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))),
    )?;
    let mut changes: BTreeMap<(String, i64, String), Vec<i64>> = BTreeMap::new();
    for (document, (author, at, subject)) in rows {
        changes.entry((author, at, subject.trim_end().to_owned())).or_default().push(document);
    }
    let repeated = changes.into_values().filter(|of_one| of_one.len() > 1);
    Ok(repeated
        .flat_map(|of_one| of_one.clone().into_iter().map(move |it| (it, of_one[0])))
        .collect())
}

/// Issues or merge requests of this number; of the project whose path is this
/// or ends with it, if one is given.
pub fn numbered(
    on: &impl Read,
    kind: EntityKind,
    iid: i64,
    project: Option<&str>,
) -> Result<Vec<i64>> {
    let source = match kind {
        EntityKind::Issue => "issue",
        EntityKind::MergeRequest => "merge_request",
    };
    let table = sql::entity_table(kind);
    sql::all(
        on,
        &format!(
            "SELECT d.id FROM projects AS p
             JOIN {table} AS e ON e.project_id = p.id AND e.iid = ?2 AND e.gone_at IS NULL
             JOIN documents AS d ON d.source_type = ?1 AND d.source_id = e.id
             WHERE ?3 IS NULL OR lower(p.path) = lower(?3)
               OR lower(substr(p.path, -length(?3) - 1)) = '/' || lower(?3)
             ORDER BY p.path, d.id LIMIT 20"
        ),
        (source, iid, project),
        |row| row.get(0),
    )
}

/// Commits whose hash begins so, then merge requests that brought one of them.
pub fn of_commit(on: &impl Read, start: &str) -> Result<Vec<i64>> {
    // Behind every digit of a hash.
    let end = format!("{start}g");
    sql::all(
        on,
        "SELECT id FROM (
           SELECT d.id, 0 AS place FROM git_commits AS c
             JOIN documents AS d ON d.source_type = 'commit' AND d.source_id = c.id
             WHERE c.sha >= ?1 AND c.sha < ?2
           UNION ALL
           SELECT d.id, 1 FROM (
               SELECT merge_request_id AS mr FROM mr_commits WHERE sha >= ?1 AND sha < ?2
               UNION SELECT id FROM merge_requests
                 WHERE merge_commit_sha >= ?1 AND merge_commit_sha < ?2
               UNION SELECT id FROM merge_requests
                 WHERE squash_commit_sha >= ?1 AND squash_commit_sha < ?2)
             JOIN documents AS d ON d.source_type = 'merge_request' AND d.source_id = mr)
         GROUP BY id ORDER BY min(place), id LIMIT 20",
        (start, end),
        |row| row.get(0),
    )
}

/// Whether any commit has been read.
pub fn has_commits(on: &impl Read) -> Result<bool> {
    sql::one(
        on,
        "SELECT EXISTS (SELECT 1 FROM documents WHERE source_type = 'commit')",
        [],
        |row| row.get(0),
    )
}
