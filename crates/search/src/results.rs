//! What an answer looks like, and how it is filled from the documents of a
//! page.

use crate::find::Mode;
use crate::fusion::Candidate;
use crate::memory::RecordNote;
use crate::snippet::{self, Span};
use crate::words::Patterns;
use model::{EntityState, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::dirty::SourceType;
use store::fulltext::{self, Hit};
use store::{Reader, embeddings};

#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct SearchResults {
    pub items: Vec<SearchHit>,
    /// How the answer was found; not always how it was asked for.
    pub mode: Mode,
    /// By words: all that match, shown or not. By meaning every document is
    /// more or less near; then this is how many were ranked.
    pub total: u64,
    /// False when there may be more than `total`.
    pub is_total_exact: bool,
    /// No text has the phrases as they stand; these have words of them.
    pub is_relaxed: bool,
    /// When no word matched: words near to those of the query that would.
    pub suggestions: Vec<String>,
    /// What is missing from the answer, and why; for `meta`.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    #[serde(rename = "type")]
    pub kind: HitType,
    /// `group/project#12`; for a discussion that of what it hangs on, for a
    /// symbol its qualified name.
    pub reference: String,
    pub title: String,
    pub project: Option<String>,
    pub author: Option<String>,
    /// Of a discussion: the state of what it hangs on.
    pub state: Option<EntityState>,
    /// Not of a symbol: that is as old as the lines it is written in.
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub labels: Vec<String>,
    /// Comparable within one answer only; more is better.
    pub score: f64,
    /// One line of the text around what matched, or the nearest in meaning.
    pub snippet: String,
    /// Where in the snippet, in characters.
    pub matches: Vec<Span>,
    pub url: String,
    /// It came with a clone that nobody trusts; only there when so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
    /// Only with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// Of a record of memory: what else is to be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<RecordNote>,
    /// Of a symbol: what and where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<SymbolNote>,
}

/// What was found: a text of the record, or something in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HitType {
    Text(SourceType),
    Code(CodeType),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeType {
    Symbol,
}

impl HitType {
    /// For sentences: "issue", "merge request", "symbol".
    pub const fn noun(self) -> &'static str {
        match self {
            HitType::Text(source) => source.noun(),
            HitType::Code(CodeType::Symbol) => "symbol",
        }
    }
}

/// A symbol of a commit, as far as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolNote {
    /// `function`, `class`, `table`.
    pub kind: String,
    pub repo: String,
    pub commit: String,
    pub path: String,
    pub line: u32,
    pub is_test: bool,
}

/// How a hit came to its place.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Place in the list by words, from one.
    pub lexical_rank: Option<usize>,
    /// BM25; more is better.
    pub lexical_score: Option<f64>,
    /// Place in the list by meaning, from one.
    pub semantic_rank: Option<usize>,
    /// The cosine of the best chunk.
    pub similarity: Option<f64>,
    /// Both together, before the signals.
    pub fused: f64,
    /// What each ranking signal added.
    pub signals: BTreeMap<String, f64>,
}

/// What to mark in the texts of a page.
pub struct Sought<'a> {
    /// The words themselves, small letters.
    pub words: &'a [String],
    pub patterns: Option<Patterns>,
    /// Raw syntax, which only the index can read; it has to find the documents
    /// of the page again for it.
    pub expression: Option<&'a str>,
}

/// Adds the documents of a page, read in one go.
pub fn fill(
    reader: &Reader,
    results: &mut SearchResults,
    page: &[Candidate],
    sought: &Sought<'_>,
    explain: bool,
    note: impl Fn(i64) -> Result<(Option<RecordNote>, bool)>,
) -> Result<()> {
    let ids: Vec<i64> = page.iter().map(|candidate| candidate.document).collect();
    let hits = fulltext::hits(reader, sought.expression, &ids)?;
    let mut hits: BTreeMap<i64, Hit> = hits.into_iter().map(|hit| (hit.document, hit)).collect();
    let chunks: Vec<i64> = page.iter().filter_map(|candidate| candidate.chunk).collect();
    let ranges = embeddings::chunk_ranges(reader, &chunks)?;
    for candidate in page {
        let Some(hit) = hits.remove(&candidate.document) else { continue };
        let range = candidate.chunk.and_then(|chunk| ranges.get(&chunk)).copied();
        let mut shown = shown(hit, candidate, range, sought);
        shown.explanation = explain.then(|| explanation(candidate));
        (shown.memory, shown.foreign) = note(candidate.document)?;
        results.items.push(shown);
    }
    Ok(())
}

/// As one would type it: a record of memory is known by its id alone.
fn reference(hit: &Hit) -> String {
    match hit.source {
        SourceType::Decision | SourceType::Pattern | SourceType::Handoff => hit.reference.clone(),
        _ => format!("{}{}", hit.project.as_deref().unwrap_or_default(), hit.reference),
    }
}

fn shown(
    hit: Hit,
    candidate: &Candidate,
    chunk: Option<(usize, usize)>,
    sought: &Sought<'_>,
) -> SearchHit {
    let (text, mut spans) = snippet::unmark(&hit.marked_text);
    if let Some(patterns) = &sought.patterns {
        spans = patterns.spans(&text);
    }
    let snippet = snippet::best(&text, spans, sought.words, chunk);
    SearchHit {
        kind: HitType::Text(hit.source),
        reference: reference(&hit),
        title: hit.title,
        project: hit.project,
        author: hit.author,
        state: hit.state,
        created_at: Some(hit.created_at),
        updated_at: Some(hit.updated_at),
        labels: hit.labels,
        score: rounded(candidate.score),
        snippet: snippet.text,
        matches: snippet.matches,
        url: hit.url,
        foreign: false,
        explanation: None,
        memory: None,
        symbol: None,
    }
}

fn explanation(candidate: &Candidate) -> Explanation {
    let signals = candidate.signals.iter();
    Explanation {
        lexical_rank: candidate.lexical_rank,
        lexical_score: candidate.lexical_score.map(rounded),
        semantic_rank: candidate.semantic_rank,
        similarity: candidate.similarity.map(rounded),
        fused: rounded(candidate.fused),
        signals: signals.map(|(name, gain)| ((*name).to_owned(), rounded(*gain))).collect(),
    }
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
