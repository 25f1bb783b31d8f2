//! What GitLab's own notes say: every wording since 2013, as data.
//!
//! REST does not tell the action of a system note, only its English text,
//! which changed over the years. Bodies are matched by how they begin,
//! ignoring case (old notes are capitalised), first match wins. A body that
//! matches nothing is `Unknown`: counted, never guessed.

use crate::api::{NoteLink, SystemNote};
use model::relation::{RelationType, SystemAction};
use model::{EntityKind, Reference};

/// How a body begins, and what that means.
struct Wording {
    starts: &'static str,
    action: SystemAction,
    link: Option<LinkRule>,
}

/// What the references in a body mean.
#[derive(Clone, Copy)]
struct LinkRule {
    relation: RelationType,
    is_incoming: bool,
    is_removed: bool,
}

const fn says(starts: &'static str, action: SystemAction) -> Wording {
    Wording { starts, action, link: None }
}

const fn links(
    starts: &'static str,
    action: SystemAction,
    relation: RelationType,
    is_incoming: bool,
) -> Wording {
    let link = LinkRule { relation, is_incoming, is_removed: false };
    Wording { starts, action, link: Some(link) }
}

const fn unlinks(starts: &'static str, action: SystemAction, relation: RelationType) -> Wording {
    let link = LinkRule { relation, is_incoming: false, is_removed: true };
    Wording { starts, action, link: Some(link) }
}

const OUT: bool = false;
const IN: bool = true;

/// Longer beginnings stand before the shorter ones they contain.
const WORDINGS: &[Wording] = &[
    links("mentioned in ", SystemAction::Mentioned, RelationType::Mentioned, IN),
    links(
        "status changed to closed by merge request",
        SystemAction::Closed,
        RelationType::Closes,
        IN,
    ),
    says("status changed to closed", SystemAction::Closed),
    says("status changed to reopened", SystemAction::Reopened),
    says("status changed to merged", SystemAction::Merged),
    links("closed via merge request", SystemAction::Closed, RelationType::Closes, IN),
    links("closed with merge request", SystemAction::Closed, RelationType::Closes, IN),
    links("closed by merge request", SystemAction::Closed, RelationType::Closes, IN),
    says("closed", SystemAction::Closed),
    says("automatically closed", SystemAction::Closed),
    says("reopened", SystemAction::Reopened),
    links("merged with merge request", SystemAction::Merged, RelationType::Related, IN),
    says("merged", SystemAction::Merged),
    says("requested review from", SystemAction::Reviewer),
    says("removed review request for", SystemAction::Reviewer),
    says("assigned to", SystemAction::Assignee),
    says("unassigned", SystemAction::Assignee),
    says("reassigned to", SystemAction::Assignee),
    says("removed assignee", SystemAction::Assignee),
    says("assignee removed", SystemAction::Assignee),
    says("added assignee", SystemAction::Assignee),
    says("<p>changed title", SystemAction::Title),
    says("changed title", SystemAction::Title),
    says("title changed from", SystemAction::Title),
    says("marked this merge request as **draft**", SystemAction::Draft),
    says("marked this merge request as **ready**", SystemAction::Draft),
    says("marked this merge request as a **work in progress**", SystemAction::Draft),
    says("marked as a **work in progress**", SystemAction::Draft),
    says("unmarked as a **work in progress**", SystemAction::Draft),
    says("unmarked this merge request as a **work in progress**", SystemAction::Draft),
    says("changed the description", SystemAction::Description),
    says("marked the checklist item", SystemAction::Task),
    says("marked the task", SystemAction::Task),
    links(
        "marked this issue as a duplicate of",
        SystemAction::Duplicate,
        RelationType::Duplicate,
        OUT,
    ),
    links("marked this issue as related to", SystemAction::Related, RelationType::Related, OUT),
    links("marked this issue as blocking", SystemAction::Blocks, RelationType::Blocks, OUT),
    links("marked this issue as blocked by", SystemAction::Blocks, RelationType::Blocks, IN),
    unlinks("removed the relation with", SystemAction::Unrelated, RelationType::Related),
    says("marked this", SystemAction::Other),
    says("made the issue confidential", SystemAction::Confidentiality),
    says("made the issue visible", SystemAction::Confidentiality),
    says("made the ", SystemAction::Confidentiality),
    says("locked the discussion", SystemAction::Locked),
    says("unlocked the discussion", SystemAction::Locked),
    says("locked this", SystemAction::Locked),
    says("unlocked this", SystemAction::Locked),
    says("resolved all threads", SystemAction::ThreadsResolved),
    says("resolved all discussions", SystemAction::ThreadsResolved),
    says("changed this line in", SystemAction::Outdated),
    says("changed this file in", SystemAction::Outdated),
    says("changed target branch", SystemAction::Branch),
    says("target branch changed", SystemAction::Branch),
    says("deleted the `", SystemAction::Branch),
    says("deleted source branch", SystemAction::Branch),
    says("restored source branch", SystemAction::Branch),
    says("created branch", SystemAction::Branch),
    links("created merge request", SystemAction::CreatedMergeRequest, RelationType::Related, IN),
    says("enabled an automatic merge", SystemAction::AutoMerge),
    says("enabled automatic", SystemAction::AutoMerge),
    says("canceled the automatic merge", SystemAction::AutoMerge),
    says("aborted the automatic merge", SystemAction::AutoMerge),
    says("started a merge train", SystemAction::MergeTrain),
    says("added this merge request to the merge train", SystemAction::MergeTrain),
    says("removed this merge request from the merge train", SystemAction::MergeTrain),
    says("picked the changes into the branch", SystemAction::CherryPick),
    says("approved this merge request", SystemAction::Approved),
    says("unapproved this merge request", SystemAction::Unapproved),
    says("reset approvals from", SystemAction::Unapproved),
    says("requested changes", SystemAction::ChangesRequested),
    says("left review comments", SystemAction::Reviewed),
    links("moved to ", SystemAction::Moved, RelationType::Moved, OUT),
    links("moved from ", SystemAction::Moved, RelationType::Moved, IN),
    links("cloned to ", SystemAction::Cloned, RelationType::Related, OUT),
    links("cloned from ", SystemAction::Cloned, RelationType::Related, IN),
    says("promoted to epic", SystemAction::Epic),
    links("promoted from issue", SystemAction::Epic, RelationType::Moved, IN),
    says("added to epic", SystemAction::Epic),
    says("removed from epic", SystemAction::Epic),
    says("changed epic to", SystemAction::Epic),
    says("changed type from", SystemAction::Type),
    says("changed issue type", SystemAction::Type),
    says("changed the severity", SystemAction::Severity),
    says("changed the incident status", SystemAction::Severity),
    says("changed health status", SystemAction::Health),
    says("removed health status", SystemAction::Health),
    says("changed weight", SystemAction::Weight),
    says("removed the weight", SystemAction::Weight),
    says("changed iteration", SystemAction::Iteration),
    says("removed iteration", SystemAction::Iteration),
    says("changed due date", SystemAction::Dates),
    says("removed due date", SystemAction::Dates),
    says("changed start date", SystemAction::Dates),
    says("removed start date", SystemAction::Dates),
    says("changed milestone", SystemAction::Milestone),
    says("removed milestone", SystemAction::Milestone),
    says("milestone changed", SystemAction::Milestone),
    says("milestone removed", SystemAction::Milestone),
    says("changed time estimate", SystemAction::TimeTracking),
    says("added time estimate", SystemAction::TimeTracking),
    says("removed time estimate", SystemAction::TimeTracking),
    says("removed time spent", SystemAction::TimeTracking),
    says("subtracted ", SystemAction::TimeTracking),
];

/// Reads one body.
pub(crate) fn read(body: &str) -> SystemNote {
    let body = body.trim();
    for wording in WORDINGS {
        if starts_with(body, wording.starts) {
            let links = wording.link.map_or_else(Vec::new, |rule| linked(body, rule));
            return SystemNote { action: wording.action, links };
        }
    }
    read_in_the_middle(body)
}

/// Wordings whose beginning is a number, a name or a reference.
fn read_in_the_middle(body: &str) -> SystemNote {
    let lower: String = body.chars().take(200).collect::<String>().to_lowercase();
    let says = |action| SystemNote { action, links: Vec::new() };
    let linked_as = |action, relation, is_incoming| SystemNote {
        action,
        links: linked(body, LinkRule { relation, is_incoming, is_removed: false }),
    };
    if starts_with(body, "marked ") && lower.contains(" as a duplicate of this") {
        return linked_as(SystemAction::Duplicate, RelationType::Duplicate, true);
    }
    if starts_with(body, "added ") || starts_with(body, "removed ") {
        if lower.contains(" commit") {
            return says(SystemAction::Commits);
        }
        if lower.contains(" as child ") || lower.contains(" as parent ") {
            return linked_as(SystemAction::Hierarchy, RelationType::Related, false);
        }
        if lower.starts_with("removed child ") || lower.starts_with("removed parent ") {
            let rule =
                LinkRule { relation: RelationType::Related, is_incoming: false, is_removed: true };
            return SystemNote { action: SystemAction::Hierarchy, links: linked(body, rule) };
        }
        if lower.contains(" label") {
            return says(SystemAction::Label);
        }
        if lower.contains("of time spent") {
            return says(SystemAction::TimeTracking);
        }
        if lower.contains(" design") {
            return says(SystemAction::Design);
        }
    }
    if starts_with(body, "updated ") && lower.contains(" design") {
        return says(SystemAction::Design);
    }
    if starts_with(body, "deleted ") && lower.contains("of spent time") {
        return says(SystemAction::TimeTracking);
    }
    if starts_with(body, "created ") && lower.contains("to continue this discussion") {
        return linked_as(SystemAction::ContinuedElsewhere, RelationType::Related, false);
    }
    says(SystemAction::Unknown)
}

fn linked(body: &str, rule: LinkRule) -> Vec<NoteLink> {
    // Only the first line: what follows may quote titles with numbers in them.
    let line = body.lines().next().unwrap_or("");
    Reference::find_all(line)
        .into_iter()
        .filter_map(|found| match found.reference {
            Reference::Entity(other) => Some(other),
            Reference::Commit { .. } => None,
        })
        // Only a merge request can close.
        .filter(|other| {
            rule.relation != RelationType::Closes || other.kind == EntityKind::MergeRequest
        })
        .map(|other| NoteLink {
            other,
            relation: rule.relation,
            is_incoming: rule.is_incoming,
            is_removed: rule.is_removed,
        })
        .collect()
}

fn starts_with(body: &str, start: &str) -> bool {
    body.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(body: &str) -> String {
        let note = read(body);
        let links: Vec<String> = note
            .links
            .iter()
            .map(|link| {
                let arrow = if link.is_incoming { "<-" } else { "->" };
                let removed = if link.is_removed { " (removed)" } else { "" };
                format!(" {} {arrow} {}{removed}", link.relation.as_str(), link.other)
            })
            .collect();
        format!("{}{}", note.action.as_str(), links.join(","))
    }

    #[test]
    fn every_era_of_wording() {
        for (body, meant) in [
            ("mentioned in issue #3", "mentioned mentioned <- #3"),
            ("Mentioned in issue #1", "mentioned mentioned <- #1"),
            (
                "mentioned in merge request group/sub/proj!12",
                "mentioned mentioned <- group/sub/proj!12",
            ),
            ("mentioned in merge request proj!12", "mentioned mentioned <- proj!12"),
            ("mentioned in task #4", "mentioned mentioned <- #4"),
            ("mentioned in commit 0123456789012345678901234567890123456789", "mentioned"),
            ("closed via merge request !12", "closed closes <- !12"),
            ("closed with merge request g/p!9", "closed closes <- g/p!9"),
            ("Status changed to closed by merge request !12", "closed closes <- !12"),
            ("Status changed to closed by commit abcdef12", "closed"),
            ("closed via commit abcdef12", "closed"),
            ("closed", "closed"),
            ("reopened", "reopened"),
            ("merged", "merged"),
            ("merged manually", "merged"),
            ("moved to group/other#11", "moved moved -> group/other#11"),
            ("moved from group/proj#3", "moved moved <- group/proj#3"),
            ("cloned to group/other#11", "cloned related -> group/other#11"),
            ("marked this issue as a duplicate of #12", "duplicate duplicate -> #12"),
            ("marked #9 as a duplicate of this issue", "duplicate duplicate <- #9"),
            (
                "marked this issue as related to #4, #5, and #6",
                "related related -> #4, related -> #5, related -> #6",
            ),
            ("removed the relation with #4", "unrelated related -> #4 (removed)"),
            ("marked this issue as blocking #4", "blocks blocks -> #4"),
            ("marked this issue as blocked by #4", "blocks blocks <- #4"),
            ("added #8 as child task", "hierarchy related -> #8"),
            (
                "created merge request !12 to address this issue",
                "created_merge_request related <- !12",
            ),
            ("created #5 to continue this discussion", "continued_elsewhere related -> #5"),
            ("assigned to @a, @b, and @c and unassigned @d", "assignee"),
            ("requested review from @a and @b", "reviewer"),
            ("changed title from **Old {-x-}** to **Old #4 {+y+}**", "title"),
            ("<p>changed title from <code class=\"idiff\">Old</code></p>", "title"),
            ("Title changed from **a** to **b**", "title"),
            ("marked this merge request as **draft** from abcdef12", "draft"),
            ("added 2 commits\n\n<ul><li>8hexsha - Title #3</li></ul>", "commits"),
            ("added ~1 ~2 labels and removed ~3 label", "label"),
            ("Added ~1 label", "label"),
            ("Milestone changed to %2", "milestone"),
            ("changed milestone to %2", "milestone"),
            ("added 1h 30m of time spent at 2024-05-01 10:00:00 UTC", "time_tracking"),
            (
                "changed this line in [version 2 of the diff](/g/p/-/merge_requests/3/diffs)",
                "outdated",
            ),
            ("enabled an automatic merge when all merge checks for abc pass", "auto_merge"),
            ("approved this merge request", "approved"),
            ("hat die Beschreibung geändert", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(told(body), meant, "{body}");
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_it_panic(body in any::<String>()) {
            let _ = read(&body);
        }
    }
}
