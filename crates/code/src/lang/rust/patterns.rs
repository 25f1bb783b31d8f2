//! Patterns: the names they bind, and what these are part of.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Binding, Builder, Expr, ExprId, Space};
use crate::lang::grammar::{left_nested, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    /// Binds the names of a pattern laid over a value, known from byte `at` on.
    pub(super) fn bind_pattern(&mut self, pattern: Node<'_>, value: ExprId, at: usize) {
        if !self.b.dive() {
            return;
        }
        self.bind_pattern_inner(pattern, value, at);
        self.b.rise();
    }

    fn bind_pattern_inner(&mut self, pattern: Node<'_>, value: ExprId, at: usize) {
        let f = fields();
        match kind(pattern) {
            Kind::Identifier => {
                // A name in capitals is a constant or a case to compare with.
                if self.text(pattern).chars().next().is_some_and(char::is_uppercase) {
                    self.value_path(pattern);
                    return;
                }
                self.bind_name(pattern, value, at);
            }
            Kind::MutPattern | Kind::RefPattern | Kind::ReferencePattern | Kind::MatchPattern => {
                for part in named_children(pattern) {
                    if kind(part) != Kind::MutableSpecifier {
                        self.bind_pattern(part, value, at);
                        break;
                    }
                }
            }
            Kind::CapturedPattern => {
                for part in named_children(pattern) {
                    self.bind_pattern(part, value, at);
                }
            }
            Kind::OrPattern => {
                // All alternatives bind the same names.
                for (index, part) in left_nested(pattern).into_iter().enumerate() {
                    if index == 0 {
                        self.bind_pattern(part, value, at);
                    } else {
                        self.pattern_path(part);
                    }
                }
            }
            Kind::ScopedIdentifier => self.pattern_path(pattern),
            Kind::TuplePattern => {
                let mut is_exact = true;
                for (index, part) in named_children(pattern).into_iter().enumerate() {
                    if kind(part) == Kind::RemainingField {
                        is_exact = false;
                        continue;
                    }
                    let part_value = if is_exact && value != Builder::OPAQUE {
                        self.b.expr(Expr::Part(value, index as u32))
                    } else {
                        Builder::OPAQUE
                    };
                    self.bind_pattern(part, part_value, at);
                }
            }
            Kind::SlicePattern => {
                let element = self.b.expr(Expr::Element(value));
                for part in named_children(pattern) {
                    let is_rest = kind(part) == Kind::CapturedPattern;
                    self.bind_pattern(part, if is_rest { value } else { element }, at);
                }
            }
            Kind::TupleStructPattern => {
                let Some(ty) = pattern.child_by_field_id(f.type_) else { return };
                let path = self.value_path(ty);
                for (index, part) in named_children(pattern).into_iter().skip(1).enumerate() {
                    if kind(part) == Kind::RemainingField {
                        break;
                    }
                    let number = index.to_string();
                    let name = self.b.name(&number);
                    let payload = self.b.expr(Expr::Payload(value, path, name));
                    self.bind_pattern(part, payload, at);
                }
            }
            Kind::StructPattern => {
                let Some(ty) = pattern.child_by_field_id(f.type_) else { return };
                let path = self.value_path(ty);
                for part in named_children(pattern).into_iter().skip(1) {
                    self.bind_field(part, value, path, at);
                }
            }
            _ => {}
        }
    }

    /// Looks up what a pattern compares with, and binds nothing.
    fn pattern_path(&mut self, pattern: Node<'_>) {
        let f = fields();
        match kind(pattern) {
            Kind::ScopedIdentifier => {
                self.value_path(pattern);
            }
            Kind::Identifier
                if self.text(pattern).chars().next().is_some_and(char::is_uppercase) =>
            {
                self.value_path(pattern);
            }
            Kind::TupleStructPattern | Kind::StructPattern => {
                if let Some(ty) = pattern.child_by_field_id(f.type_) {
                    self.value_path(ty);
                }
            }
            _ => {}
        }
    }

    fn bind_field(&mut self, part: Node<'_>, value: ExprId, path: ExprId, at: usize) {
        let f = fields();
        if kind(part) != Kind::FieldPattern {
            return;
        }
        let Some(name_node) = part.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let payload = self.b.expr(Expr::Payload(value, path, name));
        match part.child_by_field_id(f.pattern) {
            Some(pattern) => self.bind_pattern(pattern, payload, at),
            None => self.bind_name(name_node, payload, at),
        }
    }

    fn bind_name(&mut self, node: Node<'_>, value: ExprId, at: usize) {
        let name = self.name(node);
        let value = (value != Builder::OPAQUE).then_some(value);
        self.b.bind(name, Space::Value, Binding::Var { ty: None, value }, at);
    }
}
