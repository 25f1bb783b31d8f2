//! What a transaction has already looked up: the same few people, labels and
//! milestones come with every item of a page, and most sets are empty.
//!
//! Lives as long as its transaction and is forgotten when a part of that is
//! undone, so it can never name a row that is not there.

use crate::dirty::SourceType;
use crate::payloads::PayloadId;
use model::hash::Hash32;
use model::ids::{ForgeId, ProjectId, UserId};
use model::record::{LabelRecord, MilestoneRecord, UserRecord};
use std::cell::RefCell;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct TxCache {
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    host: String,
    users: HashMap<ForgeId, (UserRecord, UserId)>,
    project: Option<ProjectId>,
    labels: HashMap<String, (LabelRecord, i64)>,
    milestones: HashMap<ForgeId, (MilestoneRecord, i64)>,
    payloads: HashMap<Hash32, PayloadId>,
    last_sources: HashMap<SourceType, i64>,
    counted: Vec<&'static str>,
}

/// The row of a record, if exactly this record was stored before.
fn known<T: PartialEq, Id: Copy>(kept: Option<&(T, Id)>, record: &T) -> Option<Id> {
    kept.filter(|(kept, _)| kept == record).map(|(_, id)| *id)
}

impl TxCache {
    pub fn user(&self, host: &str, user: &UserRecord) -> Option<UserId> {
        let inner = self.inner.borrow();
        known(inner.users.get(&user.forge_id), user).filter(|_| inner.host == host)
    }

    pub fn keep_user(&self, host: &str, user: &UserRecord, id: UserId) {
        let mut inner = self.inner.borrow_mut();
        if inner.host != host {
            inner.users.clear();
            host.clone_into(&mut inner.host);
        }
        inner.users.insert(user.forge_id, (user.clone(), id));
    }

    pub fn label(&self, project: ProjectId, label: &LabelRecord) -> Option<i64> {
        let inner = self.inner.borrow();
        known(inner.labels.get(&label.name), label).filter(|_| inner.project == Some(project))
    }

    pub fn keep_label(&self, project: ProjectId, label: &LabelRecord, id: i64) {
        let mut inner = self.inner.borrow_mut();
        inner.enter(project);
        inner.labels.insert(label.name.clone(), (label.clone(), id));
    }

    pub fn milestone(&self, project: ProjectId, milestone: &MilestoneRecord) -> Option<i64> {
        let inner = self.inner.borrow();
        known(inner.milestones.get(&milestone.forge_id), milestone)
            .filter(|_| inner.project == Some(project))
    }

    pub fn keep_milestone(&self, project: ProjectId, milestone: &MilestoneRecord, id: i64) {
        let mut inner = self.inner.borrow_mut();
        inner.enter(project);
        inner.milestones.insert(milestone.forge_id, (milestone.clone(), id));
    }

    pub fn payload(&self, hash: Hash32) -> Option<PayloadId> {
        self.inner.borrow().payloads.get(&hash).copied()
    }

    pub fn keep_payload(&self, hash: Hash32, id: PayloadId) {
        self.inner.borrow_mut().payloads.insert(hash, id);
    }

    /// The highest source of this type that a document was ever made from, as far
    /// as this transaction knows; documents behind it are new.
    pub fn last_source(&self, source: SourceType) -> Option<i64> {
        self.inner.borrow().last_sources.get(&source).copied()
    }

    pub fn keep_last_source(&self, source: SourceType, id: i64) {
        self.inner.borrow_mut().last_sources.insert(source, id);
    }

    /// Whether a change of this part of the record was counted already.
    pub fn is_counted(&self, name: &str) -> bool {
        self.inner.borrow().counted.contains(&name)
    }

    pub fn keep_counted(&self, name: &'static str) {
        self.inner.borrow_mut().counted.push(name);
    }

    pub fn forget(&self) {
        *self.inner.borrow_mut() = Inner::default();
    }
}

impl Inner {
    /// Labels and milestones are those of one project at a time.
    fn enter(&mut self, project: ProjectId) {
        if self.project != Some(project) {
            self.labels.clear();
            self.milestones.clear();
            self.project = Some(project);
        }
    }
}
