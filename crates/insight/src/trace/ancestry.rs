//! The history of a file as a graph of its own: of tens of thousands of commits
//! the few that changed it. git blames along that graph instead of walking all.

use crate::file_target::LocalClone;
use git::ObjectId;
use model::Result;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use store::{Reader, commits};

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
}

impl Ancestry {
    /// Whether lines may come from this commit.
    pub fn explains(&self, commit: Option<ObjectId>) -> bool {
        commit.is_none_or(|commit| self.changed.contains(&commit.to_string()))
    }
}

/// None where git does as well without: in small histories, or when the store
/// does not know the commit at which the blame begins.
pub(super) fn of_file(
    reader: &Reader,
    clone: &LocalClone,
    head: ObjectId,
    names: &[String],
) -> Result<Option<Ancestry>> {
    let Some(repo) = clone.repo.filter(|_| !clone.git.is_shallow()) else { return Ok(None) };
    if commits::count(reader, Some(repo))?.0 < LEAST_COMMITS
        || commits::by_sha(reader, Some(repo), &head.to_string())?.is_none()
    {
        return Ok(None);
    }
    let touches = commits::touching(reader, repo, names)?;
    let mut graph = Graph::default();
    commits::each_with_parents(reader, repo, |sha, parents| graph.add(sha, parents))?;
    for touch in &touches {
        let Some(at) = graph.find(&touch.sha) else { continue };
        graph.is_kept[at as usize] = true;
        if !touch.is_modification {
            // To find where a file came from, git compares with the true parent.
            for parent in graph.parents[at as usize].clone() {
                graph.is_kept[parent as usize] = true;
            }
        }
    }
    let Some(head) = graph.find(&head.to_string()) else { return Ok(None) };
    graph.is_kept[head as usize] = true;
    let Some(lines) = graph.simplified(head) else { return Ok(None) };
    Ok(Some(Ancestry { lines, changed: touches.into_iter().map(|touch| touch.sha).collect() }))
}

/// Commits by number, with their parents.
#[derive(Default)]
struct Graph {
    numbers: HashMap<u128, u32>,
    shas: Vec<String>,
    parents: Vec<Vec<u32>>,
    /// Part of the file's history.
    is_kept: Vec<bool>,
}

/// The first half of a hash tells commits apart.
fn key(sha: &str) -> Option<u128> {
    u128::from_str_radix(sha.get(..32)?, 16).ok()
}

impl Graph {
    fn add(&mut self, sha: &str, parents: &str) {
        let Some(at) = self.number(sha) else { return };
        let parents = parents.split(' ').filter_map(|parent| self.number(parent)).collect();
        self.parents[at as usize] = parents;
    }

    fn number(&mut self, sha: &str) -> Option<u32> {
        let next = self.shas.len() as u32;
        let number = *self.numbers.entry(key(sha)?).or_insert(next);
        if number == next {
            self.shas.push(sha.to_owned());
            self.parents.push(Vec::new());
            self.is_kept.push(false);
        }
        Some(number)
    }

    fn find(&self, sha: &str) -> Option<u32> {
        self.numbers.get(&key(sha)?).copied()
    }

    /// The graph of the commits kept, and of the merges in which their lines
    /// of history meet. None when the history has a circle, which no git makes.
    fn simplified(&mut self, head: u32) -> Option<String> {
        // For each commit, the nearest one at or before it that is kept.
        let mut nearest: Vec<Option<Option<u32>>> = vec![None; self.shas.len()];
        let mut ways: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut is_open = vec![false; self.shas.len()];
        let mut stack = vec![head];
        while let Some(at) = stack.last().copied() {
            let here = at as usize;
            if nearest[here].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let waiting = self.parents[here].iter().filter(|it| nearest[**it as usize].is_none());
            let waiting: Vec<u32> = waiting.copied().collect();
            if is_open[here] && !waiting.is_empty() {
                return None;
            }
            is_open[here] = true;
            stack.extend(waiting);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut found: Vec<u32> = Vec::new();
            for parent in &self.parents[here] {
                if let Some(Some(kept)) = nearest[*parent as usize]
                    && !found.contains(&kept)
                {
                    found.push(kept);
                }
            }
            without_ancestors(&mut found, &ways);
            nearest[here] = Some(match found.as_slice() {
                [only] if !self.is_kept[here] => Some(*only),
                [] if !self.is_kept[here] => None,
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
            lines.push_str(&self.shas[at as usize]);
            for parent in &ways[&at] {
                let _ = write!(lines, " {}", self.shas[*parent as usize]);
            }
            lines.push('\n');
        }
        Some(lines)
    }
}

/// Of the sides of a merge, those that another one does not contain.
fn without_ancestors(sides: &mut Vec<u32>, ways: &HashMap<u32, Vec<u32>>) {
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
mod tests {
    use super::*;

    fn sha(letter: char) -> String {
        letter.to_string().repeat(40)
    }

    /// `b a` says that commit b has the parent a.
    fn simplified(history: &[&str], kept: &str, head: char) -> Option<String> {
        let mut graph = Graph::default();
        for line in history {
            let mut names = line.split(' ').map(|name| sha(name.chars().next().unwrap_or('0')));
            let own = names.next().unwrap_or_default();
            graph.add(&own, &names.collect::<Vec<_>>().join(" "));
        }
        for letter in kept.chars().chain([head]) {
            let at = graph.find(&sha(letter)).unwrap();
            graph.is_kept[at as usize] = true;
        }
        let head = graph.find(&sha(head)).unwrap();
        let lines = graph.simplified(head)?;
        let short = |line: &str| {
            line.split(' ').map(|name| name[..1].to_owned()).collect::<Vec<_>>().join(" ")
        };
        let mut lines: Vec<String> = lines.lines().map(short).collect();
        lines.sort();
        Some(lines.join(", "))
    }

    #[test]
    fn commits_that_do_not_concern_the_file_are_left_out() {
        let history = ["a", "b a", "c b", "d c", "e d"];
        assert_eq!(simplified(&history, "ac", 'e').unwrap(), "a, c a, e c");
    }

    #[test]
    fn a_merge_stays_where_both_of_its_sides_changed_the_file() {
        let history = ["a", "b a", "c a", "d b c", "e d"];
        assert_eq!(simplified(&history, "abc", 'e').unwrap(), "a, b a, c a, d b c, e d");
        // Only one side did: the merge says nothing new.
        assert_eq!(simplified(&history, "ab", 'e').unwrap(), "a, b a, e b");
    }

    #[test]
    fn a_circle_is_refused() {
        assert_eq!(simplified(&["a b", "b a"], "", 'a'), None);
    }
}
