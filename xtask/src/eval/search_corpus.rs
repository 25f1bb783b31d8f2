//! Recall, rank and gain of search on a corpus, per mode and kind of query.

use super::Outcome;
use super::corpus::Corpus;
use super::measures::{DEPTH, Measures};
use model::Timestamp;
use model::progress::NoProgress;
use model::time::FixedClock;
use search::documents::{Draft, Section};
use search::embedding::{self, EmbedOptions, Embedding, Provider, Settings};
use search::{Fusion, Mode, Request, Searcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use store::dirty::SourceType;
use store::{Reader, WriteQueue, Writer, documents, vectors};

const NOW: Timestamp = Timestamp::EPOCH;

/// `DIR|FILE [--keep FILE.db] [--weights 70,80]`: the database is made in a
/// temporary place, or kept (and used again) where told.
pub fn run(place: &Path, options: &[&str]) -> Outcome<()> {
    let option = |name: &str| {
        let at = options.iter().position(|word| *word == name)?;
        options.get(at + 1).copied()
    };
    let corpus = Corpus::read(place)?;
    let dir = tempfile::TempDir::new()?;
    let temporary = dir.path().join("lore.db");
    let database = option("--keep").map_or(temporary, std::path::PathBuf::from);
    let settings = Settings::builtin();
    let provider = embedding::open(&settings)?.ok_or("this build has no model")?;
    fill(&corpus, &database, &*provider)?;

    let mut ways = vec![
        ("lexical".to_owned(), Mode::Lexical, Fusion::Scores, None),
        ("semantic".to_owned(), Mode::Semantic, Fusion::Scores, None),
        ("hybrid".to_owned(), Mode::Hybrid, Fusion::Scores, None),
        ("hybrid, rrf".to_owned(), Mode::Hybrid, Fusion::Rrf, Some(50)),
    ];
    for weight in option("--weights").into_iter().flat_map(|list| list.split(',')) {
        let weight: u8 = weight.parse()?;
        ways.push((format!("hybrid, .{weight:02}"), Mode::Hybrid, Fusion::Scores, Some(weight)));
    }
    let kinds: BTreeSet<&str> = corpus.queries.iter().map(|query| query.kind.as_str()).collect();
    println!("{} documents; R@10 / MRR@10 / nDCG@10", corpus.documents.len());
    for (name, mode, fusion, weight) in ways {
        let measured = measure(&corpus, &database, &*provider, mode, fusion, weight)?;
        let columns: Vec<String> =
            kinds.iter().map(|kind| format!("{kind} {}", measured[*kind].row())).collect();
        println!("{name:<14} {}", columns.join("   "));
    }
    recall_of_codes(&corpus, &database, &*provider)
}

/// How many of the truly nearest ten are among those whose codes are nearest,
/// by how many of these are looked at.
fn recall_of_codes(corpus: &Corpus, database: &Path, provider: &dyn Provider) -> Outcome<()> {
    const DEPTHS: [usize; 6] = [20, 50, 100, 200, 400, 600];
    let reader = Reader::open(database)?;
    let space = provider.space();
    let mut sums = [0.0; DEPTHS.len()];
    let step = corpus.queries.len().div_ceil(300);
    let queries: Vec<_> = corpus.queries.iter().step_by(step).collect();
    for query in &queries {
        let vector = provider.embed_query(&query.text)?;
        let mut exact = vectors::compare_all(&reader, &space, &vector)?;
        exact.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        exact.truncate(DEPTH);
        let scan = vectors::scan(&reader, &space, &vector, None, DEPTHS[DEPTHS.len() - 1])?;
        for (sum, depth) in sums.iter_mut().zip(DEPTHS) {
            let near = &scan.near[..depth.min(scan.near.len())];
            let is_in = |chunk: i64| near.iter().any(|near| near.chunk == chunk);
            *sum += exact.iter().filter(|it| is_in(it.chunk)).count() as f64 / exact.len() as f64;
        }
    }
    for (sum, depth) in sums.iter().zip(DEPTHS) {
        println!(
            "recall of the true ten by the {depth} nearest codes: {:.4}",
            sum / queries.len() as f64
        );
    }
    Ok(())
}

fn fill(corpus: &Corpus, database: &Path, provider: &dyn Provider) -> Outcome<()> {
    let mut writer = Writer::open(database)?;
    writer.write(|tx| {
        for (number, text) in corpus.documents.iter().enumerate() {
            let mut draft = Draft::new(SourceType::Issue, number as i64 + 1, NOW, &text.title);
            draft.title.clone_from(&text.title);
            draft.reference.clone_from(&text.id);
            draft.body(Section::Description, &text.body);
            documents::store(tx, &draft.finish())?;
        }
        documents::flush_full_text(tx)
    })?;
    drop(writer);
    let clock = FixedClock(NOW);
    let queue = WriteQueue::open(database, "eval", Arc::new(clock), false)?;
    let started = std::time::Instant::now();
    let report = Embedding {
        queue: &queue,
        clock: &clock,
        progress: &NoProgress,
        provider,
        cancel: &model::CancelToken::default(),
    }
    .run(EmbedOptions::default())?;
    queue.close()?;
    if report.texts > 0 {
        let seconds = started.elapsed().as_secs_f64();
        println!("{} texts embedded in {seconds:.0} s", report.texts);
    }
    Ok(())
}

fn measure<'a>(
    corpus: &'a Corpus,
    database: &Path,
    provider: &dyn Provider,
    mode: Mode,
    fusion: Fusion,
    weight: Option<u8>,
) -> Outcome<BTreeMap<&'a str, Measures>> {
    let reader = Reader::open(database)?;
    let searcher = Searcher { reader: &reader, provider: Some(provider), now: NOW };
    let mut measures: BTreeMap<&str, Measures> = BTreeMap::new();
    for query in &corpus.queries {
        let request = Request {
            query: query.text.clone(),
            limit: DEPTH,
            mode,
            fusion,
            weight,
            ..Request::default()
        };
        let results = searcher.find(&request)?;
        let hits: Vec<bool> =
            results.items.iter().map(|hit| query.relevant.contains(&hit.reference)).collect();
        measures.entry(&query.kind).or_default().add(&hits, query.relevant.len());
    }
    Ok(measures)
}
