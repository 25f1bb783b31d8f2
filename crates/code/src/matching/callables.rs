//! Functions and methods: renamed, moved, both; pushed down and pulled up.

use super::candidates::{Scored, best_first, open_pairs};
use super::symbols::{Sort, Symbol};
use super::usage::Usage;
use super::{Evidence, Pair, State, names, rules};
use rustc_hash::FxHashMap;

struct Likeness {
    similarity: f32,
    score: f32,
    is_accepted: bool,
}

fn likeness(state: &State<'_>, usage: &Usage<'_>, old: u32, new: u32) -> Likeness {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    let similarity = text_similarity(state, old, new);
    let is_same_name = a.name == b.name;
    let name = names::similarity(&a.name, &b.name);
    let signature = names::dice(&a.signature, &b.signature);
    let users = if is_same_name { 0.0 } else { usage.agreement(&a.name, &b.name) };
    let is_home = state.is_home_mapped(old, new);
    let score = similarity
        + rules::NAME * name
        + rules::SIGNATURE * (2.0 * signature - 1.0)
        + rules::USERS * users
        + if is_home { rules::HOME } else { 0.0 };
    let is_accepted = if a.is_abstract || b.is_abstract {
        // Without a body, any two functions of some parameters are alike.
        a.is_abstract == b.is_abstract
            && score >= rules::BODYLESS
            && (is_same_name
                || (is_home
                    && has_common_word(a, b)
                    && (name >= rules::BODYLESS_NAME || users >= rules::BODYLESS_NAME)
                    && (name >= rules::BODYLESS_OTHER || !state.is_of_other_type(old, new))))
    } else if is_home {
        let is_named = names::share_words(&a.name, &b.name);
        score >= rules::RENAMED
            && (similarity >= rules::RENAMED_LEAST || (users >= 0.5 && has_common_word(a, b)))
            && (similarity >= rules::RENAMED_BLIND || users > 0.0 || is_named)
            && (is_named
                || users >= 0.5
                || !state.is_of_other_type(old, new)
                || state.similarity(old, new) >= rules::RENAMED_OTHER)
    } else if is_same_name {
        let kin = if is_kin(state, a, b) { rules::MOVED_KIN } else { 0.0 };
        let beside = if a.file == b.file { rules::MOVED_SAME_FILE } else { 0.0 };
        let least = if is_common(state, &a.name) {
            rules::MOVED_COMMON
        } else {
            rules::MOVED - kin - beside
        };
        similarity >= least
    } else {
        let named = if names::share_words(&a.name, &b.name) { rules::ELSEWHERE_NAMED } else { 0.0 };
        similarity >= rules::ELSEWHERE - named
            && state.weights.common(&a.bag, &b.bag) >= rules::ELSEWHERE_MASS
    };
    Likeness { similarity, score, is_accepted }
}

/// Whether the names have at least one word in common.
fn has_common_word(a: &Symbol, b: &Symbol) -> bool {
    let words = model::text::name_parts(&b.name);
    model::text::name_parts(&a.name).iter().any(|word| words.contains(word))
}

/// Of small functions also by parts of their names.
fn text_similarity(state: &State<'_>, old: u32, new: u32) -> f32 {
    let similarity = state.similarity(old, new);
    let (a, b) = (state.old.parts(old), state.new.parts(new));
    if a.is_empty() || b.is_empty() {
        return similarity;
    }
    similarity.max(rules::SUB_WORDS * names::dice(a, b))
}

/// Whether many functions of either version have this name.
fn is_common(state: &State<'_>, name: &str) -> bool {
    let count = |side: &super::Side<'_>| side.by_name.get(name).map_or(0, Vec::len);
    count(&state.old).max(count(&state.new)) >= rules::COMMON_NAME
}

/// Whether the types two members belong to inherit from each other.
fn is_kin(state: &State<'_>, a: &Symbol, b: &Symbol) -> bool {
    let (Some(from), Some(to)) = (a.parent, b.parent) else { return false };
    let (from_name, to_name) =
        (&state.old.symbols[from as usize].name, &state.new.symbols[to as usize].name);
    state.old.is_subtype(from, to_name)
        || state.new.is_subtype(to, from_name)
        || state.to_new[from as usize].is_some_and(|from| state.new.is_subtype(from, to_name))
        || state.to_old[to as usize].is_some_and(|to| state.old.is_subtype(to, from_name))
}

pub fn match_callables(state: &mut State<'_>) {
    let mut scored = Vec::new();
    {
        let usage = Usage::of(state);
        for (old, new) in open_pairs(state, Sort::Callable) {
            let likeness = likeness(state, &usage, old, new);
            if likeness.is_accepted {
                let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
                let (path_a, path_b) =
                    (state.old.files[a.file as usize].path, state.new.files[b.file as usize].path);
                // Of equals, what lies nearer.
                let near = 0.01 * names::path_similarity(path_a, path_b);
                scored.push(Scored { score: likeness.score + near, old, new });
            }
        }
    }
    best_first(&mut scored);
    for it in scored {
        if state.is_free(it.old, it.new) {
            let is_same =
                state.old.symbols[it.old as usize].text == state.new.symbols[it.new as usize].text;
            let evidence = if is_same { Evidence::Body } else { Evidence::Similarity };
            state.pair(it.old, it.new, evidence);
        }
    }
}

/// A function became another and its name was given to a new one: identity by
/// name is wrong where nearly all of the text is beside it.
pub fn undo_exchanges(state: &mut State<'_>) {
    let suspects: Vec<(u32, u32)> = state
        .pairs
        .iter()
        .filter(|pair| {
            let symbol = &state.old.symbols[pair.old as usize];
            symbol.sort == Sort::Callable && pair.similarity < rules::EXCHANGED
        })
        .map(|pair| (pair.old, pair.new))
        .collect();
    let mut exchanges = Vec::new();
    for (old, new) in suspects {
        let same = |a: &Symbol, b: &Symbol| a.home() == b.home() && a.sort == b.sort;
        let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
        let is_large = |symbol: &Symbol| symbol.bag.n_tokens >= LEAST_COPY;
        let beside_new = near_places(new, state.new.symbols.len());
        let went = beside_new.clone().find(|at| {
            let it = &state.new.symbols[*at as usize];
            is_large(a)
                && !uses(state, b, &it.name)
                && state.to_old[*at as usize].is_none()
                && same(it, b)
                && state.similarity(old, *at) >= rules::EXCHANGED_FOR
        });
        let came = near_places(old, state.old.symbols.len()).find(|at| {
            let it = &state.old.symbols[*at as usize];
            is_large(b)
                && !uses(state, a, &it.name)
                && state.to_new[*at as usize].is_none()
                && same(it, a)
                && state.similarity(*at, new) >= rules::EXCHANGED_FOR
        });
        if went.is_some() || came.is_some() {
            exchanges.push((old, new, went, came));
        }
    }
    for (old, new, went, came) in exchanges {
        state.unpair(old);
        if let Some(now) = went.filter(|now| state.is_free(old, *now)) {
            state.pair(old, now, Evidence::Body);
        }
        if let Some(before) = came.filter(|before| state.is_free(*before, new)) {
            state.pair(before, new, Evidence::Body);
        }
    }
}

/// A function that calls the other had a part of it extracted or inlined, and
/// is still itself.
fn uses(state: &State<'_>, symbol: &Symbol, name: &str) -> bool {
    state.words.known(name).is_some_and(|word| symbol.bag.has(word))
}

/// Places around one, for members of one container.
fn near_places(at: u32, n_all: usize) -> std::ops::Range<u32> {
    let near = rules::COMMON_TOKEN as u32;
    at.saturating_sub(near)..at.saturating_add(near).min(n_all as u32)
}

/// A member that went into several subtypes, or came from several into one
/// supertype: pairs beyond the first.
pub fn match_hierarchies(state: &mut State<'_>) {
    let mut more: Vec<(u32, u32)> = Vec::new();
    for (at, new) in state.new.symbols.iter().enumerate() {
        if new.sort != Sort::Callable || state.to_old[at].is_some() || new.parent.is_none() {
            continue;
        }
        let olds = state.old.by_name.get(&new.name).map(Vec::as_slice).unwrap_or_default();
        for old in olds.iter().take(rules::MOST_CANDIDATES) {
            if is_pushed_down(state, *old, at as u32) {
                more.push((*old, at as u32));
                break;
            }
        }
    }
    for (at, old) in state.old.symbols.iter().enumerate() {
        if old.sort != Sort::Callable || state.to_new[at].is_some() || old.parent.is_none() {
            continue;
        }
        let news = state.new.by_name.get(&old.name).map(Vec::as_slice).unwrap_or_default();
        for new in news.iter().take(rules::MOST_CANDIDATES) {
            if is_pulled_up(state, at as u32, *new) {
                more.push((at as u32, *new));
                break;
            }
        }
    }
    for (old, new) in more {
        let similarity = state.similarity(old, new);
        state.to_new[old as usize].get_or_insert(new);
        state.to_old[new as usize].get_or_insert(old);
        state.pairs.push(Pair { old, new, evidence: Evidence::Hierarchy, similarity });
    }
}

/// The old member is gone, lost its body or went to another subtype already,
/// and the new one is in a subtype.
fn is_pushed_down(state: &State<'_>, old: u32, new: u32) -> bool {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    let (Some(from), Some(to)) = (a.parent, b.parent) else { return false };
    if a.sort != Sort::Callable || a.is_abstract || b.is_abstract {
        return false;
    }
    // What it is now in its own type, if it is still there.
    let still = state.to_new[old as usize].filter(|now| state.is_home_mapped(old, *now));
    if still.is_some_and(|now| !state.new.symbols[now as usize].is_abstract) {
        return false;
    }
    let lost_body = still.is_some();
    let base = &state.old.symbols[from as usize].name;
    let base_now = state.to_new[from as usize].map(|now| &state.new.symbols[now as usize].name);
    let is_below = state.new.is_subtype(to, base)
        || base_now.is_some_and(|base| state.new.is_subtype(to, base));
    let least = if lost_body { rules::PUSHED_DOWN_ABSTRACT } else { rules::PUSHED_DOWN };
    is_below && state.similarity(old, new) >= least
}

/// The new member is in a supertype of what the old one was in.
fn is_pulled_up(state: &State<'_>, old: u32, new: u32) -> bool {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    let (Some(from), Some(to)) = (a.parent, b.parent) else { return false };
    if b.sort != Sort::Callable || a.is_abstract != b.is_abstract {
        return false;
    }
    // It was there before: the member was merely dropped in favour of it.
    if state.to_old[new as usize].is_some_and(|old| state.is_home_mapped(old, new)) {
        return false;
    }
    let above = &state.new.symbols[to as usize].name;
    let is_above = state.old.is_subtype(from, above)
        || state.to_new[from as usize].is_some_and(|now| state.new.is_subtype(now, above));
    is_above && state.similarity(old, new) >= rules::PULLED_UP
}

/// What symbols without a partner may have become.
pub fn guesses(state: &State<'_>) -> Vec<Pair> {
    let usage = Usage::of(state);
    let mut best: FxHashMap<u32, (f32, u32)> = FxHashMap::default();
    for sort in [Sort::Type, Sort::Callable] {
        for (old, new) in open_pairs(state, sort) {
            let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
            let it = likeness(state, &usage, old, new);
            let named = names::similarity(&a.name, &b.name) >= rules::GUESS_NAME;
            let near = state.is_home_mapped(old, new) || usage.agreement(&a.name, &b.name) > 0.0;
            let is_likely = it.is_accepted
                || it.similarity >= rules::GUESS && (named || near)
                || it.similarity >= rules::MOVED
                || (a.name == b.name && a.is_abstract == b.is_abstract);
            if is_likely {
                let slot = best.entry(old).or_insert((it.score, new));
                if it.score > slot.0 {
                    *slot = (it.score, new);
                }
            }
        }
    }
    let mut all: Vec<Pair> = best
        .into_iter()
        .map(|(old, (_, new))| Pair {
            old,
            new,
            evidence: Evidence::Similarity,
            similarity: state.similarity(old, new),
        })
        .collect();
    all.sort_by_key(|pair| (pair.old, pair.new));
    all
}

/// A copy says more than so many tokens …
const LEAST_COPY: u32 = 24;
/// … and has so many words beside its declaration: `{ Ok(()) }` is written anew.
const LEAST_COPIED_WORDS: usize = 6;

/// New symbols whose text an old one has that is still there.
pub fn copies(state: &State<'_>) -> Vec<Pair> {
    let mut by_text: FxHashMap<(Sort, u64), u32> = FxHashMap::default();
    for (at, symbol) in state.old.symbols.iter().enumerate() {
        if state.to_new[at].is_some() && symbol.sort != Sort::Value {
            by_text.entry((symbol.sort, symbol.text)).or_insert(at as u32);
        }
    }
    let mut all = Vec::new();
    for (at, symbol) in state.new.symbols.iter().enumerate() {
        if state.to_old[at].is_none()
            && symbol.bag.n_tokens >= LEAST_COPY
            && symbol.bag.n_words(&state.words) >= symbol.signature.len() + LEAST_COPIED_WORDS
            && let Some(old) = by_text.get(&(symbol.sort, symbol.text))
        {
            let pair =
                Pair { old: *old, new: at as u32, evidence: Evidence::Body, similarity: 1.0 };
            all.push(pair);
        }
    }
    all
}
