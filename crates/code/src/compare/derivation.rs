//! Where new code was taken from and where old code went, beyond renames and
//! moves: functions extracted and inlined, types split and merged.
//!
//! A function was extracted when a function that calls it now lost the lines it
//! is made of, and inlined when one that called it gained them. A type was split
//! when a new one got members of it, and merged when they all went into others.

use super::File;
use crate::matching::{Matching, Sort, Symbol};
use model::change::{Derivation, DerivationKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where new and old symbols come from and went, by their place.
#[derive(Default)]
pub struct Derivations {
    pub of_new: FxHashMap<u32, Derivation>,
    pub of_old: FxHashMap<u32, Derivation>,
}

/// Lines that are the same by chance are short: a brace, a return.
const SHORTEST_LINE: usize = 8;
/// A line that alone is a sign.
const LONG_LINE: usize = 24;
/// Share of a function's telling lines that must have been there before.
const SHARE: f64 = 0.5;
/// Telling lines at least; of fewer, all of them.
const FEW_LINES: usize = 2;
/// Callers compared at most.
const MOST_CALLERS: usize = 400;
/// Members that make one type a part of another.
const MEMBERS: usize = 2;

pub fn derivations(matching: &Matching, old: &[File], new: &[File]) -> Derivations {
    let mut found = Derivations::default();
    let sides = Texts { matching, old, new };
    let (pair_of_old, pair_of_new) = (matching.by_old(), matching.by_new());
    let bodies: Vec<(u32, u32)> = matching
        .pairs
        .iter()
        .filter(|pair| sides.is_callable(pair.old, pair.new) && sides.differs(pair.old, pair.new))
        .map(|pair| (pair.old, pair.new))
        .take(MOST_CALLERS)
        .collect();
    let callers: Vec<Caller> = bodies.iter().map(|(old, new)| sides.caller(*old, *new)).collect();
    for (at, symbol) in matching.new.iter().enumerate() {
        let is_fresh = pair_of_new[at].is_none() && symbol.sort == Sort::Callable;
        if is_fresh && !symbol.is_local {
            let lines = lines(body(symbol, new));
            let from = callers.iter().filter(|it| it.gained(&symbol.name) && it.lost(&lines));
            let from: Vec<String> = from.map(|it| it.name.clone()).collect();
            insert(&mut found.of_new, at, DerivationKind::Extracted, from);
        }
    }
    for (at, symbol) in matching.old.iter().enumerate() {
        let is_gone = pair_of_old[at].is_none() && symbol.sort == Sort::Callable;
        if is_gone && !symbol.is_local {
            let lines = lines(body(symbol, old));
            let into = callers.iter().filter(|it| it.dropped(&symbol.name) && it.took(&lines));
            let into: Vec<String> = into.map(|it| it.name.clone()).collect();
            insert(&mut found.of_old, at, DerivationKind::Inlined, into);
        }
    }
    types(matching, &mut found);
    found
}

fn insert(
    into: &mut FxHashMap<u32, Derivation>,
    at: usize,
    kind: DerivationKind,
    symbols: Vec<String>,
) {
    if !symbols.is_empty() {
        into.insert(at as u32, Derivation { kind, symbols });
    }
}

/// Types whose members went elsewhere.
fn types(matching: &Matching, found: &mut Derivations) {
    let (pair_of_old, pair_of_new) = (matching.by_old(), matching.by_new());
    let mut went: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for pair in &matching.pairs {
        let (old, new) = (&matching.old[pair.old as usize], &matching.new[pair.new as usize]);
        if let (Some(from), Some(to)) = (old.parent, new.parent) {
            let is_same =
                pair_of_old[from as usize].is_some_and(|at| matching.pairs[at as usize].new == to);
            if !is_same {
                *went.entry((from, to)).or_default() += 1;
            }
        }
    }
    let mut all: Vec<((u32, u32), usize)> = went.into_iter().collect();
    all.sort_unstable();
    for ((from, to), _) in all.into_iter().filter(|(_, n)| *n >= MEMBERS) {
        if pair_of_new[to as usize].is_none() {
            let entry = found
                .of_new
                .entry(to)
                .or_insert_with(|| Derivation { kind: DerivationKind::Split, symbols: Vec::new() });
            entry.symbols.push(matching.old[from as usize].path.to_string());
        }
        if pair_of_old[from as usize].is_none() {
            let entry = found.of_old.entry(from).or_insert_with(|| Derivation {
                kind: DerivationKind::Merged,
                symbols: Vec::new(),
            });
            entry.symbols.push(matching.new[to as usize].path.to_string());
        }
    }
}

struct Texts<'a> {
    matching: &'a Matching,
    old: &'a [File],
    new: &'a [File],
}

/// A function in both versions, by its lines and words.
struct Caller {
    name: String,
    old: FxHashSet<Box<[u8]>>,
    new: FxHashSet<Box<[u8]>>,
    old_words: FxHashSet<Box<[u8]>>,
    new_words: FxHashSet<Box<[u8]>>,
}

impl Texts<'_> {
    fn is_callable(&self, old: u32, new: u32) -> bool {
        let (a, b) = (&self.matching.old[old as usize], &self.matching.new[new as usize]);
        a.sort == Sort::Callable && b.sort == Sort::Callable && !b.is_local
    }

    fn differs(&self, old: u32, new: u32) -> bool {
        self.matching.old[old as usize].text() != self.matching.new[new as usize].text()
    }

    fn caller(&self, old: u32, new: u32) -> Caller {
        let (a, b) = (&self.matching.old[old as usize], &self.matching.new[new as usize]);
        let (before, after) = (body(a, self.old), body(b, self.new));
        let set = |text: &[u8]| lines(text).into_iter().collect();
        Caller {
            name: b.path.to_string(),
            old: set(before),
            new: set(after),
            old_words: words(before),
            new_words: words(after),
        }
    }
}

impl Caller {
    fn gained(&self, name: &str) -> bool {
        self.new_words.contains(name.as_bytes()) && !self.old_words.contains(name.as_bytes())
    }

    fn dropped(&self, name: &str) -> bool {
        self.old_words.contains(name.as_bytes()) && !self.new_words.contains(name.as_bytes())
    }

    /// Whether enough of these lines were here and are not any more.
    fn lost(&self, lines: &[Box<[u8]>]) -> bool {
        is_enough(lines, |line| self.old.contains(line) && !self.new.contains(line))
    }

    /// Whether enough of these lines are here and were not before.
    fn took(&self, lines: &[Box<[u8]>]) -> bool {
        is_enough(lines, |line| self.new.contains(line) && !self.old.contains(line))
    }
}

fn is_enough(lines: &[Box<[u8]>], is_moved: impl Fn(&[u8]) -> bool) -> bool {
    let n_moved = lines.iter().filter(|line| is_moved(line)).count();
    let share = n_moved as f64 / lines.len().max(1) as f64;
    // One line is a sign only when it says enough.
    let is_telling = lines.len() > 1 || lines.iter().all(|line| line.len() >= LONG_LINE);
    n_moved >= FEW_LINES.min(lines.len()).max(1) && share >= SHARE && is_telling
}

fn body<'f>(symbol: &Symbol, files: &'f [File]) -> &'f [u8] {
    let file = &files[symbol.file as usize];
    let span = file.facts.def(symbol.def).span;
    file.bytes.get(span.start_byte as usize..span.end_byte as usize).unwrap_or_default()
}

/// The telling lines of a body without the declaration, layout left out. What
/// is returned is often assigned at the other place: `return f(x);` and
/// `y = f(x);` are one line.
fn lines(body: &[u8]) -> Vec<Box<[u8]>> {
    let mut all: Vec<Box<[u8]>> = body
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let line: Vec<u8> = line.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
            let is_comment = [&b"//"[..], b"#", b"*"].iter().any(|mark| line.starts_with(mark));
            let line = condition_of(&line).unwrap_or(&line);
            let line = line.strip_prefix(b"return").unwrap_or(line);
            let line = line.strip_suffix(b";").unwrap_or(line);
            (line.len() >= SHORTEST_LINE && !is_comment).then(|| value_of(line).into())
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The condition of a line that is all of a condition: it may be returned instead.
fn condition_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(b"}").unwrap_or(line);
    let line = line.strip_prefix(b"else").unwrap_or(line).strip_prefix(b"if")?;
    let line = line.strip_suffix(b"{").or_else(|| line.strip_suffix(b":"))?;
    match line.strip_prefix(b"(").and_then(|line| line.strip_suffix(b")")) {
        Some(inner) => Some(inner),
        None => Some(line),
    }
}

/// What an assignment assigns; the whole line where it is none.
fn value_of(line: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.<>[],:".contains(byte);
    match line.iter().position(|byte| *byte == b'=') {
        Some(at)
            if line[..at].iter().all(is_name)
                && line.get(at + 1) != Some(&b'=')
                && line.len() - at > SHORTEST_LINE =>
        {
            &line[at + 1..]
        }
        _ => line,
    }
}

fn words(text: &[u8]) -> FxHashSet<Box<[u8]>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    text.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).map(Into::into).collect()
}
