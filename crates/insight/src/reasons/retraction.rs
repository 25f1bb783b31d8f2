//! Notes their writers took back: "never mind", "I was wrong", "you're right".

use search::decision;
use std::collections::BTreeMap;
use store::timeline::WrittenNote;

/// By which a writer takes back what they said before.
const TAKES_BACK: &[&str] = &[
    "never mind",
    "nevermind",
    "nvm",
    "scratch that",
    "take that back",
    "take it back",
    "took it back",
    "i was wrong",
    "i was mistaken",
    "i am wrong",
    "i'm wrong",
    "my mistake",
    "my bad",
    "ignore my",
    "ignore that",
    "ignore this comment",
    "disregard",
    "i misread",
    "i misunderstood",
    "stand corrected",
    "false alarm",
    "forget what i said",
    "i retract",
    "you're right",
    "you are right",
    "you're absolutely right",
    "you are absolutely right",
];
/// Only the beginning of a note takes something back.
const WORDS: usize = 40;
/// Outside a thread, only what was said shortly before.
const SHORTLY_MS: i64 = 2 * 24 * 3600 * 1000;

/// For each note, which later one took it back.
pub fn retractions(notes: &[WrittenNote]) -> BTreeMap<usize, usize> {
    let mut thread_sizes: BTreeMap<i64, usize> = BTreeMap::new();
    for note in notes {
        *thread_sizes.entry(note.discussion).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..notes.len()).collect();
    order.sort_by_key(|index| {
        (notes[*index].entity, notes[*index].created_at, notes[*index].forge_id)
    });
    let mut taken_back = BTreeMap::new();
    // The last note of each writer, in a thread and outside of any.
    let mut last: BTreeMap<(store::entities::EntityRow, &str, Option<i64>), usize> =
        BTreeMap::new();
    for index in order {
        let note = &notes[index];
        let Some(author) = note.author.as_deref() else { continue };
        let is_thread = thread_sizes.get(&note.discussion).is_some_and(|n| *n > 1);
        let place = (note.entity, author, is_thread.then_some(note.discussion));
        if let Some(earlier) = last.get(&place)
            && takes_back(&note.body)
        {
            let age = note.created_at.as_millis() - notes[*earlier].created_at.as_millis();
            if is_thread || age <= SHORTLY_MS {
                taken_back.insert(*earlier, index);
            }
        }
        last.insert(place, index);
    }
    taken_back
}

fn takes_back(body: &str) -> bool {
    let words = decision::own_words(body);
    let beginning: Vec<&str> = words.split_whitespace().take(WORDS).collect();
    let beginning = format!(" {} ", beginning.join(" "));
    TAKES_BACK.iter().any(|phrase| beginning.contains(&format!(" {phrase} ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EntityKind, Timestamp};
    use store::entities::EntityRow;

    fn note(discussion: i64, author: &str, minute: i64, body: &str) -> WrittenNote {
        WrittenNote {
            entity: EntityRow { kind: EntityKind::Issue, id: 1 },
            discussion,
            forge_id: minute,
            author: Some(author.to_owned()),
            author_name: None,
            body: body.to_owned(),
            created_at: Timestamp::from_millis(minute * 60_000),
            is_resolved: false,
            path: None,
            line: None,
        }
    }

    #[test]
    fn who_says_never_mind_takes_back_their_own_last_word() {
        let notes = [
            note(1, "ada", 0, "This leaks."),
            note(1, "bo", 1, "It is freed in close()."),
            note(1, "ada", 2, "Ah, you're right, never mind."),
            note(2, "ada", 3, "Ship it."),
        ];
        assert_eq!(retractions(&notes), BTreeMap::from([(0, 2)]));
    }

    #[test]
    fn agreeing_without_having_said_anything_takes_nothing_back() {
        let notes = [note(1, "ada", 0, "This leaks."), note(1, "bo", 1, "You're right.")];
        assert_eq!(retractions(&notes), BTreeMap::new());
    }

    #[test]
    fn outside_threads_only_what_was_said_shortly_before_is_meant() {
        let day = 24 * 60;
        let notes = [
            note(1, "ada", 0, "We should drop it."),
            note(2, "ada", 9 * day, "I was wrong about the weather."),
        ];
        assert_eq!(retractions(&notes), BTreeMap::new());
        let soon = [
            notes[0].clone(),
            WrittenNote { created_at: Timestamp::from_millis(60_000), ..notes[1].clone() },
        ];
        assert_eq!(retractions(&soon), BTreeMap::from([(0, 1)]));
    }
}
