//! Which of several functions of one name a call means.
//!
//! The number of arguments decides, then what is known of their types. Where
//! both leave several, one is taken with the least confidence there is, and
//! only if they stand side by side; otherwise none.

use super::budget;
use super::eval::{Eval, Hit, doubt};
use super::layout::FileIx;
use super::ty::{Gid, Ty};
use crate::facts::{
    Binding, Def, DefId, DefKind, Expr, ExprId, FileFacts, Flags, ParamKind, TypeId, TypeRef,
};

/// Functions of one name among which one is chosen; where there are more, a
/// call stays unresolved.
const MAX_CANDIDATES: usize = 256;
/// Parameters compared with arguments in one step.
const COMPARED_PER_STEP: usize = 8;

/// Functions that take the arguments equally well and are compared with each other.
const MAX_TIED: usize = 16;
/// Variables that are followed to where their value is written.
const MAX_STEPS: usize = 4;

/// How well an argument goes with a parameter. What is exact outweighs what converts,
/// and that what has to be put into an object.
mod fit {
    pub const NONE: u32 = 0;
    pub const ANY: u32 = 3;
    pub const PLACE: u32 = 3;
    pub const BOXED: u32 = 6;
    pub const CONVERTED: u32 = 9;
    pub const EXACT: u32 = 12;
}

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
        // A field is called nowhere among the arguments because what takes them is.
        let called = self.called.replace(false);
        let chosen = self.choose_by_arguments(candidates, asked);
        self.called.set(called);
        chosen
    }

    fn choose_by_arguments(&self, candidates: &[Gid], asked: CallArguments<'_>) -> Option<Gid> {
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
        let mut tied: Vec<Gid> = Vec::new();
        for gid in &fitting {
            let Some(score) = self.score(*gid, asked) else { continue };
            match best {
                Some((known, _)) if known > score => {}
                Some((known, first)) if known == score => {
                    // A body and its own declaration are no rivals.
                    if !self.is_same_function(*gid, first) {
                        tied.push(*gid);
                    }
                }
                _ => {
                    best = Some((score, *gid));
                    tied = vec![*gid];
                }
            }
        }
        let (_, gid) = best?;
        if tied.len() > 1
            && let Some(gid) = self.most_specific(&tied, asked)
        {
            self.doubt_at_least(doubt::INFERRED);
            return Some(gid);
        }
        if tied.len() > 1 {
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
        for (at, arg) in asked.args.iter().enumerate() {
            let Some(param) = params.next() else { break };
            if param.kind == ParamKind::Variadic {
                return Some(score + self.score_of_rest(file, param.ty, &asked.args[at..])?);
            }
            score += fit::PLACE;
            let Some(ty) = param.ty else { continue };
            score += self.fit_of(file, ty, *arg)?;
        }
        Some(score)
    }

    /// How well the arguments go with a parameter that takes all that are left.
    fn score_of_rest(&self, file: FileIx, ty: Option<TypeId>, args: &[ExprId]) -> Option<u32> {
        let element = ty.map(|ty| self.types.type_ref(file, ty));
        let Some(Ty::Value(list, elements)) = element else { return Some(0) };
        if !self.is_list(list) || elements.is_empty() {
            return Some(0);
        }
        let mut score = 0;
        for arg in args {
            let given = self.expr(*arg);
            if matches!(given, Ty::Value(of, _) if of == list) && args.len() == 1 {
                return Some(fit::PLACE + fit::CONVERTED);
            }
            score = match self.fits(&elements[0], &given) {
                Some(fit::NONE) if !self.takes_all(&elements[0]) => return None,
                Some(_) => fit::PLACE + fit::ANY,
                None => fit::PLACE,
            };
        }
        Some(score)
    }

    /// How well an argument goes with the written type of a parameter; none if it cannot.
    fn fit_of(&self, file: FileIx, ty: TypeId, arg: ExprId) -> Option<u32> {
        let wanted = self.types.type_ref(file, ty);
        let given = self.expr(arg);
        match self.fits(&wanted, &given) {
            // The type of all values takes what no other parameter takes.
            Some(fit::NONE) if self.takes_all(&wanted) => Some(fit::ANY),
            Some(fit::NONE) => None,
            Some(fit) => Some(fit),
            None if matches!(given, Ty::Outside | Ty::Unknown) => {
                let written = self.written_name(arg);
                if wanted == Ty::Outside
                    && written.is_some()
                    && written == last_name(self.program().file(file).facts, ty)
                {
                    return Some(fit::EXACT);
                }
                if written.is_some()
                    && let Ty::Value(to, _) = &wanted
                    && self.is_closed(*to)
                {
                    return None;
                }
                // A value that another repository made goes rather with a type
                // of another repository than with one that is known.
                let is_stranger = given == Ty::Outside && self.takes_strangers(&wanted);
                Some(if is_stranger { fit::ANY } else { 0 })
            }
            None => Some(0),
        }
    }

    /// The one of several functions, all of which take the arguments equally well, whose
    /// parameters all others would take.
    fn most_specific(&self, tied: &[Gid], asked: CallArguments<'_>) -> Option<Gid> {
        if self.file().semantics.root.is_empty() || tied.len() > MAX_TIED {
            return None;
        }
        let is_known = |arg: &ExprId| !matches!(self.expr(*arg), Ty::Unknown | Ty::Outside);
        if !asked.args.iter().all(is_known) {
            return None;
        }
        let types = |gid: Gid| -> Option<Vec<Ty>> {
            let (file, _) = self.program().place(gid);
            let params = self.program().def(gid).params.iter();
            let params = params.filter(|param| param.kind != ParamKind::Receiver);
            let types = params.map(|param| {
                (param.kind != ParamKind::Variadic).then_some(())?;
                Some(self.types.type_ref(file, param.ty?))
            });
            types.collect()
        };
        let types: Vec<Vec<Ty>> = tied.iter().map(|gid| types(*gid)).collect::<Option<_>>()?;
        let goes = |(narrow, wide): (&Ty, &Ty)| {
            narrow == wide
                || self.takes_all(wide)
                || matches!(narrow, Ty::Value(..))
                    && self.fits(wide, narrow).is_some_and(|fit| fit >= fit::CONVERTED)
        };
        let is_best = |one: &Vec<Ty>| types.iter().all(|other| one.iter().zip(other).all(goes));
        let mut best = types.iter().zip(tied).filter(|(types, _)| is_best(types));
        match (best.next(), best.next()) {
            (Some((_, gid)), None) => Some(*gid),
            _ => None,
        }
    }

    /// The name of the type that an argument evidently has, as it is written.
    fn written_name(&self, arg: ExprId) -> Option<&str> {
        let facts = self.file().facts;
        let mut arg = arg;
        for _ in 0..MAX_STEPS {
            arg = match &facts.exprs[arg.ix()] {
                Expr::Typed(ty) => return last_name(facts, *ty),
                Expr::New(callee, _) => return name_of(facts, *callee),
                Expr::Local(_, binds) => {
                    let [bind] = binds[..] else { return None };
                    match &facts.binds[bind.ix()].to {
                        Binding::Param { of, index } => {
                            let param = facts.def(*of).params.get(usize::from(*index))?;
                            return last_name(facts, param.ty?);
                        }
                        Binding::Var { ty: Some(ty), .. } | Binding::Narrowed { ty } => {
                            return last_name(facts, *ty);
                        }
                        Binding::Var { ty: None, value: Some(value) } => *value,
                        _ => return None,
                    }
                }
                Expr::Free(name, home) => {
                    let hit = self.free_hit(*home, self.program().word(self.at, *name));
                    return self.written_in(&hit);
                }
                Expr::Member(base, name) => {
                    let on = self.expr(*base);
                    let hit = self.member(&on, self.program().word(self.at, *name));
                    return self.written_in(&hit);
                }
                _ => return None,
            };
        }
        None
    }

    /// The name of the type that a field or variable is declared with.
    fn written_in(&self, hit: &Hit) -> Option<&str> {
        let Hit::Def(gid, _) = hit else { return None };
        let def = self.program().def(*gid);
        if !matches!(def.kind, DefKind::Field | DefKind::Var | DefKind::Const) {
            return None;
        }
        let (file, _) = self.program().place(*gid);
        last_name(self.program().file(file).facts, def.ty?)
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

    /// How well a value goes with a parameter, as far as both are known.
    fn fits(&self, wanted: &Ty, given: &Ty) -> Option<u32> {
        match (wanted, given) {
            (Ty::Value(to, _), Ty::Nothing) if self.is_small(*to) => Some(fit::NONE),
            (Ty::Value(to, wanted_args), Ty::Value(of, args)) => {
                if to == of {
                    let differ = self.is_list(*to) && self.are_other_elements(wanted_args, args);
                    return Some(if differ { fit::NONE } else { fit::EXACT });
                }
                if let Some(fit) = self.fits_small(*to, *of) {
                    return Some(fit);
                }
                if self.upcast(given, *to).is_some() {
                    return Some(fit::CONVERTED);
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
                    return Some(fit::NONE);
                }
                // All that a text is, the prelude says.
                if self.is_closed(*of) || self.is_closed(*to) && !program.is_outside(*of) {
                    return Some(fit::NONE);
                }
                let is_open = self.types.lineage(*of).is_open;
                if is_open || is_wide(*to) && program.is_outside(*of) {
                    None
                } else {
                    Some(fit::NONE)
                }
            }
            (Ty::Function(..), Ty::Itself(gid, _)) => {
                let is_lambda = self.program().def(*gid).kind == DefKind::Lambda;
                is_lambda.then_some(fit::EXACT)
            }
            (Ty::Value(to, _), Ty::Itself(gid, _))
                if self.program().def(*gid).kind == DefKind::Lambda =>
            {
                let kind = self.program().def(*to).kind;
                if kind == DefKind::Interface { None } else { Some(fit::NONE) }
            }
            (Ty::Function(..), Ty::Value(gid, _)) if !self.program().is_outside(*gid) => {
                Some(fit::NONE)
            }
            _ => None,
        }
    }

    /// Numbers, characters and truth values, where a language tells their types apart.
    fn fits_small(&self, to: Gid, of: Gid) -> Option<u32> {
        let small = &self.file().semantics.small_types;
        let program = self.program();
        if small.widens.is_empty() || !program.is_outside(of) {
            return (self.is_small(to) && !program.is_outside(of)).then_some(fit::NONE);
        }
        let (from, name) = (self.name_outside(of)?, self.name_outside(to));
        let widened = |from: &str| small.widens.iter().find(|(of, _)| *of == from);
        let boxed = |from: &str| small.boxes.iter().find(|(of, _)| *of == from);
        let goes = |(_, wide): &(&str, &'static [&'static str])| {
            name.is_some_and(|name| wide.contains(&name))
        };
        if let Some(wide) = widened(from) {
            if goes(wide) {
                return Some(fit::CONVERTED);
            }
            let (_, class) = boxed(from)?;
            if self.takes_all(&Ty::value(to)) {
                return Some(fit::ANY);
            }
            let class = self.types.builtin(self.at, class)?;
            let is_held = class == to || self.upcast(&Ty::value(class), to).is_some();
            return Some(if is_held { fit::BOXED } else { fit::NONE });
        }
        if !self.is_small(to) {
            return None;
        }
        let held = small.boxes.iter().find(|(_, class)| *class == from);
        let Some((held, _)) = held else {
            // A class of another repository is no number.
            return Some(fit::NONE);
        };
        let is_same = name == Some(*held) || widened(held).is_some_and(goes);
        Some(if is_same { fit::BOXED } else { fit::NONE })
    }

    /// Whether a type is one of the small ones that a language tells apart.
    fn is_small(&self, gid: Gid) -> bool {
        let small = self.file().semantics.small_types.widens;
        !small.is_empty()
            && self.name_outside(gid).is_some_and(|name| small.iter().any(|(of, _)| *of == name))
    }

    /// Whether nothing can inherit from a type, and nothing is made into one unasked.
    fn is_closed(&self, gid: Gid) -> bool {
        let tells_apart = !self.file().semantics.small_types.widens.is_empty();
        tells_apart && (self.is_plain(gid) || self.is_small(gid))
    }

    fn name_outside(&self, gid: Gid) -> Option<&str> {
        let program = self.program();
        if !program.is_outside(gid) {
            return None;
        }
        let (file, _) = program.place(gid);
        Some(program.word(file, program.def(gid).name).text)
    }

    /// Whether lists hold values of types that never convert to each other.
    fn are_other_elements(&self, wanted: &[Ty], given: &[Ty]) -> bool {
        let (Some(Ty::Value(a, _)), Some(Ty::Value(b, _))) = (wanted.first(), given.first()) else {
            return false;
        };
        a != b && (self.is_small(*a) || self.is_small(*b))
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

    /// The method without a body of an interface that has one such method: a lambda given
    /// for the interface is that method.
    pub(super) fn only_method(&self, interface: Gid) -> Option<Gid> {
        let program = self.program();
        let (file, id) = program.place(interface);
        let facts = program.file(file).facts;
        let whole = facts.def(id);
        if whole.kind != DefKind::Interface || self.file().semantics.root.is_empty() {
            return None;
        }
        let mut only = None;
        for (n, def) in facts.defs.iter().enumerate().skip(id.ix() + 1) {
            if def.span.start_byte >= whole.span.end_byte {
                break;
            }
            if !budget::charge(1) {
                return None;
            }
            if def.parent == id && def.kind == DefKind::Method && def.flags.has(Flags::ABSTRACT) {
                if only.is_some() {
                    return None;
                }
                only = Some(program.gid(file, DefId(n as u32)));
            }
        }
        only
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

/// The last name of a written type.
fn last_name(facts: &FileFacts, ty: TypeId) -> Option<&str> {
    match &facts.types[ty.ix()] {
        TypeRef::Named(path, _) => name_of(facts, *path),
        // What is caught, written as one type of several.
        TypeRef::Union(parts) => match parts[..] {
            [one] => match &facts.types[one.ix()] {
                TypeRef::Named(path, _) => name_of(facts, *path),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn name_of(facts: &FileFacts, path: ExprId) -> Option<&str> {
    match &facts.exprs[path.ix()] {
        Expr::Local(name, _) | Expr::Free(name, _) | Expr::Member(_, name) => {
            Some(facts.text(*name))
        }
        Expr::Generic(inner, _) => match &facts.exprs[inner.ix()] {
            Expr::Local(name, _) | Expr::Free(name, _) => Some(facts.text(*name)),
            _ => None,
        },
        _ => None,
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
