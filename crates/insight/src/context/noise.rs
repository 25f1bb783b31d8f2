//! What says nothing about the work: templates of issues, and files that are
//! not what a task is about.

/// Words of headings that every issue has.
const GENERIC: &[&str] = &[
    "a",
    "about",
    "actual",
    "additional",
    "an",
    "and",
    "any",
    "are",
    "attachments",
    "backtrace",
    "behavior",
    "behaviour",
    "bug",
    "by",
    "can",
    "case",
    "checklist",
    "code",
    "comments",
    "configuration",
    "context",
    "current",
    "currently",
    "describe",
    "description",
    "desired",
    "detail",
    "details",
    "environment",
    "error",
    "example",
    "expected",
    "feature",
    "for",
    "found",
    "full",
    "happened",
    "happening",
    "have",
    "how",
    "i",
    "info",
    "information",
    "installation",
    "is",
    "issue",
    "it",
    "like",
    "log",
    "logs",
    "message",
    "minimal",
    "motivation",
    "notes",
    "observed",
    "of",
    "or",
    "other",
    "output",
    "please",
    "possible",
    "pr",
    "problem",
    "proposal",
    "proposed",
    "question",
    "relevant",
    "report",
    "reproduce",
    "reproducer",
    "reproducible",
    "reproduction",
    "request",
    "result",
    "results",
    "sample",
    "screenshots",
    "search",
    "setup",
    "snippet",
    "solution",
    "solutions",
    "stack",
    "steps",
    "suggestion",
    "summary",
    "system",
    "that",
    "the",
    "this",
    "to",
    "trace",
    "traceback",
    "use",
    "version",
    "versions",
    "want",
    "what",
    "with",
    "workaround",
    "would",
    "you",
    "your",
    "considered",
    "alternatives",
    "alternative",
    "before",
    "asking",
    "related",
    "happens",
    "did",
    "do",
    "does",
    "expect",
    "see",
];

/// Headings that say nothing, check boxes, pictures and rules.
pub fn is_template(line: &str) -> bool {
    let is_box = ["- [ ]", "- [x]", "- [X]", "* [ ]", "* [x]", "* [X]", "[ ]", "[x]"];
    if is_box.iter().any(|mark| line.starts_with(mark)) || line.starts_with("![") {
        return true;
    }
    let is_rule = line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '#' | ' '));
    let words: Vec<String> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_short = words.len() <= 8 && line.len() < 80;
    is_rule || (is_short && words.iter().all(|word| GENERIC.contains(&word.as_str())))
}

/// `ValueError: …`, `java.lang.X Exception: …`, `error[E0308]: …`, `fatal: …`.
pub fn is_error_line(line: &str) -> bool {
    if line.len() > 600 {
        return false;
    }
    let line = line.trim_start_matches(['>', '|', 'E', ' ']);
    let head = line.split([':', ' ', '[', '(']).next().unwrap_or("");
    let is_kind = ["Error", "Exception", "Warning", "Fault", "Panic"]
        .iter()
        .any(|ending| head.ends_with(ending) && head.len() > ending.len());
    let is_plain =
        ["error:", "fatal:", "error[", "panic:", "ERROR:", "FATAL:", "Error:", "Exception:"]
            .iter()
            .any(|start| line.starts_with(start));
    (is_kind && line[head.len()..].starts_with([':', '[', '('])) || is_plain
}

/// Without `<!-- … -->`.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<!--") {
        out.push_str(&rest[..at]);
        match rest[at..].find("-->") {
            Some(end) => rest = &rest[at + end + 3..],
            None => return out,
        }
    }
    out.push_str(rest);
    out
}

/// Without the addresses of links; what they are called stays.
pub fn without_links(line: &str) -> String {
    let is_address = |word: &str| word.contains("://") || word.starts_with("www.");
    if !line.contains("://") && !line.contains("www.") {
        return line.to_owned();
    }
    let is_border = |c: char| c.is_whitespace() || "()<>\"'".contains(c);
    line.split(is_border).filter(|word| !is_address(word)).collect::<Vec<_>>().join(" ")
}

/// Files a task is seldom about: documentation, examples, packaging, generated things.
pub fn is_aside(path: &str) -> bool {
    let is_folder = |part: &str| {
        let part = part.to_ascii_lowercase();
        matches!(
            part.as_str(),
            "doc"
                | "docs"
                | "documentation"
                | "example"
                | "examples"
                | "sample"
                | "samples"
                | "snippets"
                | "demo"
                | "demos"
                | "playground"
                | "playgrounds"
                | "benchmark"
                | "benchmarks"
                | "bench"
                | "benches"
                | "scripts"
                | "ci"
                | "vendor"
                | "third_party"
                | "node_modules"
                | "build"
                | "dist"
                | "fixtures"
                | "migrations"
                | "locale"
        ) || part.starts_with('.')
    };
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(is_folder)
        || matches!(
            name,
            "setup.py" | "versioneer.py" | "_version.py" | "noxfile.py" | "build.rs" | "conf.py"
        )
        || name.contains(".bundle.")
        || name.contains(".min.")
}

/// Files whose meaning is data or style; code is what is asked for first.
pub fn is_code_language(language: &str) -> bool {
    !matches!(language, "css" | "yaml" | "json" | "html" | "sql" | "hcl" | "toml" | "text" | "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::code::{is_test_file, is_test_path};

    #[test]
    fn headings_of_templates_say_nothing() {
        for line in [
            "**Describe the bug**",
            "## Steps to Reproduce",
            "- [x] done",
            "---",
            "Expected behavior",
        ] {
            assert!(is_template(line), "{line}");
        }
        for line in ["The reader fails", "## Reader of files", "expected `3`, got 4 from parse"] {
            assert!(!is_template(line), "{line}");
        }
    }

    #[test]
    fn examples_are_aside_however_they_are_written() {
        assert!(is_aside("src/Snippets/Docs/Retry.cs"));
        assert!(is_aside("samples/Chaos/Program.cs"));
        assert!(!is_aside("src/Polly.Core/Retry/RetryStrategy.cs"));
    }

    #[test]
    fn what_serves_tests_is_no_test() {
        assert!(is_test_file("test/test-udp.c"));
        assert!(is_test_file("tests/test_app.py"));
        assert!(is_test_file("packages/testing/test/override.spec.ts"));
        assert!(!is_test_file("packages/testing/testing-injector.ts"));
        assert!(!is_test_file("tests/helpers/client.py"));
    }

    #[test]
    fn error_lines_are_known() {
        for line in [
            "ValueError: x",
            "E   KeyError: 'a'",
            "error[E0308]: mismatched",
            "a.b.FooException: no",
        ] {
            assert!(is_error_line(line), "{line}");
        }
        for line in ["An Error: is human", "Errors happen", "the ValueError is raised"] {
            assert!(!is_error_line(line), "{line}");
        }
    }

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in [
            "tests/a.py",
            "src/a_test.go",
            "x/__tests__/a.ts",
            "a.spec.ts",
            "FooTest.java",
            "conftest.py",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/contest.py", "latest/a.py", "src/testament.rs", "attest.go"] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
