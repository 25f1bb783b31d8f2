//! `lore communities`: groups of symbols with more ties among themselves than
//! to others.
//!
//! Louvain's method, made deterministic: nodes are looked at in their order,
//! and of equally good groups the lowest number wins.

use super::graph::graph;
use super::scope::{Scope, SnapshotContext};
use crate::cache::{self, CachedAnswer, Question, SnapshotAnswer};
use model::Result;
use model::code::EdgeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::Reader;
use store::results::Durability;

/// The groups of a snapshot, largest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Communities {
    pub standing: SnapshotContext,
    pub communities: Vec<Community>,
    /// Groups of at least two symbols in all.
    pub total: u64,
    /// Symbols tied to no other.
    pub alone: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Community {
    pub id: u32,
    pub size: u64,
    /// Edges inside it.
    pub ties: u64,
    /// Folders most of it lies in, with the number of symbols there.
    pub packages: Vec<(String, u64)>,
    /// Its most tied symbols.
    pub centre: Vec<String>,
}

const MOST_PACKAGES: usize = 3;
const MOST_SYMBOLS: usize = 5;

impl SnapshotAnswer for Communities {
    fn standing_mut(&mut self) -> &mut SnapshotContext {
        &mut self.standing
    }
}

pub fn communities(reader: &Reader, scope: &Scope, limit: usize) -> Result<Communities> {
    let question =
        Question { name: "communities", parameters: limit, scope, inputs: String::new() };
    cache::answer(reader, &question, || {
        let value = divided(reader, scope, limit)?;
        Ok(CachedAnswer { value, reads: None, durability: Durability::Table })
    })
}

fn divided(reader: &Reader, scope: &Scope, limit: usize) -> Result<Communities> {
    let graph = graph(reader, scope)?;
    let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        groups.entry(node.community).or_default().push(at);
    }
    let mut degree = vec![0_u64; graph.nodes.len()];
    let mut ties: BTreeMap<u32, u64> = BTreeMap::new();
    let contains = EdgeKind::Contains;
    for edge in graph.edges.iter().filter(|edge| edge.kind != contains) {
        let (source, target) = (edge.source as usize, edge.target as usize);
        degree[source] += 1;
        degree[target] += 1;
        let group = graph.nodes[source].community;
        if group == graph.nodes[target].community {
            *ties.entry(group).or_default() += 1;
        }
    }
    let alone = groups.values().filter(|members| members.len() == 1).count() as u64;
    groups.retain(|_, members| members.len() > 1);
    let total = groups.len() as u64;
    let mut all: Vec<Community> = groups
        .into_iter()
        .map(|(id, mut members)| {
            let mut packages: BTreeMap<&str, u64> = BTreeMap::new();
            for at in &members {
                let path = graph.nodes[*at].path.as_str();
                let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
                *packages.entry(folder).or_default() += 1;
            }
            let mut packages: Vec<(String, u64)> =
                packages.into_iter().map(|(path, n)| (path.to_owned(), n)).collect();
            packages.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
            packages.truncate(MOST_PACKAGES);
            let size = members.len() as u64;
            members.sort_by_key(|at| (std::cmp::Reverse(degree[*at]), *at));
            let name = |at: &usize| {
                let full = &graph.nodes[*at].qualified_name;
                full.rsplit("://").next().unwrap_or(full).to_owned()
            };
            let centre = members.iter().take(MOST_SYMBOLS).map(name).collect();
            let ties = ties.get(&id).copied().unwrap_or(0);
            Community { id, size, ties, packages, centre }
        })
        .collect();
    all.sort_by_key(|community| (std::cmp::Reverse(community.size), community.id));
    all.truncate(limit);
    Ok(Communities { standing: graph.standing, communities: all, total, alone })
}

/// Rounds of moving and of joining; more change nothing worth having.
const MOST_ROUNDS: usize = 16;
const MOST_LEVELS: usize = 8;

/// The group of each of `n` nodes, numbered from 0 in the order of their
/// first members.
pub fn divide(n: usize, ties: &[(u32, u32)]) -> Vec<u32> {
    let mut of_node: Vec<u32> = (0..n as u32).collect();
    let mut level = Level::of(n, ties.iter().map(|(a, b)| (*a, *b, 1.0)));
    for _ in 0..MOST_LEVELS {
        let groups = numbered(&level.moved());
        let n_groups = groups.iter().max().map_or(0, |most| *most as usize + 1);
        if n_groups == level.neighbours.len() {
            break;
        }
        for group in &mut of_node {
            *group = groups[*group as usize];
        }
        level = level.joined(&groups, n_groups);
    }
    numbered(&of_node)
}

/// Numbers in the order of first appearance.
fn numbered(groups: &[u32]) -> Vec<u32> {
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    groups
        .iter()
        .map(|group| {
            let next = numbers.len() as u32;
            *numbers.entry(*group).or_insert(next)
        })
        .collect()
}

/// A graph with weights, the same in both directions.
struct Level {
    neighbours: Vec<Vec<(u32, f64)>>,
    /// Weight of each node's ties, those to itself twice.
    degree: Vec<f64>,
    own: Vec<f64>,
    total: f64,
}

impl Level {
    fn of(n: usize, ties: impl Iterator<Item = (u32, u32, f64)>) -> Self {
        let mut sums: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); n];
        let mut own = vec![0.0; n];
        for (a, b, weight) in ties {
            if a == b {
                own[a as usize] += weight;
            } else {
                *sums[a as usize].entry(b).or_default() += weight;
                *sums[b as usize].entry(a).or_default() += weight;
            }
        }
        let neighbours: Vec<Vec<(u32, f64)>> =
            sums.into_iter().map(|sums| sums.into_iter().collect()).collect();
        let degree: Vec<f64> = neighbours
            .iter()
            .zip(&own)
            .map(|(near, own)| near.iter().map(|(_, weight)| weight).sum::<f64>() + 2.0 * own)
            .collect();
        let total = degree.iter().sum();
        Level { neighbours, degree, own, total }
    }

    /// Moves each node to the group where it gains most, until nothing moves.
    fn moved(&self) -> Vec<u32> {
        let n = self.neighbours.len();
        let mut group: Vec<u32> = (0..n as u32).collect();
        let mut weight = self.degree.clone();
        if self.total <= 0.0 {
            return group;
        }
        for _ in 0..MOST_ROUNDS {
            let mut n_moved = 0;
            for node in 0..n {
                let from = group[node];
                weight[from as usize] -= self.degree[node];
                let mut ties: BTreeMap<u32, f64> = BTreeMap::from([(from, 0.0)]);
                for (other, tie) in &self.neighbours[node] {
                    *ties.entry(group[*other as usize]).or_default() += tie;
                }
                let gain =
                    |to: u32, tie: f64| tie - self.degree[node] * weight[to as usize] / self.total;
                let mut best = (from, gain(from, ties[&from]));
                for (to, tie) in &ties {
                    let gained = gain(*to, *tie);
                    if gained > best.1 + 1e-9 {
                        best = (*to, gained);
                    }
                }
                weight[best.0 as usize] += self.degree[node];
                if best.0 != from {
                    group[node] = best.0;
                    n_moved += 1;
                }
            }
            if n_moved == 0 {
                break;
            }
        }
        group
    }

    /// Groups as nodes of the next level.
    fn joined(&self, groups: &[u32], n: usize) -> Level {
        let between = self.neighbours.iter().enumerate().flat_map(|(node, near)| {
            near.iter()
                .filter(move |(other, _)| (node as u32) < *other)
                .map(move |(other, weight)| (groups[node], groups[*other as usize], *weight))
        });
        let own = self.own.iter().enumerate().map(|(node, own)| (groups[node], groups[node], *own));
        Level::of(n, between.chain(own.filter(|(_, _, weight)| *weight > 0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_rings_joined_by_one_tie_are_two_groups() {
        let ring =
            |start: u32| (0..4).flat_map(move |a| (0..a).map(move |b| (start + a, start + b)));
        let mut ties: Vec<(u32, u32)> = ring(0).chain(ring(4)).collect();
        ties.push((3, 4));
        assert_eq!(divide(9, &ties), [0, 0, 0, 0, 1, 1, 1, 1, 2]);
    }

    proptest! {
        #[test]
        fn every_node_has_a_group_and_order_of_ties_does_not_matter(
            mut ties in prop::collection::vec((0u32..12, 0u32..12), 0..40)
        ) {
            let groups = divide(12, &ties);
            prop_assert_eq!(groups.len(), 12);
            ties.reverse();
            prop_assert_eq!(divide(12, &ties), groups);
        }
    }
}
