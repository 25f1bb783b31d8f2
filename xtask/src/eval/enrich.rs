//! `cargo xtask eval enrich`: call edges before and after language servers were asked,
//! beside what compilers say.
//!
//! Each code base is a clone (a folder with `.git`). It is indexed by the program, asked
//! about within a minute, then to the end; after each step the edges of the snapshot are
//! written as JSON lines and scored by the scorer that came with the truth. At the end a
//! table of all of them is printed.

use super::Outcome;
use model::code::EdgeKind;
use model::ids::{FileId, NodeId};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::Reader;
use store::code::{files, layers, links, snapshots};

const USAGE: &str = "cargo xtask eval enrich --sources DIR --truth DIR --lore FILE \
                     [--out DIR] [--db FILE] [--repo NAME]…
  --sources DIR   a folder with one clone per code base, dependencies installed
  --truth DIR     the folder with score_edges.py and its truth
  --lore FILE     the program
  --out DIR       where the edges of each step and the databases go, to look at
  --db FILE       score this database of the one code base that is named, and ask nobody
  --repo NAME     only this code base; may be given several times
Servers are those on PATH; those that run build tools are allowed to.";

struct Options {
    sources: PathBuf,
    truth: PathBuf,
    lore: PathBuf,
    out: Option<PathBuf>,
}

pub fn run(words: &[&str]) -> Outcome<()> {
    let (mut sources, mut truth, mut lore) = (None, None, None);
    let (mut out, mut db, mut repos) = (None, None, Vec::new());
    for pair in words.chunks(2) {
        let [name, value] = pair else { return Err(format!("Usage: {USAGE}").into()) };
        match *name {
            "--sources" => sources = Some(PathBuf::from(value)),
            "--truth" => truth = Some(PathBuf::from(value)),
            "--lore" => lore = Some(PathBuf::from(value)),
            "--out" => out = Some(PathBuf::from(value)),
            "--db" => db = Some(PathBuf::from(value)),
            "--repo" => repos.push((*value).to_owned()),
            _ => return Err(format!("no option `{name}`\n\nUsage: {USAGE}").into()),
        }
    }
    let (Some(sources), Some(truth), Some(lore)) = (sources, truth, lore) else {
        return Err(format!("Usage: {USAGE}").into());
    };
    let options = Options { sources, truth, lore, out };
    if let (Some(db), [name]) = (db, repos.as_slice()) {
        let measured = score(&options, name, "given", &db)?;
        println!("{name} {measured}");
        return Ok(());
    }
    let mut names: Vec<String> = std::fs::read_dir(&options.sources)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| repos.is_empty() || repos.contains(name))
        .collect();
    names.sort();
    let mut table = Vec::new();
    for name in names {
        let row = one(&options, &name)?;
        println!("{row}");
        table.push(row);
    }
    println!("\n{HEAD}");
    for row in table {
        println!("{row}");
    }
    Ok(())
}

const HEAD: &str = "\
| code base | server | calls in the repository | before | after one minute | asked to the end | lenient \
| time, requests, memory of the server |
|---|---|--:|--:|--:|--:|--:|--:|";

/// A row of the table.
fn one(options: &Options, name: &str) -> Outcome<String> {
    let room = tempfile::tempdir()?;
    let dir = options.sources.join(name);
    let db = match &options.out {
        Some(out) => out.join(format!("{name}.db")),
        None => room.path().join("lore.db"),
    };
    let lore = |args: &[&str]| -> Outcome<Value> {
        let output = Command::new(&options.lore)
            .args(args)
            .args(["--json", "--db"])
            .arg(&db)
            .env("LORE_EMBEDDING_PROVIDER", "none")
            .current_dir(&dir)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).map_err(|error| format!("{error}: {text}").into())
    };
    lore(&["index"])?;
    let before = score(options, name, "static", &db)?;
    let minute = lore(&["enrich", "--allow-build", "--budget", "60s"])?["data"].take();
    let after_minute = score(options, name, "minute", &db)?;
    let rest = lore(&["enrich", "--allow-build", "--full"])?["data"].take();
    let after = score(options, name, "full", &db)?;
    let of = |report: &Value, key: &str| -> u64 {
        let servers = report["servers"].as_array().into_iter().flatten();
        servers.filter_map(|server| server[key].as_u64()).sum()
    };
    let servers = minute["servers"].as_array().into_iter().flatten().map(|server| {
        let text = |key: &str| server[key].as_str().unwrap_or("?").to_owned();
        format!("{} {}", text("server"), text("version"))
    });
    for report in [&minute, &rest] {
        eprintln!("{name}: {}\n{}", report["servers"], report["not_asked"]);
    }
    let both = |key: &str| of(&minute, key) + of(&rest, key);
    Ok(format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} s, {}, {} MiB |",
        servers.collect::<Vec<_>>().join(", "),
        after["in_repo_sites"],
        both_marks(&before, ""),
        both_marks(&after_minute, ""),
        both_marks(&after, ""),
        both_marks(&after, "_lenient"),
        both("elapsed_ms") / 1000,
        both("requests"),
        of(&minute, "peak_memory_mb").max(of(&rest, "peak_memory_mb")),
    ))
}

/// Precision and recall.
fn both_marks(measured: &Value, kind: &str) -> String {
    let of = |key: &str| {
        let value = measured[format!("{key}{kind}")].as_f64().unwrap_or(f64::NAN);
        format!("{value:.3}").trim_start_matches('0').to_owned()
    };
    format!("{} / {}", of("precision"), of("recall"))
}

/// Writes the edges of the newest snapshot and has them scored: what the scorer measured.
fn score(options: &Options, name: &str, step: &str, db: &Path) -> Outcome<Value> {
    let room = tempfile::tempdir()?;
    let folder = options.out.as_ref().map_or(room.path().to_path_buf(), |out| out.join(step));
    std::fs::create_dir_all(&folder)?;
    let mut out =
        std::io::BufWriter::new(std::fs::File::create(folder.join(format!("{name}.jsonl")))?);
    for edge in edges(&Reader::open(db)?, &options.sources.join(name))? {
        writeln!(out, "{edge}")?;
    }
    out.flush()?;
    drop(out);
    let scores = room.path().join("scores.json");
    let output = Command::new("python3")
        .arg(options.truth.join("score_edges.py"))
        .arg("--edges-dir")
        .arg(&folder)
        .args(["--split", "dev", "--repos", name, "--json"])
        .arg(&scores)
        .output()?;
    if !output.status.success() {
        return Err(
            format!("the scorer failed: {}", String::from_utf8_lossy(&output.stderr)).into()
        );
    }
    let mut scores = super::read_json(&scores)?;
    let measured = scores["repos"][0]["by_threshold"]["0.0"].take();
    eprintln!("{name} {step}: {measured}");
    Ok(measured)
}

/// The call edges of the newest snapshot, site by site, with what layers say.
fn edges(reader: &Reader, dir: &Path) -> Outcome<Vec<Value>> {
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
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable();
    let mut texts: HashMap<FileId, String> = HashMap::new();
    let mut rows = Vec::new();
    for (file, line, col, target) in all {
        // What leads out of the repository is no edge of the truth.
        let Some((home, callee_line, name)) = places.get(&target) else { continue };
        let (path, language) = &paths[&file];
        let text = texts.entry(file).or_insert_with(|| {
            std::fs::read(dir.join(path))
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default()
        });
        let (before, word) = around(text, line, col);
        // As the truth counts: UTF-16 units in TypeScript, else bytes.
        let column =
            if language == "typescript" { before.encode_utf16().count() + 1 } else { col as usize };
        rows.push(json!({
            "file": path, "line": line, "col": column, "ref_name": word,
            "callee_file": paths[home].0, "callee_line": callee_line, "callee_name": name,
            "confidence": 0.9,
        }));
    }
    Ok(rows)
}

/// What stands before a place in its line, and the word there.
fn around(text: &str, line: u32, col: u32) -> (&str, &str) {
    let text = text.split('\n').nth(line as usize - 1).unwrap_or_default();
    let (before, rest) = text.split_at_checked(col as usize - 1).unwrap_or((text, ""));
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    (before, &rest[..end.unwrap_or(rest.len())])
}
