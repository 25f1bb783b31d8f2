//! The state of a simulated GitLab and the rules by which it changes.
//!
//! Every mutation takes the acting username and the time, moves the virtual
//! clock there and does what GitLab would: system notes, resource events,
//! cross-references, and the throttled bump of `updated_at`.
//!
//! It knows nothing of HTTP; [`crate::server`] shows it to clients.

mod catalog;
mod change;
mod create;
mod error;
mod ids;
mod index;
mod input;
mod mentions;
mod merge_request;
mod notes;
mod relations;
mod removal;
mod state;
pub mod texts;
mod types;

pub use error::{Result, WorldError};
pub(crate) use ids::mix;
pub use ids::{
    DiffId, DiscussionId, EntityId, EntityKey, EventId, LabelId, MilestoneId, NoteId, ProjectId,
    UserId,
};
pub use index::{OrderBy, Walk};
pub use input::*;
pub use texts::Era;
pub use types::*;

use index::ListIndex;
use model::ids::Iid;
use model::{EntityKind, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// How this GitLab behaves; may be changed at any time, for what happens next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where `web_url`s point.
    pub external_url: String,
    /// Whose wordings and events are written.
    pub era: Era,
    /// Title notes as HTML (17.11 and later) or as Markdown.
    pub title_notes_as_html: bool,
    /// GitLab closes the issues of a merged merge request in a background job.
    pub close_delay: Duration,
    /// Whether resolving the last open thread of a merge request leaves
    /// "resolved all threads", as GitLab does.
    pub note_when_all_resolved: bool,
    /// Whether the activity feed (`/events`) is kept.
    pub record_activity: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            external_url: "https://gitlab.example.com".to_owned(),
            era: Era::Modern,
            title_notes_as_html: true,
            close_delay: Duration::from_millis(800),
            note_when_all_resolved: true,
            record_activity: true,
        }
    }
}

/// A whole GitLab.
#[derive(Debug, Clone)]
pub struct World {
    pub settings: Settings,
    now: Timestamp,
    users: BTreeMap<UserId, User>,
    /// Lower-case username to user. The hash maps here are only looked up in,
    /// never iterated.
    usernames: HashMap<String, UserId>,
    projects: BTreeMap<ProjectId, Project>,
    /// Lower-case current path to project.
    paths: HashMap<String, ProjectId>,
    /// Lower-case former path to project.
    redirects: HashMap<String, ProjectId>,
    namespaces: BTreeMap<String, i64>,
    entities: BTreeMap<EntityKey, Box<Entity>>,
    by_id: HashMap<(EntityKind, EntityId), EntityKey>,
    threads: HashMap<DiscussionId, EntityKey>,
    notes: HashMap<NoteId, DiscussionId>,
    lists: BTreeMap<(ProjectId, EntityKind), ListIndex>,
    /// Merge requests that declare to close an issue.
    closers: BTreeMap<EntityKey, BTreeSet<EntityKey>>,
    activity: BTreeMap<ProjectId, Vec<Activity>>,
    counters: Counters,
}

/// The last id given out, by kind of thing.
#[derive(Debug, Clone, Default)]
struct Counters {
    user: i64,
    project: i64,
    label: i64,
    milestone: i64,
    issue: i64,
    merge_request: i64,
    note: i64,
    discussion: i64,
    state_event: i64,
    label_event: i64,
    milestone_event: i64,
    diff: i64,
    activity: i64,
    made_up_sha: i64,
}

/// The next id of one kind.
fn next(counter: &mut i64) -> i64 {
    *counter += 1;
    *counter
}

impl Default for World {
    fn default() -> Self {
        World::new()
    }
}

impl World {
    /// An empty GitLab at 2020-01-01.
    pub fn new() -> World {
        World {
            settings: Settings::default(),
            now: Timestamp::from_millis(1_577_836_800_000),
            users: BTreeMap::new(),
            usernames: HashMap::new(),
            projects: BTreeMap::new(),
            paths: HashMap::new(),
            redirects: HashMap::new(),
            namespaces: BTreeMap::new(),
            entities: BTreeMap::new(),
            by_id: HashMap::new(),
            threads: HashMap::new(),
            notes: HashMap::new(),
            lists: BTreeMap::new(),
            closers: BTreeMap::new(),
            activity: BTreeMap::new(),
            counters: Counters::default(),
        }
    }

    /// The virtual clock: the latest time anything happened, or was set.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Moves the clock, backwards too.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    pub fn advance(&mut self, by: Duration) -> Timestamp {
        self.now = self.now.plus(by);
        self.now
    }

    /// A mutation happened at `at`; the clock never runs backwards for one.
    fn tick(&mut self, at: Timestamp) {
        self.now = self.now.max(at);
    }

    // Reading the truth.

    pub fn users(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }

    pub fn user(&self, id: UserId) -> Option<&User> {
        self.users.get(&id)
    }

    pub fn user_id(&self, username: &str) -> Result<UserId> {
        self.usernames
            .get(&username.to_lowercase())
            .copied()
            .ok_or_else(|| WorldError::UnknownUser(username.to_owned()))
    }

    fn user_ids<S: AsRef<str>>(&self, usernames: &[S]) -> Result<Vec<UserId>> {
        let mut ids = Vec::new();
        for username in usernames {
            let id = self.user_id(username.as_ref())?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    pub fn username(&self, id: UserId) -> &str {
        self.users.get(&id).map_or("ghost", |user| &user.username)
    }

    pub fn projects(&self) -> impl Iterator<Item = &Project> {
        self.projects.values()
    }

    pub fn project(&self, id: ProjectId) -> Result<&Project> {
        self.projects.get(&id).ok_or(WorldError::UnknownProjectId(id))
    }

    /// By current path, without regard to case. Former paths do not count.
    pub fn project_id(&self, path: &str) -> Result<ProjectId> {
        self.paths
            .get(&path.to_lowercase())
            .copied()
            .ok_or_else(|| WorldError::UnknownProject(path.to_owned()))
    }

    /// The project that once had this path, if no other has taken it since.
    pub fn moved_project(&self, path: &str) -> Option<ProjectId> {
        self.redirects.get(&path.to_lowercase()).copied()
    }

    /// The number of a group, as in `namespace.id`.
    pub fn namespace_id(&self, path: &str) -> Option<i64> {
        self.namespaces.get(path).copied()
    }

    /// The address of an issue or merge request that exists.
    pub fn key(&self, path: &str, kind: EntityKind, iid: i64) -> Result<EntityKey> {
        let key = EntityKey { project: self.project_id(path)?, kind, iid: Iid(iid) };
        self.entity(key).map(|entity| entity.key)
    }

    pub fn entity(&self, key: EntityKey) -> Result<&Entity> {
        self.entities.get(&key).map(|entity| &**entity).ok_or(WorldError::UnknownEntity(key))
    }

    pub fn entity_by_id(&self, kind: EntityKind, id: EntityId) -> Option<&Entity> {
        self.by_id.get(&(kind, id)).and_then(|key| self.entities.get(key)).map(|entity| &**entity)
    }

    /// Everything, by project, kind and number.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.values().map(|entity| &**entity)
    }

    /// The issues or the merge requests of one project, by number.
    pub fn entities_of(
        &self,
        project: ProjectId,
        kind: EntityKind,
    ) -> impl Iterator<Item = &Entity> {
        let first = EntityKey { project, kind, iid: Iid(i64::MIN) };
        let last = EntityKey { project, kind, iid: Iid(i64::MAX) };
        self.entities.range(first..=last).map(|(_, entity)| &**entity)
    }

    /// The thread a note stands in, and what it is about.
    pub fn thread_of(&self, note: NoteId) -> Option<(EntityKey, DiscussionId)> {
        let discussion = *self.notes.get(&note)?;
        Some((*self.threads.get(&discussion)?, discussion))
    }

    pub fn discussion(&self, id: DiscussionId) -> Result<&Discussion> {
        self.threads
            .get(&id)
            .and_then(|key| self.entities.get(key))
            .and_then(|entity| entity.discussions.iter().find(|discussion| discussion.id == id))
            .ok_or(WorldError::UnknownDiscussion(id))
    }

    pub fn note(&self, id: NoteId) -> Result<&Note> {
        self.notes
            .get(&id)
            .and_then(|thread| self.discussion(*thread).ok())
            .and_then(|discussion| discussion.notes.iter().find(|note| note.id == id))
            .ok_or(WorldError::UnknownNote(id))
    }

    pub fn label(&self, project: ProjectId, id: LabelId) -> Option<&Label> {
        self.projects.get(&project)?.labels.get(&id)
    }

    pub fn milestone(&self, project: ProjectId, id: MilestoneId) -> Option<&Milestone> {
        self.projects.get(&project)?.milestones.get(&id)
    }

    /// Names of the labels on an entity, sorted as GitLab shows them.
    pub fn label_names(&self, entity: &Entity) -> Vec<&str> {
        let mut names: Vec<&str> = entity
            .labels
            .iter()
            .filter_map(|id| self.label(entity.key.project, *id))
            .map(|label| label.name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// The activity feed of a project, oldest first.
    pub fn activity(&self, project: ProjectId) -> &[Activity] {
        self.activity.get(&project).map_or(&[], Vec::as_slice)
    }

    // Inner access. Never change `id`, `key`, `created_at` or `updated_at`
    // through this: the lists are ordered by them.
    fn entity_mut(&mut self, key: EntityKey) -> Result<&mut Entity> {
        self.entities
            .get_mut(&key)
            .map(|entity| &mut **entity)
            .ok_or(WorldError::UnknownEntity(key))
    }

    fn merge_request_mut(&mut self, key: EntityKey) -> Result<&mut MergeRequest> {
        match &mut self.entity_mut(key)?.detail {
            Detail::MergeRequest(mr) => Ok(mr),
            Detail::Issue(_) => Err(WorldError::NotAMergeRequest(key)),
        }
    }

    fn issue_mut(&mut self, key: EntityKey) -> Result<&mut Issue> {
        match &mut self.entity_mut(key)?.detail {
            Detail::Issue(issue) => Ok(issue),
            Detail::MergeRequest(_) => Err(WorldError::NotAnIssue(key)),
        }
    }

    fn project_mut(&mut self, id: ProjectId) -> Result<&mut Project> {
        self.projects.get_mut(&id).ok_or(WorldError::UnknownProjectId(id))
    }

    /// 40 hexadecimal digits nothing else has.
    pub(crate) fn made_up_sha(&mut self) -> String {
        let n = next(&mut self.counters.made_up_sha);
        DiscussionId(n ^ 0x5348_4100_0000_0000).to_string()
    }

    fn record(
        &mut self,
        action_name: &'static str,
        author: UserId,
        at: Timestamp,
        target: EntityKey,
    ) {
        self.record_note(action_name, author, at, target, None);
    }

    fn record_note(
        &mut self,
        action_name: &'static str,
        author: UserId,
        at: Timestamp,
        target: EntityKey,
        note: Option<NoteId>,
    ) {
        if self.settings.record_activity {
            let id = EventId(next(&mut self.counters.activity));
            let entry = Activity { id, action_name, author, created_at: at, target, note };
            self.activity.entry(target.project).or_default().push(entry);
        }
        if let Some(project) = self.projects.get_mut(&target.project) {
            project.last_activity_at = project.last_activity_at.max(at);
        }
    }
}
