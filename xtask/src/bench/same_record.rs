//! Do two databases hold the same record?
//!
//! Compares them by logical names: row ids, our own clock, the queue and the
//! audit trail do not count. For proving that an interrupted or disturbed sync
//! ends where an undisturbed one does.

use std::path::Path;
use std::process::ExitCode;
use store::{Reader, dump};

/// Differences shown.
const SHOWN: usize = 20;

pub fn run(left: &Path, right: &Path) -> ExitCode {
    let lines = |path: &Path| Reader::open(path).and_then(|reader| dump::logical(&reader));
    let (left, right) = match (lines(left), lines(right)) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let differences = dump::differences(&left, &right, SHOWN);
    for line in &differences {
        println!("{}", line.chars().take(300).collect::<String>());
    }
    if differences.is_empty() {
        println!("the same record: {} rows", left.len());
        return ExitCode::SUCCESS;
    }
    println!("not the same record: {} rows, {} rows", left.len(), right.len());
    ExitCode::FAILURE
}
