//! Comments, threads and system notes.
//!
//! Writing and editing a note bumps its parent (throttled); deleting one and
//! resolving a thread do not. That asymmetry is GitLab's, and lore must live
//! with it.

use super::error::{Result, WorldError};
use super::ids::{DiscussionId, EntityKey, NoteId, UserId};
use super::input::{DiffLine, NewDiffNote, PostedNote};
use super::mentions::Origin;
use super::types::{Discussion, Note, NoteType, Position, Resolution};
use super::{World, next};
use model::{EntityKind, Timestamp};

impl World {
    /// A single comment; the first reply makes it a thread.
    pub fn comment(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        body: &str,
    ) -> Result<PostedNote> {
        let author = self.user_id(by)?;
        let draft = Draft::new(author, at, body);
        self.post(on, draft, true)
    }

    /// A comment that is a resolvable thread from the start.
    pub fn start_thread(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        body: &str,
    ) -> Result<PostedNote> {
        let author = self.user_id(by)?;
        let draft = Draft { note_type: NoteType::DiscussionNote, ..Draft::new(author, at, body) };
        self.post(on, draft, false)
    }

    /// A comment only members can see.
    pub fn internal_note(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        body: &str,
    ) -> Result<PostedNote> {
        let author = self.user_id(by)?;
        let draft = Draft { internal: true, ..Draft::new(author, at, body) };
        self.post(on, draft, true)
    }

    /// A thread on a line of the merge request's diff.
    pub fn diff_note(
        &mut self,
        on: EntityKey,
        by: &str,
        at: Timestamp,
        note: NewDiffNote,
    ) -> Result<PostedNote> {
        let author = self.user_id(by)?;
        let position = self.position(on, &note)?;
        let draft = Draft {
            note_type: NoteType::DiffNote,
            position: Some(Box::new(position)),
            ..Draft::new(author, at, &note.body)
        };
        self.post(on, draft, false)
    }

    fn position(&self, on: EntityKey, note: &NewDiffNote) -> Result<Position> {
        let mr = self.entity(on)?.merge_request().ok_or(WorldError::NotAMergeRequest(on))?;
        let change = mr
            .changes
            .iter()
            .find(|change| change.new_path == note.path || change.old_path == note.path);
        let (old_path, new_path) = match change {
            Some(change) => (change.old_path.clone(), change.new_path.clone()),
            None => (note.path.clone(), note.path.clone()),
        };
        let version = mr.versions.last();
        let sha = |pick: fn(&super::types::DiffVersion) -> &String| {
            version.map_or(String::new(), |version| pick(version).clone())
        };
        let (old_line, new_line) = match note.line {
            DiffLine::New(line) => (None, Some(line)),
            DiffLine::Old(line) => (Some(line), None),
            DiffLine::Both { old, new } => (Some(old), Some(new)),
        };
        Ok(Position {
            base_sha: sha(|version| &version.base_sha),
            start_sha: sha(|version| &version.start_sha),
            head_sha: sha(|version| &version.head_sha),
            old_path,
            new_path,
            old_line,
            new_line,
            range: None,
        })
    }

    pub fn reply(
        &mut self,
        to: DiscussionId,
        by: &str,
        at: Timestamp,
        body: &str,
    ) -> Result<PostedNote> {
        let author = self.user_id(by)?;
        let on = *self.threads.get(&to).ok_or(WorldError::UnknownDiscussion(to))?;
        self.tick(at);
        let id = NoteId(next(&mut self.counters.note));
        let thread = self.discussion_mut(to)?;
        let first = thread.notes.first();
        let is_diff = first.is_some_and(|note| note.note_type == NoteType::DiffNote);
        let position = first.and_then(|note| note.position.clone()).filter(|_| is_diff);
        if thread.individual_note {
            thread.individual_note = false;
            if let Some(first) = thread.notes.first_mut()
                && !first.system
            {
                first.note_type = NoteType::DiscussionNote;
            }
        }
        let note_type = if is_diff { NoteType::DiffNote } else { NoteType::DiscussionNote };
        let draft = Draft { note_type, position, ..Draft::new(author, at, body) };
        thread.notes.push(draft.into_note(id));
        thread.notes.sort_by_key(|note| (note.created_at, note.id));
        self.notes.insert(id, to);
        self.after_comment(on, author, at, id, body)?;
        Ok(PostedNote { discussion: to, note: id })
    }

    /// Bumps the note and, throttled, its parent.
    pub fn edit_note(&mut self, note: NoteId, at: Timestamp, body: &str) -> Result<()> {
        let (on, thread) = self.thread_of(note).ok_or(WorldError::UnknownNote(note))?;
        self.tick(at);
        let entry = self.note_mut(thread, note)?;
        body.clone_into(&mut entry.body);
        entry.updated_at = at;
        let author = entry.author;
        self.touch_throttled(on, at)?;
        self.mention(body, &Origin::Entity(on), author, at)
    }

    /// The note is gone without a trace; its parent is not bumped.
    pub fn delete_note(&mut self, note: NoteId) -> Result<()> {
        let (on, thread) = self.thread_of(note).ok_or(WorldError::UnknownNote(note))?;
        self.notes.remove(&note);
        let entity = self.entity_mut(on)?;
        for discussion in entity.discussions.iter_mut().filter(|entry| entry.id == thread) {
            discussion.notes.retain(|entry| entry.id != note);
        }
        let is_empty =
            entity.discussions.iter().any(|entry| entry.id == thread && entry.notes.is_empty());
        if is_empty {
            entity.discussions.retain(|entry| entry.id != thread);
            self.threads.remove(&thread);
        } else {
            sort_discussions(&mut entity.discussions);
        }
        if let Some(feed) = self.activity.get_mut(&on.project) {
            feed.retain(|entry| entry.note != Some(note));
        }
        Ok(())
    }

    /// Resolves every resolvable note of the thread. The parent is not bumped,
    /// unless this was the last open thread of a merge request.
    pub fn resolve(&mut self, thread: DiscussionId, by: &str, at: Timestamp) -> Result<()> {
        let user = self.user_id(by)?;
        let on = *self.threads.get(&thread).ok_or(WorldError::UnknownDiscussion(thread))?;
        if !self.discussion(thread)?.is_resolvable() {
            return Err(WorldError::NotResolvable(thread));
        }
        self.tick(at);
        for note in &mut self.discussion_mut(thread)?.notes {
            if note.is_resolvable() && note.resolved.is_none() {
                note.resolved = Some(Resolution { by: user, at });
                note.updated_at = at;
            }
        }
        let all_resolved = self.entity(on)?.discussions.iter().all(Discussion::is_resolved);
        if self.settings.note_when_all_resolved
            && on.kind == EntityKind::MergeRequest
            && all_resolved
        {
            self.system_note(on, user, at, "resolved all threads".to_owned())?;
        }
        Ok(())
    }

    pub fn unresolve(&mut self, thread: DiscussionId, by: &str, at: Timestamp) -> Result<()> {
        self.user_id(by)?;
        if !self.discussion(thread)?.is_resolvable() {
            return Err(WorldError::NotResolvable(thread));
        }
        self.tick(at);
        for note in &mut self.discussion_mut(thread)?.notes {
            if note.resolved.take().is_some() {
                note.updated_at = at;
            }
        }
        Ok(())
    }

    /// A push changed the line under a diff thread: GitLab says so inside it.
    pub fn outdate_thread(&mut self, thread: DiscussionId, by: &str, at: Timestamp) -> Result<()> {
        let author = self.user_id(by)?;
        let on = *self.threads.get(&thread).ok_or(WorldError::UnknownDiscussion(thread))?;
        let mr = self.entity(on)?.merge_request().ok_or(WorldError::NotAMergeRequest(on))?;
        let (count, diff) =
            (mr.versions.len(), mr.versions.last().map_or(0, |version| version.id.0));
        let path = &self.project(on.project)?.path;
        let body = format!(
            "changed this line in [version {count} of the diff](/{path}/-/merge_requests/{}/diffs?diff_id={diff}#note)",
            on.iid
        );
        self.tick(at);
        let id = NoteId(next(&mut self.counters.note));
        let draft = Draft {
            system: true,
            note_type: NoteType::DiscussionNote,
            ..Draft::new(author, at, &body)
        };
        self.discussion_mut(thread)?.notes.push(draft.into_note(id));
        self.notes.insert(id, thread);
        self.touch_throttled(on, at)
    }

    /// A system note of its own; bumps its parent, throttled.
    pub fn system_note(
        &mut self,
        on: EntityKey,
        author: UserId,
        at: Timestamp,
        body: String,
    ) -> Result<PostedNote> {
        let draft = Draft { system: true, ..Draft::new(author, at, &body) };
        let posted = self.insert_discussion(on, draft, true)?;
        self.touch_throttled(on, at)?;
        Ok(posted)
    }

    fn post(&mut self, on: EntityKey, draft: Draft, individual_note: bool) -> Result<PostedNote> {
        let (author, at, body) = (draft.author, draft.at, draft.body.clone());
        let posted = self.insert_discussion(on, draft, individual_note)?;
        self.after_comment(on, author, at, posted.note, &body)?;
        Ok(posted)
    }

    fn after_comment(
        &mut self,
        on: EntityKey,
        author: UserId,
        at: Timestamp,
        note: NoteId,
        body: &str,
    ) -> Result<()> {
        self.touch_throttled(on, at)?;
        self.record_note("commented on", author, at, on, Some(note));
        self.mention(body, &Origin::Entity(on), author, at)
    }

    fn insert_discussion(
        &mut self,
        on: EntityKey,
        draft: Draft,
        individual_note: bool,
    ) -> Result<PostedNote> {
        self.entity(on)?;
        self.tick(draft.at);
        let note = NoteId(next(&mut self.counters.note));
        let discussion = DiscussionId(next(&mut self.counters.discussion));
        let entity = self.entity_mut(on)?;
        entity.discussions.push(Discussion {
            id: discussion,
            individual_note,
            notes: vec![draft.into_note(note)],
        });
        sort_discussions(&mut entity.discussions);
        self.threads.insert(discussion, on);
        self.notes.insert(note, discussion);
        Ok(PostedNote { discussion, note })
    }

    fn discussion_mut(&mut self, id: DiscussionId) -> Result<&mut Discussion> {
        let on = *self.threads.get(&id).ok_or(WorldError::UnknownDiscussion(id))?;
        self.entity_mut(on)?
            .discussions
            .iter_mut()
            .find(|discussion| discussion.id == id)
            .ok_or(WorldError::UnknownDiscussion(id))
    }

    fn note_mut(&mut self, thread: DiscussionId, id: NoteId) -> Result<&mut Note> {
        self.discussion_mut(thread)?
            .notes
            .iter_mut()
            .find(|note| note.id == id)
            .ok_or(WorldError::UnknownNote(id))
    }
}

/// A note before it has an id.
struct Draft {
    author: UserId,
    at: Timestamp,
    body: String,
    note_type: NoteType,
    system: bool,
    internal: bool,
    position: Option<Box<Position>>,
}

impl Draft {
    fn new(author: UserId, at: Timestamp, body: &str) -> Self {
        Draft {
            author,
            at,
            body: body.to_owned(),
            note_type: NoteType::Plain,
            system: false,
            internal: false,
            position: None,
        }
    }

    fn into_note(self, id: NoteId) -> Note {
        Note {
            id,
            note_type: self.note_type,
            body: self.body,
            author: self.author,
            created_at: self.at,
            updated_at: self.at,
            system: self.system,
            internal: self.internal,
            imported: false,
            resolved: None,
            position: self.position,
        }
    }
}

/// GitLab's order: by the earliest note, then by id. Nearly always sorted
/// already, which the stable sort takes one pass to see.
fn sort_discussions(discussions: &mut [Discussion]) {
    discussions
        .sort_by_key(|discussion| discussion.notes.first().map(|note| (note.created_at, note.id)));
}
