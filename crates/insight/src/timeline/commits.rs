//! Commits of a timeline: where there is no forge they are all the history there
//! is, and beside one they tell what no merge request does.

use super::answer::{
    CommitDetails, Details, EventType, SubjectKind, TimelineCommit, TimelineEvent,
};
use super::seeds::NEAR_BEST;
use crate::reasons::commit_reason;
use crate::repos;
use model::Result;
use model::text::one_line;
use search::{EntityGroup, Searcher};
use std::collections::{BTreeMap, BTreeSet};
use store::commits::{self, CommitRow};
use store::dirty::SourceType;
use store::repos::{Checkout, Repo};
use store::{Reader, origins};

/// Commits looked at; of these, those near enough to the best are told.
const COMMITS_READ: usize = 300;
/// What a commit of many files gains, beside a score from 0 to 1: what brought a thing or
/// took it away is larger than the repairs between.
const LARGE: f64 = 0.25;
/// From so many files on it gains nothing more.
const MANY_FILES: f64 = 64.0;
/// So many of the best are told, however small.
const SURE: usize = 4;
const SUMMARY: usize = 200;
/// Changes to a commit that are told with it.
const MOST_CHANGES: usize = 4;

/// The commits a query means.
#[derive(Debug, Default)]
pub(super) struct CommitSeeds {
    pub rows: Vec<CommitRow>,
    /// By the hash of one of them: the same change on other branches.
    pub copies: BTreeMap<String, Vec<String>>,
    pub matches: u64,
    pub is_cut: bool,
}

/// Commits that answer a query and that no merge request tells of, best first; of
/// the repository one is at work in, where that is known.
pub(super) fn of_query(
    searcher: &Searcher<'_>,
    request: &search::Request,
    most: usize,
) -> Result<CommitSeeds> {
    let reader = searcher.reader;
    let mut request = search::Request { limit: COMMITS_READ, offset: 0, ..request.clone() };
    request.filter.sources = vec![SourceType::Commit];
    request.filter.repo = request.filter.repo.or(request.home_repo);
    if !store::named_documents::has_commits(reader)? {
        return Ok(CommitSeeds::default());
    }
    let ranking = searcher.ranking(&request)?;
    let best = ranking.groups.first().map_or(0.0, |group| group.score);
    let near: Vec<&EntityGroup> =
        ranking.groups.iter().filter(|group| group.score >= NEAR_BEST * best).collect();
    let leads: Vec<i64> = near.iter().map(|group| group.lead).collect();
    let rows: BTreeMap<i64, CommitRow> =
        commits::of_documents(reader, &leads)?.into_iter().collect();
    let copies = copies(reader, &near, &rows)?;
    let mut seen = BTreeSet::new();
    let mut found = CommitSeeds { matches: ranking.total, copies, ..CommitSeeds::default() };
    let mut chosen: Vec<(usize, CommitRow)> = Vec::new();
    for (place, row) in most_telling(reader, &near, &rows)? {
        // Two clones of one history have the same commits.
        let is_told = !seen.insert(row.sha.clone()) || has_merge_request(reader, row)?;
        if !is_told && chosen.len() == most {
            found.is_cut = true;
            break;
        }
        if !is_told {
            chosen.push((place, row.clone()));
        }
    }
    chosen.sort_by_key(|(place, _)| *place);
    found.rows = chosen.into_iter().map(|(_, row)| row).collect();
    Ok(found)
}

/// The commits with their places among the answers: those that answer well and are large
/// first.
fn most_telling<'a>(
    reader: &Reader,
    near: &[&EntityGroup],
    rows: &'a BTreeMap<i64, CommitRow>,
) -> Result<Vec<(usize, &'a CommitRow)>> {
    let ids: Vec<i64> = rows.values().map(|row| row.id).collect();
    let n_files = commits::n_files(reader, &ids)?;
    let mut order: Vec<(usize, &CommitRow, f64)> = near
        .iter()
        .enumerate()
        .filter_map(|(place, group)| {
            let row = rows.get(&group.lead)?;
            let n = n_files.get(&row.id).copied().unwrap_or(0) as f64;
            let size = ((1.0 + n).ln() / MANY_FILES.ln()).min(1.0);
            Some((place, row, group.score + LARGE * size))
        })
        .collect();
    order.sort_by(|a, b| {
        let is_sure = |place: usize| place < SURE;
        is_sure(b.0)
            .cmp(&is_sure(a.0))
            .then_with(|| b.2.total_cmp(&a.2))
            .then_with(|| a.0.cmp(&b.0))
    });
    Ok(order.into_iter().map(|(place, row, _)| (place, row)).collect())
}

/// Hashes of the same change on other branches, by the hash of the one that is told.
fn copies(
    reader: &Reader,
    groups: &[&EntityGroup],
    rows: &BTreeMap<i64, CommitRow>,
) -> Result<BTreeMap<String, Vec<String>>> {
    let all: Vec<i64> = groups.iter().flat_map(|group| group.copies.iter().copied()).collect();
    let all: BTreeMap<i64, CommitRow> = commits::of_documents(reader, &all)?.into_iter().collect();
    let of_group = |group: &&EntityGroup| {
        let told = rows.get(&group.lead)?;
        let others = group.copies.iter().filter_map(|copy| all.get(copy));
        // Two clones of one history have the same commits.
        let others = others.map(|row| row.sha.clone()).filter(|sha| *sha != told.sha);
        let others: Vec<String> = others.collect();
        (!others.is_empty()).then(|| (told.sha.clone(), others))
    };
    Ok(groups.iter().filter_map(of_group).collect())
}

fn has_merge_request(reader: &Reader, row: &CommitRow) -> Result<bool> {
    let landing = row.landed_in.as_deref().filter(|landing| *landing != row.sha);
    for sha in std::iter::once(row.sha.as_str()).chain(landing) {
        if !origins::naming(reader, None, sha)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the commits say, as events in no order, and the commits as seeds.
pub(super) fn events(
    reader: &Reader,
    told: &CommitSeeds,
) -> Result<(Vec<TimelineCommit>, Vec<TimelineEvent>)> {
    let (mut seeds, mut events) = (Vec::new(), Vec::new());
    let rows = &told.rows;
    if rows.is_empty() {
        return Ok((seeds, events));
    }
    let (all, places) = (store::repos::all(reader)?, store::repos::places(reader)?);
    for row in rows {
        let project = repository(reader, row, &all, &places)?;
        seeds.push(TimelineCommit {
            sha: row.sha.clone(),
            project: project.clone(),
            title: row.subject.clone(),
            author: row.author.clone(),
            committed_at: row.committed_at,
        });
        let also = told.copies.get(&row.sha).cloned().unwrap_or_default();
        events.push(event(reader, row, project, also)?);
    }
    Ok((seeds, events))
}

fn repository(
    reader: &Reader,
    row: &CommitRow,
    all: &[Repo],
    places: &[Checkout],
) -> Result<String> {
    let id = commits::repo_of(reader, row.id)?;
    let repo = all.iter().find(|repo| repo.id == id);
    Ok(repo.map_or_else(String::new, |repo| repos::label(repo, places)))
}

fn event(
    reader: &Reader,
    row: &CommitRow,
    project: String,
    also: Vec<String>,
) -> Result<TimelineEvent> {
    let reason = commit_reason(reader, &row.clone().into(), &[])?;
    let changes = reason.changes.iter().take(MOST_CHANGES).map(|change| {
        let words = change.relation.phrase(
            change.is_outgoing,
            model::relation::Certainty::Stated,
            model::EntityKind::MergeRequest,
        );
        let subject = change.subject.as_deref().unwrap_or("(not read here)");
        let short = change.sha.get(..10).unwrap_or(&change.sha);
        one_line(&format!("{words} {short} {subject}"), SUMMARY)
    });
    let details = Details {
        along: changes.chain(search::also_as(&also)).collect(),
        commit: Some(CommitDetails {
            sha: row.sha.clone(),
            body: reason.body.map(|body| body.text),
            n_files: reason.n_files,
            tickets: reason.tickets,
            also,
        }),
        ..Details::default()
    };
    Ok(TimelineEvent {
        timestamp: row.committed_at,
        entity_type: SubjectKind::Commit,
        entity_iid: None,
        project,
        event_type: EventType::Committed,
        summary: one_line(&row.subject, SUMMARY),
        actor: Some(row.author.clone()),
        url: String::new(),
        is_seed: true,
        depth: 0,
        via: None,
        details,
        host: String::new(),
        id: row.id,
    })
}
