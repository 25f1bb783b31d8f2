//! A changed build of one project of several: which tests it can change.
//!
//! Who depends on a project is told by the manifests of the others, by its name, and by code
//! of theirs that uses its code.

use super::evidence::{Candidates, Evidence, Rule};
use super::files::{TestFiles, last_folder};
use super::names::versions_where;
use crate::code::View;
use git::{Blob, Repo, RepoPath};
use model::Result;
use model::code::EdgeKind;
use model::ids::FileId;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Adds the tests of the project whose build changed and of those that depend on it; false
/// where it is the build of all, or nothing is known of the code it builds.
pub fn add_tests_of(
    view: &View<'_>,
    path: &str,
    tests: &TestFiles,
    found: &mut Candidates,
) -> Result<bool> {
    let Some((folder, _)) = path.rsplit_once('/') else { return Ok(false) };
    if !tests.projects().contains_key(folder) {
        return Ok(false);
    }
    let mut files: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    let all = versions_where(view, |_| true)?;
    for (file, path) in &all {
        files.entry(tests.project_of(path)).or_default().push(*file);
    }
    let is_manifest = |path: &str| {
        let manifests = tests.projects().values().flatten();
        manifests.into_iter().any(|manifest| manifest == path)
    };
    let has_code = all.iter().any(|(_, path)| is_below(path, folder) && !is_manifest(path));
    if !has_code {
        return Ok(false);
    }
    let projects: Vec<&str> = tests.projects().keys().map(String::as_str).collect();
    let manifests = Manifests::read(view, tests);
    // What is below a project is built with it.
    let mut open: Vec<&str> =
        projects.iter().copied().filter(|it| *it == folder || is_below(it, folder)).collect();
    let mut affected: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(project) = open.pop() {
        let mut users = manifests.depending_on(project);
        users.extend(users_of(view, files.get(project).map_or(&[], Vec::as_slice), tests)?);
        for user in users {
            let known = files.keys().chain(&projects).find(|it| **it == user);
            open.extend(known.filter(|it| affected.insert(it)));
        }
    }
    for test in tests.tests().filter(|test| affected.contains(tests.project_of(test))) {
        let reason = format!("is built with {path}");
        found.add(test, Evidence { rule: Rule::Fixtures, distance: 1, weight: 1.0, reason });
    }
    Ok(true)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Larger ones are generated.
const MOST_BYTES: u64 = 1 << 20;

/// What describes the builds of the projects of a version, by folder: their names and texts.
#[derive(Default)]
struct Manifests {
    texts: BTreeMap<String, Vec<(String, String)>>,
}

impl Manifests {
    /// None where the repository is not on this machine.
    fn read(view: &View<'_>, tests: &TestFiles) -> Manifests {
        Self::read_of(view.scope.dir.as_deref(), &view.scope.snapshot.sha, tests)
            .unwrap_or_default()
    }

    fn read_of(dir: Option<&str>, sha: &str, tests: &TestFiles) -> Option<Manifests> {
        let repo = Repo::open(Path::new(dir?)).ok()?;
        let commit = repo.resolve(sha).ok()?;
        let mut blobs = repo.blobs().ok()?;
        let mut texts: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for (folder, paths) in tests.projects() {
            for path in paths {
                let read = blobs.read_file(commit, &RepoPath::from(path.as_str()), MOST_BYTES);
                let Ok(Blob::Content(bytes)) = read else { continue };
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                texts.entry(folder.clone()).or_default().push((name, text));
            }
        }
        Some(Manifests { texts })
    }

    /// The projects that name another one as what they need.
    fn depending_on(&self, project: &str) -> BTreeSet<String> {
        let own = self.texts.get(project).map_or(&[][..], Vec::as_slice);
        let wanted: Vec<(&str, Vec<String>)> = own
            .iter()
            .map(|(name, text)| (name.as_str(), references_to(project, name, text)))
            .collect();
        let needs = |(name, text): &(String, String)| {
            let of_tool = wanted.iter().filter(|(other, _)| tool(other) == tool(name));
            of_tool.flat_map(|(_, all)| all).any(|reference| has_word(text, reference))
        };
        let others = self.texts.iter().filter(|(folder, _)| *folder != project);
        others
            .filter(|(_, manifests)| manifests.iter().any(needs))
            .map(|(folder, _)| folder.clone())
            .collect()
    }
}

/// Manifests of one tool name each other's projects.
fn tool(manifest: &str) -> &str {
    match manifest {
        "build.gradle" | "build.gradle.kts" => "gradle",
        _ if manifest.ends_with("proj") => "dotnet",
        other => other,
    }
}

/// How other manifests of the same tool name a project.
fn references_to(project: &str, manifest: &str, text: &str) -> Vec<String> {
    let folder = last_folder(project);
    let line_after = |start: &str| {
        let mut lines = text.lines().map(str::trim);
        let value = lines.find_map(|line| line.strip_prefix(start))?;
        let value = value.trim_start_matches([' ', '=', ':']).trim();
        Some(value.split([',', '#']).next()?.trim().trim_matches('"').to_owned())
    };
    match manifest {
        "build.gradle" | "build.gradle.kts" => {
            let mut parts = folder.split(['-', '_']);
            let mut accessor = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let mut letters = part.chars();
                accessor.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                accessor.extend(letters);
            }
            let quoted = ['"', '\''].map(|quote| format!(":{folder}{quote}"));
            quoted.into_iter().chain([format!("projects.{accessor}")]).collect()
        }
        "pom.xml" => {
            let (before, after) = text.split_once("<parent>").unwrap_or((text, ""));
            let rest = after.split_once("</parent>").map_or("", |(_, rest)| rest);
            let id = |text: &str| {
                let (_, rest) = text.split_once("<artifactId>")?;
                Some(rest.split_once('<')?.0.trim().to_owned())
            };
            let own = id(before).or_else(|| id(rest));
            own.into_iter().map(|id| format!("<artifactId>{id}<")).collect()
        }
        "package.json" | "composer.json" => {
            line_after("\"name\"").into_iter().map(|name| format!("\"{name}\"")).collect()
        }
        "Cargo.toml" => line_after("name").into_iter().collect(),
        "go.mod" => line_after("module ").into_iter().collect(),
        _ if tool(manifest) == "dotnet" => vec![manifest.to_owned()],
        _ => Vec::new(),
    }
}

/// Whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_open = |at: usize, end: usize| {
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        let starts = word.starts_with(is_part) && before.is_some_and(is_part);
        let ends = word.ends_with(is_part) && after.is_some_and(is_part);
        !starts && !ends
    };
    !word.is_empty() && text.match_indices(word).any(|(at, _)| is_open(at, at + word.len()))
}

/// The projects whose code uses code of these files.
fn users_of(view: &View<'_>, files: &[FileId], tests: &TestFiles) -> Result<BTreeSet<String>> {
    let mut using: FxHashSet<FileId> = FxHashSet::default();
    for file in files {
        for node in view.nodes_of(*file)?.iter() {
            let steps = view.incoming(*node)?;
            let uses = steps.iter().filter(|step| step.kind != EdgeKind::Contains);
            using.extend(uses.map(|step| step.file));
        }
    }
    let mut projects = BTreeSet::new();
    for file in using {
        projects.insert(tests.project_of(&view.path(file)?).to_owned());
    }
    Ok(projects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depending(manifest: &str, all: &[(&str, &str)], on: &str) -> Vec<String> {
        let texts = all.iter().map(|(folder, text)| {
            ((*folder).to_owned(), vec![(manifest.to_owned(), (*text).to_owned())])
        });
        Manifests { texts: texts.collect() }.depending_on(on).into_iter().collect()
    }

    #[test]
    fn manifests_name_what_they_need() {
        let gradle = [
            ("core", ""),
            ("a", "implementation(project(\":core\"))"),
            ("b", "api(projects.core)"),
            ("c", "testImplementation(project(\":core-extra\")) // core"),
        ];
        assert_eq!(depending("build.gradle.kts", &gradle, "core"), ["a", "b"]);
        let maven = [
            ("core", "<parent><artifactId>all</artifactId></parent><artifactId>it</artifactId>"),
            ("a", "<parent><artifactId>all</artifactId></parent><artifactId>a</artifactId>"),
            ("b", "<dependency><artifactId>it</artifactId></dependency>"),
        ];
        assert_eq!(depending("pom.xml", &maven, "core"), ["b"]);
        let cargo = [
            ("core", "[package]\nname = \"it\""),
            ("a", "[dependencies]\nit = { path = \"../core\" }"),
            ("b", "[dependencies]\nit-more = \"1\""),
        ];
        assert_eq!(depending("Cargo.toml", &cargo, "core"), ["a"]);
        let go = [("core", "module x.y/it/v3\n"), ("a", "require x.y/it/v3 v3.1.0\n")];
        assert_eq!(depending("go.mod", &go, "core"), ["a"]);
        let npm = [
            ("core", "{\n  \"name\": \"@x/it\",\n}"),
            ("a", "{ \"dependencies\": { \"@x/it\": \"*\" } }"),
        ];
        assert_eq!(depending("package.json", &npm, "core"), ["a"]);
    }
}
