//! Which clone language servers are asked about next: those that were indexed since,
//! each in its turn.

use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Clones whose calls were not all asked about.
#[derive(Debug, Default)]
pub struct EnrichQueue {
    waiting: VecDeque<PathBuf>,
    running: Option<PathBuf>,
}

impl EnrichQueue {
    /// A clone has a commit that servers were not asked about.
    pub fn add(&mut self, dir: &Path) {
        if !self.waiting.iter().any(|known| known == dir) {
            self.waiting.push_back(dir.to_owned());
        }
    }

    /// Clones that are not registered any more are left.
    pub fn keep(&mut self, clones: &BTreeSet<PathBuf>) {
        self.waiting.retain(|dir| clones.contains(dir));
    }

    /// The clone whose turn it is.
    pub fn next(&mut self) -> Option<PathBuf> {
        self.running = self.waiting.pop_front();
        self.running.clone()
    }

    /// Takes in how it went. What is left of a clone comes after the others; one that
    /// failed waits for its next commit.
    pub fn finished(&mut self, is_ok: bool, is_stopped: bool, report: Option<&Value>) {
        let Some(dir) = self.running.take() else { return };
        let has_more = is_ok && report.is_some_and(|report| n_waiting(report) > 0);
        if is_stopped || has_more {
            self.add(&dir);
        }
    }
}

/// Call sites that servers which are there were not asked about yet. A server that did
/// not get on is not tried again before the code changes.
fn n_waiting(report: &Value) -> u64 {
    let servers = report["servers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let made_progress = |server: &&Value| server["requests"].as_u64().unwrap_or(0) > 0;
    let waiting = servers.iter().filter(made_progress);
    waiting.map(|server| server["waiting"].as_u64().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn clones_take_turns_until_everything_was_asked() {
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        let mut queue = EnrichQueue::default();
        for dir in [a, b, a] {
            queue.add(dir);
        }
        let more = json!({"servers": [{"requests": 9, "waiting": 40}]});
        let stuck = json!({"servers": [{"requests": 0, "waiting": 40}]});
        assert_eq!(queue.next().as_deref(), Some(a));
        queue.finished(true, false, Some(&more));
        assert_eq!(queue.next().as_deref(), Some(b), "the other one first");
        queue.finished(false, true, None);
        assert_eq!(queue.next().as_deref(), Some(a));
        queue.finished(true, false, Some(&json!({"servers": []})));
        assert_eq!(queue.next().as_deref(), Some(b), "it was interrupted");
        queue.finished(true, false, Some(&stuck));
        assert_eq!(queue.next(), None, "nobody gets on there");
        queue.add(a);
        queue.keep(&BTreeSet::from([b.to_owned()]));
        assert_eq!(queue.next(), None);
    }
}
