//! What happened, in order of time: an event, or a change of a file, on each line.

use super::reasons::{asked_commit, file_reasons, origins};
use super::shown_path;
use crate::file_history::FileHistory;
use crate::timeline::{EventType, NoteDetails, Timeline, TimelineEvent};
use crate::trace::{MissingPart, Tier, Trace};
use model::text::one_line;
use std::collections::BTreeSet;
use store::details::Thread;

/// Columns of a quotation.
const QUOTED: usize = 180;
const TITLE: usize = 120;

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
    details.note.iter().for_each(|it| signals(it, out));
    if let Some(via) = &event.via {
        out.push_str(&format!(" (via {} {})", via.from.reference(), via.reference_type));
    }
    out.push('\n');
}

/// ` [11.5 = +6.0 decision (decided), +1.0 length]`: why a note counts, where that was
/// asked for.
fn signals(note: &NoteDetails, out: &mut String) {
    if note.signals.is_empty() {
        return;
    }
    let tenths = |points: i32| f64::from(points) / 10.0;
    let signals = note.signals.iter().map(|signal| {
        let phrases = match signal.phrases.as_slice() {
            [] => String::new(),
            phrases => format!(" ({})", phrases.join(", ")),
        };
        format!("{:+.1} {}{phrases}", tenths(signal.points), signal.signal.replace('_', " "))
    });
    let signals = signals.collect::<Vec<_>>().join(", ");
    out.push_str(&format!(" [{:.1} = {signals}]", tenths(note.decision_points)));
}

/// What the answer lacks; where it lacks nothing and is empty, that nothing is there.
fn changes_or_missing(has_changes: bool, parts: &[MissingPart], out: &mut String) {
    if !has_changes && parts.is_empty() {
        out.push_str("no merge request and no commit changed this file\n");
    }
    super::missing(parts, out);
}

fn n_more(total: u64, shown: usize, out: &mut String) {
    let more = total.saturating_sub(shown as u64);
    if more > 0 {
        out.push_str(&format!("# {more} more; a higher limit shows them\n"));
    }
}

/// Where lines come from; of a file, the changes that say most. It has as many of them as
/// were asked for: the answer is cut elsewhere, to its budget.
pub fn trace(answer: &Trace) -> String {
    let mut out = String::new();
    if let Some(symbol) = &answer.symbol {
        let name = super::short(&symbol.symbol);
        out.push_str(&format!("in {name} {}:{}\n", shown_path(&symbol.path), symbol.line));
    }
    answer.commit.iter().for_each(|it| asked_commit(it, &mut out));
    origins(&answer.origins, &mut out);
    file_reasons(answer, usize::MAX, &mut out);
    let n_shown = answer.merge_requests.len() + answer.commits.len();
    if answer.tier == Tier::File {
        n_more(answer.total + answer.total_commits, n_shown, &mut out);
    }
    let has_changes = n_shown > 0 || !answer.origins.is_empty() || answer.commit.is_some();
    changes_or_missing(has_changes, &answer.missing, &mut out);
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
        item.threads.iter().for_each(|it| thread(it, &mut out));
    }
    for commit in &answer.direct_commits {
        out.push_str(&format!(
            "{} {} {}: {}\n",
            commit.committed_at.to_date(),
            commit.sha.get(..10).unwrap_or(&commit.sha),
            one_line(&commit.author, 40),
            one_line(&commit.subject, TITLE)
        ));
    }
    let n_shown = answer.items.len() + answer.direct_commits.len();
    n_more(answer.total + answer.total_direct_commits, n_shown, &mut out);
    changes_or_missing(n_shown > 0, &answer.missing, &mut out);
    out
}

/// A thread on lines of the file: its place, then who wrote what.
fn thread(thread: &Thread, out: &mut String) {
    for (nth, note) in thread.notes.iter().filter(|note| !note.is_system).enumerate() {
        let place = note.location.as_ref().filter(|_| nth == 0).map(|place| {
            let line = place.line.or(place.old_line).map(|line| format!(":{line}"));
            let resolved = if thread.is_resolved == Some(true) { " resolved" } else { "" };
            format!("{}{}{resolved} ", shown_path(&place.path), line.unwrap_or_default())
        });
        out.push_str(&format!(
            "{} {}@{}: {}\n",
            if nth == 0 { "" } else { " " },
            place.unwrap_or_default(),
            note.author.as_deref().unwrap_or("ghost"),
            one_line(&note.body, QUOTED)
        ));
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
