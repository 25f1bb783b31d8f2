//! Nonsense, asked for as long as one likes: no query may panic or bring an
//! error of the database to the user.
//!
//! Texts and queries are put together from what has broken programs before:
//! syntax of the index, marks that do not pair, odd Unicode, endless words.

use fastrand::Rng;
use model::{ErrorCode, Timestamp};
use search::documents::{Draft, Section};
use search::embedding::{Builtin, EmbedOptions, Embedding};
use search::{Fusion, Mode, Request, Searcher, Syntax};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::{Reader, WriteQueue, Writer, documents};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const DOCUMENTS: i64 = 300;
const PIECES: &[&str] = &[
    "\"",
    "'",
    "+",
    "-",
    "*",
    "(",
    ")",
    ":",
    "^",
    "{",
    "}",
    "\\",
    "\0",
    " ",
    "  ",
    "\n",
    "\t",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(a b, 3)",
    "title",
    "title:",
    "rowid",
    "retry",
    "retry_budget",
    "HttpClient",
    "C++",
    "don't",
    "-DWITH_SSL",
    "https://x.test/a?b=c#d",
    "src/http.rs",
    "é",
    "漢字",
    "🎉",
    "👩‍👩‍👧",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "\u{1}",
    "\u{2}",
    "\u{10ffff}",
    "%",
    "_",
    ";",
    "--",
    "/*",
    "'; DROP TABLE documents; --",
    "[CLS]",
    "[SEP]",
    "0",
    "007",
    "1e9",
    "why",
    "the",
];

/// `[--minutes N] [--seed N]`.
pub fn run(options: &[&str]) -> ExitCode {
    let option = |name: &str, default: u64| {
        let at = options.iter().position(|word| *word == name);
        at.and_then(|at| options.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let minutes = option("--minutes", 1);
    match fuzz(Duration::from_secs(minutes * 60), option("--seed", 1)) {
        Ok(n) => {
            println!("{n} queries, each with an answer");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(time: Duration, seed: u64) -> Outcome<u64> {
    let mut rng = Rng::with_seed(seed);
    let dir = tempfile::TempDir::new()?;
    let database = dir.path().join("lore.db");
    fill(&database, &mut rng)?;
    let reader = Reader::open(&database)?;
    let searcher = Searcher { reader: &reader, provider: Some(&Builtin), now: Timestamp::EPOCH };
    let started = Instant::now();
    let mut n = 0;
    while started.elapsed() < time {
        let request = request(&mut rng);
        if let Err(error) = searcher.find(&request) {
            let is_users = error.code() == ErrorCode::Usage;
            let is_empty = request.query.replace('\0', " ").trim().is_empty();
            if !is_users || (request.syntax == Syntax::Safe && !is_empty) {
                return Err(format!("query {n} of seed {seed}: {request:?}: {error:?}").into());
            }
        }
        n += 1;
    }
    Ok(n)
}

fn fill(database: &Path, rng: &mut Rng) -> Outcome<()> {
    let clock = model::time::FixedClock(Timestamp::EPOCH);
    let mut writer = Writer::open(database)?;
    writer.write(|tx| {
        for id in 1..=DOCUMENTS {
            let at = Timestamp::from_millis(id * 1_000);
            let title = nonsense(rng, 6);
            let mut draft = Draft::new(SourceType::Issue, id, at, &title);
            draft.reference = format!("#{id}");
            draft.title = title;
            draft.author = Some(format!("user{}", id % 7));
            draft.labels = vec![nonsense(rng, 1)];
            draft.paths = vec![format!("src/{}.rs", id % 5)];
            draft.body(Section::Description, &nonsense(rng, 60));
            documents::store(tx, &draft.finish())?;
        }
        documents::flush_full_text(tx)
    })?;
    drop(writer);
    let queue = WriteQueue::open(database, "fuzz", Arc::new(clock), false)?;
    Embedding {
        queue: &queue,
        clock: &clock,
        progress: &model::progress::NoProgress,
        provider: &Builtin,
        cancel: &model::CancelToken::default(),
    }
    .run(EmbedOptions::default())?;
    queue.close()?;
    Ok(())
}

fn nonsense(rng: &mut Rng, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(0..=most) {
        match rng.u8(..10) {
            0 => text.push(rng.char(..)),
            1 => text.push_str(&rng.lowercase().to_string().repeat(rng.usize(1..200))),
            _ => text.push_str(PIECES[rng.usize(..PIECES.len())]),
        }
        if rng.bool() {
            text.push(' ');
        }
    }
    text
}

fn request(rng: &mut Rng) -> Request {
    let mut filter = DocumentFilter::default();
    if rng.u8(..4) == 0 {
        filter.author = Some(if rng.bool() { "user3".to_owned() } else { nonsense(rng, 2) });
    }
    if rng.u8(..6) == 0 {
        filter.path = Some(if rng.bool() { "src/".to_owned() } else { nonsense(rng, 2) });
    }
    if rng.u8(..6) == 0 {
        filter.labels = vec![nonsense(rng, 1)];
    }
    if rng.u8(..6) == 0 {
        filter.created_since = Some(Timestamp::from_millis(rng.i64(..)));
        filter.created_until = Some(Timestamp::from_millis(rng.i64(..)));
    }
    Request {
        query: nonsense(rng, 12),
        syntax: if rng.u8(..4) == 0 { Syntax::Raw } else { Syntax::Safe },
        filter,
        limit: rng.usize(1..=100),
        offset: if rng.bool() { 0 } else { rng.usize(..1_000) },
        // The model is the slow part; words have more ways to go wrong.
        mode: match rng.u8(..8) {
            0 => Mode::Hybrid,
            1 => Mode::Semantic,
            _ => Mode::Lexical,
        },
        fusion: if rng.bool() { Fusion::Scores } else { Fusion::Rrf },
        explain: rng.bool(),
        ..Request::default()
    }
}
