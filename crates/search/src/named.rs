//! What a query names outright: `#257`, `group/project!475`, the beginning of a
//! commit's hash. These come first, whatever their words.

use model::{EntityKind, Reference, Result};
use std::ops::ControlFlow;
use store::Reader;
use store::{fulltext, named_documents};

/// Shorter beginnings of a hash are words.
const SHORTEST_HASH: usize = 7;
const LONGEST_HASH: usize = 64;

/// What was named, and which documents that is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedDocuments {
    pub documents: Vec<i64>,
    /// As they were typed, with or without documents.
    pub names: Vec<String>,
    /// Those of which nothing is known.
    pub missing: Vec<String>,
    /// The query is nothing but names.
    pub is_everything: bool,
}

pub fn named_in(reader: &Reader, query: &str) -> Result<NamedDocuments> {
    let mut named = NamedDocuments { is_everything: true, ..NamedDocuments::default() };
    for word in query.split_whitespace() {
        let word = word.trim_matches(|c: char| matches!(c, ',' | ';' | '?' | '(' | ')' | '"'));
        let found = match Reference::find_all(word).first() {
            Some(found) if found.start == 0 && found.end == word.len() => match &found.reference {
                Reference::Entity(it) => {
                    named_documents::numbered(reader, it.kind, it.iid.0, it.project.as_deref())?
                }
                Reference::Commit { sha, .. } => named_documents::of_commit(reader, sha)?,
            },
            _ if is_hash(word) => named_documents::of_commit(reader, &word.to_lowercase())?,
            _ => {
                named.is_everything = false;
                continue;
            }
        };
        // A word of a few letters and digits may be just that.
        if found.is_empty() && is_hash(word) && !is_sure_hash(word) {
            named.is_everything = false;
            continue;
        }
        if found.is_empty() {
            named.missing.push(word.to_owned());
        }
        named.names.push(word.to_owned());
        for document in found {
            if !named.documents.contains(&document) {
                named.documents.push(document);
            }
        }
    }
    named.is_everything &= !named.names.is_empty();
    Ok(named)
}

fn is_hash(word: &str) -> bool {
    (SHORTEST_HASH..=LONGEST_HASH).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Long, or letters and digits in turn: no number and no word.
fn is_sure_hash(word: &str) -> bool {
    let bytes = word.as_bytes();
    let kinds =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
    kinds.count() >= 2
}

/// Which of these documents have one of the names written in them.
pub fn mentioning(reader: &Reader, names: &[String], documents: &[i64]) -> Result<Vec<i64>> {
    let mut found = Vec::new();
    fulltext::read_each(reader, documents, |document, columns| {
        if names.iter().any(|name| is_written(columns.text, name)) {
            found.push(document);
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// `#12` is not written in `#123`. Of a name with its project, the number will do.
fn is_written(text: &str, name: &str) -> bool {
    let sigil = name.rfind([EntityKind::Issue.sigil(), EntityKind::MergeRequest.sigil()]);
    let short = sigil.map_or(name, |at| &name[at..]);
    text.match_indices(short).any(|(at, _)| {
        let behind = text[at + short.len()..].chars().next();
        !behind.is_some_and(char::is_alphanumeric) || sigil.is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_told_from_words_and_numbers() {
        assert!(is_hash("ab5a9171") && is_sure_hash("ab5a9171"));
        assert!(!is_hash("deadbeef") && !is_hash("ab5a9"));
        assert!(is_hash("20240131") && !is_sure_hash("20240131"));
    }

    #[test]
    fn a_number_is_not_written_inside_a_longer_one() {
        assert!(is_written("see #25.", "#25") && is_written("see a/b#25", "a/b#25"));
        assert!(!is_written("see #257", "#25") && !is_written("see !25", "#25"));
        assert!(is_written("ACK ab5a9171ffff", "ab5a9171"));
    }
}
