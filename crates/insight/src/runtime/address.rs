//! Where the code of a caller has the address that it asks for over HTTP. Such a call has no
//! other counterpart in code: a path that is written out, or none.

use crate::code::{SymbolRef, View};
use git::{ObjectId, Repo, WordLine};
use model::ids::RepoId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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

/// Words looked for in one answer: each takes a search through the files of a commit.
const MOST_SEARCHES: usize = 12;
/// Lines of one file that a search gives at most (`git::Repo::lines_with_in_any_case`).
const MOST_OF_FILE: usize = 5;
/// Shorter words of a path say nothing.
const LEAST_LETTERS: usize = 4;

/// What a search for a word found in the code of a commit.
#[derive(Debug, Default)]
struct WordSearch {
    addresses: Vec<WrittenAddress>,
    /// Files that may have more lines with the word than were looked at.
    unfinished: BTreeSet<String>,
}

impl WordSearch {
    fn of(lines: &[WordLine], word: &str) -> Self {
        let mut n_lines: BTreeMap<String, usize> = BTreeMap::new();
        let mut found = WordSearch::default();
        for line in lines {
            let path = line.path.to_string();
            if !is_code(&path) {
                continue;
            }
            *n_lines.entry(path.clone()).or_default() += 1;
            if is_address(&line.text, word) {
                found.addresses.push(WrittenAddress { path, line: line.line });
            }
        }
        let unfinished = n_lines.into_iter().filter(|(_, n)| *n >= MOST_OF_FILE);
        found.unfinished = unfinished.map(|(path, _)| path).collect();
        found
    }
}

#[derive(Default)]
pub(super) struct AddressBook {
    /// By repository and word; none where the search failed.
    searches: HashMap<(RepoId, String), Option<WordSearch>>,
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
    ) -> AddressEvidence {
        let scope = &view.scope;
        let is_here = route.qualified_name.starts_with(&format!("{}://", scope.repo.canonical_url));
        // Too many matches, or a git that cannot search: then nothing can be said.
        let search = |word: &str| {
            let git = Repo::open(Path::new(scope.dir.as_ref()?)).ok()?;
            git.lines_with_in_any_case(word, ObjectId::parse(&scope.snapshot.sha)?).ok()
        };
        let place = CallerPlace {
            repo: scope.repo.id,
            folder: folder.unwrap_or_default(),
            declared: is_here.then_some(route.path.as_str()),
        };
        self.evidence(&place, path, search)
    }

    fn evidence(
        &mut self,
        place: &CallerPlace<'_>,
        path: &str,
        search: impl Fn(&str) -> Option<Vec<WordLine>>,
    ) -> AddressEvidence {
        let Some(words) = words(path) else { return AddressEvidence::Unknown };
        // The path as a whole, or its last word: many put an address together.
        let last = words.rsplit('/').next().filter(|last| *last != words);
        let last = last.filter(|last| last.len() >= LEAST_LETTERS);
        let mut is_open = false;
        for wanted in [Some(words.as_str()), last].into_iter().flatten() {
            let Some(found) = self.search(place.repo, wanted, &search) else {
                return AddressEvidence::Unknown;
            };
            for address in &found.addresses {
                if place.is_declared(&address.path) {
                    continue;
                }
                if place.has(&address.path) {
                    return AddressEvidence::Written(address.clone());
                }
                // What stands beside the caller's folder may be a library of it, or another
                // caller.
                is_open = true;
            }
            is_open |= found.unfinished.iter().any(|path| !place.is_declared(path));
        }
        if is_open { AddressEvidence::Unknown } else { AddressEvidence::Nowhere }
    }

    fn search(
        &mut self,
        repo: RepoId,
        word: &str,
        search: impl Fn(&str) -> Option<Vec<WordLine>>,
    ) -> Option<&WordSearch> {
        let key = (repo, word.to_owned());
        let n_searches = self.searches.len();
        match self.searches.entry(key) {
            Entry::Occupied(known) => known.into_mut().as_ref(),
            Entry::Vacant(_) if n_searches >= MOST_SEARCHES => None,
            Entry::Vacant(new) => {
                new.insert(search(word).map(|lines| WordSearch::of(&lines, word))).as_ref()
            }
        }
    }
}

/// Where an address would be written.
struct CallerPlace<'a> {
    repo: RepoId,
    folder: &'a str,
    /// The file of the repository that declares the route.
    declared: Option<&'a str>,
}

impl CallerPlace<'_> {
    fn is_declared(&self, path: &str) -> bool {
        self.declared == Some(path)
    }

    fn has(&self, path: &str) -> bool {
        self.folder.is_empty() || path.starts_with(&format!("{}/", self.folder))
    }
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

    fn lines(all: &[(&str, &str)]) -> Vec<WordLine> {
        let line = |(nth, (path, text)): (usize, &(&str, &str))| WordLine {
            path: git::RepoPath::from(*path),
            line: nth as u32 + 1,
            text: (*text).to_owned(),
        };
        all.iter().enumerate().map(line).collect()
    }

    fn place(declared: &str) -> CallerPlace<'_> {
        CallerPlace { repo: RepoId(1), folder: "", declared: Some(declared) }
    }

    #[test]
    fn a_search_that_fails_says_nothing() {
        let mut book = AddressBook::default();
        let found = book.evidence(&place("views.py"), "GET /orders", |_| None);
        assert_eq!(found, AddressEvidence::Unknown);
    }

    #[test]
    fn an_address_is_nowhere_only_where_every_line_was_looked_at() {
        let use_of = ("job.py", "count(orders)");
        for (n_lines, found) in [(4, AddressEvidence::Nowhere), (5, AddressEvidence::Unknown)] {
            let search = |_: &str| Some(lines(&vec![use_of; n_lines]));
            let mut book = AddressBook::default();
            assert_eq!(book.evidence(&place("views.py"), "GET /orders", search), found);
        }
    }

    #[test]
    fn what_declares_one_route_may_ask_for_another() {
        let mut book = AddressBook::default();
        let search = |_: &str| Some(lines(&[("one.py", "get(\"/orders\")")]));
        assert_eq!(book.evidence(&place("one.py"), "/orders", search), AddressEvidence::Nowhere);
        let written = WrittenAddress { path: "one.py".to_owned(), line: 1 };
        let found = book.evidence(&place("two.py"), "/orders", search);
        assert_eq!(found, AddressEvidence::Written(written));
    }

    #[test]
    fn an_answer_takes_few_searches() {
        let n_searches = std::cell::Cell::new(0);
        let search = |_: &str| {
            n_searches.set(n_searches.get() + 1);
            Some(Vec::new())
        };
        let mut book = AddressBook::default();
        for nth in 0..30 {
            for _ in 0..2 {
                let _ = book.evidence(&place("a.py"), &format!("/orders/item{nth}"), search);
            }
        }
        assert_eq!(n_searches.get(), MOST_SEARCHES);
    }
}
