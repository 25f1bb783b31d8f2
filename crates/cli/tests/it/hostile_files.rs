//! Links, pipes and old databases that came with a clone: nothing outside it is
//! written to, whatever is run.
//!
//! The database is named with `--db`, as a user would who trusts it; what keeps
//! an untrusted clone from naming one is tested elsewhere.

use crate::{BINARY, lore};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use testkit::{Site, TestEnv};

/// A folder of the user's beside the clone, as it was and as it is.
struct Outside {
    dir: PathBuf,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Outside {
    /// With a file of each name, which all hold this.
    fn with(env: &TestEnv, names: &[&str], bytes: &[u8]) -> Outside {
        let dir = env.home().join("outside");
        std::fs::create_dir_all(&dir).unwrap();
        for name in names {
            std::fs::write(dir.join(name), bytes).unwrap();
        }
        let before = content(&dir);
        Outside { dir, before }
    }

    #[track_caller]
    fn check(&self, what: &str) {
        assert!(content(&self.dir) == self.before, "{what}: something outside was written");
    }
}

fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(content(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    found
}

/// A clone with a little code, and an empty `.lore`.
fn clone() -> TestEnv {
    let env = lore();
    env.write_file("app.py", "def save():\n    pass\n\ndef run():\n    save()\n");
    env.write_file(".lore/README", "ours\n");
    for args in [&["init", "-q", "-b", "main"][..], &["add", "app.py"], &["commit", "-qm", "first"]]
    {
        let _done = env.git(args);
    }
    env
}

fn link(env: &TestEnv, name: &str, target: &Path) {
    let place = env.dir().join(name);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(target, place).unwrap();
}

#[test]
fn indexing_writes_through_no_link_beside_the_database() {
    for name in ["-graph-1.new", "-graph-1", ".lock", ".setup.lock", "-wal", "-shm", "-journal"] {
        let env = clone();
        let outside = Outside::with(&env, &["victim"], b"mine\n");
        link(&env, &format!(".lore/l.db{name}"), &outside.dir.join("victim"));
        let output = env.lore(&["--db", ".lore/l.db", "index"]);
        outside.check(name);
        if name.contains("graph") {
            let _indexed = output.success();
            let graph = env.dir().join(".lore/l.db-graph-1");
            assert!(graph.symlink_metadata().unwrap().is_file(), "{name}");
        }
    }
}

#[test]
fn a_dangling_link_is_not_filled() {
    for name in [".lore/l.db", ".lore/l.db.lock", ".lore/l.db-graph-1.new"] {
        let env = clone();
        let outside = Outside::with(&env, &[], b"");
        link(&env, name, &outside.dir.join("new"));
        let _any = env.lore(&["--db", ".lore/l.db", "index"]);
        outside.check(name);
    }
}

/// Says that an earlier lore wrote the file: its schema is a number at byte 60.
fn make_older(database: &Path, schema: u32) {
    let mut bytes = std::fs::read(database).unwrap();
    bytes[60..64].copy_from_slice(&schema.to_be_bytes());
    std::fs::write(database, bytes).unwrap();
}

#[test]
fn an_upgrade_replaces_no_other_programs_database() {
    for name in [".lore/l.db.v5.bak.tmp", ".lore/l.db.v5.bak"] {
        let env = clone();
        let database = env.dir().join(".lore/l.db");
        let _indexed = env.lore(&["--db", ".lore/l.db", "index"]).success();
        // A database like any other: what it holds must stay.
        let outside = Outside::with(&env, &["places.sqlite"], &std::fs::read(&database).unwrap());
        make_older(&database, 5);
        link(&env, name, &outside.dir.join("places.sqlite"));
        let _any = env.lore(&["--db", ".lore/l.db", "status"]);
        outside.check(name);
        let backup = env.dir().join(".lore/l.db.v5.bak");
        assert!(backup.symlink_metadata().unwrap().is_file(), "no backup was made: {name}");
    }
}

#[test]
fn init_writes_through_no_link_of_the_clone() {
    let init = ["init", "--local", "--force", "--no-check", "--base-url", "https://gl.example"];
    for name in ["lore.toml", "lore.toml.bak"] {
        let env = clone();
        env.write_file(".lore/lore.toml", "# alias ls='touch owned'\n");
        let outside = Outside::with(&env, &["bashrc"], b"# mine\n");
        let place = env.dir().join(".lore").join(name);
        let _ = std::fs::remove_file(&place);
        symlink(outside.dir.join("bashrc"), &place).unwrap();
        let output = env.lore(&init);
        outside.check(name);
        assert_ne!(output.status, Some(0), "{output}");
        assert!(output.stderr.contains("symbolic link"), "{output}");
    }
    let env = clone();
    std::fs::remove_dir_all(env.dir().join(".lore")).unwrap();
    let outside = Outside::with(&env, &["lore.toml"], b"# mine\n");
    link(&env, ".lore", &outside.dir);
    let output = env.lore(&init);
    outside.check(".lore");
    assert!(output.stderr.contains("symbolic link"), "{output}");
}

#[test]
fn init_still_keeps_the_old_config_of_a_work_tree() {
    let env = clone();
    env.write_file(".lore/lore.toml", "# the old one\n");
    let init = ["init", "--local", "--force", "--no-check", "--base-url", "https://gl.example"];
    let _written = env.lore(&init).success();
    let kept = std::fs::read_to_string(env.dir().join(".lore/lore.toml.bak")).unwrap();
    assert_eq!(kept, "# the old one\n");
}

#[test]
fn settings_of_agents_are_not_written_through_links_of_the_clone() {
    let hook = |agent| vec!["hook", "install", "--agent", agent, "--project"];
    let mcp = |client| vec!["mcp", "install", client, "--scope", "project"];
    let attacks = [
        (".claude/settings.json", hook("claude")),
        (".codex/hooks.json", hook("codex")),
        (".gemini/settings.json", hook("gemini")),
        (".cursor/hooks.json", hook("cursor")),
        (".mcp.json", mcp("claude")),
        (".cursor/mcp.json", mcp("cursor")),
        (".vscode/mcp.json", mcp("vscode")),
        (".codex/config.toml", mcp("codex")),
        (".zed/settings.json", mcp("zed")),
    ];
    for (path, command) in attacks {
        let (folder, name) = path.split_once('/').unwrap_or(("", path));
        let text = if name.strip_suffix(".toml").is_some() { "" } else { "{}\n" };
        for linked in [path, folder].into_iter().filter(|linked| !linked.is_empty()) {
            let env = clone();
            let outside = Outside::with(&env, &[name], text.as_bytes());
            let target =
                if linked == folder { outside.dir.clone() } else { outside.dir.join(name) };
            link(&env, linked, &target);
            let output = env.lore(&command);
            outside.check(linked);
            assert!(output.stderr.contains("symbolic link"), "{linked}: {output}");
        }
        let env = clone();
        let _installed = env.lore(&command).success();
        assert!(env.dir().join(path).is_file(), "{path}");
    }
}

#[test]
fn a_skill_is_not_written_through_a_link_of_the_clone() {
    let env = clone();
    let outside = Outside::with(&env, &[], b"");
    link(&env, ".claude", &outside.dir);
    let output = env.lore(&["mcp", "install", "claude", "--scope", "project", "--skill"]);
    outside.check(".claude");
    assert!(output.stderr.contains("symbolic link"), "{output}");
}

#[test]
fn settings_of_the_user_may_lie_behind_a_link() {
    let env = lore();
    let real = env.home().join("dotfiles/claude.json");
    std::fs::create_dir_all(real.parent().unwrap()).unwrap();
    std::fs::write(&real, "{}\n").unwrap();
    symlink(&real, env.home().join(".claude.json")).unwrap();
    let _installed = env.lore(&["mcp", "install", "claude"]).success();
    assert!(env.home().join(".claude.json").is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("lore"));
}

#[test]
fn memory_is_not_written_through_a_link_of_the_clone() {
    for name in [".lore", ".lore/memory", ".lore/memory/decisions.jsonl"] {
        let env = clone();
        if name == ".lore" {
            std::fs::remove_dir_all(env.dir().join(".lore")).unwrap();
        }
        let outside = Outside::with(&env, &["decisions.jsonl"], b"");
        let is_file = name.strip_suffix(".jsonl").is_some();
        let target =
            if is_file { outside.dir.join("decisions.jsonl") } else { outside.dir.clone() };
        link(&env, name, &target);
        let output = env.lore(&["remember", "decision", "SQLite, one file"]);
        outside.check(name);
        assert!(output.stderr.contains("symbolic link"), "{name}: {output}");
    }
}

#[test]
fn a_pipe_in_the_place_of_the_database_is_refused_at_once() {
    let env = clone();
    let pipe = env.home().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.display().to_string();
    for command in [&["issues"][..], &["stats"], &["index"], &["search", "x"]] {
        let output = env.lore(&[&["--db", &pipe], command].concat()).failure(11);
        assert!(output.stderr.contains("is not a regular file"), "{output}");
    }
}

#[test]
fn many_first_starts_at_once_all_succeed_and_leave_one_database() {
    let env = lore();
    let children: Vec<_> = (0..32)
        .map(|n| {
            let text = format!("decision number {n}");
            env.command(&["remember", "decision", &text, "--personal", "--force"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    }
    let mut names: Vec<String> = std::fs::read_dir(env.db().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !["-wal", "-shm", ".lock"].iter().any(|end| name.ends_with(end)))
        .collect();
    names.sort();
    assert_eq!(names, ["lore.db", "memory"]);
}

#[test]
fn a_database_on_a_read_only_medium_answers() {
    let site = Site::scenario(
        BINARY,
        "user ada \"Ada\"\nproject harbor/tide \"Tide\"\n\
         issue #1 \"Login fails\" by ada at 2024-01-09T10:15\n",
    );
    site.sync();
    // SQLite cannot make its files beside the database, as on a read-only mount;
    // permissions would not stop a test that is run by root.
    let mut index = site.env.db().into_os_string();
    index.push("-shm");
    let _ = std::fs::remove_file(&index);
    symlink("nowhere", &index).unwrap();
    let before = std::fs::read(site.env.db()).unwrap();
    for command in [
        &["issues"][..],
        &["count", "issues"],
        &["stats"],
        &["status"],
        &["search", "login"],
        &["timeline", "login"],
    ] {
        let output = site.env.lore(command).success();
        assert!(!output.stdout.is_empty(), "{command:?}");
    }
    assert_eq!(std::fs::read(site.env.db()).unwrap(), before);
}
