//! `cargo xtask eval code`: lore's call edges beside what compilers say.
//!
//! Reads source trees from one folder (a sub-folder per code base), links each
//! and writes its call edges as JSON lines; then, when the folder of the truth
//! is given, runs the scorer that came with it. Times are told as a ratio to
//! only reading and parsing the same files on the same threads.

use super::Outcome;
use code::facts::{DefKind, FileFacts};
use code::{EdgeKind, Manifest, Source};
use rayon::prelude::*;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const USAGE: &str = "cargo xtask eval code --sources DIR [--truth DIR] [--out DIR] [--repo NAME]…
  --sources DIR   a folder with one sub-folder per code base
  --truth DIR     the folder with score_edges.py and its truth; scores are printed
  --out DIR       where the edges go, one file per code base (default: DIR of the sources + `-edges`)
  --repo NAME     only this code base; may be given several times
  --unresolved    write what was not bound, too";

struct Options {
    sources: PathBuf,
    truth: Option<PathBuf>,
    out: PathBuf,
    repos: Vec<String>,
    unresolved: bool,
}

pub fn run(words: &[&str]) -> Outcome<()> {
    let options = options(words).map_err(|message| format!("{message}\n\nUsage: {USAGE}"))?;
    Ok(evaluate(&options)?)
}

fn options(words: &[&str]) -> Result<Options, String> {
    let (mut sources, mut truth, mut out) = (None, None, None);
    let (mut repos, mut unresolved) = (Vec::new(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--unresolved" {
            unresolved = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        match *word {
            "--sources" => sources = Some(PathBuf::from(value)),
            "--truth" => truth = Some(PathBuf::from(value)),
            "--out" => out = Some(PathBuf::from(value)),
            "--repo" => repos.push((*value).to_owned()),
            _ => return Err(format!("no option `{word}`")),
        }
    }
    let sources = sources.ok_or("`--sources` is missing")?;
    let mut beside = sources.as_os_str().to_owned();
    beside.push("-edges");
    let out = out.unwrap_or_else(|| PathBuf::from(beside));
    Ok(Options { sources, truth, out, repos, unresolved })
}

fn evaluate(options: &Options) -> Result<(), String> {
    let fail = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(&options.out).map_err(fail)?;
    let mut repos: Vec<PathBuf> = std::fs::read_dir(&options.sources)
        .map_err(fail)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    repos.sort();
    println!(
        "{:<24} {:>6} {:>8} {:>7} {:>7} {:>7} {:>6} {:>7} {:>7} {:>6}",
        "code base", "files", "bytes", "parse", "facts", "link", "ratio", "calls", "bound", "f/b"
    );
    for repo in &repos {
        let name = repo.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if options.repos.is_empty() || options.repos.contains(&name) {
            one(options, repo, &name)?;
        }
    }
    match &options.truth {
        Some(truth) => score(truth, options),
        None => Ok(()),
    }
}

struct Input {
    path: String,
    bytes: Vec<u8>,
}

fn one(options: &Options, root: &Path, name: &str) -> Result<(), String> {
    let mut files = Vec::new();
    walk(root, root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let (manifests, sources): (Vec<Input>, Vec<Input>) =
        files.into_iter().partition(|file| code::link::is_manifest(&file.path));

    let started = Instant::now();
    let n_nodes: usize = sources.par_iter().map(|file| parse_only(&file.path, &file.bytes)).sum();
    let parsing = started.elapsed();
    assert!(n_nodes > 0 || sources.is_empty());

    let started = Instant::now();
    let facts: Vec<FileFacts> =
        sources.par_iter().map(|file| code::extract(&file.path, &file.bytes)).collect();
    let extracting = started.elapsed();
    let given: Vec<Source<'_>> = sources
        .iter()
        .zip(&facts)
        .map(|(file, facts)| Source { path: &file.path, facts })
        .collect();
    let texts: Vec<(String, String)> = manifests
        .iter()
        .map(|file| (file.path.clone(), String::from_utf8_lossy(&file.bytes).into_owned()))
        .collect();
    let manifests: Vec<Manifest<'_>> =
        texts.iter().map(|(path, text)| Manifest { path, text }).collect();
    let started = Instant::now();
    let linked = code::link(&given, &manifests);
    let linking = started.elapsed();

    let n_bytes: usize = sources.iter().map(|file| file.bytes.len()).sum();
    let n_facts: usize = facts.par_iter().map(|facts| facts.encode().len()).sum();
    let n_calls: usize = facts.iter().map(|facts| facts.calls.len()).sum();
    let n_bound = linked.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls).count();
    let total = extracting + linking;
    println!(
        "{name:<24} {:>6} {n_bytes:>8} {:>6.0}ms {:>5.0}ms {:>5.0}ms {:>6.2} {n_calls:>7} {n_bound:>7} {:>6.2}",
        sources.len(),
        parsing.as_secs_f64() * 1e3,
        extracting.as_secs_f64() * 1e3,
        linking.as_secs_f64() * 1e3,
        total.as_secs_f64() / parsing.as_secs_f64(),
        n_facts as f64 / n_bytes.max(1) as f64,
    );
    write_edges(options, name, &sources, &facts, &linked).map_err(|error| error.to_string())
}

fn parse_only(path: &str, bytes: &[u8]) -> usize {
    let Some(language) = code::lang::by_path(path) else { return 0 };
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(&language.grammar(path, bytes)).is_err() {
        return 0;
    }
    parser.parse(bytes, None).map_or(0, |tree| tree.root_node().descendant_count())
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<Input>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if name == ".git" || name == "node_modules" || name == "target" {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            walk(root, &path, files);
            continue;
        }
        let Ok(relative) = path.strip_prefix(root) else { continue };
        let relative = relative.to_string_lossy().replace('\\', "/");
        let is_wanted =
            code::link::is_manifest(&relative) || code::lang::by_path(&relative).is_some();
        if is_wanted && let Ok(bytes) = std::fs::read(&path) {
            files.push(Input { path: relative, bytes });
        }
    }
}

fn write_edges(
    options: &Options,
    name: &str,
    sources: &[Input],
    facts: &[FileFacts],
    linked: &code::LinkResult,
) -> std::io::Result<()> {
    let file = std::fs::File::create(options.out.join(format!("{name}.jsonl")))?;
    let mut out = std::io::BufWriter::new(file);
    for edge in linked.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls) {
        let source = &sources[edge.source.file as usize];
        let target = &facts[edge.target.file as usize];
        let def = target.def(edge.target.def);
        let line = serde_json::json!({
            "file": source.path,
            "line": edge.line,
            "col": column(source, &facts[edge.source.file as usize], edge.line, edge.col),
            "callee_file": sources[edge.target.file as usize].path,
            "callee_line": def.name_line,
            "callee_name": target.text(def.name),
            "confidence": f64::from(edge.confidence) / 100.0,
            "kind": DefKind::word(def.kind),
        });
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    if options.unresolved {
        let file = std::fs::File::create(options.out.join(format!("{name}.unresolved.txt")))?;
        let mut out = std::io::BufWriter::new(file);
        for open in &linked.unresolved {
            let file = open.source.file as usize;
            let call = &facts[file].calls[open.call as usize];
            let callee = facts[file].callee_text(call);
            writeln!(
                out,
                "{}:{}:{} {:?} {callee}",
                sources[file].path, call.line, call.col, open.why
            )?;
        }
        out.flush()?;
    }
    Ok(())
}

/// The column as the truth counts it: UTF-16 units in TypeScript, else bytes.
fn column(source: &Input, facts: &FileFacts, line: u32, col: u32) -> u32 {
    if facts.language != "typescript" {
        return col;
    }
    let text = source.bytes.split(|byte| *byte == b'\n').nth(line as usize - 1).unwrap_or_default();
    let before = String::from_utf8_lossy(&text[..(col as usize - 1).min(text.len())]);
    before.encode_utf16().count() as u32 + 1
}

fn score(truth: &Path, options: &Options) -> Result<(), String> {
    let mut command = Command::new("python3");
    command.arg(truth.join("score_edges.py")).arg("--edges-dir").arg(&options.out);
    command.args(["--split", "dev"]);
    let mut steps: Vec<u8> = code::link::confidence::TABLE.iter().map(|row| row.2).collect();
    steps.sort_unstable();
    steps.dedup();
    let thresholds: Vec<String> = steps.iter().map(|percent| threshold(*percent)).collect();
    command.arg("--thresholds").arg(thresholds.join(","));
    let measures = options.out.join("measures.json");
    command.arg("--json").arg(&measures);
    println!("\n{:<16} {:<16} confidence", "provenance", "rule");
    for (provenance, rule, percent) in code::link::confidence::TABLE {
        let rule = format!("{rule:?}");
        println!("{:<16} {rule:<16} {:.2}", provenance.as_str(), share(*percent));
    }
    if !options.repos.is_empty() {
        command.arg("--repos").arg(options.repos.join(","));
    }
    let status = command.status().map_err(|error| format!("cannot run the scorer: {error}"))?;
    if !status.success() {
        return Err("the scorer failed".to_owned());
    }
    let text = std::fs::read_to_string(&measures).map_err(|error| error.to_string())?;
    let measures: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    calibration(&measures, &steps);
    Ok(())
}

fn share(percent: u8) -> f64 {
    f64::from(percent) / 100.0
}

/// As the scorer writes it.
fn threshold(percent: u8) -> String {
    format!("{:?}", share(percent))
}

/// How often calls of each step of the table are right: those claimed with exactly
/// that confidence, in all code bases and by language. Where a declared type is
/// overridden at run time, or the truth does not know the target, strict counts a
/// mistake and lenient does not.
fn calibration(measures: &Value, steps: &[u8]) {
    println!(
        "\n{:<16} {:>6} {:>8} {:>8} {:>8}",
        "calibration", "claim", "edges", "strict", "lenient"
    );
    let Some(groups) = measures["groups"].as_object() else { return };
    let is_shown = |name: &str| name == "ALL" || name.starts_with("lang:");
    for (name, by_threshold) in groups.iter().filter(|(name, _)| is_shown(name)) {
        for (at, step) in steps.iter().enumerate() {
            let count = |key: &str| -> u64 {
                let of = |step: &u8| by_threshold[threshold(*step)][key].as_u64();
                let above = steps.get(at + 1).and_then(of).unwrap_or(0);
                of(step).unwrap_or(0).saturating_sub(above)
            };
            let (scored, right) = (count("scored"), count("ok") + count("ok_var"));
            let unproven = count("wrong_unresolved") + count("wrong_indirect");
            let lenient = (right + count("dispatch"), scored.saturating_sub(unproven));
            if scored > 0 {
                println!(
                    "{name:<16} {:>6.2} {scored:>8} {:>8.3} {:>8.3}",
                    share(*step),
                    right as f64 / scored as f64,
                    lenient.0 as f64 / lenient.1.max(1) as f64,
                );
            }
        }
    }
}
