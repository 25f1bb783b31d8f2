//! Of many changes to the same lines, those a question is about: `why does load
//! persist the config` wants the commit that brought persisting, not the blame of
//! forty lines.

use crate::trace::{LineOrigin, Trace};
use schemars::JsonSchema;
use search::query::is_stop_word;
use serde::Serialize;

/// Commits that are told of.
const MOST: usize = 3;
/// Fewer commits are told whole.
const FEW: usize = 3;
/// The part of the best score that another one needs.
const NEAR: f64 = 0.6;
/// Shorter words are in too many others.
const SHORTEST: usize = 3;

/// What the lines were narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Focus {
    /// The words of the question that were looked for.
    pub words: Vec<String>,
    /// Other commits that the lines come from.
    pub left_out: usize,
}

/// Keeps the lines whose text or commit says what `about` asks for. Keeps all where
/// none does, or where there are few.
pub fn narrow(trace: &mut Trace, about: &str) -> Option<Focus> {
    let words = words_of(about);
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
    // `auto-save` and `auto_save` say `autosave` too.
    for (_, said) in &mut commits {
        let joined = said.replace(['-', '_'], "");
        said.push_str(&joined);
    }
    if commits.len() <= FEW {
        return None;
    }
    let kept = best(&commits, &words)?;
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
    Some(Focus { words, left_out })
}

/// Commits that say the most of the words; a word that fewer say counts more.
fn best<'a>(commits: &'a [(String, String)], words: &[String]) -> Option<Vec<&'a str>> {
    let weights: Vec<f64> = words
        .iter()
        .map(|word| {
            let saying = commits.iter().filter(|(_, said)| said.contains(stem(word))).count();
            (1.0 + commits.len() as f64 / (saying as f64 + 0.5)).ln()
        })
        .collect();
    let score = |said: &str| -> f64 {
        let told = words.iter().zip(&weights).filter(|(word, _)| said.contains(stem(word)));
        told.map(|(_, weight)| weight).sum()
    };
    let mut scored: Vec<(&str, f64)> =
        commits.iter().map(|(sha, said)| (sha.as_str(), score(said))).collect();
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
