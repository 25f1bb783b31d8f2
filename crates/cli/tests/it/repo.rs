//! Local clones: registered, read, read again, forgotten.

use crate::{BINARY, lore};
use expect_test::expect;
use testkit::Site;

const HISTORY: &str = r#"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-02T09:00
  write README.md
    | # Tide
mr !1 "Keep the session" by bo at 2024-02-10T09:00 from fix
  commit "Keep it" +5m
    write src/session.rs
      | pub fn cookie() {}
  merge by ada +1h
mr !2 "Rename it" by bo at 2024-03-10T09:00 from rename
  commit "Rename the session" +5m
    rename src/session.rs => src/cookie.rs
  merge squash by ada +1h
"#;

fn site() -> Site {
    Site::with_clones(BINARY, HISTORY)
}

#[test]
fn a_clone_is_registered_and_its_commits_are_read() {
    let site = site();
    let env = &site.env;
    site.sync();
    expect![[r#"
        127.0.0.1/harbor/tide  5 new commits
        project:     harbor/tide
        ------- stderr -------
        commits: 5
    "#]]
    .assert_eq(&env.lore(&["repo", "add", "harbor/tide"]).to_string());
    expect![[r#"
        REPOSITORY	PROJECT	COMMITS	READ	PLACE
        127.0.0.1/harbor/tide	harbor/tide	5	2024-06-01T12:00:00.000Z	$DIR/harbor/tide
    "#]]
    .assert_eq(&env.lore(&["repo", "list"]).to_string());
    // Nothing new: nothing to say.
    expect![[r#"
        127.0.0.1/harbor/tide  up to date
        project:     harbor/tide
    "#]]
    .assert_eq(&env.lore(&["repo", "add", "harbor/tide/src"]).to_string());
    expect![[r#"
        {"ok":true,"data":{"items":[{"commits":5,"label":"127.0.0.1/harbor/tide","main_branch":"refs/heads/main","name":"127.0.0.1/harbor/tide","places":[{"dir":"$DIR/harbor/tide","is_shallow":false}],"project":"harbor/tide","scanned_at":"2024-06-01T12:00:00.000Z","unreachable":0}]},"meta":{"elapsed_ms":0}}
    "#]].assert_eq(&env.lore(&["repo", "list", "--json"]).to_string());
    expect![[r#"
        forgotten: $DIR/harbor/tide
    "#]]
    .assert_eq(&env.lore(&["repo", "remove", "tide"]).to_string());
    expect![[r#""#]].assert_eq(&env.lore(&["repo", "list"]).to_string());
}

#[test]
fn a_sync_reads_what_is_new_and_keeps_what_a_force_push_left() {
    let site = site();
    let env = &site.env;
    let git = |args: &[&str]| {
        let clone = env.dir().join("harbor/tide").display().to_string();
        let _done = env.git(&[&["-C", &clone], args].concat()).success();
    };
    let _first = env.lore(&["repo", "add", "harbor/tide"]).success();
    expect![[r#"
        harbor/tide  2 new merge requests
        code  127.0.0.1/harbor/tide  2 symbols, 1 edge
        search index  7 new texts
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
    git(&["commit", "-q", "--allow-empty", "-m", "One"]);
    git(&["commit", "-q", "--allow-empty", "-m", "Two"]);
    expect![[r#"
        harbor/tide  up to date
        127.0.0.1/harbor/tide  2 new commits
        code  127.0.0.1/harbor/tide  2 symbols, 1 edge
        search index  2 new texts
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    git(&["commit", "-q", "--allow-empty", "-m", "Three"]);
    expect![[r#"
        harbor/tide  up to date
        127.0.0.1/harbor/tide  1 new commit · 2 commits left behind by a force push
        code  127.0.0.1/harbor/tide  2 symbols, 1 edge
        search index  1 new, 2 removed texts
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
    expect![[r#"
        {"ok":true,"data":{"items":[{"commits":6,"unreachable":2}]},"meta":{"elapsed_ms":0}}
    "#]]
    .assert_eq(
        &env.lore(&["repo", "list", "--fields", "items.commits,items.unreachable"]).to_string(),
    );
    // Git threw the old commits away; what lore knew of them stays as it was.
    git(&["reset", "-q", "--hard", "HEAD~1"]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "-q", "--prune=now"]);
    expect![[r#"
        harbor/tide  up to date
        127.0.0.1/harbor/tide  1 commit left behind by a force push
        search index  1 removed text
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
}

#[test]
fn a_configured_clone_that_is_gone_is_said_and_the_rest_is_read() {
    let site = site();
    let clone = site.env.dir().join("harbor/tide").display().to_string();
    let config = std::fs::read_to_string(site.env.home().join(".config/lore/lore.toml")).unwrap();
    let config =
        format!("{config}[[repos]]\npath = \"{clone}\"\n[[repos]]\npath = \"{clone}/not-there\"\n");
    site.env.write_file(site.env.home().join(".config/lore/lore.toml"), &config);
    expect![[r#"
        harbor/tide  2 new merge requests
        127.0.0.1/harbor/tide  5 new commits
        $DIR/harbor/tide/not-there  not read: $DIR/harbor/tide/not-there is not a git repository
        code  127.0.0.1/harbor/tide  2 symbols, 1 edge
        search index  7 new texts
        done
    "#]]
    .assert_eq(&site.env.lore(&["sync", "-q"]).to_string());
}

#[test]
fn what_is_no_clone_is_refused() {
    let env = lore();
    expect![[r#"
        ------- stderr -------
        error: $DIR is not a git repository
        hint: give a folder inside a clone, or a bare repository
        [exit status: 17]
    "#]]
    .assert_eq(&env.lore(&["repo", "add", "."]).to_string());
    expect![[r#"
        ------- stderr -------
        error: no data yet
        hint: in a clone, run: lore index; for a GitLab server: lore init
        [exit status: 20]
    "#]]
    .assert_eq(&env.lore(&["repo", "list"]).to_string());
    let _made = env.git(&["init", "-q", "-b", "main", "empty"]).success();
    expect![[r#"
        ------- stderr -------
        error: the repository has neither a remote nor a commit
        hint: make a first commit, then run the command again
        [exit status: 20]
    "#]]
    .assert_eq(&env.lore(&["repo", "add", "empty"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: `no address` is no address of a repository
        hint: write it as https://gitlab.example.com/group/project
        [exit status: 2]
    "#]]
    .assert_eq(&env.lore(&["repo", "add", "empty", "--url", "no address"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: no data yet
        hint: in a clone, run: lore index; for a GitLab server: lore init
        [exit status: 20]
    "#]]
    .assert_eq(&env.lore(&["repo", "remove", "other"]).to_string());
}

#[test]
fn several_clones_are_added_at_once_or_none() {
    let env = lore();
    for name in ["api", "web"] {
        let _made = env.git(&["init", "-q", "-b", "main", name]).success();
        let commit = ["-C", name, "commit", "-q", "--allow-empty", "-m", name];
        let _done = env.git(&commit).success();
    }
    std::fs::create_dir(env.dir().join("none")).unwrap();
    let refused = env.lore(&["repo", "add", "api", "none", "web"]).failure(17);
    assert!(refused.stderr.contains("none"), "{refused}");
    let _empty = env.lore(&["repo", "list"]).failure(20);
    let two = env.lore(&["repo", "add", "api", "web", "--url", "https://x.example/a/b"]).failure(2);
    assert!(two.stderr.contains("--url names one clone"), "{two}");
    let added = env.lore(&["repo", "add", "api", "web"]).success();
    assert!(added.stdout.contains("api  1 new commit"), "{added}");
    assert!(added.stdout.contains("web  1 new commit"), "{added}");
    let list = env.lore(&["repo", "list", "--fields", "items.label"]).success();
    assert!(list.stdout.contains("api") && list.stdout.contains("web"), "{list}");
}
