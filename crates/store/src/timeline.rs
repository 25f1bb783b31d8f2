//! What a timeline is made of, read for a set of entities at once: a fixed
//! number of statements, however many entities take part. Their events are in
//! [`crate::events`].

use crate::dirty::SourceType;
use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, Word, entity_table, json_ids, owner_column};
use model::ids::{ForgeId, Iid};
use model::memory::DecisionStatus;
use model::relation::{Certainty, EntityName, EvidenceSource, RelationType};
use model::{EntityKind, EntityState, ForgeKind, Result, Timestamp};
use rusqlite::Row;
use std::collections::{BTreeMap, BTreeSet};

/// What every event of an entity shows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityHeader {
    pub row: EntityRow,
    pub forge: ForgeKind,
    pub host: String,
    pub project: String,
    pub iid: Iid,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<String>,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<String>,
    pub assignees: Vec<String>,
    pub updated_at: Timestamp,
    pub web_url: String,
}

impl EntityHeader {
    pub fn name(&self) -> EntityName {
        EntityName {
            kind: self.row.kind,
            host: self.host.clone(),
            project: self.project.clone(),
            iid: self.iid,
        }
    }

    /// Address of a note on it.
    pub fn note_url(&self, note: i64) -> String {
        self.forge.dialect().note_url(&self.web_url, ForgeId(note))
    }
}

/// The heads of these entities, in order of kind and row.
pub fn heads(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<EntityHeader>> {
    let mut heads = Vec::new();
    for kind in EntityKind::ALL {
        let (merged, assignees) = match kind {
            EntityKind::Issue => ("NULL AS merged_at, NULL AS merged_by", "issue_assignees"),
            EntityKind::MergeRequest => (
                "e.merged_at, (SELECT username FROM users WHERE id = e.merged_by_id) AS merged_by",
                "mr_assignees",
            ),
        };
        heads.extend(sql::all(
            on,
            &format!(
                "SELECT e.id, p.forge, p.host, p.path, e.iid, e.title, e.state, e.created_at, e.updated_at,
                   e.closed_at, e.web_url,
                   (SELECT username FROM users WHERE id = e.author_id) AS author,
                   (SELECT username FROM users WHERE id = e.closed_by_id) AS closed_by,
                   (SELECT json_group_array(username) FROM (SELECT username FROM {assignees}
                      JOIN users ON users.id = user_id WHERE {} = e.id
                      ORDER BY username)) AS assignees,
                   {merged}
                 FROM {} AS e JOIN projects AS p ON p.id = e.project_id
                 WHERE e.id IN (SELECT value FROM json_each(?1))
                 ORDER BY e.id",
                owner_column(kind),
                entity_table(kind)
            ),
            [ids_of(kind, entities)],
            |row| head(row, kind),
        )?);
    }
    Ok(heads)
}

fn head(row: &Row<'_>, kind: EntityKind) -> rusqlite::Result<EntityHeader> {
    let assignees: String = row.get("assignees")?;
    Ok(EntityHeader {
        row: EntityRow { kind, id: row.get("id")? },
        forge: sql::word(row, "forge")?,
        host: row.get("host")?,
        project: row.get("path")?,
        iid: Iid(row.get("iid")?),
        title: row.get("title")?,
        state: sql::word(row, "state")?,
        author: row.get("author")?,
        created_at: sql::at(row, "created_at")?,
        closed_at: sql::maybe_at(row, "closed_at")?,
        closed_by: row.get("closed_by")?,
        merged_at: sql::maybe_at(row, "merged_at")?,
        merged_by: row.get("merged_by")?,
        assignees: serde_json::from_str(&assignees).unwrap_or_default(),
        updated_at: sql::at(row, "updated_at")?,
        web_url: row.get("web_url")?,
    })
}

/// Those of a kind, as a parameter.
pub(crate) fn ids_of(kind: EntityKind, entities: &[EntityRow]) -> String {
    let ids: Vec<i64> = entities.iter().filter(|row| row.kind == kind).map(|row| row.id).collect();
    json_ids(&ids)
}

/// What a document tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    pub document: i64,
    pub entity: EntityRow,
    /// The thread it is, if it is one.
    pub discussion: Option<i64>,
}

/// The subjects of documents, in the order of their ids; those that are about
/// no entity are left out.
pub fn subjects(on: &impl Read, documents: &[i64]) -> Result<Vec<Subject>> {
    let found = sql::all(
        on,
        "SELECT d.id, d.source_type, d.source_id, t.issue_id, t.merge_request_id
         FROM documents AS d
         LEFT JOIN discussions AS t ON d.source_type = 'discussion' AND t.id = d.source_id
         WHERE d.id IN (SELECT value FROM json_each(?1)) ORDER BY d.id",
        [json_ids(documents)],
        |row| {
            let source: String = row.get(1)?;
            let id: i64 = row.get(2)?;
            let (issue, merge_request, discussion) = match SourceType::parse(&source) {
                Some(SourceType::Issue) => (Some(id), None, None),
                Some(SourceType::MergeRequest) => (None, Some(id), None),
                _ => (row.get(3)?, row.get(4)?, Some(id)),
            };
            let entity = match (issue, merge_request) {
                (Some(id), _) => Some(EntityRow { kind: EntityKind::Issue, id }),
                (None, Some(id)) => Some(EntityRow { kind: EntityKind::MergeRequest, id }),
                (None, None) => None,
            };
            let document = row.get(0)?;
            Ok(entity.map(|entity| Subject { document, entity, discussion }))
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// A relation with one end among the entities asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityRelation {
    pub id: i64,
    pub source: RelationEnd,
    pub target: RelationEnd,
    pub relation: RelationType,
    pub method: EvidenceSource,
    pub certainty: Certainty,
    /// When it was observed; else when its source was made.
    pub at: Option<Timestamp>,
}

/// One end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationEnd {
    pub name: EntityName,
    /// None while it is not synced here.
    pub row: Option<EntityRow>,
    pub title: Option<String>,
}

/// Relations from and to these entities, each once, in order of row.
pub fn links(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<EntityRelation>> {
    let mut seen = BTreeSet::new();
    let mut links = Vec::new();
    for kind in EntityKind::ALL {
        let ids = ids_of(kind, entities);
        if ids == "[]" {
            continue;
        }
        for end in ["source", "target"] {
            let found = sql::all(
                on,
                &format!(
                    "SELECT r.id, r.reference_type, r.source_method, r.certainty,
                       r.source_kind, r.source_host, r.source_project_path, r.source_iid,
                       r.source_id, r.target_kind, r.target_host, r.target_project_path,
                       r.target_iid, r.target_id,
                       coalesce(si.title, sm.title) AS source_title,
                       coalesce(ti.title, tm.title) AS target_title,
                       coalesce(r.observed_at, si.created_at, sm.created_at) AS at
                     FROM entity_references AS r
                     LEFT JOIN issues AS si ON r.source_kind = 'issue' AND si.id = r.source_id
                     LEFT JOIN merge_requests AS sm
                       ON r.source_kind = 'merge_request' AND sm.id = r.source_id
                     LEFT JOIN issues AS ti ON r.target_kind = 'issue' AND ti.id = r.target_id
                     LEFT JOIN merge_requests AS tm
                       ON r.target_kind = 'merge_request' AND tm.id = r.target_id
                     WHERE r.{end}_kind = ?1
                       AND r.{end}_id IN (SELECT value FROM json_each(?2))"
                ),
                (Word(kind), &ids),
                link,
            )?;
            links.extend(found.into_iter().filter(|link| seen.insert(link.id)));
        }
    }
    links.sort_by_key(|link| link.id);
    Ok(links)
}

/// How many others speak of each of the entities, in whatever way; none of those that
/// nobody speaks of.
pub fn n_speakers(on: &impl Read, entities: &[EntityRow]) -> Result<BTreeMap<EntityRow, u64>> {
    let mut counts = BTreeMap::new();
    for kind in EntityKind::ALL {
        let ids = ids_of(kind, entities);
        if ids == "[]" {
            continue;
        }
        let found = sql::all(
            on,
            "SELECT target_id, count(DISTINCT source_kind || source_host || source_project_path
               || ' ' || source_iid) AS n
             FROM entity_references
             WHERE target_kind = ?1 AND target_id IN (SELECT value FROM json_each(?2))
               AND (source_id IS NULL OR source_kind <> target_kind OR source_id <> target_id)
             GROUP BY target_id",
            (Word(kind), &ids),
            |row| Ok((EntityRow { kind, id: row.get("target_id")? }, row.get("n")?)),
        )?;
        counts.extend(found);
    }
    Ok(counts)
}

fn link(row: &Row<'_>) -> rusqlite::Result<EntityRelation> {
    Ok(EntityRelation {
        id: row.get("id")?,
        source: end(row, "source")?,
        target: end(row, "target")?,
        relation: sql::word(row, "reference_type")?,
        method: sql::word(row, "source_method")?,
        certainty: sql::word(row, "certainty")?,
        at: sql::maybe_at(row, "at")?,
    })
}

fn end(row: &Row<'_>, end: &str) -> rusqlite::Result<RelationEnd> {
    let column = |name: &str| format!("{end}_{name}");
    let kind = sql::word(row, column("kind").as_str())?;
    let id: Option<i64> = row.get(column("id").as_str())?;
    Ok(RelationEnd {
        name: EntityName {
            kind,
            host: row.get(column("host").as_str())?,
            project: row.get(column("project_path").as_str())?,
            iid: Iid(row.get(column("iid").as_str())?),
        },
        row: id.map(|id| EntityRow { kind, id }),
        title: row.get(column("title").as_str())?,
    })
}

/// Something a person wrote, with its place in the thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenNote {
    pub entity: EntityRow,
    /// Row of the thread.
    pub discussion: i64,
    pub forge_id: i64,
    pub author: Option<String>,
    pub author_name: Option<String>,
    pub body: String,
    pub created_at: Timestamp,
    pub is_resolved: bool,
    pub path: Option<String>,
    pub line: Option<i64>,
}

/// What people wrote on these entities: by entity, thread and place in it; the
/// longest discussions are cut at `most` notes for each entity, the newest kept.
pub fn notes(on: &impl Read, entities: &[EntityRow], most: usize) -> Result<Vec<WrittenNote>> {
    let mut notes = Vec::new();
    for kind in EntityKind::ALL {
        let owner = owner_column(kind);
        notes.extend(sql::all(
            on,
            &format!(
                "SELECT * FROM (
                   SELECT d.{owner} AS owner, d.id AS discussion, d.first_note_at, n.position,
                     n.forge_id, n.body, n.created_at, n.is_resolved,
                     coalesce(n.new_path, n.old_path) AS path,
                     coalesce(n.new_line, n.old_line) AS line,
                     u.username AS author, u.name AS author_name,
                     row_number() OVER (PARTITION BY d.{owner}
                       ORDER BY n.created_at DESC, n.forge_id DESC) AS age
                   FROM discussions AS d
                   JOIN notes AS n ON n.discussion_id = d.id
                   LEFT JOIN users AS u ON u.id = n.author_id
                   WHERE d.{owner} IN (SELECT value FROM json_each(?1)) AND n.is_system = 0
                 )
                 WHERE age <= ?2
                 ORDER BY owner, first_note_at, discussion, position"
            ),
            (ids_of(kind, entities), most as i64),
            |row| written(row, kind),
        )?);
    }
    Ok(notes)
}

fn written(row: &Row<'_>, kind: EntityKind) -> rusqlite::Result<WrittenNote> {
    Ok(WrittenNote {
        entity: EntityRow { kind, id: row.get("owner")? },
        discussion: row.get("discussion")?,
        forge_id: row.get("forge_id")?,
        author: row.get("author")?,
        author_name: row.get("author_name")?,
        body: row.get("body")?,
        created_at: sql::at(row, "created_at")?,
        is_resolved: row.get("is_resolved")?,
        path: row.get("path")?,
        line: row.get("line")?,
    })
}

/// A decision recorded in memory that links to an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDecision {
    /// Row of the decision.
    pub row: i64,
    pub record_id: String,
    /// The entity, as one of the names asked for.
    pub end: String,
    pub decision: String,
    pub rationale: String,
    pub is_superseded: bool,
    pub author: Option<String>,
    pub created_at: Timestamp,
}

/// Decisions with a link or an edge to any of these, given as
/// `group/project#12`; each once for each of them.
pub fn recorded_decisions(on: &impl Read, ends: &[String]) -> Result<Vec<RecordedDecision>> {
    let ends = serde_json::to_string(ends).unwrap_or_default();
    sql::all(
        on,
        "SELECT d.id, d.record_id, l.entity, d.decision, d.rationale, d.status, d.author,
           d.created_at
         FROM (
           SELECT from_end AS record, to_end AS entity FROM memory_edges
           WHERE to_end IN (SELECT value FROM json_each(?1)) AND from_kind = 'record'
           UNION
           SELECT to_end, from_end FROM memory_edges
           WHERE from_end IN (SELECT value FROM json_each(?1)) AND to_kind = 'record'
         ) AS l
         CROSS JOIN decisions AS d ON d.record_id = l.record
         ORDER BY d.created_at, d.record_id, d.id, l.entity",
        [ends],
        |row| {
            Ok(RecordedDecision {
                row: row.get("id")?,
                record_id: row.get("record_id")?,
                end: row.get("entity")?,
                decision: row.get("decision")?,
                rationale: row.get("rationale")?,
                is_superseded: sql::word::<DecisionStatus>(row, "status")?
                    == DecisionStatus::Superseded,
                author: row.get("author")?,
                created_at: sql::at(row, "created_at")?,
            })
        },
    )
}
