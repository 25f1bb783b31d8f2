//! Which files of a commit are indexed, and why the others are not.
//!
//! Decided by path, mode, size and the repository's own `.gitattributes` and
//! `.loreignore`. What only the bytes can tell (binary, a pointer to large
//! storage) is decided when they are read.

use crate::lang;
use crate::link;
use git::{FileMode, TreeEntry};
use model::glob::Glob;
use std::collections::BTreeMap;

/// Why a file is not indexed. Files of no known language are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    Submodule,
    Vendored,
    Generated,
    Ignored,
    Huge,
    Binary,
    LargeStorage,
    /// Not in this clone.
    Missing,
}

impl Skip {
    pub const fn as_str(self) -> &'static str {
        match self {
            Skip::Submodule => "submodule",
            Skip::Vendored => "vendored",
            Skip::Generated => "generated",
            Skip::Ignored => "ignored",
            Skip::Huge => "huge",
            Skip::Binary => "binary",
            Skip::LargeStorage => "lfs pointer",
            Skip::Missing => "missing",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Skip::Binary, Skip::LargeStorage].into_iter().find(|skip| skip.as_str() == word)
    }
}

/// Folders that hold what others wrote, whatever the repository says.
const VENDORED: [&str; 8] = [
    "node_modules",
    "vendor",
    "third_party",
    "bower_components",
    ".venv",
    "site-packages",
    "Godeps",
    ".yarn",
];

/// Names of files that no person wrote.
const GENERATED: [&str; 5] = [".min.js", ".min.css", ".bundle.js", ".pb.gw.go", ".d.ts.map"];

/// What the files of a commit came to.
#[derive(Debug, Default)]
pub struct Chosen<'a> {
    /// To be indexed, by path.
    pub files: Vec<(String, &'a TreeEntry)>,
    /// To be read as manifests, by path.
    pub manifests: Vec<(String, &'a TreeEntry)>,
    /// Where owners of paths are written, by precedence.
    pub owners: Option<(String, &'a TreeEntry)>,
    pub skipped: BTreeMap<Skip, u64>,
}

/// Places a forge looks for owners, the first found counts.
const OWNERS: [&str; 4] =
    ["CODEOWNERS", ".gitlab/CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS"];

/// Rules of the repository about its own files.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    folder: String,
    glob: Glob,
    about: Skip,
    applies: bool,
}

/// Whether a file holds [`Rules`].
pub fn is_rules(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == ".gitattributes" || name == ".loreignore"
}

/// Whether a file may say who owns paths.
pub fn is_owners(path: &str) -> bool {
    OWNERS.contains(&path)
}

impl Rules {
    /// Of the files of rules among these, outer folders first.
    pub fn of(texts: &[(String, String)]) -> Self {
        let mut found: Vec<&(String, String)> =
            texts.iter().filter(|(path, _)| is_rules(path)).collect();
        found.sort_by_key(|(path, _)| (path.matches('/').count(), path));
        let mut rules = Rules::default();
        for (path, text) in found {
            rules.add(path, text);
        }
        rules
    }

    /// Adds a file of rules; outer folders must come before inner ones.
    pub fn add(&mut self, path: &str, text: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if name == ".loreignore" {
                let (applies, pattern) = match line.strip_prefix('!') {
                    Some(rest) => (false, rest),
                    None => (true, line),
                };
                self.push(folder, pattern, Skip::Ignored, applies);
                continue;
            }
            let mut words = line.split_whitespace();
            let Some(pattern) = words.next() else { continue };
            for word in words {
                let (word, is_unset) = match word.strip_prefix(['-', '!']) {
                    Some(rest) => (rest, true),
                    None => (word, false),
                };
                let (name, value) = word.split_once('=').unwrap_or((word, "true"));
                let about = match name {
                    "linguist-vendored" => Skip::Vendored,
                    "linguist-generated" => Skip::Generated,
                    _ => continue,
                };
                self.push(folder, pattern, about, !is_unset && value != "false");
            }
        }
    }

    fn push(&mut self, folder: &str, pattern: &str, about: Skip, applies: bool) {
        let glob = Glob::new(pattern);
        self.rules.push(Rule { folder: folder.to_owned(), glob, about, applies });
    }

    /// What the last rule about a path says; none where no rule speaks.
    fn says(&self, path: &str, about: Skip) -> Option<bool> {
        let of_file = |rule: &&Rule| {
            let inside = match rule.folder.as_str() {
                "" => Some(path),
                folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            rule.about == about && inside.is_some_and(|inside| rule.glob.matches(inside))
        };
        self.rules.iter().rev().find(of_file).map(|rule| rule.applies)
    }
}

/// Sorts the files of a commit into those to index, to read, and to leave.
pub fn choose<'a>(entries: &'a [TreeEntry], rules: &Rules) -> Chosen<'a> {
    let mut chosen = Chosen::default();
    let mut owners: Option<(usize, String, &TreeEntry)> = None;
    for entry in entries {
        let path = entry.path.text();
        if entry.mode == FileMode::Submodule {
            *chosen.skipped.entry(Skip::Submodule).or_default() += 1;
            continue;
        }
        if !entry.mode.is_file() {
            continue;
        }
        if let Some(rank) = OWNERS.iter().position(|known| *known == path)
            && owners.as_ref().is_none_or(|(known, ..)| rank < *known)
        {
            owners = Some((rank, path.to_string(), entry));
        }
        let is_manifest = link::is_manifest(&path);
        if !is_manifest && !lang::is_known(&path) {
            continue;
        }
        match why_not(&path, entry.size, rules) {
            Some(reason) => *chosen.skipped.entry(reason).or_default() += 1,
            None if is_manifest => chosen.manifests.push((path.into_owned(), entry)),
            None => chosen.files.push((path.into_owned(), entry)),
        }
    }
    chosen.owners = owners.map(|(_, path, entry)| (path, entry));
    chosen
}

pub fn why_not(path: &str, size: u64, rules: &Rules) -> Option<Skip> {
    if rules.says(path, Skip::Ignored) == Some(true) {
        return Some(Skip::Ignored);
    }
    let is_vendored = || path.split('/').rev().skip(1).any(|part| VENDORED.contains(&part));
    if rules.says(path, Skip::Vendored).unwrap_or_else(is_vendored) {
        return Some(Skip::Vendored);
    }
    let is_generated = || GENERATED.iter().any(|ending| path.ends_with(ending));
    if rules.says(path, Skip::Generated).unwrap_or_else(is_generated) {
        return Some(Skip::Generated);
    }
    (size > lang::MAX_BYTES as u64).then_some(Skip::Huge)
}

/// What only the bytes tell.
pub fn unfit(bytes: &[u8]) -> Option<Skip> {
    if bytes.starts_with(b"version https://git-lfs.github.com/spec/") && bytes.len() < 1024 {
        return Some(Skip::LargeStorage);
    }
    bytes[..bytes.len().min(8000)].contains(&0).then_some(Skip::Binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[(&str, &str)]) -> Rules {
        let mut rules = Rules::default();
        for (path, text) in files {
            rules.add(path, text);
        }
        rules
    }

    #[test]
    fn the_repository_has_the_last_word() {
        let rules = rules(&[
            (
                ".gitattributes",
                "*.py text\ngen/** linguist-generated\nvendor/own/** -linguist-vendored",
            ),
            (".loreignore", "# not ours\n*_pb2.py\n!keep_pb2.py\n/scratch/"),
            ("gen/.gitattributes", "real.py linguist-generated=false"),
        ]);
        let reason = |path: &str| why_not(path, 10, &rules).map(Skip::as_str);
        assert_eq!(reason("src/a.py"), None);
        assert_eq!(reason("gen/a.py"), Some("generated"));
        assert_eq!(reason("gen/real.py"), None);
        assert_eq!(reason("vendor/x/a.py"), Some("vendored"));
        assert_eq!(reason("vendor/own/a.py"), None);
        assert_eq!(reason("a/x_pb2.py"), Some("ignored"));
        assert_eq!(reason("a/keep_pb2.py"), None);
        assert_eq!(reason("scratch/a.py"), Some("ignored"));
        assert_eq!(reason("a/scratch/b.py"), None);
        assert_eq!(why_not("a.py", 1 << 30, &rules), Some(Skip::Huge));
    }

    #[test]
    fn bytes_that_are_no_source() {
        assert_eq!(
            unfit(b"version https://git-lfs.github.com/spec/v1\noid"),
            Some(Skip::LargeStorage)
        );
        assert_eq!(unfit(b"\0asm"), Some(Skip::Binary));
        assert_eq!(unfit(b"x = 1"), None);
    }
}
