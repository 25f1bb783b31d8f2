//! How many tokens a text has, about: rather too many than too few, whatever
//! the model. It needs no vocabulary and no time, for answers whose limit is a
//! courtesy; [`super::count`] is for budgets. How near it comes to real
//! tokenizers is in `docs/benchmarks.md`.

/// Letters of a word in one token; words of code are cut more often than prose.
const LETTERS: usize = 4;
const DIGITS: usize = 3;
/// Marks in a row: `":"` and `"},{"` are one or two tokens of a vocabulary.
const MARKS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Blank,
    Mark,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        ' ' => Class::Blank,
        c if c.is_ascii() => Class::Mark,
        _ => Class::Other,
    }
}

pub fn estimate(text: &str) -> usize {
    let mut total = 0;
    let mut run = 0;
    let mut of = Class::Blank;
    for c in text.chars() {
        let class = class(c);
        if class != of {
            total += cost(of, run);
            (of, run) = (class, 0);
        }
        run += if class == Class::Other { c.len_utf8() } else { 1 };
    }
    total += cost(of, run);
    // Names and hashes in short lines are cut a little more often than the words of prose.
    total + total / 24
}

/// A blank belongs to the word after it.
fn cost(class: Class, run: usize) -> usize {
    match class {
        Class::Letter => run.div_ceil(LETTERS),
        Class::Digit => run.div_ceil(DIGITS),
        Class::Mark => run.div_ceil(MARKS),
        Class::Blank => run / 4,
        // Bytes: a character of Chinese has three, and one or two tokens.
        Class::Other => run.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_text_is_more_tokens() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("why"), 1);
        assert!(estimate("why did we remove NATS") >= 5);
        assert!(estimate(r#"{"a":1,"b":"x"}"#) >= 9);
        assert!(estimate("漢字") >= 2);
    }
}
