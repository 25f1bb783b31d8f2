//! What must not stop the daemon, and what must not be lost: kills, files that go
//! away, repositories that change under its hands, a forge that is ill.

use super::*;
use testkit::{Site, dump};

/// Kills of the daemon and commits before each of them. A sync falls due at every start, and
/// every second after it.
fn kills() -> (usize, usize) {
    if is_large() { (50, 4) } else { (12, 3) }
}

/// Something for every sync to fetch: another title for an issue.
fn retitle(server: &sim::Server, rng: &mut fastrand::Rng, round: usize) {
    let mut world = server.world();
    world.advance(Duration::from_secs(60));
    let (project, now) = (world.projects().next().unwrap().id, world.now());
    let by = world.users().next().unwrap().username.clone();
    let issue = sim::world::EntityKey::issue(project, rng.i64(1..=20));
    world.retitle(issue, &by, now, &format!("Title of round {round}")).unwrap();
}

/// Syncs that were begun, whatever became of them.
fn n_syncs(env: &TestEnv) -> usize {
    let reader = store::Reader::open(&env.db()).unwrap();
    store::runs::latest(&reader, 10_000).unwrap().len()
}

#[test]
fn killed_again_and_again_it_ends_with_what_a_quiet_run_has() {
    let mut rng = fastrand::Rng::with_seed(11);
    let world = sim::Corpus::new(3, 30, 20).build().unwrap();
    let mut site = Site::of(BINARY, world);
    site.server.world().advance(Duration::from_secs(86_400));
    let quiet = real_time(site.another_machine(BINARY));
    let mut env = real_time(std::mem::replace(&mut site.env, TestEnv::new(BINARY)));
    env.set_var("LORE_DAEMON_SYNC_SECONDS", "1").set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let mut served = Served::new(env);
    let mut head = String::new();
    let (n_kills, n_commits) = kills();
    let mut n = 0;
    // Some syncs are killed before they have left a trace, so there are rounds until there are enough.
    while n < n_kills || (n_syncs(&served.env) < n_kills && n < 4 * n_kills) {
        n += 1;
        retitle(&site.server, &mut rng, n);
        for k in 0..n_commits {
            head = served.commit(&dir, &format!("def f{n}_{k}():\n    return {k}\n"));
        }
        std::thread::sleep(Duration::from_millis(rng.u64(0..400)));
        if rng.bool() {
            served.kill();
        } else {
            served.kill_all();
        }
        served.start(&[]);
    }
    served.until_fresh(&dir, &head);
    served.until("a whole sync", || {
        let projects = json(&served.env, &["status"])["projects"].clone();
        projects
            .as_array()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|it| !it["synced_at"].is_null()))
    });
    let _ = served.env.lore(&["daemon", "stop"]).success();
    served.kill();
    let _ = served.env.lore(&["sync", "-q", "--no-code"]).success();
    let n_syncs = n_syncs(&served.env);
    assert!(n_syncs >= n_kills, "{n_syncs} syncs for {n_kills} kills\n{}", served.log());
    // The quiet run: the same repository, the same forge, nobody disturbs.
    let copy = quiet.dir().join("app");
    git(&quiet, &quiet.dir(), &["clone", "-q", dir.to_str().unwrap(), copy.to_str().unwrap()]);
    git(&quiet, &copy, &["remote", "remove", "origin"]);
    let _ = quiet.lore(&["index", "app", "-q"]).success();
    let _ = quiet.lore(&["sync", "-q"]).success();
    let differences = store::dump::differences(&dump(&served.env), &dump(&quiet), 5);
    assert!(differences.is_empty(), "{differences:#?}\n{}", served.log());
    // The code graph too: roots follow from the commit alone.
    let root = |env: &TestEnv, dir: &Path| {
        let output = env.lore_in(dir, &["snapshots", "--json", "-n", "1"], "").success();
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        let snapshot = &document["data"]["snapshots"][0];
        (snapshot["commit"].clone(), snapshot["root"].clone())
    };
    assert_eq!(root(&served.env, &dir), root(&quiet, &copy));
    let commits = |env: &TestEnv| json(env, &["status"])["repos"][0]["commits"].clone();
    assert_eq!(commits(&served.env), commits(&quiet));
    let _sound = served.env.lore(&["stats", "--check"]).success();
}

#[test]
fn a_repository_may_go_come_back_be_rewritten_and_collected() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let other = repository(&env, "other");
    let served = Served::new(env);
    served.until("both are known", || served.status().is_some_and(|it| it["clones"] == 2));
    let moved = served.env.dir().join("moved");
    std::fs::rename(&dir, &moved).unwrap();
    served.until("it is missed", || {
        served.log().contains("a clone is gone") || {
            let state = json(&served.env, &["stale"])["places"].to_string();
            state.contains("\"gone\"")
        }
    });
    let head = served.commit(&other, "def still():\n    return 1\n");
    served.until_fresh(&other, &head);
    commit(&served.env, &moved, "def away():\n    return 1\n");
    std::fs::rename(&moved, &dir).unwrap();
    let head = git(&served.env, &dir, &["rev-parse", "HEAD"]);
    served.until_fresh(&dir, &head);
    // History is rewritten and the old one thrown away.
    git(&served.env, &dir, &["commit", "-q", "--amend", "-m", "Another story"]);
    git(&served.env, &dir, &["reflog", "expire", "--expire=now", "--all"]);
    git(&served.env, &dir, &["gc", "-q", "--prune=now"]);
    let head = git(&served.env, &dir, &["rev-parse", "HEAD"]);
    served.until_fresh(&dir, &head);
    // Damage: the daemon says so, and lives.
    std::fs::write(dir.join(".git/HEAD"), "nonsense\n").unwrap();
    let head = served.commit(&other, "def yet():\n    return 1\n");
    served.until_fresh(&other, &head);
    std::fs::write(dir.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let head = served.commit(&dir, "def mended():\n    return 1\n");
    served.until_fresh(&dir, &head);
}

#[test]
fn a_file_that_git_cannot_read_leaves_the_graph_as_it_was_until_it_can() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let served = Served::new(env);
    let first = git(&served.env, &dir, &["rev-parse", "HEAD"]);
    served.until_fresh(&dir, first.trim());
    // Written and damaged before anybody may look.
    served.env.write_file(dir.join("late.py"), "def late():\n    return 1\n");
    git(&served.env, &dir, &["add", "late.py"]);
    let id = git(&served.env, &dir, &["rev-parse", ":late.py"]);
    let (folder, rest) = id.trim().split_at(2);
    let object = dir.join(".git/objects").join(folder).join(rest);
    let whole = std::fs::read(&object).unwrap();
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, "damage").unwrap();
    git(&served.env, &dir, &["commit", "-q", "-m", "Late"]);
    served.until("the damage is told of", || {
        let report = json(&served.env, &["daemon", "status"]).to_string();
        report.contains("late.py") && report.contains("damaged")
    });
    let head = git(&served.env, &dir, &["rev-parse", "HEAD"]);
    assert!(!is_fresh(&served.env, &dir, head.trim()), "nothing half is stored");
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, whole).unwrap();
    let head = served.commit(&dir, "def after():\n    return 1\n");
    served.until_fresh(&dir, &head);
    let found = served.env.lore_in(&dir, &["symbol", "late"], "").success();
    assert!(found.stdout.contains("late.py:1"), "{found}");
}

#[test]
fn a_clone_that_cannot_be_indexed_is_named_with_the_reason_and_the_next_step() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let served = Served::new(env);
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    let troubled = || served.status().map_or(Value::Null, |it| it["troubled"].clone());
    // The commit is there, its tree is not.
    let head = git(&served.env, &dir, &["commit-tree", "-m", "Lost", "HEAD^{tree}", "-p", "HEAD"]);
    let tree = git(&served.env, &dir, &["rev-parse", "HEAD^{tree}"]);
    let object = dir.join(".git/objects").join(&tree[..2]).join(&tree[2..]);
    let kept = std::fs::read(&object).unwrap();
    std::fs::remove_file(&object).unwrap();
    git(&served.env, &dir, &["update-ref", "refs/heads/main", &head]);
    served.until("it is said", || troubled().as_array().is_some_and(|all| all.len() == 1));
    let one = troubled()[0].clone();
    assert!(one["dir"].as_str().unwrap().ends_with("app"), "{one}");
    assert!(!one["reason"].as_str().unwrap().is_empty(), "{one}");
    assert!(one["failures"].as_u64() >= Some(1) && one["next_at"].is_string(), "{one}");
    let text = served.env.lore(&["daemon", "status"]).success().stdout;
    assert!(text.contains("not indexed: ") && text.contains("next: "), "{text}");
    let text = served.env.lore(&["status"]).success().stdout;
    assert!(text.contains("not indexed: ") && text.contains("next: "), "{text}");
    let doctor = json(&served.env, &["doctor"])["checks"].clone();
    let checks = doctor.as_array().cloned().unwrap_or_default();
    let check = checks.iter().find(|check| check["id"] == "daemon").unwrap();
    assert_eq!(check["status"], "warn", "{check}");
    assert!(check["detail"].as_str().unwrap().contains("is not indexed"), "{check}");
    // A folder that is gone besides is named once.
    std::fs::rename(&dir, served.env.dir().join("moved")).unwrap();
    let is_missed = || troubled()[0]["suggestion"].as_str().is_some_and(|it| it.contains("remove"));
    served.until("it is missed", is_missed);
    assert_eq!(troubled().as_array().unwrap().len(), 1, "{}", troubled());
    std::fs::rename(served.env.dir().join("moved"), &dir).unwrap();
    // Mended, it is forgotten.
    std::fs::write(&object, kept).unwrap();
    served.until("it is well", || troubled().as_array().is_some_and(Vec::is_empty));
    // A folder that is gone is named as well.
    std::fs::rename(&dir, served.env.dir().join("moved")).unwrap();
    let is_missed = || troubled()[0]["reason"] == "there is no repository any more";
    served.until("it is missed", is_missed);
    assert!(troubled()[0]["suggestion"].as_str().unwrap().contains("lore repo remove"));
    std::fs::rename(served.env.dir().join("moved"), &dir).unwrap();
    served.until("it is back", || troubled().as_array().is_some_and(Vec::is_empty));
}

#[test]
fn a_socket_that_is_removed_comes_back() {
    let env = machine();
    repository(&env, "app");
    let served = Served::new(env);
    let socket = socket(&served.env);
    std::fs::remove_file(&socket).unwrap();
    // Meanwhile commands do their work themselves.
    let _ = served.env.lore(&["index", "app"]).success();
    served.until("the socket", || served.status().is_some());
    let mode = std::fs::metadata(&socket).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o777, 0o600);
    let folder = std::fs::metadata(socket.parent().unwrap()).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o777, 0o700);
}

#[test]
fn a_daemon_that_hangs_is_not_said_to_be_gone() {
    let env = machine();
    repository(&env, "app");
    let served = Served::new(env);
    let pid = served.child.as_ref().unwrap().id();
    let signal = |signal| {
        let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    };
    signal(rustix::process::Signal::STOP);
    let status = served.env.lore(&["daemon", "status"]).success();
    let stopped = served.env.lore(&["daemon", "stop"]);
    signal(rustix::process::Signal::CONT);
    assert!(status.stdout.contains("does not answer"), "{status}");
    let stopped = stopped.failure(1);
    assert!(stopped.stderr.contains(&format!("kill -9 {pid}")), "{stopped}");
}

#[test]
fn a_database_that_is_deleted_or_replaced_is_followed() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let served = Served::new(env);
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    let (db, kept) = (served.env.db(), served.env.dir().join("kept.db"));
    for ending in ["", "-wal", "-shm"] {
        let of = |path: &Path| std::path::PathBuf::from(format!("{}{ending}", path.display()));
        let _ = std::fs::rename(of(&db), of(&kept));
    }
    let is_ready = |wanted: bool| served.status().is_some_and(|it| it["is_ready"] == wanted);
    served.until("it is missed", || is_ready(false));
    assert!(!db.exists(), "nobody makes it anew unasked");
    std::fs::copy(&kept, &db).unwrap();
    served.until("it is back", || is_ready(true));
    let head = served.commit(&dir, "def after():\n    return 1\n");
    served.until_fresh(&dir, &head);
}

#[test]
fn a_forge_that_is_down_disturbs_nothing_else() {
    let site = Site::scenario(BINARY, "user ada \"Ada\"\nproject a/b \"B\"\n");
    site.sync();
    let Site { server, env } = site;
    drop(server);
    let mut env = real_time(env);
    env.set_var("LORE_DAEMON_SYNC_SECONDS", "1");
    let dir = repository(&env, "app");
    let served = Served::new(env);
    served.until("it is noticed", || {
        let tasks = served.status().map(|it| it["tasks"].clone()).unwrap_or_default();
        let all = tasks.as_array().cloned().unwrap_or_default();
        all.iter().any(|it| it["task"] == "sync" && it["failures"].as_u64() >= Some(1))
    });
    let head = served.commit(&dir, "def meanwhile():\n    return 1\n");
    served.until_fresh(&dir, &head);
    let doctor = json(&served.env, &["doctor"]).to_string();
    assert!(doctor.contains("\"daemon\""), "{doctor}");
    assert!(!served.log().contains("sim-token"));
}
