//! The ordered lists behind `order_by` and `sort`, kept up to date on every
//! change so that a page of a 100,000-row list costs no sorting.
//!
//! GitLab breaks ties by `id DESC` in both directions.

use super::error::Result;
use super::ids::{EntityId, EntityKey, ProjectId};
use super::types::Entity;
use super::{World, WorldError};
use model::ids::Iid;
use model::{EntityKind, Timestamp};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::Duration;

type Ascending = (Timestamp, Reverse<EntityId>, Iid);
type Descending = (Reverse<Timestamp>, Reverse<EntityId>, Iid);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderBy {
    CreatedAt,
    UpdatedAt,
}

#[derive(Debug, Clone, Default)]
struct Both {
    ascending: BTreeSet<Ascending>,
    descending: BTreeSet<Descending>,
}

impl Both {
    fn insert(&mut self, at: Timestamp, id: EntityId, iid: Iid) {
        self.ascending.insert((at, Reverse(id), iid));
        self.descending.insert((Reverse(at), Reverse(id), iid));
    }

    fn remove(&mut self, at: Timestamp, id: EntityId, iid: Iid) {
        self.ascending.remove(&(at, Reverse(id), iid));
        self.descending.remove(&(Reverse(at), Reverse(id), iid));
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct ListIndex {
    updated: Both,
    created: Both,
    /// The highest number given out; deleting does not free it.
    pub last_iid: i64,
}

/// One way through the issues or merge requests of a project.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    pub order_by: OrderBy,
    pub descending: bool,
    /// Both ends of the time in `order_by` are inclusive.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Start behind this row (keyset pagination).
    pub after: Option<(Timestamp, EntityId)>,
}

impl World {
    /// Numbers in the order of `walk`; only time bounds are applied.
    pub fn walk(
        &self,
        project: ProjectId,
        kind: EntityKind,
        walk: Walk,
    ) -> Box<dyn Iterator<Item = Iid> + '_> {
        let is_empty = matches!((walk.from, walk.to), (Some(from), Some(to)) if from > to);
        let Some(list) = self.lists.get(&(project, kind)).filter(|_| !is_empty) else {
            return Box::new(std::iter::empty());
        };
        let both = match walk.order_by {
            OrderBy::UpdatedAt => &list.updated,
            OrderBy::CreatedAt => &list.created,
        };
        if walk.descending {
            let first = match (walk.after, walk.to) {
                (Some((at, id)), _) => Bound::Excluded((Reverse(at), Reverse(id), Iid(i64::MAX))),
                (None, Some(to)) => {
                    Bound::Included((Reverse(to), Reverse(EntityId(i64::MAX)), Iid(i64::MIN)))
                }
                (None, None) => Bound::Unbounded,
            };
            let (from, to) = (walk.from, walk.to);
            Box::new(
                both.descending
                    .range((first, Bound::Unbounded))
                    .skip_while(move |row| to.is_some_and(|to| row.0.0 > to))
                    .take_while(move |row| from.is_none_or(|from| row.0.0 >= from))
                    .map(|row| row.2),
            )
        } else {
            let first = match (walk.after, walk.from) {
                (Some((at, id)), _) => Bound::Excluded((at, Reverse(id), Iid(i64::MAX))),
                (None, Some(from)) => {
                    Bound::Included((from, Reverse(EntityId(i64::MAX)), Iid(i64::MIN)))
                }
                (None, None) => Bound::Unbounded,
            };
            let (from, to) = (walk.from, walk.to);
            Box::new(
                both.ascending
                    .range((first, Bound::Unbounded))
                    .skip_while(move |row| from.is_some_and(|from| row.0 < from))
                    .take_while(move |row| to.is_none_or(|to| row.0 <= to))
                    .map(|row| row.2),
            )
        }
    }

    /// The next free number in a project.
    pub fn next_iid(&self, project: ProjectId, kind: EntityKind) -> Iid {
        Iid(self.lists.get(&(project, kind)).map_or(0, |list| list.last_iid) + 1)
    }

    pub fn count(&self, project: ProjectId, kind: EntityKind) -> usize {
        self.lists.get(&(project, kind)).map_or(0, |list| list.updated.ascending.len())
    }

    /// Puts a finished entity into the world as it is: no rule applies, no note
    /// is written. For imports and generated histories.
    pub fn insert_raw(&mut self, entity: Entity) -> Result<EntityKey> {
        let key = entity.key;
        self.project(key.project)?;
        if self.entities.contains_key(&key) {
            return Err(WorldError::IidTaken(key));
        }
        self.tick(entity.created_at);
        self.tick(entity.updated_at);
        let list = self.lists.entry((key.project, key.kind)).or_default();
        list.updated.insert(entity.updated_at, entity.id, key.iid);
        list.created.insert(entity.created_at, entity.id, key.iid);
        list.last_iid = list.last_iid.max(key.iid.0);
        let counter = match key.kind {
            EntityKind::Issue => &mut self.counters.issue,
            EntityKind::MergeRequest => &mut self.counters.merge_request,
        };
        *counter = entity.id.0.max(*counter);
        self.by_id.insert((key.kind, entity.id), key);
        for discussion in &entity.discussions {
            self.threads.insert(discussion.id, key);
            self.counters.discussion = self.counters.discussion.max(discussion.id.0);
            for note in &discussion.notes {
                self.notes.insert(note.id, discussion.id);
                self.counters.note = self.counters.note.max(note.id.0);
            }
        }
        raise(&mut self.counters.state_event, entity.state_events.iter().map(|event| event.id.0));
        raise(&mut self.counters.label_event, entity.label_events.iter().map(|event| event.id.0));
        raise(
            &mut self.counters.milestone_event,
            entity.milestone_events.iter().map(|event| event.id.0),
        );
        if let Some(mr) = entity.merge_request() {
            raise(&mut self.counters.diff, mr.versions.iter().map(|version| version.id.0));
            for issue in &mr.closes {
                self.closers.entry(*issue).or_default().insert(key);
            }
        }
        self.entities.insert(key, Box::new(entity));
        Ok(key)
    }

    /// Takes an entity out, with every index entry. Others may still point at it.
    pub(super) fn take_out(&mut self, key: EntityKey) -> Result<Entity> {
        let entity = self.entities.remove(&key).ok_or(WorldError::UnknownEntity(key))?;
        if let Some(list) = self.lists.get_mut(&(key.project, key.kind)) {
            list.updated.remove(entity.updated_at, entity.id, key.iid);
            list.created.remove(entity.created_at, entity.id, key.iid);
        }
        self.by_id.remove(&(key.kind, entity.id));
        for issue in entity.merge_request().map_or(&[][..], |mr| &mr.closes) {
            self.forget_closer(*issue, key);
        }
        for discussion in &entity.discussions {
            self.threads.remove(&discussion.id);
            for note in &discussion.notes {
                self.notes.remove(&note.id);
            }
        }
        Ok(*entity)
    }

    /// Replaces what a merge request declares to close.
    pub(super) fn set_closes(&mut self, mr: EntityKey, closes: Vec<EntityKey>) -> Result<()> {
        for issue in &closes {
            self.closers.entry(*issue).or_default().insert(mr);
        }
        let old = std::mem::replace(&mut self.merge_request_mut(mr)?.closes, closes.clone());
        for issue in old.into_iter().filter(|issue| !closes.contains(issue)) {
            self.forget_closer(issue, mr);
        }
        Ok(())
    }

    fn forget_closer(&mut self, issue: EntityKey, mr: EntityKey) {
        if let Some(closers) = self.closers.get_mut(&issue) {
            closers.remove(&mr);
            if closers.is_empty() {
                self.closers.remove(&issue);
            }
        }
    }

    /// Merge requests of any project and state that declare to close `issue`.
    pub fn closing_merge_requests(&self, issue: EntityKey) -> impl Iterator<Item = &Entity> {
        self.closers
            .get(&issue)
            .into_iter()
            .flatten()
            .filter_map(|key| self.entities.get(key))
            .map(|entity| &**entity)
    }

    /// Edits an entity as a database console would: no rule applies, no note is
    /// written, nothing is bumped. Its id and address stay what they are.
    pub fn edit_raw(&mut self, key: EntityKey, edit: impl FnOnce(&mut Entity)) -> Result<()> {
        let mut entity = self.take_out(key)?;
        let id = entity.id;
        edit(&mut entity);
        entity.id = id;
        entity.key = key;
        let now = self.now;
        let inserted = self.insert_raw(entity).map(|_| ());
        self.now = now;
        inserted
    }

    /// Sets `updated_at` as owners and importers can: to any time, past or future.
    pub fn backdate(&mut self, key: EntityKey, updated_at: Timestamp) -> Result<()> {
        let (old, id) = {
            let entity = self.entity_mut(key)?;
            (std::mem::replace(&mut entity.updated_at, updated_at), entity.id)
        };
        if old != updated_at {
            let list = self.lists.entry((key.project, key.kind)).or_default();
            list.updated.remove(old, id, key.iid);
            list.updated.insert(updated_at, id, key.iid);
        }
        Ok(())
    }

    /// A real save: `updated_at` becomes `at`.
    pub fn touch(&mut self, key: EntityKey, at: Timestamp) -> Result<()> {
        self.tick(at);
        self.backdate(key, at)
    }

    /// GitLab's `ThrottledTouch`: no bump within a minute of the last one.
    pub(super) fn touch_throttled(&mut self, key: EntityKey, at: Timestamp) -> Result<()> {
        const TOUCH_INTERVAL: Duration = Duration::from_mins(1);
        if self.entity(key)?.updated_at < at.minus(TOUCH_INTERVAL) {
            self.touch(key, at)?;
        }
        Ok(())
    }
}

fn raise(counter: &mut i64, ids: impl Iterator<Item = i64>) {
    *counter = ids.fold(*counter, i64::max);
}
