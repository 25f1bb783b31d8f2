//! Results of a search: what each is, when, by whom, and its best passage.

use model::memory::RecordId;
use model::text::one_line;
use search::{Mode, SearchHit, SearchResults};
use std::collections::BTreeSet;

/// Results shown; `--json` has them all. Those far behind the best are mostly noise, but
/// a few are shown whatever their scores.
const MOST: usize = 6;
const FEW: usize = 3;
const FAR_BEHIND: f64 = 0.5;
/// Of those in order of time.
const OLDEST: usize = 4;
/// Columns of a title, a name and a passage, and how many results have one.
const TITLE: usize = 90;
const AUTHOR: usize = 30;
const PASSAGE: usize = 120;
const WITH_PASSAGE: usize = 2;

pub fn search(results: &SearchResults) -> String {
    let mut out = String::new();
    if results.is_oldest_first {
        out.push_str("the oldest that say it:\n");
    } else if results.is_undecided {
        out.push_str("no decision recorded; what speaks of it:\n");
    } else if results.is_weak && !results.items.is_empty() {
        out.push_str("weak; the nearest:\n");
    }
    // What came with a clone that nobody trusts is not for agents.
    let own: Vec<&SearchHit> = results.items.iter().filter(|hit| !hit.foreign).collect();
    let best = own.first().map_or(0.0, |hit| hit.score);
    let n_near = own.iter().take_while(|hit| hit.score >= best * FAR_BEHIND).count();
    let n_told = own.iter().take_while(|hit| hit.is_told_by_title).count();
    let n_near = match n_told {
        // Scores say nothing about an order by date.
        _ if results.is_oldest_first => OLDEST,
        // Titles that say every word, and of what does not a little.
        1.. => n_told,
        0 => n_near,
    };
    let n_shown = n_near.clamp(FEW, MOST).min(own.len());
    let repos: BTreeSet<&str> = own
        .iter()
        .take(n_shown)
        .filter_map(|hit| Some(hit.reference.rsplit_once('@')?.0))
        .collect();
    let is_one_repo = repos.len() == 1;
    for (nth, hit) in own.iter().take(n_shown).enumerate() {
        let date = hit.created_at.map(|at| format!(" {}", at.to_date())).unwrap_or_default();
        let title = one_line(&hit.title, TITLE);
        let author = hit.author.as_deref().map(|name| format!(" {}:", one_line(name, AUTHOR)));
        out.push_str(&format!(
            "{}{date}{} {title}{}\n",
            reference(&hit.reference, is_one_repo),
            author.unwrap_or_default(),
            standing(hit)
        ));
        if nth >= WITH_PASSAGE {
            continue;
        }
        let passage = one_line(&hit.snippet, PASSAGE);
        // The beginning of a commit is its title again.
        if !passage.is_empty() && !passage.starts_with(&title) && !title.starts_with(&passage) {
            out.push_str(&format!(" {passage}\n"));
        }
    }
    let more = (results.total as usize).saturating_sub(n_shown);
    if own.is_empty() {
        out.push_str("nothing found\n");
        if !results.suggestions.is_empty() {
            out.push_str(&format!("near: {}\n", results.suggestions.join(", ")));
        }
    } else if more > 0 {
        // How many texts have one of the words says nothing.
        let by_words = if results.mode == Mode::Lexical { ", by words only" } else { "" };
        out.push_str(&format!("more: --json{by_words}\n"));
    }
    out
}

/// What took the place of a record, or says the opposite: nobody should go by it then.
fn standing(hit: &SearchHit) -> String {
    let Some(note) = &hit.memory else { return String::new() };
    let named = |word: &str, ids: &[RecordId]| {
        let ids: Vec<&str> = ids.iter().map(RecordId::as_str).collect();
        if ids.is_empty() { String::new() } else { format!(" ({word} {})", ids.join(", ")) }
    };
    named("superseded by", &note.superseded_by) + &named("contradicts", &note.contradicts)
}

/// Where all commits are of one repository they need no name of it, and fewer digits.
fn reference(text: &str, is_one_repo: bool) -> &str {
    match text.rsplit_once('@') {
        Some((_, sha)) if is_one_repo => sha.get(..10).unwrap_or(sha),
        Some((repo, sha)) if repo.contains('/') => sha,
        _ => text,
    }
}
