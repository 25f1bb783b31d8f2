//! What an answer looks like, and how it is filled from the documents of a
//! page.

use crate::find::Mode;
use crate::fusion::Candidate;
use crate::groups::EntityGroup;
use crate::memory::RecordNote;
use crate::snippet::{self, Snippet, Span};
use crate::tokenizer::{Patterns, ranges, stemmed};
use model::memory::RecordId;
use model::text::one_line;
use model::{EntityState, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::commits::{self, CommitRow};
use store::dirty::SourceType;
use store::fulltext::{self, Hit};
use store::{Reader, embeddings, repos};

#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct SearchResults {
    pub items: Vec<SearchHit>,
    /// How the answer was found; not always how it was asked for.
    pub mode: Mode,
    /// Entities that match, shown or not; of a large index at least so many.
    pub total: u64,
    /// False when there may be more than `total`.
    pub is_total_exact: bool,
    /// No text has the phrases as they stand; these have words of them.
    pub is_relaxed: bool,
    /// When no word matched: words near to those of the query that would.
    pub suggestions: Vec<String>,
    /// Nothing answers the query well; these are the nearest.
    pub is_weak: bool,
    /// When the answer is weak: words of the query that no text has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_words: Vec<String>,
    /// It was asked what was decided, and no record says it: these only speak of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undecided: bool,
    /// It was asked when something came to be: these say it, the first of all first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_oldest_first: bool,
    /// What is missing from the answer, and why; for `meta`.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// How long it took, where somebody measured it.
    #[serde(skip)]
    pub took: Option<Duration>,
}

impl SearchResults {
    /// The answer to an empty query.
    pub fn of_nothing(mode: Mode) -> Self {
        let warning = "the query is empty: say what to look for, e.g. lore search 'retry budget'";
        SearchResults {
            mode,
            is_total_exact: true,
            warnings: vec![warning.to_owned()],
            ..SearchResults::default()
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    #[serde(rename = "type")]
    pub kind: HitType,
    /// `group/project#12`; for a symbol its qualified name.
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
    /// From 0 to 1; comparable within one answer only.
    pub score: f64,
    /// One line of the text around what matched, or the nearest in meaning.
    pub snippet: String,
    /// Where in the snippet, in characters.
    pub matches: Vec<Span>,
    pub url: String,
    /// Threads of it that match, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
    /// Of a commit: the same change on other branches, by hash.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub also: Vec<String>,
    /// It came with a clone that nobody trusts; only there when so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
    /// Its title has every word of the query.
    #[serde(skip)]
    pub is_told_by_title: bool,
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

/// `also as 1f2e3d4c5b, …`: what to say of the same change on other branches.
pub fn also_as(hashes: &[String]) -> Option<String> {
    const SHOWN: usize = 4;
    let short = hashes.iter().take(SHOWN).map(|sha| sha.get(..10).unwrap_or(sha));
    let mut words = short.collect::<Vec<_>>().join(", ");
    if hashes.len() > SHOWN {
        words.push_str(&format!(" and {} more", hashes.len() - SHOWN));
    }
    (!hashes.is_empty()).then(|| format!("also as {words}"))
}

impl SearchResults {
    /// The records of memory among the results.
    pub fn records(&self) -> Vec<RecordId> {
        let is_record = |hit: &&SearchHit| match hit.kind {
            HitType::Text(source) => {
                matches!(source, SourceType::Decision | SourceType::Pattern | SourceType::Handoff)
            }
            HitType::Code(_) => false,
        };
        let shown = self.items.iter().filter(is_record);
        shown.filter_map(|hit| RecordId::parse(&hit.reference)).collect()
    }

    /// What to say of an answer that is weak.
    pub fn weakness(&self) -> Option<String> {
        if !self.is_weak {
            return None;
        }
        let words: Vec<String> =
            self.missing_words.iter().map(|word| format!("`{}`", one_line(word, 40))).collect();
        Some(if words.is_empty() {
            "weak matches only: no result has most of these words".to_owned()
        } else {
            format!("weak matches only: no result contains {}", words.join(", "))
        })
    }
}

/// A thread of an issue or merge request, at the place that matched. Its fields
/// have names of their own, so that those of a result can be picked by theirs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Passage {
    #[serde(rename = "said_by")]
    pub author: Option<String>,
    #[serde(rename = "said_at")]
    pub created_at: Timestamp,
    /// One line of the text around what matched, or the nearest in meaning.
    #[serde(rename = "text")]
    pub snippet: String,
    /// Where in the snippet, in characters.
    #[serde(rename = "text_matches")]
    pub matches: Vec<Span>,
    #[serde(rename = "thread_url")]
    pub url: String,
    /// From 0 to 1, as for results.
    #[serde(rename = "thread_score")]
    pub score: f64,
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
    /// The share of the query's words it has, by how rare they are.
    pub coverage: Option<f64>,
    /// How near in meaning: 0 as texts here usually are to each other, 1 the same.
    pub nearness: Option<f64>,
    /// What each ranking signal added.
    pub signals: BTreeMap<String, f64>,
}

/// What to mark in the texts of a page.
pub struct HighlightTerms<'a> {
    /// The words themselves, small letters.
    pub words: &'a [String],
    pub patterns: Option<Patterns>,
    /// Raw syntax, which only the index can read; it has to find the documents
    /// of the page again for it.
    pub expression: Option<&'a str>,
}

/// Threads shown of one entity.
const PASSAGES: usize = 3;
/// A thread is shown if it is not far behind the entity's best document.
const NEAR_BEST: f64 = 0.5;

/// Adds the entities of a page, read in one go.
pub fn fill(
    reader: &Reader,
    results: &mut SearchResults,
    page: &[EntityGroup],
    sought: &HighlightTerms<'_>,
    explain: bool,
    note: impl Fn(i64) -> Result<(Option<RecordNote>, bool, Option<String>)>,
) -> Result<()> {
    let shown: Vec<Vec<&Candidate>> = page.iter().map(shown_of).collect();
    let threads = shown.iter().flatten().map(|candidate| candidate.document);
    let mut ids: Vec<i64> = page.iter().map(|group| group.lead).chain(threads).collect();
    ids.sort_unstable();
    ids.dedup();
    let hits = fulltext::hits(reader, sought.expression, &ids)?;
    let hits: BTreeMap<i64, Hit> = hits.into_iter().map(|hit| (hit.document, hit)).collect();
    let chunks: Vec<i64> = shown.iter().flatten().filter_map(|candidate| candidate.chunk).collect();
    let ranges = embeddings::chunk_ranges(reader, &chunks)?;
    let copies: Vec<i64> = page.iter().flat_map(|group| group.copies.iter().copied()).collect();
    let copies: BTreeMap<i64, CommitRow> =
        commits::of_documents(reader, &copies)?.into_iter().collect();
    let snippet = |candidate: &Candidate, hit: &Hit| {
        let range = candidate.chunk.and_then(|chunk| ranges.get(&chunk)).copied();
        snippet_of(hit, range, sought)
    };
    let asked: BTreeSet<String> = sought.words.iter().flat_map(|word| stems(word)).collect();
    for (group, candidates) in page.iter().zip(shown) {
        let Some(lead) = hits.get(&group.lead) else { continue };
        let passages: Vec<Passage> = candidates
            .iter()
            .filter(|candidate| candidate.document != group.lead)
            .filter_map(|candidate| {
                let hit = hits.get(&candidate.document)?;
                Some(passage(hit, candidate, snippet(candidate, hit)))
            })
            .collect();
        let own = candidates.iter().find(|candidate| candidate.document == group.lead);
        let own = match (own, passages.first()) {
            (Some(own), _) => snippet(own, lead),
            (None, Some(best)) => {
                Snippet { text: best.snippet.clone(), matches: best.matches.clone() }
            }
            (None, None) => Snippet::default(),
        };
        let mut row = row(lead, group, own);
        let of_title: BTreeSet<String> = stems(&row.title).collect();
        row.is_told_by_title = !asked.is_empty() && asked.is_subset(&of_title);
        row.passages = passages;
        let also = group.copies.iter().filter_map(|copy| copies.get(copy));
        // Two clones of one history have the same commits.
        let also = also.filter(|commit| !row.reference.ends_with(&commit.sha));
        row.also =
            also.map(|commit| commit.sha.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        row.explanation = explain.then(|| explanation(&group.candidates[0]));
        let (memory, foreign, project) = note(group.lead)?;
        (row.memory, row.foreign) = (memory, foreign);
        // Memory without a forge belongs to a project too.
        row.project = row.project.or(project);
        results.items.push(row);
    }
    name_repositories(reader, results)
}

/// A repository without a remote is called by its folder, not by a hash.
fn name_repositories(reader: &Reader, results: &mut SearchResults) -> Result<()> {
    let is_local = |row: &SearchHit| row.reference.starts_with(repos::LOCAL);
    if !results.items.iter().any(is_local) {
        return Ok(());
    }
    let labels = repos::labels(reader)?;
    for row in results.items.iter_mut().filter(|row| is_local(row)) {
        if let Some((repo, commit)) = row.reference.split_once('@')
            && let Some(label) = labels.get(repo)
        {
            row.reference = format!("{label}@{commit}");
        }
    }
    Ok(())
}

/// The entity's own document, if it matched, and the best of its threads.
fn shown_of(group: &EntityGroup) -> Vec<&Candidate> {
    let best = group.candidates.first().map_or(0.0, |candidate| candidate.score);
    let (own, threads): (Vec<&Candidate>, Vec<&Candidate>) =
        group.candidates.iter().partition(|candidate| candidate.document == group.lead);
    let threads = threads.into_iter().filter(|thread| thread.score >= NEAR_BEST * best);
    own.into_iter().chain(threads.take(PASSAGES)).collect()
}

fn passage(hit: &Hit, candidate: &Candidate, snippet: Snippet) -> Passage {
    Passage {
        author: hit.author.clone(),
        created_at: hit.created_at,
        snippet: snippet.text,
        matches: snippet.matches,
        url: hit.url.clone(),
        score: rounded(candidate.score),
    }
}

fn snippet_of(hit: &Hit, chunk: Option<(usize, usize)>, sought: &HighlightTerms<'_>) -> Snippet {
    let (text, mut spans) = snippet::unmark(&hit.marked_text);
    if let Some(patterns) = &sought.patterns {
        spans = patterns.spans(&text);
    }
    snippet::best(&text, spans, sought.words, chunk)
}

/// As one would type it: a record of memory is known by its id alone.
fn reference(hit: &Hit) -> String {
    match hit.source {
        SourceType::Decision | SourceType::Pattern | SourceType::Handoff => hit.reference.clone(),
        _ => format!("{}{}", hit.project.as_deref().unwrap_or_default(), hit.reference),
    }
}

fn row(hit: &Hit, group: &EntityGroup, snippet: Snippet) -> SearchHit {
    SearchHit {
        kind: HitType::Text(hit.source),
        reference: reference(hit),
        title: hit.title.clone(),
        project: hit.project.clone(),
        author: hit.author.clone(),
        state: hit.state,
        created_at: Some(hit.created_at),
        updated_at: Some(hit.updated_at),
        labels: hit.labels.clone(),
        score: rounded(group.score),
        snippet: snippet.text,
        matches: snippet.matches,
        url: hit.url.clone(),
        passages: Vec::new(),
        also: Vec::new(),
        foreign: false,
        is_told_by_title: false,
        explanation: None,
        memory: None,
        symbol: None,
    }
}

/// Words as the index keeps them.
fn stems(text: &str) -> impl Iterator<Item = String> {
    ranges(text).map(|range| stemmed(&text[range]))
}

fn explanation(candidate: &Candidate) -> Explanation {
    let signals = candidate.signals.iter();
    Explanation {
        lexical_rank: candidate.lexical_rank,
        lexical_score: candidate.lexical_score.map(rounded),
        semantic_rank: candidate.semantic_rank,
        similarity: candidate.similarity.map(rounded),
        fused: rounded(candidate.fused),
        coverage: Some(rounded(candidate.evidence.coverage)),
        nearness: candidate.evidence.nearness.map(rounded),
        signals: signals.map(|(name, gain)| ((*name).to_owned(), rounded(*gain))).collect(),
    }
}

fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
