//! From a kind of source to the file that makes its documents: the one place
//! that knows them all.

use super::{commit, entity, record, thread};
use model::memory::RecordKind;
use model::{EntityKind, Result};
use store::Read;
use store::dirty::{DirtySource, SourceType};
use store::documents::{self, Document, EntitySource};
use store::entities::EntityRow;

/// Sources as one transaction or snapshot has them.
pub struct Sources<'a, R> {
    on: &'a R,
    /// The entity of the last thread: the next one mostly hangs on it, too.
    parent: Option<(EntityRow, EntitySource)>,
}

impl<'a, R: Read> Sources<'a, R> {
    pub fn new(on: &'a R) -> Self {
        Sources { on, parent: None }
    }

    /// The document of a source; none when the source is gone or says nothing.
    pub fn document(&mut self, source: &DirtySource) -> Result<Option<Document>> {
        let (on, id) = (self.on, source.id);
        Ok(match source.source {
            SourceType::Issue => self.of_entity(EntityKind::Issue, id)?,
            SourceType::MergeRequest => self.of_entity(EntityKind::MergeRequest, id)?,
            SourceType::Discussion => self.of_thread(id)?,
            SourceType::Commit => {
                documents::commit_source(on, id)?.map(|found| commit::of_commit(id, &found))
            }
            SourceType::Decision => record::of_record(on, RecordKind::Decision, id)?,
            SourceType::Pattern => record::of_record(on, RecordKind::Pattern, id)?,
            SourceType::Handoff => record::of_record(on, RecordKind::Handoff, id)?,
        })
    }

    fn of_entity(&self, kind: EntityKind, id: i64) -> Result<Option<Document>> {
        let found = documents::entity_source(self.on, EntityRow { kind, id })?;
        Ok(found.map(|found| entity::of_entity(id, &found)))
    }

    fn of_thread(&mut self, id: i64) -> Result<Option<Document>> {
        let Some(row) = documents::thread_parent(self.on, id)? else { return Ok(None) };
        if self.parent.as_ref().is_none_or(|(known, _)| *known != row) {
            self.parent = documents::entity_source(self.on, row)?.map(|found| (row, found));
        }
        let Some((_, parent)) = &self.parent else { return Ok(None) };
        let notes = documents::thread_notes(self.on, id)?;
        Ok(thread::of_thread(id, parent, &notes))
    }
}

/// The entity whose words are repeated in the documents of its threads.
pub fn entity_row(source: &DirtySource) -> Option<EntityRow> {
    let kind = match source.source {
        SourceType::Issue => EntityKind::Issue,
        SourceType::MergeRequest => EntityKind::MergeRequest,
        SourceType::Discussion
        | SourceType::Commit
        | SourceType::Decision
        | SourceType::Pattern
        | SourceType::Handoff => return None,
    };
    Some(EntityRow { kind, id: source.id })
}
