//! Golden questions of kind `timeline`: is it among the entities of the
//! timeline? With the settings `lore timeline` has by default.

use super::Outcome;
use insight::timeline::{Request, Start, named_entity, timeline};
use search::Searcher;
use serde_json::Value;
use store::document_set::DocumentFilter;

pub fn answer(searcher: &Searcher<'_>, question: &Value) -> Outcome<Vec<String>> {
    let reader = searcher.reader;
    let command = question["command"].as_str().ok_or("a question has no command")?;
    let typed = command.trim_start_matches("timeline").trim().trim_matches('"');
    let project = question["project"].as_str();
    let start = match named_entity(typed) {
        Some(wanted) => Start::Entity { wanted, project: project.map(str::to_owned), here: None },
        None => {
            let project = insight::projects::resolve_maybe(reader, project)?;
            let filter = DocumentFilter {
                project: project.map(|project| project.id),
                ..DocumentFilter::default()
            };
            let query = typed.to_owned();
            Start::Query(Box::new(search::Request { query, filter, ..search::Request::default() }))
        }
    };
    let found = timeline(searcher, &Request::new(typed, start))?;
    let seeds = found.seed_entities.into_iter().map(|entity| entity.reference);
    let expanded = found.expanded_entities.into_iter().map(|expanded| expanded.entity.reference);
    Ok(seeds.chain(expanded).collect())
}
