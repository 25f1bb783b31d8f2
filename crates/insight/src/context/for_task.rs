//! `lore context "TEXT"`: from a task's text to a pack.

use super::channels;
use super::corpus::{Symbol, is_function};
use super::experience::Experience;
use super::named_values;
use super::pack::{self, Candidate, Pack, PackOptions, PackedFile, TokenCounter};
use super::pointers;
use super::rank::{RankedCandidates, Share, rank};
use super::render::Format;
use super::strength::{OUTRIGHT, Strength};
use super::task::{Part, Task};
use super::texts::{self, Sources};
use crate::cache::{self, CachedAnswer, Question};
use crate::code::{Scope, View};
use model::ids::NodeId;
use model::suggest::nearest;
use model::text::{clean, one_line};
use model::{Error, ErrorCode, Result};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use store::Reader;
use store::results::Durability;

/// A task, and how to answer it.
#[derive(Debug, Clone, Default)]
pub struct TaskRequest {
    pub text: String,
    /// Tests too.
    pub tests: bool,
    /// Channels that shall not be asked.
    pub without: Vec<String>,
    pub pack: PackOptions,
    pub sources: Sources,
    /// Feedback, earlier tasks and what was looked at just now; empty when cold.
    pub experience: Experience,
}

/// A symbol of the pack has at least this share of the best one's score.
const FLOOR: f64 = 0.35;
/// Files shown, and reasons of each thing.
const FILES: usize = 10;
const REASONS: usize = 3;
/// The share of a score below which a channel is not named: as the first, and beside
/// others.
const WORTH_TELLING: f64 = 0.08;
const WORTH_ADDING: f64 = 0.15;
/// Files and symbols of a pack for which hardly anything speaks.
const FEW: usize = 5;
const FEW_SYMBOLS: usize = 10;
/// What a channel says of a symbol that the task names; how many such are looked around.
const NAMED: f64 = 0.5;
const MOST_NAMED: usize = 5;
/// The share of the best score at which a symbol needs no tie to a named one, and how many
/// symbols are kept in any case.
const NEARLY: f64 = 0.7;
const LEAST: usize = 4;
/// Functions of so few lines only hand something on.
const TRIVIAL_LINES: u32 = 2;

/// What a pack depends on beside the graph.
#[derive(Serialize)]
struct Parameters<'a> {
    text: &'a str,
    tests: bool,
    without: &'a [String],
    pack: &'a PackOptions,
    memory: Vec<i64>,
    /// What was learned from earlier tasks has a say of its own.
    experience: &'a Experience,
}

pub fn for_task(
    reader: &Reader,
    scope: &Scope,
    request: &TaskRequest,
    counter: &dyn TokenCounter,
) -> Result<Pack> {
    check(request)?;
    let request = &TaskRequest { sources: request.sources.of_the_day(), ..request.clone() };
    let parameters = Parameters {
        text: &request.text,
        tests: request.tests,
        without: &request.without,
        pack: &request.pack,
        memory: request.sources.memory_numbers(),
        experience: &request.experience,
    };
    let inputs = pack::inputs(reader, scope, &request.sources)?;
    let question = Question { name: "context_for_task", parameters, scope, inputs };
    if !pack::is_kept(scope, &request.pack) {
        return computed(reader, scope, request, counter);
    }
    cache::answer(reader, &question, || {
        let value = computed(reader, scope, request, counter)?;
        Ok(CachedAnswer { value, reads: None, durability: Durability::Table })
    })
}

fn computed(
    reader: &Reader,
    scope: &Scope,
    request: &TaskRequest,
    counter: &dyn TokenCounter,
) -> Result<Pack> {
    let task = Task::read(&request.text);
    let view = View::new(reader, scope);
    let ranked = rank(&view, &task, request.tests, &request.without, &request.experience)?;
    if ranked.corpus.files.is_empty() && ranked.corpus.n_without_terms > 0 {
        let what = "this snapshot was indexed by an earlier lore, without the terms of its files";
        return Err(Error::new(ErrorCode::NotIndexed, what).suggest("run: lore index --full"));
    }
    let strength = ranked.strength();
    let title = task.texts(Part::Title).next().unwrap_or_default().to_owned();
    let mut pack = Pack {
        standing: scope.standing(),
        task: one_line(&clean(&title), 160),
        strength,
        notes: notes(&ranked, request),
        files: files(&ranked, strength, request),
        symbols: Vec::new(),
        edges: Vec::new(),
        texts: Vec::new(),
        owners: Vec::new(),
        tokens: 0,
        budget: request.pack.budget,
        left_out: 0,
        is_cut_by_limit: false,
        pack_root: String::new(),
    };
    let texts = texts::about(reader, scope.repo.project, &title, None, &request.sources)?;
    let mut candidates = candidates(&ranked, strength);
    if candidates.is_empty() {
        pack.files.clear();
    } else {
        for named in named_values::find(&view, &ranked, &task)? {
            let at = candidates.partition_point(|it| it.score >= named.score);
            candidates.insert(at, named);
        }
    }
    let mut texts = texts;
    // An agent pays for each line, and reads what grep could not tell it.
    if request.pack.format == Format::Lines && !candidates.is_empty() {
        if strength == Strength::Strong {
            candidates = around_named(&view, &ranked, candidates)?;
        }
        texts.extend(pointers::commit(&view, &ranked)?);
        texts.extend(pointers::tests(&view, &ranked.corpus, &candidates)?);
    }
    pack::fill(&view, &ranked.corpus, pack, candidates, texts, &request.pack, counter)
}

fn check(request: &TaskRequest) -> Result<()> {
    if request.text.trim().is_empty() {
        return Err(Error::usage("the task is empty")
            .suggest("say what is to be done, e.g. lore context 'retry failed uploads'"));
    }
    let known = super::channel_names();
    for name in &request.without {
        if !known.contains(&name.as_str()) {
            let hint = match nearest(name, known.iter().copied(), 1).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("channels: {}", known.join(", ")),
            };
            return Err(Error::usage(format!("no channel is called `{name}`")).suggest(hint));
        }
    }
    Ok(())
}

fn notes(ranked: &RankedCandidates, request: &TaskRequest) -> Vec<String> {
    let mut notes = Vec::new();
    if ranked.history.commits.is_empty() && !request.without.iter().any(|name| name == "history") {
        notes.push("no commits are read, so history has no say; run: lore repo add .".to_owned());
    }
    if ranked.corpus.n_without_terms > 0 {
        let n = ranked.corpus.n_without_terms;
        notes.push(format!("{n} files were indexed by an earlier lore; run: lore index --full"));
    }
    notes
}

fn files(ranked: &RankedCandidates, strength: Strength, request: &TaskRequest) -> Vec<PackedFile> {
    let most = if strength <= Strength::Weak { FEW } else { FILES };
    let shown = ranked.files.iter().take(most).map(|(file, _)| {
        let shares = ranked.parts_of_file(*file);
        PackedFile {
            path: ranked.corpus.files[*file as usize].path.clone(),
            why: reasons(ranked, &shares, *file, None),
            shares: if request.pack.explain { pack::shares(&shares) } else { Vec::new() },
        }
    });
    shown.collect()
}

fn candidates(ranked: &RankedCandidates, strength: Strength) -> Vec<Candidate> {
    if strength == Strength::None {
        return Vec::new();
    }
    let best = ranked.symbols.first().map_or(0.0, |one| one.1);
    let mut found = Vec::new();
    for (symbol, score) in &ranked.symbols {
        if *score < best * FLOOR || (strength == Strength::Weak && found.len() == FEW_SYMBOLS) {
            break;
        }
        let shares = ranked.parts_of_symbol(*symbol);
        if is_trivial(ranked, *symbol, &shares) {
            continue;
        }
        let why = reasons(ranked, &shares, symbol.file, Some(symbol.def));
        found.push(Candidate { symbol: *symbol, score: *score, why, shares });
    }
    found
}

/// Where the task names symbols outright: these, what they have to do with, and what scores
/// nearly as well. The rest only shares words with them.
fn around_named(
    view: &View<'_>,
    ranked: &RankedCandidates,
    candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>> {
    let is_named = |candidate: &Candidate| {
        let mut shares = candidate.shares.iter();
        shares.any(|it| matches!(it.channel, "member" | "line" | "trace") && it.score >= NAMED)
    };
    let mut near: BTreeSet<NodeId> = BTreeSet::new();
    let mut n_named = 0;
    for candidate in candidates.iter().filter(|it| is_named(it)).take(MOST_NAMED) {
        let Some(node) = ranked.corpus.node_of(view, candidate.symbol)? else { continue };
        n_named += 1;
        near.insert(node);
        let steps = view.outgoing(node)?.into_iter().chain(view.incoming(node)?);
        near.extend(steps.map(|step| step.node));
    }
    if n_named == 0 {
        return Ok(candidates);
    }
    let best = candidates.first().map_or(0.0, |it| it.score);
    let mut kept = Vec::new();
    for candidate in candidates {
        let node = ranked.corpus.node_of(view, candidate.symbol)?;
        let is_near = node.is_some_and(|node| near.contains(&node));
        if is_near || candidate.score >= best * NEARLY || kept.len() < LEAST {
            kept.push(candidate);
        }
    }
    Ok(kept)
}

/// An accessor nobody named.
fn is_trivial(ranked: &RankedCandidates, symbol: Symbol, shares: &[Share]) -> bool {
    let def = ranked.corpus.def(symbol);
    let is_named = shares.iter().any(|share| {
        matches!(share.channel, "trace" | "line" | "member" | "message" | "name")
            && share.score > 0.0
    });
    is_function(def.kind) && def.end_line - def.start_line < TRIVIAL_LINES && !is_named
}

/// The channels that added most, in words.
fn reasons(
    ranked: &RankedCandidates,
    shares: &[Share],
    file: u32,
    def: Option<u32>,
) -> Vec<String> {
    let total: f64 = shares.iter().map(|share| share.score * share.weight).sum();
    let is_large = |share: &&Share| share.score * share.weight > total * WORTH_TELLING;
    let mut shares: Vec<&Share> = shares.iter().filter(is_large).collect();
    // What the task names outright is said first, however little it weighs.
    let is_outright = |share: &Share| OUTRIGHT.contains(&share.channel);
    shares.sort_by(|a, b| {
        let worth = |share: &Share| share.score * share.weight;
        (is_outright(b), worth(b))
            .partial_cmp(&(is_outright(a), worth(a)))
            .unwrap_or(Ordering::Equal)
    });
    let mut reasons: Vec<String> = Vec::new();
    for share in shares {
        let is_small = share.score * share.weight < total * WORTH_ADDING;
        if !reasons.is_empty() && is_small && !is_outright(share) {
            continue;
        }
        let Some(channel) = channels::ALL.iter().find(|it| it.name() == share.channel) else {
            continue;
        };
        // Most files of an answer lie beside another one of it.
        if def.is_none() && !reasons.is_empty() && channel.is_second_stage() {
            continue;
        }
        let reason = match share.channel {
            "text" | "functions" => match ranked.words_of(file, def) {
                words if words.is_empty() => channel.reason().to_owned(),
                words => format!("says {}", words.join(", ")),
            },
            _ => channel.reason().to_owned(),
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.truncate(REASONS);
    reasons
}
