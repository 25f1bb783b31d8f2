//! Users, projects, labels and milestones.
//!
//! Renaming or deleting any of them bumps no issue and no merge request.

use super::error::{Result, WorldError};
use super::ids::{LabelId, MilestoneId, ProjectId, UserId};
use super::input::{NewLabel, NewMilestone, NewProject, NewUser};
use super::types::{Label, Milestone, Project, User};
use super::{World, next};
use model::ids::Iid;
use std::collections::BTreeMap;

/// What GitLab paints a label without a colour.
const DEFAULT_LABEL_COLOR: &str = "#428BCA";

impl World {
    pub fn add_user(&mut self, new: NewUser) -> Result<UserId> {
        let lower = new.username.to_lowercase();
        if self.usernames.contains_key(&lower) {
            return Err(WorldError::UserTaken(new.username));
        }
        let id = UserId(next(&mut self.counters.user));
        let email =
            if new.email.is_empty() { format!("{}@example.com", new.username) } else { new.email };
        let name = if new.name.is_empty() { new.username.clone() } else { new.name };
        let user = User {
            id,
            username: new.username,
            name,
            email,
            bot: new.bot,
            state: "active".to_owned(),
            created_at: self.now,
        };
        self.usernames.insert(lower, id);
        self.users.insert(id, user);
        Ok(id)
    }

    /// Texts keep the old `@name`.
    pub fn rename_user(&mut self, old: &str, new: &str) -> Result<()> {
        let id = self.user_id(old)?;
        if self.usernames.get(&new.to_lowercase()).is_some_and(|taken| *taken != id) {
            return Err(WorldError::UserTaken(new.to_owned()));
        }
        self.usernames.remove(&old.to_lowercase());
        self.usernames.insert(new.to_lowercase(), id);
        if let Some(user) = self.users.get_mut(&id) {
            new.clone_into(&mut user.username);
        }
        Ok(())
    }

    pub fn add_project(&mut self, new: NewProject) -> Result<ProjectId> {
        self.check_path_is_free(&new.path)?;
        let id = ProjectId(next(&mut self.counters.project));
        self.tick(new.created_at);
        let slug = new.path.rsplit('/').next().unwrap_or("").to_owned();
        let project = Project {
            id,
            path: new.path,
            name: if new.name.is_empty() { slug } else { new.name },
            description: new.description,
            default_branch: new.default_branch,
            created_at: new.created_at,
            last_activity_at: new.created_at,
            visibility: new.visibility,
            archived: false,
            issues_enabled: true,
            merge_requests_enabled: true,
            autoclose: true,
            hidden: false,
            labels: BTreeMap::new(),
            milestones: BTreeMap::new(),
        };
        self.claim_path(&project.path, id);
        self.projects.insert(id, project);
        Ok(id)
    }

    /// The old path redirects from now on; nothing is bumped.
    pub fn rename_project(&mut self, project: ProjectId, path: &str) -> Result<()> {
        let old = self.project(project)?.path.clone();
        if old == path {
            return Ok(());
        }
        if old.to_lowercase() != path.to_lowercase() {
            self.check_path_is_free(path)?;
            self.paths.remove(&old.to_lowercase());
            self.redirects.insert(old.to_lowercase(), project);
        }
        path.clone_into(&mut self.project_mut(project)?.path);
        self.claim_path(path, project);
        Ok(())
    }

    /// Switches of a project (features, visibility, archived …). Its id and
    /// path stay what they are.
    pub fn edit_project(
        &mut self,
        project: ProjectId,
        edit: impl FnOnce(&mut Project),
    ) -> Result<()> {
        let entry = self.project_mut(project)?;
        let path = entry.path.clone();
        edit(entry);
        entry.id = project;
        entry.path = path;
        Ok(())
    }

    fn check_path_is_free(&self, path: &str) -> Result<()> {
        if !path.contains('/') {
            return Err(WorldError::PathWithoutNamespace(path.to_owned()));
        }
        if self.paths.contains_key(&path.to_lowercase()) {
            return Err(WorldError::PathTaken(path.to_owned()));
        }
        Ok(())
    }

    /// A project that takes a former path ends the redirect from it.
    fn claim_path(&mut self, path: &str, project: ProjectId) {
        self.redirects.remove(&path.to_lowercase());
        self.paths.insert(path.to_lowercase(), project);
        let mut group = path;
        while let Some((parent, _)) = group.rsplit_once('/') {
            let id = self.namespaces.len() as i64 + 1;
            self.namespaces.entry(parent.to_owned()).or_insert(id);
            group = parent;
        }
    }

    pub fn add_label(&mut self, project: ProjectId, new: NewLabel) -> Result<LabelId> {
        if self.label_id(project, &new.name).is_ok() {
            return Err(WorldError::LabelTaken(new.name));
        }
        self.project(project)?;
        let id = LabelId(next(&mut self.counters.label));
        let color = if new.color.is_empty() { DEFAULT_LABEL_COLOR.to_owned() } else { new.color };
        let label = Label { id, name: new.name, color, description: new.description };
        self.project_mut(project)?.labels.insert(id, label);
        Ok(id)
    }

    pub fn label_id(&self, project: ProjectId, name: &str) -> Result<LabelId> {
        let labels = &self.project(project)?.labels;
        labels
            .values()
            .find(|label| label.name == name)
            .map(|label| label.id)
            .ok_or_else(|| WorldError::UnknownLabel(name.to_owned()))
    }

    /// Rewrites history: events show the new name.
    pub fn rename_label(&mut self, project: ProjectId, old: &str, new: &str) -> Result<()> {
        let id = self.label_id(project, old)?;
        if old != new && self.label_id(project, new).is_ok() {
            return Err(WorldError::LabelTaken(new.to_owned()));
        }
        if let Some(label) = self.project_mut(project)?.labels.get_mut(&id) {
            new.clone_into(&mut label.name);
        }
        Ok(())
    }

    pub fn add_milestone(&mut self, project: ProjectId, new: NewMilestone) -> Result<MilestoneId> {
        if self.milestone_id(project, &new.title).is_ok() {
            return Err(WorldError::MilestoneTaken(new.title));
        }
        let id = MilestoneId(next(&mut self.counters.milestone));
        let entry = self.project_mut(project)?;
        let iid = entry.milestones.values().map(|milestone| milestone.iid.0).max().unwrap_or(0);
        let created_at = new.created_at.unwrap_or(entry.created_at);
        let milestone = Milestone {
            id,
            iid: Iid(iid + 1),
            title: new.title,
            description: new.description,
            active: true,
            due_date: new.due_date,
            start_date: new.start_date,
            created_at,
            updated_at: created_at,
            group_id: new.group_id,
        };
        entry.milestones.insert(id, milestone);
        Ok(id)
    }

    pub fn milestone_id(&self, project: ProjectId, title: &str) -> Result<MilestoneId> {
        let milestones = &self.project(project)?.milestones;
        milestones
            .values()
            .find(|milestone| milestone.title == title)
            .map(|milestone| milestone.id)
            .ok_or_else(|| WorldError::UnknownMilestone(title.to_owned()))
    }
}
