//! Causal order of snapshots across repositories: Lamport's counters.
//!
//! A snapshot's counter is one more than the last of its repository, and than those
//! of the repositories it was linked against; it records which of theirs it saw. A
//! repository that moved on since was not seen by what depends on it.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::{RepoId, SnapshotSeq};

/// The counter of a snapshot, and those of other repositories that it saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CausalOrder {
    pub counter: u64,
    pub sees: Vec<(RepoId, u64)>,
}

/// Gives a new snapshot its place in the order.
pub(super) fn enter(tx: &Tx<'_>, seq: SnapshotSeq, repo: RepoId) -> Result<()> {
    let sees = homes(tx, repo)?;
    for (other, counter) in &sees {
        sql::run(
            tx,
            "INSERT INTO snapshot_sees (seq, repo_id, counter) VALUES (?1, ?2, ?3)",
            (seq.0, other.0, *counter as i64),
        )?;
    }
    let own = latest(tx, repo)?;
    let most = sees.iter().map(|(_, counter)| *counter).chain([own]).max().unwrap_or(0);
    let row = (seq.0, most as i64 + 1);
    sql::run(tx, "UPDATE snapshots SET counter = ?2 WHERE seq = ?1", row)?;
    Ok(())
}

/// The last counter of a repository; 0 when it has no snapshot.
pub fn latest(on: &impl Read, repo: RepoId) -> Result<u64> {
    sql::one(
        on,
        "SELECT coalesce(max(counter), 0) FROM snapshots WHERE repo_id = ?1",
        [repo.0],
        |row| Ok(row.get::<_, i64>(0)? as u64),
    )
}

/// The repositories whose packages one imports, with their last counters.
fn homes(on: &impl Read, repo: RepoId) -> Result<Vec<(RepoId, u64)>> {
    sql::all(
        on,
        "SELECT i.repo_id, (SELECT coalesce(max(counter), 0) FROM snapshots AS s
           WHERE s.repo_id = i.repo_id)
         FROM packages AS p
         CROSS JOIN import_paths AS i
           ON i.language = substr(p.path, 3, instr(substr(p.path, 3), '/') - 1)
           AND i.path = substr(p.path, 3 + instr(substr(p.path, 3), '/'))
           AND i.repo_id <> p.repo_id
         WHERE p.repo_id = ?1 AND p.path >= '//' AND p.path < '/0'
         GROUP BY i.repo_id ORDER BY i.repo_id",
        [repo.0],
        |row| Ok((RepoId(row.get(0)?), row.get::<_, i64>(1)? as u64)),
    )
}

pub fn of(on: &impl Read, seq: SnapshotSeq) -> Result<CausalOrder> {
    let counter = sql::first(on, "SELECT counter FROM snapshots WHERE seq = ?1", [seq.0], |row| {
        Ok(row.get::<_, i64>(0)? as u64)
    })?;
    let sees = sql::all(
        on,
        "SELECT repo_id, counter FROM snapshot_sees WHERE seq = ?1 ORDER BY repo_id",
        [seq.0],
        |row| Ok((RepoId(row.get(0)?), row.get::<_, i64>(1)? as u64)),
    )?;
    Ok(CausalOrder { counter: counter.unwrap_or(0), sees })
}
