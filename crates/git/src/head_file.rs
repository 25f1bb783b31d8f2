//! The commit checked out, read from git's own files.
//!
//! Hooks of agents ask at every tool call, where a process of git would take
//! longer than the whole answer. What these files do not tell plainly (other
//! storages of references, damage) is none here; [`Repo::head`] asks git.

use crate::object_id::ObjectId;
use crate::repo::{Repo, system_path};
use std::path::{Path, PathBuf};

/// A reference is one line; packed ones are a file of them.
const MAX_LINE: u64 = 1 << 12;
const MAX_PACKED: u64 = 32 << 20;
/// References may point at each other; more steps than this is a circle.
const MOST_STEPS: usize = 5;

impl Repo {
    /// The commit that `HEAD` leads to, without running git; none where the files
    /// do not say it.
    pub fn head_in_files(&self) -> Option<ObjectId> {
        let git_dir = real_git_dir(self.git_dir())?;
        let common = common_dir(&git_dir);
        let mut text = line(&git_dir.join("HEAD"))?;
        for _ in 0..MOST_STEPS {
            if let Some(id) = ObjectId::parse(text.trim()) {
                return Some(id);
            }
            let name = text.trim().strip_prefix("ref:")?.trim().to_owned();
            if !is_plain(&name) {
                return None;
            }
            text = match line(&git_dir.join(&name)).or_else(|| line(&common.join(&name))) {
                Some(text) => text,
                None => packed(&common, &name)?,
            };
        }
        None
    }

    /// The work tree that this one was made from by `git worktree add`; none where it is
    /// no linked one. Both ends must name each other: anybody can write a `.git` file.
    pub fn main_work_tree(&self) -> Option<PathBuf> {
        let own = self.git_dir();
        if !own.is_file() {
            return None;
        }
        let git_dir = real_git_dir(own)?.canonicalize().ok()?;
        let back = files::read(&git_dir.join("gitdir"), MAX_LINE).ok()?;
        let back = git_dir.join(system_path(back.trim_ascii_end())).canonicalize().ok()?;
        if back != own.canonicalize().ok()? {
            return None;
        }
        let common = common_dir(&git_dir).canonicalize().ok()?;
        let is_beside = common.file_name().is_some_and(|name| name == ".git");
        common.parent().filter(|_| is_beside).map(Path::to_path_buf)
    }
}

/// The folder itself where `.git` is a file that names it.
pub(crate) fn real_git_dir(git_dir: &Path) -> Option<PathBuf> {
    if git_dir.is_dir() {
        return Some(git_dir.to_path_buf());
    }
    let text = files::read(git_dir, MAX_LINE).ok()?;
    let named = text.strip_prefix(b"gitdir: ")?;
    Some(git_dir.parent()?.join(system_path(named.trim_ascii_end())))
}

/// What linked work trees share.
pub(crate) fn common_dir(git_dir: &Path) -> PathBuf {
    match files::read(&git_dir.join("commondir"), MAX_LINE) {
        Ok(text) => git_dir.join(system_path(text.trim_ascii_end())),
        Err(_) => git_dir.to_path_buf(),
    }
}

fn line(path: &Path) -> Option<String> {
    files::read_text(path, MAX_LINE).ok()
}

/// A name that leads nowhere but into the folder of references.
fn is_plain(name: &str) -> bool {
    name.starts_with("refs/") && !name.split('/').any(|part| part.is_empty() || part == "..")
}

fn packed(common: &Path, name: &str) -> Option<String> {
    let text = files::read(&common.join("packed-refs"), MAX_PACKED).ok()?;
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.find_map(|line| {
        let (id, of) = line.split_at_checked(line.iter().position(|byte| *byte == b' ')?)?;
        (of.get(1..) == Some(name.as_bytes())).then(|| String::from_utf8_lossy(id).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn head_is_read_as_git_writes_it() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let put = |name: &str, text: &str| fs::write(git.join(name), text).unwrap();
        let head = || Repo::known(dir.path()).head_in_files().map(|id| id.to_string());
        put("HEAD", &format!("{one}\n"));
        assert_eq!(head(), Some(one.clone()));
        put("HEAD", "ref: refs/heads/main\n");
        assert_eq!(head(), None);
        put("packed-refs", &format!("# pack-refs\n{two} refs/heads/main\n^{one}\n"));
        assert_eq!(head(), Some(two.clone()));
        put("refs/heads/main", &format!("{one}\n"));
        assert_eq!(head(), Some(one.clone()));
        put("HEAD", "ref: refs/../../secret\n");
        assert_eq!(head(), None);
        put("HEAD", "ref: refs/heads/main\n");
        // A linked work tree.
        let linked = dir.path().join("linked");
        fs::create_dir_all(git.join("worktrees/linked")).unwrap();
        fs::create_dir_all(&linked).unwrap();
        put("worktrees/linked/HEAD", "ref: refs/heads/side\n");
        put("worktrees/linked/commondir", "../..\n");
        put("refs/heads/side", &format!("{two}\n"));
        fs::write(linked.join(".git"), "gitdir: ../.git/worktrees/linked\n").unwrap();
        assert_eq!(Repo::known(&linked).head_in_files().map(|id| id.to_string()), Some(two));
        // One that the repository does not know of is none.
        assert_eq!(Repo::known(&linked).main_work_tree(), None);
        put("worktrees/linked/gitdir", &format!("{}\n", linked.join(".git").display()));
        let top = dir.path().canonicalize().unwrap();
        assert_eq!(Repo::known(&linked).main_work_tree(), Some(top));
        assert_eq!(Repo::known(dir.path()).main_work_tree(), None);
    }
}
