//! Go.

mod constraints;
mod definitions;
mod expressions;
mod kinds;
mod layout;
mod new_values;
mod route_nests;
mod routes;
mod statements;
mod types;
mod users;

use crate::facts::{Builder, DefId, Flags, Name, Rules};
use crate::lang::{Language, LexicalMarks, ModuleNaming, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;
use tree_sitter::Node;

pub struct Go;

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::go()
    }

    fn readable<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        new_values::with_named_calls(bytes)
    }

    fn rules(&self) -> Rules {
        Rules { in_order: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if path.strip_suffix("_test.go").is_some() {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        if constraints::is_left_out(path, builder.source) {
            builder.def_mut(DefId::FILE).flags.add(Flags::CONDITIONAL);
        }
        Lower { b: builder, impls: FxHashMap::default() }.file(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.go")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        Box::new(layout::GoLayout::of(tree))
    }

    fn is_manifest(&self, name: &str) -> bool {
        name == "go.mod"
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks { quotes: b"\"'`", ..LexicalMarks::default() }
    }

    fn is_of_program(
        &self,
        path: &str,
        bytes: &[u8],
        _read: &mut dyn FnMut(&str) -> Option<Rc<str>>,
    ) -> bool {
        users::is_main_package(bytes) || users::is_internal(path)
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "string",
            bytes: "string",
            number: "int",
            float: "float64",
            boolean: "bool",
            list: "slice__",
            map: "map__",
            types_convert: true,
            handler: "ServeHTTP",
            ..Semantics::default()
        }
    }
}

/// The walk over one file.
struct Lower<'a, 's> {
    b: &'a mut Builder<'s>,
    /// The block that holds the methods of a type, one per type and file.
    impls: FxHashMap<Name, DefId>,
}

impl<'s> Lower<'_, 's> {
    fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.b.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text)
    }
}
