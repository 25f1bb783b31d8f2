//! Registered local repositories: what they are called, where they lie, which
//! forge project they are a clone of, and up to where their commits were read.

use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::ids::{ProjectId, RepoId, RepoPlaceId};
use model::{Result, Timestamp};
use rusqlite::Row;
use std::collections::BTreeMap;
use std::path::Path;

/// A repository, whatever the number of its clones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    pub id: RepoId,
    /// `host/group/name`, or `local/<first commit>`.
    pub canonical_url: String,
    pub project: Option<ProjectId>,
    /// Path of that project.
    pub project_path: Option<String>,
    /// `refs/remotes/origin/main`.
    pub main_branch: Option<String>,
    /// The commit of it up to which landings are known.
    pub main_sha: Option<String>,
    /// End of the last reading of its commits.
    pub scanned_at: Option<Timestamp>,
}

/// How the name of a repository without a remote begins.
pub const LOCAL: &str = "local/";

/// What a repository is called here: its name, or the folder of a clone where the
/// name says nothing (`local/<first commit>`) and the folder is not that of another.
pub fn label(repo: &Repo, places: &[Checkout]) -> String {
    if !repo.canonical_url.starts_with(LOCAL) {
        return repo.canonical_url.clone();
    }
    let own = places.iter().filter(|place| place.repo == repo.id).find_map(folder);
    let is_alone =
        |name: &str| places.iter().all(|it| it.repo == repo.id || folder(it) != Some(name));
    own.filter(|name| is_alone(name)).map_or_else(|| repo.canonical_url.clone(), str::to_owned)
}

/// What repositories without a remote are called here, by the names they are
/// stored under.
pub fn labels(on: &impl Read) -> Result<BTreeMap<String, String>> {
    let (all, places) = (all(on)?, places(on)?);
    let local = all.iter().filter(|repo| repo.canonical_url.starts_with(LOCAL));
    Ok(local.map(|repo| (repo.canonical_url.clone(), label(repo, &places))).collect())
}

/// The name of a clone's folder.
pub fn folder(place: &Checkout) -> Option<&str> {
    Path::new(&place.dir).file_name().and_then(|name| name.to_str())
}

/// One clone or work tree of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub id: RepoPlaceId,
    pub repo: RepoId,
    pub dir: String,
    pub is_shallow: bool,
    /// Somebody gave the repository its name; the remotes of the clone did not.
    pub is_named: bool,
}

/// A clone or work tree to be registered.
#[derive(Debug, Clone, Copy)]
pub struct NewPlace<'a> {
    pub dir: &'a str,
    pub is_named: bool,
    pub is_shallow: bool,
}

const COLUMNS: &str =
    "r.id, r.canonical_url, r.project_id, r.main_branch, r.main_sha, r.scanned_at,
  (SELECT path FROM projects WHERE id = r.project_id) AS project_path";

fn read(row: &Row<'_>) -> rusqlite::Result<Repo> {
    Ok(Repo {
        id: RepoId(row.get("id")?),
        canonical_url: row.get("canonical_url")?,
        project: row.get::<_, Option<i64>>("project_id")?.map(ProjectId),
        project_path: row.get("project_path")?,
        main_branch: row.get("main_branch")?,
        main_sha: row.get("main_sha")?,
        scanned_at: sql::maybe_at(row, "scanned_at")?,
    })
}

/// All repositories, by name.
pub fn all(on: &impl Read) -> Result<Vec<Repo>> {
    sql::all(on, &format!("SELECT {COLUMNS} FROM repos AS r ORDER BY canonical_url"), [], read)
}

pub fn get(on: &impl Read, id: RepoId) -> Result<Option<Repo>> {
    sql::first(on, &format!("SELECT {COLUMNS} FROM repos AS r WHERE id = ?1"), [id.0], read)
}

/// Every place, by directory. A database that came with a clone cannot say
/// which other folders of this machine to look into.
pub fn places(on: &impl Read) -> Result<Vec<Checkout>> {
    let sql = "SELECT id, repo_id, dir, is_shallow, is_named FROM repo_places ORDER BY dir";
    let mut places = sql::all(on, sql, [], |row| {
        Ok(Checkout {
            id: RepoPlaceId(row.get(0)?),
            repo: RepoId(row.get(1)?),
            dir: row.get(2)?,
            is_shallow: row.get(3)?,
            is_named: row.get(4)?,
        })
    })?;
    places.retain(|place| on.belief().is_none_or(|belief| belief.covers_folder(&place.dir)));
    Ok(places)
}

/// The repository a place belongs to.
pub fn repo_of_place(on: &impl Read, place: RepoPlaceId) -> Result<RepoId> {
    sql::one(on, "SELECT repo_id FROM repo_places WHERE id = ?1", [place.0], |row| {
        row.get(0).map(RepoId)
    })
}

/// Registers a clone under the name of its repository. A directory that held
/// another repository before is registered anew.
pub fn register(
    tx: &Tx<'_>,
    canonical_url: &str,
    place: &NewPlace<'_>,
    now: Timestamp,
) -> Result<RepoPlaceId> {
    let NewPlace { dir, is_named, is_shallow } = *place;
    sql::run(tx, "INSERT OR IGNORE INTO repos (canonical_url) VALUES (?1)", [canonical_url])?;
    let repo: i64 =
        sql::one(tx, "SELECT id FROM repos WHERE canonical_url = ?1", [canonical_url], |row| {
            row.get(0)
        })?;
    sql::run(tx, "DELETE FROM repo_places WHERE dir = ?1 AND repo_id <> ?2", (dir, repo))?;
    if !is_shallow {
        forget_heads_of_shallow(tx, repo, dir)?;
    }
    sql::run(
        tx,
        "INSERT INTO repo_places (repo_id, dir, is_shallow, is_named, added_at)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (dir) DO UPDATE SET
           is_shallow = excluded.is_shallow, is_named = excluded.is_named",
        (repo, dir, is_shallow, is_named, At(now)),
    )?;
    drop_homeless(tx, now)?;
    match_projects(tx)?;
    sql::one(tx, "SELECT id FROM repo_places WHERE dir = ?1", [dir], |row| {
        row.get(0).map(RepoPlaceId)
    })
}

/// Of a clone that was shallow and has its whole history now: older commits came without
/// any branch moving, so all branches are read once more.
fn forget_heads_of_shallow(tx: &Tx<'_>, repo: i64, dir: &str) -> Result<()> {
    let forgotten = sql::run(
        tx,
        "DELETE FROM repo_heads WHERE place_id IN
           (SELECT id FROM repo_places WHERE dir = ?1 AND is_shallow)",
        [dir],
    )?;
    if forgotten > 0 {
        sql::run(tx, "UPDATE repos SET main_sha = NULL WHERE id = ?1", [repo])?;
    }
    Ok(())
}

/// Forgets a place; with the last place of a repository its commits go too.
pub fn remove_place(tx: &Tx<'_>, place: RepoPlaceId, now: Timestamp) -> Result<()> {
    sql::run(tx, "DELETE FROM repo_places WHERE id = ?1", [place.0])?;
    drop_homeless(tx, now)
}

/// Repositories without a place, after telling whoever made documents of them.
fn drop_homeless(tx: &Tx<'_>, now: Timestamp) -> Result<()> {
    const HOMELESS: &str = "SELECT id FROM repos AS r
      WHERE NOT EXISTS (SELECT 1 FROM repo_places WHERE repo_id = r.id)";
    sql::run(
        tx,
        &format!(
            "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
             SELECT 'commit', id, ?1 FROM git_commits WHERE repo_id IN ({HOMELESS})"
        ),
        [At(now)],
    )?;
    sql::run(
        tx,
        &format!("UPDATE git_commits SET landed_id = NULL WHERE repo_id IN ({HOMELESS})"),
        [],
    )?;
    sql::run(tx, &format!("DELETE FROM repos WHERE id IN ({HOMELESS})"), [])?;
    Ok(())
}

/// Ties repositories to the projects they are clones of: by host and path
/// (any path the project ever had here), or by the address of its page, which
/// differs where a GitLab lives below a path of its host.
pub fn match_projects(tx: &Tx<'_>) -> Result<()> {
    sql::run(
        tx,
        "UPDATE repos SET project_id = (
           SELECT p.id FROM projects AS p
           LEFT JOIN project_paths AS pp ON pp.project_id = p.id
           WHERE repos.canonical_url IN (p.host || '/' || p.path, p.host || '/' || pp.path,
             substr(p.web_url, instr(p.web_url, '://') + 3))
             -- The project's host has no port; the clone's name may.
             OR (instr(repos.canonical_url, p.host || ':') = 1
               AND substr(repos.canonical_url, instr(repos.canonical_url, '/') + 1)
                 IN (p.path, pp.path))
           ORDER BY p.gone_at IS NOT NULL, p.path <> substr(repos.canonical_url,
             instr(repos.canonical_url, '/') + 1), p.id
           LIMIT 1)
         WHERE substr(canonical_url, 1, 6) <> 'local/'",
        [],
    )?;
    Ok(())
}

/// The branches of a place as they were read last, by name.
pub fn heads(on: &impl Read, place: RepoPlaceId) -> Result<Vec<(String, String)>> {
    sql::all(
        on,
        "SELECT name, sha FROM repo_heads WHERE place_id = ?1 ORDER BY name",
        [place.0],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// The heads of all other places of the same repository.
pub fn heads_elsewhere(on: &impl Read, place: RepoPlaceId) -> Result<Vec<String>> {
    sql::all(
        on,
        "SELECT DISTINCT h.sha FROM repo_heads AS h
         JOIN repo_places AS p ON p.id = h.place_id
         WHERE p.repo_id = (SELECT repo_id FROM repo_places WHERE id = ?1) AND p.id <> ?1
         ORDER BY h.sha",
        [place.0],
        |row| row.get(0),
    )
}

/// What a reading of a place ended with.
#[derive(Debug, Clone)]
pub struct ScanOutcome<'a> {
    pub heads: &'a [(String, String)],
    pub main_branch: Option<&'a str>,
    pub main_sha: Option<&'a str>,
    pub at: Timestamp,
}

pub fn mark_scanned(
    tx: &Tx<'_>,
    repo: RepoId,
    place: RepoPlaceId,
    scanned: &ScanOutcome<'_>,
) -> Result<()> {
    sql::run(tx, "DELETE FROM repo_heads WHERE place_id = ?1", [place.0])?;
    for (name, sha) in scanned.heads {
        sql::run(
            tx,
            "INSERT INTO repo_heads (place_id, name, sha) VALUES (?1, ?2, ?3)",
            (place.0, name, sha),
        )?;
    }
    sql::run(
        tx,
        "UPDATE repos SET main_branch = ?2, main_sha = ?3, scanned_at = ?4 WHERE id = ?1",
        (repo.0, scanned.main_branch, scanned.main_sha, At(scanned.at)),
    )?;
    Ok(())
}
