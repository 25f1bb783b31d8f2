//! From GitLab's JSON to lore's records: what is required, what has a
//! fallback, and which oddities of old data and old servers are straightened.

use super::lenient::{Int, List, NameOr, Object, Stamp, Text};
use super::system_note;
use super::{scan, wire};
use crate::api::{FailureKind, Identity};
use model::ids::{ForgeId, Iid};
use model::record::{
    ChangeKind, ClosesRecord, DiscussionRecord, EntityCore, EntityRecord, EventAction,
    FileChangeRecord, IssueRecord, LabelEventRecord, LabelRecord, ListedEntity, MergeRequestRecord,
    MilestoneEventRecord, MilestoneRecord, MrCommitRecord, NotePosition, NoteRecord, ProjectRecord,
    StateChange, StateEventRecord, UserRecord,
};
use model::{EntityKind, EntityState, ForgeKind, Timestamp};

/// Why an item cannot become a record, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable(pub String);

pub(super) type Converted<T> = Result<T, Unreadable>;

impl Unreadable {
    pub fn into_failure(self, what: &str) -> crate::Failure {
        crate::Failure::new(
            FailureKind::Unreadable,
            format!("{what}: an item could not be understood: {}", self.0),
        )
    }
}

fn lacks(key: &str) -> Unreadable {
    Unreadable(format!("`{key}` is missing or not usable"))
}

fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Converted<T> {
    scan::read::<Object<T>>(bytes)
        .map_err(|error| Unreadable(model::text::one_line(&error.to_string(), 120)))?
        .0
        .ok_or_else(|| Unreadable("not an object".to_owned()))
}

pub(super) fn identity(user: &[u8], version: Option<&[u8]>) -> Converted<Identity> {
    let person = user_record(read::<wire::User>(user)?).ok_or_else(|| lacks("id"))?;
    let server_version = version
        .and_then(|bytes| read::<wire::Version>(bytes).ok())
        .and_then(|version| present(version.version));
    Ok(Identity { user: person, server_version })
}

pub(super) fn project(bytes: &[u8]) -> Converted<ProjectRecord> {
    let project: wire::Project = read(bytes)?;
    let path = present(project.path_with_namespace).ok_or_else(|| lacks("path_with_namespace"))?;
    Ok(ProjectRecord {
        forge: ForgeKind::GitLab,
        forge_id: id(&project.id, "id")?,
        name: present(project.name)
            .unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default().to_owned()),
        path,
        description: present(project.description),
        default_branch: present(project.default_branch),
        web_url: project.web_url.0.unwrap_or_default(),
        visibility: present(project.visibility),
        is_archived: project.archived.0.unwrap_or(false),
        created_at: project.created_at.0,
        last_activity_at: project.last_activity_at.0,
    })
}

/// One entity of a list. An item that cannot be read is named by its number
/// where that can be found.
pub(super) fn listed(bytes: &[u8], kind: EntityKind) -> Result<ListedEntity, String> {
    match entity(bytes, kind) {
        Ok(entity) => Ok(ListedEntity { entity, raw: bytes.to_vec() }),
        Err(Unreadable(why)) => {
            let iid = scan::member(bytes, "iid").and_then(|iid| scan::read::<Int>(iid).ok()?.0);
            Err(match iid {
                Some(iid) => format!("{} {}{iid}: {why}", kind.noun(), kind.sigil()),
                None => format!("{} without a number: {why}", kind.noun()),
            })
        }
    }
}

pub(super) fn entity(bytes: &[u8], kind: EntityKind) -> Converted<EntityRecord> {
    let entity: wire::Entity = read(bytes)?;
    Ok(match kind {
        EntityKind::Issue => EntityRecord::Issue(Box::new(issue(entity)?)),
        EntityKind::MergeRequest => EntityRecord::MergeRequest(Box::new(merge_request(entity)?)),
    })
}

fn issue(mut entity: wire::Entity) -> Converted<IssueRecord> {
    let core = core(&mut entity, EntityKind::Issue)?;
    let issue_type = present(entity.issue_type)
        .or_else(|| present(entity.work_item_type))
        .map_or_else(|| "issue".to_owned(), |name| name.to_lowercase());
    let duplicate_of = entity
        .links
        .0
        .and_then(|links| present(links.closed_as_duplicate_of))
        .and_then(|url| issue_in_api_url(&url));
    Ok(IssueRecord {
        core,
        issue_type,
        is_confidential: entity.confidential.0.unwrap_or(false),
        due_date: present(entity.due_date),
        weight: entity.weight.0,
        moved_to: entity.moved_to_id.0.map(ForgeId),
        duplicate_of,
    })
}

fn merge_request(mut entity: wire::Entity) -> Converted<MergeRequestRecord> {
    let core = core(&mut entity, EntityKind::MergeRequest)?;
    let is_merged = core.state == EntityState::Merged;
    // Someone is also named on an open merge request that waits for its
    // pipeline; only a merged one has been merged by anybody.
    let merged_by =
        user(entity.merge_user).or_else(|| user(entity.merged_by)).filter(|_| is_merged);
    // Imported and very old merged requests may lack the time; some kept it
    // as the time of closing.
    let merged_at = entity.merged_at.0.or(core.closed_at).filter(|_| is_merged);
    Ok(MergeRequestRecord {
        is_draft: entity.draft.0.or(entity.work_in_progress.0).unwrap_or(false),
        source_branch: entity.source_branch.0.unwrap_or_default(),
        target_branch: entity.target_branch.0.unwrap_or_default(),
        source_project: entity.source_project_id.0.map(ForgeId),
        target_project: entity.target_project_id.0.map(ForgeId),
        reviewers: users(entity.reviewers),
        merged_at,
        merged_by,
        head_sha: present(entity.sha)
            .or_else(|| entity.diff_refs.0.and_then(|refs| present(refs.head_sha))),
        merge_commit_sha: present(entity.merge_commit_sha),
        squash_commit_sha: present(entity.squash_commit_sha),
        core,
    })
}

/// Takes the common fields out of `entity` and leaves the others.
fn core(entity: &mut wire::Entity, kind: EntityKind) -> Converted<EntityCore> {
    use std::mem::take;
    let state = match entity.state.0.as_deref() {
        // Servers before 2017 told it apart from `opened`.
        Some("reopened") => Some(EntityState::Opened),
        said => said.and_then(EntityState::parse),
    };
    let mut assignees = users(take(&mut entity.assignees));
    if assignees.is_empty() {
        // Servers before 2018 knew only one.
        assignees.extend(user(take(&mut entity.assignee)));
    }
    Ok(EntityCore {
        forge_id: id(&entity.id, "id")?,
        iid: Iid(entity.iid.0.ok_or_else(|| lacks("iid"))?),
        title: take(&mut entity.title).0.unwrap_or_default(),
        description: present(take(&mut entity.description)),
        state: state
            .filter(|state| kind == EntityKind::MergeRequest || *state != EntityState::Merged)
            .ok_or_else(|| lacks("state"))?,
        author: user(take(&mut entity.author)),
        assignees,
        labels: take(&mut entity.labels).0.into_iter().filter_map(label).collect(),
        milestone: milestone(take(&mut entity.milestone)),
        created_at: stamp(&entity.created_at, "created_at")?,
        updated_at: stamp(&entity.updated_at, "updated_at")?,
        closed_at: entity.closed_at.0,
        closed_by: user(take(&mut entity.closed_by)),
        web_url: take(&mut entity.web_url).0.unwrap_or_default(),
        discussion_locked: entity.discussion_locked.0.unwrap_or(false),
        upvotes: entity.upvotes.0.unwrap_or(0),
        downvotes: entity.downvotes.0.unwrap_or(0),
        user_notes_count: entity.user_notes_count.0.unwrap_or(0),
    })
}

/// A thread with its notes; none when every note of it is hidden from us.
pub(super) fn discussion(bytes: &[u8]) -> Converted<Option<DiscussionRecord>> {
    let discussion: wire::Discussion = read(bytes)?;
    let forge_id = present(discussion.id).ok_or_else(|| lacks("id"))?;
    let notes: Vec<NoteRecord> = discussion
        .notes
        .0
        .into_iter()
        .map(|note| note_record(note.0.ok_or_else(|| lacks("notes"))?))
        .collect::<Converted<_>>()
        .map_err(|Unreadable(why)| Unreadable(format!("a note of thread {forge_id}: {why}")))?;
    let is_individual = discussion.individual_note.0.unwrap_or(notes.len() == 1);
    Ok((!notes.is_empty()).then_some(DiscussionRecord { forge_id, is_individual, notes }))
}

fn note_record(note: wire::Note) -> Converted<NoteRecord> {
    let created_at = stamp(&note.created_at, "created_at")?;
    let body = note.body.0.unwrap_or_default();
    let is_system = note.system.0.unwrap_or(false);
    Ok(NoteRecord {
        forge_id: id(&note.id, "id")?,
        note_type: present(note.note_type),
        system_action: is_system.then(|| system_note::read(&body).action),
        body,
        author: user(note.author),
        created_at,
        updated_at: note.updated_at.0.unwrap_or(created_at),
        is_system,
        // Two names for one thing; older servers know only the second.
        is_internal: note.internal.0.or(note.confidential.0).unwrap_or(false),
        is_resolvable: note.resolvable.0.unwrap_or(false),
        is_resolved: note.resolved.0.unwrap_or(false),
        resolved_by: user(note.resolved_by),
        resolved_at: note.resolved_at.0,
        position: note.position.0.and_then(position),
    })
}

/// A position that was lost comes as `{}`: nothing to keep.
fn position(position: wire::Position) -> Option<NotePosition> {
    let range = position.line_range.0.unwrap_or_default();
    let found = NotePosition {
        position_type: present(position.position_type),
        old_path: present(position.old_path),
        new_path: present(position.new_path),
        old_line: position.old_line.0,
        new_line: position.new_line.0,
        range_start: range.start.0.and_then(line),
        range_end: range.end.0.and_then(line),
        base_sha: present(position.base_sha),
        start_sha: present(position.start_sha),
        head_sha: present(position.head_sha),
    };
    (found != NotePosition::default()).then_some(found)
}

/// The line on the side it sits on. Servers before 13.x only give a line code,
/// which ends in `_<old>_<new>`.
fn line(line: wire::Line) -> Option<i64> {
    let is_old = line.side.0.as_deref() == Some("old");
    let (mut old, mut new) = (line.old_line.0, line.new_line.0);
    if old.is_none() && new.is_none() {
        let code = line.line_code.0.unwrap_or_default();
        let mut numbers = code.rsplit('_').map(|number| number.parse::<i64>().ok());
        new = numbers.next().flatten();
        old = numbers.next().flatten();
    }
    if is_old { old.or(new) } else { new.or(old) }
}

/// None for a state lore does not know: one odd event must not hide a whole
/// history.
pub(super) fn state_event(bytes: &[u8]) -> Converted<Option<StateEventRecord>> {
    let event: wire::Event = read(bytes)?;
    let (forge_id, created_at) = (id(&event.id, "id")?, stamp(&event.created_at, "created_at")?);
    let state = present(event.state).ok_or_else(|| lacks("state"))?;
    Ok(StateChange::parse(&state).map(|state| StateEventRecord {
        forge_id,
        created_at,
        state,
        user: user(event.user),
        source_merge_request: event.source_merge_request_id.0.map(ForgeId),
        source_commit: present(event.source_commit),
    }))
}

/// None for an action lore does not know.
pub(super) fn label_event(bytes: &[u8]) -> Converted<Option<LabelEventRecord>> {
    let event: wire::Event = read(bytes)?;
    let (forge_id, created_at) = (id(&event.id, "id")?, stamp(&event.created_at, "created_at")?);
    Ok(action(&event.action).map(|action| LabelEventRecord {
        forge_id,
        user: user(event.user),
        created_at,
        action,
        label: label(event.label),
    }))
}

/// None for an action lore does not know.
pub(super) fn milestone_event(bytes: &[u8]) -> Converted<Option<MilestoneEventRecord>> {
    let event: wire::Event = read(bytes)?;
    let (forge_id, created_at) = (id(&event.id, "id")?, stamp(&event.created_at, "created_at")?);
    Ok(action(&event.action).map(|action| MilestoneEventRecord {
        forge_id,
        user: user(event.user),
        created_at,
        action,
        milestone: milestone(event.milestone),
    }))
}

fn action(action: &Text) -> Option<EventAction> {
    action.0.as_deref().and_then(EventAction::parse)
}

/// None for an issue of another tracker, which has a text for an id and no
/// number. `prefix` is the server's relative URL root.
pub(super) fn closes(bytes: &[u8], prefix: &str) -> Converted<Option<ClosesRecord>> {
    let issue: wire::Entity = read(bytes)?;
    let (Some(project), Some(iid)) = (issue.project_id.0, issue.iid.0) else { return Ok(None) };
    let by_reference = issue
        .references
        .0
        .and_then(|references| present(references.full))
        .and_then(|full| Some(full.rsplit_once('#')?.0.to_owned()));
    let project_path = by_reference
        .or_else(|| project_in_web_url(issue.web_url.0.as_deref()?, prefix))
        .filter(|path| !path.is_empty());
    Ok(Some(ClosesRecord { project: ForgeId(project), iid: Iid(iid), project_path }))
}

pub(super) fn file_change(bytes: &[u8]) -> Converted<Option<FileChangeRecord>> {
    let diff: wire::Diff = read(bytes)?;
    let (old, new) = (present(diff.old_path), present(diff.new_path));
    let (old_path, new_path) = match (old, new) {
        (Some(old), Some(new)) => (old, new),
        (Some(only), None) | (None, Some(only)) => (only.clone(), only),
        (None, None) => return Err(lacks("new_path")),
    };
    let is = |flag: &super::lenient::Flag| flag.0.unwrap_or(false);
    let kind = if is(&diff.new_file) {
        ChangeKind::Added
    } else if is(&diff.deleted_file) {
        ChangeKind::Deleted
    } else if is(&diff.renamed_file) || old_path != new_path {
        ChangeKind::Renamed
    } else {
        ChangeKind::Modified
    };
    Ok(Some(FileChangeRecord { old_path, new_path, kind }))
}

pub(super) fn commit(bytes: &[u8]) -> Converted<Option<MrCommitRecord>> {
    let commit: wire::Commit = read(bytes)?;
    let message = commit.message.0.unwrap_or_default();
    Ok(Some(MrCommitRecord {
        sha: present(commit.id).ok_or_else(|| lacks("id"))?,
        title: present(commit.title)
            .unwrap_or_else(|| message.lines().next().unwrap_or_default().to_owned()),
        message,
        author_name: commit.author_name.0.unwrap_or_default(),
        author_email: commit.author_email.0.unwrap_or_default(),
        authored_at: commit.authored_date.0,
        committed_at: commit.committed_date.0.or(commit.created_at.0),
    }))
}

fn user(user: Object<wire::User>) -> Option<UserRecord> {
    user_record(user.0?)
}

fn user_record(user: wire::User) -> Option<UserRecord> {
    let username = user.username.0.unwrap_or_default();
    Some(UserRecord {
        forge_id: ForgeId(user.id.0?),
        name: present(user.name).unwrap_or_else(|| username.clone()),
        username,
    })
}

fn users(list: List<Object<wire::User>>) -> Vec<UserRecord> {
    list.0.into_iter().filter_map(user).collect()
}

fn label(label: NameOr<wire::Label>) -> Option<LabelRecord> {
    match label {
        NameOr::Name(name) => {
            Some(LabelRecord { forge_id: None, name, description: None, color: None })
        }
        NameOr::Object(label) => Some(LabelRecord {
            forge_id: label.id.0.map(ForgeId),
            name: label.name.0?,
            description: present(label.description),
            color: present(label.color),
        }),
        NameOr::Neither => None,
    }
    .filter(|label| !label.name.is_empty())
}

fn milestone(milestone: Object<wire::Milestone>) -> Option<MilestoneRecord> {
    let milestone = milestone.0?;
    Some(MilestoneRecord {
        forge_id: ForgeId(milestone.id.0?),
        iid: milestone.iid.0.map(Iid),
        title: milestone.title.0.unwrap_or_default(),
        description: present(milestone.description),
        state: present(milestone.state).unwrap_or_else(|| "active".to_owned()),
        due_date: present(milestone.due_date),
        start_date: present(milestone.start_date),
        web_url: present(milestone.web_url),
    })
}

fn id(id: &Int, key: &str) -> Converted<ForgeId> {
    id.0.map(ForgeId).ok_or_else(|| lacks(key))
}

fn stamp(stamp: &Stamp, key: &str) -> Converted<Timestamp> {
    stamp.0.ok_or_else(|| lacks(key))
}

/// Text that says something: GitLab writes "nothing" both as null and as "".
fn present(text: Text) -> Option<String> {
    text.0.filter(|text| !text.is_empty())
}

/// `…/projects/42/issues/7`, as links between issues are written.
fn issue_in_api_url(url: &str) -> Option<(ForgeId, Iid)> {
    let (_, path) = url.rsplit_once("/projects/")?;
    let (project, iid) = path.split_once("/issues/")?;
    Some((ForgeId(project.parse().ok()?), Iid(iid.parse().ok()?)))
}

/// `https://host/prefix/group/project/-/issues/7`, or without `/-` on servers
/// of before 2019.
fn project_in_web_url(url: &str, prefix: &str) -> Option<String> {
    let (_, after_scheme) = url.split_once("://")?;
    let (_, path) = after_scheme.split_once('/')?;
    let path = match prefix.trim_matches('/') {
        "" => path,
        prefix => path.strip_prefix(prefix)?.strip_prefix('/')?,
    };
    let cut = path.find("/-/").or_else(|| path.rfind("/issues/"))?;
    Some(path[..cut].to_owned()).filter(|path| path.contains('/'))
}

#[cfg(test)]
mod tests;
