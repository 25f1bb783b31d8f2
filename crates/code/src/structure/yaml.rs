//! YAML as a tree with places; JSON is YAML too.

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

/// The documents of a file up to the first error; none if there are none.
pub(super) fn parse(source: &[u8]) -> Option<Vec<Yaml>> {
    if source.len() > MAX_BYTES {
        return None;
    }
    let text = std::str::from_utf8(source).ok()?;
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut reader = Reader { starts, end: text.len(), stack: Vec::new(), done: Vec::new() };
    let mut n_nodes = 0;
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        n_nodes += 1;
        if n_nodes > MAX_NODES || !reader.take(event, span) {
            break;
        }
    }
    (!reader.done.is_empty()).then_some(reader.done)
}

struct Reader {
    starts: Vec<usize>,
    end: usize,
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

impl Reader {
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
                let value = Value::Text(text.into_owned());
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
        let documents = parse(text.as_bytes()).unwrap();
        let list = documents[0].get("b").unwrap();
        assert_eq!(list.names(), [("x", 12), ("y", 23)]);
        assert_eq!(list.items()[1].tag.as_deref(), Some("Ref"));
        assert_eq!(documents[0].entries()[1].0.start, 5);
    }

    #[test]
    fn what_comes_before_an_error_counts() {
        assert!(parse(b"\tnot: [yaml").is_none());
        assert_eq!(parse(b"a: 1\n---\nb: [").map(|documents| documents.len()), Some(1));
    }
}
