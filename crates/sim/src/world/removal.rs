//! What disappears, and what GitLab leaves behind where it was.

use super::World;
use super::error::Result;
use super::ids::{EntityKey, ProjectId, UserId};
use super::input::NewUser;
use super::types::Entity;
use model::EntityKind;

impl World {
    /// Gone from lists, 404 on everything, no tombstone. State events that
    /// name it as their source lose the name.
    pub fn delete_entity(&mut self, on: EntityKey) -> Result<()> {
        let gone = self.take_out(on)?;
        if on.kind == EntityKind::MergeRequest {
            for entity in self.entities.values_mut() {
                for event in &mut entity.state_events {
                    if event.source_merge_request == Some(gone.id) {
                        event.source_merge_request = None;
                    }
                }
            }
        }
        if let Some(feed) = self.activity.get_mut(&on.project) {
            feed.retain(|entry| entry.target != on);
        }
        Ok(())
    }

    /// The label leaves every entity and its events stay with `label: null`.
    pub fn delete_label(&mut self, project: ProjectId, name: &str) -> Result<()> {
        let id = self.label_id(project, name)?;
        self.project_mut(project)?.labels.remove(&id);
        for entity in self.entities.values_mut() {
            if entity.key.project == project {
                entity.labels.remove(&id);
            }
            for event in &mut entity.label_events {
                if event.label == Some((project, id)) {
                    event.label = None;
                }
            }
        }
        Ok(())
    }

    /// Its events go with it.
    pub fn delete_milestone(&mut self, project: ProjectId, title: &str) -> Result<()> {
        let id = self.milestone_id(project, title)?;
        self.project_mut(project)?.milestones.remove(&id);
        for entity in self.entities.values_mut() {
            if entity.key.project == project && entity.milestone == Some(id) {
                entity.milestone = None;
            }
            entity.milestone_events.retain(|event| event.milestone != (project, id));
        }
        Ok(())
    }

    /// Notes, entities and label events go to the ghost user; state and
    /// milestone events and `closed_by` lose their user.
    pub fn delete_user(&mut self, username: &str) -> Result<()> {
        let gone = self.user_id(username)?;
        let ghost = match self.user_id("ghost") {
            Ok(ghost) => ghost,
            Err(_) => self.add_user(NewUser::named("ghost"))?,
        };
        for entity in self.entities.values_mut() {
            give_to_ghost(entity, gone, ghost);
        }
        for entry in self.activity.values_mut().flatten() {
            if entry.author == gone {
                entry.author = ghost;
            }
        }
        self.users.remove(&gone);
        self.usernames.remove(&username.to_lowercase());
        Ok(())
    }
}

fn give_to_ghost(entity: &mut Entity, gone: UserId, ghost: UserId) {
    if entity.author == gone {
        entity.author = ghost;
    }
    if entity.closed_by == Some(gone) {
        entity.closed_by = None;
    }
    entity.assignees.retain(|user| *user != gone);
    for note in entity.discussions.iter_mut().flat_map(|discussion| &mut discussion.notes) {
        if note.author == gone {
            note.author = ghost;
        }
        if let Some(resolved) = &mut note.resolved
            && resolved.by == gone
        {
            resolved.by = ghost;
        }
    }
    for event in &mut entity.label_events {
        if event.user == Some(gone) {
            event.user = Some(ghost);
        }
    }
    for event in &mut entity.state_events {
        event.user = event.user.filter(|user| *user != gone);
    }
    for event in &mut entity.milestone_events {
        event.user = event.user.filter(|user| *user != gone);
    }
    if let super::types::Detail::MergeRequest(mr) = &mut entity.detail {
        mr.reviewers.retain(|user| *user != gone);
        mr.approved_by.retain(|user| *user != gone);
        mr.merge_user = mr.merge_user.filter(|user| *user != gone);
    }
}
