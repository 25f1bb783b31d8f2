//! What a person may type next into a resource's address or a prompt: names
//! of projects, numbers, ids, as far as they are known.

use super::call::Call;
use super::resources;
use super::shared::{Asker, Shared};
use model::{EntityKind, ErrorCode, Result};
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use std::sync::Arc;
use store::listing::{self, EntityFilter};
use store::memory::records;
use store::projects;

/// The protocol allows no more.
const MOST: usize = CompletionInfo::MAX_VALUES;

pub async fn complete(
    shared: &Arc<Shared>,
    asker: Asker,
    request: CompleteRequestParams,
) -> Result<CompleteResult> {
    let values = shared.on_a_thread(false, asker, move |call| values(call, &request)).await;
    let mut values = match values {
        Ok(values) => values,
        Err(error) if error.code() == ErrorCode::NotIndexed => Vec::new(),
        Err(error) => return Err(error),
    };
    let has_more = values.len() > MOST;
    values.truncate(MOST);
    let info = CompletionInfo::with_pagination(values, None, has_more).unwrap_or_default();
    Ok(CompleteResult::new(info))
}

fn values(call: &Call, request: &CompleteRequestParams) -> Result<Vec<String>> {
    let typed = request.argument.value.trim();
    let given = |name: &str| {
        let context = request.context.as_ref()?;
        context.get_argument(name).cloned()
    };
    match &request.r#ref {
        Reference::Resource(resource) => match (resource.uri.as_str(), &*request.argument.name) {
            (resources::ISSUE | resources::MERGE_REQUEST, "project") => project_paths(call, typed),
            (resources::ISSUE, "iid") => numbers(call, EntityKind::Issue, given("project"), typed),
            (resources::MERGE_REQUEST, "iid") => {
                numbers(call, EntityKind::MergeRequest, given("project"), typed)
            }
            (resources::DECISION, "id") => {
                records::ids_with_prefix(call.reader()?, typed, MOST + 1)
            }
            (resources::SYMBOL, "name") => symbol_names(call, typed),
            _ => Ok(Vec::new()),
        },
        Reference::Prompt(prompt) => match (prompt.name.as_str(), &*request.argument.name) {
            ("review_mr", "merge_request") => references(call, EntityKind::MergeRequest, typed),
            ("start_task", "issue") => references(call, EntityKind::Issue, typed),
            _ => Ok(Vec::new()),
        },
        _ => Ok(Vec::new()),
    }
}

fn project_paths(call: &Call, typed: &str) -> Result<Vec<String>> {
    let typed = typed.to_lowercase();
    let all = projects::all(call.reader()?)?.into_iter().map(|project| project.path);
    Ok(all.filter(|path| path.to_lowercase().contains(&typed)).collect())
}

/// The newest numbers that begin with what was typed.
fn numbers(
    call: &Call,
    kind: EntityKind,
    project: Option<String>,
    typed: &str,
) -> Result<Vec<String>> {
    let reader = call.reader()?;
    let project = insight::projects::resolve_maybe(reader, project.as_deref())?;
    let filter = EntityFilter {
        project: project.map(|project| project.id),
        limit: 1_000,
        ..EntityFilter::default()
    };
    let (found, _) = listing::entities(reader, kind, &filter)?;
    let mut numbers: Vec<String> = found.iter().map(|entity| entity.iid.to_string()).collect();
    numbers.retain(|number| number.starts_with(typed));
    numbers.dedup();
    Ok(numbers)
}

fn references(call: &Call, kind: EntityKind, typed: &str) -> Result<Vec<String>> {
    let filter = EntityFilter { limit: 1_000, ..EntityFilter::default() };
    let (found, _) = listing::entities(call.reader()?, kind, &filter)?;
    let names = found.iter().map(|entity| format!("{}{}", entity.project, entity.reference()));
    Ok(names.filter(|name| name.contains(typed)).collect())
}

/// Names of symbols that begin with what was typed.
fn symbol_names(call: &Call, typed: &str) -> Result<Vec<String>> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = store::code::nodes::names_like(call.reader()?, None, typed)?;
    names.retain(|name| name.starts_with(typed));
    names.sort();
    names.dedup();
    Ok(names)
}
