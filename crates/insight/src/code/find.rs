//! `lore find`: where a text stands in the files: settings, flags, messages, addresses.
//!
//! Names that programs give each other in strings are no symbols, and what people ask
//! about them is where they get their value and what reads them. The text is looked for
//! as it was typed; then in the other spellings of a name (`auto-save` as `auto_save`),
//! without regard to case, and at last by a part of it, since what a program prints has
//! values in it.

mod spellings;

use super::files::{exact_file, symbol_at};
use super::scope::{Scope, SnapshotContext};
use super::view::View;
use crate::agent_text::{name_of_kind, own_name};
use git::{ObjectId, Repo, WordLine};
use model::code::{SymbolKind, is_test_path, is_vendored_path};
use model::text::{clean, one_line};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use spellings::{Attempt, attempts};
use std::collections::BTreeMap;
use std::path::Path;
use store::Reader;

/// Lines of code, of data and of documents that are shown.
const MOST_CODE: usize = 10;
const MOST_OF_OTHERS: usize = 4;
/// Columns of a line, and how much of them may stand before the text.
const WIDTH: usize = 120;
const BEFORE: usize = 40;

/// Where a text stands, what reads like its definition first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundText {
    pub standing: SnapshotContext,
    pub text: String,
    /// The part of it that was found, where the whole stands nowhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part: Option<String>,
    pub code: Vec<FoundLine>,
    /// Settings, translations and other data.
    pub data: Vec<FoundLine>,
    pub documents: Vec<FoundLine>,
    /// Files of tests, with how many lines of each.
    pub tests: Vec<FoundFile>,
    /// Lines of each kind that were found; of one file a few at most.
    pub n_code: u64,
    pub n_data: u64,
    pub n_documents: u64,
}

/// A line that has the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundLine {
    pub path: String,
    pub line: u32,
    /// The innermost symbol around it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundFile {
    pub path: String,
    pub n_lines: u64,
}

/// What kind of file has a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileClass {
    Code,
    Data,
    Document,
    Test,
}

/// Looks for a text in the files of a snapshot, with what was edited since.
pub fn find(reader: &Reader, scope: &Scope, typed: &str) -> Result<FoundText> {
    let text = typed.trim();
    if text.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return Err(Error::usage("the text to find is too short")
            .suggest("name a setting, a flag or a part of a message"));
    }
    let (Some(dir), Some(commit)) = (scope.dir.as_deref(), ObjectId::parse(&scope.snapshot.sha))
    else {
        return Err(Error::not_found("the repository has no clone here to look in")
            .suggest("lore repo add FOLDER"));
    };
    let repo = Repo::open(Path::new(dir))?;
    let view = View::alone(reader, scope);
    let mut first: Option<(Attempt, Vec<WordLine>)> = None;
    for attempt in attempts(text) {
        let lines = lines_of(&repo, commit, scope, &attempt);
        // A comment speaks of it; what it is stands in code.
        let says_enough = lines
            .iter()
            .any(|it| class_of(it) <= FileClass::Data && rank(it, &attempt).0 < OF_COMMENTS);
        if says_enough || (first.is_none() && !lines.is_empty()) {
            first = Some((attempt, lines));
        }
        if says_enough {
            break;
        }
    }
    let Some((attempt, lines)) = first else {
        let what = one_line(&clean(text), 80);
        return Err(Error::not_found(format!("no file says `{what}`"))
            .suggest("look in the history: lore search"));
    };
    answer(&view, text, &attempt, lines)
}

/// Lines of the commit, of edited files those of now.
fn lines_of(repo: &Repo, commit: ObjectId, scope: &Scope, attempt: &Attempt) -> Vec<WordLine> {
    let found = if attempt.any_case {
        repo.lines_with_text_in_any_case(&attempt.texts, commit)
    } else if attempt.whole_words {
        repo.lines_with_words(&attempt.texts, commit)
    } else {
        repo.lines_with_text(&attempt.texts, commit)
    };
    // What stands everywhere is an error of git's, and says nothing.
    let mut lines = found.unwrap_or_default();
    let Some(overlay) = scope.overlay.as_ref() else { return lines };
    lines.retain(|line| overlay.file(&line.path.text()).is_none());
    for (path, file) in overlay.files() {
        lines.extend(file.lines_where(|line| attempt.place_in(line).is_some()).map(
            |(line, text)| WordLine { path: git::RepoPath::new(path), line, text: text.to_owned() },
        ));
    }
    lines
}

fn answer(
    view: &View<'_>,
    text: &str,
    attempt: &Attempt,
    lines: Vec<WordLine>,
) -> Result<FoundText> {
    let mut classes: BTreeMap<FileClass, Vec<WordLine>> = BTreeMap::new();
    for line in lines {
        classes.entry(class_of(&line)).or_default().push(line);
    }
    let mut of = |class: FileClass| {
        let mut lines = classes.remove(&class).unwrap_or_default();
        lines.sort_by_cached_key(|line| rank(line, attempt));
        lines
    };
    let (code, data) = (of(FileClass::Code), of(FileClass::Data));
    let (documents, tests) = (of(FileClass::Document), of(FileClass::Test));
    let mut of_tests: BTreeMap<String, u64> = BTreeMap::new();
    for line in &tests {
        *of_tests.entry(line.path.text().into_owned()).or_default() += 1;
    }
    let count = |lines: &[WordLine]| lines.len() as u64;
    let shown = |lines: &[WordLine], most: usize| -> Result<Vec<FoundLine>> {
        lines.iter().take(most).map(|line| found_line(view, line, attempt)).collect()
    };
    Ok(FoundText {
        standing: view.scope.standing(),
        text: text.to_owned(),
        part: attempt.part_of(text),
        code: shown(&code, MOST_CODE)?,
        data: shown(&data, MOST_OF_OTHERS)?,
        documents: shown(&documents, MOST_OF_OTHERS)?,
        tests: of_tests.into_iter().map(|(path, n_lines)| FoundFile { path, n_lines }).collect(),
        n_code: count(&code),
        n_data: count(&data),
        n_documents: count(&documents),
    })
}

fn found_line(view: &View<'_>, line: &WordLine, attempt: &Attempt) -> Result<FoundLine> {
    let path = line.path.text().into_owned();
    let symbol = symbol_around(view, &path, line.line)?;
    let text = line.text.trim();
    let at = attempt.place_in(text).map_or(0, |(at, _)| text[..at].chars().count());
    let window: String = text.chars().skip(at.saturating_sub(BEFORE)).collect();
    let cut = if at > BEFORE { "…" } else { "" };
    Ok(FoundLine {
        symbol,
        text: format!("{cut}{}", one_line(&clean(&window), WIDTH)),
        line: line.line,
        path,
    })
}

/// The innermost symbol around a line of now; none at the top of a file.
fn symbol_around(view: &View<'_>, path: &str, line: u32) -> Result<Option<String>> {
    if let Some(edited) = view.edited(path) {
        let around = edited.around(line);
        return Ok(around.map(|it| name_of_kind(&it.symbol, it.kind.into()).to_owned()));
    }
    let Some(member) = exact_file(view, path)? else { return Ok(None) };
    let Some(node) = symbol_at(view, member, line)? else { return Ok(None) };
    let symbol = view.symbol(node)?.filter(|it| it.kind != SymbolKind::Module);
    Ok(symbol.map(|it| own_name(&it).to_owned()))
}

/// Endings of files that hold settings and translations.
const OF_DATA: &[&str] = &[
    "cfg",
    "conf",
    "csv",
    "env",
    "ini",
    "json",
    "jsonc",
    "po",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];
const OF_DOCUMENTS: &[&str] = &["adoc", "html", "lock", "md", "mdx", "rst", "txt"];

fn class_of(line: &WordLine) -> FileClass {
    let path = line.path.text();
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|it| it.1);
    let first = path.split('/').next().unwrap_or_default();
    let is_tool = first.starts_with('.') || matches!(first, "docs" | "doc" | "changelog");
    match ending {
        _ if is_test_path(&path) || is_vendored_path(&path) => FileClass::Test,
        Some(ending) if OF_DOCUMENTS.contains(&ending) => FileClass::Document,
        None => FileClass::Document,
        _ if is_tool => FileClass::Document,
        Some(ending) if OF_DATA.contains(&ending) => FileClass::Data,
        Some(_) => FileClass::Code,
    }
}

/// The rank of lines that are comments.
const OF_COMMENTS: u8 = 2;

/// What gives the name a value first, comments last.
fn rank(line: &WordLine, attempt: &Attempt) -> (u8, String, u32) {
    let text = line.text.trim_start();
    let is_comment = ["//", "#", "*", "/*", "--", ";", "\"\"\""]
        .iter()
        .any(|mark| text.starts_with(mark) && !text.starts_with("#["));
    let gives = attempt.place_in(text).is_some_and(|(_, end)| {
        let after = text[end..].trim_start_matches(['"', '\'', ' ', '`']);
        let is_equal = after.starts_with('=') && !after.starts_with("==");
        is_equal || (after.starts_with(':') && !after.starts_with("::"))
    });
    let class = match (gives, is_comment) {
        (_, true) => OF_COMMENTS,
        (true, false) => 0,
        (false, false) => 1,
    };
    (class, line.path.text().into_owned(), line.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::RepoPath;

    fn line(path: &str, text: &str) -> WordLine {
        WordLine { path: RepoPath::new(path), line: 1, text: text.to_owned() }
    }

    #[test]
    fn what_gives_a_value_comes_before_use_before_comments() {
        let attempt = attempts("retry_budget").remove(0);
        let mut lines = [
            line("a.py", "# retry_budget: how often"),
            line("b.py", "if conf.retry_budget == 3:"),
            line("c.py", "    retry_budget=Option(3),"),
        ];
        lines.sort_by_key(|it| rank(it, &attempt));
        let paths: Vec<String> = lines.iter().map(|it| it.path.text().into_owned()).collect();
        assert_eq!(paths, ["c.py", "b.py", "a.py"]);
    }

    #[test]
    fn files_are_code_data_documents_or_tests() {
        for (path, class) in [
            ("src/a.py", FileClass::Code),
            ("config/default.yml", FileClass::Data),
            (".github/workflows/ci.yml", FileClass::Document),
            ("CHANGELOG.md", FileClass::Document),
            ("docs/conf.py", FileClass::Document),
            ("tests/test_a.py", FileClass::Test),
            ("LICENSE", FileClass::Document),
        ] {
            assert_eq!(class_of(&line(path, "")), class, "{path}");
        }
    }
}
