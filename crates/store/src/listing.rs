//! Lists of issues and merge requests, filtered and sorted.

use crate::filter::Where;
use crate::handle::Read;
use crate::sql::{self, entity_table};
use model::ids::{Iid, ProjectId};
use model::{EntityKind, EntityState, ForgeKind, Result, Timestamp};
use rusqlite::Row;
use schemars::JsonSchema;
use serde::Serialize;

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntitySummary {
    #[serde(skip)]
    pub id: i64,
    #[serde(rename = "type")]
    pub kind: EntityKind,
    pub project: String,
    pub iid: Iid,
    pub title: String,
    pub state: EntityState,
    pub is_draft: bool,
    pub is_confidential: bool,
    /// No longer shown by the forge: deleted or hidden.
    pub is_gone: bool,
    pub author: Option<String>,
    pub assignees: Vec<String>,
    pub reviewers: Vec<String>,
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    /// Threads and comments by people.
    pub discussions: u64,
    pub web_url: String,
    #[serde(skip)]
    pub forge: ForgeKind,
}

impl EntitySummary {
    /// `#12` or `!34`.
    pub fn reference(&self) -> String {
        format!("{}{}", self.kind.sigil(), self.iid)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    #[default]
    Updated,
    Created,
    Iid,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntityFilter {
    pub project: Option<ProjectId>,
    pub iid: Option<Iid>,
    pub state: Option<EntityState>,
    pub author: Option<String>,
    pub assignee: Option<String>,
    pub reviewer: Option<String>,
    /// All of them.
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub is_draft: Option<bool>,
    pub created_since: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    pub updated_since: Option<Timestamp>,
    pub has_discussions: bool,
    pub include_gone: bool,
    pub sort: SortBy,
    pub ascending: bool,
    pub limit: usize,
    pub offset: usize,
}

/// The page asked for, and how many there are in all.
pub fn entities(
    on: &impl Read,
    kind: EntityKind,
    filter: &EntityFilter,
) -> Result<(Vec<EntitySummary>, u64)> {
    let condition = conditions(kind, filter);
    let table = entity_table(kind);
    let from = format!("FROM {table} AS e {}", condition.sql());
    let total =
        sql::one(on, &format!("SELECT count(*) {from}"), condition.params().as_slice(), |row| {
            row.get(0)
        })?;
    let order = match filter.sort {
        SortBy::Updated => "e.updated_at",
        SortBy::Created => "e.created_at",
        SortBy::Iid => "e.iid",
    };
    // A number leaves a handful: an index that is sorted already would be read
    // from one end to the other for them. The plus sign forbids it.
    let plus = if filter.iid.is_some() { "+" } else { "" };
    let direction = if filter.ascending { "ASC" } else { "DESC" };
    let items = sql::all(
        on,
        &format!(
            "SELECT {} {from} ORDER BY {plus}{order} {direction}, e.id {direction} LIMIT {} OFFSET {}",
            columns(kind),
            filter.limit,
            filter.offset
        ),
        condition.params().as_slice(),
        |row| read(row, kind),
    )?;
    Ok((items, total))
}

fn conditions(kind: EntityKind, filter: &EntityFilter) -> Where {
    let mut condition = Where::default();
    let is_mr = kind == EntityKind::MergeRequest;
    let (link, labels, assignees) = if is_mr {
        ("merge_request_id", "mr_labels", "mr_assignees")
    } else {
        ("issue_id", "issue_labels", "issue_assignees")
    };
    if !filter.include_gone {
        condition.also("e.gone_at IS NULL");
    }
    condition.bind_maybe("e.project_id = ?", filter.project.map(|project| project.0));
    condition.bind_maybe("e.iid = ?", filter.iid.map(|iid| iid.0));
    condition.bind_maybe("e.state = ?", filter.state.map(EntityState::as_str));
    condition.bind_maybe(
        "e.author_id IN (SELECT id FROM users WHERE username = ? COLLATE NOCASE)",
        filter.author.clone(),
    );
    condition.bind_maybe(
        &format!(
            "EXISTS (SELECT 1 FROM {assignees} JOIN users ON users.id = user_id
               WHERE {link} = e.id AND username = ? COLLATE NOCASE)"
        ),
        filter.assignee.clone(),
    );
    if is_mr {
        condition.bind_maybe(
            "EXISTS (SELECT 1 FROM mr_reviewers JOIN users ON users.id = user_id
               WHERE merge_request_id = e.id AND username = ? COLLATE NOCASE)",
            filter.reviewer.clone(),
        );
        condition.bind_maybe("e.is_draft = ?", filter.is_draft);
    }
    for label in &filter.labels {
        condition.bind(
            &format!(
                "EXISTS (SELECT 1 FROM {labels} JOIN labels ON labels.id = label_id
                   WHERE {link} = e.id AND labels.name = ? COLLATE NOCASE)"
            ),
            label.clone(),
        );
    }
    condition.bind_maybe(
        "e.milestone_id IN (SELECT id FROM milestones WHERE title = ? COLLATE NOCASE)",
        filter.milestone.clone(),
    );
    condition.bind_maybe("e.created_at >= ?", filter.created_since.map(Timestamp::as_millis));
    condition.bind_maybe("e.created_at <= ?", filter.created_until.map(Timestamp::as_millis));
    condition.bind_maybe("e.updated_at >= ?", filter.updated_since.map(Timestamp::as_millis));
    if filter.has_discussions {
        condition.also(&format!("{} > 0", discussion_count(kind)));
    }
    condition
}

/// Threads in which a person wrote something.
fn discussion_count(kind: EntityKind) -> String {
    format!(
        "(SELECT count(*) FROM discussions
          WHERE discussions.{} = e.id
            AND EXISTS (SELECT 1 FROM notes
              WHERE notes.discussion_id = discussions.id AND notes.is_system = 0))",
        sql::owner_column(kind)
    )
}

fn columns(kind: EntityKind) -> String {
    let is_mr = kind == EntityKind::MergeRequest;
    let (link, labels, assignees) = if is_mr {
        ("merge_request_id", "mr_labels", "mr_assignees")
    } else {
        ("issue_id", "issue_labels", "issue_assignees")
    };
    let names = |table: &str| {
        format!(
            "(SELECT json_group_array(username) FROM (SELECT username FROM {table}
               JOIN users ON users.id = user_id WHERE {link} = e.id ORDER BY username))"
        )
    };
    let reviewers = if is_mr { names("mr_reviewers") } else { "'[]'".to_owned() };
    let (draft, confidential, merged_at) =
        if is_mr { ("e.is_draft", "0", "e.merged_at") } else { ("0", "e.is_confidential", "NULL") };
    format!(
        "e.id, e.iid, e.title, e.state, e.created_at, e.updated_at, e.closed_at, e.web_url,
         e.gone_at IS NOT NULL AS is_gone,
         {draft} AS is_draft, {confidential} AS is_confidential, {merged_at} AS merged_at,
         (SELECT path FROM projects WHERE id = e.project_id) AS project,
         (SELECT forge FROM projects WHERE id = e.project_id) AS forge,
         (SELECT username FROM users WHERE id = e.author_id) AS author,
         (SELECT title FROM milestones WHERE id = e.milestone_id) AS milestone,
         {} AS assignees, {reviewers} AS reviewers,
         (SELECT json_group_array(name) FROM (SELECT name FROM {labels}
            JOIN labels ON labels.id = label_id WHERE {link} = e.id ORDER BY name)) AS labels,
         {} AS discussions",
        names(assignees),
        discussion_count(kind)
    )
}

fn read(row: &Row<'_>, kind: EntityKind) -> rusqlite::Result<EntitySummary> {
    Ok(EntitySummary {
        id: row.get("id")?,
        kind,
        project: row.get("project")?,
        iid: Iid(row.get("iid")?),
        title: row.get("title")?,
        state: sql::word(row, "state")?,
        is_draft: row.get("is_draft")?,
        is_confidential: row.get("is_confidential")?,
        is_gone: row.get("is_gone")?,
        author: row.get("author")?,
        assignees: strings(row, "assignees")?,
        reviewers: strings(row, "reviewers")?,
        labels: strings(row, "labels")?,
        milestone: row.get("milestone")?,
        created_at: sql::at(row, "created_at")?,
        updated_at: sql::at(row, "updated_at")?,
        closed_at: sql::maybe_at(row, "closed_at")?,
        merged_at: sql::maybe_at(row, "merged_at")?,
        discussions: row.get("discussions")?,
        web_url: row.get("web_url")?,
        forge: sql::word(row, "forge")?,
    })
}

/// A column holding a JSON array of strings.
fn strings(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<String>> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
