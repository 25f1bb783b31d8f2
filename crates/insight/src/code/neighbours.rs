//! `lore callers`, `callees`, `overrides` and `subtypes`: what is around a
//! symbol, and what could not be told.

use super::definitions::{DefinedSymbol, written};
use super::indirect::{self, IndirectUse};
use super::members;
use super::outside_types;
use super::resolve::{self, Candidate};
use super::scope::{Scope, SnapshotContext};
use super::sites;
use super::structural;
use super::unread::{self, UnreadUses};
use super::view::{SymbolRef, View, distance};
use super::walk::{Direction, TraversalOptions, VisitedNode, Walk, walk};
use crate::runtime::{RuntimeWeight, WeightedPlace, weight};
use model::code::{EdgeKind, Provenance, SymbolKind};
use model::ids::{FileId, NodeId};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::Reader;
use store::code::links::Unresolved;

/// What is asked about a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Callers,
    Callees,
    /// Methods that override or implement it.
    Overrides,
    /// Types that inherit from it or implement it.
    Subtypes,
}

impl Question {
    pub const fn as_str(self) -> &'static str {
        match self {
            Question::Callers => "callers",
            Question::Callees => "callees",
            Question::Overrides => "overrides",
            Question::Subtypes => "subtypes",
        }
    }

    /// The edges that answer it.
    pub const fn kinds(self) -> &'static [EdgeKind] {
        match self {
            Question::Callers | Question::Callees => &[EdgeKind::Calls],
            Question::Overrides => &[EdgeKind::Overrides],
            Question::Subtypes => &[EdgeKind::Inherits, EdgeKind::Implements],
        }
    }

    /// How many hops, unless said otherwise: all of a hierarchy, one call.
    pub const fn depth(self) -> u32 {
        match self {
            Question::Callers | Question::Callees => 1,
            Question::Overrides | Question::Subtypes => 50,
        }
    }

    const fn direction(self) -> Direction {
        match self {
            Question::Callees => Direction::Outgoing,
            _ => Direction::Incoming,
        }
    }
}

/// Symbols around one symbol, as a tree. Where a name may mean several symbols
/// this is the likeliest, and the others are `candidates`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbours {
    pub standing: SnapshotContext,
    pub asked: Question,
    #[serde(flatten)]
    pub of: Neighbourhood,
    /// Other symbols the name may mean, likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub candidates: Vec<Neighbourhood>,
    /// Symbols it may mean that are not shown.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_candidates: u64,
    /// Symbols it may mean that are not shown because there is nothing around them.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub empty_candidates: u64,
    /// What production does with it; none where that was not observed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runtime: Option<RuntimeWeight>,
}

impl Neighbours {
    /// Adds what production says of the symbol, and which of its callers it never showed.
    pub fn with_runtime(mut self, reader: &Reader, now: Timestamp) -> Result<Self> {
        let spots: Vec<WeightedPlace> = std::iter::once(&self.of.symbol)
            .chain(&self.of.overloads)
            .chain(&self.of.definitions)
            .chain(&self.of.declarations)
            .map(WeightedPlace::of)
            .collect();
        self.runtime = weight(reader, &spots, now)?;
        let is_callers = self.asked == Question::Callers;
        if let Some(runtime) = self.runtime.as_mut().filter(|_| is_callers) {
            let seen: Vec<&SymbolRef> =
                runtime.callers.iter().filter_map(|it| it.symbol.as_ref()).collect();
            let is_traced =
                seen.iter().any(|it| matches!(it.kind, SymbolKind::Function | SymbolKind::Method));
            let nearest = self.of.found.iter().filter(|it| it.depth == 1 && !it.at.is_test);
            let unseen = nearest.filter(|it| is_traced && !seen.contains(&&it.at));
            let unseen: Vec<String> = unseen.map(|it| it.at.symbol.clone()).collect();
            runtime.unseen_callers = unseen;
        }
        Ok(self)
    }
}

/// What is around one symbol; its overloads are joined.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbourhood {
    pub symbol: SymbolRef,
    /// More definitions of the same name that are answered with it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub overloads: Vec<SymbolRef>,
    /// Further definitions of the same function, of which a build takes one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub definitions: Vec<SymbolRef>,
    /// What declares it elsewhere, as a header does.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub declarations: Vec<SymbolRef>,
    /// Nearest first; `parent` says under which one each stands.
    pub found: Vec<Neighbour>,
    /// There is more than was shown.
    pub truncated: bool,
    /// Call sites that are bound, of the nearest ones.
    pub bound: u64,
    /// Calls that could not be resolved: of this name (callers; said of the likeliest
    /// candidate only), or in this symbol (callees).
    pub unresolved: u64,
    /// The first of them.
    pub unresolved_sites: Vec<UnresolvedSite>,
    /// Uses that are no direct calls of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub indirect: Vec<IndirectUse>,
    /// Lines with its name in files of languages that are not read; asked where few callers
    /// are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unread: Option<UnreadUses>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbour {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub depth: u32,
    /// Index in `found` of the symbol this one was reached from; none at depth 1.
    pub parent: Option<usize>,
    /// The kind of the edge.
    pub edge: EdgeKind,
    /// Where the call stands.
    pub site_path: String,
    pub site_line: u32,
    /// Calls between the two.
    pub sites: u32,
    /// The lines of the further calls in the same file, of the nearest symbols.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub more_lines: Vec<u32>,
    /// The lowest on the way here, 0 to 1.
    pub confidence: f64,
    pub provenance: Provenance,
    /// What is called by name, where that is a method of a base or interface.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub through: Option<String>,
    /// Of how many definitions that the same call may mean this is one; none where it is
    /// the only one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub one_of: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnresolvedSite {
    pub path: String,
    pub line: u32,
    /// The callee as written.
    pub text: String,
    /// The symbol the call stands in; empty where that is not known.
    pub within: String,
}

/// More unbound calls are counted, not listed.
const MOST_SITES: usize = 10;
/// Candidates that are answered beside the likeliest.
const MOST_CANDIDATES: usize = 4;
/// Candidates that are looked at for an answer.
const MOST_LOOKED_AT: usize = 24;
/// With fewer callers, those in files that are not read may be what matters.
const FEW_CALLERS: usize = 10;
/// Symbols shown of each of them.
const MOST_OF_CANDIDATE: usize = 10;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
pub(crate) const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// `is_split` answers for each overload by itself.
pub fn neighbours(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    asked: Question,
    options: &TraversalOptions,
    is_split: bool,
) -> Result<Neighbours> {
    let view = View::new(reader, scope);
    let mut found = resolve::some(&view, typed)?;
    if asked == Question::Subtypes {
        leave_types(&view, &mut found.list)?;
    }
    if is_split {
        found = found.split();
    }
    let mut rest = found.list.into_iter();
    let first = rest.next().ok_or_else(super::vanished)?;
    let mut of = neighbourhood(&view, &first, asked, options)?;
    if asked == Question::Callers && of.found.len() < FEW_CALLERS {
        of.unread = unread::uses(scope, last_part(&of.symbol));
    }
    let less = TraversalOptions {
        max_results: options.max_results.min(MOST_OF_CANDIDATE),
        ..options.clone()
    };
    let n_others = rest.len() as u64;
    let (mut with_answer, mut empty) = (Vec::new(), Vec::new());
    for (nth, candidate) in rest.by_ref().take(MOST_LOOKED_AT).enumerate() {
        if with_answer.len() == MOST_CANDIDATES {
            break;
        }
        let mut other = neighbourhood(&view, &candidate, asked, &less)?;
        if asked == Question::Callers && other.symbol.symbol.ends_with(last_part(&of.symbol)) {
            // They are calls of the same name, and were listed with the likeliest.
            other.unresolved_sites.clear();
            other.unresolved = 0;
        }
        if other.has_answer() { with_answer.push((nth, other)) } else { empty.push((nth, other)) }
    }
    // Those around which there is nothing take the room that the others leave.
    let n_empty = empty.len();
    let mut shown = with_answer;
    empty.truncate(MOST_CANDIDATES - shown.len());
    let empty_candidates = (n_empty - empty.len()) as u64;
    shown.extend(empty);
    shown.sort_by_key(|(nth, _)| *nth);
    let candidates: Vec<Neighbourhood> = shown.into_iter().map(|(_, other)| other).collect();
    Ok(Neighbours {
        standing: scope.standing(),
        asked,
        of,
        more_candidates: n_others - candidates.len() as u64 - empty_candidates,
        empty_candidates,
        candidates,
        runtime: None,
    })
}

impl Neighbourhood {
    /// Whether there is anything around it.
    pub fn has_answer(&self) -> bool {
        !self.found.is_empty() || self.unresolved > 0 || !self.indirect.is_empty()
    }
}

/// Only types have subtypes: where a name is that of one, nothing else is meant.
fn leave_types(view: &View<'_>, list: &mut Vec<Candidate>) -> Result<()> {
    let mut types = Vec::new();
    for candidate in list.iter() {
        let first = candidate.nodes.first().map(|node| view.node(*node)).transpose()?.flatten();
        if first.is_some_and(|row| members::is_type(row.kind)) {
            types.push(candidate.clone());
        }
    }
    if !types.is_empty() {
        *list = types;
    }
    Ok(())
}

fn last_part(symbol: &SymbolRef) -> &str {
    symbol.symbol.rsplit('.').next().unwrap_or_default()
}

fn neighbourhood(
    view: &View<'_>,
    candidate: &Candidate,
    asked: Question,
    options: &TraversalOptions,
) -> Result<Neighbourhood> {
    let nodes = &candidate.nodes;
    let mut walked = walk(view, nodes, asked.direction(), options)?;
    add_implicit(view, nodes, asked, options, &mut walked)?;
    let (unresolved, unresolved_sites) = match asked {
        Question::Callers => unbound_calls_of(view, nodes)?,
        Question::Callees => unbound_calls_in(view, nodes)?,
        Question::Overrides | Question::Subtypes => (0, Vec::new()),
    };
    let indirect = match asked {
        Question::Callers => indirect::uses(view, nodes)?,
        Question::Callees => indirect::dispatch(view, nodes)?,
        Question::Overrides | Question::Subtypes => indirect::bases(view, nodes, asked.kinds())?,
    };
    let DefinedSymbol { symbol, overloads, definitions, declarations } =
        written(view, nodes)?.ok_or_else(super::vanished)?;
    let mut found = shown(view, &walked.reached)?;
    if asked == Question::Subtypes {
        found.extend(outside_types::implementing(view, nodes, &found)?);
        walked.is_truncated |= found.len() > options.max_results;
        found.truncate(options.max_results);
    } else {
        sites::add_lines(view, nodes, asked, &walked.reached, &mut found)?;
    }
    Ok(Neighbourhood {
        symbol,
        overloads,
        definitions,
        declarations,
        bound: found.iter().filter(|it| it.depth == 1).map(|it| u64::from(it.sites)).sum(),
        found,
        truncated: walked.is_truncated,
        unresolved,
        unresolved_sites,
        indirect,
        unread: None,
    })
}

/// Adds those that implement an interface, or a method of one, without saying so.
fn add_implicit(
    view: &View<'_>,
    nodes: &[NodeId],
    asked: Question,
    options: &TraversalOptions,
    walked: &mut Walk,
) -> Result<()> {
    for node in nodes {
        let steps = match asked {
            Question::Subtypes => structural::implementers(view, *node)?,
            Question::Overrides => structural::implementations(view, *node)?,
            Question::Callers | Question::Callees => Vec::new(),
        };
        for step in steps {
            let is_known = walked.reached.iter().any(|it| it.node == step.node);
            if is_known || step.confidence < options.min_confidence {
                continue;
            }
            if walked.reached.len() >= options.max_results {
                walked.is_truncated = true;
                break;
            }
            let (node, confidence) = (step.node, step.confidence);
            walked.reached.push(VisitedNode {
                node,
                depth: 1,
                confidence,
                step,
                from: nodes[0],
                through: None,
            });
        }
    }
    Ok(())
}

/// What was reached, as answers show it.
pub(super) fn shown(view: &View<'_>, reached: &[VisitedNode]) -> Result<Vec<Neighbour>> {
    let mut place: HashMap<NodeId, usize> = HashMap::new();
    let mut found = Vec::with_capacity(reached.len());
    for reached in reached {
        let Some(at) = view.symbol(reached.node)? else { continue };
        let through = reached.through.map(|base| view.symbol(base)).transpose()?.flatten();
        let parent = place.get(&reached.from).copied();
        place.insert(reached.node, found.len());
        found.push(Neighbour {
            at,
            depth: reached.depth,
            parent,
            edge: reached.step.kind,
            site_path: view.path(reached.step.file)?,
            site_line: reached.step.line,
            sites: reached.step.n_sites,
            more_lines: Vec::new(),
            confidence: f64::from(reached.confidence) / 100.0,
            provenance: reached.step.provenance,
            through: through.map(|base| base.symbol),
            one_of: None,
        });
    }
    count_rivals(&mut found);
    Ok(found)
}

/// Says of symbols that one call leads to, under one name, how many they are.
fn count_rivals(found: &mut [Neighbour]) {
    let key = |one: &Neighbour| {
        let name = one.at.symbol.rsplit('.').next().unwrap_or_default().to_owned();
        (one.parent, one.site_path.clone(), one.site_line, one.edge, name)
    };
    let mut counts: HashMap<_, u32> = HashMap::new();
    let is_doubtful = |one: &&mut Neighbour| one.confidence < 0.8;
    for one in found.iter_mut().filter(is_doubtful) {
        *counts.entry(key(one)).or_default() += 1;
    }
    for one in found.iter_mut().filter(is_doubtful) {
        one.one_of = counts.get(&key(one)).copied().filter(|n| *n > 1);
    }
}

/// Unbound calls of the name that nodes share.
pub(super) fn unbound_calls_of(
    view: &View<'_>,
    nodes: &[NodeId],
) -> Result<(u64, Vec<UnresolvedSite>)> {
    let Some(first) = nodes.first() else { return Ok((0, Vec::new())) };
    let Some(row) = view.node(*first)?.filter(|row| !row.name.is_empty()) else {
        return Ok((0, Vec::new()));
    };
    let own = view.symbol(*first)?.map(|symbol| symbol.path).unwrap_or_default();
    let (mut total, sites) = view.unresolved_near(&row.name, MOST_SITES, &own)?;
    let mut shown = Vec::new();
    for (file, site) in sites {
        shown.push(unresolved_site(view, file, site)?);
    }
    let (n_new, new) = new_calls_of(view, nodes)?;
    total += n_new;
    shown.extend(new);
    shown.sort_by_cached_key(|it| (distance(&it.path, &own), it.path.clone(), it.line));
    Ok((total, shown))
}

/// Uses of the name on lines that were written since the snapshot: nobody has bound
/// them yet.
fn new_calls_of(view: &View<'_>, nodes: &[NodeId]) -> Result<(u64, Vec<UnresolvedSite>)> {
    let Some(overlay) = &view.scope.overlay else { return Ok((0, Vec::new())) };
    let Some(row) = nodes.first().map(|node| view.node(*node)).transpose()?.flatten() else {
        return Ok((0, Vec::new()));
    };
    let mut shown = Vec::new();
    for (path, file) in overlay.files() {
        for (line, text) in file.new_lines_with(&row.name) {
            let around = file.around(line);
            // The definition itself is no use of it.
            if around.is_some_and(|it| it.name == row.name && it.name_line == line) {
                continue;
            }
            shown.push(UnresolvedSite {
                path: path.to_owned(),
                line,
                text: model::text::one_line(text, 120),
                within: around.map(|it| it.symbol.clone()).unwrap_or_default(),
            });
        }
    }
    let total = shown.len() as u64;
    shown.truncate(MOST_SITES);
    Ok((total, shown))
}

/// A call that could not be resolved, with the symbol it stands in.
pub(super) fn unresolved_site(
    view: &View<'_>,
    file: FileId,
    site: Unresolved,
) -> Result<UnresolvedSite> {
    let within = match view.nodes_of(file)?.get(site.source as usize) {
        Some(node) => view.symbol(*node)?.map(|symbol| symbol.symbol),
        None => None,
    };
    Ok(UnresolvedSite {
        path: view.path(file)?,
        line: site.line,
        text: site.text,
        within: within.unwrap_or_default(),
    })
}

/// Unbound calls written in nodes.
pub(super) fn unbound_calls_in(
    view: &View<'_>,
    nodes: &[NodeId],
) -> Result<(u64, Vec<UnresolvedSite>)> {
    let mut shown = Vec::new();
    let mut total = 0;
    for node in nodes {
        for place in view.places(*node)? {
            for site in view.unresolved_of(place.link, place.file)? {
                if site.source != place.def || site.is_external {
                    continue;
                }
                total += 1;
                if shown.len() < MOST_SITES {
                    shown.push(unresolved_site(view, place.file, site)?);
                }
            }
        }
    }
    Ok((total, shown))
}
