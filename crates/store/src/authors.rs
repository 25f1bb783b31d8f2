//! Authors of commits: who changed a path, and what somebody committed.

use crate::handle::Read;
use crate::sql;
use model::ids::{ProjectId, RepoId};
use model::{Result, Timestamp};

/// The name and address a commit says it is by. Nothing in it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GitAuthor {
    pub name: String,
    pub email: String,
}

/// Commits of one author within a few months.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitShare {
    pub author: GitAuthor,
    pub commits: u64,
    /// Those of them since the time that was asked for.
    pub recent: u64,
    /// The newest of them.
    pub at: Timestamp,
}

/// Commits are counted by author and by spans of so many milliseconds: 90 days.
const SPAN: i64 = 90 * 86_400_000;

/// What a commit keeps when it is picked to another branch, beside its author.
const CHANGE: &str =
    "c.authored_at || substr(c.message, 1, instr(c.message || char(10), char(10)) - 1)";

/// Who changed one of these files of a repository, or with a `/` at the end
/// anything below a folder: on the main branch, else on any. A commit that was
/// picked to another branch is the same change: it keeps its author, their time and
/// its subject. `since` is where recent begins.
pub fn of_paths(
    on: &impl Read,
    repo: RepoId,
    paths: &[String],
    since: Timestamp,
) -> Result<Vec<CommitShare>> {
    let landed = shares(on, repo, paths, since, "c.landed_id IS NOT NULL")?;
    // What no commit of the main branch changed is known from the other branches.
    if landed.is_empty() { shares(on, repo, paths, since, "TRUE") } else { Ok(landed) }
}

fn shares(
    on: &impl Read,
    repo: RepoId,
    paths: &[String],
    since: Timestamp,
    is_counted: &str,
) -> Result<Vec<CommitShare>> {
    let mut found = Vec::new();
    for path in paths {
        // A folder is the range of everything that begins with it; `0` follows `/`.
        let (condition, end) = match path.strip_suffix('/') {
            Some(folder) => ("f.path >= ?2 AND f.path < ?3", format!("{folder}0")),
            None => ("f.path = ?2 AND ?3 = ''", String::new()),
        };
        found.extend(sql::all(
            on,
            &format!(
                "SELECT c.author_name, c.author_email, count(DISTINCT {CHANGE}) AS n,
                   count(DISTINCT CASE WHEN c.authored_at >= ?4 THEN {CHANGE} END) AS recent,
                   max(c.authored_at) AS at
                 FROM commit_files AS f CROSS JOIN git_commits AS c ON c.id = f.commit_id
                 WHERE {condition} AND c.repo_id = ?1 AND c.unreachable_at IS NULL
                   AND {is_counted}
                 GROUP BY c.author_name, c.author_email, c.authored_at / {SPAN}
                 ORDER BY c.author_name, c.author_email, at"
            ),
            (repo.0, path, end, since.as_millis()),
            share,
        )?);
    }
    Ok(found)
}

/// The authors of the commits that these documents are of; who merged wrote nothing.
/// `since` is where recent begins.
pub fn of_documents(
    on: &impl Read,
    documents: &[i64],
    since: Timestamp,
) -> Result<Vec<(i64, CommitShare)>> {
    sql::all(
        on,
        "SELECT d.id, c.author_name, c.author_email, 1 AS n, c.authored_at >= ?2 AS recent,
           c.authored_at AS at
         FROM documents AS d CROSS JOIN git_commits AS c ON c.id = d.source_id
         WHERE d.id IN (SELECT value FROM json_each(?1)) AND d.source_type = 'commit'
           AND instr(c.parents, ' ') = 0",
        (sql::json_ids(documents), since.as_millis()),
        |row| Ok((row.get("id")?, share(row)?)),
    )
}

fn share(row: &rusqlite::Row<'_>) -> rusqlite::Result<CommitShare> {
    Ok(CommitShare {
        author: GitAuthor { name: row.get("author_name")?, email: row.get("author_email")? },
        commits: row.get("n")?,
        recent: row.get("recent")?,
        at: sql::at(row, "at")?,
    })
}

/// Every author of commits that some branch has, with how many they have.
pub fn all(on: &impl Read) -> Result<Vec<(GitAuthor, u64)>> {
    sql::all(
        on,
        "SELECT author_name, author_email, count(*) FROM git_commits
         WHERE unreachable_at IS NULL
         GROUP BY author_email, author_name ORDER BY author_name, author_email",
        [],
        |row| Ok((GitAuthor { name: row.get(0)?, email: row.get(1)? }, row.get(2)?)),
    )
}

/// An author of the commits of somebody's merge requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestAuthor {
    /// As the commits have it.
    pub author: GitAuthor,
    /// Whose merge requests.
    pub user: i64,
    pub commits: u64,
}

/// Who wrote the commits of whose merge requests.
pub fn of_merge_requests(on: &impl Read) -> Result<Vec<RequestAuthor>> {
    sql::all(
        on,
        "SELECT c.author_email, c.author_name, m.author_id, count(*)
         FROM mr_commits AS c CROSS JOIN merge_requests AS m ON m.id = c.merge_request_id
         WHERE m.author_id IS NOT NULL
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        [],
        |row| {
            let author = GitAuthor { email: row.get(0)?, name: row.get(1)? };
            Ok(RequestAuthor { author, user: row.get(2)?, commits: row.get(3)? })
        },
    )
}

/// What somebody committed, as seen from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthoredCommit {
    pub repo: RepoId,
    pub sha: String,
    pub message: String,
    pub at: Timestamp,
}

/// Whose commits, where, and since when.
#[derive(Debug, Clone)]
pub struct CommitsBy<'a> {
    /// All of one person.
    pub authors: &'a [GitAuthor],
    pub project: Option<ProjectId>,
    pub since: Option<Timestamp>,
}

/// How many commits somebody has, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitSpan {
    pub commits: u64,
    /// Those of them since the time that was asked for.
    pub recent: u64,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
}

impl CommitsBy<'_> {
    /// A commit counts when both its name and its address are the person's.
    const CONDITION: &'static str = "c.author_email IN (SELECT value FROM json_each(?1))
      AND c.author_name IN (SELECT value FROM json_each(?2))
      AND c.unreachable_at IS NULL AND (?3 IS NULL OR c.authored_at >= ?3)
      AND (?4 IS NULL OR (SELECT project_id FROM repos WHERE id = c.repo_id) = ?4)";

    fn params(&self) -> (String, String, Option<i64>, Option<i64>) {
        let texts = |of: fn(&GitAuthor) -> &str| {
            let all: Vec<&str> = self.authors.iter().map(of).collect();
            serde_json::to_string(&all).unwrap_or_default()
        };
        (
            texts(|author| &author.email),
            texts(|author| &author.name),
            sql::ms(self.since),
            self.project.map(|project| project.0),
        )
    }

    /// How many there are and how many since `recent`, the first and the last.
    pub fn span(&self, on: &impl Read, recent: Timestamp) -> Result<CommitSpan> {
        sql::one(
            on,
            &format!(
                "SELECT count(*) AS n, count(CASE WHEN c.authored_at >= {} THEN 1 END) AS recent,
                   min(c.authored_at) AS first_at, max(c.authored_at) AS last_at
                 FROM git_commits AS c WHERE {}",
                recent.as_millis(),
                Self::CONDITION
            ),
            self.params(),
            |row| {
                Ok(CommitSpan {
                    commits: row.get("n")?,
                    recent: row.get("recent")?,
                    first_at: sql::maybe_at(row, "first_at")?,
                    last_at: sql::maybe_at(row, "last_at")?,
                })
            },
        )
    }

    /// The newest of them.
    pub fn newest(&self, on: &impl Read, most: usize) -> Result<Vec<AuthoredCommit>> {
        sql::all(
            on,
            &format!(
                "SELECT c.repo_id, c.sha, c.message, c.authored_at AS at FROM git_commits AS c
                 WHERE {} ORDER BY c.authored_at DESC, c.id DESC LIMIT {most}",
                Self::CONDITION
            ),
            self.params(),
            |row| {
                Ok(AuthoredCommit {
                    repo: RepoId(row.get(0)?),
                    sha: row.get(1)?,
                    message: row.get(2)?,
                    at: sql::at(row, "at")?,
                })
            },
        )
    }

    /// The files they changed: path, how many commits, the newest.
    pub fn paths(&self, on: &impl Read) -> Result<Vec<(String, u64, Timestamp)>> {
        sql::all(
            on,
            &format!(
                "SELECT f.path, count(*), max(c.authored_at) AS at
                 FROM git_commits AS c CROSS JOIN commit_files AS f ON f.commit_id = c.id
                 WHERE {} GROUP BY f.path ORDER BY f.path",
                Self::CONDITION
            ),
            self.params(),
            |row| Ok((row.get(0)?, row.get(1)?, sql::at(row, "at")?)),
        )
    }
}
