//! `cargo xtask eval context`: issue texts to the files and functions of their
//! accepted fixes, through the product.
//!
//! Each task's base commit is indexed into one database per repository, oldest
//! first, so that each costs little more than its difference to the one before.
//! Only commits that the base commit can reach are known.

use super::{Outcome, option};
use code::index::{Request, Watch};
use git::{LogOptions, ObjectId, Repo};
use insight::code::ScopeRequest;
use insight::code::scope::resolve;
use insight::context::{Localisation, Share, channel_names, localise};
use model::time::FixedClock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::commits::{self, CommitFile, CommitRecord};
use store::{Reader, Writer};

pub(super) struct Task {
    pub id: String,
    pub repo: String,
    pub base: String,
    text: String,
    pub files: Vec<String>,
    pub functions: Vec<String>,
    /// Files with a test that the fix makes pass.
    pub failing: Vec<String>,
}

/// How many of a list are handed to the scorer, and how many to a fit of weights.
const MOST: usize = 50;
const MOST_FEATURES: usize = 400;

pub fn run(options: &[&str]) -> Outcome<()> {
    let tasks = read_tasks(&option(options, "--localise")?)?;
    let sources = option(options, "--sources")?;
    let keep = option(options, "--keep").ok();
    let out = option(options, "--out").ok();
    let features = option(options, "--features").ok();
    let without = option(options, "--without").ok();
    let without =
        without.map(|list| list.to_string_lossy().split(',').map(str::to_owned).collect());
    let mut variants: Vec<(String, Vec<String>)> =
        vec![("all".to_owned(), without.unwrap_or_default())];
    if options.contains(&"--ablation") {
        let names = channel_names().into_iter();
        variants.extend(names.map(|name| (format!("- {name}"), vec![name.to_owned()])));
    }
    let mut out = out.map(std::fs::File::create).transpose()?;
    let mut features = features.map(std::fs::File::create).transpose()?;
    let mut tables: Vec<Table> = variants.iter().map(|_| Table::default()).collect();
    let mut by_repo: BTreeMap<String, Vec<&Task>> = BTreeMap::new();
    for task in &tasks {
        by_repo.entry(task.repo.clone()).or_default().push(task);
    }
    let is_foreign = options.contains(&"--foreign");
    let all_tasks: Vec<&Task> = tasks.iter().collect();
    let scratch = tempfile::tempdir()?;
    for (name, tasks) in by_repo {
        let place = keep.clone().unwrap_or_else(|| scratch.path().to_path_buf());
        std::fs::create_dir_all(&place)?;
        let db = place.join(format!("{}.db", name.replace('/', "+")));
        let repo = Repo::open(&source_of(&sources, &name)?)?;
        let tasks = prepare(&repo, &db, &name, tasks)?;
        let reader = Reader::open(&db)?;
        let mut table = Table::default();
        let mut strengths: BTreeMap<String, usize> = BTreeMap::new();
        let mut covered = Vec::new();
        for task in tasks {
            let asked = ScopeRequest { repo: Some(&name), at: Some(&task.base), here: None };
            let scope = resolve(&reader, &asked)?;
            // Asked about another repository's issue, the answer should say it is weak.
            let text = if is_foreign { foreign(&all_tasks, &name, task) } else { &task.text };
            for (at, (_, without)) in variants.iter().enumerate() {
                let most = if features.is_some() { MOST_FEATURES } else { MOST };
                let started = Instant::now();
                let found = localise(&reader, &scope, text, most, without)?;
                let ms = started.elapsed().as_secs_f64() * 1e3;
                tables[at].add(task, &found, ms);
                if at == 0 {
                    *strengths.entry(format!("{:?}", found.strength)).or_default() += 1;
                    covered.push(found.coverage);
                    table.add(task, &found, ms);
                    if let Some(out) = &mut out {
                        writeln!(out, "{}", answer(task, &found, ms))?;
                    }
                    if let Some(features) = &mut features {
                        writeln!(features, "{}", shares(task, &found))?;
                    }
                }
            }
        }
        table.print(&name);
        covered.sort_by(f64::total_cmp);
        let at = |part: f64| covered.get((covered.len() as f64 * part) as usize).copied();
        eprintln!(
            "    strength {strengths:?}, coverage {:.2?} {:.2?} {:.2?}",
            at(0.1),
            at(0.5),
            at(0.9)
        );
    }
    for ((name, _), table) in variants.iter().zip(&tables) {
        table.print(name);
    }
    Ok(())
}

/// The text of some task of another repository.
fn foreign<'t>(all: &[&'t Task], repo: &str, task: &'t Task) -> &'t str {
    let others: Vec<&&Task> = all.iter().filter(|other| other.repo != repo).collect();
    let at = task.id.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(byte));
    others.get(at % others.len().max(1)).map_or(&task.text, |other| &other.text)
}

pub(super) fn read_tasks(path: &Path) -> Outcome<Vec<Task>> {
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let mut tasks = Vec::new();
    for line in std::fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        tasks.push(Task {
            id: text("id"),
            repo: text("repo"),
            base: text("base_commit"),
            text: text("text"),
            files: texts(&value["files"]),
            functions: texts(&value["functions"]),
            failing: failing(&texts(&value["fail_to_pass"])),
        });
    }
    Ok(tasks)
}

/// `tests/test_a.py::TestA::test_b[x]` is in `tests/test_a.py`.
fn failing(tests: &[String]) -> Vec<String> {
    let mut files: Vec<String> =
        tests.iter().filter_map(|test| Some(test.split_once("::")?.0.to_owned())).collect();
    files.sort();
    files.dedup();
    files
}

pub(super) fn source_of(sources: &Path, name: &str) -> Outcome<PathBuf> {
    let (owner, short) = name.split_once('/').ok_or("a repository without an owner")?;
    let both = format!("{owner}+{short}");
    let places = [format!("{both}/repo"), both, short.to_owned(), format!("{owner}__{short}")];
    let found = places.iter().map(|place| sources.join(place)).find(|place| place.is_dir());
    found.ok_or_else(|| format!("no clone of {name} below {}", sources.display()).into())
}

/// Indexes every base commit, oldest first, and the commits they can reach.
pub(super) fn prepare<'t>(
    repo: &Repo,
    db: &Path,
    name: &str,
    tasks: Vec<&'t Task>,
) -> Outcome<Vec<&'t Task>> {
    let started = Instant::now();
    let mut writer = Writer::open(db)?;
    let clock = FixedClock(model::Timestamp::from_millis(0));
    let mut heads: Vec<ObjectId> =
        tasks.iter().filter_map(|task| ObjectId::parse(&task.base)).collect();
    heads.sort_unstable();
    heads.dedup();
    let url = format!("example.org/{name}");
    let clone = code::history::find_clone(repo.dir(), Some(&url))?;
    let clone = code::history::identify(&writer, &clone)?;
    let now = model::Timestamp::from_millis(0);
    let place = writer.write(|tx| code::history::register(tx, &clone, now))?;
    let repo_id = store::repos::repo_of_place(&writer, place)?;
    let mut when: BTreeMap<String, i64> = BTreeMap::new();
    let is_read = commits::count(&writer, Some(repo_id))?.0 > 0;
    let read = |with_changes: bool| -> model::Result<Vec<CommitRecord>> {
        let heads = heads.clone();
        let options =
            LogOptions { heads, with_changes, is_oldest_first: true, ..LogOptions::default() };
        repo.log(&options)?.map(|commit| commit.map(|commit| record(&commit))).collect()
    };
    let mut all = read(false)?;
    if !is_read {
        // A snapshot without its largest files cannot tell renames.
        match read(true) {
            Ok(whole) => all = whole,
            Err(_) => add_names(repo, &heads, &mut all)?,
        }
        writer.write(|tx| {
            for commit in &all {
                commits::insert(tx, repo_id, commit, now)?;
            }
            Ok(())
        })?;
    }
    when.extend(all.into_iter().map(|commit| (commit.sha, commit.committed_at.as_millis())));
    let mut tasks = tasks;
    tasks.sort_by_key(|task| (when.get(&task.base).copied().unwrap_or(0), task.id.clone()));
    let n_threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    drop(writer);
    let queue = store::WriteQueue::open(db, "eval", std::sync::Arc::new(FixedClock(now)), false)?;
    for task in &tasks {
        let request = Request {
            url: Some(url.clone()),
            rev: Some(task.base.clone()),
            work_tree: false,
            full: false,
            n_threads,
        };
        code::index::index(repo, &queue, &request, &clock, &Watch::NOBODY)?;
    }
    queue.close()?;
    eprintln!(
        "{name}: {} tasks, {} commits, ready after {:.0} s",
        tasks.len(),
        when.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(tasks)
}

/// The paths each commit changed, renames not followed.
fn add_names(repo: &Repo, heads: &[ObjectId], commits: &mut [CommitRecord]) -> Outcome<()> {
    let mut git = std::process::Command::new("git");
    git.arg("-C").arg(repo.dir()).args(["-c", "core.quotePath=off", "log", "--no-renames"]);
    git.args(["--name-only", "--diff-merges=off", "--format=%x01%H"]);
    git.args(heads.iter().map(ToString::to_string));
    let text = String::from_utf8_lossy(&git.output()?.stdout).into_owned();
    let mut names: BTreeMap<&str, Vec<CommitFile>> = BTreeMap::new();
    for entry in text.split('\u{1}') {
        let mut lines = entry.lines().filter(|line| !line.is_empty());
        let Some(sha) = lines.next() else { continue };
        let file = |path: &str| CommitFile {
            path: path.to_owned(),
            old_path: None,
            kind: model::record::ChangeKind::Modified,
        };
        names.insert(sha, lines.map(file).collect());
    }
    for commit in commits {
        commit.files = names.remove(commit.sha.as_str()).unwrap_or_default();
    }
    Ok(())
}

fn record(commit: &git::Commit) -> CommitRecord {
    let file = |change: &git::Change| {
        let is_renamed = change.kind == model::record::ChangeKind::Renamed;
        CommitFile {
            path: change.path.text().into_owned(),
            old_path: is_renamed.then(|| change.old_path.text().into_owned()),
            kind: change.kind,
        }
    };
    CommitRecord {
        sha: commit.id.to_string(),
        parents: commit.parents.iter().map(ToString::to_string).collect(),
        author_name: commit.author.name.clone(),
        author_email: commit.author.email.clone(),
        authored_at: commit.author.at,
        committed_at: commit.committer.at,
        message: commit.message.clone(),
        files: commit.changes.iter().map(file).collect(),
    }
}

fn answer(task: &Task, found: &Localisation, ms: f64) -> Value {
    let names = |all: &[(String, Vec<Share>)]| -> Vec<String> {
        all.iter().take(MOST).map(|(name, _)| name.clone()).collect()
    };
    json!({"id": task.id, "files": names(&found.files), "functions": names(&found.functions), "ms": ms})
}

/// What each channel said of each candidate, to fit weights with.
fn shares(task: &Task, found: &Localisation) -> Value {
    let all =
        |list: &[(String, Vec<Share>)]| -> Vec<Value> { list.iter().map(shares_of).collect() };
    json!({
        "id": task.id, "repo": task.repo, "gold_files": task.files, "gold_functions": task.functions,
        "files": all(&found.files), "functions": all(&found.functions),
    })
}

/// A candidate with what each channel said of it.
pub(super) fn shares_of((name, shares): &(String, Vec<Share>)) -> Value {
    let shares: BTreeMap<&str, f64> =
        shares.iter().map(|share| (share.channel, share.score)).collect();
    json!([name, shares])
}

/// Shares of tasks whose whole truth is among the first.
#[derive(Default)]
struct Table {
    n_files: usize,
    n_functions: usize,
    files: [usize; 4],
    functions: [usize; 2],
    n_zero: usize,
    ms: Vec<f64>,
}

impl Table {
    fn add(&mut self, task: &Task, found: &Localisation, ms: f64) {
        let within = |gold: &[String], found: &[(String, Vec<Share>)], most: usize| {
            let mut first: Vec<&str> = Vec::new();
            for (name, _) in found {
                if first.len() < most && !first.contains(&name.as_str()) {
                    first.push(name);
                }
            }
            gold.iter().filter(|it| first.contains(&it.as_str())).count()
        };
        self.ms.push(ms);
        if !task.files.is_empty() {
            self.n_files += 1;
            for (at, most) in [1, 3, 5, 10].into_iter().enumerate() {
                self.files[at] +=
                    usize::from(within(&task.files, &found.files, most) == task.files.len());
            }
            self.n_zero += usize::from(within(&task.files, &found.files, 10) == 0);
        }
        if !task.functions.is_empty() {
            self.n_functions += 1;
            for (at, most) in [5, 10].into_iter().enumerate() {
                let n_found = within(&task.functions, &found.functions, most);
                self.functions[at] += usize::from(n_found == task.functions.len());
            }
        }
    }

    fn print(&self, name: &str) {
        let share = |count: usize, all: usize| count as f64 / all.max(1) as f64;
        let files = self.files.map(|count| format!("{:.3}", share(count, self.n_files))).join(" ");
        let functions =
            self.functions.map(|count| format!("{:.3}", share(count, self.n_functions))).join(" ");
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        let at = |part: f64| ms.get((ms.len() as f64 * part) as usize).copied().unwrap_or(0.0);
        println!(
            "{name:<28} {:>4}  files @1/3/5/10 {files}  zero {:.3}  functions @5/10 {functions}  ms {:.0} p95 {:.0}",
            self.ms.len(),
            share(self.n_zero, self.n_files),
            at(0.5),
            at(0.95),
        );
    }
}
