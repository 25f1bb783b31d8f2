//! How far each listing got.

use crate::handle::{Read, Tx};
use crate::sql::{self, At, Word};
use model::ids::{ForgeId, ProjectId};
use model::{EntityKind, Result, Timestamp};

/// `(updated_at, id)` of the last item of the last committed page. The id
/// breaks ties: several items may share a stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub updated_at: Timestamp,
    pub forge_id: ForgeId,
}

pub fn get(on: &impl Read, project: ProjectId, kind: EntityKind) -> Result<Option<Cursor>> {
    sql::first(
        on,
        "SELECT updated_at, forge_id FROM sync_cursors WHERE project_id = ?1 AND resource = ?2",
        (project.0, Word(kind)),
        |row| {
            Ok(Cursor { updated_at: sql::at(row, "updated_at")?, forge_id: ForgeId(row.get(1)?) })
        },
    )
}

/// Moves the cursor; part of the transaction that stores the page.
pub fn set(tx: &Tx<'_>, project: ProjectId, kind: EntityKind, cursor: Cursor) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO sync_cursors (project_id, resource, updated_at, forge_id)
         VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (project_id, resource) DO UPDATE SET
           updated_at = excluded.updated_at,
           forge_id = excluded.forge_id",
        (project.0, Word(kind), At(cursor.updated_at), cursor.forge_id.0),
    )?;
    Ok(())
}
