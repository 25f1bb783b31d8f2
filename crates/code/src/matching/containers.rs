//! Types: what was renamed or moved as a whole, and its members with it.

use super::candidates::{Scored, best_first, open_pairs};
use super::symbols::{Side, Sort};
use super::usage::Usage;
use super::{Evidence, State, names, rules};
use rustc_hash::FxHashMap;

/// What two types have in common.
struct Likeness {
    score: f32,
    is_accepted: bool,
}

/// The names of members of each type, and how many types have a member so called.
struct Members<'s> {
    of: FxHashMap<u32, Vec<&'s str>>,
}

impl<'s> Members<'s> {
    fn of(side: &'s Side<'_>) -> Self {
        let mut of: FxHashMap<u32, Vec<&'s str>> = FxHashMap::default();
        for symbol in &side.symbols {
            if let Some(parent) = symbol.parent {
                of.entry(parent).or_default().push(&symbol.name);
            }
        }
        for names in of.values_mut() {
            names.sort_unstable();
            names.dedup();
        }
        Members { of }
    }

    fn names(&self, symbol: u32) -> &[&'s str] {
        self.of.get(&symbol).map(Vec::as_slice).unwrap_or_default()
    }
}

struct Comparison<'s> {
    old: Members<'s>,
    new: Members<'s>,
    n_types: FxHashMap<&'s str, u32>,
    usage: Usage<'s>,
}

impl<'s> Comparison<'s> {
    fn of(state: &'s State<'_>) -> Self {
        let (old, new) = (Members::of(&state.old), Members::of(&state.new));
        let mut n_types: FxHashMap<&str, u32> = FxHashMap::default();
        for names in old.of.values().chain(new.of.values()) {
            for name in names {
                *n_types.entry(name).or_default() += 1;
            }
        }
        Comparison { old, new, n_types, usage: Usage::of(state) }
    }

    /// Names of members in common, rare ones weighing more; none without members.
    fn member_overlap(&self, old: u32, new: u32) -> Option<f32> {
        let (a, b) = (self.old.names(old), self.new.names(new));
        if a.is_empty() && b.is_empty() {
            return None;
        }
        let all = (self.old.of.len() + self.new.of.len()) as f32;
        let weight = |name: &&str| {
            let n_types = self.n_types.get(*name).copied().unwrap_or(1).max(1);
            (1.0 + all / n_types as f32).ln()
        };
        let total: f32 = a.iter().chain(b).map(weight).sum();
        let common: f32 = a.iter().filter(|name| b.binary_search(name).is_ok()).map(weight).sum();
        Some(2.0 * common / total.max(f32::MIN_POSITIVE))
    }

    fn base(&self, state: &State<'_>, old: u32, new: u32) -> f32 {
        let text = state.similarity(old, new);
        match self.member_overlap(old, new) {
            Some(members) => rules::TYPE_TEXT * text + rules::TYPE_MEMBERS * members,
            None => text,
        }
    }

    fn likeness(&self, state: &State<'_>, old: u32, new: u32) -> Likeness {
        let (a, b) = (&state.old.symbols[old as usize], &state.new.symbols[new as usize]);
        let base = self.base(state, old, new);
        let is_same_name = a.name == b.name;
        let name = names::similarity(&a.name, &b.name);
        let is_home = state.is_home_mapped(old, new);
        let is_file = state.files[a.file as usize] == Some(b.file);
        let users = if is_same_name { 0.0 } else { self.usage.agreement(&a.name, &b.name) };
        let (path_a, path_b) =
            (state.old.files[a.file as usize].path, state.new.files[b.file as usize].path);
        let score = base
            + if is_same_name { rules::TYPE_SAME_NAME } else { rules::TYPE_NAME * name }
            + if is_home { rules::TYPE_HOME } else { 0.0 }
            + if is_file { rules::TYPE_FILE } else { 0.0 }
            + rules::TYPE_PATH * names::path_similarity(path_a, path_b)
            + rules::TYPE_USERS * users;
        let is_accepted = if is_same_name {
            base >= rules::TYPE_MOVED || (is_home && a.parent.is_some())
        } else if is_home || is_file {
            base >= rules::TYPE_RENAMED
                - rules::TYPE_RENAMED_NAME * name
                - rules::TYPE_RENAMED_USERS * users
        } else {
            // A small type in a file of its own is known by its folder and its name.
            let is_beside = names::folder(path_a) == names::folder(path_b)
                && names::share_words(&a.name, &b.name);
            base >= rules::TYPE_ELSEWHERE
                - rules::TYPE_ELSEWHERE_NAME * name
                - rules::TYPE_ELSEWHERE_USERS * users
                && (is_beside || state.weights.common(&a.bag, &b.bag) >= rules::TYPE_MASS)
        };
        Likeness { score, is_accepted }
    }
}

/// Types that have no partner yet, outermost first, each with its members.
pub fn match_types(state: &mut State<'_>) {
    // Nested types follow theirs: twice is enough for what people nest.
    for _ in 0..2 {
        let mut scored = Vec::new();
        {
            let comparison = Comparison::of(state);
            for (old, new) in open_pairs(state, Sort::Type) {
                let likeness = comparison.likeness(state, old, new);
                if likeness.is_accepted {
                    scored.push(Scored { score: likeness.score, old, new });
                }
            }
        }
        best_first(&mut scored);
        for it in scored {
            if state.is_free(it.old, it.new) {
                let (a, b) =
                    (&state.old.symbols[it.old as usize], &state.new.symbols[it.new as usize]);
                let evidence = if a.text == b.text { Evidence::Body } else { Evidence::Similarity };
                state.pair(it.old, it.new, evidence);
            }
        }
        state.match_members(Evidence::Container);
    }
}

/// A type became another and a third took its name: `A` is now `B`, `C` is now
/// `A`. The same name is no identity then.
pub fn undo_chains(state: &mut State<'_>) {
    let suspects: Vec<(u32, u32)> = state
        .pairs
        .iter()
        .filter(|pair| {
            let symbol = &state.old.symbols[pair.old as usize];
            symbol.sort == Sort::Type && pair.similarity < rules::CHAIN_SAME
        })
        .map(|pair| (pair.old, pair.new))
        .collect();
    let mut wrong = Vec::new();
    {
        let comparison = Comparison::of(state);
        let is_open = |partner: &Option<u32>| partner.is_none();
        let open_new: Vec<u32> = types(&state.new, &state.to_old, is_open);
        let open_old: Vec<u32> = types(&state.old, &state.to_new, is_open);
        for (old, new) in suspects {
            let own = comparison.base(state, old, new);
            let least = (own + rules::CHAIN_BETTER).max(rules::CHAIN_PARTNER);
            let went = open_new.iter().any(|it| comparison.base(state, old, *it) >= least);
            let came = open_old.iter().any(|it| comparison.base(state, *it, new) >= least);
            if own < rules::CHAIN_SAME && went && came {
                wrong.push(old);
            }
        }
    }
    for old in wrong {
        state.unpair(old);
        let members: Vec<u32> = (0..state.old.symbols.len() as u32)
            .filter(|at| state.old.symbols[*at as usize].parent == Some(old))
            .collect();
        for member in members {
            state.unpair(member);
        }
    }
}

fn types(
    side: &Side<'_>,
    partners: &[Option<u32>],
    is_open: impl Fn(&Option<u32>) -> bool,
) -> Vec<u32> {
    side.symbols
        .iter()
        .zip(partners)
        .enumerate()
        .filter(|(_, (symbol, partner))| symbol.sort == Sort::Type && is_open(partner))
        .map(|(at, _)| at as u32)
        .take(rules::COMMON_TOKEN)
        .collect()
}
