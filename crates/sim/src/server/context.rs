//! What an endpoint needs to answer: the world, the viewer, the settings.

use super::auth::Viewer;
use super::options::Options;
use super::reply::Reply;
use crate::World;
use crate::fault::FaultPlan;
use crate::world::{Entity, EntityKey, Project, ProjectId, UserId};
use model::EntityKind;
use model::ids::Iid;

#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub world: &'a World,
    pub options: &'a Options,
    /// Scheme, host and port for addresses in answers.
    pub link_base: &'a str,
    pub viewer: Option<Viewer>,
    /// Set while pages are to come back short.
    pub short_pages: Option<&'a FaultPlan>,
}

impl<'a> Context<'a> {
    pub fn require_viewer(&self) -> Result<Viewer, Reply> {
        self.viewer.ok_or_else(Reply::unauthorized)
    }

    pub fn sees(&self, entity: &Entity) -> bool {
        match self.viewer {
            Some(viewer) => viewer.sees(entity),
            None => !entity.confidential,
        }
    }

    /// Finds an issue or merge request by the number in the path.
    pub fn find(
        &self,
        project: &Project,
        kind: EntityKind,
        iid: &str,
    ) -> Result<&'a Entity, Reply> {
        let iid = iid.parse().map(Iid).map_err(|_| Reply::not_found())?;
        let key = EntityKey { project: project.id, kind, iid };
        self.world.entity(key).ok().filter(|entity| self.sees(entity)).ok_or_else(Reply::not_found)
    }

    pub fn project_path(&self, id: ProjectId) -> &'a str {
        self.world.project(id).map_or("", |project| &project.path)
    }

    /// GitLab's `merge_requests_count`.
    pub fn closing_count(&self, issue: EntityKey) -> usize {
        self.world.closing_merge_requests(issue).count()
    }

    pub fn web_url(&self, tail: &str) -> String {
        format!("{}/{tail}", self.world.settings.external_url)
    }

    pub fn user(&self, id: UserId) -> Option<super::view::UserView<'a>> {
        self.world.user(id).map(|user| super::view::UserView::new(*self, user))
    }
}
