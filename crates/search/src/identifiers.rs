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
    let mut parts = Vec::new();
    for text in texts {
        for run in promising(text).flat_map(|run| run.split(|c: char| !is_of_name(c))) {
            if !seen.insert(run) {
                continue;
            }
            let name = run.trim_matches(['_', '-']);
            if is_too_long(name) {
                continue;
            }
            let is_joined = name.contains(['_', '-']);
            let is_camel = divide(name, &mut parts);
            if !(is_joined || is_camel) || !(2..=MOST_PARTS).contains(&parts.len()) {
                continue;
            }
            if is_joined {
                forms.insert(lowercase(&parts.concat()));
            }
            if is_camel {
                forms.insert(lowercase(&parts.join(" ")));
            }
        }
    }
    forms.into_iter().collect::<Vec<_>>().join("\n")
}

fn is_too_long(name: &str) -> bool {
    name.len() > LONGEST && name.chars().count() > LONGEST
}

fn lowercase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

pub fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The runs of a text in which names may be: with a sign between letters, or a
/// capital that is not the first letter; letters beyond ASCII may be one. Most
/// words are none, and a look at their bytes tells.
fn promising(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map_or(Class::Outside, |byte| CLASSES[*byte as usize]);
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < bytes.len() {
            let start = next;
            let mut is_promising = false;
            while class(next) != Class::Outside {
                is_promising |= class(next) == Class::Telling && next > start;
                next += 1;
            }
            let end = next;
            next += 1;
            if is_promising {
                return Some(&text[start..end]);
            }
        }
        None
    })
}

/// What a byte says about the run it is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// No part of a name.
    Outside,
    Plain,
    /// Makes the run a name, perhaps.
    Telling,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Outside; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => Class::Plain,
            b'A'..=b'Z' | b'_' | b'-' | 0x80.. => Class::Telling,
            _ => Class::Outside,
        };
        byte += 1;
    }
    classes
};

/// `HttpClient` as `Http Client`; none for a name without such a border.
pub fn divided(name: &str) -> Option<String> {
    let mut parts = Vec::new();
    (!is_too_long(name) && camel_parts(name, &mut parts)).then(|| parts.join(" "))
}

/// The parts of a name; whether a capital begins one of them inside.
fn divide<'a>(name: &'a str, parts: &mut Vec<&'a str>) -> bool {
    parts.clear();
    name.split(['_', '-']).fold(false, |is_camel, piece| camel_parts(piece, parts) | is_camel)
}

/// Adds the parts of a name without signs; whether there is a border in it.
fn camel_parts<'a>(name: &'a str, parts: &mut Vec<&'a str>) -> bool {
    let mut start = 0;
    for border in camel_borders(name) {
        parts.push(&name[start..border]);
        start = border;
    }
    if start < name.len() {
        parts.push(&name[start..]);
    }
    start > 0
}

/// Before a capital that follows a small letter or digit, and before the last
/// capital of several (`HTTPServer`: `HTTP`, `Server`).
fn camel_borders(name: &str) -> impl Iterator<Item = usize> + '_ {
    let mut before = None::<char>;
    name.char_indices().filter_map(move |(at, c)| {
        let previous = before.replace(c)?;
        if !c.is_uppercase() {
            return None;
        }
        let next = || name[at + c.len_utf8()..].chars().next();
        let is_border = previous.is_lowercase()
            || previous.is_numeric()
            || (previous.is_uppercase() && next().is_some_and(char::is_lowercase));
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
        assert_eq!(divided(&"aB".repeat(40)), None);
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
                let name = run.trim_matches(['_', '-']);
                if divide(name, &mut Vec::new()) || name.contains(['_', '-']) {
                    prop_assert!(promising(&text).any(|seen| seen.contains(run)), "{:?}", run);
                }
            }
        }
    }
}
