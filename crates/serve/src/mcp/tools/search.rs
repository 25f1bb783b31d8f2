//! Find by words and by meaning.

use super::{Group, Tool};
use crate::mcp::call::Call;
use insight::{projects, repos};
use model::{EntityState, Error, Result};
use schemars::JsonSchema;
use search::memory::MemoryContext;
use search::{Mode, Request, SearchResults};
use serde::Deserialize;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;

pub struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Words or a question; "a phrase" must stand as it is, +word is required, begin* finds beginnings
    query: String,
    /// Only of these types; `symbol` (indexed code) only alone
    #[serde(default)]
    types: Vec<Type>,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// Only of this local repository: its folder or name
    repo: Option<String>,
    /// Only by this username
    author: Option<String>,
    /// Only with all of these labels
    #[serde(default)]
    labels: Vec<String>,
    /// Only about this file, or with a / at the end this folder
    path: Option<String>,
    /// Only in this state
    state: Option<State>,
    /// Created since: 7d, 2w, 1m, 2024-01-31
    since: Option<String>,
    /// Created until
    until: Option<String>,
    /// 1 to 100 (default 10)
    limit: Option<u32>,
    /// By words and meaning (default), or by one of them
    #[serde(default)]
    mode: SearchMode,
    /// Edges to follow from each record of memory, 0 to 3 (default 0)
    graph_depth: Option<u8>,
    /// As a question asks it: without commits of other repositories than the one around.
    #[serde(default)]
    #[schemars(skip)]
    here: bool,
    /// For a question about what was decided.
    #[serde(default)]
    #[schemars(skip)]
    decided: bool,
    /// For a question about when something came to be.
    #[serde(default)]
    #[schemars(skip)]
    oldest: bool,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Type {
    Issue,
    #[serde(alias = "merge_request")]
    Mr,
    #[serde(alias = "discussion")]
    Thread,
    Commit,
    Decision,
    Pattern,
    Handoff,
    Symbol,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum State {
    #[serde(alias = "open")]
    Opened,
    Closed,
    Merged,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
enum SearchMode {
    #[default]
    Hybrid,
    Lexical,
    Semantic,
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search the project's history";
    const ABOUT: &'static str = "Find issues, merge requests, commits, decisions and patterns by \
        words and by meaning, best first, each with the threads that match. Use it when you do not \
        know where something was discussed; then `show` or `timeline` it.";
    const GROUPS: &'static [Group] = &[Group::Core, Group::Forge];
    const LISTS: &'static [&'static str] = &["/items"];
    const LEFT_OUT: &'static [&'static str] = &["matches", "text_matches"];

    type Params = Params;
    type Answer = SearchResults;

    fn answer(call: &Call, params: Params) -> Result<SearchResults> {
        let limit = params.limit.unwrap_or(10).clamp(1, 100) as usize;
        let mode = match params.mode {
            SearchMode::Hybrid => Mode::Hybrid,
            SearchMode::Lexical => Mode::Lexical,
            SearchMode::Semantic => Mode::Semantic,
        };
        call.around.catch_up(&call.dir);
        let reader = call.reader()?;
        let filter = filter(call, &params)?;
        if params.types.iter().any(|kind| matches!(kind, Type::Symbol)) {
            if !filter.sources.is_empty() {
                return Err(Error::usage("symbols and texts cannot be ranked in one list")
                    .suggest("search twice, once with types [\"symbol\"]"));
            }
            let request =
                Request { query: params.query, filter, limit, mode, ..Request::default() };
            return Ok(told(call, insight::code::search_symbols(reader, &request, &call.dir)?));
        }
        let home_repo = repos::home(reader, &call.dir)?
            .filter(|_| filter.project.is_none() && filter.repo.is_none());
        let filter = DocumentFilter { around: home_repo.filter(|_| params.here), ..filter };
        let provider = if mode == Mode::Lexical { None } else { call.provider() };
        let request = Request {
            query: params.query,
            home: projects::home(reader, &call.dir)?.filter(|_| filter.project.is_none()),
            home_repo,
            graph_depth: params.graph_depth.unwrap_or(0).min(3),
            filter,
            from: standpoint(call)?,
            limit,
            mode,
            ..Request::default()
        };
        let searcher = call.searcher(provider.as_ref())?;
        let found = if params.decided {
            searcher.find_decided(&request)?
        } else if params.oldest {
            searcher.find_oldest(&request)?
        } else {
            searcher.find(&request)?
        };
        Ok(told(call, found))
    }
}

/// What is missing goes where an agent reads it.
fn told(call: &Call, mut results: SearchResults) -> SearchResults {
    let weakness = results.weakness();
    for warning in std::mem::take(&mut results.warnings).into_iter().chain(weakness) {
        call.warn(warning);
    }
    results
}

/// Whose memory lies around.
fn standpoint(call: &Call) -> Result<MemoryContext> {
    let Some(dir) = memory::root::around(&call.dir) else { return Ok(MemoryContext::default()) };
    let around = memory::Root::new(dir, memory::root::RootKind::Project);
    MemoryContext::at(call.reader()?, &memory::index::path_text(&around))
}

fn filter(call: &Call, params: &Params) -> Result<DocumentFilter> {
    let reader = call.reader()?;
    let project = projects::resolve_maybe(reader, params.project.as_deref())?;
    let repo = match &params.repo {
        Some(typed) => {
            let dir = call.dir.join(typed).canonicalize().ok();
            Some(repos::find_place(reader, typed, dir.as_deref())?.repo.0)
        }
        None => None,
    };
    let source = |kind: &Type| match kind {
        Type::Issue => Some(SourceType::Issue),
        Type::Mr => Some(SourceType::MergeRequest),
        Type::Thread => Some(SourceType::Discussion),
        Type::Commit => Some(SourceType::Commit),
        Type::Decision => Some(SourceType::Decision),
        Type::Pattern => Some(SourceType::Pattern),
        Type::Handoff => Some(SourceType::Handoff),
        Type::Symbol => None,
    };
    Ok(DocumentFilter {
        sources: params.types.iter().filter_map(source).collect(),
        project: project.map(|project| project.id),
        repo,
        around: None,
        author: params.author.as_deref().map(|name| name.trim_start_matches('@').to_owned()),
        labels: params.labels.clone(),
        path: params.path.clone(),
        state: params.state.map(|state| match state {
            State::Opened => EntityState::Opened,
            State::Closed => EntityState::Closed,
            State::Merged => EntityState::Merged,
        }),
        created_since: call.when(params.since.as_deref())?,
        created_until: call.when(params.until.as_deref())?,
        updated_since: None,
    })
}
