//! References in texts: cross-reference notes and closing keywords.

use super::World;
use super::error::Result;
use super::ids::{EntityKey, ProjectId, UserId};
use super::texts;
use super::types::{Entity, Mentioner};
use model::reference::FoundReference;
use model::{EntityKind, Reference, Timestamp};
use std::collections::BTreeSet;

/// Where a text stands, for those it mentions.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A description or a comment; both count as the entity's mention.
    Entity(EntityKey),
    Commit {
        project: ProjectId,
        sha: String,
    },
}

impl World {
    /// How `target` is written in a text of project `home`: `#3`, `proj#3` for
    /// a neighbour in the same namespace, `group/proj#3` otherwise.
    pub fn reference_from(&self, home: ProjectId, target: EntityKey) -> String {
        let local = format!("{}{}", target.kind.sigil(), target.iid);
        format!("{}{local}", self.project_prefix(home, target.project))
    }

    /// `<sha>` in its own project, `proj@<sha>` or `group/proj@<sha>` elsewhere.
    pub fn commit_reference_from(&self, home: ProjectId, project: ProjectId, sha: &str) -> String {
        match self.project_prefix(home, project) {
            prefix if prefix.is_empty() => sha.to_owned(),
            prefix => format!("{prefix}@{sha}"),
        }
    }

    fn project_prefix(&self, home: ProjectId, target: ProjectId) -> String {
        match (self.project(home), self.project(target)) {
            _ if home == target => String::new(),
            (Ok(home), Ok(target)) if home.namespace() == target.namespace() => {
                target.slug().to_owned()
            }
            (_, Ok(target)) => target.path.clone(),
            (_, Err(_)) => String::new(),
        }
    }

    /// Leaves "mentioned in …" on everything `text` names, once per mentioner.
    pub(super) fn mention(
        &mut self,
        text: &str,
        origin: &Origin,
        author: UserId,
        at: Timestamp,
    ) -> Result<()> {
        let (home, own, mentioner) = match origin {
            Origin::Entity(key) => {
                (key.project, Some(*key), Mentioner::Entity(key.kind, self.entity(*key)?.id))
            }
            Origin::Commit { project, sha } => (*project, None, Mentioner::Commit(sha.clone())),
        };
        for target in self.mentioned_in(text, home) {
            if own == Some(target)
                || !self.entity_mut(target)?.mentioned_by.insert(mentioner.clone())
            {
                continue;
            }
            let (kind, reference) = match origin {
                Origin::Entity(key) => {
                    (self.kind_name(*key), self.reference_from(target.project, *key))
                }
                Origin::Commit { project, sha } => {
                    ("commit".to_owned(), self.commit_reference_from(target.project, *project, sha))
                }
            };
            let body = texts::mentioned_in(self.settings.era, &kind, &reference);
            self.system_note(target, author, at, body)?;
        }
        Ok(())
    }

    /// `issue`, `test case`, `merge request` …
    pub(super) fn kind_name(&self, key: EntityKey) -> String {
        match self.entity(key).ok().and_then(Entity::issue) {
            Some(issue) => issue.type_name().replace('_', " "),
            None => EntityKind::MergeRequest.noun().to_owned(),
        }
    }

    /// The existing issues and merge requests a text names, in order, without
    /// repeats. References in code do not count.
    pub fn mentioned_in(&self, text: &str, home: ProjectId) -> Vec<EntityKey> {
        let mut seen = BTreeSet::new();
        Reference::find_all(&without_code(text))
            .iter()
            .filter_map(|found| self.resolve_reference(found, home))
            .filter(|key| seen.insert(*key))
            .collect()
    }

    /// The issues that `text` says it closes, in order, without repeats.
    pub fn closed_by_text(&self, text: &str, home: ProjectId) -> Vec<EntityKey> {
        let text = without_code(text);
        let found = Reference::find_all(&text);
        let mut seen = BTreeSet::new();
        closing_references(&text, &found)
            .filter_map(|found| self.resolve_reference(found, home))
            .filter(|key| key.kind == EntityKind::Issue && seen.insert(*key))
            .collect()
    }

    fn resolve_reference(&self, found: &FoundReference, home: ProjectId) -> Option<EntityKey> {
        let Reference::Entity(reference) = &found.reference else { return None };
        let path = reference.project_path(&self.project(home).ok()?.path);
        let project = self.project_id(&path).ok().or_else(|| self.moved_project(&path))?;
        let key = EntityKey { project, kind: reference.kind, iid: reference.iid };
        self.entities.contains_key(&key).then_some(key)
    }

    /// The text as it reads after its entity moved from `home` to `new_home`:
    /// local references get their project written before them.
    pub(super) fn rewritten_for(&self, text: &str, home: ProjectId, new_home: ProjectId) -> String {
        let prefix = self.project_prefix(new_home, home);
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for found in Reference::find_all(&without_code(text)) {
            if let Reference::Entity(reference) = &found.reference
                && reference.project.is_none()
                && self.resolve_reference(&found, home).is_some()
            {
                out.push_str(&text[copied..found.start]);
                out.push_str(&prefix);
                copied = found.start;
            }
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// The same text with code spans and fenced blocks blanked out, byte for byte.
fn without_code(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('`') {
        return text.into();
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        let Some(end) = closing_ticks(&bytes, at + ticks, ticks) else {
            at += ticks;
            continue;
        };
        for byte in &mut bytes[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    // Whole code spans were blanked, so the cuts lie at ASCII ticks.
    String::from_utf8(bytes).map_or_else(|_| text.into(), Into::into)
}

/// Where a run of exactly `ticks` backticks ends.
fn closing_ticks(bytes: &[u8], from: usize, ticks: usize) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'`' {
            let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
            if run == ticks {
                return Some(at + run);
            }
            at += run;
        } else {
            at += 1;
        }
    }
    None
}

const CLOSING_WORDS: [&str; 16] = [
    "close",
    "closes",
    "closed",
    "closing",
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "resolve",
    "resolves",
    "resolved",
    "resolving",
    "implement",
    "implements",
    "implemented",
    "implementing",
];

/// References that stand in a list right after a closing keyword:
/// `Closes: #1, #2 and issue #3`.
fn closing_references<'a>(
    text: &'a str,
    found: &'a [FoundReference],
) -> impl Iterator<Item = &'a FoundReference> {
    let mut is_closing = false;
    let mut previous_end = 0;
    found.iter().filter(move |found| {
        let before = &text[previous_end..found.start];
        is_closing = ends_with_keyword(before) || (is_closing && is_separator(before));
        previous_end = found.end;
        is_closing
    })
}

fn ends_with_keyword(before: &str) -> bool {
    let trimmed = before.trim_end_matches(' ');
    if trimmed.len() == before.len() {
        return false;
    }
    let trimmed = strip_issue_word(trimmed);
    let trimmed = trimmed.strip_suffix(':').unwrap_or(trimmed);
    let start = trimmed
        .rfind(|c: char| !c.is_ascii_alphabetic())
        .map_or(0, |index| index + trimmed[index..].chars().next().map_or(1, char::len_utf8));
    let word = trimmed[start..].to_ascii_lowercase();
    let is_own_word = !trimmed[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_own_word && CLOSING_WORDS.contains(&word.as_str())
}

/// `closes issue #1`, `fixes issues #1, #2`.
fn strip_issue_word(text: &str) -> &str {
    for word in ["issues", "issue"] {
        if text.len() > word.len()
            && text.is_char_boundary(text.len() - word.len())
            && text[text.len() - word.len()..].eq_ignore_ascii_case(word)
            && text[..text.len() - word.len()].ends_with(' ')
        {
            return text[..text.len() - word.len()].trim_end_matches(' ');
        }
    }
    text
}

/// ` `, `, `, ` and `, `, and `.
fn is_separator(between: &str) -> bool {
    let text = strip_issue_word(between.trim_end_matches(' ')).trim_matches(' ');
    let text = text.strip_prefix(',').unwrap_or(text).trim_matches(' ');
    text.is_empty() || text.eq_ignore_ascii_case("and")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(text: &str) -> Vec<String> {
        let text = without_code(text);
        let found = Reference::find_all(&text);
        closing_references(&text, &found).map(|found| found.reference.to_string()).collect()
    }

    #[test]
    fn closing_keywords_as_in_gitlab() {
        for (text, issues) in [
            ("Closes #1", vec!["#1"]),
            ("fix #1, #2 and g/p#3", vec!["#1", "#2", "g/p#3"]),
            ("Resolves: #4", vec!["#4"]),
            ("implementing issue #5", vec!["#5"]),
            ("Fixes issues #1, #2", vec!["#1", "#2"]),
            ("see #1, fixes #2", vec!["#2"]),
            ("Closes #1. See #2", vec!["#1"]),
            ("prefix #1", vec![]),
            ("`Closes #1` closes #2", vec!["#2"]),
            ("closes#1", vec![]),
            ("closes https://h.test/g/p/-/issues/9", vec!["g/p#9"]),
            ("closed\n#1", vec![]),
        ] {
            assert_eq!(closed(text), issues, "{text}");
        }
    }

    #[test]
    fn code_is_blanked_without_moving_anything() {
        let text = "a `#1` ü ```\n#2\n``` #3 ` #4";
        let blanked = without_code(text);
        assert_eq!(blanked.len(), text.len());
        let found: Vec<String> =
            Reference::find_all(&blanked).iter().map(|found| found.reference.to_string()).collect();
        assert_eq!(found, ["#3", "#4"]);
    }
}
