//! What changed a path: merge requests, commits, and the names it had before
//! and after.

use crate::commits::{self, CommitRow};
use crate::handle::Read;
use crate::sql;
use model::ids::{Iid, ProjectId, RepoId};
use model::record::ChangeKind;
use model::{EntityState, Result, Timestamp};
use rusqlite::Row;

/// That a merge request changed a path, and when: enough to put the changes of
/// a file in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChangeRef {
    pub merge_request: i64,
    pub iid: Iid,
    /// When it was merged, or else made.
    pub at: Timestamp,
    pub change: ChangeKind,
    pub path: String,
    pub old_path: String,
}

/// A merge request that changed a file, as a list tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchingMr {
    pub project: String,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub merged_at: Option<Timestamp>,
    /// The commit by which it came to the target branch.
    pub merge_commit_sha: Option<String>,
    pub web_url: String,
    /// Threads and comments by people.
    pub discussions: u64,
    /// Notes by people on lines of the file.
    pub notes_on_file: u64,
}

/// Changes of this path by merge requests of a project, under either of its
/// names, in no order. A project's gone merge requests are left out.
///
/// A file may have been changed by thousands: what a list shows of each is
/// asked for with [`touching`], for those it shows.
pub fn touches(
    on: &impl Read,
    project: ProjectId,
    path: &str,
    is_merged_only: bool,
) -> Result<Vec<FileChangeRef>> {
    sql::all(
        on,
        "SELECT m.id, m.iid, coalesce(m.merged_at, m.created_at) AS at,
           f.kind, f.new_path, f.old_path
         FROM (SELECT merge_request_id, position, kind, new_path, old_path FROM mr_file_changes
               WHERE new_path = ?2
               UNION
               SELECT merge_request_id, position, kind, new_path, old_path FROM mr_file_changes
               WHERE old_path = ?2) AS f
         CROSS JOIN merge_requests AS m ON m.id = f.merge_request_id
         WHERE m.project_id = ?1 AND m.gone_at IS NULL AND (NOT ?3 OR m.state = 'merged')",
        (project.0, path, is_merged_only),
        |row| {
            Ok(FileChangeRef {
                merge_request: row.get("id")?,
                iid: Iid(row.get("iid")?),
                at: sql::at(row, "at")?,
                change: sql::word(row, "kind")?,
                path: row.get("new_path")?,
                old_path: row.get("old_path")?,
            })
        },
    )
}

/// What a list tells of a merge request that changed a file, which went by
/// these names.
pub fn touching(on: &impl Read, touch: &FileChangeRef, names: &[String]) -> Result<TouchingMr> {
    let names = serde_json::to_string(names).unwrap_or_default();
    sql::one(
        on,
        "SELECT p.path AS project, m.title, m.state, u.username AS author,
           m.created_at, m.merged_at, m.web_url,
           coalesce(m.merge_commit_sha, m.squash_commit_sha) AS merge_commit_sha,
           (SELECT count(*) FROM discussions AS d WHERE d.merge_request_id = m.id
              AND EXISTS (SELECT 1 FROM notes WHERE discussion_id = d.id AND is_system = 0))
             AS discussions,
           (SELECT count(*) FROM discussions AS d JOIN notes AS n ON n.discussion_id = d.id
            WHERE d.merge_request_id = m.id AND n.is_system = 0
              AND (n.new_path IN (SELECT value FROM json_each(?2))
                OR n.old_path IN (SELECT value FROM json_each(?2)))) AS notes_on_file
         FROM merge_requests AS m
         JOIN projects AS p ON p.id = m.project_id
         LEFT JOIN users AS u ON u.id = m.author_id
         WHERE m.id = ?1",
        (touch.merge_request, names),
        |row| {
            let state: String = row.get("state")?;
            Ok(TouchingMr {
                project: row.get("project")?,
                title: row.get("title")?,
                state: EntityState::parse(&state).unwrap_or(EntityState::Opened),
                author: row.get("author")?,
                created_at: sql::at(row, "created_at")?,
                merged_at: sql::maybe_at(row, "merged_at")?,
                merge_commit_sha: row.get("merge_commit_sha")?,
                web_url: row.get("web_url")?,
                discussions: row.get("discussions")?,
                notes_on_file: row.get("notes_on_file")?,
            })
        },
    )
}

/// A file that got another name, and what did it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rename {
    pub from: String,
    pub to: String,
    /// When it came to the main branch.
    pub at: Timestamp,
    /// `!12`, or the hash of a commit.
    pub by: String,
}

/// Renames to and from a path: by merged merge requests of the project and by
/// commits of the repository that a branch has. Oldest first.
///
/// The few renames come first in the join, whatever statistics say: the other
/// way round every merge request of the project is looked at.
pub fn renames(
    on: &impl Read,
    project: Option<ProjectId>,
    repo: Option<RepoId>,
    path: &str,
) -> Result<Vec<Rename>> {
    let mut found = Vec::new();
    if let Some(project) = project {
        found.extend(sql::all(
            on,
            "SELECT f.old_path, f.new_path, coalesce(m.merged_at, m.updated_at) AS at,
               '!' || m.iid AS by
             FROM (SELECT merge_request_id, new_path, old_path FROM mr_file_changes
                   WHERE new_path = ?1 AND kind = 'renamed'
                   UNION
                   SELECT merge_request_id, new_path, old_path FROM mr_file_changes
                   WHERE old_path = ?1 AND kind = 'renamed') AS f
             CROSS JOIN merge_requests AS m ON m.id = f.merge_request_id
             WHERE m.project_id = ?2 AND m.state = 'merged' AND m.gone_at IS NULL",
            (path, project.0),
            rename,
        )?);
    }
    if let Some(repo) = repo {
        found.extend(sql::all(
            on,
            "SELECT f.old_path, f.path AS new_path, c.sha AS by,
               (SELECT committed_at FROM git_commits WHERE id = c.landed_id) AS at
             FROM (SELECT commit_id, path, old_path FROM commit_files
                   WHERE path = ?1 AND kind = 'renamed'
                   UNION
                   SELECT commit_id, path, old_path FROM commit_files
                   WHERE old_path = ?1 AND kind = 'renamed') AS f
             CROSS JOIN git_commits AS c ON c.id = f.commit_id
             WHERE c.repo_id = ?2 AND c.unreachable_at IS NULL AND c.landed_id IS NOT NULL",
            (path, repo.0),
            rename,
        )?);
    }
    found.sort_by(|a, b| (a.at, &a.from, &a.to, &a.by).cmp(&(b.at, &b.from, &b.to, &b.by)));
    Ok(found)
}

fn rename(row: &Row<'_>) -> rusqlite::Result<Rename> {
    Ok(Rename {
        from: row.get("old_path")?,
        to: row.get("new_path")?,
        at: sql::at(row, "at")?,
        by: row.get("by")?,
    })
}

/// The newest commits that changed a path, whole; merges apart.
pub fn newest_commits(
    on: &impl Read,
    repo: RepoId,
    path: &str,
    most: usize,
) -> Result<Vec<CommitRow>> {
    sql::all(
        on,
        &format!(
            "SELECT {}
             FROM commit_files AS f
             CROSS JOIN git_commits AS c ON c.id = f.commit_id
             WHERE f.path = ?2 AND c.repo_id = ?1 AND c.unreachable_at IS NULL
             ORDER BY c.committed_at DESC, c.sha LIMIT ?3",
            commits::COLUMNS
        ),
        (repo.0, path, i64::try_from(most).unwrap_or(i64::MAX)),
        commits::read,
    )
}

/// A note on a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineNote {
    /// Of the merge request in its project.
    pub iid: i64,
    /// Of the thread.
    pub discussion: i64,
    pub body: String,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub line: Option<u32>,
    /// Somebody still waits for an answer.
    pub is_open: bool,
}

/// What people wrote on lines of a path in merge requests of a project that were
/// merged or are open, newest first. Internal notes are left out.
pub fn line_notes(
    on: &impl Read,
    project: ProjectId,
    path: &str,
    most: usize,
) -> Result<Vec<LineNote>> {
    sql::all(
        on,
        "SELECT m.iid, d.id AS discussion, n.body, u.username AS author, n.created_at, n.new_line,
           n.is_resolvable = 1 AND n.is_resolved = 0 AND m.state = 'opened' AS is_open
         FROM notes AS n
         CROSS JOIN discussions AS d ON d.id = n.discussion_id
         JOIN merge_requests AS m ON m.id = d.merge_request_id
         LEFT JOIN users AS u ON u.id = n.author_id
         WHERE n.new_path = ?2 AND n.is_system = 0 AND n.is_internal = 0 AND m.project_id = ?1
           AND m.state IN ('merged', 'opened')
         ORDER BY n.created_at DESC, n.id LIMIT ?3",
        (project.0, path, i64::try_from(most).unwrap_or(i64::MAX)),
        |row| {
            Ok(LineNote {
                iid: row.get("iid")?,
                discussion: row.get("discussion")?,
                body: row.get("body")?,
                author: row.get("author")?,
                created_at: sql::at(row, "created_at")?,
                line: row.get("new_line")?,
                is_open: row.get("is_open")?,
            })
        },
    )
}

/// Paths below a folder that the newest commits changed, the most often first.
pub fn most_changed(
    on: &impl Read,
    repo: RepoId,
    below: &str,
    most: usize,
) -> Result<Vec<(String, u64)>> {
    // The newest commits say what is worked on; all of them what is old.
    const NEWEST: i64 = 1_000;
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    sql::all(
        on,
        "SELECT f.path, count(*) AS n FROM (
           SELECT id FROM git_commits WHERE repo_id = ?1 AND unreachable_at IS NULL
           ORDER BY committed_at DESC, sha LIMIT ?4) AS c
         JOIN commit_files AS f ON f.commit_id = c.id
         WHERE substr(f.path, 1, length(?2)) = ?2
         GROUP BY f.path ORDER BY n DESC, f.path LIMIT ?3",
        (repo.0, below, limit, NEWEST),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Whether a path was still, or again, there after a moment: something on the main
/// branch wrote to it then or later.
pub fn lives_after(
    on: &impl Read,
    project: Option<ProjectId>,
    repo: Option<RepoId>,
    path: &str,
    at: Timestamp,
) -> Result<bool> {
    sql::one(
        on,
        "SELECT EXISTS (SELECT 1 FROM commit_files AS f
             CROSS JOIN git_commits AS c ON c.id = f.commit_id
             WHERE f.path = ?1 AND f.kind <> 'deleted' AND c.repo_id = ?3
               AND c.committed_at >= ?4 AND c.landed_id IS NOT NULL)
           OR (?3 IS NULL AND EXISTS (SELECT 1 FROM mr_file_changes AS f
             CROSS JOIN merge_requests AS m ON m.id = f.merge_request_id
             WHERE f.new_path = ?1 AND f.kind <> 'deleted' AND m.project_id = ?2
               AND m.merged_at >= ?4))",
        (path, project.map(|it| it.0), repo.map(|it| it.0), at.as_millis()),
        |row| row.get(0),
    )
}

/// Commits of the main branch that changed a path and that no merge request
/// names by hash, newest first; merges apart.
pub fn unexplained_commits(on: &impl Read, repo: RepoId, path: &str) -> Result<Vec<CommitRow>> {
    sql::all(
        on,
        &format!(
            "SELECT {}
             FROM commit_files AS f
             CROSS JOIN git_commits AS c ON c.id = f.commit_id
             WHERE (f.path = ?2 OR f.old_path = ?2) AND c.repo_id = ?1
               AND c.landed_id IS NOT NULL AND c.unreachable_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM merge_requests AS m
                 WHERE m.merge_commit_sha IN
                   (c.sha, (SELECT sha FROM git_commits WHERE id = c.landed_id)))
               AND NOT EXISTS (SELECT 1 FROM merge_requests AS m WHERE m.squash_commit_sha = c.sha)
               AND NOT EXISTS (SELECT 1 FROM merge_requests AS m
                 WHERE m.head_sha = c.sha AND m.state = 'merged')
               AND NOT EXISTS (SELECT 1 FROM mr_commits AS k
                 JOIN merge_requests AS m ON m.id = k.merge_request_id
                 WHERE k.sha = c.sha AND m.state = 'merged')
             ORDER BY c.committed_at DESC, c.sha",
            commits::COLUMNS
        ),
        (repo.0, path),
        commits::read,
    )
}

/// Projects of which a merge request touched this path.
pub fn projects_with(on: &impl Read, path: &str) -> Result<Vec<ProjectId>> {
    sql::all(
        on,
        "SELECT DISTINCT m.project_id
         FROM (SELECT merge_request_id FROM mr_file_changes WHERE new_path = ?1
               UNION SELECT merge_request_id FROM mr_file_changes WHERE old_path = ?1) AS f
         CROSS JOIN merge_requests AS m ON m.id = f.merge_request_id
         WHERE m.gone_at IS NULL ORDER BY 1",
        [path],
        |row| row.get(0).map(ProjectId),
    )
}

/// Repositories of which a commit touched this path.
pub fn repos_with(on: &impl Read, path: &str) -> Result<Vec<RepoId>> {
    sql::all(
        on,
        "SELECT DISTINCT c.repo_id
         FROM (SELECT commit_id FROM commit_files WHERE path = ?1
               UNION SELECT commit_id FROM commit_files WHERE old_path = ?1) AS f
         CROSS JOIN git_commits AS c ON c.id = f.commit_id ORDER BY 1",
        [path],
        |row| row.get(0).map(RepoId),
    )
}

/// Known paths that end in `/name` or are it, the most touched first: for "did
/// you mean".
pub fn similar(on: &impl Read, name: &str, most: usize) -> Result<Vec<String>> {
    // Reads the whole index of paths, so only for an error message.
    let escaped: String = name
        .chars()
        .flat_map(|c| if "%_\\".contains(c) { vec!['\\', c] } else { vec![c] })
        .collect();
    sql::all(
        on,
        "SELECT path FROM (
           SELECT new_path AS path FROM mr_file_changes
           UNION ALL SELECT path FROM commit_files)
         WHERE path LIKE '%/' || ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\'
         GROUP BY path ORDER BY count(*) DESC, path LIMIT ?2",
        (escaped, most as i64),
        |row| row.get(0),
    )
}
