//! Results of a search: what each is, when, and its best passage.

use model::text::one_line;
use search::{SearchHit, SearchResults};

/// Results shown; `-n` and `--budget` give more.
const MOST: usize = 6;
/// Columns of a title and of a passage.
const TITLE: usize = 100;
const PASSAGE: usize = 140;

pub fn search(results: &SearchResults) -> String {
    let mut out = String::new();
    if results.is_weak && !results.items.is_empty() {
        out.push_str("weak; the nearest:\n");
    }
    // What came with a clone that nobody trusts is not for agents.
    let own: Vec<&SearchHit> = results.items.iter().filter(|hit| !hit.foreign).collect();
    for hit in own.iter().take(MOST) {
        let date = hit.created_at.map(|at| format!(" {}", at.to_date())).unwrap_or_default();
        let title = one_line(&hit.title, TITLE);
        out.push_str(&format!("{}{date} {title}\n", reference(&hit.reference)));
        let passage = one_line(&hit.snippet, PASSAGE);
        // The beginning of a commit is its title again.
        if !passage.is_empty() && !passage.starts_with(&title) && !title.starts_with(&passage) {
            out.push_str(&format!(" {passage}\n"));
        }
    }
    let more = (results.total as usize).saturating_sub(MOST.min(own.len()));
    if own.is_empty() {
        out.push_str("nothing found\n");
        if !results.suggestions.is_empty() {
            out.push_str(&format!("near: {}\n", results.suggestions.join(", ")));
        }
    } else if more > 0 {
        out.push_str(&format!("{more} more; --json has them\n"));
    }
    out
}

/// A commit of the repository around needs no name of it.
fn reference(text: &str) -> &str {
    match text.rsplit_once('@') {
        Some((repo, sha)) if repo.contains('/') => sha,
        _ => text,
    }
}
