//! Tests that are called like a changed file, by how near they lie to it: every folder may
//! have a `manager` and a test of it.

use super::files::ending;
use std::collections::BTreeSet;

/// Of a test that lies no farther than any other namesake …
const SAME: f64 = 1.0;
const SHARED_WORDS: f64 = 0.5;
/// … and how much less the others say.
const FARTHER: f64 = 0.4;

/// The least that chooses a test by itself.
pub const NEAR: f64 = SHARED_WORDS;

/// How much each says; of each is known whether its name is just the same.
pub fn weighed<'t>(path: &str, all: &[(&'t str, bool)]) -> Vec<(&'t str, f64)> {
    let folders = folders(path);
    let shared = |test: &str| {
        let own: BTreeSet<&str> = self::folders(test);
        folders.iter().filter(|folder| own.contains(*folder)).count()
    };
    let most = all.iter().map(|(test, _)| shared(test)).max().unwrap_or(0);
    let weight = |(test, is_same): &(&'t str, bool)| {
        let n_shared = shared(test);
        // A test of another language may run the file; one that lies elsewhere, too, does not.
        let is_foreign = n_shared == 0 && family(ending(test)) != family(ending(path));
        let near = if *is_same { SAME } else { SHARED_WORDS };
        let weight = if n_shared < most || is_foreign { near * FARTHER } else { near };
        (*test, weight)
    };
    all.iter().map(weight).collect()
}

/// The folders of a file that say where it belongs.
fn folders(path: &str) -> BTreeSet<&str> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split('/').filter(|part| !part.is_empty()).collect()
}

/// Endings of languages that are compiled together.
fn family(ending: &str) -> &str {
    match ending {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => "js",
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "hh" => "c",
        "java" | "kt" | "kts" => "java",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near<'t>(path: &str, tests: &[&'t str]) -> Vec<&'t str> {
        let all: Vec<(&str, bool)> = tests.iter().map(|test| (*test, true)).collect();
        let weighed = weighed(path, &all);
        weighed.into_iter().filter(|(_, weight)| *weight >= NEAR).map(|(test, _)| test).collect()
    }

    /// prometheus edbcd97db7: `rules/manager.go` chose the tests of every other manager.
    #[test]
    fn of_several_namesakes_the_nearest_are_meant() {
        let tests =
            ["discovery/manager_test.go", "rules/manager_test.go", "scrape/manager_test.go"];
        assert_eq!(near("rules/manager.go", &tests), ["rules/manager_test.go"]);
        let tests = ["test/dialect/test_compiler.py", "test/sql/test_compiler.py"];
        assert_eq!(near("lib/orders/sql/compiler.py", &tests), ["test/sql/test_compiler.py"]);
        assert_eq!(near("pvlib/sun.py", &["tests/test_sun.py", "docs/test_sun.py"]).len(), 2);
    }

    #[test]
    fn a_test_of_another_language_elsewhere_is_another_one() {
        assert!(near("web/ui/config.ts", &["config/config_test.go"]).is_empty());
        assert_eq!(near("config/config.c", &["config/config_test.py"]).len(), 1);
    }
}
