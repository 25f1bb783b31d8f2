//! Of many changes to the same lines, those a question is about: `why does load
//! persist the config` wants the commit that brought persisting, not the blame of
//! forty lines.

use crate::file_target::FileTarget;
use crate::people::experts;
use crate::reasons::{self, CommitReason};
use crate::trace::{LineOrigin, Trace};
use git::ObjectId;
use model::Result;
use schemars::JsonSchema;
use search::query::is_stop_word;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Reader;
use store::commits::{self, CommitRow};

/// Commits that are told of.
const MOST: usize = 3;
/// Commits of which git is asked whether they are part of what is checked out.
const MOST_ASKED: usize = 20;
/// Fewer commits are told whole.
const FEW: usize = 3;
/// The part of the best score that another one needs.
const NEAR: f64 = 0.6;
/// Commits of a file that are looked at for what today's lines do not tell.
const MOST_READ: usize = 4_000;
/// The part of a question's words that such a commit has to say.
const MOSTLY: f64 = 0.5;
/// Shorter words are in too many others.
const SHORTEST: usize = 3;

/// What the lines were narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Focus {
    /// The words of the question that were looked for.
    pub words: Vec<String>,
    /// Other commits that the lines come from.
    pub left_out: usize,
    /// Commits of the file that say more of the words than those of its present lines.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub of_file: Vec<CommitReason>,
}

/// Narrows a trace to what `about` asks for, and adds what only the file's older
/// commits tell: a rule is often older than the lines that hold it now.
pub fn focus(
    reader: &Reader,
    target: &FileTarget,
    trace: &mut Trace,
    about: &str,
) -> Result<Option<Focus>> {
    let words = words_of(about);
    let of_file = said_before(reader, target, trace, &words)?;
    let narrowed = narrow(trace, &words);
    let left_out = narrowed.unwrap_or_default();
    let is_any = narrowed.is_some() || !of_file.is_empty();
    Ok(is_any.then_some(Focus { words, left_out, of_file }))
}

/// The commits of a file that say the most of the words, where they say more than
/// every commit that its lines come from.
fn said_before(
    reader: &Reader,
    target: &FileTarget,
    trace: &Trace,
    words: &[String],
) -> Result<Vec<CommitReason>> {
    let Some(repo) = target.repo_id().filter(|_| !words.is_empty()) else { return Ok(Vec::new()) };
    let names = experts::names(reader, repo, &target.path)?;
    let rows = commits::changing(reader, repo, &names, MOST_READ)?;
    let said: Vec<(String, String)> =
        rows.iter().map(|row| (row.sha.clone(), joined(row.message.to_lowercase()))).collect();
    let weights = weights(&said, words);
    let mostly = MOSTLY * weights.iter().sum::<f64>();
    let of_lines: BTreeSet<&str> =
        trace.origins.iter().filter_map(|it| Some(it.commit.as_ref()?.sha.as_str())).collect();
    let (mut known, mut others) = (0.0_f64, Vec::new());
    for (row, (_, text)) in rows.into_iter().zip(&said) {
        // What a commit is called tells more than what it says in passing.
        let subject = score(&joined(row.subject.to_lowercase()), words, &weights);
        let score = score(text, words, &weights) + subject / 2.0;
        if of_lines.contains(row.sha.as_str()) {
            known = known.max(score);
        } else {
            others.push((row, score));
        }
    }
    // Stable: of equal ones the newest first.
    others.sort_by(|a, b| b.1.total_cmp(&a.1));
    let top = others.first().map_or(0.0, |(_, score)| *score);
    let is_told = |score: f64| score > known && score >= mostly && score >= NEAR * top;
    let told = others.into_iter().filter(|(_, score)| is_told(*score));
    // Of another branch it says nothing about what lies here.
    let told = told.take(MOST_ASKED).filter(|(row, _)| is_of_head(target, row)).take(MOST);
    let reason = |(row, _): (CommitRow, f64)| reasons::commit_reason(reader, &row.into(), &names);
    told.map(reason).collect()
}

/// Whether a commit is part of what is checked out; where git cannot tell, it is.
fn is_of_head(target: &FileTarget, row: &CommitRow) -> bool {
    let Some(clone) = &target.clone else { return true };
    let (Some(commit), Ok(Some(head))) = (ObjectId::parse(&row.sha), clone.git.head_commit())
    else {
        return true;
    };
    clone.git.is_ancestor(commit, head).unwrap_or(true)
}

/// Keeps the lines whose text or commit says the words, and tells how many commits
/// that leaves out. Keeps all where none does, or where there are few.
fn narrow(trace: &mut Trace, words: &[String]) -> Option<usize> {
    let mut commits: Vec<(String, String)> = Vec::new();
    for origin in &trace.origins {
        let Some(commit) = &origin.commit else { continue };
        let text = origin.text.join("\n").to_lowercase();
        match commits.iter_mut().find(|(sha, _)| *sha == commit.sha) {
            Some((_, said)) => said.push_str(&text),
            None => {
                let body = commit.body.as_ref().map_or("", |body| &body.text);
                let said = format!("{}\n{body}\n", commit.subject).to_lowercase();
                commits.push((commit.sha.clone(), said + &text));
            }
        }
    }
    for (_, said) in &mut commits {
        *said = joined(std::mem::take(said));
    }
    if commits.len() <= FEW {
        return None;
    }
    let kept = best(&commits, words)?;
    let is_kept = |sha: &str| kept.contains(&sha);
    let left_out = commits.len() - kept.len();
    trace.origins.retain(|it| it.commit.as_ref().is_some_and(|commit| is_kept(&commit.sha)));
    // What says the most stands first, whatever its lines.
    let place = |it: &LineOrigin| {
        let sha = it.commit.as_ref().map(|commit| commit.sha.as_str());
        kept.iter().position(|kept| Some(*kept) == sha)
    };
    trace.origins.sort_by_key(place);
    let named = |reference: &str| {
        let is_of = |it: &LineOrigin| it.merge_request.as_deref() == Some(reference);
        trace.origins.iter().any(is_of)
    };
    let merge_requests = std::mem::take(&mut trace.merge_requests);
    trace.merge_requests = merge_requests.into_iter().filter(|it| named(&it.reference)).collect();
    Some(left_out)
}

/// `auto-save` and `auto_save` say `autosave` too.
fn joined(mut said: String) -> String {
    let joined = said.replace(['-', '_'], "");
    said.push('\n');
    said.push_str(&joined);
    said
}

/// How much each word tells: one that fewer commits say counts more.
fn weights(commits: &[(String, String)], words: &[String]) -> Vec<f64> {
    let weight = |word: &String| {
        let saying = commits.iter().filter(|(_, said)| said.contains(stem(word))).count();
        (1.0 + commits.len() as f64 / (saying as f64 + 0.5)).ln()
    };
    words.iter().map(weight).collect()
}

fn score(said: &str, words: &[String], weights: &[f64]) -> f64 {
    let told = words.iter().zip(weights).filter(|(word, _)| said.contains(stem(word)));
    told.map(|(_, weight)| weight).sum()
}

/// Commits that say the most of the words.
fn best<'a>(commits: &'a [(String, String)], words: &[String]) -> Option<Vec<&'a str>> {
    let weights = weights(commits, words);
    let mut scored: Vec<(&str, f64)> =
        commits.iter().map(|(sha, said)| (sha.as_str(), score(said, words, &weights))).collect();
    // Stable: equal ones stay in the order of the lines.
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let top = scored.first().map(|(_, score)| *score).filter(|score| *score > 0.0)?;
    let near = scored.iter().take_while(|(_, score)| *score >= NEAR * top);
    Some(near.take(MOST).map(|(sha, _)| *sha).collect())
}

fn words_of(about: &str) -> Vec<String> {
    let mut words: Vec<String> = about
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= SHORTEST && !is_stop_word(word))
        .map(str::to_lowercase)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// `persisting`, `persisted` and `persists` are one word.
fn stem(word: &str) -> &str {
    let endings = ["ing", "ies", "ied", "ed", "es", "s", "e", "y"];
    let cut = endings.iter().find_map(|ending| word.strip_suffix(ending));
    cut.filter(|stem| stem.len() > SHORTEST).unwrap_or(word)
}
