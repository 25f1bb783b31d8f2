//! Documents by their words.
//!
//! The index ranks a match at a price that is the same for all, however bad it
//! is, and its lists of a common word are long. So on a large index it is asked
//! for the rare words of a query only; what the common ones add is found by
//! reading the best of what these brought up.

use crate::query::{Offer, Query, in_titles};
use crate::weighing::{Weighing, Word};
use model::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Reader;
use store::document_set::DocumentSet;
use store::fulltext::{self, Matches, Ranked};

/// An index up to this size is searched whole.
const SMALL: i64 = 20_000;
/// Matches that the index ranks on a larger one.
const BUDGET: usize = 4_000;
/// Steps through lists of the index that a few allowed documents are worth.
const STEPS: usize = 40_000;
/// How many more candidates than asked for are read.
const SLACK: usize = 100;
/// Two common words are in so many times fewer texts side by side than the rarer
/// of them is; only for its weight, where counting would take too long.
const RARER_TOGETHER: usize = 10;

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
    if highest <= SMALL {
        return fulltext::rank(reader, &expression, allowed, n_best, usize::MAX).map(found);
    }
    Large { reader, query, allowed, n_best, highest }.retrieve(&expression)
}

fn found(matches: Matches) -> Lexical {
    Lexical { best: matches.best, total: matches.n_seen, is_total_exact: matches.is_all }
}

/// A search in an index that is too large to rank all that matches.
struct Large<'a> {
    reader: &'a Reader,
    query: &'a Query,
    allowed: Option<&'a Arc<DocumentSet>>,
    n_best: usize,
    highest: i64,
}

/// Documents that may be among the best.
#[derive(Default)]
struct Candidates {
    /// With what the rare words give them, where the index has ranked them.
    scores: BTreeMap<i64, Option<f64>>,
    n_seen: u64,
    is_all: bool,
}

impl Candidates {
    fn add(&mut self, documents: Vec<i64>) {
        self.n_seen = self.n_seen.max(documents.len() as u64);
        for document in documents {
            self.scores.entry(document).or_insert(None);
        }
    }
}

/// A word, and what it takes to look it up.
struct Lookup {
    word: Word,
    /// What the index is asked.
    expression: String,
    /// Entries of its lists that have to be passed.
    price: usize,
}

impl Large<'_> {
    fn retrieve(&self, expression: &str) -> Result<Lexical> {
        let offers = self.query.alternatives();
        let lookups: Result<Vec<Lookup>> = offers.into_iter().map(|it| self.lookup(it)).collect();
        let mut lookups = lookups?;
        lookups.sort_by_key(|lookup| lookup.price);
        let n_steps: usize = lookups.iter().map(|lookup| lookup.price).sum();
        let n_searched = self.allowed.map_or(self.highest as usize, |set| set.len());
        let share = n_searched as f64 / self.highest as f64;
        let (n_rare, is_few) = (n_rare(&lookups, share), n_searched <= BUDGET);
        let is_cheap = n_steps <= STEPS && is_few;
        if n_rare == lookups.len() || is_cheap {
            return fulltext::rank(self.reader, expression, self.allowed, self.n_best, usize::MAX)
                .map(found);
        }
        let candidates = if is_few {
            self.among_few(&lookups)?
        } else {
            self.candidates(&lookups[..n_rare], expression)?
        };
        let n_ranked = if is_few { 0 } else { n_rare };
        let words = lookups.into_iter().map(|lookup| lookup.word).collect();
        let weighing = Weighing::new(words, n_ranked, fulltext::totals(self.reader)?);
        let mut best = weighing.weigh(self.reader, candidates.scores)?;
        best.truncate(self.n_best);
        let total = candidates.n_seen.max(best.len() as u64);
        Ok(Lexical { total, best, is_total_exact: candidates.is_all })
    }

    fn lookup(&self, offer: Offer) -> Result<Lookup> {
        let frequency = |expression: &str| -> Result<usize> {
            Ok(fulltext::frequency(self.reader, expression)? as usize)
        };
        let parts = offer.parts();
        if parts.len() < 2 || offer.joined().is_some() {
            let expression = offer.joined().unwrap_or_else(|| offer.expression());
            let n_documents = frequency(&expression)?;
            let word = Word { offer, n_documents };
            return Ok(Lookup { word, expression, price: n_documents });
        }
        // The index finds words that follow each other by looking at each place
        // where one of them stands.
        let mut each = Vec::new();
        for part in &parts {
            each.push(frequency(part)?);
        }
        let price: usize = each.iter().sum();
        let expression = offer.expression();
        let n_documents = if price <= STEPS {
            frequency(&expression)?
        } else {
            each.iter().min().copied().unwrap_or(0) / RARER_TOGETHER
        };
        Ok(Lookup { word: Word { offer, n_documents }, expression, price })
    }

    /// All that match in a small part of the index. Each word is looked up for
    /// itself: together the index would also say where each of them stands.
    fn among_few(&self, lookups: &[Lookup]) -> Result<Candidates> {
        let mut found = Candidates { is_all: true, ..Candidates::default() };
        for lookup in lookups {
            let any = [lookup.word.offer.expression()];
            if let Some(expression) = self.query.expression_of(&any) {
                found.add(fulltext::newest(self.reader, &expression, self.allowed, BUDGET)?);
            }
        }
        found.n_seen = found.scores.len() as u64;
        Ok(found)
    }

    fn candidates(&self, rare: &[Lookup], expression: &str) -> Result<Candidates> {
        let enough = self.n_best + SLACK;
        let mut found = Candidates::default();
        let any: Vec<String> = rare.iter().map(|lookup| lookup.expression.clone()).collect();
        if let Some(narrow) = self.query.expression_of(&any).filter(|_| !any.is_empty()) {
            let ranked = fulltext::rank(self.reader, &narrow, self.allowed, enough, 2 * BUDGET)?;
            found.n_seen = ranked.n_seen;
            found.scores = ranked.best.iter().map(|it| (it.document, Some(it.score))).collect();
        }
        // Nothing but words that are everywhere: who has all of them, or has
        // them in the title, is about them; of the others the newest.
        let strict = self.query.strict_expression().unwrap_or_default();
        let wider = [in_titles(&strict), strict, in_titles(expression), expression.to_owned()];
        for wide in wider.iter().filter(|wide| !wide.is_empty()) {
            if found.scores.len() >= self.n_best {
                break;
            }
            found.add(fulltext::newest(self.reader, wide, self.allowed, enough)?);
        }
        Ok(found)
    }
}

/// As many of the words, the cheapest first, as the budget allows.
fn n_rare(lookups: &[Lookup], share: f64) -> usize {
    let mut left = BUDGET;
    let fits = |lookup: &&Lookup| {
        let price = (lookup.price as f64 * share) as usize;
        left.checked_sub(price).inspect(|rest| left = *rest).is_some()
    };
    lookups.iter().take_while(fits).count()
}
