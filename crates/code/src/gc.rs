//! `lore snapshots --gc`: keeps what is new and what somebody stands at.

use git::Repo;
use model::Result;
use model::ids::RepoId;
use std::collections::BTreeSet;
use store::WriteQueue;
use store::code::snapshots;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GcReport {
    pub n_snapshots: u64,
    /// Versions of packages, links and files that only they had.
    pub n_rows: u64,
}

/// Removes snapshots but the newest `n_keep`, those of branches, tags and
/// work trees, and states of work trees that still exist.
pub fn gc(
    queue: &WriteQueue,
    repo: RepoId,
    clone: Option<&Repo>,
    n_keep: usize,
) -> Result<GcReport> {
    let needed: BTreeSet<String> = match clone {
        Some(clone) => stands(clone)?,
        None => BTreeSet::new(),
    };
    let report = queue.write(|tx| {
        let all = snapshots::list(tx, repo)?;
        let of_commits = all.iter().filter(|snapshot| snapshot.work_tree.is_none());
        let newest: BTreeSet<_> = of_commits.take(n_keep).map(|snapshot| snapshot.seq).collect();
        let mut report = GcReport::default();
        for snapshot in all {
            let is_needed = match &snapshot.work_tree {
                Some(dir) => std::path::Path::new(dir).is_dir(),
                None => newest.contains(&snapshot.seq) || needed.contains(&snapshot.sha),
            };
            if !is_needed {
                snapshots::remove(tx, snapshot.seq)?;
                report.n_snapshots += 1;
            }
        }
        report.n_rows = snapshots::sweep(tx, repo)?;
        Ok(report)
    })?;
    // The file of edges may have been that of a snapshot that went.
    let reader = queue.reader()?;
    if let Some(latest) = snapshots::latest(&reader, repo)? {
        store::code::adjacency::refresh(&reader, &latest)?;
    }
    Ok(report)
}

/// Commits that a branch, a tag or a work tree stands at.
fn stands(clone: &Repo) -> Result<BTreeSet<String>> {
    let mut commits: BTreeSet<String> =
        clone.branches()?.into_iter().map(|branch| branch.commit.to_string()).collect();
    commits.extend(clone.tagged()?.iter().map(ToString::to_string));
    let heads = clone.worktrees()?.into_iter().filter_map(|tree| tree.head);
    commits.extend(heads.map(|head| head.to_string()));
    Ok(commits)
}
