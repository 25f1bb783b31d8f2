//! What happened, in order of time: an event, or a change of a file, on each line.

use super::reasons::{file_reasons, origins};
use crate::file_history::FileHistory;
use crate::timeline::{EventType, Timeline, TimelineEvent};
use crate::trace::Trace;
use model::text::one_line;
use std::collections::BTreeSet;

/// Columns of a quotation.
const QUOTED: usize = 180;
const TITLE: usize = 120;
/// Commits of a file that no merge request explains.
const MOST_COMMITS: usize = 20;

/// `2024-02-02 decided !36 …`: references without their project where there is one.
pub fn timeline(answer: &Timeline) -> String {
    let projects: BTreeSet<&str> = answer.events.iter().map(|it| it.project.as_str()).collect();
    let mut out = String::new();
    for event in &answer.events {
        line(event, projects.len() > 1, &mut out);
    }
    if answer.events.is_empty() {
        out.push_str("nothing matches\n");
    }
    if answer.meta.events_left_out > 0 {
        let n = answer.meta.events_left_out;
        out.push_str(&format!("# {n} events left out, the least telling; -n shows more\n"));
    }
    out
}

fn line(event: &TimelineEvent, is_mixed: bool, out: &mut String) {
    let whole = event.reference();
    let name = match whole.rfind(['!', '#']) {
        Some(at) if !is_mixed => &whole[at..],
        _ => whole.as_str(),
    };
    // A hash says that it is a commit.
    let (kind, sign) = match event.event_type {
        EventType::Committed => (String::new(), ""),
        EventType::Note => ("said on ".to_owned(), "@"),
        kind => (format!("{} ", kind.as_str()), "@"),
    };
    let actor = event.actor.as_deref().map(|it| format!(" {sign}{}", one_line(it, 40)));
    let summary = match &event.details.note {
        Some(_) => String::new(),
        None => format!(" {}", one_line(&event.summary, TITLE)),
    };
    out.push_str(&format!(
        "{} {kind}{name}{summary}{}",
        event.timestamp.to_date(),
        actor.unwrap_or_default()
    ));
    let details = &event.details;
    let note = details.note.as_ref().map(|it| &it.snippet);
    let decision = details.decision.as_ref().map(|it| &it.rationale);
    let body = details.commit.as_ref().and_then(|it| it.body.as_ref());
    if let Some(text) = note.or(decision).or(body).filter(|text| !text.trim().is_empty()) {
        out.push_str(&format!(": {}", one_line(text, QUOTED)));
    }
    if let Some(via) = &event.via {
        out.push_str(&format!(" (via {} {})", via.from.reference(), via.reference_type));
    }
    out.push('\n');
}

/// Where lines come from; of a file, the changes that say most.
pub fn trace(answer: &Trace) -> String {
    let mut out = String::new();
    if let Some(symbol) = &answer.symbol {
        let name = super::short(&symbol.symbol);
        out.push_str(&format!("in {name} {}:{}\n", symbol.path, symbol.line));
    }
    origins(&answer.origins, &mut out);
    file_reasons(answer, &mut out);
    if out.is_empty() {
        out.push_str("no merge request and no commit changed this file\n");
    }
    out
}

/// Merge requests and commits that changed a file, newest first.
pub fn file_history(answer: &FileHistory) -> String {
    let mut out = String::new();
    for rename in &answer.rename_chain {
        let day = rename.at.to_date();
        out.push_str(&format!("{day} renamed {} to {} by {}\n", rename.from, rename.to, rename.by));
    }
    for item in &answer.items {
        let day = item.merged_at.unwrap_or(item.created_at).to_date();
        let author = item.author.as_deref().map(|it| format!(" @{it}")).unwrap_or_default();
        let closes = match item.closes.as_slice() {
            [] => String::new(),
            issues => format!(", closes {}", issues.join(", ")),
        };
        let notes = match item.notes_on_file {
            0 => String::new(),
            n => format!(", {n} notes on it"),
        };
        out.push_str(&format!(
            "{day} {} {} {}{author}{closes}{notes}\n",
            item.reference,
            item.state,
            one_line(&item.title, TITLE)
        ));
    }
    for commit in answer.direct_commits.iter().take(MOST_COMMITS) {
        out.push_str(&format!(
            "{} {} {}: {}\n",
            commit.committed_at.to_date(),
            commit.sha.get(..10).unwrap_or(&commit.sha),
            one_line(&commit.author, 40),
            one_line(&commit.subject, TITLE)
        ));
    }
    let shown = answer.direct_commits.len().min(MOST_COMMITS) as u64;
    let more = answer.total_direct_commits.saturating_sub(shown)
        + answer.total.saturating_sub(answer.items.len() as u64);
    if more > 0 {
        out.push_str(&format!("# {more} more; -n shows them\n"));
    }
    if out.is_empty() {
        out.push_str("no merge request and no commit changed this file\n");
    }
    out
}
