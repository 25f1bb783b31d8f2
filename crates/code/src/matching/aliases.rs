//! Functions that were renamed while the old name was kept for those who use it: what is left
//! under it only calls the new one.

use super::symbols::{Sort, Symbol};
use super::{Evidence, Pair, State, names, rules};
use rustc_hash::FxHashMap;

/// A function that only calls another has so few words beside its declaration, or half of those
/// it had: the name, what it hands on, a warning that it is old.
const MOST_WORDS: usize = 16;
/// The same where all of the old text is under the new name: then a long warning is left.
const MOST_WORDS_WITH_WARNING: usize = 48;
/// Of so many tokens a text under another name is no chance.
const LEAST_WHOLE: u32 = 24;
/// The same declaration but for the name, where the text is not the same.
const DECLARED: f32 = 0.8;

/// Each old function with the new one that is what it was; the old one still exists.
pub fn aliases(state: &State<'_>) -> Vec<Pair> {
    // What little is left of a function is looked at once for each new one beside it.
    let mut left: FxHashMap<(bool, u32), Vec<(u32, u32)>> = FxHashMap::default();
    for (at, alias) in state.new.symbols.iter().enumerate() {
        let Some(old) = state.to_old[at].filter(|_| alias.sort == Sort::Callable) else { continue };
        if may_only_call(state, alias, &state.old.symbols[old as usize]) {
            left.entry(alias.home()).or_default().push((old, at as u32));
        }
    }
    let mut all = Vec::new();
    for (at, symbol) in state.new.symbols.iter().enumerate() {
        let is_new = symbol.sort == Sort::Callable && state.to_old[at].is_none();
        let Some(name) = state.words.known(&symbol.name).filter(|_| is_new) else { continue };
        let beside = left.get(&symbol.home()).map(Vec::as_slice).unwrap_or_default();
        let found = beside.iter().take(rules::MOST_CANDIDATES).find(|(old, alias)| {
            let (was, is) =
                (&state.old.symbols[*old as usize], &state.new.symbols[*alias as usize]);
            let went_whole = symbol.text() == was.text()
                && symbol.bag.n_tokens >= LEAST_WHOLE
                && state.similarity(*old, *alias) < rules::EXCHANGED;
            is.bag.has(name)
                && !was.bag.has(name)
                && (went_whole || (only_calls(state, is, was) && is_like(state, *old, at as u32)))
        });
        if let Some((old, _)) = found {
            let similarity = state.similarity(*old, at as u32);
            all.push(Pair { old: *old, new: at as u32, evidence: Evidence::Users, similarity });
        }
    }
    all
}

/// Whether a function changed, and what is left is little more than a call.
fn only_calls(state: &State<'_>, alias: &Symbol, was: &Symbol) -> bool {
    n_words(state, alias) <= MOST_WORDS.max(n_words(state, was) / 2)
}

/// The same where a warning may be long.
fn may_only_call(state: &State<'_>, alias: &Symbol, was: &Symbol) -> bool {
    let is_short = n_words(state, alias) <= MOST_WORDS_WITH_WARNING;
    alias.text() != was.text() && (is_short || only_calls(state, alias, was))
}

fn n_words(state: &State<'_>, symbol: &Symbol) -> usize {
    symbol.bag.n_words(&state.words).saturating_sub(symbol.signature.len())
}

fn is_like(state: &State<'_>, old: u32, new: u32) -> bool {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    let similarity = state.similarity(old, new);
    similarity >= rules::RENAMED_BLIND
        || (similarity >= rules::GUESS
            && names::dice(&a.signature, &b.signature) >= DECLARED
            && names::share_words(&a.name, &b.name))
}
