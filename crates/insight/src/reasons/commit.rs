//! A commit with the reason it gives for itself, which without a forge is the
//! only one there is.

use super::rationale::points;
use super::{EXCERPT, Rationale, rationale};
use crate::origin::CommitFacts;
use model::relation::RelationType;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::{Reader, change_relations, commits};

/// A commit as an answer to why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitReason {
    pub sha: String,
    pub subject: String,
    pub author: String,
    pub authored_at: Timestamp,
    /// When it got its present form: later than `authored_at` when it was
    /// rebased, amended or applied by somebody else.
    pub committed_at: Option<Timestamp>,
    /// The merge that brought it to the main branch, or itself.
    pub landed_in: Option<String>,
    /// What that merge says of it; none where it landed by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeMessage>,
    /// What its message says below the subject.
    pub body: Option<Rationale>,
    /// Tickets it names, as written: `#36664`, `PROJ-12`.
    pub tickets: Vec<String>,
    /// Other files that it changed, the first by name.
    pub companions: Vec<String>,
    /// How many files it changed in all; none where that was not read.
    pub n_files: Option<u64>,
    /// Commits that it reverts, applies again or ports, and those that did so to it.
    pub changes: Vec<LinkedCommit>,
}

/// A merge as its message tells what it brought: without a forge, all that is left of
/// a merge request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergeMessage {
    pub sha: String,
    /// The first number that it names: `#5318`.
    pub reference: Option<String>,
    /// What was merged, in words: the first line below the subject, else the subject.
    pub title: String,
    /// Why, where it says so.
    pub reason: Option<Rationale>,
}

impl CommitReason {
    /// The merge, where it says more than the commit: another title, or a number that
    /// the commit does not name.
    pub fn telling_merge(&self) -> Option<&MergeMessage> {
        self.merge.as_ref().filter(|merge| {
            let words = |text: &str| -> BTreeSet<String> {
                let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
                words.filter(|word| !word.is_empty()).collect()
            };
            let is_other = !words(&merge.title).is_subset(&words(&self.subject));
            let is_named = |it: &String| self.subject.contains(it) || self.tickets.contains(it);
            is_other || merge.reference.as_ref().is_some_and(|it| !is_named(it))
        })
    }
}

/// A commit that another one follows, or that follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkedCommit {
    pub relation: RelationType,
    /// Whether this one does it to the other: `reverts`, not `reverted by`.
    pub is_outgoing: bool,
    pub sha: String,
    /// None where that commit is not known here.
    pub subject: Option<String>,
    pub authored_at: Option<Timestamp>,
}

/// Companions named.
const NAMED: usize = 5;
/// Tickets named.
const TICKETS: usize = 8;

/// `about`: the paths asked about, which are no companions of themselves.
pub fn commit_reason(
    reader: &Reader,
    facts: &CommitFacts,
    about: &[String],
) -> Result<CommitReason> {
    let (files, changes, merge) = match facts.id {
        Some(id) => {
            let changes = changes(reader, id, &facts.sha)?;
            (Some(commits::files(reader, id)?), changes, merge(reader, id, facts)?)
        }
        None => (None, Vec::new(), None),
    };
    let others = files.iter().flatten().map(|file| &file.path).filter(|path| !about.contains(path));
    Ok(CommitReason {
        sha: facts.sha.clone(),
        subject: facts.subject.clone(),
        author: facts.author.clone(),
        authored_at: facts.authored_at,
        committed_at: Some(facts.committed_at),
        landed_in: facts.landed_in.clone(),
        merge,
        body: body(&facts.message).and_then(|body| rationale(body, EXCERPT)),
        tickets: tickets(&facts.message),
        companions: others.take(NAMED).cloned().collect(),
        n_files: files.as_ref().filter(|files| !files.is_empty()).map(|files| files.len() as u64),
        changes,
    })
}

fn merge(reader: &Reader, commit: i64, facts: &CommitFacts) -> Result<Option<MergeMessage>> {
    let landing = facts.landed_in.as_ref().filter(|landing| **landing != facts.sha);
    let Some(landing) = landing else { return Ok(None) };
    let repo = commits::repo_of(reader, commit)?;
    let Some(row) = commits::by_sha(reader, Some(repo), landing)? else { return Ok(None) };
    Ok(Some(merge_message(row.sha, &row.message)))
}

fn merge_message(sha: String, message: &str) -> MergeMessage {
    let subject = message.trim_start().lines().next().unwrap_or_default();
    let below = body(message).unwrap_or_default();
    let is_title = |line: &&str| !line.is_empty() && !is_trailer(line);
    let title = below.lines().map(str::trim).find(is_title).unwrap_or(subject);
    let after = below.split_once(title).map_or("", |(_, after)| after);
    MergeMessage {
        sha,
        reference: tickets(message).into_iter().next(),
        title: title.to_owned(),
        reason: rationale(after, EXCERPT).filter(|found| found.gives_reasons),
    }
}

/// `Signed-off-by: …`, `* branch:`
fn is_trailer(line: &str) -> bool {
    let key = line.split_once(": ").map_or(line, |(key, _)| key);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_key = line.contains(": ") && key.contains('-') && key.chars().all(is_word);
    is_key || (line.starts_with("* ") && line.ends_with(':')) || line.ends_with("commits)")
}

fn changes(reader: &Reader, commit: i64, sha: &str) -> Result<Vec<LinkedCommit>> {
    let repo = commits::repo_of(reader, commit)?;
    let links = change_relations::of_commit(reader, repo, commit, sha)?;
    let linked = links.into_iter().map(|link| LinkedCommit {
        relation: link.relation,
        is_outgoing: !link.is_incoming,
        sha: link.sha,
        subject: link.subject,
        authored_at: link.authored_at,
    });
    Ok(linked.collect())
}

/// The sentences of a commit's message that give reasons; none where it has none.
pub fn of_message(facts: &CommitFacts) -> Option<Rationale> {
    let found = body(&facts.message).and_then(|body| rationale(body, EXCERPT));
    found.filter(|found| found.gives_reasons)
}

/// How much of a reason a message gives; nothing without a body.
pub fn weight(message: &str) -> i32 {
    let found = body(message).and_then(|body| rationale(body, EXCERPT));
    match found {
        Some(found) if found.gives_reasons => 10 + points(&found.text).max(0),
        Some(_) => 1,
        None => 0,
    }
}

/// What stands before the list of files that git writes below a merge which had conflicts.
fn without_conflicts(body: &str) -> &str {
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        if matches!(line.trim_end(), "Conflicts:" | "# Conflicts:") {
            return &body[..end];
        }
        end += line.len();
    }
    body
}

/// What a message says below its subject.
fn body(message: &str) -> Option<&str> {
    let message = message.trim_start();
    let (_, body) = message.split_once('\n')?;
    let body = without_conflicts(body).trim();
    (!body.is_empty()).then_some(body)
}

/// Tickets named in a message: `#12` anywhere in its prose, and keys like
/// `PROJ-12` where trackers are named by people: in the subject and in trailers.
pub(crate) fn tickets(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (index, line) in message.lines().take(200).enumerate() {
        let is_code = line.starts_with("    ") || line.starts_with('\t') || line.starts_with('>');
        if is_code {
            continue;
        }
        let takes_keys = index == 0 || line.contains(": ");
        let words = line.split(|c: char| c.is_whitespace() || ",;:()[]{}\"'`".contains(c));
        for word in words.map(|word| word.trim_end_matches(['.', '!', '?'])) {
            let is_ticket = is_number(word) || (takes_keys && is_key(word));
            if is_ticket && !found.iter().any(|known| known == word) && found.len() < TICKETS {
                found.push(word.to_owned());
            }
        }
    }
    found
}

/// `#12`, `!12`, `GH-12`, `group/project#12`.
fn is_number(word: &str) -> bool {
    let Some((path, digits)) = word.rsplit_once(['#', '!']) else { return false };
    let is_path = path.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
    is_path && is_digits(digits)
}

/// `PROJ-12`: capitals, a dash, a number.
fn is_key(word: &str) -> bool {
    // Names of things that look like keys and are none.
    const STANDARDS: &[&str] = &[
        "UTF", "ISO", "SHA", "MD", "AES", "RSA", "PEP", "RFC", "CVE", "IEEE", "ECMA", "BIP", "PKCS",
    ];
    let Some((key, digits)) = word.split_once('-') else { return false };
    let mut letters = key.chars();
    let starts = letters.next().is_some_and(|c| c.is_ascii_uppercase());
    let is_upper = letters.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    starts && is_upper && key.len() >= 2 && is_digits(digits) && !STANDARDS.contains(&key)
}

fn is_digits(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_numbers_and_keys_of_trackers() {
        for (message, named) in [
            ("Fixed #36664 -- Readded things (#12).", vec!["#36664", "#12"]),
            ("PROJ-12: keep UTF-8\n\nABC-1 in prose\nFixes: CORE-7", vec!["PROJ-12", "CORE-7"]),
            (
                "Merge pull request #9 from a/b\n\nSee group/app!3, not C#",
                vec!["#9", "group/app!3"],
            ),
            ("Nothing\n\n    #include <a.h> #5\n> #6", vec![]),
        ] {
            assert_eq!(tickets(message), named, "{message}");
        }
    }

    #[test]
    fn a_merge_tells_what_it_brought() {
        let told = |message: &str| {
            let told = merge_message("1".to_owned(), message);
            format!("{} {}", told.reference.unwrap_or_default(), told.title)
        };
        let github = "Merge pull request #5318 from ada/limit-sync\n\nbatch watcher sync";
        assert_eq!(told(github), "#5318 batch watcher sync");
        let gitlab = "Merge branch 'a' into 'main'\n\nKeep sessions\n\nSee merge request a/b!12";
        assert_eq!(told(gitlab), "a/b!12 Keep sessions");
        assert_eq!(told("Merge branch 'fix-sessions'"), " Merge branch 'fix-sessions'");
        assert_eq!(told("Merge #7\n\nSigned-off-by: Ada <a@example.com>"), "#7 Merge #7");
        let conflicts = "Merge pull request #8 from a/b\n\nConflicts:\n\tsrc/a.rs\n";
        assert_eq!(told(conflicts), "#8 Merge pull request #8 from a/b");
        let told_of = "Merge #9\n\nKeep both\n\n# Conflicts:\n#\tsrc/a.rs\n";
        assert_eq!(told(told_of), "#9 Keep both");
    }

    #[test]
    fn the_body_is_what_follows_the_subject() {
        assert_eq!(body("Subject\n\nWhy.\n"), Some("Why."));
        assert_eq!(body("Subject\n\n"), None);
        assert_eq!(body("Subject"), None);
        assert_eq!(body("Subject\n\nConflicts:\n\ta.rs"), None);
    }
}
