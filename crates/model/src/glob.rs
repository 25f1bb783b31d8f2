//! Patterns of paths as `.gitignore`, `.gitattributes` and `CODEOWNERS` write
//! them.
//!
//! `*` and `?` stay within a folder, `**` crosses folders, a `/` at the start
//! or in the middle ties the pattern to its folder, one at the end asks for a
//! folder. Paths are written with `/`, relative to the folder of the pattern.

/// A pattern, ready to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<String>,
    is_anchored: bool,
    is_folder: bool,
}

/// Longer patterns are no patterns of paths, and match nothing.
const MAX_PATTERN: usize = 4_096;

impl Glob {
    pub fn new(pattern: &str) -> Self {
        let pattern = if pattern.len() > MAX_PATTERN { "" } else { pattern };
        let is_folder = pattern.len() > 1 && pattern.ends_with('/');
        let body = pattern.strip_suffix('/').unwrap_or(pattern);
        let is_anchored = body.contains('/');
        let mut parts: Vec<String> =
            body.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        // Several in a row stand for what one stands for.
        parts.dedup_by(|part, before| part == "**" && before == "**");
        Glob { parts, is_anchored, is_folder }
    }

    /// Whether a file is meant, by its own name or by a folder it lies in.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let last = if self.is_folder { names.len().saturating_sub(1) } else { names.len() };
        match self.parts.first() {
            None => false,
            Some(_) if self.is_anchored => {
                !self.is_folder && folders(&self.parts, &names, false)
                    || folders(&self.parts, &names, true)
            }
            Some(part) => names[..last].iter().any(|name| within(part.as_bytes(), name.as_bytes())),
        }
    }

    /// Whether the path itself is meant, not what lies above it.
    pub fn matches_itself(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        match (self.parts.first(), names.last()) {
            (Some(_), _) if self.is_anchored => folders(&self.parts, &names, false),
            (Some(part), Some(name)) => within(part.as_bytes(), name.as_bytes()),
            _ => false,
        }
    }
}

/// The names of a path against the parts of a pattern, or with `below` those
/// of something inside of what it means. Goes back at most to the last `**`,
/// so that no pattern takes more than the product of both lengths.
fn folders(parts: &[String], names: &[&str], below: bool) -> bool {
    // At the end it stands for everything below, but not for nothing.
    let is_open = below || parts.last().is_some_and(|part| part == "**");
    let parts = match parts.split_last() {
        Some((last, before)) if last == "**" => before,
        _ => parts,
    };
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if p == parts.len() && is_open {
            return n < names.len();
        }
        if p == parts.len() && n == names.len() {
            return true;
        }
        match parts.get(p) {
            Some(part) if part == "**" => {
                p += 1;
                star = Some((p, n));
                continue;
            }
            Some(part) if n < names.len() && within(part.as_bytes(), names[n].as_bytes()) => {
                (p, n) = (p + 1, n + 1);
                continue;
            }
            _ => {}
        }
        match star {
            Some((after, at)) if at < names.len() => {
                star = Some((after, at + 1));
                (p, n) = (after, at + 1);
            }
            _ => return false,
        }
    }
}

/// One name against one part. Goes back at most to the last `*`, so that no
/// pattern takes more than the product of both lengths.
fn within(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match step(&pattern[p..], name[n]) {
            Some(0) => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(taken) => {
                p += taken;
                n += 1;
            }
            None => match star {
                Some((after, at)) => {
                    star = Some((after, at + 1));
                    (p, n) = (after, at + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// How much of the pattern one byte takes; zero for a `*`.
fn step(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'*', ..] => Some(0),
        [b'?', ..] => Some(1),
        [b'\\', escaped, ..] => (*escaped == byte).then_some(2),
        [b'[', class @ ..] => {
            let end = class.iter().skip(1).position(|c| *c == b']')? + 1;
            let (is_not, set) = match class[0] {
                b'!' | b'^' => (true, &class[1..end]),
                _ => (false, &class[..end]),
            };
            (in_set(set, byte) != is_not).then_some(end + 2)
        }
        [literal, ..] => (*literal == byte).then_some(1),
        [] => None,
    }
}

fn in_set(set: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < set.len() {
        if at + 2 < set.len() && set[at + 1] == b'-' {
            if (set[at]..=set[at + 2]).contains(&byte) {
                return true;
            }
            at += 3;
        } else {
            if set[at] == byte {
                return true;
            }
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_mean_what_git_means() {
        for (pattern, path, expected) in [
            ("*.min.js", "a/b/x.min.js", true),
            ("*.js", "x.jsx", false),
            ("build/", "build/x.py", true),
            ("build/", "a/build/x.py", true),
            ("build/", "build", false),
            ("/build", "a/build/x", false),
            ("/build", "build/x", true),
            ("docs/*.md", "docs/a.md", true),
            ("docs/*.md", "docs/sub/a.md", false),
            ("docs/**", "docs/sub/a.md", true),
            ("**/gen/*.go", "a/b/gen/x.go", true),
            ("**/gen/*.go", "gen/x.go", true),
            ("a/**/z.py", "a/z.py", true),
            ("a/**/z.py", "a/b/c/z.py", true),
            ("file[0-9].c", "file7.c", true),
            ("file[!0-9].c", "file7.c", false),
            ("a?c", "abc", true),
            ("\\*.py", "*.py", true),
            ("\\*.py", "a.py", false),
            ("*", "any/thing", true),
            ("", "x", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_few() {
        let path = "a/".repeat(60) + "x";
        for stars in [40, 300, 1_000, 300_000] {
            let glob = Glob::new(&format!("{}b", "**/".repeat(stars)));
            assert!(!glob.matches(&path));
            assert!(!Glob::new(&format!("{}b", "**/a/".repeat(stars))).matches(&path));
            assert!(!Glob::new(&format!("{}b", "*a".repeat(stars))).matches(&"a".repeat(4_000)));
        }
        assert!(Glob::new(&format!("{}x", "**/".repeat(40))).matches(&path));
    }

    /// The rules as they are written in the manual of git, tried one by one.
    fn by_trying(parts: &[&str], names: &[&str]) -> bool {
        match (parts.split_first(), names.split_first()) {
            (None, None) => true,
            (Some((&"**", rest)), _) => {
                let least = usize::from(rest.is_empty());
                (least..=names.len()).any(|skipped| by_trying(rest, &names[skipped..]))
            }
            (Some((part, rest)), Some((name, below))) => {
                within(part.as_bytes(), name.as_bytes()) && by_trying(rest, below)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn stars_over_folders_mean_every_way_to_read_them(
            parts in proptest::collection::vec("[ab]|\\*|\\*\\*", 2..6),
            names in proptest::collection::vec("[ab]", 1..7),
        ) {
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let glob = Glob::new(&format!("/{}", parts.join("/")));
            let path = names.join("/");
            prop_assert_eq!(glob.matches_itself(&path), by_trying(&parts, &names));
            let any = (1..=names.len()).any(|end| by_trying(&parts, &names[..end]));
            prop_assert_eq!(glob.matches(&path), any);
        }

        #[test]
        fn no_pattern_panics(pattern in ".{0,12}", path in ".{0,20}") {
            let _ = Glob::new(&pattern).matches(&path);
        }

        #[test]
        fn a_path_without_wildcards_matches_itself(path in "[a-z]{1,4}(/[a-z]{1,4}){0,3}") {
            prop_assert!(Glob::new(&path).matches(&path));
        }
    }
}
