//! The commits of local repositories, kept level with their clones.
//!
//! A clone is entered once ([`register`]) and then read again and again
//! ([`CommitScan`]): only what its branches did not have the last time. After
//! a force push the commits that were left behind stay and are marked; nothing
//! is deleted. Knows nothing of symbols: that is the rest of this crate.

mod landing;
mod scan;

pub use scan::{CommitScan, ScanReport};

use git::{Remote, Repo};
use model::ids::RepoPlaceId;
use model::{Error, Result, Timestamp};
use std::path::Path;
use store::{Tx, repos};

/// A clone that can be entered: its name and its place.
#[derive(Debug, Clone)]
pub struct Clone {
    pub canonical_url: String,
    /// Root of the work tree, or the git directory of a bare repository.
    pub dir: String,
    pub is_shallow: bool,
}

/// Looks at the clone around `path`. `url` overrides the name its remotes give it.
pub fn find_clone(path: &Path, url: Option<&str>) -> Result<Clone> {
    let repo = Repo::open(path)?;
    let canonical_url = match url {
        Some(url) => named(url)?,
        None => repo.canonical_url()?,
    };
    let dir = repo.dir().to_str().ok_or_else(|| {
        Error::usage(format!("the path {} is not text", repo.dir().display()))
            .suggest("move the clone to a folder with a plain name")
    })?;
    Ok(Clone { canonical_url, dir: dir.to_owned(), is_shallow: repo.is_shallow() })
}

fn named(url: &str) -> Result<String> {
    // `host/group/name` itself, as the config may write it.
    let whole = format!("https://{url}");
    let read = Remote::parse(url).or_else(|| Remote::parse(&whole));
    read.map(|remote| remote.canonical_url()).ok_or_else(|| {
        Error::usage(format!("`{}` is no address of a repository", model::text::one_line(url, 80)))
            .suggest("write it as https://gitlab.example.com/group/project")
    })
}

/// Enters a clone; entering it again changes nothing.
pub fn register(tx: &Tx<'_>, clone: &Clone, now: Timestamp) -> Result<RepoPlaceId> {
    repos::register(tx, &clone.canonical_url, &clone.dir, clone.is_shallow, now)
}
