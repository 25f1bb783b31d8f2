//! Functions that only wrap the code of a file: called on the spot, or handed
//! to `define` or to a function that is called on the spot.

use super::Lower;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use crate::lang::grammar::named_children;
use tree_sitter::Node;

/// Where in a file the walk is.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Code of the file itself, if need be inside a wrapper.
    pub is_file: bool,
    /// `this` is what the file exports.
    pub this_is_exports: bool,
    /// The function that comes next is a member of what the file exports.
    pub gives_exports: bool,
    /// A parameter is named `module`.
    pub hides_module: bool,
}

impl Level {
    pub const FILE: Level =
        Level { is_file: true, this_is_exports: false, gives_exports: false, hides_module: false };
}

impl Lower<'_, '_> {
    /// Notes the functions that an expression of the file's code only wraps
    /// further such code in.
    pub(super) fn note_wrappers(&mut self, node: Node<'_>) {
        if !self.level.is_file {
            return;
        }
        let f = fields();
        let mut at = node;
        loop {
            match kind(at) {
                Kind::ParenthesizedExpression | Kind::UnaryExpression | Kind::AwaitExpression => {
                    let Some(inner) = at.named_child(0) else { return };
                    at = inner;
                }
                Kind::CallExpression => break,
                _ => return,
            }
        }
        let Some(mut called) = at.child_by_field_id(f.function) else { return };
        if kind(called) == Kind::MemberExpression {
            let property = called.child_by_field_id(f.property).map_or("", |it| self.text(it));
            let object = called.child_by_field_id(f.object);
            match object {
                Some(object) if matches!(property, "call" | "apply") => called = object,
                _ => return,
            }
        }
        while kind(called) == Kind::ParenthesizedExpression {
            let Some(inner) = called.named_child(0) else { return };
            called = inner;
        }
        let is_wrapper = is_function(called);
        let is_define = kind(called) == Kind::Identifier && self.text(called) == "define";
        if !is_wrapper && !is_define {
            return;
        }
        if is_wrapper {
            self.wrappers.insert(called.id());
        }
        let arguments = at.child_by_field_id(f.arguments).map(named_children).unwrap_or_default();
        let functions = arguments.into_iter().filter(|argument| is_function(*argument));
        self.wrappers.extend(functions.map(|function| function.id()));
    }

    pub(super) fn is_wrapper(&self, function: Node<'_>) -> bool {
        self.level.is_file && self.wrappers.contains(&function.id())
    }
}
