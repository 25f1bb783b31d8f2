//! Expressions: calls, and what is known of the values around them.

use super::kinds::{Kind, fields, kind};
use super::{Lower, named_children};
use crate::facts::{Builder, DefKind, Expr, ExprId, Flags, Literal, ScopeKind, Space};
use crate::lang::chain::MethodChain;
use tree_sitter::Node;

impl<'s> MethodChain<'s> for Lower<'_, 's> {
    fn builder(&mut self) -> &mut Builder<'s> {
        self.b
    }

    fn left_of(node: Node<'_>) -> Option<Node<'_>> {
        let f = fields();
        match kind(node) {
            Kind::Call => node.child_by_field_id(f.function),
            Kind::Attribute => node.child_by_field_id(f.object),
            Kind::Subscript => node.child_by_field_id(f.value),
            Kind::BinaryOperator => node.child_by_field_id(f.left),
            _ => None,
        }
    }

    fn plain(&mut self, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::Identifier => {
                let name = self.name(node);
                self.b.lookup(name, Space::Value, node.start_byte())
            }
            Kind::ParenthesizedExpression | Kind::Await => match node.named_child(0) {
                Some(inner) => self.expression(inner),
                None => Builder::OPAQUE,
            },
            Kind::String => self.string(node),
            Kind::ConcatenatedString => {
                for part in named_children(node) {
                    self.string(part);
                }
                self.b.expr(Expr::Literal(Literal::Text))
            }
            Kind::Integer => self.b.expr(Expr::Literal(Literal::Number)),
            Kind::Float => self.b.expr(Expr::Literal(Literal::Float)),
            Kind::True | Kind::False => self.b.expr(Expr::Literal(Literal::Bool)),
            Kind::None => self.b.expr(Expr::Literal(Literal::Nothing)),
            Kind::BooleanOperator => self.either(node),
            Kind::ConditionalExpression => self.conditional(node),
            Kind::NamedExpression => self.walrus(node),
            Kind::Lambda => self.lambda(node),
            Kind::List | Kind::Set => {
                let parts = self.parts(node);
                self.b.expr(Expr::List(parts))
            }
            Kind::Tuple | Kind::ExpressionList => {
                let parts = self.parts(node);
                self.b.expr(Expr::Tuple(parts))
            }
            Kind::Dictionary => self.dictionary(node),
            Kind::ListComprehension | Kind::GeneratorExpression | Kind::SetComprehension => {
                self.comprehension(node)
            }
            Kind::DictionaryComprehension => self.comprehension(node),
            Kind::Yield => self.yielded(node),
            Kind::Assignment => self.assignment(node),
            _ => {
                for part in named_children(node) {
                    self.expression(part);
                }
                Builder::OPAQUE
            }
        }
    }

    fn link(&mut self, node: Node<'_>, inner: Node<'_>, left: ExprId) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::Call => self.call(node, inner, left),
            Kind::Attribute => {
                let Some(attribute) = node.child_by_field_id(f.attribute) else { return left };
                let name = self.name(attribute);
                self.b.expr(Expr::Member(left, name))
            }
            Kind::Subscript => {
                let mut index = Builder::OPAQUE;
                let mut is_slice = false;
                for part in named_children(node).into_iter().skip(1) {
                    is_slice |= part.kind() == "slice";
                    index = self.expression(part);
                }
                if is_slice { left } else { self.b.expr(Expr::Index(left, index)) }
            }
            _ => {
                let right = node.child_by_field_id(f.right).map(|right| self.expression(right));
                self.operator(node, left, right.unwrap_or(Builder::OPAQUE))
            }
        }
    }
}

/// The method that stands for an operator.
fn method_of(operator: &str) -> &'static str {
    match operator {
        "+" => "__add__",
        "-" => "__sub__",
        "*" => "__mul__",
        "@" => "__matmul__",
        "/" => "__truediv__",
        "//" => "__floordiv__",
        "%" => "__mod__",
        "**" => "__pow__",
        "<<" => "__lshift__",
        ">>" => "__rshift__",
        "&" => "__and__",
        "|" => "__or__",
        "^" => "__xor__",
        _ => "",
    }
}

impl Lower<'_, '_> {
    /// The facts of an expression; every call inside it is recorded.
    pub(super) fn expression(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node)
    }

    /// Operators on text and numbers give the like; on other values they call
    /// the method of the left one that stands for them.
    fn operator(&mut self, node: Node<'_>, left: ExprId, right: ExprId) -> ExprId {
        let is_literal = |id: ExprId| matches!(self.b.facts.exprs[id.ix()], Expr::Literal(_));
        if is_literal(left) {
            return left;
        }
        let sign = node.child_by_field_id(fields().operator);
        let method = sign.map(|sign| method_of(self.text(sign))).unwrap_or_default();
        let (Some(sign), false) = (sign, method.is_empty()) else { return Builder::OPAQUE };
        if left == Builder::OPAQUE || is_literal(right) {
            return Builder::OPAQUE;
        }
        let name = self.b.name(method);
        let callee = self.b.expr(Expr::Member(left, name));
        let call = self.b.expr(Expr::Call(callee, [right].into()));
        self.b.call(call, name, sign.start_byte(), 1);
        call
    }

    fn parts(&mut self, node: Node<'_>) -> Box<[ExprId]> {
        named_children(node).into_iter().map(|part| self.expression(part)).collect()
    }

    fn call(&mut self, node: Node<'_>, function: Node<'_>, callee: ExprId) -> ExprId {
        let f = fields();
        let mut args = Vec::new();
        let mut n_args = 0;
        if let Some(list) = node.child_by_field_id(f.arguments) {
            if kind(list) == Kind::GeneratorExpression {
                args.push(self.expression(list));
            } else {
                for argument in named_children(list) {
                    n_args += 1;
                    if kind(argument) == Kind::KeywordArgument {
                        if let Some(value) = argument.child_by_field_id(f.value) {
                            self.expression(value);
                        }
                    } else {
                        args.push(self.expression(argument));
                    }
                }
            }
        }
        if let Some(special) = self.special_call(function, &args) {
            return special;
        }
        while args.last() == Some(&Builder::OPAQUE) {
            args.pop();
        }
        let name_node = match kind(function) {
            Kind::Identifier => Some(function),
            Kind::Attribute => function.child_by_field_id(f.attribute),
            _ => None,
        };
        let expr = self.b.expr(Expr::Call(callee, args.into()));
        if let Some(name_node) = name_node {
            let name = self.name(name_node);
            self.b.call(expr, name, name_node.start_byte(), n_args);
        }
        // `x.__class__(…)` makes another value of the kind `x` is.
        match self.class_of(callee) {
            Some(value) => value,
            None => expr,
        }
    }

    /// The value whose class `x.__class__` is.
    pub(super) fn class_of(&self, expr: ExprId) -> Option<ExprId> {
        match &self.b.facts.exprs[expr.ix()] {
            Expr::Member(value, name) if self.b.text(*name) == "__class__" => Some(*value),
            _ => None,
        }
    }

    /// `super()` is the receiver seen as its base; `cast(T, x)` is a `T`.
    fn special_call(&mut self, function: Node<'_>, args: &[ExprId]) -> Option<ExprId> {
        if kind(function) != Kind::Identifier || self.text(function) != "super" || args.len() > 2 {
            return None;
        }
        let (_, class) = self.receivers.last().copied().flatten()?;
        let name = self.name(function);
        let callee = self.b.lookup(name, Space::Value, function.start_byte());
        let call = self.b.expr(Expr::Call(callee, Box::default()));
        self.b.call(call, name, function.start_byte(), args.len());
        Some(self.b.expr(Expr::Super(class)))
    }

    fn string(&mut self, node: Node<'_>) -> ExprId {
        for part in named_children(node) {
            // The expressions inside an f-string.
            if part.kind() == "interpolation" {
                for inner in named_children(part) {
                    self.expression(inner);
                }
            }
        }
        let head = self.text(node).split(['"', '\'']).next().unwrap_or_default();
        let is_bytes = head.contains(['b', 'B']);
        self.b.expr(Expr::Literal(if is_bytes { Literal::Bytes } else { Literal::Text }))
    }

    /// `a or b` is one of them; so is `a and b`.
    fn either(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let is_and = node.child_by_field_id(f.operator).is_some_and(|op| op.kind() == "and");
        let left = node.child_by_field_id(f.left).map(|left| self.expression(left));
        self.b.open(ScopeKind::Block);
        let right = node.child_by_field_id(f.right);
        if is_and && let (Some(left), Some(right)) = (node.child_by_field_id(f.left), right) {
            self.narrow(left, right.start_byte());
        }
        let right = right.map(|right| self.expression(right));
        self.b.close();
        let sides: Box<[ExprId]> = if is_and {
            right.into_iter().collect()
        } else {
            left.into_iter().chain(right).collect()
        };
        self.b.expr(Expr::Either(sides))
    }

    /// `a if c else b`.
    fn conditional(&mut self, node: Node<'_>) -> ExprId {
        let parts = named_children(node);
        let [then, condition, otherwise] = parts[..] else {
            for part in parts {
                self.expression(part);
            }
            return Builder::OPAQUE;
        };
        self.expression(condition);
        self.b.open(ScopeKind::Block);
        self.narrow(condition, then.start_byte());
        let then = self.expression(then);
        self.b.close();
        let otherwise = self.expression(otherwise);
        self.b.expr(Expr::Either([then, otherwise].into()))
    }

    fn walrus(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let value = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        if let Some(target) = node.child_by_field_id(f.name) {
            self.bind_target(target, None, value, node);
        }
        value
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let name = self.b.name("");
        let def = self.b.def(DefKind::Lambda, name, node.byte_range(), node.start_byte());
        self.b.enter(def, ScopeKind::Function);
        if let Some(list) = node.child_by_field_id(f.parameters) {
            let params = self.parameters(def, list, false);
            self.b.def_mut(def).params = params.into();
        }
        if let Some(body) = node.child_by_field_id(f.body) {
            let value = self.expression(body);
            self.b.add_value(def, value);
        }
        self.b.leave();
        self.b.expr(Expr::Nameless(def))
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for part in named_children(node) {
            if kind(part) == Kind::Pair {
                let key = part.child_by_field_id(f.key).map(|key| self.expression(key));
                let value = part.child_by_field_id(f.value).map(|value| self.expression(value));
                if keys.len() < 8 {
                    keys.extend(key);
                    values.extend(value);
                }
            } else {
                self.expression(part);
            }
        }
        self.b.expr(Expr::Dict(keys.into(), values.into()))
    }

    /// The variables of a comprehension live in it alone.
    fn comprehension(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let name = self.b.name("");
        let def = self.b.def(DefKind::Lambda, name, node.byte_range(), node.start_byte());
        self.b.enter(def, ScopeKind::Function);
        for part in named_children(node) {
            match kind(part) {
                Kind::ForInClause => {
                    let element = part.child_by_field_id(f.right).map(|r| self.element_of(r));
                    if let (Some(left), Some(element)) = (part.child_by_field_id(f.left), element) {
                        // Known in the whole comprehension, its body stands before.
                        self.bind_loop_target(left, element);
                    }
                }
                Kind::IfClause => {
                    for condition in named_children(part) {
                        self.expression(condition);
                        self.narrow(condition, node.start_byte());
                    }
                }
                _ => {}
            }
        }
        let body = node.child_by_field_id(f.body);
        let result = match body {
            Some(pair) if kind(pair) == Kind::Pair => {
                let key = pair.child_by_field_id(f.key).map(|key| self.expression(key));
                let value = pair.child_by_field_id(f.value).map(|value| self.expression(value));
                Expr::Dict(key.into_iter().collect(), value.into_iter().collect())
            }
            Some(body) => Expr::List([self.expression(body)].into()),
            None => Expr::Opaque,
        };
        self.b.leave();
        self.b.expr(result)
    }

    fn yielded(&mut self, node: Node<'_>) -> ExprId {
        for value in named_children(node) {
            let value = self.expression(value);
            let function = self.b.around().find(|def| {
                matches!(self.b.facts.def(*def).kind, DefKind::Function | DefKind::Method)
            });
            if let Some(function) = function
                && self.b.facts.def(function).flags.has(Flags::GENERATOR)
            {
                self.b.add_value(function, value);
            }
        }
        Builder::OPAQUE
    }
}
