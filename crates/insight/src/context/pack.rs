//! What was chosen, packed into a budget of tokens.

use super::corpus::{Corpus, Symbol};
use super::doc_head::doc_head;
use super::rank::Share;
use super::render::{self, Format};
use super::strength::Strength;
use super::texts::Sources;
use crate::cache::SnapshotAnswer;
use crate::code::{Scope, SnapshotContext, View};
use git::{Repo, RepoPath};
use model::code::{EdgeKind, SymbolKind};
use model::hash::Hash32;
use model::ids::NodeId;
use model::text::{clean, one_line};
use model::{Error, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use store::{Reader, results};

/// How many tokens a text is for those who read it.
pub trait TokenCounter {
    fn count(&self, text: &str) -> usize;
}

/// What to read for a piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pack {
    pub standing: SnapshotContext,
    /// The task's first line, or what was changed.
    pub task: String,
    pub strength: Strength,
    /// What a reader should know about the pack as a whole.
    pub notes: Vec<String>,
    /// Files, best first.
    pub files: Vec<PackedFile>,
    /// Symbols, best first.
    pub symbols: Vec<PackedSymbol>,
    /// What the symbols have to do with each other.
    pub edges: Vec<PackedEdge>,
    /// Decisions, threads and the like that speak of it.
    pub texts: Vec<PackedText>,
    pub owners: Vec<String>,
    /// Tokens of the pack in the form asked for.
    pub tokens: usize,
    pub budget: usize,
    /// Symbols that were found and did not fit.
    pub left_out: usize,
    /// That many symbols were asked for; otherwise it was the budget that was short.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut_by_limit: bool,
    /// Hash of the content: the same for the same question to the same commit.
    pub pack_root: String,
}

impl Pack {
    /// How sure it is, and why.
    pub fn strength_in_words(&self) -> &'static str {
        render::strength(self)
    }

    /// What kept symbols out.
    pub fn cut_by(&self) -> String {
        if self.is_cut_by_limit {
            format!("limit {}", self.symbols.len())
        } else {
            format!("budget {}", self.budget)
        }
    }

    /// Files of which no symbol was chosen.
    pub fn further_files(&self) -> Vec<&str> {
        let paths = self.files.iter().map(|file| file.path.as_str());
        paths.filter(|path| self.symbols.iter().all(|symbol| symbol.path != *path)).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackedFile {
    pub path: String,
    pub why: Vec<String>,
    /// Only with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub shares: Vec<ChannelShare>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackedSymbol {
    pub qualified_name: String,
    pub symbol: String,
    pub kind: SymbolKind,
    pub path: String,
    pub line: u32,
    pub end_line: u32,
    /// Lines of further definitions of this name in the file that match: overloads, members
    /// of anonymous classes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub other_lines: Vec<u32>,
    pub signature: String,
    /// The first lines of its documentation.
    pub doc: String,
    pub why: Vec<String>,
    /// Comparable within one pack only; the best has 1.
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body: Option<String>,
    /// Only with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub shares: Vec<ChannelShare>,
}

/// What a channel added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelShare {
    pub channel: String,
    pub score: f64,
    pub weight: f64,
}

/// An edge between two symbols of the pack, by their places in it from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackedEdge {
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackedText {
    /// `group/project!12`, `dec-…`
    pub reference: String,
    pub kind: String,
    pub title: String,
    pub text: String,
}

/// Something that may go into a pack.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub symbol: Symbol,
    pub score: f64,
    pub why: Vec<String>,
    pub shares: Vec<Share>,
}

/// How a pack is made, whatever it is about.
#[derive(Debug, Clone, Serialize)]
pub struct PackOptions {
    /// In tokens.
    pub budget: usize,
    /// Symbols at most.
    pub limit: usize,
    /// With the source of the symbols, best first.
    pub bodies: bool,
    /// With what each channel said.
    pub explain: bool,
    pub format: Format,
}

pub const DEFAULT_BUDGET: usize = 50_000;
pub const DEFAULT_LIMIT: usize = 40;
/// Symbols in an answer to an agent, who asks again rather than reads on.
pub const AGENT_LIMIT: usize = 16;

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions {
            budget: DEFAULT_BUDGET,
            limit: DEFAULT_LIMIT,
            bodies: false,
            explain: false,
            format: Format::Text,
        }
    }
}

impl SnapshotAnswer for Pack {
    fn standing_mut(&mut self) -> &mut SnapshotContext {
        &mut self.standing
    }
}

/// Everything that a pack reads beside the graph.
pub(super) fn inputs(reader: &Reader, scope: &Scope, sources: &Sources) -> Result<String> {
    let texts = results::texts_stamp(reader)?;
    let commits = results::commits_stamp(reader, scope.repo.id)?;
    Ok(format!("{texts} {commits} {}", sources.now.as_millis()))
}

/// Shares of scores are not read back to the last bit, and sources of a work tree
/// may change without its snapshot.
pub(super) fn is_kept(scope: &Scope, options: &PackOptions) -> bool {
    let may_change = options.bodies && scope.snapshot.work_tree.is_some();
    !(options.explain || may_change)
}

/// Each further symbol of a file counts this much of its score.
const DIVERSITY: f64 = 0.99;
/// How much a long entry counts against its score where not all of them fit: not at
/// all would be 0.
const DENSITY: f64 = 0.3;
/// Lines and characters of documentation that are shown.
const DOC_LINES: usize = 3;
const DOC_CHARS: usize = 160;
const LONGEST_BODY: usize = 400;
/// No indexed file is larger.
const MAX_SOURCE: u64 = 4 << 20;
const MOST_EDGES: usize = 120;
/// How many candidates are looked at for each symbol that may be chosen.
const WIDTH: usize = 4;
const MOST_OTHER_LINES: usize = 6;
/// The share of the budget that decisions and threads may take.
const TEXT_SHARE: usize = 5;

/// The edges that tell how symbols work together.
const EDGES: &[EdgeKind] = &[
    EdgeKind::Calls,
    EdgeKind::Implements,
    EdgeKind::Inherits,
    EdgeKind::Overrides,
    EdgeKind::HandlesRoute,
    EdgeKind::RpcCalls,
    EdgeKind::Tests,
];

/// Fills a pack that has everything but symbols, edges and texts. Never over
/// the budget.
pub fn fill(
    view: &View<'_>,
    corpus: &Corpus,
    mut pack: Pack,
    candidates: Vec<Candidate>,
    texts: Vec<PackedText>,
    options: &PackOptions,
    counter: &dyn TokenCounter,
) -> Result<Pack> {
    pack.budget = options.budget;
    let mut head = counter.count(&render::whole(&pack, options.format));
    // Symbols tell more than a list of files.
    while head > options.budget / 2 && pack.files.pop().is_some() {
        head = counter.count(&render::whole(&pack, options.format));
    }
    if head > options.budget {
        return Err(too_small(head, options.budget));
    }
    let mut left = options.budget - head;
    let room = left / TEXT_SHARE;
    let mut used = 0;
    for text in texts {
        let cost = counter.count(&render::text(&text, options.format));
        if used + cost <= room {
            used += cost;
            pack.texts.push(text);
        }
    }
    left -= used;
    let (chosen, n_others) = choose(view, corpus, candidates, left, options, counter)?;
    pack.left_out = n_others;
    pack.is_cut_by_limit = n_others > 0 && chosen.len() >= options.limit;
    pack.symbols = chosen.iter().map(|(_, symbol)| symbol.clone()).collect();
    let nodes: Vec<NodeId> = chosen.iter().map(|(node, _)| *node).collect();
    pack.edges = edges(view, &nodes)?;
    shrink(&mut pack, options, counter);
    if options.bodies {
        add_bodies(view, &mut pack, options, counter)?;
    }
    pack.pack_root = root(&pack).to_string();
    pack.tokens = counter.count(&render::whole(&pack, options.format));
    // Its own length is part of what is counted.
    shrink(&mut pack, options, counter);
    pack.tokens = counter.count(&render::whole(&pack, options.format));
    // The line that says what is missing may be what does not fit.
    match counter.count(&render::whole(&pack, options.format)) {
        needed if needed > options.budget => Err(too_small(needed, options.budget)),
        _ => Ok(pack),
    }
}

fn too_small(needed: usize, budget: usize) -> Error {
    Error::usage(format!("a pack needs at least {needed} tokens; the budget is {budget}"))
        .suggest("give more, e.g. --budget 2000")
}

/// Drops the last edge, then the last symbol, as long as the pack is too large.
fn shrink(pack: &mut Pack, options: &PackOptions, counter: &dyn TokenCounter) {
    while counter.count(&render::whole(pack, options.format)) > options.budget {
        if pack.edges.len() > 8 {
            pack.edges.truncate(pack.edges.len() / 2);
        } else if !pack.edges.is_empty() {
            pack.edges.clear();
        } else if pack.symbols.pop().is_some() {
            pack.left_out += 1;
            pack.is_cut_by_limit = false;
        } else if pack.texts.pop().is_none() && pack.files.pop().is_none() {
            break;
        }
        pack.pack_root = root(pack).to_string();
    }
}

/// The symbols that fit, best first, and how many others there are. Overloads that another
/// one stands for are none of these.
fn choose(
    view: &View<'_>,
    corpus: &Corpus,
    candidates: Vec<Candidate>,
    left: usize,
    options: &PackOptions,
    counter: &dyn TokenCounter,
) -> Result<(Vec<(NodeId, PackedSymbol)>, usize)> {
    let best = candidates.first().map_or(1.0, |candidate| candidate.score).max(f64::MIN_POSITIVE);
    let mut items = Vec::new();
    let mut described_as: Vec<Option<(NodeId, PackedSymbol)>> = Vec::new();
    let mut names: FxHashMap<(u32, String), usize> = FxHashMap::default();
    // Beyond these nothing could be chosen, and describing costs time.
    let n_described = options.limit.saturating_mul(WIDTH);
    for candidate in candidates.iter().take(n_described) {
        let Some(node) = corpus.node_of(view, candidate.symbol)? else { continue };
        let Some(mut symbol) = described(view, corpus, candidate, options)? else { continue };
        // Overloads of one name say little new: the best of them stands for all.
        let name = (candidate.symbol.file, symbol.symbol.clone());
        if let Some(at) = names.get(&name) {
            if let Some(Some((_, first))) = described_as.get_mut(*at)
                && first.other_lines.len() < MOST_OTHER_LINES
            {
                first.other_lines.push(symbol.line);
            }
            continue;
        }
        names.insert(name, items.len());
        symbol.score = round(candidate.score / best);
        let cost = counter.count(&render::symbol(&symbol, options.format)) + 1;
        items.push(Item { score: candidate.score, file: candidate.symbol.file, cost });
        described_as.push(Some((node, symbol)));
    }
    let chosen = select(&items, left, options.limit);
    let n_others = items.len() - chosen.len() + candidates.len().saturating_sub(n_described);
    Ok((chosen.into_iter().filter_map(|at| described_as[at].take()).collect(), n_others))
}

/// What choosing looks at.
#[derive(Debug, Clone, Copy)]
struct Item {
    score: f64,
    file: u32,
    /// In tokens.
    cost: usize,
}

/// Greedy by score, for its tokens where these are short, each further symbol of a file a little less:
/// places of the chosen, best score first. Their costs are within `left`.
fn select(items: &[Item], mut left: usize, limit: usize) -> Vec<usize> {
    // What tokens cost matters only where they are short.
    let mut costs: Vec<usize> = items.iter().map(|item| item.cost).collect();
    costs.sort_unstable_by(|a, b| b.cmp(a));
    let is_short = costs.iter().take(limit).sum::<usize>() > left;
    let density = if is_short { DENSITY } else { 0.0 };
    let mut open: Vec<usize> = (0..items.len()).collect();
    let mut of_file: FxHashMap<u32, i32> = FxHashMap::default();
    let mut chosen = Vec::new();
    while chosen.len() < limit {
        let worth = |at: &usize| {
            let before = of_file.get(&items[*at].file).copied().unwrap_or(0);
            let cost = items[*at].cost.max(1) as f64;
            items[*at].score * DIVERSITY.powi(before) / cost.powf(density)
        };
        let fitting = open.iter().enumerate().filter(|(_, at)| items[**at].cost <= left);
        // The first among equals: their order is that of the ranking.
        let next = fitting.max_by(|a, b| worth(a.1).total_cmp(&worth(b.1)).then(b.0.cmp(&a.0)));
        let Some(place) = next.map(|(place, _)| place) else { break };
        let at = open.remove(place);
        *of_file.entry(items[at].file).or_default() += 1;
        left -= items[at].cost;
        chosen.push(at);
    }
    chosen.sort_by(|a, b| items[*b].score.total_cmp(&items[*a].score).then(a.cmp(b)));
    chosen
}

fn described(
    view: &View<'_>,
    corpus: &Corpus,
    candidate: &Candidate,
    options: &PackOptions,
) -> Result<Option<PackedSymbol>> {
    let Some(node) = corpus.node_of(view, candidate.symbol)? else { return Ok(None) };
    let Some(at) = view.symbol(node)? else { return Ok(None) };
    let file = &corpus.files[candidate.symbol.file as usize];
    let outline = view.outline(file.id)?;
    let Some(entry) = outline.get(candidate.symbol.def as usize) else { return Ok(None) };
    Ok(Some(PackedSymbol {
        qualified_name: at.qualified_name,
        symbol: at.symbol,
        kind: at.kind,
        path: file.path.clone(),
        line: entry.name_line,
        end_line: entry.end_line,
        other_lines: Vec::new(),
        signature: closed_up(&one_line(&clean(&entry.signature), 300)),
        doc: doc_head(&entry.doc, DOC_LINES, DOC_CHARS),
        why: candidate.why.clone(),
        score: 0.0,
        body: None,
        shares: if options.explain { shares(&candidate.shares) } else { Vec::new() },
    }))
}

/// Parameters that were written one a line, without what that left behind.
fn closed_up(signature: &str) -> String {
    let mut text = signature.to_owned();
    for (loose, tight) in [("( ", "("), (", )", ")"), (" )", ")"), ("[ ", "["), (", ]", "]")] {
        text = text.replace(loose, tight);
    }
    text
}

pub fn shares(all: &[Share]) -> Vec<ChannelShare> {
    let mut all: Vec<&Share> =
        all.iter().filter(|share| share.score * share.weight != 0.0).collect();
    all.sort_by(|a, b| (b.score * b.weight).total_cmp(&(a.score * a.weight)));
    all.iter()
        .map(|share| ChannelShare {
            channel: share.channel.to_owned(),
            score: round(share.score),
            weight: share.weight,
        })
        .collect()
}

fn round(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

fn edges(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<PackedEdge>> {
    let places: FxHashMap<NodeId, usize> =
        nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let mut found = Vec::new();
    for (from, node) in nodes.iter().enumerate() {
        for step in view.outgoing(*node)? {
            if let Some(to) = places.get(&step.node).filter(|to| **to != from)
                && EDGES.contains(&step.kind)
            {
                found.push(PackedEdge { from, to: *to, kind: step.kind });
            }
        }
    }
    found.sort_by(|a, b| (a.from, a.to, &a.kind).cmp(&(b.from, b.to, &b.kind)));
    // That a test calls what it tests goes without saying.
    let tested: FxHashSet<(usize, usize)> = found
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Tests)
        .map(|edge| (edge.from, edge.to))
        .collect();
    found.retain(|it| it.kind != EdgeKind::Calls || !tested.contains(&(it.from, it.to)));
    found.truncate(MOST_EDGES);
    Ok(found)
}

/// Adds the source of the best symbols, as long as there is room.
fn add_bodies(
    view: &View<'_>,
    pack: &mut Pack,
    options: &PackOptions,
    counter: &dyn TokenCounter,
) -> Result<()> {
    let Some(dir) = view.scope.dir.as_deref() else {
        pack.notes.push("the sources are not on this machine".to_owned());
        return Ok(());
    };
    let repo = Repo::known(Path::new(dir));
    let commit = repo.resolve(&view.scope.snapshot.sha)?;
    let mut blobs = repo.blobs()?;
    let mut texts: FxHashMap<String, Option<String>> = FxHashMap::default();
    let mut left =
        options.budget.saturating_sub(counter.count(&render::whole(pack, options.format)));
    let format = options.format;
    for symbol in &mut pack.symbols {
        if !texts.contains_key(&symbol.path) {
            // Lines of an edited file are those of now.
            let edited = view.scope.overlay.as_ref().and_then(|it| it.file(&symbol.path));
            let text = match edited.and_then(|file| file.text.as_deref()) {
                Some(text) => Some(clean(text)),
                None => {
                    let path = RepoPath::new(symbol.path.as_bytes());
                    let bytes = blobs.read_file(commit, &path, MAX_SOURCE)?.into_content();
                    bytes.map(|bytes| clean(&String::from_utf8_lossy(&bytes)))
                }
            };
            texts.insert(symbol.path.clone(), text);
        }
        let Some(Some(text)) = texts.get(&symbol.path) else { continue };
        let first = symbol.line.saturating_sub(1) as usize;
        let n_lines = (symbol.end_line.saturating_sub(symbol.line) + 1) as usize;
        let lines: Vec<&str> = text.lines().skip(first).take(n_lines.min(LONGEST_BODY)).collect();
        let before = counter.count(&render::symbol(symbol, format));
        symbol.body = Some(lines.join("\n"));
        let cost = counter.count(&render::symbol(symbol, format)).saturating_sub(before) + 2;
        if cost > left {
            symbol.body = None;
            continue;
        }
        left -= cost;
    }
    while counter.count(&render::whole(pack, format)) > options.budget {
        let Some(last) = pack.symbols.iter_mut().rev().find(|symbol| symbol.body.is_some()) else {
            break;
        };
        last.body = None;
    }
    Ok(())
}

/// Over what is said, not over when and where it was asked.
fn root(pack: &Pack) -> Hash32 {
    let mut text = format!("{}\n{}\n{}\n", pack.standing.repo, pack.standing.commit, pack.task);
    for file in &pack.files {
        text.push_str(&format!("file {} {:?}\n", file.path, file.why));
    }
    for symbol in &pack.symbols {
        text.push_str(&render::symbol(symbol, Format::Xml));
    }
    for edge in &pack.edges {
        text.push_str(&format!("{} {} {}\n", edge.from, edge.kind, edge.to));
    }
    for one in &pack.texts {
        text.push_str(&render::text(one, Format::Xml));
    }
    Hash32::of(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(score: f64, file: u32, cost: usize) -> Item {
        Item { score, file, cost }
    }

    #[test]
    fn files_take_turns_when_scores_are_alike() {
        let items = [item(1.0, 1, 10), item(0.99, 1, 10), item(0.98, 1, 10), item(0.985, 2, 10)];
        assert_eq!(select(&items, 20, 10), [0, 3]);
    }

    #[test]
    fn what_says_as_much_in_fewer_tokens_goes_first() {
        assert_eq!(select(&[item(1.0, 1, 90), item(0.9, 2, 10)], 90, 10), [1]);
        assert_eq!(select(&[item(1.0, 1, 90), item(0.1, 2, 10)], 90, 10), [0]);
    }

    proptest! {
        #[test]
        fn costs_stay_within_the_budget(
            all in prop::collection::vec((0.0_f64..2.0, 0_u32..5, 0_usize..200), 0..40),
            left in 0_usize..1000,
            limit in 0_usize..20,
        ) {
            let items: Vec<Item> = all.iter().map(|(score, file, cost)| item(*score, *file, *cost)).collect();
            let chosen = select(&items, left, limit);
            prop_assert!(chosen.iter().map(|at| items[*at].cost).sum::<usize>() <= left);
            prop_assert!(chosen.len() <= limit);
            let scores: Vec<f64> = chosen.iter().map(|at| items[*at].score).collect();
            prop_assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "best first");
            prop_assert_eq!(&chosen, &select(&items, left, limit), "the same again");
        }
    }
}
