//! Vectors follow the documents: what is new, what changed, what is gone, and
//! another model.

use crate::index::{Index, Topics, document, request};
use model::ErrorCode;
use model::ids::ProjectId;
use search::embedding::{EmbedOptions, Provider};
use search::{Mode, Request, Syntax};
use std::sync::atomic::Ordering;
use store::dirty::SourceType;
use store::{Writer, documents, embeddings, vectors};

const TEXTS: &[&str] = &["a boat", "the price", "some rain", "a login"];

fn semantic(query: &str) -> Request {
    let without = vec![search::FLOOR.to_owned()];
    Request { mode: Mode::Semantic, limit: 1, without, ..request(query, Syntax::Safe) }
}

fn all() -> EmbedOptions {
    EmbedOptions::default()
}

#[test]
fn only_what_changed_is_read_again() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    let report = index.embed(&topics, all()).unwrap();
    assert_eq!((report.embedded, report.texts, report.left), (4, 4, 0));
    assert_eq!(index.embed(&topics, all()).unwrap().texts, 0);
    index.change(&document(ProjectId(1), 1, "the weather"));
    assert_eq!(index.embed(&topics, all()).unwrap().texts, 1);
    assert_eq!(index.found(&topics, &semantic("storm")).len(), 1);
    let coverage = embeddings::coverage(&index.reader(), &topics.space()).unwrap();
    assert_eq!((coverage.documents, coverage.embedded, coverage.chunks), (4, 4, 4));
}

#[test]
fn a_change_that_is_not_in_the_text_reads_nothing_again() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    index.embed(&topics, all()).unwrap();
    let mut moved = document(ProjectId(1), 0, "a boat");
    moved.hashes.content = model::hash::Hash32::of(b"another state");
    index.change(&moved);
    let report = index.embed(&topics, all()).unwrap();
    assert_eq!((report.embedded, report.texts, report.reused), (1, 0, 1));
}

#[test]
fn a_run_that_was_cut_short_goes_on_with_the_older_ones() {
    let many: Vec<String> = (0..100).map(|n| format!("boat number {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (index, topics) = (Index::new(&many), Topics::new());
    let some = EmbedOptions { most_texts: Some(30), ..all() };
    let first = index.embed(&topics, some).unwrap();
    assert!((30..100).contains(&first.texts), "{first:?}");
    assert_eq!(first.left, 100 - first.embedded);
    let newest = index.found(&topics, &semantic("boat number 99"));
    assert_eq!(newest, ["#99"]);
    let rest = index.embed(&topics, all()).unwrap();
    assert_eq!((first.texts + rest.texts, rest.left), (100, 0));
}

#[test]
fn another_model_reads_everything_and_is_never_mixed() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    index.embed(&topics, all()).unwrap();
    let other = Topics { name: "other", dims: 128, ..Topics::new() };
    assert!(!vectors::exist(&index.reader(), &other.space()).unwrap());
    let some = EmbedOptions { most_texts: Some(1), ..all() };
    index.embed(&other, some).unwrap();
    assert_eq!(index.embed(&other, all()).unwrap().left, 0);
    assert_eq!(other.n_read.load(Ordering::Relaxed), 4);
    assert!(!vectors::exist(&index.reader(), &topics.space()).unwrap());
    assert_eq!(index.found(&other, &semantic("vessel")), ["#0"]);
}

#[test]
fn a_document_that_is_gone_takes_its_vectors_along() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    index.embed(&topics, all()).unwrap();
    let mut writer = Writer::open(&index.path).unwrap();
    assert!(writer.write(|tx| documents::remove(tx, SourceType::Issue, 0)).unwrap());
    let reader = index.reader();
    let scan = vectors::scan(&reader, &topics.space(), &[1.0; 64], None, 10).unwrap();
    assert_eq!((scan.n_chunks, scan.n_documents), (3, 3));
    assert_eq!(vectors::compare(&reader, &[1.0; 64], &scan.near).unwrap().len(), 3);
    // The place is free, and the next document does not inherit anything.
    index.change(&document(ProjectId(1), 7, "a storm"));
    index.embed(&topics, all()).unwrap();
    let found = index.found(&topics, &Request { limit: 9, ..semantic("storm") });
    assert_eq!(found[0], "#7");
    assert_eq!(found.len(), 4);
}

#[test]
fn failures_are_kept_and_tried_again_when_asked() {
    let index = Index::new(&["a boat", "unreadable"]);
    let topics = Topics::new();
    let report = index.embed(&topics, all()).unwrap();
    assert_eq!((report.embedded, report.failed, report.left), (1, 1, 0));
    assert_eq!(embeddings::failures(&index.reader(), 5).unwrap()[0].1, "cannot read it");
    assert_eq!(index.embed(&topics, all()).unwrap().texts, 0, "not again by itself");
    let again = EmbedOptions { retry_failed: true, ..all() };
    assert_eq!(index.embed(&topics, again).unwrap().failed, 1);
    let coverage = embeddings::coverage(&index.reader(), &topics.space()).unwrap();
    assert_eq!((coverage.embedded, coverage.failed), (1, 1));
    index.change(&document(ProjectId(1), 1, "readable now"));
    assert_eq!(index.embed(&topics, all()).unwrap().embedded, 1);
    assert!(embeddings::failures(&index.reader(), 5).unwrap().is_empty());
}

#[test]
fn a_vector_of_the_wrong_length_is_a_failure_and_not_stored() {
    struct Short(Topics);
    impl Provider for Short {
        fn space(&self) -> vectors::EmbeddingSpace {
            vectors::EmbeddingSpace { dims: 70, ..self.0.space() }
        }
        fn max_tokens(&self) -> usize {
            self.0.max_tokens()
        }
        fn tokens(&self, text: &str) -> Vec<std::ops::Range<usize>> {
            self.0.tokens(text)
        }
        fn embed_query(&self, text: &str) -> model::Result<Vec<f32>> {
            self.0.embed_query(text)
        }
        fn embed_documents(&self, texts: &[String]) -> model::Result<Vec<model::Result<Vec<f32>>>> {
            self.0.embed_documents(texts)
        }
        fn check(&self) -> model::Result<String> {
            self.0.check()
        }
    }
    let index = Index::new(&["a boat"]);
    let report = index.embed(&Short(Topics::new()), all()).unwrap();
    assert_eq!((report.embedded, report.failed), (0, 1));
    let failure = &embeddings::failures(&index.reader(), 1).unwrap()[0].1;
    assert_eq!(failure, "topics gave a vector of 64 numbers instead of 70");
}

#[test]
fn beginning_anew_forgets_first() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    index.embed(&topics, all()).unwrap();
    let report = index.embed(&topics, EmbedOptions { full: true, ..all() }).unwrap();
    assert_eq!((report.texts, report.reused), (4, 0));
    assert_eq!(index.found(&topics, &semantic("vessel")), ["#0"]);
}

#[test]
fn more_than_a_block_of_chunks() {
    let many: Vec<String> = (0..1100).map(|n| format!("boat {n} of the fleet")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (index, topics) = (Index::new(&many), Topics::new());
    index.embed(&topics, all()).unwrap();
    assert_eq!(index.found(&topics, &semantic("boat 1077 of the fleet")), ["#1077"]);
    let every = Request { limit: 1100, ..semantic("boat") };
    assert_eq!(index.found(&topics, &every).len(), 1100);
    assert_eq!(n_wrong_codes(&index), 0);
    // A later one is coded around the same centre.
    index.change(&document(ProjectId(1), 2000, "the last boat of all"));
    index.embed(&topics, all()).unwrap();
    assert_eq!(n_wrong_codes(&index), 0);
    assert_eq!(index.found(&topics, &semantic("the last boat of all")), ["#2000"]);
}

fn n_wrong_codes(index: &Index) -> u64 {
    let findings = store::check::check(&index.reader(), crate::index::NOW, &[]).unwrap();
    findings.into_iter().find(|finding| finding.id == "search_codes").unwrap().count
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    let cancel = model::CancelToken::default();
    cancel.cancel();
    let error = search::embedding::Embedding {
        queue: &index.queue(),
        clock: &model::time::FixedClock(crate::index::NOW),
        progress: &model::progress::NoProgress,
        provider: &topics,
        cancel: &cancel,
    }
    .run(all())
    .unwrap_err();
    assert_eq!(error.code(), ErrorCode::Interrupted);
    assert!(error.suggestion().unwrap().contains("lore embed"));
}
