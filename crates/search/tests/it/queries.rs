//! Whatever is typed, an answer comes back: no panic, no error of the
//! database. Only raw syntax can be wrong, and then the user is told.

use crate::index::{Index, document, request};
use model::ErrorCode;
use model::ids::ProjectId;
use proptest::prelude::*;
use search::{Syntax, find};
use store::Writer;
use store::dirty::SourceType;
use store::documents::{self, UpsertOutcome};

const TEXTS: &[&str] = &[
    "Build with -DWITH_SSL and C++",
    "We don't retry: the retry_budget is spent",
    "\"quoted\" AND near OR not * ^ : ( ) { } 🎉",
];

#[test]
fn hostile_queries_find_what_they_say() {
    let index = Index::new(TEXTS);
    let reader = index.reader();
    let total = |query: &str| find(&reader, &request(query, Syntax::Safe)).unwrap().total;
    assert_eq!(total("-DWITH_SSL"), 1);
    assert_eq!(total("C++"), 1);
    assert_eq!(total("don't"), 1);
    assert_eq!(total("\"quoted"), 1);
    assert_eq!(total("budg*"), 1);
    assert_eq!(total("\"budget retry\""), 1, "relaxed to its words");
    assert_eq!(total("+retry +quoted"), 0);
    assert_eq!(total("🎉"), 0);
    assert_eq!(total("nothing\0retry"), 1);
    assert_eq!(total(&"retry( \"x ".repeat(1_200)), 1);
    let many: Vec<String> = (0..2_000).map(|n| format!("w{n}")).collect();
    assert_eq!(total(&many.join(" ")), 0);
    assert_eq!(total(&format!("+{}", many.join(" +"))), 0);
}

#[test]
fn a_word_that_is_not_there_brings_near_ones() {
    let index = Index::new(TEXTS);
    let results = find(&index.reader(), &request("budgte", Syntax::Safe)).unwrap();
    assert_eq!(results.total, 0);
    assert_eq!(results.suggestions.first().map(String::as_str), Some("budget"));
}

#[test]
fn wrong_raw_syntax_is_a_usage_error() {
    let index = Index::new(TEXTS);
    let reader = index.reader();
    for query in ["a AND (", "\"open", "nosuch : a", "*a", "NEAR(", "a ^^"] {
        let error = find(&reader, &request(query, Syntax::Raw)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Usage, "{query}: {error:?}");
    }
    let results = find(&reader, &request("retry NOT quoted", Syntax::Raw)).unwrap();
    assert_eq!(results.total, 1);
    let nothing = find(&reader, &request("", Syntax::Raw)).unwrap();
    assert_eq!((nothing.total, nothing.warnings.len()), (0, 1));
}

#[test]
fn an_index_without_documents_says_what_to_run() {
    let index = Index::new(&[]);
    let error = find(&index.reader(), &request("retry", Syntax::Safe)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotIndexed);
    assert_eq!(error.suggestion(), Some("run: lore sync"));
}

#[test]
fn the_same_document_is_written_once() {
    let index = Index::new(&["one"]);
    let mut writer = Writer::open(&index.path).unwrap();
    let stored = |writer: &mut Writer, text: &str| {
        let store = |tx: &store::Tx<'_>| {
            let stored = documents::store(tx, &document(ProjectId(1), 0, text))?;
            documents::flush_full_text(tx)?;
            Ok(stored)
        };
        writer.write(store).unwrap()
    };
    assert_eq!(stored(&mut writer, "one"), UpsertOutcome::Unchanged);
    assert_eq!(stored(&mut writer, "two"), UpsertOutcome::Changed);
    let total = |query: &str| find(&index.reader(), &request(query, Syntax::Safe)).unwrap().total;
    assert_eq!((total("one"), total("two")), (0, 1));
    assert!(writer.write(|tx| documents::remove(tx, SourceType::Issue, 0)).unwrap());
    assert_eq!(documents::count(&writer).unwrap(), 0);
}

#[test]
fn any_input_gets_an_answer() {
    let index = Index::new(TEXTS);
    let reader = index.reader();
    let syntax = r#"([-+*"'():^{}\\\x00 ]|AND|OR|NOT|NEAR|retry|C\+\+|é|🎉|\PC){0,24}"#;
    proptest!(ProptestConfig::with_cases(400), |(query in syntax)| {
        match find(&reader, &request(&query, Syntax::Safe)) {
            Ok(_) => {}
            Err(error) => {
                prop_assert_eq!(error.code(), ErrorCode::Usage);
                prop_assert!(query.replace('\0', " ").trim().is_empty(), "{:?}", query);
            }
        }
        if let Err(error) = find(&reader, &request(&query, Syntax::Raw)) {
            prop_assert_eq!(error.code(), ErrorCode::Usage, "{:?}: {:?}", query, error);
        }
    });
}
