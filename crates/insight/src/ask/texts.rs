//! Questions about what has no symbol: settings, flags, messages, addresses. Programs
//! name such things in strings, so they are looked for in the text of the files.

use super::question::Intent;
use super::subjects::{VocabularyLookup, bare, has_code_inside};
use search::query::is_stop_word;

/// Words for what is named by a string, before or after the name.
const OF_SETTINGS: &[&str] = &[
    "config",
    "configuration",
    "directive",
    "env",
    "environment",
    "flag",
    "key",
    "knob",
    "option",
    "preference",
    "setting",
    "switch",
    "var",
    "variable",
];

/// Words that stand beside those and name nothing.
const OF_NOTHING: &[&str] = &[
    "any",
    "best",
    "boolean",
    "certain",
    "cli",
    "command-line",
    "custom",
    "default",
    "each",
    "every",
    "existing",
    "following",
    "global",
    "line",
    "main",
    "new",
    "optional",
    "other",
    "possible",
    "required",
    "same",
    "set",
    "some",
    "user",
    "which",
];

/// Words that announce what a program prints.
const OF_MESSAGES: &[&str] =
    &["error", "exception", "log", "message", "output", "string", "text", "warning"];

/// Words with which an address is one of the program itself.
const OF_ADDRESSES: &[&str] = &[
    "api", "answers", "delete", "endpoint", "get", "handle", "handled", "handler", "handles",
    "patch", "path", "post", "put", "request", "requests", "route", "served", "serves", "url",
];

/// Files that are read by a program, not built into it.
const OF_DATA: &[&str] = &[
    "cfg",
    "conf",
    "csv",
    "env",
    "html",
    "ini",
    "json",
    "properties",
    "sql",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];

/// What a question about a text asks, and of which.
pub(super) fn asked(
    question: &str,
    intent: Option<Intent>,
    known: &dyn VocabularyLookup,
) -> Option<(Intent, String)> {
    if !known.has_code() {
        return None;
    }
    let words: Vec<&str> = question.split_whitespace().map(bare).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let has = |of: &[&str]| lower.iter().any(|word| of.contains(&word.as_str()));
    let asks_where = intent.is_none_or(|it| {
        matches!(
            it,
            Intent::Symbol
                | Intent::Context
                | Intent::Callers
                | Intent::Callees
                | Intent::Routes
                | Intent::Text
        )
    });
    let is_question = matches!(
        lower.first().map(String::as_str),
        Some("what" | "what's" | "whats" | "where" | "where's" | "which" | "who" | "find" | "is")
    ) || question.to_lowercase().starts_with("how is")
        || question.to_lowercase().starts_with("how does");
    if let Some(text) = quoted(question).filter(|_| asks_where || intent == Some(Intent::Why)) {
        let is_phrase = text.contains(char::is_whitespace);
        // "Why do I get …": what a program prints.
        let is_got = lower.windows(2).any(|pair| {
            matches!(pair[0].as_str(), "i" | "we") && matches!(pair[1].as_str(), "get" | "see")
        });
        if (is_phrase && (is_question || is_got || has(OF_MESSAGES)))
            || (has(OF_MESSAGES) && !known.is_symbol(text) && !known.is_file(text))
        {
            return Some((Intent::Text, text.to_owned()));
        }
    }
    if !asks_where || !is_question {
        return None;
    }
    let text = |word: &str| Some((Intent::Text, word.to_owned()));
    if let Some(flag) = words.iter().find(|word| is_flag(word)) {
        return text(flag);
    }
    if let Some(address) = words.iter().find(|word| is_address(word, known)) {
        let is_own = has(OF_ADDRESSES);
        if known.has_route(address) {
            return Some((Intent::Routes, (*address).to_owned()));
        }
        return if is_own { text(address) } else { None };
    }
    if let Some(name) = setting(&words, &lower, known) {
        return text(name);
    }
    if let Some(name) = done_by(&words, &lower) {
        // What is shouted is a setting, though a file may define it as a constant.
        if known.is_symbol(name) && !is_shouted(name) {
            return Some((Intent::Symbol, name.to_owned()));
        }
        return text(name);
    }
    read_file(&words, &lower, known).and_then(text)
}

/// What stands between quotation marks that belong together: an apostrophe is none.
fn quoted(question: &str) -> Option<&str> {
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\''), ('`', '`'), ('‘', '’')] {
        let is_begin = |at: usize| !question[..at].ends_with(char::is_alphanumeric);
        let begin = question.match_indices(open).find(|(at, _)| is_begin(*at));
        let Some((begin, _)) = begin else { continue };
        let begin = begin + open.len_utf8();
        let is_end =
            |at: usize| !question[at + close.len_utf8()..].starts_with(char::is_alphanumeric);
        let mut rest = question[begin..].match_indices(close).map(|(at, _)| begin + at);
        let Some(end) = rest.find(|at| is_end(*at)) else { continue };
        let text = question[begin..end].trim();
        if text.chars().filter(|c| c.is_alphanumeric()).count() > 2 {
            return Some(text);
        }
    }
    None
}

fn is_flag(word: &str) -> bool {
    word.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// `/api/v1/users`, and no file.
fn is_address(word: &str, known: &dyn VocabularyLookup) -> bool {
    let Some(rest) = word.strip_prefix('/') else { return false };
    rest.starts_with(|c: char| c.is_alphanumeric() || "{:<_".contains(c))
        && !known.is_file(rest)
        && !rest.ends_with('/')
        && known.path_ending(rest).is_none()
}

/// `DOWNLOAD_DELAY` where no symbol is called so; what stands beside `option` and the like;
/// of what the default is asked.
fn setting<'w>(
    words: &[&'w str],
    lower: &[String],
    known: &dyn VocabularyLookup,
) -> Option<&'w str> {
    let is_noun = |at: usize| lower.get(at).is_some_and(|it| OF_SETTINGS.contains(&it.as_str()));
    let is_name = |at: usize| {
        let (Some(word), Some(lower)) = (words.get(at), lower.get(at)) else { return false };
        word.chars().count() > 2
            && !is_noun(at)
            && !is_stop_word(word)
            && !OF_NOTHING.contains(&lower.as_str())
            && word.chars().all(|c| c.is_alphanumeric() || "-_./:".contains(c))
            && !known.is_file(word)
    };
    let is_written_so =
        |at: usize| has_code_inside(words[at]) || words[at].contains(['-', '/', '_', ':']);
    for at in (0..words.len()).filter(|at| is_noun(*at)) {
        // `the auto-save config option`: the name stands before all of them.
        let before = (0..at).rev().find(|before| !is_noun(*before));
        // A plain word after it is rather a verb.
        let after = Some(at + 1).filter(|after| is_name(*after) && is_written_so(*after));
        if let Some(name) = before.filter(|it| is_name(*it)).or(after) {
            return Some(words[name]);
        }
    }
    let default = lower.iter().position(|word| word == "default" || word == "defaults");
    if let Some(at) = default {
        let mut rest = (at + 1..words.len()).skip_while(|at| lower[*at] == "value");
        let is_of = rest.next().is_some_and(|at| matches!(lower[at].as_str(), "of" | "for"));
        let name = rest.find(|at| !matches!(lower[*at].as_str(), "the" | "a"));
        if let Some(name) = name.filter(|at| is_of && is_name(*at) && *at + 1 == words.len()) {
            return Some(words[name]);
        }
    }
    words.iter().copied().find(|word| is_shouted(word) && !known.is_symbol(word))
}

/// `DOWNLOAD_DELAY`
fn is_shouted(word: &str) -> bool {
    word.contains('_')
        && word.chars().any(char::is_alphabetic)
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// `X` of `what does X do`, where it is written as a name.
fn done_by<'w>(words: &[&'w str], lower: &[String]) -> Option<&'w str> {
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let at = match lower.as_slice() {
        ["what", "does", _, "do"] => 2,
        ["what", "does", "the", _, "do"] => 3,
        _ => return None,
    };
    let name = words[at].trim_end_matches(')').trim_end_matches('(');
    let is_name = has_code_inside(name) || name.contains(['-', '/', ':']);
    is_name.then_some(name)
}

/// A file of data that is asked about as something that code reads: its name.
fn read_file<'w>(
    words: &[&'w str],
    lower: &[String],
    known: &dyn VocabularyLookup,
) -> Option<&'w str> {
    const READ: &[&str] = &[
        "generated",
        "imported",
        "included",
        "loaded",
        "opened",
        "parsed",
        "read",
        "referenced",
        "used",
        "written",
    ];
    let is_data = |word: &str| {
        let ending = word.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        ending.is_some_and(|ending| OF_DATA.contains(&ending.as_str()))
            && (known.is_file(word) || known.path_ending(word).is_some())
    };
    if !lower.iter().any(|word| READ.contains(&word.as_str())) {
        return None;
    }
    let path = words.iter().copied().find(|word| is_data(word))?;
    path.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_belong_together_and_apostrophes_are_none() {
        for (question, text) in [
            ("where is 'cannot open' raised", Some("cannot open")),
            ("what does \"it's gone\" mean", Some("it's gone")),
            ("what's the user's name", None),
            ("why don't the tests' names fit", None),
        ] {
            assert_eq!(quoted(question), text, "{question}");
        }
    }
}
