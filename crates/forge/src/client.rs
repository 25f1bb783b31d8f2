//! The client of whichever forge a server runs: the one type that callers connect
//! with, so that a second forge changes nothing outside of this crate.

use crate::api::{
    EntityPage, Forge, ForgeAnswer, Identity, ListFrom, NoteOutcome, OwnNote, ProjectLocator,
    Result, SystemNote,
};
use crate::gitlab;
use crate::options::Options;
use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, DependentSet, ListedEntity, ProjectRecord};
use model::{EntityKind, ForgeKind, Progress};
use std::sync::Arc;

pub enum Client {
    GitLab(gitlab::Client),
}

impl Client {
    pub fn new(
        kind: ForgeKind,
        options: Options,
        progress: Arc<dyn Progress>,
    ) -> model::Result<Self> {
        match kind {
            ForgeKind::GitLab => gitlab::Client::new(options, progress).map(Client::GitLab),
        }
    }

    /// Creates the note on a merge request, or makes it say what it shall say.
    pub async fn keep_own_note(
        &self,
        project: ForgeId,
        iid: Iid,
        note: &OwnNote,
    ) -> Result<NoteOutcome> {
        match self {
            Client::GitLab(client) => client.keep_own_note(project, iid, note).await,
        }
    }
}

impl Forge for Client {
    async fn identity(&self) -> Result<Identity> {
        match self {
            Client::GitLab(client) => client.identity().await,
        }
    }

    async fn project(&self, which: ProjectLocator) -> Result<ForgeAnswer<ProjectRecord>> {
        match self {
            Client::GitLab(client) => client.project(which).await,
        }
    }

    async fn entities(
        &self,
        project: ForgeId,
        kind: EntityKind,
        from: ListFrom,
    ) -> Result<EntityPage> {
        match self {
            Client::GitLab(client) => client.entities(project, kind, from).await,
        }
    }

    async fn entity(&self, project: ForgeId, kind: EntityKind, iid: Iid) -> Result<ListedEntity> {
        match self {
            Client::GitLab(client) => client.entity(project, kind, iid).await,
        }
    }

    async fn dependents(
        &self,
        project: ForgeId,
        kind: EntityKind,
        iid: Iid,
        what: DependentKind,
    ) -> Result<ForgeAnswer<DependentSet>> {
        match self {
            Client::GitLab(client) => client.dependents(project, kind, iid, what).await,
        }
    }
}

/// What a note says that the forge wrote itself. By the kind of the note's own project:
/// a database may hold projects of several forges, and relations of all are derived by
/// whichever run comes next.
pub(crate) fn read_system_note(kind: ForgeKind, body: &str) -> SystemNote {
    match kind {
        ForgeKind::GitLab => gitlab::read_system_note(body),
    }
}
