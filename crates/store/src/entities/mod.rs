//! Issues and merge requests: writing what a listing brought, and finding rows.

mod issue;
mod merge_request;
mod shared;

use crate::handle::{Read, Tx};
use crate::payloads::{self, Payload};
use crate::sql::{self, At, Word, entity_table};
use crate::{dirty, queue, references};
use model::ids::{ForgeId, Iid, ProjectId, SyncRunId};
use model::record::{DependentKind, EntityRecord};
use model::{EntityKind, EntityState, Result, Timestamp};

/// The project a write belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub project: ProjectId,
    pub host: String,
}

/// An entity's row in the table of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityRow {
    pub kind: EntityKind,
    pub id: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    New,
    Updated,
    /// The same bytes as last time; nothing was written.
    Unchanged,
}

/// Stores an entity as listed. Unchanged bytes write nothing; anything else
/// marks the entity for its document and its references.
pub fn upsert(
    tx: &Tx<'_>,
    scope: &Scope,
    entity: &EntityRecord,
    payload: &Payload,
    now: Timestamp,
) -> Result<(EntityRow, Change)> {
    let kind = entity.kind();
    let known = known(tx, scope.project, kind, entity.core().forge_id)?;
    let change = judge(tx, known.as_ref(), payload)?;
    if let (Some(known), Change::Unchanged) = (&known, change) {
        return Ok((EntityRow { kind, id: known.id }, change));
    }
    retire_namesake(tx, scope.project, kind, entity.core().iid, entity.core().forge_id, now)?;
    let payload = payloads::keep(tx, payload)?;
    let known_id = known.as_ref().map(|known| known.id);
    let id = match entity {
        EntityRecord::Issue(record) => issue::upsert(tx, scope, record, payload, known_id)?,
        EntityRecord::MergeRequest(record) => {
            merge_request::upsert(tx, scope, record, payload, known_id)?
        }
    };
    let row = EntityRow { kind, id };
    dirty::mark(tx, kind.into(), id, now)?;
    dirty::mark_references(tx, kind, id)?;
    if change == Change::New {
        references::wake_waiting(tx, kind, entity.core().forge_id.0)?;
    }
    if known.as_ref().is_some_and(|known| known.is_gone) {
        dirty::mark_threads(tx, row, now)?;
    }
    Ok((row, change))
}

/// What storing this entity would do, without doing it.
pub fn compare(
    on: &impl Read,
    scope: &Scope,
    entity: &EntityRecord,
    payload: &Payload,
) -> Result<Change> {
    judge(on, known(on, scope.project, entity.kind(), entity.core().forge_id)?.as_ref(), payload)
}

fn judge(on: &impl Read, known: Option<&KnownEntity>, payload: &Payload) -> Result<Change> {
    let Some(known) = known else { return Ok(Change::New) };
    let stored = payloads::find(on, payload.hash())?;
    let is_same = !known.is_gone && stored.is_some_and(|stored| Some(stored.0) == known.payload);
    Ok(if is_same { Change::Unchanged } else { Change::Updated })
}

struct KnownEntity {
    id: i64,
    payload: Option<i64>,
    is_gone: bool,
}

fn known(
    on: &impl Read,
    project: ProjectId,
    kind: EntityKind,
    forge_id: ForgeId,
) -> Result<Option<KnownEntity>> {
    sql::first(
        on,
        &format!(
            "SELECT id, payload_id, gone_at IS NOT NULL FROM {}
             WHERE project_id = ?1 AND forge_id = ?2",
            entity_table(kind)
        ),
        (project.0, forge_id.0),
        |row| Ok(KnownEntity { id: row.get(0)?, payload: row.get(1)?, is_gone: row.get(2)? }),
    )
}

/// A number may come back under another id (an import done again): the row
/// that had it before is gone.
fn retire_namesake(
    tx: &Tx<'_>,
    project: ProjectId,
    kind: EntityKind,
    iid: Iid,
    forge_id: ForgeId,
    now: Timestamp,
) -> Result<()> {
    let namesake = sql::first(
        tx,
        &format!(
            "SELECT id FROM {}
             WHERE project_id = ?1 AND iid = ?2 AND forge_id <> ?3 AND gone_at IS NULL",
            entity_table(kind)
        ),
        (project.0, iid.0, forge_id.0),
        |row| row.get(0),
    )?;
    match namesake {
        Some(id) => mark_gone(tx, EntityRow { kind, id }, now).map(|_| ()),
        None => Ok(()),
    }
}

/// What the sync engine asks of an entity it already knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityHead {
    pub row: EntityRow,
    pub forge_id: ForgeId,
    pub iid: Iid,
    pub state: EntityState,
    pub updated_at: Timestamp,
    pub head_sha: Option<String>,
}

impl EntityHead {
    /// As [`find`] finds it once `entity` is stored in `row`.
    pub fn of(row: EntityRow, entity: &EntityRecord) -> EntityHead {
        let core = entity.core();
        EntityHead {
            row,
            forge_id: core.forge_id,
            iid: core.iid,
            state: core.state,
            updated_at: core.updated_at,
            head_sha: match entity {
                EntityRecord::Issue(_) => None,
                EntityRecord::MergeRequest(record) => record.head_sha.clone(),
            },
        }
    }
}

/// The living entity with this number.
pub fn find(
    on: &impl Read,
    project: ProjectId,
    kind: EntityKind,
    iid: Iid,
) -> Result<Option<EntityHead>> {
    let head_sha = match kind {
        EntityKind::Issue => "NULL",
        EntityKind::MergeRequest => "head_sha",
    };
    sql::first(
        on,
        &format!(
            "SELECT id, forge_id, state, updated_at, {head_sha} AS head_sha FROM {}
             WHERE project_id = ?1 AND iid = ?2 AND gone_at IS NULL",
            entity_table(kind)
        ),
        (project.0, iid.0),
        |row| {
            Ok(EntityHead {
                row: EntityRow { kind, id: row.get("id")? },
                forge_id: ForgeId(row.get("forge_id")?),
                iid,
                state: EntityState::parse(&row.get::<_, String>("state")?)
                    .unwrap_or(EntityState::Opened),
                updated_at: sql::at(row, "updated_at")?,
                head_sha: row.get("head_sha")?,
            })
        },
    )
}

/// The forge no longer shows it. Kept, but no longer searched; its jobs are
/// dropped. False when that was known already.
pub fn mark_gone(tx: &Tx<'_>, row: EntityRow, now: Timestamp) -> Result<bool> {
    let table = entity_table(row.kind);
    let found = sql::first(
        tx,
        &format!("SELECT project_id, iid FROM {table} WHERE id = ?1 AND gone_at IS NULL"),
        [row.id],
        |found| Ok((ProjectId(found.get(0)?), Iid(found.get(1)?))),
    )?;
    let Some((project, iid)) = found else { return Ok(false) };
    sql::run(tx, &format!("UPDATE {table} SET gone_at = ?2 WHERE id = ?1"), (row.id, At(now)))?;
    queue::drop_entity(tx, project, row.kind, iid)?;
    dirty::mark(tx, row.kind.into(), row.id, now)?;
    dirty::mark_threads(tx, row, now)?;
    Ok(true)
}

/// Remembers that a full listing contained this entity.
pub fn mark_seen(tx: &Tx<'_>, row: EntityRow, run: SyncRunId) -> Result<()> {
    sql::run(
        tx,
        &format!("UPDATE {} SET seen_run = ?2 WHERE id = ?1", entity_table(row.kind)),
        (row.id, run.0),
    )?;
    Ok(())
}

/// Living entities that the full listing of `run` did not contain.
pub fn unseen(
    on: &impl Read,
    project: ProjectId,
    kind: EntityKind,
    run: SyncRunId,
) -> Result<Vec<(EntityRow, Iid)>> {
    sql::all(
        on,
        &format!(
            "SELECT id, iid FROM {}
             WHERE project_id = ?1 AND gone_at IS NULL AND seen_run IS NOT ?2
             ORDER BY iid",
            entity_table(kind)
        ),
        (project.0, run.0),
        |row| Ok((EntityRow { kind, id: row.get(0)? }, Iid(row.get(1)?))),
    )
}

/// Living entities, of one project or all.
pub fn count(on: &impl Read, kind: EntityKind, project: Option<ProjectId>) -> Result<u64> {
    sql::one(
        on,
        &format!(
            "SELECT count(*) FROM {}
             WHERE gone_at IS NULL AND (?1 IS NULL OR project_id = ?1)",
            entity_table(kind)
        ),
        [project.map(|project| project.0)],
        |row| row.get(0),
    )
}

/// The last complete fetch of one dependent set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastFetch {
    pub fetched_at: Timestamp,
    pub condition: String,
}

pub fn last_fetch(on: &impl Read, row: EntityRow, job: &str) -> Result<Option<LastFetch>> {
    sql::first(
        on,
        "SELECT fetched_at, condition FROM entity_fetches
         WHERE entity_kind = ?1 AND entity_id = ?2 AND job = ?3",
        (Word(row.kind), row.id, job),
        |row| {
            Ok(LastFetch {
                fetched_at: sql::at(row, "fetched_at")?,
                condition: row.get("condition")?,
            })
        },
    )
}

/// Whether a dependent set was ever fetched, for any entity of a project or of all.
pub fn was_fetched(
    on: &impl Read,
    project: Option<ProjectId>,
    kind: EntityKind,
    what: DependentKind,
) -> Result<bool> {
    sql::one(
        on,
        &format!(
            "SELECT EXISTS (SELECT 1 FROM entity_fetches AS f
               CROSS JOIN {} AS e ON e.id = f.entity_id
               WHERE f.entity_kind = ?1 AND f.job = ?2 AND (?3 IS NULL OR e.project_id = ?3))",
            entity_table(kind)
        ),
        (Word(kind), what.as_str(), project.map(|project| project.0)),
        |row| row.get(0),
    )
}

/// Forgets that a dependent set was fetched: what is stored of it is no longer current.
pub fn forget_fetch(tx: &Tx<'_>, row: EntityRow, what: DependentKind) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM entity_fetches WHERE entity_kind = ?1 AND entity_id = ?2 AND job = ?3",
        (Word(row.kind), row.id, what.as_str()),
    )?;
    Ok(())
}

/// How many of these entities a dependent set was never fetched for.
pub fn n_without(on: &impl Read, rows: &[EntityRow], what: DependentKind) -> Result<usize> {
    let mut n = 0;
    for row in rows.iter().filter(|row| what.applies_to(row.kind)) {
        n += usize::from(last_fetch(on, *row, what.as_str())?.is_none());
    }
    Ok(n)
}

/// Living entities of one kind whose dependent set was neither fetched nor waits in
/// the queue; of a project, or of all.
pub fn without(
    on: &impl Read,
    project: Option<ProjectId>,
    kind: EntityKind,
    what: DependentKind,
) -> Result<Vec<(ProjectId, Iid)>> {
    // A merge request closed unmerged closes nothing: never asked for.
    let needed = match (kind, what) {
        (EntityKind::MergeRequest, DependentKind::ClosesIssues) => "AND e.state <> 'closed'",
        _ => "",
    };
    sql::all(
        on,
        &format!(
            "SELECT e.project_id, e.iid FROM {} AS e
             WHERE e.gone_at IS NULL AND (?3 IS NULL OR e.project_id = ?3) {needed}
               AND NOT EXISTS (SELECT 1 FROM entity_fetches
                 WHERE entity_kind = ?1 AND entity_id = e.id AND job = ?2)
               AND NOT EXISTS (SELECT 1 FROM pending_fetches
                 WHERE project_id = e.project_id AND entity_kind = ?1 AND iid = e.iid
                   AND job = ?2)
             ORDER BY e.project_id, e.iid",
            entity_table(kind)
        ),
        (kind.as_str(), what.as_str(), project.map(|project| project.0)),
        |row| Ok((ProjectId(row.get(0)?), Iid(row.get(1)?))),
    )
}

/// Whether a dependent set was fetched for every entity of a kind there is: two counts,
/// which are quick where [`without`] is not.
pub fn all_have(on: &impl Read, kind: EntityKind, what: DependentKind) -> Result<bool> {
    sql::one(
        on,
        &format!(
            "SELECT (SELECT count(*) FROM entity_fetches WHERE entity_kind = ?1 AND job = ?2)
               >= (SELECT count(*) FROM {})",
            entity_table(kind)
        ),
        (kind.as_str(), what.as_str()),
        |row| row.get(0),
    )
}

/// Living entities whose threads were last looked at too long ago, longest
/// first: before `idle`, or before `active` if they changed since `recent`.
pub fn due_for_visit(
    on: &impl Read,
    project: ProjectId,
    kind: EntityKind,
    due: &VisitDue,
    limit: usize,
) -> Result<Vec<(EntityRow, Iid)>> {
    // Two questions with an index each; as one they would read everything
    // that is neither idle nor active, on every run.
    sql::all(
        on,
        &format!(
            "SELECT id, iid FROM (
               SELECT * FROM (
                 SELECT e.id, e.iid, f.fetched_at
                 FROM entity_fetches AS f JOIN {table} AS e ON e.id = f.entity_id
                 WHERE f.entity_kind = ?1 AND f.job = 'discussions' AND f.fetched_at <= ?3
                   AND e.project_id = ?2 AND e.gone_at IS NULL
                 ORDER BY f.fetched_at LIMIT ?6)
               UNION
               SELECT * FROM (
                 SELECT e.id, e.iid, f.fetched_at
                 FROM {table} AS e JOIN entity_fetches AS f
                   ON f.entity_kind = ?1 AND f.entity_id = e.id AND f.job = 'discussions'
                 WHERE e.project_id = ?2 AND e.updated_at >= ?5 AND e.gone_at IS NULL
                   AND f.fetched_at <= ?4
                 ORDER BY f.fetched_at LIMIT ?6))
             ORDER BY fetched_at, id
             LIMIT ?6",
            table = entity_table(kind)
        ),
        (Word(kind), project.0, At(due.idle), At(due.active), At(due.recent), limit as i64),
        |row| Ok((EntityRow { kind, id: row.get(0)? }, Iid(row.get(1)?))),
    )
}

/// The moments that decide whether an entity is visited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitDue {
    pub idle: Timestamp,
    pub active: Timestamp,
    pub recent: Timestamp,
}
