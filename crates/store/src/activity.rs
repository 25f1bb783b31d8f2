//! What people did: on a set of entities, or one person everywhere.

use crate::entities::EntityRow;
use crate::filter::Where;
use crate::handle::Read;
use crate::sql::{self, entity_table, json_ids, owner_column};
use crate::timeline::ids_of;
use model::ids::ProjectId;
use model::{EntityKind, Result, Timestamp};
use std::collections::HashMap;

/// A person as the forge names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Rows of this name; one for each host.
    pub ids: Vec<i64>,
    pub username: String,
    pub name: String,
}

/// Everybody, by username.
pub fn people(on: &impl Read) -> Result<Vec<Person>> {
    let rows = sql::all(
        on,
        "SELECT id, username, name FROM users ORDER BY username COLLATE NOCASE, id",
        [],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)),
    )?;
    let mut found: Vec<Person> = Vec::new();
    for (id, username, name) in rows {
        match found.last_mut().filter(|last| last.username.eq_ignore_ascii_case(&username)) {
            Some(last) => last.ids.push(id),
            None => found.push(Person { ids: vec![id], username, name }),
        }
    }
    Ok(found)
}

/// What someone did to an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActivityKind {
    Authored,
    /// Was asked for a review, or approved.
    Reviewed,
    Wrote,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contribution {
    pub username: String,
    pub name: String,
    pub entity: EntityRow,
    pub deed: ActivityKind,
    /// How often.
    pub times: u64,
    /// The last time.
    pub at: Timestamp,
}

/// A note shorter than this, and not on a line, says no more than a button does:
/// thanks, assent, a command to a program.
const SPOKEN: usize = 40;

/// What everybody did on these entities, in order of entity, deed and person. An
/// approval after the merge changed nothing and is left out, and so are notes
/// that say next to nothing.
pub fn contributions(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<Contribution>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let ids = ids_of(kind, entities);
        if ids == "[]" {
            continue;
        }
        let (owner, table) = (owner_column(kind), entity_table(kind));
        let ended = if kind == EntityKind::Issue { "e.closed_at" } else { "e.merged_at" };
        let asked = match kind {
            EntityKind::Issue => "",
            EntityKind::MergeRequest => {
                "UNION ALL
                 SELECT r.merge_request_id, r.user_id, 1, 1, coalesce(e.merged_at, e.updated_at)
                 FROM mr_reviewers AS r CROSS JOIN merge_requests AS e ON e.id = r.merge_request_id
                 WHERE r.merge_request_id IN (SELECT value FROM json_each(?1))"
            }
        };
        found.extend(sql::all(
            on,
            &format!(
                "SELECT entity, u.username, u.name, deed, sum(times) AS times, max(at) AS at
                 FROM (
                   SELECT e.id AS entity, e.author_id AS user, 0 AS deed, 1 AS times,
                     coalesce({ended}, e.created_at) AS at
                   FROM {table} AS e WHERE e.id IN (SELECT value FROM json_each(?1))
                   {asked}
                   UNION ALL
                   SELECT d.{owner}, n.author_id, iif(n.is_system = 1, 1, 2), 1, n.created_at
                   FROM discussions AS d CROSS JOIN notes AS n ON n.discussion_id = d.id
                   CROSS JOIN {table} AS e ON e.id = d.{owner}
                   WHERE d.{owner} IN (SELECT value FROM json_each(?1))
                     AND iif(n.is_system = 0,
                       length(n.body) >= {SPOKEN} OR n.new_path IS NOT NULL OR n.old_path IS NOT NULL,
                       n.system_action = 'approved'
                         AND ({ended} IS NULL OR n.created_at <= {ended}))
                 ) JOIN users AS u ON u.id = user
                 GROUP BY entity, u.id, deed
                 ORDER BY entity, deed, u.username"
            ),
            [&ids],
            |row| {
                Ok(Contribution {
                    username: row.get("username")?,
                    name: row.get("name")?,
                    entity: EntityRow { kind, id: row.get("entity")? },
                    deed: match row.get::<_, i64>("deed")? {
                        0 => ActivityKind::Authored,
                        1 => ActivityKind::Reviewed,
                        _ => ActivityKind::Wrote,
                    },
                    times: row.get("times")?,
                    at: sql::at(row, "at")?,
                })
            },
        )?);
    }
    Ok(found)
}

/// Of merge requests, the part of the files they changed that lies in a folder (`path` ends
/// with a slash). Those without known files are left out.
pub fn shares_in_folder(
    on: &impl Read,
    path: &str,
    merge_requests: &[EntityRow],
) -> Result<HashMap<EntityRow, f64>> {
    let is_mr = |row: &&EntityRow| row.kind == EntityKind::MergeRequest;
    let ids: Vec<i64> = merge_requests.iter().filter(is_mr).map(|row| row.id).collect();
    let rows = sql::all(
        on,
        "SELECT merge_request_id, COUNT(*),
           SUM(new_path >= ?2 AND new_path < substr(?2, 1, length(?2) - 1) || '0'
             OR old_path >= ?2 AND old_path < substr(?2, 1, length(?2) - 1) || '0')
         FROM mr_file_changes WHERE merge_request_id IN (SELECT value FROM json_each(?1))
         GROUP BY merge_request_id",
        (json_ids(&ids), path),
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?, row.get::<_, f64>(2)?)),
    )?;
    let share = |(id, all, below): (i64, f64, f64)| {
        (EntityRow { kind: EntityKind::MergeRequest, id }, below / all.max(1.0))
    };
    Ok(rows.into_iter().map(share).collect())
}

/// Merge requests that changed a file, or with a `/` at the end anything below
/// a folder; newest first.
pub fn changing(
    on: &impl Read,
    path: &str,
    project: Option<ProjectId>,
    most: usize,
) -> Result<Vec<EntityRow>> {
    let mut condition = Where::default();
    condition.bind_maybe("m.project_id = ?", project.map(|project| project.0));
    condition.also("m.gone_at IS NULL");
    // A folder is the range of everything that begins with it; `0` follows `/`.
    let clause = |column: &str| {
        let is_folder = path.ends_with('/');
        let end = if is_folder { "substr(?, 1, length(?) - 1) || '0'" } else { "" };
        if is_folder {
            format!("({column} >= ? AND {column} < {end})")
        } else {
            format!("{column} = ?")
        }
    };
    condition.bind(
        &format!(
            "m.id IN (SELECT merge_request_id FROM mr_file_changes WHERE {}
               UNION SELECT merge_request_id FROM mr_file_changes WHERE {})",
            clause("new_path"),
            clause("old_path")
        ),
        path.to_owned(),
    );
    sql::all(
        on,
        &format!(
            "SELECT m.id FROM merge_requests AS m {}
             ORDER BY coalesce(m.merged_at, m.updated_at) DESC, m.id DESC LIMIT {most}",
            condition.sql()
        ),
        condition.params().as_slice(),
        |row| Ok(EntityRow { kind: EntityKind::MergeRequest, id: row.get(0)? }),
    )
}

/// Issues and merge requests with a label, newest first.
pub fn labelled(
    on: &impl Read,
    label: &str,
    project: Option<ProjectId>,
    most: usize,
) -> Result<Vec<EntityRow>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let (table, links) = match kind {
            EntityKind::Issue => ("issues", "issue_labels"),
            EntityKind::MergeRequest => ("merge_requests", "mr_labels"),
        };
        let mut condition = Where::default();
        condition.bind_maybe("e.project_id = ?", project.map(|project| project.0));
        condition.also("e.gone_at IS NULL");
        condition.bind(
            &format!(
                "e.id IN (SELECT {} FROM {links} JOIN labels ON labels.id = label_id
                   WHERE labels.name = ? COLLATE NOCASE)",
                owner_column(kind)
            ),
            label.to_owned(),
        );
        found.extend(sql::all(
            on,
            &format!(
                "SELECT e.updated_at, e.id FROM {table} AS e {}
                 ORDER BY e.updated_at DESC, e.id DESC LIMIT {most}",
                condition.sql()
            ),
            condition.params().as_slice(),
            |row| Ok((row.get::<_, i64>(0)?, EntityRow { kind, id: row.get(1)? })),
        )?);
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(most);
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// One person's part in an entity, with what the entity is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participation {
    pub entity: EntityRow,
    pub deed: ActivityKind,
    pub times: u64,
    pub first_at: Timestamp,
    pub at: Timestamp,
}

/// Everything a person did, newest first.
pub fn person_activity(
    on: &impl Read,
    person: &Person,
    project: Option<ProjectId>,
) -> Result<Vec<Participation>> {
    let ids = json_ids(&person.ids);
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let (owner, table) = (owner_column(kind), entity_table(kind));
        let ended = if kind == EntityKind::Issue { "closed_at" } else { "merged_at" };
        let asked = match kind {
            EntityKind::Issue => String::new(),
            EntityKind::MergeRequest => format!(
                "UNION ALL SELECT merge_request_id, 1, coalesce(e.{ended}, e.updated_at)
                 FROM mr_reviewers CROSS JOIN {table} AS e ON e.id = merge_request_id
                 WHERE user_id IN (SELECT value FROM json_each(?1))"
            ),
        };
        found.extend(sql::all(
            on,
            &format!(
                "SELECT entity, deed, count(*) AS times, min(at) AS first_at, max(at) AS at
                 FROM (
                   SELECT id AS entity, 0 AS deed, coalesce({ended}, created_at) AS at
                   FROM {table} WHERE author_id IN (SELECT value FROM json_each(?1))
                   {asked}
                   UNION ALL
                   SELECT d.{owner}, iif(n.is_system = 1, 1, 2), n.created_at
                   FROM notes AS n CROSS JOIN discussions AS d ON d.id = n.discussion_id
                   WHERE n.author_id IN (SELECT value FROM json_each(?1))
                     AND (n.is_system = 0 OR n.system_action = 'approved')
                     AND d.{owner} IS NOT NULL
                 ) CROSS JOIN {table} AS t ON t.id = entity
                 WHERE t.gone_at IS NULL AND (?2 IS NULL OR t.project_id = ?2)
                 GROUP BY entity, deed"
            ),
            (&ids, project.map(|project| project.0)),
            |row| {
                Ok(Participation {
                    entity: EntityRow { kind, id: row.get("entity")? },
                    deed: match row.get::<_, i64>("deed")? {
                        0 => ActivityKind::Authored,
                        1 => ActivityKind::Reviewed,
                        _ => ActivityKind::Wrote,
                    },
                    times: row.get("times")?,
                    first_at: sql::at(row, "first_at")?,
                    at: sql::at(row, "at")?,
                })
            },
        )?);
    }
    found.sort_by(|a, b| b.at.cmp(&a.at).then(a.entity.cmp(&b.entity)).then(a.deed.cmp(&b.deed)));
    Ok(found)
}

/// The files these merge requests changed, each with one of them.
pub fn paths_of(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<(EntityRow, String)>> {
    let kind = EntityKind::MergeRequest;
    sql::all(
        on,
        "SELECT merge_request_id, new_path FROM mr_file_changes
         WHERE merge_request_id IN (SELECT value FROM json_each(?1))",
        [ids_of(kind, entities)],
        |row| Ok((EntityRow { kind, id: row.get(0)? }, row.get(1)?)),
    )
}

/// The labels these entities wear.
pub fn labels_of(on: &impl Read, entities: &[EntityRow]) -> Result<Vec<(EntityRow, String)>> {
    let mut found = Vec::new();
    for kind in EntityKind::ALL {
        let links = match kind {
            EntityKind::Issue => "issue_labels",
            EntityKind::MergeRequest => "mr_labels",
        };
        let owner = owner_column(kind);
        found.extend(sql::all(
            on,
            &format!(
                "SELECT {owner}, labels.name FROM {links} JOIN labels ON labels.id = label_id
                 WHERE {owner} IN (SELECT value FROM json_each(?1))"
            ),
            [ids_of(kind, entities)],
            |row| Ok((EntityRow { kind, id: row.get(0)? }, row.get(1)?)),
        )?);
    }
    Ok(found)
}

/// Threads a person has a word in, and how many of them they began.
pub fn threads_of(on: &impl Read, person: &Person) -> Result<(u64, u64)> {
    sql::one(
        on,
        "SELECT count(DISTINCT discussion_id), count(DISTINCT iif(position = 0, discussion_id, NULL))
         FROM notes WHERE author_id IN (SELECT value FROM json_each(?1)) AND is_system = 0",
        [json_ids(&person.ids)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
