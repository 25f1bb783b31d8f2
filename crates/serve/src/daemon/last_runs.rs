//! When tasks that are done seldom last ran, kept in a file over restarts.

use model::Timestamp;
use pipeline::schedule::{SELDOM, Task};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// Longer than what is ever written.
const MAX_BYTES: u64 = 4096;

pub struct LastRuns {
    file: PathBuf,
    /// Milliseconds since 1970, by the words of the tasks.
    at: BTreeMap<String, i64>,
}

impl LastRuns {
    /// Tasks that never ran count as if they had at the first start: otherwise each start
    /// would be the first.
    pub fn load(file: PathBuf, now: Timestamp) -> (Self, io::Result<()>) {
        let known = files::read_text(&file, MAX_BYTES).ok();
        let at = known.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let mut runs = LastRuns { file, at };
        for task in SELDOM {
            runs.at.entry(task.as_str().to_owned()).or_insert(now.as_millis());
        }
        let kept = runs.keep();
        (runs, kept)
    }

    pub fn of(&self, task: Task) -> Option<Timestamp> {
        self.at.get(task.as_str()).copied().map(Timestamp::from_millis)
    }

    /// Notes that a task is done.
    pub fn note(&mut self, task: Task, now: Timestamp) -> io::Result<()> {
        if !SELDOM.contains(&task) {
            return Ok(());
        }
        self.at.insert(task.as_str().to_owned(), now.as_millis());
        self.keep()
    }

    fn keep(&self) -> io::Result<()> {
        files::replace(&self.file, serde_json::to_string(&self.at)?.as_bytes(), 0o600)
    }
}
