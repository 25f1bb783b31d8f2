//! What stands between the parentheses of a macro.
//!
//! The grammar gives tokens there. Most macros are given expressions, so the
//! tokens are cut at commas and semicolons and each part is read again as a
//! statement, at its own place in the file. A macro among items that is given
//! items (`cfg_fs! { pub mod fs; }`) defines them where it stands. What does not
//! read is left alone.

use super::Lower;
use super::items::is_item;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, Expr, ExprId, Literal};
use crate::lang::grammar::each_child;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Macros inside macros are read again at every level.
const MAX_MACRO_DEPTH: u32 = 12;

impl Lower<'_, '_> {
    pub(super) fn macro_invocation(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let name = node.child_by_field_id(f.macro_).map_or("", |name| self.text(name));
        let name = name.rsplit("::").next().unwrap_or(name);
        let mut tree = None;
        each_child(node, |child| {
            if kind(child) == Kind::TokenTree {
                tree = Some(child);
            }
        });
        let values = match tree {
            Some(tree) if self.macro_depth < MAX_MACRO_DEPTH => {
                self.macro_depth += 1;
                let values = self.token_tree(tree);
                self.macro_depth -= 1;
                values
            }
            _ => Vec::new(),
        };
        match name {
            "vec" => self.b.expr(Expr::List(values.into_iter().take(4).collect())),
            "format" | "concat" | "stringify" | "env" | "include_str" => {
                self.b.expr(Expr::Literal(Literal::Text))
            }
            "panic" | "unreachable" | "todo" | "unimplemented" | "bail" => {
                self.b.expr(Expr::Literal(Literal::Nothing))
            }
            "matches" => self.b.expr(Expr::Literal(Literal::Bool)),
            "dbg" => values.first().copied().unwrap_or(Builder::OPAQUE),
            _ => Builder::OPAQUE,
        }
    }

    fn token_tree(&mut self, tree: Node<'_>) -> Vec<ExprId> {
        let mut tokens = Vec::new();
        each_child(tree, |token| tokens.push(token));
        // The first and the last are the parentheses themselves.
        let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
        let mut values = Vec::new();
        for part in parts(inner, self.b.source) {
            values.push(self.reread(part));
        }
        values
    }

    /// Reads the braces of a macro that stands among items as items of the scope
    /// around; false where they hold anything else.
    pub(super) fn item_macro(&mut self, node: Node<'_>) -> bool {
        let Some(invocation) = invocation_of(node) else { return false };
        let Some(inner) = braced(invocation) else { return false };
        if self.macro_depth >= MAX_MACRO_DEPTH {
            return false;
        }
        let Some(tree) = self.parse_range(inner) else { return false };
        let root = tree.root_node();
        let mut n_items = 0;
        let mut is_all_items = !root.has_error();
        each_child(root, |child| {
            if child.is_named() && !child.is_extra() && kind(child) != Kind::AttributeItem {
                n_items += 1;
                is_all_items &= is_item(child) || invocation_of(child).and_then(braced).is_some();
            }
        });
        if !is_all_items || n_items == 0 {
            return false;
        }
        self.macro_depth += 1;
        self.items(root);
        self.macro_depth -= 1;
        true
    }

    /// Reads a range of the file as a statement.
    fn reread(&mut self, range: Range<usize>) -> ExprId {
        let has_call =
            self.b.source[range.clone()].iter().any(|byte| matches!(byte, b'(' | b'{' | b'!'));
        let is_name = self.b.source[range.clone()]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'&' | b':'));
        if !has_call && !is_name {
            return Builder::OPAQUE;
        }
        let Some(tree) = self.parse_range(range) else { return Builder::OPAQUE };
        self.b.open(crate::facts::ScopeKind::Block);
        let value = self.block_of(tree.root_node());
        self.b.close();
        value
    }

    /// Parses a range of the file at its place.
    fn parse_range(&mut self, range: Range<usize>) -> Option<Tree> {
        let mut parser = self.parser.take()?;
        let (start_row, start_col) = self.b.position(range.start);
        let (end_row, end_col) = self.b.position(range.end);
        let point = |row: u32, col: u32| tree_sitter::Point {
            row: row as usize - 1,
            column: col as usize - 1,
        };
        let range = tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: point(start_row, start_col),
            end_point: point(end_row, end_col),
        };
        let tree = match parser.set_included_ranges(&[range]) {
            Ok(()) => crate::lang::parse(&mut parser, self.b.source),
            Err(_) => None,
        };
        self.parser = Some(parser);
        tree
    }
}

/// The macro that a node calls, and does nothing besides.
fn invocation_of(node: Node<'_>) -> Option<Node<'_>> {
    match kind(node) {
        Kind::MacroInvocation => Some(node),
        Kind::ExpressionStatement => {
            node.named_child(0).filter(|child| kind(*child) == Kind::MacroInvocation)
        }
        _ => None,
    }
}

/// What stands between the braces of a macro; none of one with other parentheses.
fn braced(invocation: Node<'_>) -> Option<Range<usize>> {
    let mut tree = None;
    each_child(invocation, |child| {
        if kind(child) == Kind::TokenTree {
            tree = Some(child);
        }
    });
    let tree: Node<'_> = tree?;
    let opens = tree.child(0).is_some_and(|token| token.kind() == "{");
    let inner = tree.start_byte() + 1..tree.end_byte().saturating_sub(1);
    (opens && inner.start < inner.end).then_some(inner)
}

/// Where the parts of a macro's input begin and end.
fn parts(tokens: &[Node<'_>], source: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start: Option<usize> = None;
    let mut end = 0;
    let mut in_closure = false;
    for token in tokens {
        if token.is_extra() {
            continue;
        }
        let text = source.get(token.byte_range()).unwrap_or_default();
        match text {
            b"|" if in_closure => in_closure = false,
            // A bar at the start of a part opens the parameters of a closure.
            b"|" if start.is_none() || source.get(start.unwrap_or(0)..end) == Some(b"move") => {
                in_closure = true;
            }
            b"," | b";" | b"=>" if !in_closure => {
                if let Some(start) = start.take() {
                    parts.push(start..end);
                }
                continue;
            }
            _ => {}
        }
        start.get_or_insert(token.start_byte());
        end = token.end_byte();
    }
    if let Some(start) = start {
        parts.push(start..end);
    }
    parts
}
