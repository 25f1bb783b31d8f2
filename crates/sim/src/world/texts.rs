//! The exact words of GitLab's system notes, by era.
//!
//! Bodies are written once and never rewritten: an old note keeps the words of
//! its time. Only closing, labels and milestones differ so much by era that
//! lore must know several forms; the rest follows the current wording.

use std::fmt::Write as _;

/// Which GitLab wrote the note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// Up to 8.14 (2016): capitalized sentences, no events at all.
    Capitalized,
    /// 8.15 to 11.2: lower case, labels, milestones and states as notes.
    NotesOnly,
    /// 11.3 to 13.1: labels as events, milestones and states still as notes.
    LabelEvents,
    /// 13.2 and later: labels, milestones and states are events and never notes.
    #[default]
    Modern,
}

impl Era {
    pub fn has_label_events(self) -> bool {
        self >= Era::LabelEvents
    }

    pub fn has_state_events(self) -> bool {
        self >= Era::Modern
    }
}

/// What closed an issue, as a reference seen from the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosedVia<'a> {
    MergeRequest(&'a str),
    Commit(&'a str),
}

/// The stored note of a state change before 13.2; `state` is `closed`,
/// `reopened` or `merged`.
pub fn state_changed(era: Era, state: &str, via: Option<ClosedVia<'_>>) -> String {
    let (stem, by) = match era {
        Era::Capitalized => (format!("Status changed to {state}"), "by"),
        _ => (state.to_owned(), "via"),
    };
    match via {
        None => stem,
        Some(ClosedVia::MergeRequest(reference)) => {
            format!("{stem} {by} merge request {reference}")
        }
        Some(ClosedVia::Commit(reference)) => format!("{stem} {by} commit {reference}"),
    }
}

/// The stored note of a label change before 11.3; labels by id.
pub fn labels_changed(era: Era, added: &[i64], removed: &[i64]) -> String {
    let list = |verb: &str, ids: &[i64]| {
        let mut text = verb.to_owned();
        for id in ids {
            let _ = write!(text, " ~{id}");
        }
        text.push_str(if ids.len() == 1 { " label" } else { " labels" });
        text
    };
    let text = match (added, removed) {
        (added, []) => list("added", added),
        ([], removed) => list("removed", removed),
        (added, removed) => format!("{} and {}", list("added", added), list("removed", removed)),
    };
    capitalized_if(era, text)
}

/// The stored note of a milestone change before 13.2; `reference` as `%2`.
pub fn milestone_changed(era: Era, reference: Option<&str>) -> String {
    match (era, reference) {
        (Era::Capitalized, Some(reference)) => format!("Milestone changed to {reference}"),
        (Era::Capitalized, None) => "Milestone removed".to_owned(),
        (_, Some(reference)) => format!("changed milestone to {reference}"),
        (_, None) => "removed milestone".to_owned(),
    }
}

/// `kind` is `issue`, `merge request`, `commit` …
pub fn mentioned_in(era: Era, kind: &str, reference: &str) -> String {
    capitalized_if(era, format!("mentioned in {kind} {reference}"))
}

pub fn assignees_changed(era: Era, added: &[&str], removed: &[&str]) -> String {
    if era == Era::Capitalized {
        return match added {
            [] => "Assignee removed".to_owned(),
            _ => format!("Reassigned to {}", sentence(&mentions(added))),
        };
    }
    let (added, removed) = (mentions(added), mentions(removed));
    let mut parts = Vec::new();
    if !added.is_empty() {
        parts.push(format!("assigned to {}", sentence(&added)));
    }
    if !removed.is_empty() {
        parts.push(format!("unassigned {}", sentence(&removed)));
    }
    parts.join(" and ")
}

pub fn reviewers_changed(added: &[&str], removed: &[&str]) -> String {
    let (added, removed) = (mentions(added), mentions(removed));
    let mut parts = Vec::new();
    if !added.is_empty() {
        parts.push(format!("requested review from {}", sentence(&added)));
    }
    if !removed.is_empty() {
        parts.push(format!("removed review request for {}", sentence(&removed)));
    }
    parts.join(" and ")
}

/// With the changed middle marked, as GitLab's inline diff does.
pub fn title_changed(era: Era, as_html: bool, old: &str, new: &str) -> String {
    if era == Era::Capitalized {
        return format!("Changed title: **{old}** → **{new}**");
    }
    let (prefix, gone, come, suffix) = split_change(old, new);
    if as_html && era == Era::Modern {
        let mark = |middle: &str, class: &str| {
            let middle = if middle.is_empty() {
                String::new()
            } else {
                format!("<span class=\"idiff left right {class}\">{}</span>", escape(middle))
            };
            format!("<code class=\"idiff\">{}{middle}{}</code>", escape(prefix), escape(suffix))
        };
        format!(
            "<p>changed title from {} to {}</p>",
            mark(gone, "deletion"),
            mark(come, "addition")
        )
    } else {
        let mark = |middle: &str, sign: char| {
            if middle.is_empty() {
                format!("**{prefix}{suffix}**")
            } else {
                format!("**{prefix}{{{sign}{middle}{sign}}}{suffix}**")
            }
        };
        format!("changed title from {} to {}", mark(gone, '-'), mark(come, '+'))
    }
}

pub fn draft_changed(is_draft: bool) -> String {
    format!("marked this merge request as **{}**", if is_draft { "draft" } else { "ready" })
}

/// `commits` oldest first, as (sha, title).
pub fn commits_added(commits: &[(&str, &str)], compare_url: &str) -> String {
    const SHOWN: usize = 10;
    let plural = if commits.len() == 1 { "" } else { "s" };
    let mut text = format!("added {} commit{plural}\n\n<ul>", commits.len());
    let hidden = commits.len().saturating_sub(SHOWN);
    if let ([first, ..], true) = (commits, hidden > 0) {
        let last_hidden = commits[hidden - 1].0;
        let plural = if hidden == 1 { "" } else { "s" };
        let _ = write!(
            text,
            "<li>{}...{} - {hidden} earlier commit{plural}</li>",
            short(first.0),
            short(last_hidden)
        );
    }
    for (sha, title) in &commits[hidden..] {
        let _ = write!(text, "<li>{} - {}</li>", short(sha), escape(title));
    }
    let _ = write!(text, "</ul>\n\n[Compare with previous version]({compare_url})");
    text
}

/// `1h 30m` style, with GitLab's day of eight hours and week of five days.
pub fn time_spent(seconds: i64, at: &str) -> String {
    let verb = if seconds < 0 { "subtracted" } else { "added" };
    format!("{verb} {} of time spent at {at}", work_time(seconds))
}

pub fn work_time(seconds: i64) -> String {
    const UNITS: [(i64, &str); 6] =
        [(576_000, "mo"), (144_000, "w"), (28_800, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let mut rest = seconds.abs();
    let mut parts = Vec::new();
    for (length, name) in UNITS {
        if rest >= length {
            parts.push(format!("{}{name}", rest / length));
            rest %= length;
        }
    }
    parts.join(" ")
}

/// "a", "a and b", "a, b, and c".
pub fn sentence(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [head @ .., last] => format!("{}, and {last}", head.join(", ")),
    }
}

fn mentions(usernames: &[&str]) -> Vec<String> {
    usernames.iter().map(|username| format!("@{username}")).collect()
}

fn capitalized_if(era: Era, text: String) -> String {
    let mut letters = text.chars();
    match (era, letters.next()) {
        (Era::Capitalized, Some(first)) => first.to_uppercase().chain(letters).collect(),
        _ => text,
    }
}

fn short(sha: &str) -> &str {
    sha.get(..8).unwrap_or(sha)
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Common prefix, what went, what came, common suffix.
fn split_change<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str, &'a str, &'a str) {
    let prefix: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix: usize = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    (
        &old[..prefix],
        &old_rest[..old_rest.len() - suffix],
        &new_rest[..new_rest.len() - suffix],
        &old_rest[old_rest.len() - suffix..],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_mark_what_changed() {
        assert_eq!(
            title_changed(Era::Modern, true, "Old <x>", "Old y"),
            "<p>changed title from <code class=\"idiff\">Old \
             <span class=\"idiff left right deletion\">&lt;x&gt;</span></code> to \
             <code class=\"idiff\">Old <span class=\"idiff left right addition\">y</span></code></p>"
        );
        assert_eq!(
            title_changed(Era::Modern, false, "Old x", "Old y"),
            "changed title from **Old {-x-}** to **Old {+y+}**"
        );
        assert_eq!(title_changed(Era::Capitalized, true, "a", "b"), "Changed title: **a** → **b**");
        assert_eq!(
            title_changed(Era::Modern, false, "日本", "日本語"),
            "changed title from **日本** to **日本{+語+}**"
        );
    }

    #[test]
    fn every_era_closes_in_its_own_words() {
        let via = Some(ClosedVia::MergeRequest("!12"));
        assert_eq!(
            state_changed(Era::Capitalized, "closed", via),
            "Status changed to closed by merge request !12"
        );
        assert_eq!(state_changed(Era::NotesOnly, "closed", via), "closed via merge request !12");
        assert_eq!(state_changed(Era::LabelEvents, "reopened", None), "reopened");
        assert_eq!(labels_changed(Era::NotesOnly, &[1], &[]), "added ~1 label");
        assert_eq!(
            labels_changed(Era::Capitalized, &[1, 2], &[3]),
            "Added ~1 ~2 labels and removed ~3 label"
        );
        assert_eq!(milestone_changed(Era::Capitalized, Some("%2")), "Milestone changed to %2");
        assert_eq!(milestone_changed(Era::LabelEvents, None), "removed milestone");
    }

    #[test]
    fn people_are_listed_with_an_oxford_comma() {
        assert_eq!(
            assignees_changed(Era::Modern, &["a", "b", "c"], &["d"]),
            "assigned to @a, @b, and @c and unassigned @d"
        );
        assert_eq!(
            reviewers_changed(&["a", "b"], &["c"]),
            "requested review from @a and @b and removed review request for @c"
        );
        assert_eq!(assignees_changed(Era::Capitalized, &[], &["d"]), "Assignee removed");
    }

    #[test]
    fn more_than_ten_commits_are_summed_up() {
        let shas: Vec<String> = (0..12).map(|n| format!("{n:040x}")).collect();
        let commits: Vec<(&str, &str)> = shas.iter().map(|sha| (sha.as_str(), "x")).collect();
        let text = commits_added(&commits, "/g/p");
        assert!(text.starts_with(
            "added 12 commits\n\n<ul><li>00000000...00000000 - 2 earlier commits</li>"
        ));
        assert_eq!(text.matches("<li>").count(), 11);
    }

    #[test]
    fn work_days_have_eight_hours() {
        assert_eq!(
            time_spent(5400, "2024-05-01 10:00:00 UTC"),
            "added 1h 30m of time spent at 2024-05-01 10:00:00 UTC"
        );
        assert_eq!(work_time(28_800 * 5 + 3600), "1w 1h");
    }
}
