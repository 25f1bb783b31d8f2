//! Which symbols are worth comparing, without comparing all with all.

use super::symbols::{Sort, Symbol};
use super::{State, rules};
use rustc_hash::{FxHashMap, FxHashSet};

/// Two symbols (or files) and how well they belong together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    pub score: f32,
    pub old: u32,
    pub new: u32,
}

/// The best first; equals in the order of their places.
pub fn best_first(scored: &mut [Scored]) {
    scored.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.old.cmp(&b.old)).then(a.new.cmp(&b.new))
    });
}

/// Pairs of symbols of one sort that are in no pair yet and may be one.
pub fn open_pairs(state: &State<'_>, sort: Sort) -> Vec<(u32, u32)> {
    let is_open = |symbol: &Symbol, partner: &Option<u32>| symbol.sort == sort && partner.is_none();
    let open = |symbols: &[Symbol], partners: &[Option<u32>]| -> Vec<u32> {
        let all = symbols.iter().zip(partners).enumerate();
        all.filter(|(_, (symbol, partner))| is_open(symbol, partner))
            .map(|(at, _)| at as u32)
            .collect()
    };
    let olds = open(&state.old.symbols, &state.to_new);
    let news = open(&state.new.symbols, &state.to_old);
    if olds.len().saturating_mul(news.len()) <= rules::MOST_COMPARISONS {
        let all = olds.iter().flat_map(|old| news.iter().map(|new| (*old, *new)));
        return all.filter(|(old, new)| fit(state, *old, *new)).collect();
    }
    let index = Index::of(state, &news);
    let mut pairs = Vec::new();
    for old in olds {
        pairs.extend(index.near(state, old).into_iter().map(|new| (old, new)));
    }
    pairs.retain(|(old, new)| fit(state, *old, *new));
    pairs
}

/// Symbols of different languages are different symbols, unless they kept
/// their name: files are translated, too. A test is never what a program was.
fn fit(state: &State<'_>, old: u32, new: u32) -> bool {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    let is_one_language = state.old.files[a.file as usize].facts.language
        == state.new.files[b.file as usize].facts.language;
    (a.name == b.name || is_one_language) && state.is_of_one_kind(old, new)
}

struct Index<'s> {
    with_word: FxHashMap<u32, Vec<u32>>,
    with_name: FxHashMap<&'s str, Vec<u32>>,
    in_home: FxHashMap<(bool, u32), Vec<u32>>,
}

impl<'s> Index<'s> {
    fn of(state: &'s State<'_>, news: &[u32]) -> Self {
        let mut index = Index {
            with_word: FxHashMap::default(),
            with_name: FxHashMap::default(),
            in_home: FxHashMap::default(),
        };
        for new in news {
            let symbol = &state.new.symbols[*new as usize];
            for word in rare_words(state, symbol) {
                index.with_word.entry(word).or_default().push(*new);
            }
            index.with_name.entry(&symbol.name).or_default().push(*new);
            index.in_home.entry(symbol.home()).or_default().push(*new);
        }
        index
    }

    fn near(&self, state: &State<'_>, old: u32) -> Vec<u32> {
        let symbol = &state.old.symbols[old as usize];
        let mut common: FxHashMap<u32, f32> = FxHashMap::default();
        for word in rare_words(state, symbol) {
            if let Some(news) = self.with_word.get(&word)
                && news.len() <= rules::COMMON_TOKEN
            {
                for new in news {
                    *common.entry(*new).or_default() += state.weights.weight(word);
                }
            }
        }
        let mut ranked: Vec<(u32, f32)> = common.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut found: Vec<u32> =
            ranked.into_iter().take(rules::MOST_CANDIDATES).map(|(new, _)| new).collect();
        let home = match symbol.parent {
            Some(parent) => state.to_new[parent as usize].map(|home| (true, home)),
            None => state.files[symbol.file as usize].map(|home| (false, home)),
        };
        let named = self.with_name.get(&*symbol.name);
        let beside = home.and_then(|home| self.in_home.get(&home));
        for list in [named, beside].into_iter().flatten() {
            found.extend(list.iter().take(rules::MOST_CANDIDATES));
        }
        let mut seen = FxHashSet::default();
        found.retain(|new| seen.insert(*new));
        found
    }
}

/// The tokens of a symbol that weigh most.
fn rare_words(state: &State<'_>, symbol: &Symbol) -> Vec<u32> {
    let mut words: Vec<u32> = symbol.bag.words.iter().map(|(word, _)| *word).collect();
    words.sort_by(|a, b| {
        state.weights.weight(*b).total_cmp(&state.weights.weight(*a)).then(a.cmp(b))
    });
    words.truncate(rules::RARE_TOKENS);
    words
}
