//! Packs the tables of the grammars.
//!
//! A grammar is a lexer and two tables. The tables are 95 % of its size and
//! shrink to a thirtieth, so they are left out of the compiled C and kept
//! compressed; `src/lib.rs` puts them back when a language is first used.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name, crate, and the folder of the C sources in it.
const GRAMMARS: &[(&str, &str, &str)] = &[
    ("c", "tree-sitter-c", "src"),
    ("c_sharp", "tree-sitter-c-sharp", "src"),
    ("cpp", "tree-sitter-cpp", "src"),
    ("go", "tree-sitter-go", "src"),
    ("java", "tree-sitter-java", "src"),
    ("kotlin", "tree-sitter-kotlin-ng", "src"),
    ("php", "tree-sitter-php", "php/src"),
    ("python", "tree-sitter-python", "src"),
    ("ruby", "tree-sitter-ruby", "src"),
    ("rust", "tree-sitter-rust", "src"),
    ("tsx", "tree-sitter-typescript", "tsx/src"),
    ("typescript", "tree-sitter-typescript", "typescript/src"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env("OUT_DIR"));
    let crates = crates();
    let mut library = cc::Build::new();
    library.std("c11").warnings(false).flag_if_supported("-w");
    for &(name, package, folder) in GRAMMARS {
        let Some(root) = crates.get(package) else {
            panic!("the sources of `{package}` are not there; run `cargo fetch`");
        };
        let sources = root.join(folder);
        pack_tables(name, &sources, &out);
        let parser = out.join(format!("{name}_parser.c"));
        write(&parser, without_tables(name, &read(&sources.join("parser.c"))).as_bytes());
        // Every grammar has a header of its own under one name.
        let mut build = library.clone();
        build.include(&sources).file(&parser);
        if sources.join("scanner.c").exists() {
            build.file(sources.join("scanner.c"));
        }
        build.compile(&format!("lore_grammar_{name}"));
    }
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Where cargo keeps the sources of each package. Nothing is compiled of these
/// crates, so cargo may not have fetched them yet: then it is let to.
fn crates() -> HashMap<String, PathBuf> {
    let answer = metadata(&["--offline"]).or_else(|_| metadata(&[]));
    let answer = answer.unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    let answer: serde_json::Value =
        serde_json::from_slice(&answer).unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    let packages = answer["packages"].as_array().map_or(&[][..], Vec::as_slice);
    packages
        .iter()
        .filter_map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
        })
        .collect()
}

fn metadata(more: &[&str]) -> Result<Vec<u8>, String> {
    let manifest = Path::new(&env("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(env("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features", "--filter-platform"])
        .arg(env("HOST"))
        .args(more)
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Lets the grammar itself, compiled for this machine, write out its tables.
fn pack_tables(name: &str, sources: &Path, out: &Path) {
    let dump = out.join(format!("{name}_dump.c"));
    let program = format!(
        "#include \"{}\"\n#include <stdio.h>\n\
         int main(int n, char **words) {{\n\
           FILE *file = fopen(words[1], \"wb\");\n\
           uint32_t size = sizeof(ts_parse_table);\n\
           if (n != 2 || !file) return 1;\n\
           fwrite(&size, 4, 1, file);\n\
           fwrite(ts_parse_table, 1, size, file);\n\
           fwrite(ts_small_parse_table, 1, sizeof(ts_small_parse_table), file);\n\
           return fclose(file);\n\
         }}\n",
        sources.join("parser.c").display().to_string().replace('\\', "/")
    );
    write(&dump, program.as_bytes());
    let host = env("HOST");
    let compiler = cc::Build::new().target(&host).host(&host).opt_level(0).get_compiler();
    let binary = out.join(format!("{name}_dump.exe"));
    let mut command = compiler.to_command();
    command.arg("-w").arg("-I").arg(sources).arg(&dump);
    if sources.join("scanner.c").exists() {
        command.arg(sources.join("scanner.c"));
    }
    run(command.arg("-o").arg(&binary));
    let tables = out.join(format!("{name}.tables"));
    run(Command::new(&binary).arg(&tables));
    let bytes = std::fs::read(&tables).unwrap_or_else(|error| panic!("{name}: {error}"));
    let packed = zstd::bulk::compress(&bytes, 19).unwrap_or_else(|error| panic!("{name}: {error}"));
    write(&out.join(format!("{name}.tables.zst")), &packed);
    // The size, for the one allocation that will hold them.
    write(&out.join(format!("{name}.size")), bytes.len().to_string().as_bytes());
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// The parser's C without its tables, and with a function to give them.
fn without_tables(name: &str, source: &str) -> String {
    let source =
        cut(source, "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {");
    let source = cut(&source, "static const uint16_t ts_small_parse_table[] = {");
    let head = format!("TS_PUBLIC const TSLanguage *tree_sitter_{name}(void) {{");
    let given = format!(
        "static const uint16_t *lore_parse_table, *lore_small_table;\n\
         void lore_tables_{name}(const uint16_t *large, const uint16_t *small) {{\n\
           lore_parse_table = large;\n  lore_small_table = small;\n}}\n{head}"
    );
    let changes = [
        (head.as_str(), given.as_str()),
        ("  static const TSLanguage language = {", "  static TSLanguage language = {"),
        ("    .parse_table = &ts_parse_table[0][0],", "    .parse_table = 0,"),
        ("    .small_parse_table = ts_small_parse_table,", "    .small_parse_table = 0,"),
        (
            "  return &language;",
            "  language.parse_table = lore_parse_table;\n  \
             language.small_parse_table = lore_small_table;\n  return &language;",
        ),
    ];
    changes.into_iter().fold(source, |source, (old, new)| {
        assert!(source.contains(old), "the parser of `{name}` has no line `{old}`");
        source.replacen(old, new, 1)
    })
}

/// A text without the table that begins with a line.
fn cut(source: &str, first: &str) -> String {
    let Some(start) = source.find(first) else { panic!("a parser has no line `{first}`") };
    let Some(length) = source[start..].find("\n};\n") else { panic!("a table has no end") };
    format!("{}{}", &source[..start], &source[start + length + 4..])
}
