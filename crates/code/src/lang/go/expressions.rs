//! Expressions: calls, and what is known of the values around them.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, Expr, ExprId, Literal, Space, TypeId};
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
            Kind::CallExpression => node.child_by_field_id(f.function),
            Kind::SelectorExpression
            | Kind::IndexExpression
            | Kind::SliceExpression
            | Kind::TypeAssertion => node.child_by_field_id(f.operand),
            Kind::BinaryExpression => node.child_by_field_id(f.left),
            _ => None,
        }
    }

    fn plain(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::Identifier | Kind::TypeIdentifier => {
                let name = self.name(node);
                self.b.lookup(name, Space::Value, node.start_byte())
            }
            Kind::ParenthesizedExpression => match node.named_child(0) {
                Some(inner) => self.expression(inner),
                None => Builder::OPAQUE,
            },
            Kind::InterpretedString | Kind::RawString => self.b.expr(Expr::Literal(Literal::Text)),
            Kind::IntLiteral => self.b.expr(Expr::Literal(Literal::Number)),
            Kind::FloatLiteral => self.b.expr(Expr::Literal(Literal::Float)),
            Kind::True | Kind::False => self.b.expr(Expr::Literal(Literal::Bool)),
            Kind::Nil => self.b.expr(Expr::Literal(Literal::Nothing)),
            Kind::UnaryExpression => {
                let operator = node.child_by_field_id(f.operator).map_or("", |op| op.kind());
                let Some(operand) = node.child_by_field_id(f.operand) else {
                    return Builder::OPAQUE;
                };
                let value = self.expression(operand);
                match operator {
                    "<-" => self.b.expr(Expr::Index(value, Builder::OPAQUE)),
                    "!" => self.b.expr(Expr::Literal(Literal::Bool)),
                    _ => value,
                }
            }
            Kind::CompositeLiteral => self.composite(node),
            Kind::FuncLiteral => {
                let name = self.b.name("");
                let def = self.b.def(DefKind::Lambda, name, node.byte_range(), node.start_byte());
                self.callable(def, node);
                self.b.expr(Expr::Nameless(def))
            }
            Kind::TypeConversion => {
                let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
                if let Some(operand) = node.child_by_field_id(f.operand) {
                    self.expression(operand);
                }
                self.typed(ty)
            }
            Kind::TypeInstantiation => {
                let Some(base) = node.child_by_field_id(f.type_) else { return Builder::OPAQUE };
                let args: Vec<TypeId> =
                    named_children(node).into_iter().skip(1).map(|arg| self.ty(arg)).collect();
                let base = self.expression(base);
                self.b.expr(Expr::Generic(base, args.into()))
            }
            Kind::SliceType
            | Kind::ArrayType
            | Kind::MapType
            | Kind::PointerType
            | Kind::FunctionType
            | Kind::StructType
            | Kind::InterfaceType
            | Kind::ChannelType
            | Kind::QualifiedType
            | Kind::GenericType => {
                let ty = self.ty(node);
                self.b.expr(Expr::Typed(ty))
            }
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
            Kind::CallExpression => self.call(node, inner, left),
            Kind::SelectorExpression => {
                let Some(field) = node.child_by_field_id(f.field) else { return left };
                let name = self.name(field);
                self.b.expr(Expr::Member(left, name))
            }
            Kind::IndexExpression => {
                let index = node.child_by_field_id(f.index).map(|index| self.expression(index));
                self.b.expr(Expr::Index(left, index.unwrap_or(Builder::OPAQUE)))
            }
            Kind::SliceExpression => {
                for part in named_children(node).into_iter().skip(1) {
                    self.expression(part);
                }
                left
            }
            Kind::TypeAssertion => match node.child_by_field_id(f.type_) {
                Some(ty) => {
                    let ty = self.ty(ty);
                    self.b.expr(Expr::Typed(ty))
                }
                None => left,
            },
            _ => {
                if let Some(right) = node.child_by_field_id(f.right) {
                    self.expression(right);
                }
                let operator = node.child_by_field_id(f.operator).map_or("", |op| op.kind());
                match operator {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => {
                        self.b.expr(Expr::Literal(Literal::Bool))
                    }
                    _ => left,
                }
            }
        }
    }
}

impl Lower<'_, '_> {
    /// The facts of an expression; every call inside it is recorded.
    pub(super) fn expression(&mut self, node: Node<'_>) -> ExprId {
        self.chain(node)
    }

    fn typed(&mut self, ty: Option<TypeId>) -> ExprId {
        ty.map_or(Builder::OPAQUE, |ty| self.b.expr(Expr::Typed(ty)))
    }

    fn composite(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
        if let Some(body) = node.child_by_field_id(f.body) {
            self.literal_value(body);
        }
        self.typed(ty)
    }

    fn literal_value(&mut self, node: Node<'_>) {
        if !self.b.dive() {
            return;
        }
        for part in named_children(node) {
            match kind(part) {
                Kind::KeyedElement => {
                    for (index, side) in named_children(part).into_iter().enumerate() {
                        let is_field = index == 0
                            && side.named_child(0).is_some_and(|key| kind(key) == Kind::Identifier);
                        if !is_field {
                            self.literal_element(side);
                        }
                    }
                }
                _ => self.literal_element(part),
            }
        }
        self.b.rise();
    }

    fn literal_element(&mut self, node: Node<'_>) {
        match kind(node) {
            Kind::LiteralElement => {
                for inner in named_children(node) {
                    self.literal_element(inner);
                }
            }
            Kind::LiteralValue => self.literal_value(node),
            _ => {
                self.expression(node);
            }
        }
    }

    fn call(&mut self, node: Node<'_>, function: Node<'_>, mut callee: ExprId) -> ExprId {
        let f = fields();
        let arguments = node.child_by_field_id(f.arguments).map(named_children).unwrap_or_default();
        let builtin = if kind(function) == Kind::Identifier { self.text(function) } else { "" };
        let made = match builtin {
            // `new(value)` has the type of the value.
            "new" if arguments.first().is_some_and(|it| is_value(*it)) => None,
            "make" | "new" => arguments.first().map(|ty| self.ty(*ty)),
            _ => None,
        };
        let skip = usize::from(made.is_some());
        let mut args: Vec<ExprId> = Vec::new();
        for argument in &arguments[skip.min(arguments.len())..] {
            args.push(self.expression(*argument));
        }
        let n_args = arguments.len();
        let value = args.first().copied().filter(|_| builtin == "new");
        while args.last() == Some(&Builder::OPAQUE) {
            args.pop();
        }
        if let Some(list) = node.child_by_field_id(f.type_arguments) {
            let types: Vec<TypeId> =
                named_children(list).into_iter().map(|arg| self.ty(arg)).collect();
            callee = self.b.expr(Expr::Generic(callee, types.into()));
        }
        let name_node = callee_name(function);
        let expr = self.b.expr(Expr::Call(callee, args.into()));
        if let Some(name_node) = name_node {
            let name = self.name(name_node);
            self.b.call(expr, name, name_node.start_byte(), n_args);
        }
        match value {
            _ if made.is_some() => self.typed(made),
            Some(value) => value,
            None => expr,
        }
    }
}

/// An argument that can be no type.
fn is_value(node: Node<'_>) -> bool {
    matches!(
        kind(node),
        Kind::CallExpression
            | Kind::CompositeLiteral
            | Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::IntLiteral
            | Kind::FloatLiteral
    )
}

/// The token that names what is called.
fn callee_name(mut node: Node<'_>) -> Option<Node<'_>> {
    let f = fields();
    loop {
        node = match kind(node) {
            Kind::Identifier => return Some(node),
            Kind::SelectorExpression => return node.child_by_field_id(f.field),
            Kind::ParenthesizedExpression => node.named_child(0)?,
            Kind::TypeInstantiation => node.child_by_field_id(f.type_)?,
            Kind::IndexExpression => node.child_by_field_id(f.operand)?,
            _ => return None,
        };
    }
}
