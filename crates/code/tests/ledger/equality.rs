//! Whatever the way to a commit, its graph is the same.

use crate::fixture::{Bench, index_all, index_at, reader, request};
use code::fsck::fsck;
use model::progress::NoProgress;
use proptest::prelude::*;
use sim::git::FileChange;
use std::path::Path;
use store::code::adjacency::Adjacency;
use store::code::snapshots;

pub fn assert_sound(db: &Path) {
    let reader = reader(db);
    for repo in store::repos::all(&reader).unwrap() {
        let report = fsck(&reader, repo.id, &repo.canonical_url, &NoProgress).unwrap();
        assert_eq!(report.damage, [], "{}", repo.canonical_url);
        assert!(report.snapshots > 0);
        // What fsck compares with the tables is there.
        assert!(Adjacency::open(&reader, repo.id).unwrap().is_some());
    }
}

/// What a random step does to one of a handful of modules.
#[derive(Debug, Clone)]
enum Edit {
    Body(usize, u8),
    Class(usize, usize),
    Calls(usize, usize),
    Rename(usize, usize),
    Delete(usize),
    Branch,
    Merge,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let module = 0..6_usize;
    let edit = prop_oneof![
        3 => (module.clone(), any::<u8>()).prop_map(|(m, n)| Edit::Body(m, n)),
        2 => (module.clone(), module.clone()).prop_map(|(m, base)| Edit::Class(m, base)),
        3 => (module.clone(), module.clone()).prop_map(|(m, to)| Edit::Calls(m, to)),
        1 => (module.clone(), module.clone()).prop_map(|(m, to)| Edit::Rename(m, to)),
        1 => module.prop_map(Edit::Delete),
        1 => Just(Edit::Branch),
        1 => Just(Edit::Merge),
    ];
    prop::collection::vec(edit, 1..10)
}

fn path(module: usize) -> String {
    let folder = ["app", "app/core", "lib"][module % 3];
    format!("{folder}/m{module}.py")
}

fn dotted(module: usize) -> String {
    path(module).trim_end_matches(".py").replace('/', ".")
}

fn text(edit: &Edit) -> Option<(usize, String)> {
    Some(match edit {
        Edit::Body(m, n) => (*m, format!("def work():\n    return {n}\n\ndef twice():\n    work()\n    return work()\n")),
        Edit::Class(m, base) if m != base => (
            *m,
            format!(
                "from {} import Thing as Base\n\nclass Thing(Base):\n    def run(self):\n        return self.stop()\n",
                dotted(*base)
            ),
        ),
        Edit::Class(m, _) => (
            *m,
            "class Thing:\n    def run(self):\n        return self.stop()\n    def stop(self):\n        return 1\n"
                .to_owned(),
        ),
        Edit::Calls(m, to) => (
            *m,
            format!(
                "from {} import work, Thing\n\ndef go():\n    t = Thing()\n    t.run()\n    return work()\n",
                dotted(*to)
            ),
        ),
        _ => return None,
    })
}

/// Plays the edits; tells every commit in order.
fn play(bench: &mut Bench, edits: &[Edit]) -> Vec<String> {
    let mut commits = vec![bench.commit(
        "main",
        &[
            ("app/__init__.py", ""),
            ("app/core/__init__.py", ""),
            ("lib/__init__.py", ""),
            (
                "app/m0.py",
                "class Thing:\n    def run(self): pass\n\ndef work(): return Thing().run()\n",
            ),
        ],
    )];
    let mut has_branch = false;
    for (step, edit) in edits.iter().enumerate() {
        let branch = if has_branch && step % 2 == 0 { "side" } else { "main" };
        let exists = |bench: &Bench, m: usize| {
            let tip = bench.history.tip(branch).unwrap();
            bench.history.tree(tip).get(&path(m)).is_some()
        };
        let change = match edit {
            Edit::Branch if !has_branch => {
                bench.history.branch("side", "main").unwrap();
                has_branch = true;
                continue;
            }
            Edit::Merge if has_branch => {
                let mut merged = bench.clone_history();
                if merged.try_merge("side", "main").is_ok() {
                    bench.history = merged.history;
                    let tip = bench.history.tip("main").unwrap();
                    commits.push(bench.history.sha(tip).to_owned());
                }
                continue;
            }
            Edit::Delete(m) if exists(bench, *m) => FileChange::Delete { path: path(*m) },
            Edit::Rename(m, to) if exists(bench, *m) && !exists(bench, *to) => {
                FileChange::Rename { from: path(*m), to: path(*to) }
            }
            edit => match text(edit) {
                Some((m, contents)) => FileChange::Write { path: path(m), contents },
                None => continue,
            },
        };
        commits.extend(bench.try_change(branch, &[change]).ok());
    }
    commits.dedup();
    commits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Full at C equals the chain to C, for every commit.
    #[test]
    fn the_chain_and_the_full_index_agree(edits in edits()) {
        let mut bench = Bench::new();
        let commits = play(&mut bench, &edits);
        let repo = bench.clone_as("repo");
        let (chain, range) = (bench.database("chain"), bench.database("range"));
        let whole = index_all(&repo, &range, &commits);
        prop_assert_eq!(whole.len(), commits.len());
        for (commit, of_range) in commits.iter().zip(&whole) {
            let step = index_at(&repo, &chain, &request(Some(commit)));
            prop_assert_eq!(&of_range.static_root, &step.static_root, "in the range at {}", commit);
            let alone = bench.database(&format!("alone-{commit}"));
            let full = index_at(&repo, &alone, &request(Some(commit)));
            prop_assert_eq!(&step.static_root, &full.static_root, "at {}", commit);
            prop_assert_eq!((step.symbols, step.edges, step.unresolved), (full.symbols, full.edges, full.unresolved));
        }
        let back = bench.database("back");
        for (commit, of_range) in commits.iter().zip(&whole).rev() {
            let step = index_at(&repo, &back, &request(Some(commit)));
            prop_assert_eq!(&of_range.static_root, &step.static_root, "backwards at {}", commit);
        }
        assert_sound(&chain);
        assert_sound(&range);
        assert_sound(&back);
    }
}

const APP: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    ("app/a.py", "from app.b import helper\n\ndef go():\n    return helper()\n"),
    ("app/b.py", "def helper():\n    return 1\n"),
    ("tests/test_a.py", "from app.a import go\n\ndef test_go():\n    assert go() == 1\n"),
];

#[test]
fn two_clones_and_any_number_of_threads_give_one_root() {
    let mut bench = Bench::new();
    bench.commit("main", APP);
    let roots: Vec<String> = (1..=4)
        .map(|n_threads| {
            let repo = bench.clone_as(&format!("clone-{n_threads}"));
            let db = bench.database(&format!("db-{n_threads}"));
            let request = code::index::Request { n_threads, ..request(None) };
            index_at(&repo, &db, &request).static_root
        })
        .collect();
    assert!(roots.windows(2).all(|pair| pair[0] == pair[1]), "{roots:?}");
}

#[test]
fn a_known_commit_costs_nothing_and_full_finds_the_same() {
    let mut bench = Bench::new();
    let first = bench.commit("main", APP);
    let second = bench.commit("main", &[("app/b.py", "def helper():\n    return 2\n")]);
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let one = index_at(&repo, &db, &request(Some(&first)));
    let two = index_at(&repo, &db, &request(Some(&second)));
    assert_eq!((two.files_read, two.parent), (1, Some(one.snapshot)));
    assert_ne!(one.static_root, two.static_root, "a body is part of a state");
    assert_eq!((two.edges_added, two.edges_removed), (0, 0), "and not of an edge");
    assert_eq!((one.files_linked, two.files_linked), (4, 1), "nobody sees a body");
    let again = index_at(&repo, &db, &request(Some(&first)));
    assert_eq!((again.is_new, again.files_read, again.snapshot), (false, 0, one.snapshot));
    let full = index_at(&repo, &db, &code::index::Request { full: true, ..request(Some(&second)) });
    assert_eq!(full.static_root, two.static_root);
    assert_sound(&db);
}

/// To be compared with, older commits and other branches are indexed after the one that is
/// worked on: only what differs is read and linked, but it is not what they come from.
#[test]
fn a_commit_without_an_ancestor_is_made_from_one_that_is_near() {
    let mut bench = Bench::new();
    let first = bench.commit("main", APP);
    bench.history.branch("side", "main").unwrap();
    let side = bench.commit("side", &[("app/side.py", "from app.a import go\n\ngo()\n")]);
    let body = ("app/b.py", "def helper():\n    return 2\n");
    let last = bench.commit("main", &[body, ("app/c.py", "def late():\n    pass\n")]);
    let repo = bench.clone_as("repo");
    for (commit, n_read, n_linked) in [(&side, 2, 2), (&first, 1, 1)] {
        let db = bench.database(&format!("near-{commit}"));
        let _ = index_at(&repo, &db, &request(Some(&last)));
        let near = index_at(&repo, &db, &request(Some(commit)));
        assert_eq!((near.files_read, near.files_linked), (n_read, n_linked), "{commit}");
        assert_eq!((near.parent, near.edges_removed), (None, 0));
        assert_eq!(near.edges_added, near.edges);
        assert!(snapshots::events(&reader(&db), near.snapshot).unwrap().is_empty());
        let alone = index_at(&repo, &bench.database(commit), &request(Some(commit)));
        assert_eq!(near.static_root, alone.static_root);
        assert_eq!((near.files, near.symbols), (alone.files, alone.symbols));
        assert_sound(&db);
    }
}

#[test]
fn the_file_of_edges_stays_with_the_newer_commit_when_an_older_one_is_compared_with() {
    let mut bench = Bench::new();
    let text = |n: u32, name: &str| (format!("p{n}/m.py"), format!("def {name}():\n    pass\n"));
    let write = |bench: &mut Bench, files: Vec<(String, String)>| {
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        bench.commit("main", &files)
    };
    let old = write(&mut bench, (0..100).map(|n| text(n, "one")).collect());
    let new = write(&mut bench, (0..40).map(|n| text(n, "two")).collect());
    let far = write(&mut bench, (0..100).map(|n| text(n, "three")).collect());
    let (repo, db) = (bench.clone_as("repo"), bench.database("db"));
    let indexed = index_at(&repo, &db, &request(Some(&new)));
    let walked = || Adjacency::open(&reader(&db), model::ids::RepoId(1)).unwrap().unwrap().seq;
    let _ = index_at(&repo, &db, &request(Some(&old)));
    assert_eq!(walked(), indexed.snapshot, "most packages are the same");
    let later = index_at(&repo, &db, &request(Some(&far)));
    assert_eq!(walked(), later.snapshot, "a newer one gets its own");
    assert_sound(&db);
}

#[test]
fn the_log_of_edges_tells_the_difference() {
    let mut bench = Bench::new();
    bench.commit("main", APP);
    let (db, repo) = (bench.database("db"), bench.clone_as("one"));
    index_at(&repo, &db, &request(None));
    bench.commit(
        "main",
        &[("app/a.py", "def go():\n    return local()\n\ndef local():\n    return 1\n")],
    );
    let repo = bench.clone_as("two");
    let report = index_at(&repo, &db, &request(None));
    let reader = reader(&db);
    let events = snapshots::events(&reader, report.snapshot).unwrap();
    let shown: Vec<String> = events
        .iter()
        .map(|event| {
            let name = |id| store::code::nodes::get(&reader, id).unwrap().unwrap().symbol();
            let sign = if event.is_added { '+' } else { '-' };
            let edge = event.edge;
            format!("{sign} {} {} {}", name(edge.source), edge.kind.as_str(), name(edge.target))
        })
        .collect();
    assert!(shown.contains(&"- a.go calls b.helper".to_owned()), "{shown:?}");
    assert!(shown.contains(&"+ a.go calls a.local".to_owned()), "{shown:?}");
    assert_eq!(report.edges_added + report.edges_removed, events.len() as u64);
}

/// Who is linked again when files come and go: those who asked for them.
#[test]
fn a_file_that_comes_is_linked_with_those_who_asked_for_it() {
    let mut bench = Bench::new();
    bench.commit("main", APP);
    bench.commit(
        "main",
        &[("app/late_user.py", "from app.late import later\n\ndef use():\n    return later()\n")],
    );
    let db = bench.database("db");
    let before = index_at(&bench.clone_as("before"), &db, &request(None));
    assert_eq!((before.files, before.files_linked), (5, 5));
    bench.commit("main", &[("app/late.py", "def later():\n    return 1\n")]);
    let come = index_at(&bench.clone_as("come"), &db, &request(None));
    assert_eq!((come.files, come.files_read, come.files_linked), (6, 1, 2));
    assert!(come.edges_added >= 2, "an import and a call: {}", come.edges_added);
    bench.change("main", &[FileChange::Delete { path: "app/late.py".to_owned() }]);
    let gone = index_at(&bench.clone_as("gone"), &db, &request(None));
    assert_eq!((gone.files, gone.files_read, gone.files_linked), (5, 0, 1));
    assert_eq!(gone.static_root, before.static_root);
    let move_it = FileChange::Rename { from: "app/b.py".into(), to: "app/c.py".into() };
    bench.change("main", &[move_it]);
    let moved = index_at(&bench.clone_as("moved"), &db, &request(None));
    assert_eq!((moved.files_read, moved.files_linked), (1, 3), "with its importer's importer");
    assert_sound(&db);
}

#[test]
fn in_languages_with_namespaces_only_who_asked_for_a_name_is_linked() {
    let mut bench = Bench::new();
    let user = "package app;\n\nclass User { void run() { new Thing().go(); new Late().go(); } }\n";
    let other = "package app;\n\nclass Other { void run() { new Thing().go(); } }\n";
    let thing = "package app;\n\nclass Thing { void go() {} }\n";
    bench.commit("main", &[("User.java", user), ("Other.java", other), ("Thing.java", thing)]);
    let db = bench.database("db");
    index_at(&bench.clone_as("one"), &db, &request(None));
    bench.commit("main", &[("Thing.java", &thing.replace("{}", "{ int n = 1; }"))]);
    let body = index_at(&bench.clone_as("two"), &db, &request(None));
    assert_eq!(body.files_linked, 1, "nobody sees a body");
    bench.commit("main", &[("Late.java", "package app;\n\nclass Late { void go() {} }\n")]);
    let late = index_at(&bench.clone_as("three"), &db, &request(None));
    assert_eq!(late.files_linked, 2, "one asked for it");
    bench.commit("main", &[("package.json", "{\"name\": \"x\", \"version\": \"2\"}")]);
    let manifest = index_at(&bench.clone_as("four"), &db, &request(None));
    assert_eq!(manifest.files_linked, 0, "nobody asked a manifest");
    assert_sound(&db);
}

/// Whether a function is known elsewhere, or written there, decides what others mean by its
/// name: they are linked again when that changes.
#[test]
fn a_function_that_is_no_longer_private_is_found_by_those_who_asked_for_it() {
    let mut bench = Bench::new();
    let text = "static int foo(void) { return 1; }\n";
    let first = bench.commit(
        "main",
        &[
            ("x.c", text),
            ("y.c", "#include \"x.c\"\nint g(void) { return foo(); }\n"),
            ("z.c", "int h(void) { return foo(); }\n"),
        ],
    );
    let second = bench.commit("main", &[("x.c", text.trim_start_matches("static "))]);
    let (chain, alone) = (bench.database("chain"), bench.database("alone"));
    let repo = bench.clone_as("repo");
    let before = index_at(&repo, &chain, &request(Some(&first)));
    let step = index_at(&repo, &chain, &request(Some(&second)));
    let full = index_at(&repo, &alone, &request(Some(&second)));
    assert_eq!(step.static_root, full.static_root);
    assert_eq!(step.edges, full.edges);
    assert!(before.edges < full.edges, "z.c finds it now");
}
