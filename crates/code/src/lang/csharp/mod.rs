//! C#.

mod conditionals;
mod declare;
mod kinds;
mod routes;
mod shapes;

use crate::facts::{Builder, DefId, Flags, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Initialisers, Language, ModuleNaming, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use std::borrow::Cow;
use tree_sitter::Node;

pub struct CSharp;

impl Language for CSharp {
    fn name(&self) -> &'static str {
        "csharp"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["cs"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::c_sharp()
    }

    fn readable<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        conditionals::readable(bytes)
    }

    fn rules(&self) -> Rules {
        Rules { in_order: true, members_by_type: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path, &["Test", "Tests", "Specs"], &["test", "tests", "Test", "Tests"]) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        Walk::new(builder, &shapes::Shapes).parts(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        let options = Options {
            nests: true,
            has_ambient_imports: true,
            standard: &["System"],
            ..Options::default()
        };
        Box::new(Spaces::of(tree, options))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn notation(&self) -> Notation {
        Notation {
            bodies_are_marked: true,
            has_type_parameters: true,
            has_anonymous_classes: true,
            initialisers: Initialisers::Calls(&["base", "this"]),
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "String",
            bytes: "String",
            number: "Int32",
            float: "Double",
            boolean: "Boolean",
            list: "Array__",
            map: "Dictionary",
            promise: "Task",
            spaces: true,
            overloads: true,
            root: "Object",
            initializer: "<init>",
            ..Semantics::default()
        }
    }
}
