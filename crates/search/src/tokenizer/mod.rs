//! The words of a text as the index sees them, without asking the index: where
//! a few documents have to be looked at, reading them is quicker than finding
//! them again in lists of all documents.

mod pattern;
pub use model::porter;

pub use pattern::{Pattern, Patterns};

use std::ops::Range;
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

/// Where the words of a text stand, in bytes.
pub fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = step_while(text, at, |c| !is_of_word(c));
        at = step_while(text, begin, is_within_word);
        (begin < at).then_some(begin..at)
    })
}

/// The first place from `at` on where the condition does not hold. Most of a
/// text is ASCII, which need not be decoded.
fn step_while(text: &str, mut at: usize, holds: impl Fn(char) -> bool) -> usize {
    while let Some(&byte) = text.as_bytes().get(at) {
        let c = if byte.is_ascii() {
            char::from(byte)
        } else {
            text[at..].chars().next().unwrap_or_default()
        };
        if !holds(c) {
            break;
        }
        at += c.len_utf8();
    }
    at
}

/// Letters, digits and what people made up for themselves.
fn is_of_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_letter() || c.is_number() || c.is_other_private_use()
}

/// An accent of its own does not end the word it stands in.
fn is_within_word(c: char) -> bool {
    is_of_word(c) || is_accent(c)
}

const fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{331}')
}

/// A word in small letters, Latin ones without their accent.
pub fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars().filter(|c| !is_accent(*c)) {
        let mut parts = c.nfd();
        match (parts.next(), parts.next(), parts.next()) {
            // The index leaves letters with two accents as they are.
            (Some(letter), Some(_), None) if letter.is_ascii_alphabetic() => {
                out.push(letter.to_ascii_lowercase());
            }
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// A word as the index keeps it.
pub fn stemmed(word: &str) -> String {
    let mut word = folded(word);
    porter::shorten(&mut word);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use store::fulltext;

    #[test]
    fn words_are_letters_and_digits() {
        let words = |text: &'static str| ranges(text).map(|it| &text[it]).collect::<Vec<_>>();
        assert_eq!(words("don't x_y, café-2 漢字!"), ["don", "t", "x", "y", "café", "2", "漢字"]);
        assert_eq!(words("cafe\u{301}s"), ["cafe\u{301}s"]);
        assert_eq!(words(" \u{1f389}"), [""; 0]);
    }

    #[test]
    fn the_index_finds_the_same_stems() {
        let heads = ["s", "sk", "hop", "fil", "tr", "rel", "migr", "gener", "oper", "x11", "fly"];
        let middles = ["", "e", "at", "p", "ll", "bl", "iz", "ation", "abil", "ou", "yz", "ss"];
        let tails = "s es ies sses ed eed ing y e al ational tional enci izer logi bli alli entli \
            eli ousli ization ator alism iveness fulness ousness aliti iviti biliti icate ative \
            alize iciti ical ful ness ance able ment ement ent ion sion tion ism ate iti ive ize ll";
        let words: Vec<String> = heads
            .iter()
            .flat_map(|head| middles.iter().map(move |middle| format!("{head}{middle}")))
            .flat_map(|word| tails.split_whitespace().map(move |tail| format!("{word}{tail}")))
            .chain(
                ["Ünïted", "CAFÉS", "naïvely", "by", "Straße", "Ελλάδα", "日本語", "Việt"]
                    .map(str::to_owned),
            )
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lore.db");
        let mut writer = store::Writer::open(&file).unwrap();
        let at = model::Timestamp::EPOCH;
        let mut draft = crate::documents::Draft::new(store::dirty::SourceType::Issue, 1, at, "");
        draft.body(crate::documents::Section::Description, &words.join(" "));
        let document = draft.finish();
        let store = |tx: &store::Tx<'_>| {
            store::documents::store(tx, &document)?;
            store::documents::flush_full_text(tx)
        };
        writer.write(store).unwrap();
        let reader = store::Reader::open(&file).unwrap();
        let mut known: BTreeMap<(char, usize), Vec<String>> = BTreeMap::new();
        for word in &words {
            let stem = stemmed(word);
            let (start, length) = (stem.chars().next().unwrap(), stem.chars().count());
            let known = known
                .entry((start, length))
                .or_insert_with(|| fulltext::vocabulary(&reader, start, length).unwrap());
            assert!(known.contains(&stem), "{word}: {stem}");
        }
        let totals = fulltext::totals(&reader).unwrap();
        let columns = [&document.title, &document.text, &document.identifiers];
        let n_words: usize = columns.iter().map(|text| ranges(text).count()).sum();
        assert_eq!((totals.n_documents, totals.n_words), (1, n_words as u64));
    }

    #[test]
    fn accents_and_capitals_do_not_count() {
        assert_eq!(folded("Café"), "cafe");
        assert_eq!(folded("CAFE\u{301}"), "cafe");
        assert_eq!(stemmed("Migrations"), "migrat");
    }
}
