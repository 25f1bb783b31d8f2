//! Names that no scope of their file binds, in languages whose types give
//! their members names to use without a receiver, and whose namespaces span
//! files.

use super::budget;
use super::eval::{Eval, Hit};
use super::layout::{FileIx, InSpace};
use super::program::{Program, Word};
use super::symbols::Symbol;
use super::ty::{Gid, SpaceRef, Ty};
use crate::facts::{DefId, DefKind, Space, TypeRef};
use rustc_hash::FxHashSet;

/// Bases of bases that are asked for the types they hold.
const MAX_BASES: usize = 8;

impl Program<'_> {
    /// A name met in a type or module: the types around, their bases, the
    /// namespace, what is imported whole, and the namespaces around.
    pub(super) fn spaced_symbol(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        let facts = self.file(file).facts;
        let mut at = home;
        while facts.def(at).kind != DefKind::Module {
            let found = self.type_scope_symbol(file, at, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
            at = facts.def(at).parent;
        }
        let own = self.layout(file).space_of(file, at);
        let in_space = |id| self.space_member(SpaceRef { from: file, id }, word, space);
        if let Some(found) = own.map(in_space).filter(|found| *found != Symbol::Unknown) {
            return found;
        }
        loop {
            let found = self.wildcard_symbol(file, at, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
            if at == DefId::FILE {
                break;
            }
            at = facts.def(at).parent;
        }
        let mut outer = own.and_then(|own| self.layout(file).outer_space(own));
        while let Some(id) = outer {
            let found = in_space(id);
            if found != Symbol::Unknown {
                return found;
            }
            outer = self.layout(file).outer_space(id);
        }
        // A path from the top begins with the name of a namespace.
        match in_space(0) {
            top @ Symbol::Space(_) => top,
            _ => Symbol::Unknown,
        }
    }

    /// A name of a type around, or of one of its bases.
    fn type_scope_symbol(
        &self,
        file: FileIx,
        at: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        let def = self.file(file).facts.def(at);
        let symbol = match def.kind {
            DefKind::Impl if steps < 6 => {
                def.ty.map_or(Symbol::Unknown, |ty| match &self.file(file).facts.types[ty.ix()] {
                    TypeRef::Named(path, _) => self.type_path(file, *path, steps + 8),
                    _ => Symbol::Unknown,
                })
            }
            kind if kind.is_type() => Symbol::Def(self.gid(file, at)),
            _ => return Symbol::Unknown,
        };
        let found = self.symbol_member(symbol, word, space, steps + 1);
        // Asked on behalf of a base already: its bases are not asked again.
        if found != Symbol::Unknown || steps > 6 {
            return found;
        }
        let mut open = vec![symbol];
        let mut next = 0;
        while let Some(symbol) = open.get(next).copied()
            && next < MAX_BASES
        {
            next += 1;
            let Symbol::Def(gid) = symbol else { continue };
            let (at, id) = self.place(gid);
            let facts = self.file(at).facts;
            for base in &facts.def(id).bases {
                let TypeRef::Named(path, _) = &facts.types[base.ix()] else { continue };
                if !budget::charge(1) {
                    return Symbol::Unknown;
                }
                let base = self.type_path(at, *path, steps + 8);
                let found = self.symbol_member(base, word, space, steps + 8);
                if matches!(found, Symbol::Def(_)) {
                    return found;
                }
                open.push(base);
            }
        }
        Symbol::Unknown
    }

    /// A name of a namespace that spans files.
    pub(super) fn space_member(&self, at: SpaceRef, word: Word<'_>, space: Space) -> Symbol {
        let found = self.layout(at.from).in_space(at.from, at.id, word.text).into_iter();
        let symbols = found.map(|found| match found {
            InSpace::Def(file, def) => Symbol::Def(self.gid(file, def)),
            InSpace::Space(id) => Symbol::Space(SpaceRef { from: at.from, id }),
        });
        self.best(symbols.filter(|symbol| match symbol {
            Symbol::Def(gid) if space == Space::Type => {
                let kind = self.def(*gid).kind;
                kind.is_type() || matches!(kind, DefKind::Alias | DefKind::TypeParam)
            }
            _ => true,
        }))
    }

    /// The functions that share a name and a namespace with one, itself first.
    pub(super) fn siblings(&self, from: FileIx, gid: Gid) -> Vec<Gid> {
        let (file, id) = self.place(gid);
        let facts = self.file(file).facts;
        let def = facts.def(id);
        let word = self.word(file, def.name);
        let mut found = vec![gid];
        let is_rival = |other: &Gid| {
            self.def(*other).kind == DefKind::Function && self.def(*other).name_line > 0
        };
        if let Some(space) = self.layout(file).space_of(file, def.parent) {
            let all = self.layout(file).in_space(from, space, word.text);
            found.extend(all.into_iter().filter_map(|other| match other {
                InSpace::Def(file, def) => Some(self.gid(file, def)).filter(is_rival),
                InSpace::Space(_) => None,
            }));
        }
        found.extend(self.members(file, def.parent, word.hash).filter_map(
            |(_, bind)| match bind.to {
                crate::facts::Binding::Def(def) => Some(self.gid(file, def)).filter(is_rival),
                _ => None,
            },
        ));
        let mut seen: FxHashSet<Gid> = FxHashSet::default();
        found.retain(|gid| seen.insert(*gid));
        found
    }
}

impl Eval<'_, '_> {
    /// What a name met in a type or module means: a member of the types
    /// around it, inherited ones included, or what the module sees.
    pub fn free_hit(&self, home: DefId, word: Word<'_>) -> Hit {
        let facts = self.file().facts;
        let mut at = home;
        let mut is_open = false;
        if self.file().semantics.spaces {
            while facts.def(at).kind != DefKind::Module {
                let kind = facts.def(at).kind;
                if kind == DefKind::Variant
                    && let Some(gid) = self.member_of_case(at, word)
                {
                    return Hit::Def(gid, super::ty::Bindings::default());
                }
                if kind.is_type() || kind == DefKind::Impl {
                    let this = self.this(at);
                    match self.member(&this, word) {
                        hit @ Hit::Def(..) => return hit,
                        Hit::Outside => is_open = true,
                        _ => {}
                    }
                }
                at = facts.def(at).parent;
            }
        }
        let found = |space| self.program().free_symbol(self.at, home, word, space, 0);
        let overloads = self.asked.get().is_some() && self.file().semantics.overloads;
        match super::eval::value_first(found) {
            // A method of a type around that does not take these arguments, or one of
            // several of a name that an import gives.
            Symbol::Def(gid) if overloads && self.program().def(gid).kind == DefKind::Method => {
                if let hit @ Hit::Def(..) = self.method_of_owner(gid, word) {
                    hit
                } else if is_open {
                    Hit::Outside
                } else {
                    Hit::Unknown
                }
            }
            Symbol::Def(gid) => Hit::Def(gid, super::ty::Bindings::default()),
            Symbol::Module(module) => Hit::Module(module),
            Symbol::Space(space) => Hit::Space(space),
            Symbol::Outside => Hit::Outside,
            Symbol::Unknown if is_open => Hit::Outside,
            Symbol::Unknown => Hit::Unknown,
        }
    }

    /// Of the methods that share a name and a type with one, the one that is asked for.
    pub(super) fn method_of_owner(&self, method: Gid, word: Word<'_>) -> Hit {
        let (file, id) = self.program().place(method);
        let owner = self.program().file(file).facts.def(id).parent;
        self.member(&Ty::itself(self.program().gid(file, owner)), word)
    }

    /// A member that a case of an enum has for itself.
    fn member_of_case(&self, case: DefId, word: Word<'_>) -> Option<Gid> {
        let own = self.program().members(self.at, case, word.hash);
        let own = own.filter_map(|(_, bind)| match bind.to {
            crate::facts::Binding::Def(def) => Some(self.program().gid(self.at, def)),
            _ => None,
        });
        let own: Vec<Gid> = own.collect();
        if self.asked.get().is_some() && self.file().semantics.overloads {
            return self.choose(&own);
        }
        own.first().copied()
    }

    /// The same as a value.
    pub fn free_ty(&self, home: DefId, word: Word<'_>) -> Ty {
        match self.free_hit(home, word) {
            Hit::Def(gid, bindings) => self.hit_ty(gid, &bindings, &Ty::Unknown),
            Hit::Module(module) => Ty::Module(module),
            Hit::Space(space) => Ty::Space(space),
            Hit::Outside => Ty::Outside,
            Hit::Unknown => Ty::Unknown,
        }
    }
}
