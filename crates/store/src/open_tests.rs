//! Opening files that are old, foreign, prepared by somebody, or opened by many.

use super::*;
use crate::handle::sealed::HasConnection;
use tempfile::TempDir;

#[test]
fn a_reader_cannot_write() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("deep/er/lore.db");
    Writer::open(&path).unwrap();
    let reader = Reader::open(&path).unwrap();
    let error = reader.connection().execute("DELETE FROM users", []).unwrap_err();
    assert!(error.to_string().contains("readonly"), "{error}");
}

#[test]
fn reading_before_the_first_sync_says_what_to_run() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let error = Reader::open(&path).err().unwrap();
    assert_eq!(error.code(), ErrorCode::NotIndexed);
    assert_eq!(error.suggestion(), Some("run: lore sync"));
    assert!(!path.exists());
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let text = "just some notes, nothing to see here. ".repeat(40);
    std::fs::write(&path, &text).unwrap();
    for error in [Writer::open(&path).err().unwrap(), Reader::open(&path).err().unwrap()] {
        assert_eq!(error.code(), ErrorCode::DbError, "{error:?}");
        assert!(error.message().contains("not a SQLite database"), "{error:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = Writer::open(&file.join("sub/lore.db")).err().unwrap();
    assert_eq!(error.code(), ErrorCode::DbError);
    assert!(error.suggestion().unwrap().contains("--db"));
}

/// A database as an earlier lore left it, with one user in it.
fn of_an_older_lore(path: &Path) {
    create(path).unwrap();
    let connection = at_top(path, &LADDER[..17]).unwrap();
    connection
        .execute("INSERT INTO users (host, forge_id, username, name) VALUES ('h', 1, 'a', 'A')", [])
        .unwrap();
}

fn n_users(reader: &Reader) -> i64 {
    reader.connection().query_row("SELECT count(*) FROM users", [], |row| row.get(0)).unwrap()
}

/// But for what SQLite keeps there for those who read.
fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"))
        .collect();
    names.sort();
    names
}

#[test]
fn reading_never_upgrades() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    of_an_older_lore(&path);
    let before = std::fs::read(&path).unwrap();
    let error = Reader::open(&path).err().unwrap();
    assert_eq!(error.code(), ErrorCode::MigrationFailed);
    assert!(error.message().contains("older lore (schema 17"), "{error}");
    assert_eq!(database_state(&path).unwrap(), DatabaseState::Older { schema: 17 });
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!names_in(dir.path()).iter().any(|name| name.contains(".bak")));

    upgrade(&path).unwrap();
    assert_eq!(n_users(&Reader::open(&path).unwrap()), 1);
    assert_eq!(names_in(dir.path()), ["lore.db", "lore.db.v17.bak"]);
}

#[test]
fn an_upgrade_leaves_alone_what_needs_none() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    upgrade(&path).unwrap();
    assert!(!path.exists());
    std::fs::write(&path, "").unwrap();
    upgrade(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    drop(Writer::open(&path).unwrap());
    let before = std::fs::read(&path).unwrap();
    upgrade(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// Runs `work` on 32 threads that begin together.
fn at_once(work: impl Fn(usize) + Sync) {
    const N: usize = 32;
    let start = std::sync::Barrier::new(N);
    std::thread::scope(|scope| {
        for n in 0..N {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(n);
            });
        }
    });
}

#[test]
fn of_many_first_starts_one_makes_the_file_and_all_succeed() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("new/lore.db");
    at_once(|n| {
        let mut writer = Writer::open(&path).unwrap();
        let sql = "INSERT INTO users (host, forge_id, username, name) VALUES ('h', ?1, 'a', 'A')";
        writer.write(|tx| crate::sql::run(tx, sql, [n as i64])).unwrap();
    });
    assert_eq!(n_users(&Reader::open(&path).unwrap()), 32);
    assert_eq!(names_in(path.parent().unwrap()), ["lore.db"]);
}

#[test]
fn of_many_upgrades_one_happens_and_one_backup_is_left() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    of_an_older_lore(&path);
    at_once(|_| upgrade(&path).unwrap());
    assert_eq!(n_users(&Reader::open(&path).unwrap()), 1);
    assert_eq!(names_in(dir.path()), ["lore.db", "lore.db.v17.bak"]);
}

/// SQLite cannot make its files beside the database, as on a read-only medium:
/// permissions would not stop a test that is run by root.
fn make_unwritable(path: &Path) {
    std::os::unix::fs::symlink("nowhere", with_suffix(path, "-shm")).unwrap();
}

#[test]
fn a_file_on_a_read_only_medium_is_read() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a#b?100%/lore.db");
    drop(Writer::open(&path).unwrap());
    make_unwritable(&path);
    let reader = Reader::open(&path).unwrap();
    assert_eq!(n_users(&reader), 0);
    assert_eq!(database_state(&path).unwrap(), DatabaseState::Ready { schema: SCHEMA_VERSION });
    upgrade(&path).unwrap();
    assert_eq!(names_in(path.parent().unwrap()), ["lore.db"]);
}

#[test]
fn a_log_that_cannot_be_read_is_not_passed_over() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    drop(Writer::open(&path).unwrap());
    std::fs::write(with_suffix(&path, "-wal"), "what was written last").unwrap();
    make_unwritable(&path);
    assert_eq!(Reader::open(&path).err().unwrap().code(), ErrorCode::DbError);
}

#[test]
fn an_older_file_on_a_read_only_medium_says_what_to_do() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    of_an_older_lore(&path);
    make_unwritable(&path);
    let error = upgrade(&path).unwrap_err();
    assert_eq!(error.code(), ErrorCode::MigrationFailed);
    assert!(error.suggestion().unwrap().contains("copy it"), "{error:?}");
}

#[test]
fn pipes_folders_and_dangling_links_are_no_databases() {
    let dir = TempDir::new().unwrap();
    let [pipe, folder, link, target] =
        ["pipe", "folder", "link", "target"].map(|name| dir.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    for path in [&pipe, &folder, &link, &PathBuf::from("/dev/null")] {
        for error in [
            Reader::open(path).err(),
            Writer::open(path).err(),
            database_state(path).err(),
            upgrade(path).err(),
        ] {
            assert_eq!(error.unwrap().code(), ErrorCode::DbError, "{}", path.display());
        }
    }
    assert_eq!(names_in(dir.path()), ["folder", "link", "pipe"]);
}

#[test]
fn a_database_behind_a_link_of_the_user_is_used() {
    let dir = TempDir::new().unwrap();
    let [real, linked] = ["real", "linked"].map(|name| dir.path().join(name));
    drop(Writer::open(&real.join("lore.db")).unwrap());
    std::os::unix::fs::symlink(&real, &linked).unwrap();
    std::os::unix::fs::symlink(real.join("lore.db"), dir.path().join("file.db")).unwrap();
    for path in [linked.join("lore.db"), dir.path().join("file.db")] {
        drop(Writer::open(&path).unwrap());
        drop(Reader::open(&path).unwrap());
    }
    assert_eq!(names_in(&real), ["lore.db"]);
}

#[test]
fn links_beside_the_database_are_not_written_through() {
    for name in ["-wal", "-shm", ".setup.lock", ".v17.bak", ".v17.bak.tmp"] {
        let dir = TempDir::new().unwrap();
        let victim = dir.path().join("victim");
        Connection::open(&victim).unwrap().execute_batch("CREATE TABLE theirs (x);").unwrap();
        let before = std::fs::read(&victim).unwrap();
        let path = dir.path().join("lore.db");
        of_an_older_lore(&path);
        std::os::unix::fs::symlink(&victim, with_suffix(&path, name)).unwrap();
        // Whether it fails or works around it, nothing is written there.
        let outcome = upgrade(&path);
        assert_eq!(outcome.is_ok(), name.contains(".bak"), "{name}: {outcome:?}");
        assert_eq!(std::fs::read(&victim).unwrap(), before, "{name}");
    }
}

#[test]
fn a_new_database_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let _writer = Writer::open(&path).unwrap();
    for name in ["lore.db", "lore.db-wal", "lore.db-shm"] {
        let mode = std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_schema_is_not_trusted_and_cannot_be_tampered_with() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let writer = Writer::open(&path).unwrap();
    let reader = Reader::open(&path).unwrap();
    for connection in [writer.connection(), reader.connection()] {
        let is_trusted: bool =
            connection.query_row("PRAGMA trusted_schema", [], |row| row.get(0)).unwrap();
        assert!(!is_trusted);
    }
    for sql in [
        "DELETE FROM documents_fts_data",
        "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE TABLE x (y)')",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
    ] {
        assert!(writer.connection().execute_batch(sql).is_err(), "{sql}");
    }
}
