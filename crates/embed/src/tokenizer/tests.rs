//! What the pieces of a text are and where they point. That the ids are those
//! of the reference is tested in `tests/reference.rs`.

use crate::Model;
use proptest::prelude::*;

/// Pieces with the part of the text each stands for.
fn pieces(text: &str) -> Vec<(u32, &str)> {
    let tokenizer = Model::builtin().expect("the model is readable").tokenizer();
    let found = tokenizer.encode_with_offsets(text);
    found.into_iter().map(|(id, place)| (id, &text[place])).collect()
}

#[test]
fn pieces_point_at_the_text_they_came_from() {
    let parts = |text| pieces(text).into_iter().map(|(_, part)| part).collect::<Vec<_>>();
    assert_eq!(parts("Retry  the CI-job!"), ["Re", "try", "the", "CI", "-", "job", "!"]);
    assert_eq!(parts("Überprüfung"), ["Über", "pr", "üf", "ung"]);
    assert_eq!(parts("数据库 ok"), ["数", "据", "库", "ok"]);
    assert_eq!(parts("e\u{301}tat"), ["e\u{301}tat"]);
}

#[test]
fn marks_of_the_model_in_a_text_are_text() {
    let ids: Vec<u32> = pieces("[CLS] [SEP]").into_iter().map(|(id, _)| id).collect();
    assert!(ids.len() > 2 && !ids.contains(&101) && !ids.contains(&102), "{ids:?}");
}

#[test]
fn a_word_of_more_than_a_hundred_characters_is_one_unknown() {
    let text = format!("{} b", "a".repeat(101));
    let found = pieces(&text);
    assert_eq!(found.iter().map(|(id, part)| (*id, part.len())).collect::<Vec<_>>()[0], (100, 101));
    assert_eq!(found.len(), 2);
}

#[test]
fn only_as_much_is_read_as_was_asked_for() {
    let tokenizer = Model::builtin().expect("the model is readable").tokenizer();
    let text = "many words ".repeat(200_000);
    assert_eq!(tokenizer.encode_up_to(&text, 3), tokenizer.encode("many words many"));
}

proptest! {
    #[test]
    fn any_text_has_pieces_that_lie_within_it_in_order(text in "\\PC*|[\\s\\S]{0,60}") {
        let tokenizer = Model::builtin().expect("the model is readable").tokenizer();
        let found = tokenizer.encode_with_offsets(&text);
        prop_assert_eq!(found.len(), tokenizer.count(&text));
        let ids: Vec<u32> = found.iter().map(|(id, _)| *id).collect();
        prop_assert_eq!(ids, tokenizer.encode(&text));
        for (_, place) in found {
            prop_assert!(text.get(place.clone()).is_some_and(|part| !part.is_empty()), "{place:?}");
        }
    }
}
