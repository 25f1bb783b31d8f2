//! What a CODEOWNERS file says about a path. The last line that matches a path
//! speaks for it, in each section.

use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Where GitLab looks, in this order; the first that exists counts.
const PLACES: [&str; 3] = ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];
/// A larger file is not read; no team has so many rules.
const MOST_BYTES: u64 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owners {
    /// Where it is written.
    pub file: String,
    /// As they are written: `@user`, `@group/team`, addresses.
    pub owners: Vec<String>,
}

/// The owners of a path by the first clone that names any, as committed: a file
/// of the work tree could be a link to anywhere.
pub fn of_path(clones: &[PathBuf], path: &str) -> Option<Owners> {
    clones.iter().find_map(|clone| {
        let repo = git::Repo::open(clone).ok()?;
        let head = repo.resolve("HEAD").ok()?;
        let mut blobs = repo.blobs().ok()?;
        PLACES.iter().find_map(|place| {
            let file = blobs.read_file(head, &git::RepoPath::from(*place), MOST_BYTES).ok()?;
            let bytes = file.into_content()?;
            let text = String::from_utf8_lossy(&bytes);
            let owners = owners(&text, path);
            (!owners.is_empty()).then(|| Owners { file: (*place).to_owned(), owners })
        })
    })
}

/// Whom the rules name for a path, each once, in order of the sections.
fn owners(text: &str, path: &str) -> Vec<String> {
    let mut sections: Vec<Section> = vec![Section::default()];
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(defaults) = heading(line) {
            sections.push(Section { defaults, matched: Vec::new() });
            continue;
        }
        let (pattern, names) = rule(line);
        if let Some(section) = sections.last_mut()
            && matches(&pattern, path)
        {
            section.matched = if names.is_empty() { section.defaults.clone() } else { names };
        }
    }
    let mut found: Vec<String> = Vec::new();
    for name in sections.into_iter().flat_map(|section| section.matched) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[derive(Default)]
struct Section {
    /// Owners of rules that name none.
    defaults: Vec<String>,
    matched: Vec<String>,
}

/// `[Name]`, `^[Name][2] @default`: the default owners of a section.
fn heading(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?;
    let (_, rest) = rest.split_once(']')?;
    let rest = match rest.strip_prefix('[') {
        Some(count) => count.split_once(']')?.1,
        None => rest,
    };
    Some(names(rest))
}

fn names(text: &str) -> Vec<String> {
    let words = text.split_whitespace().take_while(|word| !word.starts_with('#'));
    words.filter(|word| word.contains('@')).map(str::to_owned).collect()
}

/// A pattern, in which `\ ` is a blank, and its owners.
fn rule(line: &str) -> (String, Vec<String>) {
    let mut pattern = String::new();
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => pattern.extend(chars.next().map(|(_, c)| c)),
            c if c.is_whitespace() => return (pattern, names(&line[at..])),
            c => pattern.push(c),
        }
    }
    (pattern, Vec::new())
}

/// `/a` is at the root, `a/` a folder with all below, `a` anywhere, `*` within
/// a name, `**` over folders.
fn matches(pattern: &str, path: &str) -> bool {
    let is_rooted = pattern.starts_with('/');
    let pattern = pattern.trim_start_matches('/');
    let mut parts: Vec<&str> = pattern.split('/').collect();
    if parts.last() == Some(&"") {
        parts.pop();
        parts.push("**");
    }
    if !is_rooted {
        parts.insert(0, "**");
    }
    let names: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    // A rule for a folder without a `/` at its end is one for all below, too.
    let mut below = parts.clone();
    below.push("**");
    parts_match(&parts, &names) || parts_match(&below, &names)
}

fn parts_match(parts: &[&str], names: &[&str]) -> bool {
    match (parts, names) {
        ([], []) | (["**"], _) => true,
        (["**", rest @ ..], _) => (0..=names.len()).any(|n| parts_match(rest, &names[n..])),
        ([part, parts @ ..], [name, names @ ..]) => {
            name_matches(part, name) && parts_match(parts, names)
        }
        _ => false,
    }
}

/// `*` stands for any characters of one name.
fn name_matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: &str = "
# comment
* @all
*.rs @rust
/docs/ @writers
src/store @dag @mirela
path\\ with\\ blanks.txt @odd

[Database][2] @dba
migrations/
[Security]
/src/auth/** @sefa # who else
";

    #[test]
    fn the_last_match_of_each_section_speaks() {
        for (path, expected) in [
            ("README.md", "@all"),
            ("src/main.rs", "@rust"),
            ("docs/install.md", "@writers"),
            ("sub/docs/install.md", "@all"),
            ("src/store/mod.rs", "@dag @mirela"),
            ("path with blanks.txt", "@odd"),
            ("crates/x/migrations/0001.sql", "@all @dba"),
            ("src/auth/token.rs", "@rust @sefa"),
        ] {
            assert_eq!(owners(RULES, path).join(" "), expected, "{path}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "[\\[\\]*/a-c@# \\n\\\\^]{0,80}", path in "[a-c/.]{0,12}") {
            let _ = owners(&text, &path);
        }
    }
}
