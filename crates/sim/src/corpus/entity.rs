//! One issue or merge request of a corpus, with all that hangs on it.

use super::text::{self, Texts, heavy_tail};
use super::{Corpus, Home};
use crate::World;
use crate::world::{
    Action, Commit, Detail, DiffVersion, Discussion, Entity, FileChange, LabelEvent, MergeRequest,
    MilestoneEvent, Note, NoteType, Position, Resolution, State, StateChange, StateEvent, UserId,
    WorldError,
};
use fastrand::Rng;
use model::{EntityKind, Timestamp};
use std::fmt::Write as _;
use std::time::Duration;

pub(super) struct Maker<'a> {
    corpus: &'a Corpus,
    texts: &'a Texts,
    users: &'a [UserId],
    user_weights: Vec<f64>,
    home: &'a Home,
    rng: &'a mut Rng,
    n_made: usize,
    n_issues: usize,
    n_merge_requests: usize,
}

impl<'a> Maker<'a> {
    pub fn new(
        corpus: &'a Corpus,
        texts: &'a Texts,
        users: &'a [UserId],
        home: &'a Home,
        rng: &'a mut Rng,
    ) -> Self {
        let user_weights = text::cumulative_zipf(users.len());
        Maker {
            corpus,
            texts,
            users,
            user_weights,
            home,
            rng,
            n_made: 0,
            n_issues: 0,
            n_merge_requests: 0,
        }
    }

    /// Issues and merge requests interleaved in order of creation.
    pub fn fill(
        &mut self,
        world: &mut World,
        issues: usize,
        merge_requests: usize,
    ) -> Result<(), WorldError> {
        let count = issues + merge_requests;
        for index in 0..count {
            // Keeps the two in proportion all along.
            let due = index * issues.max(1) / count.max(1);
            let is_issue = (self.n_issues <= due && self.n_issues < issues)
                || self.n_merge_requests >= merge_requests;
            let at = self.corpus.created_at(self.rng, index, count);
            let kind = if is_issue {
                self.n_issues += 1;
                EntityKind::Issue
            } else {
                self.n_merge_requests += 1;
                EntityKind::MergeRequest
            };
            let entity = self.entity(world, kind, at);
            let author = entity.author;
            let closes = entity.merge_request().is_some_and(|mr| !mr.closes.is_empty());
            let key = world.insert_raw(entity)?;
            if closes {
                world.mention_description(key, author, at)?;
            }
            self.n_made += 1;
        }
        Ok(())
    }

    fn entity(&mut self, world: &mut World, kind: EntityKind, at: Timestamp) -> Entity {
        let (iid, detail) = match kind {
            EntityKind::Issue => (self.n_issues, Detail::Issue(Box::default())),
            EntityKind::MergeRequest => {
                let mr = self.merge_request(world, at);
                (self.n_merge_requests, Detail::MergeRequest(Box::new(mr)))
            }
        };
        let author = self.user();
        let mut entity = world.blank_entity(self.home.key(kind, iid), author, at, detail);
        entity.title = self.texts.title(self.rng);
        entity.description = self.description();
        if self.rng.u8(..3) == 0 {
            entity.assignees = vec![self.user()];
        }
        let mut last = at;
        self.add_labels(world, &mut entity, &mut last);
        self.add_milestone(world, &mut entity, &mut last);
        self.add_discussions(world, &mut entity, &mut last);
        if kind == EntityKind::MergeRequest {
            self.link_to_issue(&mut entity);
        }
        self.add_state(world, &mut entity, &mut last);
        entity.updated_at = self.tied(last);
        entity
    }

    fn user(&mut self) -> UserId {
        self.users[text::pick(&self.user_weights, self.rng)]
    }

    /// Some seconds to some weeks later.
    fn later(&mut self, after: Timestamp) -> Timestamp {
        let seconds = heavy_tail(self.rng, 20_000.0, 10_000_000.0);
        after.plus(Duration::from_millis((seconds * 1000.0) as u64))
    }

    fn body(&mut self, median: f64, cap: f64) -> String {
        let length = heavy_tail(self.rng, median, cap) as usize;
        let mut body = self.texts.body(self.rng, length);
        if self.rng.u8(..100) < self.corpus.odd_percent {
            body.push_str("\n\n");
            body.push_str(text::odd(self.rng));
        }
        body
    }

    fn description(&mut self) -> Option<String> {
        if self.n_made < self.corpus.huge_descriptions {
            return Some(self.texts.body(self.rng, 1_000_000));
        }
        match self.rng.u8(..20) {
            0 => None,
            1 => Some(String::new()),
            _ => Some(self.body(self.corpus.description_bytes, 60_000.0)),
        }
    }

    fn add_labels(&mut self, world: &mut World, entity: &mut Entity, last: &mut Timestamp) {
        let n_batches = self.rng.usize(..self.corpus.label_batches.max(1));
        for batch in 0..n_batches {
            let at = if batch == 0 { entity.created_at } else { self.later(*last) };
            *last = at;
            let user = self.user();
            for _ in 0..self.rng.usize(1..4) {
                if self.home.labels.is_empty() {
                    return;
                }
                let label = self.home.labels[self.rng.usize(..self.home.labels.len())];
                let action = if entity.labels.remove(&label) {
                    Action::Remove
                } else {
                    entity.labels.insert(label);
                    Action::Add
                };
                entity.label_events.push(LabelEvent {
                    id: world.next_label_event_id(),
                    user: Some(user),
                    created_at: at,
                    label: Some((self.home.project, label)),
                    action,
                });
            }
        }
    }

    fn add_milestone(&mut self, world: &mut World, entity: &mut Entity, last: &mut Timestamp) {
        if self.home.milestones.is_empty() || self.rng.u8(..3) != 0 {
            return;
        }
        let milestone = self.home.milestones[self.rng.usize(..self.home.milestones.len())];
        *last = self.later(*last);
        entity.milestone = Some(milestone);
        entity.milestone_events.push(MilestoneEvent {
            id: world.next_milestone_event_id(),
            user: Some(self.user()),
            created_at: *last,
            milestone: (self.home.project, milestone),
            action: Action::Add,
            state: State::Opened,
        });
    }

    fn add_discussions(&mut self, world: &mut World, entity: &mut Entity, last: &mut Timestamp) {
        let is_mr = entity.kind() == EntityKind::MergeRequest;
        let median = if is_mr { self.corpus.threads * 1.5 } else { self.corpus.threads };
        let n_threads = heavy_tail(self.rng, median, 400.0) as usize;
        for _ in 0..n_threads {
            *last = self.later(*last);
            let discussion = match self.rng.u8(..10) {
                0..3 => self.system_note(world, *last),
                3..6 if is_mr => self.thread(world, last, entity.merge_request()),
                3..5 => self.thread(world, last, None),
                _ => self.comment(world, *last),
            };
            entity.discussions.push(discussion);
        }
    }

    fn note(&mut self, world: &mut World, at: Timestamp, note_type: NoteType) -> Note {
        Note {
            id: world.next_note_id(),
            note_type,
            body: self.body(self.corpus.note_bytes, 20_000.0),
            author: self.user(),
            created_at: at,
            updated_at: at,
            system: false,
            internal: false,
            imported: false,
            resolved: None,
            position: None,
        }
    }

    fn comment(&mut self, world: &mut World, at: Timestamp) -> Discussion {
        let note = self.note(world, at, NoteType::Plain);
        Discussion { id: world.next_discussion_id(), individual_note: true, notes: vec![note] }
    }

    fn system_note(&mut self, world: &mut World, at: Timestamp) -> Discussion {
        let number = self.rng.usize(1..=self.n_made.max(1));
        let body = match self.rng.u8(..6) {
            0 => format!("mentioned in merge request !{number}"),
            1 => format!("mentioned in issue #{number}"),
            2 => format!("mentioned in commit {}", world.made_up_sha()),
            3 => {
                let user = self.user();
                format!("assigned to @{}", world.username(user))
            }
            4 => "changed the description".to_owned(),
            _ => "<p>changed title from <code class=\"idiff\">Old</code> to <code \
                  class=\"idiff\">New</code></p>"
                .to_owned(),
        };
        let note = Note {
            id: world.next_note_id(),
            note_type: NoteType::Plain,
            body,
            author: self.user(),
            created_at: at,
            updated_at: at,
            system: true,
            internal: false,
            imported: false,
            resolved: None,
            position: None,
        };
        Discussion { id: world.next_discussion_id(), individual_note: true, notes: vec![note] }
    }

    /// With replies; on a line of the diff for merge requests that have one.
    fn thread(
        &mut self,
        world: &mut World,
        last: &mut Timestamp,
        mr: Option<&MergeRequest>,
    ) -> Discussion {
        let position = mr.and_then(|mr| self.position(mr));
        let note_type =
            if position.is_some() { NoteType::DiffNote } else { NoteType::DiscussionNote };
        let resolver = self.rng.bool().then(|| self.user());
        let mut notes = Vec::new();
        for index in 0..=(heavy_tail(self.rng, 1.0, 40.0) as usize) {
            if index > 0 {
                *last = self.later(*last);
            }
            let mut note = self.note(world, *last, note_type);
            note.position.clone_from(&position);
            notes.push(note);
        }
        if let Some(by) = resolver {
            *last = self.later(*last);
            for note in &mut notes {
                note.resolved = Some(Resolution { by, at: *last });
                note.updated_at = *last;
            }
        }
        Discussion { id: world.next_discussion_id(), individual_note: false, notes }
    }

    fn position(&mut self, mr: &MergeRequest) -> Option<Box<Position>> {
        let version = mr.versions.last()?;
        let change = mr.changes.get(self.rng.usize(..mr.changes.len().max(1)))?;
        Some(Box::new(Position {
            base_sha: version.base_sha.clone(),
            start_sha: version.start_sha.clone(),
            head_sha: version.head_sha.clone(),
            old_path: change.old_path.clone(),
            new_path: change.new_path.clone(),
            old_line: None,
            new_line: Some(self.rng.u32(1..200)),
            range: None,
        }))
    }

    fn merge_request(&mut self, world: &mut World, at: Timestamp) -> MergeRequest {
        let n_commits = 1 + heavy_tail(self.rng, 1.0, 60.0) as usize;
        let commits: Vec<Commit> = (0..n_commits)
            .map(|_| Commit {
                sha: world.made_up_sha(),
                message: self.texts.title(self.rng),
                author_name: "User".to_owned(),
                author_email: "user@example.com".to_owned(),
                authored_at: at,
            })
            .collect();
        let n_files = 1 + heavy_tail(self.rng, 2.0, 200.0) as usize;
        let changes: Vec<FileChange> = (0..n_files).map(|_| self.change()).collect();
        let (base, head) = (world.made_up_sha(), commits.last().map(|commit| commit.sha.clone()));
        let version = DiffVersion {
            id: world.next_diff_id(),
            head_sha: head.clone().unwrap_or_default(),
            base_sha: base.clone(),
            start_sha: base,
            created_at: at,
            n_files,
        };
        MergeRequest {
            source_branch: format!("branch-{}", self.n_merge_requests),
            target_branch: "main".to_owned(),
            source_project: Some(self.home.project),
            draft: self.rng.u8(..20) == 0,
            reviewers: if self.rng.bool() { vec![self.user()] } else { Vec::new() },
            sha: head,
            commits,
            changes,
            versions: vec![version],
            ..MergeRequest::default()
        }
    }

    fn change(&mut self) -> FileChange {
        let path = self.texts.path(self.rng);
        let kind = self.rng.u8(..10);
        let old_path = if kind == 0 { self.texts.path(self.rng) } else { path.clone() };
        FileChange {
            renamed_file: old_path != path,
            old_path,
            new_path: path,
            new_file: kind == 1,
            deleted_file: kind == 2,
            diff: "@@ -1 +1 @@\n-old\n+new\n".to_owned(),
            ..FileChange::default()
        }
    }

    /// A third of all merge requests close an issue.
    fn link_to_issue(&mut self, entity: &mut Entity) {
        if self.n_issues == 0 || self.rng.u8(..3) != 0 {
            return;
        }
        let iid = self.rng.usize(1..=self.n_issues);
        let description = entity.description.get_or_insert_default();
        let _ = write!(description, "\n\nCloses #{iid}");
        if let Detail::MergeRequest(mr) = &mut entity.detail {
            mr.closes = vec![self.home.key(EntityKind::Issue, iid)];
        }
    }

    fn add_state(&mut self, world: &mut World, entity: &mut Entity, last: &mut Timestamp) {
        let end = match (self.rng.u8(..100), &mut entity.detail) {
            (0..70, Detail::MergeRequest(_)) => StateChange::Merged,
            (0..72, _) => StateChange::Closed,
            _ => return,
        };
        let user = self.user();
        if end == StateChange::Closed && self.rng.u8(..10) == 0 {
            *last = self.later(*last);
            entity.state_events.push(state_event(world, user, *last, StateChange::Closed));
            *last = self.later(*last);
            entity.state_events.push(state_event(world, user, *last, StateChange::Reopened));
        }
        *last = self.later(*last);
        entity.state_events.push(state_event(world, user, *last, end));
        if let (Detail::MergeRequest(mr), StateChange::Merged) = (&mut entity.detail, end) {
            entity.state = State::Merged;
            mr.merged_at = Some(*last);
            mr.merge_user = Some(user);
            mr.merge_commit_sha = self.rng.bool().then(|| world.made_up_sha());
        } else {
            entity.state = State::Closed;
            entity.closed_at = Some(*last);
            entity.closed_by = Some(user);
        }
    }

    /// Bulk edits leave runs of rows with one and the same `updated_at`.
    fn tied(&self, last: Timestamp) -> Timestamp {
        let corpus = self.corpus;
        if corpus.tie_every == 0 || self.n_made % corpus.tie_every >= corpus.tie_length {
            return last;
        }
        let day = Duration::from_hours(24);
        let run = (self.n_made / corpus.tie_every) as u32;
        corpus.start.plus(day * (corpus.days + 1 + run))
    }
}

fn state_event(world: &mut World, user: UserId, at: Timestamp, change: StateChange) -> StateEvent {
    StateEvent {
        id: world.next_state_event_id(),
        user: Some(user),
        created_at: at,
        change,
        source_merge_request: None,
        source_commit: None,
    }
}
