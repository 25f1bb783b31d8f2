//! "Did you mean": words of the index near to those that were not found.

use crate::query::quoted;
use crate::snippet::first_marked;
use model::Result;
use model::suggest::nearest;
use std::collections::BTreeSet;
use store::{Reader, fulltext};

const MOST: usize = 3;
/// A pasted text has no typing errors worth finding.
const MOST_WORDS: usize = 8;
const SHORTEST: usize = 3;

/// Up to three words, near to the query's in its order, as texts write them.
pub fn near(reader: &Reader, words: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut seen: BTreeSet<String> = words.iter().cloned().collect();
    for word in words.iter().take(MOST_WORDS) {
        let length = word.chars().count();
        let Some(start) = word.chars().next().filter(|_| length >= SHORTEST) else { continue };
        let vocabulary = fulltext::vocabulary(reader, start, length)?;
        for stem in nearest(word, vocabulary.iter().map(String::as_str), MOST) {
            // The index keeps stems; people read words.
            let text = fulltext::example(reader, &quoted(stem))?;
            let written = text.as_deref().and_then(first_marked).map(|it| it.to_lowercase());
            if let Some(written) = written.filter(|written| seen.insert(written.clone())) {
                found.push(written);
            }
        }
    }
    found.truncate(MOST);
    Ok(found)
}
