//! What was said in each session of an agent: so that nothing is said twice, and so
//! that a person can judge it. One small file a session, beside the database and not
//! in it: hooks run at every tool call.

use insight::push::{Push, PushEvent, PushLine};
use model::Timestamp;
use model::hash::Hash32;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A session of more is cut to its newer half.
const MAX_BYTES: u64 = 256 << 10;
/// Sessions are forgotten after so long, and beyond so many.
const KEPT: Duration = Duration::from_secs(14 * 86_400);
const MOST: usize = 200;

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PushRecord {
    pub at: Timestamp,
    pub agent: String,
    /// The beginning of the session's own name.
    pub session: String,
    pub event: PushEvent,
    /// The folder the agent stood in.
    pub dir: String,
    /// What it was about: a path, a pattern.
    pub about: String,
    pub lines: Vec<PushLine>,
    pub tokens: u64,
    /// From the start of the process until it was said.
    pub millis: u64,
    /// The context was emptied: what was said before may be said again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_reset: bool,
}

/// The sessions on this machine.
pub struct Sessions {
    dir: Option<PathBuf>,
}

/// One of them.
pub struct Session {
    path: Option<PathBuf>,
    pub name: String,
    said: BTreeSet<String>,
}

impl Sessions {
    pub fn new(state_dir: Option<PathBuf>) -> Self {
        Sessions { dir: state_dir.map(|dir| dir.join("sessions")) }
    }

    /// The session of this name; without a place to keep it, one that forgets.
    pub fn open(&self, agent: &str, name: &str) -> Session {
        // The name is of the client's making and no name of a file.
        let hash = Hash32::of(format!("{agent}\0{name}").as_bytes()).to_string();
        let path = self.dir.as_ref().map(|dir| dir.join(format!("{}.jsonl", &hash[..24])));
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let mut session = Session { path, name, said: BTreeSet::new() };
        for record in session.path.as_deref().map(records).unwrap_or_default() {
            if record.is_reset {
                session.said.clear();
            }
            for line in &record.lines {
                session.said.extend(line.key.split(' ').map(str::to_owned));
                session.said.insert(line.key.clone());
            }
        }
        session
    }

    /// What was said, newest first.
    pub fn log(&self, limit: usize) -> Vec<PushRecord> {
        let mut all: Vec<PushRecord> =
            self.files().iter().flat_map(|(path, _)| records(path)).collect();
        all.retain(|record| !record.lines.is_empty());
        all.sort_by(|a, b| (b.at, &b.session, &b.about).cmp(&(a.at, &a.session, &a.about)));
        all.truncate(limit);
        all
    }

    /// Forgets sessions that are over.
    pub fn sweep(&self, now: Timestamp) {
        let mut files = self.files();
        files.sort_by_key(|(_, newest)| std::cmp::Reverse(*newest));
        for (nth, (path, newest)) in files.iter().enumerate() {
            if nth >= MOST || now.since(*newest) > KEPT {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Every session's file, and when it was last written to.
    fn files(&self) -> Vec<(PathBuf, Timestamp)> {
        let Some(dir) = &self.dir else { return Vec::new() };
        let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
        let mut found: Vec<(PathBuf, Timestamp)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|it| it == "jsonl"))
            .map(|path| {
                let newest = records(&path).last().map_or(Timestamp::EPOCH, |record| record.at);
                (path, newest)
            })
            .collect();
        found.sort();
        found
    }
}

impl Session {
    pub fn is_said(&self, key: &str) -> bool {
        self.said.contains(key)
    }

    /// The context was emptied: everything may be said again.
    pub fn forget(&mut self) {
        self.said.clear();
    }

    /// Notes what is being said. That it could not be noted never fails a hook.
    pub fn note(&self, record: &PushRecord) {
        let Some(path) = &self.path else { return };
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        let size = path.symlink_metadata().map_or(0, |about| about.len());
        if size > MAX_BYTES {
            let kept = records(path);
            let half = &kept[kept.len() / 2..];
            let texts: Vec<String> =
                half.iter().filter_map(|it| serde_json::to_string(it).ok()).collect();
            let _ = files::replace(path, format!("{}\n", texts.join("\n")).as_bytes(), 0o600);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        if files::append(path, &line).is_err() && files::create_dirs(folder).is_ok() {
            let _ = files::append(path, &line);
        }
    }
}

/// Lines that cannot be read are passed over: two hooks may write at once.
fn records(path: &Path) -> Vec<PushRecord> {
    let Ok(text) = files::read_text(path, 4 * MAX_BYTES) else { return Vec::new() };
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What a push was, for the log.
pub struct PushDescription<'a> {
    pub at: Timestamp,
    pub agent: &'a str,
    pub event: PushEvent,
    pub dir: String,
    pub about: String,
    pub millis: u64,
    pub is_reset: bool,
}

impl PushDescription<'_> {
    pub fn record(self, session: &Session, push: &Push) -> PushRecord {
        PushRecord {
            at: self.at,
            agent: self.agent.to_owned(),
            session: session.name.clone(),
            event: self.event,
            dir: self.dir,
            about: self.about,
            lines: push.lines.clone(),
            tokens: push.tokens,
            millis: self.millis,
            is_reset: self.is_reset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insight::push::LineKind;

    fn record(at: i64, key: &str, is_reset: bool) -> PushRecord {
        PushRecord {
            at: Timestamp::from_millis(at),
            agent: "claude".to_owned(),
            session: "s".to_owned(),
            event: PushEvent::AfterTool,
            dir: "/r".to_owned(),
            about: "a.py".to_owned(),
            lines: vec![PushLine {
                kind: LineKind::Why,
                source: "x".to_owned(),
                text: "t".repeat(2000),
                key: key.to_owned(),
            }],
            tokens: 3,
            millis: 4,
            is_reset,
        }
    }

    #[test]
    fn a_session_knows_what_it_said_and_nothing_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Some(dir.path().join("state")));
        let first = sessions.open("claude", "../../etc/passwd");
        first.note(&record(1, "why:a", false));
        assert!(sessions.open("claude", "../../etc/passwd").is_said("why:a"));
        assert!(!sessions.open("codex", "../../etc/passwd").is_said("why:a"));
        first.note(&record(2, "why:b", true));
        let later = sessions.open("claude", "../../etc/passwd");
        assert!(!later.is_said("why:a") && later.is_said("why:b"));
        assert_eq!(sessions.log(10).len(), 2);
        assert_eq!(sessions.log(1)[0].at, Timestamp::from_millis(2));
    }

    #[test]
    fn files_stay_small_and_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(Some(dir.path().to_path_buf()));
        let session = sessions.open("claude", "s");
        for at in 0..400 {
            session.note(&record(at, &format!("why:{at}"), false));
        }
        let size = session.path.as_ref().unwrap().metadata().unwrap().len();
        assert!(size < 2 * MAX_BYTES, "{size}");
        assert!(sessions.open("claude", "s").is_said("why:399"));
        sessions.sweep(Timestamp::from_millis(400).plus(KEPT * 2));
        assert!(sessions.log(1).is_empty());
    }
}
