//! Commits of registered repositories, and the paths they changed.

use crate::change_relations;
use crate::commit_terms;
use crate::handle::{Read, Tx};
use crate::sql::{self, At, json_ids};
use model::ids::RepoId;
use model::record::ChangeKind;
use model::{Result, Timestamp};
use rusqlite::Row;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A commit as a repository has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRecord {
    pub sha: String,
    pub parents: Vec<String>,
    pub author_name: String,
    pub author_email: String,
    pub authored_at: Timestamp,
    pub committed_at: Timestamp,
    pub message: String,
    pub files: Vec<CommitFile>,
}

/// A path a commit changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitFile {
    pub path: String,
    /// Where a renamed file was before.
    pub old_path: Option<String>,
    pub kind: ChangeKind,
}

/// Stores a commit; one that is known already only becomes reachable again, and gets the
/// parents that a shallow clone did not show. Tells whether it is new.
pub fn insert(tx: &Tx<'_>, repo: RepoId, commit: &CommitRecord, now: Timestamp) -> Result<bool> {
    let known: Option<(i64, bool, bool)> = sql::first(
        tx,
        "SELECT id, unreachable_at IS NOT NULL, parents = '' FROM git_commits
         WHERE repo_id = ?1 AND sha = ?2",
        (repo.0, &commit.sha),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    if let Some((id, is_unreachable, is_first)) = known {
        if is_first && !commit.parents.is_empty() {
            let parents = commit.parents.join(" ");
            sql::run(tx, "UPDATE git_commits SET parents = ?2 WHERE id = ?1", (id, parents))?;
            // Without parents it seemed to bring every file there is.
            sql::run(tx, "DELETE FROM commit_files WHERE commit_id = ?1", [id])?;
            keep_files(tx, id, commit)?;
            mark(tx, id, now)?;
        }
        if is_unreachable {
            sql::run(tx, "UPDATE git_commits SET unreachable_at = NULL WHERE id = ?1", [id])?;
            mark(tx, id, now)?;
        }
        return Ok(false);
    }
    let id = sql::insert(
        tx,
        "INSERT INTO git_commits (repo_id, sha, parents, author_name, author_email, authored_at,
           committed_at, message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (
            repo.0,
            &commit.sha,
            commit.parents.join(" "),
            &commit.author_name,
            &commit.author_email,
            At(commit.authored_at),
            At(commit.committed_at),
            &commit.message,
        ),
    )?;
    keep_files(tx, id, commit)?;
    commit_terms::keep(tx, id, &commit.message)?;
    change_relations::keep(tx, id, &commit.message)?;
    mark(tx, id, now)?;
    Ok(true)
}

fn keep_files(tx: &Tx<'_>, id: i64, commit: &CommitRecord) -> Result<()> {
    for file in &commit.files {
        // Two odd names may read alike as text; the first one stands.
        sql::run(
            tx,
            "INSERT OR IGNORE INTO commit_files (commit_id, path, old_path, kind)
             VALUES (?1, ?2, ?3, ?4)",
            (id, &file.path, &file.old_path, file.kind.as_str()),
        )?;
    }
    Ok(())
}

/// Queues a commit for its document to be made again.
fn mark(tx: &Tx<'_>, id: i64, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO dirty_sources (source_type, source_id, queued_at) VALUES ('commit', ?1, ?2)
         ON CONFLICT (source_type, source_id) DO UPDATE SET
           queued_at = excluded.queued_at,
           next_attempt_at = 0,
           attempts = 0,
           last_error = NULL",
        (id, At(now)),
    )?;
    Ok(())
}

/// No branch has these any more. They stay, and say so.
pub fn mark_unreachable(tx: &Tx<'_>, repo: RepoId, shas: &[String], now: Timestamp) -> Result<()> {
    for sha in shas {
        let gone: Option<i64> = sql::first(
            tx,
            "UPDATE git_commits SET unreachable_at = ?3
             WHERE repo_id = ?1 AND sha = ?2 AND unreachable_at IS NULL RETURNING id",
            (repo.0, sha, At(now)),
            |row| row.get(0),
        )?;
        if let Some(id) = gone {
            mark(tx, id, now)?;
        }
    }
    Ok(())
}

/// All commits of a repository that some branch has, in no order.
pub fn reachable(on: &impl Read, repo: RepoId) -> Result<Vec<String>> {
    sql::all(
        on,
        "SELECT sha FROM git_commits WHERE repo_id = ?1 AND unreachable_at IS NULL",
        [repo.0],
        |row| row.get(0),
    )
}

/// A commit among its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    pub sha: String,
    pub parents: Vec<String>,
    /// Known to be on the main branch.
    pub has_landed: bool,
}

/// Every commit of a repository, for walking; in no order.
pub fn graph(on: &impl Read, repo: RepoId) -> Result<Vec<GraphNode>> {
    sql::all(
        on,
        "SELECT sha, parents, landed_id IS NOT NULL FROM git_commits WHERE repo_id = ?1",
        [repo.0],
        |row| {
            let parents: String = row.get(1)?;
            Ok(GraphNode {
                sha: row.get(0)?,
                parents: parents.split_whitespace().map(str::to_owned).collect(),
                has_landed: row.get(2)?,
            })
        },
    )
}

/// Whether a commit is known to be on the main branch.
pub fn has_landed(on: &impl Read, repo: RepoId, sha: &str) -> Result<bool> {
    let found: Option<bool> = sql::first(
        on,
        "SELECT landed_id IS NOT NULL FROM git_commits WHERE repo_id = ?1 AND sha = ?2",
        (repo.0, sha),
        |row| row.get(0),
    )?;
    Ok(found.unwrap_or(false))
}

/// Which commit of the main line brought each of these: (commit, landing).
pub fn set_landings(tx: &Tx<'_>, repo: RepoId, landings: &[(String, String)]) -> Result<()> {
    for (sha, landing) in landings {
        sql::run(
            tx,
            "UPDATE git_commits SET landed_id =
               (SELECT id FROM git_commits WHERE repo_id = ?1 AND sha = ?3)
             WHERE repo_id = ?1 AND sha = ?2",
            (repo.0, sha, landing),
        )?;
    }
    Ok(())
}

/// The main branch was rewritten: what landed where must be found anew.
pub fn clear_landings(tx: &Tx<'_>, repo: RepoId) -> Result<()> {
    sql::run(
        tx,
        "UPDATE git_commits SET landed_id = NULL WHERE repo_id = ?1 AND landed_id IS NOT NULL",
        [repo.0],
    )?;
    Ok(())
}

/// A commit as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitRow {
    #[serde(skip)]
    pub id: i64,
    pub sha: String,
    /// First line of the message.
    pub subject: String,
    #[serde(skip)]
    pub message: String,
    pub author: String,
    pub author_email: String,
    pub authored_at: Timestamp,
    pub committed_at: Timestamp,
    /// The commit of the main branch that brought it, itself included.
    pub landed_in: Option<String>,
    pub is_merge: bool,
    /// No branch has it any more.
    pub is_unreachable: bool,
}

pub(crate) const COLUMNS: &str = "c.id, c.sha, c.message, c.author_name, c.author_email,
  c.authored_at, c.committed_at, c.parents, c.unreachable_at IS NOT NULL AS is_unreachable,
  (SELECT sha FROM git_commits WHERE id = c.landed_id) AS landed_in";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<CommitRow> {
    let message: String = row.get("message")?;
    let parents: String = row.get("parents")?;
    let subject = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    Ok(CommitRow {
        id: row.get("id")?,
        sha: row.get("sha")?,
        subject: subject.to_owned(),
        author: row.get("author_name")?,
        author_email: row.get("author_email")?,
        authored_at: sql::at(row, "authored_at")?,
        committed_at: sql::at(row, "committed_at")?,
        landed_in: row.get("landed_in")?,
        is_merge: parents.contains(' '),
        is_unreachable: row.get("is_unreachable")?,
        message,
    })
}

/// The commit with this hash, in a repository or in any.
pub fn by_sha(on: &impl Read, repo: Option<RepoId>, sha: &str) -> Result<Option<CommitRow>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM git_commits AS c
             WHERE c.sha = ?1 AND (?2 IS NULL OR c.repo_id = ?2)
             ORDER BY c.unreachable_at IS NOT NULL, c.id LIMIT 1"
        ),
        (sha, repo.map(|repo| repo.0)),
        read,
    )
}

/// The parents of a commit that are known, with when they were made.
pub fn parents(on: &impl Read, repo: RepoId, sha: &str) -> Result<Vec<(String, Timestamp)>> {
    let named: Option<String> = sql::first(
        on,
        "SELECT parents FROM git_commits WHERE sha = ?1 AND repo_id = ?2",
        (sha, repo.0),
        |row| row.get(0),
    )?;
    let mut found = Vec::new();
    for parent in named.iter().flat_map(|it| it.split_whitespace()) {
        found.extend(sql::first(
            on,
            "SELECT sha, committed_at FROM git_commits WHERE sha = ?1 AND repo_id = ?2",
            (parent, repo.0),
            |row| Ok((row.get(0)?, sql::at(row, "committed_at")?)),
        )?);
    }
    Ok(found)
}

/// The commits that documents are of, with the document of each.
pub fn of_documents(on: &impl Read, documents: &[i64]) -> Result<Vec<(i64, CommitRow)>> {
    let ids = serde_json::to_string(documents).unwrap_or_default();
    sql::all(
        on,
        &format!(
            "SELECT d.id AS document, {COLUMNS} FROM documents AS d
             JOIN git_commits AS c ON c.id = d.source_id
             WHERE d.source_type = 'commit' AND d.id IN (SELECT value FROM json_each(?1))
             ORDER BY d.id"
        ),
        [ids],
        |row| Ok((row.get("document")?, read(row)?)),
    )
}

/// How many files each of the commits changed; none of those that were not read.
pub fn n_files(on: &impl Read, commits: &[i64]) -> Result<BTreeMap<i64, u64>> {
    let found = sql::all(
        on,
        "SELECT commit_id, count(*) AS n FROM commit_files
         WHERE commit_id IN (SELECT value FROM json_each(?1)) GROUP BY commit_id",
        [json_ids(commits)],
        |row| Ok((row.get("commit_id")?, row.get("n")?)),
    )?;
    Ok(found.into_iter().collect())
}

/// The paths a commit changed, by name.
pub fn files(on: &impl Read, commit: i64) -> Result<Vec<CommitFile>> {
    sql::all(
        on,
        "SELECT path, old_path, kind FROM commit_files WHERE commit_id = ?1 ORDER BY path",
        [commit],
        |row| {
            Ok(CommitFile {
                path: row.get(0)?,
                old_path: row.get(1)?,
                kind: sql::word(row, "kind")?,
            })
        },
    )
}

/// How many commits a repository has, those that no branch has apart.
pub fn count(on: &impl Read, repo: Option<RepoId>) -> Result<(u64, u64)> {
    sql::one(
        on,
        "SELECT count(*) FILTER (WHERE unreachable_at IS NULL), count(unreachable_at)
         FROM git_commits WHERE ?1 IS NULL OR repo_id = ?1",
        [repo.map(|repo| repo.0)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// How many commits of a repository are known, whether a branch still has them or not:
/// told by an index alone, without reading one of them.
pub fn n_known(on: &impl Read, repo: RepoId) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM git_commits WHERE repo_id = ?1", [repo.0], |row| row.get(0))
}

/// When the newest commit that some branch of a repository has was made.
pub fn newest_at(on: &impl Read, repo: RepoId) -> Result<Option<Timestamp>> {
    sql::one(
        on,
        "SELECT max(committed_at) AS at FROM git_commits
         WHERE repo_id = ?1 AND unreachable_at IS NULL",
        [repo.0],
        |row| sql::maybe_at(row, "at"),
    )
}

/// Commits whose hash begins so, in a repository or in any.
pub fn with_prefix(
    on: &impl Read,
    repo: Option<RepoId>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<CommitRow>> {
    sql::all(
        on,
        &format!(
            // Nothing hexadecimal comes after `g`.
            "SELECT {COLUMNS} FROM git_commits AS c
             WHERE c.sha >= ?1 AND c.sha < ?1 || 'g' AND (?2 IS NULL OR c.repo_id = ?2)
             ORDER BY c.unreachable_at IS NOT NULL, c.sha, c.id LIMIT ?3"
        ),
        (prefix, repo.map(|repo| repo.0), limit as i64),
        read,
    )
}

/// The repository a commit is of.
pub fn repo_of(on: &impl Read, commit: i64) -> Result<RepoId> {
    sql::one(on, "SELECT repo_id FROM git_commits WHERE id = ?1", [commit], |row| {
        Ok(RepoId(row.get(0)?))
    })
}

/// Calls `each` with the hash and the parents (separated by blanks) of every
/// commit of a repository, in no order. For walks over the whole history.
pub fn each_with_parents(
    on: &impl Read,
    repo: RepoId,
    mut each: impl FnMut(&str, &str),
) -> Result<()> {
    let n_rows: i64 =
        sql::one(on, "SELECT coalesce(max(id), 0) FROM git_commits", [], |row| row.get(0))?;
    // Where they are most of the table, it is read from one end to the other: to look for
    // each by the index takes longer.
    let is_most = n_known(on, repo)? as i64 >= n_rows / 2;
    let statement = if is_most {
        "SELECT sha, parents FROM git_commits WHERE +repo_id = ?1"
    } else {
        "SELECT sha, parents FROM git_commits WHERE repo_id = ?1"
    };
    let mut statement = on.connection().prepare_cached(statement).map_err(crate::error::db)?;
    let mut rows = statement.query([repo.0]).map_err(crate::error::db)?;
    while let Some(row) = rows.next().map_err(crate::error::db)? {
        let text = |index: usize| row.get_ref(index).ok().and_then(|value| value.as_str().ok());
        if let (Some(sha), Some(parents)) = (text(0), text(1)) {
            each(sha, parents);
        }
    }
    Ok(())
}

/// A commit that changed a path, and how.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathTouch {
    pub sha: String,
    /// It changed the content only; otherwise the path came, went or moved.
    pub is_modification: bool,
}

/// Commits of a repository that changed a file under any of these names, each once.
pub fn touching(on: &impl Read, repo: RepoId, names: &[String]) -> Result<Vec<PathTouch>> {
    let names = serde_json::to_string(names).unwrap_or_default();
    sql::all(
        on,
        "SELECT c.sha, min(f.kind = 'modified') AS is_modification
         FROM (SELECT commit_id, kind FROM commit_files
               WHERE path IN (SELECT value FROM json_each(?2))
               UNION ALL
               SELECT commit_id, kind FROM commit_files
               WHERE old_path IN (SELECT value FROM json_each(?2))) AS f
         CROSS JOIN git_commits AS c ON c.id = f.commit_id
         WHERE c.repo_id = ?1 GROUP BY c.id",
        (repo.0, names),
        |row| Ok(PathTouch { sha: row.get(0)?, is_modification: row.get(1)? }),
    )
}

/// Commits of the main branch that changed a file under any of these names, newest
/// first, without merges.
pub fn changing(
    on: &impl Read,
    repo: RepoId,
    names: &[String],
    limit: usize,
) -> Result<Vec<CommitRow>> {
    let names = serde_json::to_string(names).unwrap_or_default();
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM git_commits AS c
             WHERE c.id IN (SELECT commit_id FROM commit_files
                   WHERE path IN (SELECT value FROM json_each(?2))
                   UNION SELECT commit_id FROM commit_files
                   WHERE old_path IN (SELECT value FROM json_each(?2)))
               AND c.repo_id = ?1 AND c.landed_id IS NOT NULL AND instr(c.parents, ' ') = 0
             ORDER BY c.committed_at DESC, c.sha LIMIT ?3"
        ),
        (repo.0, names, limit as i64),
        read,
    )
}

/// The latest commits of a repository that changed a path and were made up to a
/// time: number and hash.
pub fn latest_of_path(
    on: &impl Read,
    repo: RepoId,
    path: &str,
    until: Timestamp,
    most: usize,
) -> Result<Vec<(i64, String)>> {
    sql::all(
        on,
        "SELECT c.id, c.sha FROM commit_files AS f JOIN git_commits AS c ON c.id = f.commit_id
         WHERE f.path = ?2 AND c.repo_id = ?1 AND c.committed_at <= ?3
         ORDER BY c.committed_at DESC, c.id DESC LIMIT ?4",
        (repo.0, path, At(until), most as i64),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Somebody who made commits that changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAuthor {
    pub name: String,
    pub email: String,
    pub commits: u64,
    pub last_at: Timestamp,
}

/// Authors of the commits on the main branch that changed a file under any of
/// these names, by name and address, those with most commits first.
pub fn authors(on: &impl Read, repo: RepoId, names: &[String]) -> Result<Vec<PathAuthor>> {
    let names = serde_json::to_string(names).unwrap_or_default();
    sql::all(
        on,
        "SELECT c.author_name, c.author_email, count(*) AS n, max(c.authored_at) AS last_at
         FROM git_commits AS c
         WHERE c.id IN (SELECT commit_id FROM commit_files
               WHERE path IN (SELECT value FROM json_each(?2))
               UNION SELECT commit_id FROM commit_files
               WHERE old_path IN (SELECT value FROM json_each(?2)))
           AND c.repo_id = ?1 AND c.landed_id IS NOT NULL
         GROUP BY 1, 2 ORDER BY n DESC, last_at DESC, 1",
        (repo.0, names),
        |row| {
            Ok(PathAuthor {
                name: row.get(0)?,
                email: row.get(1)?,
                commits: row.get(2)?,
                last_at: sql::at(row, "last_at")?,
            })
        },
    )
}
