//! What a text says about how one change follows another: continues, supersedes,
//! reverts, re-applies, backports, was split from.
//!
//! English phrases next to a reference, in what the writer says as a statement:
//! not in code or quotations, not denied, asked or imagined. Phrases that git and
//! forges write themselves are read, too.

use crate::entity::EntityKind;
use crate::reference::{EntityReference, FoundReference, Reference};
use crate::relation::RelationType;

/// A relation that a text states between its own subject and something else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatedRelation<T> {
    pub relation: RelationType,
    /// The other one does it to this one: `superseded by !12`.
    pub is_incoming: bool,
    pub other: T,
}

use RelationType::{Backports, Continues, Reapplies, Reverts, SplitFrom, Supersedes};

/// Words in front of a reference, and what they say; true when the other one
/// is the source. Small letters, one blank between words.
const PHRASES: &[(&str, RelationType, bool)] = &[
    ("continues", Continues, false),
    ("continuing", Continues, false),
    ("continuation of", Continues, false),
    ("a continuation of", Continues, false),
    ("followup to", Continues, false),
    ("followup of", Continues, false),
    ("followup for", Continues, false),
    ("follow-up to", Continues, false),
    ("follow-up of", Continues, false),
    ("follow-up for", Continues, false),
    ("follow up to", Continues, false),
    ("follow up of", Continues, false),
    ("follows up on", Continues, false),
    ("following up on", Continues, false),
    ("picks up", Continues, false),
    ("picking up", Continues, false),
    ("picked up from", Continues, false),
    ("takes over", Continues, false),
    ("taking over", Continues, false),
    ("taken over from", Continues, false),
    ("version of", Continues, false),
    ("rebase of", Continues, false),
    ("revival of", Continues, false),
    ("revives", Continues, false),
    ("resurrects", Continues, false),
    ("builds on", Continues, false),
    ("builds upon", Continues, false),
    ("built on top of", Continues, false),
    ("builds on top of", Continues, false),
    ("continued in", Continues, true),
    ("continued by", Continues, true),
    ("continues in", Continues, true),
    ("taken over in", Continues, true),
    ("taken over by", Continues, true),
    ("picked up in", Continues, true),
    ("picked up by", Continues, true),
    ("followed up in", Continues, true),
    ("rebased in", Continues, true),
    ("supersedes", Supersedes, false),
    ("superseding", Supersedes, false),
    ("supercedes", Supersedes, false),
    ("replaces", Supersedes, false),
    ("replacing", Supersedes, false),
    ("replacement for", Supersedes, false),
    ("replacement of", Supersedes, false),
    ("obsoletes", Supersedes, false),
    ("superseded by", Supersedes, true),
    ("superseded in", Supersedes, true),
    ("superceded by", Supersedes, true),
    ("replaced by", Supersedes, true),
    ("replaced with", Supersedes, true),
    ("obsoleted by", Supersedes, true),
    ("obsolete by", Supersedes, true),
    ("made obsolete by", Supersedes, true),
    ("in favor of", Supersedes, true),
    ("in favour of", Supersedes, true),
    ("reverts", Reverts, false),
    ("reverting", Reverts, false),
    ("revert of", Reverts, false),
    ("revert", Reverts, false),
    ("reverted by", Reverts, true),
    ("reverted in", Reverts, true),
    ("reapplies", Reapplies, false),
    ("re-applies", Reapplies, false),
    ("reapply", Reapplies, false),
    ("re-apply", Reapplies, false),
    ("relands", Reapplies, false),
    ("re-lands", Reapplies, false),
    ("reland of", Reapplies, false),
    ("re-land of", Reapplies, false),
    ("reintroduces", Reapplies, false),
    ("reapplied in", Reapplies, true),
    ("relanded in", Reapplies, true),
    ("backports", Backports, false),
    ("backport of", Backports, false),
    ("backport", Backports, false),
    ("backported from", Backports, false),
    ("cherry-pick of", Backports, false),
    ("cherry-picks", Backports, false),
    ("cherry-picked from", Backports, false),
    ("cherry picked from", Backports, false),
    ("backported in", Backports, true),
    ("backported by", Backports, true),
    ("backported to", Backports, true),
    ("backported with", Backports, true),
    ("split from", SplitFrom, false),
    ("split out from", SplitFrom, false),
    ("split out of", SplitFrom, false),
    ("split off from", SplitFrom, false),
    ("split off of", SplitFrom, false),
    ("splits off from", SplitFrom, false),
    ("extracted from", SplitFrom, false),
    ("extracted out of", SplitFrom, false),
    ("broken out of", SplitFrom, false),
    ("broken out from", SplitFrom, false),
    ("carved out of", SplitFrom, false),
    ("carved out from", SplitFrom, false),
    ("factored out of", SplitFrom, false),
    ("factored out from", SplitFrom, false),
    ("pulled out of", SplitFrom, false),
    ("pulled out from", SplitFrom, false),
    ("spun off from", SplitFrom, false),
    ("separated from", SplitFrom, false),
    ("split into", SplitFrom, true),
    ("split out to", SplitFrom, true),
    ("split out into", SplitFrom, true),
    ("split out in", SplitFrom, true),
    ("split off into", SplitFrom, true),
    ("split off to", SplitFrom, true),
    ("extracted to", SplitFrom, true),
    ("extracted into", SplitFrom, true),
];

/// Words that may stand between a phrase and its reference.
const FILLERS: &[&str] = &[
    "the",
    "this",
    "that",
    "my",
    "our",
    "his",
    "her",
    "their",
    "work",
    "effort",
    "efforts",
    "pr",
    "prs",
    "pull",
    "request",
    "requests",
    "mr",
    "mrs",
    "merge",
    "change",
    "changes",
    "patch",
    "commit",
    "commits",
    "branch",
    "discussion",
    "in",
    "from",
    "of",
    "on",
    "by",
    "done",
    "started",
    "begun",
    "old",
    "older",
    "previous",
    "earlier",
    "closed",
    "original",
    "stale",
    "abandoned",
    "part",
    "parts",
    "both",
    "issue",
    "issues",
    "following",
    "now",
    "also",
];

/// Before a phrase, in its clause: what follows is denied or only imagined.
const DENYING: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "cannot",
    "can't",
    "doesn't",
    "don't",
    "didn't",
    "isn't",
    "wasn't",
    "won't",
    "wouldn't",
    "shouldn't",
    "aren't",
    "hasn't",
    "haven't",
    "neither",
    "nor",
    "if",
    "unless",
    "could",
    "would",
    "might",
    "may",
    "should",
    "can",
    "maybe",
    "perhaps",
    "whether",
    "instead",
    "rather",
    "want",
    "wants",
    "prefer",
    "or",
];

/// How far back a clause is looked at for these, in words.
const CLAUSE: usize = 7;
/// Words between a phrase and its reference.
const GAP: usize = 6;
/// More references than this are a list of everything.
const MAX_REFERENCES: usize = 400;

/// Relations to issues and merge requests that a description, a note or a
/// message states.
pub fn stated_relations(text: &str) -> Vec<StatedRelation<EntityReference>> {
    let prose = prose(text);
    let found = Reference::find_all(&prose).into_iter().take(MAX_REFERENCES);
    let found = found.filter(|it| matches!(it.reference, Reference::Entity(_)));
    stated(&prose, found, |reference| match reference {
        Reference::Entity(entity) => Some(entity),
        Reference::Commit { .. } => None,
    })
}

/// The same as a title says it: `Revert "Add things"`, `[Backport] …`. What stands in
/// quotation marks is the title of the other.
pub fn title_relation(title: &str) -> Option<RelationType> {
    let title = title.trim();
    let (word, rest) = title.split_once([' ', ':', '"', '“'])?;
    let is_quoted = title[word.len()..].trim_start().starts_with(['"', '“']);
    match word.to_lowercase().as_str() {
        "revert" if is_quoted && rest.trim_start_matches('"').starts_with("Revert \"") => {
            Some(Reapplies)
        }
        "revert" | "reverts" if is_quoted => Some(Reverts),
        "reapply" | "re-apply" | "reland" | "re-land" if is_quoted => Some(Reapplies),
        _ => None,
    }
}

/// Relations to commits that a commit's message states: as git and forges write
/// them, and in the same phrases before a hash of at least ten digits.
pub fn commit_relations(message: &str) -> Vec<StatedRelation<String>> {
    let is_reapply = title_relation(message.lines().next().unwrap_or_default()) == Some(Reapplies);
    let prose = prose(message);
    let mut found = stated(&prose, hashes(&prose).into_iter(), |reference| match reference {
        Reference::Commit { sha, .. } => Some(sha),
        Reference::Entity(_) => None,
    });
    for relation in &mut found {
        // git says "This reverts commit" of the revert it reverts.
        if is_reapply && relation.relation == Reverts {
            relation.relation = Reapplies;
        }
    }
    found.retain(|relation| matches!(relation.relation, Reverts | Reapplies | Backports));
    found
}

/// Hashes as words of their own, long enough not to be words of a language.
fn hashes(prose: &str) -> Vec<FoundReference> {
    const SHORTEST: usize = 10;
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let mut found = Vec::new();
    let mut at = 0;
    for word in prose.split(|c: char| !c.is_ascii_alphanumeric()) {
        let end = at + word.len();
        let is_hash = (SHORTEST..=64).contains(&word.len())
            && word.chars().all(is_hex)
            && word.contains(|c: char| c.is_ascii_digit());
        if is_hash && found.len() < MAX_REFERENCES {
            let reference = Reference::Commit { project: None, sha: word.to_owned() };
            found.push(FoundReference { reference, start: at, end });
        }
        at = end + prose[end..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn stated<T: PartialEq>(
    prose: &str,
    references: impl Iterator<Item = FoundReference>,
    other: impl Fn(Reference) -> Option<T>,
) -> Vec<StatedRelation<T>> {
    let mut found: Vec<StatedRelation<T>> = Vec::new();
    let mut gap_start = 0;
    // What the reference before was said to be, for lists.
    let mut list: Option<(RelationType, bool)> = None;
    for FoundReference { reference, start, end } in references {
        let gap = &prose[gap_start..start];
        let is_first = gap_start == 0;
        let said = match list.filter(|_| is_conjunction(gap)) {
            Some(said) => Some(said),
            None => phrase_before(gap, is_first).filter(|_| !is_question(&prose[end..])),
        };
        list = said;
        gap_start = end;
        if let (Some((relation, is_incoming)), Some(other)) = (said, other(reference)) {
            let relation = StatedRelation { relation, is_incoming, other };
            if !found.contains(&relation) {
                found.push(relation);
            }
        }
    }
    found
}

fn is_conjunction(gap: &str) -> bool {
    let words: Vec<&str> =
        gap.split([' ', ',', '\n', '(', ')']).filter(|it| !it.is_empty()).collect();
    !gap.contains(['.', ';'])
        && words.iter().all(|word| matches!(*word, "and" | "&" | "+"))
        && gap.len() < 20
}

/// What the words before a reference say of it. `is_first`: no other reference
/// stands before them, which could be their subject.
fn phrase_before(gap: &str, is_first: bool) -> Option<(RelationType, bool)> {
    let sentence_start = gap.rfind(['.', '!', '?', ';', '\n']).filter(|at| ends_sentence(gap, *at));
    let (sentence, begins) = match sentence_start {
        Some(at) => (&gap[at + 1..], true),
        None => (gap, is_first),
    };
    let mut words = words(sentence);
    // From the reference backwards over fillers to the phrase.
    let mut skipped = 0;
    loop {
        if let Some((relation, is_incoming, n_words)) = phrase_at_end(&words) {
            let clause = &words[..words.len() - n_words];
            return (is_claim(clause) && (begins || !clause.is_empty() && is_about_this(clause)))
                .then_some((relation, is_incoming));
        }
        let last = words.pop()?;
        let is_filler =
            FILLERS.contains(&last.as_str()) || last.starts_with('@') || last.ends_with("'s");
        skipped += 1;
        if !is_filler || skipped > GAP {
            return None;
        }
    }
}

/// Whether a full stop ends a sentence: `e.g. ` does not, nor does a dot inside a name.
fn ends_sentence(text: &str, at: usize) -> bool {
    let mark = &text[at..];
    if mark.starts_with('\n') {
        return true;
    }
    let is_apart = mark[1..].is_empty() || mark[1..].starts_with([' ', '\n', ')']);
    let before = text[..at].rsplit([' ', '(']).next().unwrap_or_default();
    is_apart && !matches!(before, "e.g" | "i.e" | "etc" | "vs" | "cf")
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || "(),:*_[]/".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '@'))
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'").to_lowercase())
        .collect()
}

/// The longest phrase the words end in.
fn phrase_at_end(words: &[String]) -> Option<(RelationType, bool, usize)> {
    let mut best: Option<(RelationType, bool, usize)> = None;
    for (phrase, relation, is_incoming) in PHRASES {
        let n_words = phrase.split(' ').count();
        let Some(start) = words.len().checked_sub(n_words) else { continue };
        let is_same = phrase.split(' ').eq(words[start..].iter().map(String::as_str));
        if is_same && best.is_none_or(|(_, _, longest)| n_words > longest) {
            best = Some((*relation, *is_incoming, n_words));
        }
    }
    // "a version of": only a changed one continues the other.
    match best {
        Some((Continues, false, 2))
            if words.ends_with(&["version".to_owned(), "of".to_owned()]) =>
        {
            let before = &words[..words.len() - 2];
            let is_newer = before.iter().rev().take(4).any(|word| {
                matches!(
                    word.as_str(),
                    "rebased"
                        | "squashed"
                        | "updated"
                        | "new"
                        | "newer"
                        | "reworked"
                        | "revised"
                        | "improved"
                        | "cleaned"
                        | "simplified"
                        | "combined"
                        | "minimal"
                        | "reduced"
                        | "modified"
                        | "rewritten"
                        | "refreshed"
                )
            });
            best.filter(|_| is_newer)
        }
        best => best,
    }
}

/// Nothing in the clause before a phrase denies it.
fn is_claim(clause: &[String]) -> bool {
    !clause.iter().rev().take(CLAUSE).any(|word| DENYING.contains(&word.as_str()))
}

/// After another reference, the clause must say that it speaks of this change.
fn is_about_this(clause: &[String]) -> bool {
    clause
        .iter()
        .rev()
        .take(CLAUSE)
        .any(|word| matches!(word.as_str(), "this" | "it" | "i" | "we" | "closing"))
}

/// The sentence that goes on here ends in a question mark.
fn is_question(rest: &str) -> bool {
    let end = rest.find(['.', '!', '?', '\n']).map(|at| &rest[at..]);
    end.is_some_and(|end| end.starts_with('?'))
}

/// The text with code, quotations and text in double quotes blanked; byte
/// positions stay the same.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let is_code = fence.is_some() || mark.is_some();
        if let Some(mark) = mark {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
        }
        if is_code || trimmed.starts_with('>') {
            blank(line, &mut out);
        } else {
            blank_spans(line, &mut out);
        }
    }
    out
}

/// Blanks what stands between two backticks or two double quotes of a line.
fn blank_spans(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(open) = rest.find(['`', '"']) {
        let mark = &rest[open..=open];
        let Some(close) = rest[open + 1..].find(mark) else { break };
        let end = open + 1 + close + 1;
        out.push_str(&rest[..open]);
        blank(&rest[open..end], out);
        rest = &rest[end..];
    }
    out.push_str(rest);
}

fn blank(text: &str, out: &mut String) {
    let (body, end) = match text.strip_suffix('\n') {
        Some(body) => (body, "\n"),
        None => (text, ""),
    };
    out.extend(std::iter::repeat_n(' ', body.len()));
    out.push_str(end);
}

/// Whether a relation can hold between these: only changes are reverted,
/// applied again and ported.
pub fn can_relate(relation: RelationType, source: EntityKind, target: EntityKind) -> bool {
    let are_changes = source == EntityKind::MergeRequest && target == EntityKind::MergeRequest;
    are_changes || matches!(relation, Continues | Supersedes | SplitFrom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> Vec<String> {
        let told = |it: &StatedRelation<EntityReference>| {
            let arrow = if it.is_incoming { "<-" } else { "->" };
            format!("{} {arrow} {}", it.relation.as_str(), it.other)
        };
        stated_relations(text).iter().map(told).collect()
    }

    #[test]
    fn phrases_name_relation_and_direction() {
        for (text, expected) in [
            ("This is a rebased and squashed version of !526, adding", vec!["continues -> !526"]),
            ("Continues the work of @bo in !12.", vec!["continues -> !12"]),
            ("Follow-up to !7", vec!["continues -> !7"]),
            (
                "Supersedes #1, #2 and !3. See !4",
                vec!["supersedes -> #1", "supersedes -> #2", "supersedes -> !3"],
            ),
            ("Superseded by !569", vec!["supersedes <- !569"]),
            (
                "Closing in favor of https://gl.test/g/p/-/merge_requests/9",
                vec!["supersedes <- g/p!9"],
            ),
            ("This reverts merge request !33", vec!["reverts -> !33"]),
            ("Was reverted in !34.", vec!["reverts <- !34"]),
            ("Re-applies !33", vec!["reapplies -> !33"]),
            ("Backport of !8 to 1.2", vec!["backports -> !8"]),
            ("Split out of !90 as asked", vec!["split_from -> !90"]),
            ("I extracted the first commits into !91, please review", vec![]),
            ("Extracted into !91", vec!["split_from <- !91"]),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_denied_asked_imagined_or_quoted_is_not_stated() {
        for text in [
            "This does not supersede !5",
            "It doesn't really replace !5; both are needed",
            "Does this supersede !5?",
            "This supersedes !5?",
            "We could revert !5",
            "If this supersedes !5 we are done",
            "> Supersedes !5",
            "`Supersedes !5`",
            "```\nReverts !5\n```",
            "The template says \"Supersedes !5\" there",
            "A version of !5",
            "The loop continues. See !5",
            "Everything else as in !5",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_one_other_does_to_another_other_is_not_about_this() {
        assert_eq!(told("!12 supersedes !5"), Vec::<String>::new());
        assert_eq!(told("See !12. This supersedes !5"), ["supersedes -> !5"]);
    }

    #[test]
    fn git_says_what_a_commit_reverts_and_was_picked_from() {
        let sha = "1234567890abcdef1234567890abcdef12345678";
        for (message, expected) in [
            (format!("Revert \"Add it\"\n\nThis reverts commit {sha}."), Some((Reverts, false))),
            (format!("Reapply \"Add it\"\n\nThis reverts commit {sha}."), Some((Reapplies, false))),
            (
                format!("Revert \"Revert \"Add it\"\"\n\nThis reverts commit {sha}."),
                Some((Reapplies, false)),
            ),
            (format!("Fix\n\n(cherry picked from commit {sha})"), Some((Backports, false))),
            (format!("[5.1.x] Fixed it\n\nBackport of {sha} from main."), Some((Backports, false))),
            (format!("Fix\n\nSince commit {sha} it fails."), None),
            ("Fix\n\nThis reverts commit defaced.".to_owned(), None),
        ] {
            let found = commit_relations(&message);
            let found = found.first().map(|it| {
                assert_eq!(it.other, sha);
                (it.relation, it.is_incoming)
            });
            assert_eq!(found, expected, "{message}");
        }
    }

    #[test]
    fn titles_revert_and_apply_again() {
        assert_eq!(title_relation("Revert \"Add it\""), Some(Reverts));
        assert_eq!(title_relation("Revert \"Revert \"Add it\"\""), Some(Reapplies));
        assert_eq!(title_relation("Reapply \"Add it\""), Some(Reapplies));
        assert_eq!(title_relation("Revert the polarity of the relay"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[#!`\"~>a-zé \n0-9/.,?]*") {
            let _ = stated_relations(&text);
            let _ = commit_relations(&text);
            prop_assert_eq!(prose(&text).len(), text.len());
        }

        #[test]
        fn nor_any_other(text in any::<String>()) {
            let _ = stated_relations(&text);
            let _ = commit_relations(&text);
            let _ = title_relation(&text);
        }
    }
}
