//! The daemon's log: one event a line, as text or JSON, in a file that is rotated.

use model::text::one_line;
use model::{Clock, vocabulary};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

vocabulary! {
    pub enum Level {
        Error = "error",
        Warn = "warn",
        Info = "info",
        Debug = "debug",
    }
}

vocabulary! {
    pub enum LogFormat {
        Text = "text",
        Json = "json",
    }
}

/// A file of the log is at most this long …
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// … and so many older ones are kept.
const KEPT: usize = 3;
/// Longer values are cut: what a forge or a parser says may be anything.
const MAX_VALUE: usize = 500;

pub struct Log {
    clock: Arc<dyn Clock>,
    format: LogFormat,
    level: Level,
    to: Mutex<Sink>,
}

enum Sink {
    Stream(Box<dyn Write + Send>),
    File { path: PathBuf, file: Option<std::fs::File>, length: u64 },
}

impl Log {
    pub fn to_stream(
        clock: Arc<dyn Clock>,
        format: LogFormat,
        level: Level,
        to: Box<dyn Write + Send>,
    ) -> Self {
        Log { clock, format, level, to: Mutex::new(Sink::Stream(to)) }
    }

    pub fn to_file(clock: Arc<dyn Clock>, format: LogFormat, level: Level, path: PathBuf) -> Self {
        let sink = Sink::File { path, file: None, length: 0 };
        Log { clock, format, level, to: Mutex::new(sink) }
    }

    pub fn info(&self, event: &str, fields: &[(&str, &str)]) {
        self.write(Level::Info, event, fields);
    }

    pub fn warn(&self, event: &str, fields: &[(&str, &str)]) {
        self.write(Level::Warn, event, fields);
    }

    pub fn error(&self, event: &str, fields: &[(&str, &str)]) {
        self.write(Level::Error, event, fields);
    }

    pub fn debug(&self, event: &str, fields: &[(&str, &str)]) {
        self.write(Level::Debug, event, fields);
    }

    fn write(&self, level: Level, event: &str, fields: &[(&str, &str)]) {
        if level > self.level {
            return;
        }
        let line = self.line(level, event, fields);
        let mut sink = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written must not stop the work.
        let _ = sink.write(line.as_bytes());
    }

    fn line(&self, level: Level, event: &str, fields: &[(&str, &str)]) -> String {
        let at = self.clock.now().to_rfc3339();
        let mut line = match self.format {
            LogFormat::Json => {
                let mut document = serde_json::Map::new();
                document.insert("at".to_owned(), at.into());
                document.insert("level".to_owned(), level.as_str().into());
                document.insert("event".to_owned(), event.into());
                for (name, value) in fields {
                    document.insert((*name).to_owned(), one_line(value, MAX_VALUE).into());
                }
                serde_json::Value::Object(document).to_string()
            }
            LogFormat::Text => {
                let mut line = format!("{at} {:<5} {event}", level.as_str());
                for (name, value) in fields {
                    let value = one_line(value, MAX_VALUE);
                    let _ = if value.contains([' ', '"']) || value.is_empty() {
                        write!(line, " {name}={value:?}")
                    } else {
                        write!(line, " {name}={value}")
                    };
                }
                line
            }
        };
        line.push('\n');
        line
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Sink::Stream(to) => to.write_all(bytes).and_then(|()| to.flush()),
            Sink::File { path, file, length } => {
                if *length + bytes.len() as u64 > MAX_BYTES {
                    *file = None;
                    rotate(path);
                }
                if file.is_none() {
                    let opened = files::open_append(path)?;
                    *length = opened.metadata()?.len();
                    *file = Some(opened);
                }
                if let Some(file) = file {
                    file.write_all(bytes)?;
                    *length += bytes.len() as u64;
                }
                Ok(())
            }
        }
    }
}

/// `x.log` becomes `x.log.1`, that `x.log.2`, and so on.
fn rotate(path: &Path) {
    let older = |n: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{n}"));
        PathBuf::from(name)
    };
    for n in (1..KEPT).rev() {
        let _ = std::fs::rename(older(n), older(n + 1));
    }
    let _ = std::fs::rename(path, older(1));
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Timestamp;
    use model::time::FixedClock;

    fn clock() -> Arc<dyn Clock> {
        Arc::new(FixedClock(Timestamp::parse_rfc3339("2024-06-01T12:00:00Z").unwrap()))
    }

    fn log(format: LogFormat) -> Log {
        Log::to_stream(clock(), format, Level::Info, Box::new(std::io::sink()))
    }

    #[test]
    fn a_line_is_one_event_whatever_is_in_it() {
        let fields = [("dir", "/src/a b"), ("error", "line\none\u{1b}[31m"), ("n", "3")];
        let text = log(LogFormat::Text).line(Level::Warn, "index failed", &fields);
        assert_eq!(text.lines().count(), 1);
        assert!(!text.contains('\u{1b}'));
        assert!(text.starts_with("2024-06-01T12:00:00.000Z warn  index failed dir=\"/src/a b\""));
        let json = log(LogFormat::Json).line(Level::Warn, "index failed", &fields);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["level"], &json["n"]), (&"warn".into(), &"3".into()));
    }

    #[test]
    fn a_file_is_rotated_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d.log");
        let log = Log::to_file(clock(), LogFormat::Text, Level::Info, path.clone());
        let long = "x".repeat(MAX_VALUE);
        let fields = [("a", long.as_str()); 100];
        for _ in 0..MAX_BYTES as usize / (MAX_VALUE * 100) * (KEPT + 2) {
            log.info("filled", &fields);
        }
        let mut names: Vec<String> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["d.log", "d.log.1", "d.log.2", "d.log.3"]);
        assert!(std::fs::metadata(&path).unwrap().len() <= MAX_BYTES);
    }
}
