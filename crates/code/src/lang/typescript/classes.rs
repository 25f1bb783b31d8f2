//! Classes, interfaces, enums, and the members of types and objects.

use super::Lower;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, Name, ScopeKind, Space, TypeRef,
    Visibility,
};
use crate::lang::grammar::{each_child, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn class(&mut self, node: Node<'_>, whole: Node<'_>) -> DefId {
        let f = fields();
        let name_node = node.child_by_field_id(f.name);
        let name = match name_node {
            Some(name_node) => self.name(name_node),
            None => self.b.name(""),
        };
        let at = name_node.map_or(node.start_byte(), |name| name.start_byte());
        let def = self.b.def(DefKind::Class, name, whole.byte_range(), at);
        self.classes.insert(node.id(), def);
        let outer = self.level;
        self.level.is_file = false;
        self.level.this_is_exports = false;
        if name_node.is_some() && kind(node) != Kind::Class {
            self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
        }
        let body = node.child_by_field_id(f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let signature = self.b.signature(node.start_byte()..end);
        self.b.def_mut(def).signature = signature;
        self.b.enter(def, ScopeKind::Block);
        if name_node.is_some() && kind(node) == Kind::Class {
            self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
        }
        self.type_params(def, node);
        let mut bases = Vec::new();
        for part in named_children(node) {
            if kind(part) != Kind::ClassHeritage {
                continue;
            }
            for clause in named_children(part) {
                match kind(clause) {
                    Kind::ExtendsClause => bases.push(self.extends(clause)),
                    Kind::ImplementsClause => {
                        for ty in named_children(clause) {
                            bases.push(self.ty(ty));
                        }
                    }
                    // JavaScript: `class A extends B`.
                    _ => bases.push(self.extends_value(clause, Vec::new())),
                }
            }
        }
        self.b.def_mut(def).bases = bases.into();
        if let Some(body) = body {
            for member in named_children(body) {
                self.member(def, member);
            }
        }
        self.b.leave();
        self.level = outer;
        def
    }

    fn extends(&mut self, clause: Node<'_>) -> crate::facts::TypeId {
        let f = fields();
        let args =
            clause.child_by_field_id(f.type_arguments).map(named_children).unwrap_or_default();
        let args = args.into_iter().map(|arg| self.ty(arg)).collect();
        match clause.child_by_field_id(f.value) {
            Some(value) => self.extends_value(value, args),
            None => Builder::OPAQUE_TYPE,
        }
    }

    fn extends_value(
        &mut self,
        value: Node<'_>,
        args: Vec<crate::facts::TypeId>,
    ) -> crate::facts::TypeId {
        match kind(value) {
            Kind::Identifier | Kind::MemberExpression => {
                let path = self.type_path(value);
                self.b.type_ref(TypeRef::Named(path, args.into()))
            }
            _ => {
                self.expression(value);
                Builder::OPAQUE_TYPE
            }
        }
    }

    fn member(&mut self, class: DefId, node: Node<'_>) {
        let f = fields();
        match kind(node) {
            Kind::MethodDefinition | Kind::AbstractMethod | Kind::MethodSignature => {
                self.method(class, node);
            }
            Kind::PublicField => {
                let Some(name_node) = node.child_by_field_id(f.name) else { return };
                let value = node.child_by_field_id(f.value);
                let ty = node.child_by_field_id(f.type_);
                match value.filter(|value| is_function(*value)) {
                    Some(function) => {
                        let flags = modifiers(node);
                        let def = self.member_def(class, DefKind::Method, name_node, node);
                        self.b.def_mut(def).flags.add(flags);
                        self.declared_callable(def, function, ty);
                    }
                    None => {
                        let flags = modifiers(node);
                        let field = self.field(class, name_node, node, ty, value);
                        self.b.def_mut(field).flags.add(flags);
                    }
                }
            }
            _ => {
                for part in named_children(node) {
                    self.statement(part);
                }
            }
        }
    }

    pub(super) fn method(&mut self, class: DefId, node: Node<'_>) {
        let Some(name_node) = node.child_by_field_id(fields().name) else { return };
        let def = self.member_def(class, DefKind::Method, name_node, node);
        let mut flags = modifiers(node);
        if self.text(name_node) == "constructor" {
            flags.add(Flags::CONSTRUCTOR);
        }
        if node.child_by_field_id(fields().body).is_none() {
            flags.add(
                if kind(node) == Kind::MethodSignature
                    && self.b.facts.def(class).kind == DefKind::Class
                {
                    Flags::OVERLOAD
                } else {
                    Flags::ABSTRACT
                },
            );
        }
        self.b.def_mut(def).flags.add(flags);
        self.callable(def, node, None);
    }

    pub(super) fn member_def(
        &mut self,
        home: DefId,
        def_kind: DefKind,
        name_node: Node<'_>,
        node: Node<'_>,
    ) -> DefId {
        let text = self.text(name_node);
        let name = self.name(name_node);
        let def = self.b.def_in(home, def_kind, name, node.byte_range(), name_node.start_byte());
        if text.starts_with('#') {
            self.b.def_mut(def).visibility = Visibility::Private;
        }
        self.b.bind_member(home, name, Space::Value, Binding::Def(def));
        self.members.entry((home, name)).or_insert(def);
        def
    }

    fn field(
        &mut self,
        home: DefId,
        name_node: Node<'_>,
        node: Node<'_>,
        ty: Option<Node<'_>>,
        value: Option<Node<'_>>,
    ) -> DefId {
        let def = self.member_def(home, DefKind::Field, name_node, node);
        let ty = ty.map(|ty| self.annotation(ty));
        self.b.def_mut(def).ty = ty;
        if let Some(value) = value {
            let value = self.expression(value);
            if value != Builder::OPAQUE {
                self.b.add_value(def, value);
            }
        }
        def
    }

    pub(super) fn interface(&mut self, node: Node<'_>, whole: Node<'_>) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Interface, name, whole.byte_range(), name_node.start_byte());
        self.b.bind(name, Space::Type, Binding::Def(def), node.start_byte());
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        let mut bases = Vec::new();
        for part in named_children(node) {
            if kind(part) == Kind::ExtendsTypeClause {
                for ty in named_children(part) {
                    bases.push(self.ty(ty));
                }
            }
        }
        self.b.def_mut(def).bases = bases.into();
        if let Some(body) = node.child_by_field_id(f.body) {
            self.type_members(def, body);
        }
        self.b.leave();
    }

    /// The members of an interface or of a type written on the spot.
    pub(super) fn type_members(&mut self, def: DefId, body: Node<'_>) {
        let f = fields();
        for part in named_children(body) {
            match kind(part) {
                Kind::MethodSignature => self.method(def, part),
                Kind::PropertySignature => {
                    let Some(name_node) = part.child_by_field_id(f.name) else { continue };
                    let ty = part.child_by_field_id(f.type_);
                    self.field(def, name_node, part, ty, None);
                }
                Kind::CallSignature | Kind::ConstructSignature => {
                    let is_call = kind(part) == Kind::CallSignature;
                    let name = self.b.name(if is_call { "__call__" } else { "new" });
                    let span = part.byte_range();
                    let method =
                        self.b.def_in(def, DefKind::Method, name, span.clone(), span.start);
                    self.b.def_mut(method).flags.add(Flags::ABSTRACT);
                    self.b.bind_member(def, name, Space::Value, Binding::Def(method));
                    self.callable(method, part, None);
                    if let Some(ty) = part.child_by_field_id(f.type_) {
                        let ty = self.annotation(ty);
                        self.b.def_mut(method).ty = Some(ty);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn enumeration(&mut self, node: Node<'_>, whole: Node<'_>) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Enum, name, whole.byte_range(), name_node.start_byte());
        self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
        let parts = node.child_by_field_id(f.body).map(named_children).unwrap_or_default();
        for part in parts {
            let name_node = part.child_by_field_id(f.name).unwrap_or(part);
            if let Some(value) = part.child_by_field_id(f.value) {
                self.expression(value);
            }
            self.member_def(def, DefKind::Variant, name_node, part);
        }
    }

    /// An object literal: its members, under a definition without a name.
    pub(super) fn object(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        if self.define_given(node) {
            return Builder::OPAQUE;
        }
        let def = self.record(node).def;
        self.b.enter(def, ScopeKind::Block);
        let mut spread = Vec::new();
        for part in named_children(node) {
            match kind(part) {
                Kind::MethodDefinition if self.define_given(part) => {}
                Kind::MethodDefinition => self.method(def, part),
                Kind::Pair => {
                    let (Some(key), Some(value)) =
                        (part.child_by_field_id(f.key), part.child_by_field_id(f.value))
                    else {
                        continue;
                    };
                    if is_function(value) {
                        if self.define_given(value) {
                            continue;
                        }
                        let method = self.member_def(def, DefKind::Method, key, part);
                        self.callable(method, value, None);
                    } else {
                        self.field(def, key, part, None, Some(value));
                    }
                }
                Kind::ShorthandProperty => {
                    let name = self.name(part);
                    let value = self.b.lookup(name, Space::Value, part.start_byte());
                    let field = self.member_def(def, DefKind::Field, part, part);
                    self.b.add_value(field, value);
                }
                Kind::SpreadElement => {
                    if let Some(inner) = part.named_child(0) {
                        spread.push(self.expression(inner));
                    }
                }
                _ => {
                    self.expression(part);
                }
            }
        }
        self.b.leave();
        let bases: Vec<_> = spread
            .into_iter()
            .filter(|value| *value != Builder::OPAQUE)
            .map(|value| self.b.type_ref(TypeRef::Of(value)))
            .collect();
        self.b.def_mut(def).bases = bases.into();
        self.b.expr(Expr::Nameless(def))
    }

    /// The class or object that `this` is a value of.
    pub(super) fn receiver_type(&self) -> Option<DefId> {
        let facts = &self.b.facts;
        let mut at = self.b.within();
        while at != DefId::FILE {
            match facts.def(at).kind {
                DefKind::Class => return Some(at),
                DefKind::Record if self.open_records.contains(&at) => return Some(at),
                DefKind::Interface | DefKind::Enum => return None,
                _ => at = facts.def(at).parent,
            }
        }
        None
    }

    /// `this.x = value` where the class does not declare `x`.
    pub(super) fn assigned_field(&mut self, name: Name, at: Node<'_>, value: ExprId) {
        let Some(class) = self.receiver_type().filter(|_| value != Builder::OPAQUE) else {
            return;
        };
        match self.member_of(class, name) {
            Some(field) => {
                let def = self.b.facts.def(field);
                if def.kind == DefKind::Field && def.ty.is_none() {
                    self.b.add_value(field, value);
                }
            }
            None => {
                let field =
                    self.b.def_in(class, DefKind::Field, name, at.byte_range(), at.start_byte());
                self.members.insert((class, name), field);
                self.b.bind_member(class, name, Space::Value, Binding::Def(field));
                self.b.add_value(field, value);
            }
        }
    }

    /// `this.m = function …` where the class has no `m`: a method.
    pub(super) fn assigned_method(&mut self, node: Node<'_>) -> bool {
        let f = fields();
        let (Some(left), Some(right)) =
            (node.child_by_field_id(f.left), node.child_by_field_id(f.right))
        else {
            return false;
        };
        let object = left.child_by_field_id(f.object).filter(|_| is_function(right));
        let property = left.child_by_field_id(f.property);
        let (Some(object), Some(property)) = (object, property) else { return false };
        let Some(class) = self.receiver_type().filter(|_| kind(object) == Kind::This) else {
            return false;
        };
        let name = self.name(property);
        if self.member_of(class, name).is_some() {
            return false;
        }
        let def =
            self.b.def_in(class, DefKind::Method, name, node.byte_range(), property.start_byte());
        self.members.insert((class, name), def);
        self.b.bind_member(class, name, Space::Value, Binding::Def(def));
        self.callable(def, right, None);
        true
    }
}

/// `static`, `get`, `set`, `abstract` before a member's name.
fn modifiers(node: Node<'_>) -> Flags {
    let mut flags = Flags::default();
    each_child(node, |child| match child.kind() {
        "static" => flags.add(Flags::STATIC),
        "get" | "set" => flags.add(Flags::PROPERTY),
        "abstract" => flags.add(Flags::ABSTRACT),
        _ => {}
    });
    flags
}
