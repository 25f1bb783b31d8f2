//! What a name means: followed through imports, wildcards and members to a
//! definition, a module or something outside.

use super::budget::{self, Key, KeyKind, Start};
use super::layout::{FileIx, Place, Target};
use super::program::{Program, Word};
use super::ty::{Gid, SpaceRef};
use crate::facts::{
    Binding, DefId, DefKind, Expr, ExprId, Flags, ImportId, ImportedName, Space, TypeRef,
};
use rustc_hash::FxHashSet;

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    Def(Gid),
    Module(FileIx),
    Space(SpaceRef),
    Outside,
    Unknown,
}

/// Imports lead to imports; more steps than this is a circle.
const MAX_STEPS: u32 = 24;

/// Files of one module that are looked at in one step.
const PARTS_PER_STEP: usize = 16;

fn is_too_deep(steps: u32) -> bool {
    if steps > MAX_STEPS {
        budget::too_deep();
    }
    steps > MAX_STEPS
}

/// Looks something up, unless that was done or is being done.
fn once(key: Key, look_up: impl FnOnce() -> Symbol) -> Symbol {
    match budget::begin(key) {
        Start::Known(symbol) => symbol,
        Start::Open => {
            let symbol = look_up();
            budget::end(key, symbol);
            symbol
        }
    }
}

impl Program<'_> {
    pub fn bound_symbol(&self, file: FileIx, bound: &Binding, space: Space, steps: u32) -> Symbol {
        match bound {
            Binding::Def(DefId::FILE) => self.module_value(file, space, steps),
            Binding::Def(def) => self.def_symbol(file, *def),
            Binding::Import(import) => self.import_symbol(file, *import, space, steps),
            _ => Symbol::Unknown,
        }
    }

    fn place_symbol(&self, file: FileIx, def: DefId) -> Symbol {
        if def == DefId::FILE { Symbol::Module(file) } else { self.def_symbol(file, def) }
    }

    /// A module declared here and written elsewhere is that file.
    fn def_symbol(&self, file: FileIx, def: DefId) -> Symbol {
        let entry = self.file(file);
        if entry.facts.def(def).flags.has(Flags::ELSEWHERE) {
            let mut path = vec![entry.facts.def_name(def)];
            let mut at = entry.facts.def(def).parent;
            while at != DefId::FILE {
                path.push(entry.facts.def_name(at));
                at = entry.facts.def(at).parent;
            }
            path.reverse();
            return match self.layouts[entry.language].declared(file, &path) {
                Some(module) => Symbol::Module(module),
                None => Symbol::Unknown,
            };
        }
        Symbol::Def(self.gid(file, def))
    }

    /// Where the path of an import leads.
    pub fn import_target(&self, file: FileIx, id: ImportId) -> Target {
        self.file(file).targets[id.ix()]
    }

    /// What an import means; kept while a file is worked on.
    pub fn import_symbol(&self, file: FileIx, id: ImportId, space: Space, steps: u32) -> Symbol {
        if is_too_deep(steps) {
            return Symbol::Unknown;
        }
        let key = Key { kind: KeyKind::Import, file: file.0, at: id.0, word: 0, space };
        once(key, || self.import_symbol_anew(file, id, space, steps))
    }

    fn import_symbol_anew(&self, file: FileIx, id: ImportId, space: Space, steps: u32) -> Symbol {
        let entry = self.file(file);
        let import = &entry.facts.imports[id.ix()];
        let start = match entry.targets[id.ix()] {
            Target::Outside => return Symbol::Outside,
            Target::NamedModule(module) => return self.module_value(module, space, steps + 1),
            Target::Prelude => {
                let mut symbol = Symbol::Module(self.preludes[entry.language]);
                for name in import.path.iter().skip(1) {
                    symbol =
                        self.symbol_member(symbol, self.word(file, *name), Space::Type, steps + 1);
                }
                symbol
            }
            Target::Module(module) => Symbol::Module(module),
            Target::Space { space, skip } => {
                let mut symbol = Symbol::Space(SpaceRef { from: file, id: space });
                for name in import.path.iter().skip(usize::from(skip)) {
                    symbol =
                        self.symbol_member(symbol, self.word(file, *name), Space::Type, steps + 1);
                }
                symbol
            }
            Target::Within { file: at, def, skip } => {
                let mut symbol = self.place_symbol(at, def);
                for name in import.path.iter().skip(usize::from(skip)) {
                    symbol =
                        self.symbol_member(symbol, self.word(file, *name), Space::Type, steps + 1);
                }
                symbol
            }
            Target::Scope => {
                let mut names = import.path.iter();
                let Some(first) = names.next() else {
                    // A name by itself: a module in sight, or another crate.
                    let ImportedName::Name(name) = import.what else { return Symbol::Unknown };
                    let word = self.word(file, name);
                    return self.scope_symbol(file, import.home, word, space, steps + 1, Some(id));
                };
                let word = self.word(file, *first);
                let mut symbol =
                    self.scope_symbol(file, import.home, word, Space::Type, steps + 1, Some(id));
                if symbol == Symbol::Unknown {
                    return Symbol::Outside;
                }
                for name in names {
                    symbol =
                        self.symbol_member(symbol, self.word(file, *name), Space::Type, steps + 1);
                }
                symbol
            }
        };
        match import.what {
            ImportedName::Module | ImportedName::Documented => match start {
                Symbol::Module(module) => self.module_value(module, space, steps + 1),
                other => other,
            },
            ImportedName::Effects | ImportedName::Wildcard => start,
            ImportedName::Name(name) => {
                self.symbol_member(start, self.word(file, name), space, steps + 1)
            }
            ImportedName::Default => match start {
                Symbol::Module(module) => self.default_export(module, space, steps + 1),
                other => other,
            },
        }
    }

    /// What a file is as a value: what it says it exports as a whole, else the
    /// file with its members.
    fn module_value(&self, file: FileIx, space: Space, steps: u32) -> Symbol {
        match self.exported_whole(file, space, steps) {
            Some(Symbol::Unknown) | None => Symbol::Module(file),
            Some(symbol) => symbol,
        }
    }

    /// What a file exports as a whole, where it says so.
    fn exported_whole(&self, file: FileIx, space: Space, steps: u32) -> Option<Symbol> {
        let name = self.file(file).semantics.module_value;
        if name.is_empty() || is_too_deep(steps) {
            return None;
        }
        let mut found = None;
        for (_, bind) in self.members(file, DefId::FILE, Word::of(name).hash) {
            let symbol = match &bind.to {
                Binding::Def(DefId::FILE) => Symbol::Module(file),
                bound => self.bound_symbol(file, bound, space, steps + 1),
            };
            if matches!(found, None | Some(Symbol::Unknown | Symbol::Outside)) {
                found = Some(symbol);
            }
        }
        found
    }

    /// The members written for the value a variable holds: those of an object
    /// literal, and those assigned to it.
    pub(super) fn object_of(&self, gid: Gid) -> Option<Gid> {
        let def = self.def(gid);
        if !matches!(def.kind, DefKind::Var | DefKind::Const | DefKind::Field) {
            return None;
        }
        let [value] = def.values[..] else { return None };
        let (file, _) = self.place(gid);
        let facts = self.file(file).facts;
        let record = match facts.exprs.get(value.ix())? {
            Expr::Nameless(record) => *record,
            Expr::Typed(ty) => match facts.types.get(ty.ix())? {
                TypeRef::Meet(parts) => match facts.types.get(parts.first()?.ix())? {
                    TypeRef::Record(record) => *record,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        (facts.def(record).kind == DefKind::Record).then(|| self.gid(file, record))
    }

    /// A name met in a module, as that module itself sees it: its own names,
    /// then the wildcards, then what every file sees.
    pub fn scope_symbol(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
        except: Option<ImportId>,
    ) -> Symbol {
        let own = self
            .members(file, home, word.hash)
            .filter(|(_, bind)| bind.space.meets(space))
            .filter(|(_, bind)| !matches!((&bind.to, except), (Binding::Import(id), Some(not)) if *id == not));
        let found =
            self.best(own.map(|(_, bind)| self.bound_symbol(file, &bind.to, space, steps + 1)));
        if found != Symbol::Unknown {
            return found;
        }
        self.free_symbol(file, home, word, space, steps + 1)
    }

    /// What a name not bound in its file means.
    pub fn free_symbol(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        if is_too_deep(steps) {
            return Symbol::Unknown;
        }
        // Asked on the way of another lookup, less of the types around counts.
        if steps > 0 {
            return self.free_symbol_anew(file, home, word, space, steps);
        }
        let key = Key { kind: KeyKind::Free, file: file.0, at: home.0, word: word.hash, space };
        once(key, || self.free_symbol_anew(file, home, word, space, steps))
    }

    fn free_symbol_anew(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        let entry = self.file(file);
        if entry.semantics.spaces {
            let found = self.spaced_symbol(file, home, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
        }
        let by_wildcard = self.wildcard_symbol(file, home, word, space, steps + 1);
        if by_wildcard != Symbol::Unknown {
            return by_wildcard;
        }
        for other in self.layouts[entry.language].ambient(file) {
            let found = self.wildcard_symbol(other, DefId::FILE, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
        }
        if entry.parts().len() > 1 {
            let found = self.module_member(file, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
        }
        let prelude = self.preludes[entry.language];
        let builtin = self.members(prelude, DefId::FILE, word.hash);
        let found = self.best(
            builtin
                .filter(|(_, bind)| bind.space.meets(space))
                .map(|(_, bind)| self.bound_symbol(prelude, &bind.to, space, steps + 1)),
        );
        if found != Symbol::Unknown {
            return found;
        }
        if file != prelude {
            let found = self.wildcard_symbol(prelude, DefId::FILE, word, space, steps + 1);
            if found != Symbol::Unknown {
                return found;
            }
        }
        match self.layouts[entry.language].root(file, entry.facts, home, word.text) {
            Some(Place::At(file, def)) => self.place_symbol(file, def),
            Some(Place::Prelude) => Symbol::Module(prelude),
            None => Symbol::Unknown,
        }
    }

    /// A name that the wildcards of a module bring: those it writes, in their
    /// order, each with what its own target brings by wildcards right after
    /// it. Every module is visited once, so circles and meshes of them end.
    pub(super) fn wildcard_symbol(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        if is_too_deep(steps) || self.file(file).wildcards_of(home).is_empty() {
            return Symbol::Unknown;
        }
        let key = Key { kind: KeyKind::Wildcard, file: file.0, at: home.0, word: word.hash, space };
        once(key, || self.wildcard_symbol_anew((file, home), word, space, steps))
    }

    fn wildcard_symbol_anew(
        &self,
        start: (FileIx, DefId),
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        let mut visited: FxHashSet<(FileIx, DefId)> = FxHashSet::default();
        visited.insert(start);
        // Modules without the name; in a mesh each is met again and again.
        let mut without: FxHashSet<FileIx> = FxHashSet::default();
        // Modules on the way, each with its next wildcard.
        let mut open: Vec<(FileIx, DefId, usize)> = vec![(start.0, start.1, 0)];
        while let Some((file, home, next)) = open.last_mut() {
            let (file, home) = (*file, *home);
            let Some((_, id)) = self.file(file).wildcards_of(home).get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            if !budget::charge(1) {
                return Symbol::Unknown;
            }
            let target = match self.import_target(file, *id) {
                Target::Module(module) if !without.insert(module) => continue,
                Target::Module(module) => Symbol::Module(module),
                _ => self.import_symbol(file, *id, space, steps + 1),
            };
            match self.own_member(target, word, space, steps + 1) {
                Symbol::Unknown => {
                    let further = self.wildcard_homes(target).into_iter().rev();
                    let new = further.filter(|home| visited.insert(*home));
                    open.extend(new.map(|(file, home)| (file, home, 0)));
                }
                Symbol::Outside => {}
                found => return found,
            }
        }
        Symbol::Unknown
    }

    /// Where the wildcards are written whose names are names of a symbol.
    fn wildcard_homes(&self, of: Symbol) -> Vec<(FileIx, DefId)> {
        let homes: Vec<(FileIx, DefId)> = match of {
            Symbol::Module(module) => {
                self.file(module).parts().iter().map(|part| (*part, DefId::FILE)).collect()
            }
            Symbol::Def(gid) => vec![self.place(gid)],
            Symbol::Space(_) | Symbol::Outside | Symbol::Unknown => Vec::new(),
        };
        let has_any =
            |(file, home): &(FileIx, DefId)| !self.file(*file).wildcards_of(*home).is_empty();
        homes.into_iter().filter(has_any).collect()
    }

    /// A name of a module, from outside it.
    pub fn module_member(
        &self,
        module: FileIx,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        self.symbol_member(Symbol::Module(module), word, space, steps)
    }

    /// A name inside whatever a name means: a module, a namespace, a type.
    pub fn symbol_member(&self, of: Symbol, word: Word<'_>, space: Space, steps: u32) -> Symbol {
        if is_too_deep(steps) {
            return Symbol::Unknown;
        }
        let own = self.own_member(of, word, space, steps + 1);
        if own != Symbol::Unknown {
            return own;
        }
        self.wildcard_homes(of)
            .into_iter()
            .map(|(file, home)| self.wildcard_symbol(file, home, word, space, steps + 1))
            .find(|symbol| *symbol != Symbol::Unknown)
            .unwrap_or(Symbol::Unknown)
    }

    /// The same without what wildcards bring.
    fn own_member(&self, of: Symbol, word: Word<'_>, space: Space, steps: u32) -> Symbol {
        match of {
            Symbol::Module(module) => self.own_module_member(module, word, space, steps),
            Symbol::Space(at) => self.space_member(at, word, space),
            Symbol::Def(gid) => {
                let (file, def) = self.place(gid);
                let own = self
                    .members(file, def, word.hash)
                    .filter(|(_, bind)| bind.space.meets(space))
                    .map(|(_, bind)| self.bound_symbol(file, &bind.to, space, steps + 1));
                let found = self.best(own);
                if found != Symbol::Unknown {
                    return found;
                }
                if let Some(object) = self.object_of(gid) {
                    return self.own_member(Symbol::Def(object), word, space, steps + 1);
                }
                let shared = self.layouts[self.file(file).language].space_of(file, def);
                shared.map_or(Symbol::Unknown, |id| {
                    self.space_member(SpaceRef { from: file, id }, word, space)
                })
            }
            Symbol::Outside => Symbol::Outside,
            Symbol::Unknown => Symbol::Unknown,
        }
    }

    fn own_module_member(
        &self,
        module: FileIx,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        let entry = self.file(module);
        if !budget::charge(entry.parts().len() / PARTS_PER_STEP) {
            return Symbol::Unknown;
        }
        // What is exported as a whole has the say: other names stay inside.
        if !entry.semantics.module_value.is_empty()
            && word.text != entry.semantics.module_value
            && let Some(whole @ (Symbol::Def(_) | Symbol::Module(_))) =
                self.exported_whole(module, space, steps + 1)
            && whole != Symbol::Module(module)
        {
            let found = self.symbol_member(whole, word, space, steps + 1);
            if !matches!(found, Symbol::Unknown | Symbol::Outside) {
                return found;
            }
        }
        let own = entry.parts().iter().flat_map(|part| {
            self.members(*part, DefId::FILE, word.hash)
                .filter(move |(_, bind)| bind.space.meets(space))
                .map(|(_, bind)| self.bound_symbol(*part, &bind.to, space, steps + 1))
        });
        let found = self.best(own);
        if found != Symbol::Unknown {
            return found;
        }
        if entry.is_outside {
            // The modules of the standard library are not told apart.
            let is_module = word.text.starts_with(|c: char| c.is_ascii_lowercase());
            return if is_module { Symbol::Module(module) } else { Symbol::Outside };
        }
        if let Some(id) = self.layouts[entry.language].space_of(module, DefId::FILE) {
            let found = self.space_member(SpaceRef { from: module, id }, word, space);
            if found != Symbol::Unknown {
                return found;
            }
        }
        let child = self.layouts[entry.language].child(module, word.text);
        child.map_or(Symbol::Unknown, Symbol::Module)
    }

    fn default_export(&self, module: FileIx, space: Space, steps: u32) -> Symbol {
        let word = Word::of("default");
        match self.module_member(module, word, space, steps) {
            // A module of the older kind: its default is all it exports.
            Symbol::Unknown => {
                self.exported_whole(module, space, steps + 1).unwrap_or(Symbol::Unknown)
            }
            found => found,
        }
    }

    /// Of several meanings of one name the one that says most.
    pub(super) fn best(&self, symbols: impl Iterator<Item = Symbol>) -> Symbol {
        let rank = |symbol: &Symbol| match symbol {
            Symbol::Def(gid) => {
                let def = self.def(*gid);
                match def.kind {
                    DefKind::Var | DefKind::Const | DefKind::Field => 2,
                    _ if def.flags.has(Flags::OVERLOAD) => 3,
                    _ => 4,
                }
            }
            Symbol::Module(_) | Symbol::Space(_) => 4,
            Symbol::Outside => 1,
            Symbol::Unknown => 0,
        };
        let mut best = Symbol::Unknown;
        for symbol in symbols {
            if rank(&symbol) > rank(&best) {
                best = symbol;
            }
        }
        best
    }

    /// What a path in the space of types means.
    pub fn type_path(&self, file: FileIx, path: ExprId, steps: u32) -> Symbol {
        if is_too_deep(steps) {
            return Symbol::Unknown;
        }
        let entry = self.file(file);
        match &entry.facts.exprs[path.ix()] {
            Expr::Local(_, binds) => self.best(binds.iter().map(|bind| {
                self.bound_symbol(file, &entry.facts.binds[bind.ix()].to, Space::Type, steps + 1)
            })),
            Expr::Free(name, home) => {
                self.free_symbol(file, *home, self.word(file, *name), Space::Type, steps + 1)
            }
            Expr::Member(base, name) => {
                let base = self.type_path(file, *base, steps + 1);
                self.symbol_member(base, self.word(file, *name), Space::Type, steps + 1)
            }
            Expr::Generic(inner, _) => self.type_path(file, *inner, steps + 1),
            _ => Symbol::Unknown,
        }
    }
}
