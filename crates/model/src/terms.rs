//! The terms of code and prose: what a question and a file are compared by.
//!
//! A name is a term as a whole and by its parts: `readFileMeta` is
//! `readfilemeta`, `read`, `file` and `meta`. Parts are stemmed, so that prose
//! finds names. Producers and questions must see the same terms, so there is one
//! place that makes them.

use crate::porter;

/// Terms of one letter and these say nothing in prose, and little in code.
const STOP: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "cannot", "could", "did",
    "do", "does", "doing", "don", "each", "etc", "even", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "how", "however", "if", "in", "into", "is", "isn", "it",
    "its", "just", "like", "me", "might", "more", "most", "my", "no", "nor", "not", "now", "of",
    "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "same", "self", "she",
    "should", "since", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up",
    "us", "very", "was", "we", "well", "were", "what", "when", "where", "which", "while", "who",
    "whom", "why", "will", "with", "would", "you", "your",
];

/// Longer runs of letters and digits are data, not names.
const LONGEST: usize = 80;

/// A term as it was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    pub text: &'a str,
    /// A name of several parts, as a whole.
    pub is_compound: bool,
}

/// Hands every term of a text to `visit`, in the order of the text.
pub fn each(text: &str, mut visit: impl FnMut(Term<'_>)) {
    let mut scratch = Scratch::default();
    for word in words(text) {
        scratch.word(word, &mut visit);
    }
}

/// The runs of letters, digits and underscores of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[derive(Default)]
struct Scratch {
    part: String,
    whole: String,
}

impl Scratch {
    fn word(&mut self, word: &str, visit: &mut impl FnMut(Term<'_>)) {
        if word.len() > LONGEST {
            return;
        }
        let mut n_parts = 0;
        each_part(word, |part| {
            n_parts += 1;
            self.part.clear();
            lower(part, &mut self.part);
            if is_telling(&self.part) {
                porter::shorten(&mut self.part);
                visit(Term { text: &self.part, is_compound: false });
            }
        });
        if n_parts > 1 {
            self.whole.clear();
            lower(word.trim_matches('_'), &mut self.whole);
            visit(Term { text: &self.whole, is_compound: true });
        }
    }
}

fn lower(text: &str, into: &mut String) {
    if text.is_ascii() {
        into.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        into.extend(text.chars().flat_map(char::to_lowercase));
    }
}

/// Whether a part in small letters tells texts apart.
fn is_telling(part: &str) -> bool {
    let is_short_number = part.len() < 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    part.chars().nth(1).is_some() && !is_short_number && STOP.binary_search(&part).is_err()
}

/// Splits a name at underscores and changes of case: `HTTPServer_run` as
/// `HTTP`, `Server`, `run`.
fn each_part<'a>(word: &'a str, mut visit: impl FnMut(&'a str)) {
    let mut begin = 0;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_border = c == '_'
            || (c.is_uppercase()
                && before.is_some_and(|before| {
                    before.is_lowercase()
                        || before.is_numeric()
                        || (before.is_uppercase() && next.is_some_and(char::is_lowercase))
                }));
        if is_border {
            if begin < at {
                visit(&word[begin..at]);
            }
            begin = if c == '_' { at + 1 } else { at };
        }
        before = Some(c);
    }
    if begin < word.len() {
        visit(&word[begin..]);
    }
}

/// The number a term is kept by, the same on every machine. Two terms of one
/// repository share one less often than a stem joins two words.
pub fn number(term: &str) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in term.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    (hash ^ (hash >> 32)) as u32
}

/// A text in quotes is looked up by its words in a row; few or many words make
/// no message.
pub const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=12;
/// Shorter phrases occur by chance.
pub const PHRASE_LENGTH: usize = 12;

/// The number of a phrase, given its words in a row; none for what is too short
/// to tell anything. At most the first twelve words count.
pub fn phrase(words: &[&str]) -> Option<u32> {
    let words = &words[..words.len().min(*PHRASE_WORDS.end())];
    let length: usize = words.iter().map(|word| word.len() + 1).sum();
    if !PHRASE_WORDS.contains(&words.len()) || length <= PHRASE_LENGTH {
        return None;
    }
    let mut text = String::with_capacity(length + 1);
    for word in words {
        // No term begins with a blank, so no term is a phrase.
        text.push(' ');
        lower(word, &mut text);
    }
    Some(number(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each(text, |term| all.push(term.text.to_owned()));
        all
    }

    #[test]
    fn a_name_is_known_as_a_whole_and_by_its_parts() {
        assert_eq!(terms("readFileMeta"), ["read", "file", "meta", "readfilemeta"]);
        assert_eq!(terms("HTTPServer_runs"), ["http", "server", "run", "httpserver_runs"]);
        assert_eq!(terms("__init__"), ["init"]);
    }

    #[test]
    fn prose_is_stemmed_and_little_words_are_left_out() {
        assert_eq!(terms("The parsers are parsing it, 12 times"), ["parser", "pars", "time"]);
        assert_eq!(terms("x = 404"), ["404"]);
    }

    #[test]
    fn the_list_of_little_words_can_be_searched() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn a_phrase_needs_two_words_and_some_length() {
        assert_eq!(phrase(&["short", "one"]), None);
        assert_eq!(phrase(&["incompatible_single_word"]), None);
        assert_eq!(phrase(&["No", "such", "Element"]), phrase(&["no", "such", "element"]));
        assert!(phrase(&["no", "such", "element"]).is_some());
    }

    #[test]
    fn numbers_never_change() {
        assert_eq!(number("parser"), 3_604_998_466);
    }
}
