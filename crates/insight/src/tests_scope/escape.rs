//! Changes that no graph of symbols covers.

use super::evidence::{Candidates, Evidence, Rule};
use super::files::{TestFiles, ending, is_code, is_fixture_file, stem};

/// Why a change of this file can change any test.
pub fn reason(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_build = matches!(
        name,
        "setup.py"
            | "setup.cfg"
            | "pyproject.toml"
            | "tox.ini"
            | "pytest.ini"
            | "package.json"
            | "tsconfig.json"
            | "Cargo.toml"
            | "build.rs"
            | "go.mod"
            | "go.sum"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "settings.gradle"
            | "settings.gradle.kts"
            | "gradle.properties"
            | "libs.versions.toml"
            | "Makefile"
            | "CMakeLists.txt"
            | "Gemfile"
            | "composer.json"
            | "Dockerfile"
            | "Directory.Build.props"
            | "Directory.Build.targets"
            | "Directory.Packages.props"
            | "global.json"
    ) || is_project(name);
    let ending = ending(name);
    let is_lock = ending == "lock" || name.ends_with("-lock.json") || name.ends_with("-lock.yaml");
    let is_requirements = name.starts_with("requirements") && ending == "txt";
    (is_build || is_lock || is_requirements)
        .then(|| format!("{path}: the build or its dependencies"))
}

/// Files of a build that every project calls otherwise.
fn is_project(name: &str) -> bool {
    let is_of_tool = |tool: &str, ending: &str| {
        name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(ending))
    };
    matches!(ending(name), "csproj" | "fsproj" | "vbproj")
        || is_of_tool("tsconfig", ".json")
        || ["jest.config", "vitest.config"].iter().any(|tool| is_of_tool(tool, "s"))
}

/// The folder that a file describes as a project of its own, of a build, unless it is the
/// root.
pub fn project_of_manifest(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    let is_manifest = matches!(
        name,
        "setup.py"
            | "pyproject.toml"
            | "package.json"
            | "Cargo.toml"
            | "go.mod"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "CMakeLists.txt"
            | "Gemfile"
            | "composer.json"
    ) || matches!(ending(name), "csproj" | "fsproj" | "vbproj" | "gemspec");
    // Code that builds all the others.
    let is_of_build = folder.split('/').any(|part| matches!(part, "buildSrc" | "build-logic"));
    (is_manifest && !is_of_build).then_some(folder)
}

/// Adds the tests around a changed helper that nothing else leads from to tests: those of its
/// folder, or of the next one that has any.
pub fn add_beside_helper(path: &str, files: &TestFiles, found: &mut Candidates) {
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    while files.below(folder).next().is_none() {
        if folder.is_empty() {
            return;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
    for test in files.below(folder) {
        let reason = format!("lies beside {path}");
        found.add(test, Evidence { rule: Rule::Fixtures, distance: 1, weight: 1.0, reason });
    }
}

/// Adds the tests below a changed file of fixtures.
pub fn add_below_fixtures(path: &str, files: &TestFiles, found: &mut Candidates) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    if !is_fixture_file(path) {
        return;
    }
    for test in files.below(folder) {
        let reason = format!("fixtures of {path}");
        found.add(test, Evidence { rule: Rule::Fixtures, distance: 1, weight: 1.0, reason });
    }
}

/// Prose and the settings of a forge: no test reads them, unless they lie among tests.
pub fn is_beside_code(path: &str) -> bool {
    let is_prose = matches!(ending(path), "md" | "rst" | "txt" | "adoc" | "po" | "svg" | "png");
    let is_forge = path.starts_with(".github/") || path.starts_with(".gitlab");
    (is_prose || is_forge) && !model::code::is_test_path(path) && reason(path).is_none()
}

/// Files that are started, not imported, or that only show how things are used.
pub fn is_entry(path: &str) -> bool {
    let mut folders = path.split('/');
    let _ = folders.next_back();
    let is_aside = folders.any(|part| {
        matches!(
            part,
            "docs" | "doc" | "examples" | "example" | "benchmarks" | "benches" | "scripts"
        )
    });
    is_aside || matches!(stem(path), "main" | "__main__" | "conf") || !is_code(ending(path))
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn builds_and_their_settings_can_change_any_test() {
        for path in ["src/Cart/Cart.csproj", "Directory.Build.props", "tsconfig.build.json"] {
            assert!(reason(path).is_some(), "{path}");
        }
        for path in ["src/cart.ts", "jest.config.md", "src/tsconfig.ts", "data/cart.json"] {
            assert!(reason(path).is_none(), "{path}");
        }
        assert!(reason("jest.config.ts").is_some() && reason("vitest.config.mjs").is_some());
    }
}
