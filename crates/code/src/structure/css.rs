//! Style sheets: selectors, nested ones included, and what is imported.

use super::outline::{define, relate};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

/// A sheet with more rules than this was made by a program.
const MAX_RULES: usize = 5_000;

pub(super) fn reads(path: &str) -> bool {
    super::has_extension(path, &["css", "scss", "less"])
}

pub(super) fn read(b: &mut Builder<'_>, path: &str) {
    let text = String::from_utf8_lossy(b.source).into_owned();
    if text.len() != b.source.len() {
        // Bytes that are no text would move every place.
        return;
    }
    let is_plain = super::has_extension(path, &["css"]);
    let mut around: Vec<DefId> = vec![DefId::FILE];
    let mut open: Vec<bool> = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut n_rules = 0;
    while at < bytes.len() && n_rules < MAX_RULES {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += text[at..].find("*/").map_or(text.len() - at, |end| end + 2);
                if text[start..at].trim_start().starts_with("/*") {
                    start = at;
                }
                continue;
            }
            b'/' if !is_plain && bytes.get(at + 1) == Some(&b'/') => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                start = at;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                let rest = &bytes[at + 1..];
                at += rest
                    .iter()
                    .position(|byte| *byte == quote || *byte == b'\n')
                    .unwrap_or(rest.len())
                    + 1;
            }
            b'{' => {
                let selector = text[start..at].split_whitespace().collect::<Vec<_>>().join(" ");
                // `@include name { … }` takes a block along.
                let within = around.last().copied().unwrap_or(DefId::FILE);
                if selector.starts_with("@include") {
                    statement(b, within, &text[start..at], start);
                }
                let selector = rule_name(selector);
                let is_rule = !selector.is_empty() && !selector.ends_with('#');
                if is_rule {
                    let from = start + (text[start..at].len() - text[start..at].trim_start().len());
                    let parent = around.last().copied().unwrap_or(DefId::FILE);
                    let end = block_end(bytes, at);
                    let def = define(b, parent, DefKind::Selector, &selector, from..end);
                    around.push(def);
                    n_rules += 1;
                }
                open.push(is_rule);
                start = at + 1;
                if open.len() > 100 {
                    return;
                }
            }
            b'}' => {
                // The last statement of a block needs no semicolon.
                let within = around.last().copied().unwrap_or(DefId::FILE);
                statement(b, within, &text[start..at], start);
                if open.pop() == Some(true) {
                    around.pop();
                }
                start = at + 1;
            }
            b';' => {
                let within = around.last().copied().unwrap_or(DefId::FILE);
                statement(b, within, &text[start..at], start);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// The byte after the brace that closes the one at `open`.
fn block_end(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_u32;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(200_000) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len().min(open + 200_000)
}

/// A mixin is called by its name, without what it takes.
fn rule_name(selector: String) -> String {
    match selector.strip_prefix("@mixin ") {
        Some(rest) => format!("@mixin {}", rest.split('(').next().unwrap_or(rest).trim()),
        None => selector,
    }
}

/// What a declaration defines, and what it depends on.
fn statement(b: &mut Builder<'_>, within: DefId, text: &str, start: usize) {
    let at = start + (text.len() - text.trim_start().len());
    let text = text.trim();
    import(b, text, at);
    let depends = |b: &mut Builder<'_>, of: DefKind, to: &str| {
        relate(b, EdgeKind::DependsOn, within, of, to.trim(), at);
    };
    if let Some(rest) = text.strip_prefix("@include ") {
        let name = rest.split(['(', ' ', '.']).next().unwrap_or(rest);
        depends(b, DefKind::Selector, &format!("@mixin {name}"));
    }
    if let Some(rest) = text.strip_prefix("@extend ") {
        depends(b, DefKind::Selector, rest.trim_end_matches("!optional"));
    }
    if let Some((name, _)) = text.split_once(':')
        && name.starts_with("--")
        && !name.contains(char::is_whitespace)
    {
        define(b, within, DefKind::Var, name, at..at + text.len());
    }
    for rest in text.split("var(").skip(1) {
        let name = rest.split([')', ',']).next().unwrap_or_default().trim();
        if name.starts_with("--") {
            depends(b, DefKind::Var, name);
        }
    }
}

/// `@use "x"` and `@import "x"`.
fn import(b: &mut Builder<'_>, statement: &str, at: usize) {
    let rest = ["@use", "@import", "@forward"].iter().find_map(|word| statement.strip_prefix(word));
    let Some(rest) = rest else { return };
    let path = rest.split(['"', '\'']).nth(1).unwrap_or_default();
    relate(b, EdgeKind::Imports, DefId::FILE, DefKind::Module, path, at);
}
