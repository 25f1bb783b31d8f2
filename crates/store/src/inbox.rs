//! What waits for a person.

use crate::activity::Person;
use crate::entities::EntityRow;
use crate::handle::Read;
use crate::sql::{self, entity_table, json_ids, owner_column};
use model::{EntityKind, Result, Timestamp};

/// Open entities someone is assigned to; newest first.
pub fn assigned(on: &impl Read, person: &Person) -> Result<Vec<EntityRow>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let links = match kind {
            EntityKind::Issue => "issue_assignees",
            EntityKind::MergeRequest => "mr_assignees",
        };
        found.extend(open_linked(on, person, kind, links)?);
    }
    Ok(newest_first(found))
}

/// Open merge requests someone is asked to review; newest first.
pub fn to_review(on: &impl Read, person: &Person) -> Result<Vec<EntityRow>> {
    Ok(newest_first(open_linked(on, person, EntityKind::MergeRequest, "mr_reviewers")?))
}

fn open_linked(
    on: &impl Read,
    person: &Person,
    kind: EntityKind,
    links: &str,
) -> Result<Vec<(i64, EntityRow)>> {
    sql::all(
        on,
        &format!(
            "SELECT e.updated_at, e.id FROM {links} AS l CROSS JOIN {} AS e ON e.id = l.{}
             WHERE l.user_id IN (SELECT value FROM json_each(?1))
               AND e.state = 'opened' AND e.gone_at IS NULL",
            entity_table(kind),
            owner_column(kind)
        ),
        [json_ids(&person.ids)],
        |row| Ok((row.get(0)?, EntityRow { kind, id: row.get(1)? })),
    )
}

fn newest_first(mut found: Vec<(i64, EntityRow)>) -> Vec<EntityRow> {
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.dedup();
    found.into_iter().map(|(_, row)| row).collect()
}

/// A note that may concern someone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRow {
    pub entity: EntityRow,
    pub forge_id: i64,
    pub author: Option<String>,
    pub body: String,
    pub created_at: Timestamp,
}

/// Notes by others since then that contain `@name`, newest first. The name may
/// be the beginning of a longer one; the caller looks closer. Only entities
/// that changed since are read.
pub fn mentions(on: &impl Read, person: &Person, since: Timestamp) -> Result<Vec<NoteRow>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let owner = owner_column(kind);
        found.extend(sql::all(
            on,
            &format!(
                "SELECT e.id, n.forge_id, n.body, n.created_at,
                   (SELECT username FROM users WHERE id = n.author_id) AS author
                 FROM {} AS e
                 CROSS JOIN discussions AS d ON d.{owner} = e.id
                 CROSS JOIN notes AS n ON n.discussion_id = d.id
                 WHERE e.updated_at >= ?2 AND e.gone_at IS NULL
                   AND n.created_at >= ?2 AND n.is_system = 0
                   AND n.author_id NOT IN (SELECT value FROM json_each(?1))
                   AND instr(lower(n.body), '@' || lower(?3)) > 0",
                entity_table(kind)
            ),
            (json_ids(&person.ids), since.as_millis(), &person.username),
            |row| {
                Ok(NoteRow {
                    entity: EntityRow { kind, id: row.get("id")? },
                    forge_id: row.get("forge_id")?,
                    author: row.get("author")?,
                    body: row.get("body")?,
                    created_at: sql::at(row, "created_at")?,
                })
            },
        )?);
    }
    found.sort_by(|a, b| b.created_at.cmp(&a.created_at).then(b.forge_id.cmp(&a.forge_id)));
    Ok(found)
}

/// Threads on open entities that someone takes part in and nobody resolved,
/// by their last note; newest first.
pub fn unresolved(on: &impl Read, person: &Person) -> Result<Vec<NoteRow>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let owner = owner_column(kind);
        found.extend(sql::all(
            on,
            &format!(
                "SELECT e.id, n.forge_id, n.body, n.created_at,
                   (SELECT username FROM users WHERE id = n.author_id) AS author
                 FROM (SELECT DISTINCT discussion_id FROM notes
                       WHERE author_id IN (SELECT value FROM json_each(?1)) AND is_system = 0) AS mine
                 CROSS JOIN discussions AS d ON d.id = mine.discussion_id
                 CROSS JOIN {} AS e ON e.id = d.{owner}
                 CROSS JOIN notes AS n ON n.discussion_id = d.id
                 WHERE e.state = 'opened' AND e.gone_at IS NULL
                   AND EXISTS (SELECT 1 FROM notes AS r WHERE r.discussion_id = d.id
                     AND r.is_resolvable = 1 AND r.is_resolved = 0)
                   AND n.position = (SELECT max(position) FROM notes AS l
                     WHERE l.discussion_id = d.id)",
                entity_table(kind)
            ),
            [json_ids(&person.ids)],
            |row| {
                Ok(NoteRow {
                    entity: EntityRow { kind, id: row.get("id")? },
                    forge_id: row.get("forge_id")?,
                    author: row.get("author")?,
                    body: row.get("body")?,
                    created_at: sql::at(row, "created_at")?,
                })
            },
        )?);
    }
    found.sort_by(|a, b| b.created_at.cmp(&a.created_at).then(b.forge_id.cmp(&a.forge_id)));
    Ok(found)
}

/// Entities someone wrote, is assigned to, reviews or has a word in, and that
/// changed since then; newest first.
pub fn changed(on: &impl Read, person: &Person, since: Timestamp) -> Result<Vec<EntityRow>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let owner = owner_column(kind);
        let (assignees, reviewers) = match kind {
            EntityKind::Issue => ("issue_assignees", ""),
            EntityKind::MergeRequest => (
                "mr_assignees",
                "OR EXISTS (SELECT 1 FROM mr_reviewers WHERE merge_request_id = e.id
                   AND user_id IN (SELECT value FROM json_each(?1)))",
            ),
        };
        found.extend(sql::all(
            on,
            &format!(
                "SELECT e.updated_at, e.id FROM {} AS e
                 WHERE e.updated_at > ?2 AND e.gone_at IS NULL
                   AND (e.author_id IN (SELECT value FROM json_each(?1))
                     OR EXISTS (SELECT 1 FROM {assignees} WHERE {owner} = e.id
                       AND user_id IN (SELECT value FROM json_each(?1)))
                     {reviewers}
                     OR EXISTS (SELECT 1 FROM discussions AS d
                       JOIN notes AS n ON n.discussion_id = d.id
                       WHERE d.{owner} = e.id AND n.is_system = 0
                         AND n.author_id IN (SELECT value FROM json_each(?1))))",
                entity_table(kind)
            ),
            (json_ids(&person.ids), since.as_millis()),
            |row| Ok((row.get(0)?, EntityRow { kind, id: row.get(1)? })),
        )?);
    }
    Ok(newest_first(found))
}
