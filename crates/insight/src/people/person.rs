//! `lore person`: what someone did, where and when.

use super::{EntityLine, find, heads_of, lines_of};
use crate::decisions::judge_all;
use crate::projects;
use crate::timeline::excerpt;
use model::{EntityKind, EntityState, Result, Timestamp};
use schemars::JsonSchema;
use search::decision;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::activity::{self, ActivityKind, Part};
use store::entities::EntityRow;
use store::timeline;

/// Areas and entities of each list.
const LISTED: usize = 8;
/// Decisions shown.
const DECISIONS: usize = 5;
/// Entities whose discussions are read for decisions, newest first.
const DISCUSSIONS: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PersonActivity {
    pub username: String,
    pub name: String,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    pub merge_requests: Tally,
    pub issues: Tally,
    /// Merge requests of others that they were asked to review, approved or
    /// wrote on.
    pub reviews: Tally,
    pub notes: u64,
    /// Threads they have a word in, and those they began.
    pub threads: u64,
    pub threads_begun: u64,
    /// Folders they changed, most first.
    pub paths: Vec<Area>,
    /// Labels of what they wrote and reviewed, most first.
    pub labels: Vec<Area>,
    pub recent_merge_requests: Vec<EntityLine>,
    pub recent_reviews: Vec<EntityLine>,
    /// What they wrote that carries decisions, likeliest first.
    pub decisions: Vec<DecisionNote>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Tally {
    pub total: u64,
    pub merged: u64,
    pub opened: u64,
    pub last_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Area {
    pub area: String,
    /// Merge requests or issues.
    pub count: u64,
    pub last_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionNote {
    pub reference: String,
    pub title: String,
    pub at: Timestamp,
    pub snippet: String,
    /// Tenths of a point.
    pub decision_points: i32,
    pub url: String,
}

pub fn person(
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
    since: Option<Timestamp>,
) -> Result<PersonActivity> {
    let who = find(reader, typed)?;
    let project = projects::resolve_maybe(reader, project)?.map(|project| project.id);
    let mut parts = activity::of_person(reader, &who, project)?;
    parts.retain(|part| since.is_none_or(|since| part.at >= since));
    let authored = rows_with(&parts, |part| part.deed == ActivityKind::Authored);
    let own: BTreeSet<EntityRow> = authored.iter().copied().collect();
    let reviewed = rows_with(&parts, |part| {
        part.entity.kind == EntityKind::MergeRequest
            && part.deed != ActivityKind::Authored
            && !own.contains(&part.entity)
    });
    let of_kind = |rows: &[EntityRow], kind| -> Vec<EntityRow> {
        rows.iter().filter(|row| row.kind == kind).copied().collect()
    };
    let (mrs, issues) =
        (of_kind(&authored, EntityKind::MergeRequest), of_kind(&authored, EntityKind::Issue));
    let (threads, threads_begun) = activity::threads_of(reader, &who)?;
    let last = last_times(&parts);
    let touched: Vec<EntityRow> = authored.iter().chain(&reviewed).copied().collect();
    let notes = parts.iter().filter(|part| part.deed == ActivityKind::Wrote).map(|part| part.times);
    Ok(PersonActivity {
        first_at: parts.iter().map(|part| part.first_at).min(),
        last_at: parts.iter().map(|part| part.at).max(),
        merge_requests: tally(reader, &mrs, &last)?,
        issues: tally(reader, &issues, &last)?,
        reviews: tally(reader, &reviewed, &last)?,
        notes: notes.sum(),
        threads,
        threads_begun,
        paths: areas(folders(activity::paths_of(reader, &mrs)?), &last),
        labels: areas(activity::labels_of(reader, &touched)?, &last),
        recent_merge_requests: lines_of(reader, mrs.get(..LISTED).unwrap_or(&mrs))?,
        recent_reviews: lines_of(reader, reviewed.get(..LISTED).unwrap_or(&reviewed))?,
        decisions: decisions(reader, &who.username, &parts)?,
        username: who.username,
        name: who.name,
    })
}

/// Each entity once, newest first.
fn rows_with(parts: &[Part], is_wanted: impl Fn(&Part) -> bool) -> Vec<EntityRow> {
    let mut seen = BTreeSet::new();
    let wanted = parts.iter().filter(|part| is_wanted(part)).map(|part| part.entity);
    wanted.filter(|row| seen.insert(*row)).collect()
}

fn last_times(parts: &[Part]) -> BTreeMap<EntityRow, Timestamp> {
    let mut last = BTreeMap::new();
    for part in parts {
        let at = last.entry(part.entity).or_insert(part.at);
        *at = part.at.max(*at);
    }
    last
}

fn tally(
    reader: &Reader,
    rows: &[EntityRow],
    last: &BTreeMap<EntityRow, Timestamp>,
) -> Result<Tally> {
    let heads = heads_of(reader, rows)?;
    let in_state =
        |state: EntityState| heads.values().filter(|head| head.state == state).count() as u64;
    Ok(Tally {
        total: rows.len() as u64,
        merged: in_state(EntityState::Merged),
        opened: in_state(EntityState::Opened),
        last_at: rows.iter().filter_map(|row| last.get(row)).max().copied(),
    })
}

/// A file's folder, two levels deep; files at the top stand for themselves.
fn folders(paths: Vec<(EntityRow, String)>) -> Vec<(EntityRow, String)> {
    let folder =
        |path: String| match path.match_indices('/').nth(1).or(path.match_indices('/').next()) {
            Some((slash, _)) => path[..=slash].to_owned(),
            None => path,
        };
    paths.into_iter().map(|(row, path)| (row, folder(path))).collect()
}

fn areas(found: Vec<(EntityRow, String)>, last: &BTreeMap<EntityRow, Timestamp>) -> Vec<Area> {
    let mut areas: BTreeMap<String, BTreeSet<EntityRow>> = BTreeMap::new();
    for (row, area) in found {
        areas.entry(area).or_default().insert(row);
    }
    let mut areas: Vec<Area> = areas
        .into_iter()
        .map(|(area, rows)| Area {
            area,
            count: rows.len() as u64,
            last_at: rows
                .iter()
                .filter_map(|row| last.get(row))
                .max()
                .copied()
                .unwrap_or(Timestamp::EPOCH),
        })
        .collect();
    areas.sort_by(|a, b| b.count.cmp(&a.count).then(a.area.cmp(&b.area)));
    areas.truncate(LISTED);
    areas
}

fn decisions(reader: &Reader, username: &str, parts: &[Part]) -> Result<Vec<DecisionNote>> {
    let mut rows = rows_with(parts, |part| part.deed == ActivityKind::Wrote);
    rows.truncate(DISCUSSIONS);
    let heads = heads_of(reader, &rows)?;
    let notes = timeline::notes(reader, &rows, 200)?;
    let judgements = judge_all(&heads, &notes);
    let mut found: Vec<DecisionNote> = notes
        .iter()
        .zip(judgements)
        .filter(|(note, judgement)| {
            note.author.as_deref() == Some(username) && judgement.is_decision_bearing()
        })
        .filter_map(|(note, judgement)| {
            let head = heads.get(&note.entity)?;
            let cues = decision::cues(&note.body);
            let focus: Vec<&str> =
                cues.iter().filter(|cue| cue.points > 0).map(|cue| cue.phrase).collect();
            Some(DecisionNote {
                reference: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
                title: head.title.clone(),
                at: note.created_at,
                snippet: excerpt(&note.body, &focus),
                decision_points: judgement.points,
                url: head.note_url(note.forge_id),
            })
        })
        .collect();
    found.sort_by(|a, b| b.decision_points.cmp(&a.decision_points).then(b.at.cmp(&a.at)));
    found.truncate(DECISIONS);
    Ok(found)
}
