//! Which repositories the user trusts, and with what.
//!
//! A clone can hold a config, memory and a database of somebody else's making.
//! Trust is given to a repository, by the real path of its work tree's top:
//!
//! * its **config file** by the hash of its bytes: a file that names servers
//!   and tokens is read by a person once, and any change ends the trust;
//! * its **memory** and **databases** by path and origin. Memory changes with
//!   every pull, so a hash would end the trust daily and teach people to say
//!   yes without looking. What is pinned instead is where it comes from: the
//!   repository's `origin`. Another clone put in its place is not trusted.
//!
//! A linked work tree counts as the repository it belongs to, if that
//! repository says so too. Memory that the user began (`lore remember` where
//! there was none, `lore init --local`) and databases that lore made are pinned
//! as they are made, so that nobody is asked about what is theirs.

use super::file::{CLONE_DIR, ConfigFile};
use super::trust::{Pins, RepositoryPin};
use super::{Config, Source};
use crate::env::Env;
use git::Remote;
use memory::Root;
use memory::root::RootKind;
use model::Result;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use store::{DatabaseFile, FolderTrust};

/// Files of git that are read here have a line or a few; a config may have
/// hundreds of remotes.
const MAX_GIT_FILE: u64 = 1 << 20;

/// A work tree, or a folder with `.lore/` where there is no git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The real path of its top.
    pub top: PathBuf,
    /// By what it is pinned: of a linked work tree the main one, else `top`.
    pub key: PathBuf,
}

impl Repository {
    /// The repository that holds a file or folder, which need not exist yet.
    pub fn around(path: &Path) -> Option<Repository> {
        let start = path.ancestors().find_map(|part| part.canonicalize().ok())?;
        let nearest =
            |name: &str| start.ancestors().find(|dir| dir.join(name).symlink_metadata().is_ok());
        let top = nearest(".git").or_else(|| nearest(CLONE_DIR))?.to_path_buf();
        let key = main_work_tree(&top).unwrap_or_else(|| top.clone());
        Some(Repository { top, key })
    }

    /// Where it was cloned from, without what differs from user to user; none
    /// where it was not cloned.
    pub fn origin(&self) -> Option<String> {
        let (_, common) = git_dirs(&self.top)?;
        let text = files::read_text(&common.join("config"), MAX_GIT_FILE).ok()?;
        let url = origin_url(&text)?;
        // Never the address as it stands: it may hold a password.
        let known = Remote::parse(&url).map(|remote| remote.canonical_url());
        Some(known.unwrap_or_else(|| url.rsplit('@').next().unwrap_or_default().to_owned()))
    }

    /// A path below it, as it would be in the main work tree.
    fn pinned_path(&self, path: &Path) -> Option<PathBuf> {
        Some(self.key.join(path.strip_prefix(&self.top).ok()?))
    }
}

/// Git's folder of a work tree, and the one that its work trees share.
fn git_dirs(top: &Path) -> Option<(PathBuf, PathBuf)> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some((dot_git.clone(), dot_git));
    }
    let text = files::read_text(&dot_git, MAX_GIT_FILE).ok()?;
    let git_dir = top.join(text.trim().strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let common = match files::read_text(&git_dir.join("commondir"), MAX_GIT_FILE) {
        Ok(text) => git_dir.join(text.trim()).canonicalize().ok()?,
        Err(_) => git_dir.clone(),
    };
    Some((git_dir, common))
}

/// The main work tree of a linked one. Anybody can write a `.git` file that
/// points into a trusted repository, so that one must point back.
fn main_work_tree(top: &Path) -> Option<PathBuf> {
    let (git_dir, common) = git_dirs(top)?;
    let back = files::read_text(&git_dir.join("gitdir"), MAX_GIT_FILE).ok()?;
    let points_back = git_dir.join(back.trim()).canonicalize().ok()? == top.join(".git");
    let is_listed = git_dir.parent()? == common.join("worktrees") && points_back;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|it| it == ".git"))?;
    is_listed.then(|| main.to_path_buf())
}

/// `remote.origin.url` of a git config. Not asked of git: this runs before
/// anything of the clone is trusted, at every prompt of an agent.
fn origin_url(config: &str) -> Option<String> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line.eq_ignore_ascii_case("[remote \"origin\"]");
        } else if is_origin
            && let Some((name, value)) = line.split_once('=')
            && name.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

impl Pins {
    /// Whether the user agreed to this config file, as it is now.
    pub fn covers_config(&self, file: &ConfigFile) -> bool {
        let hash = file.hash.to_string();
        self.covers(&file.path, &hash)
            || Repository::around(&file.path)
                .filter(|it| it.key != it.top)
                .and_then(|it| it.pinned_path(&file.path.canonicalize().ok()?))
                .is_some_and(|path| self.covers(&path, &hash))
    }

    /// The pin of a repository that still comes from where it came from.
    pub fn repository(&self, repository: &Repository) -> Option<&RepositoryPin> {
        let pin = self.repositories.get(&repository.key)?;
        (pin.origin == repository.origin()).then_some(pin)
    }

    pub fn trusts_memory(&self, repository: &Repository) -> bool {
        self.repository(repository).is_some_and(|pin| pin.memory)
    }

    fn trusts_database(&self, repository: &Repository, path: &Path) -> bool {
        self.repository(repository).is_some_and(|pin| pin.databases)
            || path.canonicalize().is_ok_and(|path| self.databases.contains(&path))
    }
}

/// Whether records of a folder may be told to an agent unasked, and are shown
/// without a mark. Pins that cannot be read trust nobody.
pub fn folder_trust(env: &Env) -> FolderTrust {
    let personal = env.data_dir().map(|dir| dir.join("memory"));
    let env = env.clone();
    let pins: OnceLock<Option<Pins>> = OnceLock::new();
    Arc::new(move |folder| {
        if personal.as_deref() == Some(folder) {
            return true;
        }
        let Some(repository) = Repository::around(folder) else { return true };
        let pins = pins.get_or_init(|| Pins::load(&env).ok());
        pins.as_ref().is_some_and(|pins| pins.trusts_memory(&repository))
    })
}

/// Memory that is about to be begun where there was none.
#[derive(Debug)]
pub struct FirstMemory(Repository);

impl FirstMemory {
    /// None where somebody has written there before.
    pub fn of(root: &Root) -> Option<FirstMemory> {
        // Declared edges lie beside it and are trusted with it.
        let has_edges = root.dir.with_file_name(::code::manual::FILE).symlink_metadata().is_ok();
        let is_empty = !has_edges && root.names().is_ok_and(|names| names.is_empty());
        (root.kind == RootKind::Project && is_empty)
            .then(|| Repository::around(&root.dir).map(FirstMemory))?
    }

    /// It is the user's: it was empty, and this run wrote to it.
    pub fn pin(self, env: &Env) -> Result<()> {
        let mut pins = Pins::load(env)?;
        if pins.trusts_memory(&self.0) {
            return Ok(());
        }
        let origin = self.0.origin();
        let pin = pins.repositories.entry(self.0.key).or_default();
        *pin = RepositoryPin { origin, memory: true, databases: false };
        pins.save()
    }
}

/// The database in force, and whether it came with a clone that nobody trusts.
pub fn database(env: &Env, config: &Config) -> Result<DatabaseFile> {
    let path = config.db_path()?.to_path_buf();
    let file = match repository_in_question(env, config, &path) {
        Some(repository) if path.symlink_metadata().is_ok() => {
            if Pins::load(env)?.trusts_database(&repository, &path) {
                DatabaseFile::own(path)
            } else {
                DatabaseFile::foreign(path, repository.top)
            }
        }
        _ => DatabaseFile::own(path),
    };
    Ok(file.with_folder_trust(folder_trust(env)))
}

/// The repository a database lies in, where that says something: not for the
/// place lore chose, the user's own config, or a trusted one.
fn repository_in_question(env: &Env, config: &Config, path: &Path) -> Option<Repository> {
    let setting = config.setting("storage.db_path").ok()?;
    let is_named = match &setting.source {
        Source::Default => false,
        Source::File(file) => config.is_named_file(file),
        Source::Env(_) | Source::Flag(_) => true,
    };
    let is_in_data = env.data_dir().is_some_and(|dir| path.starts_with(dir));
    if !is_named || is_in_data {
        return None;
    }
    // The folder of the name, and the folder of the file if the name is a link.
    let behind = path.canonicalize().ok();
    let parents = [path.parent(), behind.as_deref().and_then(Path::parent)];
    parents.into_iter().flatten().find_map(Repository::around)
}

/// Makes a database that the user named inside a repository, and notes that
/// lore made it. One that is there already, or lies elsewhere, is left alone.
pub fn pin_new_database(env: &Env, config: &Config, path: &Path) -> Result<()> {
    let is_there = path.symlink_metadata().is_ok();
    if is_there || repository_in_question(env, config, path).is_none() {
        return Ok(());
    }
    store::create_database(path)?;
    let mut pins = Pins::load(env)?;
    if let Ok(path) = path.canonicalize() {
        pins.databases.insert(path);
    }
    // Without a home there is no place for pins; the file is made all the same.
    let _ = pins.save();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        files::replace(path, text.as_bytes(), 0o600).unwrap();
    }

    #[test]
    fn origins_are_told_without_passwords() {
        for (url, origin) in [
            ("https://me:secret@gl.example/a/b.git", "gl.example/a/b"),
            ("git@gl.example:a/b.git", "gl.example/a/b"),
            ("/srv/git/b.git", "/srv/git/b.git"),
        ] {
            let dir = TempDir::new().unwrap();
            let config = format!("[core]\n\turl = x\n[remote \"origin\"]\n\turl = {url}\n");
            write(&dir.path().join(".git/config"), &config);
            let repository = Repository::around(&dir.path().join("src/not/there")).unwrap();
            assert_eq!(repository.origin().as_deref(), Some(origin));
        }
    }

    #[test]
    fn a_linked_work_tree_counts_only_if_the_repository_points_back() {
        let dir = TempDir::new().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (main, tree) = (base.join("main"), base.join("tree"));
        write(&main.join(".git/config"), "");
        write(&main.join(".git/worktrees/tree/commondir"), "../..\n");
        let admin = main.join(".git/worktrees/tree");
        write(&tree.join(".git"), &format!("gitdir: {}\n", admin.display()));
        assert_eq!(Repository::around(&tree).unwrap().key, tree);
        write(&admin.join("gitdir"), &format!("{}\n", tree.join(".git").display()));
        assert_eq!(Repository::around(&tree).unwrap().key, main);
        let liar = base.join("liar");
        write(&liar.join(".git"), &format!("gitdir: {}\n", admin.display()));
        assert_eq!(Repository::around(&liar).unwrap().key, liar);
    }
}
