//! Destructuring: the names bound, and what they are part of.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Binding, Builder, Expr, ExprId, Space};
use crate::lang::grammar::named_children;
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn bind_pattern(
        &mut self,
        pattern: Node<'_>,
        value: ExprId,
        at: usize,
        is_var: bool,
    ) {
        if !self.b.dive() {
            return;
        }
        self.bind_pattern_inner(pattern, value, at, is_var);
        self.b.rise();
    }

    fn bind_pattern_inner(&mut self, pattern: Node<'_>, value: ExprId, at: usize, is_var: bool) {
        let f = fields();
        match kind(pattern) {
            Kind::Identifier | Kind::ShorthandPattern => self.bind_name(pattern, value, at, is_var),
            Kind::ArrayPattern => {
                for (index, part) in named_children(pattern).into_iter().enumerate() {
                    let value = match value {
                        Builder::OPAQUE => value,
                        _ => self.b.expr(Expr::Part(value, index as u32)),
                    };
                    self.bind_pattern(part, value, at, is_var);
                }
            }
            Kind::ObjectPattern => {
                for part in named_children(pattern) {
                    self.bind_property(part, value, at, is_var);
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                let default =
                    pattern.child_by_field_id(f.right).map(|right| self.expression(right));
                let Some(left) = pattern.child_by_field_id(f.left) else { return };
                let value = match (value, default) {
                    (Builder::OPAQUE, Some(default)) => default,
                    (value, Some(default)) => self.b.expr(Expr::Either([value, default].into())),
                    (value, None) => value,
                };
                self.bind_pattern(left, value, at, is_var);
            }
            Kind::RestPattern => {
                if let Some(inner) = pattern.named_child(0) {
                    self.bind_pattern(inner, Builder::OPAQUE, at, is_var);
                }
            }
            _ => {
                self.expression(pattern);
            }
        }
    }

    pub(super) fn bind_property(&mut self, part: Node<'_>, value: ExprId, at: usize, is_var: bool) {
        let f = fields();
        let (key, target) = match kind(part) {
            Kind::PairPattern => (part.child_by_field_id(f.key), part.child_by_field_id(f.value)),
            Kind::ObjectAssignmentPattern => (part.child_by_field_id(f.left), Some(part)),
            Kind::ShorthandPattern => (Some(part), Some(part)),
            _ => (None, Some(part)),
        };
        let Some(target) = target else { return };
        let inner = match key {
            Some(key) if value != Builder::OPAQUE => {
                let name = self.name(key);
                self.b.expr(Expr::Member(value, name))
            }
            _ => Builder::OPAQUE,
        };
        self.bind_pattern(target, inner, at, is_var);
    }

    pub(super) fn bind_name(&mut self, node: Node<'_>, value: ExprId, at: usize, is_var: bool) {
        let name = self.name(node);
        let value = (value != Builder::OPAQUE).then_some(value);
        let to = Binding::Var { ty: None, value };
        if is_var {
            self.b.bind_hoisted(name, Space::Value, to, at);
        } else {
            self.b.bind(name, Space::Value, to, at);
        }
    }
}
