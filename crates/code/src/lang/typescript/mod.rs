//! TypeScript and JavaScript, with and without JSX.

mod classes;
mod exports;
mod expressions;
mod functions;
mod kinds;
mod layout;
mod patterns;
mod routes;
mod statements;
mod types;

use crate::facts::{Builder, DefId, Flags, Name, Rules};
use crate::lang::{Language, LexicalMarks, ModuleNaming, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use tree_sitter::Node;

pub struct TypeScript;

impl Language for TypeScript {
    fn name(&self) -> &'static str {
        "typescript"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"]
    }

    fn grammar(&self, path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        if has_jsx(path) { grammars::tsx() } else { grammars::typescript() }
    }

    fn rules(&self) -> Rules {
        Rules { closed: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        kinds::select(usize::from(has_jsx(path)));
        Lower { b: builder, n_imports: 0 }.statements(root);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        Box::new(layout::TypeScriptLayout::of(tree))
    }

    fn is_manifest(&self, name: &str) -> bool {
        let rest = name.strip_prefix("tsconfig");
        let is_tsconfig = rest.is_some_and(|rest| rest.strip_suffix(".json").is_some());
        name == "package.json" || is_tsconfig
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::File { of_folder: &["index"] }
    }

    fn routes(&self, builder: &mut Builder<'_>, path: &str) -> Vec<Route> {
        routes::find(builder, path)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks { quotes: b"\"'`", ..LexicalMarks::default() }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "String",
            bytes: "String",
            number: "Number",
            float: "Number",
            boolean: "Boolean",
            regex: "RegExp",
            list: "Array",
            map: "Map",
            merges: true,
            static_side: true,
            follows_aliases: true,
            promise: "Promise",
            by_path: true,
            ..Semantics::default()
        }
    }
}

/// Files that may hold JSX; in the others `<T>x` is a cast.
fn has_jsx(path: &str) -> bool {
    !matches!(path.rsplit('.').next(), Some("ts" | "mts" | "cts"))
}

fn is_test_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains(".test.")
        || name.contains(".spec.")
        || path.split('/').rev().skip(1).any(|folder| {
            matches!(folder, "test" | "tests" | "__tests__" | "spec" | "specs" | "e2e")
        })
}

/// The walk over one file.
struct Lower<'a, 's> {
    b: &'a mut Builder<'s>,
    /// Imports made by expressions so far; each gets a name of its own.
    n_imports: u32,
}

impl<'s> Lower<'_, 's> {
    fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.b.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text.trim_matches(['"', '\'']))
    }
}
