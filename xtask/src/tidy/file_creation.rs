//! Files are created in one place, the crate `files`, which writes through no
//! link that came with a clone and leaves nothing half written.

use super::Violation;
use super::source::Source;
use super::tree::Tree;

const WHY: &str =
    "use the crate `files`: it creates exclusively, renames into place, and follows no link";

/// What creates or overwrites by itself.
const WORDS: &[&str] =
    &["File::create", "File::create_new", "fs::write", "fs::copy", "NamedTempFile"];

/// What creates when it is told to.
const OPENERS: &[&str] = &["OpenOptions::new", "File::options"];
const TOLD: &[&str] = &[".create(", ".create_new("];

/// Where files may be created otherwise, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/files/", "the one place"),
    ("crates/sim/", "fills folders of its own, for demos and tests"),
    ("crates/testkit/", "fills folders of its own, for tests"),
    ("xtask/", "a program for developers"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let is_allowed = |source: &&Source| {
        source.file_name() == "build.rs"
            || ALLOWED.iter().any(|(place, _)| source.path.starts_with(place))
    };
    let mut found = Vec::new();
    for source in tree.rust().filter(|source| !is_allowed(source)) {
        let words =
            WORDS.iter().flat_map(|word| source.find(word).into_iter().map(move |at| (at, *word)));
        let openers = OPENERS.iter().flat_map(|word| {
            source
                .find(word)
                .into_iter()
                .filter(|at| creates(source, *at))
                .map(move |at| (at, *word))
        });
        for (at, word) in words.chain(openers).filter(|(at, _)| !source.is_test(*at)) {
            found.push(Violation::at(source, at, format!("creates a file with `{word}`"), WHY));
        }
    }
    found
}

/// Whether the statement that begins here asks for a new file.
fn creates(source: &Source, at: usize) -> bool {
    let rest = &source.code[at..];
    let statement = &rest[..rest.find(';').unwrap_or(rest.len())];
    TOLD.iter().any(|told| statement.contains(told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    const TEXT: &str = "\
fn f(path: &Path) {
    File::create(path);
    std::fs::write(path, b\"\");
    fs::copy(path, path);
    OpenOptions::new()
        .write(true)
        .create(true)
        .open(path);
    std::fs::File::options().create_new(true).open(path);
    tempfile::NamedTempFile::new_in(path);
}
";

    #[test]
    fn files_created_elsewhere_are_found() {
        assert_eq!(
            found(check, &[("crates/store/src/a.rs", TEXT)]),
            [
                "crates/store/src/a.rs:2: creates a file with `File::create`",
                "crates/store/src/a.rs:3: creates a file with `fs::write`",
                "crates/store/src/a.rs:4: creates a file with `fs::copy`",
                "crates/store/src/a.rs:5: creates a file with `OpenOptions::new`",
                "crates/store/src/a.rs:9: creates a file with `File::options`",
                "crates/store/src/a.rs:10: creates a file with `NamedTempFile`",
            ]
        );
    }

    #[test]
    fn the_crate_for_it_and_tests_may_create_files() {
        let test = format!("#[cfg(test)]\nmod tests {{\n{TEXT}}}\n");
        let files = [
            ("crates/files/src/write.rs", TEXT),
            ("crates/testkit/src/env.rs", TEXT),
            ("crates/grammars/build.rs", TEXT),
            ("crates/cli/tests/it/a.rs", TEXT),
            ("crates/store/src/a.rs", test.as_str()),
        ];
        assert!(found(check, &files).is_empty());
    }

    #[test]
    fn opening_what_exists_passes() {
        let text =
            "fn f() { OpenOptions::new().append(true).open(p); fs::read(p); x.create(1); }\n";
        assert!(found(check, &[("crates/store/src/a.rs", text)]).is_empty());
    }
}
