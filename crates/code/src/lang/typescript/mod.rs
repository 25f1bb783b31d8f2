//! TypeScript and JavaScript, with and without JSX.

mod assignments;
mod classes;
mod constructors;
mod exports;
mod expressions;
mod functions;
mod kinds;
mod layout;
mod objects;
mod patterns;
mod prototypes;
mod routes;
mod separators;
mod settle;
mod statements;
mod types;
mod users;
mod wrappers;

use crate::facts::{Binding, Builder, DefId, FileFacts, Flags, Name, Rules, Space};
use crate::lang::{Language, LexicalMarks, ModuleNaming, Notation, PassedImports, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use constructors::MemberSource;
use objects::Objects;
use prototypes::Prototypes;
use rustc_hash::{FxHashMap, FxHashSet};
use settle::{Derivation, NamedMember};
use std::borrow::Cow;
use tree_sitter::Node;
use wrappers::Level;

/// The member of a file that is what it exports as a whole: `module.exports`.
const MODULE_VALUE: &str = "export=";

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

    fn readable<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        separators::with_separators(bytes)
    }

    fn rules(&self) -> Rules {
        Rules { closed: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        if is_test_path(path) {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        kinds::select(usize::from(has_jsx(path)));
        let mut lower = Lower {
            prototypes: Prototypes::of(builder.source, root),
            b: builder,
            n_imports: 0,
            classes: FxHashMap::default(),
            declared: FxHashMap::default(),
            objects: Objects::new(),
            members: FxHashMap::default(),
            open_records: FxHashSet::default(),
            named_members: Vec::new(),
            derivations: Vec::new(),
            given: FxHashMap::default(),
            wrappers: FxHashSet::default(),
            documented: None,
            level: Level::FILE,
            has_exports: false,
        };
        lower.bind_exports();
        lower.statements(root);
        lower.finish();
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

    fn notation(&self) -> Notation {
        Notation {
            quotes_are_alike: true,
            is_public_unsaid: true,
            bodies_are_marked: true,
            types_have_braces: true,
            has_type_parameters: true,
            has_signatures: true,
            has_object_literals: true,
            reopens_modules: true,
            runs_at_top: true,
            passes_on: PassedImports::Exported,
            ..Notation::default()
        }
    }

    fn exported_names(&self, bytes: &[u8]) -> Option<FxHashSet<String>> {
        users::exported_names(bytes)
    }

    fn is_hidden_member(&self, facts: &FileFacts, member: DefId, bytes: &[u8]) -> bool {
        users::is_hidden_member(facts, member, bytes)
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
            module_value: MODULE_VALUE,
            calls_by_member: true,
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
    prototypes: Prototypes,
    /// The definitions of classes, by the node of the class or function.
    classes: FxHashMap<usize, DefId>,
    /// Functions of the file that got a definition before they are reached.
    declared: FxHashMap<usize, DefId>,
    objects: Objects,
    /// The first member of each name, by what it is a member of.
    members: FxHashMap<(DefId, Name), DefId>,
    /// Object literals whose functions may add to them by `this.x = …`.
    open_records: FxHashSet<DefId>,
    named_members: Vec<NamedMember>,
    derivations: Vec<Derivation>,
    /// Arguments that define members, by their nodes.
    given: FxHashMap<usize, MemberSource>,
    /// Functions that only wrap the file's code.
    wrappers: FxHashSet<usize>,
    /// What the comment above the present statement is about, if not the first
    /// definition it makes.
    documented: Option<DefId>,
    level: Level,
    /// `exports.x = …` was met.
    has_exports: bool,
}

impl<'s> Lower<'_, 's> {
    /// Makes `exports` known, where the file speaks of it.
    fn bind_exports(&mut self) {
        let source = std::str::from_utf8(self.b.source).unwrap_or_default();
        if source.contains("exports") {
            let name = self.b.name("exports");
            self.b.bind_private(name, Space::Value, Binding::Def(DefId::FILE));
        }
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.b.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text.trim_matches(['"', '\'']))
    }
}
