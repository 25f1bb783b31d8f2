//! `cargo xtask eval diff`: symbols renamed and moved in real commits, as lore
//! pairs them, beside what people validated.
//!
//! Reads the changed files of each commit from two folders, `before` and
//! `after`, writes one line of predictions for each, and runs the scorer that
//! came with the truth: on all commits, and on those of each repository alone.

use super::Outcome;
use code::FileFacts;
use code::matching::{Matching, Sort, SourceFile, Symbol, match_versions};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const USAGE: &str = "cargo xtask eval diff --cases FILE.jsonl --trees DIR --scorer FILE.py
  --cases FILE    a commit a line, with `id` and `repo`
  --trees DIR     DIR/ID/before and DIR/ID/after hold the changed files
  --scorer FILE   called with the cases and the predictions";

pub fn run(words: &[&str]) -> Outcome<()> {
    let path = |name| super::option(words, name).map_err(|error| format!("{error}\n\n{USAGE}"));
    let (cases, trees, scorer) = (path("--cases")?, path("--trees")?, path("--scorer")?);
    let text = std::fs::read_to_string(&cases)?;
    let cases: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let started = Instant::now();
    let predictions: Vec<Prediction> =
        cases.par_iter().map(|case| predict(&trees, text_of(case, "id"))).collect();
    let mut times: Vec<u128> = predictions.iter().map(|it| it.micros).collect();
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or(0);
    println!(
        "{} commits in {:.1} s; pairing alone: p50 {} µs, p95 {} µs",
        cases.len(),
        started.elapsed().as_secs_f64(),
        at(50),
        at(95)
    );
    let folder = trees.with_file_name("predictions");
    std::fs::create_dir_all(&folder)?;
    score(&folder, &scorer, "all", cases.iter().zip(&predictions))?;
    let mut repos: Vec<&str> = cases.iter().map(|case| text_of(case, "repo")).collect();
    repos.sort_unstable();
    repos.dedup();
    for repo in repos {
        let own = cases.iter().zip(&predictions).filter(|(case, _)| text_of(case, "repo") == repo);
        score(&folder, &scorer, repo, own)?;
    }
    Ok(())
}

struct Prediction {
    line: Value,
    micros: u128,
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

struct File {
    path: String,
    bytes: Vec<u8>,
    facts: FileFacts,
}

fn predict(trees: &Path, id: &str) -> Prediction {
    let (before, after) =
        (files(&trees.join(id).join("before")), files(&trees.join(id).join("after")));
    let started = Instant::now();
    let matching = match_versions(&sources(&before), &sources(&after));
    let micros = started.elapsed().as_micros();
    Prediction { line: prediction(id, &before, &after, &matching), micros }
}

fn prediction(id: &str, before: &[File], after: &[File], matching: &Matching) -> Value {
    let mut is_paired = vec![false; matching.old.len()];
    let mut pairs = Vec::new();
    for pair in &matching.pairs {
        is_paired[pair.old as usize] = true;
        let (old, new) = (&matching.old[pair.old as usize], &matching.new[pair.new as usize]);
        let (from, to) = (&before[old.file as usize].path, &after[new.file as usize].path);
        if from != to || old.path != new.path {
            pairs.push(json!({
                "from_file": from, "from_name": &*old.path,
                "to_file": to, "to_name": &*new.path, "what": what(old),
            }));
        }
    }
    for guess in &matching.guesses {
        is_paired[guess.old as usize] = true;
    }
    let removed: Vec<Value> = matching
        .old
        .iter()
        .zip(&is_paired)
        .filter(|(symbol, is_paired)| !**is_paired && symbol.sort != Sort::Value)
        .map(
            |(symbol, _)| json!({"file": before[symbol.file as usize].path, "name": &*symbol.path}),
        )
        .collect();
    json!({"id": id, "pairs": pairs, "removed": removed, "added": []})
}

fn what(symbol: &Symbol) -> &'static str {
    match symbol.sort {
        Sort::Type => "class",
        Sort::Callable => "method",
        Sort::Value => "field",
    }
}

fn sources(files: &[File]) -> Vec<SourceFile<'_>> {
    files
        .iter()
        .map(|file| SourceFile { path: &file.path, bytes: &file.bytes, facts: &file.facts })
        .collect()
}

fn files(root: &Path) -> Vec<File> {
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    paths
        .into_iter()
        .filter_map(|path| {
            let bytes = std::fs::read(&path).ok()?;
            let path = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
            let facts = code::extract(&path, &bytes);
            Some(File { path, bytes, facts })
        })
        .collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

fn score<'c>(
    folder: &Path,
    scorer: &Path,
    name: &str,
    chosen: impl Iterator<Item = (&'c Value, &'c Prediction)>,
) -> Outcome<()> {
    let (mut cases, mut predictions) = (String::new(), String::new());
    for (case, prediction) in chosen {
        cases.push_str(&format!("{case}\n"));
        predictions.push_str(&format!("{}\n", prediction.line));
    }
    let stem = name.replace('/', "+");
    let (case_file, prediction_file) =
        (folder.join(format!("{stem}.cases")), folder.join(format!("{stem}.predictions")));
    std::fs::write(&case_file, cases)?;
    std::fs::write(&prediction_file, predictions)?;
    let output = Command::new("python3").arg(scorer).args([case_file, prediction_file]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if name == "all" {
        println!("{text}");
    } else if let Some(row) = text.lines().find(|line| line.starts_with("all ")) {
        println!("{name:<32}{}", row.trim_start_matches("all"));
    }
    Ok(())
}
