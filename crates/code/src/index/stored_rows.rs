//! Rows of packages and files that do not change once they are written, kept while many
//! commits are indexed.

use model::Result;
use model::ids::{FileId, PackageId, PackageVersionId, SnapshotSeq};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use store::Reader;
use store::code::files::{self, FileRow};
use store::code::snapshots::{self, PackageVersion, Packages};

/// Rows of a kind that are kept; with more, all are read again.
const MOST_ROWS: usize = 200_000;
const MOST_VERSIONS: usize = 20_000;
/// Lists of packages that are kept: parents are rarely far away.
const MOST_SNAPSHOTS: usize = 32;

#[derive(Default)]
pub struct StoredRows {
    versions: FxHashMap<PackageVersionId, Arc<PackageVersion>>,
    files: FxHashMap<FileId, FileRow>,
    snapshots: FxHashMap<SnapshotSeq, Packages>,
}

impl StoredRows {
    /// The packages of a snapshot.
    pub fn packages(&mut self, reader: &Reader, seq: SnapshotSeq) -> Result<Packages> {
        match self.snapshots.get(&seq) {
            Some(known) => Ok(known.clone()),
            None => snapshots::packages(reader, seq),
        }
    }

    pub fn know_packages(&mut self, seq: SnapshotSeq, packages: &Packages) {
        if self.snapshots.len() >= MOST_SNAPSHOTS {
            self.snapshots.clear();
        }
        self.snapshots.insert(seq, packages.clone());
    }

    pub fn version(
        &mut self,
        reader: &Reader,
        id: PackageVersionId,
    ) -> Result<Arc<PackageVersion>> {
        if let Some(known) = self.versions.get(&id) {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(snapshots::version(reader, id)?);
        self.know_version(id, &read);
        Ok(read)
    }

    pub fn know_version(&mut self, id: PackageVersionId, version: &Arc<PackageVersion>) {
        if self.versions.len() >= MOST_VERSIONS {
            self.versions.clear();
        }
        self.versions.insert(id, Arc::clone(version));
    }

    /// The rows of files; those that are missing have none.
    pub fn files(
        &mut self,
        reader: &Reader,
        wanted: &[FileId],
    ) -> Result<FxHashMap<FileId, FileRow>> {
        let missing: Vec<FileId> =
            wanted.iter().filter(|id| !self.files.contains_key(id)).copied().collect();
        if self.files.len() + missing.len() > MOST_ROWS {
            let rows = files::rows(reader, wanted.iter().copied())?;
            return Ok(rows.into_iter().map(|row| (row.id, row)).collect());
        }
        if !missing.is_empty() {
            let rows = files::rows(reader, missing)?;
            self.files.extend(rows.into_iter().map(|row| (row.id, row)));
        }
        let known = wanted.iter().filter_map(|id| Some((*id, self.files.get(id)?.clone())));
        Ok(known.collect())
    }
}

/// The packages of one snapshot.
pub type Versions = std::collections::BTreeMap<PackageId, Arc<PackageVersion>>;
