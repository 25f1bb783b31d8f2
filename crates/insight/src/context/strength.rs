//! How much of a task the repository knows at all.

use super::channels::rarity;
use super::rank::RankedCandidates;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a pack can be relied on.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Nothing of the task is in the repository.
    None,
    /// Its words are, here and there; it may be about something else.
    Weak,
    /// Some files say much of what the task says.
    Fair,
    /// The task names files, symbols or messages of the repository.
    Strong,
}

/// Channels whose word is hardly chance.
pub const OUTRIGHT: &[&str] = &["path", "line", "trace", "message", "module", "member"];

/// The share of a task's words, by rarity, that the best files must know; see
/// docs/context.md for how often tasks of other repositories stay below.
const FAIR: f64 = 0.42;
/// Any text of this length shares as much with any code.
const CHANCE: f64 = 0.02;
/// A single word of a task is evidence where at most one file in so many has it.
const ONE_IN: usize = 50;

impl RankedCandidates {
    pub fn strength(&self) -> Strength {
        let is_named = self.said.iter().any(|said| {
            let is_outright = OUTRIGHT.contains(&said.channel.name());
            is_outright && said.files.values().chain(said.symbols.values()).any(|it| *it >= 0.5)
        });
        let covered = self.coverage();
        match (is_named, covered) {
            _ if self.symbols.is_empty() => Strength::None,
            (true, _) => Strength::Strong,
            (false, covered) if covered <= CHANCE => Strength::None,
            (false, covered) if covered >= FAIR && self.says_enough() && !self.names_unknown() => {
                Strength::Fair
            }
            (false, _) => Strength::Weak,
        }
    }

    /// Whether the title has names written as code, and the repository none of them: what it
    /// is about is not here, whatever its other words say.
    fn names_unknown(&self) -> bool {
        let terms = self.query.terms.iter().zip(&self.n_with);
        let mut names = terms.filter(|(term, _)| term.is_compound && term.is_in_title).peekable();
        names.peek().is_some() && names.all(|(_, n_with)| *n_with == 0)
    }

    /// Whether the task says more than one everyday word, which is in many files.
    fn says_enough(&self) -> bool {
        let n_terms = self.query.terms.len();
        let n_with = &self.n_with;
        let few = (self.corpus.files.len() / ONE_IN).max(2);
        let known: Vec<usize> = (0..n_terms)
            .filter(|slot| {
                let term = &self.query.terms[*slot];
                !term.is_compound && (term.is_in_title || term.is_in_prose) && n_with[*slot] > 0
            })
            .map(|slot| n_with[slot])
            .collect();
        known.len() > 1 || known.iter().any(|n_with| *n_with <= few)
    }

    /// The share of the title's and prose's terms, by rarity, that the file which
    /// has most of them has; of the first three.
    pub fn coverage(&self) -> f64 {
        let n_terms = self.query.terms.len();
        let n_files = self.corpus.files.len();
        let n_with = &self.n_with;
        let worth = |slot: usize| {
            let term = &self.query.terms[slot];
            let is_said = !term.is_compound && (term.is_in_title || term.is_in_prose);
            if is_said { term.file_weight * rarity(n_files, n_with[slot]) } else { 0.0 }
        };
        let all: f64 = (0..n_terms).map(worth).sum();
        let of_file = |file: &u32| -> f64 {
            let hits = &self.corpus.files[*file as usize].hits;
            let slots: FxHashSet<usize> = hits
                .iter()
                .map(|(slot, _)| *slot as usize)
                .filter(|slot| *slot < n_terms)
                .collect();
            let mut slots: Vec<usize> = slots.into_iter().collect();
            slots.sort_unstable();
            slots.into_iter().map(worth).sum()
        };
        let best = self.files.iter().take(3).map(|(file, _)| of_file(file)).fold(0.0, f64::max);
        if all > 0.0 { best / all } else { 0.0 }
    }
}
