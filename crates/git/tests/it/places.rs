//! The kinds of repositories there are, and where each of them stands.

use crate::fixture::{Fixture, commit, file};
use git::{Head, Repo};
use model::ErrorCode;

fn two_commits() -> Fixture {
    Fixture::imported(
        [
            commit("main", 1, 1000, "One", &file("a", "1\n")),
            commit("main", 2, 2000, "Two", &file("a", "2\n")),
        ]
        .concat(),
    )
}

#[test]
fn an_empty_repository_has_a_branch_and_no_commit() {
    let fixture = Fixture::new();
    let repo = fixture.repo();
    assert_eq!(repo.head().unwrap(), Head { commit: None, branch: Some("main".to_owned()) });
    assert_eq!(repo.branches().unwrap(), []);
    assert_eq!(repo.default_branch().unwrap(), None);
    assert_eq!(repo.resolve("HEAD").unwrap_err().code(), ErrorCode::NotFound);
    assert_eq!(repo.canonical_url().unwrap_err().code(), ErrorCode::NotIndexed);
}

#[test]
fn a_folder_inside_is_the_same_repository() {
    let fixture = two_commits();
    std::fs::create_dir(fixture.path().join("inner")).unwrap();
    let inner = Repo::open(&fixture.path().join("inner")).unwrap();
    assert_eq!(inner.dir(), fixture.repo().dir());
    assert_eq!(inner.work_tree(), Some(inner.dir()));
}

#[test]
fn a_detached_head_has_no_branch() {
    let fixture = two_commits();
    fixture.in_repo(&["checkout", "--quiet", "--detach", "HEAD~1"]);
    let head = fixture.repo().head().unwrap();
    assert_eq!(head, Head { commit: Some(fixture.id("main~1")), branch: None });
    assert_eq!(fixture.repo().default_branch().unwrap().unwrap().name(), "main");
}

#[test]
fn a_bare_clone_reads_like_any_other() {
    let fixture = two_commits();
    fixture.git(&["clone", "--quiet", "--bare", "repo", "bare.git"]);
    let bare = Repo::open(&fixture.beside("bare.git")).unwrap();
    assert_eq!(bare.work_tree(), None);
    assert_eq!(bare.head().unwrap().commit, Some(fixture.id("main")));
    assert_eq!(bare.files(fixture.id("main")).unwrap().len(), 1);
}

#[test]
fn a_shallow_clone_says_so() {
    let fixture = two_commits();
    let url = format!("file://{}", fixture.path().display());
    fixture.git(&["clone", "--quiet", "--depth=1", &url, "shallow"]);
    let shallow = Repo::open(&fixture.beside("shallow")).unwrap();
    assert!(shallow.is_shallow());
    let head = shallow.head().unwrap().commit.unwrap();
    assert_eq!(shallow.commit_ids(&[head], &[]).unwrap(), [head]);
    assert_eq!(shallow.default_branch().unwrap().unwrap().full_name, "refs/remotes/origin/main");
    let next = |rev: &str| shallow.resolve(rev).unwrap_err().suggestion().unwrap().to_owned();
    for older in ["HEAD~1", "main^", &fixture.id("main~1").to_string()] {
        assert!(next(older).contains("git fetch --unshallow"), "{older}: {}", next(older));
    }
    assert!(!next("nowhere").contains("unshallow"));
}

#[test]
fn linked_work_trees_share_one_repository() {
    let fixture = two_commits();
    fixture.in_repo(&["worktree", "add", "--quiet", "-b", "other", "../linked", "HEAD~1"]);
    let linked = Repo::open(&fixture.beside("linked")).unwrap();
    assert_eq!(linked.common_dir(), fixture.repo().common_dir());
    assert_eq!(linked.head().unwrap().branch.as_deref(), Some("other"));
    let trees = linked.worktrees().unwrap();
    let branches: Vec<_> = trees.iter().map(|tree| tree.branch.as_deref().unwrap()).collect();
    assert_eq!(branches, ["refs/heads/main", "refs/heads/other"]);
    assert_eq!(Repo::known(linked.dir()).head().unwrap(), linked.head().unwrap());
}

#[test]
fn a_folder_outside_is_no_repository() {
    let fixture = Fixture::new();
    for path in [fixture.beside(""), fixture.beside("nowhere")] {
        let error = Repo::open(&path).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert!(error.message().ends_with("is not a git repository"), "{error}");
    }
}

#[test]
fn the_name_of_a_repository_is_its_remote_or_its_first_commit() {
    let fixture = two_commits();
    let first = fixture.id("main~1");
    assert_eq!(fixture.repo().canonical_url().unwrap(), format!("local/{first}"));
    // A path of this machine names nothing on another.
    fixture.in_repo(&["remote", "add", "disk", "/srv/git/x.git"]);
    assert_eq!(fixture.repo().canonical_url().unwrap(), format!("local/{first}"));
    fixture.in_repo(&["remote", "add", "origin", "ssh://git@gl.example:2222/a/b.git"]);
    assert_eq!(fixture.repo().canonical_url().unwrap(), "gl.example/a/b");
}

#[test]
fn an_abbreviated_remote_is_spelled_out() {
    let fixture = two_commits();
    fixture.in_repo(&["remote", "add", "origin", "w:a/b"]);
    fixture.in_repo(&["config", "url.https://gl.example/.insteadOf", "w:"]);
    assert_eq!(fixture.repo().canonical_url().unwrap(), "gl.example/a/b");
}

#[test]
fn a_folder_of_a_clone_that_looks_like_a_bare_repository_is_a_folder() {
    let fixture = two_commits();
    fixture.git(&["clone", "--quiet", "--bare", "repo", "repo/sub"]);
    fixture.in_repo(&["config", "--file", "sub/config", "core.bare", "false"]);
    fixture.in_repo(&["config", "--file", "sub/config", "core.worktree", "."]);
    for inside in ["sub", "sub/refs"] {
        let found = Repo::open(&fixture.path().join(inside)).unwrap();
        assert_eq!(found.dir(), fixture.repo().dir());
    }
}

#[test]
fn a_folder_inside_a_bare_repository_is_that_repository() {
    let fixture = two_commits();
    fixture.git(&["clone", "--quiet", "--bare", "repo", "bare.git"]);
    let bare = Repo::open(&fixture.beside("bare.git/refs")).unwrap();
    assert_eq!(bare.dir(), fixture.beside("bare.git").canonicalize().unwrap());
    assert_eq!(Repo::known(bare.dir()).head().unwrap(), bare.head().unwrap());
}

#[test]
fn settings_cannot_put_the_work_tree_elsewhere() {
    let fixture = two_commits();
    for place in ["../..", "/"] {
        fixture.in_repo(&["config", "core.worktree", place]);
        let error = Repo::open(&fixture.path()).unwrap_err();
        assert!(error.message().contains("work tree elsewhere"), "{error}");
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let fixture = two_commits();
    fixture.git(&["clone", "--quiet", "repo", "outer"]);
    let outer = fixture.beside("outer");
    let add = ["-C", "outer", "submodule", "--quiet", "add", "../repo", "inner"];
    fixture.git(&add);
    let inner = Repo::open(&outer.join("inner")).unwrap();
    assert_eq!(inner.work_tree(), Some(outer.join("inner").canonicalize().unwrap().as_path()));
    assert_eq!(inner.head().unwrap().commit, Some(fixture.id("main")));
}

/// A repository whose only pack lost its middle.
#[test]
fn damage_is_not_the_same_as_no_commits() {
    let fixture = two_commits();
    fixture.in_repo(&["repack", "--quiet", "-a", "-d", "-f"]);
    for file in std::fs::read_dir(fixture.path().join(".git/objects/pack")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "pack") {
            let n_bytes = std::fs::metadata(&path).unwrap().len() as usize;
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, vec![7; n_bytes]).unwrap();
        }
    }
    let repo = fixture.repo();
    for error in [repo.head().unwrap_err(), repo.head_commit().unwrap_err()] {
        assert_eq!(error.code(), ErrorCode::Integrity, "{error}");
        assert!(error.message().starts_with("the repository is damaged"), "{error}");
        assert!(error.suggestion().unwrap().contains("git fsck"), "{error:?}");
    }
}

#[test]
fn a_branch_that_is_no_name_of_a_commit_is_damage() {
    let fixture = Fixture::new();
    std::fs::create_dir_all(fixture.path().join(".git/refs/heads")).unwrap();
    std::fs::write(fixture.path().join(".git/refs/heads/main"), "garbage\n").unwrap();
    assert_eq!(fixture.repo().head().unwrap_err().code(), ErrorCode::Integrity);
}

#[test]
fn replacements_and_grafts_change_no_history() {
    let fixture = two_commits();
    let (first, second) = (fixture.id("main~1"), fixture.id("main"));
    let alone = fixture.in_repo(&["commit-tree", "-m", "Alone", "main^{tree}"]);
    fixture.in_repo(&["replace", &second.to_string(), &alone]);
    std::fs::create_dir_all(fixture.path().join(".git/info")).unwrap();
    std::fs::write(fixture.path().join(".git/info/grafts"), format!("{second}\n")).unwrap();
    assert_eq!(fixture.repo().parents(second).unwrap(), [first]);
    assert_eq!(fixture.repo().commit_ids(&[second], &[]).unwrap(), [second, first]);
}

#[test]
fn names_of_branches_and_tags_are_no_options() {
    let fixture = two_commits();
    let commit = fixture.id("main");
    let odd = "--output=out";
    for kind in ["heads", "tags", "remotes/origin"] {
        for name in [odd, "-Oorder", "--upload-pack=touch ran", "@{0}", "-"] {
            let place = fixture.path().join(".git/refs").join(kind).join(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, format!("{commit}\n")).unwrap();
        }
    }
    std::fs::write(fixture.path().join(".git/HEAD"), format!("ref: refs/heads/{odd}\n")).unwrap();
    let repo = fixture.repo();
    assert_eq!(repo.head().unwrap().commit, Some(commit));
    for branch in repo.branches().unwrap() {
        drop(repo.resolve(branch.name()));
    }
    assert_eq!(repo.resolve("refs/heads/-").unwrap(), commit);
    drop((repo.tagged().unwrap(), repo.default_branch().unwrap(), repo.worktrees().unwrap()));
    assert!(!fixture.path().join("out").exists());
}
