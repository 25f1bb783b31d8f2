//! Who was asked about which files of a snapshot, and what came of it. The edges
//! themselves are layers ([`super::layers`]).

use super::packed::{Packer, Unpacker, damaged};
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::code::Provenance;
use model::ids::{FileId, LinkId, RepoId, SnapshotSeq};
use model::{Result, Timestamp};
use rusqlite::Row;

/// Sites by what came of asking about them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteCounts {
    pub confirmed: u64,
    pub corrected: u64,
    pub new: u64,
    pub external: u64,
    pub unanswered: u64,
}

/// What was asked about one version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrichedFile {
    pub file: FileId,
    pub link: LinkId,
    /// Name and version of who was asked.
    pub server: String,
    /// Sites up to this tier were asked.
    pub tier: u8,
    /// Line and column of sites that lead out of the repository, ascending.
    pub external: Vec<(u32, u32)>,
    pub counts: SiteCounts,
}

/// Writes what is known of a file in the place of what was.
pub fn put_file(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    row: &EnrichedFile,
) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR REPLACE INTO enriched_files (seq, provenance, file_id, link_id, server, tier,
           external, confirmed, corrected, new, outside, unanswered)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        rusqlite::params![
            seq.0,
            provenance.number(),
            row.file.0,
            row.link.0,
            row.server,
            row.tier,
            pack(&row.external),
            row.counts.confirmed as i64,
            row.counts.corrected as i64,
            row.counts.new as i64,
            row.counts.external as i64,
            row.counts.unanswered as i64,
        ],
    )?;
    Ok(())
}

/// Every file of a snapshot that was asked about.
pub fn files(
    on: &impl Read,
    seq: SnapshotSeq,
    provenance: Provenance,
) -> Result<Vec<EnrichedFile>> {
    sql::all(
        on,
        "SELECT file_id, link_id, server, tier, external, confirmed, corrected, new, outside,
           unanswered
         FROM enriched_files WHERE seq = ?1 AND provenance = ?2 ORDER BY file_id",
        (seq.0, provenance.number()),
        |row| {
            let external = unpack(&row.get::<_, Vec<u8>>("external")?);
            Ok(EnrichedFile {
                file: FileId(row.get("file_id")?),
                link: LinkId(row.get("link_id")?),
                server: row.get("server")?,
                tier: row.get("tier")?,
                external: external.map_err(|_| rusqlite::Error::InvalidQuery)?,
                counts: counts(row)?,
            })
        },
    )
}

/// One of them.
pub fn file(
    on: &impl Read,
    seq: SnapshotSeq,
    provenance: Provenance,
    file: FileId,
) -> Result<Option<EnrichedFile>> {
    let found = sql::first(
        on,
        "SELECT link_id, server, tier, external, confirmed, corrected, new, outside, unanswered
         FROM enriched_files WHERE seq = ?1 AND provenance = ?2 AND file_id = ?3",
        (seq.0, provenance.number(), file.0),
        |row| {
            let external = unpack(&row.get::<_, Vec<u8>>("external")?);
            Ok(EnrichedFile {
                file,
                link: LinkId(row.get("link_id")?),
                server: row.get("server")?,
                tier: row.get("tier")?,
                external: external.map_err(|_| rusqlite::Error::InvalidQuery)?,
                counts: counts(row)?,
            })
        },
    )?;
    Ok(found)
}

fn counts(row: &Row<'_>) -> rusqlite::Result<SiteCounts> {
    Ok(SiteCounts {
        confirmed: row.get("confirmed")?,
        corrected: row.get("corrected")?,
        new: row.get("new")?,
        external: row.get("outside")?,
        unanswered: row.get("unanswered")?,
    })
}

/// Lines and columns.
pub type Sites = Vec<(u32, u32)>;

/// Sites of a snapshot that lead out of the repository, by file.
pub fn external_sites(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<(FileId, Sites)>> {
    let rows = sql::all(
        on,
        "SELECT file_id, external FROM enriched_files
         WHERE seq = ?1 AND length(external) > 0 ORDER BY file_id",
        [seq.0],
        |row| Ok((FileId(row.get(0)?), row.get::<_, Vec<u8>>(1)?)),
    )?;
    rows.into_iter().map(|(file, sites)| Ok((file, unpack(&sites)?))).collect()
}

/// Removes what was asked; the edges go with their layer.
pub fn forget(tx: &Tx<'_>, seq: SnapshotSeq, provenance: Provenance) -> Result<()> {
    for table in ["enriched_files", "lsp_runs"] {
        sql::run(
            tx,
            &format!("DELETE FROM {table} WHERE seq = ?1 AND provenance = ?2"),
            (seq.0, provenance.number()),
        )?;
    }
    Ok(())
}

/// Removes what was asked about one file.
pub fn forget_file(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    file: FileId,
) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM enriched_files WHERE seq = ?1 AND provenance = ?2 AND file_id = ?3",
        (seq.0, provenance.number(), file.0),
    )?;
    Ok(())
}

/// The newest snapshot of a repository, other than this one, that was enriched.
pub fn newest_before(
    on: &impl Read,
    repo: RepoId,
    seq: SnapshotSeq,
    provenance: Provenance,
) -> Result<Option<SnapshotSeq>> {
    sql::first(
        on,
        "SELECT s.seq FROM snapshots AS s WHERE s.repo_id = ?1 AND s.seq <> ?2
           AND EXISTS (SELECT 1 FROM enriched_files AS e WHERE e.seq = s.seq AND e.provenance = ?3)
         ORDER BY s.seq DESC LIMIT 1",
        (repo.0, seq.0, provenance.number()),
        |row| row.get(0).map(SnapshotSeq),
    )
}

/// What is stored of one server in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSummary {
    pub provenance: Provenance,
    /// Name and version.
    pub server: String,
    pub n_files: u64,
    pub counts: SiteCounts,
}

/// Who enriched a snapshot, and with what result.
pub fn summary(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<ServerSummary>> {
    let rows = sql::all(
        on,
        "SELECT provenance, server, count(*) AS n_files, sum(confirmed) AS confirmed,
           sum(corrected) AS corrected, sum(new) AS new, sum(outside) AS outside,
           sum(unanswered) AS unanswered
         FROM enriched_files WHERE seq = ?1 GROUP BY provenance, server
         ORDER BY provenance, server",
        [seq.0],
        |row| {
            Ok((
                row.get::<_, u8>("provenance")?,
                row.get::<_, String>("server")?,
                row.get::<_, u64>("n_files")?,
                counts(row)?,
            ))
        },
    )?;
    rows.into_iter()
        .map(|(provenance, server, n_files, counts)| {
            let provenance = Provenance::from_number(provenance).ok_or_else(damaged)?;
            Ok(ServerSummary { provenance, server, n_files, counts })
        })
        .collect()
}

/// A run of a server, or an index that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub provenance: Provenance,
    pub server: String,
    pub version: String,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub outcome: String,
    pub reason: Option<String>,
    pub requests: u64,
    pub counts: SiteCounts,
    /// Sites that were not asked yet.
    pub waiting: u64,
}

pub fn log_run(tx: &Tx<'_>, seq: SnapshotSeq, run: &RunRow) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO lsp_runs (seq, provenance, server, version, started_at, finished_at, outcome,
           reason, requests, confirmed, corrected, new, outside, unanswered, waiting)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        rusqlite::params![
            seq.0,
            run.provenance.number(),
            run.server,
            run.version,
            At(run.started_at),
            At(run.finished_at),
            run.outcome,
            run.reason,
            run.requests as i64,
            run.counts.confirmed as i64,
            run.counts.corrected as i64,
            run.counts.new as i64,
            run.counts.external as i64,
            run.counts.unanswered as i64,
            run.waiting as i64,
        ],
    )?;
    Ok(())
}

/// The runs about a snapshot, newest first.
pub fn runs(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<RunRow>> {
    sql::all(
        on,
        "SELECT * FROM lsp_runs WHERE seq = ?1 ORDER BY id DESC LIMIT 100",
        [seq.0],
        |row| {
            let provenance = Provenance::from_number(row.get("provenance")?);
            Ok(RunRow {
                provenance: provenance.ok_or(rusqlite::Error::InvalidQuery)?,
                server: row.get("server")?,
                version: row.get("version")?,
                started_at: sql::at(row, "started_at")?,
                finished_at: sql::at(row, "finished_at")?,
                outcome: row.get("outcome")?,
                reason: row.get("reason")?,
                requests: row.get("requests")?,
                counts: counts(row)?,
                waiting: row.get("waiting")?,
            })
        },
    )
}

fn pack(sites: &[(u32, u32)]) -> Vec<u8> {
    let mut packer = Packer::default();
    let mut last = 0;
    for (line, col) in sites {
        packer.signed(i64::from(*line) - last).number(u64::from(*col));
        last = i64::from(*line);
    }
    packer.finish()
}

fn unpack(bytes: &[u8]) -> Result<Vec<(u32, u32)>> {
    let mut unpacker = Unpacker::new(bytes);
    let mut sites = Vec::new();
    let mut line = 0;
    while !unpacker.is_empty() {
        line = unpacker.after(line)?;
        sites.push((line as u32, unpacker.number()? as u32));
    }
    Ok(sites)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_read_back() {
        let sites = vec![(1, 5), (1, 9), (700, 1)];
        assert_eq!(unpack(&pack(&sites)).unwrap(), sites);
        assert_eq!(unpack(&pack(&[])).unwrap(), []);
    }
}
