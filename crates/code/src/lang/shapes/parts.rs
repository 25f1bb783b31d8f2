//! Small ways of reading a tree that all grammars share.

use crate::facts::{DefKind, Flags};
pub(crate) use crate::lang::grammar::child_where;
use crate::lang::grammar::{children_of_field, each_child, named_children};
use tree_sitter::Node;

/// The named children of an optional node.
pub(crate) fn inside(node: Option<Node<'_>>) -> Vec<Node<'_>> {
    node.map(named_children).unwrap_or_default()
}

/// The named children except those with one of these fields.
pub(crate) fn rest<'t>(node: Node<'t>, except: &[Option<Node<'t>>]) -> Vec<Node<'t>> {
    let mut children = named_children(node);
    children.retain(|child| !except.iter().flatten().any(|one| one.id() == child.id()));
    children
}

/// Whether one of the children is this word of the grammar.
pub(crate) fn has_word(node: Node<'_>, word: &str) -> bool {
    let mut found = false;
    each_child(node, |child| found |= !child.is_named() && child.kind() == word);
    found
}

pub(crate) fn field_all(node: Node<'_>, field: u16) -> Vec<Node<'_>> {
    children_of_field(node, field)
}

/// The text of a comment without its marks.
pub(crate) fn comment_text(comment: &str) -> String {
    let lines = comment.lines().map(|line| {
        let line = line.trim();
        let line = line.strip_suffix("*/").unwrap_or(line);
        line.trim_start_matches(['/', '*', '#', '!']).trim()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a folder or file name says that a file holds tests.
pub(crate) fn is_test_path(path: &str, ends: &[&str], folders: &[&str]) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ends.iter().any(|end| stem.ends_with(end)) || parts.any(|part| folders.contains(&part))
}

/// Flags of a definition that stands for a declaration without a body.
pub(crate) fn declared(kind: DefKind, has_body: bool) -> Flags {
    match kind {
        DefKind::Method | DefKind::Function if !has_body => Flags::ABSTRACT,
        _ => Flags::default(),
    }
}
