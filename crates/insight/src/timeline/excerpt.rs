//! The part of a note worth showing: one line around what counts in it.

use model::text::clean;

/// Characters of an excerpt, about.
const LENGTH: usize = 200;
/// How far back the sentence may begin.
const LEAD: usize = 90;

/// About 200 characters of what the writer wrote himself, from the beginning
/// of the sentence in which the first of `focus` (small letters) stands.
pub(crate) fn excerpt(body: &str, focus: &[&str]) -> String {
    let text = own_text(body);
    let chars: Vec<char> = text.chars().collect();
    let start = focus
        .iter()
        .filter(|_| chars.len() > LENGTH)
        .find_map(|phrase| find(&chars, phrase))
        .map_or(0, |at| sentence_start(&chars, at));
    let mut end = chars.len().min(start + LENGTH);
    if end < chars.len() {
        // Cut between words where there is a gap near.
        let gap = (end.saturating_sub(25)..end).rev().find(|at| chars[*at] == ' ');
        end = gap.unwrap_or(end);
    }
    let mut out = String::new();
    if start > 0 {
        out.push('…');
    }
    out.extend(&chars[start..end]);
    if end < chars.len() {
        out.push('…');
    }
    out
}

/// Without quotations and code, on one line; all of it when nothing is left.
fn own_text(body: &str) -> String {
    // Enough for any excerpt, and a two-megabyte note costs no more.
    let body: String = body.chars().take(20_000).collect();
    let mut is_code = false;
    let mut own: Vec<&str> = Vec::new();
    for line in body.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !trimmed.starts_with('>') && !trimmed.starts_with("|--") {
            own.push(trimmed);
        }
    }
    let own = own.join(" ");
    let text = if own.trim().is_empty() { body.as_str() } else { own.as_str() };
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" ")).replace("**", "")
}

/// Where a phrase stands, ignoring case and the kind of apostrophe.
fn find(chars: &[char], phrase: &str) -> Option<usize> {
    let phrase: Vec<char> = phrase.chars().collect();
    let same = |a: char, b: char| {
        let a = if a == '’' { '\'' } else { a };
        a == b || a.to_lowercase().eq(b.to_lowercase())
    };
    let starts_word = |at: usize| at == 0 || !chars[at - 1].is_alphanumeric();
    (0..chars.len().saturating_sub(phrase.len())).find(|at| {
        starts_word(*at) && phrase.iter().enumerate().all(|(i, c)| same(chars[at + i], *c))
    })
}

fn sentence_start(chars: &[char], at: usize) -> usize {
    let earliest = at.saturating_sub(LEAD);
    let is_start = |i: &usize| {
        *i == 0
            || (chars[*i - 1] == ' ' && *i > 1 && matches!(chars[*i - 2], '.' | '!' | '?' | ':'))
    };
    let begins = (earliest..=at).rev().find(is_start);
    let word = || (earliest..=at).find(|i| *i == 0 || chars[*i - 1] == ' ');
    begins.or_else(word).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_note_is_shown_whole_without_what_it_quotes() {
        assert_eq!(
            excerpt("> why?\n\n**Because** of\n  the frost.", &["because"]),
            "Because of the frost."
        );
        assert_eq!(excerpt("> only a quote", &[]), "> only a quote");
    }

    #[test]
    fn a_long_note_starts_at_the_sentence_that_counts() {
        let long = format!(
            "{} We won’t do it, since it is late. {}",
            "Bla bla. ".repeat(40),
            "And so on. ".repeat(40)
        );
        let shown = excerpt(&long, &["won't"]);
        assert!(shown.starts_with("…We won’t do it, since it is late. And so on."), "{shown}");
        assert!(shown.ends_with('…') && shown.chars().count() <= 202, "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_fits(body in any::<String>(), phrase in "[a-z' ]{0,8}") {
            prop_assert!(excerpt(&body, &[phrase.as_str()]).chars().count() <= 202);
        }
    }
}
