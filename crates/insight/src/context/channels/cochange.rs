//! Files that earlier commits changed together with those that were found.

use super::graph::seeds;
use crate::context::channel::{Channel, Evidence, Scores, summed};
use model::Result;
use rustc_hash::FxHashMap;
use store::commit_terms;

/// Commits of more files tell nothing about any two of them.
const MOST_FILES: usize = 12;
/// The latest commits of a file are looked at.
const COMMITS: usize = 200;

pub struct CoChange;

impl Channel for CoChange {
    fn name(&self) -> &'static str {
        "co-change"
    }

    fn reason(&self) -> &'static str {
        "changes together with files that match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (history, view, corpus) = (evidence.history, evidence.view, evidence.corpus);
        let Some(until) = history.at else { return Ok(Scores::default()) };
        let repo = view.scope.repo.id;
        let mut found = Vec::new();
        let mut n_changes: FxHashMap<u32, f64> = FxHashMap::default();
        let commits_of = |file: u32| -> Result<Vec<i64>> {
            let path = &corpus.files[file as usize].path;
            let mut ids = commit_terms::of_path(view.reader, repo, path, until)?;
            ids.retain(|id| history.ids.contains(id));
            ids.truncate(COMMITS);
            Ok(ids)
        };
        for (seed, weight) in seeds(evidence) {
            let ids = commits_of(seed)?;
            let mut together: FxHashMap<u32, f64> = FxHashMap::default();
            for paths in commit_terms::changed(view.reader, &ids)? {
                if paths.len() > MOST_FILES {
                    continue;
                }
                for path in &paths {
                    let today = history.today(path, |path| corpus.by_path.contains_key(path));
                    if let Some(other) = corpus.by_path.get(today).filter(|other| **other != seed) {
                        *together.entry(*other).or_default() += 1.0;
                    }
                }
            }
            let mut together: Vec<(u32, f64)> = together.into_iter().collect();
            together.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            together.truncate(40);
            for (other, n_both) in together {
                let n_other = match n_changes.get(&other) {
                    Some(known) => *known,
                    None => {
                        let n_other = commits_of(other)?.len() as f64;
                        n_changes.insert(other, n_other);
                        n_other
                    }
                };
                let cosine = n_both / (ids.len() as f64 * n_other.max(1.0)).sqrt();
                found.push((other, weight * cosine));
            }
        }
        Ok(Scores { files: summed(found), symbols: Vec::new() })
    }
}
