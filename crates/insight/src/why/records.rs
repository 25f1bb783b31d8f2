//! Recorded decisions and patterns that point at what was asked about.

use crate::memory::RecordLine;
use model::Result;
use model::memory::{DecisionStatus, LinkTarget, Relation};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::memory::{self, edges, records};

/// A record, and what of the target it is linked to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkedRecord {
    #[serde(flatten)]
    pub record: RecordLine,
    /// The path, merge request, issue or commit it names.
    pub linked_to: String,
    /// Another record took its place.
    pub is_superseded: bool,
}

/// Whether anything was ever recorded.
pub fn has_any(reader: &Reader) -> Result<bool> {
    Ok(memory::counts(reader)?.iter().any(|(_, n)| *n > 0))
}

/// Records with an edge to any of these: what stands first, then newest first.
pub fn linked(reader: &Reader, ends: &[String]) -> Result<Vec<LinkedRecord>> {
    // A path stands for its lines too, so ends are parsed and written anew.
    let mut touching = Vec::new();
    for end in ends.iter().filter_map(|end| LinkTarget::parse(end).ok()) {
        touching.extend(edges::touching(reader, &end)?.into_iter().map(|edge| (edge, end.clone())));
    }
    let mut found: Vec<LinkedRecord> = Vec::new();
    for (edge, end) in touching {
        for side in [&edge.from, &edge.to] {
            let LinkTarget::Record(id) = side else { continue };
            if found.iter().any(|known| known.record.id == *id) {
                continue;
            }
            for outline in records::by_id(reader, id.as_str())?.iter().take(1) {
                let is_replaced = edges::touching(reader, side)?
                    .iter()
                    .any(|edge| edge.relation == Relation::Supersedes && edge.to == *side);
                found.push(LinkedRecord {
                    is_superseded: is_replaced || outline.status == DecisionStatus::Superseded,
                    record: RecordLine::of(outline),
                    linked_to: end.to_string(),
                });
            }
        }
    }
    found.sort_by(|a, b| {
        (a.is_superseded, b.record.created_at, a.record.id.as_str()).cmp(&(
            b.is_superseded,
            a.record.created_at,
            b.record.id.as_str(),
        ))
    });
    Ok(found)
}
