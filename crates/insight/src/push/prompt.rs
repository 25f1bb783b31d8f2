//! With a prompt: what people kept that fits it, where the names in it lead, and where a
//! task that names files, lines or messages begins.

use super::quote::{data, name};
use super::{LineKind, PushContext, PushLine, facts, located, memory_lines};
use crate::agent_text::short;
use crate::code::{SymbolRef, View, exact_symbols};
use crate::context::{Strength, localise};
use crate::{entities, projects};
use model::ids::NodeId;
use model::{EntityKind, Reference, Result};
use std::collections::HashSet;

/// Characters of a prompt that are read; a pasted log says no more after.
const PROMPT: usize = 4_000;
const MOST_POINTERS: usize = 3;
/// More words than this that could be names are a listing.
const MOST_NAMES: usize = 24;
/// Constructors that a type of one thing may have, itself included.
const MOST_OVERLOADS: usize = 12;

pub fn for_prompt(
    context: &PushContext<'_>,
    prompt: &str,
    is_said: &dyn Fn(&str) -> bool,
) -> Result<Vec<PushLine>> {
    let mut lines = memory_lines::for_prompt(context, prompt, is_said)?;
    let prompt: String = prompt.chars().take(PROMPT).collect();
    let told: String = lines.iter().map(|line| line.text.as_str()).collect();
    lines.extend(linked(context, &prompt, &told)?);
    lines.extend(references(context, &prompt)?);
    lines.extend(symbols(context, &prompt)?);
    if lines.len() < MOST_POINTERS {
        let known: String = lines.iter().map(|line| line.text.as_str()).collect();
        lines.extend(task_pointers(context, &prompt, &known)?);
    }
    Ok(lines)
}

/// Ranking everything takes longer than a hook may in a repository larger than this.
const MOST_RANKED: u64 = 20_000;
/// Shorter prompts go on with something, they do not begin it.
const TASK_WORDS: usize = 6;
const MOST_PLACES: usize = 2;
/// Channels that read every commit: they hardly change what comes first, and take longer
/// than all others together.
const SLOW: [&str; 2] = ["history", "co-change"];

/// The best of `lore context` for a task whose evidence is strong.
fn task_pointers(context: &PushContext<'_>, prompt: &str, known: &str) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let is_task = prompt.split_whitespace().nth(TASK_WORDS - 1).is_some() && has_evidence(prompt);
    if !is_task || scope.snapshot.n_nodes > MOST_RANKED {
        return Ok(Vec::new());
    }
    let without = SLOW.map(str::to_owned);
    let found = localise(context.reader, scope, prompt, MOST_PLACES, &without)?;
    if found.strength < Strength::Strong {
        return Ok(Vec::new());
    }
    let mut lines: Vec<PushLine> = Vec::new();
    for (function, _) in &found.functions {
        let (path, symbol) = function.split_once("::").unwrap_or((function, ""));
        let is_shown = lines.iter().any(|line| line.text.contains(path));
        // Who wrote the file down knows where it is.
        if symbol.is_empty() || is_shown || known.contains(path) || prompt.contains(path) {
            continue;
        }
        let rank = if lines.is_empty() { "best" } else { "next" };
        let text = format!("{} in {} fits this task {rank}", name(symbol), name(path));
        lines.push(PushLine::new(LineKind::Pointer, "context", function, text));
    }
    Ok(lines)
}

/// Whether a prompt has anything that evidence can be strong by: a file, a stack trace, a
/// message in quotes.
fn has_evidence(prompt: &str) -> bool {
    let is_file = |word: &str| {
        let (stem, extension) = word.rsplit_once('.').unwrap_or_default();
        let extension = extension.split(':').next().unwrap_or_default();
        let is_extension = match extension.len() {
            // Not `e.g` and `i.e`.
            1 => matches!(extension, "c" | "h" | "r" | "d" | "m"),
            2..=5 => extension.bytes().all(|byte| byte.is_ascii_alphabetic()),
            _ => false,
        };
        !stem.is_empty() && is_extension
    };
    let is_quoted = |quote: char| prompt.split(quote).skip(1).step_by(2).any(|it| it.contains(' '));
    words(prompt).any(|word| is_file(word) || word.contains('/'))
        || prompt.contains("Error")
        || is_quoted('"')
        || is_quoted('`')
}

/// Records that people linked to the files and symbols that the prompt names.
fn linked(context: &PushContext<'_>, prompt: &str, told: &str) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let view = View::alone(context.reader, scope);
    let mut lines = Vec::new();
    for word in words(prompt).filter(|word| word.contains('/')).take(MOST_NAMES) {
        let path = word.split(':').next().unwrap_or(word);
        if located::member(&view, path)?.is_some() {
            lines.extend(facts::decisions(context, path, &[], told)?);
        }
    }
    for word in words(prompt).filter(|word| is_code(word)).take(MOST_NAMES) {
        let nodes = exact_symbols(&view, word.trim_end_matches("()"))?;
        if one_thing(&view, &nodes)?.is_some() {
            lines.extend(facts::decisions_of(context, &view, &nodes[..1], told)?);
        }
    }
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.key.clone()));
    lines.truncate(MOST_POINTERS);
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
        let Some(symbol) = one_thing(&view, &nodes)? else { continue };
        // Who wrote the file down knows where it is.
        if symbol.path.is_empty() || prompt.contains(&symbol.path) {
            continue;
        }
        let own = name(short(&symbol.symbol));
        let text = format!("{own} ({}) {}:{}", symbol.kind, name(&symbol.path), symbol.line);
        lines.push(PushLine::of_place(LineKind::Pointer, &symbol, text));
        if lines.len() == MOST_POINTERS {
            break;
        }
    }
    Ok(lines)
}

/// What all of these are: the only one, or a type beside its constructors.
fn one_thing(view: &View<'_>, nodes: &[NodeId]) -> Result<Option<SymbolRef>> {
    if nodes.len() > MOST_OVERLOADS {
        return Ok(None);
    }
    let mut found = Vec::new();
    for node in nodes {
        found.extend(view.symbol(*node)?);
    }
    found.sort_by_key(|it| it.symbol.len());
    let Some((first, others)) = found.split_first() else { return Ok(None) };
    let is_own = |it: &SymbolRef| {
        it.symbol.strip_prefix(&first.symbol).is_some_and(|rest| rest.starts_with('.'))
    };
    Ok(others.iter().all(is_own).then(|| first.clone()))
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
    fn evidence_is_a_file_a_trace_or_a_quoted_message() {
        for prompt in [
            "look at src/cart.py please",
            "cart.py:12 fails",
            "KeyError: 'x' when paying",
            "it prints \"no such order\" twice",
        ] {
            assert!(has_evidence(prompt), "{prompt}");
        }
        for prompt in
            ["make it faster, e.g. by caching. Then go on.", "it's Ada's idea", "1.5 of 2"]
        {
            assert!(!has_evidence(prompt), "{prompt}");
        }
    }

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
