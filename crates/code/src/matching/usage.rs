//! Who stopped using a name, and who began to use another.

use super::State;
use super::bags::{Vocabulary, lost};
use super::symbols::Sort;
use rustc_hash::{FxHashMap, FxHashSet};

/// For names that went from, or came into, functions that stayed: which.
pub struct Usage<'s> {
    lost: FxHashMap<u32, FxHashSet<u32>>,
    gained: FxHashMap<u32, FxHashSet<u32>>,
    words: &'s Vocabulary,
}

/// Functions looked at; more say no more.
const MOST_FUNCTIONS: usize = 20_000;

impl<'s> Usage<'s> {
    pub fn of(state: &'s State<'_>) -> Self {
        let mut usage =
            Usage { lost: FxHashMap::default(), gained: FxHashMap::default(), words: &state.words };
        let functions = state.pairs.iter().filter(|pair| {
            state.old.symbols[pair.old as usize].sort == Sort::Callable && pair.similarity < 1.0
        });
        for (nth, pair) in functions.take(MOST_FUNCTIONS).enumerate() {
            let old = &state.old.symbols[pair.old as usize].bag;
            let new = &state.new.symbols[pair.new as usize].bag;
            for word in lost(old, new, &state.words) {
                usage.lost.entry(word).or_default().insert(nth as u32);
            }
            for word in lost(new, old, &state.words) {
                usage.gained.entry(word).or_default().insert(nth as u32);
            }
        }
        usage
    }

    /// How much those who stopped using `old` are those who began to use `new`.
    pub fn agreement(&self, old: &str, new: &str) -> f32 {
        let (Some(old), Some(new)) = (self.words.known(old), self.words.known(new)) else {
            return 0.0;
        };
        let (Some(lost), Some(gained)) = (self.lost.get(&old), self.gained.get(&new)) else {
            return 0.0;
        };
        let n_both = lost.intersection(gained).count();
        n_both as f32 / (lost.len() + gained.len() - n_both) as f32
    }
}
