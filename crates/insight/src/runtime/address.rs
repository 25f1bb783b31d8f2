//! Where the code of a caller has the address that it asks for over HTTP. Such a call has no
//! other counterpart in code: a path that is written out, or none.

use crate::code::{SymbolRef, View};
use git::{ObjectId, Repo};
use model::Result;
use model::ids::RepoId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;

/// Where an address is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrittenAddress {
    pub path: String,
    pub line: u32,
}

/// What code says of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum AddressEvidence {
    /// Nothing can be said: there is no clone, or the path has no words of its own.
    #[default]
    Unknown,
    Nowhere,
    Written(WrittenAddress),
}

/// Addresses looked for in one answer: each takes a search through the files of a commit.
const MOST_LOOKS: usize = 8;
/// Shorter words of a path say nothing.
const LEAST_LETTERS: usize = 4;

#[derive(Default)]
pub(super) struct AddressBook {
    known: HashMap<(RepoId, String, String), AddressEvidence>,
}

impl AddressBook {
    /// Looks for a path in the code of a caller, in its folder where it has one; not where
    /// the route itself is declared.
    pub fn find(
        &mut self,
        view: &View<'_>,
        folder: Option<&str>,
        path: &str,
        route: &SymbolRef,
    ) -> Result<AddressEvidence> {
        let Some(words) = words(path) else { return Ok(AddressEvidence::Unknown) };
        let folder = folder.unwrap_or_default();
        let key = (view.scope.repo.id, folder.to_owned(), words.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if self.known.len() >= MOST_LOOKS {
            return Ok(AddressEvidence::Unknown);
        }
        let found = look(view, folder, &words, route)?;
        self.known.insert(key, found.clone());
        Ok(found)
    }
}

fn look(view: &View<'_>, folder: &str, words: &str, route: &SymbolRef) -> Result<AddressEvidence> {
    let scope = &view.scope;
    let opened = scope.dir.as_ref().and_then(|dir| Repo::open(Path::new(dir)).ok());
    let (Some(git), Some(commit)) = (opened, ObjectId::parse(&scope.snapshot.sha)) else {
        return Ok(AddressEvidence::Unknown);
    };
    let is_declared = |path: &str| {
        path == route.path && route.qualified_name.starts_with(&scope.repo.canonical_url)
    };
    let mut is_elsewhere = false;
    // The path as a whole, or its last word: many put an address together.
    let last = words.rsplit('/').next().filter(|last| *last != words);
    for wanted in
        [Some(words), last.filter(|last| last.len() >= LEAST_LETTERS)].into_iter().flatten()
    {
        for line in git.lines_with_in_any_case(wanted, commit)? {
            let path = line.path.to_string();
            if !is_code(&path) || is_declared(&path) || !is_address(&line.text, wanted) {
                continue;
            }
            if folder.is_empty() || path.starts_with(&format!("{folder}/")) {
                return Ok(AddressEvidence::Written(WrittenAddress { path, line: line.line }));
            }
            is_elsewhere = true;
        }
    }
    // What stands beside the caller's folder may be a library of it, or another caller.
    Ok(if is_elsewhere { AddressEvidence::Unknown } else { AddressEvidence::Nowhere })
}

/// Texts for people speak of addresses and ask for none.
fn is_code(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    !matches!(ending, "md" | "rst" | "txt" | "adoc" | "lock" | "svg" | "html")
}

/// Whether the words are part of a path or begin a text there.
fn is_address(line: &str, words: &str) -> bool {
    let (line, words) = (line.to_ascii_lowercase(), words.to_ascii_lowercase());
    line.match_indices(&words)
        .any(|(at, _)| line[..at].ends_with(['/', '"', '\'', '`', '}']) || words.contains('/'))
}

/// The longest row of words in a path or pattern: of `/v2/api/items/{id}` `v2/api/items`.
fn words(path: &str) -> Option<String> {
    let path = path.split_once(' ').map_or(path, |(_, path)| path);
    let is_word = |part: &&str| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~'))
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let rows = parts.split(|part| !is_word(part)).map(|row| row.join("/"));
    rows.max_by_key(String::len).filter(|row| row.len() >= LEAST_LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_row_of_words_is_looked_for() {
        for (path, found) in [
            ("GET /v2/api/items/{id}", Some("v2/api/items")),
            ("/orders/<int:id>/lines-of-it", Some("lines-of-it")),
            ("POST /get-quote", Some("get-quote")),
            ("GET /users/:id", Some("users")),
            ("GET /", None),
            ("GET /a/{id}", None),
        ] {
            assert_eq!(words(path).as_deref(), found, "{path}");
        }
    }

    #[test]
    fn a_word_counts_in_a_path_or_at_the_beginning_of_a_text() {
        assert!(is_address("post(base + \"/checkout\")", "checkout"));
        assert!(is_address("url('checkout')", "checkout"));
        assert!(is_address("$\"{base}catalogBrands\"", "catalogbrands"));
        assert!(!is_address("checkout()", "checkout"));
        assert!(!is_address("we go to checkout", "checkout"));
        assert!(is_address("x = base + api/items", "api/items"));
    }
}
