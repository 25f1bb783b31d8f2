//! Ruby.

mod calls;
mod kinds;
mod routes;
mod shapes;

use crate::facts::{Builder, DefId, Flags, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Language, LexicalMarks, LineMeaning, ModuleNaming, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use crate::routes::Route;
use tree_sitter::Node;

pub struct Ruby;

impl Language for Ruby {
    fn name(&self) -> &'static str {
        "ruby"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["rb", "rake", "gemspec", "ru"]
    }

    fn grammar(&self, _path: &str, _bytes: &[u8]) -> tree_sitter::Language {
        grammars::ruby()
    }

    fn rules(&self) -> Rules {
        Rules { hoists: true, members_by_type: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_test_path(path, &["_spec", "_test"], &["spec", "test", "tests"])
            || name.starts_with("test_")
        {
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
            types_are_spaces: true,
            file_endings: &[".rb", ""],
            // Functions at the top of a script are for that script alone.
            header_endings: &["\0"],
            ..Options::default()
        };
        Box::new(Spaces::of(tree, options))
    }

    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::Folder
    }

    fn routes(&self, builder: &mut Builder<'_>, path: &str) -> Vec<Route> {
        routes::find(builder, path)
    }

    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks {
            line_comments: &["#"],
            block_comment: Some(("=begin", "=end")),
            lines: LineMeaning::Statement,
            ..LexicalMarks::default()
        }
    }

    fn notation(&self) -> Notation {
        Notation {
            is_public_unsaid: true,
            has_access_labels: true,
            body_follows_parameters: true,
            reopens_classes: true,
            runs_at_top: true,
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "String",
            bytes: "String",
            number: "Integer",
            float: "Float",
            boolean: "TrueClass",
            regex: "Regexp",
            list: "Array",
            map: "Hash",
            spaces: true,
            initializer: "initialize",
            inherits_initializer: true,
            calls_read: true,
            ..Semantics::default()
        }
    }
}
