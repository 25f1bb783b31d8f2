//! Functions of every form.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use super::objects::Object;
use crate::facts::{
    Binding, DefId, DefKind, Expr, ExprId, Flags, Param, ParamKind, ScopeKind, Space, TypeRef,
};
use crate::lang::grammar::{each_child, named_children};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

impl<'s> Lower<'_, 's> {
    pub(super) fn function_declaration(
        &mut self,
        node: Node<'_>,
        whole: Node<'_>,
    ) -> Option<DefId> {
        let name_node = node.child_by_field_id(fields().name)?;
        let name = self.name(name_node);
        if let Some(def) = self.declared.remove(&node.id()) {
            match self.b.facts.def(def).kind {
                DefKind::Class => self.constructor(def, node),
                _ => self.callable(def, node, None),
            }
            self.documented = Some(def);
            return Some(def);
        }
        if kind(node) == Kind::FunctionDeclaration && self.is_constructor(node, name) {
            let class = self.declare_class(node, whole, name_node);
            self.constructor(class, node);
            return Some(class);
        }
        let def = self.b.def(DefKind::Function, name, whole.byte_range(), name_node.start_byte());
        if self.level.is_file {
            self.objects.add(self.text(name_node), Object::Function(def));
        }
        if kind(node) == Kind::FunctionSignature {
            self.b.def_mut(def).flags.add(Flags::OVERLOAD);
        }
        self.b.bind(name, Space::Value, Binding::Def(def), node.start_byte());
        self.callable(def, node, None);
        Some(def)
    }

    /// The class that a declared function is.
    fn declare_class(&mut self, node: Node<'_>, whole: Node<'_>, name_node: Node<'_>) -> DefId {
        let (name, at) = (self.name(name_node), name_node.start_byte());
        let class = self.class_def(self.b.within(), name, at, node, whole.byte_range());
        self.b.bind(name, Space::Both, Binding::Def(class), node.start_byte());
        if self.level.is_file {
            self.objects.add(self.text(name_node), Object::Class(class));
        }
        class
    }

    /// Gives the functions of a block that statements above them may add
    /// members to their definitions.
    pub(super) fn declare_functions(&mut self, statements: &[Node<'_>]) {
        let mut owners: FxHashSet<&'s str> = FxHashSet::default();
        if self.level.is_file {
            owners.extend(statements.iter().filter_map(|node| self.assigned_owner(*node)));
        }
        if owners.is_empty() && self.prototypes.constructors.is_empty() {
            return;
        }
        for node in statements.iter().filter(|node| kind(**node) == Kind::FunctionDeclaration) {
            let Some(name_node) = node.child_by_field_id(fields().name) else { continue };
            let name = self.name(name_node);
            let def = if self.is_constructor(*node, name) {
                self.declare_class(*node, *node, name_node)
            } else if owners.contains(self.text(name_node)) {
                let at = name_node.start_byte();
                let def = self.b.def(DefKind::Function, name, node.byte_range(), at);
                self.b.bind(name, Space::Value, Binding::Def(def), node.start_byte());
                self.objects.add(self.text(name_node), Object::Function(def));
                def
            } else {
                continue;
            };
            self.declared.insert(node.id(), def);
        }
    }

    /// `X` of a statement `X.m = …` or `module.exports = X`.
    fn assigned_owner(&self, statement: Node<'_>) -> Option<&'s str> {
        let f = fields();
        if kind(statement) != Kind::ExpressionStatement {
            return None;
        }
        let mut at = statement.named_child(0)?;
        let mut owner = None;
        while kind(at) == Kind::AssignmentExpression {
            let left = at.child_by_field_id(f.left)?;
            let object = left.child_by_field_id(f.object);
            let name = object.filter(|object| kind(*object) == Kind::Identifier);
            owner = owner.or(name.map(|name| self.text(name)));
            at = at.child_by_field_id(f.right)?;
        }
        match owner {
            Some("module") if kind(at) == Kind::Identifier => Some(self.text(at)),
            other => other,
        }
    }

    /// A function without a name; as an argument, the called function says
    /// what its parameters get.
    pub(super) fn lambda(&mut self, node: Node<'_>, given: Option<(ExprId, u16)>) -> ExprId {
        if self.define_given(node) {
            return crate::facts::Builder::OPAQUE;
        }
        let name = self.b.name("");
        let def = self.b.def(DefKind::Lambda, name, node.byte_range(), node.start_byte());
        self.callable(def, node, given);
        self.b.expr(Expr::Nameless(def))
    }

    /// A function that is written where a type is declared: the type says what its
    /// parameters get, and what calling it gives where the function does not.
    pub(super) fn declared_callable(&mut self, def: DefId, node: Node<'_>, ty: Option<Node<'_>>) {
        let given = ty.and_then(|ty| self.declared_type(ty));
        self.callable(def, node, given.map(|value| (value, 0)));
        if let Some(value) = given
            && self.b.facts.def(def).ty.is_none()
        {
            let result = self.b.expr(Expr::Call(value, Box::default()));
            let ty = self.b.type_ref(TypeRef::Of(result));
            self.b.def_mut(def).ty = Some(ty);
        }
    }

    /// A value of a type that is written, if anything follows from it.
    pub(super) fn declared_type(&mut self, ty: Node<'_>) -> Option<ExprId> {
        let ty = self.annotation(ty);
        let is_known = self.b.facts.types[ty.ix()] != TypeRef::Opaque;
        is_known.then(|| self.b.expr(Expr::Typed(ty)))
    }

    /// A value that a function with a declared result gives: if that is a function, the
    /// declaration says what its parameters get.
    pub(super) fn result_value(&mut self, value: Node<'_>) -> ExprId {
        if !is_function(value) {
            return self.expression(value);
        }
        let function = self.b.around().find(|def| self.b.facts.def(*def).kind.is_callable());
        let function = function.map(|def| self.b.facts.def(def));
        let is_own = |flags: Flags| !flags.has(Flags::ASYNC) && !flags.has(Flags::GENERATOR);
        let ty = function.filter(|def| is_own(def.flags)).and_then(|def| def.ty);
        let ty = ty.filter(|ty| self.b.facts.types[ty.ix()] != TypeRef::Opaque);
        let given = ty.map(|ty| (self.b.expr(Expr::Typed(ty)), 0));
        self.lambda(value, given)
    }

    /// Signature and body of whatever can be called.
    pub(super) fn callable(&mut self, def: DefId, node: Node<'_>, given: Option<(ExprId, u16)>) {
        let f = fields();
        let body = node.child_by_field_id(f.body);
        let is_symbol = self.b.facts.def(def).kind.is_symbol();
        if is_symbol && self.b.facts.def(def).signature.is_none() {
            let end = body.map_or(node.end_byte(), |body| body.start_byte());
            let signature = self.b.signature(node.start_byte()..end);
            self.b.def_mut(def).signature = signature;
        }
        let mut flags = Flags::default();
        each_child(node, |child| match child.kind() {
            "async" => flags.add(Flags::ASYNC),
            "*" => flags.add(Flags::GENERATOR),
            _ => {}
        });
        if kind(node) == Kind::ArrowFunction {
            flags.add(Flags::ARROW);
        }
        if matches!(kind(node), Kind::GeneratorDeclaration | Kind::GeneratorFunction) {
            flags.add(Flags::GENERATOR);
        }
        self.b.def_mut(def).flags.add(flags);
        self.b.enter(def, ScopeKind::Function);
        let outer = self.level;
        let is_wrapper = self.is_wrapper(node);
        self.level.is_file = is_wrapper;
        if is_wrapper {
            self.objects.open();
        }
        if !flags.has(Flags::ARROW) {
            self.level.this_is_exports = outer.gives_exports;
        }
        self.level.gives_exports = false;
        self.own_name(def, node);
        self.type_params(def, node);
        let mut params = Vec::new();
        if let Some(one) = node.child_by_field_id(f.parameter) {
            self.parameter(def, one, one, None, given, &mut params);
        }
        if let Some(list) = node.child_by_field_id(f.parameters) {
            self.parameters(def, list, given, &mut params);
        }
        let result = node.child_by_field_id(f.return_type).map(|ty| self.annotation(ty));
        let definition = self.b.def_mut(def);
        definition.params = params.into();
        definition.ty = result;
        if let Some(body) = body {
            if kind(body) == Kind::StatementBlock {
                self.statements(body);
            } else {
                let value = self.result_value(body);
                self.b.add_value(def, value);
            }
        }
        self.b.leave();
        self.level = outer;
        if is_wrapper {
            self.objects.close();
        }
    }

    /// A function expression knows itself by its name.
    fn own_name(&mut self, def: DefId, node: Node<'_>) {
        let own = super::assignments::function_name(node);
        let Some(own) = own.filter(|_| !self.b.facts.def(def).flags.has(Flags::CONSTRUCTOR)) else {
            return;
        };
        let name = self.name(own);
        self.b.bind(name, Space::Value, Binding::Def(def), own.start_byte());
    }

    pub(super) fn parameters(
        &mut self,
        def: DefId,
        list: Node<'_>,
        given: Option<(ExprId, u16)>,
        params: &mut Vec<Param>,
    ) {
        let f = fields();
        for part in named_children(list) {
            let ty = part.child_by_field_id(f.type_);
            let Some(pattern) = part.child_by_field_id(f.pattern) else { continue };
            if kind(pattern) == Kind::This {
                continue;
            }
            self.parameter(def, part, pattern, ty, given, params);
        }
    }

    fn parameter(
        &mut self,
        def: DefId,
        part: Node<'_>,
        pattern: Node<'_>,
        ty: Option<Node<'_>>,
        given: Option<(ExprId, u16)>,
        params: &mut Vec<Param>,
    ) {
        let f = fields();
        let ty = ty.map(|ty| self.annotation(ty));
        let mut default = part
            .child_by_field_id(f.value)
            .filter(|_| part != pattern)
            .map(|value| self.expression(value));
        let index = params.len() as u16;
        if let (None, None, Some((call, argument))) = (ty, default, given) {
            default = Some(self.b.expr(Expr::CallbackParam { call, argument, param: index }));
        }
        let is_rest = kind(pattern) == Kind::RestPattern;
        let param_kind = if is_rest { ParamKind::Variadic } else { ParamKind::Plain };
        let named = if is_rest { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
        let name = self.name(named);
        let is_module = matches!(self.text(named), "exports" | "module" | "require");
        self.level.hides_module |= is_module && !self.level.is_file;
        if self.level.is_file {
            self.objects.add(self.text(named), Object::Foreign);
        }
        if is_module && self.level.is_file {
            // What a loader hands to the code it wraps.
            self.objects.forget(self.text(named));
            params.push(Param { name, ty, default, kind: param_kind });
        } else if kind(named) == Kind::Identifier {
            params.push(Param { name, ty, default, kind: param_kind });
            let to = Binding::Param { of: def, index };
            self.b.bind(name, Space::Value, to, part.start_byte());
        } else {
            let value = match (ty, default) {
                (Some(ty), _) => self.b.expr(Expr::Typed(ty)),
                (None, Some(default)) => default,
                _ => crate::facts::Builder::OPAQUE,
            };
            let name = self.b.name("");
            params.push(Param { name, ty, default: None, kind: param_kind });
            self.bind_pattern(named, value, part.start_byte(), false);
        }
        self.parameter_field(part, named, ty);
    }

    /// `constructor(private x: T)` makes a field.
    fn parameter_field(
        &mut self,
        part: Node<'_>,
        named: Node<'_>,
        ty: Option<crate::facts::TypeId>,
    ) {
        let mut is_field = false;
        each_child(part, |child| {
            is_field |= kind(child) == Kind::AccessibilityModifier || child.kind() == "readonly";
        });
        let Some(class) = self.b.type_around() else { return };
        if !is_field || self.b.facts.def(class).kind != DefKind::Class {
            return;
        }
        let name = self.name(named);
        let field =
            self.b.def_in(class, DefKind::Field, name, part.byte_range(), named.start_byte());
        self.b.def_mut(field).ty = ty;
        self.members.entry((class, name)).or_insert(field);
        self.b.bind_member(class, name, Space::Value, Binding::Def(field));
    }

    pub(super) fn type_params(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        let Some(list) = node.child_by_field_id(f.type_parameters) else { return };
        let mut ids = Vec::new();
        let mut bounds = Vec::new();
        for part in named_children(list) {
            let Some(name_node) = part.child_by_field_id(f.name) else { continue };
            let name = self.name(name_node);
            let at = name_node.start_byte();
            let id = self.b.def_in(def, DefKind::TypeParam, name, part.byte_range(), at);
            self.b.bind(name, Space::Type, Binding::Def(id), at);
            ids.push(id);
            bounds.push((id, part.child_by_field_id(f.constraint)));
        }
        for (id, bound) in bounds {
            let Some(bound) = bound.and_then(|bound| bound.named_child(0)) else { continue };
            let bound = self.ty(bound);
            if self.b.facts.types[bound.ix()] != TypeRef::Opaque {
                self.b.def_mut(id).bases = [bound].into();
            }
        }
        self.b.def_mut(def).type_params = ids.into();
    }
}

pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(kind(node), Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction)
}
