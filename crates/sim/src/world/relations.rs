//! Moves, duplicates and relations between issues.

use super::error::{Result, WorldError};
use super::ids::{DiscussionId, EntityKey, EventId, NoteId, ProjectId};
use super::input::MoveTo;
use super::types::{Entity, Mentioner};
use super::{World, next};
use model::{EntityKind, Timestamp};

impl World {
    /// Closes `on` as a duplicate of `canonical`.
    pub fn duplicate(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        canonical: EntityKey,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.expect_issue(on)?;
        self.expect_issue(canonical)?;
        let forth = self.reference_from(on.project, canonical);
        let back = self.reference_from(canonical.project, on);
        self.close_by_id(on, user, at)?;
        self.issue_mut(on)?.duplicate_of = Some(canonical);
        let (kind, canonical_kind) = (self.kind_name(on), self.kind_name(canonical));
        let body = format!("marked this {kind} as a duplicate of {forth}");
        self.system_note(on, user, at, body)?;
        let body = format!("marked {back} as a duplicate of this {canonical_kind}");
        self.system_note(canonical, user, at, body)?;
        Ok(())
    }

    /// Leaves a note on both sides.
    pub fn relate(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        other: EntityKey,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.expect_issue(on)?;
        self.expect_issue(other)?;
        for (here, there) in [(on, other), (other, on)] {
            let kind = self.kind_name(here);
            let reference = self.reference_from(here.project, there);
            let body = format!("marked this {kind} as related to {reference}");
            self.system_note(here, user, at, body)?;
        }
        Ok(())
    }

    /// Moves an issue: the original is closed and points at the copy; the copy
    /// has new ids for everything, with the original authors and times.
    pub fn move_issue(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        to: MoveTo,
    ) -> Result<EntityKey> {
        let user = self.user_id(by)?;
        self.expect_issue(on)?;
        self.project(to.project)?;
        let original = self.entity(on)?.clone();
        if original.issue().is_some_and(|issue| issue.moved_to.is_some()) {
            return Err(WorldError::WrongState { key: on, state: "moved", wanted: "moved" });
        }
        let iid = to.iid.unwrap_or_else(|| self.next_iid(to.project, EntityKind::Issue));
        let copy_key = EntityKey { project: to.project, kind: EntityKind::Issue, iid };
        if self.entities.contains_key(&copy_key) {
            return Err(WorldError::IidTaken(copy_key));
        }
        let copy = self.copy_for_move(&original, copy_key, at);
        let copy_id = copy.id;
        self.insert_raw(copy)?;
        let from = self.reference_from(to.project, on);
        self.system_note(copy_key, user, at, format!("moved from {from}"))?;
        let target = self.reference_from(on.project, copy_key);
        self.system_note(on, user, at, format!("moved to {target}"))?;
        if original.state == super::types::State::Opened {
            self.close_by_id(on, user, at)?;
        } else {
            self.touch(on, at)?;
        }
        self.issue_mut(on)?.moved_to = Some(copy_id);
        Ok(copy_key)
    }

    fn copy_for_move(&mut self, original: &Entity, key: EntityKey, at: Timestamp) -> Entity {
        let (old_home, new_home) = (original.key.project, key.project);
        let mut copy = original.clone();
        copy.id = self.next_entity_id(EntityKind::Issue);
        copy.key = key;
        copy.updated_at = at;
        copy.description =
            copy.description.map(|text| self.rewritten_for(&text, old_home, new_home));
        copy.labels = self.counterpart_labels(original, new_home);
        copy.milestone = original
            .milestone
            .and_then(|id| self.milestone(old_home, id))
            .and_then(|milestone| self.milestone_id(new_home, &milestone.title).ok());
        for discussion in &mut copy.discussions {
            discussion.id = DiscussionId(next(&mut self.counters.discussion));
            for note in &mut discussion.notes {
                note.id = NoteId(next(&mut self.counters.note));
                note.body = self.rewritten_for(&note.body, old_home, new_home);
            }
        }
        for event in &mut copy.state_events {
            event.id = EventId(next(&mut self.counters.state_event));
        }
        for event in &mut copy.label_events {
            event.id = EventId(next(&mut self.counters.label_event));
        }
        for event in &mut copy.milestone_events {
            event.id = EventId(next(&mut self.counters.milestone_event));
        }
        // The copy's own mentions elsewhere were made by the original.
        copy.mentioned_by.insert(Mentioner::Entity(EntityKind::Issue, original.id));
        copy
    }

    /// Labels of the new project with the same names; the others are lost.
    fn counterpart_labels(
        &self,
        original: &Entity,
        new_home: ProjectId,
    ) -> std::collections::BTreeSet<super::ids::LabelId> {
        self.label_names(original)
            .into_iter()
            .filter_map(|name| self.label_id(new_home, name).ok())
            .collect()
    }
}
