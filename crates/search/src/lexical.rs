//! Documents by their words.
//!
//! The index ranks a match at a price that is the same for all, however bad it
//! is, and its lists of a common word are long. So on a large index it is asked
//! for the rare words of a query only; what the common ones add is found by
//! reading the best of what these brought up.

use crate::query::{Offer, Query, in_titles};
use crate::term_weights::{QueryTerm, TermWeights};
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Reader;
use store::document_set::DocumentSet;
use store::fulltext::{self, Matches, RankedDocument};

/// How much one answer may cost.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// An index up to this size is searched whole.
    small: i64,
    /// Matches that the index ranks on a larger one.
    ranked: usize,
    /// Steps through lists of the index that a few allowed documents are worth.
    steps: usize,
    /// How many more candidates than asked for are read.
    slack: usize,
}

/// Chosen so that one of a hundred thousand documents is found in a few
/// milliseconds, and nearly always the one that ranking all would find.
const BUDGET: Budget = Budget { small: 20_000, ranked: 4_000, steps: 40_000, slack: 100 };
/// Two common words are in so many times fewer texts side by side than the rarer
/// of them is; only for its weight, where counting would take too long.
const RARER_TOGETHER: usize = 10;

/// What matched the words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lexical {
    /// Best first.
    pub best: Vec<RankedDocument>,
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
    retrieve_within(BUDGET, reader, words, allowed, n_best)
}

fn retrieve_within(
    budget: Budget,
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
    if highest <= budget.small {
        return fulltext::rank(reader, &expression, allowed, n_best, usize::MAX).map(found);
    }
    Large { reader, query, allowed, n_best, highest, budget }.retrieve(&expression)
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
    budget: Budget,
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
    word: QueryTerm,
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
        // A name and its parts written as one are the same word of the index.
        let mut asked = BTreeSet::new();
        lookups.retain(|lookup| asked.insert(lookup.expression.clone()));
        lookups.sort_by_key(|lookup| lookup.price);
        let n_steps: usize = lookups.iter().map(|lookup| lookup.price).sum();
        let n_searched = self.allowed.map_or(self.highest as usize, |set| set.len());
        let share = n_searched as f64 / self.highest as f64;
        let (n_rare, is_few) = (self.n_rare(&lookups, share), n_searched <= self.budget.ranked);
        let is_cheap = n_steps <= self.budget.steps && is_few;
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
        let weighing = TermWeights::new(words, n_ranked, fulltext::totals(self.reader)?);
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
            let word = QueryTerm { offer, n_documents };
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
        let n_documents = if price <= self.budget.steps {
            frequency(&expression)?
        } else {
            each.iter().min().copied().unwrap_or(0) / RARER_TOGETHER
        };
        Ok(Lookup { word: QueryTerm { offer, n_documents }, expression, price })
    }

    /// All that match in a small part of the index. Each word is looked up for
    /// itself: together the index would also say where each of them stands.
    fn among_few(&self, lookups: &[Lookup]) -> Result<Candidates> {
        let mut found = Candidates { is_all: true, ..Candidates::default() };
        for lookup in lookups {
            let any = [lookup.word.offer.expression()];
            let n_most = self.budget.ranked;
            if let Some(expression) = self.query.expression_of(&any) {
                found.add(fulltext::newest(self.reader, &expression, self.allowed, n_most)?);
            }
        }
        found.n_seen = found.scores.len() as u64;
        Ok(found)
    }

    fn candidates(&self, rare: &[Lookup], expression: &str) -> Result<Candidates> {
        let enough = self.n_best + self.budget.slack;
        let mut found = Candidates::default();
        let any: Vec<String> = rare.iter().map(|lookup| lookup.expression.clone()).collect();
        if let Some(narrow) = self.query.expression_of(&any).filter(|_| !any.is_empty()) {
            let ranked =
                fulltext::rank(self.reader, &narrow, self.allowed, enough, 2 * self.budget.ranked)?;
            found.n_seen = ranked.n_seen;
            found.scores = ranked.best.iter().map(|it| (it.document, Some(it.score))).collect();
        }
        // Nothing but words that are everywhere: who has all of them, or has
        // them in the title, is about them; of the others the newest.
        let strict = self.query.strict_expression();
        let strict = strict.as_deref().unwrap_or(expression);
        let (in_strict, in_any) = (in_titles(strict), in_titles(expression));
        for wide in [&in_strict, strict, &in_any, expression] {
            if found.scores.len() >= self.n_best {
                break;
            }
            found.add(fulltext::newest(self.reader, wide, self.allowed, enough)?);
        }
        Ok(found)
    }

    /// As many of the words, the cheapest first, as the budget allows.
    fn n_rare(&self, lookups: &[Lookup], share: f64) -> usize {
        let mut left = self.budget.ranked;
        let fits = |lookup: &&Lookup| {
            let price = (lookup.price as f64 * share) as usize;
            left.checked_sub(price).inspect(|rest| left = *rest).is_some()
        };
        lookups.iter().take_while(fits).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::{Draft, Section};
    use model::Timestamp;
    use proptest::prelude::*;
    use std::sync::LazyLock;
    use store::dirty::SourceType;

    /// Small enough that most of these documents' words are common.
    const TIGHT: Budget = Budget { small: 0, ranked: 30, steps: 100_000, slack: 400 };
    const DOCUMENTS: i64 = 300;

    struct World {
        reader: std::sync::Mutex<Reader>,
        _folder: tempfile::TempDir,
    }

    /// Every document has `common`; numbers that divide its own are its words.
    static WORLD: LazyLock<World> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lore.db");
        let mut writer = store::Writer::open(&file).unwrap();
        let write = |tx: &store::Tx<'_>| {
            (1..=DOCUMENTS)
                .try_for_each(|it| store::documents::store(tx, &document(it)).map(drop))?;
            store::documents::flush_full_text(tx)
        };
        writer.write(write).unwrap();
        let reader = std::sync::Mutex::new(Reader::open(&file).unwrap());
        World { reader, _folder: folder }
    });

    fn document(number: i64) -> store::documents::Document {
        let words: Vec<String> = (2..=number)
            .filter(|divisor| number % divisor == 0)
            .map(|divisor| format!("by{divisor} read_part{divisor}"))
            .collect();
        let at = Timestamp::from_millis(number);
        let mut draft = Draft::new(SourceType::Issue, number, at, "Issue");
        draft.title = format!("Number {number}");
        let filler = "x ".repeat(number as usize % 17);
        let body = format!("common sharing {} HttpClient {filler}", words.join(" "));
        draft.body(Section::Description, &body);
        draft.finish()
    }

    fn both(text: &str, allowed: Option<&Arc<DocumentSet>>) -> (Lexical, Lexical) {
        let reader = WORLD.reader.lock().unwrap();
        let query = Query::parse(text).unwrap();
        let ask =
            |budget| retrieve_within(budget, &reader, Words::Query(&query), allowed, 20).unwrap();
        (ask(TIGHT), ask(BUDGET))
    }

    #[test]
    fn common_words_count_as_if_the_index_had_ranked_by_them() {
        for text in ["by97 common", "by50 by2 by3", "by40 shared by8", "+by60 common by5"] {
            let (quick, whole) = both(text, None);
            for (a, b) in quick.best.iter().zip(&whole.best) {
                assert_eq!(a.document, b.document, "{text}");
                assert!((a.score - b.score).abs() < 1e-3, "{text}: {a:?} {b:?}");
            }
            assert!(!quick.best.is_empty(), "{text}");
        }
    }

    #[test]
    fn names_are_found_by_the_word_the_index_keeps_of_them() {
        let (quick, whole) = both("read_part75", None);
        assert_eq!(quick.best.first().map(|it| it.document % 75), Some(0));
        assert_eq!(whole.best.first().map(|it| it.document % 75), Some(0));
    }

    #[test]
    fn words_that_are_everywhere_find_something() {
        for text in ["common", "common sharing", "HttpClient", "\"common sharing\"", "comm*"] {
            let (quick, whole) = both(text, None);
            assert_eq!(quick.best.len(), whole.best.len(), "{text}");
        }
    }

    #[test]
    fn the_one_document_a_filter_leaves_is_found_by_any_of_its_words() {
        let only: Arc<DocumentSet> = Arc::new([210].into_iter().collect());
        for text in ["common", "by7", "by97 by7", "HttpClient", "read_part7", "\"common sharing\""]
        {
            let (quick, _) = both(text, Some(&only));
            let found: Vec<i64> = quick.best.iter().map(|it| it.document).collect();
            assert_eq!(found, [210], "{text}");
        }
        let (missed, _) = both("by211 nowhere", Some(&only));
        assert_eq!(missed.best, []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_words_are_answered(text in "(\\+?\"?(by[0-9]{1,3}|common|x|read_part7|é)\\*?\"? ?){1,6}") {
            let (quick, whole) = both(&text, None);
            prop_assert_eq!(quick.best.is_empty(), whole.best.is_empty(), "{}", text);
        }
    }
}
