//! How much of everything there is.

use crate::handle::Read;
use crate::sql;
use model::Result;
use model::ids::ProjectId;

/// A number with the parts it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    pub total: u64,
    /// In the order they should be shown.
    pub parts: Vec<(String, u64)>,
}

/// Living issues by state.
pub fn issues(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        "SELECT state, count(*) FROM issues
         WHERE gone_at IS NULL AND (?1 IS NULL OR project_id = ?1)
         GROUP BY state ORDER BY state DESC",
        project,
    )
}

/// Living merge requests by state.
pub fn merge_requests(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        "SELECT state, count(*) FROM merge_requests
         WHERE gone_at IS NULL AND (?1 IS NULL OR project_id = ?1)
         GROUP BY state ORDER BY state DESC",
        project,
    )
}

/// The parent's project of a row that hangs on an issue or merge request.
macro_rules! owner_project {
    () => {
        "coalesce((SELECT project_id FROM issues WHERE id = issue_id),
           (SELECT project_id FROM merge_requests WHERE id = merge_request_id))"
    };
}

/// Threads by what they hang on.
pub fn discussions(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        concat!(
            "SELECT iif(issue_id IS NULL, 'on merge requests', 'on issues'), count(*)
             FROM discussions WHERE ?1 IS NULL OR ",
            owner_project!(),
            " = ?1 GROUP BY 1 ORDER BY 1"
        ),
        project,
    )
}

/// Notes by people and by the forge itself.
pub fn notes(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        concat!(
            "SELECT iif(is_system, 'system', 'by people'), count(*)
             FROM notes WHERE ?1 IS NULL OR (SELECT ",
            owner_project!(),
            " FROM discussions WHERE discussions.id = discussion_id) = ?1
             GROUP BY 1 ORDER BY 1"
        ),
        project,
    )
}

/// Resource events by kind.
pub fn events(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        concat!(
            "SELECT 'state', count(*) FROM resource_state_events WHERE ?1 IS NULL OR ",
            owner_project!(),
            " = ?1
             UNION ALL
             SELECT 'label', count(*) FROM resource_label_events WHERE ?1 IS NULL OR ",
            owner_project!(),
            " = ?1
             UNION ALL
             SELECT 'milestone', count(*) FROM resource_milestone_events WHERE ?1 IS NULL OR ",
            owner_project!(),
            " = ?1"
        ),
        project,
    )
}

/// Commits of local clones that some branch has, and those only merge requests
/// have; each once.
pub fn commits(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        "SELECT 'in clones', count(DISTINCT sha) FROM git_commits
         WHERE unreachable_at IS NULL
           AND (?1 IS NULL OR (SELECT project_id FROM repos WHERE id = repo_id) = ?1)
         UNION ALL
         SELECT 'in merge requests only', count(DISTINCT sha) FROM mr_commits
         WHERE (?1 IS NULL
             OR (SELECT project_id FROM merge_requests WHERE id = merge_request_id) = ?1)
           AND NOT EXISTS (SELECT 1 FROM git_commits
             WHERE sha = mr_commits.sha AND unreachable_at IS NULL)",
        project,
    )
}

/// Documents by what they are made of.
pub fn documents(on: &impl Read, project: Option<ProjectId>) -> Result<Tally> {
    tally(
        on,
        "SELECT CASE source_type WHEN 'issue' THEN 'issues'
             WHEN 'merge_request' THEN 'merge requests'
             WHEN 'discussion' THEN 'threads' WHEN 'commit' THEN 'commits' ELSE source_type END, count(*)
         FROM documents WHERE ?1 IS NULL OR project_id = ?1
         GROUP BY 1 ORDER BY 1",
        project,
    )
}

fn tally(on: &impl Read, statement: &str, project: Option<ProjectId>) -> Result<Tally> {
    let parts = sql::all(on, statement, [project.map(|project| project.0)], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?))
    })?;
    Ok(Tally { total: parts.iter().map(|(_, count)| count).sum(), parts })
}
