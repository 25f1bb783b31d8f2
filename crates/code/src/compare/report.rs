//! Pairs of symbols as changes that can be told: each once, members with what
//! they belong to.

use super::File;
use super::derivation::{Derivations, derivations};
use super::module_code::module_change;
use super::overloads::Overloads;
use super::parameters::{Parameters, demands};
use super::primary;
use super::spaces::{is_told_around, told_by_members};
use super::still_there::still_there;
use crate::facts::{DefId, DefKind, FileFacts, Flags, Visibility};
use crate::lang;
use crate::lineage::{SymbolText, differences_of_text};
use crate::matching::{Evidence, Matching, Pair, Sort, Symbol};
use model::change::{
    Aspect, Derivation, FileMove, MatchEvidence, Succession, SymbolChange, SymbolChangeKind,
    SymbolPlace, SymbolVersion,
};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub struct Report {
    pub changes: Vec<SymbolChange>,
    pub file_moves: Vec<FileMove>,
    pub successions: Vec<Succession>,
}

struct Sides<'a> {
    matching: &'a Matching,
    old: &'a [File],
    new: &'a [File],
    /// Symbols directly inside each.
    old_members: Vec<u32>,
    new_members: Vec<u32>,
    old_overloads: Overloads<'a>,
    new_overloads: Overloads<'a>,
    derivations: Derivations,
    still_there: FxHashMap<u32, Derivation>,
    /// For each old symbol what it is now.
    successors: Vec<Option<u32>>,
}

fn members(symbols: &[Symbol]) -> Vec<u32> {
    let mut n_members = vec![0; symbols.len()];
    for symbol in symbols.iter().filter(|symbol| !symbol.is_local) {
        if let Some(parent) = symbol.parent {
            n_members[parent as usize] += 1;
        }
    }
    n_members
}

fn successors(matching: &Matching) -> Vec<Option<u32>> {
    let pair_of = matching.by_old();
    pair_of.iter().map(|pair| pair.map(|at| matching.pairs[at as usize].new)).collect()
}

impl Report {
    pub fn of(matching: &Matching, old: &[File], new: &[File]) -> Self {
        let sides = Sides {
            matching,
            old,
            new,
            old_members: members(&matching.old),
            new_members: members(&matching.new),
            old_overloads: Overloads::of(old),
            new_overloads: Overloads::of(new),
            derivations: derivations(matching, old, new),
            still_there: still_there(matching, old, new),
            successors: successors(matching),
        };
        let mut report = Report {
            changes: Vec::new(),
            file_moves: sides.file_moves(),
            successions: sides.successions(),
        };
        sides.add_pairs(&mut report.changes);
        sides.add_gone(&mut report.changes);
        sides.add_fresh(&mut report.changes);
        for (at, to) in matching.files.iter().enumerate() {
            let new = to.map(|to| &new[to as usize]);
            report.changes.extend(new.and_then(|new| module_change(&old[at], new)));
        }
        report
    }
}

impl Sides<'_> {
    fn old_symbol(&self, at: u32) -> &Symbol {
        &self.matching.old[at as usize]
    }

    fn new_symbol(&self, at: u32) -> &Symbol {
        &self.matching.new[at as usize]
    }

    fn old_facts(&self, symbol: &Symbol) -> &FileFacts {
        &self.old[symbol.file as usize].facts
    }

    fn new_facts(&self, symbol: &Symbol) -> &FileFacts {
        &self.new[symbol.file as usize].facts
    }

    /// What is written in front of the members of a type.
    fn old_heading(&self, at: u32) -> &str {
        heading(self.old_symbol(at), self.old_facts(self.old_symbol(at)))
    }

    fn new_heading(&self, at: u32) -> &str {
        heading(self.new_symbol(at), self.new_facts(self.new_symbol(at)))
    }

    fn old_version(&self, at: u32) -> SymbolVersion {
        let symbol = self.old_symbol(at);
        version(
            symbol,
            &self.old[symbol.file as usize],
            is_public(&self.matching.old, self.old, at),
        )
    }

    fn new_version(&self, at: u32) -> SymbolVersion {
        let symbol = self.new_symbol(at);
        version(
            symbol,
            &self.new[symbol.file as usize],
            is_public(&self.matching.new, self.new, at),
        )
    }

    /// Whether a symbol only went where its container went.
    fn is_carried(&self, pair: &Pair) -> bool {
        let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
        let is_constructor = |symbol: &Symbol, all: &[Symbol]| {
            symbol.parent.is_some_and(|parent| all[parent as usize].name == symbol.name)
        };
        let same_name = old.name == new.name
            || (is_constructor(old, &self.matching.old) && is_constructor(new, &self.matching.new));
        // Paired by their text, and still where they were in the same file,
        // which may have moved.
        let is_same_place =
            old.path == new.path && self.matching.files[old.file as usize] == Some(new.file);
        // Paired by their text before their containers were, and still in the same one.
        let is_same_container = || {
            old.parent.is_some()
                && old.parent.and_then(|it| self.successors[it as usize]) == new.parent
        };
        pair.evidence == Evidence::Identity
            || is_same_place
            || (same_name && (pair.evidence == Evidence::Container || is_same_container()))
    }

    fn add_pairs(&self, changes: &mut Vec<SymbolChange>) {
        // A type is not told to have changed when what changed in it is told.
        let mut has_told: FxHashSet<u32> = FxHashSet::default();
        let mut types = Vec::new();
        let mut with_body: Vec<(usize, u32)> = Vec::new();
        let gone = self.matching.by_old();
        let successor = |old: u32| self.successors[old as usize];
        for pair in &self.matching.pairs {
            let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
            if new.is_local || is_position(&self.matching.new, pair.new) {
                continue;
            }
            let is_carried = self.is_carried(pair);
            let aspects = self.aspects(pair);
            if is_carried && aspects.is_empty() {
                continue;
            }
            let change = match (is_carried, old.name == new.name) {
                (true, _) => SymbolChangeKind::Changed,
                (false, true) => SymbolChangeKind::Moved,
                (false, false) => SymbolChangeKind::Renamed,
            };
            let told = SymbolChange {
                change,
                demands: self.demands(pair),
                members: if is_carried { 0 } else { self.new_members[pair.new as usize] },
                new: Some(self.new_version(pair.new)),
                old: Some(self.old_version(pair.old)),
                similarity: (!is_carried).then_some(pair.similarity),
                evidence: (!is_carried).then(|| evidence(pair)),
                derivation: self.still_there.get(&pair.old).filter(|_| !is_carried).cloned(),
                is_test: is_test(new, &self.new[new.file as usize].path),
                aspects,
            };
            let is_body_only = told.aspects.iter().all(|it| *it == Aspect::Body);
            let is_variant = new.kind == DefKind::Variant
                && told.aspects.iter().all(|it| matches!(it, Aspect::Body | Aspect::Signature));
            let holds_others = new.sort == Sort::Type || self.new_members[pair.new as usize] > 0;
            let is_told_by_members = holds_others && new.sort != Sort::Callable && is_body_only;
            if is_carried && (is_told_by_members || is_variant) {
                types.push((pair.new, told));
                continue;
            }
            has_told.extend(new.parent);
            if !is_carried {
                // What it left has changed by that alone.
                has_told.extend(old.parent.and_then(successor));
            }
            if new.sort == Sort::Type && told.aspects.contains(&Aspect::Body) {
                with_body.push((changes.len(), pair.new));
            }
            changes.push(told);
        }
        let fresh = self.matching.by_new();
        for (at, symbol) in self.matching.new.iter().enumerate() {
            if fresh[at].is_none() && !is_position(&self.matching.new, at as u32) {
                has_told.extend(symbol.parent);
            }
        }
        let doubles = self.doubles();
        for (at, symbol) in self.matching.old.iter().enumerate() {
            let is_position = is_position(&self.matching.old, at as u32);
            if gone[at].is_none() && !is_position && !doubles.contains(&(at as u32)) {
                has_told.extend(symbol.parent.and_then(successor));
            }
        }
        for (place, at) in with_body {
            if has_told.contains(&at) {
                changes[place].aspects.retain(|it| *it != Aspect::Body);
            }
        }
        // Types in types: the innermost speaks.
        for (at, told) in types.into_iter().rev() {
            if !has_told.contains(&at) {
                changes.push(told);
            }
            has_told.extend(self.new_symbol(at).parent);
        }
    }

    fn aspects(&self, pair: &Pair) -> Vec<Aspect> {
        let mut aspects = self.aspects_of_text(pair);
        let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
        let is_callable = new.sort == Sort::Callable && !aspects.contains(&Aspect::Signature);
        if is_callable && self.old_overloads.of_symbol(old) != self.new_overloads.of_symbol(new) {
            aspects.retain(|it| *it != Aspect::Doc);
            aspects.push(Aspect::Signature);
            aspects.sort_unstable();
        }
        aspects
    }

    /// In the words of a symbol's history; a type by what is written in front of
    /// its members.
    fn aspects_of_text(&self, pair: &Pair) -> Vec<Aspect> {
        let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
        let (old_file, new_file) = (&self.old[old.file as usize], &self.new[new.file as usize]);
        let (a, b) = (old_file.facts.def(old.def), new_file.facts.def(new.def));
        let is_visible_as_before = a.visibility == b.visibility
            && is_exported(old, self.old) == is_exported(new, self.new);
        if old.text() == new.text() && is_visible_as_before {
            let doc = |facts: &FileFacts, doc: Option<crate::facts::Name>| {
                doc.map_or(String::new(), |doc| facts.text(doc).to_owned())
            };
            let is_same = doc(&old_file.facts, a.doc) == doc(&new_file.facts, b.doc);
            return if is_same { Vec::new() } else { vec![Aspect::Doc] };
        }
        let mut aspects = differences_of_text(
            written(old, old_file, &old.name),
            written(new, new_file, &new.name),
        );
        let is_told_by_words = !written(old, old_file, &old.name).text.is_empty();
        if is_told_by_words && aspects.is_empty() && is_visible_as_before {
            // Which quotes, and commas behind the last of a list, are layout.
            return aspects;
        }
        aspects.retain(|it| *it != Aspect::Doc);
        if !is_visible_as_before && !aspects.contains(&Aspect::Visibility) {
            aspects.push(Aspect::Visibility);
        }
        if aspects.is_empty() {
            aspects.push(Aspect::Body);
        }
        aspects.sort_unstable();
        aspects
    }

    /// What callers must change, from the parameters.
    fn demands(&self, pair: &Pair) -> Vec<String> {
        let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
        if new.sort != Sort::Callable {
            return Vec::new();
        }
        let before = Parameters::of(self.old_facts(old), old.def, self.old_text(old));
        let after = Parameters::of(self.new_facts(new), new.def, self.new_text(new));
        demands(before, after)
    }

    /// Symbols that are gone and were written twice, word for word: the other one stayed, so
    /// nobody misses anything.
    fn doubles(&self) -> FxHashSet<u32> {
        let pair_of = self.matching.by_old();
        let key = |symbol: &Symbol| (symbol.file, symbol.path.clone(), symbol.sort, symbol.text());
        let all = || self.matching.old.iter().zip(&pair_of).enumerate();
        let kept: FxHashSet<_> =
            all().filter(|(_, (_, pair))| pair.is_some()).map(|(_, (it, _))| key(it)).collect();
        let gone = all().filter(|(_, (it, pair))| pair.is_none() && kept.contains(&key(it)));
        gone.map(|(at, _)| at as u32).collect()
    }

    /// Symbols without a partner whose place another sort of symbol took: a
    /// method became a field.
    fn replaced(&self) -> FxHashMap<u32, u32> {
        let (gone, fresh) = (self.matching.by_old(), self.matching.by_new());
        let mut by_place: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        for (at, symbol) in self.matching.new.iter().enumerate() {
            if fresh[at].is_none() {
                let path = self.new[symbol.file as usize].path.as_str();
                by_place.entry((path, &symbol.path)).or_insert(at as u32);
            }
        }
        let mut replaced = FxHashMap::default();
        for (at, symbol) in self.matching.old.iter().enumerate() {
            let path = self.old[symbol.file as usize].path.as_str();
            if gone[at].is_none()
                && let Some(new) = by_place.remove(&(path, &*symbol.path))
            {
                replaced.insert(at as u32, new);
            }
        }
        replaced
    }

    /// What callers must change where something else took the place of a symbol.
    fn demands_of_other_sort(&self, old: &Symbol, new: &Symbol) -> Vec<String> {
        if old.sort == Sort::Callable && new.sort == Sort::Callable {
            // Two functions of one name that have little in common.
            let before = Parameters::of(self.old_facts(old), old.def, self.old_text(old));
            let after = Parameters::of(self.new_facts(new), new.def, self.new_text(new));
            return demands(before, after);
        }
        let is_property = |symbol: &Symbol, facts: &FileFacts| {
            symbol.sort == Sort::Value || facts.def(symbol.def).flags.has(Flags::PROPERTY)
        };
        let (was, is) = (old.kind.word(), new.kind.word());
        let is_read_alike =
            is_property(old, self.old_facts(old)) && is_property(new, self.new_facts(new));
        if was == is || is_read_alike {
            return Vec::new();
        }
        vec![format!("was a {was}, is a {is}")]
    }

    /// Whether a symbol that was not found may be there all the same: a version of its file
    /// was read in part, and the name is still written in it.
    fn may_be_unread(&self, symbol: &Symbol) -> bool {
        let Some(now) = self.matching.files[symbol.file as usize] else { return false };
        let now = &self.new[now as usize];
        let is_in_part =
            !now.facts.trouble.is_empty() || !self.old_facts(symbol).trouble.is_empty();
        let is_word = |byte: &u8| !byte.is_ascii() || byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut words = now.bytes.split(|byte| !is_word(byte));
        is_in_part && words.any(|word| word == symbol.name.as_bytes())
    }

    fn old_text<'s>(&'s self, symbol: &'s Symbol) -> &'s str {
        written(symbol, &self.old[symbol.file as usize], &symbol.name).text
    }

    fn new_text<'s>(&'s self, symbol: &'s Symbol) -> &'s str {
        written(symbol, &self.new[symbol.file as usize], &symbol.name).text
    }

    fn add_gone(&self, changes: &mut Vec<SymbolChange>) {
        let replaced = self.replaced();
        let doubles = self.doubles();
        let pair_of = self.matching.by_old();
        let successor =
            |old: u32| pair_of[old as usize].map(|at| self.matching.pairs[at as usize].new);
        let guesses: FxHashMap<u32, &Pair> =
            self.matching.guesses.iter().map(|guess| (guess.old, guess)).collect();
        let is_paired = |at: usize| pair_of[at].is_some();
        let others = (self.matching.new.as_slice(), self.new);
        let spaces = told_by_members(&self.matching.old, self.old, is_paired, others);
        for (at, symbol) in self.matching.old.iter().enumerate() {
            let is_told_elsewhere = is_told_around(&self.matching.old, at, &spaces, is_paired)
                || spaces.contains(&(at as u32))
                || doubles.contains(&(at as u32))
                || is_position(&self.matching.old, at as u32);
            if pair_of[at].is_some() || symbol.is_local || is_told_elsewhere {
                continue;
            }
            let around = symbol.parent.zip(symbol.parent.and_then(successor));
            if around.is_some_and(|(was, is)| {
                primary::is_in_heading(symbol, self.old_heading(was), self.new_heading(is))
            }) {
                continue;
            }
            if let Some(new) = replaced.get(&(at as u32)) {
                changes.push(SymbolChange {
                    change: SymbolChangeKind::Changed,
                    new: Some(self.new_version(*new)),
                    old: Some(self.old_version(at as u32)),
                    aspects: vec![Aspect::Signature],
                    similarity: None,
                    evidence: None,
                    derivation: None,
                    members: 0,
                    is_test: is_test(symbol, &self.old[symbol.file as usize].path),
                    demands: self.demands_of_other_sort(symbol, self.new_symbol(*new)),
                });
                continue;
            }
            // What its code went into is known better than any guess.
            let derivation = self.still_there.get(&(at as u32));
            let derivation = derivation.or(self.derivations.of_old.get(&(at as u32))).cloned();
            let guess = guesses.get(&(at as u32)).filter(|_| derivation.is_none());
            let mut was = self.old_version(at as u32);
            was.is_public &= !self.may_be_unread(symbol);
            changes.push(SymbolChange {
                change: match guess {
                    Some(_) => SymbolChangeKind::PerhapsBecame,
                    None => SymbolChangeKind::Removed,
                },
                new: guess.map(|guess| self.new_version(guess.new)),
                old: Some(was),
                aspects: Vec::new(),
                similarity: guess.map(|guess| guess.similarity),
                evidence: guess.map(|guess| evidence(guess)),
                derivation,
                members: self.old_members[at],
                is_test: is_test(symbol, &self.old[symbol.file as usize].path),
                demands: Vec::new(),
            });
        }
    }

    fn add_fresh(&self, changes: &mut Vec<SymbolChange>) {
        let pair_of = self.matching.by_new();
        let predecessor =
            |new: u32| pair_of[new as usize].map(|at| self.matching.pairs[at as usize].old);
        let replacing: FxHashSet<u32> = self.replaced().into_values().collect();
        // Of a property, what reads it and what sets it are one.
        let is_property =
            |symbol: &Symbol| self.new_facts(symbol).def(symbol.def).flags.has(Flags::PROPERTY);
        let place = |symbol: &Symbol| (symbol.file, symbol.path.clone());
        let properties: FxHashSet<_> = replacing
            .iter()
            .map(|at| self.new_symbol(*at))
            .filter(|it| is_property(it))
            .map(place)
            .collect();
        let is_paired = |at: usize| pair_of[at].is_some();
        let others = (self.matching.old.as_slice(), self.old);
        let spaces = told_by_members(&self.matching.new, self.new, is_paired, others);
        let copies: FxHashMap<u32, &Pair> =
            self.matching.copies.iter().map(|copy| (copy.new, copy)).collect();
        for (at, symbol) in self.matching.new.iter().enumerate() {
            let is_told = is_told_around(&self.matching.new, at, &spaces, is_paired)
                || spaces.contains(&(at as u32))
                || replacing.contains(&(at as u32))
                || (is_property(symbol) && properties.contains(&place(symbol)))
                || is_position(&self.matching.new, at as u32);
            if pair_of[at].is_some() || symbol.is_local || is_told {
                continue;
            }
            let around = symbol.parent.zip(symbol.parent.and_then(predecessor));
            if around.is_some_and(|(is, was)| {
                primary::is_in_heading(symbol, self.new_heading(is), self.old_heading(was))
            }) {
                continue;
            }
            let copy = copies.get(&(at as u32));
            changes.push(SymbolChange {
                change: match copy {
                    Some(_) => SymbolChangeKind::Copied,
                    None => SymbolChangeKind::Added,
                },
                new: Some(self.new_version(at as u32)),
                old: copy.map(|copy| self.old_version(copy.old)),
                aspects: Vec::new(),
                similarity: copy.map(|copy| copy.similarity),
                evidence: copy.map(|copy| evidence(copy)),
                derivation: self.derivations.of_new.get(&(at as u32)).cloned(),
                members: self.new_members[at],
                is_test: is_test(symbol, &self.new[symbol.file as usize].path),
                demands: Vec::new(),
            });
        }
    }

    /// Every pair whose symbol goes by another name: the graph names symbols by their
    /// place, and those of one name by their parameters.
    fn successions(&self) -> Vec<Succession> {
        let place = |symbol: &Symbol, file: &File| SymbolPlace {
            symbol: symbol.path.to_string(),
            path: file.path.clone(),
            line: file.facts.def(symbol.def).name_line.max(1),
        };
        let pairs = self.matching.pairs.iter();
        pairs
            .filter_map(|pair| {
                let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
                let (old_file, new_file) =
                    (&self.old[old.file as usize], &self.new[new.file as usize]);
                let is_same = old_file.path == new_file.path
                    && old.path == new.path
                    && old.params == new.params;
                (!is_same)
                    .then(|| Succession { old: place(old, old_file), new: place(new, new_file) })
            })
            .collect()
    }

    fn file_moves(&self) -> Vec<FileMove> {
        let mut n_carried: FxHashMap<(u32, u32), (u32, u32, u32)> = FxHashMap::default();
        let told: FxHashSet<u32> = self
            .matching
            .pairs
            .iter()
            .filter(|pair| !self.is_carried(pair))
            .map(|pair| pair.old)
            .collect();
        for pair in &self.matching.pairs {
            let (old, new) = (self.old_symbol(pair.old), self.new_symbol(pair.new));
            if new.is_local || !self.is_carried(pair) {
                continue;
            }
            let (n_symbols, n_public, n_untold) =
                n_carried.entry((old.file, new.file)).or_default();
            *n_symbols += 1;
            // What is in a type that is told apart went with it, not with the file.
            let mut around = old.parent;
            while let Some(at) = around.filter(|at| !told.contains(at)) {
                around = self.old_symbol(at).parent;
            }
            *n_untold += u32::from(around.is_none());
            *n_public +=
                u32::from(around.is_none() && is_public(&self.matching.old, self.old, pair.old));
        }
        let mut moves = Vec::new();
        for (at, to) in self.matching.files.iter().enumerate() {
            let Some(to) = *to else { continue };
            let (from, to_path) = (&self.old[at].path, &self.new[to as usize].path);
            if from != to_path {
                let (symbols, public_symbols, untold_symbols) =
                    n_carried.get(&(at as u32, to)).copied().unwrap_or_default();
                let (from, to) = (from.clone(), to_path.clone());
                moves.push(FileMove { from, to, symbols, public_symbols, untold_symbols });
            }
        }
        moves
    }
}

/// Whether a symbol is a value by its place in a variant: `Event.Key.0`. The variant
/// says all of it.
fn is_position(symbols: &[Symbol], at: u32) -> bool {
    let symbol = &symbols[at as usize];
    let around = symbol.parent.map(|parent| &symbols[parent as usize]);
    symbol.name.bytes().all(|byte| byte.is_ascii_digit())
        && around.is_some_and(|around| around.kind == DefKind::Variant)
}

/// In the words of the answer. What kept its place is told to be so by no other evidence.
fn evidence(pair: &Pair) -> MatchEvidence {
    match pair.evidence {
        Evidence::Body => MatchEvidence::SameText,
        Evidence::Identity | Evidence::Similarity => MatchEvidence::Similar,
        Evidence::Container => MatchEvidence::SameNameInContainer,
        Evidence::Hierarchy => MatchEvidence::SameNameInHierarchy,
        Evidence::Users => MatchEvidence::SameUsers,
    }
}

fn heading<'a>(symbol: &Symbol, facts: &'a FileFacts) -> &'a str {
    facts.def(symbol.def).signature.map_or("", |name| facts.text(name))
}

/// The text of a symbol.
fn written<'a>(symbol: &'a Symbol, file: &'a File, name: &'a str) -> SymbolText<'a> {
    let span = file.facts.def(symbol.def).span;
    let bytes = file.bytes.get(span.start_byte as usize..span.end_byte as usize);
    let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    SymbolText { text, name, sort: symbol.sort, language: &file.facts.language }
}

fn version(symbol: &Symbol, file: &File, is_public: bool) -> SymbolVersion {
    let def = file.facts.def(symbol.def);
    SymbolVersion {
        symbol: symbol.path.to_string(),
        kind: symbol.kind.word().to_owned(),
        path: file.path.clone(),
        line: def.name_line.max(1),
        signature: def.signature.map(|name| file.facts.text(name).to_owned()),
        is_public,
    }
}

fn is_public(symbols: &[Symbol], files: &[File], at: u32) -> bool {
    let mut at = Some(at);
    while let Some(place) = at {
        let symbol = &symbols[place as usize];
        let is_hidden = symbol.visibility != Visibility::Public
            || symbol.is_local
            || is_hidden_member(&files[symbol.file as usize], symbol.def);
        if is_hidden || !is_exported(symbol, files) {
            return false;
        }
        at = symbol.parent;
    }
    true
}

/// Whether a word that facts do not have keeps a member from others.
fn is_hidden_member(file: &File, member: DefId) -> bool {
    let language = lang::by_name(&file.facts.language);
    language.is_some_and(|it| it.is_hidden_member(&file.facts, member, &file.bytes))
}

/// Whether the file of a symbol lets others import it.
fn is_exported(symbol: &Symbol, files: &[File]) -> bool {
    let exported = &files[symbol.file as usize].exported;
    // `Server.create = function …` is reached by what it is written to.
    let path = symbol.path.strip_prefix("module.").unwrap_or(&symbol.path);
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let is_named = |names: &FxHashSet<String>| {
        names.contains(first)
            || names.contains(&*symbol.name)
            || (first == "exports" && !rest.is_empty())
    };
    symbol.parent.is_some() || exported.as_ref().is_none_or(is_named)
}

/// SymbolText for tests, or among them.
fn is_test(symbol: &Symbol, path: &str) -> bool {
    symbol.is_test || model::code::is_test_path(path)
}
