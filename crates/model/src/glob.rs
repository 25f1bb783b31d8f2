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

impl Glob {
    pub fn new(pattern: &str) -> Self {
        let is_folder = pattern.len() > 1 && pattern.ends_with('/');
        let body = pattern.strip_suffix('/').unwrap_or(pattern);
        let is_anchored = body.contains('/');
        let parts = body.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Glob { parts, is_anchored, is_folder }
    }

    /// Whether a file is meant, by its own name or by a folder it lies in.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        let last = if self.is_folder { names.len().saturating_sub(1) } else { names.len() };
        (1..=last).any(|end| self.matches_exactly(&names[..end]))
    }

    /// Whether the path itself is meant, not what lies above it.
    pub fn matches_itself(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        !self.is_folder && self.matches_exactly(&names)
    }

    fn matches_exactly(&self, names: &[&str]) -> bool {
        if self.is_anchored {
            return folders(&self.parts, names);
        }
        match (self.parts.first(), names.last()) {
            (Some(part), Some(name)) => within(part.as_bytes(), name.as_bytes()),
            _ => false,
        }
    }
}

fn folders(parts: &[String], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((part, rest)), _) if part == "**" => {
            // At the end it stands for everything below, but not for nothing.
            let least = usize::from(rest.is_empty());
            (least..=names.len()).any(|skipped| folders(rest, &names[skipped..]))
        }
        (Some((part, rest)), Some((name, below))) => {
            within(part.as_bytes(), name.as_bytes()) && folders(rest, below)
        }
        _ => false,
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

    proptest! {
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
