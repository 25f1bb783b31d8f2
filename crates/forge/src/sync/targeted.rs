//! Fetching single entities, because somebody knows that they changed.

use super::project::Target;
use super::{Engine, StepFailure, StepResult, plan};
use crate::api::{FailureKind, Forge};
use model::ids::Iid;
use model::{EntityKind, Result};
use store::entities::{self, Change};
use store::payloads::Payload;

/// One issue or merge request of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncTarget {
    /// Path of the project, as it is configured.
    pub project: String,
    pub kind: EntityKind,
    pub iid: Iid,
}

impl<F: Forge> Engine<F> {
    /// Reads the entities of `options.only` and enqueues what hangs on them. No
    /// cursor moves: the next run lists what it would have listed.
    pub(super) async fn fetch_only(&self, targets: &[Target]) -> Result<()> {
        for only in self.options.only.clone() {
            let is_meant = |target: &&Target| target.path.eq_ignore_ascii_case(&only.project);
            let Some(target) = targets.iter().find(is_meant) else { continue };
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            match self.fetch_one(target, only.kind, only.iid).await {
                Ok(()) => self.progress.advance(1),
                Err(StepFailure { kind: None, error }) => return Err(error),
                Err(failure) if failure.is_fatal() => return Err(failure.error),
                Err(failure) => self.books.fail(&target.path, failure.error),
            }
        }
        Ok(())
    }

    async fn fetch_one(&self, target: &Target, kind: EntityKind, iid: Iid) -> StepResult<()> {
        let project = target.scope.project;
        let known = self.db.write(move |tx| entities::find(tx, project, kind, iid)).await?;
        if let Some(known) = known {
            return self.settle_doubt(target, known.row, iid, true).await.map(drop);
        }
        let listed = match self.ask(self.forge.entity(target.forge_id, kind, iid)).await {
            Ok(listed) => listed,
            // Deleted before it was ever seen, or hidden from us.
            Err(failure)
                if matches!(failure.kind, Some(FailureKind::Gone | FailureKind::Forbidden)) =>
            {
                return Ok(());
            }
            Err(failure) => return Err(failure),
        };
        let now = self.clock.now();
        let payload = Payload::of(&listed.raw)?;
        let (scope, wanted) = (target.scope.clone(), self.options.wanted.clone());
        let mut counted = super::report::EntityCounts::default();
        counted.count(Change::New);
        self.db
            .write(move |tx| {
                let (row, change) = entities::upsert(tx, &scope, &listed.entity, &payload, now)?;
                if let Some(head) = entities::find(tx, scope.project, row.kind, iid)? {
                    plan::enqueue(tx, scope.project, &head, change, &wanted, now)?;
                }
                Ok(())
            })
            .await?;
        self.books.entities(&target.path, kind, counted);
        Ok(())
    }
}
