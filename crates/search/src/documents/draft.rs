//! What every document is made of, whatever its source: a small head with the
//! words people remember, then the text itself, kept to a size.

use super::cut::{HARD_CAP, at_most};
use super::fingerprint::Fingerprint;
use crate::identifiers;
use model::Timestamp;
use model::ids::ProjectId;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use store::dirty::SourceType;
use store::documents::{Document, Hashes, Truncation};

/// The line between the head of a document and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Description,
    Thread,
    Message,
}

impl Section {
    const ALL: [Section; 3] = [Section::Description, Section::Thread, Section::Message];

    const fn line(self) -> &'static str {
        match self {
            Section::Description => "\n--- Description ---\n",
            Section::Thread => "\n--- Thread ---\n",
            Section::Message => "\n--- Message ---\n",
        }
    }
}

/// Where the head of a document's text ends; none when there is nothing below.
pub fn body_start(text: &str) -> Option<usize> {
    Section::ALL
        .into_iter()
        .map(Section::line)
        .filter_map(|line| text.find(line).map(|at| at + line.len()))
        .min()
}

/// A document in the making.
#[derive(Debug, Clone)]
pub struct Draft {
    pub source: SourceType,
    pub id: i64,
    pub project: Option<ProjectId>,
    pub repo: Option<i64>,
    /// As people write it inside its project: `#12`, `!7`.
    pub reference: String,
    pub title: String,
    pub author: Option<String>,
    pub state: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub url: String,
    pub labels: Vec<String>,
    pub paths: Vec<String>,
    pub truncation: Option<Truncation>,
    text: String,
}

impl Draft {
    /// `first_line` is the head of the head: kind, reference and title.
    pub fn new(source: SourceType, id: i64, at: Timestamp, first_line: &str) -> Draft {
        Draft {
            source,
            id,
            project: None,
            repo: None,
            reference: String::new(),
            title: String::new(),
            author: None,
            state: None,
            created_at: at,
            updated_at: at,
            url: String::new(),
            labels: Vec::new(),
            paths: Vec::new(),
            truncation: None,
            text: format!("{}\n", one_line(first_line)),
        }
    }

    /// `Name: value`; a line break in the value does not end the head.
    pub fn line(&mut self, name: &str, value: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{name}: {}", one_line(value));
    }

    /// [`Draft::line`], unless there is nothing to tell.
    pub fn list(&mut self, name: &str, values: &[String]) {
        if !values.is_empty() {
            self.line(name, &values.join(", "));
        }
    }

    pub fn address(&mut self, url: &str) {
        // To the index `https` is `http`, and a search for that would find all.
        self.line("URL", url.split_once("://").map_or(url, |(_, address)| address));
    }

    pub fn body(&mut self, section: Section, body: &str) {
        if !body.is_empty() {
            self.text.push_str(section.line());
            self.text.push_str(body);
        }
    }

    pub fn finish(mut self) -> Document {
        let kept = at_most(&self.text, HARD_CAP).len();
        if kept < self.text.len() {
            self.text.truncate(kept);
            self.truncation = Some(Truncation::HardCap);
        }
        let title = one_line(&self.title);
        let labels = once(self.labels);
        let paths = once(self.paths);
        let content = Fingerprint::with_capacity(self.text.len() + 512)
            .maybe(self.project.map(|project| project.0.to_string()).as_deref())
            .maybe(self.repo.map(|repo| repo.to_string()).as_deref())
            .field(&self.reference)
            .field(&title)
            .field(&self.text)
            .field(&self.url)
            .maybe(self.state.as_deref())
            .maybe(self.author.as_deref())
            .number(self.created_at.as_millis())
            .number(self.updated_at.as_millis())
            .maybe(self.truncation.map(Truncation::as_str))
            .hash();
        Document {
            source: self.source,
            source_id: self.id,
            project: self.project,
            repo: self.repo,
            reference: self.reference,
            author: self.author,
            state: self.state,
            created_at: self.created_at,
            updated_at: self.updated_at,
            url: self.url,
            identifiers: identifiers::complement([title.as_str(), self.text.as_str()]),
            title,
            text: self.text,
            hashes: Hashes {
                content,
                labels: Fingerprint::of_list(&labels),
                paths: Fingerprint::of_list(&paths),
            },
            labels,
            paths,
            truncation: self.truncation,
        }
    }
}

/// Sorted, each once.
fn once(values: Vec<String>) -> Vec<String> {
    values.into_iter().collect::<BTreeSet<String>>().into_iter().collect()
}

pub fn one_line(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}
