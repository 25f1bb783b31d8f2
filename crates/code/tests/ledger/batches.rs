//! What others see and may do while a repository is indexed, and what a run that
//! dies half way leaves behind.

use crate::equality::assert_sound;
use crate::fixture::{Bench, Still, index_at, queue, reader, request};
use code::index::{IndexReport, Request, Watch, index};
use git::Repo;
use model::code::NodeKind;
use model::{ErrorCode, Result};
use std::cell::Cell;
use std::path::Path;
use store::Writer;
use store::code::{nodes, snapshots};
use store::repos;

/// Enough for several transactions, with calls from file to file.
fn large(bench: &mut Bench, word: &str) {
    let sources: Vec<(String, String)> = (0..6)
        .map(|file| {
            let next = (file + 1) % 6;
            let functions = (0..400).map(|n| format!("def {word}_{n}():\n    f_{n}()\n    g()\n"));
            let imports = format!("from pkg{next}.mod import {word}_1 as f_1\n");
            (format!("pkg{file}/mod.py"), imports + &functions.collect::<String>())
        })
        .collect();
    let files: Vec<(&str, &str)> =
        sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    bench.commit("main", &files);
}

/// Indexes with `is_stopped` asked between two transactions.
fn index_until(
    repo: &Path,
    db: &Path,
    request: &Request,
    is_stopped: &dyn Fn() -> bool,
) -> Result<IndexReport> {
    let watch = Watch { is_stopped, ..Watch::NOBODY };
    index(&Repo::open(repo).unwrap(), &queue(db), request, &Still, &watch)
}

/// Functions of the repository that are stored, in any snapshot or none.
fn n_stored(db: &Path) -> usize {
    let reader = reader(db);
    let Some(repo) = repos::all(&reader).unwrap().pop() else { return 0 };
    nodes::of_kind(&reader, repo.id, NodeKind::Function).unwrap().len()
}

fn n_snapshots(db: &Path) -> usize {
    let reader = reader(db);
    let all = repos::all(&reader).unwrap();
    all.iter().map(|repo| snapshots::list(&reader, repo.id).unwrap().len()).sum()
}

#[test]
fn others_write_between_the_batches_of_an_index() {
    let mut bench = Bench::new();
    large(&mut bench, "a");
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let n_half_way = Cell::new(0);
    let write_meanwhile = || {
        let stored = n_stored(&db);
        if stored > 0 {
            assert_eq!(n_snapshots(&db), 0, "half a snapshot is seen by nobody");
            n_half_way.set(n_half_way.get() + 1);
        }
        let mut other = Writer::open_interactive(&db).unwrap();
        other.write(repos::match_projects).unwrap();
        false
    };
    let report = index_until(&repo, &db, &request(None), &write_meanwhile).unwrap();
    assert_eq!(report.files, 6);
    assert!(n_half_way.get() >= 2, "stored in {} batches", n_half_way.get());
    assert_sound(&db);
}

#[test]
fn a_run_that_dies_between_batches_leaves_nothing_but_what_the_next_uses() {
    let mut bench = Bench::new();
    large(&mut bench, "a");
    let repo = bench.clone_as("repo");
    let whole = index_at(&repo, &bench.database("whole"), &request(None));
    for n_steps in 1.. {
        let db = bench.database(&format!("died-{n_steps}"));
        let n_asked = Cell::new(0);
        let is_stopped = || n_asked.replace(n_asked.get() + 1) >= n_steps;
        match index_until(&repo, &db, &request(None), &is_stopped) {
            Err(error) => assert_eq!(error.code(), ErrorCode::Interrupted, "{error}"),
            Ok(report) => {
                assert_eq!(report.static_root, whole.static_root);
                assert!(n_steps > 8, "asked only {n_steps} times");
                return;
            }
        }
        assert_eq!(n_snapshots(&db), 0);
        let again = index_at(&repo, &db, &request(None));
        assert_eq!(again.static_root, whole.static_root, "after {n_steps} steps");
        assert_eq!((again.symbols, again.edges), (whole.symbols, whole.edges));
        assert_sound(&db);
    }
}

#[test]
fn what_a_dead_run_left_is_collected_when_nobody_comes_back_for_it() {
    let mut bench = Bench::new();
    large(&mut bench, "a");
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let is_stopped = || n_stored(&db) > 0;
    index_until(&repo, &db, &request(None), &is_stopped).unwrap_err();
    let repo_id = repos::all(&reader(&db)).unwrap()[0].id;
    let collected = code::gc::gc(&queue(&db), repo_id, None, 3).unwrap();
    assert!(collected.n_rows > 0);
    let whole = index_at(&repo, &bench.database("whole"), &request(None));
    assert_eq!(index_at(&repo, &db, &request(None)).static_root, whole.static_root);
    assert_sound(&db);
}
