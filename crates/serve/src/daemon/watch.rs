//! Sees refs move: told by the operating system where it can, by looking at the
//! stamps of a few files where it cannot.
//!
//! Watched are the git directory (for `HEAD` and `packed-refs`), `refs` with its
//! folders, and `reftable`: a handful of watches a clone, on one descriptor for all.

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use pipeline::places::{self, RefDirs};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;

/// Refs of one repository beyond this are not looked at one by one when polling.
const MAX_ENTRIES: usize = 20_000;

/// A clone whose refs are followed.
#[derive(Debug, Clone)]
struct WatchedClone {
    dirs: RefDirs,
    /// The operating system tells of changes.
    is_watched: bool,
    stamp: u64,
}

/// Follows the refs of clones.
pub struct RefWatch {
    watcher: Option<RecommendedWatcher>,
    clones: BTreeMap<PathBuf, WatchedClone>,
}

impl RefWatch {
    /// Paths that changed go to `events`, as the system names them.
    pub fn new(is_wanted: bool, events: mpsc::UnboundedSender<PathBuf>) -> Self {
        let tell = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if matches!(
                event.kind,
                EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_))
            ) {
                return;
            }
            for path in event.paths.into_iter().filter(|path| may_be_ref(path)) {
                let _ = events.send(path);
            }
        };
        let watcher = is_wanted.then(|| notify::recommended_watcher(tell).ok()).flatten();
        RefWatch { watcher, clones: BTreeMap::new() }
    }

    /// Follows these clones and no others. Runs git once for each new one: call it
    /// where blocking is fine. Those that were not followed before come back: what
    /// happened to them until now nobody has seen.
    pub fn follow(&mut self, dirs: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let mut new = Vec::new();
        let gone: Vec<PathBuf> =
            self.clones.keys().filter(|dir| !dirs.contains(*dir)).cloned().collect();
        for dir in gone {
            if let Some(clone) = self.clones.remove(&dir) {
                self.unwatch(&clone.dirs);
            }
        }
        for dir in dirs {
            // A folder that was moved away and came back is another one.
            let is_there = self.clones.get(dir).is_some_and(|it| it.dirs.git_dir.is_dir());
            if is_there {
                continue;
            }
            if let Some(old) = self.clones.remove(dir) {
                self.unwatch(&old.dirs);
            }
            let Some(ref_dirs) = places::ref_dirs(dir) else { continue };
            let is_watched = self.watch(&ref_dirs);
            let stamp = stamp(&ref_dirs);
            self.clones.insert(dir.clone(), WatchedClone { dirs: ref_dirs, is_watched, stamp });
            new.push(dir.clone());
        }
        new
    }

    fn watch(&mut self, dirs: &RefDirs) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let mut is_watched = watcher.watch(&dirs.git_dir, RecursiveMode::NonRecursive).is_ok();
        if dirs.common_dir != dirs.git_dir {
            is_watched &= watcher.watch(&dirs.common_dir, RecursiveMode::NonRecursive).is_ok();
        }
        is_watched &=
            watcher.watch(&dirs.common_dir.join("refs"), RecursiveMode::Recursive).is_ok();
        let reftable = dirs.common_dir.join("reftable");
        if reftable.is_dir() {
            is_watched &= watcher.watch(&reftable, RecursiveMode::NonRecursive).is_ok();
        }
        is_watched
    }

    fn unwatch(&mut self, dirs: &RefDirs) {
        let is_shared = self.clones.values().any(|it| it.dirs.common_dir == dirs.common_dir);
        let Some(watcher) = &mut self.watcher else { return };
        // Gone already, where the folder is.
        let _ = watcher.unwatch(&dirs.git_dir);
        if !is_shared {
            for path in ["refs", "reftable"] {
                let _ = watcher.unwatch(&dirs.common_dir.join(path));
            }
        }
    }

    /// The clones whose refs a path belongs to: all work trees of one repository.
    pub fn clones_of(&self, path: &Path) -> Vec<PathBuf> {
        let is_of = |clone: &&PathBuf| {
            let dirs = &self.clones[*clone].dirs;
            path.starts_with(&dirs.git_dir) || path.starts_with(&dirs.common_dir)
        };
        self.clones.keys().filter(is_of).cloned().collect()
    }

    /// Clones whose files have other stamps than the last time: for what nobody told.
    pub fn poll(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (dir, clone) in &mut self.clones {
            let now = stamp(&clone.dirs);
            if std::mem::replace(&mut clone.stamp, now) != now {
                changed.push(dir.clone());
            }
        }
        changed
    }

    /// Those of the clones that are not followed, because there is no repository.
    pub fn missing(&self, dirs: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        dirs.iter().filter(|dir| !self.clones.contains_key(*dir)).cloned().collect()
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.clones.len(), self.clones.values().filter(|clone| clone.is_watched).count())
    }
}

/// Whether a path in a git directory can be a ref, or what refs are kept in.
fn may_be_ref(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    if Path::new(name).extension().is_some_and(|ending| ending == "lock") {
        return false;
    }
    let is_in = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
    matches!(name, "HEAD" | "packed-refs") || is_in("refs") || is_in("reftable")
}

/// A number that changes with `HEAD`, loose refs, packed refs and reftables; from
/// times and lengths, without reading a ref.
fn stamp(dirs: &RefDirs) -> u64 {
    let mut hasher = DefaultHasher::new();
    let common = &dirs.common_dir;
    for path in [
        dirs.git_dir.join("HEAD"),
        dirs.git_dir.join("logs/HEAD"),
        common.join("packed-refs"),
        common.join("reftable/tables.list"),
    ] {
        add(&path, &mut hasher);
    }
    let mut left = MAX_ENTRIES;
    for folder in ["refs/heads", "refs/remotes"] {
        add_folder(&common.join(folder), &mut hasher, &mut left);
    }
    hasher.finish()
}

fn add(path: &Path, hasher: &mut DefaultHasher) {
    let found = std::fs::symlink_metadata(path).ok();
    found.map(|it| (it.len(), it.modified().ok())).hash(hasher);
}

fn add_folder(folder: &Path, hasher: &mut DefaultHasher, left: &mut usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().take(*left).collect();
    *left -= entries.len();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        entry.file_name().hash(hasher);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => add_folder(&entry.path(), hasher, left),
            _ => add(&entry.path(), hasher),
        }
    }
}

/// Gathers paths for a while: `git` moves several refs for one command.
pub async fn gather(
    events: &mut mpsc::UnboundedReceiver<PathBuf>,
    window: Duration,
) -> Option<BTreeSet<PathBuf>> {
    let mut paths = BTreeSet::from([events.recv().await?]);
    let until = tokio::time::sleep(window);
    tokio::pin!(until);
    loop {
        tokio::select! {
            path = events.recv() => match path {
                Some(path) => drop(paths.insert(path)),
                None => return Some(paths),
            },
            () = &mut until => return Some(paths),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_count_and_the_rest_of_a_git_directory_does_not() {
        for (path, expected) in [
            ("/r/.git/HEAD", true),
            ("/r/.git/packed-refs", true),
            ("/r/.git/refs/heads/main", true),
            ("/r/.git/refs/heads/a/b", true),
            ("/r/.git/reftable/0x1-0x2.ref", true),
            ("/r/.git/worktrees/x/HEAD", true),
            ("/r/.git/refs/heads/main.lock", false),
            ("/r/.git/HEAD.lock", false),
            ("/r/.git/index", false),
            ("/r/.git/FETCH_HEAD", false),
            ("/r/.git/COMMIT_EDITMSG", false),
        ] {
            assert_eq!(may_be_ref(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_stamp_changes_with_every_ref_and_with_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().to_path_buf();
        std::fs::create_dir_all(git.join("refs/heads/topic")).unwrap();
        let dirs = RefDirs { git_dir: git.clone(), common_dir: git.clone() };
        let write = |name: &str, text: &str| std::fs::write(git.join(name), text).unwrap();
        write("HEAD", "ref: refs/heads/main\n");
        let mut last = stamp(&dirs);
        for (name, text) in [
            ("refs/heads/main", "1"),
            ("refs/heads/topic/a", "22"),
            ("packed-refs", "333"),
            ("HEAD", "detached"),
        ] {
            write(name, text);
            let now = stamp(&dirs);
            assert_ne!(now, last, "{name}");
            last = now;
        }
        write("index", "4444");
        assert_eq!(stamp(&dirs), last);
    }
}
