//! The grammars of the languages, with their tables packed.
//!
//! A grammar's tables are most of its size and compress to a thirtieth; they
//! are unpacked when a language is first asked for, and stay for the life of
//! the process. See `build.rs` for how they come here.

use std::sync::OnceLock;
use tree_sitter::Language;

macro_rules! grammars {
    ($($name:ident, $tree_sitter:ident, $tables:ident;)*) => {
        mod raw {
            #[expect(unsafe_code, reason = "the parsers are written in C")]
            unsafe extern "C" {
                $(
                    pub fn $tree_sitter() -> *const tree_sitter::ffi::TSLanguage;
                    pub fn $tables(large: *const u16, small: *const u16);
                )*
            }
        }

        $(
            pub fn $name() -> Language {
                static LANGUAGE: OnceLock<Language> = OnceLock::new();
                let make = || {
                    let packed = include_bytes!(
                        concat!(env!("OUT_DIR"), "/", stringify!($name), ".tables.zst")
                    );
                    let size = include_str!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".size"));
                    let (large, small) = tables(packed, size);
                    // The two tables are what the same parser wrote out at build
                    // time, so they have the lengths its states expect; they are
                    // leaked, so they live as long as the language; and the
                    // parser's static is written and read inside this cell only,
                    // which runs once.
                    #[expect(unsafe_code, reason = "gives a C parser its tables, see above")]
                    unsafe {
                        raw::$tables(large.as_ptr(), small.as_ptr());
                        Language::from_raw(raw::$tree_sitter())
                    }
                };
                LANGUAGE.get_or_init(make).clone()
            }
        )*

        #[cfg(test)]
        pub(crate) const ALL: &[(&str, fn() -> Language)] = &[$((stringify!($name), $name),)*];
    };
}

grammars! {
    c, tree_sitter_c, lore_tables_c;
    c_sharp, tree_sitter_c_sharp, lore_tables_c_sharp;
    cpp, tree_sitter_cpp, lore_tables_cpp;
    go, tree_sitter_go, lore_tables_go;
    java, tree_sitter_java, lore_tables_java;
    kotlin, tree_sitter_kotlin, lore_tables_kotlin;
    php, tree_sitter_php, lore_tables_php;
    python, tree_sitter_python, lore_tables_python;
    ruby, tree_sitter_ruby, lore_tables_ruby;
    rust, tree_sitter_rust, lore_tables_rust;
    tsx, tree_sitter_tsx, lore_tables_tsx;
    typescript, tree_sitter_typescript, lore_tables_typescript;
}

/// The large and the small table of a grammar, for good.
fn tables(packed: &[u8], size: &str) -> (&'static [u16], &'static [u16]) {
    let size = size.trim().parse().unwrap_or(0);
    // What the build wrote, it can read; nothing else ever comes here.
    let bytes = zstd::bulk::decompress(packed, size).unwrap_or_default();
    let words: Vec<u16> =
        bytes.chunks_exact(2).map(|two| u16::from_ne_bytes([two[0], two[1]])).collect();
    let words: &'static [u16] = Vec::leak(words);
    let length = |at: usize| words.get(at).copied().map_or(0, u32::from);
    let n_large = if cfg!(target_endian = "little") {
        length(0) | length(1) << 16
    } else {
        length(0) << 16 | length(1)
    };
    let (large, small) = words.get(2..).unwrap_or_default().split_at(n_large as usize / 2);
    (large, small)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_grammar_parses_after_its_tables_are_unpacked() {
        for (name, language) in super::ALL {
            let mut parser = tree_sitter::Parser::new();
            assert!(parser.set_language(&language()).is_ok(), "{name}");
            let source = if *name == "php" { "<?php f(1);" } else { "f(1)" };
            let tree = parser.parse(source, None);
            assert!(tree.is_some_and(|tree| tree.root_node().child_count() > 0), "{name}");
        }
    }
}
