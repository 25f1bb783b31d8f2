//! BM25, as the index counts it, from the texts themselves: for a few hundred
//! documents that is quicker than to walk through the lists of common words.

use crate::query::Offer;
use crate::tokenizer::{Pattern, Patterns};
use model::Result;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use store::Reader;
use store::fulltext::{self, Columns, RankedDocument, Totals};

/// As FTS5 has them.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Bytes of text that one answer reads at the most; who comes after that keeps
/// what the index gave.
const MOST_TEXT: usize = 16 << 20;

/// A word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    pub offer: Offer,
    /// About how many documents have it.
    pub n_documents: usize,
}

pub struct TermWeights {
    patterns: Patterns,
    /// Of each pattern: what a document that has it gains at the most.
    gains: Vec<f64>,
    /// The first so many are what the index ranked by.
    n_ranked: usize,
    mean_length: f64,
}

impl TermWeights {
    pub fn new(words: Vec<QueryTerm>, n_ranked: usize, totals: Totals) -> TermWeights {
        let n = totals.n_documents as f64;
        let gain = |word: &QueryTerm| {
            let having = (word.n_documents as f64).min(n);
            ((n - having + 0.5) / (having + 0.5)).ln().max(1e-6) * (K1 + 1.0)
        };
        let patterns: Vec<Pattern> = words.iter().map(|word| word.offer.pattern()).collect();
        TermWeights {
            gains: words.iter().map(gain).collect(),
            patterns: Patterns::new(patterns),
            n_ranked,
            mean_length: totals.n_words as f64 / n.max(1.0),
        }
    }

    /// All of them, best first. Those without a score are weighed by all words,
    /// the others by what the index did not rank by.
    pub fn weigh(
        &self,
        reader: &Reader,
        scores: BTreeMap<i64, Option<f64>>,
    ) -> Result<Vec<RankedDocument>> {
        // The best first: if the texts are too long for all, these are read.
        let mut ranked: Vec<(i64, Option<f64>)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.unwrap_or(0.0).total_cmp(&a.1.unwrap_or(0.0)));
        let known: BTreeMap<i64, Option<f64>> = ranked.iter().copied().collect();
        let ids: Vec<i64> = ranked.iter().map(|it| it.0).collect();
        let mut left = MOST_TEXT;
        let mut gained: BTreeMap<i64, f64> = BTreeMap::new();
        fulltext::read_each(reader, &ids, |document, columns| {
            let score = known.get(&document).copied().flatten();
            let from = if score.is_some() { self.n_ranked } else { 0 };
            gained.insert(document, self.gain(columns, from));
            left = left.saturating_sub(columns.text.len());
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let mut best: Vec<RankedDocument> = ranked
            .into_iter()
            .map(|(document, score)| {
                let gain = gained.get(&document).copied().unwrap_or(0.0);
                RankedDocument { document, score: score.unwrap_or(0.0) + gain }
            })
            .collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        Ok(best)
    }

    /// What the patterns from `from` on give a document.
    fn gain(&self, columns: Columns<'_>, from: usize) -> f64 {
        let mut counts = vec![0.0; self.gains.len()];
        let mut n_words = 0;
        for (text, weight) in columns.weighed() {
            let reading = self.patterns.read(text);
            n_words += reading.n_words;
            for (count, met) in counts.iter_mut().zip(&reading.met) {
                *count += weight * met.len() as f64;
            }
        }
        let length = K1 * (1.0 - B + B * n_words as f64 / self.mean_length.max(1.0));
        let parts = counts.iter().zip(&self.gains).skip(from);
        parts.map(|(count, gain)| gain * count / (count + length)).sum()
    }
}
