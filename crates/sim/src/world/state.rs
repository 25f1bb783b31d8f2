//! Closing, reopening and merging.

use super::error::{Result, WorldError};
use super::ids::{EntityId, EntityKey, EventId, ProjectId, UserId};
use super::input::{Merge, MergeMethod, NewCommit};
use super::mentions::Origin;
use super::texts::{self, ClosedVia};
use super::types::{State, StateChange, StateEvent};
use super::{World, next};
use model::{EntityKind, Timestamp};

/// Why an entity changed state, if not by hand.
#[derive(Debug, Clone, Default)]
struct Source {
    merge_request: Option<(EntityId, EntityKey)>,
    commit: Option<(ProjectId, String)>,
}

impl World {
    pub fn close(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        let user = self.user_id(by)?;
        self.close_from(on, user, at, &Source::default())
    }

    pub(super) fn close_by_id(&mut self, on: EntityKey, user: UserId, at: Timestamp) -> Result<()> {
        self.close_from(on, user, at, &Source::default())
    }

    fn close_from(
        &mut self,
        on: EntityKey,
        user: UserId,
        at: Timestamp,
        source: &Source,
    ) -> Result<()> {
        self.expect_state(on, State::Opened, "closed")?;
        self.touch(on, at)?;
        let entity = self.entity_mut(on)?;
        entity.state = State::Closed;
        entity.closed_at = Some(at);
        entity.closed_by = Some(user);
        self.record("closed", user, at, on);
        self.state_changed(on, user, at, (StateChange::Closed, source))
    }

    /// `closed_at` and `closed_by` are forgotten.
    pub fn reopen(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        let user = self.user_id(by)?;
        self.expect_state(on, State::Closed, "reopened")?;
        self.touch(on, at)?;
        let entity = self.entity_mut(on)?;
        entity.state = State::Opened;
        entity.closed_at = None;
        entity.closed_by = None;
        self.record("reopened", user, at, on);
        self.state_changed(on, user, at, (StateChange::Reopened, &Source::default()))?;
        self.refresh_closes(on)
    }

    /// Merges, and closes the issues the merge request declares to close.
    pub fn merge(&mut self, on: EntityKey, by: &str, at: Timestamp, merge: Merge) -> Result<()> {
        let user = self.user_id(by)?;
        self.merge_request_mut(on)?;
        self.expect_state(on, State::Opened, "merged")?;
        self.refresh_closes(on)?;
        self.touch(on, at)?;
        let merge_sha = match merge.method {
            MergeMethod::Commit | MergeMethod::Squash => {
                Some(merge.merge_commit_sha.unwrap_or_else(|| self.made_up_sha()))
            }
            MergeMethod::FastForward | MergeMethod::Rebase => None,
        };
        let squash_sha = (merge.method == MergeMethod::Squash)
            .then(|| merge.squash_commit_sha.unwrap_or_else(|| self.made_up_sha()));
        let rebased_sha = (merge.method == MergeMethod::Rebase)
            .then(|| merge.rebased_sha.unwrap_or_else(|| self.made_up_sha()));
        self.entity_mut(on)?.state = State::Merged;
        let mr = self.merge_request_mut(on)?;
        mr.merged_at = Some(at);
        mr.merge_user = Some(user);
        mr.merge_commit_sha = merge_sha;
        mr.squash = squash_sha.is_some();
        mr.squash_commit_sha = squash_sha;
        if let Some(sha) = rebased_sha {
            mr.sha = Some(sha);
        }
        let closes = mr.closes.clone();
        self.record("accepted", user, at, on);
        self.state_changed(on, user, at, (StateChange::Merged, &Source::default()))?;
        if self.project(on.project)?.autoclose {
            let id = self.entity(on)?.id;
            let source = Source { merge_request: Some((id, on)), commit: None };
            self.close_all(&closes, user, at.plus(self.settings.close_delay), &source)?;
        }
        Ok(())
    }

    /// A commit straight onto the default branch: leaves mentions and closes
    /// the issues its message names.
    pub fn commit_to_default(
        &mut self,
        project: ProjectId,
        by: &str,
        at: Timestamp,
        commit: NewCommit,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.tick(at);
        for commit in self.commits(vec![commit], user, at)? {
            let closes = self.closed_by_text(&commit.message, project);
            let origin = Origin::Commit { project, sha: commit.sha.clone() };
            self.mention(&commit.message, &origin, user, at)?;
            if self.project(project)?.autoclose {
                let source = Source { merge_request: None, commit: Some((project, commit.sha)) };
                self.close_all(&closes, user, at.plus(self.settings.close_delay), &source)?;
            }
        }
        Ok(())
    }

    /// Puts a merge request into GitLab's transient `locked` state, or back.
    pub fn set_locked(&mut self, on: EntityKey, locked: bool) -> Result<()> {
        self.merge_request_mut(on)?;
        let (from, to) =
            if locked { (State::Opened, State::Locked) } else { (State::Locked, State::Opened) };
        self.expect_state(on, from, if locked { "locked" } else { "unlocked" })?;
        self.entity_mut(on)?.state = to;
        Ok(())
    }

    fn close_all(
        &mut self,
        issues: &[EntityKey],
        user: UserId,
        at: Timestamp,
        source: &Source,
    ) -> Result<()> {
        for issue in issues {
            if self.entity(*issue).is_ok_and(|entity| entity.state == State::Opened) {
                self.close_from(*issue, user, at, source)?;
            }
        }
        Ok(())
    }

    fn expect_state(&self, on: EntityKey, state: State, wanted: &'static str) -> Result<()> {
        let found = self.entity(on)?.state;
        if found == state {
            return Ok(());
        }
        Err(WorldError::WrongState { key: on, state: found.as_str(), wanted })
    }

    /// An event since 13.2, a note before.
    fn state_changed(
        &mut self,
        on: EntityKey,
        user: UserId,
        at: Timestamp,
        (change, source): (StateChange, &Source),
    ) -> Result<()> {
        if self.settings.era.has_state_events() {
            let event = StateEvent {
                id: EventId(next(&mut self.counters.state_event)),
                user: Some(user),
                created_at: at,
                change,
                source_merge_request: source.merge_request.map(|(id, _)| id),
                source_commit: source.commit.as_ref().map(|(_, sha)| sha.clone()),
            };
            self.entity_mut(on)?.state_events.push(event);
            return Ok(());
        }
        let reference = match source {
            Source { merge_request: Some((_, mr)), .. } => self.reference_from(on.project, *mr),
            Source { commit: Some((project, sha)), .. } => {
                self.commit_reference_from(on.project, *project, sha)
            }
            _ => String::new(),
        };
        let via = match source {
            Source { merge_request: Some(_), .. } => Some(ClosedVia::MergeRequest(&reference)),
            Source { commit: Some(_), .. } => Some(ClosedVia::Commit(&reference)),
            _ => None,
        };
        let body = texts::state_changed(self.settings.era, change.as_str(), via);
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    /// Whether an issue is one GitLab would let be moved, related and so on.
    pub(super) fn expect_issue(&self, on: EntityKey) -> Result<()> {
        self.entity(on)?;
        if on.kind == EntityKind::Issue { Ok(()) } else { Err(WorldError::NotAnIssue(on)) }
    }
}
