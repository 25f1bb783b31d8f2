//! Java.

mod kinds;
mod routes;
mod shapes;

use crate::facts::{Builder, DefId, Flags, Literal, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Language, LexicalMarks, ModuleNaming, Notation, Semantics, SmallTypes};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use tree_sitter::Node;

pub struct Java;

const SMALL_TYPES: SmallTypes = SmallTypes {
    literals: &[
        (Literal::Character, "char__"),
        (Literal::Byte, "byte__"),
        (Literal::Short, "short__"),
        (Literal::Long, "long__"),
        (Literal::Single, "float__"),
    ],
    widens: &[
        ("byte__", &["short__", "int__", "long__", "float__", "double__"]),
        ("short__", &["int__", "long__", "float__", "double__"]),
        ("char__", &["int__", "long__", "float__", "double__"]),
        ("int__", &["long__", "float__", "double__"]),
        ("long__", &["float__", "double__"]),
        ("float__", &["double__"]),
        ("double__", &[]),
        ("boolean__", &[]),
    ],
    boxes: &[
        ("byte__", "Byte"),
        ("short__", "Short"),
        ("char__", "Character"),
        ("int__", "Integer"),
        ("long__", "Long"),
        ("float__", "Float"),
        ("double__", "Double"),
        ("boolean__", "Boolean"),
    ],
};

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["java"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::java()
    }

    fn rules(&self) -> Rules {
        Rules {
            in_order: true,
            members_by_type: true,
            calls_name_functions: true,
            ..Rules::default()
        }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path, &["Test", "Tests", "IT"], &["test", "androidTest"]) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        Walk::new(builder, &shapes::Shapes).parts(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        let standard = &["java", "javax", "jdk"];
        Box::new(Spaces::of(tree, Options { standard, ..Options::default() }))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn routes(&self, builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        routes::find(builder)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks { has_triple_quotes: true, quotes: b"\"", ..LexicalMarks::default() }
    }

    fn notation(&self) -> Notation {
        Notation {
            bodies_are_marked: true,
            has_type_parameters: true,
            has_anonymous_classes: true,
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "String",
            bytes: "String",
            number: "int__",
            float: "double__",
            boolean: "boolean__",
            small_types: SMALL_TYPES,
            list: "Array__",
            map: "Map",
            methods_apart: true,
            calls_name_methods: true,
            spaces: true,
            overloads: true,
            root: "Object",
            initializer: "<init>",
            ..Semantics::default()
        }
    }
}
