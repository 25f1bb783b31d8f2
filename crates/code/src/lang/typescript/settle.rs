//! Bases of classes and objects, and what can be told only when all names of a
//! file are known.

use super::Lower;
use super::assignments::MemberPlace;
use super::kinds::{Kind, kind};
use super::objects::MemberOwner;
use crate::facts::{BindId, Binding, Builder, DefId, DefKind, Expr, ExprId, Name, Space, TypeRef};
use std::ops::Range;
use tree_sitter::Node;

/// A member that is what a name stands for, told when all names are known.
pub(super) struct NamedMember {
    pub home: MemberOwner,
    pub name: Name,
    pub value: ExprId,
    pub span: Range<usize>,
    pub name_at: usize,
}

/// One type takes members from another.
pub(super) struct Derivation {
    of: ExprId,
    base: ExprId,
}

impl Lower<'_, '_> {
    /// `X.prototype = value`.
    pub(super) fn set_prototype(&mut self, class: DefId, value: Node<'_>) -> ExprId {
        if kind(value) == Kind::Object {
            self.add_members(MemberOwner { def: class, is_static: false }, value);
            return Builder::OPAQUE;
        }
        // `Object.create(Base.prototype)`, `new Base()`.
        let made = self.expression(value);
        match self.b.facts.exprs[made.ix()] {
            Expr::Typed(ty) => {
                if let TypeRef::Named(path, _) = self.b.facts.types[ty.ix()] {
                    self.add_base(class, path);
                }
            }
            Expr::New(base, _) => self.add_base(class, base),
            _ => {}
        }
        made
    }

    /// A class has the members of what a path leads to.
    pub(super) fn add_base(&mut self, class: DefId, base: ExprId) {
        let base = self.without_prototype(base);
        if base == Builder::OPAQUE {
            return;
        }
        let base = self.b.type_ref(TypeRef::Named(base, Box::default()));
        let mut bases = self.b.facts.def(class).bases.to_vec();
        if bases.len() < 16 {
            // What is mixed in later hides what was there before.
            bases.insert(0, base);
            self.b.def_mut(class).bases = bases.into();
        }
    }

    /// `X` of `X.prototype`.
    pub(super) fn without_prototype(&self, id: ExprId) -> ExprId {
        match self.b.facts.exprs[id.ix()] {
            Expr::Member(base, name) if self.b.text(name) == "prototype" => base,
            _ => id,
        }
    }

    /// Says that one value takes its members from another, by what stands for them.
    pub(super) fn derive(&mut self, of: ExprId, base: ExprId) {
        let (of, base) = (self.without_prototype(of), self.without_prototype(base));
        let is_name = |id: ExprId| {
            matches!(
                self.b.facts.exprs[id.ix()],
                Expr::Free(..) | Expr::Member(..) | Expr::Local(..)
            )
        };
        if is_name(of) && is_name(base) {
            self.derivations.push(Derivation { of, base });
        }
    }

    /// What could be told only when all names are known.
    pub(super) fn finish(&mut self) {
        let named = std::mem::take(&mut self.named_members);
        let derivations = std::mem::take(&mut self.derivations);
        let asked: Vec<ExprId> = named.iter().map(|one| one.value).collect();
        let heirs: Vec<ExprId> = derivations.iter().map(|one| one.of).collect();
        let bound = self.b.bound_by(&asked);
        let heirs = self.b.bound_by(&heirs);
        for (one, binds) in named.into_iter().zip(bound) {
            self.settle_member(one, &binds);
        }
        let whole = self.b.name(super::MODULE_VALUE);
        if self.has_exports && self.b.facts.binds.iter().all(|bind| bind.name != whole) {
            // A module of the older kind, all the same.
            self.bind_whole(Binding::Def(DefId::FILE));
        }
        for (Derivation { base, .. }, binds) in derivations.into_iter().zip(heirs) {
            let heir = binds.iter().find_map(|bind| match self.b.facts.binds[bind.ix()].to {
                Binding::Def(def) => Some(def),
                _ => None,
            });
            let Some(heir) = heir else { continue };
            match self.b.facts.def(heir).kind {
                DefKind::Class | DefKind::Function => self.add_base(heir, base),
                DefKind::Var | DefKind::Const => {
                    if let Some(value) = self.b.value_of(heir)
                        && let Expr::Nameless(record) = self.b.facts.exprs[value.ix()]
                        && self.b.facts.def(record).kind == DefKind::Record
                    {
                        self.add_base(record, base);
                    }
                }
                _ => {}
            }
        }
    }

    fn settle_member(&mut self, one: NamedMember, binds: &[BindId]) {
        let NamedMember { home, name, value, span, name_at } = one;
        let mut to: Vec<Binding> = Vec::new();
        for bind in binds {
            let bind = &self.b.facts.binds[bind.ix()];
            // Known under its own name already.
            if bind.home == Some(home.def) && bind.name == name {
                return;
            }
            if matches!(bind.to, Binding::Def(_) | Binding::Import(_)) && !to.contains(&bind.to) {
                to.push(bind.to.clone());
            }
        }
        // Another name for itself says nothing.
        if to.is_empty() {
            let is_whole = self.b.text(name) == super::MODULE_VALUE;
            let name_of = if is_whole { self.b.name("default") } else { name };
            let place = MemberPlace { home, name: name_of, name_at, path: None };
            if self.member_of(home.def, name_of).is_none() {
                let def = self.value_def(&place, span);
                self.b.add_value(def, value);
                if is_whole {
                    self.bind_whole(Binding::Def(def));
                }
            }
            return;
        }
        for to in to {
            self.b.bind_member(home.def, name, Space::Both, to);
        }
    }
}
