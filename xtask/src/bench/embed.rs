//! What a vector costs: lore's side of the comparison with onnxruntime, whose
//! side `models/bench_onnxruntime.py` prints on the same ids.
//!
//! Processor time of one thread, not time on the wall, so that a busy machine
//! changes little. The cold start comes first and once: afterwards everything
//! is warm.

use embed::{Arithmetic, MODEL_ID, Model};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Tokens of the documents and of the query, the two marks included.
const DOCUMENT: usize = 160;
const QUERY: usize = 12;
const ROUNDS: usize = 11;

/// `embed [documents a round]`.
pub fn run(_root: &Path, options: &[&str]) -> ExitCode {
    let n_documents = options.first().and_then(|text| text.parse().ok()).unwrap_or(20);
    let started = (processor_time(), Instant::now());
    let model = match Model::builtin() {
        Ok(model) => model,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let opened = started.1.elapsed();
    let vector = model.embed("why was the retry limit raised?");
    let (cold_cpu, cold_wall) = (processor_time().saturating_sub(started.0), started.1.elapsed());
    println!("{MODEL_ID}, {} numbers, {:?}", vector.len(), Arithmetic::best());
    println!("first vector of a process: {} (wall {})", ms(cold_cpu), ms(cold_wall));
    println!("  of it opening the model: {}", ms(opened));
    for arithmetic in Arithmetic::available() {
        let n_documents = if arithmetic == Arithmetic::Plain { 2 } else { n_documents };
        let mut embedder = model.embedder_with(arithmetic);
        let mut time_of = |length: usize, n: usize| {
            let mut times: Vec<Duration> = Vec::new();
            for _ in 0..ROUNDS {
                let before = processor_time();
                for at in 0..n {
                    std::hint::black_box(embedder.embed_tokens(&ids(length, at)));
                }
                times.push(processor_time().saturating_sub(before) / n as u32);
            }
            times.sort_unstable();
            times
        };
        let documents = time_of(DOCUMENT, n_documents);
        let queries = time_of(QUERY, n_documents);
        println!("{arithmetic:?}");
        println!("  documents of {DOCUMENT} tokens a second: {}", per_second(&documents));
        println!(
            "  query of {QUERY} tokens: {} (fastest {})",
            ms(median(&queries)),
            ms(queries[0])
        );
    }
    println!("most memory: {} MB", peak_kilobytes() / 1024);
    ExitCode::SUCCESS
}

/// Ids of words, without marks; `models/bench_onnxruntime.py` makes the same.
fn ids(length: usize, seed: usize) -> Vec<u32> {
    (0..length - 2).map(|at| 2_000 + ((at * 7_919 + seed * 104_729) % 20_000) as u32).collect()
}

fn median(times: &[Duration]) -> Duration {
    times[times.len() / 2]
}

fn per_second(times: &[Duration]) -> String {
    let rate = |time: Duration| 1.0 / time.as_secs_f64();
    let (fastest, slowest) = (times[0], times[times.len() - 1]);
    format!("{:.1} ({:.1} to {:.1})", rate(median(times)), rate(slowest), rate(fastest))
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Time this thread has run. Where the system does not tell, time on the wall.
pub(super) fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|text| text.parse().ok());
    nanoseconds.map_or_else(
        || {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed()
        },
        Duration::from_nanos,
    )
}

fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
