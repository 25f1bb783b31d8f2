//! What a machine may run short of, and who else is on it: a disk that fills up and has
//! room again, another user, many registered clones.

use super::*;
use rustix::process::{Pid, Resource, Rlimit};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Files of the daemon and its children may not grow beyond this; none for no limit.
fn limit_files(pid: u32, bytes: Option<u64>) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap());
    rustix::process::prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None })
        .unwrap();
}

/// The same command by a shell that leaves the signal of files that are too large out:
/// a write fails then, as it does where the disk is full.
fn without_signal(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]).arg(command.get_program());
    shell.args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    if let Some(dir) = command.get_current_dir() {
        shell.current_dir(dir);
    }
    shell
}

#[test]
fn a_disk_that_is_full_stops_nothing_and_is_caught_up_on() {
    let mut env = machine();
    env.set_var("LORE_DAEMON_POLL_SECONDS", "1");
    let dir = repository(&env, "app");
    let mut served = Served { env, child: None };
    let mut command = without_signal(&served.env.command(&["daemon", "run"]));
    let log = std::fs::File::create(served.env.home().join("daemon.log")).unwrap();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let pid = child.id();
    served.child = Some(child);
    served.until("the clone is known", || served.status().is_some_and(|it| it["clones"] == 1));
    served.until_idle();
    limit_files(pid, Some(8 * 1024));
    let head = served.commit(&dir, "def while_full():\n    return 1\n");
    // Where not even a look at the database has room, nothing is started.
    served.until("it is noticed", || {
        let is_ready = served.status().is_some_and(|it| it["is_ready"] == true);
        !is_ready || served.log().contains("failed job=\"index")
    });
    assert!(!is_fresh(&served.env, &dir, &head));
    // Questions are answered from what there is, and the daemon lives.
    let found = served.env.lore_in(&dir, &["symbol", "first"], "").success();
    assert!(found.stdout.contains("first"), "{found}");
    assert_eq!(served.status().unwrap()["pid"], pid);
    limit_files(pid, None);
    served.until_fresh(&dir, &head);
    let _sound = served.env.lore(&["stats", "--check"]).success();
}

#[test]
fn nobody_else_gets_in_whatever_the_umask_was() {
    let env = machine();
    repository(&env, "app");
    let mut served = Served { env, child: None };
    let command = served.env.command(&["daemon", "run"]);
    let mut open = without_signal(&command);
    open.args(["--log-level", "debug"]);
    // Everything a process makes is for everybody, unless it says otherwise.
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(open.get_program());
    shell.args(open.get_args()).env_clear();
    for (name, value) in open.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    let log = std::fs::File::create(served.env.home().join("daemon.log")).unwrap();
    let shell = shell.current_dir(served.env.dir()).stdin(Stdio::null()).stdout(Stdio::null());
    served.child = Some(shell.stderr(log).spawn().unwrap());
    served.until("the daemon greets", || served.status().is_some());
    let socket = socket(&served.env);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(socket.parent().unwrap())), (0o600, 0o700));
    if !rustix::process::geteuid().is_root() {
        // Only root can become somebody else.
        return;
    }
    // Even where somebody opens both for all, the daemon looks at who asks.
    let program = served.env.dir().join("lore-of-another");
    std::fs::copy(BINARY, &program).unwrap();
    let mut at = socket.as_path();
    while at.starts_with(served.env.home().parent().unwrap()) {
        std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o777)).unwrap();
        at = at.parent().unwrap();
    }
    for path in [served.env.dir(), program.clone()] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let asked = served.env.command(&["daemon", "status", "--json"]);
    let mut other = Command::new(&program);
    other.args(asked.get_args()).env_clear().current_dir("/");
    for (name, value) in asked.get_envs() {
        other.env(name, value.unwrap_or_default());
    }
    let said = other.uid(65_534).gid(65_534).output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(!said.contains("\"pid\""), "{said}");
    served.until("it is noticed", || served.log().contains("somebody else knocked"));
    assert!(served.status().is_some(), "its own user is answered");
}

#[test]
fn many_clones_are_followed_at_once() {
    // A clone costs a process here; five hundred are for whoever has the minutes.
    let n_clones = if is_large() { 500 } else { 40 };
    let env = machine();
    let template = repository(&env, "r0");
    let mut dirs = vec![template.clone()];
    for n in 1..n_clones {
        // The same history under another name is another repository.
        let dir = env.dir().join(format!("r{n}"));
        let copy = ["-r", template.to_str().unwrap(), dir.to_str().unwrap()];
        assert!(Command::new("cp").args(copy).status().unwrap().success());
        let remote = format!("\n[remote \"origin\"]\n\turl = https://git.example.com/a/r{n}.git\n");
        let config = dir.join(".git/config");
        let text = std::fs::read_to_string(&config).unwrap() + &remote;
        std::fs::write(config, text).unwrap();
        dirs.push(dir);
    }
    for dir in &dirs {
        let _ = env.lore(&["repo", "add", dir.to_str().unwrap(), "-q"]).success();
    }
    let served = Served::new(env);
    served.until("all are known", || {
        served.status().is_some_and(|it| it["clones"] == n_clones && it["watched"] == n_clones)
    });
    let last = dirs.last().unwrap();
    let head = served.commit(last, "def newest():\n    return 1\n");
    served.until_fresh(last, &head);
}
