//! Repositories of every shape: nothing to index, odd files, work trees.

use crate::fixture::{Bench, Still, index_at, queue, request};
use code::index::{Request, Watch, index};
use git::Repo;
use model::ErrorCode;
use std::collections::BTreeMap;

#[test]
fn a_repository_without_commits_says_what_to_do() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("repo");
    std::fs::create_dir(&path).unwrap();
    let status = sim::git::command(&path).args(["init", "--quiet"]).status().unwrap();
    assert!(status.success());
    let queue = queue(&dir.path().join("lore.db"));
    let repo = Repo::open(&path).unwrap();
    let error = index(&repo, &queue, &request(None), &Still, &Watch::NOBODY).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotIndexed);
    assert!(error.suggestion().unwrap().contains("lore index"), "{error:?}");
}

#[test]
fn work_that_is_stopped_leaves_what_was_and_can_be_done_again() {
    let mut bench = Bench::new();
    bench.commit("main", &[("a.py", "def a(): ...\n"), ("b.py", "def b(): ...\n")]);
    let (repo, db) = (Repo::open(&bench.clone_as("repo")).unwrap(), bench.database("db"));
    let n_asked = std::cell::Cell::new(0);
    let is_stopped = || {
        n_asked.set(n_asked.get() + 1);
        n_asked.get() > 1
    };
    let watch = Watch { is_stopped: &is_stopped, ..Watch::NOBODY };
    let queue = queue(&db);
    let error = index(&repo, &queue, &request(None), &Still, &watch).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Interrupted);
    let at_work = index(&repo, &queue, &request(None), &Still, &Watch::NOBODY).unwrap();
    assert_eq!((at_work.files, at_work.files_read), (2, 2), "{at_work:?}");
}

#[test]
fn what_is_left_out_is_counted() {
    let mut bench = Bench::new();
    bench.commit(
        "main",
        &[
            (".gitattributes", "gen/** linguist-generated\n"),
            (".loreignore", "scratch/\n"),
            ("gen/a.py", "x = 1\n"),
            ("vendor/b.py", "x = 1\n"),
            ("scratch/c.py", "x = 1\n"),
            ("data.py", "\0\0binary"),
            ("big.py", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"),
            ("notes.txt", "not code"),
            ("good.py", "def f():\n    return g()\n"),
            ("broken.py", "def f(:\n  return\n\ndef ok():\n    return 1\n"),
        ],
    );
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let report = index_at(&repo, &db, &request(None));
    let expected: BTreeMap<String, u64> =
        ["binary", "generated", "ignored", "lfs pointer", "vendored"]
            .map(|reason| (reason.to_owned(), 1))
            .into();
    assert_eq!(report.skipped, expected);
    assert_eq!(report.files, 2);
    assert_eq!(report.troubled.len(), 1);
    assert_eq!(report.troubled[0].path, "broken.py");
    assert_eq!(report.unresolved, 1, "g is nowhere");
    bench.commit("main", &[("good.py", "def f():\n    return 1\n")]);
    let repo = bench.clone_as("again");
    let second = index_at(&repo, &db, &request(None));
    assert_eq!(second.skipped, expected, "known without reading again");
    assert_eq!(second.files_read, 1);
}

#[test]
fn a_work_tree_is_answered_for_beside_its_commit() {
    let mut bench = Bench::new();
    bench.commit(
        "main",
        &[("a.py", "def f():\n    return 1\n"), ("b.py", "def old():\n    return 1\n")],
    );
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let checkout = sim::git::command(&repo).args(["checkout", "--quiet", "-f", "main"]).status();
    assert!(checkout.unwrap().success());
    let committed = index_at(&repo, &db, &request(None));
    std::fs::write(repo.join("a.py"), "def f():\n    return g()\n\ndef g():\n    return 1\n")
        .unwrap();
    std::fs::write(repo.join("new.py"), "def fresh():\n    return 1\n").unwrap();
    std::fs::remove_file(repo.join("b.py")).unwrap();
    let tree = index_at(&repo, &db, &Request { work_tree: true, ..request(None) });
    assert_eq!((tree.files, tree.files_read), (2, 2));
    assert_ne!(tree.static_root, committed.static_root);
    let known = index_at(&repo, &db, &request(None));
    assert_eq!((known.is_new, known.static_root), (false, committed.static_root));
    let again = index_at(&repo, &db, &Request { work_tree: true, ..request(None) });
    assert_eq!((again.files_read, &again.static_root), (0, &tree.static_root));
    assert_eq!(tree.files_linked, 2, "what is as committed is not linked again");
    let alone = bench.database("alone");
    let alone = index_at(&repo, &alone, &Request { work_tree: true, ..request(None) });
    assert_eq!(alone.static_root, tree.static_root, "beside its commit or without");
}
