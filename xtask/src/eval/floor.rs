//! Where the floor of search lies: how many questions that nothing answers find
//! something, and what the floor costs those that have an answer.
//!
//! `eval floor --db DB [--corpus DIR] [--dump FILE]`. The dump has a line for
//! each question and candidate, for calibrating.

use super::corpus::Corpus;
use super::measures::DEPTH;
use super::negatives::negatives;
use super::{Outcome, option};
use model::Timestamp;
use search::embedding::{self, Settings};
use search::{FLOOR, Mode, Request, Searcher};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use store::Reader;

/// Negatives of each kind.
const OF_EACH: usize = 200;

pub fn run(options: &[&str]) -> Outcome<()> {
    let reader = Reader::open(&option(options, "--db")?)?;
    let settings = Settings::builtin();
    let provider = embedding::open(&settings)?.ok_or("this build has no model")?;
    let searcher = Searcher { reader: &reader, provider: Some(&*provider), now: Timestamp::EPOCH };
    let mut dump = String::new();
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
        let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (kind, text) in negatives(OF_EACH) {
            let n_found = searcher.find(&request(&text, mode, true))?.items.len();
            let counts = found.entry(kind).or_default();
            counts.0 += usize::from(n_found > 0);
            counts.1 += 1;
            if n_found > 0 {
                println!("    {mode:?}: {n_found} for {text}");
            }
            if mode == Mode::Hybrid {
                lines(&searcher, kind, &text, &[], &mut dump)?;
            }
        }
        for (kind, (n_found, n)) in found {
            println!("{mode:?}, {kind}: {n_found} of {n} find something");
        }
    }
    if let Ok(place) = option(options, "--corpus") {
        let corpus = Corpus::read(&place)?;
        for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
            let mut kept: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
            for query in &corpus.queries {
                let counts = kept.entry(&query.kind).or_default();
                counts[0] += 1;
                for (place, is_on) in [(1, false), (2, true)] {
                    let items = searcher.find(&request(&query.text, mode, is_on))?.items;
                    let is_found = items.iter().any(|it| query.relevant.contains(&it.reference));
                    counts[place] += usize::from(is_found);
                }
                if mode == Mode::Hybrid {
                    lines(&searcher, &query.kind, &query.text, &query.relevant, &mut dump)?;
                }
            }
            for (kind, [n, without, with]) in kept {
                println!("{mode:?}, {kind}: {without} of {n} found, {with} above the floor");
            }
        }
    }
    if let Ok(file) = option(options, "--dump") {
        std::fs::write(file, dump)?;
    }
    Ok(())
}

fn request(text: &str, mode: Mode, is_on: bool) -> Request {
    let without = if is_on { Vec::new() } else { vec![FLOOR.to_owned()] };
    let query = text.to_owned();
    Request { query, mode, without, limit: DEPTH, explain: true, ..Request::default() }
}

fn lines(
    searcher: &Searcher<'_>,
    kind: &str,
    text: &str,
    relevant: &[String],
    dump: &mut String,
) -> Outcome<()> {
    for hit in searcher.find(&request(text, Mode::Hybrid, false))?.items {
        let Some(why) = hit.explanation else { continue };
        let is_relevant = u8::from(relevant.contains(&hit.reference));
        writeln!(
            dump,
            "{kind}\t{is_relevant}\t{:.3}\t{:.3}\t{:.4}\t{text}",
            why.coverage.unwrap_or(0.0),
            why.nearness.unwrap_or(-1.0),
            why.similarity.unwrap_or(0.0)
        )?;
    }
    Ok(())
}
