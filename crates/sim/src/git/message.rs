//! The messages GitLab writes when it merges.

use model::reference::EntityReference;
use model::{EntityKind, Reference};

/// GitLab's default template: branches, title, what it closes, where it was.
pub fn merge_message(
    source: &str,
    target: &str,
    title: &str,
    closes: &[String],
    project: &str,
    iid: i64,
) -> String {
    let mut message = format!("Merge branch '{source}' into '{target}'\n\n{title}\n\n");
    match closes.split_last() {
        None => {}
        Some((only, [])) => message.push_str(&format!("Closes {only}\n\n")),
        Some((last, others)) => {
            message.push_str(&format!("Closes {} and {last}\n\n", others.join(", ")));
        }
    }
    message.push_str(&format!("See merge request {project}!{iid}\n"));
    message
}

/// The issues a description says to close, as full references, in order.
/// `home` is the project it stands in.
pub fn closing_references(text: &str, home: &str) -> Vec<EntityReference> {
    let mut closing: Vec<EntityReference> = Vec::new();
    let mut before: Option<(usize, bool)> = None;
    for found in Reference::find_all(text) {
        let gap_start = before.map_or(0, |(end, _)| end);
        let gap = text.get(gap_start..found.start).unwrap_or_default();
        let continues = before.is_some_and(|(_, closes)| closes) && is_joint(gap);
        let closes = continues || ends_with_keyword(gap);
        before = Some((found.end, closes));
        if let Reference::Entity(entity) = found.reference
            && entity.kind == EntityKind::Issue
            && closes
        {
            let full = EntityReference { project: Some(entity.project_path(home)), ..entity };
            if !closing.contains(&full) {
                closing.push(full);
            }
        }
    }
    closing
}

/// What may stand between the references after one keyword: `#1, #2 and #3`.
fn is_joint(gap: &str) -> bool {
    matches!(gap.trim(), "," | "and" | ", and")
}

fn ends_with_keyword(gap: &str) -> bool {
    let lower = gap.trim_end().to_lowercase();
    let lower = lower.trim_end_matches(':').trim_end();
    let lower = lower.strip_suffix("issues").or(lower.strip_suffix("issue")).unwrap_or(lower);
    let word = lower.trim_end().rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    matches!(
        word,
        "close"
            | "closes"
            | "closed"
            | "closing"
            | "fix"
            | "fixes"
            | "fixed"
            | "fixing"
            | "resolve"
            | "resolves"
            | "resolved"
            | "resolving"
            | "implement"
            | "implements"
            | "implemented"
            | "implementing"
    )
}

/// How a text in `home` writes this reference, as GitLab does: the number alone
/// in the same project, without the group in the same namespace.
pub fn short_form(reference: &EntityReference, home: &str) -> String {
    let path = reference.project_path(home);
    let sigil = reference.kind.sigil();
    let iid = reference.iid;
    let namespace = |path: &str| path.rsplit_once('/').map_or("", |(left, _)| left).to_owned();
    if path == home {
        format!("{sigil}{iid}")
    } else if namespace(&path) == namespace(home) {
        format!("{}{sigil}{iid}", path.rsplit('/').next().unwrap_or(&path))
    } else {
        format!("{path}{sigil}{iid}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_keyword_names_is_closed() {
        for (text, closed) in [
            ("Closes #1", "g/p#1"),
            ("closes #1, #2 and other#3. See #4", "g/p#1 g/p#2 g/other#3"),
            ("Fixes: h/q#5\nRelated to #6", "h/q#5"),
            ("Resolves issue #7, !8", "g/p#7"),
            ("This discloses #9 and encloses #10", ""),
            ("See #1. Closes nothing", ""),
        ] {
            let found: Vec<String> =
                closing_references(text, "g/p").iter().map(ToString::to_string).collect();
            assert_eq!(found.join(" "), closed, "{text}");
        }
    }

    #[test]
    fn the_merge_message_is_gitlabs() {
        assert_eq!(
            merge_message("fix", "main", "Fix it", &["#1".to_owned(), "#2".to_owned()], "g/p", 3),
            "Merge branch 'fix' into 'main'\n\nFix it\n\nCloses #1 and #2\n\nSee merge request g/p!3\n"
        );
    }
}
