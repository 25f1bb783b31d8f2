//! Which of several functions of one name a call means.
//!
//! The number of arguments decides, then what is known of their types. Where
//! both leave several, one is taken with the least confidence there is, and
//! only if they stand side by side; otherwise none.

use super::budget;
use super::eval::{Eval, doubt};
use super::ty::{Gid, Ty};
use crate::facts::{Def, DefKind, ExprId, Flags, ParamKind};

/// Functions of one name among which one is chosen; where there are more, a
/// call stays unresolved.
const MAX_CANDIDATES: usize = 256;
/// Parameters compared with arguments in one step.
const COMPARED_PER_STEP: usize = 8;

/// The call a name is looked up for.
#[derive(Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    pub n_args: usize,
    pub args: &'a [ExprId],
}

impl<'a> CallArguments<'a> {
    pub fn of(args: &'a [ExprId]) -> Self {
        CallArguments { n_args: args.len(), args }
    }
}

impl Eval<'_, '_> {
    /// The one of several definitions that the call asked for means.
    pub fn choose(&self, candidates: &[Gid]) -> Option<Gid> {
        let asked = self.asked.take();
        let chosen = asked.and_then(|asked| self.choose_for(candidates, asked));
        self.asked.set(asked);
        chosen
    }

    /// The same, for a call that is not asked for already.
    pub fn choose_among(&self, candidates: &[Gid], asked: CallArguments<'_>) -> Option<Gid> {
        let before = self.asked.take();
        let chosen = self.choose_for(candidates, asked);
        self.asked.set(before);
        chosen
    }

    /// The constructor a new value of a class is made by; the class itself
    /// where none is written for so many arguments.
    pub fn constructor(&self, class: Gid, asked: CallArguments<'_>) -> Gid {
        let program = self.program();
        let semantics = &self.file().semantics;
        let word = super::program::Word::of(semantics.initializer);
        if semantics.inherits_initializer {
            return match self.member(&Ty::value(class), word) {
                super::eval::Hit::Def(gid, _) if !program.is_outside(gid) => gid,
                _ => class,
            };
        }
        // A class may be written in several places; any of them may have it.
        let mut own: Vec<Gid> = Vec::new();
        for part in std::iter::once(class).chain(self.types.holders(class).iter().copied()) {
            let (file, id) = program.place(part);
            let found = program.members(file, id, word.hash);
            own.extend(found.filter_map(|(_, bind)| match bind.to {
                crate::facts::Binding::Def(def) => Some(program.gid(file, def)),
                _ => None,
            }));
        }
        // A body stands for its declaration.
        if own.iter().any(|gid| program.def(*gid).flags.has(Flags::OVERLOAD)) {
            own.retain(|gid| program.def(*gid).flags.has(Flags::OVERLOAD) || self.is_bare(*gid));
        }
        match self.choose_among(&own, asked) {
            Some(gid) => self.body_of(gid),
            None => class,
        }
    }

    fn choose_for(&self, candidates: &[Gid], asked: CallArguments<'_>) -> Option<Gid> {
        let program = self.program();
        let n_compared = candidates.len() * (1 + asked.n_args);
        if candidates.len() > MAX_CANDIDATES || !budget::charge(n_compared / COMPARED_PER_STEP) {
            return None;
        }
        let fitting: Vec<Gid> = candidates
            .iter()
            .copied()
            .filter(|gid| accepts(program.def(*gid), asked.n_args))
            .collect();
        if let [] | [_] = fitting[..] {
            return fitting.first().copied();
        }
        let mut best: Option<(u32, Gid)> = None;
        let mut n_best = 0;
        for gid in &fitting {
            let Some(score) = self.score(*gid, asked) else { continue };
            match best {
                Some((known, _)) if known > score => {}
                Some((known, _)) if known == score => {
                    // A body and its own declaration are no rivals.
                    if !self.is_same_function(*gid, best.map_or(*gid, |(_, gid)| gid)) {
                        n_best += 1;
                    }
                }
                _ => (best, n_best) = (Some((score, *gid)), 1),
            }
        }
        let (_, gid) = best?;
        if n_best > 1 {
            let (file, _) = program.place(gid);
            let are_together = fitting.iter().all(|other| program.place(*other).0 == file);
            if !are_together {
                return None;
            }
            // Of the forms of a macro the preprocessor takes one; the others stand beside it.
            let is_macro = |gid: &Gid| {
                let flags = program.def(*gid).flags;
                flags.has(Flags::ANY_ARGS) && flags.has(Flags::CONDITIONAL)
            };
            let is_one = fitting.iter().all(is_macro);
            self.doubt_at_least(if is_one { doubt::INFERRED } else { doubt::SPLIT });
        } else {
            self.doubt_at_least(doubt::INFERRED);
        }
        Some(gid)
    }

    /// How well the arguments go with the parameters; none if they cannot.
    fn score(&self, gid: Gid, asked: CallArguments<'_>) -> Option<u32> {
        let (file, _) = self.program().place(gid);
        let def = self.program().def(gid);
        let mut score = 0;
        let mut params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
        for arg in asked.args {
            let Some(param) = params.next() else { break };
            if param.kind == ParamKind::Variadic {
                break;
            }
            score += 1;
            let Some(ty) = param.ty else { continue };
            let wanted = self.types.type_ref(file, ty);
            let given = self.expr(*arg);
            score += match self.fits(&wanted, &given) {
                Some(true) => 3,
                // A value that another repository made goes rather with a type
                // of another repository than with one that is known.
                None if given == Ty::Outside && self.takes_strangers(&wanted) => 1,
                // The type of all values takes what no other parameter takes.
                Some(false) if self.takes_all(&wanted) => 1,
                Some(false) => return None,
                None => 0,
            };
        }
        Some(score)
    }

    /// Whether a type of another repository goes with the parameter: as one of
    /// theirs, or as any value does.
    fn takes_strangers(&self, wanted: &Ty) -> bool {
        *wanted == Ty::Outside || self.takes_all(wanted)
    }

    /// Whether a type is the one of all values.
    fn takes_all(&self, wanted: &Ty) -> bool {
        let Ty::Value(gid, _) = wanted else { return false };
        let program = self.program();
        let (file, _) = program.place(*gid);
        let root = self.file().semantics.root;
        !root.is_empty()
            && program.is_outside(*gid)
            && program.word(file, program.def(*gid).name).text == root
    }

    /// Whether a value can be given for a parameter, as far as both are known.
    fn fits(&self, wanted: &Ty, given: &Ty) -> Option<bool> {
        match (wanted, given) {
            (Ty::Value(to, _), Ty::Value(of, _)) => {
                if to == of || self.upcast(given, *to).is_some() {
                    return Some(true);
                }
                let program = self.program();
                let is_wide = |gid: Gid| {
                    program.is_outside(gid)
                        || matches!(program.def(gid).kind, DefKind::Interface | DefKind::Trait)
                };
                // Numbers convert to each other, and what is outside may be a base.
                // A text or a number is no array.
                let has_root = !self.file().semantics.root.is_empty();
                if has_root && self.is_list(*to) && self.is_plain(*of) {
                    return Some(false);
                }
                let is_open = self.types.lineage(*of).is_open;
                if is_open || is_wide(*to) && program.is_outside(*of) { None } else { Some(false) }
            }
            (Ty::Function(..), Ty::Itself(gid, _)) => {
                let is_lambda = self.program().def(*gid).kind == DefKind::Lambda;
                is_lambda.then_some(true)
            }
            (Ty::Value(to, _), Ty::Itself(gid, _))
                if self.program().def(*gid).kind == DefKind::Lambda =>
            {
                let kind = self.program().def(*to).kind;
                if kind == DefKind::Interface { None } else { Some(false) }
            }
            (Ty::Function(..), Ty::Value(gid, _)) if !self.program().is_outside(*gid) => {
                Some(false)
            }
            _ => None,
        }
    }

    fn is_list(&self, gid: Gid) -> bool {
        self.types.builtin(self.at, self.file().semantics.list) == Some(gid)
    }

    /// Whether a type is that of texts, numbers or truth values.
    fn is_plain(&self, gid: Gid) -> bool {
        let of = &self.file().semantics;
        let plain = [of.text, of.number, of.float, of.boolean];
        plain.iter().any(|name| self.types.builtin(self.at, name) == Some(gid))
    }

    /// Whether a function is written in its type, not beside it.
    fn is_bare(&self, gid: Gid) -> bool {
        let (file, _) = self.program().place(gid);
        let owner = self.program().def(gid).parent;
        self.program().file(file).facts.def(owner).kind != DefKind::Impl
    }

    fn is_same_function(&self, a: Gid, b: Gid) -> bool {
        let (a, b) = (self.program().def(a), self.program().def(b));
        a.flags.has(Flags::OVERLOAD) != b.flags.has(Flags::OVERLOAD)
            && a.params.len() == b.params.len()
    }

    /// Where a function is declared, the definition with its body, if that is known.
    pub fn body_of(&self, gid: Gid) -> Gid {
        let program = self.program();
        let def = program.def(gid);
        if !def.flags.has(Flags::OVERLOAD) || !self.file().semantics.declares_apart {
            return gid;
        }
        let (file, _) = program.place(gid);
        let word = if def.flags.has(Flags::CONSTRUCTOR) {
            super::program::Word::of(self.file().semantics.initializer)
        } else {
            program.word(file, def.name)
        };
        let is_body = |other: &Gid| {
            let other = program.def(*other);
            other.kind.is_callable()
                && !other.flags.has(Flags::OVERLOAD)
                && other.params.len() == def.params.len()
        };
        let candidates: Vec<Gid> = if def.kind == DefKind::Method {
            let owner = program.gid(file, def.parent);
            let holders = self.types.holders(owner).iter();
            let in_holder = |holder: &Gid| {
                let (at, id) = program.place(*holder);
                let bound = program.members(at, id, word.hash);
                let defs = bound.filter_map(move |(_, bind)| match bind.to {
                    crate::facts::Binding::Def(def) => Some(program.gid(at, def)),
                    _ => None,
                });
                defs.collect::<Vec<Gid>>()
            };
            holders.flat_map(in_holder).filter(is_body).collect()
        } else {
            program.siblings(self.at, gid).into_iter().filter(is_body).collect()
        };
        match candidates[..] {
            [one] => one,
            [] => gid,
            _ => {
                let same = candidates.iter().find(|other| self.has_same_params(**other, gid));
                same.copied().unwrap_or(gid)
            }
        }
    }

    pub(super) fn has_same_params(&self, a: Gid, b: Gid) -> bool {
        let types = |gid: Gid| -> Vec<Ty> {
            let (file, _) = self.program().place(gid);
            let params = self.program().def(gid).params.iter();
            params.map(|p| p.ty.map_or(Ty::Unknown, |ty| self.types.type_ref(file, ty))).collect()
        };
        types(a) == types(b)
    }
}

/// Whether a function can be called with so many arguments.
pub(super) fn accepts(def: &Def, n_args: usize) -> bool {
    let params = def.params.iter().filter(|param| param.kind != ParamKind::Receiver);
    let mut n_needed = 0;
    let mut n_most = 0;
    let mut is_open = def.flags.has(Flags::ANY_ARGS);
    for param in params {
        match param.kind {
            ParamKind::Variadic | ParamKind::Keywords => is_open = true,
            _ => {
                n_most += 1;
                n_needed += usize::from(param.default.is_none());
            }
        }
    }
    // A member of another type, called by its own name, is given its receiver too.
    let has_receiver = def.params.iter().any(|param| param.kind == ParamKind::Receiver);
    let n_extra = usize::from(has_receiver && def.flags.has(Flags::STATIC));
    n_args >= n_needed && (is_open || n_args <= n_most + n_extra)
}
