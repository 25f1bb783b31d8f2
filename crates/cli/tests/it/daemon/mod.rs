//! `lore daemon`: the real binary, started and stopped as people do it. Conditions
//! are awaited, never slept for.

mod changes;
mod faults;
mod receiver;
mod resources;
mod served;
mod writer;

use crate::BINARY;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use testkit::TestEnv;

/// Looks at something that must come about: a minute or more, which is longer than
/// anything here takes on a busy machine.
const LOOKS: usize = 3_000;
/// No network and no background work unless a test asks for it.
const QUIET: &str = "[embedding]\nprovider = \"none\"\n";

/// Whether the large forms of tests were asked for: hundreds of clones, commits and kills
/// take minutes.
fn is_large() -> bool {
    std::env::var_os("LORE_TEST_LARGE").is_some()
}

/// A machine with a daemon in the foreground, which ends with it.
pub struct Served {
    pub env: TestEnv,
    child: Option<Child>,
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn machine() -> TestEnv {
    real_time(TestEnv::new(BINARY).with_config(QUIET))
}

/// The clock on the wall: a daemon whose clock stands still does nothing twice.
pub fn real_time(mut env: TestEnv) -> TestEnv {
    env.remove_var("LORE_NOW");
    let run = env.home().join("run").display().to_string();
    env.set_var("XDG_RUNTIME_DIR", &run);
    env
}

impl Served {
    pub fn new(env: TestEnv) -> Served {
        Served::with(env, &[])
    }

    /// With more arguments of `daemon run`.
    fn with(env: TestEnv, arguments: &[&str]) -> Served {
        let mut served = Served { env, child: None };
        served.start(arguments);
        served
    }

    fn start(&mut self, arguments: &[&str]) {
        let mut all = vec!["daemon", "run", "--log-level", "debug"];
        all.extend(arguments);
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.env.home().join("daemon.log"))
            .unwrap();
        let child = self
            .env
            .command(&all)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
        self.until("the daemon greets", || self.status().is_some());
    }

    /// `kill -9`, and nothing else.
    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The same for the daemon and all that works for it, as when the power fails.
    fn kill_all(&mut self) {
        let pid = self.child.as_ref().map_or(0, Child::id);
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        let lists = tasks.into_iter().flatten().flatten().map(|task| task.path().join("children"));
        let text: String = lists.filter_map(|list| std::fs::read_to_string(list).ok()).collect();
        self.kill();
        for child in text.split_whitespace().filter_map(|word| word.parse().ok()) {
            if let Some(group) = rustix::process::Pid::from_raw(child) {
                // It may have ended by itself.
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.env.home().join("daemon.log")).unwrap_or_default()
    }

    /// What it says of itself; none while it does not answer.
    fn status(&self) -> Option<Value> {
        let report = json(&self.env, &["daemon", "status"]);
        Some(report["daemon"].clone()).filter(|daemon| !daemon.is_null())
    }

    pub fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let is_so = awaited(is_so);
        assert!(is_so, "{what} did not come about\n{}", self.log());
    }

    fn commit(&self, dir: &Path, text: &str) -> String {
        commit(&self.env, dir, text)
    }

    /// Until the commit is the one that questions are answered from.
    fn until_fresh(&self, dir: &Path, commit: &str) {
        self.until("an index of the commit", || is_fresh(&self.env, dir, commit));
    }

    /// Until nothing runs and nothing waits.
    fn until_idle(&self) {
        self.until("rest", || {
            self.status().is_some_and(|it| {
                let is_empty = |name: &str| it[name].as_array().is_some_and(Vec::is_empty);
                is_empty("running") && is_empty("waiting")
            })
        });
    }
}

/// Looks again and again; false when it took too long.
fn awaited(is_so: impl Fn() -> bool) -> bool {
    (0..LOOKS).any(|_| {
        let is_so = is_so();
        if !is_so {
            std::thread::sleep(Duration::from_millis(10));
        }
        is_so
    })
}

/// The `data` of a command with `--json`, whatever its exit status.
fn json(env: &TestEnv, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.push("--json");
    let output = env.lore(&all);
    let document: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    document["data"].clone()
}

/// Where the daemon's socket is, or would be.
fn socket(env: &TestEnv) -> std::path::PathBuf {
    let shown = json(env, &["daemon", "status"])["socket"].as_str().unwrap().to_owned();
    shown.replace("$HOME", env.home().to_str().unwrap()).into()
}

fn git(env: &TestEnv, dir: &Path, args: &[&str]) -> String {
    let mut all = vec!["-C", dir.to_str().unwrap()];
    all.extend(args);
    env.git(&all).stdout.trim().to_owned()
}

/// A repository with one commit, registered and indexed.
fn repository(env: &TestEnv, name: &str) -> std::path::PathBuf {
    let dir = env.dir().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    git(env, &dir, &["init", "-q", "-b", "main", "."]);
    commit(env, &dir, "def first():\n    return 1\n");
    let _ = env.lore(&["index", dir.to_str().unwrap(), "-q"]).success();
    dir
}

/// Adds a file with this text; the commit.
fn commit(env: &TestEnv, dir: &Path, text: &str) -> String {
    let n = std::fs::read_dir(dir).unwrap().count();
    std::fs::write(dir.join(format!("m{n}.py")), text).unwrap();
    git(env, dir, &["add", "-A"]);
    git(env, dir, &["commit", "-q", "-m", &format!("Add m{n}")]);
    git(env, dir, &["rev-parse", "HEAD"])
}

fn is_fresh(env: &TestEnv, dir: &Path, commit: &str) -> bool {
    let stale = json(env, &["stale"]);
    let places = stale["places"].as_array().cloned().unwrap_or_default();
    // As it is in output that can be compared.
    let dir = env.redact(dir.as_os_str().as_encoded_bytes());
    places
        .iter()
        .any(|place| place["dir"] == dir && place["head"] == commit && place["state"] == "fresh")
}
