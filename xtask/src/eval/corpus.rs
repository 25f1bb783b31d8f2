//! A corpus of JSON lines: documents, queries and which documents answer them.
//!
//! A line with a `query` is one: `qid`, `kind`, `query`, `relevant` (ids). Any
//! other is a document: `id`, `body` and perhaps a `title`. They may share one
//! file or lie in a folder as `docs.jsonl` and `queries.jsonl`, plain or gzip.

use super::Outcome;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

#[derive(Debug, Default)]
pub struct Corpus {
    pub documents: Vec<Text>,
    pub queries: Vec<Query>,
}

#[derive(Debug)]
pub struct Text {
    pub id: String,
    pub title: String,
    pub body: String,
}

#[derive(Debug)]
pub struct Query {
    pub kind: String,
    pub text: String,
    pub relevant: Vec<String>,
}

impl Corpus {
    pub fn read(place: &Path) -> Outcome<Corpus> {
        let mut corpus = Corpus::default();
        if place.is_dir() {
            for name in ["docs.jsonl", "docs.jsonl.gz", "queries.jsonl", "queries.jsonl.gz"] {
                let file = place.join(name);
                if file.exists() {
                    corpus.add(&file)?;
                }
            }
        } else {
            corpus.add(place)?;
        }
        if corpus.documents.is_empty() || corpus.queries.is_empty() {
            return Err(format!("{} holds no documents, or no queries", place.display()).into());
        }
        Ok(corpus)
    }

    fn add(&mut self, file: &Path) -> Outcome<()> {
        let bytes = std::fs::read(file)?;
        let mut text = String::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
        } else {
            text = String::from_utf8(bytes)?;
        }
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value: Value = serde_json::from_str(line)
                .map_err(|error| format!("{}:{}: {error}", file.display(), number + 1))?;
            self.take(&value);
        }
        Ok(())
    }

    fn take(&mut self, value: &Value) {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        if value["query"].is_string() {
            let relevant = value["relevant"].as_array().into_iter().flatten();
            self.queries.push(Query {
                kind: text("kind"),
                text: text("query"),
                relevant: relevant.filter_map(Value::as_str).map(str::to_owned).collect(),
            });
        } else {
            self.documents.push(Text { id: text("id"), title: text("title"), body: text("body") });
        }
    }
}
