//! `lore search --type symbol`: symbols of all indexed repositories, by words.
//!
//! A hit is of the commit its repository is answered from now; filters and
//! pages are exact, because what is not in that commit is left out before
//! anything is counted.

use super::scope::{self, Scope, ScopeRequest};
use super::view::View;
use model::ids::RepoId;
use model::{Error, ErrorCode, Result};
use search::query::Query;
use search::{
    CodeType, Explanation, HitType, Mode, Request, SearchHit, SearchResults, SymbolNote, Syntax,
    snippet_of,
};
use std::collections::BTreeMap;
use std::path::Path;
use store::code::snapshots;
use store::code::symbols::{self, SymbolHit, SymbolScope};
use store::document_set::DocumentFilter;
use store::{Reader, projects, repos};

/// More hits than a page are counted up to here.
const MOST_COUNTED: usize = 1000;

/// Symbols that match the request's words; `here` is where it is asked.
pub fn search_symbols(reader: &Reader, request: &Request, here: &Path) -> Result<SearchResults> {
    refuse_what_symbols_lack(request)?;
    if request.query.trim().is_empty() {
        return Ok(SearchResults::of_nothing(request.mode));
    }
    let query = Query::parse(&request.query)?;
    let scopes = scopes(reader, &request.filter, here)?;
    let views: BTreeMap<RepoId, View<'_>> =
        scopes.iter().map(|scope| (scope.repo.id, View::new(reader, scope))).collect();
    let repos: Vec<RepoId> = views.keys().copied().collect();
    let place = request.filter.path.as_deref().map(PathFilter::parse);
    let within = SymbolScope {
        repos: &repos,
        below: place.as_ref().filter(|place| place.file.is_none()).map(|place| place.folder),
        folder: place.as_ref().filter(|place| place.file.is_some()).map(|place| place.folder),
    };
    let file = place.as_ref().and_then(|place| place.file);
    let mut results = SearchResults { mode: Mode::Lexical, ..SearchResults::default() };
    results.warnings.extend(scopes.iter().filter_map(behind));
    let (words, name) = (query.name_words(), request.query.trim());
    for expression in &query.name_expressions() {
        let wanted = symbols::SymbolQuery { expression, words: &words, name };
        let found = symbols::find(reader, &wanted, &within)?;
        let (live, is_whole) = in_snapshots(&views, &found, file, request)?;
        results.total = live.len() as u64;
        results.is_total_exact = is_whole;
        if !live.is_empty() {
            fill(reader, &mut results, &views, &live, request, &query.words())?;
            break;
        }
    }
    if results.total == 0 {
        results.suggestions = suggestions(&views, &request.query)?;
    }
    Ok(results)
}

/// A filter that nothing could pass is a mistake, not an empty answer.
fn refuse_what_symbols_lack(request: &Request) -> Result<()> {
    let DocumentFilter {
        author, labels, state, created_since, created_until, updated_since, ..
    } = &request.filter;
    let given = [
        ("author", author.is_some()),
        ("labels", !labels.is_empty()),
        ("state", state.is_some()),
        ("time of creation", created_since.is_some() || created_until.is_some()),
        ("time of change", updated_since.is_some()),
    ];
    let lacking: Vec<&str> =
        given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    if !lacking.is_empty() {
        return Err(Error::usage(format!("a symbol has no {}", lacking.join(", no ")))
            .suggest("filter symbols by --repo, --project and --path"));
    }
    if request.mode == Mode::Semantic {
        return Err(Error::usage("symbols are found by their words only")
            .suggest("leave --mode out, or search texts by meaning without --type symbol"));
    }
    if request.syntax == Syntax::Raw {
        return Err(Error::usage("symbols cannot be searched in FTS5 syntax")
            .suggest("leave --fts-mode out; +word is required, begin* finds beginnings"));
    }
    if request.graph_depth > 0 {
        return Err(Error::usage("--graph-depth follows edges of memory, and symbols are code")
            .suggest("follow edges of code with lore callers or lore impact"));
    }
    Ok(())
}

/// The repositories that are meant, each at the commit it is answered from.
fn scopes(reader: &Reader, filter: &DocumentFilter, here: &Path) -> Result<Vec<Scope>> {
    let around =
        scope::resolve(reader, &ScopeRequest { here: Some(here), ..ScopeRequest::default() }).ok();
    let is_meant = |repo: &repos::Repo| {
        filter.repo.is_none_or(|id| repo.id.0 == id)
            && (filter.project.is_none() || repo.project == filter.project)
    };
    let mut scopes = Vec::new();
    for repo in repos::all(reader)?.into_iter().filter(is_meant) {
        if let Some(scope) = around.as_ref().filter(|scope| scope.repo.id == repo.id) {
            scopes.push(scope.clone());
        } else if snapshots::latest(reader, repo.id)?.is_some() {
            let asked = ScopeRequest { repo: Some(&repo.canonical_url), ..ScopeRequest::default() };
            scopes.push(scope::resolve(reader, &asked)?);
        }
    }
    if scopes.is_empty() {
        let message = if filter.repo.is_some() {
            "no code of this repository is indexed"
        } else if filter.project.is_some() {
            "no code of this project is indexed"
        } else {
            "no code is indexed yet"
        };
        return Err(
            Error::new(ErrorCode::NotIndexed, message).suggest("run in a clone of it: lore index")
        );
    }
    Ok(scopes)
}

fn behind(scope: &Scope) -> Option<String> {
    let head = scope.newer_head.as_ref()?;
    let short = |sha: &str| sha.chars().take(10).collect::<String>();
    Some(format!(
        "{} is answered from commit {}; {} is checked out and not indexed; run: lore index",
        scope.repo.canonical_url,
        short(&scope.snapshot.sha),
        short(head)
    ))
}

/// What `--path` says: a file, or with a / at the end a folder.
struct PathFilter<'a> {
    folder: &'a str,
    file: Option<&'a str>,
}

impl<'a> PathFilter<'a> {
    fn parse(path: &'a str) -> Self {
        let path = path.trim_start_matches("./").trim_start_matches('/');
        match path.rsplit_once('/') {
            Some((folder, "")) => PathFilter { folder, file: None },
            Some((folder, file)) => PathFilter { folder, file: Some(file) },
            None if path.is_empty() || path == "." => PathFilter { folder: "", file: None },
            None => PathFilter { folder: "", file: Some(path) },
        }
    }
}

/// Those of the commits answered from, and whether that is all of them.
fn in_snapshots(
    views: &BTreeMap<RepoId, View<'_>>,
    found: &[SymbolHit],
    file: Option<&str>,
    request: &Request,
) -> Result<(Vec<SymbolHit>, bool)> {
    let enough = request.offset.saturating_add(request.limit).max(MOST_COUNTED);
    let mut live = Vec::new();
    for one in found {
        if live.len() == enough {
            return Ok((live, false));
        }
        let Some(view) = views.get(&one.repo) else { continue };
        let places = view.places(one.node)?;
        let is_there = match file {
            None => !places.is_empty(),
            Some(name) => {
                let mut is_there = false;
                for place in places {
                    is_there |= view.file(place.file)?.name == name;
                }
                is_there
            }
        };
        if is_there {
            live.push(*one);
        }
    }
    Ok((live, true))
}

fn fill(
    reader: &Reader,
    results: &mut SearchResults,
    views: &BTreeMap<RepoId, View<'_>>,
    live: &[SymbolHit],
    request: &Request,
    words: &[String],
) -> Result<()> {
    let projects = projects::all(reader)?;
    let words: Vec<String> = words.iter().flat_map(|word| model::text::name_parts(word)).collect();
    let best = live.first().map_or(0.0, |best| best.score);
    for (place, one) in live.iter().enumerate().skip(request.offset).take(request.limit) {
        let Some(view) = views.get(&one.repo) else { continue };
        let Some(mut hit) = hit(view, one, &words)? else { continue };
        let project = projects.iter().find(|project| Some(project.id) == view.scope.repo.project);
        if let (Some(project), Some(symbol)) = (project, &hit.symbol) {
            let SymbolNote { commit, path, line, .. } = symbol;
            hit.url = project.forge.dialect().blob_url(&project.web_url, commit, path, *line);
        }
        // As those of texts: from 0 to 1, the raw ones where they are explained.
        let share = if best > 0.0 { one.score / best } else { 1.0 };
        hit.score = (share * 1000.0).round() / 1000.0;
        if request.explain {
            hit.explanation = Some(Explanation {
                lexical_rank: Some(place + 1),
                lexical_score: Some((one.score * 1000.0).round() / 1000.0),
                semantic_rank: None,
                similarity: None,
                coverage: None,
                nearness: None,
                fused: hit.score,
                signals: BTreeMap::new(),
            });
        }
        results.items.push(hit);
    }
    Ok(())
}

fn hit(view: &View<'_>, found: &SymbolHit, words: &[String]) -> Result<Option<SearchHit>> {
    let Some(at) = view.symbol(found.node)? else { return Ok(None) };
    let Some(place) = view.places(found.node)?.first().copied() else { return Ok(None) };
    let outline = view.outline(place.file)?;
    let Some(entry) = outline.get(place.def as usize) else { return Ok(None) };
    let snippet = snippet_of(&format!("{}\n{}", entry.signature, entry.doc), words);
    Ok(Some(SearchHit {
        kind: HitType::Code(CodeType::Symbol),
        reference: at.qualified_name,
        title: at.symbol,
        project: view.scope.repo.project_path.clone(),
        author: None,
        state: None,
        created_at: None,
        updated_at: None,
        labels: Vec::new(),
        score: 0.0,
        snippet: snippet.text,
        matches: snippet.matches,
        url: String::new(),
        passages: Vec::new(),
        also: Vec::new(),
        foreign: false,
        is_told_by_title: false,
        explanation: None,
        memory: None,
        symbol: Some(SymbolNote {
            kind: at.kind.to_string(),
            repo: view.scope.repo.canonical_url.clone(),
            commit: view.scope.snapshot.sha.clone(),
            path: at.path,
            line: at.line,
            is_test: at.is_test,
        }),
    }))
}

fn suggestions(views: &BTreeMap<RepoId, View<'_>>, typed: &str) -> Result<Vec<String>> {
    let mut near: Vec<String> = Vec::new();
    for view in views.values() {
        for name in super::resolve::suggestions(view, typed)? {
            if !near.contains(&name) {
                near.push(name);
            }
        }
    }
    near.truncate(3);
    Ok(near)
}
