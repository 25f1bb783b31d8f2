//! Looking again where nothing says that anything changed.
//!
//! Deleted notes, resolved threads, deleted labels and renames leave no trace
//! in an entity's stamp. A rolling visit, oldest first and within a budget of
//! requests per run, finds them in time; `--full` finds them at once.

use super::project::Target;
use super::{Engine, StepFailure};
use crate::api::Forge;
use model::record::DependentKind;
use model::{EntityKind, Result};
use std::time::Duration;
use store::entities::{self, VisitDue};

/// When to look again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reconcile {
    /// Requests a run may spend on it; zero switches it off.
    pub budget: u64,
    /// What changed within this time is active.
    pub recent: Duration,
    /// Active entities are visited this often.
    pub active_every: Duration,
    /// All others are visited this often.
    pub idle_every: Duration,
}

const DAY: Duration = Duration::from_secs(86_400);

impl Default for Reconcile {
    fn default() -> Self {
        Reconcile {
            budget: 200,
            recent: DAY.saturating_mul(30),
            active_every: DAY.saturating_mul(7),
            idle_every: DAY.saturating_mul(365),
        }
    }
}

impl<F: Forge> Engine<F> {
    /// Re-reads entities that are due and enqueues their dependents.
    pub(super) async fn reconcile(&self, targets: &[Target]) -> Result<()> {
        let policy = self.options.reconcile;
        // A full run has just looked at everything.
        if policy.budget == 0 || self.options.full {
            return Ok(());
        }
        let now = self.clock.now();
        let due = VisitDue {
            idle: now.minus(policy.idle_every),
            active: now.minus(policy.active_every),
            recent: now.minus(policy.recent),
        };
        let share = (policy.budget / targets.len().max(1) as u64).max(1);
        for target in targets {
            let mut left = share;
            for kind in self.options.wanted.kinds.clone() {
                let cost = self.visit_cost(kind);
                let project = target.scope.project;
                let limit = (left / cost) as usize;
                let visits = self
                    .db
                    .write(move |tx| entities::due_for_visit(tx, project, kind, &due, limit))
                    .await?;
                left = left.saturating_sub(visits.len() as u64 * cost);
                for (row, iid) in visits {
                    if self.cancel.is_cancelled() {
                        return Ok(());
                    }
                    match self.settle_doubt(target, row, iid, true).await {
                        Ok(_) => {}
                        Err(StepFailure { kind: None, error }) => return Err(error),
                        // The forge has trouble: the next run looks again.
                        Err(_) => return Ok(()),
                    }
                }
            }
        }
        Ok(())
    }

    /// Requests one visit takes: the entity and each set that may have changed.
    fn visit_cost(&self, kind: EntityKind) -> u64 {
        let is_refetched = |what: &&DependentKind| {
            what.applies_to(kind)
                && !matches!(what, DependentKind::FileChanges | DependentKind::Commits)
        };
        1 + self.options.wanted.dependents.iter().filter(is_refetched).count() as u64
    }
}
