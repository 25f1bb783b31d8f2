//! What small changes cost: the steps of `cargo xtask bench code`, made on a
//! copy of the repository, each indexed on top of the one before.
//!
//! The file that is changed is the middle one by size of the language with the
//! most files, so that the same repository gives the same steps.

use super::code::{index_at, work_tree_at};
use code::index::IndexReport;
use git::Repo;
use model::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::WriteQueue;

pub struct Step {
    pub what: &'static str,
    pub took: Duration,
    pub report: IndexReport,
}

/// A copy of a repository with its files.
struct Copy {
    dir: PathBuf,
}

/// Indexes the copy's commit into `queue`, then every step.
pub fn steps(repo: &Repo, folder: &Path, queue: &WriteQueue) -> Result<Vec<Step>> {
    let copy = Copy::of(repo, &folder.join("copy"))?;
    let repo = Repo::open(&copy.dir)?;
    index_at(&repo, queue, "HEAD")?;
    let [one, two, three] = middle_files(&repo)?;
    let mut steps = Vec::new();
    let mut step = |what, change: &dyn Fn() -> Result<()>| -> Result<()> {
        change()?;
        copy.commit(what)?;
        let started = Instant::now();
        let report = index_at(&repo, queue, "HEAD")?;
        steps.push(Step { what, took: started.elapsed(), report });
        Ok(())
    };
    step("a comment in one file", &|| copy.add_comment(&one))?;
    step("a comment in three files", &|| {
        [&one, &two, &three].into_iter().try_for_each(|path| copy.add_comment(path))
    })?;
    let moved = beside(&one, "moved_");
    step("a file moved", &|| copy.rename(&one, &moved))?;
    step("and moved back", &|| copy.rename(&moved, &one))?;
    step("a file copied", &|| copy.copy(&two, &beside(&two, "again_")))?;
    step("a file deleted", &|| copy.delete(&two))?;
    step("a folder new", &|| copy.copy(&three, &format!("brand_new/{}", name(&three))))?;
    copy.add_comment(&one)?;
    let started = Instant::now();
    let report = work_tree_at(&repo, queue)?;
    steps.push(Step { what: "a dirty work tree", took: started.elapsed(), report });
    Ok(steps)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn beside(path: &str, before: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{before}{name}"),
        None => format!("{before}{path}"),
    }
}

/// Three files around the middle by size, of the language with the most.
fn middle_files(repo: &Repo) -> Result<[String; 3]> {
    let head = repo.head()?.commit.ok_or_else(|| Error::usage("no commit"))?;
    let mut by_language: BTreeMap<&str, Vec<(u64, String)>> = BTreeMap::new();
    for entry in repo.files(head)? {
        let path = entry.path.text().into_owned();
        let is_plain = entry.mode.is_file() && !path.contains("vendor");
        if let Some(language) = code::lang::by_path(&path).filter(|_| is_plain) {
            by_language.entry(language.name()).or_default().push((entry.size, path));
        }
    }
    let mut files = by_language.into_values().max_by_key(Vec::len).unwrap_or_default();
    files.sort_unstable();
    let middle = files.len() / 2;
    let chosen = files.iter().skip(middle.saturating_sub(1)).map(|(_, path)| path.clone());
    let chosen: Vec<String> = chosen.take(3).collect();
    chosen.try_into().map_err(|_| Error::usage("the repository has too few files of code"))
}

impl Copy {
    fn of(repo: &Repo, dir: &Path) -> Result<Self> {
        let mut git = sim::git::command(repo.dir());
        git.args(["clone", "--quiet", "--shared", "."]).arg(dir);
        run(&mut git)?;
        let copy = Copy { dir: dir.to_owned() };
        for (key, value) in [("user.name", "bench"), ("user.email", "bench@example.com")] {
            run(copy.git().args(["config", key, value]))?;
        }
        Ok(copy)
    }

    fn git(&self) -> std::process::Command {
        sim::git::command(&self.dir)
    }

    fn commit(&self, message: &str) -> Result<()> {
        run(self.git().args(["add", "--all"]))?;
        run(self.git().args(["commit", "--quiet", "--no-verify", "--message", message]))
    }

    fn add_comment(&self, path: &str) -> Result<()> {
        let mark = match path.rsplit('.').next() {
            Some("py" | "pyi" | "rb") => "#",
            _ => "//",
        };
        let place = self.dir.join(path);
        let text = std::fs::read(&place).map_err(failed)?;
        let line = format!("\n{mark} changed\n");
        std::fs::write(&place, [text.as_slice(), line.as_bytes()].concat()).map_err(failed)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        std::fs::rename(self.dir.join(from), self.dir.join(to)).map_err(failed)
    }

    fn copy(&self, from: &str, to: &str) -> Result<()> {
        let to = self.dir.join(to);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::copy(self.dir.join(from), to).map(drop).map_err(failed)
    }

    fn delete(&self, path: &str) -> Result<()> {
        std::fs::remove_file(self.dir.join(path)).map_err(failed)
    }
}

fn run(git: &mut std::process::Command) -> Result<()> {
    let output = git.output().map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::internal(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn failed(error: std::io::Error) -> Error {
    Error::internal(error.to_string())
}
