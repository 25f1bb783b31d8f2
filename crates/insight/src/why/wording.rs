//! Names that no symbol has: settings, keys, options, messages. Why they are so is asked
//! of the lines that have them.

use super::Request;
use crate::file_target;
use git::WordLine;
use model::Result;
use model::code::{is_test_path, is_vendored_path};
use model::text::{clean, one_line};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Shorter words stand everywhere.
const SHORTEST: usize = 5;
/// Other lines that are named.
const MOST_PLACES: usize = 6;
/// Columns of a line.
const WIDTH: usize = 120;

/// A line that has a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextPlace {
    pub path: String,
    pub line: u32,
    pub text: String,
}

/// Lines of the checked-out commit that have a name, what reads like its definition
/// first; the number of all files' lines that were found.
pub(super) fn places(
    reader: &Reader,
    request: &Request<'_>,
) -> Result<Option<(Vec<TextPlace>, u64)>> {
    let word = request.scope.path;
    if !is_name(word) {
        return Ok(None);
    }
    let Some(clone) = file_target::clone_here(reader, request.scope)? else { return Ok(None) };
    let Some(commit) = clone.git.head()?.commit else { return Ok(None) };
    // A word in too many lines is an error of git's, and no answer.
    let Ok(mut lines) = clone.git.lines_with(word, commit) else { return Ok(None) };
    let n_lines = lines.len() as u64;
    lines.sort_by_key(|line| rank(line, word));
    let shown = lines.into_iter().take(MOST_PLACES).map(|line| TextPlace {
        path: line.path.text().into_owned(),
        line: line.line,
        text: one_line(&clean(line.text.trim()), WIDTH),
    });
    let shown: Vec<TextPlace> = shown.collect();
    Ok((!shown.is_empty()).then_some((shown, n_lines)))
}

/// A single word with letters, as programs and their settings have it.
fn is_name(word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    word.chars().count() >= SHORTEST
        && word.chars().all(is_part)
        && word.chars().any(char::is_alphabetic)
}

/// Code before prose before tests; what gives the name a value first.
fn rank(line: &WordLine, word: &str) -> (u8, u8, String, u32) {
    let path = line.path.text().into_owned();
    let class = match path.rsplit_once('.').map(|(_, ending)| ending) {
        _ if is_test_path(&path) || is_vendored_path(&path) => 2,
        Some("md" | "rst" | "txt" | "adoc" | "lock") | None => 1,
        Some(_) => 0,
    };
    let is_defined = line.text.find(word).is_some_and(|at| {
        let after = line.text[at + word.len()..].trim_start_matches(['"', '\'', ' ', '`']);
        let gives = after.starts_with('=') && !after.starts_with("==");
        gives || (after.starts_with(':') && !after.starts_with("::"))
    });
    (class, u8::from(!is_defined), path, line.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::RepoPath;

    fn line(path: &str, text: &str) -> WordLine {
        WordLine { path: RepoPath::new(path), line: 1, text: text.to_owned() }
    }

    #[test]
    fn what_gives_a_value_comes_before_use_before_prose_before_tests() {
        let mut lines = [
            line("tests/test_a.py", "retry_budget = 3"),
            line("docs/a.md", "`retry_budget`: how often"),
            line("src/a.py", "if conf.retry_budget == 3:"),
            line("src/b.py", "    retry_budget=Option(3),"),
        ];
        lines.sort_by_key(|it| rank(it, "retry_budget"));
        let paths: Vec<String> = lines.iter().map(|it| it.path.text().into_owned()).collect();
        assert_eq!(paths, ["src/b.py", "src/a.py", "docs/a.md", "tests/test_a.py"]);
    }

    #[test]
    fn sentences_and_short_words_are_no_names() {
        for (word, is) in [
            ("retry_budget", true),
            ("server.max-retries", true),
            ("retry budget", false),
            ("a-1", false),
            ("12345", false),
            ("$(rm)", false),
        ] {
            assert_eq!(is_name(word), is, "{word}");
        }
    }
}
