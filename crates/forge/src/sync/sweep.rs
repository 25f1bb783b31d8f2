//! After a full listing: what is no longer there?

use super::project::Target;
use super::{Engine, StepResult, plan};
use crate::api::{FailureKind, Forge};
use model::EntityKind;
use model::ids::{Iid, SyncRunId};
use store::entities::{self, Change, EntityRow};
use store::payloads::Payload;

impl<F: Forge> Engine<F> {
    /// Asks for each entity that the listing did not show by its number, and
    /// marks it gone when the forge does not know it.
    pub(super) async fn sweep(
        &self,
        target: &Target,
        kind: EntityKind,
        run: SyncRunId,
    ) -> StepResult<()> {
        let project = target.scope.project;
        let unseen = self.db.write(move |tx| entities::unseen(tx, project, kind, run)).await?;
        for (row, iid) in unseen {
            if self.cancel.is_cancelled() {
                break;
            }
            self.settle_doubt(target, row, iid, false).await?;
        }
        Ok(())
    }

    /// Is it really gone? One question decides; true means it is. What is
    /// there is stored as it is now, and its dependents are asked for when it
    /// changed or `revisit` says so.
    pub(super) async fn settle_doubt(
        &self,
        target: &Target,
        row: EntityRow,
        iid: Iid,
        revisit: bool,
    ) -> StepResult<bool> {
        let now = self.clock.now();
        let answer = self.ask(self.forge.entity(target.forge_id, row.kind, iid)).await;
        match answer {
            Ok(listed) => {
                let payload = Payload::of(&listed.raw)?;
                let (scope, wanted) = (target.scope.clone(), self.options.wanted.clone());
                self.db
                    .write(move |tx| {
                        let (row, change) =
                            entities::upsert(tx, &scope, &listed.entity, &payload, now)?;
                        let change = if revisit { Change::Updated } else { change };
                        if change != Change::Unchanged
                            && let Some(head) = entities::find(tx, scope.project, row.kind, iid)?
                        {
                            plan::enqueue(tx, scope.project, &head, change, &wanted, now)?;
                        }
                        Ok(())
                    })
                    .await?;
                Ok(false)
            }
            Err(failure)
                if matches!(failure.kind, Some(FailureKind::Gone | FailureKind::Forbidden)) =>
            {
                if self.db.write(move |tx| entities::mark_gone(tx, row, now)).await? {
                    self.books.gone(&target.path, row.kind);
                }
                Ok(true)
            }
            Err(failure) => Err(failure),
        }
    }
}
