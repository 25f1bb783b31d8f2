//! Statements and expressions: calls, and what is known of values.

use super::Lower;
use super::items::{ItemPreamble, is_item};
use super::kinds::{Kind, fields, kind};
use crate::facts::{
    Binding, Builder, DefKind, Expr, ExprId, Literal, Param, ParamKind, ScopeKind, Space,
};
use crate::lang::chain::MethodChain;
use crate::lang::grammar::{each_child, named_children};
use tree_sitter::Node;

impl<'s> MethodChain<'s> for Lower<'_, 's> {
    fn builder(&mut self) -> &mut Builder<'s> {
        self.b
    }

    fn left_of(node: Node<'_>) -> Option<Node<'_>> {
        let f = fields();
        match kind(node) {
            Kind::CallExpression | Kind::GenericFunction => node.child_by_field_id(f.function),
            Kind::FieldExpression => node.child_by_field_id(f.value),
            Kind::BinaryExpression => node.child_by_field_id(f.left),
            Kind::IndexExpression | Kind::TryExpression | Kind::AwaitExpression => {
                node.named_child(0)
            }
            _ => None,
        }
    }

    fn plain(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::Identifier | Kind::SelfValue | Kind::ScopedIdentifier => self.value_path(node),
            Kind::ParenthesizedExpression | Kind::UnaryExpression | Kind::ReferenceExpression => {
                let inner = node.child_by_field_id(f.value).or_else(|| node.named_child(0));
                inner.map_or(Builder::OPAQUE, |inner| self.expression(inner))
            }
            Kind::StringLiteral | Kind::RawString | Kind::CharLiteral => {
                self.b.expr(Expr::Literal(Literal::Text))
            }
            Kind::IntegerLiteral => self.b.expr(Expr::Literal(Literal::Number)),
            Kind::FloatLiteral => self.b.expr(Expr::Literal(Literal::Float)),
            Kind::BooleanLiteral => self.b.expr(Expr::Literal(Literal::Bool)),
            Kind::UnitExpression => self.b.expr(Expr::Literal(Literal::Nothing)),
            Kind::Block => self.in_scope(node, Self::block_of),
            Kind::UnsafeBlock | Kind::AsyncBlock | Kind::ConstBlock => {
                let block = named_children(node).into_iter().find(|p| kind(*p) == Kind::Block);
                block.map_or(Builder::OPAQUE, |block| self.expression(block))
            }
            Kind::IfExpression => self.in_scope(node, Self::if_expression),
            Kind::MatchExpression => self.match_expression(node),
            Kind::WhileExpression => self.in_scope(node, Self::while_expression),
            Kind::ForExpression => self.in_scope(node, Self::for_expression),
            Kind::LoopExpression => {
                if let Some(body) = node.child_by_field_id(f.body) {
                    self.expression(body);
                }
                Builder::OPAQUE
            }
            Kind::LetCondition => self.let_condition(node),
            Kind::ClosureExpression => self.closure(node, None),
            Kind::StructExpression => self.struct_expression(node),
            Kind::TupleExpression => {
                let parts = self.parts(node);
                self.b.expr(Expr::Tuple(parts))
            }
            Kind::ArrayExpression => {
                let parts = self.parts(node);
                self.b.expr(Expr::List(parts.iter().take(4).copied().collect()))
            }
            Kind::TypeCast => {
                let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
                if let Some(value) = node.child_by_field_id(f.value) {
                    self.expression(value);
                }
                self.typed(ty)
            }
            Kind::MacroInvocation => self.macro_invocation(node),
            Kind::ReturnExpression | Kind::BreakExpression | Kind::ContinueExpression => {
                for part in named_children(node) {
                    self.expression(part);
                }
                self.b.expr(Expr::Literal(Literal::Nothing))
            }
            _ => {
                let assigns =
                    matches!(node.kind(), "assignment_expression" | "compound_assignment_expr");
                for (nth, part) in named_children(node).into_iter().enumerate() {
                    if self.b.dive() {
                        let value = self.statement(part);
                        if assigns && nth == 0 {
                            self.b.write(value);
                        }
                        self.b.rise();
                    }
                }
                Builder::OPAQUE
            }
        }
    }

    fn link(&mut self, node: Node<'_>, inner: Node<'_>, left: ExprId) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::CallExpression => self.call(node, inner, left),
            Kind::GenericFunction => {
                let args = self.type_args(node);
                self.b.expr(Expr::Generic(left, args.into()))
            }
            Kind::FieldExpression => {
                let Some(field) = node.child_by_field_id(f.field) else { return left };
                let name = self.name(field);
                match (kind(field), &self.b.facts.exprs[left.ix()]) {
                    // `pair.0` of something written as a tuple.
                    (Kind::IntegerLiteral, Expr::Tuple(parts)) => {
                        let index: usize = self.text(field).parse().unwrap_or(usize::MAX);
                        parts.get(index).copied().unwrap_or(Builder::OPAQUE)
                    }
                    _ => self.b.expr(Expr::Member(left, name)),
                }
            }
            Kind::TryExpression => self.b.expr(Expr::Unwrap(left)),
            Kind::AwaitExpression => self.b.expr(Expr::Await(left)),
            Kind::IndexExpression => {
                let Some(index) = node.named_child(1) else { return left };
                let is_slice = kind(index) == Kind::RangeExpression;
                let index = self.expression(index);
                if is_slice { left } else { self.b.expr(Expr::Index(left, index)) }
            }
            _ => self.binary(node, left),
        }
    }
}

impl Lower<'_, '_> {
    /// The facts of an expression; every call inside it is recorded.
    pub(super) fn expression(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node)
    }

    /// A statement; its value if it ends a block without a semicolon.
    pub(super) fn statement(&mut self, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::LetDeclaration => {
                self.let_declaration(node);
                Builder::OPAQUE
            }
            Kind::ExpressionStatement => {
                let Some(inner) = node.named_child(0) else { return Builder::OPAQUE };
                let value = self.expression(inner);
                let is_tail = !self.text(node).ends_with(';');
                if is_tail { value } else { Builder::OPAQUE }
            }
            _ => self.expression(node),
        }
    }

    fn let_declaration(&mut self, node: Node<'_>) {
        let f = fields();
        let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
        let value = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        if let Some(otherwise) = node.child_by_field_id(f.alternative) {
            self.expression(otherwise);
        }
        let Some(pattern) = node.child_by_field_id(f.pattern) else { return };
        // A type with a hole says less than the value does.
        let written = ty.filter(|_| {
            let text = node.child_by_field_id(f.type_).map_or("", |ty| self.text(ty));
            !text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_")
        });
        if let (Some(ty), Kind::Identifier) = (written, kind(pattern)) {
            let name = self.name(pattern);
            let to = Binding::Var { ty: Some(ty), value: None };
            self.b.bind(name, Space::Value, to, node.end_byte());
            return;
        }
        let value = match written {
            Some(ty) => self.typed(Some(ty)),
            None => value,
        };
        self.bind_pattern(pattern, value, node.end_byte());
    }

    /// The items and statements of a block; its value is that of the last one.
    pub(super) fn block_of(&mut self, node: Node<'_>) -> ExprId {
        let mut nodes = Vec::new();
        each_child(node, |child| nodes.push(child));
        let mut above = ItemPreamble::default();
        let mut value = Builder::OPAQUE;
        for child in nodes.into_iter().filter(Node::is_named) {
            if self.note_above(child, &mut above) {
                continue;
            }
            let above = std::mem::take(&mut above);
            if is_item(child) {
                self.item(child, &above);
                value = Builder::OPAQUE;
            } else {
                value = self.statement(child);
            }
        }
        value
    }

    fn binary(&mut self, node: Node<'_>, left: ExprId) -> ExprId {
        let f = fields();
        let operator = node.child_by_field_id(f.operator).map_or("", |op| op.kind());
        if let Some(right) = node.child_by_field_id(f.right) {
            self.expression(right);
        }
        match operator {
            "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => {
                self.b.expr(Expr::Literal(Literal::Bool))
            }
            // Arithmetic of numbers; who overloads it is not followed.
            _ => match self.b.facts.exprs[left.ix()] {
                Expr::Literal(_) => left,
                _ => Builder::OPAQUE,
            },
        }
    }

    fn in_scope(&mut self, node: Node<'_>, inside: fn(&mut Self, Node<'_>) -> ExprId) -> ExprId {
        self.b.open(ScopeKind::Block);
        let value = inside(self, node);
        self.b.close();
        value
    }

    fn parts(&mut self, node: Node<'_>) -> Box<[ExprId]> {
        let parts = named_children(node).into_iter().filter(|p| kind(*p) != Kind::AttributeItem);
        parts.map(|part| self.expression(part)).collect()
    }

    /// A name or a path as a value.
    pub(super) fn value_path(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let Some(name_node) = node.child_by_field_id(f.name) else {
                    return Builder::OPAQUE;
                };
                let name = self.name(name_node);
                match node.child_by_field_id(f.path) {
                    Some(path) => {
                        let base = self.path_prefix(path);
                        self.b.expr(Expr::Member(base, name))
                    }
                    None => self.b.lookup(name, Space::Value, node.start_byte()),
                }
            }
            Kind::GenericType | Kind::GenericTypeTurbofish => {
                let base = node.child_by_field_id(f.type_);
                base.map_or(Builder::OPAQUE, |base| self.value_path(base))
            }
            Kind::TypeIdentifier if self.text(node) != "Self" => {
                let name = self.name(node);
                self.b.lookup(name, Space::Type, node.start_byte())
            }
            _ => {
                if self.text(node) == "Self" {
                    return self.b.receiver(node.start_byte());
                }
                let name = self.name(node);
                self.b.lookup(name, Space::Value, node.start_byte())
            }
        }
    }

    fn if_expression(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        if let Some(condition) = node.child_by_field_id(f.condition) {
            self.condition(condition);
        }
        let then = node.child_by_field_id(f.consequence).map(|block| self.expression(block));
        let otherwise = node.child_by_field_id(f.alternative).and_then(|clause| {
            let inner = clause.named_child(0)?;
            Some(self.expression(inner))
        });
        match (then, otherwise) {
            (Some(then), Some(otherwise)) => self.b.expr(Expr::Either([then, otherwise].into())),
            _ => Builder::OPAQUE,
        }
    }

    fn condition(&mut self, node: Node<'_>) {
        if kind(node) == Kind::LetChain {
            for part in named_children(node) {
                self.condition(part);
            }
        } else {
            self.expression(node);
        }
    }

    fn let_condition(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let value = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        if let Some(pattern) = node.child_by_field_id(f.pattern) {
            self.bind_pattern(pattern, value, node.end_byte());
        }
        self.b.expr(Expr::Literal(Literal::Bool))
    }

    fn match_expression(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let value = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        let mut results = Vec::new();
        let arms = node.child_by_field_id(f.body).map(named_children).unwrap_or_default();
        for arm in arms.into_iter().filter(|arm| kind(*arm) == Kind::MatchArm) {
            self.b.open(ScopeKind::Block);
            if let Some(pattern) = arm.child_by_field_id(f.pattern) {
                self.bind_pattern(pattern, value, arm.start_byte());
                if let Some(condition) = pattern.child_by_field_id(f.condition) {
                    self.condition(condition);
                }
            }
            if let Some(body) = arm.child_by_field_id(f.value) {
                let result = self.expression(body);
                if results.len() < 8 {
                    results.push(result);
                }
            }
            self.b.close();
        }
        self.b.expr(Expr::Either(results.into()))
    }

    fn while_expression(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        if let Some(condition) = node.child_by_field_id(f.condition) {
            self.condition(condition);
        }
        if let Some(body) = node.child_by_field_id(f.body) {
            self.expression(body);
        }
        Builder::OPAQUE
    }

    fn for_expression(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let over = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        let element = match over {
            Builder::OPAQUE => over,
            _ => self.b.expr(Expr::Element(over)),
        };
        let Some(body) = node.child_by_field_id(f.body) else { return Builder::OPAQUE };
        if let Some(pattern) = node.child_by_field_id(f.pattern) {
            self.bind_pattern(pattern, element, body.start_byte());
        }
        self.expression(body);
        Builder::OPAQUE
    }

    /// A closure; as an argument, the called function says what its parameters get.
    fn closure(&mut self, node: Node<'_>, given: Option<(ExprId, u16)>) -> ExprId {
        let f = fields();
        let name = self.b.name("");
        let def = self.b.def(DefKind::Lambda, name, node.byte_range(), node.start_byte());
        self.b.enter(def, ScopeKind::Function);
        let mut params = Vec::new();
        let list = node.child_by_field_id(f.parameters).map(named_children).unwrap_or_default();
        for (index, part) in list.into_iter().enumerate() {
            let (pattern, ty) = match kind(part) {
                Kind::Parameter => (
                    part.child_by_field_id(f.pattern),
                    part.child_by_field_id(f.type_).map(|ty| self.ty(ty)),
                ),
                _ => (Some(part), None),
            };
            let Some(pattern) = pattern else { continue };
            let value = match (ty, given) {
                (Some(ty), _) => self.typed(Some(ty)),
                (None, Some((call, argument))) => {
                    let param = index as u16;
                    self.b.expr(Expr::CallbackParam { call, argument, param })
                }
                _ => Builder::OPAQUE,
            };
            let param_name = self.name(pattern);
            params.push(Param { name: param_name, ty, default: None, kind: ParamKind::Plain });
            self.bind_pattern(pattern, value, part.start_byte());
        }
        let ty = node.child_by_field_id(f.return_type).map(|ty| self.ty(ty));
        let definition = self.b.def_mut(def);
        definition.params = params.into();
        definition.ty = ty;
        if let Some(body) = node.child_by_field_id(f.body) {
            let value = self.expression(body);
            self.b.add_value(def, value);
        }
        self.b.leave();
        self.b.expr(Expr::Nameless(def))
    }

    fn struct_expression(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let ty = node.child_by_field_id(f.name).map(|name| self.ty(name));
        let body = node.child_by_field_id(f.body).map(named_children).unwrap_or_default();
        for part in body {
            match kind(part) {
                Kind::FieldInitializer => {
                    if let Some(value) = part.child_by_field_id(f.value) {
                        self.expression(value);
                    }
                }
                Kind::ShorthandInitializer => {}
                _ => {
                    self.expression(part);
                }
            }
        }
        self.typed(ty)
    }

    fn call(&mut self, node: Node<'_>, function: Node<'_>, callee: ExprId) -> ExprId {
        let f = fields();
        let call = self.b.reserve();
        let list = node.child_by_field_id(f.arguments).map(named_children).unwrap_or_default();
        let mut args: Vec<ExprId> = Vec::new();
        for argument in list.into_iter().filter(|a| kind(*a) != Kind::AttributeItem) {
            let index = args.len() as u16;
            let value = if kind(argument) == Kind::ClosureExpression {
                self.closure(argument, Some((call, index)))
            } else {
                self.expression(argument)
            };
            args.push(value);
        }
        let n_args = args.len();
        while args.last() == Some(&Builder::OPAQUE) {
            args.pop();
        }
        self.b.fill(call, Expr::Call(callee, args.into()));
        if let Some(name_node) = callee_name(function) {
            let name = self.name(name_node);
            self.b.call(call, name, name_node.start_byte(), n_args);
        }
        call
    }
}

/// The token that names what is called.
fn callee_name(mut node: Node<'_>) -> Option<Node<'_>> {
    let f = fields();
    loop {
        node = match kind(node) {
            Kind::Identifier => return Some(node),
            Kind::ScopedIdentifier => return node.child_by_field_id(f.name),
            Kind::FieldExpression => return node.child_by_field_id(f.field),
            Kind::GenericFunction => node.child_by_field_id(f.function)?,
            _ => return None,
        };
    }
}
