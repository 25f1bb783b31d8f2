//! Nothing names one machine or a private package registry: a fresh clone
//! builds anywhere.

use super::Violation;
use super::tree::Tree;

const WHY_PATH: &str =
    "a fresh clone has no such place; make it relative, or an example of /home/me";
const WHY_REGISTRY: &str = "which registry to use is the machine's setting, not the project's";

/// First folders of paths that only exist on somebody's machine.
const TOPS: &[&str] = &["home", "Users", "root", "work", "workspace", "builds", "mnt"];
/// Names that stand for any user in examples.
const EXAMPLES: &[&str] = &["a", "me", "you", "ada", "user"];

/// Hosts and settings that say where packages come from.
const REGISTRIES: &[&str] = &[
    "index.crates.io",
    "static.crates.io",
    "pypi.org",
    "pythonhosted.org",
    "registry.npmjs.org",
    "index-url",
    "replace-with",
    "[registries",
    "[source.",
];
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    // This file holds the words it looks for.
    for source in tree.files.iter().filter(|source| source.path != "xtask/src/tidy/places.rs") {
        for at in machine_paths(&source.text) {
            found.push(Violation::at(source, at, "a path of one machine", WHY_PATH));
        }
        for word in REGISTRIES {
            for (at, _) in source.text.match_indices(word) {
                let what = format!("names a package registry (`{word}`)");
                found.push(Violation::at(source, at, what, WHY_REGISTRY));
            }
        }
        if source.path == "Cargo.lock" {
            for (at, line) in source.text.match_indices("source = \"") {
                let value = &source.text[at + line.len()..];
                if !value.starts_with(CRATES_IO) {
                    found.push(Violation::at(source, at, "a crate from elsewhere", WHY_REGISTRY));
                }
            }
        }
    }
    found
}

fn machine_paths(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for top in TOPS {
        let start = format!("/{top}/");
        for (at, _) in text.match_indices(&start) {
            let is_inside = text[..at].chars().next_back().is_some_and(|c| {
                c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '/' | '~' | '>')
            });
            let rest = &text[at + start.len()..];
            let name_ends = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let is_example = *top == "home" && EXAMPLES.contains(&&rest[..name_ends]);
            let is_path = name_ends > 0 || rest.starts_with('.');
            if !is_inside && !is_example && is_path {
                found.push(at);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn paths_of_one_machine_are_found() {
        let text = "cd /home/jane/src\nls /root/.cargo\nsee /Users/jo/x\n";
        assert_eq!(found(check, &[("a.md", text)]).len(), 3);
    }

    #[test]
    fn examples_and_addresses_pass() {
        let text = "/home/me/src https://gl.test/root/group /-/work_items/3 $X/home/b \"/root\"\n";
        assert_eq!(found(check, &[("a.md", text)]), Vec::<String>::new());
    }

    #[test]
    fn registries_are_found() {
        assert_eq!(
            found(
                check,
                &[
                    (".cargo/config.toml", "[source.crates-io]\nreplace-with = \"mirror\"\n"),
                    ("Cargo.lock", &format!("source = \"{CRATES_IO}\"\nsource = \"git+x\"\n")),
                ]
            ),
            [
                ".cargo/config.toml:1: names a package registry (`[source.`)",
                ".cargo/config.toml:2: names a package registry (`replace-with`)",
                "Cargo.lock:2: a crate from elsewhere",
            ]
        );
    }
}
