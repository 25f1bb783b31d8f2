//! A clone of a stranger does no harm: no command that reads changes a byte
//! outside lore's own data directory, starts a program but git, or takes more
//! than a share of the machine. Known attacks have tests of their own
//! (`hostile_*.rs`); here hazards come alone and in any company.

use crate::{BINARY, lore};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::TestEnv;
use testkit::hostile::{self, HostileClone};

/// Commands that read or index, as an agent would run them: those that come nearest
/// to the files, the git repository and the database of a clone.
const COMMANDS: &[&[&str]] = &[
    &["index"],
    &["index", "--working-tree"],
    &["status"],
    &["stats"],
    &["config", "list"],
    &["trust", "--list"],
    &["health"],
    &["search", "helper"],
    &["timeline", "helper"],
    &["symbol", "helper"],
    &["callers", "helper"],
    &["impact", "helper"],
    &["why", "src/app.py:2"],
    &["trace", "src/app.py:2"],
    &["file-history", "src/app.py"],
    &["experts", "src/app.py"],
    &["owners", "src/app.py"],
    &["routes"],
    &["recall", "helper"],
    &["memory", "list"],
    &["memory", "check"],
    &["stale"],
    &["snapshots"],
    &["inject"],
];

/// For one command on a clone of less than ten megabytes. The time is that of a
/// build without optimisation, on a machine that runs other tests beside it.
const MOST_TIME: Duration = Duration::from_secs(90);
const TICK: Duration = Duration::from_millis(5);
const MOST_KILOBYTES: u64 = 1 << 20;

/// A test for each hazard by its number, and for a few companies.
macro_rules! alone {
    ($($name:ident = $bit:literal;)*) => {
        $(#[test] fn $name() { check(1 << $bit); })*

        #[test]
        fn every_hazard_has_a_test() {
            let mut bits = vec![$($bit),*];
            bits.sort_unstable();
            assert_eq!(bits, (0..hostile::hazard_count()).collect::<Vec<_>>());
        }
    };
}

alone! {
    config = 0;
    links_beside_the_database = 1;
    filters_in_attributes = 2;
    memory_that_gives_orders = 3;
    links_out_of_the_tree = 4;
    names_like_options = 5;
    wildcard_imports = 6;
    globs_without_end = 7;
    one_name_many_times = 8;
    one_long_line = 9;
    deep_nesting = 10;
    aliases_in_yaml = 11;
    terminal_escapes = 12;
    a_repository_inside = 13;
    git_config_that_names_programs = 14;
    hooks = 15;
    pipes_and_devices = 16;
    config_as_a_device = 17;
}

#[test]
fn the_first_half_in_company() {
    check(0b00_0000_0001_1111_1111);
}

#[test]
fn the_second_half_in_company() {
    check(0b11_1111_1110_0000_0001);
}

fn check(choice: u64) {
    let mut env = lore();
    // The model is not what is tested, and loading it takes its share of memory.
    env.set_var("LORE_EMBEDDING_PROVIDER", "none");
    let clone = hostile::prepare(&env, choice);
    let log = only_git_on_path(&mut env);
    let before = state(&env);
    for command in COMMANDS {
        run(&env, &clone, command);
    }
    let after = state(&env);
    let changed: Vec<&PathBuf> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(changed.is_empty(), "{:?} changed {changed:#?}", clone.hazards);
    assert!(!clone.canary.exists(), "{:?} ran a program", clone.hazards);
    assert!(std::fs::metadata(&log).is_ok_and(|log| log.len() > 0), "git was never asked");
}

/// `PATH` has nothing but a git that notes that it was asked; what else lore
/// started would not be found.
fn only_git_on_path(env: &mut TestEnv) -> PathBuf {
    let path = std::env::var("PATH").unwrap();
    let bin = env.home().join("bin");
    let log = env.home().join("git.log");
    std::fs::create_dir_all(&bin).unwrap();
    let git = bin.join("git");
    let script =
        format!("#!/bin/sh\necho \"$*\" >> '{}'\nPATH='{path}' exec git \"$@\"\n", log.display());
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, PermissionsExt::from_mode(0o755)).unwrap();
    env.set_var("PATH", &bin.display().to_string());
    log
}

fn run(env: &TestEnv, clone: &HostileClone, command: &[&str]) {
    let mut waited = Duration::ZERO;
    // The shell lowers the limit of memory for itself and becomes lore.
    let limited = format!("ulimit -d {MOST_KILOBYTES}; exec \"$0\" \"$@\"");
    let mut child = Command::new("/bin/sh");
    child.args(["-c", &limited, BINARY]).args(command).current_dir(&clone.top);
    let vars = env.command(&[]);
    child.env_clear();
    for (name, value) in vars.get_envs() {
        if let Some(value) = value {
            child.env(name, value);
        }
    }
    let mut child =
        child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || read(stdout));
    let err = std::thread::spawn(move || read(stderr));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if waited > MOST_TIME {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{:?}: `lore {}` did not end", clone.hazards, command.join(" "));
        }
        std::thread::park_timeout(TICK);
        waited += TICK;
    };
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    let said = || format!("{:?}: `lore {}`\n{out}\n{err}", clone.hazards, command.join(" "));
    // Any documented answer will do; a signal or a bug of lore will not.
    assert!(status.code().is_some_and(|code| code != 1 && code < 100), "{status} {}", said());
    assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "escapes: {}", said());
    if command == ["inject"] {
        assert_eq!(out, "", "{}", said());
    }
}

fn read(mut from: impl std::io::Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Everything below the machine's root but lore's own data, by path: mode,
/// length, change time of the content and where links lead.
fn state(env: &TestEnv) -> BTreeMap<PathBuf, String> {
    let root = env.dir().parent().unwrap().to_path_buf();
    let data = env.home().join(".local/share/lore");
    let log = env.home().join("git.log");
    let mut found = BTreeMap::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path == data || path == log || is_parent_of_data(&path, &data) {
                if path != data && path != log {
                    folders.push(path);
                }
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let target = std::fs::read_link(&path).unwrap_or_default();
            let times = (meta.mtime(), meta.mtime_nsec());
            let times = if meta.is_dir() { (0, 0) } else { times };
            found.insert(
                path.clone(),
                format!("{:o} {} {times:?} {}", meta.mode(), meta.len(), target.display()),
            );
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// `~/.local` and `~/.local/share` come into being with lore's data.
fn is_parent_of_data(path: &Path, data: &Path) -> bool {
    path != data && data.starts_with(path) && path.ends_with(".local")
        || path.ends_with(".local/share")
}
