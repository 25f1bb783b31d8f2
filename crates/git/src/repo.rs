//! A repository on disk: where it is and how it is made.

use crate::command::{Failed, Git};
use crate::object_id::ObjectId;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

/// A repository that was found at a path. Cheap to clone; holds no process.
#[derive(Debug, Clone)]
pub struct Repo {
    /// Where git is run: the root of the work tree, or the git directory.
    dir: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: Option<PathBuf>,
    is_shallow: bool,
}

impl Repo {
    /// The repository around `path`: a folder in a work tree, a linked work
    /// tree, or a bare repository.
    pub fn open(path: &Path) -> Result<Repo> {
        if !path.is_dir() {
            return Err(no_repository(path));
        }
        let probe = Git::new(path, "rev-parse").args([
            "--is-shallow-repository",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
            "--show-toplevel",
        ]);
        // Without a work tree the last question fails and the others are
        // answered all the same.
        let (text, has_work_tree) = match probe.run() {
            Ok(stdout) => (stdout, true),
            Err(failed) if failed.says("must be run in a work tree") => (failed.stdout, false),
            Err(failed) => return Err(cannot_open(path, failed)),
        };
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let [shallow, git_dir, common_dir, rest @ ..] = lines.as_slice() else {
            return Err(Error::internal("git rev-parse answered too little"));
        };
        let git_dir = system_path(git_dir);
        let work_tree = match rest {
            [top, ..] if has_work_tree => Some(system_path(top)),
            _ => None,
        };
        Ok(Repo {
            dir: work_tree.clone().unwrap_or_else(|| git_dir.clone()),
            common_dir: system_path(common_dir),
            git_dir,
            work_tree,
            is_shallow: *shallow == b"true",
        })
    }

    /// The repository at a place where one was found before, without asking
    /// git again: saves a process where every millisecond counts. `dir` is what
    /// [`Repo::dir`] told then.
    pub fn known(dir: &Path) -> Repo {
        let linked = dir.join(".git");
        let has_work_tree = linked.exists();
        let git_dir = if has_work_tree { linked } else { dir.to_path_buf() };
        Repo {
            dir: dir.to_path_buf(),
            common_dir: git_dir.clone(),
            is_shallow: git_dir.join("shallow").exists(),
            work_tree: has_work_tree.then(|| dir.to_path_buf()),
            git_dir,
        }
    }

    /// The name this user signs commits with, if they set one.
    pub fn user_name(&self) -> Option<String> {
        self.git("config").arg("user.name").line().ok().filter(|name| !name.is_empty())
    }

    /// The root of the work tree, or the git directory where there is none.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The directory all linked work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Its oldest commits were cut off when it was cloned.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    pub(crate) fn git(&self, name: &str) -> Git {
        Git::new(&self.dir, name)
    }

    /// The commit that people mean by a branch, tag, hash or `HEAD~3`.
    pub fn resolve(&self, rev: &str) -> Result<ObjectId> {
        let unknown = || {
            Error::not_found(format!(
                "no commit `{}` in {}",
                model::text::one_line(rev, 60),
                self.dir.display()
            ))
            .suggest("give a branch, a tag or a commit hash that this clone has")
        };
        // A NUL cannot be handed to a process; no revision has one.
        if rev.is_empty() || rev.contains('\0') {
            return Err(unknown());
        }
        let answer = self
            .git("rev-parse")
            .args(["--verify", "--quiet", "--end-of-options"])
            .arg(format!("{rev}^{{commit}}"))
            .line();
        match answer {
            Ok(text) => ObjectId::parse(text.trim()).ok_or_else(unknown),
            Err(failed) if failed.stderr.is_empty() || failed.says("fatal: Needed") => {
                Err(unknown())
            }
            Err(failed) if failed.says("git could not be run") => Err(failed.into()),
            Err(_) => Err(unknown()),
        }
    }
}

fn cannot_open(path: &Path, failed: Failed) -> Error {
    if failed.says("not a git repository") || failed.says("cannot change to") {
        no_repository(path)
    } else {
        Error::from(failed).context(path.display())
    }
}

fn no_repository(path: &Path) -> Error {
    Error::new(ErrorCode::NotFound, format!("{} is not a git repository", path.display()))
        .suggest("give a folder inside a clone, or a bare repository")
}

pub(crate) fn system_path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(crate::command::lossy(bytes))
}
