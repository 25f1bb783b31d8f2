//! What became of context packs: which were given, what was said of their
//! symbols, and what earlier tasks ended up with.

use crate::code::{files, snapshots};
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::hash::Hash32;
use model::ids::{RepoId, SnapshotSeq};
use model::{Result, Timestamp, vocabulary};
use serde::{Deserialize, Serialize};
use std::time::Duration;

vocabulary! {
    /// What was said of a symbol of a pack, or done with it.
    pub enum Verdict {
        Useful = "useful",
        Noise = "noise",
        /// Asked about afterwards.
        Used = "used",
        /// Left alone while others of the pack were asked about.
        Ignored = "ignored",
    }
}

impl Verdict {
    /// Somebody said so.
    pub const fn is_explicit(self) -> bool {
        matches!(self, Self::Useful | Self::Noise)
    }

    /// From 0, noise, to 1; one half says nothing.
    pub const fn value(self) -> f64 {
        match self {
            Self::Useful => 1.0,
            Self::Used => 0.75,
            Self::Ignored => 0.4,
            Self::Noise => 0.0,
        }
    }
}

/// A symbol of a pack that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenSymbol {
    /// Qualified.
    pub name: String,
    pub path: String,
}

/// A pack that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenPack {
    pub pack_root: String,
    pub repo: RepoId,
    pub seq: SnapshotSeq,
    /// Its first line.
    pub task: String,
    /// Best first.
    pub symbols: Vec<GivenSymbol>,
}

/// Packs that feedback can still be about.
const MOST_PACKS: i64 = 2000;

/// Keeps a pack, so that feedback can name it.
pub fn keep_pack(tx: &Tx<'_>, pack: &GivenPack, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO packs (pack_root, repo_id, task, symbols, given_at)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (pack_root) DO UPDATE SET given_at = excluded.given_at",
        (&pack.pack_root, pack.repo.0, &pack.task, symbols_text(pack), At(now)),
    )?;
    sql::run(
        tx,
        "DELETE FROM packs WHERE pack_root IN
           (SELECT pack_root FROM packs ORDER BY given_at DESC LIMIT -1 OFFSET ?1)",
        [MOST_PACKS],
    )?;
    Ok(())
}

/// The snapshot goes with the symbols: packages are looked up in it.
fn symbols_text(pack: &GivenPack) -> String {
    serde_json::json!({ "seq": pack.seq, "symbols": pack.symbols }).to_string()
}

/// What stands for the root of the pack that was given last.
pub const LAST: &str = "last";

/// Packs whose root begins so, newest first; for [`LAST`] only the newest, of one
/// repository where it is known in which somebody stands.
pub fn packs(on: &impl Read, start: &str, here: Option<RepoId>) -> Result<Vec<GivenPack>> {
    #[derive(Deserialize)]
    struct PackContent {
        seq: SnapshotSeq,
        symbols: Vec<GivenSymbol>,
    }
    let (start, most, here) = if start == LAST { ("", 1, here) } else { (start, 20, None) };
    let is_root = !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_hexdigit());
    if most > 1 && !is_root {
        return Ok(Vec::new());
    }
    let rows = sql::all(
        on,
        "SELECT pack_root, repo_id, task, symbols FROM packs
         WHERE pack_root LIKE ?1 || '%' AND (?3 IS NULL OR repo_id = ?3)
         ORDER BY given_at DESC, pack_root LIMIT ?2",
        (start.to_lowercase(), most, here.map(|repo| repo.0)),
        |row| Ok((row.get(0)?, RepoId(row.get(1)?), row.get(2)?, row.get::<_, String>(3)?)),
    )?;
    let read = |(pack_root, repo, task, kept): (String, RepoId, String, String)| {
        let kept: PackContent = serde_json::from_str(&kept).ok()?;
        Some(GivenPack { pack_root, repo, seq: kept.seq, task, symbols: kept.symbols })
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

/// The folder of a path: the package of what is defined in it.
fn package_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn root_of(
    on: &impl Read,
    repo: RepoId,
    seq: SnapshotSeq,
    package: &str,
) -> Result<Option<Hash32>> {
    let Some(package) = files::find_package(on, repo, package)? else { return Ok(None) };
    let Some(version) = snapshots::package_in(on, seq, package)? else { return Ok(None) };
    Ok(Some(snapshots::version(on, version)?.root))
}

/// Records what was said of a symbol of a pack, or done with it. What somebody said
/// stands against what was only seen. False where its package is gone.
pub fn record(
    tx: &Tx<'_>,
    pack: &GivenPack,
    symbol: &GivenSymbol,
    verdict: Verdict,
    now: Timestamp,
) -> Result<bool> {
    let package = package_of(&symbol.path);
    let Some(root) = root_of(tx, pack.repo, pack.seq, package)? else { return Ok(false) };
    sql::run(
        tx,
        "INSERT INTO feedback (repo_id, symbol, pack_root, verdict, package, package_root, given_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (repo_id, symbol, pack_root) DO UPDATE SET
           verdict = excluded.verdict, package = excluded.package,
           package_root = excluded.package_root, given_at = excluded.given_at
         WHERE ?8 OR verdict IN ('used', 'ignored')",
        rusqlite::params![
            pack.repo.0,
            symbol.name,
            pack.pack_root,
            verdict.as_str(),
            package,
            root.as_bytes(),
            At(now),
            verdict.is_explicit(),
        ],
    )?;
    Ok(true)
}

/// What was said of the symbols of a repository, as far as their packages are in
/// the snapshot as they were then.
pub fn verdicts(on: &impl Read, repo: RepoId, seq: SnapshotSeq) -> Result<Vec<(String, Verdict)>> {
    let rows = sql::all(
        on,
        "SELECT symbol, verdict, package, package_root FROM feedback
         WHERE repo_id = ?1 ORDER BY package, symbol, pack_root",
        [repo.0],
        |row| {
            let verdict = sql::word::<Verdict>(row, "verdict")?;
            Ok((row.get::<_, String>(0)?, verdict, row.get::<_, String>(2)?, Hash32(row.get(3)?)))
        },
    )?;
    let mut found = Vec::new();
    let mut last: Option<(String, Option<Hash32>)> = None;
    for (symbol, verdict, package, root) in rows {
        if last.as_ref().is_none_or(|(known, _)| *known != package) {
            let now = root_of(on, repo, seq, &package)?;
            last = Some((package, now));
        }
        if last.as_ref().is_some_and(|(_, now)| *now == Some(root)) {
            found.push((symbol, verdict));
        }
    }
    Ok(found)
}

/// What a task ended up with.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskMemory {
    pub pack_root: String,
    pub symbol: String,
    /// Numbers of the task's terms, ascending.
    pub keywords: Vec<u32>,
    /// The symbol's, the best of the pack having 1.
    pub score: f64,
    pub kept_at: Timestamp,
}

/// How long a task is remembered.
pub const TASK_MEMORY: Duration = Duration::from_secs(7 * 86_400);

/// Keeps the best symbols of a task, and forgets tasks of long ago.
pub fn keep_task(
    tx: &Tx<'_>,
    repo: RepoId,
    pack_root: &str,
    keywords: &[u32],
    symbols: &[(String, f64)],
    now: Timestamp,
) -> Result<()> {
    let old = At(now.minus(TASK_MEMORY));
    sql::run(tx, "DELETE FROM task_memory WHERE kept_at < ?1", [old])?;
    let keywords = serde_json::json!(keywords).to_string();
    for (symbol, score) in symbols {
        sql::run(
            tx,
            "INSERT OR REPLACE INTO task_memory
               (repo_id, pack_root, symbol, keywords, score, kept_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (repo.0, pack_root, symbol, &keywords, score, At(now)),
        )?;
    }
    Ok(())
}

/// What is remembered of the tasks of a repository since then.
pub fn tasks(on: &impl Read, repo: RepoId, since: Timestamp) -> Result<Vec<TaskMemory>> {
    sql::all(
        on,
        "SELECT pack_root, symbol, keywords, score, kept_at FROM task_memory
         WHERE repo_id = ?1 AND kept_at >= ?2 ORDER BY kept_at DESC, pack_root, symbol LIMIT 1000",
        (repo.0, At(since)),
        |row| {
            Ok(TaskMemory {
                pack_root: row.get(0)?,
                symbol: row.get(1)?,
                keywords: serde_json::from_str(&row.get::<_, String>(2)?).unwrap_or_default(),
                score: row.get(3)?,
                kept_at: sql::at(row, "kept_at")?,
            })
        },
    )
}

/// A pack with what is kept of it for later.
#[derive(Debug, Clone)]
pub struct PackNote {
    pub given: GivenPack,
    /// Numbers of the task's terms, ascending; none of packs that are about a change.
    pub keywords: Vec<u32>,
    /// The symbols worth remembering, with their scores.
    pub best: Vec<(String, f64)>,
}

impl PackNote {
    pub fn write(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        keep_pack(tx, &self.given, now)?;
        if self.keywords.is_empty() || self.best.is_empty() {
            return Ok(());
        }
        let given = &self.given;
        keep_task(tx, given.repo, &given.pack_root, &self.keywords, &self.best, now)
    }
}

/// What a verdict came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackOutcome {
    /// False when the package of the symbol is gone.
    pub is_recorded: bool,
    /// All that count today of the symbol.
    pub verdicts: Vec<Verdict>,
}

/// Records what somebody said, and tells where the symbol stands now.
pub fn judge(
    tx: &Tx<'_>,
    pack: &GivenPack,
    symbol: &GivenSymbol,
    verdict: Verdict,
    now: Timestamp,
) -> Result<FeedbackOutcome> {
    let is_recorded = record(tx, pack, symbol, verdict, now)?;
    let all = verdicts(tx, pack.repo, pack.seq)?;
    let of_symbol = all.into_iter().filter(|(name, _)| *name == symbol.name);
    Ok(FeedbackOutcome { is_recorded, verdicts: of_symbol.map(|(_, verdict)| verdict).collect() })
}
