//! Statements: which names they bind, and which blocks they open.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Binding, Builder, DefKind, Expr, ExprId, ScopeKind, Space, TypeId};
use crate::lang::grammar::{children_of_field, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn statement(&mut self, node: Node<'_>) {
        if !self.b.dive() {
            return;
        }
        self.statement_inner(node);
        self.b.rise();
    }

    fn statement_inner(&mut self, node: Node<'_>) {
        match kind(node) {
            Kind::Block => self.in_block(node, Self::each_statement),
            Kind::TypeSpec | Kind::TypeAlias => self.type_spec(node),
            Kind::ConstSpec => self.variables(node, DefKind::Const),
            Kind::VarSpec => self.variables(node, DefKind::Var),
            Kind::ShortVarDeclaration | Kind::ReceiveStatement => self.short_declaration(node),
            Kind::AssignmentStatement => {
                for (nth, side) in named_children(node).into_iter().enumerate() {
                    for value in self.expression_list(side) {
                        if nth == 0 {
                            self.b.write(value);
                        }
                    }
                }
            }
            Kind::IfStatement => self.if_statement(node),
            Kind::ForStatement
            | Kind::ExpressionSwitch
            | Kind::SelectStatement
            | Kind::ExpressionCase
            | Kind::DefaultCase
            | Kind::CommunicationCase => {
                self.in_block(node, Self::each_statement);
            }
            Kind::TypeSwitch => self.in_block(node, Self::type_switch),
            Kind::RangeClause => self.range(node),
            Kind::ExpressionList => {
                self.expression_list(node);
            }
            _ if is_expression(kind(node)) => {
                self.expression(node);
            }
            Kind::Comment => {}
            _ => self.each_statement(node),
        }
    }

    /// Chains of `else if` nest one level a link; a loop follows them. What a link declares
    /// holds in those after it.
    fn if_statement(&mut self, node: Node<'_>) {
        let mut n_open = 0;
        let mut next = Some(node);
        while let Some(at) = next.take() {
            self.b.open(ScopeKind::Block);
            n_open += 1;
            for part in named_children(at) {
                if kind(part) == Kind::IfStatement {
                    next = Some(part);
                } else {
                    self.statement(part);
                }
            }
        }
        for _ in 0..n_open {
            self.b.close();
        }
    }

    fn in_block(&mut self, node: Node<'_>, inside: fn(&mut Self, Node<'_>)) {
        self.b.open(ScopeKind::Block);
        inside(self, node);
        self.b.close();
    }

    fn each_statement(&mut self, node: Node<'_>) {
        for part in named_children(node) {
            self.statement(part);
        }
    }

    pub(super) fn expression_list(&mut self, node: Node<'_>) -> Vec<ExprId> {
        if kind(node) == Kind::ExpressionList {
            return named_children(node).into_iter().map(|part| self.expression(part)).collect();
        }
        vec![self.expression(node)]
    }

    fn short_declaration(&mut self, node: Node<'_>) {
        let f = fields();
        let values = node.child_by_field_id(f.right).map(|right| self.expression_list(right));
        let values = values.unwrap_or_default();
        let Some(left) = node.child_by_field_id(f.left) else { return };
        let names = named_children(left);
        let is_declaration = kind(node) == Kind::ShortVarDeclaration
            || self
                .text(node)
                .get(left.byte_range().len()..)
                .is_some_and(|rest| rest.trim_start().starts_with(":="));
        for (index, target) in names.iter().enumerate() {
            if kind(*target) != Kind::Identifier || !is_declaration {
                self.expression(*target);
                continue;
            }
            let value = self.nth_value(&values, names.len(), index);
            self.bind_local(*target, value, node.end_byte());
        }
    }

    fn bind_local(&mut self, target: Node<'_>, value: ExprId, at: usize) {
        if self.text(target) == "_" {
            return;
        }
        let name = self.name(target);
        let value = (value != Builder::OPAQUE).then_some(value);
        self.b.bind(name, Space::Both, Binding::Var { ty: None, value }, at);
    }

    /// `for k, v := range x`.
    fn range(&mut self, node: Node<'_>) {
        let f = fields();
        let Some(right) = node.child_by_field_id(f.right) else { return };
        let over = self.expression(right);
        let Some(left) = node.child_by_field_id(f.left) else { return };
        for (index, target) in named_children(left).into_iter().enumerate() {
            if kind(target) != Kind::Identifier {
                self.expression(target);
                continue;
            }
            let value = match index {
                _ if over == Builder::OPAQUE => over,
                0 => self.b.expr(Expr::Key(over)),
                _ => self.b.expr(Expr::Index(over, Builder::OPAQUE)),
            };
            self.bind_local(target, value, node.end_byte());
        }
    }

    /// `switch v := x.(type)`: in each case `v` is of the case's type.
    fn type_switch(&mut self, node: Node<'_>) {
        let f = fields();
        if let Some(initializer) = node.child_by_field_id(f.initializer) {
            self.statement(initializer);
        }
        let value = node.child_by_field_id(f.value).map_or(Builder::OPAQUE, |v| self.expression(v));
        let alias = node.child_by_field_id(f.alias).and_then(|alias| alias.named_child(0));
        for case in named_children(node) {
            match kind(case) {
                Kind::TypeCase | Kind::DefaultCase => {}
                _ => continue,
            }
            self.b.open(ScopeKind::Block);
            let types = children_of_field(case, f.type_);
            let is_nil = |ty: &Node<'_>| kind(*ty) == Kind::Nil || self.text(*ty) == "nil";
            let written: Vec<Node<'_>> = types.iter().filter(|ty| !is_nil(ty)).copied().collect();
            let known: Vec<TypeId> = written.into_iter().map(|ty| self.ty(ty)).collect();
            if let Some(alias) = alias {
                let name = self.name(alias);
                let to = match (&types[..], &known[..]) {
                    ([_], [one]) => Binding::Var { ty: Some(*one), value: None },
                    _ => Binding::Var { ty: None, value: Some(value) },
                };
                self.b.bind(name, Space::Both, to, case.start_byte());
            }
            for part in named_children(case) {
                if !types.contains(&part) {
                    self.statement(part);
                }
            }
            self.b.close();
        }
    }
}

pub(super) fn is_expression(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::BinaryExpression
            | Kind::CallExpression
            | Kind::CompositeLiteral
            | Kind::False
            | Kind::FloatLiteral
            | Kind::FuncLiteral
            | Kind::Identifier
            | Kind::IndexExpression
            | Kind::IntLiteral
            | Kind::InterpretedString
            | Kind::Nil
            | Kind::ParenthesizedExpression
            | Kind::RawString
            | Kind::SelectorExpression
            | Kind::SliceExpression
            | Kind::True
            | Kind::TypeAssertion
            | Kind::TypeConversion
            | Kind::TypeInstantiation
            | Kind::UnaryExpression
    )
}
