//! What a call gives, and what the parameters of a callback get.

use super::budget;
use super::eval::{Eval, Hit, doubt};
use super::layout::FileIx;
use super::overload::accepts;
use super::program::Word;
use super::symbols::Symbol;
use super::ty::{Args, Bindings, Gid, Ty, no_args};
use crate::facts::{Binding, Def, DefId, DefKind, Expr, ExprId, Flags, Param, ParamKind, TypeRef};

/// Signatures of one type that are compared.
const MAX_SIGNATURES: usize = 8;

/// A parameter of a function that is given as one of so many arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SignaturePlace {
    n_args: usize,
    argument: usize,
    param: usize,
}

impl Eval<'_, '_> {
    /// What calling something gives.
    pub fn call(&self, callee: &Ty, args: &[ExprId], type_args: &Args) -> Ty {
        self.nested(Ty::Unknown, || self.call_anew(callee, args, type_args))
    }

    fn call_anew(&self, callee: &Ty, args: &[ExprId], type_args: &Args) -> Ty {
        match callee {
            Ty::Itself(gid, own) => self.call_definition(*gid, own, args, type_args),
            Ty::Method(gid, on) => {
                let bindings = self.method_bindings(*gid, on);
                self.returned(*gid, bindings, args, type_args)
            }
            Ty::Function(_, result) => (**result).clone(),
            Ty::Value(..) if args.is_empty() && self.file().semantics.calls_read => callee.clone(),
            Ty::Value(..) => self.call_value(callee, args),
            Ty::Param(gid) => {
                let bounds = self.types.bases(*gid).iter().map(|bound| self.settle(bound));
                bounds.map(|bound| self.call(&bound, args, type_args)).next().unwrap_or(Ty::Unknown)
            }
            Ty::Either(_) => {
                let parts = callee.alternatives();
                Ty::either(parts.into_iter().map(|part| self.call(part, args, type_args)))
            }
            Ty::Meet(parts) => parts
                .iter()
                .map(|part| self.call(part, args, type_args))
                .find(|ty| *ty != Ty::Unknown)
                .unwrap_or(Ty::Unknown),
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    fn call_definition(&self, gid: Gid, own: &Args, args: &[ExprId], type_args: &Args) -> Ty {
        let def = self.program().def(gid);
        let type_args = if type_args.is_empty() { own } else { type_args };
        match def.kind {
            DefKind::Function | DefKind::Method | DefKind::Lambda => {
                self.returned(gid, Bindings::default(), args, type_args)
            }
            DefKind::Variant => {
                let (file, _) = self.program().place(gid);
                Ty::value(self.program().gid(file, def.parent))
            }
            DefKind::Class | DefKind::Struct | DefKind::Enum => Ty::Value(gid, own.clone()),
            // An interface that can be called says so by a nameless member.
            DefKind::Interface | DefKind::Record => {
                self.call_value(&Ty::Value(gid, own.clone()), args)
            }
            _ => Ty::Unknown,
        }
    }

    /// What a named type is made of, where it has no members of its own to ask.
    fn underlying(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Value(gid, args) = ty else { return None };
        let def = self.program().def(*gid);
        let written = def.ty.filter(|_| def.kind == DefKind::Struct)?;
        let (file, _) = self.program().place(*gid);
        let bindings = self.types.bindings(*gid, args, None);
        Some(bindings.fill(&self.types.type_ref(file, written)))
    }

    /// A value that can be called.
    fn call_value(&self, callee: &Ty, args: &[ExprId]) -> Ty {
        if let Some(inner) = self.underlying(callee) {
            return self.call(&inner, args, &no_args());
        }
        match self.member(callee, self.caller()) {
            Hit::Def(gid, bindings) => self.returned(gid, bindings, args, &no_args()),
            Hit::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What `new` gives.
    pub fn construct(&self, class: &Ty, args: &[ExprId]) -> Ty {
        match class {
            Ty::Itself(gid, own) if self.program().def(*gid).kind.is_type() => {
                if own.is_empty() && !self.program().def(*gid).type_params.is_empty() {
                    return Ty::Value(*gid, self.constructed_args(*gid, args));
                }
                Ty::Value(*gid, own.clone())
            }
            Ty::Either(parts) => Ty::either(parts.iter().map(|part| self.construct(part, args))),
            Ty::Meet(parts) => parts
                .iter()
                .map(|part| self.construct(part, args))
                .find(|ty| *ty != Ty::Unknown)
                .unwrap_or(Ty::Unknown),
            Ty::Value(..) => match self.member(class, Word::of("new")) {
                Hit::Def(gid, bindings) => self.returned(gid, bindings, args, &no_args()),
                Hit::Outside => Ty::Outside,
                _ => Ty::Unknown,
            },
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// The arguments of a class's type parameters, from what its constructor was given.
    fn constructed_args(&self, class: Gid, args: &[ExprId]) -> Args {
        let (file, _) = self.program().place(class);
        let params = &self.program().def(class).type_params;
        let mut known = Vec::new();
        let itself = Ty::value(class);
        if let Hit::Def(constructor, _) = self.member(&itself, self.initializer()) {
            self.unify_args(constructor, &Bindings::default(), args, &mut known);
        }
        let bindings = Bindings { this: None, params: known };
        let filled = params.iter().map(|param| {
            let gid = self.program().gid(file, *param);
            bindings.get(gid).cloned().unwrap_or(Ty::Unknown)
        });
        filled.collect()
    }

    /// The name under which a class keeps what its constructor is.
    fn initializer(&self) -> Word<'static> {
        match self.file().semantics.initializer {
            "" => Word::of("constructor"),
            name => Word::of(name),
        }
    }

    /// The member that calling a value calls.
    pub(super) fn caller(&self) -> Word<'static> {
        match self.file().semantics.called_by {
            "" => Word::of("__call__"),
            name => Word::of(name),
        }
    }

    /// What the parameters in a method's signature stand for on a receiver.
    fn method_bindings(&self, gid: Gid, on: &Ty) -> Bindings {
        let (file, def) = self.program().place(gid);
        let owner = self.program().file(file).facts.def(def).parent;
        let owner_gid = self.program().gid(file, owner);
        let this = on.clone();
        let args = match on {
            Ty::Value(of, args) | Ty::Itself(of, args) => {
                let value = Ty::Value(*of, args.clone());
                self.upcast(&value, owner_gid)
            }
            Ty::Param(param) => {
                let bounds = self.types.bases(*param).iter().map(|bound| self.settle(bound));
                bounds.into_iter().find_map(|bound| self.upcast(&bound, owner_gid))
            }
            Ty::Meet(parts) => parts.iter().find_map(|part| self.upcast(part, owner_gid)),
            _ => None,
        };
        self.types.bindings(owner_gid, &args.unwrap_or_else(no_args), Some(this))
    }

    /// What a function returns for these arguments.
    pub fn returned(
        &self,
        gid: Gid,
        mut bindings: Bindings,
        args: &[ExprId],
        type_args: &Args,
    ) -> Ty {
        let def = self.program().def(gid);
        let result = self.known_ty(gid);
        if mentions_params(&result) {
            let (file, _) = self.program().place(gid);
            if type_args.is_empty() {
                let mut known = Vec::new();
                self.unify_args(gid, &bindings, args, &mut known);
                bindings.params.extend(known);
            } else {
                let params = def.type_params.iter().zip(type_args.iter());
                bindings.params.extend(
                    params.map(|(param, arg)| (self.program().gid(file, *param), arg.clone())),
                );
            }
        }
        if let Some(Ty::Itself(of, args)) = bindings.this.clone() {
            bindings.this = Some(Ty::Value(of, args));
        }
        let result = bindings.fill(&result).bounded();
        self.settle(&result)
    }

    fn unify_args(
        &self,
        gid: Gid,
        bindings: &Bindings,
        args: &[ExprId],
        known: &mut Vec<(Gid, Ty)>,
    ) {
        let (file, _) = self.program().place(gid);
        let params = self.program().def(gid).params.iter();
        let params = params.filter(|param| param.kind != ParamKind::Receiver);
        for (at, param) in params.enumerate() {
            let Some(ty) = param.ty else { continue };
            let pattern = bindings.fill(&self.types.type_ref(file, ty));
            if !mentions_params(&pattern) && !self.is_bounded_param(&pattern) {
                continue;
            }
            let given =
                if param.kind == ParamKind::Variadic { args.get(at..) } else { args.get(at..=at) };
            for arg in given.unwrap_or_default().iter().take(3) {
                let arg = self.expr(*arg);
                let filled = Bindings { this: bindings.this.clone(), params: known.clone() };
                let pattern = match &pattern {
                    Ty::Value(_, inner) if param.kind == ParamKind::Variadic => {
                        inner.first().cloned().unwrap_or(Ty::Unknown)
                    }
                    other => other.clone(),
                };
                self.unify(&filled.fill(&pattern), &arg, known, 0);
            }
        }
    }

    fn is_bounded_param(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Param(gid) if !self.types.bases(*gid).is_empty())
    }

    /// Learns what type parameters stand for by laying a value over a pattern.
    fn unify(&self, pattern: &Ty, given: &Ty, known: &mut Vec<(Gid, Ty)>, depth: u32) {
        if depth > 8 || *given == Ty::Unknown || !budget::charge(1) {
            return;
        }
        match (pattern, given) {
            (Ty::Param(gid), _) => {
                if !known.iter().any(|(param, _)| param == gid) {
                    known.push((*gid, given.clone()));
                }
                for bound in self.types.bases(*gid).to_vec() {
                    if mentions_params(&bound) {
                        self.unify(&bound, given, known, depth + 1);
                    }
                }
            }
            (Ty::Value(to, patterns), Ty::Value(..)) => {
                if let Some(args) = self.upcast(given, *to) {
                    for (pattern, arg) in patterns.iter().zip(args.iter()) {
                        self.unify(pattern, arg, known, depth + 1);
                    }
                }
                for pattern in patterns.iter() {
                    if let Ty::AssocIs(name, is) = pattern {
                        let assoc = self.associated(given, *name);
                        self.unify(is, &assoc, known, depth + 1);
                    }
                }
            }
            (Ty::Tuple(patterns), Ty::Tuple(parts)) => {
                for (pattern, part) in patterns.iter().zip(parts.iter()) {
                    self.unify(pattern, part, known, depth + 1);
                }
            }
            (Ty::Function(_, result), _) => {
                let gives = self.call(given, &[], &no_args());
                self.unify(result, &gives, known, depth + 1);
            }
            (Ty::Either(parts), _) => {
                let open: Vec<&Ty> = parts.iter().filter(|part| mentions_params(part)).collect();
                for part in open {
                    self.unify(part, given, known, depth + 1);
                }
            }
            (Ty::Meet(parts), _) => {
                for part in parts.iter() {
                    self.unify(part, given, known, depth + 1);
                }
            }
            (_, Ty::Either(parts)) => {
                if let Some(part) = parts.iter().find(|part| **part != Ty::Nothing) {
                    self.unify(pattern, part, known, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// What the n-th parameter of a function given as an argument gets.
    pub fn callback_param(&self, call: ExprId, argument: usize, param: usize) -> Ty {
        let (callee, args, is_new) = match &self.file().facts.exprs[call.ix()] {
            Expr::Call(callee, args) => (*callee, args, false),
            Expr::New(callee, args) => (*callee, args, true),
            Expr::Typed(_) => {
                let declared = self.expr(call);
                return self.settle(&self.nth_param(&declared, param));
            }
            _ => return Ty::Unknown,
        };
        let callee = if is_new { self.expr(callee) } else { self.callee(callee, args) };
        let (gid, bindings) = match &callee {
            Ty::Method(gid, on) => (*gid, self.method_bindings(*gid, on)),
            Ty::Itself(gid, _) if is_new => {
                let value = Ty::value(*gid);
                match self.member(&value, self.initializer()) {
                    Hit::Def(gid, bindings) => (gid, bindings),
                    _ => return Ty::Unknown,
                }
            }
            Ty::Itself(gid, _) => (*gid, Bindings::default()),
            Ty::Function(params, _) => {
                return params.get(argument).map_or(Ty::Unknown, |ty| self.nth_param(ty, param));
            }
            Ty::Value(..) => {
                self.doubt_at_least(doubt::INFERRED);
                let n_args = args.len();
                return self.signatures_param(&callee, SignaturePlace { n_args, argument, param });
            }
            _ => return Ty::Unknown,
        };
        let (file, _) = self.program().place(gid);
        let params = self.program().def(gid).params.iter();
        let mut params = params.filter(|param| param.kind != ParamKind::Receiver);
        let Some(ty) = params.nth(argument).and_then(|param| param.ty) else { return Ty::Unknown };
        let mut bindings = bindings;
        let mut known = Vec::new();
        // The other arguments may say what the callback's parameters are.
        let others: Vec<ExprId> = args
            .iter()
            .enumerate()
            .map(|(at, arg)| if at == argument { ExprId(0) } else { *arg })
            .collect();
        self.unify_args(gid, &bindings, &others, &mut known);
        bindings.params.extend(known);
        let ty = self.settle(&bindings.fill(&self.types.type_ref(file, ty)));
        let found = self.nth_param(&ty, param);
        let found = self.settle(&bindings.fill(&found));
        self.doubt_at_least(doubt::INFERRED);
        found
    }

    /// The same for a value whose type says by nameless members how it can be called.
    fn signatures_param(&self, on: &Ty, at: SignaturePlace) -> Ty {
        let Ty::Value(gid, type_args) = on else { return Ty::Unknown };
        let known = self.signatures.borrow().get(&(*gid, at)).cloned();
        let pattern = known.unwrap_or_else(|| {
            let (pattern, _) = self.alone(|| self.signatures_param_anew(*gid, at));
            self.signatures.borrow_mut().insert((*gid, at), pattern.clone());
            pattern
        });
        let bindings = self.types.bindings(*gid, type_args, Some(on.clone()));
        self.settle(&bindings.fill(&pattern))
    }

    /// Where several signatures are possible they must agree.
    fn signatures_param_anew(&self, gid: Gid, at: SignaturePlace) -> Ty {
        let program = self.program();
        let (file, id) = program.place(gid);
        let mut found = Ty::Unknown;
        let mut n_left = MAX_SIGNATURES;
        for (_, bind) in program.members(file, id, self.caller().hash) {
            let Binding::Def(signature) = bind.to else { continue };
            let def = program.file(file).facts.def(signature);
            if !accepts(def, at.n_args) || n_left == 0 || !budget::charge(1) {
                continue;
            }
            let Some(given) = self.signature_argument(file, def, at) else { continue };
            n_left -= 1;
            match (&found, self.nth_param(&given, at.param)) {
                (_, Ty::Unknown) => {}
                (Ty::Unknown, ty) => found = ty,
                (Ty::Value(a, _), Ty::Value(b, _)) if *a == b => {}
                _ => return Ty::Unknown,
            }
        }
        found
    }

    /// What a signature says of one of so many arguments.
    fn signature_argument(&self, file: FileIx, def: &Def, at: SignaturePlace) -> Option<Ty> {
        let is_rest = |given: &&Param| given.kind == ParamKind::Variadic;
        if let Some(given) = def.params.get(at.argument).filter(|given| !is_rest(given)) {
            return given.ty.map(|ty| self.settle(&self.types.type_ref(file, ty)));
        }
        let rest = def.params.last().filter(is_rest)?;
        let n_before = def.params.len() - 1;
        let list = rest.ty?;
        let part = match &self.program().file(file).facts.types[list.ix()] {
            TypeRef::Tuple(parts) if parts.len() + n_before == at.n_args => {
                let part = parts.get(at.argument.checked_sub(n_before)?)?;
                self.types.type_ref(file, *part)
            }
            TypeRef::Tuple(_) => return None,
            _ => self.indexed(&self.types.type_ref(file, list)),
        };
        Some(self.settle(&part))
    }

    /// The n-th parameter of a type that can be called.
    fn nth_param(&self, ty: &Ty, param: usize) -> Ty {
        match ty {
            Ty::Function(params, _) => params.get(param).cloned().unwrap_or(Ty::Unknown),
            Ty::Param(gid) => {
                let mut bounds = self.types.bases(*gid).iter();
                bounds
                    .find_map(|bound| match self.settle(bound) {
                        Ty::Function(params, _) => params.get(param).cloned(),
                        _ => None,
                    })
                    .unwrap_or(Ty::Unknown)
            }
            Ty::Either(parts) | Ty::Meet(parts) => parts
                .iter()
                .map(|part| self.nth_param(part, param))
                .find(|ty| *ty != Ty::Unknown)
                .unwrap_or(Ty::Unknown),
            on @ Ty::Value(gid, _) => match self.member(ty, self.caller()) {
                Hit::Def(call, bindings) => {
                    let (file, _) = self.program().place(call);
                    let params = &self.program().def(call).params;
                    let ty = params.get(param).and_then(|param| param.ty);
                    ty.map_or(Ty::Unknown, |ty| bindings.fill(&self.types.type_ref(file, ty)))
                }
                _ => self.only_method(*gid).map_or(Ty::Unknown, |method| {
                    let (file, _) = self.program().place(method);
                    let ty = self.program().def(method).params.get(param).and_then(|it| it.ty);
                    let bindings = self.method_bindings(method, on);
                    ty.map_or(Ty::Unknown, |ty| bindings.fill(&self.types.type_ref(file, ty)))
                }),
            },
            _ => Ty::Unknown,
        }
    }

    pub fn indexed(&self, base: &Ty) -> Ty {
        if let Some(inner) = self.underlying(base) {
            return self.nested(Ty::Unknown, || self.indexed(&inner));
        }
        match base {
            Ty::Value(gid, args) => {
                let by = match self.file().semantics.indexed_by {
                    "" => "__getitem__",
                    name => name,
                };
                self.contents(*gid, args, by, base)
            }
            Ty::Tuple(parts) => Ty::either(parts.iter().cloned()),
            Ty::Either(_) => {
                let parts = base.alternatives();
                Ty::either(parts.into_iter().map(|part| self.indexed(part)))
            }
            Ty::Itself(gid, args) if self.file().semantics.classes_are_called => {
                Ty::Itself(*gid, args.clone())
            }
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What a collection holds: the last of its arguments if it is a built-in
    /// one, else what its member for this says.
    fn contents(&self, gid: Gid, args: &Args, by: &str, on: &Ty) -> Ty {
        if self.program().is_outside(gid) && !args.is_empty() {
            return args.last().cloned().unwrap_or(Ty::Unknown);
        }
        match self.member(on, Word::of(by)) {
            Hit::Def(member, bindings) => self.returned(member, bindings, &[], &no_args()),
            Hit::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What a loop over a value gives.
    pub fn element(&self, over: &Ty) -> Ty {
        match over {
            Ty::Value(gid, args) => {
                let element = self.file().semantics.element;
                if !element.is_empty() {
                    return match self.associated(over, super::names::hash(element)) {
                        Ty::Unknown => match self.dereferenced(over) {
                            Some(inner) => self.nested(Ty::Unknown, || self.element(&inner)),
                            None => Ty::Unknown,
                        },
                        known => known,
                    };
                }
                if self.program().is_outside(*gid) {
                    return args.first().cloned().unwrap_or(Ty::Outside);
                }
                match self.contents(*gid, args, "__iter__", over) {
                    Ty::Value(iterator, args) if self.program().is_outside(iterator) => {
                        args.first().cloned().unwrap_or(Ty::Unknown)
                    }
                    Ty::Outside => Ty::Outside,
                    _ => Ty::Unknown,
                }
            }
            Ty::Param(_) | Ty::Meet(_) => {
                let element = self.file().semantics.element;
                self.associated(over, super::names::hash(element))
            }
            Ty::Tuple(parts) => Ty::either(parts.iter().cloned()),
            Ty::Either(_) => {
                let parts = over.alternatives();
                Ty::either(parts.into_iter().map(|part| self.element(part)))
            }
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    pub fn key(&self, over: &Ty) -> Ty {
        if let Some(inner) = self.underlying(over) {
            return self.nested(Ty::Outside, || self.key(&inner));
        }
        match over {
            Ty::Value(gid, args) if self.program().is_outside(*gid) && args.len() == 2 => {
                args[0].clone()
            }
            _ => Ty::Outside,
        }
    }

    pub fn part(&self, whole: &Ty, index: usize) -> Ty {
        match whole {
            Ty::Tuple(parts) => parts.get(index).cloned().unwrap_or(Ty::Unknown),
            Ty::Either(_) => {
                let parts = whole.alternatives();
                Ty::either(parts.into_iter().map(|part| self.part(part, index)))
            }
            Ty::Value(gid, args) if self.program().is_outside(*gid) && args.len() == 1 => {
                args[0].clone()
            }
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What a pattern like `Some(x)` takes out of a value.
    pub fn payload(&self, whole: &Ty, path: ExprId, word: Word<'_>) -> Ty {
        let has_part = |gid: &Gid| {
            let (file, id) = self.program().place(*gid);
            self.program().members(file, id, word.hash).next().is_some()
        };
        // A type and a case that an import of everything brings may share a
        // name; the pattern is of the one that has this part.
        let named = self.pattern_def(path).filter(has_part);
        let Some(gid) = named.or_else(|| self.imported_case(path).filter(has_part)) else {
            return Ty::Unknown;
        };
        let def = self.program().def(gid);
        let (file, id) = self.program().place(gid);
        let owner =
            if def.kind == DefKind::Variant { self.program().gid(file, def.parent) } else { gid };
        let found =
            self.program().members(file, id, word.hash).find_map(|(_, bind)| match bind.to {
                crate::facts::Binding::Def(field) => Some(self.program().gid(file, field)),
                _ => None,
            });
        let Some(field) = found else { return Ty::Unknown };
        // Through pointers and references to the type the pattern is of.
        let mut whole = whole.clone();
        for _ in 0..4 {
            match &whole {
                Ty::Value(of, _) if *of != owner => match self.dereferenced(&whole) {
                    Some(inner) => whole = inner,
                    None => break,
                },
                _ => break,
            }
        }
        let args = match &whole {
            Ty::Value(of, args) if *of == owner => args.clone(),
            Ty::Outside => return Ty::Outside,
            _ => no_args(),
        };
        let bindings = self.types.bindings(owner, &args, Some(Ty::Value(owner, args.clone())));
        self.settle(&bindings.fill(&self.known_ty(field)))
    }

    /// The case of an enum that a pattern names, all of whose cases the file imports.
    fn imported_case(&self, path: ExprId) -> Option<Gid> {
        let (program, facts) = (self.program(), self.file().facts);
        let (Expr::Local(name, _) | Expr::Free(name, _)) = &facts.exprs[path.ix()] else {
            return None;
        };
        let word = program.word(self.at, *name);
        facts.imports.iter().enumerate().find_map(|(at, import)| {
            if import.what != crate::facts::ImportedName::Wildcard {
                return None;
            }
            let id = crate::facts::ImportId(at as u32);
            let Symbol::Def(of) = program.import_symbol(self.at, id, crate::facts::Space::Type, 0)
            else {
                return None;
            };
            let (file, def) = program.place(of);
            if program.def(of).kind != DefKind::Enum || !super::budget::charge(1) {
                return None;
            }
            program.members(file, def, word.hash).find_map(|(_, bind)| match bind.to {
                crate::facts::Binding::Def(case) => Some(program.gid(file, case)),
                _ => None,
            })
        })
    }

    /// The case or struct a pattern names.
    fn pattern_def(&self, path: ExprId) -> Option<Gid> {
        let program = self.program();
        match &self.file().facts.exprs[path.ix()] {
            Expr::Local(_, binds) => binds.iter().find_map(|bind| {
                let bound = &self.file().facts.binds[bind.ix()].to;
                match program.bound_symbol(self.at, bound, crate::facts::Space::Both, 0) {
                    Symbol::Def(gid) => Some(gid),
                    _ => None,
                }
            }),
            Expr::Free(name, home) => {
                let word = program.word(self.at, *name);
                match program.free_symbol(self.at, *home, word, crate::facts::Space::Both, 0) {
                    Symbol::Def(gid) => Some(gid),
                    _ => None,
                }
            }
            Expr::Member(base, name) => {
                let on = self.expr(*base);
                match self.member(&on, program.word(self.at, *name)) {
                    Hit::Def(gid, _) => Some(gid),
                    _ => None,
                }
            }
            Expr::This(_) => match self.expr(path) {
                Ty::Value(gid, _) => Some(gid),
                _ => None,
            },
            _ => None,
        }
    }

    /// What `with … as` binds.
    pub fn entered(&self, opened: Ty) -> Ty {
        match &opened {
            Ty::Value(gid, args) if self.program().is_outside(*gid) => {
                args.first().cloned().unwrap_or(Ty::Outside)
            }
            Ty::Value(..) => {
                for name in ["__enter__", "__aenter__"] {
                    if let Hit::Def(gid, bindings) = self.member(&opened, Word::of(name)) {
                        return self.returned(gid, bindings, &[], &no_args());
                    }
                }
                Ty::Unknown
            }
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What `await` gives.
    pub fn awaited(&self, inner: Ty) -> Ty {
        let promise = self.file().semantics.promise;
        let promise = self.types.builtin(self.at, promise);
        match &inner {
            Ty::Value(gid, args) if Some(*gid) == promise => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Either(parts) => Ty::either(parts.iter().map(|part| self.awaited(part.clone()))),
            _ => inner,
        }
    }

    /// What `?` gives.
    pub fn unwrapped(&self, inner: Ty) -> Ty {
        match &inner {
            Ty::Value(gid, args) if self.program().is_outside(*gid) => {
                args.first().cloned().unwrap_or(Ty::Outside)
            }
            Ty::Either(parts) => {
                Ty::either(parts.iter().filter(|part| **part != Ty::Nothing).cloned())
            }
            _ => inner,
        }
    }

    /// The value of the fixture a test's parameter names.
    pub fn fixture(&self, of: DefId, index: usize) -> Ty {
        let file = self.file();
        let facts = file.facts;
        let function = facts.def(of);
        let fixture_files = crate::lang::ALL[file.language].fixture_files();
        let is_asking = !fixture_files.is_empty()
            && function.flags.has(Flags::TEST)
            && (function.flags.has(Flags::FIXTURE)
                || facts.text(function.name).starts_with("test"));
        if !is_asking {
            return Ty::Unknown;
        }
        let name = file.names[function.params[index].name.ix()];
        let own = |at: super::layout::FileIx, home: DefId| {
            self.program().members(at, home, name).find_map(|(_, bind)| {
                match self.program().bound_symbol(at, &bind.to, crate::facts::Space::Value, 0) {
                    Symbol::Def(gid) if self.program().def(gid).flags.has(Flags::FIXTURE) => {
                        Some(gid)
                    }
                    _ => None,
                }
            })
        };
        let itself = self.gid(of);
        let mut found = own(self.at, function.parent).filter(|gid| *gid != itself);
        found = found.or_else(|| own(self.at, DefId::FILE).filter(|gid| *gid != itself));
        let mut folder = super::layout::folder(file.path);
        while found.is_none() {
            let joint = if folder.is_empty() { "" } else { "/" };
            found = fixture_files.iter().find_map(|name| {
                let at = self.program().file_at(&format!("{folder}{joint}{name}"))?;
                own(at, DefId::FILE).filter(|gid| *gid != itself)
            });
            if folder.is_empty() {
                break;
            }
            folder = super::layout::folder(folder);
        }
        match found {
            Some(gid) => {
                self.doubt_at_least(doubt::CUSTOM);
                let ty = self.known_ty(gid);
                match ty {
                    // A fixture that yields gives its one element.
                    Ty::Value(list, args)
                        if self.program().def(gid).flags.has(Flags::GENERATOR)
                            && self.program().is_outside(list) =>
                    {
                        args.first().cloned().unwrap_or(Ty::Unknown)
                    }
                    other => other,
                }
            }
            None => Ty::Unknown,
        }
    }
}

/// Whether type parameters are still open in it.
pub(crate) fn mentions_params(ty: &Ty) -> bool {
    match ty {
        Ty::Param(_) => true,
        Ty::Value(_, parts)
        | Ty::Itself(_, parts)
        | Ty::Tuple(parts)
        | Ty::Either(parts)
        | Ty::Meet(parts) => parts.iter().any(mentions_params),
        Ty::Function(params, result) => {
            params.iter().any(mentions_params) || mentions_params(result)
        }
        Ty::Method(_, inner) | Ty::Assoc(inner, _) | Ty::AssocIs(_, inner) => {
            mentions_params(inner)
        }
        _ => false,
    }
}
