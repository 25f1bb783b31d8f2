//! Finding a configured project, whatever it is called today.

use super::{Engine, StepResult};
use crate::api::{FailureKind, Forge, ForgeAnswer, ProjectLocator};
use model::ids::{ForgeId, ProjectId};
use model::record::ProjectRecord;
use store::entities::Scope;
use store::payloads::{self, Payload};

/// Stands for a project that a dry run sees for the first time.
const NOT_STORED: ProjectId = ProjectId(-1);

/// A project being synced.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub scope: Scope,
    pub forge_id: ForgeId,
    /// Today's path.
    pub path: String,
}

impl<F: Forge> Engine<F> {
    /// By its id once it is known: that survives renames, and a redirect that
    /// has come to point at somebody else's project cannot mislead us.
    pub(super) async fn locate(&self, path: &str) -> StepResult<Target> {
        let fetched = self.fetch_project(path).await?;
        let payload = Payload::of(&fetched.raw)?;
        let host = self.options.host.clone();
        let record = fetched.value;
        let (forge_id, today) = (record.forge_id, record.path.clone());
        let host_for_write = host.clone();
        let dry_run = self.options.dry_run;
        let project = self
            .db
            .write(move |tx| {
                if dry_run {
                    let known = store::projects::by_path(tx, &host_for_write, &record.path)?;
                    return Ok(known.map_or(NOT_STORED, |known| known.id));
                }
                let payload = payloads::keep(tx, &payload)?;
                store::projects::upsert(tx, &host_for_write, &record, payload)
            })
            .await?;
        if today != path {
            self.progress.note(&format!("{path} is called {today} today"));
        }
        Ok(Target { scope: Scope { project, host }, forge_id, path: today })
    }

    async fn fetch_project(&self, path: &str) -> StepResult<ForgeAnswer<ProjectRecord>> {
        let (host, wanted) = (self.options.host.clone(), path.to_owned());
        let known = self.db.write(move |tx| store::projects::by_path(tx, &host, &wanted)).await?;
        // A full run resolves the path anew, in case it changed hands.
        if let Some(known) = known.filter(|_| !self.options.full) {
            let by_id = self.ask(self.forge.project(ProjectLocator::Id(known.forge_id))).await;
            match by_id {
                Err(failure)
                    if failure.kind == Some(FailureKind::Gone) && !self.options.dry_run =>
                {
                    let now = self.clock.now();
                    self.db.write(move |tx| store::projects::mark_gone(tx, known.id, now)).await?;
                }
                other => return other,
            }
        }
        self.ask(self.forge.project(ProjectLocator::Path(path.to_owned()))).await
    }
}
