//! Why a symbol is so, in the words of a commit that changed it and names it.

use super::located::{LocatedSymbol, has_word, nearest};
use super::quote::{data, name};
use super::{LineKind, PushContext, PushLine};
use crate::ancestry::Ancestry;
use crate::reasons::{rationale, sentence_with, weight};
use git::{FileChange, Hunk, ObjectId, Repo, RepoPath};
use model::Result;
use std::cmp::Reverse;
use std::path::Path;
use store::commits::{self, CommitRow};
use store::paths;

/// Commits of a file that are looked through for the name of a symbol.
const COMMITS: usize = 200;
/// Shorter names are words of any message.
const SHORTEST_NAME: usize = 4;
/// Commits whose change is read: each takes a git process.
const MOST_READ: usize = 3;
/// Columns of a commit's words, and characters of its reason.
const WHY: usize = 120;
const REASON: usize = 120;
/// Lines by which a symbol may have been longer than it is now.
const LONGER: u32 = 3;

/// The best commit of a file that names a symbol, gives a reason and changed its lines;
/// those of other branches and later than what is checked out are left out.
pub(super) fn reason(
    context: &PushContext<'_>,
    path: &str,
    symbols: &[&LocatedSymbol],
    shown: &str,
) -> Result<Option<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(None) };
    let named: Vec<&&LocatedSymbol> = symbols.iter().filter(|it| is_telling(&it.name)).collect();
    if named.is_empty() {
        return Ok(None);
    }
    let rows = paths::newest_commits(context.reader, scope.repo.id, path, COMMITS)?;
    let mut found = Vec::new();
    for (nth, commit) in rows.iter().enumerate().filter(|(_, commit)| !commit.is_merge) {
        // Most messages name none of them; how much one says takes longer to tell.
        if !named.iter().any(|symbol| has_word(&commit.message, &symbol.name)) {
            continue;
        }
        let worth = weight(&commit.message);
        if worth <= 1 {
            continue;
        }
        for symbol in &named {
            if let Some(words) = words_about(commit, &symbol.name) {
                found.push((worth, Reverse(nth), commit, *symbol, words));
            }
        }
    }
    let Some(clone) = scope.dir.as_ref().filter(|_| !found.is_empty()) else { return Ok(None) };
    let Ok(clone) = Repo::open(Path::new(clone)) else { return Ok(None) };
    found.sort_by_key(|it| Reverse((it.0, it.1)));
    let mut ancestry = Ancestry::new(context.reader, scope)?;
    let mut n_read = 0;
    for (_, _, commit, symbol, words) in found {
        if n_read == MOST_READ {
            break;
        }
        let short: String = commit.sha.chars().take(10).collect();
        if shown.contains(&short[..7]) || !ancestry.holds(commit)? {
            continue;
        }
        n_read += 1;
        let parents = commits::parents(context.reader, scope.repo.id, &commit.sha)?;
        let parent = parents.first().map(|(sha, _)| sha.as_str());
        if !is_changed_by(&clone, (parent, &commit.sha), path, symbol) {
            continue;
        }
        let text = format!(
            "why {}: {short} {} {}",
            name(&symbol.name),
            commit.authored_at.to_date(),
            data(&words, WHY)
        );
        return Ok(Some(PushLine::new(LineKind::Why, short, "", text)));
    }
    Ok(None)
}

/// What a commit says of a name: its subject with the reason it gives, or the subject
/// with the sentence that has the name. None where the name stands only in lists and code.
fn words_about(commit: &CommitRow, name: &str) -> Option<String> {
    let body = commit.message.split_once('\n').map_or("", |(_, body)| body);
    let reason = if has_word(&commit.subject, name) {
        rationale(body, REASON).map(|it| it.text).unwrap_or_default()
    } else {
        sentence_with(body, |sentence| has_word(sentence, name))?
    };
    Some(if reason.is_empty() {
        commit.subject.clone()
    } else {
        format!("{}: {reason}", commit.subject)
    })
}

/// Whether a commit changed lines of a symbol. What cannot be read changed nothing.
fn is_changed_by(
    clone: &Repo,
    (parent, commit): (Option<&str>, &str),
    path: &str,
    symbol: &LocatedSymbol,
) -> bool {
    let path = RepoPath::from(path);
    let parent = parent.and_then(ObjectId::parse).map(|id| (id, &path));
    let Some(commit) = ObjectId::parse(commit) else { return false };
    match clone.file_change(parent, (commit, &path)) {
        Ok(change) => touches(&change, symbol),
        Err(_) => false,
    }
}

/// The symbol is looked for by its head, and taken to be about as long as it is now.
fn touches(change: &FileChange, symbol: &LocatedSymbol) -> bool {
    let lines: Vec<&str> = change.text.lines().collect();
    let at = nearest(&lines, i64::from(symbol.lines.first), &symbol.name, &symbol.head);
    let Some(first) = at.and_then(|line| u64::try_from(line).ok()) else { return false };
    let last = first + u64::from(symbol.lines.last.saturating_sub(symbol.lines.first) + LONGER);
    let is_hit = |hunk: &Hunk| hunk.start <= last && first < hunk.start + hunk.len.max(1);
    change.hunks.iter().any(is_hit)
}

/// A name that is no everyday word, nor one that every type has: a message that has it
/// means the symbol.
fn is_telling(name: &str) -> bool {
    let is_special = name.starts_with("__") && name.ends_with("__");
    let has_joint = name.trim_matches('_').contains('_')
        || name.chars().skip(1).any(char::is_uppercase)
        || name.chars().any(|c| c.is_ascii_digit());
    name.len() >= SHORTEST_NAME && has_joint && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::push::LineRange;
    use model::ids::NodeId;

    #[test]
    fn names_that_could_be_words_are_not_looked_for() {
        assert!(is_telling("parse_lines"));
        assert!(is_telling("toJson"));
        assert!(is_telling("utf8"));
        assert!(!is_telling("total"));
        assert!(!is_telling("_get"));
        assert!(!is_telling("__init__"));
        assert!(!is_telling("__getattr_path__"));
        assert!(!is_telling("init__"));
    }

    #[test]
    fn a_commit_counts_where_it_changed_the_symbol() {
        let symbol = LocatedSymbol {
            node: NodeId(1),
            name: "parse_lines".to_owned(),
            symbol: "a.parse_lines".to_owned(),
            head: "def parse_lines".to_owned(),
            is_test: false,
            lines: LineRange { first: 40, last: 43 },
        };
        let text = format!("{}def parse_lines(text):\n    return 1\n", "x = 1\n".repeat(20));
        let hunk = |start, len| Hunk { old_start: start, old_len: 1, start, len };
        let change = |hunk| FileChange { text: text.clone(), hunks: vec![hunk] };
        assert!(touches(&change(hunk(22, 1)), &symbol));
        assert!(touches(&change(hunk(21, 1)), &symbol));
        assert!(touches(&change(hunk(1, 22)), &symbol));
        assert!(!touches(&change(hunk(5, 2)), &symbol));
        let gone = FileChange { text: "x = 1\n".to_owned(), hunks: vec![hunk(1, 1)] };
        assert!(!touches(&gone, &symbol));
    }
}
