//! What search knows of records of memory beyond their words: where the
//! question is asked from, what edges say of them, and where edges lead.
//!
//! Which records are looked at is decided elsewhere: by `lore recall` in the
//! index of memory, by `lore search` among all documents.

pub mod graph;
pub(crate) mod ranking;

pub use ranking::{RecordNote, SIGNAL};

use crate::reinforcement::Signals;
use model::Result;
use model::memory::{DecisionStatus, RecordId, Relation};
use std::collections::{BTreeMap, BTreeSet};
use store::memory::edges::{self, EdgeRow};
use store::memory::records::{self, Outline};
use store::memory::{RootId, access};
use store::{Read, Reader};

/// Where the question is asked from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryContext {
    /// The memory of the repository around; its records are of the project.
    pub root: Option<RootId>,
    pub project: Option<String>,
}

impl MemoryContext {
    /// At the memory whose folder is indexed by this name; nowhere when it is
    /// not indexed.
    pub fn at(on: &impl Read, root: &str) -> Result<MemoryContext> {
        let row = store::memory::roots(on)?.into_iter().find(|row| row.path == root);
        Ok(row.map_or_else(MemoryContext::default, |row| MemoryContext {
            root: Some(row.id),
            project: row.project,
        }))
    }
}

/// What edges say of the records at hand.
#[derive(Debug, Clone, Default)]
pub struct Ties {
    pub superseded_by: BTreeMap<RecordId, Vec<RecordId>>,
    pub contradicts: BTreeMap<RecordId, Vec<RecordId>>,
    pub summarized: BTreeSet<RecordId>,
}

impl Ties {
    pub fn of<'a>(reader: &Reader, ids: impl Iterator<Item = &'a RecordId>) -> Result<Ties> {
        let ids: Vec<String> = ids.map(|id| id.as_str().to_owned()).collect();
        let mut ties = Ties::default();
        let foreign = store::memory::foreign_roots(reader)?;
        for EdgeRow { from, relation, to, root, .. } in edges::touching_any(reader, &ids)? {
            let (Some(from), Some(to)) = (from.record(), to.record()) else { continue };
            // A stranger's graph has no say over what the user keeps.
            if foreign.contains(&root) && (is_own(reader, from)? || is_own(reader, to)?) {
                continue;
            }
            let add =
                |list: &mut BTreeMap<RecordId, Vec<RecordId>>, of: &RecordId, it: &RecordId| {
                    let list = list.entry(of.clone()).or_default();
                    if !list.contains(it) {
                        list.push(it.clone());
                    }
                };
            match relation {
                Relation::Supersedes => add(&mut ties.superseded_by, to, from),
                Relation::Contradicts => {
                    add(&mut ties.contradicts, to, from);
                    add(&mut ties.contradicts, from, to);
                }
                Relation::SummarizedBy => {
                    ties.summarized.insert(from.clone());
                }
                _ => {}
            }
        }
        Ok(ties)
    }

    /// What the factors of a record follow from.
    pub fn signals(
        &self,
        outline: &Outline,
        usage: Option<access::Use>,
        from: &MemoryContext,
    ) -> Signals {
        let same_name = outline.project.is_some() && outline.project == from.project;
        let same_root = from.root == Some(outline.root);
        // A record of this root may belong to another project by its own word.
        let is_same_project = same_name || (same_root && outline.project.is_none());
        Signals {
            created_at: outline.created_at,
            importance: if self.summarized.contains(&outline.id) { 1 } else { outline.importance },
            usage,
            is_same_project,
            is_superseded: outline.status == DecisionStatus::Superseded
                || self.superseded_by.contains_key(&outline.id),
        }
    }
}

/// Whether a record lies in a folder that is not a stranger's.
fn is_own(reader: &Reader, id: &RecordId) -> Result<bool> {
    Ok(records::by_id(reader, id.as_str())?.iter().any(|it| !it.is_foreign))
}
