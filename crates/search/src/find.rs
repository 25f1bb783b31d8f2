//! Answering a query: ranked hits with the passage that matched, or a helpful
//! nothing.

use crate::query::{Query, Syntax};
use crate::snippet::{self, Span};
use crate::suggestions;
use model::{EntityState, Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::dirty::SourceType;
use store::fulltext::{self, DocumentFilter, Hit};
use store::{Reader, dirty, documents};

/// What to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    pub query: String,
    pub syntax: Syntax,
    pub filter: DocumentFilter,
    pub limit: usize,
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResults {
    pub items: Vec<SearchHit>,
    /// All that match, shown or not.
    pub total: u64,
    /// No text has the phrases as they stand; these have words of them.
    pub is_relaxed: bool,
    /// When nothing matched: words near to those of the query that would.
    pub suggestions: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    Issue,
    MergeRequest,
    Discussion,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    #[serde(rename = "type")]
    pub kind: HitKind,
    /// `group/project#12`; for a discussion that of what it hangs on.
    pub reference: String,
    pub title: String,
    pub project: String,
    pub author: Option<String>,
    /// Of a discussion: the state of what it hangs on.
    pub state: Option<EntityState>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub labels: Vec<String>,
    /// Comparable within one answer only; more is better.
    pub score: f64,
    /// One line of the text around what matched.
    pub snippet: String,
    /// Where in the snippet, in characters.
    pub matches: Vec<Span>,
    pub url: String,
}

pub fn find(reader: &Reader, request: &Request) -> Result<SearchResults> {
    let query = match request.syntax {
        Syntax::Safe => Some(Query::parse(&request.query)?),
        Syntax::Raw => None,
    };
    require_documents(reader)?;
    let expression = match &query {
        Some(query) => query.expression(),
        None => {
            fulltext::check_syntax(reader, &request.query)?;
            Some(request.query.clone())
        }
    };
    let words = query.as_ref().map(Query::words).unwrap_or_default();
    let mut results = run(reader, request, expression.as_deref(), &words)?;
    if results.total > 0 {
        return Ok(results);
    }
    if let Some(relaxed) = query.as_ref().and_then(Query::relaxed) {
        results = run(reader, request, relaxed.expression().as_deref(), &words)?;
        results.is_relaxed = results.total > 0;
    }
    if results.total == 0 {
        results.suggestions = suggestions::near(reader, &words)?;
    }
    Ok(results)
}

fn require_documents(reader: &Reader) -> Result<()> {
    if documents::count(reader)? > 0 {
        return Ok(());
    }
    let next = if dirty::count(reader)? > 0 { "lore generate-docs" } else { "lore sync" };
    Err(Error::new(ErrorCode::NotIndexed, "nothing is indexed yet").suggest(format!("run: {next}")))
}

fn run(
    reader: &Reader,
    request: &Request,
    expression: Option<&str>,
    words: &[String],
) -> Result<SearchResults> {
    let mut results =
        SearchResults { items: Vec::new(), total: 0, is_relaxed: false, suggestions: Vec::new() };
    let Some(expression) = expression else { return Ok(results) };
    let (page, total) =
        fulltext::rank(reader, expression, &request.filter, request.limit, request.offset)?;
    results.total = total;
    let mut hits = fulltext::hits(reader, expression, &page)?;
    for ranked in page {
        let found = hits.iter().position(|hit| hit.document == ranked.document);
        if let Some(found) = found {
            results.items.push(shown(hits.swap_remove(found), ranked.score, words));
        }
    }
    Ok(results)
}

fn shown(hit: Hit, score: f64, words: &[String]) -> SearchHit {
    let snippet = snippet::best(&hit.marked_text, words);
    SearchHit {
        kind: match hit.source {
            SourceType::Issue => HitKind::Issue,
            SourceType::MergeRequest => HitKind::MergeRequest,
            SourceType::Discussion => HitKind::Discussion,
        },
        reference: format!("{}{}{}", hit.project, hit.kind.sigil(), hit.iid),
        title: hit.title,
        project: hit.project,
        author: hit.author,
        state: hit.state,
        created_at: hit.created_at,
        updated_at: hit.updated_at,
        labels: hit.labels,
        score: (score * 1000.0).round() / 1000.0,
        snippet: snippet.text,
        matches: snippet.matches,
        url: hit.url,
    }
}
