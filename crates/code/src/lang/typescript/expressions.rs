//! Expressions: calls, and what is known of the values around them.

use super::Lower;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, Expr, ExprId, Literal, ScopeKind, Space, TypeId};
use crate::lang::chain::MethodChain;
use crate::lang::grammar::named_children;
use tree_sitter::Node;

impl<'s> MethodChain<'s> for Lower<'_, 's> {
    fn builder(&mut self) -> &mut Builder<'s> {
        self.b
    }

    fn left_of(node: Node<'_>) -> Option<Node<'_>> {
        let f = fields();
        match kind(node) {
            Kind::CallExpression => {
                node.child_by_field_id(f.function).filter(|function| function.kind() != "import")
            }
            Kind::MemberExpression | Kind::SubscriptExpression => node.child_by_field_id(f.object),
            Kind::NonNullExpression => node.named_child(0),
            Kind::BinaryExpression => node.child_by_field_id(f.left),
            _ => None,
        }
    }

    fn plain(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::Identifier => {
                let name = self.name(node);
                self.b.lookup(name, Space::Value, node.start_byte())
            }
            Kind::This if self.level.this_is_exports => {
                let name = self.b.name("exports");
                self.b.lookup_unwritten(name, Space::Value, node.start_byte())
            }
            Kind::This => self.b.receiver(node.start_byte()),
            Kind::Super => match self.b.type_around() {
                Some(class) => self.b.expr(Expr::Super(class)),
                None => Builder::OPAQUE,
            },
            Kind::ParenthesizedExpression | Kind::SatisfiesExpression => {
                if let Some(ty) = node.named_child(1) {
                    self.ty(ty);
                }
                node.named_child(0).map_or(Builder::OPAQUE, |inner| self.expression(inner))
            }
            Kind::AwaitExpression => {
                let inner = node.named_child(0).map_or(Builder::OPAQUE, |i| self.expression(i));
                self.b.expr(Expr::Await(inner))
            }
            Kind::AsExpression | Kind::TypeAssertion => self.cast(node),
            Kind::String => self.b.expr(Expr::Literal(Literal::Text)),
            Kind::TemplateString => {
                for part in named_children(node) {
                    for inner in named_children(part) {
                        self.expression(inner);
                    }
                }
                self.b.expr(Expr::Literal(Literal::Text))
            }
            Kind::Number => self.b.expr(Expr::Literal(Literal::Number)),
            Kind::True | Kind::False => self.b.expr(Expr::Literal(Literal::Bool)),
            Kind::Null | Kind::Undefined => self.b.expr(Expr::Literal(Literal::Nothing)),
            Kind::Regex => self.b.expr(Expr::Literal(Literal::Regex)),
            Kind::NewExpression => self.new_expression(node),
            Kind::CallExpression => self.dynamic_import(node),
            Kind::TernaryExpression => self.ternary(node),
            Kind::UnaryExpression => {
                for part in named_children(node) {
                    self.expression(part);
                }
                self.b.expr(Expr::Literal(Literal::Bool))
            }
            Kind::Array => {
                let parts: Vec<ExprId> =
                    named_children(node).into_iter().map(|part| self.expression(part)).collect();
                self.b.expr(Expr::List(parts.into_iter().take(4).collect()))
            }
            Kind::Object => self.object(node),
            Kind::Class => {
                let def = self.class(node, node);
                // The class itself is the value.
                let name = self.b.name("");
                let to = crate::facts::Binding::Def(def);
                let bind = self.b.bind_private(name, Space::Value, to);
                self.b.expr(Expr::Local(name, [bind].into()))
            }
            _ if is_function(node) => self.lambda(node, None),
            Kind::AssignmentExpression => self.assignment(node, node),
            Kind::InstantiationExpression => {
                let inner = node.child_by_field_id(f.function).or_else(|| node.named_child(0));
                let inner = inner.map_or(Builder::OPAQUE, |inner| self.expression(inner));
                let args = self.type_args(node);
                self.b.expr(Expr::Generic(inner, args.into()))
            }
            _ if changes(node) => {
                let sides: Vec<ExprId> =
                    named_children(node).into_iter().map(|side| self.expression(side)).collect();
                if let Some(target) = sides.first() {
                    self.b.write(*target);
                }
                Builder::OPAQUE
            }
            _ => {
                for part in named_children(node) {
                    self.statement(part);
                }
                Builder::OPAQUE
            }
        }
    }

    fn link(&mut self, node: Node<'_>, inner: Node<'_>, left: ExprId) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::CallExpression => self.call(node, inner, left),
            Kind::MemberExpression => {
                let Some(property) = node.child_by_field_id(f.property) else { return left };
                if self.text(property) == "exports"
                    && kind(inner) == Kind::Identifier
                    && self.text(inner) == "module"
                    && !self.level.hides_module
                {
                    let name = self.b.name("exports");
                    return self.b.lookup_unwritten(name, Space::Value, inner.start_byte());
                }
                let name = self.name(property);
                self.b.expr(Expr::Member(left, name))
            }
            Kind::SubscriptExpression => {
                let Some(index) = node.child_by_field_id(f.index) else { return left };
                if kind(index) == Kind::String {
                    let name = self.name(index);
                    return self.b.expr(Expr::Member(left, name));
                }
                let index = self.expression(index);
                self.b.expr(Expr::Index(left, index))
            }
            Kind::NonNullExpression => self.b.expr(Expr::Unwrap(left)),
            _ => self.binary(node, left),
        }
    }
}

impl Lower<'_, '_> {
    /// The facts of an expression; every call inside it is recorded.
    pub(super) fn expression(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node)
    }

    fn binary(&mut self, node: Node<'_>, left: ExprId) -> ExprId {
        let f = fields();
        let operator = node.child_by_field_id(f.operator).map_or("", |op| op.kind());
        let Some(right_node) = node.child_by_field_id(f.right) else { return Builder::OPAQUE };
        self.b.open(ScopeKind::Block);
        if operator == "&&"
            && let Some(left_node) = node.child_by_field_id(f.left)
        {
            self.narrow(left_node, right_node.start_byte());
        }
        let right = self.expression(right_node);
        self.b.close();
        match operator {
            "||" | "??" => self.b.expr(Expr::Either([left, right].into())),
            "&&" => right,
            "==" | "===" | "!=" | "!==" | "<" | "<=" | ">" | ">=" | "instanceof" | "in" => {
                self.b.expr(Expr::Literal(Literal::Bool))
            }
            "+" => match self.b.facts.exprs[left.ix()] {
                Expr::Literal(_) => left,
                _ => right,
            },
            _ => self.b.expr(Expr::Literal(Literal::Number)),
        }
    }

    fn cast(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = named_children(node);
        if kind(node) == Kind::TypeAssertion {
            // `<T>value`: the type stands first.
            parts.reverse();
        }
        let (value, ty) = (parts.first().copied(), parts.get(1).copied());
        let value = value.map_or(Builder::OPAQUE, |value| self.expression(value));
        let Some(ty) = ty else { return value };
        let inner = if ty.kind() == "type_arguments" { ty.named_child(0) } else { Some(ty) };
        let ty = inner.map_or(Builder::OPAQUE_TYPE, |ty| self.ty(ty));
        if ty == Builder::OPAQUE_TYPE { Builder::OPAQUE } else { self.b.expr(Expr::Typed(ty)) }
    }

    fn ternary(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let condition = node.child_by_field_id(f.condition);
        if let Some(condition) = condition {
            self.expression(condition);
        }
        self.b.open(ScopeKind::Block);
        let then = node.child_by_field_id(f.consequence);
        if let (Some(condition), Some(then)) = (condition, then) {
            self.narrow(condition, then.start_byte());
        }
        let then = then.map_or(Builder::OPAQUE, |then| self.expression(then));
        self.b.close();
        let otherwise =
            node.child_by_field_id(f.alternative).map_or(Builder::OPAQUE, |o| self.expression(o));
        self.b.expr(Expr::Either([then, otherwise].into()))
    }

    /// An assignment, with the statement it is.
    pub(super) fn assignment(&mut self, node: Node<'_>, whole: Node<'_>) -> ExprId {
        let f = fields();
        if let Some(value) = self.defining_assignment(node, whole) {
            return value;
        }
        if self.assigned_method(node) {
            return Builder::OPAQUE;
        }
        let right = node.child_by_field_id(f.right);
        let value = right.map_or(Builder::OPAQUE, |right| self.expression(right));
        let Some(left) = node.child_by_field_id(f.left) else { return value };
        match kind(left) {
            Kind::MemberExpression => {
                let written = self.expression(left);
                self.b.write(written);
                let object = left.child_by_field_id(f.object);
                let property = left.child_by_field_id(f.property);
                if let (Some(object), Some(property)) = (object, property)
                    && kind(object) == Kind::This
                {
                    let name = self.name(property);
                    self.assigned_field(name, left, value);
                }
            }
            _ => {
                self.expression(left);
            }
        }
        value
    }

    pub(super) fn type_args(&mut self, node: Node<'_>) -> Vec<TypeId> {
        let list = node.child_by_field_id(fields().type_arguments);
        let list = list.map(named_children).unwrap_or_default();
        list.into_iter().map(|arg| self.ty(arg)).collect()
    }

    fn arguments(&mut self, node: Node<'_>, call: ExprId) -> (Vec<ExprId>, usize) {
        let f = fields();
        let Some(list) = node.child_by_field_id(f.arguments) else { return (Vec::new(), 0) };
        if kind(list) == Kind::TemplateString {
            self.expression(list);
            return (Vec::new(), 1);
        }
        let mut args = Vec::new();
        for argument in named_children(list) {
            let index = args.len() as u16;
            args.push(if is_function(argument) {
                self.lambda(argument, Some((call, index)))
            } else {
                self.expression(argument)
            });
        }
        let n_args = args.len();
        while args.last() == Some(&Builder::OPAQUE) {
            args.pop();
        }
        (args, n_args)
    }

    fn call(&mut self, node: Node<'_>, function: Node<'_>, mut callee: ExprId) -> ExprId {
        if kind(function) == Kind::Identifier
            && let Some((source, _)) = self.required_module(node)
        {
            return self.module_value(source);
        }
        // `await f<T>(x)` is read as a call of `await f`.
        let awaited = (kind(function) == Kind::AwaitExpression).then(|| function.named_child(0));
        let function = awaited.flatten().unwrap_or(function);
        if awaited.is_some()
            && let Expr::Await(inner) = self.b.facts.exprs[callee.ix()]
        {
            callee = inner;
        }
        let call = self.b.reserve();
        let (args, n_args) = self.arguments(node, call);
        let name_node = match kind(function) {
            // `require("x")(…)`: the only name there is.
            Kind::CallExpression => {
                let required = self.required_module(function);
                required.and_then(|_| function.child_by_field_id(fields().function))
            }
            _ => callee_name(function),
        };
        let called = name_node.map_or("", |name| self.text(name));
        self.bases_said(called, &args);
        let created = self.created(called, function, &args);
        let types = self.type_args(node);
        if !types.is_empty() {
            callee = self.b.expr(Expr::Generic(callee, types.into()));
        }
        self.b.fill(call, Expr::Call(callee, args.into()));
        if let Some(name_node) = name_node {
            let name = self.name(name_node);
            self.b.call(call, name, name_node.start_byte(), n_args);
        }
        let value = if created == Builder::OPAQUE { call } else { created };
        if awaited.is_some() { self.b.expr(Expr::Await(value)) } else { value }
    }

    fn new_expression(&mut self, node: Node<'_>) -> ExprId {
        let Some(constructor) = node.child_by_field_id(fields().constructor) else {
            return Builder::OPAQUE;
        };
        let mut callee = self.expression(constructor);
        let call = self.b.reserve();
        let (args, n_args) = self.arguments(node, call);
        let types = self.type_args(node);
        if !types.is_empty() {
            callee = self.b.expr(Expr::Generic(callee, types.into()));
        }
        self.b.fill(call, Expr::New(callee, args.into()));
        if let Some(name_node) = callee_name(constructor) {
            let name = self.name(name_node);
            self.b.call(call, name, name_node.start_byte(), n_args);
        }
        call
    }

    /// `import("./x")`.
    fn dynamic_import(&mut self, node: Node<'_>) -> ExprId {
        let list =
            node.child_by_field_id(fields().arguments).map(named_children).unwrap_or_default();
        match list.first() {
            Some(source) if kind(*source) == Kind::String => self.module_value(*source),
            _ => {
                for part in list {
                    self.expression(part);
                }
                Builder::OPAQUE
            }
        }
    }
}

/// The token that names what is called.
fn callee_name(mut node: Node<'_>) -> Option<Node<'_>> {
    let f = fields();
    loop {
        node = match kind(node) {
            Kind::Identifier => return Some(node),
            Kind::MemberExpression => return node.child_by_field_id(f.property),
            Kind::NonNullExpression => node.named_child(0)?,
            Kind::InstantiationExpression => {
                node.child_by_field_id(f.function).or_else(|| node.named_child(0))?
            }
            _ => return None,
        };
    }
}

pub(super) fn is_expression(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Array
            | Kind::ArrowFunction
            | Kind::AsExpression
            | Kind::AssignmentExpression
            | Kind::AwaitExpression
            | Kind::BinaryExpression
            | Kind::CallExpression
            | Kind::Class
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::Identifier
            | Kind::MemberExpression
            | Kind::NewExpression
            | Kind::NonNullExpression
            | Kind::Number
            | Kind::Object
            | Kind::ParenthesizedExpression
            | Kind::Regex
            | Kind::SatisfiesExpression
            | Kind::String
            | Kind::SubscriptExpression
            | Kind::TemplateString
            | Kind::TernaryExpression
            | Kind::This
            | Kind::TypeAssertion
            | Kind::UnaryExpression
    )
}

/// `a += b`, `a++`: its first part is assigned to.
pub(super) fn changes(node: Node<'_>) -> bool {
    matches!(node.kind(), "augmented_assignment_expression" | "update_expression")
}
