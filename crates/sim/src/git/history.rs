//! Commits, branches and merges in memory.

use super::error::GitError;
use super::fast_import;
use super::object;
use super::tree::{FileChange, Tree};
use crate::scenario::ast::MergeStyle;
use model::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A commit of a [`History`], by the order it was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(pub(super) usize);

/// Who did something to the repository, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub email: String,
    pub time: Timestamp,
}

impl Signature {
    /// As it stands in a commit. Angle brackets and line ends would break the
    /// commit apart.
    pub(super) fn in_commit(&self) -> String {
        let clean = |text: &str| text.replace(['<', '>', '\n', '\0'], "");
        let seconds = self.time.as_millis().div_euclid(1000).max(0);
        format!("{} <{}> {seconds} +0000", clean(&self.name), clean(&self.email))
    }

    pub fn new(name: &str, email: &str, time: Timestamp) -> Self {
        Signature { name: name.to_owned(), email: email.to_owned(), time }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub parents: Vec<CommitId>,
    pub tree: Tree,
    pub author: Signature,
    pub committer: Signature,
    pub message: String,
    /// 40 hexadecimal digits, the same that git computes.
    pub sha: String,
}

/// How a branch is merged, by whom, and with which words.
#[derive(Debug, Clone, Copy)]
pub struct MergeAs<'a> {
    pub style: MergeStyle,
    pub by: &'a Signature,
    /// Who the squashed commit is by, when squashing.
    pub author: &'a Signature,
    pub message: &'a str,
    pub squash_message: &'a str,
}

/// What merging a branch made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOutcome {
    /// `None` for a fast-forward or rebase.
    pub merge_commit: Option<CommitId>,
    pub squash_commit: Option<CommitId>,
    /// The branch's commits as they landed, oldest first: rewritten by a rebase.
    pub commits: Vec<CommitId>,
}

/// A repository in the making.
#[derive(Debug, Clone)]
pub struct History {
    default_branch: String,
    pub(super) commits: Vec<Commit>,
    /// Full names, `refs/heads/main`.
    pub(super) refs: BTreeMap<String, CommitId>,
}

impl History {
    pub fn new(default_branch: &str) -> Self {
        History {
            default_branch: default_branch.to_owned(),
            commits: Vec::new(),
            refs: BTreeMap::new(),
        }
    }

    pub fn default_branch(&self) -> &str {
        &self.default_branch
    }

    pub fn tip(&self, branch: &str) -> Option<CommitId> {
        self.refs.get(&format!("refs/heads/{branch}")).copied()
    }

    fn existing_tip(&self, branch: &str) -> Result<CommitId, GitError> {
        self.tip(branch).ok_or_else(|| GitError::UnknownBranch(branch.to_owned()))
    }

    pub fn tree(&self, commit: CommitId) -> &Tree {
        &self.commits[commit.0].tree
    }

    pub fn message(&self, commit: CommitId) -> &str {
        &self.commits[commit.0].message
    }

    /// The name git gives to this commit, 40 hexadecimal digits.
    pub fn sha(&self, commit: CommitId) -> &str {
        &self.commits[commit.0].sha
    }

    /// Starts a branch where `from` stands now.
    pub fn branch(&mut self, name: &str, from: &str) -> Result<(), GitError> {
        let tip = self.existing_tip(from)?;
        self.set_ref(&format!("refs/heads/{name}"), tip);
        Ok(())
    }

    pub fn delete_branch(&mut self, name: &str) {
        self.refs.remove(&format!("refs/heads/{name}"));
    }

    pub fn set_ref(&mut self, full_name: &str, commit: CommitId) {
        self.refs.insert(full_name.to_owned(), commit);
    }

    /// Commits onto a branch; the first commit makes the branch.
    pub fn commit(
        &mut self,
        branch: &str,
        author: &Signature,
        message: &str,
        changes: &[FileChange],
    ) -> Result<CommitId, GitError> {
        let parent = self.tip(branch);
        let mut tree = parent.map_or_else(Tree::default, |parent| self.tree(parent).clone());
        for change in changes {
            tree.apply(change)?;
        }
        let commit = self.add(Commit {
            parents: parent.into_iter().collect(),
            tree,
            author: author.clone(),
            committer: author.clone(),
            message: message.to_owned(),
            sha: String::new(),
        });
        self.set_ref(&format!("refs/heads/{branch}"), commit);
        Ok(commit)
    }

    /// Merges as GitLab does. The source branch stays.
    pub fn merge(
        &mut self,
        source: &str,
        target: &str,
        how: MergeAs<'_>,
    ) -> Result<MergeOutcome, GitError> {
        let MergeAs { style, by, author, message, squash_message } = how;
        let (head, tip) = (self.existing_tip(source)?, self.existing_tip(target)?);
        let base = self.merge_base(head, tip);
        let mut merged = MergeOutcome {
            merge_commit: None,
            squash_commit: None,
            commits: self.between(base, head),
        };
        let landed = match style {
            MergeStyle::FastForward if base != Some(tip) => {
                return Err(GitError::NotFastForward {
                    source: source.to_owned(),
                    target: target.to_owned(),
                });
            }
            MergeStyle::FastForward => head,
            MergeStyle::Rebase => {
                merged.commits = self.rebase(&merged.commits, tip, by)?;
                merged.commits.last().copied().unwrap_or(tip)
            }
            MergeStyle::Merge => {
                let commit = self.merge_commit(base, tip, head, by, message)?;
                merged.merge_commit = Some(commit);
                commit
            }
            MergeStyle::Squash => {
                let squashed = self.add(Commit {
                    parents: base.into_iter().collect(),
                    tree: self.tree(head).clone(),
                    author: author.clone(),
                    committer: by.clone(),
                    message: squash_message.to_owned(),
                    sha: String::new(),
                });
                let commit = self.merge_commit(base, tip, squashed, by, message)?;
                merged.squash_commit = Some(squashed);
                merged.merge_commit = Some(commit);
                commit
            }
        };
        self.set_ref(&format!("refs/heads/{target}"), landed);
        Ok(merged)
    }

    fn merge_commit(
        &mut self,
        base: Option<CommitId>,
        tip: CommitId,
        head: CommitId,
        by: &Signature,
        message: &str,
    ) -> Result<CommitId, GitError> {
        let empty = Tree::default();
        let base_tree = base.map_or(&empty, |base| self.tree(base));
        let tree = self.tree(tip).merged(base_tree, self.tree(head))?;
        Ok(self.add(Commit {
            parents: vec![tip, head],
            tree,
            author: by.clone(),
            committer: by.clone(),
            message: message.to_owned(),
            sha: String::new(),
        }))
    }

    /// The same commits again, on top of `onto`; authors stay, `by` commits.
    fn rebase(
        &mut self,
        commits: &[CommitId],
        onto: CommitId,
        by: &Signature,
    ) -> Result<Vec<CommitId>, GitError> {
        let mut parent = onto;
        let mut rewritten = Vec::with_capacity(commits.len());
        for &id in commits {
            let old = self.commits[id.0].clone();
            let empty = Tree::default();
            let before = old.parents.first().map_or(&empty, |first| self.tree(*first));
            let tree = self.tree(parent).merged(before, &old.tree)?;
            parent = self.add(Commit { parents: vec![parent], tree, committer: by.clone(), ..old });
            rewritten.push(parent);
        }
        Ok(rewritten)
    }

    fn add(&mut self, mut commit: Commit) -> CommitId {
        let mut content = format!("tree {}\n", commit.tree.id());
        for parent in &commit.parents {
            content.push_str(&format!("parent {}\n", self.sha(*parent)));
        }
        content.push_str(&format!("author {}\n", commit.author.in_commit()));
        content.push_str(&format!("committer {}\n\n", commit.committer.in_commit()));
        content.push_str(&commit.message);
        commit.sha = object::commit(&content).to_string();
        self.commits.push(commit);
        CommitId(self.commits.len() - 1)
    }

    fn ancestors(&self, from: CommitId) -> BTreeSet<CommitId> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(commit) = open.pop() {
            if seen.insert(commit) {
                open.extend(&self.commits[commit.0].parents);
            }
        }
        seen
    }

    /// The newest commit both have. Commits are numbered in the order they
    /// were made, so the greatest number is the newest.
    pub fn merge_base(&self, a: CommitId, b: CommitId) -> Option<CommitId> {
        self.ancestors(a).intersection(&self.ancestors(b)).max().copied()
    }

    /// Commits of `head` that `base` has not, along first parents, oldest first.
    fn between(&self, base: Option<CommitId>, head: CommitId) -> Vec<CommitId> {
        let mut commits = Vec::new();
        let mut at = Some(head);
        while let Some(commit) = at.filter(|commit| Some(*commit) != base) {
            commits.push(commit);
            at = self.commits[commit.0].parents.first().copied();
        }
        commits.reverse();
        commits
    }

    /// Writes the repository with a checkout of the default branch into `dir`,
    /// which is made if needed. Needs git.
    pub fn write(&self, dir: &Path) -> Result<(), GitError> {
        fast_import::write(self, dir)
    }
}
