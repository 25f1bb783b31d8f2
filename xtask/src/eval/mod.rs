//! Questions with known answers, asked of a real database: how many of the
//! answers are found? The questions and the databases lie outside the project.
//!
//! `eval diff` measures which symbols of two versions are held to be one;
//! `eval forge --golden FILE --db DB [--kind KIND]` asks golden questions, one
//! file here for each kind; `eval notes --labels FILE --db DB` ranks labelled
//! notes by how likely they carry a decision; `eval search DIR|FILE` measures
//! search on a corpus of JSON lines.

mod code;
mod context;
mod context_tasks;
mod corpus;
mod diff;
mod enrich;
mod files;
mod floor;
mod measures;
mod negatives;
mod notes;
mod search_corpus;
mod search_questions;
mod tests;
mod timeline;
mod tokens;

use model::Timestamp;
use search::Searcher;
use search::embedding::Settings;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Reader;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How the questions of a kind are answered: what was found, as references.
struct Kind {
    name: &'static str,
    answer: fn(&Searcher<'_>, &Value) -> Outcome<Vec<String>>,
    /// What must be among it.
    wanted: fn(&Value) -> Vec<String>,
}

const KINDS: &[Kind] = &[
    Kind { name: "search", answer: search_questions::answer, wanted: must_contain },
    Kind { name: "timeline", answer: timeline::answer, wanted: must_contain },
    Kind { name: "file_history", answer: files::history, wanted: files::changed_by },
    Kind { name: "trace", answer: files::line, wanted: files::brought_by },
];

fn must_contain(question: &Value) -> Vec<String> {
    references(question, "must_contain")
}

fn references(question: &Value, list: &str) -> Vec<String> {
    let items = question[list].as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item["ref"].as_str().map(str::to_owned)).collect()
}

const USAGE: &str = "eval code --sources DIR [--truth DIR] | \
                         eval enrich --sources DIR --truth DIR --lore FILE | \
                         eval context --localise FILE --sources DIR | \
                         eval context --tasks DIR --sources DIR | \
                         eval floor --db DB [--corpus DIR] [--dump FILE] | \
                         eval diff --cases FILE --trees DIR --scorer FILE | \
                         eval forge --golden FILE --db DB [--kind KIND] | \
                         eval notes --labels FILE --db DB | \
                         eval tests --localise FILE --sources DIR [--every N] | \
                         eval tokens --questions FILE --sources DIR --lore BINARY | \
                         eval search DIR|FILE [--keep FILE.db] [--weights 70,80]";

pub fn run(words: &[&str]) -> ExitCode {
    let outcome = match words {
        ["code", options @ ..] => code::run(options),
        ["context", options @ ..] if options.contains(&"--tasks") => context_tasks::run(options),
        ["context", options @ ..] => context::run(options),
        ["enrich", options @ ..] => enrich::run(options),
        ["floor", options @ ..] => floor::run(options),
        ["diff", options @ ..] => diff::run(options),
        ["forge", options @ ..] => forge(options),
        ["notes", options @ ..] => option(options, "--labels")
            .and_then(|labels| notes::run(&labels, &option(options, "--db")?)),
        ["tests", options @ ..] => tests::run(options),
        ["tokens", options @ ..] => tokens::run(options),
        ["search", place, options @ ..] => search_corpus::run(Path::new(place), options),
        _ => Err(format!("usage: cargo xtask {USAGE}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn option(options: &[&str], name: &str) -> Outcome<PathBuf> {
    let place = options.iter().position(|option| *option == name);
    let value = place.and_then(|place| options.get(place + 1));
    value.map(PathBuf::from).ok_or_else(|| format!("{name} is missing").into())
}

fn read_json(path: &Path) -> Outcome<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

fn forge(options: &[&str]) -> Outcome<()> {
    let golden = read_json(&option(options, "--golden")?)?;
    let reader = Reader::open(&option(options, "--db")?)?;
    let provider = search::embedding::open(&Settings::builtin())?;
    // A moment that stands still: recency must not change what is found.
    let now = Timestamp::parse_rfc3339("2026-09-01T00:00:00Z")?;
    let searcher = Searcher { reader: &reader, provider: provider.as_deref(), now };
    let wanted = option(options, "--kind").ok();
    for kind in KINDS {
        let is_wanted = wanted.as_ref().is_none_or(|wanted| wanted == Path::new(kind.name));
        if is_wanted {
            ask(&searcher, &golden, kind)?;
        }
    }
    Ok(())
}

fn ask(searcher: &Searcher<'_>, golden: &Value, kind: &Kind) -> Outcome<()> {
    let (mut n_found, mut n_wanted) = (0, 0);
    let all = golden["questions"].as_array().map(Vec::as_slice).unwrap_or_default();
    for question in all.iter().filter(|question| question["kind"] == kind.name) {
        let found = (kind.answer)(searcher, question)?;
        let wanted = (kind.wanted)(question);
        let missed: Vec<&String> = wanted.iter().filter(|it| !found.contains(it)).collect();
        let also = references(question, "also_relevant");
        let n_also = also.iter().filter(|it| found.contains(it)).count();
        n_wanted += wanted.len();
        n_found += wanted.len() - missed.len();
        println!(
            "{} {} of {}, also relevant {n_also} of {}, {} in all: {}",
            question["id"].as_str().unwrap_or("?"),
            wanted.len() - missed.len(),
            wanted.len(),
            also.len(),
            found.len(),
            question["question"].as_str().unwrap_or("")
        );
        for miss in missed {
            println!("    missed {miss}");
        }
    }
    let share = 100.0 * f64::from(n_found as u32) / f64::from((n_wanted as u32).max(1));
    println!("{}: {n_found} of {n_wanted} found, {share:.0} %", kind.name);
    Ok(())
}
