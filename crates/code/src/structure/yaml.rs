//! YAML as a tree with places; JSON is YAML too.

use crate::facts::Trouble;
use saphyr_parser::{Event, Parser};
use std::ops::Range;

/// Larger files are data.
const MAX_BYTES: usize = 2 << 20;
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 200_000;

/// A value and where it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Yaml {
    pub value: Value,
    /// The name of a tag as in `!Ref x`, without the mark.
    pub tag: Option<String>,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(Key, Yaml)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
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

/// A file as far as it could be read.
pub(super) struct Documents {
    pub all: Vec<Yaml>,
    /// Why there is not more.
    pub trouble: Option<Trouble>,
}

/// The documents of a file up to the first error. What a template puts in is
/// read as it is written.
pub(super) fn parse(source: &[u8]) -> Documents {
    let none = |trouble| Documents { all: Vec::new(), trouble: Some(trouble) };
    if source.len() > MAX_BYTES {
        return none(Trouble::TooLarge);
    }
    let text = match std::str::from_utf8(source) {
        Ok(text) => text,
        Err(error) => {
            let n_lines = source[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            return none(Trouble::Syntax { line: n_lines as u32 });
        }
    };
    let plain = read(text, text);
    if plain.trouble.is_none() || !text.contains("{{") {
        return plain;
    }
    let filled = read(&without_actions(text), text);
    if filled.all.len() >= plain.all.len() { filled } else { plain }
}

/// `text` is what is parsed, `written` what stands in the file, of equal length.
fn read(text: &str, written: &str) -> Documents {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut reader = Reader {
        starts,
        end: text.len(),
        written: (text != written).then_some(written),
        stack: Vec::new(),
        done: Vec::new(),
    };
    let mut n_nodes = 0;
    let mut trouble = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                trouble = Some(Trouble::Syntax { line: error.marker().line() as u32 });
                break;
            }
        };
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            trouble = Some(Trouble::TooMuch);
            break;
        }
        if !reader.take(event, span) {
            trouble = Some(Trouble::TooDeep);
            break;
        }
    }
    Documents { all: reader.done, trouble }
}

/// The text of a template with `{{ … }}` as letters, and as blanks where it
/// stands alone on its lines: there it gives whole lines, or none.
fn without_actions(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let Some(close) = rest[open..].find("}}").map(|length| open + length + 2) else { break };
        filled.push_str(&rest[..open]);
        let before = filled.rsplit('\n').next().unwrap_or_default();
        let after = rest[close..].split('\n').next().unwrap_or_default();
        let is_alone = before.trim().trim_start_matches('-').is_empty()
            && (after.trim().is_empty() || after.trim().starts_with("{{"));
        for byte in rest[open..close].bytes() {
            filled.push(match byte {
                b'\n' => '\n',
                _ if is_alone => ' ',
                _ => 'x',
            });
        }
        rest = &rest[close..];
    }
    filled.push_str(rest);
    filled
}

struct Reader<'t> {
    starts: Vec<usize>,
    end: usize,
    /// What stands in the file, where another text is parsed in its place.
    written: Option<&'t str>,
    stack: Vec<Open>,
    done: Vec<Yaml>,
}

/// A list or map being read.
struct Open {
    value: Value,
    key: Option<Key>,
    tag: Option<String>,
    start: usize,
}

impl Reader<'_> {
    fn byte(&self, line: usize, col: usize) -> usize {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.end);
        (start + col).min(self.end)
    }

    /// Takes in an event; false where the file goes too deep.
    fn take(&mut self, event: Event<'_>, span: saphyr_parser::Span) -> bool {
        let start = self.byte(span.start.line(), span.start.col());
        let end = self.byte(span.end.line(), span.end.col());
        match event {
            Event::Scalar(text, _, _, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                let text = match self.written.and_then(|written| written.get(start..end)) {
                    Some(written) if written.contains("{{") => {
                        written.trim_matches(['"', '\'']).to_owned()
                    }
                    _ => text.into_owned(),
                };
                let value = Value::Text(text);
                self.put(Yaml { value, tag, span: start..end.max(start) });
            }
            // What an anchor stands for is not followed.
            Event::Alias(_) => {
                let value = Value::Text(String::new());
                self.put(Yaml { value, tag: None, span: start..end.max(start) });
            }
            Event::SequenceStart(_, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                self.stack.push(Open { value: Value::List(Vec::new()), key: None, tag, start });
            }
            Event::MappingStart(_, tag) => {
                let tag = tag.map(|tag| tag.suffix.clone());
                self.stack.push(Open { value: Value::Map(Vec::new()), key: None, tag, start });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.stack.pop() {
                    let span = open.start..start.max(open.start);
                    self.put(Yaml { value: open.value, tag: open.tag, span });
                }
            }
            _ => {}
        }
        self.stack.len() < MAX_DEPTH
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
        let text = "a: 1\nb:\n  - x\n  - !Ref y\n";
        let documents = parse(text.as_bytes()).all;
        let list = documents[0].get("b").unwrap();
        assert_eq!(list.names(), [("x", 12), ("y", 23)]);
        assert_eq!(list.items()[1].tag.as_deref(), Some("Ref"));
        assert_eq!(documents[0].entries()[1].0.start, 5);
    }

    #[test]
    fn what_comes_before_an_error_counts() {
        assert!(parse(b"\tnot: [yaml").all.is_empty());
        let documents = parse(b"a: 1\n---\nb: [");
        assert_eq!(documents.all.len(), 1);
        assert!(matches!(documents.trouble, Some(Trouble::Syntax { line: 3.. })));
    }

    #[test]
    fn a_template_is_read_as_it_is_written() {
        let text = "{{- if .Values.on }}\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\n  \
                    labels:\n    {{- include \"l\" . | nindent 4 }}\n    app: \"{{ .Chart.Name }}-web\"\n\
                    {{- end }}\n";
        let documents = parse(text.as_bytes());
        assert_eq!(documents.trouble, None);
        let text_at = |path: &[&str]| documents.all[0].text_at(path);
        assert_eq!(text_at(&["metadata", "name"]), Some("{{ .Values.name }}"));
        assert_eq!(text_at(&["metadata", "labels", "app"]), Some("{{ .Chart.Name }}-web"));
    }
}
