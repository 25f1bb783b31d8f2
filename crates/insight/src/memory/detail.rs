//! `lore memory show`: one record whole.

use super::RecordLine;
use super::graph::{self, GraphEdge};
use super::recall::NamedRecord;
use model::memory::{LinkTarget, Record, RecordId, Relation};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::memory::records;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordDetail {
    #[serde(flatten)]
    pub record: RecordLine,
    /// Its texts by name, in the order of the file; empty ones left out.
    pub sections: Vec<Section>,
    pub links: Vec<String>,
    pub superseded_by: Vec<NamedRecord>,
    /// Edges from it and to it.
    pub edges: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Section {
    pub name: String,
    /// One, or the items of a list.
    pub texts: Vec<String>,
    pub is_list: bool,
}

pub fn detail(reader: &Reader, id: &RecordId) -> Result<RecordDetail> {
    let outline = records::by_id(reader, id.as_str())?.into_iter().next();
    let missing = || {
        Error::not_found(format!("no record `{id}` in memory"))
            .suggest("`lore memory list` shows what there is")
    };
    let outline = outline.ok_or_else(missing)?;
    let record = records::record(reader, outline.kind, outline.row)?.ok_or_else(missing)?;
    let edges = graph::edges_within(reader, &LinkTarget::Record(id.clone()), 1)?;
    let superseded_by = edges
        .iter()
        .filter(|step| step.relation == Relation::Supersedes && step.to.end == id.as_str())
        .filter_map(|step| {
            Some(NamedRecord {
                id: RecordId::parse(&step.from.end)?,
                title: step.from.title.clone(),
                foreign: step.from.foreign,
            })
        })
        .collect();
    Ok(RecordDetail {
        sections: sections(&record),
        links: record.links().to_vec(),
        record: RecordLine::of(&outline),
        superseded_by,
        edges,
    })
}

fn sections(record: &Record) -> Vec<Section> {
    let text = |name: &str, text: &str| Section {
        name: name.to_owned(),
        texts: vec![text.to_owned()],
        is_list: false,
    };
    let list = |name: &str, items: &[String]| Section {
        name: name.to_owned(),
        texts: items.to_vec(),
        is_list: true,
    };
    let all = match record {
        Record::Decision(it) => {
            vec![text("rationale", &it.rationale), list("alternatives", &it.alternatives)]
        }
        Record::Pattern(it) => vec![
            text("context", &it.context),
            text("problem", &it.problem),
            text("solution", &it.solution),
        ],
        Record::Handoff(it) => {
            vec![list("next steps", &it.next_steps), list("open questions", &it.open_questions)]
        }
    };
    let is_filled = |section: &Section| section.texts.iter().any(|text| !text.is_empty());
    all.into_iter().filter(is_filled).collect()
}
