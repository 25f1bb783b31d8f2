//! What only merge requests have: commits, diffs, drafts, approvals.

use super::error::Result;
use super::ids::{DiffId, EntityKey, UserId};
use super::input::Push;
use super::mentions::Origin;
use super::texts;
use super::types::{Commit, DiffVersion, FileChange};
use super::{World, WorldError, next};
use model::Timestamp;

impl World {
    /// New commits on the source branch: a new diff version, a new `sha`, and
    /// an "added N commits" note.
    pub fn push(&mut self, on: EntityKey, by: &str, at: Timestamp, push: Push) -> Result<()> {
        let user = self.user_id(by)?;
        let mr = self.entity(on)?.merge_request().ok_or(WorldError::NotAMergeRequest(on))?;
        let previous = mr.versions.last().cloned();
        let n_before = mr.commits.len();
        let commits = self.commits(push.commits, user, at)?;
        let base = push
            .base_sha
            .or_else(|| previous.as_ref().map(|version| version.base_sha.clone()))
            .unwrap_or_else(|| self.made_up_sha());
        self.touch(on, at)?;
        if let Some(changes) = push.changes {
            self.merge_request_mut(on)?.changes = changes;
        }
        let added: Vec<(String, String)> =
            commits.iter().map(|commit| (commit.sha.clone(), commit.title().to_owned())).collect();
        self.add_commits(on, commits, &base, at)?;
        if !added.is_empty() {
            let diff = self.merge_request_mut(on)?.versions.last().map_or(0, |entry| entry.id.0);
            let start = previous.map_or_else(String::new, |version| version.head_sha);
            let path = &self.project(on.project)?.path;
            let compare = format!(
                "/{path}/-/merge_requests/{}/diffs?diff_id={diff}&start_sha={start}",
                on.iid
            );
            let pairs: Vec<(&str, &str)> =
                added.iter().map(|(sha, title)| (sha.as_str(), title.as_str())).collect();
            self.system_note(on, user, at, texts::commits_added(&pairs, &compare))?;
        }
        self.mention_commits(on, user, at, n_before)?;
        self.refresh_closes(on)
    }

    /// Appends commits and opens a diff version for the new head.
    pub(super) fn add_commits(
        &mut self,
        on: EntityKey,
        commits: Vec<Commit>,
        base_sha: &str,
        at: Timestamp,
    ) -> Result<()> {
        let made_up = self.made_up_sha();
        let id = DiffId(next(&mut self.counters.diff));
        let mr = self.merge_request_mut(on)?;
        mr.commits.extend(commits);
        let head = mr.commits.last().map_or(made_up, |commit| commit.sha.clone());
        mr.sha = Some(head.clone());
        mr.versions.push(DiffVersion {
            id,
            head_sha: head,
            base_sha: base_sha.to_owned(),
            start_sha: base_sha.to_owned(),
            created_at: at,
            n_files: mr.changes.len(),
        });
        Ok(())
    }

    /// "mentioned in commit …" for the commits from number `from` on.
    pub(super) fn mention_commits(
        &mut self,
        on: EntityKey,
        user: UserId,
        at: Timestamp,
        from: usize,
    ) -> Result<()> {
        let commits = self.entity(on)?.merge_request().map_or(&[][..], |mr| &mr.commits);
        let new: Vec<(String, String)> = commits
            .iter()
            .skip(from)
            .map(|commit| (commit.sha.clone(), commit.message.clone()))
            .collect();
        for (sha, message) in new {
            let origin = Origin::Commit { project: on.project, sha };
            self.mention(&message, &origin, user, at)?;
        }
        Ok(())
    }

    /// Replaces the diff without a push: no note, no bump.
    pub fn set_changes(&mut self, on: EntityKey, changes: Vec<FileChange>) -> Result<()> {
        let mr = self.merge_request_mut(on)?;
        if let Some(version) = mr.versions.last_mut() {
            version.n_files = changes.len();
        }
        mr.changes = changes;
        Ok(())
    }

    pub fn mark_draft(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_draft(on, by, at, true)
    }

    pub fn mark_ready(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_draft(on, by, at, false)
    }

    fn set_draft(&mut self, on: EntityKey, by: &str, at: Timestamp, draft: bool) -> Result<()> {
        let user = self.user_id(by)?;
        let mr = self.merge_request_mut(on)?;
        if mr.draft == draft {
            return Ok(());
        }
        mr.draft = draft;
        self.touch(on, at)?;
        let entity = self.entity_mut(on)?;
        let plain = without_draft(&entity.title).to_owned();
        entity.title = if draft { format!("Draft: {plain}") } else { plain };
        self.system_note(on, user, at, texts::draft_changed(draft))?;
        Ok(())
    }

    pub fn approve(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_approval(on, by, at, true)
    }

    pub fn unapprove(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_approval(on, by, at, false)
    }

    fn set_approval(&mut self, on: EntityKey, by: &str, at: Timestamp, given: bool) -> Result<()> {
        let user = self.user_id(by)?;
        let mr = self.merge_request_mut(on)?;
        if mr.approved_by.contains(&user) == given {
            return Ok(());
        }
        let verb = if given {
            mr.approved_by.push(user);
            "approved"
        } else {
            mr.approved_by.retain(|approver| *approver != user);
            "unapproved"
        };
        self.system_note(on, user, at, format!("{verb} this merge request"))?;
        if given {
            self.record("approved", user, at, on);
        }
        Ok(())
    }

    /// Points it at another branch; what it closes follows.
    pub fn retarget(&mut self, on: EntityKey, by: &str, at: Timestamp, branch: &str) -> Result<()> {
        let user = self.user_id(by)?;
        self.touch(on, at)?;
        let mr = self.merge_request_mut(on)?;
        let old = std::mem::replace(&mut mr.target_branch, branch.to_owned());
        let body = format!("changed target branch from `{old}` to `{branch}`");
        self.system_note(on, user, at, body)?;
        self.refresh_closes(on)
    }

    /// The fork it came from is gone.
    pub fn lose_source_project(&mut self, on: EntityKey) -> Result<()> {
        self.merge_request_mut(on)?.source_project = None;
        Ok(())
    }
}

fn without_draft(title: &str) -> &str {
    let mut title = title;
    while let Some(rest) =
        ["Draft: ", "draft: ", "[Draft] ", "(Draft) "].iter().find_map(|p| title.strip_prefix(p))
    {
        title = rest;
    }
    title
}
