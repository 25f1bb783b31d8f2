//! Computes costly answers before anybody asks: for CI, and after a large change.

use crate::code::communities::communities;
use crate::code::impact::{self, MANY_USERS, impact};
use crate::code::walk::TraversalOptions;
use crate::code::{Scope, View};
use model::Result;
use model::code::EdgeKind;
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::code::snapshots;

/// What was computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarmReport {
    /// Symbols with more direct users than `min_users`.
    pub symbols: u64,
    pub min_users: u64,
    pub communities: u64,
}

/// What `lore impact` asks unless told otherwise.
const DEPTH: u32 = 5;
const LIMIT: usize = 500;
/// Communities that `lore communities` shows.
const COMMUNITIES: usize = 20;
/// More symbols than this no snapshot needs.
const MOST: usize = 1000;

pub fn warm(reader: &Reader, scope: &Scope) -> Result<WarmReport> {
    let view = View::new(reader, scope);
    let mut users: BTreeMap<NodeId, usize> = BTreeMap::new();
    for package in snapshots::packages(reader, scope.snapshot.seq)?.into_keys() {
        let Some(version) = view.version(package)? else { continue };
        for member in &version.members {
            for edge in view.edges_of(member.link)?.iter() {
                if edge.kind == EdgeKind::Calls {
                    *users.entry(edge.target).or_default() += 1;
                }
            }
        }
    }
    let mut hot: Vec<(usize, NodeId)> =
        users.into_iter().filter(|(_, n)| *n > MANY_USERS).map(|(it, n)| (n, it)).collect();
    hot.sort_unstable_by(|a, b| b.cmp(a));
    hot.truncate(MOST);
    let options = TraversalOptions {
        max_depth: DEPTH,
        max_results: LIMIT,
        min_confidence: 0,
        kinds: impact::KINDS.to_vec(),
        through_bases: false,
    };
    let mut n_symbols = 0;
    for (_, node) in hot {
        let Some(symbol) = view.symbol(node)?.filter(|symbol| !symbol.path.is_empty()) else {
            continue;
        };
        // By the name people type; a name that means several symbols is answered once.
        if impact(reader, scope, &symbol.symbol, &options).is_ok() {
            n_symbols += 1;
        }
    }
    let found = communities(reader, scope, COMMUNITIES)?;
    Ok(WarmReport { symbols: n_symbols, min_users: MANY_USERS as u64, communities: found.total })
}
