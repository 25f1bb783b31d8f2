//! Whether a work tree is still as it was when somebody looked through it.
//!
//! Looking through a work tree takes two runs of git and a look at every file. A
//! server that is asked again and again waits for it only after something happened.
//! Folders that git ignores as wholes are left out, as the look itself does; what
//! decides on that (the index, the rules outside of the tree) is looked at by its
//! times; rules inside of the tree are listened to, and ask for another watch.

use crate::command::{LONG, SHORT};
use crate::head_file::{common_dir, real_git_dir};
use crate::path::RepoPath;
use crate::repo::Repo;
use files::{FolderNews, FolderWatch};
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Systems allow so many watches to all programs of a user together.
const MOST_FOLDERS: usize = 4_000;

/// Files of git that decide what counts as changed.
const OF_GIT_DIR: [&str; 1] = ["index"];
const OF_COMMON_DIR: [&str; 2] = ["info/exclude", "config"];
/// A file in the tree that does.
const RULES: &str = ".gitignore";

/// A work tree that is listened to.
#[derive(Debug)]
pub struct WorkTreeWatch {
    watch: FolderWatch,
    rules: Vec<PathBuf>,
    stamps: Vec<Option<Stamp>>,
}

/// Size, times and number of a file.
type Stamp = (u64, i64, i64, i64, i64, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let about = path.metadata().ok()?;
    Some((
        about.len(),
        about.mtime(),
        about.mtime_nsec(),
        about.ctime(),
        about.ctime_nsec(),
        about.ino(),
    ))
}

impl Repo {
    /// Listens to the work tree from now on; none where that is not possible.
    pub fn watch_work_tree(&self) -> Option<WorkTreeWatch> {
        let top = self.work_tree()?;
        let git_dir = real_git_dir(self.git_dir())?;
        let common = common_dir(&git_dir);
        let rules = OF_GIT_DIR.map(|name| git_dir.join(name)).into_iter();
        let rules = rules.chain(OF_COMMON_DIR.map(|name| common.join(name)));
        let rules: Vec<PathBuf> = rules.chain(self.rules_of_user(top)).collect();
        let stamps = rules.iter().map(|path| stamp(path)).collect();
        let watch = FolderWatch::new()?;
        let ignored = self.ignored_folders()?;
        let mut open = vec![top.to_path_buf()];
        let mut n_folders = 0;
        while let Some(folder) = open.pop() {
            n_folders += 1;
            // Listened to before it is read: what comes meanwhile is told.
            if n_folders > MOST_FOLDERS || !watch.add(&folder) {
                return None;
            }
            for entry in folder.read_dir().ok()?.flatten() {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if !is_folder || entry.file_name() == ".git" {
                    continue;
                }
                let path = entry.path();
                let own = path.strip_prefix(top).ok()?;
                // A repository of its own is none of this one.
                if !ignored.contains(own) && path.join(".git").symlink_metadata().is_err() {
                    open.push(path);
                }
            }
        }
        Some(WorkTreeWatch { watch, rules, stamps })
    }

    /// The user's settings, and the file of what they ignore everywhere.
    fn rules_of_user(&self, top: &Path) -> Vec<PathBuf> {
        let lines = |output: Vec<u8>| -> Vec<PathBuf> {
            let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.map(|line| top.join(RepoPath::new(line).to_path())).collect()
        };
        // Older versions of git do not know the variable.
        let settings = self.git("var").limit(SHORT).arg("GIT_CONFIG_GLOBAL").run();
        let settings = settings.map(lines).unwrap_or_default();
        let named = self
            .git("config")
            .limit(SHORT)
            .args(["--type=path", "--default", "~/.config/git/ignore"])
            .args(["--get", "core.excludesFile"])
            .run();
        let mut rules = named.map(lines).unwrap_or_default();
        // Where no file is named, it lies beside the settings.
        rules.extend(settings.iter().map(|file| file.with_file_name("ignore")));
        rules.extend(settings);
        rules
    }

    /// Folders of which git ignores everything.
    fn ignored_folders(&self) -> Option<HashSet<PathBuf>> {
        let text = self
            .git("ls-files")
            .limit(LONG)
            .args(["-z", "--others", "--ignored", "--exclude-standard", "--directory"])
            .run()
            .ok()?;
        let folders = text.split(|byte| *byte == 0).filter_map(|path| path.strip_suffix(b"/"));
        Some(folders.map(|path| RepoPath::new(path).to_path().clone()).collect())
    }
}

impl WorkTreeWatch {
    /// What happened since the last time. Where folders came or went, or are no longer
    /// ignored, what they hold is not listened to, and another watch is needed.
    pub fn news(&mut self) -> FolderNews {
        let news = self.watch.news(RULES);
        let stamps: Vec<Option<Stamp>> = self.rules.iter().map(|path| stamp(path)).collect();
        if stamps == self.stamps {
            return news;
        }
        self.stamps = stamps;
        FolderNews::Folders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(dir: &Path, arguments: &[&str]) {
        let status = Command::new("git").arg("-C").arg(dir).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    fn put(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn edits_are_told_and_ignored_folders_are_not_listened_to() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        git(&top, &["init", "-q"]);
        put(&top.join(".gitignore"), "target/\n");
        put(&top.join("src/a.py"), "a = 1\n");
        put(&top.join("target/deep/b.py"), "b = 1\n");
        git(&top, &["add", "."]);
        let repo = Repo::known(&top);
        if !FolderWatch::new().is_some_and(|it| it.add(&top)) {
            // A system, or a file system, of which nothing is told.
            return;
        }
        let mut watch = repo.watch_work_tree().unwrap();
        assert_eq!(watch.news(), FolderNews::Nothing);
        put(&top.join("target/deep/b.py"), "b = 2\n");
        assert_eq!(watch.news(), FolderNews::Nothing);
        put(&top.join("src/a.py"), "a = 2\n");
        assert_eq!(watch.news(), FolderNews::Files);
        put(&top.join("src/new/c.py"), "c = 1\n");
        assert_eq!(watch.news(), FolderNews::Folders);
        let mut watch = repo.watch_work_tree().unwrap();
        put(&top.join("src/new/c.py"), "c = 2\n");
        assert_eq!(watch.news(), FolderNews::Files);
        git(&top, &["add", "src/new/c.py"]);
        assert_eq!(watch.news(), FolderNews::Folders, "the index decides what is new");
        assert_eq!(watch.news(), FolderNews::Nothing);
    }

    #[test]
    fn rules_of_what_is_ignored_ask_for_another_watch() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap().join("tree");
        let ignore = dir.path().canonicalize().unwrap().join("ignore");
        put(&top.join(".gitignore"), "out/\n");
        put(&top.join("out/a.py"), "a = 1\n");
        git(&top, &["init", "-q"]);
        git(&top, &["config", "core.excludesFile", ignore.to_str().unwrap()]);
        if !FolderWatch::new().is_some_and(|it| it.add(&top)) {
            return;
        }
        let repo = Repo::known(&top);
        let mut watch = repo.watch_work_tree().unwrap();
        put(&top.join(".gitignore"), "");
        assert_eq!(watch.news(), FolderNews::Folders);
        let mut watch = repo.watch_work_tree().unwrap();
        put(&top.join("out/a.py"), "a = 2\n");
        assert_eq!(watch.news(), FolderNews::Files, "it is listened to now");
        put(&ignore, "out/\n");
        assert_eq!(watch.news(), FolderNews::Folders, "what the user ignores everywhere");
    }
}
