//! Who descends from whom, and which commit of the main line brought another.

use crate::command::LONG;
use crate::object_id::ObjectId;
use crate::repo::Repo;
use model::Result;
use std::collections::{HashMap, HashSet};

/// For each commit of a branch, the commit of its main line (first parents)
/// that brought it there: itself, or the first merge that contains it.
#[derive(Debug, Clone, Default)]
pub struct Landings {
    by_commit: HashMap<ObjectId, ObjectId>,
}

impl Landings {
    /// Walks from `tip` to what `is_known` says landed before, or to the roots.
    /// `parents` answers for every commit in between; a commit it does not
    /// know ends the walk there.
    pub fn since<'a>(
        tip: ObjectId,
        parents: impl Fn(ObjectId) -> Option<&'a [ObjectId]>,
        is_known: impl Fn(ObjectId) -> bool,
    ) -> Landings {
        let mut line = Vec::new();
        let mut seen = HashSet::new();
        let mut at = Some(tip);
        while let Some(commit) = at.filter(|commit| !is_known(*commit) && seen.insert(*commit)) {
            line.push(commit);
            at = parents(commit).and_then(|parents| parents.first().copied());
        }
        let mut by_commit = HashMap::new();
        // Oldest first: what an earlier merge brought is not brought again.
        for landing in line.into_iter().rev() {
            by_commit.insert(landing, landing);
            let mut open: Vec<ObjectId> = parents(landing)
                .map(|all| all.iter().skip(1).copied().collect())
                .unwrap_or_default();
            while let Some(commit) = open.pop() {
                if is_known(commit) || by_commit.contains_key(&commit) {
                    continue;
                }
                let Some(parents) = parents(commit) else { continue };
                by_commit.insert(commit, landing);
                open.extend(parents);
            }
        }
        Landings { by_commit }
    }

    pub fn of(&self, commit: ObjectId) -> Option<ObjectId> {
        self.by_commit.get(&commit).copied()
    }

    /// Every pair of commit and landing, by commit.
    pub fn all(&self) -> Vec<(ObjectId, ObjectId)> {
        let mut all: Vec<_> = self.by_commit.iter().map(|(a, b)| (*a, *b)).collect();
        all.sort_unstable();
        all
    }
}

impl Repo {
    /// Whether one commit descends from another. A commit that is not in this clone (of
    /// another clone, or removed by `git gc`) is no ancestor of any, nor does it descend.
    pub fn is_ancestor(&self, ancestor: ObjectId, descendant: ObjectId) -> Result<bool> {
        let answer = self
            .git("merge-base")
            .limit(LONG)
            .arg("--is-ancestor")
            .args([ancestor.to_string(), descendant.to_string()])
            .run();
        match answer {
            Ok(_) => Ok(true),
            Err(failed) if failed.is_no() || failed.is_unknown_commit() => Ok(false),
            Err(failed) => Err(failed.into()),
        }
    }

    pub fn merge_base(&self, a: ObjectId, b: ObjectId) -> Result<Option<ObjectId>> {
        match self.git("merge-base").limit(LONG).args([a.to_string(), b.to_string()]).line() {
            Ok(text) => Ok(ObjectId::parse(text)),
            Err(failed) if failed.is_no() => Ok(None),
            Err(failed) => Err(failed.into()),
        }
    }

    pub fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>> {
        let text = self.git("rev-list").args(["--parents", "--max-count=1"]);
        let text = text.arg(commit.to_string()).arg("--").line()?;
        Ok(text.split(' ').skip(1).filter_map(ObjectId::parse).collect())
    }

    /// The commit of `target`'s main line that brought `commit`; none when it
    /// is not in that branch. For one commit; for many, use [`Landings`].
    pub fn landing(&self, commit: ObjectId, target: ObjectId) -> Result<Option<ObjectId>> {
        if commit == target {
            return Ok(Some(commit));
        }
        if !self.is_ancestor(commit, target)? {
            return Ok(None);
        }
        let list = |option: &str| -> Result<Vec<ObjectId>> {
            let text = self.git("rev-list").limit(LONG).args(["--topo-order", option]);
            let text = text.arg(target.to_string()).arg(format!("^{commit}")).arg("--").line()?;
            Ok(text.lines().filter_map(ObjectId::parse).collect())
        };
        let contains: HashSet<ObjectId> = list("--ancestry-path")?.into_iter().collect();
        let line = list("--first-parent")?;
        let oldest = line.into_iter().take_while(|id| contains.contains(id)).last();
        // When the oldest one's first parent is the commit itself, the commit
        // stands on the main line.
        let Some(oldest) = oldest else { return Ok(Some(commit)) };
        let first = self.parents(oldest)?.first().copied();
        Ok(Some(if first == Some(commit) { commit } else { oldest }))
    }

    /// The first commit of the history of `head`, along first parents.
    pub fn root(&self, head: ObjectId) -> Result<Option<ObjectId>> {
        let text = self.git("rev-list").limit(LONG).args(["--first-parent", "--max-parents=0"]);
        let text = text.arg(head.to_string()).arg("--").line()?;
        Ok(ObjectId::parse(text.lines().last().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> ObjectId {
        ObjectId::parse(format!("{n:040x}")).unwrap()
    }

    /// The main line is 1 2 4 7; 4 merges 3, and 7 merges 6, on 5, on 3.
    #[test]
    fn a_commit_lands_with_the_first_merge_that_has_it() {
        let graph: HashMap<ObjectId, Vec<ObjectId>> = [
            (1, vec![]),
            (2, vec![1]),
            (3, vec![1]),
            (4, vec![2, 3]),
            (5, vec![3]),
            (6, vec![5]),
            (7, vec![4, 6]),
        ]
        .into_iter()
        .map(|(n, parents)| (id(n), parents.into_iter().map(id).collect()))
        .collect();
        let parents = |commit: ObjectId| graph.get(&commit).map(Vec::as_slice);
        let landings = Landings::since(id(7), parents, |_| false);
        let got: Vec<_> = (1..=7).map(|n| landings.of(id(n)).unwrap()).collect();
        assert_eq!(got, [1, 2, 4, 4, 7, 7, 7].map(id));

        let earlier = Landings::since(id(4), parents, |_| false);
        let later = Landings::since(id(7), parents, |commit| earlier.of(commit).is_some());
        assert_eq!(later.all(), [(5, 7), (6, 7), (7, 7)].map(|(a, b)| (id(a), id(b))));
    }
}
