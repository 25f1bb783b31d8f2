//! The languages lore reads, one folder each.
//!
//! A folder holds the names of its grammar, how a tree becomes facts, where
//! its imports lead, and a file of declarations of its standard library,
//! written in the language itself. `ALL` is the registry: adding a language
//! is adding a folder and a row.

mod chain;
mod cpp;
mod csharp;
mod go;
pub(crate) mod grammar;
mod java;
mod kotlin;
mod notation;
mod php;
mod python;
mod ruby;
mod rust;
pub(crate) mod shapes;
mod typescript;

use crate::facts::{Builder, DefId, FactsProblem, FileFacts, Literal, Rules};
use crate::link::layout::{Layout, Tree};
use crate::routes::{self, Route};
use crate::structure;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use tree_sitter::{Node, ParseOptions, Parser};

pub use notation::{Initialisers, Notation, PassedImports, notation};

/// What the engine must know of a language.
pub trait Language: Sync {
    fn name(&self) -> &'static str;

    /// Without the dot, lower case.
    fn extensions(&self) -> &'static [&'static str];

    fn grammar(&self, path: &str, bytes: &[u8]) -> tree_sitter::Language;

    /// The text as the grammar is to read it, byte for byte at the same places;
    /// where words stand that no grammar can know.
    fn readable<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        Cow::Borrowed(bytes)
    }

    fn rules(&self) -> Rules;

    /// Walks the tree of a file into the builder.
    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>);

    /// Declarations of what every file of the language can use without an
    /// import: types and signatures only, in the language itself.
    fn prelude(&self) -> &'static str;

    /// Where the imports of the files of a commit lead.
    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout>;

    fn semantics(&self) -> Semantics;

    /// What begins a comment and what quotes a text, for what reads words without
    /// the grammar.
    fn lexical_marks(&self) -> LexicalMarks {
        LexicalMarks::default()
    }

    /// How it is written, for comparing versions of a file.
    fn notation(&self) -> Notation {
        Notation::default()
    }

    /// The names that others can import from a file; none where everything may be used.
    fn exported_names(&self, _bytes: &[u8]) -> Option<FxHashSet<String>> {
        None
    }

    /// Whether a member is kept from others by a word that facts do not have.
    fn is_hidden_member(&self, _facts: &FileFacts, _member: DefId, _bytes: &[u8]) -> bool {
        false
    }

    /// Whether a file belongs to a program and not to a library, so that nobody outside can
    /// use what it defines; `read` gives the text of another file of its commit.
    fn is_of_program(
        &self,
        _path: &str,
        _bytes: &[u8],
        _read: &mut dyn FnMut(&str) -> Option<Rc<str>>,
    ) -> bool {
        false
    }

    /// Where another language calls a function by a signature of its own: that signature,
    /// from its opening bracket on, and how that language is written.
    fn foreign_signature<'t>(&self, _function: &'t str) -> Option<(&'t str, Notation)> {
        None
    }

    /// Whether a file of this name says how a repository is laid out.
    fn is_manifest(&self, _name: &str) -> bool {
        false
    }

    /// What a file adds in front of the names it defines.
    fn module_naming(&self) -> ModuleNaming {
        ModuleNaming::File { of_folder: &[] }
    }

    /// Names of files whose fixtures the tests of their folder and below can use;
    /// none where parameters of tests are not fixtures.
    fn fixture_files(&self) -> &'static [&'static str] {
        &[]
    }

    /// The routes of the frameworks written in it.
    fn routes(&self, _builder: &mut Builder<'_>, _path: &str) -> Vec<Route> {
        Vec::new()
    }
}

/// How the files of a language name what they define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleNaming {
    /// Each file is a module, but for those that stand for their folder.
    File { of_folder: &'static [&'static str] },
    /// The files of a folder share one namespace.
    Folder,
}

/// What begins a comment in a language, and what quotes a text.
#[derive(Clone, Copy, Debug)]
pub struct LexicalMarks {
    pub line_comments: &'static [&'static str],
    pub block_comment: Option<(&'static str, &'static str)>,
    /// Three quotes begin a text that goes over lines.
    pub has_triple_quotes: bool,
    pub quotes: &'static [u8],
    pub lines: LineMeaning,
}

/// What the lines of a language mean, beside the words in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineMeaning {
    /// Nothing: marks end statements.
    #[default]
    Layout,
    /// A statement ends with its line.
    Statement,
    /// What is indented further belongs to what stands above it.
    Nesting,
}

impl Default for LexicalMarks {
    /// Those of C.
    fn default() -> Self {
        LexicalMarks {
            line_comments: &["//"],
            block_comment: Some(("/*", "*/")),
            has_triple_quotes: false,
            quotes: b"\"'",
            lines: LineMeaning::Layout,
        }
    }
}

/// Switches of the linker that differ between languages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Semantics {
    /// Calling a class makes a value of it.
    pub classes_are_called: bool,
    /// Names for the built-in types of literals in the prelude.
    pub text: &'static str,
    pub bytes: &'static str,
    pub number: &'static str,
    pub float: &'static str,
    pub boolean: &'static str,
    pub regex: &'static str,
    /// Names for the further types of numbers, where a language tells them apart.
    pub small_types: SmallTypes,
    pub list: &'static str,
    pub map: &'static str,
    /// A variable that only names a function is that function.
    pub follows_aliases: bool,
    /// A method and a field may have one name.
    pub methods_apart: bool,
    /// A name without a receiver that is called is a method, never a field.
    pub calls_name_methods: bool,
    /// Calling a type converts a value and runs nothing.
    pub types_convert: bool,
    /// Declarations of one name in one place are one thing.
    pub merges: bool,
    /// A class and its values have different members.
    pub static_side: bool,
    /// The associated type that says what a loop gives.
    pub element: &'static str,
    /// The associated type a value is read through when it lacks a member.
    pub deref: &'static str,
    /// Built-in types whose name libraries give to types of their own that mean
    /// the same: `anyhow::Result<T>` holds a `T` as `Result` does.
    pub carriers: &'static [&'static str],
    /// The type whose argument `await` gives.
    pub promise: &'static str,
    /// Where imports lead follows from paths and manifests alone, and members
    /// of a type are written in its file: a file can be linked again without
    /// reading all others.
    pub by_path: bool,
    /// Namespaces span files, and members are used without a receiver.
    pub spaces: bool,
    /// Functions of one name differ in their parameters.
    pub overloads: bool,
    /// The prelude's type that takes every value; empty where there is none.
    pub root: &'static str,
    /// A function may be declared in one place and written in another.
    pub declares_apart: bool,
    /// The name under which a type holds its constructors; a call that makes
    /// a value leads to them, not to the type.
    pub initializer: &'static str,
    /// Reading a property looks like a call without arguments.
    pub calls_read: bool,
    /// A constructor serves the types that inherit it.
    pub inherits_initializer: bool,
    /// The member under which a file keeps what importing it as a whole gives;
    /// empty where that is always the file.
    pub module_value: &'static str,
    /// The member that `a[b]` calls; empty where no call of it is told.
    pub indexed_by: &'static str,
    /// The member that calling a value calls; empty where no call of it is told.
    pub called_by: &'static str,
    /// `f.call(…)` and `f.apply(…)` run `f`.
    pub calls_by_member: bool,
    /// The method by which a value answers requests that is given to a route instead of
    /// a function; empty where there is none.
    pub handler: &'static str,
}

/// How a language tells its types of numbers and characters apart, by the names
/// of their stand-ins in the prelude.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallTypes {
    pub literals: &'static [(Literal, &'static str)],
    /// What converts by itself: each to the types that are named with it.
    pub widens: &'static [(&'static str, &'static [&'static str])],
    /// The class whose values hold one of a small type.
    pub boxes: &'static [(&'static str, &'static str)],
}

impl SmallTypes {
    pub fn name_of(&self, literal: Literal) -> &'static str {
        let mut all = self.literals.iter();
        all.find(|(known, _)| *known == literal).map_or("", |(_, name)| *name)
    }
}

/// Every language, in the order of the registry.
pub static ALL: &[&dyn Language] = &[
    &cpp::Cpp,
    &csharp::CSharp,
    &go::Go,
    &java::Java,
    &kotlin::Kotlin,
    &php::Php,
    &python::Python,
    &ruby::Ruby,
    &rust::Rust,
    &typescript::TypeScript,
];

/// Larger files are not read; generated bundles and data in code's clothing.
pub const MAX_BYTES: usize = 4 << 20;

/// Steps of the parser allowed for a file: real code needs about one call of
/// the progress function per 25 bytes. Brackets nested a thousandfold and never
/// closed need ever more, most likely because recovery tries every level anew.
const STEPS_BASE: usize = 4_000;
const BYTES_PER_STEP: usize = 2;
/// Beyond so many steps a long text gets fewer for its bytes: still twice what
/// real code needs, and megabytes of nonsense do not take minutes.
const STEPS_AT_ONCE: usize = 100_000;
const BYTES_PER_LATER_STEP: usize = 12;

/// The steps a text of so many bytes may take.
fn steps_for(n_bytes: usize) -> usize {
    let generous = n_bytes / BYTES_PER_STEP;
    STEPS_BASE + generous.min(STEPS_AT_ONCE + n_bytes / BYTES_PER_LATER_STEP)
}

/// Nodes of the syntax of one file. Code of the largest size that is read has
/// about half as many.
const MAX_NODES: usize = 2_000_000;

pub fn by_name(name: &str) -> Option<&'static dyn Language> {
    ALL.iter().copied().find(|language| language.name() == name)
}

/// The language of a path, by its extension.
pub fn by_path(path: &str) -> Option<&'static dyn Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    ALL.iter().copied().find(|language| language.extensions().contains(&extension.as_str()))
}

/// How files of a language or a format are named, by its name.
pub fn module_naming(name: &str) -> ModuleNaming {
    match by_name(name) {
        Some(language) => language.module_naming(),
        None => structure::module_naming(name),
    }
}

/// Whether a path is of a format that declares things, not of a language.
pub fn is_structure(path: &str) -> bool {
    by_path(path).is_none() && structure::by_path(path).is_some()
}

/// Whether anything reads files of this path.
pub fn is_known(path: &str) -> bool {
    by_path(path).is_some() || structure::by_path(path).is_some()
}

/// What a file says. Never fails: what cannot be read is said in `trouble`.
///
/// The same path and bytes give the same facts, on every machine and at any
/// time; limits are counted in steps and bytes, not in seconds.
pub fn extract(path: &str, bytes: &[u8]) -> FileFacts {
    let trouble = |trouble| FileFacts { trouble: vec![trouble], ..FileFacts::default() };
    let Some(language) = by_path(path) else {
        let Some(format) = structure::by_path(path) else {
            return trouble(FactsProblem::UnknownLanguage);
        };
        if bytes.len() > MAX_BYTES {
            return FileFacts {
                language: format.name.to_owned(),
                ..trouble(FactsProblem::TooLarge)
            };
        }
        return structure::extract(format, path, bytes);
    };
    if bytes.len() > MAX_BYTES {
        return FileFacts {
            language: language.name().to_owned(),
            ..trouble(FactsProblem::TooLarge)
        };
    }
    extract_as(language, path, bytes)
}

thread_local! {
    /// One for all files of a thread: a new one has all its lists to grow again.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

pub(crate) fn extract_as(language: &dyn Language, path: &str, bytes: &[u8]) -> FileFacts {
    let mut builder = Builder::new(language.name(), bytes, language.rules());
    let parsed = PARSER.with_borrow_mut(|parser| {
        let readable = language.readable(bytes);
        parser.set_language(&language.grammar(path, bytes)).map(|()| parse(parser, &readable))
    });
    let Ok(tree) = parsed else {
        builder.trouble(FactsProblem::UnknownLanguage);
        return builder.finish();
    };
    match tree {
        Some(tree) if tree.root_node().descendant_count() > MAX_NODES => {
            builder.trouble(FactsProblem::TooMuch);
        }
        Some(tree) => {
            let root = tree.root_node();
            if root.has_error() {
                note_errors(&mut builder, root);
            }
            language.lower(&mut builder, path, root);
            let mut found = language.routes(&mut builder, path);
            found.extend(crate::routes::topics(&builder));
            routes::add_all(&mut builder, found);
        }
        None => builder.trouble(FactsProblem::TooSlow),
    }
    builder.finish()
}

/// Parses within a number of steps that grows with the text.
pub(crate) fn parse(parser: &mut Parser, bytes: &[u8]) -> Option<tree_sitter::Tree> {
    let mut steps_left = steps_for(bytes.len());
    let mut progress = |_: &tree_sitter::ParseState| {
        steps_left = steps_left.saturating_sub(1);
        if steps_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

fn has_inner_error(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|part| part.has_error() || part.is_missing())
}

/// The line at which reading stopped: that of the last part that was still read.
fn error_line(node: Node<'_>) -> u32 {
    let last = node.child_count().checked_sub(1).and_then(|last| node.child(last));
    last.unwrap_or(node).start_position().row as u32 + 1
}

/// Notes the first places the grammar could not read.
fn note_errors(builder: &mut Builder<'_>, root: Node<'_>) {
    let mut cursor = root.walk();
    let mut n_found = 0;
    'walk: loop {
        let node = cursor.node();
        // What could not be read is said by its innermost part: all of a file
        // may stand under one error.
        let is_innermost = node.is_missing() || node.is_error() && !has_inner_error(node);
        if is_innermost {
            builder.trouble(FactsProblem::Syntax { line: error_line(node) });
            n_found += 1;
            if n_found == 4 {
                break;
            }
        }
        if node.has_error() && !is_innermost && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}
