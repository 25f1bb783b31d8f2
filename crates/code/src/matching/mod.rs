//! Which symbol of one version of a code base is which of another.
//!
//! Pure, over sources and their facts: no git, no store. A symbol keeps its
//! identity by file, scope, name and parameter types; what is left on both
//! sides is compared by what it is written in, what it says and who uses it:
//!
//! 1. files: the same path, or lines in common;
//! 2. types: members and text in common, in containers that belong together;
//! 3. functions: bags of tokens, rare ones weighing more, names, signatures,
//!    and the functions that stopped using one name and began to use another;
//! 4. the few relations that are not one to one: a member that went to every
//!    subtype, or came together from several.
//!
//! What is not certain enough for a pair is a guess ([`Matching::guesses`]):
//! "perhaps became". All weights and thresholds are in `rules.rs`.

mod aliases;
mod bags;
mod callables;
mod candidates;
mod containers;
mod declarations;
mod files;
mod inherited;
mod names;
mod records;
mod rules;
mod symbols;
mod usage;
mod values;

#[cfg(test)]
mod tests;

use crate::facts::FileFacts;
pub use declarations::has_signatures;
use model::code::is_test_path;
pub use records::data_records;
pub use symbols::{Entry, Sort, Symbol, entries};

use bags::Weights;
use symbols::Side;

/// A file of one version.
#[derive(Clone, Copy)]
pub struct SourceFile<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
    pub facts: &'a FileFacts,
}

/// Why two symbols are held to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The same file, scope and name.
    Identity,
    /// The same name in a container that was renamed or moved.
    Container,
    /// The same text but for the name.
    Body,
    /// Enough of the text, the name and the users in common.
    Similarity,
    /// The same name in a subtype or supertype.
    Hierarchy,
    /// Those who used the one use the other.
    Users,
}

/// A symbol of the old version and what it is in the new one; places in
/// [`Matching::old`] and [`Matching::new`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    pub old: u32,
    pub new: u32,
    pub evidence: Evidence,
    /// Of both texts, from 0 to 1.
    pub similarity: f32,
}

/// The symbols of both versions and how they belong together.
#[derive(Debug, Default)]
pub struct Matching {
    pub old: Vec<Symbol>,
    pub new: Vec<Symbol>,
    /// For each old file the new one it became.
    pub files: Vec<Option<u32>>,
    /// By the new symbol. Nearly one to one: a member pushed down into several
    /// types, or pulled up from them, is in several.
    pub pairs: Vec<Pair>,
    /// Of symbols in no pair: what they may have become.
    pub guesses: Vec<Pair>,
    /// New symbols with the text of one that still exists.
    pub copies: Vec<Pair>,
    /// Old functions that only call a new one now, and that one: it is what they were.
    pub aliases: Vec<Pair>,
    /// Old members that their type has no more, and new ones it inherits under the same name.
    pub inherited: Vec<(u32, u32)>,
}

impl Matching {
    /// For each old symbol its first pair.
    pub fn by_old(&self) -> Vec<Option<u32>> {
        let mut pair_of = vec![None; self.old.len()];
        for (at, pair) in self.pairs.iter().enumerate() {
            let slot = &mut pair_of[pair.old as usize];
            *slot = slot.or(Some(at as u32));
        }
        pair_of
    }

    /// For each new symbol its first pair.
    pub fn by_new(&self) -> Vec<Option<u32>> {
        let mut pair_of = vec![None; self.new.len()];
        for (at, pair) in self.pairs.iter().enumerate() {
            let slot = &mut pair_of[pair.new as usize];
            *slot = slot.or(Some(at as u32));
        }
        pair_of
    }
}

/// Pairs the symbols of two versions. Files that did not change need not be given.
pub fn match_versions(old: &[SourceFile<'_>], new: &[SourceFile<'_>]) -> Matching {
    let mut words = bags::Vocabulary::default();
    let definitions = declarations::Definitions::of(old, new);
    let old = Side::of(old, &definitions, &mut words);
    let new = Side::of(new, &definitions, &mut words);
    let weights = Weights::of(&words, &old, &new);
    let mut state = State {
        to_new: vec![None; old.symbols.len()],
        to_old: vec![None; new.symbols.len()],
        files: files::map(&old, &new),
        pairs: Vec::new(),
        old,
        new,
        weights,
        words,
    };
    state.match_identities();
    containers::undo_chains(&mut state);
    callables::undo_exchanges(&mut state);
    containers::match_types(&mut state);
    callables::match_callables(&mut state);
    values::match_values(&mut state);
    values::match_renamed_values(&mut state);
    callables::match_hierarchies(&mut state);
    let guesses = callables::guesses(&state);
    let copies = callables::copies(&state);
    let aliases = aliases::aliases(&state);
    let inherited = inherited::inherited(&state);
    let mut pairs = state.pairs;
    pairs.sort_by_key(|pair| (pair.new, pair.old));
    Matching {
        old: state.old.symbols,
        new: state.new.symbols,
        files: state.files,
        pairs,
        guesses,
        copies,
        aliases,
        inherited,
    }
}

/// Both versions while they are compared.
struct State<'a> {
    old: Side<'a>,
    new: Side<'a>,
    weights: Weights,
    words: bags::Vocabulary,
    /// For each old file the new one it became.
    files: Vec<Option<u32>>,
    to_new: Vec<Option<u32>>,
    to_old: Vec<Option<u32>>,
    pairs: Vec<Pair>,
}

impl State<'_> {
    fn pair(&mut self, old: u32, new: u32, evidence: Evidence) {
        let similarity = self.similarity(old, new);
        self.to_new[old as usize] = Some(new);
        self.to_old[new as usize] = Some(old);
        self.pairs.push(Pair { old, new, evidence, similarity });
    }

    fn unpair(&mut self, old: u32) {
        if let Some(new) = self.to_new[old as usize].take() {
            self.to_old[new as usize] = None;
            self.pairs.retain(|pair| pair.old != old);
        }
    }

    fn similarity(&self, old: u32, new: u32) -> f32 {
        let (a, b) = (&self.old.symbols[old as usize], &self.new.symbols[new as usize]);
        if a.text == b.text {
            return 1.0;
        }
        self.weights.similarity(&a.bag, &b.bag)
    }

    /// Whether the containers of two symbols are one.
    fn is_home_mapped(&self, old: u32, new: u32) -> bool {
        let (a, b) = (&self.old.symbols[old as usize], &self.new.symbols[new as usize]);
        match (a.parent, b.parent) {
            (Some(a), Some(b)) => self.to_new[a as usize] == Some(b),
            (None, None) => self.files[a.file as usize] == Some(b.file),
            _ => false,
        }
    }

    /// Whether both are of the program or both of its tests, or their file went from the
    /// one to the other.
    fn is_of_one_kind(&self, old: u32, new: u32) -> bool {
        let (a, b) = (&self.old.symbols[old as usize], &self.new.symbols[new as usize]);
        let is_test = |side: &Side<'_>, symbol: &Symbol| {
            symbol.is_test || is_test_path(side.files[symbol.file as usize].path)
        };
        is_test(&self.old, a) == is_test(&self.new, b)
            || self.files[a.file as usize] == Some(b.file)
    }

    /// Whether both say of which type they are or what they return, and say another one: not
    /// the same under a new name.
    fn is_of_other_type(&self, old: u32, new: u32) -> bool {
        let (a, b) = (&self.old.symbols[old as usize], &self.new.symbols[new as usize]);
        let (Some(was), Some(is)) = (&a.ty, &b.ty) else { return false };
        let named = self.old.by_name.get(was).map(Vec::as_slice).unwrap_or_default();
        let mut became = named.iter().filter_map(|at| self.to_new[*at as usize]);
        was != is && !became.any(|at| self.new.symbols[at as usize].name == *is)
    }

    fn is_free(&self, old: u32, new: u32) -> bool {
        self.to_new[old as usize].is_none() && self.to_old[new as usize].is_none()
    }

    /// Pairs what has the same scope and name in files of the same path.
    fn match_identities(&mut self) {
        let mut by_key = symbols::KeyIndex::default();
        for (at, symbol) in self.new.symbols.iter().enumerate() {
            let path = self.new.files[symbol.file as usize].path;
            by_key.entry((path, symbol.sort, &*symbol.path)).or_default().push(at as u32);
        }
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut group_of = rustc_hash::FxHashMap::default();
        for (at, symbol) in self.old.symbols.iter().enumerate() {
            let path = self.old.files[symbol.file as usize].path;
            let key = (path, symbol.sort, &*symbol.path);
            let Some(news) = by_key.get(&key) else { continue };
            let slot = *group_of.entry(key).or_insert_with(|| {
                groups.push((Vec::new(), news.clone()));
                groups.len() - 1
            });
            groups[slot].0.push(at as u32);
        }
        for (olds, news) in groups {
            self.match_overloads(&olds, &news, Evidence::Identity);
        }
    }

    /// Pairs symbols of one name in one place with each other: by their
    /// parameters, then by what is most alike.
    fn match_overloads(&mut self, olds: &[u32], news: &[u32], evidence: Evidence) {
        if let ([old], [new]) = (olds, news) {
            if self.is_free(*old, *new) {
                self.pair(*old, *new, evidence);
            }
            return;
        }
        for old in olds {
            let params = &self.old.symbols[*old as usize].params;
            let same = news.iter().copied().find(|new| {
                self.is_free(*old, *new) && self.new.symbols[*new as usize].params == *params
            });
            if let Some(new) = same {
                self.pair(*old, new, evidence);
            }
        }
        let free = |of: &[u32], taken: &[Option<u32>]| -> Vec<u32> {
            let all = of.iter().copied().filter(|at| taken[*at as usize].is_none());
            all.take(rules::MOST_OVERLOADS).collect()
        };
        let (olds, news) = (free(olds, &self.to_new), free(news, &self.to_old));
        let mut scored = Vec::new();
        for old in &olds {
            for new in &news {
                let (a, b) = (&self.old.symbols[*old as usize], &self.new.symbols[*new as usize]);
                let score = self.similarity(*old, *new)
                    + rules::OVERLOAD_SIGNATURE * names::dice(&a.signature, &b.signature);
                if score >= rules::OVERLOAD || (olds.len() == 1 && news.len() == 1) {
                    scored.push(candidates::Scored { score, old: *old, new: *new });
                }
            }
        }
        candidates::best_first(&mut scored);
        for it in scored {
            if self.is_free(it.old, it.new) {
                self.pair(it.old, it.new, evidence);
            }
        }
    }

    /// Pairs members of the same name in containers that belong together.
    fn match_members(&mut self, evidence: Evidence) {
        let mut by_home = rustc_hash::FxHashMap::<_, Vec<u32>>::default();
        for (at, symbol) in self.new.symbols.iter().enumerate() {
            if self.to_old[at].is_none() {
                let key = (symbol.home(), symbol.sort, &*symbol.name);
                by_home.entry(key).or_default().push(at as u32);
            }
        }
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut group_of = rustc_hash::FxHashMap::default();
        for (at, symbol) in self.old.symbols.iter().enumerate() {
            if self.to_new[at].is_some() {
                continue;
            }
            let home = match symbol.parent {
                Some(parent) => self.to_new[parent as usize].map(|new| (true, new)),
                None => self.files[symbol.file as usize].map(|new| (false, new)),
            };
            let Some(home) = home else { continue };
            let key = (home, symbol.sort, self.renamed_constructor(at, home));
            let Some(news) = by_home.get(&key) else { continue };
            let slot = *group_of.entry(key).or_insert_with(|| {
                groups.push((Vec::new(), news.clone()));
                groups.len() - 1
            });
            groups[slot].0.push(at as u32);
        }
        for (olds, news) in groups {
            self.match_overloads(&olds, &news, evidence);
        }
    }

    /// The name a member has in its new container: its own, but for
    /// constructors that are called like their type.
    fn renamed_constructor(&self, old: usize, (is_type, home): (bool, u32)) -> &str {
        let symbol = &self.old.symbols[old];
        let parent = symbol.parent.map(|parent| &*self.old.symbols[parent as usize].name);
        if is_type && parent == Some(&*symbol.name) {
            return &self.new.symbols[home as usize].name;
        }
        &symbol.name
    }
}
