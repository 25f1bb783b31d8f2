//! Which repository and which snapshot of it a question is about, and how
//! fresh that is.

use super::overlay::Overlay;
use super::work_tree_snapshot;
use git::Repo;
use model::ids::SnapshotSeq;
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use store::code::snapshots::{self, Snapshot};
use store::{Reader, repos};

/// What people said about repository and time.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeRequest<'a> {
    /// A repository's name or an ending of it.
    pub repo: Option<&'a str>,
    /// A commit, branch, tag, or `@12` for a snapshot by number.
    pub at: Option<&'a str>,
    /// Where the question is asked: the repository around it is meant.
    pub here: Option<&'a Path>,
}

/// A repository at one snapshot.
#[derive(Debug, Clone)]
pub struct Scope {
    pub repo: repos::Repo,
    pub snapshot: Snapshot,
    /// A directory of the repository on this machine.
    pub dir: Option<String>,
    /// The commit checked out there, when it is not the one answered from.
    pub newer_head: Option<String>,
    /// What was edited since; see [`Scope::over_work_tree`].
    pub overlay: Option<Arc<Overlay>>,
    /// The work tree was compared with the snapshot.
    pub is_over_tree: bool,
}

/// Where an answer stands: part of every answer about code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotContext {
    pub repo: String,
    /// What the repository is called here: as `repo`, or by the folder of its
    /// clone where that is a hash.
    pub name: String,
    pub commit: String,
    pub snapshot: SnapshotSeq,
    pub indexed_at: Timestamp,
    /// The answer is of a work tree with uncommitted changes.
    pub is_work_tree: bool,
    /// More was edited since than could be followed: lines may be off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    /// The commit checked out now, when it is another one than answered from.
    pub stale_against: Option<String>,
}

/// What a look through the work tree found, for who asks again before anything happened.
#[derive(Debug, Clone)]
pub struct TreeState {
    of: (SnapshotSeq, String),
    overlay: Option<Arc<Overlay>>,
    is_of_tree: bool,
}

impl Scope {
    /// What [`Scope::over_work_tree`] found; none where it could not compare.
    pub fn tree_state(&self) -> Option<TreeState> {
        let is_of_tree = self.newer_head.is_none();
        let state = TreeState { of: self.state_of(), overlay: self.overlay.clone(), is_of_tree };
        self.is_over_tree.then_some(state)
    }

    /// The number alone is that of another commit in another database.
    fn state_of(&self) -> (SnapshotSeq, String) {
        (self.snapshot.seq, self.snapshot.sha.clone())
    }

    /// Takes over the edits that were found before; false where they were found over
    /// another snapshot.
    pub fn take_tree_state(&mut self, state: &TreeState) -> bool {
        let is_same = state.of == self.state_of();
        if is_same {
            self.overlay.clone_from(&state.overlay);
            self.is_over_tree = true;
            if state.is_of_tree {
                self.newer_head = None;
            }
        }
        is_same
    }

    /// What the repository is called here.
    fn name(&self) -> String {
        let is_hash = self.repo.canonical_url.starts_with(store::repos::LOCAL);
        let folder = self.dir.as_deref().filter(|_| is_hash).and_then(|dir| dir.rsplit('/').next());
        folder.map_or_else(|| self.repo.canonical_url.clone(), str::to_owned)
    }

    pub fn standing(&self) -> SnapshotContext {
        SnapshotContext {
            repo: self.repo.canonical_url.clone(),
            name: self.name(),
            commit: self.snapshot.sha.clone(),
            snapshot: self.snapshot.seq,
            indexed_at: self.snapshot.created_at,
            is_work_tree: self.snapshot.work_tree.is_some()
                || self.overlay.as_ref().is_some_and(|it| !it.is_beyond),
            is_stale: self.overlay.as_ref().is_some_and(|it| it.is_beyond),
            stale_against: self.newer_head.clone(),
        }
    }
}

/// Finds what is asked about; an error with what to run where it is not indexed.
pub fn resolve(reader: &Reader, asked: &ScopeRequest<'_>) -> Result<Scope> {
    let (repo, dir) = repository(reader, asked)?;
    let (snapshot, newer_head) = match asked.at {
        Some(at) => (named(reader, &repo, dir.as_deref(), at)?, None),
        None => current(reader, &repo, dir.as_deref())?,
    };
    Ok(Scope { repo, snapshot, dir, newer_head, overlay: None, is_over_tree: false })
}

/// The same for the folder around, without running git and without looking at the
/// work tree; none where it is not indexed.
pub(crate) fn resolve_quickly(reader: &Reader, here: &Path) -> Result<Option<Scope>> {
    let places = repos::places(reader)?;
    let Some(place) = crate::repos::place_around(&places, here) else { return Ok(None) };
    let Some(repo) = repos::get(reader, place.repo)? else { return Ok(None) };
    let head = Repo::known(Path::new(&place.dir)).head_in_files().map(|id| id.to_string());
    let of_head = match &head {
        Some(head) => snapshots::by_sha_prefix(reader, repo.id, head)?.into_iter().next(),
        None => None,
    };
    let (snapshot, newer_head) = match of_head {
        Some(snapshot) => (Some(snapshot), None),
        None => (snapshots::latest(reader, repo.id)?, head),
    };
    let dir = Some(place.dir.clone());
    Ok(snapshot.map(|snapshot| Scope {
        repo,
        snapshot,
        dir,
        newer_head,
        overlay: None,
        is_over_tree: false,
    }))
}

fn nothing_indexed() -> Error {
    Error::new(ErrorCode::NotIndexed, "no code is indexed yet").suggest("run: lore index")
}

fn not_indexed_here(clone: &Path) -> Error {
    let name = clone.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    Error::new(ErrorCode::NotIndexed, format!("the clone `{name}` is not indexed yet"))
        .suggest("run: lore index; or choose another repository with -r")
}

/// The repository that is meant, and where it lies.
pub fn repository(
    reader: &Reader,
    asked: &ScopeRequest<'_>,
) -> Result<(repos::Repo, Option<String>)> {
    let all = repos::all(reader)?;
    let places = repos::places(reader)?;
    if let Some(name) = asked.repo {
        let repo = crate::repos::choose(&all, &places, name)?.clone();
        let dir = places.into_iter().find(|place| place.repo == repo.id).map(|place| place.dir);
        return Ok((repo, dir));
    }
    let around = asked.here.and_then(|here| crate::repos::place_around(&places, here));
    if let Some(place) = around {
        let repo = all.into_iter().find(|repo| repo.id == place.repo);
        return repo.map(|repo| (repo, Some(place.dir.clone()))).ok_or_else(nothing_indexed);
    }
    if let Some(clone) = asked.here.and_then(crate::repos::clone_around) {
        // Answers of another repository would be taken for answers about this one.
        return Err(not_indexed_here(&clone));
    }
    let mut indexed = Vec::new();
    for repo in all {
        if snapshots::latest(reader, repo.id)?.is_some() {
            indexed.push(repo);
        }
    }
    match indexed.len() {
        0 => Err(nothing_indexed()),
        1 => {
            let repo = indexed.remove(0);
            let dir = places.into_iter().find(|place| place.repo == repo.id).map(|place| place.dir);
            Ok((repo, dir))
        }
        n => {
            let names: Vec<String> =
                indexed.iter().map(|repo| crate::repos::label(repo, &places)).collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("{n} repositories are indexed: {}", names.join(", ")),
            )
            .suggest(format!("choose one, e.g. -r {}", names[0])))
        }
    }
}

/// A snapshot people named.
fn named(reader: &Reader, repo: &repos::Repo, dir: Option<&str>, at: &str) -> Result<Snapshot> {
    if let Some(number) = at.strip_prefix('@').and_then(|text| text.parse::<i64>().ok()) {
        return snapshots::get(reader, SnapshotSeq(number))?
            .filter(|snapshot| snapshot.repo == repo.id)
            .ok_or_else(|| {
                Error::not_found(format!("{} has no snapshot @{number}", repo.canonical_url))
                    .suggest("list them: lore snapshots")
            });
    }
    let is_hash = at.len() >= 7 && at.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash {
        let found = snapshots::by_sha_prefix(reader, repo.id, &at.to_lowercase())?;
        if let Some(snapshot) = found.into_iter().next() {
            return Ok(snapshot);
        }
    }
    let commit = match dir {
        Some(dir) => Repo::known(Path::new(dir)).resolve(at)?.to_string(),
        None => at.to_lowercase(),
    };
    let found = snapshots::by_sha_prefix(reader, repo.id, &commit)?;
    found.into_iter().next().ok_or_else(|| {
        let short: String = commit.chars().take(10).collect();
        Error::new(ErrorCode::NotIndexed, format!("commit {short} is not indexed"))
            .suggest(format!("run: lore index --at {at}; or add --index to the question"))
    })
}

/// The snapshot of the commit checked out, or the newest one and what it lacks.
fn current(
    reader: &Reader,
    repo: &repos::Repo,
    dir: Option<&str>,
) -> Result<(Snapshot, Option<String>)> {
    let head = dir
        .filter(|dir| Path::new(dir).is_dir())
        .and_then(|dir| {
            let repo = Repo::known(Path::new(dir));
            // Files say it faster than git, which is asked where they do not.
            repo.head_in_files().or_else(|| repo.head_commit().ok().flatten())
        })
        .map(|commit| commit.to_string());
    let of_head = match &head {
        Some(head) => snapshots::by_sha_prefix(reader, repo.id, head)?.into_iter().next(),
        None => None,
    };
    if let (Some(head), Some(dir)) = (&head, dir)
        && let Some(snapshot) = snapshots::of_work_tree(reader, repo.id, dir)?
        && snapshot.sha == *head
        && work_tree_snapshot::is_current(reader, (&snapshot, of_head.as_ref()), dir)?
    {
        return Ok((snapshot, None));
    }
    if let Some(snapshot) = of_head {
        return Ok((snapshot, None));
    }
    if let Some(latest) = snapshots::latest(reader, repo.id)? {
        return Ok((latest, head));
    }
    let name = crate::repos::label(repo, &repos::places(reader)?);
    Err(Error::new(ErrorCode::NotIndexed, format!("{name} is not indexed yet"))
        .suggest("run: lore index"))
}
