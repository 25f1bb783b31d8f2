//! The index of memory: roots, files, records, edges, and how records were
//! used. What the files mean is decided in `memory`, what ranks higher in
//! `search`.

pub mod access;
pub mod edges;
pub mod index;
pub mod records;

use crate::handle::{Read, Tx};
use crate::sql;
use model::{Result, vocabulary};

/// Row of a folder of memory files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootId(pub i64);

vocabulary! {
    pub enum RootKind {
        /// In a repository, shared with the team.
        Project = "project",
        /// Under the user's data directory.
        Personal = "personal",
        /// Named on the command line or in the config.
        Other = "other",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRow {
    pub id: RootId,
    pub path: String,
    pub kind: RootKind,
    pub project: Option<String>,
}

/// Every root that was ever indexed and not given up, by path.
pub fn roots(on: &impl Read) -> Result<Vec<RootRow>> {
    sql::all(on, "SELECT id, path, kind, project FROM memory_roots ORDER BY path", [], |row| {
        Ok(RootRow {
            id: RootId(row.get(0)?),
            path: row.get(1)?,
            kind: RootKind::parse(&row.get::<_, String>(2)?).unwrap_or(RootKind::Other),
            project: row.get(3)?,
        })
    })
}

/// The root at a path, made known if it was not. A project that is not given
/// stays as it was.
pub fn put_root(tx: &Tx<'_>, path: &str, kind: RootKind, project: Option<&str>) -> Result<RootRow> {
    sql::run(
        tx,
        "INSERT INTO memory_roots (path, kind, project) VALUES (?1, ?2, ?3)
         ON CONFLICT (path) DO UPDATE SET
           kind = excluded.kind,
           project = coalesce(excluded.project, project)
         WHERE kind IS NOT excluded.kind
           OR project IS NOT coalesce(excluded.project, project)",
        (path, kind.as_str(), project),
    )?;
    let found = roots(tx)?.into_iter().find(|root| root.path == path);
    found.ok_or_else(|| model::Error::internal("a root that was just stored is missing"))
}

/// Whether the records of a root are somebody else's, as far as this handle
/// can tell.
pub(crate) fn is_foreign(on: &impl Read, root: RootId, path: &str) -> bool {
    on.belief().is_some_and(|belief| belief.is_foreign_root(root, path))
}

/// The roots whose records are somebody else's.
pub fn foreign_roots(on: &impl Read) -> Result<Vec<RootId>> {
    let all = roots(on)?;
    Ok(all.iter().filter(|row| is_foreign(on, row.id, &row.path)).map(|row| row.id).collect())
}

/// How many records of each kind there are.
pub fn counts(on: &impl Read) -> Result<[(&'static str, u64); 3]> {
    let count =
        |sql: &str| sql::one(on, sql, [], |row| row.get::<_, i64>(0)).map(|n| n.max(0) as u64);
    Ok([
        ("decisions", count("SELECT count(*) FROM decisions")?),
        ("patterns", count("SELECT count(*) FROM patterns")?),
        ("handoffs", count("SELECT count(*) FROM handoffs")?),
    ])
}
