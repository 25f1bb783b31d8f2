//! Where a search for a way ended: how far it came, and which unresolved calls
//! there may lead on.

use super::neighbours::{UnresolvedSite, unresolved_site};
use super::view::{SymbolRef, View};
use model::Result;
use model::code::{EdgeKind, is_vendored_path};
use model::ids::{FileId, LinkId, NodeId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use store::code::links::Unresolved;

/// What is known of a way that was not found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowGap {
    /// Symbols that were reached from the start, itself included.
    pub reached: u64,
    /// The furthest of them, and how many steps away.
    pub furthest: Option<SymbolRef>,
    pub furthest_depth: u32,
    /// Calls in what was reached that could not be resolved.
    pub unresolved: u64,
    /// Those that may lead on to the end, likeliest first: with the name of something
    /// near the end, then of own code what is called through a value.
    pub breaks: Vec<FlowBreak>,
}

/// An unresolved call at which the way may go on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowBreak {
    #[serde(flatten)]
    pub site: UnresolvedSite,
    /// Steps from the start to the symbol it stands in.
    pub depth: u32,
    /// A symbol of this name from which the end is reached.
    pub may_mean: Option<SymbolRef>,
    /// Steps from there to the end.
    pub steps_left: Option<u32>,
}

/// Nodes whose calls are looked at.
const MOST_NODES: usize = 1_500;
/// How far from the end names are known, and how many.
const MOST_BACK: u32 = 4;
const MOST_NAMES: usize = 2_000;
const MOST_BREAKS: usize = 5;

pub(super) fn gap(
    view: &View<'_>,
    depths: &BTreeMap<NodeId, u32>,
    ends: &BTreeSet<NodeId>,
) -> Result<FlowGap> {
    let names = names_near(view, ends)?;
    let mut nodes: Vec<(u32, NodeId)> =
        depths.iter().map(|(node, depth)| (*depth, *node)).collect();
    nodes.sort_unstable();
    let furthest = furthest(view, &nodes)?;
    let mut calls = Calls { view, links: HashMap::new() };
    let mut unresolved = 0;
    let mut breaks = Vec::new();
    for (depth, node) in nodes.iter().take(MOST_NODES) {
        for (file, site) in calls.in_node(*node)? {
            unresolved += 1;
            let near = names.get(&site.name);
            if near.is_none() && !may_be_anything(view, file, &site)? {
                continue;
            }
            // Nearest to the end first; of the rest, what is furthest from the start.
            let order = match near {
                Some((left, _)) => (*left, *depth),
                None => (u32::MAX, u32::MAX - *depth),
            };
            breaks.push((order, *depth, file, site, near.copied()));
        }
    }
    breaks.sort_by_key(|it| (it.0, it.2, it.3.line, it.3.col));
    // A switch over kinds writes the same call many times.
    breaks.dedup_by(|next, kept| {
        (next.2, next.3.source, &next.3.text) == (kept.2, kept.3.source, &kept.3.text)
    });
    let mut shown = Vec::new();
    for (_, depth, file, site, near) in breaks.into_iter().take(MOST_BREAKS) {
        let may_mean = near.map(|(_, node)| view.symbol(node)).transpose()?.flatten();
        let steps_left = near.map(|(left, _)| left);
        shown.push(FlowBreak {
            site: unresolved_site(view, file, site)?,
            depth,
            may_mean,
            steps_left,
        });
    }
    Ok(FlowGap {
        reached: depths.len() as u64,
        furthest_depth: furthest.as_ref().map_or(0, |it| it.1),
        furthest: furthest.map(|it| it.2),
        unresolved,
        breaks: shown,
    })
}

/// Whether a call may be of a function with another name: one through a member, in code
/// that is not copied in from elsewhere.
fn may_be_anything(view: &View<'_>, file: FileId, site: &Unresolved) -> Result<bool> {
    let is_member = site.text.contains(['.', '>']);
    Ok(is_member && !is_vendored_path(&view.path(file)?))
}

/// The deepest node that is code of the repository; the first by name among equals.
fn furthest(view: &View<'_>, nodes: &[(u32, NodeId)]) -> Result<Option<(NodeId, u32, SymbolRef)>> {
    const MOST_TRIED: usize = 200;
    let mut best: Option<(NodeId, u32, SymbolRef)> = None;
    for (depth, node) in nodes.iter().rev().take(MOST_TRIED) {
        if best.as_ref().is_some_and(|it| it.1 > *depth) {
            break;
        }
        let Some(symbol) = view.symbol(*node)?.filter(|it| !it.path.is_empty()) else { continue };
        let is_better = best.as_ref().is_none_or(|it| symbol.qualified_name < it.2.qualified_name);
        if is_better {
            best = Some((*node, *depth, symbol));
        }
    }
    Ok(best)
}

/// Names of symbols from which the end is reached, with how far it is from them.
fn names_near(view: &View<'_>, ends: &BTreeSet<NodeId>) -> Result<HashMap<String, (u32, NodeId)>> {
    let mut names: HashMap<String, (u32, NodeId)> = HashMap::new();
    let mut seen: BTreeSet<NodeId> = ends.clone();
    let mut level: Vec<NodeId> = ends.iter().copied().collect();
    for left in 0..=MOST_BACK {
        let mut next = BTreeSet::new();
        for node in &level {
            if let Some(row) = view.node(*node)?.filter(|row| !row.name.is_empty()) {
                names.entry(row.name.clone()).or_insert((left, *node));
            }
            if seen.len() < MOST_NAMES {
                let callers = view.incoming(*node)?.into_iter();
                let callers = callers.filter(|step| step.kind == EdgeKind::Calls);
                next.extend(callers.map(|step| step.node).filter(|node| seen.insert(*node)));
            }
        }
        level = next.into_iter().collect();
    }
    Ok(names)
}

/// Unresolved calls by the symbol they stand in.
struct Calls<'v, 'r> {
    view: &'v View<'r>,
    links: HashMap<LinkId, Rc<[Unresolved]>>,
}

impl Calls<'_, '_> {
    fn in_node(&mut self, node: NodeId) -> Result<Vec<(FileId, Unresolved)>> {
        let mut found = Vec::new();
        for place in self.view.places(node)? {
            let sites = match self.links.get(&place.link) {
                Some(known) => Rc::clone(known),
                None => {
                    let read: Rc<[Unresolved]> =
                        self.view.unresolved_of(place.link, place.file)?.into();
                    self.links.insert(place.link, Rc::clone(&read));
                    read
                }
            };
            let own = sites.iter().filter(|site| site.source == place.def && !site.is_external);
            found.extend(own.map(|site| (place.file, site.clone())));
        }
        Ok(found)
    }
}
