//! What every definition returns or holds.
//!
//! Worked out in rounds: each round reads only the results of the one before,
//! so files can be looked at in any order and on any number of threads with
//! the same outcome. Most definitions are settled in the first round; the rest
//! are tried again until nothing changes.

use super::eval::{Eval, Known, doubt};
use super::hierarchy::Hierarchy;
use super::layout::FileIx;
use super::ty::Ty;
use crate::facts::{Def, DefId, DefKind, Flags};
use rayon::prelude::*;

/// Chains of definitions that lean on each other are rarely longer.
const MAX_ROUNDS: usize = 8;

pub(crate) fn infer(types: &Hierarchy<'_, '_>) -> Vec<Known> {
    let program = types.program;
    let nothing = Known { ty: Ty::Unknown, doubt: doubt::NONE };
    let mut known = vec![nothing; program.n_defs()];
    let mut open: Vec<Vec<DefId>> = program
        .files
        .iter()
        .map(|file| {
            let defs = file.facts.defs.iter().enumerate();
            defs.filter(|(_, def)| has_result(def)).map(|(at, _)| DefId(at as u32)).collect()
        })
        .collect();
    for _ in 0..MAX_ROUNDS {
        let found: Vec<Vec<(DefId, Known)>> = open
            .par_iter()
            .enumerate()
            .map(|(ix, defs)| {
                if defs.is_empty() {
                    return Vec::new();
                }
                let eval = Eval::new(types, &known, FileIx(ix as u32));
                defs.iter().map(|def| (*def, result(&eval, *def))).collect()
            })
            .collect();
        let mut has_changed = false;
        for (ix, results) in found.into_iter().enumerate() {
            open[ix].clear();
            for (def, result) in results {
                let gid = program.gid(FileIx(ix as u32), def);
                if result.ty.is_partial() {
                    open[ix].push(def);
                }
                if known[gid.ix()] != result {
                    known[gid.ix()] = result;
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            break;
        }
    }
    known
}

fn has_result(def: &Def) -> bool {
    let holds = def.kind.is_callable()
        || matches!(def.kind, DefKind::Var | DefKind::Const | DefKind::Field);
    holds && (def.ty.is_some() || !def.values.is_empty())
}

fn result(eval: &Eval<'_, '_>, id: DefId) -> Known {
    let def = eval.file().facts.def(id);
    let (ty, level) = eval.alone(|| match def.ty {
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
    Known { ty, doubt: level }
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
