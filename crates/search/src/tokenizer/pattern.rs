//! What a query looks for, found in a text by reading it.

use super::{folded, porter, ranges};
use std::ops::Range;

/// Words that must follow each other, as stems; the last may be the beginning
/// of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    stems: Vec<String>,
    is_prefix: bool,
}

impl Pattern {
    pub fn new(text: &str, is_prefix: bool) -> Pattern {
        let stems = ranges(text).map(|range| super::stemmed(&text[range])).collect();
        Pattern { stems, is_prefix }
    }

    /// Whether the word at this place of the pattern may be this one.
    fn accepts(&self, place: usize, stem: &str) -> bool {
        let Some(wanted) = self.stems.get(place) else { return false };
        if self.is_prefix && place + 1 == self.stems.len() {
            stem.starts_with(wanted.as_str())
        } else {
            stem == wanted
        }
    }
}

/// Several patterns, looked for in one reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    /// How the words begin that are of interest: finding a stem does not
    /// change the first two letters of a word.
    beginnings: Vec<Beginning>,
    longest: usize,
}

type Beginning = [u8; 2];

/// What a reading of a text found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternMatches {
    pub n_words: usize,
    /// Of each pattern, where it was met.
    pub met: Vec<Vec<Range<usize>>>,
}

impl Patterns {
    pub fn new(patterns: Vec<Pattern>) -> Patterns {
        let words = || patterns.iter().flat_map(|pattern| &pattern.stems);
        let mut beginnings: Vec<Beginning> = words().map(|stem| beginning(stem)).collect();
        beginnings.sort_unstable();
        beginnings.dedup();
        let longest = patterns.iter().map(|pattern| pattern.stems.len()).max().unwrap_or(0);
        Patterns { patterns, beginnings, longest }
    }

    pub const fn len(&self) -> usize {
        self.patterns.len()
    }

    pub fn read(&self, text: &str) -> PatternMatches {
        let mut reading = PatternMatches { n_words: 0, met: vec![Vec::new(); self.patterns.len()] };
        // The last words, each with its stem; empty where it is of no interest.
        let mut recent: Vec<(Range<usize>, String)> = Vec::new();
        for range in ranges(text) {
            reading.n_words += 1;
            let stem = self.stem_of_interest(&text[range.clone()]);
            if recent.len() >= self.longest.max(1) {
                recent.remove(0);
            }
            let is_of_interest = !stem.is_empty();
            recent.push((range, stem));
            if !is_of_interest {
                continue;
            }
            for (pattern, met) in self.patterns.iter().zip(&mut reading.met) {
                let n = pattern.stems.len();
                if n == 0 || n > recent.len() {
                    continue;
                }
                let last = &recent[recent.len() - n..];
                let mut words = last.iter().enumerate();
                if words.all(|(place, (_, stem))| pattern.accepts(place, stem)) {
                    met.push(last[0].0.start..last[n - 1].0.end);
                }
            }
        }
        reading
    }

    /// Where anything was met, in order, each place once.
    pub fn spans(&self, text: &str) -> Vec<(usize, usize)> {
        let met = self.read(text).met.into_iter().flatten();
        let mut found: Vec<(usize, usize)> = met.map(|range| (range.start, range.end)).collect();
        found.sort_unstable();
        let mut spans: Vec<(usize, usize)> = Vec::with_capacity(found.len());
        for (start, end) in found {
            match spans.last_mut().filter(|last| start < last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => spans.push((start, end)),
            }
        }
        spans
    }

    fn stem_of_interest(&self, word: &str) -> String {
        let is_known = |word: &str| {
            let [first, second] = beginning(word);
            let lower = [first.to_ascii_lowercase(), second.to_ascii_lowercase()];
            // A prefix of one letter has no second.
            self.beginnings.iter().any(|it| it[0] == lower[0] && (it[1] == 0 || it[1] == lower[1]))
        };
        if word.is_ascii() && !is_known(word) {
            return String::new();
        }
        let mut word = folded(word);
        if !is_known(&word) {
            return String::new();
        }
        porter::shorten(&mut word);
        word
    }
}

fn beginning(word: &str) -> Beginning {
    let bytes = word.as_bytes();
    [bytes.first().copied().unwrap_or(0), bytes.get(1).copied().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str, patterns: &[(&str, bool)]) -> Vec<Vec<String>> {
        let patterns = patterns.iter().map(|(text, prefix)| Pattern::new(text, *prefix)).collect();
        let found = Patterns::new(patterns).read(text).met.into_iter();
        found.map(|met| met.into_iter().map(|range| text[range].to_owned()).collect()).collect()
    }

    #[test]
    fn words_are_met_in_all_their_forms() {
        assert_eq!(
            met("Migrating: a migration, MIGRATES", &[("migrations", false)]),
            [["Migrating", "migration", "MIGRATES"]]
        );
        assert_eq!(met("a b a", &[("a", false), ("c", false)]), [vec!["a", "a"], vec![]]);
    }

    #[test]
    fn words_of_a_phrase_follow_each_other() {
        let text = "the retry budget; retry the budget; a retry_budgets";
        assert_eq!(met(text, &[("retry budget", false)]), [["retry budget", "retry_budgets"]]);
        assert_eq!(met("a a b", &[("a b", false)]), [["a b"]]);
    }

    #[test]
    fn a_prefix_meets_what_begins_with_it() {
        assert_eq!(met("sync Syncer async", &[("syn", true)]), [["sync", "Syncer"]]);
        assert_eq!(met("x_sync", &[("x s", true), ("s", true)]), [["x_sync"], ["sync"]]);
    }

    #[test]
    fn accents_do_not_hide_a_word() {
        assert_eq!(met("Café Élan", &[("cafe", false), ("elan", false)]), [["Café"], ["Élan"]]);
    }
}
