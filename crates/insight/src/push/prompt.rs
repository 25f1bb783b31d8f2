//! With a prompt: what people kept that fits it, and where the names in it lead.

use super::quote::{data, name};
use super::{LineKind, PushContext, PushLine, memory_lines};
use crate::agent_text::short;
use crate::code::{View, exact_symbols};
use crate::{entities, projects};
use model::{EntityKind, Reference, Result};

/// Characters of a prompt that are read; a pasted log says no more after.
const PROMPT: usize = 4_000;
const MOST_POINTERS: usize = 3;
/// More words than this that could be names are a listing.
const MOST_NAMES: usize = 24;

pub fn for_prompt(
    context: &PushContext<'_>,
    prompt: &str,
    is_said: &dyn Fn(&str) -> bool,
) -> Result<Vec<PushLine>> {
    let mut lines = memory_lines::for_prompt(context, prompt, is_said)?;
    let prompt: String = prompt.chars().take(PROMPT).collect();
    lines.extend(references(context, &prompt)?);
    lines.extend(symbols(context, &prompt)?);
    Ok(lines)
}

/// Issues and merge requests that the prompt names, with their titles.
fn references(context: &PushContext<'_>, prompt: &str) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let Some(path) = scope.repo.project_path.as_deref() else { return Ok(Vec::new()) };
    if projects::resolve_maybe(context.reader, Some(path))?.is_none() {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    for word in words(prompt).filter(|word| word.contains(['#', '!'])).take(MOST_NAMES) {
        let Ok(Reference::Entity(typed)) = Reference::parse(word) else { continue };
        let Ok(found) = entities::find(context.reader, typed.kind, &typed, Some(path)) else {
            continue;
        };
        let mark = match typed.kind {
            EntityKind::Issue => '#',
            EntityKind::MergeRequest => '!',
        };
        let source = format!("{mark}{}", found.iid);
        let text = format!("{source} ({}): {}", found.state, data(&found.title, 120));
        lines.push(PushLine::new(LineKind::Pointer, source, "", text));
    }
    lines.truncate(MOST_POINTERS);
    Ok(lines)
}

/// Symbols that the prompt names as code and that are one thing.
fn symbols(context: &PushContext<'_>, prompt: &str) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let view = View::alone(context.reader, scope);
    let mut lines: Vec<PushLine> = Vec::new();
    for word in words(prompt).filter(|word| is_code(word)).take(MOST_NAMES) {
        let typed = word.trim_end_matches("()");
        let nodes = exact_symbols(&view, typed)?;
        let [node] = nodes.as_slice() else { continue };
        let Some(symbol) = view.symbol(*node)? else { continue };
        // Who wrote the file down knows where it is.
        if symbol.path.is_empty() || prompt.contains(&symbol.path) {
            continue;
        }
        let own = name(short(&symbol.symbol));
        let text = format!("{own} ({}) {}:{}", symbol.kind, name(&symbol.path), symbol.line);
        lines.push(PushLine::new(LineKind::Pointer, "index", &symbol.symbol, text));
        if lines.len() == MOST_POINTERS {
            break;
        }
    }
    Ok(lines)
}

fn words(prompt: &str) -> impl Iterator<Item = &str> {
    prompt
        .split(|c: char| c.is_whitespace() || "`\"',;()[]{}<>".contains(c))
        .map(|word| word.trim_matches(|c: char| ".?:".contains(c)))
        .filter(|word| word.len() > 1)
}

/// What nobody writes who does not mean code: `parse_lines`, `toJson`, `Cart.total`.
fn is_code(word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    if word.len() < 4 || !word.chars().all(is_name) || word.contains("://") {
        return false;
    }
    let parts: Vec<&str> = word.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let is_joined = parts.len() > 1
        && parts.iter().all(|part| part.chars().next().is_some_and(|c| !c.is_ascii_digit()));
    let last = parts.last().copied().unwrap_or_default();
    let is_snake = last.trim_matches('_').contains('_');
    let has_hump =
        last.chars().zip(last.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    is_joined || is_snake || has_hump
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_from_words() {
        for word in ["parse_lines", "toJson", "Cart.total", "a::b_c", "QuerySet"] {
            assert!(is_code(word), "{word}");
        }
        for word in ["why", "total", "3.14", "https://x.y", "e.g", "Fix", "README"] {
            assert!(!is_code(word), "{word}");
        }
    }

    #[test]
    fn words_lose_what_is_around_them() {
        let found: Vec<&str> = words("Why does `Cart.total()` fail? (see #12)").collect();
        assert_eq!(found, ["Why", "does", "Cart.total", "fail", "see", "#12"]);
    }
}
