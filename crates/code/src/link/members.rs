//! What `.name` on a value is.

use super::budget;
use super::eval::{Eval, Hit, doubt, value_first};
use super::hierarchy::Ancestor;
use super::layout::FileIx;
use super::program::Word;
use super::symbols::Symbol;
use super::ty::{Args, Bindings, Gid, Ty};
use crate::facts::{Bind, Binding, DefKind, Flags, Space};
use std::sync::Arc;

/// Places that are asked for a member in one step.
const ANCESTORS_PER_STEP: usize = 32;

impl Eval<'_, '_> {
    /// The member a name means on a value of a type.
    pub fn member(&self, on: &Ty, word: Word<'_>) -> Hit {
        self.nested(Hit::Unknown, || self.member_anew(on, word))
    }

    fn member_anew(&self, on: &Ty, word: Word<'_>) -> Hit {
        match on {
            Ty::Either(_) => self.member_of_either(on, word),
            Ty::Meet(parts) => {
                let mut result = Hit::Unknown;
                for part in parts.iter() {
                    match self.member(part, word) {
                        hit @ (Hit::Def(..) | Hit::Module(_) | Hit::Space(_)) => return hit,
                        Hit::Outside => result = Hit::Outside,
                        Hit::Unknown => {}
                    }
                }
                result
            }
            Ty::Module(module) => {
                let found = |space| self.program().module_member(*module, word, space, 0);
                symbol_hit(value_first(found))
            }
            Ty::Space(space) => {
                let found = |of| self.program().space_member(*space, word, of);
                symbol_hit(value_first(found))
            }
            Ty::Value(gid, args) => self.member_of_type(*gid, args, on, word, false),
            Ty::Itself(gid, args) => self.member_of_definition(*gid, args, on, word),
            Ty::Param(gid) => self.member_of_param(*gid, on, word),
            // A function that has members, read as a member.
            Ty::Method(gid, _) if self.file().semantics.static_side => {
                self.member_of_definition(*gid, &super::ty::no_args(), on, word)
            }
            Ty::Method(..) | Ty::Function(..) | Ty::Tuple(_) | Ty::Nothing | Ty::Outside => {
                Hit::Outside
            }
            Ty::Assoc(..) => match self.settle(on) {
                Ty::Assoc(..) => Hit::Unknown,
                settled => self.member(&settled, word),
            },
            Ty::Unknown | Ty::This | Ty::AssocIs(..) => Hit::Unknown,
        }
    }

    fn member_of_either(&self, on: &Ty, word: Word<'_>) -> Hit {
        let mut chosen: Option<Hit> = None;
        let mut is_partial = false;
        let mut is_outside = false;
        let mut is_split = false;
        for part in on.alternatives() {
            match self.member(part, word) {
                hit @ (Hit::Def(..) | Hit::Module(_) | Hit::Space(_)) => match &chosen {
                    None => chosen = Some(hit),
                    Some(known) => is_split |= !same(known, &hit),
                },
                Hit::Outside => is_outside = true,
                Hit::Unknown => is_partial = true,
            }
        }
        match chosen {
            Some(hit) => {
                if is_split {
                    self.doubt_at_least(doubt::SPLIT);
                } else if is_partial || is_outside {
                    self.doubt_at_least(doubt::PARTIAL);
                }
                hit
            }
            None if is_outside && !is_partial => Hit::Outside,
            None => Hit::Unknown,
        }
    }

    /// A member of a class, function or namespace itself.
    fn member_of_definition(&self, gid: Gid, args: &Args, on: &Ty, word: Word<'_>) -> Hit {
        let kind = self.program().def(gid).kind;
        match kind {
            DefKind::Module => {
                let symbol = Symbol::Def(gid);
                let found = |space| self.program().symbol_member(symbol, word, space, 0);
                let found = value_first(found);
                if found != Symbol::Unknown {
                    return symbol_hit(found);
                }
                self.member_of_type(gid, args, on, word, true)
            }
            DefKind::Function | DefKind::Method | DefKind::Lambda => {
                match self.member_of_type(gid, args, on, word, true) {
                    Hit::Unknown => Hit::Outside,
                    hit => hit,
                }
            }
            DefKind::TypeParam => self.member_of_param(gid, on, word),
            _ => match self.member_of_type(gid, args, on, word, true) {
                hit @ Hit::Def(..) => hit,
                hit => self.type_held(gid, word).unwrap_or(hit),
            },
        }
    }

    /// A type that another file writes into a type, as into a module of Ruby that is opened
    /// in so many files that its parts are not looked at one by one.
    fn type_held(&self, gid: Gid, word: Word<'_>) -> Option<Hit> {
        let program = self.program();
        // Parts that are joined have been asked.
        let is_type = word.text.starts_with(char::is_uppercase);
        let is_whole = !self.types.holders(gid).is_empty();
        if !is_type || is_whole || !program.def(gid).flags.has(Flags::REOPENED) {
            return None;
        }
        match program.symbol_member(Symbol::Def(gid), word, Space::Type, 0) {
            found @ Symbol::Def(held) if program.def(held).kind.is_type() => {
                Some(symbol_hit(found))
            }
            _ => None,
        }
    }

    fn member_of_param(&self, gid: Gid, on: &Ty, word: Word<'_>) -> Hit {
        let mut result = Hit::Unknown;
        for bound in self.types.bases(gid) {
            let bound = self.settle(bound);
            match self.member(&bound, word) {
                // The receiver stays the parameter, not its bound.
                Hit::Def(def, mut bindings) => {
                    bindings.this = Some(on.clone());
                    self.doubt_at_least(doubt::WRITTEN);
                    return Hit::Def(def, bindings);
                }
                Hit::Outside => result = Hit::Outside,
                _ => {}
            }
        }
        result
    }

    fn member_of_type(
        &self,
        gid: Gid,
        args: &Args,
        on: &Ty,
        word: Word<'_>,
        on_class: bool,
    ) -> Hit {
        let (file, _) = self.program().place(gid);
        let semantics = &self.program().file(file).semantics;
        let asked = self.types.bindings(gid, args, None);
        let lineage = self.types.lineage(gid);
        if !budget::charge(lineage.ancestors.len() / ANCESTORS_PER_STEP) {
            return Hit::Unknown;
        }
        for ancestor in &lineage.ancestors {
            let side = semantics.static_side.then_some(on_class);
            let Some(hit) = self.own_member(ancestor.gid, word, side) else { continue };
            if ancestor.is_doubtful {
                self.doubt_at_least(doubt::PARTIAL);
            }
            let Hit::Def(def, _) = hit else { return hit };
            let is_lent = self.program().def(ancestor.gid).kind == DefKind::Impl
                && semantics.spaces
                && self.program().is_outside(gid)
                && !self.program().is_outside(def);
            if is_lent {
                // The type may have a member of that name we do not know of.
                self.doubt_at_least(doubt::PARTIAL);
            }
            if self.program().def(ancestor.gid).kind == DefKind::Impl {
                self.weigh_impl(gid, ancestor.gid, &lineage.ancestors, word);
            }
            let args: Args = ancestor.args.iter().map(|arg| asked.fill(arg)).collect();
            let this = match on {
                Ty::Itself(gid, args) if on_class => Ty::Value(*gid, args.clone()),
                other => other.clone(),
            };
            return Hit::Def(def, self.types.bindings(ancestor.gid, &args, Some(this)));
        }
        if !on_class && let Some(target) = self.dereferenced(on) {
            return self.member(&target, word);
        }
        if let Some(hit) = self.blanket_member(gid, on, word, on_class) {
            return hit;
        }
        if self.program().is_outside(gid) {
            return Hit::Outside;
        }
        // What the prelude tells of a type is not all that the type has.
        let has_outside_base = !semantics.root.is_empty()
            && lineage.ancestors.iter().any(|of| self.program().is_outside(of.gid));
        if has_outside_base || lineage.is_open && self.bases_are_outside(gid) {
            return Hit::Outside;
        }
        Hit::Unknown
    }

    /// A trait implemented several times for one type, with different
    /// arguments, leaves open which one is meant; so does one implemented for
    /// a type from outside, where others may do the same.
    fn weigh_impl(&self, gid: Gid, found: Gid, ancestors: &[Ancestor], word: Word<'_>) {
        let base = |gid: Gid| match self.types.bases(gid).first() {
            Some(Ty::Value(base, _)) => Some(*base),
            _ => None,
        };
        let is_trait = !self.program().def(found).bases.is_empty();
        if !is_trait {
            return;
        }
        let is_rivalled = ancestors.iter().any(|other| {
            other.gid != found
                && self.program().def(other.gid).kind == DefKind::Impl
                && !self.program().def(other.gid).bases.is_empty()
                && base(other.gid) == base(found)
                && self.own_member(other.gid, word, None).is_some()
        });
        if is_rivalled || self.program().is_outside(gid) && !self.program().is_outside(found) {
            self.doubt_at_least(doubt::SPLIT);
        }
    }

    /// A member that every type with certain traits has.
    fn blanket_member(&self, gid: Gid, on: &Ty, word: Word<'_>, on_class: bool) -> Option<Hit> {
        let this = match on {
            Ty::Itself(gid, args) if on_class => Ty::Value(*gid, args.clone()),
            other => other.clone(),
        };
        let (asked_file, _) = self.program().place(gid);
        let language = self.program().file(asked_file).language;
        if !budget::charge(self.types.blankets().len() / ANCESTORS_PER_STEP) {
            return None;
        }
        for blanket in self.types.blankets() {
            let (file, _) = self.program().place(*blanket);
            if self.program().file(file).language != language {
                continue;
            }
            let of = self.program().def(*blanket).type_params.first();
            let of = of.map(|param| self.program().gid(file, *param));
            let meets = of.is_some_and(|of| {
                self.types.bases(of).iter().all(|bound| match bound {
                    Ty::Value(bound, _) if !self.program().is_outside(*bound) => {
                        self.upcast(&this, *bound).is_some()
                    }
                    _ => true,
                })
            });
            if !meets {
                continue;
            }
            let holders = std::iter::once(*blanket).chain(
                self.types.bases(*blanket).iter().filter_map(|base| match base {
                    Ty::Value(base, _) => Some(*base),
                    _ => None,
                }),
            );
            for holder in holders {
                if let Some(Hit::Def(def, _)) = self.own_member(holder, word, None) {
                    let args: Args = [this.clone()].into();
                    return Some(Hit::Def(def, self.types.bindings(*blanket, &args, Some(this))));
                }
            }
        }
        None
    }

    /// Whether what is not found on a type must come from outside.
    fn bases_are_outside(&self, gid: Gid) -> bool {
        self.types.bases(gid).iter().all(|base| *base == Ty::Outside)
    }

    /// A member written in one type, without its bases.
    fn own_member(&self, owner: Gid, word: Word<'_>, side: Option<bool>) -> Option<Hit> {
        let (file, def) = self.program().place(owner);
        if self.asked.get().is_some() && self.program().file(file).semantics.overloads {
            let methods: Vec<Gid> = self
                .program()
                .members(file, def, word.hash)
                .filter_map(|(_, bind)| match self.bound_hit(file, bind) {
                    Hit::Def(gid, _) => Some(gid),
                    _ => None,
                })
                .filter(|gid| {
                    let def = self.program().def(*gid);
                    def.kind.is_callable() && !def.flags.has(Flags::PROPERTY)
                })
                .collect();
            if !methods.is_empty() {
                return self.choose(&methods).map(|gid| Hit::Def(gid, Bindings::default()));
            }
        }
        let mut found: Option<(bool, Hit)> = None;
        for (_, bind) in self.program().members(file, def, word.hash) {
            let hit = self.bound_hit(file, bind);
            let is_overload = match &hit {
                Hit::Def(gid, _) => {
                    let member = self.program().def(*gid);
                    let is_param = member.kind == DefKind::TypeParam
                        || self.called.get()
                            && self.file().semantics.methods_apart
                            && member.kind == DefKind::Field;
                    let wrong_side = side.is_some_and(|on_class| {
                        let owner_kind = self.program().def(owner).kind;
                        matches!(owner_kind, DefKind::Class)
                            && member.kind.is_symbol()
                            && matches!(member.kind, DefKind::Method | DefKind::Field)
                            && member.flags.has(Flags::STATIC) != on_class
                    });
                    if is_param || wrong_side {
                        continue;
                    }
                    member.flags.has(Flags::OVERLOAD)
                }
                Hit::Unknown => continue,
                _ => false,
            };
            // A signature gives way to the body behind it; else the first counts.
            let is_field = |hit: &Hit| match hit {
                Hit::Def(gid, _) => self.program().def(*gid).kind == DefKind::Field,
                _ => false,
            };
            // Where both may have one name, what is not called is the value.
            let is_value = |hit: &Hit| match hit {
                Hit::Def(gid, _) => {
                    let kind = self.program().def(*gid).kind;
                    matches!(kind, DefKind::Field | DefKind::Var | DefKind::Const)
                }
                _ => false,
            };
            let is_apart = self.file().semantics.methods_apart && !self.called.get();
            let is_better = match &found {
                None => true,
                Some((_, known)) if is_apart && is_value(known) != is_value(&hit) => is_value(&hit),
                // `this.go = this.go.bind(this)` leaves the method what it is.
                Some((_, known)) if is_field(known) => !is_field(&hit),
                Some((was_overload, _)) => *was_overload && !is_overload && !is_field(&hit),
            };
            if is_better {
                found = Some((is_overload, hit));
            }
        }
        found.map(|(_, hit)| hit)
    }

    fn bound_hit(&self, file: FileIx, bind: &Bind) -> Hit {
        match &bind.to {
            bound @ (Binding::Def(_) | Binding::Import(_)) => {
                symbol_hit(self.program().bound_symbol(file, bound, Space::Value, 0))
            }
            _ => Hit::Unknown,
        }
    }

    /// What `.name` on a value gives.
    pub fn member_ty(&self, on: &Ty, word: Word<'_>) -> Ty {
        if let Ty::Either(_) = on {
            let parts = on.alternatives().into_iter().map(|part| self.member_ty(part, word));
            return Ty::either(parts);
        }
        // Its members are those of the class's values.
        if word.text == "prototype"
            && self.file().semantics.static_side
            && let Ty::Itself(gid, args) = on
            && self.program().def(*gid).kind == DefKind::Class
        {
            return Ty::Value(*gid, args.clone());
        }
        match self.member(on, word) {
            Hit::Def(gid, bindings) => self.hit_ty(gid, &bindings, on),
            Hit::Module(module) => Ty::Module(module),
            Hit::Space(space) => Ty::Space(space),
            Hit::Outside => Ty::Outside,
            Hit::Unknown => Ty::Unknown,
        }
    }

    /// A definition found by name, as a value.
    pub fn hit_ty(&self, gid: Gid, bindings: &Bindings, on: &Ty) -> Ty {
        let def = self.program().def(gid);
        let is_callable = matches!(def.kind, DefKind::Method | DefKind::Function);
        if is_callable && def.flags.has(Flags::PROPERTY) {
            return self.settle(&bindings.fill(&self.known_ty(gid)));
        }
        // A function of a namespace has no receiver.
        if def.kind == DefKind::Function && matches!(on, Ty::Space(_)) {
            return self.def_ty(gid);
        }
        let in_space = matches!(on, Ty::Itself(of, _) if self.program().def(*of).kind == DefKind::Module)
            && self.file().semantics.spaces;
        if def.kind == DefKind::Function && in_space {
            return self.def_ty(gid);
        }
        if is_callable && (*on != Ty::Unknown || bindings.this.is_some()) {
            let this = bindings.this.clone().unwrap_or_else(|| on.clone());
            return Ty::Method(gid, Arc::new(receiver_of(on, this)));
        }
        self.settle(&bindings.fill(&self.def_ty(gid)))
    }

    /// `T::Name`, where `T` is known by now.
    pub fn associated(&self, of: &Ty, name: u64) -> Ty {
        self.nested(Ty::Unknown, || self.associated_anew(of, name))
    }

    fn associated_anew(&self, of: &Ty, name: u64) -> Ty {
        match of {
            Ty::Value(gid, args) => {
                for arg in args.iter() {
                    if let Ty::AssocIs(known, is) = arg
                        && *known == name
                    {
                        return (**is).clone();
                    }
                }
                let asked = self.types.bindings(*gid, args, None);
                let mut declared = Ty::Unknown;
                for ancestor in &self.types.lineage(*gid).ancestors {
                    for arg in ancestor.args.iter() {
                        if let Ty::AssocIs(known, is) = arg
                            && *known == name
                        {
                            return asked.fill(is);
                        }
                    }
                    let (file, def) = self.program().place(ancestor.gid);
                    for (_, bind) in self.program().members(file, def, name) {
                        let Binding::Def(found) = bind.to else { continue };
                        let found_def = self.program().file(file).facts.def(found);
                        let Some(ty) = found_def.ty else {
                            // Declared, with bounds to go by.
                            let is_bounded = !found_def.bases.is_empty();
                            if is_bounded && found_def.kind == DefKind::Alias {
                                declared = Ty::Param(self.program().gid(file, found));
                            }
                            continue;
                        };
                        let ty = self.types.type_ref(file, ty);
                        let args: Args = ancestor.args.iter().map(|arg| asked.fill(arg)).collect();
                        let bindings = self.types.bindings(ancestor.gid, &args, Some(of.clone()));
                        let ty = bindings.fill(&ty);
                        return if found_def.kind == DefKind::Alias
                            || found_def.kind == DefKind::Field
                        {
                            self.settle(&ty)
                        } else {
                            Ty::Unknown
                        };
                    }
                }
                declared
            }
            Ty::Param(gid) => {
                for bound in self.types.bases(*gid) {
                    let bound = self.settle(bound);
                    match self.associated(&bound, name) {
                        Ty::Unknown | Ty::Assoc(..) => {}
                        known => return known,
                    }
                }
                Ty::Assoc(Arc::new(of.clone()), name)
            }
            Ty::Meet(parts) => parts
                .iter()
                .map(|part| self.associated(part, name))
                .find(|ty| *ty != Ty::Unknown)
                .unwrap_or(Ty::Unknown),
            Ty::This | Ty::Assoc(..) => Ty::Assoc(Arc::new(of.clone()), name),
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    /// What a smart pointer points to.
    pub fn dereferenced(&self, on: &Ty) -> Option<Ty> {
        let Ty::Value(gid, _) = on else { return None };
        let (file, _) = self.program().place(*gid);
        let target = self.program().file(file).semantics.deref;
        if target.is_empty() {
            return None;
        }
        match self.associated(on, super::names::hash(target)) {
            Ty::Unknown | Ty::Assoc(..) => None,
            same if same == *on => None,
            known => Some(known),
        }
    }

    /// A value's type as another type it descends from sees it.
    pub fn upcast(&self, from: &Ty, to: Gid) -> Option<Args> {
        let Ty::Value(gid, args) = from else { return None };
        if *gid == to {
            return Some(args.clone());
        }
        let asked = self.types.bindings(*gid, args, None);
        let lineage = self.types.lineage(*gid);
        let ancestor = lineage.ancestors.iter().find(|ancestor| ancestor.gid == to)?;
        Some(ancestor.args.iter().map(|arg| asked.fill(arg)).collect())
    }
}

fn same(a: &Hit, b: &Hit) -> bool {
    match (a, b) {
        (Hit::Def(a, _), Hit::Def(b, _)) => a == b,
        (Hit::Module(a), Hit::Module(b)) => a == b,
        (Hit::Space(a), Hit::Space(b)) => a == b,
        _ => false,
    }
}

fn symbol_hit(symbol: Symbol) -> Hit {
    match symbol {
        Symbol::Def(gid) => Hit::Def(gid, Bindings::default()),
        Symbol::Module(module) => Hit::Module(module),
        Symbol::Space(space) => Hit::Space(space),
        Symbol::Outside => Hit::Outside,
        Symbol::Unknown => Hit::Unknown,
    }
}

fn receiver_of(on: &Ty, this: Ty) -> Ty {
    match on {
        Ty::Module(_) => Ty::Unknown,
        Ty::Param(_) => on.clone(),
        _ => this,
    }
}

/// Type arguments written at a use.
pub fn with_args(ty: Ty, args: Args) -> Ty {
    match ty {
        Ty::Itself(gid, _) => Ty::Itself(gid, args),
        Ty::Value(gid, _) => Ty::Value(gid, args),
        other => other,
    }
}
