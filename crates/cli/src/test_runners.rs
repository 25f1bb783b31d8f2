//! Chosen files of tests as arguments of test runners that take no paths.

use insight::tests_scope::VersionFiles;
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn is_of(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == ending)
}

/// The packages of Go files, for `go test`.
pub fn go_packages(files: &[String]) -> Vec<String> {
    let packages: BTreeSet<String> = files
        .iter()
        .filter(|path| is_of(path, "go"))
        .map(|path| {
            path.rsplit_once('/').map_or(".".to_owned(), |(folder, _)| format!("./{folder}"))
        })
        .collect();
    packages.into_iter().collect()
}

/// The tests of Go files by their names, for `-run`: none where a file holds none that is
/// known, since then the pattern would leave it out.
pub fn go_pattern(files: &[String], tests_in: impl Fn(&str) -> Vec<String>) -> Option<String> {
    let mut names = BTreeSet::new();
    for path in files.iter().filter(|path| is_of(path, "go")) {
        let own = tests_in(path);
        if own.is_empty() {
            return None;
        }
        names.extend(own);
    }
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("^({})$", names.join("|")))
}

/// The names of the functions in a Go file that `go test` runs.
pub fn go_tests(text: &str) -> Vec<String> {
    let functions = text.lines().filter_map(|line| line.strip_prefix("func "));
    functions
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name.trim()))
        .filter(|name| ["Test", "Example", "Fuzz"].iter().any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

/// The crates of a commit: by their folder, their names.
pub struct Crates {
    names: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

impl Crates {
    pub fn read(files: &VersionFiles<'_>) -> Result<Crates> {
        let paths: BTreeSet<String> = files.before()?.into_iter().collect();
        let mut names = BTreeMap::new();
        for path in paths.iter().filter(|path| path.rsplit('/').next() == Some("Cargo.toml")) {
            if let Some(name) = files.text_after(path).as_deref().and_then(package_name) {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                names.insert(folder.to_owned(), name);
            }
        }
        Ok(Crates { names, paths })
    }

    /// A set of tests as `cargo nextest -E` reads it; `none()` of no files.
    pub fn nextest(&self, files: &[String]) -> String {
        let mut parts = BTreeSet::new();
        for path in files.iter().filter(|path| is_of(path, "rs")) {
            parts.extend(self.nextest_of(path));
        }
        let parts: Vec<String> = parts.into_iter().collect();
        if parts.is_empty() { "none()".to_owned() } else { parts.join("+") }
    }

    fn nextest_of(&self, path: &str) -> Option<String> {
        let folders = std::iter::successors(path.rsplit_once('/').map(|it| it.0), |folder| {
            if folder.is_empty() {
                None
            } else {
                Some(folder.rsplit_once('/').map_or("", |it| it.0))
            }
        });
        let folder = folders.into_iter().chain([""]).find(|it| self.names.contains_key(*it))?;
        let package = format!("package(={})", self.names[folder]);
        let inside = path.strip_prefix(folder)?.trim_start_matches('/');
        let stem = inside.strip_suffix(".rs")?;
        let parts: Vec<&str> = stem.split('/').collect();
        Some(match parts.as_slice() {
            ["tests", name] | ["src", "bin", name, ..] => format!("({package}&binary(={name}))"),
            ["tests", name, rest @ ..] if self.has(folder, &format!("tests/{name}/main.rs")) => {
                module(&format!("{package}&binary(={name})"), rest)
            }
            ["src", rest @ ..] => module(&package, rest),
            _ => package,
        })
    }

    fn has(&self, folder: &str, path: &str) -> bool {
        let path = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        self.paths.contains(&path)
    }
}

/// The tests of a module: of the root, all.
fn module(of: &str, parts: &[&str]) -> String {
    let path: Vec<&str> =
        parts.iter().copied().filter(|it| !matches!(*it, "mod" | "main" | "lib")).collect();
    if path.is_empty() {
        return format!("({of})");
    }
    format!("({of}&test(/^{}::/))", path.join("::"))
}

/// The `name` below `[package]`.
fn package_name(manifest: &str) -> Option<String> {
    let mut is_package = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            is_package = line == "[package]";
        } else if is_package
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            let value = value.split('#').next().unwrap_or(value);
            return Some(value.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(all: &[&str]) -> Vec<String> {
        all.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn packages_and_names_of_go_tests() {
        let files = paths(&["cart/cart_test.go", "cart/sum_test.go", "main_test.go", "a.py"]);
        assert_eq!(go_packages(&files), [".", "./cart"]);
        let names = |path: &str| match path {
            "cart/cart_test.go" => {
                go_tests("func TestAdd(t *testing.T) {\n}\nfunc helper() {}\n\tfunc TestNo()\n")
            }
            "cart/sum_test.go" => paths(&["TestSum"]),
            _ => paths(&["ExampleMain"]),
        };
        assert_eq!(go_pattern(&files, names).unwrap(), "^(ExampleMain|TestAdd|TestSum)$");
        assert_eq!(go_pattern(&files, |_| Vec::new()), None, "a new file must not be left out");
    }

    #[test]
    fn rust_tests_are_named_by_crate_binary_and_module() {
        let names = [("", "root"), ("crates/cart", "cart")];
        let crates = Crates {
            names: names.map(|(folder, name)| (folder.to_owned(), name.to_owned())).into(),
            paths: ["crates/cart/tests/it/main.rs".to_owned()].into(),
        };
        let told = |path: &str| crates.nextest(&paths(&[path]));
        assert_eq!(told("crates/cart/tests/sum.rs"), "(package(=cart)&binary(=sum))");
        assert_eq!(
            told("crates/cart/tests/it/a/b.rs"),
            "(package(=cart)&binary(=it)&test(/^a::b::/))"
        );
        assert_eq!(told("crates/cart/tests/it/main.rs"), "(package(=cart)&binary(=it))");
        assert_eq!(told("crates/cart/src/sum/mod.rs"), "(package(=cart)&test(/^sum::/))");
        assert_eq!(told("src/lib.rs"), "(package(=root))");
        assert_eq!(told("tests/common/x.rs"), "package(=root)");
        assert_eq!(told("a.py"), "none()");
        let manifest = "[workspace]\nname = \"x\"\n[package]\nname = \"cart\" # it\n";
        assert_eq!(package_name(manifest).unwrap(), "cart");
    }
}
