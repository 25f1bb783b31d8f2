//! The commits of local repositories, kept level with their clones.
//!
//! A clone is registered once ([`register`]) and then read again and again
//! ([`CommitScan`]): only what its branches did not have the last time. After
//! a force push the commits that were left behind stay and are marked; nothing
//! is deleted. Knows nothing of symbols: that is the rest of this crate.

mod landing;
mod scan;

pub use scan::{CommitScan, ScanReport, heads};

use git::{ObjectId, Remote, Repo};
use model::ids::RepoPlaceId;
use model::{Error, Result, Timestamp};
use std::path::Path;
use store::repos::Checkout;
use store::{Read, Tx, repos};

/// A clone on this machine, before it is known under which identity it is kept.
#[derive(Debug, Clone)]
pub struct CloneLocation {
    repo: Repo,
    /// Root of the work tree, or the git directory of a bare repository.
    dir: String,
    /// What somebody or a remote calls it.
    name: Option<String>,
    /// Somebody gave it this name; its remotes may say otherwise.
    is_named: bool,
}

/// A clone that can be registered: its identity and its place.
#[derive(Debug, Clone)]
pub struct Clone {
    pub canonical_url: String,
    pub is_named: bool,
    pub dir: String,
    pub is_shallow: bool,
}

/// Looks at the clone around `path`. `url` overrides the name its remotes give it.
pub fn find_clone(path: &Path, url: Option<&str>) -> Result<CloneLocation> {
    let repo = Repo::open(path)?;
    let name = match url {
        Some(url) => Some(named(url)?),
        None => repo.remote()?.map(|remote| remote.canonical_url()),
    };
    if name.is_none() && repo.head()?.commit.is_none() {
        // The same words as where the name is made.
        repo.canonical_url()?;
    }
    let dir = repo.dir().to_str().ok_or_else(|| {
        Error::usage(format!("the path {} is not text", repo.dir().display()))
            .suggest("move the clone to a folder with a plain name")
    })?;
    Ok(CloneLocation { dir: dir.to_owned(), name, is_named: url.is_some(), repo })
}

fn named(url: &str) -> Result<String> {
    Remote::parse_name(url).map(|remote| remote.canonical_url()).ok_or_else(|| {
        Error::usage(format!("`{}` is no address of a repository", model::text::one_line(url, 80)))
            .suggest("write it as https://gitlab.example.com/group/project")
    })
}

/// The identity of a clone, whichever command meets it first or again: the name
/// somebody gives it now; else the one somebody gave it before; else the one of
/// its remote; else, without a remote, the one it is registered under. What is
/// registered counts only while the folder still holds that repository.
///
/// Without this a clone would change its name with the commands that meet it,
/// with the branch that is checked out (`local/<first commit>` of that branch)
/// and with the depth of its history.
pub fn identify(on: &impl Read, clone: &CloneLocation) -> Result<Clone> {
    let (canonical_url, is_named) = match (&clone.name, registered(on, clone)?) {
        (Some(name), _) if clone.is_named => (name.clone(), true),
        (_, Some((name, true))) => (name, true),
        (Some(name), _) => (name.clone(), false),
        (None, Some((name, false))) => (name, false),
        (None, None) => (clone.repo.canonical_url()?, false),
    };
    let (dir, is_shallow) = (clone.dir.clone(), clone.repo.is_shallow());
    Ok(Clone { canonical_url, is_named, dir, is_shallow })
}

/// The name the clone is registered under, and whether somebody gave it that.
fn registered(on: &impl Read, clone: &CloneLocation) -> Result<Option<(String, bool)>> {
    let places = repos::places(on)?;
    let by_dir = places.iter().find(|place| place.dir == clone.dir);
    let place = by_dir.or_else(|| places.iter().find(|place| is_linked(place, clone)));
    let Some(place) = place else { return Ok(None) };
    if !holds(on, place, clone)? {
        return Ok(None);
    }
    let repo = repos::get(on, place.repo)?;
    Ok(repo.map(|repo| (repo.canonical_url, place.is_named)))
}

/// Whether a clone is another work tree of a registered place.
fn is_linked(place: &Checkout, clone: &CloneLocation) -> bool {
    let (dir, common_dir) = (Path::new(&place.dir), clone.repo.common_dir());
    common_dir == dir || common_dir == dir.join(".git")
}

/// Whether the clone still has what was read of the place. A folder whose
/// repository was replaced by another one has none of it.
fn holds(on: &impl Read, place: &Checkout, clone: &CloneLocation) -> Result<bool> {
    let heads = repos::heads(on, place.id)?;
    let heads: Vec<ObjectId> = heads.iter().filter_map(|(_, sha)| ObjectId::parse(sha)).collect();
    Ok(heads.is_empty() || !clone.repo.existing(&heads)?.is_empty())
}

/// Whether the remote of a registered clone calls it otherwise now: it was set or
/// changed, or an older lore misread it.
pub fn is_renamed(on: &impl Read, place: &Checkout) -> Result<bool> {
    if place.is_named {
        return Ok(false);
    }
    let repo = repos::get(on, place.repo)?;
    let remote = Repo::known(Path::new(&place.dir)).remote().ok().flatten();
    Ok(remote.is_some_and(|remote| {
        repo.is_some_and(|repo| repo.canonical_url != remote.canonical_url())
    }))
}

/// Registers a clone under its identity ([`identify`]); again changes nothing.
pub fn register(tx: &Tx<'_>, clone: &Clone, now: Timestamp) -> Result<RepoPlaceId> {
    let Clone { canonical_url, dir, is_named, is_shallow } = clone;
    let place = repos::NewPlace { dir, is_named: *is_named, is_shallow: *is_shallow };
    repos::register(tx, canonical_url, &place, now)
}
