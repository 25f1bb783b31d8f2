//! One clone, one identity: whatever commands meet it, in whatever order.

use crate::{BINARY, lore};
use serde_json::Value;
use testkit::{Site, TestEnv};

/// A clone with one commit, in `$DIR/app`.
fn clone(env: &TestEnv, remote: Option<&str>) {
    let _made = env.git(&["init", "-q", "-b", "main", "app"]).success();
    env.write_file(env.dir().join("app/main.py"), "def run():\n    return 1\n");
    git(env, &["add", "."]);
    git(env, &["commit", "-q", "-m", "Begin"]);
    if let Some(remote) = remote {
        git(env, &["remote", "add", "origin", remote]);
    }
}

fn git(env: &TestEnv, args: &[&str]) {
    let dir = env.dir().join("app").display().to_string();
    let _done = env.git(&[&["-C", &dir], args].concat()).success();
}

/// Names, folders and numbers of commits of all repositories.
fn known(env: &TestEnv) -> Vec<(String, usize, u64)> {
    let output = env.lore(&["repo", "list", "--json"]).success();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let items = document["data"]["items"].as_array().unwrap().clone();
    let places = |item: &Value| item["places"].as_array().unwrap().len();
    let commits = |item: &Value| item["commits"].as_u64().unwrap();
    items
        .iter()
        .map(|item| (item["name"].as_str().unwrap().to_owned(), places(item), commits(item)))
        .collect()
}

/// Every order of some commands.
fn orders<'c>(commands: &[&'c [&'c str]]) -> Vec<Vec<&'c [&'c str]>> {
    if commands.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..commands.len() {
        let mut rest = commands.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

#[test]
fn a_name_that_somebody_gave_stays() {
    let named: &[&str] = &["repo", "add", "app", "--url", "http://127.0.0.1:18931/group/app.git"];
    for remote in [None, Some("https://else.example/group/app.git"), Some("/srv/git/app.git")] {
        for order in orders(&[named, &["index", "app"], &["repo", "add", "app"]]) {
            let env = lore();
            clone(&env, remote);
            for command in order.iter().chain(&[&["index", "app"][..]]) {
                let _done = env.lore(command).success();
            }
            let expected = vec![("127.0.0.1:18931/group/app".to_owned(), 1, 1)];
            assert_eq!(known(&env), expected, "{remote:?} {order:?}");
        }
    }
}

#[test]
fn a_remote_with_a_port_gives_one_name() {
    for order in orders(&[&["index", "app"], &["repo", "add", "app"], &["index", "app", "--full"]])
    {
        let env = lore();
        clone(&env, Some("http://127.0.0.1:18931/group/app.git"));
        for command in &order {
            let _done = env.lore(command).success();
        }
        let expected = vec![("127.0.0.1:18931/group/app".to_owned(), 1, 1)];
        assert_eq!(known(&env), expected, "{order:?}");
    }
}

#[test]
fn a_clone_without_a_remote_keeps_its_name_on_other_branches_and_in_other_work_trees() {
    let env = lore();
    clone(&env, None);
    let _first = env.lore(&["index", "app"]).success();
    let before = known(&env);
    git(&env, &["checkout", "-q", "--orphan", "pages"]);
    git(&env, &["commit", "-q", "--allow-empty", "-m", "Another beginning"]);
    let _second = env.lore(&["index", "app"]).success();
    git(&env, &["worktree", "add", "-q", "../linked", "main"]);
    let _linked = env.lore(&["index", "linked"]).success();
    assert_eq!(known(&env), [(before[0].0.clone(), 2, 2)]);
}

#[test]
fn a_remote_that_is_added_later_names_the_clone_and_another_repository_in_the_folder_is_another() {
    let env = lore();
    clone(&env, None);
    let _first = env.lore(&["index", "app"]).success();
    git(&env, &["remote", "add", "origin", "git@gl.example:group/app.git"]);
    let _second = env.lore(&["index", "app"]).success();
    assert_eq!(known(&env), [("gl.example/group/app".to_owned(), 1, 1)]);
    let _named =
        env.lore(&["repo", "add", "app", "--url", "https://gl.example/given/name"]).success();
    std::fs::remove_dir_all(env.dir().join("app")).unwrap();
    clone(&env, Some("https://gl.example/group/new.git"));
    git(&env, &["commit", "-q", "--amend", "--allow-empty", "-m", "Quite another"]);
    git(&env, &["reflog", "expire", "--expire=now", "--all"]);
    git(&env, &["gc", "-q", "--prune=now"]);
    let _third = env.lore(&["index", "app"]).success();
    assert_eq!(known(&env), [("gl.example/group/new".to_owned(), 1, 1)]);
}

#[test]
fn a_sync_keeps_the_name_and_the_project() {
    let history = r#"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-02T09:00
  write README.md
    | # Tide
"#;
    let site = Site::with_clones(BINARY, history);
    let env = &site.env;
    let url = "http://127.0.0.1:18931/harbor/tide";
    let named: &[&str] = &["repo", "add", "harbor/tide", "--url", url];
    for command in [named, &["sync", "-q"], &["index", "harbor/tide"], &["sync", "-q"]] {
        let _done = env.lore(command).success();
        let expected = [("127.0.0.1:18931/harbor/tide".to_owned(), 1, 1)];
        assert_eq!(known(env), expected, "{command:?}");
    }
    let listed = env.lore(&["repo", "list", "--fields", "items.project"]).success();
    assert!(listed.stdout.contains("harbor/tide"), "{}", listed.stdout);
}

#[test]
fn a_folder_is_a_name_too() {
    let env = lore();
    clone(&env, None);
    let _read = env.lore(&["index", "app"]).success();
    let counted = env.lore(&["count", "commits", "-r", "App"]).success();
    assert_eq!(counted.stdout, "1\n");
    let _symbol = env.lore(&["symbol", "run", "-r", "app"]).success();
}
