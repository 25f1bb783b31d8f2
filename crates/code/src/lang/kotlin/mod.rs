//! Kotlin.

mod declare;
mod flow;
mod kinds;
mod operators;
mod shapes;

use crate::facts::{Builder, DefId, Flags, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Initialisers, Language, LexicalMarks, ModuleNaming, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use tree_sitter::Node;

pub struct Kotlin;

/// The folders of tests, for one platform or several.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "androidTest",
    "commonTest",
    "jvmTest",
    "jsTest",
    "nativeTest",
    "unixTest",
    "integrationTest",
];

impl Language for Kotlin {
    fn name(&self) -> &'static str {
        "kotlin"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["kt", "kts"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::kotlin()
    }

    fn rules(&self) -> Rules {
        Rules { in_order: true, members_by_type: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path, &["Test", "Tests", "Spec"], TEST_FOLDERS) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        Walk::new(builder, &shapes::Shapes).parts(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        let standard = &["kotlin", "java", "javax"];
        Box::new(Spaces::of(tree, Options { standard, ..Options::default() }))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks { has_triple_quotes: true, quotes: b"\"", ..LexicalMarks::default() }
    }

    fn notation(&self) -> Notation {
        Notation {
            is_public_unsaid: true,
            bodies_are_marked: true,
            has_type_parameters: true,
            has_anonymous_classes: true,
            initialisers: Initialisers::Calls(&["super", "this"]),
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "String",
            bytes: "String",
            number: "Int",
            float: "Double",
            boolean: "Boolean",
            list: "List",
            map: "Map",
            classes_are_called: true,
            methods_apart: true,
            spaces: true,
            overloads: true,
            root: "Any",
            initializer: "<init>",
            indexed_by: "get",
            called_by: "invoke",
            ..Semantics::default()
        }
    }
}
