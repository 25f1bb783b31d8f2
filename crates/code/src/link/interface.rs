//! What other files can see of a file, as one number.
//!
//! Definitions count with their numbers (conclusions name them by number),
//! types and imports with what they say; places in the text, calls, and what
//! happens inside functions do not count. Where its imports lead counts too:
//! others follow them.

use super::layout::FileIx;
use super::program::Program;
use crate::facts::{
    Binding, Def, DefKind, Expr, ExprId, FileFacts, Flags, Import, ImportId, ImportedName, Name,
    TypeId, TypeRef,
};
use model::hash::Hash32;

/// Types nest less deeply than this.
const MAX_DEPTH: u32 = 64;

pub(super) fn interface(program: &Program<'_>, file: FileIx) -> u64 {
    let facts = program.file(file).facts;
    let mut print = Print { facts, bytes: Vec::with_capacity(64 * facts.defs.len()) };
    for def in &facts.defs {
        print.def(def);
    }
    for bind in &facts.binds {
        let Some(home) = bind.home else { continue };
        print.number(home.0).text(bind.name).number(bind.space as u32);
        print.bound(&bind.to);
    }
    for import in &facts.imports {
        print.import(import);
    }
    for connection in program.connections(file) {
        print.bytes.extend_from_slice(&connection.to_le_bytes());
    }
    first_eight(Hash32::of(&print.bytes))
}

fn first_eight(hash: Hash32) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_be_bytes(first)
}

struct Print<'f> {
    facts: &'f FileFacts,
    bytes: Vec<u8>,
}

impl Print<'_> {
    fn number(&mut self, number: u32) -> &mut Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn tag(&mut self, tag: u8) -> &mut Self {
        self.bytes.push(tag);
        self
    }

    fn text(&mut self, name: Name) -> &mut Self {
        let text = self.facts.text(name);
        self.bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    fn def(&mut self, def: &Def) {
        self.text(def.name).tag(def.kind as u8).number(def.parent.0).number(def.flags.0);
        self.tag(def.visibility as u8).number(def.params.len() as u32);
        for param in &def.params {
            self.text(param.name).tag(param.kind as u8).tag(u8::from(param.default.is_some()));
            self.ty(param.ty, 0);
        }
        self.number(def.type_params.len() as u32);
        for param in &def.type_params {
            self.number(param.0);
        }
        self.ty(def.ty, 0);
        self.number(def.bases.len() as u32);
        for base in &def.bases {
            self.ty(Some(*base), 0);
        }
        // A constant that only names a function stands for it, and one that
        // holds an object has the members of that.
        self.number(def.values.len() as u32);
        let facts = self.facts;
        for value in &def.values {
            match facts.exprs.get(value.ix()) {
                Some(Expr::Local(..) | Expr::Free(..) | Expr::Member(..)) => {
                    self.tag(1);
                }
                Some(Expr::Nameless(object)) if facts.def(*object).kind == DefKind::Record => {
                    self.tag(2).number(object.0);
                }
                Some(Expr::Typed(ty)) if matches!(facts.types[ty.ix()], TypeRef::Meet(_)) => {
                    self.tag(3).ty(Some(*ty), 0);
                }
                _ => {
                    self.tag(0);
                }
            }
        }
        if def.flags.has(Flags::ELSEWHERE)
            && let Some(signature) = def.signature
        {
            self.text(signature);
        }
    }

    fn ty(&mut self, id: Option<TypeId>, depth: u32) {
        let Some(id) = id else {
            self.tag(0);
            return;
        };
        if depth > MAX_DEPTH {
            self.tag(1).number(id.0);
            return;
        }
        let facts = self.facts;
        let Some(ty) = facts.types.get(id.ix()) else {
            self.tag(0);
            return;
        };
        let all = |print: &mut Self, parts: &[TypeId]| {
            print.number(parts.len() as u32);
            for part in parts {
                print.ty(Some(*part), depth + 1);
            }
        };
        let one = |print: &mut Self, part: TypeId| print.ty(Some(part), depth + 1);
        match ty {
            TypeRef::Opaque | TypeRef::Of(_) => {
                self.tag(2);
            }
            TypeRef::Named(path, args) => {
                self.tag(3).path(*path, 0);
                all(self, args);
            }
            TypeRef::Union(parts) => all(self.tag(4), parts),
            TypeRef::Meet(parts) => all(self.tag(5), parts),
            TypeRef::Tuple(parts) => all(self.tag(6), parts),
            TypeRef::List(element) => one(self.tag(7), *element),
            TypeRef::Map(key, value) => {
                one(self.tag(8), *key);
                one(self, *value);
            }
            TypeRef::Function(params, result) => {
                all(self.tag(9), params);
                self.ty(*result, depth + 1);
            }
            TypeRef::Itself => {
                self.tag(10);
            }
            TypeRef::Record(def) => {
                self.tag(11).number(def.0);
            }
            TypeRef::ClassOf(ty) => one(self.tag(12), *ty),
            TypeRef::Assoc(ty, name) => one(self.tag(13).text(*name), *ty),
            TypeRef::AssocIs(name, ty) => one(self.tag(14).text(*name), *ty),
            TypeRef::Lookup(ty, name) => one(self.tag(15).text(*name), *ty),
            TypeRef::Literal(literal) => {
                self.tag(16).tag(*literal as u8);
            }
        }
    }

    /// A path in the space of types.
    fn path(&mut self, id: ExprId, depth: u32) {
        let facts = self.facts;
        match facts.exprs.get(id.ix()) {
            Some(Expr::Local(name, binds)) => {
                self.tag(1).text(*name).number(binds.len() as u32);
                for bind in binds {
                    if let Some(bind) = facts.binds.get(bind.ix()) {
                        self.bound(&bind.to);
                    }
                }
            }
            Some(Expr::Free(name, home)) => {
                self.tag(2).text(*name).number(home.0);
            }
            Some(Expr::Member(base, name)) if depth < MAX_DEPTH => {
                self.tag(3).text(*name).path(*base, depth + 1);
            }
            Some(Expr::Generic(inner, _)) if depth < MAX_DEPTH => {
                self.tag(4).path(*inner, depth + 1);
            }
            _ => {
                self.tag(0);
            }
        }
    }

    fn bound(&mut self, bound: &Binding) {
        match bound {
            Binding::Def(def) => {
                self.tag(1).number(def.0);
            }
            Binding::Import(id) => {
                self.tag(2).imported(*id);
            }
            Binding::Param { .. } => {
                self.tag(3);
            }
            Binding::Var { .. } => {
                self.tag(4);
            }
            Binding::Narrowed { .. } => {
                self.tag(5);
            }
        }
    }

    fn imported(&mut self, id: ImportId) {
        let facts = self.facts;
        if let Some(import) = facts.imports.get(id.ix()) {
            self.import(import);
        }
    }

    fn import(&mut self, import: &Import) {
        self.number(import.path.len() as u32);
        for name in &import.path {
            self.text(*name);
        }
        match import.what {
            ImportedName::Module => self.tag(1),
            ImportedName::Name(name) => self.tag(2).text(name),
            ImportedName::Default => self.tag(3),
            ImportedName::Wildcard => self.tag(4),
            ImportedName::Effects => self.tag(5),
            ImportedName::Documented => self.tag(6),
        };
        self.tag(import.level).tag(u8::from(import.is_reexport));
        self.tag(u8::from(import.is_type_only)).number(import.home.0);
    }
}
