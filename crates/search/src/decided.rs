//! What was decided: records of memory say it; commits, issues and threads only speak
//! of it.

use crate::{HitType, Request, SearchHit, SearchResults, Searcher};
use model::Result;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;

/// Where nothing was recorded, so many commits are shown.
const MOST_COMMITS: usize = 3;

impl Searcher<'_> {
    /// Records of decisions first, then what else speaks of it; without a record only the
    /// commits nearest to it.
    pub fn find_decided(&self, request: &Request) -> Result<SearchResults> {
        let sources = vec![SourceType::Decision];
        let filter = DocumentFilter { sources, ..request.filter.clone() };
        let decided = self.find(&Request { filter, ..request.clone() })?;
        let mut all = self.find(request)?;
        // The nearest of all records says nothing where none is about it.
        let own = decided.items.into_iter().filter(|_| !decided.is_weak);
        let mut items: Vec<SearchHit> = own.collect();
        if items.is_empty() {
            all.is_undecided = !all.items.is_empty();
            // A thread may decide; a commit only did something.
            let mut n_commits = 0;
            all.items.retain(|hit| {
                n_commits += usize::from(hit.kind == HitType::Text(SourceType::Commit));
                hit.kind != HitType::Text(SourceType::Commit) || n_commits <= MOST_COMMITS
            });
            return Ok(all);
        }
        let is_new = |hit: &SearchHit| !items.iter().any(|it| it.reference == hit.reference);
        let others: Vec<SearchHit> = all.items.into_iter().filter(is_new).collect();
        items.extend(others);
        items.truncate(request.limit);
        Ok(SearchResults { items, is_weak: false, missing_words: Vec::new(), ..all })
    }
}
