//! Whose lines still stand: blame in a local clone.

use git::{BlameAt, BlameRequest, Repo, RepoPath};
use model::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use store::authors::GitAuthor;

/// A git author with the lines that are theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineAuthor {
    pub author: GitAuthor,
    pub lines: u64,
    pub last_at: Timestamp,
}

/// None when the clone does not have the file: then there is nothing to say.
pub(super) fn by_author(clone: &Path, path: &str) -> Option<Vec<LineAuthor>> {
    let repo = Repo::open(clone).ok()?;
    let head = repo.resolve("HEAD").ok()?;
    let request = BlameRequest {
        path: RepoPath::new(path.as_bytes()),
        at: BlameAt::Commit(head),
        lines: None,
        follows_moves: true,
        ancestry: None,
    };
    let blame = repo.blame(&request).ok()?;
    let mut authors: BTreeMap<GitAuthor, LineAuthor> = BTreeMap::new();
    for run in blame.runs {
        let author = GitAuthor { name: run.author, email: run.author_email };
        let found = authors.entry(author.clone()).or_insert_with(|| LineAuthor {
            author,
            lines: 0,
            last_at: run.authored_at,
        });
        found.lines += run.len;
        found.last_at = found.last_at.max(run.authored_at);
    }
    Some(authors.into_values().collect())
}
