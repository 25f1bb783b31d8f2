//! Keeping documents to a size, and saying so.

use store::documents::Truncation;

/// A thread's notes together, in characters.
pub const THREAD_LIMIT: usize = 32_000;
/// Any document, in characters.
pub const HARD_CAP: usize = 2_000_000;

/// Left free for the line that says what is missing.
const ROOM_FOR_NOTICE: usize = 100;
const BETWEEN: &str = "\n\n";

/// Joins the notes of a thread. Too long, it keeps the first and the last and
/// drops from the middle.
pub fn join_notes(notes: &[String], limit: usize) -> (String, Option<Truncation>) {
    let lengths: Vec<usize> = notes.iter().map(|note| note.chars().count()).collect();
    let total = lengths.iter().sum::<usize>() + BETWEEN.len() * notes.len().saturating_sub(1);
    if total <= limit {
        return (notes.join(BETWEEN), None);
    }
    let room = limit.saturating_sub(ROOM_FOR_NOTICE);
    match notes {
        [] => (String::new(), None),
        [only] => (at_most(only, limit).to_owned(), Some(Truncation::SingleNote)),
        [first, .., last] => {
            let n_last = lengths[notes.len() - 1];
            if lengths[0] + n_last + 2 * BETWEEN.len() > room {
                let half = (room - 2 * BETWEEN.len()) / 2;
                // What one side does not need, the other may have.
                let first = at_most(first, half.max((2 * half).saturating_sub(n_last)));
                let left = 2 * half - first.chars().count();
                let parts =
                    [first.to_owned(), notice(notes.len() - 2), at_most(last, left).to_owned()];
                let parts: Vec<String> =
                    parts.into_iter().filter(|part| !part.is_empty()).collect();
                return (parts.join(BETWEEN), Some(Truncation::FirstAndLast));
            }
            (drop_middle(notes, &lengths, room), Some(Truncation::MiddleDropped))
        }
    }
}

/// Takes notes from both ends in turn, as long as they fit.
fn drop_middle(notes: &[String], lengths: &[usize], room: usize) -> String {
    let (mut n_first, mut n_last) = (1, 1);
    let mut used = lengths[0] + lengths[notes.len() - 1] + 2 * BETWEEN.len();
    let (mut can_first, mut can_last) = (true, true);
    while (can_first || can_last) && n_first + n_last < notes.len() {
        if can_first {
            let cost = lengths[n_first] + BETWEEN.len();
            can_first = used + cost <= room;
            if can_first {
                used += cost;
                n_first += 1;
            }
        }
        if can_last && n_first + n_last < notes.len() {
            let cost = lengths[notes.len() - 1 - n_last] + BETWEEN.len();
            can_last = used + cost <= room;
            if can_last {
                used += cost;
                n_last += 1;
            }
        }
    }
    let mut parts: Vec<String> = notes[..n_first].to_vec();
    parts.push(notice(notes.len() - n_first - n_last));
    parts.extend_from_slice(&notes[notes.len() - n_last..]);
    parts.join(BETWEEN)
}

fn notice(n_dropped: usize) -> String {
    match n_dropped {
        0 => String::new(),
        1 => "[1 note left out]".to_owned(),
        n => format!("[{n} notes left out]"),
    }
}

/// The first `n` characters.
pub fn at_most(text: &str, n: usize) -> &str {
    text.char_indices().nth(n).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn notes(lengths: &[usize]) -> Vec<String> {
        lengths.iter().zip('a'..).map(|(n, c)| c.to_string().repeat(*n)).collect()
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(join_notes(&notes(&[3, 2]), 200), ("aaa\n\nbb".to_owned(), None));
        assert_eq!(join_notes(&[], 200), (String::new(), None));
    }

    #[test]
    fn the_middle_goes_first() {
        let (text, why) = join_notes(&notes(&[20, 90, 90, 90, 20]), 300);
        assert_eq!(why, Some(Truncation::MiddleDropped));
        assert!(text.starts_with("aaa") && text.ends_with("eee"), "{text}");
        assert!(text.contains("bbb\n\n[2 notes left out]\n\neee"), "{text}");
    }

    #[test]
    fn one_giant_note_is_cut_between_characters() {
        let (text, why) = join_notes(&["é".repeat(500)], 200);
        assert_eq!((text.chars().count(), why), (200, Some(Truncation::SingleNote)));
    }

    #[test]
    fn giant_ends_share_the_room() {
        let (text, why) = join_notes(&notes(&[500, 9, 10]), 300);
        assert_eq!(why, Some(Truncation::FirstAndLast));
        assert!(text.ends_with("[1 note left out]\n\ncccccccccc"), "{text}");
        assert!(text.starts_with(&"a".repeat(150)), "{text}");
    }

    proptest! {
        #[test]
        fn the_limit_holds(lengths in prop::collection::vec(0usize..400, 0..12)) {
            let (text, why) = join_notes(&notes(&lengths), 300);
            prop_assert!(text.chars().count() <= 300);
            let whole = lengths.iter().sum::<usize>() + 2 * lengths.len().saturating_sub(1);
            prop_assert_eq!(why.is_some(), whole > 300);
        }
    }
}
