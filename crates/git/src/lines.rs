//! Which lines of two texts are the same, found in process: git would run what
//! a repository configures on the way.

use crate::changes::Hunk;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::borrow::Cow;
use std::collections::HashMap;

/// The lines that differ, in the notation of git: where one side has none, its
/// start is the line before.
pub(crate) fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    // Slides hunks to where people expect them, as git does.
    diff.postprocess_lines(&input);
    let start =
        |range: &std::ops::Range<u32>| u64::from(range.start) + u64::from(!range.is_empty());
    diff.hunks()
        .map(|hunk| Hunk {
            old_start: start(&hunk.before),
            old_len: hunk.before.len() as u64,
            start: start(&hunk.after),
            len: hunk.after.len() as u64,
        })
        .collect()
}

/// For each line from `first` to `last` of the new text, from one, the line of
/// the old text that it is; none for a line that differs.
pub(crate) fn old_lines(hunks: &[Hunk], (first, last): (u64, u64)) -> Vec<Option<u64>> {
    let mut hunks = hunks.iter().peekable();
    // Behind a hunk, both sides go on from here.
    let (mut old_end, mut end) = (0, 0);
    let mut lines = Vec::new();
    for line in first..=last {
        while let Some(hunk) = hunks.next_if(|hunk| line >= span(hunk.start, hunk.len).1) {
            old_end = span(hunk.old_start, hunk.old_len).1 - 1;
            end = span(hunk.start, hunk.len).1 - 1;
        }
        let is_changed = hunks.peek().is_some_and(|hunk| line >= span(hunk.start, hunk.len).0);
        lines.push((!is_changed).then(|| line - end + old_end));
    }
    lines
}

/// As few letters and digits are alike by chance; git has the same number.
const MIN_MOVED: usize = 20;

/// Equal lines that are tried as the place a line was moved from.
const MAX_CANDIDATES: usize = 16;

/// Pairs the lines from `first` on that differ with equal lines elsewhere in the
/// old text: they were moved. The longest block counts.
pub(crate) fn pair_moved(pairs: &mut [Option<u64>], first: u64, old: &[u8], new: &[u8]) {
    let old: Vec<&[u8]> = old.split(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = new.split(|byte| *byte == b'\n').collect();
    let new = new.get(first as usize - 1..).unwrap_or_default();
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, line) in old.iter().copied().enumerate() {
        let known = places.entry(line).or_default();
        if known.len() < MAX_CANDIDATES {
            known.push(at);
        }
    }
    let mut at = 0;
    while at < pairs.len().min(new.len()) {
        let open = pairs[at..].iter().take_while(|pair| pair.is_none()).count();
        let open = &new[at..(at + open).min(new.len())];
        let alike =
            |from: usize| open.iter().zip(&old[from..]).take_while(|(new, old)| new == old).count();
        let candidates = open.first().and_then(|line| places.get(line));
        // Of equally long blocks the first.
        let best = candidates.into_iter().flatten().map(|from| (alike(*from), *from));
        let best = best.max_by_key(|(n_lines, from)| (*n_lines, std::cmp::Reverse(*from)));
        let Some((n_lines, from)) = best else {
            at += 1;
            continue;
        };
        let letters = open[..n_lines].iter().flat_map(|line| line.iter());
        if letters.filter(|byte| byte.is_ascii_alphanumeric()).count() >= MIN_MOVED {
            for (pair, from) in pairs[at..at + n_lines].iter_mut().zip(from..) {
                *pair = Some(from as u64 + 1);
            }
        }
        at += n_lines;
    }
}

/// The first line of a side of a hunk, and the one behind its last.
fn span(start: u64, len: u64) -> (u64, u64) {
    let begins = if len == 0 { start + 1 } else { start };
    (begins, begins + len)
}

/// How many lines a text has; one that ends without a line end counts.
pub(crate) fn count(text: &[u8]) -> u64 {
    text.split_inclusive(|byte| *byte == b'\n').count() as u64
}

/// The text as git stores it where line ends are converted on checkout.
pub(crate) fn with_unix_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.windows(2).any(|pair| pair == b"\r\n") {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            bytes.push(*byte);
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_paired_around_what_changed() {
        let old = b"one\ntwo\nthree\nfour\n";
        let new = b"zero\none\nTWO\nthree\n";
        let hunks = hunks(old, new);
        assert_eq!(old_lines(&hunks, (1, 4)), [None, Some(1), None, Some(3)]);
        assert_eq!(old_lines(&hunks, (4, 4)), [Some(3)]);
    }

    #[test]
    fn moved_lines_are_paired_unless_they_are_too_short() {
        let old = b"a line that is long enough\n}\nanother line that stays where it is\n}\n";
        let new = b"}\nanother line that stays where it is\n}\na line that is long enough\n}\n";
        let mut pairs = old_lines(&hunks(old, new), (1, 5));
        pair_moved(&mut pairs, 1, old, new);
        assert_eq!(pairs[1..4], [Some(3), Some(4), Some(1)]);
        let mut pairs = vec![None, None];
        pair_moved(&mut pairs, 3, b"}\nshort\n", b"x\ny\nshort\n}\n");
        assert_eq!(pairs, [None, None]);
    }

    #[test]
    fn line_ends_are_converted_and_nothing_else_is() {
        assert_eq!(&*with_unix_line_ends(b"a\r\nb\rc\r\r\n\r"), b"a\nb\rc\r\n\r");
        assert_eq!(count(b""), 0);
        assert_eq!(count(b"a\n\nb"), 3);
    }

    proptest! {
        #[test]
        fn paired_lines_are_equal(
            old in prop::collection::vec("[ab]{1,2}", 0..12),
            new in prop::collection::vec("[ab]{1,2}", 1..12),
        ) {
            let text = |lines: &[String]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
            let hunks = hunks(text(&old).as_bytes(), text(&new).as_bytes());
            let pairs = old_lines(&hunks, (1, new.len() as u64));
            let mut n_paired = 0;
            for (at, line) in pairs.iter().enumerate() {
                if let Some(line) = line {
                    prop_assert_eq!(&new[at], &old[*line as usize - 1]);
                    n_paired += 1;
                }
            }
            let n_added: u64 = hunks.iter().map(|hunk| hunk.len).sum();
            prop_assert_eq!(n_paired + n_added, new.len() as u64);
        }
    }
}
