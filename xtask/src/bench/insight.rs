//! What answers cost on a large corpus: timelines of queries and of entities,
//! warm in one process and cold as the real program, beside the search alone.
//!
//! `bench insight [--db FILE]`: without a database of that name, one is made
//! first, of 30,000 merge requests and 10,000 issues; with one, it is used.

use super::forge::{Outcome, sync_into};
use insight::timeline::{Request, Start, timeline};
use model::reference::EntityReference;
use model::{EntityKind, Timestamp};
use search::Searcher;
use sim::{Corpus, Server};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use store::Reader;
use store::listing::{self, EntityFilter, SortBy};

/// Questions of each sort.
const ASKED: usize = 100;
/// Runs of the real program.
const COLD: usize = 21;

pub fn run(options: &[&str]) -> ExitCode {
    let db = match options {
        ["--db", db] => PathBuf::from(db),
        _ => std::env::temp_dir().join("lore-bench-insight.db"),
    };
    match prepare(&db).and_then(|()| measure(&db)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Syncs a large world into a file that is not there yet, and indexes it.
fn prepare(db: &Path) -> Outcome<()> {
    if db.exists() {
        return Ok(());
    }
    let mut corpus = Corpus::new(1, 10_000, 30_000);
    corpus.threads = 3.0;
    corpus.label_batches = 12;
    let mut world = corpus.build()?;
    world.advance(Duration::from_secs(86_400));
    let server = Server::start(world, sim::Options::default())?;
    sync_into(&server, db)?;
    let clock = model::time::FixedClock(server.world().now());
    let queue = store::WriteQueue::open(db, "bench", std::sync::Arc::new(clock), false)?;
    search::documents::Regeneration {
        queue: &queue,
        clock: &clock,
        progress: &model::progress::NoProgress,
        cancel: &model::CancelToken::default(),
    }
    .run(false)?;
    queue.close()?;
    Ok(())
}

fn measure(db: &Path) -> Outcome<()> {
    let reader = Reader::open(db)?;
    for (what, tally) in [
        ("merge requests", store::counts::merge_requests(&reader, None)?),
        ("issues", store::counts::issues(&reader, None)?),
        ("notes", store::counts::notes(&reader, None)?),
        ("events", store::counts::events(&reader, None)?),
    ] {
        println!("{what}: {}", tally.total);
    }
    let titles = titles(&reader)?;
    let searcher = Searcher { reader: &reader, provider: None, now: Timestamp::EPOCH };
    let queries: Vec<search::Request> = titles
        .iter()
        .map(|(_, title)| {
            let query = title.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
            let mode = search::Mode::Lexical;
            search::Request { query, mode, limit: 48, ..search::Request::default() }
        })
        .collect();
    let search = each(&queries, |query| Ok(searcher.find(query).map(|_| ())?))?;
    let by_query = each(&queries, |query| {
        let request = Request::new("", Start::Query(Box::new(query.clone())));
        Ok(timeline(&searcher, &request).map(|_| ())?)
    })?;
    let by_entity = each(&titles, |(wanted, _)| {
        let start = Start::Entity { wanted: wanted.clone(), project: None, here: None };
        Ok(timeline(&searcher, &Request { depth: 2, ..Request::new("", start) }).map(|_| ())?)
    })?;
    show("search alone, warm", &search);
    show("timeline of a query, warm", &by_query);
    show("timeline of an entity, depth 2, warm", &by_entity);
    let cold: Vec<String> = titles.iter().take(COLD).map(|(_, title)| title.clone()).collect();
    let cold = each(&cold, |title| {
        let words = title.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        let mut lore = Command::new(std::env::current_exe()?.with_file_name("lore"));
        let output =
            lore.args(["timeline", &words, "--lexical", "--json", "--db"]).arg(db).output()?;
        if output.status.success() { Ok(()) } else { Err("lore timeline failed".into()) }
    })?;
    show("timeline of a query, whole process", &cold);
    Ok(())
}

/// Entities spread evenly over the corpus, with their titles.
fn titles(reader: &Reader) -> Outcome<Vec<(EntityReference, String)>> {
    let kind = EntityKind::MergeRequest;
    let total = store::counts::merge_requests(reader, None)?.total as usize;
    let mut found = Vec::new();
    for index in 0..ASKED {
        let filter = EntityFilter {
            sort: SortBy::Iid,
            limit: 1,
            offset: index * total / ASKED,
            ..EntityFilter::default()
        };
        for entity in listing::entities(reader, kind, &filter)?.0 {
            let project = Some(entity.project.clone());
            found.push((
                EntityReference { kind, host: None, project, iid: entity.iid },
                entity.title,
            ));
        }
    }
    Ok(found)
}

/// How long each takes, sorted.
pub(super) fn each<T>(
    items: &[T],
    mut work: impl FnMut(&T) -> Outcome<()>,
) -> Outcome<Vec<Duration>> {
    let mut times = Vec::new();
    for item in items {
        let started = Instant::now();
        work(item)?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times)
}

pub(super) fn show(what: &str, times: &[Duration]) {
    let at = |share: f64| {
        let place = (times.len() as f64 * share) as usize;
        times.get(place.min(times.len().saturating_sub(1))).map_or(0.0, |it| it.as_secs_f64() * 1e3)
    };
    println!("{what}: median {:.1} ms, p95 {:.1} ms, n {}", at(0.5), at(0.95), times.len());
}
