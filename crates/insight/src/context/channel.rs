//! One way of finding what a task is about.

use super::corpus::{Corpus, Symbol};
use super::experience::Experience;
use super::history::History;
use super::task::Task;
use super::terms::Query;
use crate::code::View;
use model::Result;

/// Everything a channel may look at.
pub struct Evidence<'a, 'r> {
    pub task: &'a Task,
    pub query: &'a Query,
    pub corpus: &'a Corpus,
    pub view: &'a View<'r>,
    pub history: &'a History,
    pub experience: &'a Experience,
    /// What the channels of the first stage agreed on; empty while they are asked.
    pub ranking: &'a Ranking,
}

/// What was ranked before the graph is asked: best first, the best at 1.
#[derive(Debug, Default)]
pub struct Ranking {
    pub files: Vec<(u32, f64)>,
    /// Functions.
    pub symbols: Vec<(Symbol, f64)>,
    /// Types and whatever else is no function.
    pub types: Vec<(Symbol, f64)>,
}

/// What a channel says of files and symbols. Nothing is said twice of one thing.
#[derive(Debug, Default, Clone)]
pub struct Scores {
    pub files: Vec<(u32, f64)>,
    pub symbols: Vec<(Symbol, f64)>,
}

pub trait Channel: Sync {
    /// As `--without` and `--explain` call it.
    fn name(&self) -> &'static str;

    /// Why something was chosen, for people.
    fn reason(&self) -> &'static str;

    /// Whether it starts from what the others found.
    fn is_second_stage(&self) -> bool {
        false
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores>;
}

/// Adds up what is said of the same thing.
pub fn summed<K: Ord + Copy>(mut all: Vec<(K, f64)>) -> Vec<(K, f64)> {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    all
}

/// Keeps the most that is said of a thing.
pub fn strongest<K: Ord + Copy>(mut all: Vec<(K, f64)>) -> Vec<(K, f64)> {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by_key(|one| one.0);
    all
}

/// Best first; what comes first by name among equals.
pub fn best_first<K: Ord + Copy>(all: &mut [(K, f64)]) {
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}
