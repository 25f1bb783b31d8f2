//! Answering a query: ranked hits with the passage that matched, or a helpful
//! nothing.

mod further;

use crate::doubt;
use crate::embedding::Provider;
use crate::evidence::{
    AnswerStrength, Background, Evidence, TermWeights, TextEvidence, answer_strength, doubtful,
};
use crate::fusion::{self, Candidate, Fusion};
use crate::groups::{self, EntityGroup};
use crate::lexical::{self, Lexical, Words};
use crate::memory::ranking::{Records, is_memory_alone};
use crate::memory::{MemoryContext, SIGNAL as MEMORY};
use crate::named::{self, NamedDocuments};
use crate::query::{Offer, Query, Syntax};
use crate::reinforcement::Factor;
use crate::results::{self, HighlightTerms, SearchResults};
use crate::semantic::{self, Semantic};
use crate::signals::{Question, SIGNALS, Signal};
use crate::suggestions;
use crate::tokenizer::Patterns;
use model::ids::ProjectId;
use model::{Error, ErrorCode, Result, Timestamp, join_threads};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::dirty::SourceType;
use store::document_set::{self, DocumentFilter, DocumentSet};
use store::documents::{self, DocumentSummary};
use store::fulltext;
use store::vectors::{self, Similar};
use store::{Reader, dirty, named_documents};

/// By what documents are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words alone.
    Lexical,
    /// By meaning alone.
    Semantic,
}

impl Mode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
        }
    }
}

/// What to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    pub query: String,
    pub syntax: Syntax,
    pub filter: DocumentFilter,
    pub limit: usize,
    pub offset: usize,
    pub mode: Mode,
    pub fusion: Fusion,
    /// Names of ranking signals that shall not count.
    pub without: Vec<String>,
    /// Where the person who asks is at work: project and local repository.
    pub home: Option<ProjectId>,
    pub home_repo: Option<i64>,
    /// The same for records of memory.
    pub from: MemoryContext,
    /// How many edges to follow from each record of memory.
    pub graph_depth: u8,
    /// Tell of each hit how it came to its place.
    pub explain: bool,
    /// The share of meaning in hundredths, where the default shall not hold.
    pub weight: Option<u8>,
}

/// Entities in their order, without anything to show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Best first.
    pub groups: Vec<EntityGroup>,
    /// How they were found; not always how they were asked for.
    pub mode: Mode,
    /// All that match, as in [`SearchResults::total`].
    pub total: u64,
    /// What is missing, and why.
    pub warnings: Vec<String>,
}

/// Someone who can be asked.
pub struct Searcher<'a> {
    pub reader: &'a Reader,
    /// Who turns the query into a vector; none for words alone.
    pub provider: Option<&'a dyn Provider>,
    pub now: Timestamp,
}

/// By words alone, whatever the request says.
pub fn find(reader: &Reader, request: &Request) -> Result<SearchResults> {
    let request = Request { mode: Mode::Lexical, ..request.clone() };
    Searcher { reader, provider: None, now: Timestamp::EPOCH }.find(&request)
}

/// Candidates of each list, at least; the scale of the scores is set by these.
const CANDIDATES: usize = fusion::SCALE;
/// Deep pages look at lists of these lengths, so that neighbours agree.
const DEEP_STEP: usize = 500;

/// Switches off, like a signal, that what does not answer the query is left out.
pub const FLOOR: &str = "floor";

/// The score of what a query names in another project than that of who asks.
const NAMED_ELSEWHERE: f64 = 0.99;

/// The share of meaning in the fused score, in hundredths (docs/benchmarks.md).
const WEIGHT: u8 = 50;

impl Searcher<'_> {
    pub fn find(&self, request: &Request) -> Result<SearchResults> {
        if request.query.trim().is_empty() {
            return Ok(SearchResults::of_nothing(request.mode));
        }
        let (mut search, query) = self.prepare(request)?;
        search.run(query)?;
        Ok(search.results)
    }

    /// The entities alone, without their texts: for those who rank further.
    pub fn ranking(&self, request: &Request) -> Result<Ranking> {
        let (mut search, query) = self.prepare(request)?;
        let mut groups = search.ranked(query)?.groups;
        groups.truncate(request.limit);
        let SearchResults { mode, total, warnings, .. } = search.results;
        Ok(Ranking { groups, mode, total, warnings })
    }

    fn prepare<'a>(&'a self, request: &'a Request) -> Result<(Search<'a>, Option<Query>)> {
        let mut query = match request.syntax {
            Syntax::Safe => Some(Query::parse(&request.query)?),
            Syntax::Raw => None,
        };
        check_signals(&request.without)?;
        require_documents(self.reader)?;
        if let Some(query) = &mut query {
            query.settle(|expression| fulltext::frequency(self.reader, expression))?;
        }
        if query.is_none() {
            fulltext::check_syntax(self.reader, &request.query)?;
        }
        let allowed = document_set::allowed(self.reader, &request.filter)?.map(Arc::new);
        let search = Search {
            searcher: self,
            request,
            allowed,
            words: query.as_ref().map(Query::words).unwrap_or_default(),
            n_candidates: candidates(request.offset.saturating_add(request.limit)),
            named: NamedDocuments::default(),
            records: Records::default(),
            texts: BTreeMap::new(),
            read_by_model: BTreeMap::new(),
            strength: None,
            n_seen: 0,
            results: SearchResults { mode: request.mode, ..SearchResults::default() },
        };
        Ok((search, query))
    }
}

/// What remains of the score of a commit of another repository than the one at hand:
/// who asks in a clone means its code, unless the other fits far better.
const OTHER_CODE: f64 = 0.5;

fn candidates(window: usize) -> usize {
    if window <= CANDIDATES { CANDIDATES } else { window.next_multiple_of(DEEP_STEP) }
}

fn check_signals(names: &[String]) -> Result<()> {
    let factors = Factor::ALL.iter().map(|factor| factor.as_str());
    let known =
        || SIGNALS.iter().map(|signal| signal.name()).chain([MEMORY, FLOOR]).chain(factors.clone());
    match names.iter().find(|name| !known().any(|known| known == name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::usage(format!("there is no ranking signal `{name}`"))
            .suggest(format!("known: {}", known().collect::<Vec<_>>().join(", ")))),
    }
}

fn require_documents(reader: &Reader) -> Result<()> {
    if documents::exist(reader)? {
        return Ok(());
    }
    let next = if dirty::count(reader)? > 0 { "lore generate-docs" } else { "lore sync" };
    Err(Error::new(ErrorCode::NotIndexed, "nothing is indexed yet").suggest(format!("run: {next}")))
}

/// One search under way.
struct Search<'a> {
    searcher: &'a Searcher<'a>,
    request: &'a Request,
    /// What the filters leave; none for all.
    allowed: Option<Arc<DocumentSet>>,
    words: Vec<String>,
    n_candidates: usize,
    /// What the query names.
    named: NamedDocuments,
    /// Those of memory among the candidates.
    records: Records,
    /// What was read of candidates; further rounds need not read it again.
    texts: BTreeMap<i64, TextEvidence>,
    /// How near the query is to texts without a vector that the model was shown.
    read_by_model: BTreeMap<i64, f64>,
    /// How well the first round answers; none before, and where there is no floor.
    strength: Option<AnswerStrength>,
    /// Candidates before the floor.
    n_seen: usize,
    results: SearchResults,
}

/// What was found, and the query as it was asked in the end.
struct RankedQuery {
    groups: Vec<EntityGroup>,
    query: Option<Query>,
    expression: Option<String>,
}

/// What was retrieved so far, each list best first.
struct Retrieved {
    lexical: Lexical,
    semantic: Option<Semantic>,
    /// The query as a vector, where meaning is asked.
    vector: Option<Vec<f32>>,
    /// Its words and how rare they are; none of raw syntax.
    weights: Option<TermWeights>,
    background: Option<Background>,
}

/// A query on its way to become a vector.
struct Embedding<'a> {
    provider: &'a dyn Provider,
    text: String,
}

impl Search<'_> {
    fn run(&mut self, query: Option<Query>) -> Result<()> {
        let RankedQuery { groups, query, expression } = self.ranked(query)?;
        let page: Vec<EntityGroup> =
            groups.into_iter().skip(self.request.offset).take(self.request.limit).collect();
        let is_by_words = self.results.mode != Mode::Semantic || is_binding(query.as_ref());
        let offers = query.as_ref().filter(|_| is_by_words).map(Query::alternatives);
        let sought = HighlightTerms {
            words: &self.words,
            patterns: offers
                .map(|offers| Patterns::new(offers.iter().map(Offer::pattern).collect())),
            expression: expression.as_deref().filter(|_| query.is_none()),
        };
        let Request { graph_depth, explain, .. } = self.request;
        results::fill(
            self.searcher.reader,
            &mut self.results,
            &page,
            &sought,
            *explain,
            |document| {
                let reader = self.searcher.reader;
                let note = self.records.note(reader, document, *graph_depth, *explain)?;
                let project = self.records.project(document);
                Ok((note, self.records.is_foreign(document), project))
            },
        )
    }

    fn ranked(&mut self, query: Option<Query>) -> Result<RankedQuery> {
        let mut query = query;
        if query.is_some() {
            self.named = named::named_in(self.searcher.reader, &self.request.query)?;
        }
        let asked = self.asked_of_model(query.as_ref())?;
        let words = |query: Option<&Query>| self.by_words(query, self.allowed.as_ref());
        let (vector, lexical) = match asked {
            // The model is a few milliseconds at work; words do not wait for it.
            Some(Ok(Embedding { provider, text })) => {
                let embed = || provider.embed_query(&text);
                let (vector, lexical) = join_threads(embed, || words(query.as_ref()));
                (Some(vector), lexical)
            }
            Some(Err(error)) => (Some(Err(error)), words(query.as_ref())),
            None => (None, words(query.as_ref())),
        };
        let mut lexical = lexical?;
        if lexical.total == 0
            && let Some(relaxed) = query.as_ref().and_then(Query::relaxed)
        {
            lexical = self.by_words(Some(&relaxed), self.allowed.as_ref())?;
            self.results.is_relaxed = lexical.total > 0;
            query = Some(relaxed);
        }
        let expression = self.expression(query.as_ref());
        let vector = self.vector_of(vector)?;
        let allowed = self.allowed.clone();
        let semantic = match &vector {
            Some(it) => Some(self.nearest(it, query.as_ref(), allowed.as_ref())?),
            None => None,
        };
        self.note_coverage(semantic.as_ref())?;
        let is_semantic = self.request.mode == Mode::Semantic && !is_binding(query.as_ref());
        if lexical.total == 0 && !is_semantic {
            self.results.suggestions = suggestions::near(self.searcher.reader, &self.words)?;
        }
        let weights = query.as_ref().map(|it| TermWeights::new(self.searcher.reader, it));
        let weights = weights.transpose()?;
        let background = self.background(semantic.as_ref(), weights.as_ref())?;
        let mut found = Retrieved { lexical, semantic, vector, weights, background };
        let (groups, n_above) = self.collect(&mut found, query.as_ref())?;
        let lexical = found.lexical;
        self.note_absence(&groups)?;
        if groups.iter().any(|group| group.is_named) {
            // A hash or a number is no word somebody mistyped.
            self.results.suggestions.clear();
        }
        let is_cut = n_above < self.n_seen;
        self.results.total = if is_cut || self.results.mode != Mode::Lexical {
            groups.len() as u64
        } else {
            // What the query names need not have its words.
            let by_words = lexical.total.saturating_sub((n_above - groups.len()) as u64);
            by_words.max(groups.len() as u64)
        };
        self.results.is_total_exact =
            !is_cut && lexical.is_total_exact && self.results.mode == Mode::Lexical;
        Ok(RankedQuery { groups, query, expression })
    }

    fn grouped(&self, candidates: Vec<Candidate>) -> Result<Vec<EntityGroup>> {
        let (reader, allowed) = (self.searcher.reader, self.allowed.as_deref());
        // Who asks for threads or commits wants these.
        match self.request.filter.sources.as_slice() {
            [SourceType::Discussion] => Ok(groups::one_by_one(candidates)),
            [SourceType::Commit] => groups::by_change(reader, candidates, allowed),
            _ => groups::by_entity(reader, candidates, allowed),
        }
    }

    /// Says why something that was asked for cannot be among the results.
    fn note_absence(&mut self, groups: &[EntityGroup]) -> Result<()> {
        for name in &self.named.missing {
            self.results.warnings.push(format!("nothing is known of {name}"));
        }
        let sources = &self.request.filter.sources;
        let is_commit_wanted = sources.contains(&SourceType::Commit)
            || (groups.is_empty() && !self.named.missing.is_empty());
        if is_commit_wanted && !named_documents::has_commits(self.searcher.reader)? {
            let words = "no commits have been read yet; run `lore index` in the clone";
            self.results.warnings.push(words.to_owned());
        }
        Ok(())
    }

    fn by_words(
        &self,
        query: Option<&Query>,
        allowed: Option<&Arc<DocumentSet>>,
    ) -> Result<Lexical> {
        if self.request.mode == Mode::Semantic && !is_binding(query) {
            return Ok(Lexical::default());
        }
        let words = query.map_or(Words::Raw(&self.request.query), Words::Query);
        lexical::retrieve(self.searcher.reader, words, allowed, self.n_candidates)
    }

    /// None when the answer goes by words alone; then `results` say why.
    fn vector_of(&mut self, made: Option<Result<Vec<f32>>>) -> Result<Option<Vec<f32>>> {
        match made.transpose() {
            Ok(vector) => Ok(vector),
            Err(error) if self.request.mode == Mode::Semantic => Err(error),
            Err(error) => {
                self.results.mode = Mode::Lexical;
                // Who switched vectors off knows it.
                if self.searcher.provider.is_some() {
                    self.results.warnings.push(degraded(&error));
                }
                Ok(None)
            }
        }
    }

    /// What makes the query a vector, or the reason why nothing can be compared
    /// to it; none when words alone were asked for.
    fn asked_of_model(&self, query: Option<&Query>) -> Result<Option<Result<Embedding<'_>>>> {
        if self.request.mode == Mode::Lexical {
            return Ok(None);
        }
        let failed = |message: String| Error::new(ErrorCode::EmbeddingFailed, message);
        let Some(provider) = self.searcher.provider else {
            return Ok(Some(Err(failed("searching by meaning is off".to_owned())
                .suggest("set embedding.provider = \"builtin\", or search with --mode lexical"))));
        };
        if !vectors::exist(self.searcher.reader, &provider.space())? {
            let model = provider.space().model;
            return Ok(Some(Err(failed(format!("no document has vectors of {model} yet"))
                .suggest("run: lore embed"))));
        }
        let text = query.map_or_else(|| self.request.query.clone(), Query::meaning);
        Ok(Some(Ok(Embedding { provider, text })))
    }

    /// The nearest in meaning among the allowed; marks and raw syntax bind here too.
    fn nearest(
        &self,
        vector: &[f32],
        query: Option<&Query>,
        allowed: Option<&Arc<DocumentSet>>,
    ) -> Result<Semantic> {
        let reader = self.searcher.reader;
        let Some(provider) = self.searcher.provider else { return Ok(Semantic::default()) };
        let bound = match self.expression(query).filter(|_| is_binding(query)) {
            None => None,
            Some(expression) => {
                let mut matching = fulltext::matching(reader, &expression)?;
                if let Some(allowed) = allowed {
                    matching.intersect(allowed);
                }
                Some(matching)
            }
        };
        let allowed = bound.as_ref().or(allowed.map(Arc::as_ref));
        semantic::retrieve(reader, &provider.space(), vector, allowed, self.n_candidates)
    }

    /// Says how many documents meaning cannot find.
    fn note_coverage(&mut self, semantic: Option<&Semantic>) -> Result<()> {
        let n_documents = fulltext::totals(self.searcher.reader)?.n_documents as usize;
        if let Some(semantic) = semantic.filter(|it| it.n_embedded < n_documents) {
            self.results.warnings.push(format!(
                "{} of {} documents are found by their words only; run `lore embed` for the rest",
                n_documents - semantic.n_embedded,
                n_documents
            ));
        }
        Ok(())
    }

    /// What the index is asked.
    fn expression(&self, query: Option<&Query>) -> Option<String> {
        query.map_or_else(|| Some(self.request.query.clone()), Query::expression)
    }

    /// How near texts of this index are to each other; none where words alone answer.
    fn background(
        &self,
        semantic: Option<&Semantic>,
        weights: Option<&TermWeights>,
    ) -> Result<Option<Background>> {
        let Some((_, provider)) = semantic.zip(self.searcher.provider) else { return Ok(None) };
        let unreadable = weights.map_or(0.0, |it| it.unreadable(provider));
        Background::new(self.searcher.reader, provider, 1.0 - unreadable).map(Some)
    }

    /// All candidates that answer the query, best first.
    fn rank(&mut self, found: &Retrieved, query: Option<&Query>) -> Result<Vec<Candidate>> {
        let mode = self.results.mode;
        let reader = self.searcher.reader;
        let Retrieved { lexical, vector, weights, background, .. } = found;
        let meaning = found.semantic.as_ref().zip(vector.as_deref());
        let mut candidates = match (mode, meaning, self.searcher.provider) {
            (Mode::Lexical, ..) | (_, None, _) | (_, _, None) => by_words_alone(lexical),
            (Mode::Semantic, Some((semantic, _)), _) => {
                by_meaning_alone(semantic, background.as_ref())
            }
            (Mode::Hybrid, Some((semantic, vector)), Some(provider)) => {
                let others = self.others(lexical, semantic, vector, provider)?;
                let weight = f64::from(self.request.weight.unwrap_or(WEIGHT).min(100)) / 100.0;
                // Among many the nearest are near; of a few, one is always the nearest.
                let n_documents = fulltext::totals(reader)?.n_documents as usize;
                let are_few = vectors::count(reader, &provider.space())? * 2 < n_documents;
                let known = background.as_ref().filter(|_| are_few).map(Background::known);
                let how = self.request.fusion;
                fusion::fuse(&lexical.best, &semantic.best, &others, how, weight, known)
            }
        };
        self.add_named(&mut candidates)?;
        self.n_seen = candidates.len();
        let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.document).collect();
        let cards = documents::cards(reader, &ids)?;
        if mode == Mode::Hybrid {
            self.signal(&mut candidates, &cards)?;
        }
        self.prefer_names_of_home(&mut candidates, &cards);
        // Similarities of different texts lie too close together to be halved.
        if mode != Mode::Semantic && self.request.home_repo.is_some() {
            self.prefer_own_code(&mut candidates, &cards);
        }
        if let Some(weights) = weights {
            self.weigh_evidence(&mut candidates, &cards, weights, *background)?;
            if !self.is_off(FLOOR) && !is_binding(query) {
                self.ask_model(&mut candidates, weights, *background, vector.as_deref())?;
                self.cut(&mut candidates, weights);
            }
        }
        if !self.is_off(MEMORY) {
            self.reinforce(&mut candidates, &cards)?;
        }
        Ok(candidates)
    }

    /// What the query names is an answer, found by its words or not.
    fn add_named(&self, candidates: &mut Vec<Candidate>) -> Result<()> {
        if self.named.names.is_empty() {
            return Ok(());
        }
        if self.named.is_everything {
            let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.document).collect();
            let with = named::mentioning(self.searcher.reader, &self.named.names, &ids)?;
            candidates.retain(|candidate| with.contains(&candidate.document));
        }
        for document in &self.named.documents {
            if self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(*document)) {
                continue;
            }
            match candidates.iter_mut().find(|candidate| candidate.document == *document) {
                Some(candidate) => candidate.is_named = true,
                None => candidates.push(Candidate {
                    document: *document,
                    is_named: true,
                    ..Candidate::default()
                }),
            }
        }
        for candidate in candidates.iter_mut().filter(|candidate| candidate.is_named) {
            (candidate.fused, candidate.score) = (1.0, 1.0);
        }
        fusion::sort(candidates);
        Ok(())
    }

    /// `!12` means the one of the project one is at work in.
    fn prefer_names_of_home(&self, candidates: &mut [Candidate], cards: &[DocumentSummary]) {
        let Request { home, home_repo, .. } = *self.request;
        let is_home = |document: i64| {
            let at = cards.binary_search_by_key(&document, |card| card.document);
            at.is_ok_and(|at| {
                (home.is_some() && cards[at].project == home)
                    || (home_repo.is_some() && cards[at].repo == home_repo)
            })
        };
        if !candidates.iter().any(|it| it.is_named && is_home(it.document)) {
            return;
        }
        for candidate in candidates.iter_mut().filter(|it| it.is_named) {
            if !is_home(candidate.document) {
                candidate.score = NAMED_ELSEWHERE;
            }
        }
        fusion::sort(candidates);
    }

    /// Notes what speaks for each, and lowers threads that say next to nothing.
    fn weigh_evidence(
        &mut self,
        candidates: &mut [Candidate],
        cards: &[DocumentSummary],
        weights: &TermWeights,
        background: Option<Background>,
    ) -> Result<()> {
        let ids = candidates.iter().map(|candidate| candidate.document);
        let unread: Vec<i64> = ids.filter(|document| !self.texts.contains_key(document)).collect();
        self.texts.append(&mut weights.read(self.searcher.reader, &unread)?);
        let is_thread = |document: i64| {
            let at = cards.binary_search_by_key(&document, |card| card.document);
            at.is_ok_and(|at| cards[at].source == SourceType::Discussion)
        };
        for candidate in candidates.iter_mut() {
            // What was not read had words enough to come so far.
            let text = self.texts.get(&candidate.document);
            let TextEvidence { coverage, content } =
                text.copied().unwrap_or(TextEvidence { coverage: 1.0, content: 1.0 });
            let near = candidate.similarity.zip(background);
            candidate.evidence = Evidence {
                coverage,
                nearness: near.map(|(similarity, background)| background.nearness(similarity)),
            };
            if is_thread(candidate.document) {
                candidate.score *= content;
            }
        }
        fusion::sort(candidates);
        Ok(())
    }

    /// Has the model read what has no vector yet, where that decides whether
    /// there is an answer.
    fn ask_model(
        &mut self,
        candidates: &mut [Candidate],
        weights: &TermWeights,
        background: Option<Background>,
        vector: Option<&[f32]>,
    ) -> Result<()> {
        let reader = self.searcher.reader;
        let provider = self.searcher.provider.filter(|it| it.is_at_hand());
        let Some(provider) = provider.filter(|_| self.request.mode != Mode::Lexical) else {
            return Ok(());
        };
        if self.strength.is_none() {
            let (places, evidence): (Vec<usize>, Vec<Evidence>) = candidates
                .iter()
                .enumerate()
                .filter(|(_, it)| !it.is_named)
                .map(|(place, it)| (place, it.evidence))
                .unzip();
            let open = doubtful(&evidence).into_iter().map(|at| candidates[places[at]].document);
            let open: Vec<i64> = open.collect();
            if open.is_empty() {
                return Ok(());
            }
            let made = match vector {
                Some(_) => None,
                None => Some(provider.embed_query(&self.request.query)?),
            };
            let vector = vector.or(made.as_deref()).unwrap_or_default();
            self.read_by_model = doubt::similarities(reader, provider, vector, weights, &open)?;
        }
        if self.read_by_model.is_empty() {
            return Ok(());
        }
        let background = match background {
            Some(background) => background,
            None => Background::new(reader, provider, 1.0 - weights.unreadable(provider))?,
        };
        for candidate in candidates.iter_mut() {
            if let Some(similarity) = self.read_by_model.get(&candidate.document) {
                candidate.evidence.nearness = Some(background.nearness(*similarity));
            }
        }
        Ok(())
    }

    /// Leaves out what does not answer the query, and notes when all that is
    /// left answers it weakly.
    fn cut(&mut self, candidates: &mut Vec<Candidate>, weights: &TermWeights) {
        let evidence: Vec<Evidence> =
            candidates.iter().filter(|it| !it.is_named).map(|it| it.evidence).collect();
        // Whether there is an answer, the first round says.
        let strength = *self.strength.get_or_insert_with(|| answer_strength(&evidence));
        candidates.retain(|candidate| {
            candidate.is_named
                || (strength != AnswerStrength::Nothing && candidate.evidence.is_enough())
        });
        let is_named = candidates.iter().any(|candidate| candidate.is_named);
        if strength == AnswerStrength::Weak && !is_named {
            self.results.is_weak = true;
            self.results.missing_words = weights.unknown().map(str::to_owned).collect();
        }
    }

    /// How near those are that only their words brought up.
    fn others(
        &self,
        lexical: &Lexical,
        semantic: &Semantic,
        vector: &[f32],
        provider: &dyn Provider,
    ) -> Result<Vec<Similar>> {
        let known: DocumentSet = semantic.best.iter().map(|similar| similar.document).collect();
        let documents: Vec<i64> = lexical
            .best
            .iter()
            .map(|ranked| ranked.document)
            .filter(|document| !known.contains(*document))
            .collect();
        vectors::compare_documents(self.searcher.reader, &provider.space(), vector, &documents)
    }

    fn is_off(&self, name: &str) -> bool {
        self.request.without.iter().any(|without| without == name)
    }

    /// Weighs those of memory, and notes what is to be said of them.
    fn reinforce(&mut self, candidates: &mut [Candidate], cards: &[DocumentSummary]) -> Result<()> {
        let off: Vec<Factor> =
            Factor::ALL.into_iter().filter(|factor| self.is_off(factor.as_str())).collect();
        let Searcher { reader, now, .. } = self.searcher;
        self.records = Records::among(reader, cards, &self.request.from, *now, &off)?;
        let is_alone = is_memory_alone(&self.request.filter.sources);
        // Similarities of different texts lie so close together that a nudge
        // would count for more than the meaning.
        if self.results.mode != Mode::Semantic || is_alone {
            self.records.weigh(candidates, is_alone);
            fusion::sort(candidates);
        }
        if !off.contains(&Factor::Superseded) {
            self.records.put_successors_first(candidates);
        }
        Ok(())
    }

    fn signal(&self, candidates: &mut [Candidate], cards: &[DocumentSummary]) -> Result<()> {
        let Request { home, home_repo, .. } = *self.request;
        let question = Question { words: &self.words, now: self.searcher.now, home, home_repo };
        let is_on = |signal: &&&dyn Signal| !self.is_off(signal.name());
        let most: f64 = SIGNALS.iter().filter(is_on).map(|signal| signal.most()).sum();
        let places: BTreeMap<i64, usize> =
            candidates.iter().enumerate().map(|(place, it)| (it.document, place)).collect();
        for signal in SIGNALS {
            if self.is_off(signal.name()) {
                continue;
            }
            let gains = signal.gains(self.searcher.reader, &question, cards)?;
            for (card, gain) in cards.iter().zip(gains) {
                if let Some(place) = places.get(&card.document) {
                    candidates[*place].signals.push((signal.name(), gain));
                    candidates[*place].score += gain;
                }
            }
        }
        // Scores stay between 0 and 1.
        for candidate in candidates.iter_mut() {
            let score = (candidate.score / (1.0 + most)).clamp(0.0, 1.0);
            candidate.score = if candidate.is_named { 1.0 } else { score };
        }
        fusion::sort(candidates);
        Ok(())
    }

    /// Lowers commits of other repositories than the one somebody stands in.
    fn prefer_own_code(&self, candidates: &mut [Candidate], cards: &[DocumentSummary]) {
        let is_other = |document: i64| {
            let at = cards.binary_search_by_key(&document, |card| card.document);
            at.is_ok_and(|at| self.is_of_other_code(&cards[at]))
        };
        for candidate in candidates.iter_mut() {
            if !candidate.is_named && is_other(candidate.document) {
                candidate.score *= OTHER_CODE;
            }
        }
        fusion::sort(candidates);
    }

    /// Whether it is a commit of another repository than the one somebody stands in.
    fn is_of_other_code(&self, card: &DocumentSummary) -> bool {
        let home = self.request.home_repo;
        home.is_some() && card.source == SourceType::Commit && card.repo != home
    }
}

/// Whether the words are more than a description of what is wanted: marks and
/// raw syntax bind, in every mode.
fn is_binding(query: Option<&Query>) -> bool {
    query.is_none_or(Query::is_binding)
}

fn degraded(error: &Error) -> String {
    let next = error.suggestion().map(|next| format!(" ({next})")).unwrap_or_default();
    format!("found by words only: {error}{next}")
}

fn by_words_alone(lexical: &Lexical) -> Vec<Candidate> {
    // In a small index a word that most texts have is worth next to nothing.
    let best = lexical.best.first().map_or(1.0, |ranked| ranked.score).max(f64::MIN_POSITIVE);
    let candidate = |(index, ranked): (usize, &fulltext::RankedDocument)| Candidate {
        document: ranked.document,
        lexical_rank: Some(index + 1),
        lexical_score: Some(ranked.score),
        fused: (ranked.score / best).clamp(0.0, 1.0),
        score: (ranked.score / best).clamp(0.0, 1.0),
        ..Candidate::default()
    };
    lexical.best.iter().enumerate().map(candidate).collect()
}

fn by_meaning_alone(semantic: &Semantic, background: Option<&Background>) -> Vec<Candidate> {
    let candidate = |(index, similar): (usize, &Similar)| {
        let similarity = f64::from(similar.similarity);
        let nearness = background.map_or(similarity, |it| it.nearness(similarity).clamp(0.0, 1.0));
        Candidate {
            document: similar.document,
            semantic_rank: Some(index + 1),
            similarity: Some(similarity),
            chunk: Some(similar.chunk),
            fused: nearness,
            score: nearness,
            ..Candidate::default()
        }
    };
    semantic.best.iter().enumerate().map(candidate).collect()
}
