//! Which files the test runners of a language take, by their names.

use super::files::{ending, stem};
use model::code::is_test_path;

/// What the name of a file below a folder of tests says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Runners look for such names.
    Test,
    /// No runner takes it: it serves tests.
    Helper,
    /// Its folder alone speaks for it: a test where those of its language are not named by a
    /// convention.
    Folder,
}

/// What a file of code among tests is, by its name.
pub fn naming(path: &str) -> Naming {
    let test_if = |is_test: bool| if is_test { Naming::Test } else { Naming::Helper };
    let or_folder = |is_test: bool| match (is_test, serves_tests(path)) {
        (true, _) => Naming::Test,
        (false, true) => Naming::Helper,
        (false, false) => Naming::Folder,
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = stem(path);
    match ending(path) {
        // Models and helpers beside tests do not have `test` in their names.
        "py" => test_if(stem.contains("test") && name != "conftest.py"),
        "go" => test_if(name.ends_with("_test.go")),
        "rb" => {
            let is_prefixed = ["test_", "spec_"].iter().any(|it| stem.starts_with(it));
            let is_named = ["_test", "_spec"].iter().any(|it| stem.ends_with(it))
                || (is_prefixed && path.split('/').rev().skip(1).any(is_test_folder));
            test_if(is_named && !is_support(stem))
        }
        "php" => test_if(["Test", "Cest"].iter().any(|it| stem.ends_with(it))),
        "h" | "hpp" | "hh" => Naming::Helper,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            if name.contains(".d.") {
                return Naming::Helper;
            }
            or_folder(is_named_script(path))
        }
        "java" | "kt" | "kts" | "cs" => or_folder(is_named_class(stem)),
        // Each file of the folder `tests` itself is a program of tests.
        "rs" => {
            let words = ["helper", "support", "common", "util"];
            test_if(path.rsplit('/').nth(1) == Some("tests") || !is_called(path, &words, &words))
        }
        _ => Naming::Test,
    }
}

/// Languages whose tests are named by one convention in a project, or by none.
pub fn family(path: &str) -> &'static str {
    match ending(path) {
        "java" | "kt" | "kts" => "java",
        "cs" => "cs",
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => "js",
        _ => "",
    }
}

/// Whether tests can stand in the code that they test.
pub fn can_hold_tests(path: &str) -> bool {
    ending(path) == "rs"
}

/// What is called like a test and is there to be required by all of them: `test_helper`.
const SUPPORT: [&str; 12] = [
    "helper",
    "helpers",
    "support",
    "util",
    "utils",
    "case",
    "base",
    "setup",
    "config",
    "application",
    "common",
    "env",
];

fn is_support(stem: &str) -> bool {
    let rest = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("spec_"));
    rest.is_some_and(|rest| SUPPORT.contains(&rest))
}

/// `cart.test.js`, `cart-test.js`, `test-cart.js`, `__tests__/cart.js`.
fn is_named_script(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let without_ending = name.rsplit_once('.').map_or(name, |(rest, _)| rest);
    let words: Vec<&str> = without_ending.split(['.', '-', '_']).collect();
    let is_word = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs");
    let is_named = match words.as_slice() {
        [first, second, ..] if is_word(first) && !SUPPORT.contains(second) => true,
        [.., last] => is_word(last),
        [] => false,
    };
    let is_typed = without_ending.ends_with(".test-d");
    let is_camel = ["Test", "Spec"].iter().any(|it| without_ending.ends_with(it));
    let is_in_folder = folders.split('/').any(|part| part == "__tests__");
    is_named || is_typed || is_camel || (is_in_folder && !serves_tests(path))
}

/// `CartTest`, `TestCart`, `CartIT`, `CartSpec`; not `TestUtils`.
fn is_named_class(stem: &str) -> bool {
    const ENDS: [&str; 8] = ["Test", "Tests", "TestCase", "IT", "ITCase", "Spec", "Specs", "Facts"];
    let is_support = |rest: &str| {
        let rest = rest.to_ascii_lowercase();
        SUPPORT.iter().any(|it| rest.ends_with(it))
    };
    let is_prefixed = stem
        .strip_prefix("Test")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        .is_some_and(|rest| !is_support(rest));
    is_prefixed || ENDS.iter().any(|it| stem.ends_with(it))
}

/// Whether a file lies in a folder of helpers, or is called like one.
fn serves_tests(path: &str) -> bool {
    let folders = ["helper", "support", "common", "util", "fixture", "mock", "stub", "dummy"];
    is_called(path, &["helper", "support", "common", "setup"], &folders)
}

/// Whether a file, or a folder of it among tests, has one of these names.
fn is_called(path: &str, files: &[&str], folders: &[&str]) -> bool {
    let is_one = |part: &str, words: &[&str]| {
        let part = part.trim_matches('_').to_ascii_lowercase();
        words.iter().any(|word| part == *word || part.strip_suffix('s') == Some(*word))
    };
    let (above, _) = path.rsplit_once('/').unwrap_or(("", path));
    let mut among_tests = above.split('/').skip_while(|part| !is_test_folder(part));
    is_one(stem(path), files) || among_tests.any(|part| is_one(part, folders))
}

fn is_test_folder(part: &str) -> bool {
    is_test_path(&format!("{part}/x"))
}

#[cfg(test)]
mod tests {
    use super::{Naming, naming};

    #[test]
    fn runners_take_files_by_their_names() {
        for path in [
            "tests/test_cart.py",
            "cart/cart_test.go",
            "test/cart_test.rb",
            "test/test_cart.rb",
            "spec/cart_spec.rb",
            "tests/CartTest.php",
            "test/cart.test.js",
            "test/test-cart.mjs",
            "test/types/cart.test-d.ts",
            "src/__tests__/cart.js",
            "src/test/java/acme/CartIT.java",
            "src/test/java/acme/TestCart.java",
            "tests/cart.rs",
            "tests/builder/main.rs",
            "tests/util.rs",
            "tests/unit-cart.cpp",
        ] {
            assert_eq!(naming(path), Naming::Test, "{path}");
        }
        for path in [
            "tests/admin_views/urls.py",
            "tests/conftest.py",
            "tests/framework/cluster.go",
            "tests/framework/doc.go",
            "test/dummy/config/application.rb",
            "test/test_helper.rb",
            "lib/sidekiq/test_api.rb",
            "tests/Cart.php",
            "test/helper.js",
            "test/helpers/test-utils.js",
            "test/support/server.ts",
            "src/__tests__/utils/render.js",
            "test/types/cart.d.ts",
            "tests/common/mod.rs",
            "tests/util/shop.rs",
            "tests/doctest.h",
        ] {
            assert_eq!(naming(path), Naming::Helper, "{path}");
        }
        for path in [
            "test/cart.js",
            "test/utils.js",
            "src/test/java/acme/TestUtils.java",
            "test/acme/Cart.cs",
        ] {
            assert_eq!(naming(path), Naming::Folder, "{path}");
        }
    }
}
