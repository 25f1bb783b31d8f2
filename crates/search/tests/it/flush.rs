//! New documents and the full-text index: whatever happens between storing and
//! flushing, the next flush makes both say the same.

use crate::index::{Index, document, request};
use model::ids::ProjectId;
use proptest::prelude::*;
use search::{Syntax, find};
use std::collections::BTreeMap;
use store::dirty::SourceType;
use store::{Writer, documents};

/// What happens to one of a handful of documents.
#[derive(Debug, Clone)]
enum Step {
    Store(i64, u8),
    Remove(i64),
    Flush,
    /// The process dies and another one begins.
    Die,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..6_i64, 0..8_u8).prop_map(|(id, word)| Step::Store(id, word)),
        2 => (0..6_i64).prop_map(Step::Remove),
        1 => Just(Step::Flush),
        1 => Just(Step::Die),
    ];
    proptest::collection::vec(step, 1..30)
}

fn text(word: u8) -> String {
    format!("word{word}")
}

fn n_with(index: &Index, word: &str) -> u64 {
    // Nothing is indexed where there are no documents.
    find(&index.reader(), &request(word, Syntax::Safe)).map_or(0, |found| found.total)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_was_stored_is_lost_and_nothing_that_was_removed_is_found(steps in steps()) {
        let index = Index::new(&[]);
        let mut writer = Writer::open(&index.path).unwrap();
        let mut expected: BTreeMap<i64, u8> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Store(id, word) => {
                    let made = document(ProjectId(1), id, &text(word));
                    writer.write(|tx| documents::store(tx, &made)).unwrap();
                    expected.insert(id, word);
                }
                Step::Remove(id) => {
                    writer.write(|tx| documents::remove(tx, SourceType::Issue, id)).unwrap();
                    expected.remove(&id);
                }
                Step::Flush => writer.write(documents::flush_full_text).unwrap(),
                Step::Die => writer = Writer::open(&index.path).unwrap(),
            }
        }
        writer.write(documents::flush_full_text).unwrap();
        for word in 0..8 {
            let n = expected.values().filter(|it| **it == word).count() as u64;
            prop_assert_eq!(n_with(&index, &text(word)), n, "{}", text(word));
        }
        let findings = store::check::check(&index.reader(), crate::index::NOW, &[]).unwrap();
        let wrong: Vec<_> = findings.iter().filter(|it| it.count > 0).map(|it| it.id).collect();
        // Documents without a source are this test's own doing.
        prop_assert!(!wrong.iter().any(|id| id.contains("index")), "{wrong:?}");
    }
}
