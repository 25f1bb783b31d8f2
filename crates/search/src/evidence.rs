//! How strongly a text speaks to a query, on scales that mean the same in every
//! index: the share of the query's words it has, each weighed by how rare it is
//! here, and how near in meaning it is beside how near texts of this index
//! usually are to each other.
//!
//! The ranking cannot say this: its best is always near 1, whatever was asked.

use crate::documents::body_start;
use crate::embedding::Provider;
use crate::fusion::Nearness;
use crate::query::{Offer, Query};
use crate::tokenizer::Patterns;
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use store::Reader;
use store::fulltext::{self, Columns};
use store::vectors;

/// Chunks from which it is found how near texts here are to each other.
const SAMPLE: usize = 64;
/// So many chunks of a usual index stand behind what the sample says; the texts
/// of a small one may all be about one thing.
const PRIOR: f64 = 16.0;
/// What is usual of the built-in model in the history of software.
const USUAL: f64 = 0.78;
/// Bytes read of one text, and of all of them.
const MOST_OF_ONE: usize = 256 << 10;
const MOST_TEXT: usize = 8 << 20;
/// A smaller index says little about which words are rare.
const FEWEST: f64 = 1_000.0;
/// What a text has of a term when it has all its parts, but not together.
const SCATTERED: f64 = 0.8;

/// What speaks for a document.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The share of the query's words it has, by weight, from 0 to 1.
    pub coverage: f64,
    /// How near in meaning: 0 as texts here usually are to each other, 1 the
    /// same. None without a vector.
    pub nearness: Option<f64>,
}

/// What reading a text says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextEvidence {
    pub coverage: f64,
    /// How much its body says, from 0 to 1.
    pub content: f64,
}

/// Different words after which a text says enough to be read for itself.
const ENOUGH_WORDS: usize = 24;

/// How much there is to read in the body of a document, from 0 to 1: by its
/// different words, without quotations, code, names and hashes. "ACK 1f2e3d" and
/// "rebased" say next to nothing, whatever thread they stand in.
fn content(text: &str) -> f64 {
    let body = body_start(text).unwrap_or(text.len());
    let mut words: BTreeSet<String> = BTreeSet::new();
    let mut is_code = false;
    for line in text[body..].lines().map(str::trim_start) {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let is_name = line.starts_with('@') && line.ends_with(':');
        if is_code || is_name || line.starts_with('>') {
            continue;
        }
        for word in line.split_whitespace().filter(|word| !word.contains("://")) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.len() > 2 && word.chars().all(|c| c.is_alphabetic() || c == '\'') {
                words.insert(word.to_lowercase());
            }
        }
        if words.len() >= ENOUGH_WORDS {
            return 1.0;
        }
    }
    (words.len() as f64 / ENOUGH_WORDS as f64).sqrt()
}

/// A term of the query in this index.
#[derive(Debug)]
struct WeighedTerm {
    text: String,
    weight: f64,
    /// Which of the patterns are the whole term, and which its parts.
    whole: Range<usize>,
    parts: Range<usize>,
    is_in_index: bool,
}

/// The words of a query, weighed by how rare they are.
#[derive(Debug, Default)]
pub struct TermWeights {
    terms: Vec<WeighedTerm>,
    patterns: Patterns,
    total: f64,
}

impl TermWeights {
    pub fn new(reader: &Reader, query: &Query) -> Result<TermWeights> {
        let n = (fulltext::totals(reader)?.n_documents as f64).max(FEWEST);
        let mut weights = TermWeights::default();
        let mut offers: Vec<Offer> = Vec::new();
        for forms in query.terms() {
            let mut having = 0;
            for offer in &forms.whole {
                having = having.max(fulltext::frequency(reader, &offer.expression())?);
            }
            let mut is_in_index = having > 0;
            for offer in forms.parts.iter().filter(|_| having == 0) {
                is_in_index |= fulltext::frequency(reader, &offer.expression())? > 0;
            }
            let weight = (1.0 + n / (having as f64 + 1.0)).ln();
            let first = offers.len();
            offers.extend(forms.whole);
            let middle = offers.len();
            offers.extend(forms.parts);
            weights.total += weight;
            weights.terms.push(WeighedTerm {
                text: forms.text,
                weight,
                whole: first..middle,
                parts: middle..offers.len(),
                is_in_index,
            });
        }
        weights.patterns = Patterns::new(offers.iter().map(Offer::pattern).collect());
        Ok(weights)
    }

    /// Terms that no text has, as they were typed.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter(|term| !term.is_in_index).map(|term| term.text.as_str())
    }

    /// The share of the query, by weight, that is neither in the index nor a
    /// word to the model.
    pub fn unreadable(&self, provider: &dyn Provider) -> f64 {
        let is_unreadable = |term: &&WeighedTerm| !term.is_in_index && !provider.reads(&term.text);
        let lost: f64 = self.terms.iter().filter(is_unreadable).map(|term| term.weight).sum();
        if self.total > 0.0 { lost / self.total } else { 0.0 }
    }

    /// What each document has of the words, and how much it says; what would
    /// take too long to read is left out.
    pub fn read(&self, reader: &Reader, documents: &[i64]) -> Result<BTreeMap<i64, TextEvidence>> {
        let mut found = BTreeMap::new();
        let mut left = MOST_TEXT;
        fulltext::read_each(reader, documents, |document, columns| {
            let content = content(columns.text);
            found.insert(document, TextEvidence { coverage: self.share(columns), content });
            left = left.saturating_sub(columns.text.len());
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Where terms of the query stand in a text, in order, in bytes.
    pub fn places(&self, text: &str) -> Vec<usize> {
        let text = &text[..text.floor_char_boundary(MOST_OF_ONE)];
        self.patterns.spans(text).into_iter().map(|(start, _)| start).collect()
    }

    fn share(&self, columns: Columns<'_>) -> f64 {
        let mut is_met = vec![false; self.patterns.len()];
        for (text, _) in columns.weighed() {
            let text = &text[..text.floor_char_boundary(MOST_OF_ONE)];
            for (is_met, places) in is_met.iter_mut().zip(self.patterns.read(text).met) {
                *is_met |= !places.is_empty();
            }
        }
        let share = |term: &WeighedTerm| {
            if is_met[term.whole.clone()].contains(&true) {
                return 1.0;
            }
            let n_met = is_met[term.parts.clone()].iter().filter(|is_met| **is_met).count();
            SCATTERED * n_met as f64 / term.parts.len().max(1) as f64
        };
        let met: f64 = self.terms.iter().map(|term| term.weight * share(term)).sum();
        if self.total > 0.0 { met / self.total } else { 0.0 }
    }
}

/// How near texts of this index usually are to each other. Not to the query:
/// to one about other things everything here is equally far, and what is
/// nearest among it would stand out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    usual: f64,
    /// How much of the query the model could read.
    readable: f64,
}

impl Background {
    pub fn new(reader: &Reader, provider: &dyn Provider, readable: f64) -> Result<Background> {
        let space = provider.space();
        let prior = if space.model == embed::MODEL_ID { PRIOR } else { 0.0 };
        let usual = match vectors::affinity(reader, &space, SAMPLE)? {
            Some(it) => {
                let n = it.n_chunks as f64;
                (n * it.mean + prior * USUAL) / (n + prior)
            }
            None => USUAL,
        };
        Ok(Background { usual: usual.clamp(0.0, 0.99), readable })
    }

    /// What is usual, and what is an answer without any of the words.
    pub fn known(&self) -> Nearness {
        let enough = self.usual + ENOUGH_NEARNESS * (1.0 - self.usual);
        Nearness { usual: self.usual, enough }
    }

    /// From 0 for what is usual to 1 for the query itself; below 0 for what is
    /// farther away than that.
    pub fn nearness(&self, similarity: f64) -> f64 {
        let nearness = (similarity - self.usual) / (1.0 - self.usual);
        // What the model could not read is near to nothing.
        if nearness > 0.0 { nearness * self.readable } else { nearness }
    }
}

/// Where the floor lies, fitted on one collection with 400 questions that nothing
/// answers (`cargo xtask eval floor`, docs/benchmarks.md): the share of
/// the words that is enough where the meaning is no nearer than usual, and the
/// nearness that is enough without any of the words.
const ENOUGH_COVERAGE: f64 = 0.65;
const ENOUGH_NEARNESS: f64 = 0.33;
/// What meaning can say against a text: one with all of the words is an answer.
const AGAINST: f64 = -0.5;
/// The share of the words that is enough where there are no vectors.
const ENOUGH_WORDS_ALONE: f64 = 0.32;
/// An answer below this is a weak one.
const STRONG: f64 = 1.3;
/// What a single result needs, where the answer as a whole has enough.
const LEAST: f64 = 0.6;
/// The first so many results decide whether there is an answer.
const HEAD: usize = 10;

impl Evidence {
    /// 1 is enough for an answer.
    fn strength(&self) -> f64 {
        match self.nearness {
            Some(nearness) => {
                let meaning = (nearness / ENOUGH_NEARNESS).max(AGAINST);
                self.coverage / ENOUGH_COVERAGE + meaning
            }
            None => self.coverage / ENOUGH_WORDS_ALONE,
        }
    }

    /// Whether it can be part of an answer.
    pub fn is_enough(&self) -> bool {
        self.strength() >= LEAST
    }
}

/// Texts without a vector that are shown to the model in one answer.
const MOST_DOUBTFUL: usize = 3;

/// Which of a list, best first, leave it open whether there is an answer: they
/// have no vector, and their words are neither enough nor next to nothing.
pub fn doubtful(ranked: &[Evidence]) -> Vec<usize> {
    let head = &ranked[..ranked.len().min(HEAD)];
    let is_sure = |it: &Evidence| it.coverage >= ENOUGH_COVERAGE * 1.2;
    if head.iter().any(is_sure) {
        return Vec::new();
    }
    let mut open: Vec<usize> = (0..head.len())
        .filter(|at| head[*at].nearness.is_none() && head[*at].is_enough())
        .collect();
    open.sort_by(|a, b| head[*b].coverage.total_cmp(&head[*a].coverage).then(a.cmp(b)));
    open.truncate(MOST_DOUBTFUL);
    open
}

/// How well a list answers its query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStrength {
    Nothing,
    Weak,
    Strong,
}

/// Of a list, best first. Words and meaning may speak through different results
/// of its head.
pub fn answer_strength(ranked: &[Evidence]) -> AnswerStrength {
    let head = &ranked[..ranked.len().min(HEAD)];
    let most = |value: fn(&Evidence) -> Option<f64>| head.iter().filter_map(value).reduce(f64::max);
    let coverage = most(|it| Some(it.coverage)).unwrap_or(0.0);
    let best = Evidence { coverage, nearness: most(|it| it.nearness) };
    match best.strength() {
        strength if strength < 1.0 => AnswerStrength::Nothing,
        strength if strength < STRONG => AnswerStrength::Weak,
        _ => AnswerStrength::Strong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(coverage: f64, nearness: impl Into<Option<f64>>) -> Evidence {
        Evidence { coverage, nearness: nearness.into() }
    }

    #[test]
    fn words_or_meaning_or_some_of_both_are_an_answer() {
        use AnswerStrength::{Nothing, Strong, Weak};
        assert_eq!(answer_strength(&[evidence(1.0, 0.0)]), Strong);
        assert_eq!(answer_strength(&[evidence(0.0, 0.5)]), Strong);
        assert_eq!(answer_strength(&[evidence(0.4, 0.0), evidence(0.0, 0.18)]), Weak);
        assert_eq!(answer_strength(&[evidence(0.3, 0.1)]), Nothing);
        assert_eq!(answer_strength(&[evidence(0.25, None)]), Nothing);
        assert_eq!(answer_strength(&[evidence(0.5, None)]), Strong);
        assert_eq!(answer_strength(&[]), Nothing);
    }

    #[test]
    fn approvals_and_housekeeping_say_next_to_nothing() {
        let thread =
            |body: &str| content(&format!("Thread\n\n--- Thread ---\n@a (2024-01-01):\n{body}"));
        assert!(thread("ACK 1f2e3d4c5b") < 0.3);
        assert!(thread("Rebased on master.") < 0.5);
        assert!(thread("> a long quotation of what somebody else has said before\nutACK") < 0.3);
        let reason = "We drop the old curve because nobody has used it for years, its tests are \
            slow, and keeping constant time code for two backends costs every reviewer a day";
        assert!(thread(reason) > 0.95);
    }

    #[test]
    fn what_the_model_cannot_read_is_near_to_nothing() {
        let near = |readable| Background { usual: 0.78, readable }.nearness(0.89);
        assert!((near(1.0) - 0.5).abs() < 0.01 && near(0.0).abs() < 1e-9);
        assert!(Background { usual: 0.78, readable: 1.0 }.nearness(0.7) < 0.0);
    }
}
