//! From a kind of source to the file that makes its documents: the one place
//! that knows them all.

use super::{commit, entity, record, thread};
use model::memory::RecordKind;
use model::{EntityKind, Result};
use store::Tx;
use store::dirty::{DirtySource, SourceType};
use store::documents::{self, Document};
use store::entities::EntityRow;

/// The document of a source; none when the source is gone or says nothing.
pub fn document(tx: &Tx<'_>, source: &DirtySource) -> Result<Option<Document>> {
    let id = source.id;
    Ok(match source.source {
        SourceType::Issue => of_entity(tx, EntityKind::Issue, id)?,
        SourceType::MergeRequest => of_entity(tx, EntityKind::MergeRequest, id)?,
        SourceType::Discussion => {
            documents::thread_source(tx, id)?.and_then(|found| thread::of_thread(id, &found))
        }
        SourceType::Commit => {
            documents::commit_source(tx, id)?.map(|found| commit::of_commit(id, &found))
        }
        SourceType::Decision => record::of_record(tx, RecordKind::Decision, id)?,
        SourceType::Pattern => record::of_record(tx, RecordKind::Pattern, id)?,
        SourceType::Handoff => record::of_record(tx, RecordKind::Handoff, id)?,
    })
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

fn of_entity(tx: &Tx<'_>, kind: EntityKind, id: i64) -> Result<Option<Document>> {
    let found = documents::entity_source(tx, EntityRow { kind, id })?;
    Ok(found.map(|found| entity::of_entity(id, &found)))
}
