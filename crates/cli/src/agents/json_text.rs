//! Changing one list or one value in a JSON file that belongs to somebody else:
//! everything else stays byte for byte, order and comments included.
//!
//! Reads JSON with comments and trailing commas, as editors write settings.

use std::ops::Range;

type Found<T> = Result<T, String>;

/// Elements of the list at a path, as text; none when the path is not there.
pub fn elements<'a>(text: &'a str, path: &[&str]) -> Found<Vec<&'a str>> {
    let spans = element_spans(text, path)?;
    Ok(spans.into_iter().map(|span| &text[span]).collect())
}

/// The text with an element at the end of the list at a path; objects and the
/// list are made where they are missing.
pub fn append(text: &str, path: &[&str], element: &str) -> Found<String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let mut at = root(text)?;
    for (depth, key) in path.iter().enumerate() {
        let object = object_members(text, at.clone())?;
        match object.iter().find(|member| member.key == *key) {
            Some(member) => at = member.value.clone(),
            None => {
                let (rest, indent) = (&path[depth + 1..], indent_of(text, at.start));
                let made = nested(rest, element, indent + 2);
                let last = object.last().map(|member| member.value.end);
                let member = format!("\"{key}\": {made}");
                return checked(insert(text, &at, last, &member, indent));
            }
        }
    }
    let spans = array_elements(text, at.clone())?;
    let indent = indent_of(text, at.start);
    let last = spans.last().map(|span| span.end);
    checked(insert(text, &at, last, element, indent))
}

/// The text without one element of the list at a path.
pub fn remove(text: &str, path: &[&str], index: usize) -> Found<String> {
    let spans = element_spans(text, path)?;
    let span = spans.get(index).ok_or("there is no such element")?.clone();
    // With the comma after it, or else the one before.
    let after = skip(text, span.end)?;
    let (start, end) = if text[after..].starts_with(',') {
        (span.start, skip(text, after + 1)?)
    } else if index > 0 {
        (spans[index - 1].end, span.end)
    } else {
        (text[..span.start].trim_end().len(), after)
    };
    checked(format!("{}{}", &text[..start], &text[end..]))
}

/// Whether there is something at a path.
pub fn has(text: &str, path: &[&str]) -> Found<bool> {
    if text.trim().is_empty() {
        return Ok(false);
    }
    let mut at = root(text)?;
    for key in path {
        match object_members(text, at.clone())?.into_iter().find(|member| member.key == *key) {
            Some(member) => at = member.value,
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// The text with a value at a path; objects are made where they are missing.
/// None when it has that value already.
pub fn set(text: &str, path: &[&str], new: &str) -> Found<Option<String>> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let mut at = root(text)?;
    for (depth, key) in path.iter().enumerate() {
        let object = object_members(text, at.clone())?;
        match object.iter().find(|member| member.key == *key) {
            Some(member) => at = member.value.clone(),
            None => {
                let (rest, indent) = (&path[depth + 1..], indent_of(text, at.start));
                let made = inside_objects(rest, new, indent + 2);
                let last = object.last().map(|member| member.value.end);
                let member = format!("\"{key}\": {made}");
                let is_in_line = last.is_some() && !text[at.clone()].contains('\n');
                return checked(match last {
                    Some(last) if is_in_line => {
                        format!("{}, {member}{}", &text[..last], &text[last..])
                    }
                    last => insert(text, &at, last, &member, indent),
                })
                .map(Some);
            }
        }
    }
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    if parsed(&text[at.clone()]).is_some_and(|old| Some(old) == parsed(new)) {
        return Ok(None);
    }
    checked(format!("{}{new}{}", &text[..at.start], &text[at.end..])).map(Some)
}

/// A value with objects around it for the keys that are still missing.
fn inside_objects(keys: &[&str], value: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match keys.split_first() {
        None => value.to_owned(),
        Some((key, rest)) => {
            let inner = inside_objects(rest, value, indent + 2);
            format!("{{\n{margin}  \"{key}\": {inner}\n{margin}}}")
        }
    }
}

fn element_spans(text: &str, path: &[&str]) -> Found<Vec<Range<usize>>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut at = root(text)?;
    for key in path {
        let object = object_members(text, at.clone())?;
        match object.into_iter().find(|member| member.key == *key) {
            Some(member) => at = member.value,
            None => return Ok(Vec::new()),
        }
    }
    array_elements(text, at)
}

fn root(text: &str) -> Found<Range<usize>> {
    let start = skip(text, if text.starts_with('\u{feff}') { 3 } else { 0 })?;
    let end = value(text, start, 0)?;
    if skip(text, end)? != text.len() {
        return Err("there is more after the end".to_owned());
    }
    Ok(start..end)
}

/// `[` to `]` with objects around it for the keys that are still missing.
fn nested(keys: &[&str], element: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match keys.split_first() {
        None => format!("[\n{margin}  {element}\n{margin}]"),
        Some((key, rest)) => {
            let inner = nested(rest, element, indent + 2);
            format!("{{\n{margin}  \"{key}\": {inner}\n{margin}}}")
        }
    }
}

/// Puts something in as the last part of an object or a list.
fn insert(
    text: &str,
    around: &Range<usize>,
    last: Option<usize>,
    new: &str,
    indent: usize,
) -> String {
    let margin = " ".repeat(indent);
    let Some(last) = last else {
        let (before, after) = (&text[..=around.start], &text[around.end - 1..]);
        let inside = text[around.start + 1..around.end - 1].trim();
        let kept = if inside.is_empty() { String::new() } else { format!("\n{margin}  {inside}") };
        return format!("{before}{kept}\n{margin}  {new}\n{margin}{after}");
    };
    let (before, after) = text.split_at(last);
    // A trailing comma of theirs serves for ours.
    match after.trim_start().strip_prefix(',') {
        Some(rest) => format!("{before},\n{margin}  {new}{rest}"),
        None => format!("{before},\n{margin}  {new}{after}"),
    }
}

/// Blanks before the line that holds a place.
fn indent_of(text: &str, at: usize) -> usize {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..];
    line.len() - line.trim_start_matches(' ').len()
}

struct Member<'a> {
    key: &'a str,
    value: Range<usize>,
}

fn object_members(text: &str, span: Range<usize>) -> Found<Vec<Member<'_>>> {
    if !text[span.start..].starts_with('{') {
        return Err("an object was expected".to_owned());
    }
    let mut members = Vec::new();
    let mut at = skip(text, span.start + 1)?;
    while !text[at..].starts_with('}') {
        let key_end = string(text, at)?;
        let key = &text[at + 1..key_end - 1];
        at = skip(text, key_end)?;
        if !text[at..].starts_with(':') {
            return Err("a `:` is missing".to_owned());
        }
        let start = skip(text, at + 1)?;
        let end = value(text, start, 0)?;
        members.push(Member { key, value: start..end });
        at = comma_or(text, end, '}')?;
    }
    Ok(members)
}

fn array_elements(text: &str, span: Range<usize>) -> Found<Vec<Range<usize>>> {
    if !text[span.start..].starts_with('[') {
        return Err("a list was expected".to_owned());
    }
    let mut found = Vec::new();
    let mut at = skip(text, span.start + 1)?;
    while !text[at..].starts_with(']') {
        let end = value(text, at, 0)?;
        found.push(at..end);
        at = comma_or(text, end, ']')?;
    }
    Ok(found)
}

/// After a comma, or at the closing mark.
fn comma_or(text: &str, end: usize, close: char) -> Found<usize> {
    let at = skip(text, end)?;
    if text[at..].starts_with(',') {
        return skip(text, at + 1);
    }
    if text[at..].starts_with(close) { Ok(at) } else { Err(format!("`{close}` is missing")) }
}

/// Where a value ends.
fn value(text: &str, at: usize, depth: u32) -> Found<usize> {
    const DEEPEST: u32 = 100;
    if depth > DEEPEST {
        return Err("it is nested too deeply".to_owned());
    }
    match text[at..].chars().next() {
        Some('"') => string(text, at),
        Some(open @ ('{' | '[')) => {
            let close = if open == '{' { '}' } else { ']' };
            let mut here = skip(text, at + 1)?;
            while !text[here..].starts_with(close) {
                if open == '{' {
                    let key_end = string(text, here)?;
                    here = skip(text, key_end)?;
                    if !text[here..].starts_with(':') {
                        return Err("a `:` is missing".to_owned());
                    }
                    here = skip(text, here + 1)?;
                }
                here = comma_or(text, value(text, here, depth + 1)?, close)?;
            }
            Ok(here + 1)
        }
        Some(c) if c.is_ascii_alphanumeric() || c == '-' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
            let rest = &text[at..];
            Ok(at + rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()))
        }
        Some(c) => Err(format!("`{c}` is not the beginning of a value")),
        None => Err("it ends too early".to_owned()),
    }
}

fn string(text: &str, at: usize) -> Found<usize> {
    if !text[at..].starts_with('"') {
        return Err("a `\"` was expected".to_owned());
    }
    let mut is_escaped = false;
    for (index, c) in text[at + 1..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Ok(at + 1 + index + 1),
            _ => {}
        }
    }
    Err("a text has no end".to_owned())
}

/// The next place that is neither blank nor comment.
fn skip(text: &str, mut at: usize) -> Found<usize> {
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        let rest = &rest[blank..];
        at += blank;
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").ok_or("a comment has no end")? + 2;
        } else {
            return Ok(at);
        }
    }
}

/// What was made must still be readable.
fn checked(text: String) -> Found<String> {
    root(&text)?;
    Ok(text)
}
