//! Which commits a kept choice of tests rests on.

use super::*;
use model::Timestamp;
use model::hash::Hash32;
use model::ids::SnapshotSeq;
use store::code::snapshots::Snapshot;
use store::commits::CommitRecord;
use store::{Tx, Writer};

fn at() -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000)
}

fn insert(tx: &Tx<'_>, repo: model::ids::RepoId, sha: &str) -> Result<bool> {
    let commit = CommitRecord {
        sha: sha.to_owned(),
        parents: Vec::new(),
        author_name: "Ada".to_owned(),
        author_email: "ada@example.com".to_owned(),
        authored_at: at(),
        committed_at: at(),
        message: "Write".to_owned(),
        files: Vec::new(),
    };
    commits::insert(tx, repo, &commit, at())
}

fn base(reader: &Reader, repo: model::ids::RepoId, sha: &str) -> Scope {
    let snapshot = Snapshot {
        seq: SnapshotSeq(1),
        repo,
        sha: sha.to_owned(),
        work_tree: None,
        parent: None,
        static_root: Hash32::of(b"root"),
        root: Hash32::of(b"root"),
        indexer: 1,
        owners: None,
        manifests: None,
        n_files: 0,
        n_packages: 0,
        n_nodes: 0,
        n_edges: 0,
        n_unresolved: 0,
        n_troubled: 0,
        skipped: "{}".to_owned(),
        created_at: at(),
    };
    let repo = repos::get(reader, repo).unwrap().unwrap();
    Scope { repo, snapshot, dir: None, newer_head: None, overlay: None, is_over_tree: false }
}

#[test]
fn a_kept_comparison_rests_on_the_number_of_commits_until_all_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("lore.db");
    let (old, new) = ("a".repeat(40), "b".repeat(40));
    let mut writer = Writer::open(&db).unwrap();
    let mut place = |is_shallow: bool, shas: &[&str]| {
        let written = writer.write(|tx| {
            let place = repos::NewPlace { dir: "/nowhere", is_named: false, is_shallow };
            let place = repos::register(tx, "example.com/group/app", &place, at())?;
            let repo = repos::repo_of_place(tx, place)?;
            for sha in shas {
                insert(tx, repo, sha)?;
            }
            Ok(repo)
        });
        let reader = Reader::open(&db).unwrap();
        let scope = base(&reader, written.unwrap(), &old);
        history_before(&reader, &scope).unwrap()
    };
    let unread = place(false, &[]);
    let cut = place(true, &[&old]);
    let more = place(true, &[&new]);
    assert!(unread != cut && cut != more, "{unread} {cut} {more}");
    // What comes later, as with a rebase, is no evidence for a change before it.
    let whole = place(false, &[]);
    assert_eq!(whole, place(false, &["cccccccccccccccccccccccccccccccccccccccc"]));
    assert_ne!(whole, more);
}
