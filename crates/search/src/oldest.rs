//! When something came to be: the first texts that say it.

use crate::{Request, SearchHit, SearchResults, Searcher, Syntax};
use model::Result;

/// Results of one page, and pages: beyond them a word says nothing of its beginning.
const PAGE: usize = 100;
const MOST_PAGES: usize = 5;

impl Searcher<'_> {
    /// What has the query as a phrase, oldest first; what has each of its words where
    /// nothing has the phrase, and without either what is nearest to it.
    pub fn find_oldest(&self, request: &Request) -> Result<SearchResults> {
        let words: Vec<String> = request
            .query
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '+', '*']).to_owned())
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .collect();
        let phrase = format!("+\"{}\"", words.join(" "));
        let demanded: Vec<String> = words.iter().map(|word| format!("+{word}")).collect();
        for query in [phrase, demanded.join(" ")] {
            if words.is_empty() {
                break;
            }
            let mut found =
                self.all_of(&Request { query, syntax: Syntax::Safe, ..request.clone() })?;
            if found.items.is_empty() || found.is_relaxed {
                continue;
            }
            found.items.sort_by(|one, other| age(one).cmp(&age(other)));
            found.items.truncate(request.limit);
            // What it is about was asked for by its words: none of them is missing.
            return Ok(SearchResults { is_oldest_first: true, is_weak: false, ..found });
        }
        self.find(request)
    }

    fn all_of(&self, request: &Request) -> Result<SearchResults> {
        let mut all: Option<SearchResults> = None;
        for page in 0..MOST_PAGES {
            let found =
                self.find(&Request { limit: PAGE, offset: page * PAGE, ..request.clone() })?;
            let is_last = found.items.len() < PAGE;
            match &mut all {
                Some(all) => all.items.extend(found.items),
                None => all = Some(found),
            }
            if is_last {
                break;
            }
        }
        Ok(all.unwrap_or_default())
    }
}

/// What has no date is told last.
fn age(hit: &SearchHit) -> (bool, Option<model::Timestamp>, &str) {
    (hit.created_at.is_none(), hit.created_at, &hit.reference)
}
