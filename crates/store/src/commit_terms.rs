//! The terms of commit messages, to find earlier commits that are like a task.

use crate::code::packed::{Packer, Unpacker};
use crate::error::db;
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::ids::RepoId;
use model::{Result, Timestamp, terms};
use std::collections::BTreeMap;

/// Lines at the end of a message that are about people, not about the change.
const TRAILERS: &[&str] = &[
    "signed-off-by:",
    "co-authored-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
    "change-id:",
    "merge branch",
    "merge pull request",
    "git-svn-id:",
];

/// A term of a message: in its first line, and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// What the question called the term.
    pub slot: u32,
    pub in_subject: u32,
    pub in_body: u32,
}

/// A commit with what it shares with a question.
#[derive(Debug, Clone)]
pub struct CommitHits {
    pub id: i64,
    pub sha: String,
    /// Hashes separated by blanks.
    pub parents: String,
    pub committed_at: Timestamp,
    pub subject_length: u32,
    pub body_length: u32,
    pub hits: Vec<Hit>,
}

pub(crate) fn keep(tx: &Tx<'_>, commit: i64, message: &str) -> Result<()> {
    let packed = pack(message);
    sql::run(
        tx,
        "INSERT OR REPLACE INTO commit_terms (commit_id, terms) VALUES (?1, ?2)",
        (commit, packed),
    )?;
    Ok(())
}

fn pack(message: &str) -> Vec<u8> {
    let mut lines = message.lines().map(str::trim).filter(|line| {
        let start: String = line.chars().take(20).flat_map(char::to_lowercase).collect();
        !line.is_empty() && !TRAILERS.iter().any(|trailer| start.starts_with(trailer))
    });
    let subject = counted(lines.next().into_iter());
    let body = counted(lines.take(200));
    let mut packer = Packer::default();
    for counts in [&subject, &body] {
        packer.number(counts.len() as u64);
        let mut last = 0;
        for (term, count) in counts {
            packer.number(u64::from(term - last)).number(u64::from(*count));
            last = *term;
        }
    }
    packer.finish()
}

fn counted<'a>(lines: impl Iterator<Item = &'a str>) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for line in lines {
        terms::each(line, |term| *counts.entry(terms::number(term.text)).or_default() += 1);
    }
    counts
}

/// The commits of a repository since a time, with the terms for which `wanted` has
/// a number, in no order. Those read by an earlier lore are told apart on the spot.
pub fn scan(
    on: &impl Read,
    repo: RepoId,
    since: Timestamp,
    wanted: impl Fn(u32) -> Option<u32>,
) -> Result<Vec<CommitHits>> {
    let mut statement = on
        .connection()
        .prepare_cached(
            "SELECT c.id, c.sha, c.parents, c.committed_at, t.terms,
               CASE WHEN t.terms IS NULL THEN c.message END
             FROM git_commits AS c LEFT JOIN commit_terms AS t ON t.commit_id = c.id
             WHERE c.repo_id = ?1 AND c.committed_at >= ?2",
        )
        .map_err(db)?;
    let mut rows = statement.query((repo.0, At(since))).map_err(db)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(db)? {
        let packed: Option<Vec<u8>> = row.get(4).map_err(db)?;
        let packed = match packed {
            Some(packed) => packed,
            None => pack(&row.get::<_, Option<String>>(5).map_err(db)?.unwrap_or_default()),
        };
        let mut commit = CommitHits {
            id: row.get(0).map_err(db)?,
            sha: row.get(1).map_err(db)?,
            parents: row.get(2).map_err(db)?,
            committed_at: sql::at(row, "committed_at").map_err(db)?,
            subject_length: 0,
            body_length: 0,
            hits: Vec::new(),
        };
        unpack(&packed, &wanted, &mut commit)?;
        all.push(commit);
    }
    Ok(all)
}

fn unpack(
    packed: &[u8],
    wanted: &impl Fn(u32) -> Option<u32>,
    commit: &mut CommitHits,
) -> Result<()> {
    let mut unpacker = Unpacker::new(packed);
    for is_body in [false, true] {
        let mut term = 0_u32;
        for _ in 0..unpacker.number()? {
            term = term.wrapping_add(unpacker.number()? as u32);
            let count = unpacker.number()? as u32;
            let length = if is_body { &mut commit.body_length } else { &mut commit.subject_length };
            *length += count;
            let Some(slot) = wanted(term) else { continue };
            let known = commit.hits.iter_mut().find(|hit| hit.slot == slot);
            match known {
                Some(hit) => hit.in_body += count,
                None if is_body => commit.hits.push(Hit { slot, in_subject: 0, in_body: count }),
                None => commit.hits.push(Hit { slot, in_subject: count, in_body: 0 }),
            }
        }
    }
    Ok(())
}

/// How many paths each of these commits changed, and which; in their order.
pub fn changed(on: &impl Read, commits: &[i64]) -> Result<Vec<Vec<String>>> {
    let mut all = Vec::with_capacity(commits.len());
    for commit in commits {
        all.push(sql::all(
            on,
            "SELECT path FROM commit_files WHERE commit_id = ?1 ORDER BY path",
            [commit],
            |row| row.get(0),
        )?);
    }
    Ok(all)
}

/// Where files of a repository went when they were renamed: (commit, before,
/// after), the latest first.
pub fn renames(on: &impl Read, repo: RepoId) -> Result<Vec<(i64, String, String)>> {
    sql::all(
        on,
        "SELECT f.commit_id, f.old_path, f.path FROM commit_files AS f
         JOIN git_commits AS c ON c.id = f.commit_id
         WHERE f.old_path IS NOT NULL AND c.repo_id = ?1
         ORDER BY c.committed_at DESC, f.old_path, f.path",
        [repo.0],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// The commits of a repository that changed a path, and were made up to a time.
pub fn of_path(on: &impl Read, repo: RepoId, path: &str, until: Timestamp) -> Result<Vec<i64>> {
    sql::all(
        on,
        "SELECT f.commit_id FROM commit_files AS f JOIN git_commits AS c ON c.id = f.commit_id
         WHERE f.path = ?2 AND c.repo_id = ?1 AND c.committed_at <= ?3
         ORDER BY c.committed_at DESC, c.id DESC",
        (repo.0, path, At(until)),
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_and_body_are_counted_apart_and_people_left_out() {
        let packed = pack("Fix parser\n\nThe parser lost parsers.\nSigned-off-by: Parser <p@x>\n");
        let wanted = terms::number("parser");
        let mut commit = CommitHits {
            id: 1,
            sha: String::new(),
            parents: String::new(),
            committed_at: Timestamp::from_millis(0),
            subject_length: 0,
            body_length: 0,
            hits: Vec::new(),
        };
        unpack(&packed, &|term| (term == wanted).then_some(3), &mut commit).unwrap();
        assert_eq!(commit.hits, [Hit { slot: 3, in_subject: 1, in_body: 2 }]);
        assert_eq!((commit.subject_length, commit.body_length), (2, 3));
    }
}
