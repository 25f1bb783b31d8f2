//! Documents by their words.
//!
//! Ranking costs the same for every match, so on a large index the words that
//! are everywhere are left out of the search for candidates and only counted
//! again when the best of these are ranked.

use crate::query::Query;
use model::Result;
use std::sync::Arc;
use store::Reader;
use store::document_set::DocumentSet;
use store::fulltext::{self, Matches, Ranked};

/// An index up to this size is searched whole.
const SMALL: i64 = 20_000;
/// Matches that are ranked on a larger one.
const BUDGET: usize = 8_000;
/// How many more candidates than asked for are ranked by all words.
const SLACK: usize = 200;

/// What matched the words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lexical {
    /// Best first.
    pub best: Vec<Ranked>,
    /// All that match; at least so many when the index is large.
    pub total: u64,
    pub is_total_exact: bool,
}

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub enum Words<'a> {
    Query(&'a Query),
    /// In the index's own language.
    Raw(&'a str),
}

pub fn retrieve(
    reader: &Reader,
    words: Words<'_>,
    allowed: Option<&Arc<DocumentSet>>,
    n_best: usize,
) -> Result<Lexical> {
    let query = match words {
        Words::Raw(expression) => {
            return fulltext::rank(reader, expression, allowed, n_best, usize::MAX).map(found);
        }
        Words::Query(query) => query,
    };
    let Some(expression) = query.expression() else {
        return Ok(Lexical { is_total_exact: true, ..Lexical::default() });
    };
    let highest = fulltext::highest_id(reader)?;
    let n_searched = allowed.map_or(highest, |set| set.len() as i64);
    if highest <= SMALL || n_searched <= BUDGET as i64 {
        return fulltext::rank(reader, &expression, allowed, n_best, usize::MAX).map(found);
    }
    let share = n_searched as f64 / highest as f64;
    let rare = rare_words(reader, query, share)?;
    if rare.is_all {
        return fulltext::rank(reader, &expression, allowed, n_best, 2 * BUDGET).map(found);
    }
    let mut candidates = match query.expression_of(&rare.words) {
        Some(narrow) => fulltext::rank(reader, &narrow, allowed, n_best + SLACK, 2 * BUDGET)?,
        None => Matches::default(),
    };
    // Nothing but words that are everywhere: who has them in the title is
    // about them.
    if candidates.best.len() < n_best {
        let titles = query.title_expression();
        for wide in titles.iter().chain([&expression]) {
            let more = fulltext::rank(reader, wide, allowed, n_best + SLACK, BUDGET)?;
            candidates.n_seen += more.n_seen;
            candidates.best.extend(more.best);
            if candidates.best.len() >= n_best {
                break;
            }
        }
    }
    let mut ids: Vec<i64> = candidates.best.iter().map(|ranked| ranked.document).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut best = fulltext::scores(reader, &expression, &ids)?;
    best.truncate(n_best);
    Ok(Lexical { total: candidates.n_seen.max(best.len() as u64), best, is_total_exact: false })
}

fn found(matches: Matches) -> Lexical {
    Lexical { best: matches.best, total: matches.n_seen, is_total_exact: matches.is_all }
}

struct RareWords {
    words: Vec<String>,
    is_all: bool,
}

/// As many of the query's words, rarest first, as the budget allows.
fn rare_words(reader: &Reader, query: &Query, share: f64) -> Result<RareWords> {
    let mut words = Vec::new();
    for word in query.alternatives() {
        let frequency = fulltext::frequency(reader, &word)? as f64 * share;
        words.push((frequency as usize, word));
    }
    words.sort();
    let n_words = words.len();
    let mut left = BUDGET;
    let rare: Vec<String> = words
        .into_iter()
        .map_while(|(frequency, word)| {
            left = left.checked_sub(frequency)?;
            Some(word)
        })
        .collect();
    Ok(RareWords { is_all: rare.len() == n_words, words: rare })
}
