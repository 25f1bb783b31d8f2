//! git's hooks that tell the daemon of commits: installed beside what is there,
//! removed without a trace.
//!
//! A hook that is a shell script gets a marked block behind its first line, so that
//! whatever it ends with, the daemon hears of it. Any other program is put aside and
//! called by a script of ours. What is told is sent by a process in the background:
//! a commit waits for neither lore nor the daemon, and never fails because of them.

mod script;

use crate::ctx::Ctx;
use crate::ui::{Label, Painter, Show};
use git::Repo;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// After which commands of git refs have moved. `reference-transaction` would see
/// every ref, several times for each command; the daemon's watch sees the rest.
const HOOKS: [&str; 4] = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
/// What an existing hook that is no shell script is called meanwhile.
const ASIDE: &str = ".before-lore";
/// Longer than any hook.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug, Serialize, JsonSchema)]
pub struct GitHookReport {
    /// The folder of hooks, as git has it.
    pub dir: String,
    pub hooks: Vec<GitHook>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct GitHook {
    pub name: String,
    pub state: GitHookState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GitHookState {
    Installed,
    /// Installed in a hook that was there, which does what it did before.
    Chained,
    /// It was there already.
    Present,
    Removed,
    /// It was not there.
    Absent,
}

/// Installs or removes the hooks of the repository around the working directory.
pub fn change(ctx: &Ctx, is_install: bool) -> Result<GitHookReport> {
    let repo = Repo::open(&ctx.env.cwd)?;
    let dir = repo.hooks_dir();
    let program = ctx.env.exe.clone().unwrap_or_else(|| PathBuf::from("lore"));
    let block = script::block(&program, ctx.env.runtime_dir().as_deref());
    let mut hooks = Vec::new();
    for name in HOOKS {
        let path = dir.join(name);
        let state = if is_install { install(&path, &block) } else { remove(&path) };
        let state = state.map_err(|error| {
            Error::new(ErrorCode::ConfigInvalid, format!("cannot change {}", path.display()))
                .suggest("check its permissions, and core.hooksPath")
                .caused_by(error)
        })?;
        hooks.push(GitHook { name: name.to_owned(), state });
    }
    Ok(GitHookReport { dir: dir.display().to_string(), hooks })
}

fn install(path: &Path, block: &str) -> std::io::Result<GitHookState> {
    let Some(before) = read(path)? else {
        write(path, &script::alone(block))?;
        return Ok(GitHookState::Installed);
    };
    if aside(path).exists() {
        let after = script::calling(block, &aside(path));
        if after.as_bytes() == before {
            return Ok(GitHookState::Present);
        }
        write(path, &after)?;
        return Ok(GitHookState::Installed);
    }
    let (without, had_block) = match std::str::from_utf8(&before) {
        Ok(text) => (script::without_block(text), script::has_block(text)),
        Err(_) => (None, false),
    };
    let text = without.or_else(|| String::from_utf8(before.clone()).ok());
    match text {
        Some(text) if script::is_shell(&text) => {
            let after = script::with_block(&text, block);
            if after.as_bytes() == before {
                return Ok(GitHookState::Present);
            }
            write(path, &after)?;
            Ok(if had_block { GitHookState::Installed } else { GitHookState::Chained })
        }
        _ => {
            // Not ours to edit: put aside, and called by name.
            std::fs::rename(path, aside(path))?;
            write(path, &script::calling(block, &aside(path)))?;
            Ok(GitHookState::Chained)
        }
    }
}

fn remove(path: &Path) -> std::io::Result<GitHookState> {
    let Some(before) = read(path)? else { return Ok(GitHookState::Absent) };
    let Ok(text) = String::from_utf8(before) else { return Ok(GitHookState::Absent) };
    let Some(without) = script::without_block(&text) else { return Ok(GitHookState::Absent) };
    if aside(path).exists() {
        std::fs::rename(aside(path), path)?;
    } else if script::is_empty(&without) {
        std::fs::remove_file(path)?;
    } else {
        write(path, &without)?;
    }
    Ok(GitHookState::Removed)
}

fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    PathBuf::from(name)
}

fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match files::read(path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(files::ReadError::NotFound) => Ok(None),
        Err(error) => Err(std::io::Error::other(error.to_string())),
    }
}

/// Executable, as git wants its hooks; one that exists keeps its mode.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    files::replace(path, text.as_bytes(), 0o755)?;
    let mut mode = std::fs::metadata(path)?.permissions();
    mode.set_mode(mode.mode() | 0o111);
    std::fs::set_permissions(path, mode)
}

impl Show for GitHookReport {
    fn text(&self, out: &mut Painter) {
        for hook in &self.hooks {
            let word = match hook.state {
                GitHookState::Installed => "installed",
                GitHookState::Chained => "added to the hook that is there",
                GitHookState::Present => "installed already",
                GitHookState::Removed => "removed",
                GitHookState::Absent => "was not installed",
            };
            out.label(Label::Id, &hook.name).text(&format!(": {word}")).end();
        }
        out.text("hooks of ").label(Label::Path, &self.dir).end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "#!/bin/sh\nexec make check\n";

    fn hook() -> (tempfile::TempDir, PathBuf, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("post-commit");
        let block = script::block(Path::new("/opt/it's/lore"), Some(Path::new("/run/u/lore")));
        (dir, path, block)
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_hook_of_ones_own_stays_and_comes_back_byte_for_byte() {
        let (_dir, path, block) = hook();
        std::fs::write(&path, OWN).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Chained);
        assert!(text(&path).starts_with("#!/bin/sh\n# >>> lore"), "{}", text(&path));
        assert!(text(&path).ends_with("exec make check\n"));
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!(text(&path), OWN);
        assert_eq!(remove(&path).unwrap(), GitHookState::Absent);
    }

    #[test]
    fn a_hook_that_is_no_shell_script_is_called_and_put_back() {
        let (_dir, path, block) = hook();
        let python = "#!/usr/bin/env python3\nprint('x')\n";
        std::fs::write(&path, python).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Chained);
        assert_eq!(text(&aside(&path)), python);
        assert!(text(&path).contains("post-commit.before-lore"), "{}", text(&path));
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!(text(&path), python);
        assert!(!aside(&path).exists());
    }

    #[test]
    fn alone_it_comes_and_goes_whole() {
        let (_dir, path, block) = hook();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Installed);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111);
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert!(!path.exists());
    }

    #[test]
    fn a_block_of_an_older_program_is_replaced() {
        let (_dir, path, block) = hook();
        install(&path, &script::block(Path::new("/old/lore"), None)).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Installed);
        assert!(!text(&path).contains("/old/lore"));
        assert_eq!(text(&path).matches("# >>> lore").count(), 1);
    }
}
