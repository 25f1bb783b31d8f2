//! How much work the names of one file may take to look up.
//!
//! Imports, wildcards and types of strangers can be written so that looking
//! up one name visits the same module again and again, or never ends. So what
//! a lookup found is kept while a file is worked on, a lookup that leads back
//! to itself finds nothing there, and every step is counted. A file whose
//! names take more steps than any sane file needs keeps what was found so
//! far; the rest stays unresolved, and the file is reported as too costly.
//!
//! Steps are counted, never seconds, and every piece of work has an allowance
//! of its own: the outcome depends neither on threads nor on the machine.

use super::symbols::Symbol;
use crate::facts::Space;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Steps of one lookup. All lookups of a file of real code together take ten
/// thousand at most, a few dozen as a rule.
const STEPS_PER_LOOKUP: u64 = 100_000;
/// Steps of all files of a program together, roughly.
const STEPS_PER_PROGRAM: u64 = 400_000_000;
/// What every piece of work has, however many there are.
const STEPS_AT_LEAST: u64 = 200_000;
const STEPS_AT_MOST: u64 = 2_000_000;
/// What a file may take more for each of its expressions.
const STEPS_PER_EXPRESSION: u64 = 64;
/// Lookups kept at once.
const MAX_KEPT: usize = 200_000;

/// The steps a file of a program may take.
pub(super) fn allowance(n_files: usize, n_exprs: usize) -> u64 {
    let share = STEPS_PER_PROGRAM / (n_files as u64).max(1);
    share.clamp(STEPS_AT_LEAST, STEPS_AT_MOST) + STEPS_PER_EXPRESSION * n_exprs as u64
}

/// What is looked up, and where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub kind: KeyKind,
    pub file: u32,
    /// The definition or the import of the file.
    pub at: u32,
    pub word: u64,
    pub space: Space,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum KeyKind {
    Import,
    Wildcard,
    Free,
}

#[derive(Clone, Copy)]
enum Slot {
    /// Being looked up, at this depth.
    Busy(u32),
    Done(Symbol),
    /// True only for the lookup under way: it met one that is being looked up.
    Provisional(Symbol),
}

/// What a lookup begins with.
pub(super) enum Start {
    Known(Symbol),
    /// To be looked up now, and ended with [`end`].
    Open,
}

/// The state of one piece of work.
struct Budget {
    allowance: u64,
    spent: u64,
    /// What was spent when the present lookup began.
    lookup_began: u64,
    is_cut: bool,
    slots: FxHashMap<Key, Slot>,
    provisional: Vec<Key>,
    /// Lookups under way, and the outermost one each leans on.
    open: Vec<u32>,
    /// Whether what is found outlives the present lookup.
    is_lasting: bool,
}

/// Leans on no lookup under way.
const ALONE: u32 = u32::MAX;

impl Budget {
    fn new(allowance: u64, is_lasting: bool) -> Self {
        Budget {
            allowance,
            spent: 0,
            lookup_began: 0,
            is_cut: false,
            slots: FxHashMap::default(),
            provisional: Vec::new(),
            open: Vec::new(),
            is_lasting,
        }
    }

    fn lean_on(&mut self, depth: u32) {
        if let Some(outermost) = self.open.last_mut() {
            *outermost = (*outermost).min(depth);
        }
    }

    fn charge(&mut self, steps: u64) -> bool {
        let in_lookup = self.spent - self.lookup_began;
        let is_lookup = !self.open.is_empty();
        if self.spent >= self.allowance || is_lookup && in_lookup >= STEPS_PER_LOOKUP {
            self.is_cut = true;
            self.lean_on(0);
            return false;
        }
        self.spent += steps;
        true
    }
}

thread_local! {
    static BUDGET: RefCell<Budget> = RefCell::new(Budget::new(STEPS_AT_MOST, false));
}

/// Does a piece of work with an allowance of its own; tells whether that was
/// too little.
pub(super) fn within<T>(allowance: u64, work: impl FnOnce() -> T) -> (T, bool) {
    let around = BUDGET.replace(Budget::new(allowance, true));
    let result = work();
    let own = BUDGET.replace(around);
    (result, own.is_cut)
}

/// Takes steps from the allowance; false where none are left.
pub(super) fn charge(steps: usize) -> bool {
    BUDGET.with_borrow_mut(|budget| budget.charge(steps as u64))
}

/// Says that the work at hand rests on work that was cut.
pub(super) fn mark_cut() {
    BUDGET.with_borrow_mut(|budget| budget.is_cut = true);
}

/// Says that a lookup ended for its depth: what it found is true here only.
pub(super) fn too_deep() {
    BUDGET.with_borrow_mut(|budget| budget.lean_on(0));
}

/// Begins a lookup.
pub(super) fn begin(key: Key) -> Start {
    BUDGET.with_borrow_mut(|budget| {
        match budget.slots.get(&key) {
            Some(Slot::Done(symbol)) => return Start::Known(*symbol),
            Some(Slot::Provisional(symbol)) => {
                let symbol = *symbol;
                budget.lean_on(0);
                return Start::Known(symbol);
            }
            Some(Slot::Busy(depth)) => {
                let depth = *depth;
                budget.lean_on(depth);
                return Start::Known(Symbol::Unknown);
            }
            None => {}
        }
        if budget.open.is_empty() {
            budget.lookup_began = budget.spent;
        }
        if !budget.charge(1) {
            return Start::Known(Symbol::Unknown);
        }
        budget.open.push(ALONE);
        let depth = budget.open.len() as u32;
        budget.slots.insert(key, Slot::Busy(depth));
        Start::Open
    })
}

/// Ends the lookup that began last.
pub(super) fn end(key: Key, symbol: Symbol) {
    BUDGET.with_borrow_mut(|budget| {
        let depth = budget.open.len() as u32;
        let outermost = budget.open.pop().unwrap_or(ALONE);
        if outermost < depth {
            budget.slots.insert(key, Slot::Provisional(symbol));
            budget.provisional.push(key);
            budget.lean_on(outermost);
        } else {
            budget.slots.insert(key, Slot::Done(symbol));
        }
        if budget.open.is_empty() {
            for key in std::mem::take(&mut budget.provisional) {
                budget.slots.remove(&key);
            }
            if !budget.is_lasting {
                *budget = Budget::new(STEPS_AT_MOST, false);
            } else if budget.slots.len() > MAX_KEPT {
                budget.slots = FxHashMap::default();
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::layout::FileIx;

    fn key(at: u32) -> Key {
        Key { kind: KeyKind::Wildcard, file: 0, at, word: 7, space: Space::Value }
    }

    /// Looks up 1, which asks 2, which asks 1 again.
    fn circle(found: Symbol) -> Symbol {
        let Start::Open = begin(key(1)) else { return Symbol::Outside };
        let inner = match begin(key(2)) {
            Start::Known(symbol) => symbol,
            Start::Open => {
                let again = begin(key(1));
                assert!(matches!(again, Start::Known(Symbol::Unknown)));
                end(key(2), Symbol::Unknown);
                Symbol::Unknown
            }
        };
        let found = if inner == Symbol::Unknown { found } else { inner };
        end(key(1), found);
        found
    }

    #[test]
    fn what_was_found_inside_a_circle_is_forgotten_after_it() {
        let module = Symbol::Module(FileIx(3));
        let ((), is_cut) = within(100, || {
            assert_eq!(circle(module), module);
            assert!(matches!(begin(key(1)), Start::Known(symbol) if symbol == module));
            // From 2 itself, 1 may be found.
            assert!(matches!(begin(key(2)), Start::Open));
            end(key(2), module);
        });
        assert!(!is_cut);
    }

    #[test]
    fn an_allowance_ends_and_the_work_around_goes_on() {
        let ((), is_cut) = within(10, || {
            let ((), is_cut) = within(2, || {
                assert!(charge(1) && charge(1));
                assert!(!charge(1));
            });
            assert!(is_cut);
            assert!(charge(1));
        });
        assert!(!is_cut);
    }

    #[test]
    fn a_file_of_a_large_program_has_enough_for_its_size() {
        assert_eq!(allowance(1, 0), STEPS_AT_MOST);
        assert_eq!(allowance(1_000_000, 10), STEPS_AT_LEAST + 640);
    }
}
