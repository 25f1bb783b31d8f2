//! The files of a work tree in place of those of its commit.

use git::{FileMode, ObjectId, Repo, RepoPath, TreeEntry};
use model::hash::Hash32;
use model::{Error, Result};
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::path::Path;

/// Larger files are not read; their size alone leaves them out.
const LARGEST: u64 = 16 << 20;

/// Changes the list of files to what the work tree has; the bytes of what
/// differs, by path.
pub fn overlay(repo: &Repo, tree: &mut Vec<TreeEntry>) -> Result<BTreeMap<String, Vec<u8>>> {
    let Some(dir) = repo.work_tree() else { return Ok(BTreeMap::new()) };
    let is_sha256 = tree.first().is_some_and(|entry| entry.id.as_bytes().len() == 32);
    let mut bytes_of = BTreeMap::new();
    let touched = repo.touched()?;
    tree.retain(|entry| touched.binary_search(&entry.path).is_err());
    for path in touched {
        let Some(Touched { id, size, bytes }) = read(dir, &path, is_sha256)? else { continue };
        let text = path.text().into_owned();
        tree.push(TreeEntry { path, mode: FileMode::File, id, size });
        bytes_of.insert(text, bytes);
    }
    tree.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(bytes_of)
}

/// What the work tree has at a path; none where it has no file there.
pub struct Touched {
    pub id: ObjectId,
    pub size: u64,
    pub bytes: Vec<u8>,
}

/// Every path of the work tree that may not be what the commit has.
pub fn touched(repo: &Repo, is_sha256: bool) -> Result<Vec<(String, Option<Touched>)>> {
    let Some(dir) = repo.work_tree() else { return Ok(Vec::new()) };
    let touched = repo.touched()?.into_iter();
    touched.map(|path| Ok((path.text().into_owned(), read(dir, &path, is_sha256)?))).collect()
}

fn read(dir: &Path, path: &RepoPath, is_sha256: bool) -> Result<Option<Touched>> {
    let place = dir.join(path.to_path());
    // Deleted, or replaced by a folder or a link.
    let Ok(about) = std::fs::symlink_metadata(&place) else { return Ok(None) };
    if !about.is_file() {
        return Ok(None);
    }
    let bytes = if about.len() > LARGEST {
        Vec::new()
    } else {
        std::fs::read(&place).map_err(|error| {
            Error::internal(format!("cannot read {}", place.display())).caused_by(error)
        })?
    };
    Ok(Some(Touched { id: blob_id(&bytes, is_sha256)?, size: about.len(), bytes }))
}

/// The name git would give the bytes, so that a later commit of them is known.
fn blob_id(bytes: &[u8], is_sha256: bool) -> Result<ObjectId> {
    let head = format!("blob {}\0", bytes.len());
    let whole = [head.as_bytes(), bytes].concat();
    let hex = if is_sha256 {
        Hash32::of(&whole).to_string()
    } else {
        Sha1::digest(&whole).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    ObjectId::parse(&hex).ok_or_else(|| Error::internal("a hash is no name of an object"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_gits() {
        assert_eq!(
            blob_id(b"hello\n", false).unwrap().to_string(),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }
}
