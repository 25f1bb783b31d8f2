//! Golden questions of the kinds `file_history` and `trace`. Clones, at the
//! commit the question names, have to be registered in the database.

use super::Outcome;
use insight::file_target::FileQuery;
use insight::{file_history, trace};
use search::Searcher;
use serde_json::Value;
use std::path::Path;

pub fn history(searcher: &Searcher<'_>, question: &Value) -> Outcome<Vec<String>> {
    let request = file_history::Request {
        file: typed(question)?,
        merged_only: true,
        discussions: false,
        follow_renames: true,
        limit: 1_000,
    };
    let found = file_history::file_history(searcher.reader, &request)?;
    Ok(found.items.into_iter().map(|change| change.reference).collect())
}

pub fn changed_by(question: &Value) -> Vec<String> {
    let project = question["project"].as_str().unwrap_or_default();
    let iids = question["must_contain_merged_iids"].as_array().map(Vec::as_slice);
    let iids = iids.unwrap_or_default().iter();
    iids.map(|iid| format!("{project}!{iid}")).collect()
}

/// The merge request that the line is said to come from.
pub fn line(searcher: &Searcher<'_>, question: &Value) -> Outcome<Vec<String>> {
    let line = question["line"].as_u64().ok_or("a question has no line")?;
    let request = trace::Request {
        file: typed(question)?,
        lines: Some(trace::Lines { first: line, last: line }),
        limit: 10,
        generations: 0,
        notes: 0,
        order: trace::FileOrder::default(),
        code: None,
    };
    let found = trace::trace(searcher.reader, &request)?;
    Ok(found.merge_requests.into_iter().map(|explained| explained.reference).collect())
}

pub fn brought_by(question: &Value) -> Vec<String> {
    question["expected"]["ref"].as_str().map(str::to_owned).into_iter().collect()
}

fn typed(question: &Value) -> Outcome<FileQuery<'_>> {
    Ok(FileQuery {
        path: question["path"].as_str().ok_or("a question has no path")?,
        project: question["project"].as_str(),
        repo: None,
        cwd: Path::new("/"),
    })
}
