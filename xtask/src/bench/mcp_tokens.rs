//! How many tokens the answers of the core tools have: each is asked of many
//! entities, files and symbols of the built-in history, and the median and the
//! longest are told. Counted by a real tokenizer.

use super::forge::Outcome;
use super::mcp::Server;
use model::EntityKind;
use model::code::NodeKind;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use store::Reader;
use store::code::nodes;
use store::listing::{self, EntityFilter};

/// Entities, files and symbols that are asked for.
const SAMPLE: usize = 11;

/// A table of the core tools; nothing without a tokenizer.
pub fn table(server: &mut Server, db: &Path) -> Outcome<()> {
    let Ok(tokenizer) = std::env::var("LORE_TEST_TOKENIZER") else { return Ok(()) };
    println!("tokens of answers: median, most, of how many");
    for (tool, questions) in questions(&Reader::open(db)?)? {
        let mut texts = Vec::new();
        for arguments in &questions {
            texts.push(server.ask(tool, arguments)?.1);
        }
        let mut counts = count(&tokenizer, &texts)?;
        counts.sort_unstable();
        let (median, most) = (counts.get(counts.len() / 2), counts.last());
        println!(
            "{tool:<14} {:>6} {:>6} {:>4}",
            median.copied().unwrap_or(0),
            most.copied().unwrap_or(0),
            counts.len()
        );
    }
    Ok(())
}

/// Every so many of a list, [`SAMPLE`] at the most.
fn sampled<T: Clone>(all: &[T]) -> Vec<T> {
    let step = all.len().div_ceil(SAMPLE).max(1);
    all.iter().step_by(step).cloned().collect()
}

fn questions(reader: &Reader) -> Outcome<Vec<(&'static str, Vec<Value>)>> {
    let filter = EntityFilter { limit: 100, ..EntityFilter::default() };
    let mut entities = Vec::new();
    for kind in EntityKind::ALL {
        entities.extend(sampled(&listing::entities(reader, kind, &filter)?.0));
    }
    let mut files: Vec<(String, String)> = Vec::new();
    for entity in entities.iter().filter(|it| it.reference().starts_with('!')) {
        let changed = store::details::files(reader, entity.id)?;
        files.extend(changed.first().map(|file| (file.path.clone(), entity.project.clone())));
    }
    files.sort();
    files.dedup();
    let mut symbols = Vec::new();
    for repo in store::repos::all(reader)? {
        let functions = nodes::of_kind(reader, repo.id, NodeKind::Function)?;
        let named = functions.iter().map(|node| (node.symbol(), repo.canonical_url.clone()));
        symbols.extend(sampled(&named.collect::<Vec<_>>()));
    }
    let words = |title: &str| title.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let of_titles = |make: &dyn Fn(String) -> Value| -> Vec<Value> {
        entities.iter().map(|entity| make(words(&entity.title))).collect()
    };
    let of_files = |make: &dyn Fn(&str, &str) -> Value| -> Vec<Value> {
        files.iter().map(|(path, project)| make(path, project)).collect()
    };
    let of_symbols = |make: &dyn Fn(&str, &str) -> Value| -> Vec<Value> {
        symbols.iter().map(|(symbol, repo)| make(symbol, repo)).collect()
    };
    let references: Vec<Value> = entities
        .iter()
        .map(|entity| json!({"reference": format!("{}{}", entity.project, entity.reference())}))
        .collect();
    Ok(vec![
        ("search", of_titles(&|query| json!({"query": query}))),
        ("timeline", of_titles(&|query| json!({"query": query}))),
        ("trace", of_files(&|path, of| json!({"target": path, "project": of}))),
        ("why", of_files(&|path, of| json!({"target": path, "project": of}))),
        ("file_history", of_files(&|path, of| json!({"path": path, "project": of}))),
        ("show", references),
        ("symbol", of_symbols(&|name, of| json!({"name": name, "repo": of}))),
        ("impact", of_symbols(&|name, of| json!({"target": name, "repo": of}))),
        ("recall", of_titles(&|query| json!({"query": query}))),
        (
            "remember",
            vec![json!({"kind": "decision", "text": "Answers stay short", "personal": true})],
        ),
    ])
}

/// All texts in one run of node.
fn count(tokenizer: &str, texts: &[String]) -> Outcome<Vec<usize>> {
    let script = format!(
        "const {{ encode }} = require({}); \
         const texts = JSON.parse(require('fs').readFileSync(0, 'utf8')); \
         console.log(JSON.stringify(texts.map(text => encode(text).length)))",
        json!(tokenizer)
    );
    let mut child = Command::new("node")
        .args(["-e", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    stdin.write_all(json!(texts).to_string().as_bytes())?;
    drop(stdin);
    Ok(serde_json::from_slice(&child.wait_with_output()?.stdout)?)
}
