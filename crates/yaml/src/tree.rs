//! The tree of a document: values, and where they are in the text.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::ops::Range;

/// Larger files are data.
pub const MAX_BYTES: usize = 2 << 20;
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 200_000;

/// A value and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml {
    pub value: Value,
    /// The name of a tag as in `!Ref x`, without the mark.
    pub tag: Option<String>,
    /// In bytes.
    pub span: Range<usize>,
    /// From 1.
    pub line: u32,
    /// Whether a text stands without quotes, so that it may be a number, a truth value or nothing.
    pub is_plain: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(Key, Yaml)>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    pub text: String,
    pub start: usize,
}

impl Yaml {
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.entries().iter().find(|(known, _)| known.text == key).map(|(_, value)| value)
    }

    /// A value some keys down.
    pub fn at(&self, path: &[&str]) -> Option<&Yaml> {
        path.iter().try_fold(self, |at, key| at.get(key))
    }

    pub fn entries(&self) -> &[(Key, Yaml)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Yaml] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path).and_then(Yaml::text)
    }

    /// The texts of a list, or the keys of a map, or the one text there is.
    pub fn names(&self) -> Vec<(&str, usize)> {
        match &self.value {
            Value::Text(text) => vec![(text, self.span.start)],
            Value::List(items) => {
                items.iter().filter_map(|i| Some((i.text()?, i.span.start))).collect()
            }
            Value::Map(entries) => {
                entries.iter().map(|(key, _)| (key.text.as_str(), key.start)).collect()
            }
        }
    }

    /// Visits every value inside, itself included.
    pub fn each(&self, visit: &mut impl FnMut(&Yaml)) {
        visit(self);
        match &self.value {
            Value::Text(_) => {}
            Value::List(items) => items.iter().for_each(|item| item.each(visit)),
            Value::Map(entries) => entries.iter().for_each(|(_, value)| value.each(visit)),
        }
    }

    /// From a key to the end of its value.
    pub fn span_from(&self, key: &Key) -> Range<usize> {
        key.start..self.span.end.max(key.start)
    }
}

/// Why a text was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    Syntax { line: u32, message: String },
    TooLarge,
    TooDeep,
    TooManyValues,
}

/// A text as far as it could be read.
#[derive(Debug)]
pub struct Documents {
    pub all: Vec<Yaml>,
    /// Why there is not more.
    pub problem: Option<Problem>,
    /// The line of the first `*name`, which stands for nothing here.
    pub first_alias: Option<u32>,
}

/// The documents of a text up to the first error.
pub fn parse(text: &str) -> Documents {
    parse_as(text, text)
}

/// The same where `text` is parsed in the place of `written`, what stands in the
/// file: of equal length, with the actions of a template filled in. Values show
/// what is written.
pub fn parse_as(text: &str, written: &str) -> Documents {
    if text.len() > MAX_BYTES {
        let problem = Some(Problem::TooLarge);
        return Documents { all: Vec::new(), problem, first_alias: None };
    }
    let mut read = parse_once(text, text, written);
    // Brackets may close left of where they should: all other readers take that.
    let mut joined: Option<String> = None;
    for _ in 0..MOST_JOINED {
        let known = joined.as_deref().unwrap_or(text);
        let Some(next) = read.outdented.and_then(|at| with_line_joined(known, at)) else { break };
        let again = parse_once(&next, text, written);
        if again.outdented.is_some_and(|at| Some(at) <= read.outdented) {
            break;
        }
        read = again;
        joined = Some(next);
    }
    read.documents
}

/// Lines inside brackets that stand too far to the left, of one text.
const MOST_JOINED: usize = 16;

/// A text as far as it was read.
struct Reading {
    documents: Documents,
    /// Where a line inside brackets is less indented than what is around them.
    outdented: Option<usize>,
}

/// The text with the line at a byte joined to the one before, as long as it was; none where
/// it may be joined to a comment.
fn with_line_joined(text: &str, at: usize) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut end = at;
    if !text.get(text.get(..at)?.rfind('\n')?..at)?.trim().is_empty() {
        return None;
    }
    loop {
        let line_end = text[..end].rfind('\n')?;
        let start = text[..line_end].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[start..line_end];
        let is_comment = |at: usize| at == 0 || line.as_bytes()[at - 1].is_ascii_whitespace();
        let comment = line.match_indices('#').map(|(at, _)| at).find(|at| is_comment(*at));
        // A mark in quotes begins no comment.
        if comment.is_some_and(|at| line[at..].contains(['"', '\''])) {
            return None;
        }
        let code = comment.unwrap_or(line.len());
        bytes[start + code..at].fill(b' ');
        if !line[..code].trim().is_empty() {
            return String::from_utf8(bytes).ok();
        }
        end = start;
    }
}

/// `text` is parsed in the place of `original`, whose lines are counted, both as long as
/// `written`.
fn parse_once(text: &str, original: &str, written: &str) -> Reading {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut lines = Vec::new();
    if text != original {
        lines.extend(original.match_indices('\n').map(|(at, _)| at));
    }
    let mut reader = TreeBuilder {
        starts,
        lines,
        text,
        written: (original != written).then_some(written),
        stack: Vec::new(),
        done: Vec::new(),
        first_alias: None,
        last: Place::default(),
    };
    let mut n_nodes = 0;
    let (mut problem, mut outdented) = (None, None);
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                problem = Some(match error.info() {
                    // The parser has a limit of its own for brackets.
                    message if message.contains("recursion limit") => Problem::TooDeep,
                    message => {
                        let (line, col) = (error.marker().line(), error.marker().col());
                        let at = reader.byte(Place::default(), line, col);
                        outdented = (message == "invalid indentation").then_some(at);
                        let (line, message) = (reader.line(line, at), message.to_owned());
                        Problem::Syntax { line, message }
                    }
                });
                break;
            }
        };
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            problem = Some(Problem::TooManyValues);
            break;
        }
        if !reader.take(event, span) {
            problem = Some(Problem::TooDeep);
            break;
        }
    }
    let documents = Documents { all: reader.done, problem, first_alias: reader.first_alias };
    Reading { documents, outdented }
}

struct TreeBuilder<'t> {
    starts: Vec<usize>,
    /// The ends of the lines of the file, where the text that is parsed has others.
    lines: Vec<usize>,
    text: &'t str,
    /// What stands in the file, where another text is parsed in its place.
    written: Option<&'t str>,
    stack: Vec<OpenCollection>,
    done: Vec<Yaml>,
    first_alias: Option<u32>,
    /// Where the last event began.
    last: Place,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    line: usize,
    col: usize,
    byte: usize,
}

/// A list or map being read.
struct OpenCollection {
    value: Value,
    key: Option<Key>,
    tag: Option<String>,
    start: usize,
    line: u32,
}

impl TreeBuilder<'_> {
    /// The byte of a place; the parser counts columns in characters. Counts on from
    /// `known`, a place before it, so that a long line is not read for each of its values.
    fn byte(&self, known: Place, line: usize, col: usize) -> usize {
        let Some(start) = self.starts.get(line.saturating_sub(1)).copied() else {
            return self.text.len();
        };
        let is_further = known.line == line && known.col <= col;
        let (byte, skipped) = if is_further { (known.byte, known.col) } else { (start, 0) };
        let rest = &self.text[byte..];
        rest.char_indices().nth(col - skipped).map_or(self.text.len(), |(at, _)| byte + at)
    }

    /// The line of the file that a byte on a line of the parsed text stands on.
    fn line(&self, line: usize, byte: usize) -> u32 {
        if self.lines.is_empty() {
            return line as u32;
        }
        self.lines.partition_point(|end| *end < byte) as u32 + 1
    }

    /// Takes in an event; false where the text goes too deep.
    fn take(&mut self, event: Event<'_>, span: Span) -> bool {
        let start = self.byte(self.last, span.start.line(), span.start.col());
        self.last = Place { line: span.start.line(), col: span.start.col(), byte: start };
        let end = self.byte(self.last, span.end.line(), span.end.col());
        let line = self.line(span.start.line(), start);
        match event {
            Event::Scalar(text, style, _, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                let text = match self.written.and_then(|written| written.get(start..end)) {
                    Some(written) if written.contains("{{") => {
                        written.trim_matches(['"', '\'']).to_owned()
                    }
                    _ => text.into_owned(),
                };
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let span = start..end.max(start);
                self.put(Yaml { value: Value::Text(text), tag, span, line, is_plain });
            }
            Event::Alias(_) => {
                self.first_alias.get_or_insert(line);
                let value = Value::Text(String::new());
                let span = start..end.max(start);
                self.put(Yaml { value, tag: None, span, line, is_plain: false });
            }
            Event::SequenceStart(_, tag) => {
                self.open(Value::List(Vec::new()), tag.map(|tag| tag.suffix.clone()), start, line);
            }
            Event::MappingStart(_, tag) => {
                self.open(Value::Map(Vec::new()), tag.map(|tag| tag.suffix.clone()), start, line);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(OpenCollection { value, tag, start: begin, line, .. }) =
                    self.stack.pop()
                {
                    let span = begin..start.max(begin);
                    self.put(Yaml { value, tag, span, line, is_plain: false });
                }
            }
            _ => {}
        }
        self.stack.len() < MAX_DEPTH
    }

    fn open(&mut self, value: Value, tag: Option<String>, start: usize, line: u32) {
        self.stack.push(OpenCollection { value, key: None, tag, start, line });
    }

    fn put(&mut self, value: Yaml) {
        let Some(open) = self.stack.last_mut() else {
            self.done.push(value);
            return;
        };
        match &mut open.value {
            Value::List(items) => items.push(value),
            Value::Map(entries) => match open.key.take() {
                None => {
                    let text = value.text().unwrap_or_default().to_owned();
                    open.key = Some(Key { text, start: value.span.start });
                }
                Some(key) => entries.push((key, value)),
            },
            Value::Text(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_where_they_are() {
        let documents = parse("a: 1\nb:\n  - x\n  - !Ref y\n").all;
        let list = documents[0].get("b").expect("b is there");
        assert_eq!(list.names(), [("x", 12), ("y", 23)]);
        assert_eq!(list.items()[1].tag.as_deref(), Some("Ref"));
        assert_eq!(documents[0].entries()[1].0.start, 5);
        let text = "# größer\nköln: [a, b]\n";
        let all = parse(text).all;
        let spans: Vec<&str> =
            all[0].entries()[0].1.items().iter().map(|it| &text[it.span.clone()]).collect();
        assert_eq!(spans, ["a", "b"]);
    }

    #[test]
    fn what_comes_before_an_error_counts() {
        assert!(parse("\tnot: [yaml").all.is_empty());
        let documents = parse("a: 1\n---\nb: [");
        assert_eq!(documents.all.len(), 1);
        assert!(matches!(documents.problem, Some(Problem::Syntax { line: 3.., .. })));
    }

    #[test]
    fn a_text_that_is_too_deep_or_too_large_is_left() {
        assert_eq!(parse(&"[".repeat(1_000)).problem, Some(Problem::TooDeep));
        assert_eq!(parse(&"a".repeat(MAX_BYTES + 1)).problem, Some(Problem::TooLarge));
        let many = format!("[{}]", "a, ".repeat(MAX_NODES));
        assert_eq!(parse(&many).problem, Some(Problem::TooManyValues));
    }

    /// celery's workflow: PyYAML takes it, the standard does not.
    #[test]
    fn brackets_may_close_left_of_where_they_should() {
        let text = "jobs:\n  a:\n    module: [\n      'ü', # first\n      'b' # last\n    # none\n    ]\n    \
                    uses: x\n  b:\n    other: {\n      c: d\n    }\n    last: e\n";
        let Documents { all, problem, .. } = parse(text);
        assert_eq!(problem, None);
        let items = all[0].at(&["jobs", "a", "module"]).unwrap().items();
        let items: Vec<(&str, u32)> =
            items.iter().map(|it| (it.text().unwrap(), it.line)).collect();
        assert_eq!(items, [("ü", 4), ("b", 5)]);
        let uses = all[0].at(&["jobs", "a", "uses"]).unwrap();
        assert_eq!((uses.line, &text[uses.span.clone()]), (8, "x"));
        let last = all[0].at(&["jobs", "b", "last"]).unwrap();
        assert_eq!((last.line, last.text()), (13, Some("e")));
        assert_eq!(all[0].text_at(&["jobs", "b", "other", "c"]), Some("d"));
        let Documents { problem, .. } = parse("a: [\n  'b # it\n]\nc: [\n]\n d: e\n");
        assert!(matches!(problem, Some(Problem::Syntax { .. })), "{problem:?}");
    }
}
