//! Projects: identity by the forge's id, path as people write it today.

use crate::dirty;
use crate::handle::{Read, Tx};
use crate::payloads::PayloadId;
use crate::references;
use crate::sql::{self, At, ms};
use model::ids::{ForgeId, ProjectId};
use model::record::ProjectRecord;
use model::{ForgeKind, Result, Timestamp};
use rusqlite::{Row, named_params};

/// A project as it stands in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub forge: ForgeKind,
    pub host: String,
    pub forge_id: ForgeId,
    pub path: String,
    pub name: String,
    pub web_url: String,
    pub default_branch: Option<String>,
    pub synced_at: Option<Timestamp>,
    pub is_gone: bool,
}

impl Project {
    /// Whether a host is that of its forge, as configured or as it names itself.
    pub fn is_on(&self, host: &str) -> bool {
        let names = [Some(self.host.as_str()), model::forge::host_of(&self.web_url)];
        names.into_iter().flatten().any(|name| name.eq_ignore_ascii_case(host))
    }
}

const COLUMNS: &str = "id, forge, host, forge_id, path, name, web_url, default_branch, synced_at, gone_at IS NOT NULL AS is_gone";

fn read(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: ProjectId(row.get("id")?),
        forge: sql::word(row, "forge")?,
        host: row.get("host")?,
        forge_id: ForgeId(row.get("forge_id")?),
        path: row.get("path")?,
        name: row.get("name")?,
        web_url: row.get("web_url")?,
        default_branch: row.get("default_branch")?,
        synced_at: sql::maybe_at(row, "synced_at")?,
        is_gone: row.get("is_gone")?,
    })
}

/// Stores what the forge says of a project; a rename keeps the row and
/// remembers the old path.
pub fn upsert(
    tx: &Tx<'_>,
    host: &str,
    project: &ProjectRecord,
    payload: PayloadId,
) -> Result<ProjectId> {
    let former: Option<String> = sql::first(
        tx,
        "SELECT path FROM projects WHERE host = ?1 AND forge_id = ?2 AND path <> ?3",
        (host, project.forge_id.0, &project.path),
        |row| row.get(0),
    )?;
    let id = sql::one(
        tx,
        "INSERT INTO projects (forge, host, forge_id, path, name, description, default_branch, web_url,
           visibility, is_archived, created_at, last_activity_at, payload_id)
         VALUES (:forge, :host, :forge_id, :path, :name, :description, :default_branch, :web_url,
           :visibility, :is_archived, :created_at, :last_activity_at, :payload)
         ON CONFLICT (host, forge_id) DO UPDATE SET
           forge = excluded.forge,
           path = excluded.path,
           name = excluded.name,
           description = excluded.description,
           default_branch = excluded.default_branch,
           web_url = excluded.web_url,
           visibility = excluded.visibility,
           is_archived = excluded.is_archived,
           created_at = excluded.created_at,
           last_activity_at = excluded.last_activity_at,
           gone_at = NULL,
           payload_id = excluded.payload_id
         RETURNING id",
        named_params! {
            ":forge": project.forge.as_str(),
            ":host": host,
            ":forge_id": project.forge_id.0,
            ":path": project.path,
            ":name": project.name,
            ":description": project.description,
            ":default_branch": project.default_branch,
            ":web_url": project.web_url,
            ":visibility": project.visibility,
            ":is_archived": project.is_archived,
            ":created_at": ms(project.created_at),
            ":last_activity_at": ms(project.last_activity_at),
            ":payload": payload.0,
        },
        |row| row.get(0),
    )?;
    sql::run(
        tx,
        "INSERT OR IGNORE INTO project_paths (path, project_id) VALUES (?1, ?2)",
        (&project.path, id),
    )?;
    if let Some(former) = former {
        references::rename_project(tx, host, &former, &project.path)?;
        dirty::mark_project(tx, ProjectId(id))?;
    }
    Ok(ProjectId(id))
}

/// A run has read the project completely.
pub fn mark_synced(tx: &Tx<'_>, project: ProjectId, at: Timestamp) -> Result<()> {
    sql::run(tx, "UPDATE projects SET synced_at = ?2 WHERE id = ?1", (project.0, At(at)))?;
    Ok(())
}

/// The forge no longer shows it; what was synced stays.
pub fn mark_gone(tx: &Tx<'_>, project: ProjectId, at: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "UPDATE projects SET gone_at = coalesce(gone_at, ?2) WHERE id = ?1",
        (project.0, At(at)),
    )?;
    Ok(())
}

/// All projects, by path.
pub fn all(on: &impl Read) -> Result<Vec<Project>> {
    sql::all(on, &format!("SELECT {COLUMNS} FROM projects ORDER BY path, id"), [], read)
}

/// The project that has, or once had, this path on this host; today's owner of
/// the path wins over a former one.
pub fn by_path(on: &impl Read, host: &str, path: &str) -> Result<Option<Project>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM projects
             WHERE host = ?1
               AND id IN (SELECT project_id FROM project_paths WHERE path = ?2)
             ORDER BY path <> ?2, id
             LIMIT 1"
        ),
        (host, path),
        read,
    )
}
