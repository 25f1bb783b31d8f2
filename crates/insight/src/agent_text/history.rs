//! What happened to a symbol: how it began, the names it had, its latest changes.

use super::shown_path;
use crate::history::{HistoryStep, SymbolHistory};
use model::lineage::{LineageEnd, StepKind};
use model::text::one_line;

/// Changes and former names shown.
const MOST_CHANGES: usize = 8;
const MOST_NAMES: usize = 4;
/// Columns of a subject, a name and a reason.
const SUBJECT: usize = 80;
const AUTHOR: usize = 30;
const REASON: usize = 160;

/// The beginning comes first: who cuts a long answer cuts its end.
pub fn history(answer: &SymbolHistory) -> String {
    let symbol = &answer.symbol;
    let plural = if answer.total == 1 { "" } else { "s" };
    let mut out = format!(
        "history of {} {}:{}: {} change{plural}\n",
        symbol.symbol,
        shown_path(&symbol.path),
        symbol.line,
        answer.total
    );
    let (begin, rest) = match answer.steps.split_last() {
        Some((begin, rest)) => (Some(begin), rest),
        None => (None, answer.steps.as_slice()),
    };
    if let Some(begin) = begin {
        let how =
            if begin.step.change == StepKind::Introduced { "began " } else { "oldest known: " };
        out.push_str(&format!("{how}{}\n", line(begin)));
    }
    let (renames, changes): (Vec<&HistoryStep>, Vec<&HistoryStep>) =
        rest.iter().partition(|step| step.step.change != StepKind::Changed);
    for step in renames.iter().take(MOST_NAMES) {
        out.push_str(&format!("{}{} {}\n", step.step.change.as_str(), from(step), line(step)));
    }
    if renames.is_empty() && answer.names.len() > 1 {
        let former: Vec<String> = answer.names[1..]
            .iter()
            .take(MOST_NAMES)
            .map(|name| format!("{} in {}", name.symbol, shown_path(&name.path)))
            .collect();
        out.push_str(&format!("was {}\n", former.join(", ")));
    }
    for step in changes.iter().take(MOST_CHANGES) {
        out.push_str(&format!("{}\n", line(step)));
    }
    let n_shown =
        begin.iter().len() + renames.len().min(MOST_NAMES) + changes.len().min(MOST_CHANGES);
    let more = answer.total.saturating_sub(n_shown as u64);
    if more > 0 {
        out.push_str(&format!("{more} more; --json -n {} has them\n", answer.total));
    }
    out.push_str(match answer.end {
        LineageEnd::Introduced => "",
        LineageEnd::Shallow => "a shallow clone: older commits are not here\n",
        LineageEnd::Bounded => "too many versions: the oldest were not read\n",
        LineageEnd::Unexplained => "older than this: a merge brought it in a form no commit has\n",
    });
    super::missing(&answer.missing, &mut out);
    out
}

fn from(step: &HistoryStep) -> String {
    let Some(old) = &step.step.old else { return String::new() };
    let place = if old.path == step.step.new.path { "" } else { &old.path };
    match place {
        "" => format!(" from {}", old.symbol),
        path => format!(" from {} in {}", old.symbol, shown_path(path)),
    }
}

/// `2023-02-12 7dae142a2e Tian: subject — the reason`.
fn line(step: &HistoryStep) -> String {
    let commit = step.step.commit.get(..10).unwrap_or(&step.step.commit);
    let request = match &step.merge_request {
        Some(request) => format!(" [{}]", request.reference),
        None => String::new(),
    };
    // A list says what was done, and the subject has said that.
    let reason = match step.reason.as_ref().filter(|it| !it.starts_with('•')) {
        Some(reason) => format!(" — {}", one_line(reason, REASON)),
        None => String::new(),
    };
    format!(
        "{} {commit} {}: {}{request}{reason}",
        step.authored_at.to_date(),
        one_line(&step.author, AUTHOR),
        one_line(&step.subject, SUBJECT)
    )
}
