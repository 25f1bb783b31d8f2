//! Operators that are calls of functions with a name: `a[b]` of `get`, `a[b] = c` of `set`.

use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, Expr, ExprId};
use crate::lang::grammar::named_children;
use crate::lang::shapes::Walk;
use tree_sitter::Node;

/// Whether an assignment is to an element of something.
pub(super) fn is_to_element(node: Node<'_>) -> bool {
    node.child_by_field_id(fields().left).is_some_and(|left| kind(left) == Kind::IndexExpression)
}

/// `a[b]`
pub(super) fn index(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let Some((element, n_index)) = element(walk, node) else { return Builder::OPAQUE };
    called(walk, node, element, "get", n_index);
    element
}

/// `a[b] = c`, `a[b] += c`
pub(super) fn assign_element(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    let (left, right) = (node.child_by_field_id(f.left), node.child_by_field_id(f.right));
    let (Some(left), Some(right)) = (left, right) else { return Builder::OPAQUE };
    let value = walk.node(right);
    if let Some((element, n_index)) = element(walk, left) {
        walk.b.write(element);
        // What is added to an element is added to what was there.
        let mut cursor = node.walk();
        let is_plain = node.children(&mut cursor).any(|part| part.kind() == "=");
        if !is_plain {
            called(walk, left, element, "get", n_index);
        }
        called(walk, left, element, "set", n_index + 1);
    }
    value
}

/// An element of a value, and how many indexes say which one.
fn element(walk: &mut Walk<'_, '_>, node: Node<'_>) -> Option<(ExprId, usize)> {
    let parts = named_children(node);
    let (object, rest) = parts.split_first()?;
    let object = walk.node(*object);
    let index = walk.nodes(rest).first().copied().unwrap_or(Builder::OPAQUE);
    let element = walk.known(object, |object| Expr::Index(object, index));
    (element != Builder::OPAQUE).then_some((element, rest.len()))
}

fn called(walk: &mut Walk<'_, '_>, node: Node<'_>, element: ExprId, name: &str, n_args: usize) {
    let mut cursor = node.walk();
    let bracket = node.children(&mut cursor).find(|part| part.kind() == "[");
    let at = bracket.unwrap_or(node).start_byte();
    let name = walk.b.name(name);
    walk.b.call(element, name, at, n_args);
}
