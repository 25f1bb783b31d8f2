//! What a name means: followed through imports, wildcards and members to a
//! definition, a module or something outside.

use super::layout::{FileIx, Place, Target};
use super::program::{Program, Word};
use super::ty::{Gid, SpaceRef};
use crate::facts::{Bound, DefId, DefKind, Expr, ExprId, Flags, ImportId, Imported, Space};

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

impl Program<'_> {
    pub fn bound_symbol(&self, file: FileIx, bound: &Bound, space: Space, steps: u32) -> Symbol {
        match bound {
            Bound::Def(def) => self.def_symbol(file, *def),
            Bound::Import(import) => self.import_symbol(file, *import, space, steps),
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

    pub fn import_symbol(&self, file: FileIx, id: ImportId, space: Space, steps: u32) -> Symbol {
        if steps > MAX_STEPS {
            return Symbol::Unknown;
        }
        let entry = self.file(file);
        let import = &entry.facts.imports[id.ix()];
        let start = match entry.targets[id.ix()] {
            Target::Outside => return Symbol::Outside,
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
                    let Imported::Name(name) = import.what else { return Symbol::Unknown };
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
            Imported::Module | Imported::Effects | Imported::Wildcard => start,
            Imported::Name(name) => {
                self.symbol_member(start, self.word(file, name), space, steps + 1)
            }
            Imported::Default => match start {
                Symbol::Module(module) => self.default_export(module, space, steps + 1),
                other => other,
            },
        }
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
            .filter(|(_, bind)| !matches!((&bind.to, except), (Bound::Import(id), Some(not)) if *id == not));
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
        if steps > MAX_STEPS {
            return Symbol::Unknown;
        }
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
        if entry.parts.len() > 1 {
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

    pub(super) fn wildcard_symbol(
        &self,
        file: FileIx,
        home: DefId,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        if steps > MAX_STEPS {
            return Symbol::Unknown;
        }
        let entry = self.file(file);
        let mut is_outside = false;
        for id in &entry.wildcards {
            if entry.facts.imports[id.ix()].home != home {
                continue;
            }
            match self.import_symbol(file, *id, space, steps + 1) {
                Symbol::Outside => is_outside = true,
                module => {
                    let found = self.symbol_member(module, word, space, steps + 1);
                    if found != Symbol::Unknown && found != Symbol::Outside {
                        return found;
                    }
                }
            }
        }
        let _ = is_outside;
        Symbol::Unknown
    }

    /// A name of a module, from outside it.
    pub fn module_member(
        &self,
        module: FileIx,
        word: Word<'_>,
        space: Space,
        steps: u32,
    ) -> Symbol {
        if steps > MAX_STEPS {
            return Symbol::Unknown;
        }
        let entry = self.file(module);
        let own = entry.parts.iter().flat_map(|part| {
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
        if let Some(child) = self.layouts[entry.language].child(module, word.text) {
            return Symbol::Module(child);
        }
        entry
            .parts
            .iter()
            .map(|part| self.wildcard_symbol(*part, DefId::FILE, word, space, steps + 1))
            .find(|symbol| *symbol != Symbol::Unknown)
            .unwrap_or(Symbol::Unknown)
    }

    /// A name inside whatever a name means: a module, a namespace, a type.
    pub fn symbol_member(&self, of: Symbol, word: Word<'_>, space: Space, steps: u32) -> Symbol {
        if steps > MAX_STEPS {
            return Symbol::Unknown;
        }
        match of {
            Symbol::Module(module) => self.module_member(module, word, space, steps + 1),
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
                let shared = self.layouts[self.file(file).language].space_of(file, def);
                if let Some(id) = shared {
                    let found = self.space_member(SpaceRef { from: file, id }, word, space);
                    if found != Symbol::Unknown {
                        return found;
                    }
                }
                self.wildcard_symbol(file, def, word, space, steps + 1)
            }
            Symbol::Outside => Symbol::Outside,
            Symbol::Unknown => Symbol::Unknown,
        }
    }

    fn default_export(&self, module: FileIx, space: Space, steps: u32) -> Symbol {
        let word = Word::of("default");
        self.module_member(module, word, space, steps)
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
        if steps > MAX_STEPS {
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
