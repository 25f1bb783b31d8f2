//! Whether a registered clone has anything that was not read yet: its branches
//! against those of the last reading, its commit against the indexed ones.

use git::Repo;
use model::Result;
use std::path::{Path, PathBuf};
use store::code::snapshots;
use store::{Reader, repos};

/// How a clone stands against the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceState {
    Current,
    /// Branches moved, or another commit is checked out.
    Behind,
    /// The folder is gone, or holds no repository any more.
    Gone,
}

/// Directories whose changes mean that refs may have moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefDirs {
    /// With `HEAD` of this work tree.
    pub git_dir: PathBuf,
    /// With `refs`, `packed-refs` and `reftable`; the same unless linked.
    pub common_dir: PathBuf,
}

/// The registered clones, by directory.
pub fn registered(reader: &Reader) -> Result<Vec<repos::Checkout>> {
    repos::places(reader)
}

/// Where the refs of a clone lie; none where there is no repository.
pub fn ref_dirs(dir: &Path) -> Option<RefDirs> {
    let repo = Repo::open(dir).ok()?;
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Some(RefDirs { git_dir: absolute(repo.git_dir()), common_dir: absolute(repo.common_dir()) })
}

/// Compares a clone with what was read of it.
pub fn state(reader: &Reader, place: &repos::Checkout) -> Result<PlaceState> {
    let dir = Path::new(&place.dir);
    let Ok(repo) = Repo::open(dir) else { return Ok(PlaceState::Gone) };
    // Another repository lies around the folder that was registered.
    if repo.dir() != dir {
        return Ok(PlaceState::Gone);
    }
    let Ok(read) = code::history::heads(&repo) else { return Ok(PlaceState::Behind) };
    if read != repos::heads(reader, place.id)? {
        return Ok(PlaceState::Behind);
    }
    let head = match repo.head_commit() {
        Ok(Some(head)) => head,
        Ok(None) => return Ok(PlaceState::Current),
        Err(_) => return Ok(PlaceState::Behind),
    };
    let known = snapshots::by_sha_prefix(reader, place.repo, &head.to_string())?;
    Ok(if known.is_empty() { PlaceState::Behind } else { PlaceState::Current })
}
