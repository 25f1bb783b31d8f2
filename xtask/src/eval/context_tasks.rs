//! `cargo xtask eval context --tasks DIR --sources DIR`: a sentence to the symbols a
//! developer needs, through the product, cold.
//!
//! One file of tasks per code base (`flask.jsonl`), its source tree in a folder of the
//! same name. Trees without history are committed into a repository of their own first,
//! because lore reads git objects.

use super::context::shares_of as shares;
use super::{Outcome, option};
use code::index::{Request, Watch};
use git::Repo;
use insight::code::ScopeRequest;
use insight::code::scope::resolve;
use insight::context::{PackOptions, TaskRequest, for_task, localise};
use model::time::FixedClock;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::Reader;

/// Symbols that are looked at of each answer.
const FIRST: usize = 10;
/// Symbols whose shares are handed to a fit of weights.
const MOST_FEATURES: usize = 400;

pub fn run(options: &[&str]) -> Outcome<()> {
    let (tasks, sources) = (option(options, "--tasks")?, option(options, "--sources")?);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&tasks)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    println!(
        "{:<12} {:>5} {:>8} {:>8} {:>6} {:>6}",
        "code base", "tasks", "P@10", "R@10", "MRR", "zero"
    );
    let mut features = option(options, "--features").ok().map(std::fs::File::create).transpose()?;
    let mut all = Scores::default();
    let mut means = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = sources.join(&name);
        if !source.is_dir() {
            eprintln!("no source tree {}", source.display());
            continue;
        }
        let scores = of_code_base(&name, &source, &std::fs::read_to_string(&file)?, &mut features)?;
        scores.print(&name);
        means.push(scores.precision / scores.n.max(1.0));
        all.join(&scores);
    }
    all.print("all");
    let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
    println!("mean of code bases, strict P@10: {mean:.3}");
    Ok(())
}

/// Sums over tasks.
#[derive(Default)]
struct Scores {
    n: f64,
    precision: f64,
    recall: f64,
    reciprocal: f64,
    n_zero: f64,
}

impl Scores {
    fn add(&mut self, found: &[String], wanted: &[String]) {
        let is_wanted = |name: &String| wanted.iter().any(|it| it.eq_ignore_ascii_case(name));
        let n_hits = found.iter().filter(|name| is_wanted(name)).count() as f64;
        self.n += 1.0;
        self.precision += n_hits / FIRST as f64;
        self.recall += n_hits / wanted.len().max(1) as f64;
        let first = found.iter().position(is_wanted);
        self.reciprocal += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        self.n_zero += f64::from(u8::from(first.is_none()));
    }

    fn join(&mut self, other: &Scores) {
        self.n += other.n;
        self.precision += other.precision;
        self.recall += other.recall;
        self.reciprocal += other.reciprocal;
        self.n_zero += other.n_zero;
    }

    fn print(&self, name: &str) {
        let n = self.n.max(1.0);
        let shares = [self.precision, self.recall, self.reciprocal, self.n_zero].map(|sum| sum / n);
        println!(
            "{name:<12} {:>5} {:>8.3} {:>8.3} {:>6.3} {:>6.3}",
            self.n, shares[0], shares[1], shares[2], shares[3]
        );
    }
}

fn of_code_base(
    name: &str,
    source: &Path,
    tasks: &str,
    features: &mut Option<std::fs::File>,
) -> Outcome<Scores> {
    committed(source)?;
    let scratch = tempfile::tempdir()?;
    let db = scratch.path().join("lore.db");
    let now = model::Timestamp::from_millis(0);
    let queue = store::WriteQueue::open(&db, "eval", std::sync::Arc::new(FixedClock(now)), false)?;
    let repo = Repo::open(source)?;
    let request = Request {
        url: Some(format!("example.org/eval/{name}")),
        rev: None,
        work_tree: false,
        full: false,
        n_threads: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    };
    code::index::index(&repo, &queue, &request, &FixedClock(now), &Watch::NOBODY)?;
    queue.close()?;
    let reader = Reader::open(&db)?;
    let scope = resolve(&reader, &ScopeRequest { here: Some(source), ..ScopeRequest::default() })?;
    let mut scores = Scores::default();
    for line in tasks.lines().filter(|line| !line.trim().is_empty()) {
        let task: Value = serde_json::from_str(line)?;
        let wanted: Vec<String> = task["ground_truth"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let request = TaskRequest {
            text: task["description"].as_str().unwrap_or_default().to_owned(),
            pack: PackOptions { limit: FIRST, ..PackOptions::default() },
            ..TaskRequest::default()
        };
        let pack = for_task(&reader, &scope, &request, &serve::payload::BpeCounter)?;
        let found: Vec<String> =
            pack.symbols.iter().map(|it| in_file(&it.symbol, &it.path)).collect();
        if let Some(features) = features {
            let ranked = localise(&reader, &scope, &request.text, MOST_FEATURES, &[])?;
            let symbols: Vec<Value> = ranked.symbols.iter().map(|one| shares(one)).collect();
            let line = json!({"id": task["id"], "repo": name, "gold": wanted, "found": found, "symbols": symbols});
            writeln!(features, "{line}")?;
        }
        scores.add(&found, &wanted);
    }
    Ok(scores)
}

/// A name without the part that is the file: `app.Flask.run` of `app.py` is `Flask.run`.
fn in_file(symbol: &str, path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let rest = symbol.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    rest.unwrap_or(symbol).to_owned()
}

/// Makes a repository of a source tree, once.
fn committed(source: &Path) -> Outcome<()> {
    if source.join(".git").exists() {
        return Ok(());
    }
    let name = ["-c", "user.name=eval", "-c", "user.email=eval@example.org"];
    for args in [&["init", "-q"][..], &["add", "-A", "-f"], &["commit", "-q", "-m", "source"]] {
        let done = Command::new("git").arg("-C").arg(source).args(name).args(args).status()?;
        if !done.success() {
            return Err(format!("git {args:?} failed in {}", source.display()).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_their_file() {
        assert_eq!(in_file("app.Flask.run", "src/flask/app.py"), "Flask.run");
        assert_eq!(in_file("Flask.run", "src/flask/app.py"), "Flask.run");
        let mut scores = Scores::default();
        scores.add(&["x".to_owned(), "flask.RUN".to_owned()], &["Flask.run".to_owned()]);
        assert!((scores.precision - 0.1).abs() < 1e-9 && (scores.reciprocal - 0.5).abs() < 1e-9);
    }
}
