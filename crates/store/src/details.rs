//! Everything about one entity, for its detail view. Its events have a file of
//! their own.

use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, Word, entity_table, owner_column};
use model::ids::{ForgeId, Iid};
use model::record::ChangeKind;
use model::relation::{Certainty, EvidenceSource, RelationType};
use model::{EntityKind, EntityState, Result, Timestamp};
use rusqlite::Row;
use schemars::JsonSchema;
use serde::Serialize;

/// What a summary leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityBody {
    pub description: Option<String>,
    pub closed_by: Option<String>,
    pub merged_by: Option<String>,
    pub source_branch: Option<String>,
    pub target_branch: Option<String>,
    pub head_sha: Option<String>,
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
    pub due_date: Option<String>,
}

pub fn body(on: &impl Read, entity: EntityRow) -> Result<Option<EntityBody>> {
    let special = match entity.kind {
        EntityKind::Issue => {
            "NULL AS merged_by, NULL AS source_branch, NULL AS target_branch, NULL AS head_sha,
             NULL AS merge_commit_sha, NULL AS squash_commit_sha, due_date"
        }
        EntityKind::MergeRequest => {
            "(SELECT username FROM users WHERE id = merged_by_id) AS merged_by, source_branch,
             target_branch, head_sha, merge_commit_sha, squash_commit_sha, NULL AS due_date"
        }
    };
    sql::first(
        on,
        &format!(
            "SELECT description, (SELECT username FROM users WHERE id = closed_by_id) AS closed_by,
               {special}
             FROM {} WHERE id = ?1",
            entity_table(entity.kind)
        ),
        [entity.id],
        |row| {
            Ok(EntityBody {
                description: row.get("description")?,
                closed_by: row.get("closed_by")?,
                merged_by: row.get("merged_by")?,
                source_branch: row.get("source_branch")?,
                target_branch: row.get("target_branch")?,
                head_sha: row.get("head_sha")?,
                merge_commit_sha: row.get("merge_commit_sha")?,
                squash_commit_sha: row.get("squash_commit_sha")?,
                due_date: row.get("due_date")?,
            })
        },
    )
}

/// What an explanation shows of an entity beside its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityText {
    pub row: EntityRow,
    pub description: Option<String>,
    /// The commit by which it came to the target branch.
    pub merge_commit_sha: Option<String>,
    /// Comments by people.
    pub comments: u64,
    /// Of these, on lines of the given paths.
    pub comments_on_paths: u64,
}

/// Descriptions and counts of comments of these entities, by kind and row.
pub fn texts(on: &impl Read, entities: &[EntityRow], paths: &[String]) -> Result<Vec<EntityText>> {
    let paths = serde_json::to_string(paths).unwrap_or_default();
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let sha = match kind {
            EntityKind::Issue => "NULL",
            EntityKind::MergeRequest => "coalesce(e.merge_commit_sha, e.squash_commit_sha)",
        };
        let notes = format!(
            "FROM discussions AS d JOIN notes AS n ON n.discussion_id = d.id
             WHERE d.{} = e.id AND n.is_system = 0",
            owner_column(kind)
        );
        found.extend(sql::all(
            on,
            &format!(
                "SELECT e.id, e.description, {sha} AS sha,
                   (SELECT count(*) {notes}) AS comments,
                   (SELECT count(*) {notes}
                      AND (n.new_path IN (SELECT value FROM json_each(?2))
                        OR n.old_path IN (SELECT value FROM json_each(?2)))) AS on_paths
                 FROM {} AS e WHERE e.id IN (SELECT value FROM json_each(?1)) ORDER BY e.id",
                entity_table(kind)
            ),
            (crate::timeline::ids_of(kind, entities), &paths),
            |row| {
                Ok(EntityText {
                    row: EntityRow { kind, id: row.get("id")? },
                    description: row.get("description")?,
                    merge_commit_sha: row.get("sha")?,
                    comments: row.get("comments")?,
                    comments_on_paths: row.get("on_paths")?,
                })
            },
        )?);
    }
    Ok(found)
}

/// A discussion with its notes in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Thread {
    pub id: String,
    /// A lone comment, not a thread.
    pub is_individual: bool,
    /// None when it cannot be resolved at all.
    pub is_resolved: Option<bool>,
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    pub id: ForgeId,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub body: String,
    pub is_system: bool,
    pub is_internal: bool,
    /// Where in the diff it sits.
    pub location: Option<NoteLocation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteLocation {
    pub path: String,
    /// Set when the line was removed or the file renamed.
    pub old_path: Option<String>,
    pub line: Option<i64>,
    pub old_line: Option<i64>,
    pub range_start: Option<i64>,
    pub range_end: Option<i64>,
}

/// All threads of an entity in order of their first note.
pub fn threads(on: &impl Read, entity: EntityRow) -> Result<Vec<Thread>> {
    let rows = sql::all(
        on,
        &format!(
            "SELECT d.id AS discussion, d.forge_id AS thread, d.is_individual,
               n.forge_id, n.body, n.created_at, n.updated_at, n.is_system, n.is_internal,
               n.is_resolvable, n.is_resolved, n.old_path, n.new_path, n.old_line, n.new_line,
               n.range_start, n.range_end,
               (SELECT username FROM users WHERE id = n.author_id) AS author
             FROM discussions AS d
             JOIN notes AS n ON n.discussion_id = d.id
             WHERE d.{} = ?1
             ORDER BY d.first_note_at, d.id, n.position",
            owner_column(entity.kind)
        ),
        [entity.id],
        |row| {
            Ok((
                row.get::<_, i64>("discussion")?,
                row.get::<_, String>("thread")?,
                row.get::<_, bool>("is_individual")?,
                row.get::<_, bool>("is_resolvable")?.then_some(row.get::<_, bool>("is_resolved")?),
                note(row)?,
            ))
        },
    )?;
    let mut threads: Vec<Thread> = Vec::new();
    let mut current = None;
    for (discussion, id, is_individual, is_resolved, note) in rows {
        if current != Some(discussion) {
            current = Some(discussion);
            threads.push(Thread { id, is_individual, is_resolved: None, notes: Vec::new() });
        }
        if let Some(thread) = threads.last_mut() {
            // Resolved means all of its resolvable notes are.
            if let Some(is_resolved) = is_resolved {
                thread.is_resolved = Some(thread.is_resolved.unwrap_or(true) && is_resolved);
            }
            thread.notes.push(note);
        }
    }
    Ok(threads)
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    let old_path: Option<String> = row.get("old_path")?;
    let new_path: Option<String> = row.get("new_path")?;
    let path = new_path.clone().or_else(|| old_path.clone());
    let location = match path {
        None => None,
        Some(path) => Some(NoteLocation {
            old_path: old_path.filter(|old| *old != path),
            path,
            line: row.get("new_line")?,
            old_line: row.get("old_line")?,
            range_start: row.get("range_start")?,
            range_end: row.get("range_end")?,
        }),
    };
    Ok(Note {
        id: ForgeId(row.get("forge_id")?),
        author: row.get("author")?,
        created_at: sql::at(row, "created_at")?,
        updated_at: sql::at(row, "updated_at")?,
        body: row.get("body")?,
        is_system: row.get("is_system")?,
        is_internal: row.get("is_internal")?,
        location,
    })
}

/// A file a merge request touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    pub path: String,
    pub old_path: Option<String>,
    pub kind: ChangeKind,
}

pub fn files(on: &impl Read, merge_request: i64) -> Result<Vec<FileChange>> {
    sql::all(
        on,
        "SELECT old_path, new_path, kind FROM mr_file_changes
         WHERE merge_request_id = ?1 ORDER BY position",
        [merge_request],
        |row| {
            let (old, path): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(FileChange {
                old_path: (old != path).then_some(old),
                path,
                kind: sql::word(row, "kind")?,
            })
        },
    )
}

/// A commit of a merge request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commit {
    pub sha: String,
    pub title: String,
    pub author: String,
    pub authored_at: Option<Timestamp>,
}

/// Oldest first, as they were made.
pub fn commits(on: &impl Read, merge_request: i64) -> Result<Vec<Commit>> {
    sql::all(
        on,
        "SELECT sha, title, author_name, authored_at FROM mr_commits
         WHERE merge_request_id = ?1 ORDER BY position DESC",
        [merge_request],
        |row| {
            Ok(Commit {
                sha: row.get("sha")?,
                title: row.get("title")?,
                author: row.get("author_name")?,
                authored_at: sql::maybe_at(row, "authored_at")?,
            })
        },
    )
}

/// A relation to another entity, seen from one end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Relation {
    pub reference_type: RelationType,
    /// Whether the entity shown is the source; otherwise it is the target.
    pub is_outgoing: bool,
    #[serde(rename = "type")]
    pub kind: EntityKind,
    pub project: String,
    pub iid: Iid,
    /// None while the other end is not synced here.
    pub title: Option<String>,
    pub state: Option<EntityState>,
    pub method: EvidenceSource,
    pub certainty: Certainty,
}

impl Relation {
    /// Whether the other end was to close the one shown and ended without being merged.
    pub fn is_given_up(&self) -> bool {
        self.reference_type == RelationType::Closes
            && !self.is_outgoing
            && self.certainty == Certainty::Declared
            && self.kind == EntityKind::MergeRequest
            && self.state == Some(EntityState::Closed)
    }
}

/// Relations from and to an entity: by type, outgoing first, then by name.
pub fn relations(on: &impl Read, entity: EntityRow) -> Result<Vec<Relation>> {
    sql::all(
        on,
        "WITH ends AS (
           SELECT reference_type, 1 AS is_outgoing, target_kind AS kind,
             target_project_path AS project, target_iid AS iid, target_id AS id, source_method,
             certainty
           FROM entity_references WHERE source_kind = ?1 AND source_id = ?2
           UNION ALL
           SELECT reference_type, 0, source_kind, source_project_path, source_iid, source_id,
             source_method, certainty
           FROM entity_references WHERE target_kind = ?1 AND target_id = ?2
         )
         SELECT ends.*,
           coalesce(i.title, m.title) AS title, coalesce(i.state, m.state) AS state,
           coalesce((SELECT path FROM projects WHERE id = coalesce(i.project_id, m.project_id)),
             ends.project) AS path
         FROM ends
         LEFT JOIN issues AS i ON ends.kind = 'issue' AND i.id = ends.id
         LEFT JOIN merge_requests AS m ON ends.kind = 'merge_request' AND m.id = ends.id
         ORDER BY reference_type, is_outgoing DESC, ends.kind, path, iid",
        (Word(entity.kind), entity.id),
        |row| {
            Ok(Relation {
                reference_type: sql::word(row, "reference_type")?,
                is_outgoing: row.get("is_outgoing")?,
                kind: sql::word(row, "kind")?,
                project: row.get("path")?,
                iid: Iid(row.get("iid")?),
                title: row.get("title")?,
                state: sql::maybe_word(row, "state")?,
                method: sql::word(row, "source_method")?,
                certainty: sql::word(row, "certainty")?,
            })
        },
    )
}
