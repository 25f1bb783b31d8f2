//! What memory costs: recalling in one process, and what an agent's hook waits
//! for, beside starting the program at all.
//!
//! `bench memory [RECORDS]`: a repository with so many decisions is made for it.

use super::forge::Outcome;
use super::insight::{each, show};
use ::insight::memory::recall::{Request, recall_with};
use model::Timestamp;
use search::Searcher;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use store::Reader;
use tempfile::TempDir;

/// Questions asked in one process.
const ASKED: usize = 200;
/// Runs of the real program.
const COLD: usize = 21;

const SUBJECTS: [&str; 10] = [
    "queue", "retry", "cache", "storage", "token", "index", "deploy", "schema", "timeout", "alarm",
];

pub fn run(options: &[&str]) -> ExitCode {
    let n_records = options.first().and_then(|text| text.parse().ok()).unwrap_or(5_000);
    match measure(n_records) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(n_records: usize) -> Outcome<()> {
    let home = TempDir::new()?;
    let repo = home.path().join("repo");
    std::fs::create_dir_all(repo.join(".git"))?;
    std::fs::create_dir_all(repo.join(".lore/memory"))?;
    std::fs::write(repo.join(".lore/memory/decisions.jsonl"), decisions(n_records))?;
    let database = home.path().join("lore.db");
    let lore = |words: &[&str]| {
        let program = std::env::current_exe()?.with_file_name("lore");
        let mut command = Command::new(program);
        command.env_clear().env("HOME", home.path()).env("LORE_DB", &database);
        command.args(words).current_dir(&repo).stdin(Stdio::piped()).stdout(Stdio::null());
        Ok::<Command, std::io::Error>(command)
    };
    run_once(lore(&["memory", "list", "-n", "1"])?, "")?;
    println!("{n_records} decisions");
    recall_in_process(&database)?;
    let runs = vec![(); COLD];
    let version = each(&runs, |()| run_once(lore(&["--version"])?, ""))?;
    show("lore --version, whole process", &version);
    let prompt = "change the retry queue so that the storage schema has a timeout";
    let inject = each(&runs, |()| run_once(lore(&["inject"])?, prompt))?;
    show("lore inject, whole process", &inject);
    let recall = each(&runs, |()| run_once(lore(&["recall", "retry storage schema"])?, ""))?;
    show("lore recall, whole process", &recall);
    Ok(())
}

fn recall_in_process(database: &Path) -> Outcome<()> {
    let reader = Reader::open(database)?;
    let now = Timestamp::from_millis(1_750_000_000_000);
    let searcher = Searcher { reader: &reader, provider: None, now };
    let questions: Vec<Request> = (0..ASKED)
        .map(|index| {
            let subject = |step: usize| SUBJECTS[(index * step + step) % SUBJECTS.len()];
            let query = format!("{} {} word{}", subject(1), subject(3), index * 7 % 4_000);
            Request { query, limit: 10, ..Request::default() }
        })
        .collect();
    let times = each(&questions, |question| Ok(recall_with(&searcher, question).map(|_| ())?))?;
    show("recall, in one process", &times);
    Ok(())
}

fn run_once(mut command: Command, input: &str) -> Outcome<()> {
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    if child.wait()?.success() { Ok(()) } else { Err("lore failed".into()) }
}

/// A file of decisions about few subjects, with many other words.
fn decisions(n_records: usize) -> String {
    let mut random = fastrand::Rng::with_seed(7);
    let mut words = |n: usize| -> String {
        (0..n).fold(String::new(), |mut text, _| {
            let is_subject = random.u8(..10) < 3;
            let subject = SUBJECTS[random.usize(..SUBJECTS.len())];
            let other = random.usize(..4_000);
            let _ =
                if is_subject { write!(text, "{subject} ") } else { write!(text, "word{other} ") };
            text
        })
    };
    let mut text = String::from("{\"lore\":\"decisions\",\"version\":1}\n");
    for index in 0..n_records {
        let decision = serde_json::json!({
            "id": format!("dec-{index:08}"),
            "decision": words(9).trim(),
            "rationale": words(40).trim(),
            "importance": index % 5 + 1,
            "links": [format!("#{}", index % 900 + 1)],
            "timestamp": Timestamp::from_millis(1_600_000_000_000 + index as i64 * 18_000_000)
                .to_rfc3339(),
        });
        let _ = writeln!(text, "{decision}");
    }
    text
}
