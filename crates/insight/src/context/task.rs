//! A task's text, taken apart: what is said in the title, in prose, in code, in
//! traces and error messages counts differently, and templates do not count.

use super::frames::{self, Frame};
use super::noise;
use std::borrow::Cow;

/// What a part of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Title,
    Prose,
    /// In back-ticks; counted besides the prose around it.
    Tick,
    /// `SomethingError: what went wrong`.
    ErrorLine,
    Trace,
    /// Code blocks and examples.
    Snippet,
}

impl Part {
    pub const COUNT: usize = 6;
}

/// A place the text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMention {
    pub path: String,
    pub line: Option<u32>,
    /// A link to a file on a forge.
    pub is_link: bool,
}

/// A task as channels read it.
#[derive(Debug, Clone, Default)]
pub struct Task {
    pub parts: Vec<(Part, String)>,
    pub paths: Vec<PathMention>,
    /// Innermost first.
    pub frames: Vec<Frame>,
    /// Names with dots: `pkg.mod.Class.method`, `Class::method` alike.
    pub dotted: Vec<String>,
    /// The same of code blocks, which also use much that is as it should be.
    pub in_code: Vec<String>,
    /// Names in back-ticks.
    pub names: Vec<String>,
}

/// No task is about more names than this.
const MOST_NAMES: usize = 300;

/// Longer texts are logs: their beginning and end are read.
const HEAD: usize = 48 * 1024;
const TAIL: usize = 16 * 1024;

impl Task {
    pub fn read(text: &str) -> Task {
        let text = noise::without_comments(&bounded(text));
        let mut reader = LineReader::default();
        for line in text.lines() {
            reader.line(line);
        }
        let mut task = reader.task;
        order_frames(&mut task.frames);
        task
    }

    pub fn texts(&self, part: Part) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(move |(kind, _)| *kind == part).map(|(_, text)| text.as_str())
    }
}

fn bounded(text: &str) -> String {
    if text.len() <= HEAD + TAIL {
        return text.to_owned();
    }
    let head = (0..=HEAD).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let from = text.len() - TAIL;
    let tail = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}\n{}", &text[..head], &text[tail..])
}

/// Python's traces end with the innermost frame.
fn order_frames(frames: &mut [Frame]) {
    if frames.iter().filter(|frame| frame.is_innermost_last).count() * 2 > frames.len() {
        frames.reverse();
    }
}

#[derive(Default)]
struct LineReader {
    task: Task,
    has_title: bool,
    in_fence: bool,
    /// Inside a Python traceback, up to its last line.
    in_traceback: bool,
}

impl LineReader {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.in_fence = !self.in_fence;
            self.in_traceback = false;
            return;
        }
        if !self.has_title {
            self.has_title = true;
            let title = trimmed.trim_start_matches('#').trim();
            self.prose(Part::Title, &without_kind(title));
            return;
        }
        if trimmed.starts_with("Traceback (most recent call last)") {
            self.in_traceback = true;
            return;
        }
        if let Some(frame) = frames::parse(line) {
            self.push(Part::Trace, trimmed);
            self.in_traceback |= frame.is_innermost_last;
            self.task.frames.push(frame);
        } else if noise::is_error_line(trimmed) {
            self.in_traceback = false;
            self.push(Part::ErrorLine, trimmed);
            self.places(trimmed);
            self.task.dotted.extend(dotted_names(trimmed));
        } else if self.in_traceback && line.starts_with([' ', '\t']) {
            self.push(Part::Trace, trimmed);
        } else if self.in_fence || is_code(line) {
            self.push(Part::Snippet, trimmed);
            self.places(trimmed);
            let names = dotted_names(trimmed);
            self.task.in_code.extend(names);
        } else if !noise::is_template(trimmed) {
            self.prose(Part::Prose, trimmed);
        }
    }

    fn push(&mut self, part: Part, text: &str) {
        self.task.parts.push((part, text.to_owned()));
    }

    fn prose(&mut self, part: Part, line: &str) {
        self.places(line);
        self.task.dotted.extend(dotted_names(line));
        for (nth, piece) in single_ticks(line).split('`').enumerate() {
            if nth % 2 == 1 && !piece.trim().is_empty() {
                self.push(Part::Tick, piece);
                let name = piece.trim().trim_end_matches("()").trim_start_matches(['@', '.']);
                if is_name(name) {
                    self.task.names.push(name.to_owned());
                }
            }
        }
        let line = noise::without_links(line);
        for name in code_names(&line) {
            let names = &mut self.task.names;
            if names.len() < MOST_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
        self.push(part, &line);
    }

    fn places(&mut self, line: &str) {
        self.task.paths.extend(braced_paths(line));
        let is_border = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|=*".contains(c);
        for word in line.split(is_border) {
            let word = word.trim_end_matches(['.', ':', '?', '!']);
            self.task.paths.extend(path_mention(word));
        }
    }
}

fn dotted_names(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#');
    for word in line.split(|c| !is_of_name(c)) {
        let word = word.replace("::", ".").replace('#', ".");
        let word = word.trim_matches(['.', ':']);
        if word.contains('.') && word.len() < 200 && word.split('.').all(is_name) {
            names.push(word.to_owned());
        }
    }
    // `from a.b import c` names `a.b.c`.
    if let Some((module, imported)) = line
        .trim_start_matches([' ', '>'])
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(" import "))
    {
        for name in imported.split(',').map(str::trim).filter(|name| is_name(name)).take(8) {
            names.push(format!("{}.{name}", module.trim().trim_matches('.')));
        }
    }
    names
}

/// `fix(validation)!: …` is about validation; what kind of change it is is no word of the
/// task (the kinds of Conventional Commits, and any other before a scope).
fn without_kind(title: &str) -> Cow<'_, str> {
    const KINDS: &[&str] = &[
        "build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style",
        "test",
    ];
    let Some((head, rest)) = title.split_once(": ") else { return Cow::Borrowed(title) };
    let head = head.trim_end_matches('!');
    let (kind, scope) = match head.split_once('(') {
        Some((kind, scope)) => (kind, scope.strip_suffix(')')),
        None => (head, Some("")),
    };
    let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    match scope {
        Some("") if KINDS.contains(&kind) => Cow::Borrowed(rest),
        Some(scope) if !scope.is_empty() && is_word && !scope.contains(char::is_whitespace) => {
            Cow::Owned(format!("{scope}: {rest}"))
        }
        _ => Cow::Borrowed(title),
    }
}

/// reStructuredText has two back-ticks where Markdown has one.
fn single_ticks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if c != '`' || !out.ends_with('`') {
            out.push(c);
        }
    }
    out
}

fn is_name(word: &str) -> bool {
    let is_plain = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    !word.is_empty()
        && word.len() < 120
        && word.split(['.', ':']).all(|part| part.is_empty() || is_plain(part))
}

/// Words of prose that only code is written in: `values_list`, `SplitDateTimeWidget`,
/// `delete()`. What they are definitions of is looked up, so a few too many do no harm.
fn code_names(line: &str) -> Vec<String> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    let mut rest = line;
    while let Some(begin) = rest.find(is_of_name) {
        let word = &rest[begin..];
        let end = word.find(|c| !is_of_name(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let inner: Vec<char> = word.chars().skip(1).collect();
        let is_snake = word.trim_matches('_').contains('_');
        let is_camel =
            inner.iter().any(|c| c.is_uppercase()) && inner.iter().any(|c| c.is_lowercase());
        if (is_snake || is_camel || after.starts_with("()")) && is_name(word) {
            names.push(word.to_owned());
        }
        rest = after;
    }
    names
}

/// Indented by four, or what an interpreter printed.
fn is_code(line: &str) -> bool {
    line.starts_with("    ")
        || line.starts_with('\t')
        || line.trim_start().starts_with(">>>")
        || line.trim_start().starts_with("$ ")
}

/// `util/coding.{h,cc}` names two files.
fn braced_paths(line: &str) -> Vec<PathMention> {
    let mut paths = Vec::new();
    for (at, _) in line.match_indices(".{").take(20) {
        let begin = line[..at].rfind(|c: char| c.is_whitespace() || "\"'`(".contains(c));
        let stem = &line[begin.map_or(0, |begin| begin + 1)..at];
        let Some((endings, _)) = line[at + 2..].split_once('}') else { break };
        let whole = endings.split(',').take(8).map(|ending| format!("{stem}.{}", ending.trim()));
        paths.extend(whole.filter_map(|path| path_mention(&path)));
    }
    paths
}

fn path_mention(word: &str) -> Option<PathMention> {
    if word.len() < 3 || word.len() > 400 {
        return None;
    }
    if let Some((_, rest)) = word.split_once("://") {
        return link_mention(rest);
    }
    let (path, line) =
        frames::place_of(word).map_or((word, None), |(path, line)| (path, Some(line)));
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches("./").trim_start_matches("../").trim_matches('/');
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.starts_with(|c: char| c.is_ascii_lowercase());
    (is_ending && !stem.is_empty()).then(|| PathMention {
        path: path.to_owned(),
        line,
        is_link: false,
    })
}

/// `host/owner/name/blob/main/src/a.py#L12`, on any of the common forges.
fn link_mention(rest: &str) -> Option<PathMention> {
    let (_, rest) = rest.split_once("/blob/").or_else(|| rest.split_once("/src/branch/"))?;
    let (place, anchor) =
        rest.split_once('#').map_or((rest, ""), |(place, anchor)| (place, anchor));
    let (_, path) = place.split_once('/')?;
    let digits = anchor.trim_start_matches(['L', 'l']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let path = path.split('?').next().unwrap_or(path);
    Some(PathMention { path: path.to_owned(), line: digits[..end].parse().ok(), is_link: true })
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
