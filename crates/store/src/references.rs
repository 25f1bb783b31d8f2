//! Relations between entities: what they are derived from, and the result.
//!
//! `reference_observations` holds what each entity's data says, replaced as a
//! set; `entity_references` holds each relation once, by its best witness.

use crate::change_relations;
use crate::entities::EntityRow;
use crate::handle::{Read, Tx};
use crate::sql::{self, Word, entity_table, ms, owner_column};
use model::forge::host_of;
use model::ids::Iid;
use model::relation::{Certainty, EntityName, EvidenceSource, Observation, RelationType};
use model::{EntityKind, ForgeKind, Result, Timestamp};
use rusqlite::Row;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// Everything an entity's relations follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    pub this: EntityName,
    pub forge: ForgeKind,
    /// The host of the project's own address, by which texts name it.
    pub web_host: String,
    /// Of a merge request.
    pub title: Option<String>,
    pub description: Option<String>,
    pub notes: Vec<NoteInput>,
    pub commit_messages: Vec<String>,
    /// What its commits say of commits of other merge requests.
    pub commit_relations: Vec<(RelationType, EntityName)>,
    /// Merge requests with the same commits, the earlier of both closed without
    /// a merge; true when the other is the later one.
    pub shared_commits: Vec<(bool, EntityName)>,
    /// Issues this merge request declares to close.
    pub closes: Vec<EntityName>,
    /// Merge requests that closed this issue, by the forge's own word.
    pub closed_by_event: Vec<(EntityName, Timestamp)>,
    /// Merge requests that declare to close this issue and were merged right
    /// before it was closed.
    pub closed_by_inference: Vec<(EntityName, Timestamp)>,
    pub moved_to: Option<EntityName>,
    pub duplicate_of: Option<EntityName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteInput {
    pub id: i64,
    pub body: String,
    pub is_system: bool,
    pub created_at: Timestamp,
}

/// Closing runs in a background worker: this long after the merge at most.
const CLOSING_DELAY: Duration = Duration::from_secs(600);

/// Entities whose relations must be derived again.
pub fn next_dirty(on: &impl Read, limit: usize) -> Result<Vec<EntityRow>> {
    sql::all(
        on,
        "SELECT entity_kind, entity_id FROM dirty_references
         ORDER BY entity_kind, entity_id LIMIT ?1",
        [limit as i64],
        |row| Ok(EntityRow { kind: row.get::<_, Word<EntityKind>>(0)?.0, id: row.get(1)? }),
    )
}

pub fn count_dirty(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM dirty_references", [], |row| row.get(0))
}

/// None when the entity no longer exists.
pub fn inputs(on: &impl Read, entity: EntityRow) -> Result<Option<Inputs>> {
    match entity.kind {
        EntityKind::Issue => issue_inputs(on, entity),
        EntityKind::MergeRequest => merge_request_inputs(on, entity),
    }
}

fn merge_request_inputs(on: &impl Read, entity: EntityRow) -> Result<Option<Inputs>> {
    let head = sql::first(
        on,
        "SELECT p.host, p.path, e.iid, e.description, p.forge, p.web_url, e.title
         FROM merge_requests AS e JOIN projects AS p ON p.id = e.project_id
         WHERE e.id = ?1",
        [entity.id],
        |row| Ok((Head::read(entity.kind, row)?, row.get(6)?)),
    )?;
    let Some((head, title)) = head else { return Ok(None) };
    let commit_messages = commit_messages(on, entity.id)?;
    Ok(Some(Inputs {
        this: head.this,
        forge: head.forge,
        web_host: head.web_host,
        title,
        description: head.description,
        notes: notes(on, entity)?,
        commit_relations: change_relations::by_commits(on, entity.id, &commit_messages)?,
        shared_commits: change_relations::shared_commits(on, entity.id)?,
        commit_messages,
        closes: closes(on, entity.id)?,
        closed_by_event: Vec::new(),
        closed_by_inference: Vec::new(),
        moved_to: None,
        duplicate_of: None,
    }))
}

fn issue_inputs(on: &impl Read, entity: EntityRow) -> Result<Option<Inputs>> {
    // What most issues are not is asked first: closed, moved, a duplicate.
    let head = sql::first(
        on,
        "SELECT p.host, p.path, e.iid, e.description, p.forge, p.web_url,
           EXISTS (SELECT 1 FROM resource_state_events AS s
             WHERE s.issue_id = e.id AND s.state = 'closed'),
           e.moved_to_forge_id IS NOT NULL,
           e.duplicate_of_iid IS NOT NULL
         FROM issues AS e JOIN projects AS p ON p.id = e.project_id
         WHERE e.id = ?1",
        [entity.id],
        |row| {
            let facts: [bool; 3] = [row.get(6)?, row.get(7)?, row.get(8)?];
            Ok((Head::read(entity.kind, row)?, facts))
        },
    )?;
    let Some((head, [was_closed, was_moved, is_duplicate])) = head else { return Ok(None) };
    let mut inputs = Inputs {
        this: head.this,
        forge: head.forge,
        web_host: head.web_host,
        title: None,
        description: head.description,
        notes: notes(on, entity)?,
        commit_messages: Vec::new(),
        commit_relations: Vec::new(),
        shared_commits: Vec::new(),
        closes: Vec::new(),
        closed_by_event: Vec::new(),
        closed_by_inference: Vec::new(),
        moved_to: None,
        duplicate_of: None,
    };
    if was_closed {
        inputs.closed_by_event = closed_by_event(on, entity.id)?;
        inputs.closed_by_inference = closed_by_inference(on, entity.id)?;
    }
    if was_moved {
        inputs.moved_to = moved_to(on, entity.id)?;
    }
    if is_duplicate {
        inputs.duplicate_of = duplicate_of(on, entity.id)?;
    }
    Ok(Some(inputs))
}

/// What is read first of an entity.
struct Head {
    this: EntityName,
    forge: ForgeKind,
    web_host: String,
    description: Option<String>,
}

impl Head {
    fn read(kind: EntityKind, row: &Row<'_>) -> rusqlite::Result<Head> {
        let web_url: String = row.get("web_url")?;
        let this = named(kind, row)?;
        Ok(Head {
            forge: sql::word(row, "forge")?,
            web_host: host_of(&web_url).unwrap_or(&this.host).to_ascii_lowercase(),
            description: row.get("description")?,
            this,
        })
    }
}

/// Host, path and number in the first columns.
fn named(kind: EntityKind, row: &Row<'_>) -> rusqlite::Result<EntityName> {
    Ok(EntityName { kind, host: row.get(0)?, project: row.get(1)?, iid: Iid(row.get(2)?) })
}

fn notes(on: &impl Read, entity: EntityRow) -> Result<Vec<NoteInput>> {
    sql::all(
        on,
        &format!(
            "SELECT n.id, n.body, n.is_system, n.created_at
             FROM discussions AS d JOIN notes AS n ON n.discussion_id = d.id
             WHERE d.{} = ?1
             ORDER BY n.created_at, n.forge_id",
            owner_column(entity.kind)
        ),
        [entity.id],
        |row| {
            Ok(NoteInput {
                id: row.get("id")?,
                body: row.get("body")?,
                is_system: row.get("is_system")?,
                created_at: sql::at(row, "created_at")?,
            })
        },
    )
}

fn commit_messages(on: &impl Read, merge_request: i64) -> Result<Vec<String>> {
    sql::all(
        on,
        "SELECT message FROM mr_commits WHERE merge_request_id = ?1 ORDER BY position",
        [merge_request],
        |row| row.get(0),
    )
}

fn closes(on: &impl Read, merge_request: i64) -> Result<Vec<EntityName>> {
    let found = sql::all(
        on,
        "SELECT own.host, coalesce(
             (SELECT path FROM projects
              WHERE projects.forge_id = c.project_forge_id AND projects.host = own.host),
             c.project_path) AS path, c.iid
         FROM mr_closes_issues AS c
         JOIN merge_requests AS m ON m.id = c.merge_request_id
         JOIN projects AS own ON own.id = m.project_id
         WHERE c.merge_request_id = ?1
         ORDER BY c.project_forge_id, c.iid",
        [merge_request],
        |row| {
            let path: Option<String> = row.get(1)?;
            path.map(|_| named(EntityKind::Issue, row)).transpose()
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

fn merge_request_at(row: &Row<'_>) -> rusqlite::Result<(EntityName, Timestamp)> {
    Ok((named(EntityKind::MergeRequest, row)?, sql::at(row, "at")?))
}

fn closed_by_event(on: &impl Read, issue: i64) -> Result<Vec<(EntityName, Timestamp)>> {
    sql::all(
        on,
        "SELECT p.host, p.path, m.iid, s.created_at AS at
         FROM resource_state_events AS s
         JOIN merge_requests AS m ON m.forge_id = s.source_merge_request_forge_id
         JOIN projects AS p ON p.id = m.project_id
         WHERE s.issue_id = ?1 AND s.state = 'closed'
           AND p.host = (SELECT own.host FROM projects AS own JOIN issues AS i
             ON i.project_id = own.id WHERE i.id = s.issue_id)
         ORDER BY s.created_at, s.forge_id",
        [issue],
        merge_request_at,
    )
}

fn closed_by_inference(on: &impl Read, issue: i64) -> Result<Vec<(EntityName, Timestamp)>> {
    sql::all(
        on,
        "SELECT mp.host, mp.path, m.iid, min(s.created_at) AS at
         FROM issues AS i
         JOIN projects AS ip ON ip.id = i.project_id
         JOIN mr_closes_issues AS c ON c.project_forge_id = ip.forge_id AND c.iid = i.iid
         JOIN merge_requests AS m ON m.id = c.merge_request_id AND m.state = 'merged'
         JOIN projects AS mp ON mp.id = m.project_id AND mp.host = ip.host
         JOIN resource_state_events AS s ON s.issue_id = i.id AND s.state = 'closed'
         WHERE i.id = ?1
           AND s.created_at BETWEEN m.merged_at AND m.merged_at + ?2
           AND (s.user_id IS NULL OR m.merged_by_id IS NULL OR s.user_id = m.merged_by_id)
         GROUP BY m.id
         ORDER BY m.id",
        (issue, CLOSING_DELAY.as_millis() as i64),
        merge_request_at,
    )
}

fn moved_to(on: &impl Read, issue: i64) -> Result<Option<EntityName>> {
    sql::first(
        on,
        "SELECT p.host, p.path, t.iid
         FROM issues AS i
         JOIN projects AS own ON own.id = i.project_id
         JOIN issues AS t ON t.forge_id = i.moved_to_forge_id
         JOIN projects AS p ON p.id = t.project_id AND p.host = own.host
         WHERE i.id = ?1",
        [issue],
        |row| named(EntityKind::Issue, row),
    )
}

fn duplicate_of(on: &impl Read, issue: i64) -> Result<Option<EntityName>> {
    sql::first(
        on,
        "SELECT p.host, p.path, i.duplicate_of_iid
         FROM issues AS i
         JOIN projects AS own ON own.id = i.project_id
         JOIN projects AS p
           ON p.forge_id = i.duplicate_of_project_forge_id AND p.host = own.host
         WHERE i.id = ?1",
        [issue],
        |row| named(EntityKind::Issue, row),
    )
}

/// Replaces what the data of each of these entities says and brings the
/// relations it touches level with it. They must be those of [`next_dirty`];
/// they are no longer dirty then.
pub fn replace(tx: &Tx<'_>, derived: &[(EntityRow, Vec<Observation>)]) -> Result<()> {
    let mut names = Names::default();
    for (entity, observations) in derived {
        replace_one(tx, *entity, observations, &mut names)?;
    }
    if let Some((last, _)) = derived.last() {
        // They were taken in this order, without gaps.
        sql::run(
            tx,
            "DELETE FROM dirty_references WHERE (entity_kind, entity_id) <= (?1, ?2)",
            (Word(last.kind), last.id),
        )?;
    }
    Ok(())
}

fn replace_one(
    tx: &Tx<'_>,
    entity: EntityRow,
    observations: &[Observation],
    names: &mut Names,
) -> Result<()> {
    let mut touched = observed_relations(tx, entity)?;
    if !touched.is_empty() {
        sql::run(
            tx,
            "DELETE FROM reference_observations WHERE observed_kind = ?1 AND observed_id = ?2",
            (Word(entity.kind), entity.id),
        )?;
    }
    for observation in observations {
        let observation = names.current(tx, observation)?;
        insert(tx, entity, &observation)?;
        touched.insert((observation.source, observation.target, observation.relation));
    }
    for (source, target, relation) in &touched {
        settle(tx, source, target, *relation, names)?;
    }
    Ok(())
}

/// What has been looked up already: most names come more than once.
#[derive(Default)]
struct Names {
    /// By host and path.
    paths: HashMap<(String, String), Option<String>>,
    rows: HashMap<EntityName, Option<i64>>,
}

impl Names {
    /// Texts keep the path a project had when they were written.
    fn current(&mut self, on: &impl Read, observation: &Observation) -> Result<Observation> {
        let mut observation = observation.clone();
        for end in [&mut observation.source, &mut observation.target] {
            let place = (end.host.clone(), end.project.clone());
            let path = match self.paths.get(&place) {
                Some(path) => path.clone(),
                None => {
                    let path = current_path(on, &end.host, &end.project)?;
                    self.paths.insert(place, path.clone());
                    path
                }
            };
            if let Some(path) = path {
                end.project = path;
            }
        }
        Ok(observation)
    }

    fn row_of(&mut self, on: &impl Read, name: &EntityName) -> Result<Option<i64>> {
        if let Some(row) = self.rows.get(name) {
            return Ok(*row);
        }
        let row = row_of(on, name)?;
        self.rows.insert(name.clone(), row);
        Ok(row)
    }
}

type Relation = (EntityName, EntityName, RelationType);

fn observed_relations(on: &impl Read, entity: EntityRow) -> Result<BTreeSet<Relation>> {
    let found = sql::all(
        on,
        "SELECT source_kind, source_host, source_project_path, source_iid, target_kind, target_host,
           target_project_path, target_iid, reference_type
         FROM reference_observations WHERE observed_kind = ?1 AND observed_id = ?2",
        (Word(entity.kind), entity.id),
        |row| {
            Ok((name_at(row, 0)?, name_at(row, 4)?, sql::word(row, "reference_type")?))
        },
    )?;
    Ok(found.into_iter().collect())
}

fn name_at(row: &Row<'_>, first: usize) -> rusqlite::Result<EntityName> {
    Ok(EntityName {
        kind: row.get::<_, Word<EntityKind>>(first)?.0,
        host: row.get(first + 1)?,
        project: row.get(first + 2)?,
        iid: Iid(row.get(first + 3)?),
    })
}

fn current_path(on: &impl Read, host: &str, path: &str) -> Result<Option<String>> {
    sql::first(
        on,
        "SELECT path FROM projects
         WHERE host = ?1 AND id IN (SELECT project_id FROM project_paths WHERE path = ?2)
         ORDER BY path <> ?2, id LIMIT 1",
        [host, path],
        |row| row.get(0),
    )
}

fn insert(tx: &Tx<'_>, entity: EntityRow, observation: &Observation) -> Result<()> {
    let Observation { source, target, relation, method, certainty, note, at } = observation;
    sql::run(
        tx,
        "INSERT INTO reference_observations (observed_kind, observed_id, source_kind, source_host,
           source_project_path, source_iid, target_kind, target_host, target_project_path,
           target_iid, reference_type, source_method, certainty, note_id, observed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        (
            Word(entity.kind),
            entity.id,
            Word(source.kind),
            &source.host,
            &source.project,
            source.iid.0,
            Word(target.kind),
            &target.host,
            &target.project,
            target.iid.0,
            relation.as_str(),
            method.as_str(),
            certainty.as_str(),
            note,
            ms(*at),
        ),
    )?;
    Ok(())
}

/// Chooses the best witness of one relation: surest first, then best method.
fn settle(
    tx: &Tx<'_>,
    source: &EntityName,
    target: &EntityName,
    relation: RelationType,
    names: &mut Names,
) -> Result<()> {
    let key = || {
        (
            Word(source.kind),
            &source.host,
            &source.project,
            source.iid.0,
            Word(target.kind),
            &target.host,
            &target.project,
            target.iid.0,
            relation.as_str(),
        )
    };
    let witnesses = sql::all(
        tx,
        "SELECT certainty, source_method, note_id, observed_at
         FROM reference_observations
         WHERE source_kind = ?1 AND source_host = ?2 AND source_project_path = ?3
           AND source_iid = ?4 AND target_kind = ?5 AND target_host = ?6
           AND target_project_path = ?7 AND target_iid = ?8 AND reference_type = ?9",
        key(),
        |row| {
            Ok((
                Certainty::parse(&row.get::<_, String>(0)?).unwrap_or(Certainty::Declared),
                EvidenceSource::parse(&row.get::<_, String>(1)?).unwrap_or(EvidenceSource::Note),
                row.get::<_, Option<i64>>(2)?,
                row.get::<_, Option<i64>>(3)?,
            ))
        },
    )?;
    let Some((certainty, method, note, at)) = witnesses.into_iter().min() else {
        sql::run(
            tx,
            "DELETE FROM entity_references
             WHERE source_kind = ?1 AND source_host = ?2 AND source_project_path = ?3
               AND source_iid = ?4 AND target_kind = ?5 AND target_host = ?6
               AND target_project_path = ?7 AND target_iid = ?8 AND reference_type = ?9",
            key(),
        )?;
        return Ok(());
    };
    sql::run(
        tx,
        "INSERT INTO entity_references (source_kind, source_host, source_project_path, source_iid,
           source_id, target_kind, target_host, target_project_path, target_iid, target_id,
           reference_type, source_method, certainty, note_id, observed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
         ON CONFLICT (source_kind, source_host, source_project_path, source_iid, target_kind,
           target_host, target_project_path, target_iid, reference_type) DO UPDATE SET
           source_id = excluded.source_id,
           target_id = excluded.target_id,
           source_method = excluded.source_method,
           certainty = excluded.certainty,
           note_id = excluded.note_id,
           observed_at = excluded.observed_at",
        (
            Word(source.kind),
            &source.host,
            &source.project,
            source.iid.0,
            names.row_of(tx, source)?,
            Word(target.kind),
            &target.host,
            &target.project,
            target.iid.0,
            names.row_of(tx, target)?,
            relation.as_str(),
            method.as_str(),
            certainty.as_str(),
            note,
            at,
        ),
    )?;
    Ok(())
}

/// The entity's row, if it is synced here; a living one before a gone one.
fn row_of(on: &impl Read, name: &EntityName) -> Result<Option<i64>> {
    let table = entity_table(name.kind);
    // Two questions with an index each.
    let living = sql::first(
        on,
        &format!(
            "SELECT e.id FROM projects AS p JOIN {table} AS e ON e.project_id = p.id
             WHERE p.host = ?3 AND p.path = ?1 AND e.iid = ?2 AND e.gone_at IS NULL
             ORDER BY e.id LIMIT 1"
        ),
        (&name.project, name.iid.0, &name.host),
        |row| row.get(0),
    )?;
    if living.is_some() {
        return Ok(living);
    }
    sql::first(
        on,
        &format!(
            "SELECT e.id FROM projects AS p JOIN {table} AS e ON e.project_id = p.id
             WHERE p.host = ?3 AND p.path = ?1 AND e.iid = ?2 AND e.gone_at IS NOT NULL
             ORDER BY e.id LIMIT 1"
        ),
        (&name.project, name.iid.0, &name.host),
        |row| row.get(0),
    )
}

/// Relations with an end that is not synced here yet, looked up again.
pub fn resolve_open(tx: &Tx<'_>) -> Result<usize> {
    let open = sql::all(
        tx,
        "SELECT id, source_kind, source_host, source_project_path, source_iid, target_kind,
           target_host, target_project_path, target_iid
         FROM entity_references
         WHERE (target_id IS NULL OR source_id IS NULL)
           AND (target_project_path IN (SELECT path FROM project_paths)
             OR target_id IS NOT NULL)",
        [],
        |row| Ok((row.get::<_, i64>(0)?, name_at(row, 1)?, name_at(row, 5)?)),
    )?;
    let mut resolved = 0;
    for (id, source, target) in open {
        resolved += sql::run(
            tx,
            "UPDATE entity_references SET source_id = ?2, target_id = ?3
             WHERE id = ?1 AND (source_id IS NOT ?2 OR target_id IS NOT ?3)",
            (id, row_of(tx, &source)?, row_of(tx, &target)?),
        )?;
    }
    Ok(resolved)
}

/// A project was renamed: relations are kept by name, so they move along.
pub(crate) fn rename_project(tx: &Tx<'_>, host: &str, old: &str, new: &str) -> Result<()> {
    for table in ["reference_observations", "entity_references"] {
        for end in ["source", "target"] {
            // A relation known under both names keeps the row of the new one.
            sql::run(
                tx,
                &format!(
                    "UPDATE OR REPLACE {table} SET {end}_project_path = ?2
                     WHERE {end}_project_path = ?1 AND {end}_host = ?3"
                ),
                (old, new, host),
            )?;
        }
    }
    Ok(())
}

/// An entity has arrived that others may have been waiting for by its id.
pub(crate) fn wake_waiting(tx: &Tx<'_>, kind: EntityKind, forge_id: i64) -> Result<()> {
    let statement = match kind {
        EntityKind::MergeRequest => {
            "INSERT OR IGNORE INTO dirty_references (entity_kind, entity_id)
             SELECT 'issue', issue_id FROM resource_state_events
             WHERE source_merge_request_forge_id = ?1 AND issue_id IS NOT NULL"
        }
        EntityKind::Issue => {
            "INSERT OR IGNORE INTO dirty_references (entity_kind, entity_id)
             SELECT 'issue', id FROM issues WHERE moved_to_forge_id = ?1"
        }
    };
    sql::run(tx, statement, [forge_id])?;
    Ok(())
}

/// System notes whose wording lore does not know.
pub fn unknown_notes(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM notes WHERE system_action = 'unknown'", [], |row| row.get(0))
}

/// Relations in all, and those with an end that is not synced here.
pub fn totals(on: &impl Read) -> Result<(u64, u64)> {
    sql::one(
        on,
        "SELECT count(*), coalesce(sum(source_id IS NULL OR target_id IS NULL), 0)
         FROM entity_references",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
