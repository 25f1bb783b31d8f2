//! What the expressions of one file are.
//!
//! Looks inside one file only; what other definitions return or hold is read
//! from the table of the round before (see `infer`), so that no result depends
//! on the order in which files are looked at.

use super::budget;
use super::calls::SignaturePlace;
use super::hierarchy::Hierarchy;
use super::infer::Knowledge;
use super::layout::FileIx;
use super::members::with_args;
use super::overload::CallArguments;
use super::program::{File, Program};
use super::symbols::Symbol;
use super::ty::{Args, Bindings, Gid, SpaceRef, Ty, no_args};
use crate::facts::{
    BindId, Binding, DefId, DefKind, Expr, ExprId, Flags, ParamKind, Space, TypeId, TypeRef,
};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// How much stands between the text and what was concluded from it.
pub(crate) mod doubt {
    /// Said by scope or import alone.
    pub const NONE: u8 = 0;
    /// Rests on a type somebody wrote.
    pub const WRITTEN: u8 = 1;
    /// Rests on what an expression evidently is.
    pub const INFERRED: u8 = 2;
    /// Rests on a fixture or the like being what it usually is.
    pub const CUSTOM: u8 = 3;
    /// One of several possibilities, or an unknown base might interfere.
    pub const PARTIAL: u8 = 4;
    /// Several targets, one was chosen.
    pub const SPLIT: u8 = 5;
}

/// What is known of a definition: what it returns or holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct InferredType {
    pub ty: Ty,
    pub doubt: u8,
}

enum Slot {
    Empty,
    Busy,
    Done(Ty, u8),
}

pub(crate) struct Eval<'p, 'a> {
    pub types: &'p Hierarchy<'p, 'a>,
    known: &'p Knowledge<'p, 'a>,
    /// What is known is read as it was after this round.
    round: u8,
    pub at: FileIx,
    memo: RefCell<Vec<Slot>>,
    doubt: Cell<u8>,
    depth: Cell<u32>,
    /// Questions about types that are being answered, one for another.
    nesting: Cell<u32>,
    /// The member being looked for is called, so it is no field.
    pub called: Cell<bool>,
    /// The call a function is looked for, where a name may have several.
    pub asked: Cell<Option<CallArguments<'a>>>,
    /// What parameters of callbacks get by the signatures of a type.
    pub signatures: RefCell<FxHashMap<(Gid, SignaturePlace), Ty>>,
}

/// Expressions that lean on each other more often than this are left unknown.
const MAX_DEPTH: u32 = 120;

/// Bounds, aliases and pointers lead from type to type, and may lead back.
const MAX_NESTING: u32 = 64;

/// A member found on a type.
#[derive(Clone, Debug)]
pub(crate) enum Hit {
    /// The member, and what the type parameters in its signature stand for.
    Def(Gid, Bindings),
    Module(FileIx),
    Space(SpaceRef),
    Outside,
    Unknown,
}

impl<'p, 'a> Eval<'p, 'a> {
    pub fn new(
        types: &'p Hierarchy<'p, 'a>,
        known: &'p Knowledge<'p, 'a>,
        at: FileIx,
        round: u8,
    ) -> Self {
        let n = types.program.file(at).facts.exprs.len();
        let memo = RefCell::new((0..n).map(|_| Slot::Empty).collect());
        Eval {
            types,
            known,
            round,
            at,
            memo,
            doubt: Cell::new(0),
            depth: Cell::new(0),
            nesting: Cell::new(0),
            called: Cell::new(false),
            asked: Cell::new(None),
            signatures: RefCell::default(),
        }
    }

    pub fn program(&self) -> &'p Program<'a> {
        self.types.program
    }

    pub fn file(&self) -> &'p File<'a> {
        self.program().file(self.at)
    }

    /// Evaluates something by itself: its result and the doubt it carries.
    pub fn alone<T>(&self, inside: impl FnOnce() -> T) -> (T, u8) {
        let before = self.doubt.replace(doubt::NONE);
        let result = inside();
        (result, self.doubt.replace(before))
    }

    /// Answers a question about a type; `unknown` where questions lead to
    /// questions without end, or take too many steps.
    pub fn nested<T>(&self, unknown: T, answer: impl FnOnce() -> T) -> T {
        if self.nesting.get() >= MAX_NESTING || !budget::charge(1) {
            return unknown;
        }
        self.nesting.set(self.nesting.get() + 1);
        let answer = answer();
        self.nesting.set(self.nesting.get() - 1);
        answer
    }

    pub fn doubt_at_least(&self, level: u8) {
        self.doubt.set(self.doubt.get().max(level));
    }

    pub fn expr(&self, id: ExprId) -> Ty {
        if id.0 == 0 {
            return Ty::Unknown;
        }
        match &self.memo.borrow()[id.ix()] {
            Slot::Done(ty, level) => {
                self.doubt_at_least(*level);
                return ty.clone();
            }
            Slot::Busy => return Ty::Unknown,
            Slot::Empty => {}
        }
        if self.depth.get() >= MAX_DEPTH {
            return Ty::Unknown;
        }
        self.memo.borrow_mut()[id.ix()] = Slot::Busy;
        self.depth.set(self.depth.get() + 1);
        let (ty, level) = self.alone(|| self.expr_anew(id));
        let ty = ty.bounded();
        let ty = if ty.depth() > 8 { Ty::Unknown } else { ty };
        self.depth.set(self.depth.get() - 1);
        self.memo.borrow_mut()[id.ix()] = Slot::Done(ty.clone(), level);
        self.doubt_at_least(level);
        ty
    }

    fn expr_anew(&self, id: ExprId) -> Ty {
        let facts = self.file().facts;
        match &facts.exprs[id.ix()] {
            Expr::Opaque => Ty::Unknown,
            Expr::Local(_, binds) => self.binds(binds),
            Expr::Free(name, home) => {
                let asked = self.asked.take();
                let ty = self.free_ty(*home, self.program().word(self.at, *name));
                self.asked.set(asked);
                ty
            }
            Expr::Member(base, name) => {
                let on = self.expr(*base);
                self.member_ty(&on, self.program().word(self.at, *name))
            }
            Expr::Call(callee, _) if matches!(facts.exprs[callee.ix()], Expr::This(_)) => {
                self.expr(*callee)
            }
            Expr::Call(callee, args) => {
                let callee = self.callee(*callee, args);
                self.call(&callee, args, &no_args())
            }
            Expr::New(callee, args) => {
                let class = self.expr(*callee);
                self.construct(&class, args)
            }
            Expr::Generic(inner, args) => {
                let args: Args = args.iter().map(|arg| self.type_ref(*arg)).collect();
                with_args(self.expr(*inner), args)
            }
            Expr::Index(base, _) => {
                let base = self.expr(*base);
                self.indexed(&base)
            }
            Expr::Await(inner) => self.awaited(self.expr(*inner)),
            Expr::Unwrap(inner) => self.unwrapped(self.expr(*inner)),
            Expr::Element(inner) => {
                let over = self.expr(*inner);
                self.element(&over)
            }
            Expr::Key(inner) => {
                let over = self.expr(*inner);
                self.key(&over)
            }
            Expr::Part(inner, index) => {
                let whole = self.expr(*inner);
                self.part(&whole, *index as usize)
            }
            Expr::Payload(whole, path, name) => {
                let whole = self.expr(*whole);
                self.payload(&whole, *path, self.program().word(self.at, *name))
            }
            Expr::Enter(inner) => self.entered(self.expr(*inner)),
            Expr::This(def) => self.this(*def),
            Expr::Super(def) => self.super_of(*def),
            Expr::Literal(literal) => self.types.literal(self.at, *literal),
            Expr::List(parts) => {
                let element = Ty::either(parts.iter().take(4).map(|part| self.expr(*part)));
                self.types.list_of(self.at, element)
            }
            Expr::Dict(keys, values) => {
                let key = Ty::either(keys.iter().take(4).map(|part| self.expr(*part)));
                let value = Ty::either(values.iter().take(4).map(|part| self.expr(*part)));
                self.types.map_of(self.at, key, value)
            }
            Expr::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.expr(*part)).collect()),
            Expr::Typed(ty) => {
                self.doubt_at_least(doubt::WRITTEN);
                self.type_ref(*ty)
            }
            Expr::Nameless(def) => {
                let gid = self.gid(*def);
                match facts.def(*def).kind {
                    DefKind::Lambda => Ty::itself(gid),
                    _ => Ty::value(gid),
                }
            }
            Expr::Either(parts) => Ty::either(parts.iter().map(|part| self.expr(*part))),
            Expr::CallbackParam { call, argument, param } => {
                self.callback_param(*call, usize::from(*argument), usize::from(*param))
            }
        }
    }

    /// What is called: where methods and fields may share a name, a method;
    /// where functions may share a name, the one for these arguments.
    pub fn callee(&self, id: ExprId, given: &'a [ExprId]) -> Ty {
        let facts = self.file().facts;
        if self.file().semantics.overloads {
            return self.overloaded(id, given);
        }
        match &facts.exprs[id.ix()] {
            Expr::Member(base, name) if self.file().semantics.methods_apart => {
                let on = self.expr(*base);
                let before = self.called.replace(true);
                let ty = self.member_ty(&on, self.program().word(self.at, *name));
                self.called.set(before);
                ty
            }
            Expr::Generic(inner, args) if self.file().semantics.methods_apart => {
                let args: Args = args.iter().map(|arg| self.type_ref(*arg)).collect();
                with_args(self.callee(*inner, given), args)
            }
            _ => self.expr(id),
        }
    }

    fn overloaded(&self, id: ExprId, given: &'a [ExprId]) -> Ty {
        let facts = self.file().facts;
        let asked = Some(CallArguments::of(given));
        match &facts.exprs[id.ix()] {
            Expr::Member(base, name) => {
                let on = self.expr(*base);
                let before = self.asked.replace(asked);
                let ty = self.member_ty(&on, self.program().word(self.at, *name));
                self.asked.set(before);
                ty
            }
            Expr::Free(name, home) => {
                let before = self.asked.replace(asked);
                let is_method = self.file().semantics.calls_name_methods;
                let called = self.called.replace(is_method || self.called.get());
                let ty = self.free_ty(*home, self.program().word(self.at, *name));
                self.called.set(called);
                self.asked.set(before);
                ty
            }
            Expr::Generic(inner, args) => {
                let args: Args = args.iter().map(|arg| self.type_ref(*arg)).collect();
                with_args(self.overloaded(*inner, given), args)
            }
            Expr::Local(name, binds) => {
                let imported = self.imported_method(binds);
                let word = self.program().word(self.at, *name);
                let Some(method) = imported else { return self.expr(id) };
                let before = self.asked.replace(asked);
                let hit = self.method_of_owner(method, word);
                self.asked.set(before);
                match hit {
                    Hit::Def(gid, bindings) => self.hit_ty(gid, &bindings, &Ty::Unknown),
                    _ => self.expr(id),
                }
            }
            _ => self.expr(id),
        }
    }

    /// The method that an import binds to a name.
    pub(super) fn imported_method(&self, binds: &[BindId]) -> Option<Gid> {
        let [bind] = binds else { return None };
        let bound = &self.file().facts.binds[bind.ix()].to;
        if !matches!(bound, Binding::Import(_)) {
            return None;
        }
        match self.program().bound_symbol(self.at, bound, Space::Value, 0) {
            Symbol::Def(gid) if self.program().def(gid).kind == DefKind::Method => Some(gid),
            _ => None,
        }
    }

    pub fn gid(&self, def: DefId) -> Gid {
        self.program().gid(self.at, def)
    }

    /// A type written in this file; `typeof` looks at values here.
    pub fn type_ref(&self, id: TypeId) -> Ty {
        match &self.file().facts.types[id.ix()] {
            TypeRef::Of(expr) => match self.expr(*expr) {
                Ty::Itself(gid, args) if self.program().def(gid).kind.is_type() => {
                    Ty::Itself(gid, args)
                }
                other => other,
            },
            TypeRef::Union(parts) => Ty::either(parts.iter().map(|part| self.type_ref(*part))),
            TypeRef::Meet(parts) => {
                Ty::Meet(parts.iter().map(|part| self.type_ref(*part)).collect())
            }
            TypeRef::Named(path, args) => {
                let symbol = self.program().type_path(self.at, *path, 0);
                let symbol = self.types.carrier(self.at, *path, symbol, args.len());
                if let Symbol::Def(gid) = symbol
                    && matches!(
                        self.program().def(gid).kind,
                        DefKind::Var | DefKind::Const | DefKind::Field
                    )
                {
                    // A variable used as a type: another name for a class.
                    return match self.known_ty(gid) {
                        Ty::Itself(class, args) => Ty::Value(class, args),
                        Ty::Outside => Ty::Outside,
                        _ => Ty::Unknown,
                    };
                }
                let args: Args = args.iter().map(|arg| self.type_ref(*arg)).collect();
                let ty = self.types.named(symbol, args, 0);
                self.settle(&ty)
            }
            _ => {
                let ty = self.types.type_ref(self.at, id);
                self.settle(&ty)
            }
        }
    }

    fn binds(&self, binds: &[BindId]) -> Ty {
        if binds.len() > 1 {
            return Ty::either(binds.iter().map(|bind| self.bind(*bind)));
        }
        binds.first().map_or(Ty::Unknown, |bind| self.bind(*bind))
    }

    pub fn bind(&self, id: BindId) -> Ty {
        let facts = self.file().facts;
        match &facts.binds[id.ix()].to {
            bound @ (Binding::Def(_) | Binding::Import(_)) => {
                let found = |space| self.program().bound_symbol(self.at, bound, space, 0);
                self.symbol_ty(value_first(found))
            }
            Binding::Param { of, index } => self.param(*of, usize::from(*index)),
            Binding::Var { ty: Some(ty), .. } | Binding::Narrowed { ty } => {
                self.doubt_at_least(doubt::WRITTEN);
                self.type_ref(*ty)
            }
            Binding::Var { ty: None, value: Some(value) } => {
                let ty = self.expr(*value);
                self.doubt_at_least(doubt::INFERRED);
                ty
            }
            Binding::Var { ty: None, value: None } => Ty::Unknown,
        }
    }

    pub fn symbol_ty(&self, symbol: Symbol) -> Ty {
        match symbol {
            Symbol::Def(gid) => self.def_ty(gid),
            Symbol::Module(module) => Ty::Module(module),
            Symbol::Space(space) => Ty::Space(space),
            Symbol::Outside => Ty::Outside,
            Symbol::Unknown => Ty::Unknown,
        }
    }

    /// A definition as a value.
    pub fn def_ty(&self, gid: Gid) -> Ty {
        let def = self.program().def(gid);
        match def.kind {
            DefKind::Var | DefKind::Const | DefKind::Field => self.known_ty(gid),
            DefKind::Record => Ty::value(gid),
            DefKind::Variant if def.params.is_empty() => {
                let (file, _) = self.program().place(gid);
                Ty::value(self.program().gid(file, def.parent))
            }
            DefKind::Alias => match self.types.named(Symbol::Def(gid), no_args(), 0) {
                Ty::Value(of, args) => Ty::Itself(of, args),
                other => other,
            },
            _ => Ty::itself(gid),
        }
    }

    /// What a definition returns or holds, from the round before.
    pub fn known_ty(&self, gid: Gid) -> Ty {
        match self.known.get(gid, self.round) {
            Some(known) => {
                self.doubt_at_least(known.doubt);
                known.ty.clone()
            }
            None => Ty::Unknown,
        }
    }

    fn param(&self, of: DefId, index: usize) -> Ty {
        let facts = self.file().facts;
        let function = facts.def(of);
        let Some(param) = function.params.get(index) else { return Ty::Unknown };
        if let Some(ty) = param.ty {
            let ty = self.type_ref(ty);
            self.doubt_at_least(doubt::WRITTEN);
            if ty != Ty::This {
                return ty;
            }
        }
        if param.kind == ParamKind::Receiver {
            let is_class = function.flags.has(Flags::CLASS_METHOD);
            return match self.this(of) {
                Ty::Value(gid, args) if is_class => Ty::Itself(gid, args),
                other => other,
            };
        }
        if param.kind == ParamKind::Plain {
            let by_fixture = self.fixture(of, index);
            if by_fixture != Ty::Unknown {
                return by_fixture;
            }
        }
        match param.default {
            Some(default) => {
                let ty = self.expr(default);
                self.doubt_at_least(doubt::INFERRED);
                if matches!(facts.exprs[default.ix()], Expr::CallbackParam { .. }) {
                    return ty;
                }
                if ty == Ty::Nothing { Ty::Unknown } else { ty }
            }
            None => Ty::Unknown,
        }
    }

    /// The receiver where a definition is written.
    pub fn this(&self, def: DefId) -> Ty {
        let facts = self.file().facts;
        let mut at = def;
        loop {
            let holder = facts.def(at);
            match holder.kind {
                DefKind::Impl => {
                    return holder.ty.map_or(Ty::Unknown, |ty| match self.type_ref(ty) {
                        Ty::Meet(parts) => parts.first().cloned().unwrap_or(Ty::Unknown),
                        other => other,
                    });
                }
                DefKind::Function if at != def && !holder.flags.has(Flags::ARROW) => {
                    return Ty::Unknown;
                }
                DefKind::Method
                    if holder.flags.has(Flags::STATIC) && self.file().semantics.static_side =>
                {
                    // A function with members is their receiver.
                    if facts.def(holder.parent).kind == DefKind::Function {
                        return Ty::itself(self.gid(holder.parent));
                    }
                    return match self.this(holder.parent) {
                        Ty::Value(gid, args) => Ty::Itself(gid, args),
                        other => other,
                    };
                }
                DefKind::Record => return Ty::value(self.gid(at)),
                kind if kind.is_type() => {
                    let params = holder.type_params.iter();
                    let args = params.map(|param| Ty::Param(self.gid(*param))).collect();
                    return Ty::Value(self.gid(at), args);
                }
                _ if at == DefId::FILE => return Ty::Unknown,
                _ => at = holder.parent,
            }
        }
    }

    /// Whether an expression is the receiver, or a new value of the receiver's
    /// class: for whoever inherits the method, it is of their own type.
    pub fn receiver_value(&self, id: ExprId) -> bool {
        let facts = self.file().facts;
        match &facts.exprs[id.ix()] {
            Expr::Local(_, binds) => binds.iter().all(|bind| match facts.binds[bind.ix()].to {
                Binding::Param { of, index } => {
                    let function = facts.def(of);
                    let param = function.params.get(usize::from(index));
                    param.is_some_and(|param| param.kind == ParamKind::Receiver)
                        && !function.flags.has(Flags::CLASS_METHOD)
                }
                _ => false,
            }),
            Expr::This(_) => true,
            Expr::Call(callee, _) => self.is_own_class(*callee),
            _ => false,
        }
    }

    /// `cls`, in a method of a class.
    fn is_own_class(&self, id: ExprId) -> bool {
        let facts = self.file().facts;
        let Expr::Local(_, binds) = &facts.exprs[id.ix()] else { return false };
        binds.iter().all(|bind| match facts.binds[bind.ix()].to {
            Binding::Param { of, index: 0 } => facts.def(of).flags.has(Flags::CLASS_METHOD),
            _ => false,
        })
    }

    /// The receiver seen as its base: every base, in order of lookup.
    fn super_of(&self, class: DefId) -> Ty {
        let bases: Args = self.types.bases(self.gid(class)).into();
        if bases.is_empty() { Ty::Outside } else { Ty::Meet(bases) }
    }

    /// Types whose parts could not be worked out when they were written.
    pub fn settle(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Assoc(of, name) => self.nested(Ty::Unknown, || {
                let of = self.settle(of);
                self.associated(&of, *name)
            }),
            Ty::Value(gid, args) if args.iter().any(needs_settling) => {
                Ty::Value(*gid, args.iter().map(|arg| self.settle(arg)).collect())
            }
            Ty::Either(parts) if parts.iter().any(needs_settling) => {
                Ty::either(parts.iter().map(|part| self.settle(part)))
            }
            Ty::Tuple(parts) if parts.iter().any(needs_settling) => {
                Ty::Tuple(parts.iter().map(|part| self.settle(part)).collect())
            }
            Ty::Function(params, result)
                if params.iter().any(needs_settling) || needs_settling(result) =>
            {
                let params = params.iter().map(|param| self.settle(param)).collect();
                Ty::Function(params, Arc::new(self.settle(result)))
            }
            other => other.clone(),
        }
    }
}

/// What a name means as a value, or else as a type: paths begin with either.
pub(crate) fn value_first(found: impl Fn(Space) -> Symbol) -> Symbol {
    match found(Space::Value) {
        Symbol::Unknown => found(Space::Type),
        symbol => symbol,
    }
}

fn needs_settling(ty: &Ty) -> bool {
    match ty {
        Ty::Assoc(..) => true,
        Ty::Value(_, parts) | Ty::Either(parts) | Ty::Tuple(parts) => {
            parts.iter().any(needs_settling)
        }
        Ty::Function(params, result) => params.iter().any(needs_settling) || needs_settling(result),
        _ => false,
    }
}
