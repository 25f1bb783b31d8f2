//! A small index to ask, and a model that is easy to predict.

use model::hash::Hash32;
use model::ids::{ForgeId, ProjectId};
use model::progress::NoProgress;
use model::record::ProjectRecord;
use model::time::FixedClock;
use model::{CancelToken, Error, ErrorCode, Result, Timestamp};
use search::embedding::{CHUNKING, EmbedOptions, EmbedReport, Embedding, Provider};
use search::{Request, Searcher, Syntax};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::dirty::SourceType;
use store::documents::{self, Document, Hashes};
use store::payloads::{self, Payload};
use store::vectors::EmbeddingSpace;
use store::{Reader, WriteQueue, Writer, projects};
use tempfile::TempDir;

pub const NOW: Timestamp = Timestamp::EPOCH;

pub struct Index {
    _dir: TempDir,
    pub path: PathBuf,
}

impl Index {
    pub fn new(texts: &[&str]) -> Index {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let mut writer = Writer::open(&path).unwrap();
        writer
            .write(|tx| {
                let payload = payloads::keep(tx, &Payload::of(b"{}")?)?;
                let project = projects::upsert(tx, "gl.test", &project(), payload)?;
                for (id, text) in texts.iter().enumerate() {
                    documents::store(tx, &document(project, id as i64, text))?;
                }
                documents::flush_full_text(tx)
            })
            .unwrap();
        Index { _dir: dir, path }
    }

    pub fn reader(&self) -> Reader {
        Reader::open(&self.path).unwrap()
    }

    pub fn change(&self, document: &Document) {
        let mut writer = Writer::open(&self.path).unwrap();
        let stored = writer.write(|tx| {
            documents::store(tx, document)?;
            documents::flush_full_text(tx)
        });
        stored.unwrap();
    }

    pub fn queue(&self) -> WriteQueue {
        WriteQueue::open(&self.path, "test", Arc::new(FixedClock(NOW)), false).unwrap()
    }

    pub fn embed(&self, provider: &dyn Provider, options: EmbedOptions) -> Result<EmbedReport> {
        let queue = self.queue();
        let cancel = &CancelToken::default();
        let clock = &FixedClock(NOW);
        Embedding { queue: &queue, clock, progress: &NoProgress, provider, cancel }.run(options)
    }

    /// The references found, best first.
    pub fn found(&self, provider: &dyn Provider, request: &Request) -> Vec<String> {
        let reader = self.reader();
        let searcher = Searcher { reader: &reader, provider: Some(provider), now: NOW };
        let results = searcher.find(request).unwrap();
        results.items.into_iter().map(|hit| hit.reference.replace("group/app", "")).collect()
    }
}

fn project() -> ProjectRecord {
    ProjectRecord {
        forge: model::ForgeKind::GitLab,
        forge_id: ForgeId(1),
        path: "group/app".to_owned(),
        name: "App".to_owned(),
        description: None,
        default_branch: None,
        web_url: "https://gl.test/group/app".to_owned(),
        visibility: None,
        is_archived: false,
        created_at: None,
        last_activity_at: None,
    }
}

pub fn document(project: ProjectId, id: i64, text: &str) -> Document {
    let hash = Hash32::of(text.as_bytes());
    Document {
        source: SourceType::Issue,
        source_id: id,
        project: Some(project),
        repo: None,
        reference: format!("#{id}"),
        author: None,
        state: Some("opened".to_owned()),
        created_at: Timestamp::from_millis(id),
        updated_at: Timestamp::from_millis(id),
        url: String::new(),
        title: String::new(),
        text: text.to_owned(),
        identifiers: String::new(),
        labels: Vec::new(),
        paths: Vec::new(),
        hashes: Hashes { content: hash, labels: hash, paths: hash },
        truncation: None,
    }
}

pub fn request(query: &str, syntax: Syntax) -> Request {
    Request { query: query.to_owned(), syntax, limit: 20, ..Request::default() }
}

/// A model that knows a few words and what they have to do with each other:
/// each group of words is a direction.
pub struct Topics {
    pub name: &'static str,
    pub dims: usize,
    pub n_read: AtomicUsize,
    pub is_down: bool,
}

const TOPICS: &[&[&str]] = &[
    &["boat", "ship", "vessel", "sail"],
    &["money", "price", "cost", "expensive"],
    &["rain", "storm", "weather", "wind"],
    &["login", "password", "session"],
];

impl Topics {
    pub fn new() -> Topics {
        Topics { name: "topics", dims: 64, n_read: AtomicUsize::new(0), is_down: false }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        let mut vector = vec![0.0; self.dims];
        for (topic, words) in TOPICS.iter().enumerate() {
            for word in *words {
                // Eight components per topic, so that codes can tell them apart.
                let n = text.matches(word).count() as f32;
                vector[topic * 8..topic * 8 + 8].iter_mut().for_each(|x| *x += n);
            }
        }
        // Texts are never quite the same.
        for (place, byte) in Hash32::of(text.as_bytes()).0.iter().enumerate() {
            vector[32 + place] = (f32::from(*byte) - 127.5) / 1000.0;
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / length).collect()
    }
}

impl Provider for Topics {
    fn space(&self) -> EmbeddingSpace {
        EmbeddingSpace { model: self.name.to_owned(), dims: self.dims, chunking: CHUNKING }
    }

    fn max_tokens(&self) -> usize {
        24
    }

    fn tokens(&self, text: &str) -> Vec<Range<usize>> {
        let mut tokens = Vec::new();
        let mut at = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            if !word.trim().is_empty() {
                tokens.push(at..at + word.trim_end().len());
            }
            at += word.len();
        }
        tokens
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        if self.is_down {
            return Err(
                Error::new(ErrorCode::OllamaUnavailable, "nobody is there").suggest("start it")
            );
        }
        Ok(self.vector(text))
    }

    fn embed_documents(&self, texts: &[String]) -> Result<Vec<Result<Vec<f32>>>> {
        self.n_read.fetch_add(texts.len(), Ordering::Relaxed);
        let made = |text: &String| {
            if text.contains("unreadable") {
                return Err(Error::new(ErrorCode::EmbeddingFailed, "cannot read it"));
            }
            Ok(self.vector(text))
        };
        Ok(texts.iter().map(made).collect())
    }

    fn check(&self) -> Result<String> {
        Ok("ready".to_owned())
    }
}
