//! Opening issues and merge requests.

use super::error::{Result, WorldError};
use super::ids::{
    DiffId, DiscussionId, EntityId, EntityKey, EventId, LabelId, MilestoneId, NoteId, ProjectId,
    UserId,
};
use super::input::{LabelChange, NewCommit, NewIssue, NewMergeRequest};
use super::mentions::Origin;
use super::types::{Commit, Detail, Entity, Issue, MergeRequest, State};
use super::{World, next};
use model::ids::Iid;
use model::{EntityKind, Timestamp};
use std::collections::BTreeSet;

/// What issues and merge requests have in common at their creation.
struct Opening {
    title: String,
    description: Option<String>,
    labels: Vec<String>,
    milestone: Option<String>,
    assignees: Vec<String>,
    confidential: bool,
}

impl World {
    pub fn create_issue(
        &mut self,
        project: ProjectId,
        by: &str,
        at: Timestamp,
        new: NewIssue,
    ) -> Result<EntityKey> {
        let detail = Issue { issue_type: new.issue_type, ..Issue::default() };
        let opening = Opening {
            title: new.title,
            description: new.description,
            labels: new.labels,
            milestone: new.milestone,
            assignees: new.assignees,
            confidential: new.confidential,
        };
        let key = self.free_key(project, EntityKind::Issue, new.iid)?;
        self.open(key, by, at, opening, Detail::Issue(Box::new(detail)))?;
        let author = self.user_id(by)?;
        self.mention_description(key, author, at)?;
        Ok(key)
    }

    pub fn create_mr(
        &mut self,
        project: ProjectId,
        by: &str,
        at: Timestamp,
        new: NewMergeRequest,
    ) -> Result<EntityKey> {
        let key = self.free_key(project, EntityKind::MergeRequest, new.iid)?;
        let author = self.user_id(by)?;
        let reviewers = self.user_ids(&new.reviewers)?;
        let commits = self.commits(new.commits, author, at)?;
        let default_branch = self.project(project)?.default_branch.clone();
        let mr = MergeRequest {
            source_branch: new.source_branch,
            target_branch: if new.target_branch.is_empty() {
                default_branch
            } else {
                new.target_branch
            },
            source_project: Some(new.source_project.unwrap_or(project)),
            draft: new.draft,
            changes: new.changes,
            ..MergeRequest::default()
        };
        let title = if new.draft { format!("Draft: {}", new.title) } else { new.title };
        let opening = Opening {
            title,
            description: new.description,
            labels: new.labels,
            milestone: new.milestone,
            assignees: new.assignees,
            confidential: false,
        };
        self.open(key, by, at, opening, Detail::MergeRequest(Box::new(mr)))?;
        self.set_reviewer_ids(key, author, at, reviewers)?;
        let base = new.base_sha.unwrap_or_else(|| self.made_up_sha());
        self.add_commits(key, commits, &base, at)?;
        self.mention_description(key, author, at)?;
        self.mention_commits(key, author, at, 0)?;
        self.refresh_closes(key)?;
        Ok(key)
    }

    fn free_key(
        &self,
        project: ProjectId,
        kind: EntityKind,
        iid: Option<Iid>,
    ) -> Result<EntityKey> {
        self.project(project)?;
        let iid = iid.unwrap_or_else(|| self.next_iid(project, kind));
        let key = EntityKey { project, kind, iid };
        if self.entities.contains_key(&key) {
            return Err(WorldError::IidTaken(key));
        }
        Ok(key)
    }

    fn open(
        &mut self,
        key: EntityKey,
        by: &str,
        at: Timestamp,
        opening: Opening,
        detail: Detail,
    ) -> Result<()> {
        // Everything that can be refused is checked before anything changes.
        let author = self.user_id(by)?;
        let assignees = self.user_ids(&opening.assignees)?;
        for label in &opening.labels {
            self.label_id(key.project, label)?;
        }
        if let Some(title) = &opening.milestone {
            self.milestone_id(key.project, title)?;
        }
        let id = self.next_entity_id(key.kind);
        let mut entity = blank(id, key, author, at, detail);
        entity.title = opening.title;
        entity.description = opening.description;
        entity.confidential = opening.confidential;
        self.insert_raw(entity)?;
        self.record("opened", author, at, key);
        if !opening.labels.is_empty() {
            self.change_labels(
                key,
                by,
                at,
                LabelChange { add: opening.labels, remove: Vec::new() },
            )?;
        }
        if opening.milestone.is_some() {
            self.set_milestone(key, by, at, opening.milestone.as_deref())?;
        }
        self.set_assignee_ids(key, author, at, assignees)
    }

    pub(super) fn next_entity_id(&mut self, kind: EntityKind) -> EntityId {
        EntityId(next(match kind {
            EntityKind::Issue => &mut self.counters.issue,
            EntityKind::MergeRequest => &mut self.counters.merge_request,
        }))
    }

    /// Leaves "mentioned in …" on everything the description names.
    pub(crate) fn mention_description(
        &mut self,
        key: EntityKey,
        author: UserId,
        at: Timestamp,
    ) -> Result<()> {
        match self.entity(key)?.description.clone() {
            Some(text) => self.mention(&text, &Origin::Entity(key), author, at),
            None => Ok(()),
        }
    }

    /// Commits as they are stored, with names looked up and hashes made up.
    pub(super) fn commits(
        &mut self,
        new: Vec<NewCommit>,
        pusher: UserId,
        at: Timestamp,
    ) -> Result<Vec<Commit>> {
        let mut commits = Vec::with_capacity(new.len());
        for commit in new {
            let author = match &commit.author {
                Some(username) => self.user_id(username)?,
                None => pusher,
            };
            let sha = commit.sha.unwrap_or_else(|| self.made_up_sha());
            let (author_name, author_email) = self
                .user(author)
                .map_or_else(Default::default, |user| (user.name.clone(), user.email.clone()));
            commits.push(Commit {
                sha,
                message: commit.message,
                author_name,
                author_email,
                authored_at: commit.authored_at.unwrap_or(at),
            });
        }
        Ok(commits)
    }

    // Ids for histories that are put together outside and inserted whole.

    pub(crate) fn next_note_id(&mut self) -> NoteId {
        NoteId(next(&mut self.counters.note))
    }

    pub(crate) fn next_discussion_id(&mut self) -> DiscussionId {
        DiscussionId(next(&mut self.counters.discussion))
    }

    pub(crate) fn next_state_event_id(&mut self) -> EventId {
        EventId(next(&mut self.counters.state_event))
    }

    pub(crate) fn next_label_event_id(&mut self) -> EventId {
        EventId(next(&mut self.counters.label_event))
    }

    pub(crate) fn next_milestone_event_id(&mut self) -> EventId {
        EventId(next(&mut self.counters.milestone_event))
    }

    pub(crate) fn next_diff_id(&mut self) -> DiffId {
        DiffId(next(&mut self.counters.diff))
    }

    /// An entity without text, notes or events, for generated histories.
    pub fn blank_entity(
        &mut self,
        key: EntityKey,
        author: UserId,
        at: Timestamp,
        detail: Detail,
    ) -> Entity {
        let id = self.next_entity_id(key.kind);
        blank(id, key, author, at, detail)
    }
}

fn blank(id: EntityId, key: EntityKey, author: UserId, at: Timestamp, detail: Detail) -> Entity {
    Entity {
        id,
        key,
        title: String::new(),
        description: None,
        state: State::Opened,
        author,
        created_at: at,
        updated_at: at,
        closed_at: None,
        closed_by: None,
        labels: BTreeSet::<LabelId>::new(),
        milestone: None::<MilestoneId>,
        assignees: Vec::new(),
        confidential: false,
        discussion_locked: None,
        due_date: None,
        upvotes: 0,
        downvotes: 0,
        time_spent_seconds: 0,
        imported: false,
        discussions: Vec::new(),
        state_events: Vec::new(),
        label_events: Vec::new(),
        milestone_events: Vec::new(),
        mentioned_by: BTreeSet::new(),
        detail,
    }
}
