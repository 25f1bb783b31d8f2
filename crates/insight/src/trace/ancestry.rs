//! The history of a file as a graph of its own: of tens of thousands of commits
//! the few that changed it. git blames along that graph instead of walking all.

use crate::file_target::LocalClone;
use git::{BlamedRun, ObjectId};
use model::Result;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use store::Reader;
use store::commits::{self, PathTouch};

/// In a smaller history git walks as fast as the store tells.
const LEAST_COMMITS: u64 = 4_000;
/// How far back one side of a merge is looked for in the other.
const MOST_STEPS: usize = 64;

/// The history of a file for a blame that begins at `head`.
pub(super) struct Ancestry {
    /// As git reads it: `commit parent…` a line.
    pub lines: String,
    /// Commits that changed the file; a line blamed on another one shows that
    /// the graph left out something that mattered, such as a merge by hand.
    changed: HashSet<String>,
    /// What the file was called.
    names: Vec<String>,
    graph: Graph,
    head: u32,
}

impl Ancestry {
    /// None where `head` is not known, or the history makes no sense.
    fn new(
        mut graph: Graph,
        head: &str,
        names: Vec<String>,
        touches: Vec<PathTouch>,
    ) -> Option<Ancestry> {
        for touch in &touches {
            let Some(at) = graph.find(&touch.sha) else { continue };
            graph.is_kept[at as usize] = true;
            if !touch.is_modification {
                // To find where a file came from, git compares with the true parent.
                for parent in graph.parents(at).to_vec() {
                    graph.is_kept[parent as usize] = true;
                }
            }
        }
        let head = graph.find(head)?;
        graph.is_kept[head as usize] = true;
        let lines = graph.simplified(head, &graph.is_kept)?;
        let changed = touches.into_iter().map(|touch| touch.sha).collect();
        Some(Ancestry { lines, changed, names, graph, head })
    }

    /// Whether lines may come from this commit.
    pub fn explains(&self, commit: Option<ObjectId>) -> bool {
        commit.is_none_or(|commit| self.changed.contains(&commit.to_string()))
    }

    /// Whether lines may come from this commit, and from the file itself. The history of
    /// another one that they were copied from is not told.
    pub fn explains_move(&self, run: &BlamedRun) -> bool {
        let path = run.original_path.text();
        self.explains(run.commit) && self.names.iter().any(|name| *name == path)
    }

    /// The same history with the true parents of all commits that changed the file: where
    /// lines were moved or copied from is looked for in what differs from these.
    pub fn with_parents(&self) -> Option<String> {
        let mut is_kept = self.graph.is_kept.clone();
        for sha in &self.changed {
            let Some(at) = self.graph.find(sha) else { continue };
            for parent in self.graph.parents(at) {
                is_kept[*parent as usize] = true;
            }
        }
        self.graph.simplified(self.head, &is_kept)
    }
}

/// None where git does as well without: in small histories, or when the store
/// does not know the commit at which the blame begins.
pub(super) fn of_file(
    reader: &Reader,
    clone: &LocalClone,
    head: ObjectId,
    names: Vec<String>,
) -> Result<Option<Ancestry>> {
    let Some(repo) = clone.repo.filter(|_| !clone.git.is_shallow()) else { return Ok(None) };
    if commits::n_known(reader, repo)? < LEAST_COMMITS
        || commits::by_sha(reader, Some(repo), &head.to_string())?.is_none()
    {
        return Ok(None);
    }
    let touches = commits::touching(reader, repo, &names)?;
    let mut graph = Graph::default();
    commits::each_with_parents(reader, repo, |sha, parents| graph.add(sha, parents))?;
    Ok(Ancestry::new(graph, &head.to_string(), names, touches))
}

/// Commits by number, with their parents. There may be very many: what is told of one
/// lies in lists of all.
#[derive(Default)]
struct Graph {
    numbers: FxHashMap<u128, u32>,
    /// All hashes, one behind the other, and where each ends.
    shas: String,
    ends: Vec<u32>,
    all_parents: Vec<u32>,
    /// Where the parents of each commit begin and end.
    spans: Vec<[u32; 2]>,
    /// Part of the file's history.
    is_kept: Vec<bool>,
}

/// The first half of a hash tells commits apart.
fn key(sha: &str) -> Option<u128> {
    let mut key = 0;
    for digit in sha.as_bytes().get(..32)? {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        key = key << 4 | u128::from(value);
    }
    Some(key)
}

impl Graph {
    fn add(&mut self, sha: &str, parents: &str) {
        let Some(at) = self.number(sha) else { return };
        let first = self.all_parents.len() as u32;
        for parent in parents.split(' ') {
            if let Some(parent) = self.number(parent) {
                self.all_parents.push(parent);
            }
        }
        self.spans[at as usize] = [first, self.all_parents.len() as u32];
    }

    fn number(&mut self, sha: &str) -> Option<u32> {
        let next = self.ends.len() as u32;
        let number = *self.numbers.entry(key(sha)?).or_insert(next);
        if number == next {
            self.shas.push_str(sha);
            self.ends.push(self.shas.len() as u32);
            self.spans.push([0, 0]);
            self.is_kept.push(false);
        }
        Some(number)
    }

    fn find(&self, sha: &str) -> Option<u32> {
        self.numbers.get(&key(sha)?).copied()
    }

    fn sha(&self, at: u32) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at as usize - 1] };
        &self.shas[start as usize..self.ends[at as usize] as usize]
    }

    fn parents(&self, at: u32) -> &[u32] {
        let [first, end] = self.spans[at as usize];
        &self.all_parents[first as usize..end as usize]
    }

    /// The graph of the commits kept, and of the merges in which their lines
    /// of history meet. None when the history has a circle, which no git makes.
    fn simplified(&self, head: u32, is_kept: &[bool]) -> Option<String> {
        // For each commit, the nearest one at or before it that is kept.
        let mut nearest: Vec<Option<Option<u32>>> = vec![None; self.ends.len()];
        let mut ways: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut is_open = vec![false; self.ends.len()];
        let mut stack = vec![head];
        while let Some(at) = stack.last().copied() {
            let here = at as usize;
            if nearest[here].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let parents = self.parents(at);
            stack.extend(parents.iter().filter(|it| nearest[**it as usize].is_none()));
            if is_open[here] && stack.len() > before {
                return None;
            }
            is_open[here] = true;
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut found: Vec<u32> = Vec::new();
            for parent in parents {
                if let Some(Some(kept)) = nearest[*parent as usize]
                    && !found.contains(&kept)
                {
                    found.push(kept);
                }
            }
            without_ancestors(&mut found, &ways);
            nearest[here] = Some(match found.as_slice() {
                [only] if !is_kept[here] => Some(*only),
                [] if !is_kept[here] => None,
                _ => {
                    ways.insert(at, found);
                    Some(at)
                }
            });
        }
        let mut numbers: Vec<u32> = ways.keys().copied().collect();
        numbers.sort_unstable();
        let mut lines = String::new();
        for at in numbers {
            lines.push_str(self.sha(at));
            for parent in &ways[&at] {
                lines.push(' ');
                lines.push_str(self.sha(*parent));
            }
            lines.push('\n');
        }
        Some(lines)
    }
}

/// Of the sides of a merge, those that another one does not contain.
fn without_ancestors(sides: &mut Vec<u32>, ways: &FxHashMap<u32, Vec<u32>>) {
    if sides.len() < 2 {
        return;
    }
    let contains = |from: u32, wanted: u32| {
        let mut open = vec![from];
        let mut seen: HashSet<u32> = HashSet::new();
        while let Some(at) = open.pop() {
            for parent in ways.get(&at).into_iter().flatten() {
                if *parent == wanted {
                    return true;
                }
                if seen.len() < MOST_STEPS && seen.insert(*parent) {
                    open.push(*parent);
                }
            }
        }
        false
    };
    let all = sides.clone();
    sides.retain(|side| !all.iter().any(|other| other != side && contains(*other, *side)));
}

#[cfg(test)]
#[path = "ancestry_tests.rs"]
mod tests;
