//! Names from code, in the forms a tokenizer of words would miss.
//!
//! The index divides text at everything that is not a letter or a digit, so
//! `retry_budget` is found by `budget` already. What it misses is here: the
//! parts of `HttpClient`, and `retrybudget` for those who write `retryBudget`.

use std::collections::{BTreeSet, HashSet};

/// Longer runs are keys, hashes and pictures in text form, not names.
const LONGEST: usize = 64;
const MOST_PARTS: usize = 8;

/// The missing forms of every name in the texts, each once, on lines.
pub fn complement<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut forms = BTreeSet::new();
    // Paths and names are repeated a great deal.
    let mut seen = HashSet::new();
    for text in texts {
        for run in promising(text).flat_map(|run| run.split(|c: char| !is_of_name(c))) {
            if !seen.insert(run) {
                continue;
            }
            let name = run.trim_matches(['_', '-']);
            let is_joined = name.contains(['_', '-']);
            if !(is_joined || is_camel(name)) || name.chars().count() > LONGEST {
                continue;
            }
            let parts: Vec<&str> = name.split(['_', '-']).flat_map(camel_parts).collect();
            if !(2..=MOST_PARTS).contains(&parts.len()) {
                continue;
            }
            if is_joined {
                forms.insert(parts.concat().to_lowercase());
            }
            if name.split(['_', '-']).any(is_camel) {
                forms.insert(parts.join(" ").to_lowercase());
            }
        }
    }
    forms.into_iter().collect::<Vec<_>>().join("\n")
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The runs of a text in which names may be: with a sign between letters, or a
/// capital that is not the first letter; letters beyond ASCII may be one. Most
/// words are none, and a look at their bytes tells.
fn promising(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < bytes.len() {
            let start = next;
            let mut tells = false;
            while let Some(byte) = bytes.get(next).filter(|byte| may_be_of_name(**byte)) {
                tells |= next > start && !byte.is_ascii_lowercase() && !byte.is_ascii_digit();
                next += 1;
            }
            let end = next;
            next += 1;
            if tells {
                return Some(&text[start..end]);
            }
        }
        None
    })
}

/// Of bytes, which cannot tell letters beyond ASCII from other signs.
fn may_be_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || !byte.is_ascii()
}

/// `HttpClient` as `Http Client`; none for a name without such a border.
pub fn divided(name: &str) -> Option<String> {
    (is_camel(name) && name.chars().count() <= LONGEST).then(|| camel_parts(name).join(" "))
}

fn is_camel(name: &str) -> bool {
    let mut borders = camel_borders(name);
    borders.next().is_some()
}

fn camel_parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for border in camel_borders(name) {
        parts.push(&name[start..border]);
        start = border;
    }
    parts.push(&name[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Before a capital that follows a small letter or digit, and before the last
/// capital of several (`HTTPServer`: `HTTP`, `Server`).
fn camel_borders(name: &str) -> impl Iterator<Item = usize> + '_ {
    let mut before = None::<char>;
    name.char_indices().filter_map(move |(at, c)| {
        let previous = before.replace(c)?;
        let next = name[at + c.len_utf8()..].chars().next();
        let is_border = c.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_numeric()
                || (previous.is_uppercase() && next.is_some_and(char::is_lowercase)));
        is_border.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms(text: &str) -> Vec<String> {
        complement([text]).lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_style_of_name_gets_what_the_tokenizer_misses() {
        assert_eq!(forms("use HttpClient here"), ["http client"]);
        assert_eq!(forms("a retry_budget of 3"), ["retrybudget"]);
        assert_eq!(forms("the read-only copy"), ["readonly"]);
        assert_eq!(forms("HTTPServer parseURL"), ["http server", "parse url"]);
        assert_eq!(forms("src/http/RetryPolicy.rs"), ["retry policy"]);
        assert_eq!(forms("config.retryBudget.maxTries"), ["max tries", "retry budget"]);
        assert_eq!(forms("parse_HttpUrl"), ["parse http url", "parsehttpurl"]);
    }

    #[test]
    fn plain_words_keys_and_rules_add_nothing() {
        assert_eq!(forms("Plain words, SHOUTED and 3 numbers"), Vec::<String>::new());
        assert_eq!(forms("---- __ - a_"), Vec::<String>::new());
        assert_eq!(forms(&"aB".repeat(40)), Vec::<String>::new());
        assert_eq!(divided("Http"), None);
        assert_eq!(divided("HttpClient").as_deref(), Some("Http Client"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>()) {
            let _ = complement([text.as_str()]);
            let _ = divided(&text);
        }

        #[test]
        fn no_name_is_passed_over(text in "[a-cA-C0-1_é— .-]{0,40}") {
            for run in text.split(|c: char| !is_of_name(c)) {
                if is_camel(run) || run.trim_matches(['_', '-']).contains(['_', '-']) {
                    prop_assert!(promising(&text).any(|seen| seen.contains(run)), "{:?}", run);
                }
            }
        }
    }
}
