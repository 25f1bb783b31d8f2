//! Rust.

mod expressions;
mod items;
mod kinds;
mod layout;
mod macros;
mod patterns;
mod routes;
mod types;
mod users;
mod uses;

use crate::facts::{Builder, DefId, Flags, Name, Rules};
use crate::lang::{self, Language, LexicalMarks, ModuleNaming, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use std::rc::Rc;
use tree_sitter::{Node, Parser};

pub struct Rust;

impl Language for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rs"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::rust()
    }

    fn rules(&self) -> Rules {
        Rules { in_order: true, modules_stand_alone: true, closed: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        let is_test = |folder: &str| folder == "tests" || folder == "benches";
        if path.split('/').rev().skip(1).any(is_test) || path.rsplit('/').next() == Some("tests.rs")
        {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        let mut parser = Parser::new();
        let is_ready = parser.set_language(&grammars::rust()).is_ok();
        Lower { b: builder, parser: is_ready.then_some(parser), macro_depth: 0 }.items(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        Box::new(layout::RustLayout::of(tree))
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "Cargo.toml"
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::File { of_folder: &["mod"] }
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        // A single quote is a lifetime as often as a character.
        LexicalMarks { quotes: b"\"", ..LexicalMarks::default() }
    }

    fn notation(&self) -> Notation {
        Notation { has_type_parameters: true, path_separator: "::", ..Notation::default() }
    }

    fn is_of_program(
        &self,
        path: &str,
        _bytes: &[u8],
        read: &mut dyn FnMut(&str) -> Option<Rc<str>>,
    ) -> bool {
        users::is_of_program(path, read)
    }

    fn foreign_signature<'t>(&self, function: &'t str) -> Option<(&'t str, Notation)> {
        Some((users::python_signature(function)?, lang::notation("python")))
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "str",
            bytes: "str",
            number: "usize",
            float: "f64",
            boolean: "bool",
            list: "Vec",
            map: "HashMap",
            methods_apart: true,
            deref: "Target",
            element: "Item",
            carriers: &["Result", "Option"],
            ..Semantics::default()
        }
    }
}

/// The walk over one file.
struct Lower<'a, 's> {
    b: &'a mut Builder<'s>,
    /// For what stands inside the parentheses of macros.
    parser: Option<Parser>,
    macro_depth: u32,
}

impl<'s> Lower<'_, 's> {
    fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.b.source.get(node.byte_range()).unwrap_or_default();
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        text.strip_prefix("r#").unwrap_or(text)
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text)
    }
}
