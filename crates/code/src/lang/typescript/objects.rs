//! The classes, functions and variables of a file that may be given members by
//! assignment, and the members they were given.
//!
//! Code of the file counts, and that of functions which only wrap it; what an
//! ordinary function keeps in its variables is its own affair.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{BindId, Binding, Builder, DefId, DefKind, Expr, ExprId, Name, TypeRef};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tree_sitter::Node;

/// What a name of the file's own code is.
#[derive(Clone)]
pub(super) enum Object {
    Class(DefId),
    Function(DefId),
    /// A place in the list of variables.
    Variable(usize),
    /// An object literal.
    Record(DefId),
    /// Another name for something.
    SameAs(Box<str>),
    /// Imported, or a parameter: its members are not this file's.
    Foreign,
}

/// A variable that may hold an object.
pub(super) struct Variable {
    pub bind: Option<BindId>,
    /// None while it is a local of a wrapper without members.
    pub def: Option<DefId>,
    pub parent: DefId,
    pub name: Name,
    pub span: Range<usize>,
    pub name_at: usize,
    pub value: ExprId,
    pub record: Option<DefId>,
    pub def_kind: DefKind,
}

/// What members are added to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MemberOwner {
    pub def: DefId,
    /// They are members of the class or function itself.
    pub is_static: bool,
}

impl MemberOwner {
    pub const FILE: MemberOwner = MemberOwner { def: DefId::FILE, is_static: false };
}

/// By function that wraps the file's code, the file first.
pub(super) struct Objects {
    scopes: Vec<FxHashMap<Box<str>, Object>>,
    pub variables: Vec<Variable>,
}

/// Names for names for names: more is a circle.
const MAX_STEPS: usize = 8;

impl Objects {
    pub fn new() -> Self {
        Objects { scopes: vec![FxHashMap::default()], variables: Vec::new() }
    }

    pub fn open(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
    }

    pub fn add(&mut self, path: &str, object: Object) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(path.into(), object);
        }
    }

    pub fn forget(&mut self, path: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.remove(path);
        }
    }

    /// Says what the whole file exports.
    pub fn add_exports(&mut self, object: Object) {
        self.scopes[0].insert("exports".into(), object);
    }

    pub fn find(&self, path: &str) -> Option<&Object> {
        let mut path = path;
        for _ in 0..MAX_STEPS {
            match self.scopes.iter().rev().find_map(|scope| scope.get(path)) {
                Some(Object::SameAs(other)) if **other != *path => path = other,
                found => return found,
            }
        }
        None
    }

    /// A path from its first name, where that is another name for something.
    fn renamed(&self, path: &str) -> Option<String> {
        let (first, rest) = path.split_once('.')?;
        match self.scopes.iter().rev().find_map(|scope| scope.get(first)) {
            Some(Object::SameAs(other)) => Some(format!("{other}.{rest}")),
            _ => None,
        }
    }
}

impl Lower<'_, '_> {
    /// The path of names an expression is: `res`, `A.B`; `exports` for
    /// `module.exports`.
    pub(super) fn path(&self, node: Node<'_>) -> Option<String> {
        let f = fields();
        let mut parts = Vec::new();
        let mut at = node;
        loop {
            match kind(at) {
                Kind::Identifier => {
                    parts.push(self.text(at));
                    break;
                }
                Kind::MemberExpression if parts.len() < MAX_STEPS => {
                    parts.push(self.text(at.child_by_field_id(f.property)?));
                    at = at.child_by_field_id(f.object)?;
                }
                _ => return None,
            }
        }
        if parts.ends_with(&["exports", "module"]) && self.objects.find("module").is_none() {
            parts.pop();
        }
        parts.reverse();
        Some(parts.join("."))
    }

    /// What `path.name = …` adds to.
    pub(super) fn home(&mut self, path: &str) -> Option<MemberOwner> {
        let found = match self.objects.find(path) {
            Some(found) => Some(found.clone()),
            None => {
                let renamed = self.objects.renamed(path);
                renamed.and_then(|path| self.objects.find(&path).cloned())
            }
        };
        match found {
            Some(Object::Class(def) | Object::Function(def)) => {
                Some(MemberOwner { def, is_static: true })
            }
            Some(Object::Variable(at)) => {
                Some(MemberOwner { def: self.record_of(at), is_static: false })
            }
            Some(Object::Record(def)) => Some(MemberOwner { def, is_static: false }),
            Some(Object::SameAs(_) | Object::Foreign) => None,
            None => (path == "exports").then_some(MemberOwner::FILE),
        }
    }

    /// The members of the object a variable holds.
    fn record_of(&mut self, at: usize) -> DefId {
        let variable = &self.objects.variables[at];
        if let Some(record) = variable.record {
            return record;
        }
        let (value, span, name_at) = (variable.value, variable.span.clone(), variable.name_at);
        let def = self.variable_def(at);
        let literal = match self.b.facts.exprs[value.ix()] {
            Expr::Nameless(record) if self.b.facts.def(record).kind == DefKind::Record => {
                Some(record)
            }
            _ => None,
        };
        let record = match literal {
            Some(record) => {
                self.b.def_mut(record).parent = def;
                record
            }
            None => {
                let name = self.b.name("");
                let record = self.b.def_in(def, DefKind::Record, name, span, name_at);
                let nameless = self.b.expr(Expr::Nameless(record));
                self.take_base(record, value);
                let value = if value == Builder::OPAQUE {
                    nameless
                } else {
                    // What it was made of, and what it was given.
                    let own = self.b.type_ref(TypeRef::Record(record));
                    let of = self.b.type_ref(TypeRef::Of(value));
                    let both = self.b.type_ref(TypeRef::Meet([own, of].into()));
                    self.b.expr(Expr::Typed(both))
                };
                self.b.set_value(def, value);
                record
            }
        };
        self.open_records.insert(record);
        self.objects.variables[at].record = Some(record);
        record
    }

    /// An object made of a class has the members of that.
    fn take_base(&mut self, record: DefId, value: ExprId) {
        match self.b.facts.exprs[value.ix()] {
            Expr::Typed(ty) if matches!(self.b.facts.types[ty.ix()], TypeRef::Named(..)) => {
                self.b.def_mut(record).bases = [ty].into();
            }
            Expr::New(class, _) => self.add_base(record, class),
            Expr::Free(..) | Expr::Member(..) => self.add_base(record, value),
            _ => {}
        }
    }

    /// A variable of a wrapper becomes a symbol when it gets members.
    pub(super) fn variable_def(&mut self, at: usize) -> DefId {
        let variable = &self.objects.variables[at];
        if let Some(def) = variable.def {
            return def;
        }
        let (name, span, name_at) = (variable.name, variable.span.clone(), variable.name_at);
        let (parent, value, bind) = (variable.parent, variable.value, variable.bind);
        let def_kind = variable.def_kind;
        let def = self.b.def_in(parent, def_kind, name, span, name_at);
        if value != Builder::OPAQUE {
            self.b.add_value(def, value);
        }
        if let Some(bind) = bind {
            self.b.facts.binds[bind.ix()].to = Binding::Def(def);
        }
        self.objects.variables[at].def = Some(def);
        def
    }

    /// Notes a variable of the file's own code.
    pub(super) fn add_variable(&mut self, variable: Variable) -> usize {
        let path = self.b.text(variable.name).to_owned();
        self.objects.variables.push(variable);
        let at = self.objects.variables.len() - 1;
        self.objects.add(&path, Object::Variable(at));
        at
    }

    /// The member of that name a type, function or object has.
    pub(super) fn member_of(&self, home: DefId, name: Name) -> Option<DefId> {
        self.members.get(&(home, name)).copied()
    }
}
