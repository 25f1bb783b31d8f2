//! The beginning of a documentation as a reader wants it: without the markup of
//! documentation tools.

use model::text::{clean, one_line};

/// Elements of XML documentation and the HTML of Javadoc.
const TAGS: [&str; 22] = [
    "summary",
    "remarks",
    "para",
    "c",
    "code",
    "see",
    "seealso",
    "paramref",
    "typeparamref",
    "inheritdoc",
    "value",
    "example",
    "p",
    "ul",
    "li",
    "b",
    "i",
    "em",
    "strong",
    "pre",
    "br",
    "tt",
];

/// The first lines, in one.
pub(super) fn doc_head(doc: &str, n_lines: usize, n_chars: usize) -> String {
    let doc = clean(doc);
    let lines = without_directives(&doc).map(without_tags);
    let told = lines
        .filter(|line| !line.is_empty() && !is_mark(line) && !is_for_linters(line))
        .take(n_lines);
    one_line(&told.collect::<Vec<_>>().join(" "), n_chars)
}

/// Without what tells documentation tools to make a box or a remark of: `!!! note "…"` and
/// `.. versionadded:: 2.0`, with the lines indented below.
fn without_directives(doc: &str) -> impl Iterator<Item = &str> {
    let mut below: Option<usize> = None;
    doc.lines().filter(move |line| {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.is_empty() || below.is_some_and(|of| indent > of) {
            return false;
        }
        let is_directive = text.starts_with("!!! ")
            || text.starts_with("??? ")
            || text.strip_prefix(".. ").is_some_and(|rest| rest.contains("::"));
        below = is_directive.then_some(indent);
        !is_directive
    })
}

/// `rubocop:disable Metrics/AbcSize`, `eslint-disable-next-line no-console`: what silences a
/// tool says nothing of the code.
fn is_for_linters(line: &str) -> bool {
    const MARKS: &[&str] = &[
        "@ts-expect-error",
        "@ts-ignore",
        "biome-ignore",
        "clang-format o",
        "eslint-disable",
        "eslint-enable",
        "fmt: o",
        "istanbul ignore",
        "mypy: ",
        "noinspection ",
        "nolint",
        "NOLINT",
        "noqa",
        "prettier-ignore",
        "pragma: no",
        "pylint: ",
        "rubocop:",
        "shellcheck disable",
        "type: ignore",
    ];
    MARKS.iter().any(|mark| line.starts_with(mark))
}

/// `@publicApi`, `@internal`: for tools.
fn is_mark(line: &str) -> bool {
    line.strip_prefix('@').is_some_and(|word| word.chars().all(char::is_alphanumeric))
}

fn without_tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let tag = from.find('>').map(|end| &from[1..end]).filter(|tag| is_tag(tag));
        match tag {
            Some(tag) => {
                out.push_str(named(tag));
                rest = &from[tag.len() + 2..];
            }
            None => {
                out.push('<');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn is_tag(tag: &str) -> bool {
    let name = tag.trim_matches('/').split([' ', '/']).next().unwrap_or_default();
    let has_words = tag.trim_end_matches(['/', ' ']).contains(' ') && !tag.contains('=');
    TAGS.contains(&name) && !has_words && !tag.contains('<')
}

/// What a reference names: `<see cref="T:Polly.Retry"/>` is Retry.
fn named(tag: &str) -> &str {
    let value = ["cref=\"", "name=\"", "langword=\""].iter().find_map(|key| {
        let (_, value) = tag.split_once(key)?;
        value.split('"').next()
    });
    value.map_or("", |value| value.rsplit(['.', ':']).next().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_documentation_is_not_told() {
        let told = |doc: &str| doc_head(doc, 3, 200);
        assert_eq!(
            told("<summary>\nRetries with <see cref=\"T:Polly.RetryOptions\"/>.\n</summary>\n"),
            "Retries with RetryOptions."
        );
        assert_eq!(told("Defines the reader.\n\n@publicApi\n"), "Defines the reader.");
        assert_eq!(told("Whether a<b and Vec<u8> hold."), "Whether a<b and Vec<u8> hold.");
        assert_eq!(told("rubocop:disable Metrics/AbcSize\nCounts.\nnolint:gocyclo"), "Counts.");
        assert_eq!(told("@param x the place"), "@param x the place");
        assert_eq!(
            told("!!! abstract \"Usage\"\n    [Fields](../fields.md)\n\nDecorator of fields."),
            "Decorator of fields."
        );
        assert_eq!(
            told("Sends it.\n.. versionadded:: 2.0\n   The name.\nOnce."),
            "Sends it. Once."
        );
    }
}
