//! What the rules look at: the files of the project and the crates cargo sees.

use super::source::Source;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub struct Tree {
    /// Text files in order of their paths.
    pub files: Vec<Source>,
    pub packages: Vec<Package>,
}

/// A crate of the workspace and what its manifest asks for.
#[derive(Debug, Clone, Default)]
pub struct Package {
    pub name: String,
    /// From the root of the workspace, such as `crates/store/Cargo.toml`.
    pub manifest: String,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone)]
pub struct Dependency {
    pub name: String,
    /// Used by tests only.
    pub is_dev: bool,
}

impl Tree {
    pub fn read(root: &Path) -> Result<Tree, String> {
        let mut files = Vec::new();
        for path in paths(root)? {
            // Binary files have no lines to check; a file may have been
            // removed since it was committed.
            let Ok(bytes) = std::fs::read(root.join(&path)) else { continue };
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(Source::new(&path, &text));
            }
        }
        Ok(Tree { files, packages: packages(root)? })
    }

    pub fn file(&self, path: &str) -> Option<&Source> {
        self.files.iter().find(|file| file.path == path)
    }

    pub fn rust(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().filter(|file| file.is_rust())
    }

    /// Whether a file or folder of the project has this path.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// What git tracks or would track; without git (a source archive), what is there.
fn paths(root: &Path) -> Result<Vec<String>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output();
    let mut paths = match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            names.split_terminator('\0').map(str::to_owned).collect()
        }
        _ => {
            let mut found = Vec::new();
            walk(root, "", &mut found)?;
            found
        }
    };
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn walk(root: &Path, folder: &str, found: &mut Vec<String>) -> Result<(), String> {
    let place = root.join(folder);
    let entries = std::fs::read_dir(&place)
        .map_err(|error| format!("cannot list {}: {error}", place.display()))?;
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && name != "target" && name != ".git" => {
                walk(root, &path, found)?;
            }
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
    Ok(())
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let metadata = crate::ci::cargo_metadata(root)?;
    let prefix = format!("{}/", metadata["workspace_root"].as_str().unwrap_or_default());
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    Ok(packages.iter().map(|package| read_package(package, &prefix)).collect())
}

fn read_package(package: &Value, prefix: &str) -> Package {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let manifest = text(&package["manifest_path"]);
    Package {
        name: text(&package["name"]),
        manifest: manifest.strip_prefix(prefix).unwrap_or(&manifest).to_owned(),
        dependencies: package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|dependency| Dependency {
                name: text(&dependency["name"]),
                is_dev: dependency["kind"] == "dev",
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_without_git_is_walked() {
        let mut found = Vec::new();
        walk(&crate::workspace(), "xtask", &mut found).unwrap();
        assert!(found.contains(&"xtask/src/tidy/tree.rs".to_owned()), "{found:?}");
    }

    #[test]
    fn cargo_tells_the_crates_and_their_dependencies() {
        let packages = packages(&crate::workspace()).unwrap();
        let xtask = packages.iter().find(|package| package.name == "xtask").unwrap();
        assert_eq!(xtask.manifest, "xtask/Cargo.toml");
        assert!(xtask.dependencies.iter().any(|it| it.name == "serde_json" && !it.is_dev));
    }
}
