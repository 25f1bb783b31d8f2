//! What every definition returns or holds.
//!
//! Worked out in rounds: each round reads only the results of the one before,
//! so files can be looked at in any order and on any number of threads with
//! the same outcome. Most definitions are settled in the first round; the rest
//! are tried again until nothing changes. Of files that need not be looked at
//! again, the results of every round are known from before.

use super::eval::{Eval, InferredType, doubt};
use super::hierarchy::Hierarchy;
use super::layout::FileIx;
use super::outcome::{History, LookupTrail, restore};
use super::program::Program;
use super::trail::{self, FileLookups};
use super::ty::{Gid, Ty};
use crate::facts::{Def, DefId, DefKind, Flags};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Chains of definitions that lean on each other are rarely longer.
const MAX_ROUNDS: u8 = 8;
/// After every round.
pub(crate) const SETTLED: u8 = u8::MAX;

/// What is known of the definitions of all files.
pub(crate) struct Knowledge<'p, 'a> {
    program: &'p Program<'a>,
    files: Vec<FileKnown>,
    /// The last round in which anything known from before changed.
    last_kept: AtomicU8,
}

enum FileKnown {
    /// Worked out now.
    Live(Vec<InferredType>),
    /// From before; restored when somebody asks.
    Kept(OnceLock<History>),
}

/// What inference found about the files it looked at.
#[derive(Default)]
pub(crate) struct InferenceRun {
    pub history: History,
    pub looked: LookupTrail,
}

impl<'p, 'a> Knowledge<'p, 'a> {
    fn new(program: &'p Program<'a>, live: &[FileIx]) -> Self {
        let mut files: Vec<FileKnown> =
            program.all().map(|_| FileKnown::Kept(OnceLock::new())).collect();
        for file in live {
            let nothing = InferredType { ty: Ty::Unknown, doubt: doubt::NONE };
            let n_defs = program.file(*file).facts.defs.len();
            files[file.ix()] = FileKnown::Live(vec![nothing; n_defs]);
        }
        Knowledge { program, files, last_kept: AtomicU8::new(0) }
    }

    /// What was known of a definition after a round.
    pub fn get(&self, gid: Gid, round: u8) -> Option<&InferredType> {
        let (file, def) = self.program.place(gid);
        trail::note(file);
        match &self.files[file.ix()] {
            FileKnown::Live(known) => known.get(def.ix()),
            FileKnown::Kept(history) => {
                let history = history.get_or_init(|| self.restored(file));
                let after = history.partition_point(|(of, at, _)| (*of, *at) <= (def, round));
                let (of, _, known) = history.get(after.checked_sub(1)?)?;
                (*of == def).then_some(known)
            }
        }
    }

    fn restored(&self, file: FileIx) -> History {
        let Some(outcome) = self.program.outcome(file) else { return History::new() };
        let history = restore(self.program, file, outcome);
        let last = history.iter().map(|(_, round, _)| *round).max().unwrap_or(0);
        self.last_kept.fetch_max(last, Ordering::Relaxed);
        history
    }
}

/// Looks at the files of `live`; everything else is as it was before.
pub(crate) fn infer<'p, 'a>(
    types: &Hierarchy<'p, 'a>,
    live: &[FileIx],
) -> (Knowledge<'p, 'a>, FxHashMap<FileIx, InferenceRun>) {
    let program = types.program;
    let live: Vec<FileIx> = live.iter().copied().chain(program.preludes()).collect();
    let mut knowledge = Knowledge::new(program, &live);
    let mut open: Vec<(FileIx, Vec<DefId>)> = live
        .iter()
        .map(|file| {
            let defs = program.file(*file).facts.defs.iter().enumerate();
            let open = defs.filter(|(_, def)| has_result(def)).map(|(at, _)| DefId(at as u32));
            (*file, open.collect())
        })
        .collect();
    let mut inferred: FxHashMap<FileIx, InferenceRun> = FxHashMap::default();
    for round in 1..=MAX_ROUNDS {
        let found: Vec<InferenceResult> = open
            .par_iter()
            .map(|(file, defs)| one_round(types, &knowledge, *file, defs, round))
            .collect();
        let mut has_changed = false;
        for ((file, open), found) in open.iter_mut().zip(found) {
            open.clear();
            let about = inferred.entry(*file).or_default();
            about.looked.add(&found.looks);
            let FileKnown::Live(known) = &mut knowledge.files[file.ix()] else { continue };
            for (def, result, is_open) in found.results {
                if is_open {
                    open.push(def);
                }
                if known[def.ix()] != result {
                    about.history.push((def, round, result.clone()));
                    known[def.ix()] = result;
                    has_changed = true;
                }
            }
        }
        if !has_changed && round > knowledge.last_kept.load(Ordering::Relaxed) {
            break;
        }
    }
    for about in inferred.values_mut() {
        about.history.sort_unstable_by_key(|(def, round, _)| (*def, *round));
    }
    (knowledge, inferred)
}

struct InferenceResult {
    /// With whether more may become known of it.
    results: Vec<(DefId, InferredType, bool)>,
    looks: FileLookups,
}

fn one_round<'a>(
    types: &Hierarchy<'_, 'a>,
    knowledge: &Knowledge<'_, 'a>,
    file: FileIx,
    defs: &[DefId],
    round: u8,
) -> InferenceResult {
    if defs.is_empty() {
        return InferenceResult { results: Vec::new(), looks: FileLookups::default() };
    }
    let (results, looks) = trail::following(types.program.allowance(file), || {
        let eval = Eval::new(types, knowledge, file, round - 1);
        let one = |def: &DefId| {
            let (result, is_open) = result(&eval, *def);
            (*def, result, is_open)
        };
        defs.iter().map(one).collect()
    });
    InferenceResult { results, looks }
}

fn has_result(def: &Def) -> bool {
    let holds = def.kind.is_callable()
        || matches!(def.kind, DefKind::Var | DefKind::Const | DefKind::Field);
    holds && (def.ty.is_some() || !def.values.is_empty())
}

fn result(eval: &Eval<'_, '_>, id: DefId) -> (InferredType, bool) {
    let def = eval.file().facts.def(id);
    let mut is_open = None;
    let (ty, level) = eval.alone(|| match def.ty {
        // What documentation says may be outdated: it is for what the code does not show.
        Some(ty) if def.flags.has(Flags::DOCUMENTED) => {
            let shown = values(eval, def);
            is_open = Some(shown.is_partial());
            match eval.type_ref(ty) {
                Ty::Unknown => shown,
                said if shown.is_open_end() => said,
                _ => shown,
            }
        }
        Some(ty) => {
            eval.doubt_at_least(doubt::WRITTEN);
            match eval.type_ref(ty) {
                // A variable without a written type that says anything.
                Ty::Unknown if !def.values.is_empty() => values(eval, def),
                ty => ty,
            }
        }
        None => values(eval, def),
    });
    let is_open = is_open.unwrap_or_else(|| ty.is_partial());
    (InferredType { ty, doubt: level }, is_open)
}

fn values(eval: &Eval<'_, '_>, def: &Def) -> Ty {
    eval.doubt_at_least(doubt::INFERRED);
    let one = |value| if eval.receiver_value(value) { Ty::This } else { eval.expr(value) };
    let value = Ty::either(def.values.iter().map(|value| one(*value)));
    let is_callable = def.kind.is_callable();
    if is_callable && (def.flags.has(Flags::GENERATOR) || def.flags.has(Flags::CONTEXT)) {
        return eval.types.list_of(eval.at, value);
    }
    let promise = eval.file().semantics.promise;
    if is_callable
        && def.flags.has(Flags::ASYNC)
        && let Some(promise) = eval.types.builtin(eval.at, promise)
    {
        return Ty::Value(promise, [eval.awaited(value)].into());
    }
    value
}
