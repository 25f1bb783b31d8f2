//! Python.

mod definitions;
mod documented;
mod expressions;
mod imports;
mod kinds;
mod layout;
mod routes;
mod standard;
mod statements;
mod types;

use crate::facts::{Builder, DefId, Flags, Name, Rules};
use crate::lang::grammar::named_children;
use crate::lang::{
    Language, LexicalMarks, LineMeaning, ModuleNaming, Notation, PassedImports, Semantics,
};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

pub struct Python;

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py", "pyi"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::python()
    }

    fn rules(&self) -> Rules {
        Rules { hoists: true, closed: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        let (fields, documented) = (FxHashMap::default(), FxHashMap::default());
        Lower { b: builder, fields, documented, receivers: Vec::new() }.file(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.pyi")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        Box::new(layout::PythonLayout::of(tree))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::File { of_folder: &["__init__"] }
    }

    fn fixture_files(&self) -> &'static [&'static str] {
        &["conftest.py"]
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks {
            line_comments: &["#"],
            block_comment: None,
            has_triple_quotes: true,
            lines: LineMeaning::Nesting,
            ..LexicalMarks::default()
        }
    }

    fn notation(&self) -> Notation {
        Notation {
            documents_in_texts: true,
            quotes_are_alike: true,
            body_follows_colon: true,
            has_signatures: true,
            runs_at_top: true,
            divides_parameters: true,
            passes_on: PassedImports::All,
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            classes_are_called: true,
            text: "str",
            bytes: "bytes",
            number: "int",
            float: "float",
            boolean: "bool",
            regex: "",
            list: "list",
            map: "dict",
            promise: "",
            by_path: true,
            ..Semantics::default()
        }
    }
}

/// Where pytest and unittest look for tests.
fn is_test_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_")
        || name.ends_with("_test.py")
        || name == "conftest.py"
        || path.split('/').rev().skip(1).any(|folder| folder == "tests" || folder == "test")
}

/// The walk over one file.
struct Lower<'a, 's> {
    b: &'a mut Builder<'s>,
    /// The one definition of a variable of a module or a field of a class.
    fields: FxHashMap<(DefId, Name), DefId>,
    /// First parts of dotted names in documentation.
    documented: FxHashMap<Name, documented::NameRoot>,
    /// The name of the receiver in the method being walked, and its class.
    receivers: Vec<Option<(Name, DefId)>>,
}

impl<'s> Lower<'_, 's> {
    /// The text of a node; empty where it is not UTF-8.
    fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.b.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text)
    }
}
