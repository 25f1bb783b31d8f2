//! Which files of a commit are indexed, and why the others are not.
//!
//! Decided by path, mode, size and the repository's own `.gitattributes` and
//! `.loreignore`. What only the bytes can tell (binary, a pointer to large
//! storage) is decided when they are read.

use crate::lang;
use crate::link;
use git::{FileMode, TreeEntry};
use model::codeowners;
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
    /// Says more than its bytes can mean, or there are too many of its kind.
    TooCostly,
    /// Not a file: rules about files beyond those that are read.
    UnreadRule,
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
            Skip::TooCostly => "too costly",
            Skip::UnreadRule => "rules beyond the limit",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        let stored = [Skip::Binary, Skip::LargeStorage, Skip::TooCostly];
        stored.into_iter().find(|skip| skip.as_str() == word)
    }
}

/// Folders that hold what others wrote, whatever the repository says.
const VENDORED: [&str; 10] = [
    "node_modules",
    "vendor",
    "third_party",
    "bower_components",
    ".venv",
    "site-packages",
    "Godeps",
    ".yarn",
    // What an agent keeps beside the code, and inputs of tests: neither is the
    // program.
    ".claude",
    "testdata",
];

/// Names of files that no person wrote.
const GENERATED: [&str; 5] = [".min.js", ".min.css", ".bundle.js", ".pb.gw.go", ".d.ts.map"];

/// What the files of a commit came to.
#[derive(Debug, Default)]
pub struct FileSelection<'a> {
    /// To be indexed, by path.
    pub files: Vec<(String, &'a TreeEntry)>,
    /// To be read as manifests, by path.
    pub manifests: Vec<(String, &'a TreeEntry)>,
    /// Where owners of paths are written, by precedence.
    pub owners: Option<(String, &'a TreeEntry)>,
    pub skipped: BTreeMap<Skip, u64>,
}

/// Larger manifests are data; all of them together are held while linking.
pub const MAX_MANIFEST: u64 = 1 << 20;
pub const MAX_MANIFESTS: u64 = 64 << 20;

/// Files of rules, one and all together.
pub const MAX_RULE_FILE: u64 = 1 << 20;
const MAX_RULE_FILES: u64 = 16 << 20;
/// Every path is held against every rule.
const MAX_RULES: usize = 2_000;

/// Rules of the repository about its own files.
#[derive(Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// Rules that were not read, for there were too many.
    pub n_unread: u64,
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
    codeowners::PLACES.contains(&path)
}

/// The files that hold [`Rules`], as far as they are read.
pub fn rule_files(tree: &[TreeEntry]) -> Vec<(String, &TreeEntry)> {
    let mut n_bytes = 0;
    tree.iter()
        .map(|entry| (entry.path.text().into_owned(), entry))
        .filter(|(path, entry)| {
            let is_read = is_rules(path)
                && entry.mode.is_file()
                && entry.size < MAX_RULE_FILE
                && n_bytes + entry.size < MAX_RULE_FILES;
            n_bytes += if is_read { entry.size } else { 0 };
            is_read
        })
        .collect()
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
        if self.rules.len() >= MAX_RULES {
            self.n_unread += 1;
            return;
        }
        let glob = Glob::new(pattern);
        self.rules.push(Rule { folder: folder.to_owned(), glob, about, applies });
    }

    /// Whether the repository says that no program wrote a file.
    pub fn is_written_by_people(&self, path: &str) -> bool {
        self.says(path, Skip::Generated) == Some(false)
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
pub fn choose<'a>(entries: &'a [TreeEntry], rules: &Rules) -> FileSelection<'a> {
    let mut chosen = FileSelection::default();
    let mut owners: Option<(usize, String, &TreeEntry)> = None;
    let mut manifest_bytes = 0;
    if rules.n_unread > 0 {
        chosen.skipped.insert(Skip::UnreadRule, rules.n_unread);
    }
    for entry in entries {
        let path = entry.path.text();
        if entry.mode == FileMode::Submodule {
            *chosen.skipped.entry(Skip::Submodule).or_default() += 1;
            continue;
        }
        if !entry.mode.is_file() {
            continue;
        }
        if let Some(rank) = codeowners::PLACES.iter().position(|known| *known == path)
            && owners.as_ref().is_none_or(|(known, ..)| rank < *known)
        {
            if entry.size > codeowners::MAX_BYTES as u64 {
                *chosen.skipped.entry(Skip::Huge).or_default() += 1;
                continue;
            }
            owners = Some((rank, path.to_string(), entry));
        }
        let is_manifest = link::is_manifest(&path);
        if !is_manifest && !lang::is_known(&path) {
            continue;
        }
        match why_not(&path, entry.size, rules) {
            Some(reason) => *chosen.skipped.entry(reason).or_default() += 1,
            None if is_manifest && entry.size > MAX_MANIFEST => {
                *chosen.skipped.entry(Skip::Huge).or_default() += 1;
            }
            None if is_manifest && manifest_bytes + entry.size > MAX_MANIFESTS => {
                *chosen.skipped.entry(Skip::TooCostly).or_default() += 1;
            }
            None if is_manifest => {
                manifest_bytes += entry.size;
                chosen.manifests.push((path.into_owned(), entry));
            }
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

    fn file(path: &str, size: u64) -> TreeEntry {
        let id = git::ObjectId::parse("ce013625030ba8dba906f756967f9e9ca394464a").unwrap();
        TreeEntry { path: git::RepoPath::from(path), mode: FileMode::File, id, size }
    }

    fn paths(files: &[(String, &TreeEntry)]) -> Vec<String> {
        files.iter().map(|(path, _)| path.clone()).collect()
    }

    #[test]
    fn rules_beyond_the_limit_are_counted_and_not_tried() {
        let rules = Rules::of(&[
            (".loreignore".to_owned(), "**/*[a-*/x\n".repeat(300_000)),
            ("z/.loreignore".to_owned(), "late.py\n".to_owned()),
        ]);
        assert_eq!(rules.rules.len(), MAX_RULES);
        let tree = [file("a.py", 1), file("z/late.py", 1)];
        let chosen = choose(&tree, &rules);
        assert_eq!(chosen.skipped, [(Skip::UnreadRule, 300_001 - MAX_RULES as u64)].into());
        assert_eq!(paths(&chosen.files), ["a.py", "z/late.py"]);
    }

    #[test]
    fn files_of_rules_are_read_up_to_a_limit_each_and_together() {
        let tree: Vec<TreeEntry> = [file(".gitattributes", 1 << 30), file(".loreignore", 9)]
            .into_iter()
            .chain((0..40).map(|at| file(&format!("d{at}/.gitattributes"), MAX_RULE_FILE - 1)))
            .collect();
        let read = rule_files(&tree);
        assert_eq!(read.first().map(|(path, _)| path.as_str()), Some(".loreignore"));
        assert!(read.iter().map(|(_, entry)| entry.size).sum::<u64>() < MAX_RULE_FILES);
        assert!(read.len() > 10, "{}", read.len());
    }

    #[test]
    fn manifests_and_owners_of_no_sane_size_are_left_out() {
        let tree = [
            file("CODEOWNERS", 26 << 20),
            file("a/package.json", MAX_MANIFEST + 1),
            file("docs/CODEOWNERS", 1 << 20),
            file("package.json", MAX_MANIFEST),
        ];
        let chosen = choose(&tree, &Rules::default());
        assert_eq!(chosen.owners.map(|(path, _)| path).as_deref(), Some("docs/CODEOWNERS"));
        assert_eq!(paths(&chosen.manifests), ["package.json"]);
        assert_eq!(chosen.skipped, [(Skip::Huge, 2)].into());

        let tree: Vec<TreeEntry> =
            (0..80).map(|at| file(&format!("p{at}/package.json"), MAX_MANIFEST)).collect();
        let chosen = choose(&tree, &Rules::default());
        assert_eq!(chosen.manifests.len() as u64, MAX_MANIFESTS / MAX_MANIFEST);
        assert_eq!(chosen.skipped, [(Skip::TooCostly, 16)].into());
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
