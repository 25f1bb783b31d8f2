//! `lore callers` and `lore callees`: who calls a symbol, what it calls, and
//! what could not be told.

use super::resolve;
use super::scope::{Scope, Standing};
use super::view::{SymbolRef, View};
use super::walk::{Direction, TraversalOptions, VisitedNode, walk};
use model::Result;
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::Reader;

/// Symbols around one symbol, as a tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbours {
    pub standing: Standing,
    pub symbol: SymbolRef,
    /// `callers` or `callees`.
    pub asked: String,
    /// Nearest first; `parent` says under which one each stands.
    pub found: Vec<Neighbour>,
    /// There is more than was shown.
    pub truncated: bool,
    /// Calls that could not be bound: of this name (callers), or in this
    /// symbol (callees).
    pub unresolved: u64,
    /// The first of them.
    pub unresolved_sites: Vec<UnresolvedSite>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbour {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub depth: u32,
    /// Index in `found` of the symbol this one was reached from; none at depth 1.
    pub parent: Option<usize>,
    /// The kind of the edge.
    pub edge: String,
    /// Where the call stands.
    pub site_path: String,
    pub site_line: u32,
    /// Calls between the two.
    pub sites: u32,
    /// The lowest on the way here, 0 to 1.
    pub confidence: f64,
    pub provenance: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnresolvedSite {
    pub path: String,
    pub line: u32,
    /// The callee as written.
    pub text: String,
}

/// More unbound calls are counted, not listed.
const MOST_SITES: usize = 10;

pub fn neighbours(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    direction: Direction,
    options: &TraversalOptions,
) -> Result<Neighbours> {
    let view = View::new(reader, scope);
    let node = resolve::one(&view, typed)?;
    let walked = walk(&view, &[node], direction, options)?;
    let (unresolved, unresolved_sites) = match direction {
        Direction::Incoming => unbound_calls_of(&view, node)?,
        Direction::Outgoing => unbound_calls_in(&view, node)?,
    };
    Ok(Neighbours {
        standing: scope.standing(),
        symbol: view.symbol(node)?.ok_or_else(super::vanished)?,
        asked: match direction {
            Direction::Incoming => "callers",
            Direction::Outgoing => "callees",
        }
        .to_owned(),
        found: shown(&view, &walked.reached)?,
        truncated: walked.is_truncated,
        unresolved,
        unresolved_sites,
    })
}

/// What was reached, as answers show it.
pub(super) fn shown(view: &View<'_>, reached: &[VisitedNode]) -> Result<Vec<Neighbour>> {
    let mut place: HashMap<NodeId, usize> = HashMap::new();
    let mut found = Vec::with_capacity(reached.len());
    for reached in reached {
        let Some(at) = view.symbol(reached.node)? else { continue };
        let parent = place.get(&reached.from).copied();
        place.insert(reached.node, found.len());
        found.push(Neighbour {
            at,
            depth: reached.depth,
            parent,
            edge: reached.step.kind.as_str().to_owned(),
            site_path: view.path(reached.step.file)?,
            site_line: reached.step.line,
            sites: reached.step.n_sites,
            confidence: f64::from(reached.confidence) / 100.0,
            provenance: reached.step.provenance.as_str().to_owned(),
        });
    }
    Ok(found)
}

fn unbound_calls_of(view: &View<'_>, node: NodeId) -> Result<(u64, Vec<UnresolvedSite>)> {
    let Some(row) = view.node(node)? else { return Ok((0, Vec::new())) };
    let (total, sites) = view.unresolved(&row.name, MOST_SITES)?;
    let mut shown = Vec::new();
    for (file, site) in sites {
        shown.push(UnresolvedSite { path: view.path(file)?, line: site.line, text: site.text });
    }
    shown.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok((total, shown))
}

fn unbound_calls_in(view: &View<'_>, node: NodeId) -> Result<(u64, Vec<UnresolvedSite>)> {
    let mut shown = Vec::new();
    let mut total = 0;
    for place in view.places(node)? {
        for site in store::code::links::unresolved(view.reader, place.link)? {
            if site.source != place.def || site.is_external {
                continue;
            }
            total += 1;
            if shown.len() < MOST_SITES {
                let path = view.path(place.file)?;
                shown.push(UnresolvedSite { path, line: site.line, text: site.text });
            }
        }
    }
    Ok((total, shown))
}
