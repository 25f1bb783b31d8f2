//! A commit with the reason it gives for itself, which without a forge is the
//! only one there is.

use super::rationale::points;
use super::{EXCERPT, Rationale, rationale};
use crate::origin::CommitFacts;
use model::relation::RelationType;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
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
    let (files, changes) = match facts.id {
        Some(id) => (Some(commits::files(reader, id)?), changes(reader, id, &facts.sha)?),
        None => (None, Vec::new()),
    };
    let others = files.iter().flatten().map(|file| &file.path).filter(|path| !about.contains(path));
    Ok(CommitReason {
        sha: facts.sha.clone(),
        subject: facts.subject.clone(),
        author: facts.author.clone(),
        authored_at: facts.authored_at,
        committed_at: Some(facts.committed_at),
        landed_in: facts.landed_in.clone(),
        body: body(&facts.message).and_then(|body| rationale(body, EXCERPT)),
        tickets: tickets(&facts.message),
        companions: others.take(NAMED).cloned().collect(),
        n_files: files.as_ref().filter(|files| !files.is_empty()).map(|files| files.len() as u64),
        changes,
    })
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

/// What a message says below its subject.
fn body(message: &str) -> Option<&str> {
    let message = message.trim_start();
    let (_, body) = message.split_once('\n')?;
    let body = body.trim();
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
    fn the_body_is_what_follows_the_subject() {
        assert_eq!(body("Subject\n\nWhy.\n"), Some("Why."));
        assert_eq!(body("Subject\n\n"), None);
        assert_eq!(body("Subject"), None);
    }
}
