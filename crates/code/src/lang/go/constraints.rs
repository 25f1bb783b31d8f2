//! Which files a build takes: `//go:build` lines, and systems in names of files.
//!
//! Without further tags a build on Linux is meant: of several files that write the same
//! functions for different systems or tags, that is the one to read calls by.

const SYSTEMS: [&str; 17] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

const PROCESSORS: [&str; 16] = [
    "386", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
    "riscv64", "s390x", "sparc64", "wasm", "armbe", "riscv",
];

/// Nested deeper or longer than anybody writes: not read.
const MAX_DEPTH: u32 = 32;
const MAX_LENGTH: usize = 1_000;

/// Whether a build without further tags leaves a file out.
pub(super) fn is_left_out(path: &str, text: &[u8]) -> bool {
    is_for_another_system(path) || line(text).is_some_and(|line| !holds(line))
}

fn is_for_another_system(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".go").unwrap_or(name);
    let name = name.strip_suffix("_test").unwrap_or(name);
    let mut parts = name.split('_').skip(1).collect::<Vec<_>>();
    let last = parts.pop().unwrap_or_default();
    let before = parts.pop().unwrap_or_default();
    let is_processor = PROCESSORS.contains(&last) || last == "amd64";
    SYSTEMS.contains(&last)
        || PROCESSORS.contains(&last)
        || is_processor && SYSTEMS.contains(&before)
}

/// What the `//go:build` line before the package says.
fn line(text: &[u8]) -> Option<&str> {
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix(b"//go:build ") {
            let is_short = rest.len() <= MAX_LENGTH;
            return std::str::from_utf8(rest).ok().filter(|_| is_short);
        }
        if line.starts_with(b"package ") {
            return None;
        }
    }
    None
}

/// Whether an expression of tags holds; what cannot be read does.
fn holds(text: &str) -> bool {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.any();
    value.filter(|_| reader.rest.trim().is_empty()).unwrap_or(true)
}

struct Reader<'t> {
    rest: &'t str,
    depth: u32,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn any(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.takes("||") {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.takes("&&") {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.takes("!") {
            !self.one()?
        } else if self.takes("(") {
            let value = self.any()?;
            self.takes(")").then_some(value)?
        } else {
            let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            let end = self.rest.find(|c| !is_tag(c)).unwrap_or(self.rest.len());
            let (tag, rest) = self.rest.split_at(end);
            self.rest = rest;
            if tag.is_empty() {
                return None;
            }
            matches!(tag, "linux" | "amd64" | "unix" | "gc" | "cgo") || tag.starts_with("go1.")
        };
        self.depth -= 1;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_on_linux_without_tags_is_meant() {
        for (path, text, is_left) in [
            ("a/labels.go", "package labels\n//go:build x\n", false),
            ("a/labels.go", "// Copyright\n\n//go:build dedupe\n\npackage labels\n", true),
            ("a/labels.go", "//go:build !slice && !dedupe\npackage labels\n", false),
            ("a/labels.go", "//go:build (darwin || linux) && go1.21\npackage a\n", false),
            ("a/labels.go", "//go:build ((\npackage a\n", false),
            ("a/file_windows.go", "package a\n", true),
            ("a/file_windows_amd64_test.go", "package a\n", true),
            ("a/file_linux_arm64.go", "package a\n", true),
            ("a/file_linux.go", "package a\n", false),
            ("a/windows.go", "package a\n", false),
        ] {
            assert_eq!(is_left_out(path, text.as_bytes()), is_left, "{path} {text}");
        }
        let deep = format!("//go:build {}x\npackage a\n", "(".repeat(900));
        assert!(!is_left_out("a.go", deep.as_bytes()));
    }
}
