//! Branches and loops: the names they bind, and what tests say of them.

use super::kinds::{Kind, fields, kind};
use super::shapes::is_type;
use crate::facts::ScopeKind::Block;
use crate::facts::{Binding, Builder, Expr, ExprId, Literal, Name, Space, TypeId};
use crate::lang::grammar::named_children;
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::child_where;
use tree_sitter::Node;

/// A name known to be of a type where a test holds.
type NarrowedType = (Name, TypeId);

pub(super) fn for_statement(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let parts = named_children(node);
    let Some(at) = parts.iter().position(|part| is_variable(*part)) else {
        walk.parts(node);
        return;
    };
    walk.b.open(Block);
    let mut rest = parts[at + 1..].iter();
    let over = rest.next().map_or(Builder::OPAQUE, |over| walk.node(*over));
    let element = walk.known(over, Expr::Element);
    bind_variable(walk, parts[at], element);
    for part in rest {
        walk.node(*part);
    }
    walk.b.close();
}

fn is_variable(node: Node<'_>) -> bool {
    matches!(kind(node), Kind::VariableDeclaration | Kind::MultiVariable)
}

/// `x`, `x: T`, or `(a, b)` of which nothing more is known.
pub(super) fn bind_variable(walk: &mut Walk<'_, '_>, node: Node<'_>, value: ExprId) {
    if kind(node) == Kind::MultiVariable {
        walk.node(node);
        return;
    }
    let Some(name) = child_where(node, |n| kind(n) == Kind::Identifier) else { return };
    let ty = child_where(node, |n| is_type(kind(n))).map(|ty| walk.ty(ty));
    let ty = ty.filter(|ty| *ty != Builder::OPAQUE_TYPE);
    let value = (value != Builder::OPAQUE).then_some(value);
    let (at, name) = (name.end_byte(), walk.name(name));
    walk.bind_local(name, Binding::Var { ty, value }, at);
}

pub(super) fn catch_block(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    walk.b.open(Block);
    let parts = named_children(node);
    let name = parts.iter().find(|part| kind(**part) == Kind::Identifier);
    let ty = parts.iter().find(|part| is_type(kind(**part))).map(|ty| walk.ty(*ty));
    if let Some(name) = name {
        let (at, name) = (name.end_byte(), walk.name(*name));
        walk.bind_local(name, Binding::Var { ty, value: None }, at);
    }
    for part in parts.iter().filter(|part| kind(**part) == Kind::Block) {
        walk.node(*part);
    }
    walk.b.close();
}

/// `x is T` is true or false; what it says of `x`, branches ask for.
pub(super) fn is_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    if let Some(left) = node.child_by_field_id(f.left) {
        walk.node(left);
    }
    if let Some(ty) = node.child_by_field_id(f.right) {
        walk.ty(ty);
    }
    walk.literal(Literal::Bool)
}

/// What is known where a condition holds.
fn narrowed(walk: &mut Walk<'_, '_>, condition: Node<'_>, found: &mut Vec<NarrowedType>) {
    let f = fields();
    let (left, right) = (condition.child_by_field_id(f.left), condition.child_by_field_id(f.right));
    match kind(condition) {
        Kind::ParenthesizedExpression => {
            if let Some(inner) = condition.named_child(0) {
                narrowed(walk, inner, found);
            }
        }
        Kind::BinaryExpression => {
            let operator = condition.child_by_field_id(f.operator).map_or("", |op| op.kind());
            if let ("&&", Some(left), Some(right)) = (operator, left, right) {
                narrowed(walk, left, found);
                narrowed(walk, right, found);
            }
        }
        Kind::IsExpression => {
            let is_positive = condition.child(1).is_some_and(|word| word.kind() == "is");
            if let (true, Some(left), Some(ty)) = (is_positive, left, right)
                && kind(left) == Kind::Identifier
            {
                let name = walk.name(left);
                found.push((name, walk.ty(ty)));
            }
        }
        _ => {}
    }
}

/// A branch in which some names are known to be of a type.
fn branch(walk: &mut Walk<'_, '_>, body: Node<'_>, known: &[NarrowedType]) -> ExprId {
    walk.b.open(Block);
    for (name, ty) in known.iter().filter(|(_, ty)| *ty != Builder::OPAQUE_TYPE) {
        walk.b.bind(*name, Space::Value, Binding::Narrowed { ty: *ty }, body.start_byte());
    }
    let value = walk.node(body);
    walk.b.close();
    value
}

pub(super) fn if_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let condition = node.child_by_field_id(fields().condition);
    let mut known = Vec::new();
    if let Some(condition) = condition {
        walk.node(condition);
        narrowed(walk, condition, &mut known);
    }
    let bodies: Vec<Node<'_>> =
        named_children(node).into_iter().filter(|part| Some(*part) != condition).collect();
    let mut values = Vec::new();
    for (nth, body) in bodies.into_iter().enumerate() {
        // The test holds in the first branch only.
        values.push(branch(walk, body, if nth == 0 { &known } else { &[] }));
    }
    walk.b.expr(Expr::Either(values.into()))
}

pub(super) fn when_expression(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    walk.b.open(Block);
    let mut subject = None;
    let mut values = Vec::new();
    for part in named_children(node) {
        match kind(part) {
            Kind::WhenSubject => subject = when_subject(walk, part),
            Kind::WhenEntry => {
                let value = when_entry(walk, part, subject);
                if values.len() < 8 {
                    values.push(value);
                }
            }
            _ => {}
        }
    }
    walk.b.close();
    walk.b.expr(Expr::Either(values.into()))
}

/// The name that is looked at, if it is one.
fn when_subject(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<Name> {
    let parts = named_children(node);
    let value = *parts.last()?;
    let lowered = walk.node(value);
    if let Some(variable) = parts.iter().find(|part| is_variable(**part)) {
        bind_variable(walk, *variable, lowered);
        let name = child_where(*variable, |n| kind(n) == Kind::Identifier)?;
        return Some(walk.name(name));
    }
    (kind(value) == Kind::Identifier).then(|| walk.name(value))
}

fn when_entry(walk: &mut Walk<'_, '_>, entry: Node<'_>, subject: Option<Name>) -> ExprId {
    let conditions = crate::lang::grammar::children_of_field(entry, fields().condition);
    let mut known = Vec::new();
    for condition in &conditions {
        if kind(*condition) != Kind::TypeTest {
            walk.node(*condition);
            if conditions.len() == 1 {
                narrowed(walk, *condition, &mut known);
            }
            continue;
        }
        let is_positive = condition.child(0).is_some_and(|word| word.kind() == "is");
        let Some(ty) = condition.named_child(0) else { continue };
        let ty = walk.ty(ty);
        if let (Some(subject), true, 1) = (subject, is_positive, conditions.len()) {
            known.push((subject, ty));
        }
    }
    let body = named_children(entry).into_iter().rfind(|part| !conditions.contains(part));
    body.map_or(Builder::OPAQUE, |body| branch(walk, body, &known))
}
