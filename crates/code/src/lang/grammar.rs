//! Node kinds and fields of a grammar as Rust names.
//!
//! The tree names kinds by number; comparing text for every node would cost
//! more than walking the tree. A table made once per grammar maps numbers to
//! the variants a language uses, all others to `Other`.

macro_rules! grammar {
    (language: $language:expr; $($rest:tt)*) => {
        $crate::lang::grammar::grammar! { @tables [$language]; $($rest)* }

        pub fn kind(node: tree_sitter::Node<'_>) -> Kind {
            TABLES[0].kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
        }

        pub fn fields() -> &'static Fields {
            &TABLES[0].fields
        }
    };
    (languages: [$($language:expr),* $(,)?]; $($rest:tt)*) => {
        $crate::lang::grammar::grammar! { @tables [$($language),*]; $($rest)* }

        thread_local! {
            static SELECTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
        }

        /// Says which of the grammars the nodes to come are of.
        pub fn select(grammar: usize) {
            SELECTED.set(grammar);
        }

        pub fn kind(node: tree_sitter::Node<'_>) -> Kind {
            let kinds = &TABLES[SELECTED.get()].kinds;
            kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
        }

        pub fn fields() -> &'static Fields {
            &TABLES[SELECTED.get()].fields
        }
    };
    (
        @tables [$($language:expr),*];
        kinds: { $($kind:ident = $kind_text:literal,)* }
        fields: { $($field:ident = $field_text:literal,)* }
    ) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind { Other, $($kind,)* }

        pub struct Fields { $(pub $field: u16,)* }

        struct Tables { kinds: Vec<Kind>, fields: Fields }

        static TABLES: std::sync::LazyLock<Vec<Tables>> = std::sync::LazyLock::new(|| {
            let table = |language: tree_sitter::Language| {
                let kinds = (0..language.node_kind_count())
                    .map(|id| {
                        let id = u16::try_from(id).unwrap_or(u16::MAX);
                        match language.node_kind_for_id(id) {
                            $(Some($kind_text) if language.node_kind_is_named(id) => Kind::$kind,)*
                            _ => Kind::Other,
                        }
                    })
                    .collect();
                let field = |name: &str| language.field_id_for_name(name).map_or(0, u16::from);
                Tables { kinds, fields: Fields { $($field: field($field_text),)* } }
            };
            vec![$(table($language)),*]
        });
    };
}

pub(crate) use grammar;

use std::ops::ControlFlow;
use tree_sitter::{Node, TreeCursor};

/// The named children of a node, without comments.
pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut children = Vec::with_capacity(node.named_child_count());
    each_child(node, |child| {
        if child.is_named() && !child.is_extra() {
            children.push(child);
        }
    });
    children
}

/// The parts of `a | b | c`, which nest to the left, one level a part: those of the nodes
/// of the same kind in front are taken along, in the order of the text.
pub(crate) fn left_nested(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut at = node;
    loop {
        let parts = named_children(at);
        let inner = parts.first().copied().filter(|first| first.kind_id() == node.kind_id());
        found.extend(parts.into_iter().skip(usize::from(inner.is_some())).rev());
        let Some(inner) = inner else { break };
        at = inner;
    }
    found.reverse();
    found
}

/// The children with a field name, in order.
pub(crate) fn children_of_field(node: Node<'_>, field: u16) -> Vec<Node<'_>> {
    let mut children = Vec::new();
    along_children(node, |cursor| {
        if cursor.field_id().is_some_and(|id| u16::from(id) == field) && cursor.node().is_named() {
            children.push(cursor.node());
        }
        ControlFlow::<()>::Continue(())
    });
    children
}

/// Every child, comments and punctuation included.
pub(crate) fn each_child<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    along_children(node, |cursor| {
        visit(cursor.node());
        ControlFlow::<()>::Continue(())
    });
}

/// The first named child that meets a condition; a comment is none.
pub(crate) fn child_where<'t>(
    node: Node<'t>,
    mut is_wanted: impl FnMut(Node<'t>) -> bool,
) -> Option<Node<'t>> {
    along_children(node, |cursor| {
        let child = cursor.node();
        if child.is_named() && !child.is_extra() && is_wanted(child) {
            ControlFlow::Break(child)
        } else {
            ControlFlow::Continue(())
        }
    })
}

/// Visits one child after the other until a visit ends it.
fn along_children<'t, T>(
    node: Node<'t>,
    mut visit: impl FnMut(&TreeCursor<'t>) -> ControlFlow<T>,
) -> Option<T> {
    let mut cursor = node.walk();
    let mut is_inside = cursor.goto_first_child();
    while is_inside {
        if let ControlFlow::Break(found) = visit(&cursor) {
            return Some(found);
        }
        is_inside = cursor.goto_next_sibling();
    }
    None
}
