//! C and C++: one language to the linker, because headers serve both.

mod conditionals;
mod declare;
mod kinds;
mod macros;
mod shapes;

use crate::facts::{Builder, Def, DefId, Flags, Rules};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::is_test_path;
use crate::lang::shapes::spaces::{Options, Spaces};
use crate::lang::{Initialisers, Language, Notation, Semantics};
use crate::link::layout::{Layout, Tree};
use std::borrow::Cow;
use tree_sitter::Node;

pub struct Cpp;

const HEADERS: &[&str] = &[".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp"];

impl Language for Cpp {
    fn name(&self) -> &'static str {
        "cpp"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h", "c", "inl", "ipp", "tpp", "cu", "cuh"]
    }

    fn grammar(&self, path: &str, bytes: &[u8]) -> tree_sitter::Language {
        if is_c(path, bytes) { grammars::c() } else { grammars::cpp() }
    }

    fn readable<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        match conditionals::without_conditions(bytes) {
            Cow::Borrowed(bytes) => macros::without_marks(bytes),
            Cow::Owned(text) => Cow::Owned(macros::without_marks(&text).into_owned()),
        }
    }

    fn rules(&self) -> Rules {
        Rules { in_order: true, members_by_type: true, ..Rules::default() }
    }

    fn lower(&self, builder: &mut Builder<'_>, path: &str, root: Node<'_>) {
        let is_test = is_test_path(
            path,
            &["_test", "_tests", "_unittest", "Test"],
            &["test", "tests", "unittests", "testing"],
        );
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_test || name.starts_with("test_") || name.starts_with("test-") {
            builder.def_mut(DefId::FILE).flags.add(Flags::TEST);
        }
        kinds::select(usize::from(!is_c(path, builder.source)));
        Walk::new(builder, &shapes::Shapes).parts(root);
        mark_conditional(builder);
    }

    fn prelude(&self) -> &'static str {
        include_str!("prelude.stub")
    }

    fn layout(&self, tree: &Tree<'_>) -> Box<dyn Layout> {
        let options = Options {
            nests: true,
            file_endings: &[""],
            header_endings: HEADERS,
            ..Options::default()
        };
        Box::new(Spaces::of(tree, options))
    }

    fn notation(&self) -> Notation {
        Notation {
            has_access_labels: true,
            declares_past_equals: true,
            initialisers: Initialisers::Members,
            ..Notation::default()
        }
    }

    fn semantics(&self) -> Semantics {
        Semantics {
            text: "char_array__",
            bytes: "char_array__",
            number: "number__",
            float: "number__",
            boolean: "number__",
            list: "array__",
            map: "array__",
            deref: "element_type",
            spaces: true,
            overloads: true,
            declares_apart: true,
            initializer: "<init>",
            ..Semantics::default()
        }
    }
}

/// Says which macros are defined under a condition only.
fn mark_conditional(builder: &mut Builder<'_>) {
    let is_macro = |def: &Def| def.flags.has(Flags::ANY_ARGS) && def.body.is_some();
    if !builder.facts.defs.iter().any(is_macro) {
        return;
    }
    let conditional = macros::conditional_definitions(builder.source);
    for def in builder.facts.defs.iter_mut().filter(|def| is_macro(def)) {
        let at = def.span.start_byte as usize;
        if conditional.iter().any(|range| range.contains(&at)) {
            def.flags.add(Flags::CONDITIONAL);
        }
    }
}

/// Whether a file is C. A header says it by what it holds: words at the
/// beginning of a line, and paths with `::`, are C++.
fn is_c(path: &str, bytes: &[u8]) -> bool {
    match path.rsplit('.').next() {
        Some("c") => true,
        Some("h") => !bytes.split(|byte| *byte == b'\n').take(5_000).any(is_cpp_line),
        _ => false,
    }
}

fn is_cpp_line(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    if line.starts_with(b"*") || line.starts_with(b"//") || line.starts_with(b"/*") {
        return false;
    }
    let words: [&[u8]; 11] = [
        b"class ",
        b"namespace ",
        b"template",
        b"public:",
        b"private:",
        b"protected:",
        b"virtual ",
        b"using ",
        b"constexpr ",
        b"explicit ",
        b"friend ",
    ];
    words.iter().any(|word| line.starts_with(word)) || line.windows(2).any(|two| two == b"::")
}
