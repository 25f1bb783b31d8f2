//! PHP.

mod declare;
mod kinds;
mod routes;
mod shapes;

use crate::facts::{Builder, DefId, Flags, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Language, LexicalMarks, ModuleNaming, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use tree_sitter::Node;

pub struct Php;

impl Language for Php {
    fn name(&self) -> &'static str {
        "php"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["php", "phtml"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::php()
    }

    fn rules(&self) -> Rules {
        Rules { hoists: true, members_by_type: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path, &["Test"], &["test", "tests", "Test", "Tests"]) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        Walk::new(builder, &shapes::Shapes).parts(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        Box::new(Spaces::of(tree, Options { nests: true, ..Options::default() }))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks { line_comments: &["//", "#"], ..LexicalMarks::default() }
    }

    fn notation(&self) -> Notation {
        Notation {
            is_public_unsaid: true,
            bodies_are_marked: true,
            has_anonymous_classes: true,
            runs_at_top: true,
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "Text__",
            bytes: "Text__",
            number: "Number__",
            float: "Number__",
            boolean: "Number__",
            list: "List__",
            map: "List__",
            methods_apart: true,
            spaces: true,
            initializer: "__construct",
            inherits_initializer: true,
            ..Semantics::default()
        }
    }
}
