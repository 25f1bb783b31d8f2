//! git's hooks that tell the daemon of commits: installed beside what is there,
//! removed without a trace.
//!
//! A hook that is a shell script gets a marked block behind its first line, so that
//! whatever it ends with, the daemon hears of it. Any other program is put aside and
//! called by a script of ours, and so is a link: what it leads to may be a tracked file.
//! A hook that is not executable is one that somebody switched off: it is put aside as
//! it is, and not called. What is told is sent by a process in the background:
//! a commit waits for neither lore nor the daemon, and never fails because of them.

mod script;

use crate::ctx::Ctx;
use crate::daemon::paths::hook_dirs;
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
/// The folder an existing hook that is no shell script is in meanwhile. It keeps its name:
/// programs that stand for several hooks do what they are called.
const ASIDE: &str = "before-lore";
/// What earlier builds added to its name.
const EARLIER_ASIDE: &str = ".before-lore";
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
    /// Installed; what was there is not executable and is put aside as it is.
    SetAside,
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
    let block = script::block(&program, &hook_dirs(&ctx.env));
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
    let before = read(path)?;
    let text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let is_ours = text.is_some_and(script::has_block);
    let is_link = is_link(path);
    let aside = aside(path);
    let earlier = earlier_aside(path);
    if is_there(&earlier) {
        if is_link || is_there(&aside) || (before.is_some() && !is_ours) {
            return Err(is_there_as_well(&earlier));
        }
        put_aside(&earlier, &aside)?;
    }
    if is_there(&aside) {
        let after = script::calling(block, &aside);
        if before.as_deref() == Some(after.as_bytes()) {
            return Ok(GitHookState::Present);
        }
        if is_link || (before.is_some() && !is_ours) {
            return Err(is_there_as_well(&aside));
        }
        write(path, &after)?;
        return Ok(GitHookState::Installed);
    }
    if !is_there(path) {
        write(path, &script::alone(block))?;
        return Ok(GitHookState::Installed);
    }
    let is_off = before.is_none() || !is_executable(path);
    match text {
        Some(text) if script::is_shell(text) && !is_link && !is_off => {
            let without = script::without_block(text);
            let after = script::with_block(without.as_deref().unwrap_or(text), block);
            if after == text {
                return Ok(GitHookState::Present);
            }
            write(path, &after)?;
            Ok(if is_ours { GitHookState::Installed } else { GitHookState::Chained })
        }
        _ => {
            // What earlier builds wrote through a link.
            if let Some(without) = text.and_then(script::without_block) {
                if script::is_empty(&without) && !is_link {
                    std::fs::remove_file(path)?;
                    return install(path, block);
                }
                write(path, &without)?;
            }
            put_aside(path, &aside)?;
            write(path, &script::calling(block, &aside))?;
            Ok(if is_off { GitHookState::SetAside } else { GitHookState::Chained })
        }
    }
}

fn remove(path: &Path) -> std::io::Result<GitHookState> {
    let Some(before) = read(path)? else { return Ok(GitHookState::Absent) };
    let Ok(text) = String::from_utf8(before) else { return Ok(GitHookState::Absent) };
    let Some(without) = script::without_block(&text) else { return Ok(GitHookState::Absent) };
    if !script::is_empty(&without) {
        write(path, &without)?;
    } else if is_there(&aside(path)) {
        put_back(&aside(path), path)?;
    } else if is_there(&earlier_aside(path)) {
        std::fs::rename(earlier_aside(path), path)?;
    } else {
        std::fs::remove_file(path)?;
    }
    Ok(GitHookState::Removed)
}

/// Also a link that leads nowhere.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

/// git leaves a hook out that is not.
fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    path.with_file_name(ASIDE).join(name)
}

fn earlier_aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(EARLIER_ASIDE);
    PathBuf::from(name)
}

fn is_there_as_well(aside: &Path) -> std::io::Error {
    let message = format!("{} is there as well; remove one of them", aside.display());
    std::io::Error::other(message)
}

/// Into the folder of hooks put aside; a link from there leads where it did.
fn put_aside(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(folder) = to.parent() {
        files::create_dirs(folder)?;
    }
    match std::fs::read_link(from) {
        Ok(target) if target.is_relative() => {
            std::os::unix::fs::symlink(Path::new("..").join(target), to)?;
            std::fs::remove_file(from)
        }
        _ => std::fs::rename(from, to),
    }
}

fn put_back(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::read_link(from) {
        Ok(target) if target.is_relative() => {
            let target = target.strip_prefix("..").unwrap_or(&target);
            // In one step: a link is made beside it and takes its name.
            let beside = to.with_file_name(ASIDE).join("link");
            std::os::unix::fs::symlink(target, &beside)?;
            std::fs::rename(&beside, to)?;
            std::fs::remove_file(from)?;
        }
        _ => std::fs::rename(from, to)?,
    }
    // Others may still be in it.
    if let Some(folder) = from.parent() {
        let _ = std::fs::remove_dir(folder);
    }
    Ok(())
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
    files::replace(path, text.as_bytes(), 0o755)
}

impl Show for GitHookReport {
    fn text(&self, out: &mut Painter) {
        for hook in &self.hooks {
            let word = match hook.state {
                GitHookState::Installed => "installed",
                GitHookState::Chained => "added to the hook that is there",
                GitHookState::SetAside => {
                    "installed; the hook that is there is not executable: it is put aside and not run"
                }
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
        let block = script::block(Path::new("/opt/it's/lore"), &["/run/u/lore".into()]);
        (dir, path, block)
    }

    /// A hook that git runs, or leaves out.
    fn put(path: &Path, text: &str, mode: u32) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_hook_of_ones_own_stays_and_comes_back_byte_for_byte() {
        let (_dir, path, block) = hook();
        put(&path, OWN, 0o755);
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
        put(&path, python, 0o755);
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Chained);
        assert_eq!(text(&aside(&path)), python);
        assert!(text(&path).contains("before-lore/post-commit"), "{}", text(&path));
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!(text(&path), python);
        assert!(!path.with_file_name("before-lore").exists());
    }

    #[test]
    fn a_program_that_reads_its_own_name_is_called_by_it() {
        let (dir, path, block) = hook();
        let dispatcher = dir.path().join("dispatcher");
        put(&dispatcher, "#!/bin/sh\necho \"as ${0##*/}\"\n", 0o755);
        std::os::unix::fs::symlink("dispatcher", &path).unwrap();
        install(&path, &block).unwrap();
        let ran = std::process::Command::new(&path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "as post-commit\n");
    }

    #[test]
    fn what_an_earlier_build_put_aside_is_called_and_put_back() {
        let python = "#!/usr/bin/env python3\nprint('x')\n";
        for is_installed_again in [false, true] {
            let (_dir, path, block) = hook();
            let earlier = earlier_aside(&path);
            put(&earlier, python, 0o755);
            put(&path, &script::calling(&block, &earlier), 0o755);
            if is_installed_again {
                assert_eq!(install(&path, &block).unwrap(), GitHookState::Installed);
                assert!(!earlier.exists());
                assert_eq!(text(&aside(&path)), python);
            }
            assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
            assert_eq!((text(&path).as_str(), earlier.exists()), (python, false));
        }
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
        install(&path, &script::block(Path::new("/old/lore"), &[])).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Installed);
        assert!(!text(&path).contains("/old/lore"));
        assert_eq!(text(&path).matches("# >>> lore").count(), 1);
    }

    #[test]
    fn a_hook_that_is_switched_off_stays_off_and_is_put_back_so() {
        let (_dir, path, block) = hook();
        put(&path, OWN, 0o644);
        assert_eq!(install(&path, &block).unwrap(), GitHookState::SetAside);
        assert_eq!((mode(&path) & 0o100, mode(&aside(&path))), (0o100, 0o644));
        let ran = std::process::Command::new(&path).output().unwrap();
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!((text(&path).as_str(), mode(&path)), (OWN, 0o644));
    }

    #[test]
    fn what_a_link_leads_to_is_called_and_never_edited() {
        let (dir, path, block) = hook();
        let tracked = dir.path().join("tracked.sh");
        put(&tracked, "#!/bin/sh\necho tracked \"$1\"\n", 0o755);
        std::os::unix::fs::symlink("tracked.sh", &path).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Chained);
        assert!(!text(&tracked).contains("lore"), "{}", text(&tracked));
        let ran = std::process::Command::new(&path).arg("one").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "tracked one\n");
        assert_eq!(install(&path, &block).unwrap(), GitHookState::Present);
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!(std::fs::read_link(&path).unwrap(), Path::new("tracked.sh"));
        // A link to nothing is no hook, and its target is not made.
        std::fs::remove_file(&tracked).unwrap();
        assert_eq!(install(&path, &block).unwrap(), GitHookState::SetAside);
        assert!(!tracked.exists());
        assert_eq!(remove(&path).unwrap(), GitHookState::Removed);
        assert_eq!(std::fs::read_link(&path).unwrap(), Path::new("tracked.sh"));
    }

    #[test]
    fn a_hook_that_came_after_one_was_put_aside_is_not_overwritten() {
        let (_dir, path, block) = hook();
        put(&path, "#!/usr/bin/env python3\n", 0o755);
        install(&path, &block).unwrap();
        put(&path, OWN, 0o755);
        let refused = install(&path, &block).unwrap_err().to_string();
        assert!(refused.contains("before-lore/post-commit is there as well"), "{refused}");
        assert_eq!(remove(&path).unwrap(), GitHookState::Absent);
        assert_eq!(text(&path), OWN);
    }
}
