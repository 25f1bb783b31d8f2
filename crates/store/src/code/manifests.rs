//! Files that say how a repository is laid out, all of a commit together.
//!
//! Kept by the hash of what they say, so that commits which do not touch them
//! share one row, and a commit can be linked without looking for them.

use super::packed::{Packer, Unpacker, expand, squeeze};
use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::hash::Hash32;

/// Stores paths and texts; the hash they are found by.
pub fn keep(tx: &Tx<'_>, manifests: &[(String, String)]) -> Result<Hash32> {
    let mut packer = Packer::default();
    for (path, text) in manifests {
        packer.text(path).text(text);
    }
    let raw = packer.finish();
    let hash = Hash32::of(&raw);
    sql::run(
        tx,
        "INSERT OR IGNORE INTO manifests (hash, texts) VALUES (?1, ?2)",
        (hash.as_bytes(), squeeze(&raw)?),
    )?;
    Ok(hash)
}

/// Paths and texts, as they were given.
pub fn get(on: &impl Read, hash: Hash32) -> Result<Option<Vec<(String, String)>>> {
    let found: Option<Vec<u8>> =
        sql::first(on, "SELECT texts FROM manifests WHERE hash = ?1", [hash.as_bytes()], |row| {
            row.get(0)
        })?;
    let Some(packed) = found else { return Ok(None) };
    unpack(&packed).map(Some)
}

pub(super) fn unpack(packed: &[u8]) -> Result<Vec<(String, String)>> {
    let raw = expand(packed)?;
    let mut unpacker = Unpacker::new(&raw);
    let mut manifests = Vec::new();
    while !unpacker.is_empty() {
        manifests.push((unpacker.text()?.to_owned(), unpacker.text()?.to_owned()));
    }
    Ok(manifests)
}

/// Removes what no snapshot of any repository refers to.
pub(super) fn sweep(tx: &Tx<'_>) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM manifests
         WHERE hash NOT IN (SELECT manifests FROM snapshots WHERE manifests IS NOT NULL)",
        [],
    )?;
    Ok(())
}
