//! Arguments as they are written.

use crate::facts::{Builder, Call};
use std::ops::Range;

/// Arguments further apart than this are not looked at.
const MAX_LENGTH: usize = 20_000;

/// A call of the facts with the text of its arguments.
pub(crate) struct CallText<'s> {
    /// The place in `calls`.
    pub index: usize,
    pub name: String,
    /// What is before the name: `router` in `router.get`.
    pub receiver: String,
    pub args: Vec<&'s str>,
    /// From the name to the closing bracket.
    pub span: Range<usize>,
}

impl CallText<'_> {
    /// The pattern an argument is, as far as it is written out.
    pub fn pattern(&self, nth: usize) -> Option<String> {
        pattern(self.args.get(nth)?)
    }
}

/// Where the lines of a file begin.
pub(crate) struct Places {
    starts: Vec<usize>,
}

impl Places {
    pub fn new(source: &[u8]) -> Self {
        let mut starts = vec![0];
        let ends = source.iter().enumerate().filter(|(_, c)| **c == b'\n');
        starts.extend(ends.map(|(at, _)| at + 1));
        Places { starts }
    }

    /// The byte at which the name of a callee begins.
    pub fn of(&self, call: &Call) -> Option<usize> {
        Some(self.starts.get((call.line as usize).checked_sub(1)?)? + call.col as usize - 1)
    }

    /// The pattern that one of the first arguments of a call is, however long the others are.
    pub fn argument(&self, b: &Builder<'_>, call: &Call, nth: usize) -> Option<String> {
        const MOST: usize = 400;
        let rest = b.source.get(self.of(call)? + b.facts.text(call.name).len()..)?;
        let rest = String::from_utf8_lossy(&rest[..rest.len().min(MOST)]);
        let open = rest.trim_start();
        let inside = match closing(open) {
            Some(length) => open.get(1..length - 1)?,
            None => open.split('\n').next().unwrap_or(open).get(1..)?,
        };
        pattern(split(inside).get(nth)?).filter(|_| open.starts_with('('))
    }
}

/// Whether a text is the path of a route, not a key or an address.
pub(crate) fn is_path(text: &str) -> bool {
    (text.is_empty() || text.contains('/')) && !text.contains("://")
}

/// The calls of some names, in the order of the text.
pub(crate) fn calls<'s>(b: &Builder<'s>, wanted: impl Fn(&str) -> bool) -> Vec<CallText<'s>> {
    let starts = Places::new(b.source).starts;
    let mut found = Vec::new();
    for (index, call) in b.facts.calls.iter().enumerate() {
        let name = b.facts.text(call.name);
        if !wanted(name) {
            continue;
        }
        let Some(written) = written(b, call, index, name, &starts) else { continue };
        found.push(written);
    }
    found.sort_by_key(|written| written.span.start);
    found
}

fn written<'s>(
    b: &Builder<'s>,
    call: &Call,
    index: usize,
    name: &str,
    starts: &[usize],
) -> Option<CallText<'s>> {
    let at = starts.get(call.line as usize - 1)? + call.col as usize - 1;
    let source: &'s [u8] = b.source;
    let rest = source.get(at + name.len()..)?;
    let rest = &rest[..rest.len().min(MAX_LENGTH)];
    let text = match std::str::from_utf8(rest) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).ok()?,
    };
    let skipped = text.len() - text.trim_start().len();
    let open = match text.as_bytes().get(skipped)? {
        b'(' => skipped,
        // Type arguments come before the bracket.
        b'<' => skipped + text[skipped..].find('(')?,
        b':' if text[skipped..].starts_with("::<") => skipped + text[skipped..].find('(')?,
        // `get "/x", to: …` without brackets.
        _ if skipped > 0 => {
            let line = text.split('\n').next().unwrap_or(text);
            let line = line.strip_suffix(" do").unwrap_or(line);
            let args = split(line);
            let span = at..at + name.len() + line.len();
            return Some(CallText {
                index,
                name: name.to_owned(),
                receiver: String::new(),
                args,
                span,
            });
        }
        _ => return None,
    };
    let length = closing(&text[open..])?;
    let inside = &text[open + 1..open + length - 1];
    let callee = b.facts.callee_text(call);
    let receiver = callee.rsplit_once('.').map_or("", |(receiver, _)| receiver).to_owned();
    let span = at..at + name.len() + open + length;
    Some(CallText { index, name: name.to_owned(), receiver, args: split(inside), span })
}

/// The length up to the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(at + c.len_utf8());
                    }
                }
                _ => {}
            },
        }
    }
    None
}

/// The arguments of a list, at its commas.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    found.push(text[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            },
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

/// The inside of a text in quotes; none if it is anything else, or has
/// values put into it.
pub(crate) fn literal(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix(['r', 'u', '@']).unwrap_or(text);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inside = text[1..].strip_suffix(quote)?;
    (!inside.contains(quote) && !inside.contains("${")).then_some(inside)
}

/// A pattern as far as it is written out: what is put together with something
/// else, or has values put into it, shows those in braces. None where no part of
/// it is text.
pub(crate) fn pattern(text: &str) -> Option<String> {
    if let Some(whole) = literal(text) {
        return Some(whole.to_owned());
    }
    let mut found = String::new();
    let mut has_text = false;
    for part in terms(text) {
        let plain = part.strip_prefix(['f', '$']).filter(|rest| rest.starts_with(['"', '\'']));
        if let Some(inside) = literal(part).or_else(|| literal(plain?)) {
            found.push_str(inside);
            has_text = true;
        } else if let Some(inside) = part.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))
        {
            found.push_str(&inside.replace("${", "{"));
            has_text |= !inside.is_empty();
        } else {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | ':' | '@');
            let name = part.trim_matches(['(', ')', '*', '&', '$', '@']);
            if name.is_empty() || !name.chars().all(is_name) {
                return None;
            }
            let name = name.rsplit(['.', ':']).next().unwrap_or(name);
            found.push('{');
            found.push_str(name);
            found.push('}');
        }
    }
    has_text.then_some(found)
}

/// The parts of a sum of texts, outside of quotes and brackets.
fn terms(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut quote) = (0_usize, 0, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                '+' if depth == 0 => {
                    found.push(text[start..at].trim());
                    start = at + 1;
                }
                _ => {}
            },
        }
    }
    found.push(text[start..].trim());
    found
}

/// The value of `name = value` or `name: value` among arguments.
pub(crate) fn named<'a>(args: &[&'a str], name: &str) -> Option<&'a str> {
    args.iter().find_map(|arg| {
        let rest = arg.strip_prefix(name).or_else(|| arg.strip_prefix(':')?.strip_prefix(name))?;
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("=>").or(rest.strip_prefix('=')).or(rest.strip_prefix(':'))?;
        Some(rest.trim())
    })
}

/// An attribute, annotation or decorator: its name and arguments.
pub(crate) struct Attribute<'s> {
    pub name: &'s str,
    /// What is before the last dot: `app` in `@app.get`.
    pub owner: &'s str,
    pub args: Vec<&'s str>,
    pub start: usize,
}

impl<'s> Attribute<'s> {
    /// The first argument that is a text, by place or by one of the names.
    pub fn pattern(&self, names: &[&str]) -> Option<&'s str> {
        let named = names.iter().find_map(|name| named(&self.args, name));
        let first = named.or_else(|| self.args.first().copied())?;
        literal(first.trim_matches(['{', '}', '[', ']']).split(',').next().unwrap_or(first))
    }
}

/// The attributes in the text before a definition's name. `marks` are what
/// one begins with: `@`, `#[`, `[`.
pub(crate) fn attributes<'s>(head: &'s str, mark: &str) -> Vec<Attribute<'s>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = head[at..].find(mark) {
        let start = at + next + mark.len();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
        let length = head[start..].find(|c| !is_name(c)).unwrap_or(head.len() - start);
        let name = &head[start..start + length];
        let rest = &head[start + length..];
        let mut end = start + length;
        let mut args = Vec::new();
        if rest.trim_start().starts_with('(') {
            let open = rest.len() - rest.trim_start().len();
            if let Some(length) = closing(&rest[open..]) {
                args = split(&rest[open + 1..open + length - 1]);
                end += open + length;
            }
        }
        let (owner, name) = name.rsplit_once(['.', ':']).unwrap_or(("", name));
        if !name.is_empty() {
            found.push(Attribute { name, owner, args, start });
        }
        at = end.max(at + next + 1);
    }
    found
}
