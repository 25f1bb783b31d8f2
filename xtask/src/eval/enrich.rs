//! `cargo xtask eval enrich`: call edges before and after language servers were asked,
//! beside what compilers say.
//!
//! Each code base is a clone (a folder with `.git`). It is indexed by the program, asked
//! about within a minute, then to the end; after each step the edges of the snapshot are
//! written as JSON lines and scored by the scorer that came with the truth.

use super::Outcome;
use model::code::EdgeKind;
use model::ids::{FileId, NodeId};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use store::Reader;
use store::code::{files, layers, links, snapshots};

const USAGE: &str = "cargo xtask eval enrich --sources DIR --truth DIR --lore FILE [--repo NAME]…
  --sources DIR   a folder with one clone per code base, dependencies installed
  --truth DIR     the folder with score_edges.py and its truth
  --lore FILE     the program
  --repo NAME     only this code base; may be given several times
Servers are those on PATH.";

pub fn run(words: &[&str]) -> Outcome<()> {
    let (mut sources, mut truth, mut lore, mut repos) = (None, None, None, Vec::new());
    for pair in words.chunks(2) {
        let [name, value] = pair else { return Err(format!("Usage: {USAGE}").into()) };
        match *name {
            "--sources" => sources = Some(PathBuf::from(value)),
            "--truth" => truth = Some(PathBuf::from(value)),
            "--lore" => lore = Some(PathBuf::from(value)),
            "--repo" => repos.push((*value).to_owned()),
            _ => return Err(format!("no option `{name}`\n\nUsage: {USAGE}").into()),
        }
    }
    let (Some(sources), Some(truth), Some(lore)) = (sources, truth, lore) else {
        return Err(format!("Usage: {USAGE}").into());
    };
    let mut names: Vec<String> = std::fs::read_dir(&sources)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| repos.is_empty() || repos.contains(name))
        .collect();
    names.sort();
    for name in names {
        one(&sources.join(&name), &name, &truth, &lore)?;
    }
    Ok(())
}

fn one(dir: &Path, name: &str, truth: &Path, lore: &Path) -> Outcome<()> {
    let room = tempfile::tempdir()?;
    let db = room.path().join("lore.db");
    let lore = |args: &[&str]| -> Outcome<Value> {
        let output = Command::new(lore)
            .args(args)
            .args(["--json", "--db"])
            .arg(&db)
            .env("LORE_EMBEDDING_PROVIDER", "none")
            .current_dir(dir)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}").into())
    };
    lore(&["index"])?;
    score(name, "static", truth, &db, Value::Null)?;
    for (step, args) in
        [("one minute", &["enrich", "--budget", "60s"][..]), ("full", &["enrich", "--full"])]
    {
        let began = Instant::now();
        let mut report = lore(args)?["data"].take();
        report["elapsed_s"] = json!(began.elapsed().as_secs());
        score(name, step, truth, &db, report)?;
    }
    Ok(())
}

/// Writes the edges of the newest snapshot and has them scored.
fn score(name: &str, step: &str, truth: &Path, db: &Path, report: Value) -> Outcome<()> {
    let room = tempfile::tempdir()?;
    let mut out = std::fs::File::create(room.path().join(format!("{name}.jsonl")))?;
    for edge in edges(&Reader::open(db)?)? {
        writeln!(out, "{edge}")?;
    }
    drop(out);
    let scores = room.path().join("scores.json");
    let output = Command::new("python3")
        .arg(truth.join("score_edges.py"))
        .arg("--edges-dir")
        .arg(room.path())
        .args(["--split", "dev", "--repos", name, "--json"])
        .arg(&scores)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("== {name}, {step}\n{said}");
    for server in report["servers"].as_array().into_iter().flatten() {
        println!("   {server}");
    }
    if !output.status.success() {
        return Err(
            format!("the scorer failed: {}", String::from_utf8_lossy(&output.stderr)).into()
        );
    }
    Ok(())
}

/// The call edges of the newest snapshot, site by site, with what layers say.
fn edges(reader: &Reader) -> Outcome<Vec<Value>> {
    let repo = store::repos::all(reader)?.into_iter().next().ok_or("no repository")?;
    let snapshot = snapshots::latest(reader, repo.id)?.ok_or("no snapshot")?;
    let mut paths: HashMap<FileId, (String, String)> = HashMap::new();
    let mut places: HashMap<NodeId, (FileId, u32, String)> = HashMap::new();
    let mut members = Vec::new();
    for (package, version) in snapshots::packages(reader, snapshot.seq)? {
        let folder = files::package_path(reader, package)?;
        for member in snapshots::version(reader, version)?.members {
            let row = files::get(reader, member.file)?;
            let path = match folder.as_str() {
                "" => row.name.clone(),
                folder => format!("{folder}/{}", row.name),
            };
            paths.insert(member.file, (path, row.language));
            let outline = files::outline(reader, member.file)?;
            for (node, entry) in files::nodes(reader, member.file)?.into_iter().zip(outline) {
                let name = store::code::nodes::get(reader, node)?.map(|row| row.name);
                let place = (member.file, entry.name_line, name.unwrap_or_default());
                places.entry(node).or_insert(place);
            }
            members.push(member);
        }
    }
    let layers = layers::all(reader, snapshot.seq)?;
    let mut withdrawn = HashSet::new();
    let mut all = HashSet::new();
    for layer in &layers {
        let Some(file) = layer.file else { continue };
        for edge in layer.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls) {
            let site = (file, edge.line, edge.col, edge.target);
            if edge.holds {
                all.insert(site)
            } else {
                withdrawn.insert(site)
            };
        }
    }
    for member in members {
        for edge in links::edges(reader, member.link)? {
            let site = (member.file, edge.line, edge.col, edge.target);
            if edge.kind == EdgeKind::Calls && !withdrawn.contains(&site) {
                all.insert(site);
            }
        }
    }
    let mut rows = Vec::new();
    for (file, line, _, target) in all {
        // What leads out of the repository is no edge of the truth.
        let Some((home, callee_line, name)) = places.get(&target) else { continue };
        rows.push(json!({
            "file": paths[&file].0, "line": line,
            "callee_file": paths[home].0, "callee_line": callee_line, "callee_name": name,
            "confidence": 0.9,
        }));
    }
    Ok(rows)
}
