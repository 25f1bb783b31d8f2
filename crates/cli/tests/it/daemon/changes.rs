//! Change detection: hooks, watches, polling, and what happened meanwhile.

use super::*;

#[test]
fn a_commit_is_indexed_without_being_asked() {
    let env = machine();
    let dir = repository(&env, "app");
    let served = Served::new(env);
    let head = served.commit(&dir, "def second():\n    return first()\n");
    served.until_fresh(&dir, &head);
    let found = served.env.lore_in(&dir, &["symbol", "second"], "").success();
    assert!(found.stdout.contains("second"), "{found}");
}

#[test]
fn a_hook_tells_of_a_commit_and_neither_delays_nor_fails_it() {
    let mut env = machine();
    // Neither the watch nor the poll may be what sees it.
    env.set_var("LORE_DAEMON_WATCH", "false").set_var("LORE_DAEMON_POLL_SECONDS", "86400");
    let dir = repository(&env, "app");
    let own = "#!/bin/sh\necho own >> hook-ran\nexit 0\n";
    let hook = dir.join(".git/hooks/post-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, own).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let installed = env.lore_in(&dir, &["hook", "install", "--git"], "").success();
    assert!(
        installed.stdout.contains("post-commit: added to the hook that is there"),
        "{installed}"
    );
    let served = Served::new(env);
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
    assert!(dir.join("hook-ran").exists(), "the hook that was there still runs");
    served.until("the log names the run", || served.log().contains("index"));
    // Without a daemon, without lore itself: a commit is a commit.
    let mut served = served;
    served.kill();
    served.commit(&dir, "def third():\n    return 3\n");
    let _ = served.env.lore_in(&dir, &["hook", "remove", "--git"], "").success();
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), own);
    assert!(!dir.join(".git/hooks/post-merge").exists());
}

#[test]
fn polling_sees_what_nobody_told() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_WATCH", "false").set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let served = Served::new(env);
    let head = served.commit(&dir, "def second():\n    return 2\n");
    served.until_fresh(&dir, &head);
}

#[test]
fn what_happened_while_it_was_down_is_found_at_the_start() {
    let env = machine();
    let dir = repository(&env, "app");
    let heads: Vec<String> =
        (0..3).map(|n| commit(&env, &dir, &format!("def f{n}():\n    return {n}\n"))).collect();
    let served = Served::new(env);
    served.until_fresh(&dir, &heads[2]);
}

#[test]
fn branches_and_linked_work_trees_are_followed_side_by_side() {
    let env = machine();
    let dir = repository(&env, "app");
    let linked = env.dir().join("linked");
    git(&env, &dir, &["worktree", "add", "-q", "-b", "topic", linked.to_str().unwrap()]);
    let _ = env.lore(&["index", linked.to_str().unwrap(), "-q"]).success();
    let served = Served::new(env);
    served.until("both are known", || served.status().is_some_and(|it| it["clones"] == 2));
    let topic = served.commit(&linked, "def on_topic():\n    return 1\n");
    let main = served.commit(&dir, "def on_main():\n    return 1\n");
    served.until_fresh(&linked, &topic);
    served.until_fresh(&dir, &main);
}

#[test]
fn a_burst_of_commits_is_indexed_at_its_end() {
    let env = machine();
    let dir = repository(&env, "app");
    let served = Served::new(env);
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    // As fast as git can: through one process.
    let mut stream = String::new();
    for n in 1..=1000 {
        stream.push_str(&format!(
            "commit refs/heads/main\ncommitter T <t@example.com> {} +0000\ndata 4\nburs\n{}M 100644 inline b.py\ndata {}\nx = {n}\n\n",
            1_717_000_000 + n,
            if n == 1 { "from refs/heads/main^0\n" } else { "" },
            format!("x = {n}\n").len(),
        ));
    }
    let mut import = std::process::Command::new("git")
        .args(["-C", dir.to_str().unwrap(), "fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), stream.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    let head = git(&served.env, &dir, &["rev-parse", "refs/heads/main"]);
    served.until_fresh(&dir, &head);
    served.until_idle();
    let n_runs = served.log().matches("done job=\"index").count();
    assert!(n_runs <= 20, "{n_runs} runs for a thousand commits\n{}", served.log());
    let commits = json(&served.env, &["status"])["repos"][0]["commits"].as_u64().unwrap();
    assert_eq!(commits, 1001, "none is lost, none counts twice");
}

#[test]
fn a_standing_query_is_asked_once_for_every_state_of_the_record() {
    let env = machine();
    let dir = repository(&env, "app");
    let add = ["watch", "add", "users-of-first", "--", "callers", "first"];
    let _ = env.lore_in(&dir, &add, "").success();
    let refused = env.lore_in(&dir, &["watch", "add", "x", "--", "sync"], "").failure(2);
    assert!(refused.stderr.contains("is no question"), "{refused}");
    let served = Served::new(env);
    let shown = |flag: &[&str]| {
        let mut all = vec!["watch", "show", "users-of-first"];
        all.extend(flag);
        served.env.lore_in(&dir, &all, "").success().stdout
    };
    served.until("a first answer", || shown(&[]).contains("answered"));
    // Commands that bring nothing new are no reason to ask again.
    for _ in 0..2 {
        let _ = served.env.lore(&["index", "app"]).success();
        served.until_idle();
    }
    std::fs::write(
        dir.join("m1.py"),
        "def first():\n    return 1\n\n\ndef user():\n    return first()\n",
    )
    .unwrap();
    git(&served.env, &dir, &["commit", "-qam", "Use first"]);
    served.until("the difference", || shown(&["--diff"]).contains("+1\tfunction\tm1.user"));
    served.until_idle();
    let n_asked = served.log().matches("job=\"watch users-of-first\"").count();
    assert_eq!(n_asked, 2, "before and after the commit\n{}", served.log());
    let list = json(&served.env, &["watch", "list"]);
    assert_eq!(list["items"][0]["every"], "on_snapshot");
    let _ = served.env.lore_in(&dir, &["watch", "remove", "users-of-first"], "").success();
    let _ = served.env.lore_in(&dir, &["watch", "show", "users-of-first"], "").failure(17);
}
