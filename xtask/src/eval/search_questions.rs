//! Questions asked in a sentence: the first ten hits, in the default mode.

use super::Outcome;
use super::measures::DEPTH;
use search::{Request, Searcher};
use serde_json::Value;
use store::document_set::DocumentFilter;
use store::projects;

pub fn answer(searcher: &Searcher<'_>, question: &Value) -> Outcome<Vec<String>> {
    let project = question["project"].as_str().unwrap_or_default();
    let project = projects::all(searcher.reader)?.into_iter().find(|it| it.path == project);
    let request = Request {
        query: question["question"].as_str().unwrap_or_default().to_owned(),
        filter: DocumentFilter { project: project.map(|it| it.id), ..DocumentFilter::default() },
        limit: DEPTH,
        ..Request::default()
    };
    let results = searcher.find(&request)?;
    Ok(results.items.into_iter().map(|hit| hit.reference).collect())
}
