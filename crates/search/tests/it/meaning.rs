//! What is found by its meaning, and what becomes of an answer when it cannot be.

use crate::index::{Index, NOW, Topics, document, request};
use expect_test::expect;
use model::ErrorCode;
use model::ids::ProjectId;
use search::embedding::EmbedOptions;
use search::{Fusion, Mode, Request, Searcher, Syntax};
use store::document_set::DocumentFilter;

const TEXTS: &[&str] = &[
    "Issue #0: a\n\n--- Description ---\nThe boat drifts at night.",
    "Issue #1: b\n\n--- Description ---\nThe price is too high.",
    "Issue #2: c\n\n--- Description ---\nA storm took the mast.",
    "Issue #3: d\n\n--- Description ---\nForgotten password mails arrive late.",
];

fn ask(query: &str, mode: Mode) -> Request {
    let without = vec![search::FLOOR.to_owned()];
    Request { mode, limit: 4, without, ..request(query, Syntax::Safe) }
}

fn embedded() -> (Index, Topics) {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    index.embed(&topics, EmbedOptions::default()).unwrap();
    (index, topics)
}

#[test]
fn other_words_for_the_same_thing_are_found() {
    let (index, topics) = embedded();
    for mode in [Mode::Hybrid, Mode::Semantic] {
        assert_eq!(index.found(&topics, &ask("vessel", mode))[0], "#0", "{mode:?}");
        assert_eq!(index.found(&topics, &ask("expensive", mode))[0], "#1", "{mode:?}");
    }
    assert!(index.found(&topics, &ask("vessel", Mode::Lexical)).is_empty());
    let by_ranks = Request { fusion: Fusion::Rrf, ..ask("vessel", Mode::Hybrid) };
    assert_eq!(index.found(&topics, &by_ranks)[0], "#0");
}

#[test]
fn marks_bind_in_every_mode() {
    let (index, topics) = embedded();
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
        assert_eq!(index.found(&topics, &ask("vessel +storm", mode)), ["#2"], "{mode:?}");
        assert_eq!(index.found(&topics, &ask("\"too high\"", mode)), ["#1"], "{mode:?}");
    }
    let raw = Request { syntax: Syntax::Raw, ..ask("night OR mast", Mode::Hybrid) };
    let mut found = index.found(&topics, &raw);
    found.sort();
    assert_eq!(found, ["#0", "#2"]);
}

#[test]
fn a_filter_that_leaves_the_farthest_finds_it() {
    let (index, topics) = embedded();
    let filter = DocumentFilter {
        created_since: Some(document(ProjectId(1), 3, "").created_at),
        ..DocumentFilter::default()
    };
    for mode in [Mode::Hybrid, Mode::Semantic] {
        let request = Request { filter: filter.clone(), ..ask("vessel", mode) };
        assert_eq!(index.found(&topics, &request), ["#3"], "{mode:?}");
    }
}

#[test]
fn pages_fit_together() {
    let (index, topics) = embedded();
    let all = index.found(&topics, &ask("a vessel in a storm", Mode::Hybrid));
    let page = |offset| {
        let request = Request { limit: 2, offset, ..ask("a vessel in a storm", Mode::Hybrid) };
        index.found(&topics, &request)
    };
    assert_eq!([page(0), page(2)].concat(), all);
    assert_eq!(all.len(), 4);
    assert!(page(4).is_empty());
}

#[test]
fn the_passage_shown_is_the_nearest_part_of_a_long_text() {
    let filler = "Nothing of note happened on this day at all. ".repeat(12);
    let text =
        format!("Issue #0: x\n\n--- Description ---\n{filler}\n\nThe vessel came home. {filler}");
    let index = Index::new(&[&text]);
    let topics = Topics::new();
    let report = index.embed(&topics, EmbedOptions::default()).unwrap();
    assert!(report.texts > 3, "{report:?}");
    let reader = index.reader();
    let searcher = Searcher { reader: &reader, provider: Some(&topics), now: NOW };
    let results = searcher.find(&ask("boat", Mode::Semantic)).unwrap();
    assert_eq!(results.items.len(), 1, "chunks are one document");
    let snippet = &results.items[0].snippet;
    assert!(snippet.contains("The vessel came home"), "{snippet}");
}

#[test]
fn an_explanation_shows_both_ranks_and_what_was_added() {
    let (index, topics) = embedded();
    let reader = index.reader();
    let searcher = Searcher { reader: &reader, provider: Some(&topics), now: NOW };
    let request = Request { explain: true, limit: 1, ..ask("price", Mode::Hybrid) };
    let mut hit = searcher.find(&request).unwrap().items.remove(0);
    let explanation = hit.explanation.as_mut().unwrap();
    assert!(explanation.similarity.take().is_some_and(|it| it > 0.8));
    assert!(explanation.lexical_score.take().is_some());
    expect![[r#"
        Explanation {
            lexical_rank: Some(
                1,
            ),
            lexical_score: None,
            semantic_rank: Some(
                1,
            ),
            similarity: None,
            fused: 1.0,
            coverage: Some(
                1.0,
            ),
            nearness: Some(
                0.986,
            ),
            signals: {
                "recency": 0.02,
                "same-project": 0.0,
                "spoken-of": 0.0,
                "title": 0.0,
            },
        }
    "#]]
    .assert_debug_eq(&explanation);
    let without = Request { without: vec!["recency".to_owned()], ..request };
    let hit = searcher.find(&without).unwrap().items.remove(0);
    assert!(!hit.explanation.unwrap().signals.contains_key("recency"));
    let unknown = Request { without: vec!["luck".to_owned()], ..without };
    assert_eq!(searcher.find(&unknown).unwrap_err().code(), ErrorCode::Usage);
}

#[test]
fn without_the_model_words_answer_and_say_so() {
    let (index, mut topics) = embedded();
    topics.is_down = true;
    let reader = index.reader();
    let searcher = Searcher { reader: &reader, provider: Some(&topics), now: NOW };
    let results = searcher.find(&ask("price", Mode::Hybrid)).unwrap();
    assert_eq!((results.mode, results.items.len()), (Mode::Lexical, 1));
    assert_eq!(results.warnings, ["found by words only: nobody is there (start it)"]);
    let error = searcher.find(&ask("price", Mode::Semantic)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::OllamaUnavailable);
}

#[test]
fn without_vectors_words_answer_and_meaning_alone_says_what_to_run() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    let reader = index.reader();
    let searcher = Searcher { reader: &reader, provider: Some(&topics), now: NOW };
    let results = searcher.find(&ask("price", Mode::Hybrid)).unwrap();
    assert_eq!(results.mode, Mode::Lexical);
    assert!(results.warnings[0].contains("run: lore embed"), "{:?}", results.warnings);
    let error = searcher.find(&ask("price", Mode::Semantic)).unwrap_err();
    assert_eq!(
        (error.code(), error.suggestion()),
        (ErrorCode::EmbeddingFailed, Some("run: lore embed"))
    );
    let off = Searcher { reader: &reader, provider: None, now: NOW };
    assert!(off.find(&ask("price", Mode::Hybrid)).unwrap().warnings.is_empty());
    assert_eq!(
        off.find(&ask("price", Mode::Semantic)).unwrap_err().code(),
        ErrorCode::EmbeddingFailed
    );
}

#[test]
fn a_partly_embedded_index_is_searched_both_ways_with_a_note() {
    let (index, topics) = (Index::new(TEXTS), Topics::new());
    let some = EmbedOptions { most_texts: Some(1), ..EmbedOptions::default() };
    index.embed(&topics, some).unwrap();
    index.change(&document(ProjectId(1), 9, "Issue #9: x\n\n--- Description ---\nA vessel at sea"));
    let reader = index.reader();
    let searcher = Searcher { reader: &reader, provider: Some(&topics), now: NOW };
    let results = searcher.find(&ask("vessel", Mode::Hybrid)).unwrap();
    let references: Vec<&str> = results.items.iter().map(|hit| hit.reference.as_str()).collect();
    assert_eq!(references[..2], ["group/app#9", "group/app#0"]);
    assert!(results.warnings[0].starts_with("1 of 5 documents"), "{:?}", results.warnings);
}
