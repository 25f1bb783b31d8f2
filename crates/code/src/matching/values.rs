//! Constants, fields and the like: by name in their container, or by what they hold.

use super::candidates::{Scored, best_first};
use super::symbols::Sort;
use super::usage::Usage;
use super::{Evidence, State, names, rules};
use rustc_hash::{FxHashMap, FxHashSet};

/// Symbols of both versions that one key fits.
type Group = (Vec<u32>, Vec<u32>);

/// What is left after identities and containers: the same text under another
/// name in the same place, or the same name and text elsewhere. Only where
/// there is one such pair.
pub fn match_values(state: &mut State<'_>) {
    let is_open = |partner: &Option<u32>| partner.is_none();
    let mut renamed: FxHashMap<((bool, u32), u64), Group> = FxHashMap::default();
    let mut moved: FxHashMap<(&str, u64), Group> = FxHashMap::default();
    for (at, symbol) in state.old.symbols.iter().enumerate() {
        if symbol.sort == Sort::Value && is_open(&state.to_new[at]) && symbol.bag.n_tokens > 0 {
            let home = match symbol.parent {
                Some(parent) => state.to_new[parent as usize].map(|home| (true, home)),
                None => state.files[symbol.file as usize].map(|home| (false, home)),
            };
            if let Some(home) = home {
                renamed.entry((home, symbol.text)).or_default().0.push(at as u32);
            }
            moved.entry((&symbol.name, symbol.text)).or_default().0.push(at as u32);
        }
    }
    for (at, symbol) in state.new.symbols.iter().enumerate() {
        if symbol.sort == Sort::Value && is_open(&state.to_old[at]) && symbol.bag.n_tokens > 0 {
            if let Some(group) = renamed.get_mut(&(symbol.home(), symbol.text)) {
                group.1.push(at as u32);
            }
            if let Some(group) = moved.get_mut(&(&*symbol.name, symbol.text)) {
                group.1.push(at as u32);
            }
        }
    }
    let single = |(olds, news): &Group| match (olds.as_slice(), news.as_slice()) {
        ([old], [new]) => Some((*old, *new)),
        _ => None,
    };
    let mut pairs: Vec<(u32, u32)> = moved.values().filter_map(single).collect();
    pairs.sort_unstable();
    let mut later: Vec<(u32, u32)> = renamed.values().filter_map(single).collect();
    later.sort_unstable();
    pairs.extend(later);
    for (old, new) in pairs {
        if state.is_free(old, new) && is_evidence(state, old, new) {
            state.pair(old, new, Evidence::Body);
        }
    }
}

/// Whether the same text under another name says anything: `self.name = name` does not.
fn is_evidence(state: &State<'_>, old: u32, new: u32) -> bool {
    let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
    state.is_of_one_kind(old, new) && (a.name == b.name || a.bag.says_something(&state.words))
}

/// What is then left in the same place: another name that those use who used the first, or
/// one much like it of something declared the same.
pub fn match_renamed_values(state: &mut State<'_>) {
    let mut homes: FxHashMap<(bool, u32), Group> = FxHashMap::default();
    for (at, symbol) in state.old.symbols.iter().enumerate() {
        let is_open = symbol.sort == Sort::Value && state.to_new[at].is_none();
        let home = match symbol.parent {
            Some(parent) => state.to_new[parent as usize].map(|home| (true, home)),
            None => state.files[symbol.file as usize].map(|home| (false, home)),
        };
        if let Some(home) = home.filter(|_| is_open) {
            homes.entry(home).or_default().0.push(at as u32);
        }
    }
    for (at, symbol) in state.new.symbols.iter().enumerate() {
        let is_open = symbol.sort == Sort::Value && state.to_old[at].is_none();
        if let Some(group) = homes.get_mut(&symbol.home()).filter(|_| is_open) {
            group.1.push(at as u32);
        }
    }
    let usage = Usage::of(state);
    let (mut scored, mut by_users) = (Vec::new(), FxHashSet::default());
    for (olds, news) in homes.values() {
        for old in olds.iter().take(rules::MOST_CANDIDATES) {
            for new in news.iter().take(rules::MOST_CANDIDATES) {
                let (a, b) = (&state.old.symbols[*old as usize], &state.new.symbols[*new as usize]);
                let users = usage.agreement(&a.name, &b.name);
                let declared = names::dice(&a.signature, &b.signature);
                let is_alike = declared >= rules::VALUE_DECLARED
                    && !a.signature.is_empty()
                    && names::share_words(&a.name, &b.name);
                let is_one_type = !state.is_of_other_type(*old, *new)
                    || (users >= rules::VALUE_USERS && names::share_words(&a.name, &b.name));
                if a.kind == b.kind && is_one_type && (users >= rules::VALUE_USERS || is_alike) {
                    let score = users + declared + names::similarity(&a.name, &b.name);
                    scored.push(Scored { score, old: *old, new: *new });
                    if users >= rules::VALUE_USERS {
                        by_users.insert((*old, *new));
                    }
                }
            }
        }
    }
    best_first(&mut scored);
    for it in scored {
        if state.is_free(it.old, it.new) {
            let is_by_users = by_users.contains(&(it.old, it.new));
            let evidence = if is_by_users { Evidence::Users } else { Evidence::Similarity };
            state.pair(it.old, it.new, evidence);
        }
    }
}
