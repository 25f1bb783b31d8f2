//! What a search costs, beside bare FTS5 and a plain scan of vectors.
//!
//! Texts come from the corpus generator. Vectors are made up, in clusters, and
//! not by the model: embedding a million texts would take hours, and a scan
//! does not care where its numbers come from. A query costs its embedding by
//! the real model on top, which is measured apart.

use super::embed::processor_time;
use fastrand::Rng;
use model::Timestamp;
use model::hash::Hash32;
use search::documents::{Draft, Section};
use search::embedding::{Builtin, CHUNKING, Provider};
use search::{Mode, Request, Searcher};
use sim::corpus::Texts;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::embeddings::{self, Chunk, PendingDocument};
use store::vectors::{self, EmbeddingSpace};
use store::{Reader, Writer, documents};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const QUERIES: usize = 200;
const CLUSTERS: usize = 500;
const BATCH: usize = 2_000;
/// Documents that a search by both wants of each list.
const CANDIDATES: usize = 100;

/// `search [documents] [folder that keeps the database]`.
pub fn run(options: &[&str]) -> ExitCode {
    let n_documents = options.first().and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let outcome = tempfile::TempDir::new().map_err(Into::into).and_then(|dir| {
        let folder = options.get(1).map_or_else(|| dir.path().to_owned(), PathBuf::from);
        measure(n_documents, &folder)
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(n_documents: usize, folder: &Path) -> Outcome<()> {
    let database = folder.join(format!("search-{n_documents}.db"));
    if !database.exists() {
        bulk(folder, &database, n_documents)?;
    }
    let reader = Reader::open(&database)?;
    let queries = Queries::new();
    println!("{} documents, {QUERIES} queries of 2 to 8 words", documents::count(&reader)?);
    for mode in [Mode::Lexical, Mode::Semantic, Mode::Hybrid] {
        let times = queries.time(&reader, mode, &DocumentFilter::default())?;
        println!("{mode:?}, in process: {}", percentiles(times));
    }
    let filter = DocumentFilter { author: Some("only".to_owned()), ..DocumentFilter::default() };
    for mode in [Mode::Lexical, Mode::Semantic, Mode::Hybrid] {
        let request = Request { query: "needle".to_owned(), mode, ..Queries::request(&filter) };
        let searcher =
            Searcher { reader: &reader, provider: Some(&queries), now: Timestamp::EPOCH };
        let found = searcher.find(&request)?.items.len();
        println!("{mode:?}, a filter that leaves one document: {found} found");
    }
    baselines(&database, &reader, &queries)?;
    real_query_vector()?;
    drop(reader);
    whole_process(&database, &queries)
}

/// Fills the database, and bare FTS5 tables with the same texts: once as they were
/// written, once as the documents have them, with their heads and the parts of
/// names. In processor time, which a busy machine changes less than time on the
/// wall.
fn bulk(folder: &Path, database: &Path, n_documents: usize) -> Outcome<()> {
    let texts = Texts::new();
    let mut rng = Rng::with_seed(1);
    let mut spent = [Duration::ZERO; 4];
    let mut writer = Writer::open(database)?;
    let mut bare = bare_table(&folder.join("bare-fts5.db"), "title, body")?;
    let written = bare.transaction()?;
    let mut bare = bare_table(&folder.join("bare-documents.db"), "title, body, names")?;
    let made = bare.transaction()?;
    let queries = Queries::new();
    let mut n_done = 0;
    while n_done < n_documents {
        let batch: Vec<(String, String)> = (0..BATCH.min(n_documents - n_done))
            .map(|_| {
                (texts.title(&mut rng), {
                    let n = rng.usize(100..900);
                    texts.body(&mut rng, n)
                })
            })
            .collect();
        let started = processor_time();
        let mut insert = written.prepare_cached("INSERT INTO t VALUES (?1, ?2)")?;
        for (title, body) in &batch {
            insert.execute((title, body))?;
        }
        spent[0] += since(started);
        let ready: Vec<documents::Document> = (batch.iter().enumerate())
            .map(|(index, (title, body))| document(n_done + index, n_documents, title, body))
            .collect();
        let started = processor_time();
        let mut insert = made.prepare_cached("INSERT INTO t VALUES (?1, ?2, ?3)")?;
        for it in &ready {
            insert.execute((&it.title, &it.text, &it.identifiers))?;
        }
        spent[1] += since(started);
        let started = processor_time();
        writer.write(|tx| {
            for (index, (title, body)) in batch.iter().enumerate() {
                documents::store(tx, &document(n_done + index, n_documents, title, body))?;
            }
            documents::flush_full_text(tx)
        })?;
        spent[2] += since(started);
        let started = processor_time();
        let space = queries.space();
        writer.write(|tx| {
            for index in 0..batch.len() {
                let id = (n_done + index) as i64 + 1;
                let hash = Hash32::of(&id.to_le_bytes());
                let pending = PendingDocument { document: id, hash, updated_at: Timestamp::EPOCH };
                let vector = queries.vector(&mut rng);
                let chunk = Chunk { start: 0, end: 0, hash, vector };
                embeddings::replace(tx, &space, &pending, &[chunk], Timestamp::EPOCH)?;
            }
            Ok(())
        })?;
        spent[3] += since(started);
        n_done += batch.len();
    }
    for (spent, transaction) in spent.iter_mut().zip([written, made]) {
        let started = processor_time();
        transaction.commit()?;
        *spent += since(started);
    }
    let started = processor_time();
    writer.write(|tx| store::binary_codes::recompute_centroid(tx, &queries.space()))?;
    println!("finding the centre and making all codes: {:.1} s", since(started).as_secs_f64());
    writer.checkpoint()?;
    let [as_written, as_documents, lore, vectors] =
        spent.map(|time| n_documents as f64 / time.as_secs_f64());
    println!(
        "bulk: documents and index {lore:.0} a second; bare FTS5 with the texts of the documents \
         {as_documents:.0}, ratio {:.2} (to reach: 0.6); as they were written {as_written:.0}, \
         ratio {:.2}; storing vectors {vectors:.0} a second",
        lore / as_documents,
        lore / as_written,
    );
    Ok(())
}

/// An index of words, and nothing else.
fn bare_table(file: &Path, columns: &str) -> Outcome<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(file)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;
         CREATE VIRTUAL TABLE t USING fts5 ({columns}, tokenize = 'porter unicode61');"
    ))?;
    Ok(connection)
}

/// Processor time spent since then.
fn since(started: Duration) -> Duration {
    processor_time().saturating_sub(started)
}

fn document(number: usize, n_documents: usize, title: &str, body: &str) -> documents::Document {
    let at = Timestamp::from_millis(1_600_000_000_000 + number as i64 * 60_000);
    let first_line = format!("Issue #{number}: {title}");
    let mut draft = Draft::new(SourceType::Issue, number as i64 + 1, at, &first_line);
    title.clone_into(&mut draft.title);
    draft.reference = format!("#{number}");
    let is_needle = number == n_documents / 3;
    draft.author = Some(if is_needle { "only".to_owned() } else { format!("user{}", number % 50) });
    draft.state = Some(if number.is_multiple_of(3) { "opened" } else { "closed" }.to_owned());
    draft.labels = vec![format!("label{}", number % 20)];
    let body = if is_needle { format!("{body}\n\nneedle") } else { body.to_owned() };
    draft.body(Section::Description, &body);
    draft.finish()
}

/// Questions, and the made-up model that answers them.
struct Queries {
    centres: Vec<Vec<f32>>,
    texts: Vec<String>,
}

impl Queries {
    fn new() -> Queries {
        let mut rng = Rng::with_seed(7);
        let centres = (0..CLUSTERS).map(|_| direction(&mut rng, embed::DIMS)).collect();
        let source = Texts::new();
        let texts = (0..QUERIES)
            .map(|_| {
                let title = source.title(&mut rng);
                let n_words = rng.usize(2..9);
                title.split(' ').take(n_words).collect::<Vec<_>>().join(" ")
            })
            .collect();
        Queries { centres, texts }
    }

    /// Near one of the centres, as texts on one subject are.
    fn vector(&self, rng: &mut Rng) -> Vec<f32> {
        let centre = &self.centres[rng.usize(..CLUSTERS)];
        let noise = direction(rng, embed::DIMS);
        let sum: Vec<f32> = centre.iter().zip(noise).map(|(c, n)| c + 0.7 * n).collect();
        unit(sum)
    }

    fn request(filter: &DocumentFilter) -> Request {
        Request { limit: 20, filter: filter.clone(), ..Request::default() }
    }

    fn time(&self, reader: &Reader, mode: Mode, filter: &DocumentFilter) -> Outcome<Vec<Duration>> {
        let searcher = Searcher { reader, provider: Some(self), now: Timestamp::EPOCH };
        let mut times = Vec::new();
        // The first round warms the cache.
        for round in 0..2 {
            for text in &self.texts {
                let request = Request { query: text.clone(), mode, ..Queries::request(filter) };
                let started = Instant::now();
                searcher.find(&request)?;
                if round == 1 {
                    times.push(started.elapsed());
                }
            }
        }
        Ok(times)
    }
}

impl Provider for Queries {
    fn space(&self) -> EmbeddingSpace {
        // The name of the real one, so that the program finds the vectors.
        EmbeddingSpace { model: embed::MODEL_ID.to_owned(), dims: embed::DIMS, chunking: CHUNKING }
    }

    fn max_tokens(&self) -> usize {
        embed::MAX_TOKENS
    }

    fn tokens(&self, _: &str) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn embed_query(&self, text: &str) -> model::Result<Vec<f32>> {
        let seed = Hash32::of(text.as_bytes()).0[0];
        Ok(self.vector(&mut Rng::with_seed(u64::from(seed))))
    }

    fn embed_documents(&self, _: &[String]) -> model::Result<Vec<model::Result<Vec<f32>>>> {
        Ok(Vec::new())
    }

    fn check(&self) -> model::Result<String> {
        Ok(String::new())
    }
}

fn direction(rng: &mut Rng, dims: usize) -> Vec<f32> {
    // Sums of a few rolls stand in for a normal distribution.
    unit((0..dims).map(|_| (0..4).map(|_| rng.f32() - 0.5).sum()).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

/// The same queries by FTS5 alone, and by comparing with every vector.
fn baselines(database: &Path, reader: &Reader, queries: &Queries) -> Outcome<()> {
    let bare = database.with_file_name("bare-fts5.db");
    if bare.exists() {
        let connection = rusqlite::Connection::open(bare)?;
        let mut times = Vec::new();
        for text in queries.texts.iter().take(QUERIES / 4) {
            let words: Vec<String> = text.split(' ').map(|word| format!("\"{word}\"")).collect();
            let started = Instant::now();
            let mut statement = connection
                .prepare_cached("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 20")?;
            let rows = statement.query_map([words.join(" OR ")], |row| row.get::<_, i64>(0))?;
            let _ids: Vec<i64> = rows.collect::<Result<_, _>>()?;
            times.push(started.elapsed());
        }
        println!("bare FTS5, terms ORed, ORDER BY rank: {}", percentiles(times));
    }
    let space = queries.space();
    let depth = search::scan_depth(vectors::count(reader, &space)?, CANDIDATES);
    let (mut scans, mut plain, mut recall) = (Vec::new(), Vec::new(), 0.0);
    let n = 10;
    for text in queries.texts.iter().take(n) {
        let vector = queries.embed_query(text)?;
        let started = Instant::now();
        let scan = vectors::scan(reader, &space, &vector, None, depth)?;
        let mut near = vectors::compare(reader, &vector, &scan.near)?;
        scans.push(started.elapsed());
        let started = Instant::now();
        let mut exact = vectors::compare_all(reader, &space, &vector)?;
        plain.push(started.elapsed());
        for list in [&mut near, &mut exact] {
            list.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
            list.truncate(10);
        }
        let found = exact.iter().filter(|it| near.iter().any(|other| other.chunk == it.chunk));
        recall += found.count() as f64 / exact.len().max(1) as f64;
    }
    println!("scan of codes and true vectors of {depth}: {}", percentiles(scans));
    println!("every vector compared: {}", percentiles(plain));
    println!("recall of the first ten: {:.3}", recall / n as f64);
    Ok(())
}

fn real_query_vector() -> Outcome<()> {
    let model = Builtin;
    let started = Instant::now();
    model.embed_query("the first one brings in the weights")?;
    let first = started.elapsed();
    let mut times = Vec::new();
    for n in 0..50 {
        let started = Instant::now();
        model.embed_query(&format!("why does the gateway drop session number {n}"))?;
        times.push(started.elapsed());
    }
    println!("a query's vector by the real model: {}; the first {first:.1?}", percentiles(times));
    Ok(())
}

/// The program itself, each time anew, and its memory.
fn whole_process(database: &Path, queries: &Queries) -> Outcome<()> {
    let lore = std::env::current_exe()?.with_file_name("lore");
    let home = tempfile::TempDir::new()?;
    for mode in ["lexical", "hybrid"] {
        let mut times = Vec::new();
        let mut memory = 0;
        for text in queries.texts.iter().take(40) {
            let mut command = Command::new(&lore);
            command.env_clear().env("HOME", home.path()).current_dir(home.path());
            command.args(["search", "--json", "--mode", mode, "--db"]).arg(database).arg(text);
            command.stdout(std::process::Stdio::null());
            let started = Instant::now();
            let mut child = command.spawn()?;
            memory = memory.max(peak_memory(child.id()));
            if !child.wait()?.success() {
                return Err(format!("lore search {text:?} failed").into());
            }
            times.push(started.elapsed());
        }
        println!(
            "{mode}, whole process: {}; memory seen up to {} MB",
            percentiles(times),
            memory / 1024
        );
    }
    Ok(())
}

/// Kilobytes, as last seen while it ran.
fn peak_memory(pid: u32) -> u64 {
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let seen = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        match seen {
            Some(kilobytes) => peak = peak.max(kilobytes),
            None => return peak,
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: f64| {
        let index = ((times.len() - 1) as f64 * share) as usize;
        times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    format!("p50 {:.1} ms, p95 {:.1} ms", at(0.5), at(0.95))
}
