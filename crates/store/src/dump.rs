//! The database as text, by logical names instead of row ids.
//!
//! Two databases hold the same record when their dumps are equal, whatever
//! order, interruptions or retries led there. Left out on purpose: row ids,
//! times of our own clock, the queue and the audit trail.

use crate::handle::Read;
use crate::sql;
use model::Result;

/// One table: its name, what one row looks like, where rows come from.
struct Section {
    name: &'static str,
    fields: &'static str,
    from: &'static str,
    /// Which rows belong to what still exists at the forge; `false` where the
    /// table does not tell.
    living: &'static str,
}

const fn section(
    name: &'static str,
    fields: &'static str,
    from: &'static str,
    living: &'static str,
) -> Section {
    Section { name, fields, from, living }
}

/// The parent of a shared row is alive.
const OWNER_LIVES: &str = "EXISTS (SELECT 1 FROM issues WHERE id = t.issue_id AND gone_at IS NULL)
  OR EXISTS (SELECT 1 FROM merge_requests WHERE id = t.merge_request_id AND gone_at IS NULL)";
/// Someone alive speaks of the relation.
const WITNESS_LIVES: &str = "EXISTS (SELECT 1 FROM reference_observations AS o
  WHERE o.source_kind = t.source_kind AND o.source_host = t.source_host
    AND o.target_host = t.target_host AND o.source_project_path = t.source_project_path
    AND o.source_iid = t.source_iid AND o.target_kind = t.target_kind
    AND o.target_project_path = t.target_project_path AND o.target_iid = t.target_iid
    AND o.reference_type = t.reference_type
    AND (EXISTS (SELECT 1 FROM issues WHERE o.observed_kind = 'issue'
        AND id = o.observed_id AND gone_at IS NULL)
      OR EXISTS (SELECT 1 FROM merge_requests WHERE o.observed_kind = 'merge_request'
        AND id = o.observed_id AND gone_at IS NULL)))";

/// `group/p#12` or `group/p!12` of the parent of a shared row.
const OWNER: &str = "coalesce(
  (SELECT p.path || '#' || i.iid || '@' || i.forge_id FROM issues AS i JOIN projects AS p
   ON p.id = i.project_id WHERE i.id = t.issue_id),
  (SELECT p.path || '!' || m.iid || '@' || m.forge_id FROM merge_requests AS m JOIN projects AS p
   ON p.id = m.project_id WHERE m.id = t.merge_request_id))";

const SECTIONS: &[Section] = &[
    section(
        "project",
        "t.host, t.forge_id, t.path, t.name, t.description, t.default_branch, t.web_url,
         t.visibility, t.is_archived, t.gone_at IS NULL",
        "projects AS t",
        "t.gone_at IS NULL",
    ),
    section("user", "t.host, t.forge_id, t.username, t.name", "users AS t", "false"),
    section(
        "issue",
        "p.path, t.iid, t.forge_id, t.title, t.description, t.state, t.issue_type,
         {user:author_id}, {milestone}, t.is_confidential, t.discussion_locked, t.due_date,
         t.weight, t.upvotes, t.downvotes, t.user_notes_count, t.created_at, t.updated_at,
         t.closed_at, {user:closed_by_id}, t.moved_to_forge_id, t.duplicate_of_project_forge_id,
         t.duplicate_of_iid, t.web_url, t.gone_at IS NULL, {payload},
         (SELECT json_group_array(name) FROM (SELECT name FROM issue_labels JOIN labels
          ON labels.id = label_id WHERE issue_id = t.id ORDER BY name)),
         (SELECT json_group_array(username) FROM (SELECT username FROM issue_assignees JOIN users
          ON users.id = user_id WHERE issue_id = t.id ORDER BY username))",
        "issues AS t JOIN projects AS p ON p.id = t.project_id",
        "t.gone_at IS NULL",
    ),
    section(
        "merge_request",
        "p.path, t.iid, t.forge_id, t.title, t.description, t.state, t.is_draft,
         {user:author_id}, {milestone}, t.discussion_locked, t.source_branch, t.target_branch,
         t.source_project_forge_id, t.target_project_forge_id, t.head_sha, t.merge_commit_sha,
         t.squash_commit_sha, t.upvotes, t.downvotes, t.user_notes_count, t.created_at,
         t.updated_at, t.closed_at, {user:closed_by_id}, t.merged_at, {user:merged_by_id},
         t.web_url, t.gone_at IS NULL, {payload},
         (SELECT json_group_array(name) FROM (SELECT name FROM mr_labels JOIN labels
          ON labels.id = label_id WHERE merge_request_id = t.id ORDER BY name)),
         (SELECT json_group_array(username) FROM (SELECT username FROM mr_assignees JOIN users
          ON users.id = user_id WHERE merge_request_id = t.id ORDER BY username)),
         (SELECT json_group_array(username) FROM (SELECT username FROM mr_reviewers JOIN users
          ON users.id = user_id WHERE merge_request_id = t.id ORDER BY username))",
        "merge_requests AS t JOIN projects AS p ON p.id = t.project_id",
        "t.gone_at IS NULL",
    ),
    section(
        "note",
        "{owner}, t.forge_id, t.is_individual, n.position, n.forge_id, n.note_type, n.body,
         (SELECT username FROM users WHERE id = n.author_id), n.created_at, n.updated_at,
         n.is_system, n.system_action, n.is_internal, n.is_resolvable, n.is_resolved,
         (SELECT username FROM users WHERE id = n.resolved_by_id), n.resolved_at, n.position_type,
         n.old_path, n.new_path, n.old_line, n.new_line, n.range_start, n.range_end, n.base_sha,
         n.start_sha, n.head_sha",
        "discussions AS t LEFT JOIN notes AS n ON n.discussion_id = t.id",
        OWNER_LIVES,
    ),
    section(
        "state_event",
        "{owner}, t.forge_id, {user:user_id}, t.created_at, t.state,
         t.source_merge_request_forge_id, t.source_commit",
        "resource_state_events AS t",
        OWNER_LIVES,
    ),
    section(
        "label_event",
        "{owner}, t.forge_id, {user:user_id}, t.created_at, t.action, t.label_name,
         t.label_forge_id",
        "resource_label_events AS t",
        OWNER_LIVES,
    ),
    section(
        "milestone_event",
        "{owner}, t.forge_id, {user:user_id}, t.created_at, t.action, t.milestone_title,
         t.milestone_forge_id",
        "resource_milestone_events AS t",
        OWNER_LIVES,
    ),
    section(
        "file_change",
        "p.path, m.iid, m.forge_id, t.position, t.old_path, t.new_path, t.kind",
        "mr_file_changes AS t JOIN merge_requests AS m ON m.id = t.merge_request_id
         JOIN projects AS p ON p.id = m.project_id",
        "m.gone_at IS NULL",
    ),
    section(
        "commit",
        "p.path, m.iid, m.forge_id, t.position, t.sha, t.title, t.message, t.author_name,
         t.author_email, t.authored_at, t.committed_at",
        "mr_commits AS t JOIN merge_requests AS m ON m.id = t.merge_request_id
         JOIN projects AS p ON p.id = m.project_id",
        "m.gone_at IS NULL",
    ),
    section(
        "closes",
        // The path is only a hint, for projects that are not synced here.
        "p.path, m.iid, m.forge_id, t.project_forge_id, t.iid,
         coalesce((SELECT path FROM projects WHERE forge_id = t.project_forge_id
           AND host = p.host), t.project_path)",
        "mr_closes_issues AS t JOIN merge_requests AS m ON m.id = t.merge_request_id
         JOIN projects AS p ON p.id = m.project_id",
        "m.gone_at IS NULL",
    ),
    section(
        "reference",
        "t.source_kind, t.source_host, t.source_project_path, t.source_iid, t.source_id IS NULL,
         t.target_kind, t.target_host, t.target_project_path, t.target_iid, t.target_id IS NULL, t.reference_type,
         t.source_method, t.certainty, t.observed_at",
        "entity_references AS t",
        WITNESS_LIVES,
    ),
    section(
        "cursor",
        "p.path, t.resource, t.updated_at, t.forge_id",
        "sync_cursors AS t JOIN projects AS p ON p.id = t.project_id",
        "false",
    ),
];

/// Every row as one line, sorted; equal dumps mean equal records.
pub fn logical(on: &impl Read) -> Result<Vec<String>> {
    lines(on, |_| "true")
}

/// Only what still exists at the forge: the part that a sync from nothing
/// would hold too.
pub fn living(on: &impl Read) -> Result<Vec<String>> {
    lines(on, |section| section.living)
}

fn lines(on: &impl Read, condition: impl Fn(&Section) -> &'static str) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for section in SECTIONS {
        let fields = expand(section.fields);
        let rows = sql::all(
            on,
            &format!(
                "SELECT json_array({fields}) FROM {} WHERE {}",
                section.from,
                condition(section)
            ),
            [],
            |row| row.get::<_, String>(0),
        )?;
        lines.extend(rows.into_iter().map(|row| format!("{} {row}", section.name)));
    }
    lines.sort_unstable();
    Ok(lines)
}

/// The shorthands of the table above.
fn expand(fields: &str) -> String {
    let mut fields = fields
        .replace("{owner}", OWNER)
        .replace("{milestone}", "(SELECT title FROM milestones WHERE id = t.milestone_id)")
        .replace("{payload}", "(SELECT hex(hash) FROM raw_payloads WHERE id = t.payload_id)");
    for column in ["author_id", "closed_by_id", "merged_by_id", "user_id"] {
        fields = fields.replace(
            &format!("{{user:{column}}}"),
            &format!("(SELECT username FROM users WHERE id = t.{column})"),
        );
    }
    fields
}

/// The first lines in which two dumps differ: `-` only left, `+` only right.
pub fn differences(left: &[String], right: &[String], limit: usize) -> Vec<String> {
    let (mut found, mut l, mut r) = (Vec::new(), 0, 0);
    while (l < left.len() || r < right.len()) && found.len() < limit {
        match (left.get(l), right.get(r)) {
            (Some(a), Some(b)) if a == b => {
                l += 1;
                r += 1;
            }
            (Some(a), b) if b.is_none_or(|b| a < b) => {
                found.push(format!("- {a}"));
                l += 1;
            }
            (_, Some(b)) => {
                found.push(format!("+ {b}"));
                r += 1;
            }
            (_, None) => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use tempfile::TempDir;

    #[test]
    fn every_section_is_valid_sql() {
        let dir = TempDir::new().unwrap();
        let writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        assert_eq!(logical(&writer).unwrap(), Vec::<String>::new());
        assert_eq!(living(&writer).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn differences_show_both_sides() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(differences(&lines("a b c"), &lines("a c d"), 10), ["- b", "+ d"]);
        assert_eq!(differences(&lines("a"), &lines("a"), 10), Vec::<String>::new());
        assert_eq!(differences(&lines("a b"), &lines("a"), 10), ["- b"]);
    }
}
