//! Decisions, patterns and threads that speak of a task.

use super::pack::PackedText;
use crate::memory::recall::{self, recall};
use model::ids::ProjectId;
use model::text::{clean, one_line};
use model::{Result, Timestamp, terms};
use search::query::Query;
use std::collections::BTreeSet;
use store::Reader;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::memory::RootId;
use store::memory::records::RecordFilter;

/// Where the texts may come from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The memory that may be used; what another clone holds is none of it.
    pub memory: Vec<RootId>,
    pub now: Timestamp,
}

impl Default for Sources {
    fn default() -> Self {
        Sources { memory: Vec::new(), now: Timestamp::EPOCH }
    }
}

impl Sources {
    /// The same as of the beginning of the day: what is asked twice in a day gets
    /// the same answer.
    pub fn of_the_day(&self) -> Self {
        const DAY: i64 = 86_400_000;
        let now = self.now.as_millis();
        Sources { now: Timestamp::from_millis(now - now.rem_euclid(DAY)), ..self.clone() }
    }

    pub fn memory_numbers(&self) -> Vec<i64> {
        self.memory.iter().map(|root| root.0).collect()
    }
}

const MOST_RECORDS: usize = 5;
const MOST_THREADS: usize = 6;
const LONGEST: usize = 400;
/// Terms a text must share with the task: one is chance.
const SHARED: usize = 2;

/// Texts about a task, memory first.
pub fn about(
    reader: &Reader,
    project: Option<ProjectId>,
    text: &str,
    path: Option<&str>,
    sources: &Sources,
) -> Result<Vec<PackedText>> {
    // Marks of the query language mean nothing here.
    let text: String = text.chars().take(400).collect::<String>().replace(['"', '+', '*'], " ");
    let wanted = terms_of(&text);
    if wanted.is_empty() || Query::parse(&text).is_err() {
        return Ok(Vec::new());
    }
    let is_about =
        |other: &str| terms_of(other).intersection(&wanted).count() >= SHARED.min(wanted.len());
    let mut found = Vec::new();
    if !sources.memory.is_empty() {
        let request = recall::Request {
            query: text.clone(),
            filter: RecordFilter { roots: sources.memory.clone(), ..RecordFilter::default() },
            limit: 20,
            ..recall::Request::default()
        };
        let items = recall(reader, &request, sources.now)?.items.into_iter();
        let items = items.filter(|item| {
            item.superseded_by.is_empty()
                && is_about(&format!("{} {}", item.record.title, item.text))
        });
        found.extend(items.take(MOST_RECORDS).map(|item| PackedText {
            reference: item.record.id.to_string(),
            kind: item.record.kind.as_str().to_owned(),
            title: one_line(&clean(&item.record.title), 160),
            text: one_line(&clean(&item.text), LONGEST),
        }));
    }
    if let Some(project) = project {
        let request = search::Request {
            query: text.clone(),
            filter: DocumentFilter {
                sources: vec![SourceType::Issue, SourceType::MergeRequest, SourceType::Discussion],
                project: Some(project),
                path: path.map(str::to_owned),
                ..DocumentFilter::default()
            },
            limit: 20,
            // A task is long; few of its words are in any one text.
            without: vec![search::FLOOR.to_owned()],
            ..search::Request::default()
        };
        let hits = search::find(reader, &request)?.items.into_iter();
        let hits = hits.filter(|hit| is_about(&format!("{} {}", hit.title, hit.snippet)));
        found.extend(hits.take(MOST_THREADS).map(|hit| PackedText {
            reference: hit.reference.clone(),
            kind: hit.kind.noun().to_owned(),
            title: one_line(&clean(&hit.title), 160),
            text: one_line(&clean(&hit.snippet), LONGEST),
        }));
    }
    Ok(found)
}

fn terms_of(text: &str) -> BTreeSet<u32> {
    let mut all = BTreeSet::new();
    terms::each(text, |term| {
        if !term.is_compound {
            all.insert(terms::number(term.text));
        }
    });
    all
}
