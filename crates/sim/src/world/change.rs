//! Changes to an open or closed issue or merge request: labels, milestone,
//! people, words.
//!
//! Labels and people bump `updated_at` throttled; everything that is a column
//! of the row itself is a real save.

use super::error::Result;
use super::ids::{EntityKey, EventId, LabelId, MilestoneId, UserId};
use super::input::LabelChange;
use super::mentions::Origin;
use super::texts;
use super::types::{Action, Detail, LabelEvent, MilestoneEvent};
use super::{World, next};
use model::{EntityKind, Timestamp};

impl World {
    /// One event per label, all with the same `created_at`.
    pub fn change_labels(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        change: LabelChange,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        let ids = |names: &[String]| -> Result<Vec<LabelId>> {
            names.iter().map(|name| self.label_id(on.project, name)).collect()
        };
        let (add, remove) = (ids(&change.add)?, ids(&change.remove)?);
        self.tick(at);
        let entity = self.entity_mut(on)?;
        let added: Vec<LabelId> = add.into_iter().filter(|id| entity.labels.insert(*id)).collect();
        let removed: Vec<LabelId> =
            remove.into_iter().filter(|id| entity.labels.remove(id)).collect();
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        if self.settings.era.has_label_events() {
            let actions = added
                .iter()
                .map(|id| (*id, Action::Add))
                .chain(removed.iter().map(|id| (*id, Action::Remove)));
            for (label, action) in actions.collect::<Vec<_>>() {
                let event = LabelEvent {
                    id: EventId(next(&mut self.counters.label_event)),
                    user: Some(user),
                    created_at: at,
                    label: Some((on.project, label)),
                    action,
                };
                self.entity_mut(on)?.label_events.push(event);
            }
        } else {
            let numbers = |ids: &[LabelId]| ids.iter().map(|id| id.0).collect::<Vec<_>>();
            let era = self.settings.era;
            let body = texts::labels_changed(era, &numbers(&added), &numbers(&removed));
            self.system_note(on, user, at, body)?;
        }
        self.touch_throttled(on, at)
    }

    /// `None` removes it. A change is a `remove` and an `add` event.
    pub fn set_milestone(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        title: Option<&str>,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        let new = title.map(|title| self.milestone_id(on.project, title)).transpose()?;
        let old = self.entity(on)?.milestone;
        if old == new {
            return Ok(());
        }
        self.touch(on, at)?;
        self.entity_mut(on)?.milestone = new;
        if self.settings.era.has_state_events() {
            if let Some(old) = old {
                self.milestone_event(on, user, at, (old, Action::Remove))?;
            }
            if let Some(new) = new {
                self.milestone_event(on, user, at, (new, Action::Add))?;
            }
        } else {
            let reference = new
                .and_then(|id| self.milestone(on.project, id))
                .map(|milestone| format!("%{}", milestone.iid));
            let body = texts::milestone_changed(self.settings.era, reference.as_deref());
            self.system_note(on, user, at, body)?;
        }
        Ok(())
    }

    fn milestone_event(
        &mut self,
        on: EntityKey,
        user: UserId,
        at: Timestamp,
        (milestone, action): (MilestoneId, Action),
    ) -> Result<()> {
        let id = EventId(next(&mut self.counters.milestone_event));
        let entity = self.entity_mut(on)?;
        entity.milestone_events.push(MilestoneEvent {
            id,
            user: Some(user),
            created_at: at,
            milestone: (on.project, milestone),
            action,
            state: entity.state,
        });
        Ok(())
    }

    /// Replaces the assignees.
    pub fn assign<S: AsRef<str>>(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        assignees: &[S],
    ) -> Result<()> {
        let (user, ids) = (self.user_id(by)?, self.user_ids(assignees)?);
        self.set_assignee_ids(on, user, at, ids)
    }

    pub(super) fn set_assignee_ids(
        &mut self,
        on: EntityKey,
        by: UserId,
        at: Timestamp,
        ids: Vec<UserId>,
    ) -> Result<()> {
        let old = std::mem::replace(&mut self.entity_mut(on)?.assignees, ids.clone());
        let (added, removed) = self.difference(&old, &ids);
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let body = texts::assignees_changed(self.settings.era, &refs(&added), &refs(&removed));
        self.system_note(on, by, at, body).map(|_| ())
    }

    /// Replaces the reviewers of a merge request.
    pub fn set_reviewers<S: AsRef<str>>(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        reviewers: &[S],
    ) -> Result<()> {
        let (user, ids) = (self.user_id(by)?, self.user_ids(reviewers)?);
        self.set_reviewer_ids(on, user, at, ids)
    }

    pub(super) fn set_reviewer_ids(
        &mut self,
        on: EntityKey,
        by: UserId,
        at: Timestamp,
        ids: Vec<UserId>,
    ) -> Result<()> {
        let old = std::mem::replace(&mut self.merge_request_mut(on)?.reviewers, ids.clone());
        let (added, removed) = self.difference(&old, &ids);
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let body = texts::reviewers_changed(&refs(&added), &refs(&removed));
        self.system_note(on, by, at, body).map(|_| ())
    }

    /// Usernames that came and that went.
    fn difference(&self, old: &[UserId], new: &[UserId]) -> (Vec<String>, Vec<String>) {
        let names = |ids: &[UserId], without: &[UserId]| {
            ids.iter()
                .filter(|id| !without.contains(id))
                .map(|id| self.username(*id).to_owned())
                .collect()
        };
        (names(new, old), names(old, new))
    }

    pub fn retitle(&mut self, on: EntityKey, by: &str, at: Timestamp, title: &str) -> Result<()> {
        let user = self.user_id(by)?;
        let old = self.entity(on)?.title.clone();
        if old == title {
            return Ok(());
        }
        self.touch(on, at)?;
        title.clone_into(&mut self.entity_mut(on)?.title);
        let body =
            texts::title_changed(self.settings.era, self.settings.title_notes_as_html, &old, title);
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    pub fn redescribe(&mut self, on: EntityKey, by: &str, at: Timestamp, text: &str) -> Result<()> {
        let user = self.user_id(by)?;
        if self.entity(on)?.description.as_deref() == Some(text) {
            return Ok(());
        }
        self.touch(on, at)?;
        self.entity_mut(on)?.description = Some(text.to_owned());
        self.system_note(on, user, at, "changed the description".to_owned())?;
        self.mention(text, &Origin::Entity(on), user, at)?;
        if on.kind == EntityKind::MergeRequest {
            self.refresh_closes(on)?;
        }
        Ok(())
    }

    /// `YYYY-MM-DD`, or `None` to remove it.
    pub fn set_due_date(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        date: Option<&str>,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.touch(on, at)?;
        let old =
            std::mem::replace(&mut self.entity_mut(on)?.due_date, date.map(ToOwned::to_owned));
        let body = match date {
            Some(date) => format!("changed due date to {}", long_date(date)),
            None => format!("removed due date {}", long_date(&old.unwrap_or_default())),
        };
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    pub fn make_confidential(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_confidential(on, by, at, true)
    }

    pub fn make_visible(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> {
        self.set_confidential(on, by, at, false)
    }

    fn set_confidential(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        confidential: bool,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.issue_mut(on)?;
        let kind = self.kind_name(on);
        self.touch(on, at)?;
        self.entity_mut(on)?.confidential = confidential;
        let body = if confidential {
            format!("made the {kind} confidential")
        } else {
            format!("made the {kind} visible to everyone")
        };
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    pub fn lock_discussion(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        locked: bool,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.touch(on, at)?;
        self.entity_mut(on)?.discussion_locked = Some(locked);
        let verb = if locked { "locked" } else { "unlocked" };
        let body = format!("{verb} the discussion in this {}", on.kind.noun());
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    /// `incident`, `task` …
    pub fn convert_type(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        issue_type: &str,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        let old = self.kind_name(on);
        self.touch(on, at)?;
        issue_type.clone_into(&mut self.issue_mut(on)?.issue_type);
        let body = format!("changed type from {old} to {}", self.kind_name(on));
        self.system_note(on, user, at, body)?;
        Ok(())
    }

    pub fn add_time_spent(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        seconds: i64,
    ) -> Result<()> {
        let user = self.user_id(by)?;
        self.entity_mut(on)?.time_spent_seconds += seconds;
        let stamp = at.to_rfc3339();
        let stamp = format!("{} {} UTC", &stamp[..10], &stamp[11..19]);
        self.system_note(on, user, at, texts::time_spent(seconds, &stamp))?;
        Ok(())
    }

    /// An emoji reaction; GitLab does not bump for it.
    pub fn react(&mut self, on: EntityKey, is_upvote: bool) -> Result<()> {
        let entity = self.entity_mut(on)?;
        if is_upvote {
            entity.upvotes += 1;
        } else {
            entity.downvotes += 1;
        }
        Ok(())
    }

    /// Recomputes what a merge request declares to close; frozen once it is
    /// merged or closed, and only for the default branch.
    pub(super) fn refresh_closes(&mut self, on: EntityKey) -> Result<()> {
        let entity = self.entity(on)?;
        let Detail::MergeRequest(mr) = &entity.detail else { return Ok(()) };
        if entity.state != super::types::State::Opened {
            return Ok(());
        }
        let mut closes = Vec::new();
        if mr.target_branch == self.project(on.project)?.default_branch {
            let texts = entity
                .description
                .iter()
                .map(String::as_str)
                .chain(mr.commits.iter().map(|commit| commit.message.as_str()));
            for text in texts {
                for issue in self.closed_by_text(text, on.project) {
                    if !closes.contains(&issue) {
                        closes.push(issue);
                    }
                }
            }
        }
        self.set_closes(on, closes)
    }
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// `May 01, 2024` of `2024-05-01`; anything else as it is.
fn long_date(date: &str) -> String {
    date.parse::<jiff::civil::Date>()
        .map_or_else(|_| date.to_owned(), |date| date.strftime("%B %d, %Y").to_string())
}
