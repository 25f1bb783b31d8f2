//! Functions that are classes, and calls that give classes and objects their
//! members and bases.

use super::Lower;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use super::objects::MemberOwner;
use super::prototypes::is_inheriting;
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, Name, ScopeKind, Space, TypeRef,
};
use crate::lang::grammar::named_children;
use std::ops::Range;
use tree_sitter::Node;

/// A function or an object literal that is an argument and defines members.
pub(super) enum MemberSource {
    /// This member of a home, read like a field or called.
    Member { home: MemberOwner, name: Name, name_at: usize, span: Range<usize>, is_property: bool },
    /// All of its members are those of a home.
    Members(MemberOwner),
}

/// Functions that copy the members of their further arguments to the first.
fn is_merging(name: &str) -> bool {
    matches!(name, "assign" | "extend" | "_extend" | "mixin" | "merge" | "mixins")
}

impl<'s> Lower<'_, 's> {
    /// Whether a function is a class: its prototype is spoken of, or it is named
    /// as one and gives `this` members.
    pub(super) fn is_constructor(&self, function: Node<'_>, name: Name) -> bool {
        if kind(function) == Kind::ArrowFunction {
            return false;
        }
        if self.prototypes.constructors.contains(&function.id()) {
            return true;
        }
        let is_named_so = self.b.text(name).starts_with(|c: char| c.is_ascii_uppercase());
        is_named_so && assigns_to_this(function)
    }

    /// The class a constructor function is, without its body.
    pub(super) fn class_def(
        &mut self,
        parent: DefId,
        name: Name,
        name_at: usize,
        function: Node<'_>,
        span: Range<usize>,
    ) -> DefId {
        let body = function.child_by_field_id(fields().body);
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        let signature = self.b.signature(span.start..end);
        let class = self.b.def_in(parent, DefKind::Class, name, span, name_at);
        self.b.def_mut(class).signature = signature;
        self.classes.insert(function.id(), class);
        class
    }

    /// The body of a constructor function, as the constructor of its class.
    pub(super) fn constructor(&mut self, class: DefId, function: Node<'_>) {
        self.b.enter(class, ScopeKind::Block);
        if let Some(own) = super::assignments::function_name(function) {
            let name = self.name(own);
            self.b.bind(name, Space::Both, Binding::Def(class), own.start_byte());
        }
        let name = self.b.name("constructor");
        let class_def = self.b.facts.def(class);
        let (name_line, name_col) = (class_def.name_line, class_def.name_col);
        let span = function.byte_range();
        let start = span.start;
        let def = self.b.def_in(class, DefKind::Method, name, span, start);
        let made = self.b.def_mut(def);
        (made.name_line, made.name_col) = (name_line, name_col);
        made.flags.add(Flags::CONSTRUCTOR);
        self.members.insert((class, name), def);
        self.b.bind_member(class, name, Space::Value, Binding::Def(def));
        self.callable(def, function, None);
        self.b.leave();
    }

    /// A definition without a name for the members of an object literal.
    pub(super) fn record(&mut self, node: Node<'_>) -> MemberOwner {
        let name = self.b.name("");
        let def = self.b.def(DefKind::Record, name, node.byte_range(), node.start_byte());
        MemberOwner { def, is_static: false }
    }

    /// The object a file exports: what it names is exported by that name.
    pub(super) fn export_object(&mut self, home: MemberOwner, node: Node<'_>) {
        self.object_members(home, node, true);
    }

    /// Adds the members of an object literal to a class, function or object.
    pub(super) fn add_members(&mut self, home: MemberOwner, node: Node<'_>) {
        self.object_members(home, node, false);
    }

    fn object_members(&mut self, home: MemberOwner, node: Node<'_>, exports: bool) {
        let f = fields();
        self.b.enter(home.def, ScopeKind::Block);
        for part in named_children(node) {
            match kind(part) {
                Kind::MethodDefinition => {
                    let first = self.b.facts.defs.len();
                    self.method(home.def, part);
                    if home.is_static
                        && let Some(made) = self.b.facts.defs.get_mut(first)
                    {
                        made.flags.add(Flags::STATIC);
                    }
                }
                Kind::Pair => {
                    let (Some(key), Some(value)) =
                        (part.child_by_field_id(f.key), part.child_by_field_id(f.value))
                    else {
                        continue;
                    };
                    self.object_pair(home, part, (key, value), exports);
                }
                Kind::ShorthandProperty if exports => self.exported_name(home, part, part),
                Kind::ShorthandProperty => {
                    let name = self.name(part);
                    let value = self.b.lookup(name, Space::Value, part.start_byte());
                    self.object_field(home, part, part, value);
                }
                Kind::SpreadElement => {
                    if let Some(inner) = part.named_child(0) {
                        let value = self.expression(inner);
                        if matches!(
                            self.b.facts.exprs[value.ix()],
                            Expr::Free(..) | Expr::Local(..) | Expr::Member(..)
                        ) {
                            self.add_base(home.def, value);
                        }
                    }
                }
                _ => {
                    self.expression(part);
                }
            }
        }
        self.b.leave();
    }

    fn object_pair(
        &mut self,
        home: MemberOwner,
        part: Node<'_>,
        (key, value): (Node<'_>, Node<'_>),
        exports: bool,
    ) {
        let is_class = self.b.facts.def(home.def).kind == DefKind::Class;
        if is_class && self.text(key) == "constructor" {
            self.expression(value);
            return;
        }
        let name = self.name(key);
        if is_function(value) {
            if self.member_of(home.def, name).is_none() {
                let method = self.member_def(home.def, DefKind::Method, key, part);
                if home.is_static {
                    self.b.def_mut(method).flags.add(Flags::STATIC);
                }
                self.callable(method, value, None);
            } else {
                self.function_def(home, name, key.start_byte(), value, part.byte_range());
            }
        } else if exports && kind(value) == Kind::Identifier {
            self.exported_name(home, key, value);
        } else if exports && let Some((source, what)) = self.required_module(value) {
            self.bind_import(home, name, source, what);
        } else {
            let value = self.expression(value);
            self.object_field(home, key, part, value);
        }
    }

    fn object_field(&mut self, home: MemberOwner, key: Node<'_>, part: Node<'_>, value: ExprId) {
        let name = self.name(key);
        let field = match self.member_of(home.def, name) {
            Some(known) => known,
            None => {
                let field = self.member_def(home.def, DefKind::Field, key, part);
                if home.is_static {
                    self.b.def_mut(field).flags.add(Flags::STATIC);
                }
                field
            }
        };
        if value != Builder::OPAQUE && self.b.facts.def(field).kind == DefKind::Field {
            self.b.add_value(field, value);
            self.hold_object(value, field);
        }
    }

    /// `{ a }`, `{ b: a }` of what a file exports.
    fn exported_name(&mut self, home: MemberOwner, key: Node<'_>, value: Node<'_>) {
        let inner = self.name(value);
        let used = self.b.lookup(inner, Space::Value, value.start_byte());
        let name = self.name(key);
        self.exported_member(home, name, used, key);
    }

    /// What a call by itself says of members and bases, before it is walked:
    /// the arguments that define something are kept for when they are met.
    pub(super) fn defining_call(&mut self, call: Node<'_>, whole: Node<'_>) {
        let f = fields();
        let Some(function) = call.child_by_field_id(f.function) else { return };
        let called = self.last_name(function);
        let arguments = call.child_by_field_id(f.arguments).map(named_children);
        let arguments = arguments.unwrap_or_default();
        let [first, rest @ ..] = &arguments[..] else { return };
        if is_merging(called) {
            let Some(home) = self.home_of(*first) else { return };
            for argument in rest.iter().filter(|argument| kind(**argument) == Kind::Object) {
                self.given.insert(argument.id(), MemberSource::Members(home));
            }
            return;
        }
        let word = called.trim_start_matches('_');
        let [key, value, ..] = rest else { return };
        if !word.starts_with("define") || kind(*key) != Kind::String {
            return;
        }
        let Some(home) = self.home_of(*first) else { return };
        let name = self.name(*key);
        let is_getter = word.to_ascii_lowercase().contains("getter");
        let function = match kind(*value) {
            Kind::Object => descriptor(self, *value),
            _ if is_function(*value) => Some((*value, is_getter)),
            _ => None,
        };
        let Some((function, is_property)) = function else { return };
        let (name_at, span) = (key.start_byte() + 1, whole.byte_range());
        let given = MemberSource::Member { home, name, name_at, span, is_property };
        self.given.insert(function.id(), given);
    }

    /// What an expression is that members may be added to.
    fn home_of(&mut self, node: Node<'_>) -> Option<MemberOwner> {
        if let Some(class) = self.class_of_prototype(node) {
            return Some(MemberOwner { def: class, is_static: false });
        }
        let path = self.path(node).filter(|_| self.level.is_file)?;
        self.home(&path)
    }

    /// A function or object that defines members; true if it was one.
    pub(super) fn define_given(&mut self, node: Node<'_>) -> bool {
        match self.given.remove(&node.id()) {
            Some(MemberSource::Members(home)) => self.add_members(home, node),
            Some(MemberSource::Member { home, name, name_at, span, is_property }) => {
                let def = self.function_def(home, name, name_at, node, span);
                if is_property && self.b.facts.def(def).kind.is_callable() {
                    self.b.def_mut(def).flags.add(Flags::PROPERTY);
                }
                self.documented = Some(def);
            }
            None => return false,
        }
        true
    }

    fn last_name(&self, function: Node<'_>) -> &'s str {
        let named = match kind(function) {
            Kind::MemberExpression => function.child_by_field_id(fields().property),
            Kind::Identifier => Some(function),
            _ => None,
        };
        named.map_or("", |named| self.text(named))
    }

    /// Bases a call says: `inherits(A, B)`, `mixin(a, b)`.
    pub(super) fn bases_said(&mut self, called: &str, args: &[ExprId]) {
        let [of, rest @ ..] = args else { return };
        if is_inheriting(called) || called == "setPrototypeOf" {
            // The other form is about what the classes themselves have.
            let is_class = called != "setPrototypeOf" || self.without_prototype(*of) != *of;
            if let (Some(base), true) = (rest.first(), is_class) {
                self.derive(*of, *base);
            }
        } else if is_merging(called) {
            for base in rest {
                self.derive(*of, *base);
            }
        }
    }

    /// What `Object.create(x)` gives: a value with the members of `x`.
    pub(super) fn created(&mut self, called: &str, function: Node<'_>, args: &[ExprId]) -> ExprId {
        let [from, ..] = args else { return Builder::OPAQUE };
        if called != "create" || self.text(function) != "Object.create" {
            return Builder::OPAQUE;
        }
        let class = self.without_prototype(*from);
        if class == *from {
            return class;
        }
        let ty = self.b.type_ref(TypeRef::Named(class, Box::default()));
        self.b.expr(Expr::Typed(ty))
    }
}

/// The function a property descriptor gives, and whether reading runs it.
fn descriptor<'t>(walk: &Lower<'_, '_>, object: Node<'t>) -> Option<(Node<'t>, bool)> {
    let f = fields();
    named_children(object).into_iter().find_map(|part| {
        let (named, function) = match kind(part) {
            Kind::Pair => (part.child_by_field_id(f.key)?, part.child_by_field_id(f.value)?),
            Kind::MethodDefinition => (part.child_by_field_id(f.name)?, part),
            _ => return None,
        };
        let is_method = kind(part) == Kind::MethodDefinition;
        match walk.text(named) {
            "get" if is_method || is_function(function) => Some((function, true)),
            "value" if is_method || is_function(function) => Some((function, false)),
            _ => None,
        }
    })
}

/// Whether a function's own statements give `this` members.
fn assigns_to_this(function: Node<'_>) -> bool {
    let f = fields();
    let body = function.child_by_field_id(f.body).map(named_children).unwrap_or_default();
    body.into_iter().any(|statement| {
        let inner = statement.named_child(0);
        let left = inner
            .filter(|inner| kind(*inner) == Kind::AssignmentExpression)
            .and_then(|inner| inner.child_by_field_id(f.left));
        let object = left
            .filter(|left| kind(*left) == Kind::MemberExpression)
            .and_then(|left| left.child_by_field_id(f.object));
        object.is_some_and(|object| kind(object) == Kind::This)
    })
}
