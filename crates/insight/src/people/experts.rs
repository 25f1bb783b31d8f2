//! `lore experts`: whom to ask about a file, a folder, a label, an issue, a
//! merge request or a subject.
//!
//! Everybody gets points for what they did there, and what was long ago counts
//! less: half as much after half a year. Lines that still stand count as they
//! are.

use super::codeowners::{self, Owners};
use super::lines;
use crate::file_target::FileTarget;
use crate::projects;
use crate::timeline::{named_entity, seeds_of};
use model::ids::ProjectId;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use search::Searcher;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::activity::{self, ActivityKind};
use store::entities::EntityRow;

/// Entities looked at, the newest.
const MOST: usize = 300;
/// Points for a merge request or issue of their own, a review, a note.
const AUTHORED: f64 = 3.0;
const REVIEWED: f64 = 2.0;
const WROTE: f64 = 0.5;
/// Notes of one person on one entity that count.
const NOTES_EACH: u64 = 4;
/// Points for all lines of a file; a share of them, a share of these.
const LINES: f64 = 10.0;
/// Days after which a deed counts half.
const HALF_LIFE: f64 = 182.5;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Experts {
    pub target: String,
    /// What the target was taken for.
    pub kind: TargetKind,
    /// Issues and merge requests that were looked at.
    pub entities: usize,
    /// Best first.
    pub experts: Vec<Expert>,
    /// Lines of the file as it stands in a local clone; none without one.
    pub lines: Option<u64>,
    /// What CODEOWNERS of a local clone says.
    pub code_owners: Option<Owners>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    Entity,
    File,
    Folder,
    Label,
    Query,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Expert {
    /// None for a git author who could not be matched to a user.
    pub username: Option<String>,
    pub name: String,
    /// Comparable within one answer only.
    pub score: f64,
    /// Issues and merge requests of their own.
    pub authored: u64,
    pub reviewed: u64,
    pub notes: u64,
    /// Lines of the file that are theirs.
    pub lines: u64,
    pub last_at: Option<Timestamp>,
}

pub fn experts(
    searcher: &Searcher<'_>,
    target: &str,
    project: Option<&str>,
    limit: usize,
) -> Result<Experts> {
    let reader = searcher.reader;
    let found = look(searcher, target, project)?;
    let mut people = from_deeds(reader, &found.rows, searcher.now)?;
    let mut answer = Experts {
        target: target.to_owned(),
        kind: found.kind,
        entities: found.rows.len(),
        experts: Vec::new(),
        lines: None,
        code_owners: None,
    };
    if matches!(found.kind, TargetKind::File | TargetKind::Folder) {
        let scope = projects::resolve_maybe(reader, project)?.map(|project| project.id);
        let places = lines::places_of(reader, &found.rows, scope)?;
        answer.code_owners = codeowners::of_path(&places, &found.name);
        if found.kind == TargetKind::File
            && let Some(blamed) = lines::by_author(&places, &found.name)
        {
            answer.lines = Some(blamed.iter().map(|author| author.lines).sum());
            add_lines(&mut people, blamed);
        }
    }
    Ok(Experts { experts: best(people, limit), ..answer })
}

/// Whom to ask about what these entities are about, going by what was done
/// there. Where nobody did anything, those who committed to `file`: from the
/// store, or from the lines that still stand where its commits are not stored.
pub(crate) fn whom_to_ask(
    reader: &Reader,
    rows: &[EntityRow],
    file: Option<&FileTarget>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Expert>> {
    let mut people = from_deeds(reader, rows, now)?;
    let Some(file) = file.filter(|_| people.is_empty()) else { return Ok(best(people, limit)) };
    if let Some(repo) = file.repo_id() {
        for author in store::commits::authors(reader, repo, std::slice::from_ref(&file.path))? {
            let expert = people
                .entry(format!("git {}", author.name))
                .or_insert_with(|| nobody(&author.name));
            expert.score += author.commits as f64;
            expert.last_at = expert.last_at.max(Some(author.last_at));
        }
    } else if let Some(clone) = &file.clone
        && let Some(blamed) = lines::by_author(&[clone.git.dir().to_owned()], &file.path)
    {
        add_lines(&mut people, blamed);
    }
    Ok(best(people, limit))
}

/// What changed a file, the newest.
pub(crate) fn changing(
    reader: &Reader,
    path: &str,
    project: Option<ProjectId>,
) -> Result<Vec<EntityRow>> {
    activity::changing(reader, path, project, MOST)
}

fn best(people: BTreeMap<String, Expert>, limit: usize) -> Vec<Expert> {
    let mut experts: Vec<Expert> = people.into_values().collect();
    for expert in &mut experts {
        expert.score = (expert.score * 100.0).round() / 100.0;
    }
    experts.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    experts.truncate(limit);
    experts
}

struct Found {
    kind: TargetKind,
    /// The path as the forge knows it.
    name: String,
    rows: Vec<EntityRow>,
}

/// A reference, else a path that something changed, else a label, else words.
fn look(searcher: &Searcher<'_>, target: &str, project: Option<&str>) -> Result<Found> {
    let reader = searcher.reader;
    let found = |kind, name: String, rows| Ok(Found { kind, name, rows });
    if let Some(wanted) = named_entity(target) {
        let entity = crate::entities::find(reader, wanted.kind, &wanted, project)?;
        let row = EntityRow { kind: wanted.kind, id: entity.id };
        return found(TargetKind::Entity, target.to_owned(), vec![row]);
    }
    let scope = projects::resolve_maybe(reader, project)?.map(|project| project.id);
    let path = target.trim_start_matches("./");
    let folder = format!("{}/", path.trim_end_matches('/'));
    if !path.ends_with('/') {
        let rows = activity::changing(reader, path, scope, MOST)?;
        if !rows.is_empty() {
            return found(TargetKind::File, path.to_owned(), rows);
        }
    }
    let rows = activity::changing(reader, &folder, scope, MOST)?;
    if !rows.is_empty() {
        return found(TargetKind::Folder, folder, rows);
    }
    let rows = activity::labelled(reader, target, scope, MOST)?;
    if !rows.is_empty() {
        return found(TargetKind::Label, target.to_owned(), rows);
    }
    found(TargetKind::Query, target.to_owned(), seeds_of(searcher, target, scope)?)
}

fn from_deeds(
    reader: &Reader,
    rows: &[EntityRow],
    now: Timestamp,
) -> Result<BTreeMap<String, Expert>> {
    let mut people: BTreeMap<String, Expert> = BTreeMap::new();
    for deed in activity::contributions(reader, rows)? {
        let expert = people.entry(deed.username.to_lowercase()).or_insert_with(|| Expert {
            username: Some(deed.username.clone()),
            ..nobody(&deed.name)
        });
        let points = match deed.deed {
            ActivityKind::Authored => AUTHORED,
            ActivityKind::Reviewed => REVIEWED,
            ActivityKind::Wrote => WROTE * deed.times.min(NOTES_EACH) as f64,
        };
        match deed.deed {
            ActivityKind::Authored => expert.authored += 1,
            ActivityKind::Reviewed => expert.reviewed += 1,
            ActivityKind::Wrote => expert.notes += deed.times,
        }
        expert.score += points * decay(deed.at, now);
        expert.last_at = expert.last_at.max(Some(deed.at));
    }
    Ok(people)
}

fn nobody(name: &str) -> Expert {
    Expert {
        username: None,
        name: name.to_owned(),
        score: 0.0,
        authored: 0,
        reviewed: 0,
        notes: 0,
        lines: 0,
        last_at: None,
    }
}

/// What remains of a deed: a half after half a year, a quarter after a year.
fn decay(at: Timestamp, now: Timestamp) -> f64 {
    let days = now.since(at).as_secs_f64() / 86_400.0;
    0.5_f64.powf(days / HALF_LIFE)
}

/// Adds the lines of git authors to the people they are, by name or by the
/// name in their address; others stand for themselves.
fn add_lines(people: &mut BTreeMap<String, Expert>, authors: Vec<lines::Author>) {
    let total: u64 = authors.iter().map(|author| author.lines).sum();
    for author in authors {
        let is_same = |expert: &Expert| {
            let username = expert.username.as_deref().unwrap_or_default().to_lowercase();
            expert.name == author.name
                || (!username.is_empty() && username == author.email_name.to_lowercase())
        };
        let key = people.iter().find(|(_, expert)| is_same(expert)).map(|(key, _)| key.clone());
        let key = key.unwrap_or_else(|| format!("git {}", author.name));
        let expert = people.entry(key).or_insert_with(|| nobody(&author.name));
        expert.lines += author.lines;
        expert.score += LINES * author.lines as f64 / total.max(1) as f64;
        expert.last_at = expert.last_at.max(Some(author.last_at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_long_ago_counts_less() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let ago = |days: u64| now.minus(Duration::from_secs(days * 86_400));
        assert!((decay(now, now) - 1.0).abs() < 1e-9);
        assert!((decay(ago(365), now) - 0.25).abs() < 1e-9);
        assert!(decay(now.plus(Duration::from_secs(5)), now) <= 1.0);
    }
}
