//! What no search of the text can tell: the tests that call what was found, and the
//! earlier change most like the task.

use super::channels::like_task;
use super::corpus::Corpus;
use super::pack::{Candidate, PackedText};
use super::rank::RankedCandidates;
use crate::agent_text::own_name;
use crate::code::View;
use model::Result;
use model::code::{EdgeKind, is_test_path, is_vendored_path};
use model::text::{clean, one_line};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use store::{commit_terms, commits};

pub(super) const TESTS: &str = "tests";
pub(super) const COMMIT: &str = "commit";

/// Symbols whose callers are looked at, and callers of each.
const SYMBOLS: usize = 5;
const CALLERS: usize = 400;
/// Tests named of a file.
const NAMED: usize = 3;
/// Files in which an earlier change must have a part.
const FILES: usize = 5;
/// The part of the task's words, by rarity, that an earlier change has to say.
const ALIKE: f64 = 0.3;

/// The file of tests that calls most of the first symbols.
pub(super) fn tests(
    view: &View<'_>,
    corpus: &Corpus,
    candidates: &[Candidate],
) -> Result<Option<PackedText>> {
    let mut files: BTreeMap<String, (f64, Vec<String>)> = BTreeMap::new();
    for (nth, candidate) in candidates.iter().take(SYMBOLS).enumerate() {
        let Some(node) = corpus.node_of(view, candidate.symbol)? else { continue };
        let own = &corpus.files[candidate.symbol.file as usize].path;
        let mut of_symbol: BTreeMap<String, u32> = BTreeMap::new();
        let steps = view.incoming(node)?.into_iter();
        let is_use = |kind| matches!(kind, EdgeKind::Calls | EdgeKind::Tests);
        for step in steps.filter(|step| is_use(step.kind)).take(CALLERS) {
            let Some(caller) = view.symbol(step.node)? else { continue };
            let is_test = is_test_path(&caller.path) && !is_vendored_path(&caller.path);
            if !is_test {
                continue;
            }
            *of_symbol.entry(caller.path.clone()).or_default() += 1;
            // Those of the first symbol come first.
            let names = &mut files.entry(caller.path.clone()).or_default().1;
            if !names.iter().any(|known| known == own_name(&caller)) {
                names.push(own_name(&caller).to_owned());
            }
        }
        for (path, n) in of_symbol {
            // A file called like that of the symbol is its test.
            let is_namesake = stem(&path).contains(stem(own));
            let worth = f64::from(n).ln_1p() * if is_namesake { 2.0 } else { 1.0 };
            if let Some(known) = files.get_mut(&path) {
                known.0 += worth / (nth + 1) as f64;
            }
        }
    }
    // Of equal ones the first by path.
    let best = files.into_iter().max_by(|a, b| match a.1.0.total_cmp(&b.1.0) {
        Ordering::Equal => b.0.cmp(&a.0),
        order => order,
    });
    Ok(best.map(|(path, (_, names))| {
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let names: Vec<String> = names.into_iter().take(NAMED).collect();
        PackedText {
            reference: path,
            kind: TESTS.to_owned(),
            title: format!("{}{more}", clean(&names.join(", "))),
            text: String::new(),
        }
    }))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// The earlier commit that says most of the task and changed one of its files.
pub(super) fn commit(view: &View<'_>, ranked: &RankedCandidates) -> Result<Option<PackedText>> {
    let (alike, share) = like_task(&ranked.history, &ranked.query);
    let Some((best, _)) = alike.first().filter(|_| share >= ALIKE) else { return Ok(None) };
    let hits = &ranked.history.commits[*best];
    // The commit that is indexed is what lies here, not what came before.
    if hits.sha == view.scope.snapshot.sha {
        return Ok(None);
    }
    let changed = commit_terms::changed(view.reader, &[hits.id])?;
    let first = || ranked.files.iter().take(FILES).map(|(file, _)| *file);
    let is_there = |path: &str| ranked.corpus.by_path.contains_key(path);
    let is_about = changed.iter().flatten().any(|path| {
        let today = ranked.history.today(path, is_there);
        ranked.corpus.by_path.get(today).is_some_and(|file| first().any(|it| it == *file))
    });
    if !is_about {
        return Ok(None);
    }
    let row = commits::by_sha(view.reader, Some(view.scope.repo.id), &hits.sha)?;
    Ok(row.map(|row| PackedText {
        reference: row.sha.get(..10).unwrap_or(&row.sha).to_owned(),
        kind: COMMIT.to_owned(),
        title: format!("{} {}", row.authored_at.to_date(), one_line(&clean(&row.subject), 120)),
        text: String::new(),
    }))
}
