//! A database filled by hand: projects, issues, merge requests, threads and
//! relations, without a forge and without a binary.
//!
//! Numbers are made up in order; times are given in days after the epoch, so
//! that what tests expect can be read off what they wrote.

use model::ids::{ForgeId, Iid};
use model::record::{
    DependentSet, DiscussionRecord, EntityCore, EntityRecord, IssueRecord, MergeRequestRecord,
    NoteRecord, ProjectRecord, UserRecord,
};
use model::relation::{Certainty, EntityName, EvidenceSource, Observation, RelationType};
use model::{EntityKind, EntityState, ForgeKind, Timestamp};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use store::dependents::{self, FetchedSet};
use store::entities::{self, EntityRow, Scope};
use store::payloads::{self, Payload};
use store::{Reader, Writer, projects, references};
use tempfile::TempDir;

/// A database of its own, gone when it is dropped.
pub struct RecordFixture {
    dir: TempDir,
    writer: RefCell<Writer>,
    next_id: Cell<i64>,
}

/// A project of the fixture.
#[derive(Debug, Clone)]
pub struct FixtureProject {
    scope: Scope,
    path: String,
}

/// An issue or merge request of the fixture.
#[derive(Debug, Clone)]
pub struct FixtureEntity {
    pub row: EntityRow,
    pub name: EntityName,
    scope: Scope,
}

/// Midnight of this day after the epoch.
pub fn day(n: i64) -> Timestamp {
    Timestamp::from_millis(n * 24 * 60 * 60 * 1000)
}

impl Default for RecordFixture {
    fn default() -> Self {
        RecordFixture::new()
    }
}

#[expect(clippy::missing_panics_doc, reason = "a fixture that fails is a failed test")]
impl RecordFixture {
    pub fn new() -> RecordFixture {
        let dir = TempDir::new().expect("a temporary folder");
        let writer =
            Writer::open(&dir.path().join("lore.db")).expect("the record of a test can be written");
        RecordFixture { dir, writer: RefCell::new(writer), next_id: Cell::new(1) }
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("lore.db")
    }

    pub fn reader(&self) -> Reader {
        Reader::open(&self.path()).expect("the record of a test can be read")
    }

    pub fn project(&self, host: &str, path: &str) -> FixtureProject {
        let record = ProjectRecord {
            forge: ForgeKind::GitLab,
            forge_id: ForgeId(self.id()),
            path: path.to_owned(),
            name: path.to_owned(),
            description: None,
            default_branch: None,
            web_url: format!("https://{host}/{path}"),
            visibility: None,
            is_archived: false,
            created_at: None,
            last_activity_at: None,
        };
        let id = self
            .writer
            .borrow_mut()
            .write(|tx| {
                let payload = payloads::keep(tx, &Payload::of(path.as_bytes())?)?;
                projects::upsert(tx, host, &record, payload)
            })
            .expect("the record of a test can be written");
        let scope = Scope { project: id, host: host.to_owned() };
        FixtureProject { scope, path: path.to_owned() }
    }

    /// An open issue, written on `at`.
    pub fn issue(&self, of: &FixtureProject, iid: i64, title: &str, at: i64) -> FixtureEntity {
        let core = self.core(of, EntityKind::Issue, iid, title, at);
        let record = IssueRecord {
            core,
            issue_type: "issue".to_owned(),
            is_confidential: false,
            due_date: None,
            weight: None,
            moved_to: None,
            duplicate_of: None,
        };
        self.entity(of, EntityRecord::Issue(Box::new(record)))
    }

    /// A merge request, opened on `at` and merged a day later.
    pub fn merge_request(
        &self,
        of: &FixtureProject,
        iid: i64,
        title: &str,
        at: i64,
    ) -> FixtureEntity {
        let mut core = self.core(of, EntityKind::MergeRequest, iid, title, at);
        core.state = EntityState::Merged;
        let record = MergeRequestRecord {
            core,
            is_draft: false,
            source_branch: format!("branch-{iid}"),
            target_branch: "main".to_owned(),
            source_project: None,
            target_project: None,
            reviewers: Vec::new(),
            merged_at: Some(day(at + 1)),
            merged_by: Some(user("kim")),
            head_sha: None,
            merge_commit_sha: None,
            squash_commit_sha: None,
        };
        self.entity(of, EntityRecord::MergeRequest(Box::new(record)))
    }

    /// Threads on an entity, each a list of (who, what, on which day). They
    /// replace those it had.
    pub fn threads(&self, on: &FixtureEntity, threads: &[&[(&str, &str, i64)]]) {
        let set = threads.iter().map(|notes| self.thread(notes)).collect();
        let set = DependentSet::Discussions(set);
        let payload = Payload::of(format!("{set:?}").as_bytes())
            .expect("the record of a test can be written");
        let arrived =
            FetchedSet { set: &set, payload: &payload, fetched_at: day(0), condition: "" };
        self.writer
            .borrow_mut()
            .write(|tx| dependents::replace(tx, &on.scope, on.row, &arrived, day(0)))
            .expect("the record of a test can be written");
    }

    /// What an entity says of others; replaces what it said before.
    pub fn relations(&self, source: &FixtureEntity, to: &[(RelationType, &FixtureEntity)]) {
        let observations: Vec<Observation> = to
            .iter()
            .map(|(relation, target)| Observation {
                source: source.name.clone(),
                target: target.name.clone(),
                relation: *relation,
                method: EvidenceSource::SystemNote,
                certainty: Certainty::Stated,
                note: None,
                at: Some(day(100)),
            })
            .collect();
        self.writer
            .borrow_mut()
            .write(|tx| references::replace(tx, &[(source.row, observations)]))
            .expect("the record of a test can be written");
    }

    fn id(&self) -> i64 {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        id
    }

    fn core(
        &self,
        of: &FixtureProject,
        kind: EntityKind,
        iid: i64,
        title: &str,
        at: i64,
    ) -> EntityCore {
        EntityCore {
            forge_id: ForgeId(self.id()),
            iid: Iid(iid),
            title: title.to_owned(),
            description: None,
            state: EntityState::Opened,
            author: Some(user("ann")),
            assignees: Vec::new(),
            labels: Vec::new(),
            milestone: None,
            created_at: day(at),
            updated_at: day(at),
            closed_at: None,
            closed_by: None,
            web_url: format!("https://{}/{}/{}/{iid}", of.scope.host, of.path, kind.as_str()),
            discussion_locked: false,
            upvotes: 0,
            downvotes: 0,
            user_notes_count: 0,
        }
    }

    fn entity(&self, of: &FixtureProject, record: EntityRecord) -> FixtureEntity {
        let payload = Payload::of(format!("{record:?}").as_bytes())
            .expect("the record of a test can be written");
        let (row, _) = self
            .writer
            .borrow_mut()
            .write(|tx| entities::upsert(tx, &of.scope, &record, &payload, day(0)))
            .expect("the record of a test can be written");
        let name = EntityName {
            kind: record.kind(),
            host: of.scope.host.clone(),
            project: of.path.clone(),
            iid: record.core().iid,
        };
        FixtureEntity { row, name, scope: of.scope.clone() }
    }

    fn thread(&self, notes: &[(&str, &str, i64)]) -> DiscussionRecord {
        let note = |(author, body, at): &(&str, &str, i64)| NoteRecord {
            forge_id: ForgeId(self.id()),
            note_type: None,
            body: (*body).to_owned(),
            author: Some(user(author)),
            created_at: day(*at),
            updated_at: day(*at),
            is_system: false,
            system_action: None,
            is_internal: false,
            is_resolvable: false,
            is_resolved: false,
            resolved_by: None,
            resolved_at: None,
            position: None,
        };
        DiscussionRecord {
            forge_id: format!("thread-{}", self.id()),
            is_individual: notes.len() == 1,
            notes: notes.iter().map(note).collect(),
        }
    }
}

/// The same person for the same name.
fn user(username: &str) -> UserRecord {
    let id = username.bytes().fold(0_i64, |id, byte| id * 31 + i64::from(byte));
    UserRecord { forge_id: ForgeId(id), username: username.to_owned(), name: username.to_owned() }
}
