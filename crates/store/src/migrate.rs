//! The ladder of migrations: numbered, append-only, forward only.
//!
//! Each step runs in one transaction together with the new `user_version`, so
//! an interrupted upgrade leaves the version before it. An existing file is
//! copied beside itself before its first step.

use crate::error::db;
use model::error::Context as _;
use model::{Error, ErrorCode, Result};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};

pub(crate) struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../migrations/", $name, ".sql")),
        }),*]
    };
}

/// Never change a step that has landed; add one.
pub(crate) const LADDER: &[Migration] = migrations![
    "0001_forge",
    "0002_search",
    "0003_identifiers",
    "0004_embeddings",
    "0005_repos",
    "0006_memory",
    "0007_gone_numbers",
    "0008_people",
    "0009_code",
    "0010_manifests",
    "0011_embedding_centres",
    "0012_index_queue",
    "0013_asked",
    "0014_index_buffer",
    "0015_import_paths",
    "0016_numbers",
    "0017_one_index_of_words",
    "0018_nodes_by_name",
    "0019_no_queue_of_documents",
    "0020_terms",
    "0021_edge_layers",
    "0022_forges",
    "0023_change_relations",
    "0024_named_places",
    "0025_runtime",
    "0026_daemon",
    "0027_enrichment",
    "0028_derived",
    "0029_answer_costs",
    "0030_retries_and_turns",
];

/// The schema this build writes.
pub const SCHEMA_VERSION: u32 = LADDER.len() as u32;

/// Marks a file as lore's (`PRAGMA application_id`): "lore" in ASCII.
pub(crate) const APPLICATION_ID: i32 = 0x6C6F_7265;

pub(crate) fn version(connection: &Connection) -> Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(db)
}

/// Refuses what this build must not touch: a newer schema, or another
/// program's database.
pub(crate) fn check_ours(connection: &Connection, path: &Path, known: u32) -> Result<u32> {
    let found = version(connection)?;
    if found > known {
        return Err(Error::new(
            ErrorCode::MigrationFailed,
            format!(
                "database {} was written by a newer lore (schema {found}, this build knows {known})",
                path.display()
            ),
        )
        .suggest("upgrade lore, or choose another file with --db"));
    }
    let application: i32 =
        connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(db)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(db)?;
    if application != APPLICATION_ID && tables > 0 {
        return Err(Error::new(
            ErrorCode::DbError,
            format!("{} is a database of another program", path.display()),
        )
        .suggest("choose another file with --db; this one was left untouched"));
    }
    Ok(found)
}

/// Brings the database to the top of `ladder`.
pub(crate) fn upgrade(
    connection: &mut Connection,
    path: &Path,
    ladder: &[Migration],
) -> Result<()> {
    let known = ladder.len() as u32;
    let found = check_ours(connection, path, known)?;
    if found == known {
        return Ok(());
    }
    if found > 0 {
        back_up(connection, path, found).context("before upgrading the database")?;
    }
    for (index, migration) in ladder.iter().enumerate().skip(found as usize) {
        step(connection, index as u32 + 1, migration).map_err(|error| {
            Error::new(
                ErrorCode::MigrationFailed,
                format!("upgrading the database failed at step {}", migration.name),
            )
            .suggest("the database is unchanged; free disk space or report this, then try again")
            .caused_by(error)
        })?;
    }
    Ok(())
}

fn step(connection: &mut Connection, version: u32, migration: &Migration) -> Result<()> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(db)?;
    // Two processes may have opened the same old file; the second finds the
    // step already done once it holds the lock.
    let current: u32 =
        transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(db)?;
    if current >= version {
        return Ok(());
    }
    transaction.execute_batch(migration.sql).map_err(db)?;
    transaction.pragma_update(None, "user_version", version).map_err(db)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(db)?;
    transaction.commit().map_err(db)
}

/// `lore.db` → `lore.db.v3.bak`: an online copy, complete or absent.
///
/// The copy is made in a new file of a random name, so that nothing that lies
/// beside the database, a link to another program's file for one, is written to.
fn back_up(connection: &Connection, path: &Path, version: u32) -> Result<PathBuf> {
    let failed = |error: std::io::Error| {
        let name = path.display();
        Error::new(ErrorCode::DbError, format!("writing a backup of {name} failed"))
            .suggest("check that the folder is writable and has space")
            .caused_by(error)
    };
    // Beside the real file, because SQLite is told to follow no link.
    let real = path.canonicalize().map_err(failed)?;
    let target = with_suffix(&real, &format!(".v{version}.bak"));
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(Error::internal("a database without a name"));
    };
    let name = name.to_string_lossy();
    remove_partial(folder, &name);
    let (file, partial) = files::create_temp(folder, &name).map_err(failed)?;
    let copied = copy(connection, &partial)
        .and_then(|()| file.sync_all().map_err(failed))
        .and_then(|()| std::fs::rename(&partial, &target).map_err(failed));
    if copied.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    copied.map(|()| target)
}

fn copy(connection: &Connection, to: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut target = Connection::open_with_flags(to, flags).map_err(db)?;
    let backup = Backup::new(connection, &mut target).map_err(db)?;
    // All pages in one step: who else writes cannot make it begin anew.
    match backup.step(-1).map_err(db)? {
        StepResult::Done => Ok(()),
        _ => Err(Error::new(ErrorCode::Locked, "another process is writing to the database")
            .suggest("wait for it to finish, then run the command again")),
    }
}

/// Removes what a process left that died while it made a backup. Called by the
/// one process that may make one.
fn remove_partial(folder: &Path, name: &str) {
    let start = format!(".{name}.");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let is_partial =
            |found: &str| found.starts_with(&start) && found.strip_suffix(".tmp").is_some();
        if found.to_str().is_some_and(is_partial) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use crate::code::nodes::{self, NewNode};
    use model::code::NodeKind;
    use model::hash::Hash32;
    use model::ids::{NodeId, PackageId};
    use tempfile::TempDir;

    const SHORT: &[Migration] =
        &[Migration { name: "0001_a", sql: "CREATE TABLE a (x INTEGER) STRICT;" }];
    const LONG: &[Migration] = &[
        Migration { name: "0001_a", sql: "CREATE TABLE a (x INTEGER) STRICT;" },
        Migration {
            name: "0002_b",
            sql: "CREATE TABLE b (y TEXT) STRICT; INSERT INTO b VALUES ('new');",
        },
    ];
    const BROKEN: &[Migration] = &[
        Migration { name: "0001_a", sql: "CREATE TABLE a (x INTEGER) STRICT;" },
        Migration { name: "0002_b", sql: "CREATE TABLE b (y TEXT) STRICT; SELECT nonsense();" },
    ];

    struct File {
        _dir: TempDir,
        path: PathBuf,
    }

    impl File {
        fn new() -> Self {
            let dir = TempDir::new().unwrap();
            let path = dir.path().join("lore.db");
            File { _dir: dir, path }
        }

        fn upgrade(&self, ladder: &[Migration]) -> Result<Connection> {
            let mut connection = Connection::open(&self.path).unwrap();
            upgrade(&mut connection, &self.path, ladder)?;
            Ok(connection)
        }
    }

    fn schema(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
            .unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn upgraded_and_fresh_end_in_the_same_schema() {
        let (fresh, old) = (File::new(), File::new());
        old.upgrade(SHORT).unwrap().execute("INSERT INTO a VALUES (7)", []).unwrap();
        let upgraded = old.upgrade(LONG).unwrap();
        assert_eq!(schema(&fresh.upgrade(LONG).unwrap()), schema(&upgraded));
        let kept: i64 = upgraded.query_row("SELECT x FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 7);
    }

    #[test]
    fn an_existing_file_is_backed_up_before_its_first_step() {
        let file = File::new();
        file.upgrade(SHORT).unwrap().execute("INSERT INTO a VALUES (7)", []).unwrap();
        file.upgrade(LONG).unwrap();
        let backup = Connection::open(with_suffix(&file.path, ".v1.bak")).unwrap();
        assert_eq!(version(&backup).unwrap(), 1);
        assert_eq!(backup.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    }

    #[test]
    fn a_failing_step_leaves_the_version_before_it() {
        let file = File::new();
        file.upgrade(SHORT).unwrap();
        let error = file.upgrade(BROKEN).unwrap_err();
        assert_eq!(error.code(), ErrorCode::MigrationFailed);
        let connection = Connection::open(&file.path).unwrap();
        assert_eq!(version(&connection).unwrap(), 1);
        assert_eq!(schema(&connection).len(), 1);
    }

    #[test]
    fn a_newer_schema_is_refused_and_untouched() {
        let file = File::new();
        file.upgrade(LONG).unwrap();
        let before = std::fs::read(&file.path).unwrap();
        let error = file.upgrade(SHORT).unwrap_err();
        assert_eq!(error.code(), ErrorCode::MigrationFailed);
        assert!(error.message().contains("newer lore"), "{error}");
        assert_eq!(std::fs::read(&file.path).unwrap(), before);
    }

    #[test]
    fn another_programs_database_is_refused() {
        let file = File::new();
        Connection::open(&file.path).unwrap().execute_batch("CREATE TABLE theirs (x);").unwrap();
        let error = file.upgrade(LONG).unwrap_err();
        assert!(error.message().contains("another program"), "{error}");
    }

    #[test]
    fn the_real_ladder_builds() {
        let connection = File::new().upgrade(LADDER).unwrap();
        assert_eq!(version(&connection).unwrap(), SCHEMA_VERSION);
        let damage: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(damage, "ok");
    }

    #[test]
    fn symbols_of_an_earlier_lore_are_found_again() {
        let file = File::new();
        let hash = Hash32::of(b"a node");
        let (key, _) = hash.as_bytes().split_first_chunk().unwrap();
        file.upgrade(&LADDER[..17])
            .unwrap()
            .execute(
                "INSERT INTO nodes (id, key, package_id, kind, scope, name, disambiguator)
                 VALUES (7, ?1, 1, ?2, 'm', 'f', '')",
                (i64::from_be_bytes(*key), NodeKind::Function.number()),
            )
            .unwrap();
        let node = NewNode {
            hash,
            package: PackageId(1),
            kind: NodeKind::Function,
            scope: "m",
            name: "f",
            disambiguator: "",
        };
        let mut writer = Writer::open(&file.path).unwrap();
        assert_eq!(writer.write(|tx| nodes::intern(tx, &node)).unwrap(), (NodeId(7), false));
    }

    #[test]
    fn relations_of_an_earlier_lore_get_the_host_of_who_spoke_of_them() {
        let file = File::new();
        let old = file.upgrade(&LADDER[..20]).unwrap();
        old.execute_batch(
            "INSERT INTO projects (id, host, forge_id, path, name, web_url, is_archived)
               VALUES (1, 'gl.test', 1, 'g/p', 'P', 'https://gl.test/g/p', 0);
             INSERT INTO issues (id, project_id, forge_id, iid, title, state, issue_type,
               is_confidential, discussion_locked, upvotes, downvotes, user_notes_count,
               created_at, updated_at, web_url, payload_id)
               VALUES (5, 1, 5, 1, 'T', 'opened', 'issue', 0, 0, 0, 0, 0, 0, 0, '', NULL);
             INSERT INTO reference_observations (observed_kind, observed_id, source_kind,
               source_project_path, source_iid, target_kind, target_project_path, target_iid,
               reference_type, source_method, certainty)
               VALUES ('issue', 5, 'issue', 'g/p', 1, 'issue', 'g/q', 2, 'mentioned',
                 'description', 'stated');
             INSERT INTO entity_references (id, source_kind, source_project_path, source_iid,
               source_id, target_kind, target_project_path, target_iid, reference_type,
               source_method, certainty)
               VALUES (9, 'issue', 'g/p', 1, 5, 'issue', 'g/q', 2, 'mentioned', 'description',
                 'stated');",
        )
        .unwrap();
        drop(old);
        let new = file.upgrade(LADDER).unwrap();
        let relation: (i64, String, String) = new
            .query_row("SELECT id, source_host, target_host FROM entity_references", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(relation, (9, "gl.test".to_owned(), "gl.test".to_owned()));
        let forge: String =
            new.query_row("SELECT forge FROM projects", [], |row| row.get(0)).unwrap();
        assert_eq!(forge, "gitlab");
    }
}
