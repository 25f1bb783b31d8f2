//! `cargo xtask eval tests`: of the tests that an accepted fix makes pass, how
//! many files are selected when only the fix is applied, and how many others.

use super::context::{Task, prepare, read_tasks, source_of};
use super::{Outcome, option};
use git::Repo;
use insight::code::ScopeRequest;
use insight::code::scope::resolve;
use insight::tests_scope::{Candidates, Change, Reach, TestFiles, candidates, test_scope};
use model::change::SymbolVersion;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::time::Instant;
use store::Reader;

/// Sums over tasks.
#[derive(Default)]
struct Table {
    n_tasks: usize,
    n_covered: usize,
    n_gold: usize,
    n_selected_gold: usize,
    n_everything: usize,
    share: f64,
    ms: Vec<f64>,
}

pub fn run(options: &[&str]) -> Outcome<()> {
    let every = option(options, "--every").ok().and_then(|it| it.to_str()?.parse().ok());
    let tasks = read_tasks(&option(options, "--localise")?)?;
    let sources = option(options, "--sources")?;
    let keep = option(options, "--keep").ok();
    let mut out = option(options, "--out").ok().map(std::fs::File::create).transpose()?;
    let by_files = options.contains(&"--files-only");
    let reach = option(options, "--reach").ok();
    let reach = reach.and_then(|word| Reach::parse(word.to_str()?)).unwrap_or(Reach::Usual);
    let mut by_repo: BTreeMap<String, Vec<&Task>> = BTreeMap::new();
    for (nth, task) in tasks.iter().enumerate() {
        if nth % every.unwrap_or(1) == 0 {
            by_repo.entry(task.repo.clone()).or_default().push(task);
        }
    }
    println!(
        "tasks covered / files of failing tests selected / share of test files / all must run"
    );
    let scratch = tempfile::tempdir()?;
    let mut total = Table::default();
    for (name, tasks) in by_repo {
        let place = keep.clone().unwrap_or_else(|| scratch.path().to_path_buf());
        std::fs::create_dir_all(&place)?;
        let db = place.join(format!("{}.db", name.replace('/', "+")));
        let repo = Repo::open(&source_of(&sources, &name)?)?;
        let tasks = prepare(&repo, &db, &name, tasks)?;
        let reader = Reader::open(&db)?;
        let mut table = Table::default();
        for task in tasks {
            let asked = ScopeRequest { repo: Some(&name), at: Some(&task.base), here: None };
            let scope = resolve(&reader, &asked)?;
            let mut change = change(task);
            if by_files {
                change.symbols = None;
            }
            let started = Instant::now();
            let texts = TestFiles::read(&repo, repo.resolve(&task.base)?)?;
            let found = test_scope(&reader, &scope, &change, &texts, reach)?;
            let ms = started.elapsed().as_secs_f64() * 1e3;
            if let Some(out) = &mut out {
                let (all, everything) = candidates(&reader, &scope, &change, &texts)?;
                writeln!(out, "{}", evidence(task, &all, &everything, &texts))?;
            }
            let chosen: BTreeSet<&str> = if found.run_everything.is_empty() {
                found.files.iter().map(|file| file.path.as_str()).collect()
            } else {
                texts.tests().collect()
            };
            let gold: Vec<&str> = task.failing.iter().map(String::as_str).collect();
            let gold: Vec<&&str> = gold.iter().filter(|path| texts.has(path)).collect();
            if gold.is_empty() {
                continue;
            }
            for missed in gold.iter().filter(|path| !chosen.contains(**path)) {
                println!("    {} missed {missed}", task.id);
            }
            let n_selected = gold.iter().filter(|path| chosen.contains(**path)).count();
            for table in [&mut table, &mut total] {
                table.n_tasks += 1;
                table.n_gold += gold.len();
                table.n_selected_gold += n_selected;
                table.n_covered += usize::from(n_selected == gold.len());
                table.n_everything += usize::from(!found.run_everything.is_empty());
                table.share += chosen.len() as f64 / texts.n_tests().max(1) as f64;
                table.ms.push(ms);
            }
        }
        table.print(&name);
    }
    total.print("all");
    Ok(())
}

/// What the fix changes: its functions, or whole files where it names none.
fn change(task: &Task) -> Change {
    let symbols: Vec<SymbolVersion> = task
        .functions
        .iter()
        .filter_map(|function| function.split_once("::"))
        .map(|(path, symbol)| SymbolVersion {
            symbol: symbol.to_owned(),
            kind: String::new(),
            path: path.to_owned(),
            line: 0,
            signature: None,
            is_public: true,
        })
        .collect();
    let symbols = (!symbols.is_empty()).then_some(symbols);
    Change { paths: task.files.clone(), symbols, ..Change::default() }
}

/// All that speaks for each file of tests, to choose rules by.
fn evidence(task: &Task, all: &Candidates, everything: &[String], tests: &TestFiles) -> Value {
    let files: BTreeMap<&str, Vec<Value>> = all
        .files
        .iter()
        .map(|(path, candidate)| {
            let of_file = candidate.evidence.iter();
            (path.as_str(), of_file.map(|it| json!([it.rule, it.distance, it.weight])).collect())
        })
        .collect();
    let gold: Vec<&String> = task.failing.iter().filter(|path| tests.has(path)).collect();
    json!({
        "id": task.id, "repo": task.repo, "gold": gold, "tests": tests.n_tests(),
        "everything": everything, "files": files,
    })
}

impl Table {
    fn print(&self, name: &str) {
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        let p95 = ms.get(ms.len() * 95 / 100).copied().unwrap_or(0.0);
        println!(
            "{name:<28} {}/{}  {}/{}  {:.2}  {}  p95 {p95:.0} ms",
            self.n_covered,
            self.n_tasks,
            self.n_selected_gold,
            self.n_gold,
            self.share / self.n_tasks.max(1) as f64,
            self.n_everything,
        );
    }
}
