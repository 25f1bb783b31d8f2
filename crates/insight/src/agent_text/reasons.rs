//! Why something is so: who changed it with what words, what was argued and decided.

use super::{own_name, shown_path};
use crate::evidence::Explained;
use crate::reasons::{CommitReason, MergeMessage};
use crate::trace::{Generation, LineOrigin, Trace};
use crate::why::{CommitOrigin, Focus, LinkedRecord, Why};
use model::EntityKind;
use model::relation::Certainty;
use model::text::one_line;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Columns of a quotation.
const QUOTED: usize = 300;
/// Notes of one merge request.
const MOST_NOTES: usize = 2;
const MOST_COMMITS: usize = 4;
/// Commits of lines.
const MOST_ORIGINS: usize = 8;

/// Whom to ask and what depends on it are other questions.
pub fn why(answer: &Why) -> String {
    let mut out = String::new();
    // What came with a clone that nobody trusts is not for agents.
    let is_told = |it: &&LinkedRecord| !it.is_superseded && !it.record.foreign;
    for linked in answer.records.iter().filter(is_told) {
        let record = &linked.record;
        out.push_str(&format!(
            "{} {} {} (on {}): {}\n",
            record.kind,
            record.id,
            record.created_at.to_date(),
            linked.linked_to,
            one_line(&record.title, QUOTED)
        ));
    }
    wording(answer, &mut out);
    if let Some(trace) = &answer.trace {
        if let Some(symbol) = &trace.symbol {
            let standing = match (trace.is_stale, trace.is_edited) {
                (true, _) => " (stale: run lore index)",
                (false, true) => " (edited)",
                (false, false) => "",
            };
            // Whoever asks about a line has named its file.
            let is_named = answer.target.starts_with(&format!("{}:", symbol.path));
            let path = if is_named { "" } else { &format!(" {}", shown_path(&symbol.path)) };
            out.push_str(&format!("in {}{path}:{}{standing}\n", own_name(symbol), symbol.line));
        }
        // What speaks of the question comes before what the lines happen to be from.
        answer.focus.iter().for_each(|focus| of_file(focus, &mut out));
        origins(&trace.origins, &mut out);
        if let Some(focus) = answer.focus.as_ref().filter(|focus| focus.left_out > 0) {
            let words = focus.words.join(", ");
            out.push_str(&format!("{} other commits say less of {words}\n", focus.left_out));
        }
        file_reasons(trace, MOST_COMMITS, &mut out);
    }
    answer.commit.iter().for_each(|it| asked_commit(it, &mut out));
    answer.entity.iter().for_each(|it| explained(it, &mut out));
    answer.merge_requests.iter().for_each(|it| explained(it, &mut out));
    if out.is_empty() {
        let target = one_line(&answer.target, 120);
        out.push_str(&format!("no commit, merge request or record explains {target}\n"));
    }
    out
}

/// Changes of a file that say most, and merge requests that brought lines.
pub(super) fn file_reasons(trace: &Trace, most_commits: usize, out: &mut String) {
    for reason in trace.commits.iter().take(most_commits) {
        out.push_str(&format!("{}{}\n", commit(reason), brought(reason, None)));
    }
    trace.merge_requests.iter().for_each(|it| explained(it, out));
}

/// Where a name stands that no symbol has.
fn wording(answer: &Why, out: &mut String) {
    let Some((first, others)) = answer.text_places.split_first() else { return };
    let target = &answer.target;
    out.push_str(&format!(
        "no symbol {target}; {}:{} has it: {}\n",
        shown_path(&first.path),
        first.line,
        first.text
    ));
    if !others.is_empty() {
        let places: Vec<String> =
            others.iter().map(|it| format!("{}:{}", shown_path(&it.path), it.line)).collect();
        let more = answer.n_text_places.unwrap_or(0).saturating_sub(1 + others.len() as u64);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        out.push_str(&format!("also {}{more}\n", places.join(", ")));
    }
}

/// A commit that was asked about: what it says, what it touches, what came of it.
pub(super) fn asked_commit(origin: &CommitOrigin, out: &mut String) {
    let reason = &origin.commit;
    out.push_str(&format!(
        "{}{}\n",
        commit(reason),
        brought(reason, origin.merge_request.as_deref())
    ));
    if let Some(n_files) = reason.n_files.filter(|_| !reason.companions.is_empty()) {
        let paths = reason.companions.join(", ");
        let more = if n_files > reason.companions.len() as u64 { ", …" } else { "" };
        let files = if n_files == 1 { "file" } else { "files" };
        out.push_str(&format!(" {n_files} {files}: {paths}{more}\n"));
    }
    for other in &reason.changes {
        let phrase =
            other.relation.phrase(other.is_outgoing, Certainty::Stated, EntityKind::MergeRequest);
        let subject = one_line(other.subject.as_deref().unwrap_or_default(), 100);
        let sha: String = other.sha.chars().take(10).collect();
        out.push_str(&format!(" {phrase} {sha} {subject}\n"));
    }
    let is_explained = reason.body.as_ref().is_some_and(|body| body.gives_reasons)
        || reason.telling_merge().is_some();
    if !is_explained && origin.merge_request.is_none() {
        out.push_str(" no reason recorded beyond the subject\n");
    }
}

fn of_file(focus: &Focus, out: &mut String) {
    if focus.of_file.is_empty() {
        return;
    }
    out.push_str(&format!("commits of the file that speak of {}:\n", focus.words.join(", ")));
    for reason in &focus.of_file {
        out.push_str(&format!("{}\n", commit(reason)));
    }
    out.push_str("commits of its lines:\n");
}

/// One line for each commit, with all the lines that come from it; of many commits those
/// that give reasons, and that brought most lines.
pub(super) fn origins(origins: &[LineOrigin], out: &mut String) {
    let mut n_lines: BTreeMap<&str, (bool, u64)> = BTreeMap::new();
    for origin in origins {
        let Some(reason) = &origin.commit else { continue };
        let has_reason = reason.body.as_ref().is_some_and(|body| body.gives_reasons)
            || origin.merge_request.is_some()
            || reason.telling_merge().is_some();
        let known = n_lines.entry(&reason.sha).or_insert((has_reason, 0));
        known.1 += origin.lines.last.saturating_sub(origin.lines.first) + 1;
    }
    let mut best: Vec<(&str, (bool, u64))> = n_lines.into_iter().collect();
    best.sort_by_key(|(sha, rank)| (Reverse(*rank), *sha));
    let left_out: BTreeSet<&str> = best.iter().skip(MOST_ORIGINS).map(|(sha, _)| *sha).collect();
    let mut told: Vec<&str> = Vec::new();
    for origin in origins {
        let Some(reason) = &origin.commit else {
            out.push_str(&format!("{}: not committed yet\n", range(origin)));
            continue;
        };
        let sha = reason.sha.as_str();
        if told.contains(&sha) || left_out.contains(sha) {
            continue;
        }
        told.push(&reason.sha);
        let is_same = |it: &&LineOrigin| it.commit.as_ref().is_some_and(|c| c.sha == reason.sha);
        let own: Vec<&LineOrigin> = origins.iter().filter(is_same).collect();
        let lines: Vec<String> = own.iter().map(|it| range(it)).collect();
        let brought = brought(reason, origin.merge_request.as_deref());
        out.push_str(&format!("{}: {}{brought}\n", lines.join(","), commit(reason)));
        if let Some(moved) = own.iter().find_map(|it| it.moved_by.as_ref()) {
            let short: String = moved.sha.chars().take(10).collect();
            out.push_str(&format!(" moved by {short} {}\n", one_line(&moved.subject, 100)));
        }
        for run in own {
            run.generations.iter().for_each(|it| generation(run.lines.first, it, out));
        }
    }
    if !left_out.is_empty() {
        out.push_str(&format!("{} more commits brought single lines\n", left_out.len()));
    }
}

/// What a line was before; those who want to know have asked for it.
fn generation(line: u64, before: &Generation, out: &mut String) {
    let request = before.merge_request.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
    out.push_str(&format!(
        " {line} was `{}` by {} {} {}: {}{request}\n",
        one_line(&before.text, 120),
        before.sha.get(..10).unwrap_or(&before.sha),
        before.authored_at.to_date(),
        one_line(&before.author, 40),
        one_line(&before.subject, 100)
    ));
}

fn range(origin: &LineOrigin) -> String {
    match (origin.lines.first, origin.lines.last) {
        (first, last) if first == last => format!("{first}"),
        (first, last) => format!("{first}-{last}"),
    }
}

fn sha(reason: &CommitReason) -> String {
    reason.sha.chars().take(10).collect()
}

fn commit(reason: &CommitReason) -> String {
    let body = reason.body.as_ref().filter(|body| body.gives_reasons || body.text.len() < QUOTED);
    let body = body.map(|body| format!(" — {}", one_line(&body.text, QUOTED))).unwrap_or_default();
    let is_told = |ticket: &&String| !reason.subject.contains(*ticket) && !body.contains(*ticket);
    let tickets: Vec<&str> = reason.tickets.iter().filter(is_told).map(String::as_str).collect();
    let names = if tickets.is_empty() { "" } else { " names " };
    format!(
        "{} {} {}: {}{body}{names}{}",
        sha(reason),
        reason.authored_at.to_date(),
        one_line(&reason.author, 40),
        one_line(&reason.subject, 120),
        tickets.join(", ")
    )
}

/// The merge request that brought a commit; where no forge knows of one, what the merge
/// says of it.
fn brought(reason: &CommitReason, merge_request: Option<&str>) -> String {
    match (merge_request, reason.telling_merge()) {
        (Some(known), _) => format!(" ({known})"),
        (None, Some(merge)) => merged_as(merge),
        (None, None) => String::new(),
    }
}

fn merged_as(merge: &MergeMessage) -> String {
    let reference = merge.reference.as_deref().map(|it| format!(" {it}")).unwrap_or_default();
    let reason = merge.reason.as_ref().map(|it| format!(" — {}", one_line(&it.text, QUOTED)));
    let reason = reason.unwrap_or_default();
    format!("; merged as{reference}: {}{reason}", one_line(&merge.title, 120))
}

fn explained(entity: &Explained, out: &mut String) {
    out.push_str(&format!(
        "{} {} {}\n",
        entity.reference,
        entity.state,
        one_line(&entity.title, 120)
    ));
    if let Some(description) = &entity.description {
        out.push_str(&format!(" {}\n", one_line(&description.text, QUOTED)));
    }
    for issue in entity.issues.iter().take(3) {
        let title = issue.title.as_deref().unwrap_or_default();
        out.push_str(&format!(
            " {} {} {}\n",
            issue.relation.as_str(),
            issue.reference,
            one_line(title, 100)
        ));
    }
    for note in entity.notes.iter().take(MOST_NOTES) {
        let author = note.author.as_deref().unwrap_or("somebody");
        let text = if note.excerpt.is_empty() { &note.body } else { &note.excerpt };
        out.push_str(&format!(" @{author}: {}\n", one_line(text, QUOTED)));
    }
}
