//! What changed a file: which merge requests and commits are shown of many.

use super::Request;
use crate::file_history::{self, Chain};
use crate::file_target::FileTarget;
use crate::origin::CommitFacts;
use crate::reasons::{self, CommitReason};
use model::record::ChangeKind;
use model::{EntityKind, Result};
use std::cmp::Reverse;
use store::commits::{self, CommitRow};
use store::entities::EntityRow;
use store::paths::FileChangeRef;
use store::{Reader, details};

/// Which of a file's changes come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileOrder {
    #[default]
    Newest,
    /// Those that give reasons, and the one that brought the file. Shown newest
    /// first all the same.
    Reasons,
}

/// Of a file with a long history, those weighed.
const WEIGHED: usize = 300;
/// A change with its tests and its documentation; what touches more is about more.
const FEW_FILES: f64 = 8.0;

/// What changed a file, as far as it is shown.
pub(super) struct FileChanges {
    /// Rows.
    pub merge_requests: Vec<i64>,
    pub n_merge_requests: u64,
    pub commits: Vec<CommitReason>,
    pub n_commits: u64,
}

pub(super) fn of_file(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    chain: &Chain,
) -> Result<FileChanges> {
    let names = &chain.names;
    let touching = file_history::touching(reader, target, chain, true)?;
    let direct = file_history::direct_commits(reader, target, chain)?;
    let (n_merge_requests, n_commits) = (touching.len() as u64, direct.len() as u64);
    let touching = match request.order {
        FileOrder::Newest => touching.into_iter().take(request.limit).collect(),
        FileOrder::Reasons => discussed(reader, touching, names, request.limit)?,
    };
    let direct = match request.order {
        FileOrder::Newest => direct.into_iter().take(request.limit).collect(),
        FileOrder::Reasons => {
            arguing(reader, direct, request.limit.saturating_sub(touching.len()))?
        }
    };
    let commits = direct
        .into_iter()
        .map(|commit| reasons::commit_reason(reader, &CommitFacts::from(commit), names));
    Ok(FileChanges {
        merge_requests: touching.iter().map(|touch| touch.merge_request).collect(),
        n_merge_requests,
        commits: commits.collect::<Result<_>>()?,
        n_commits,
    })
}

/// Those with the most comments on the file, and the one that added it.
fn discussed(
    reader: &Reader,
    touching: Vec<FileChangeRef>,
    names: &[String],
    most: usize,
) -> Result<Vec<FileChangeRef>> {
    let row = |touch: &FileChangeRef| EntityRow {
        kind: EntityKind::MergeRequest,
        id: touch.merge_request,
    };
    let rows: Vec<EntityRow> = touching.iter().take(WEIGHED).map(row).collect();
    let texts = details::texts(reader, &rows, names)?;
    let comments = |touch: &FileChangeRef| {
        texts.iter().find(|text| text.row == row(touch)).map_or(0, |text| text.comments_on_paths)
    };
    let mut ranked: Vec<usize> = (0..touching.len().min(WEIGHED)).collect();
    // Of those nobody commented on, the newest.
    ranked.sort_by_key(|index| {
        let touch = &touching[*index];
        (Reverse(touch.change == ChangeKind::Added), Reverse(comments(touch)), *index)
    });
    ranked.truncate(most);
    Ok(in_order(touching, &ranked))
}

/// Those whose messages give reasons, and the one that brought the file. Reasons for a
/// change of many files say little of any of them.
fn arguing(reader: &Reader, direct: Vec<CommitRow>, most: usize) -> Result<Vec<CommitRow>> {
    let oldest = direct.len().saturating_sub(1);
    let weighed =
        || direct.iter().enumerate().filter(|(index, _)| *index < WEIGHED || *index == oldest);
    let ids: Vec<i64> = weighed().map(|(_, commit)| commit.id).collect();
    let n_files = commits::n_files(reader, &ids)?;
    let mut ranked: Vec<(usize, f64)> = weighed()
        .map(|(index, commit)| {
            let n = n_files.get(&commit.id).copied().unwrap_or(1) as f64;
            let breadth = 1.0 + (n / FEW_FILES).max(1.0).ln();
            (index, f64::from(reasons::weight(&commit.message)) / breadth)
        })
        .collect();
    let is_oldest = |index: usize| index == oldest;
    ranked.sort_by(|(a, first), (b, second)| {
        is_oldest(*b).cmp(&is_oldest(*a)).then(second.total_cmp(first)).then(a.cmp(b))
    });
    let ranked: Vec<usize> = ranked.into_iter().take(most).map(|(index, _)| index).collect();
    Ok(in_order(direct, &ranked))
}

fn in_order<T>(all: Vec<T>, chosen: &[usize]) -> Vec<T> {
    let is_chosen = |index: usize| chosen.contains(&index);
    all.into_iter().enumerate().filter(|(index, _)| is_chosen(*index)).map(|(_, it)| it).collect()
}
