//! The passage of a text that shows best why it was found.

use crate::documents::body_start;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::fulltext::{MARK_END, MARK_START};

/// Two lines of a terminal.
const LENGTH: usize = 150;
/// How much is shown before the first match.
const LEAD: usize = 40;
/// Shorter words are inside too many others to be worth showing.
const SHORTEST_PART: usize = 3;

/// A matched part of a snippet, counted in characters; the end is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// One line.
    pub text: String,
    pub matches: Vec<Span>,
}

/// Chooses from a document's text; `spans` are where it matches, in bytes and in
/// order. `words` are those of the query, for
/// names that were found by a part the index marks nowhere. Of a document that
/// was found by its meaning, `chunk` is the part that is nearest, in bytes.
pub fn best(
    text: &str,
    mut spans: Vec<(usize, usize)>,
    words: &[String],
    chunk: Option<(usize, usize)>,
) -> Snippet {
    // The head repeats what every result shows anyway. Without anything below
    // it, a match in a label or branch is worth showing; the title is not.
    let Some(body) = body_start(text) else {
        let below_title = text.find('\n').map_or(text.len(), |at| at + 1);
        spans.retain(|span| span.0 >= below_title);
        return densest(text, &spans)
            .map(|focus| cut(text, below_title, focus, &spans))
            .unwrap_or_default();
    };
    spans.retain(|span| span.0 >= body);
    if spans.is_empty() {
        spans = parts_of_names(text, body, words);
    }
    // Words that are near each other say more than where the meaning lies;
    // one word alone does not.
    let within = chunk.and_then(|chunk| inside(text, body, chunk));
    let focus = match within {
        Some((start, end)) => {
            let there: Vec<(usize, usize)> =
                spans.iter().copied().filter(|span| start <= span.0 && span.1 <= end).collect();
            densest(text, &there).unwrap_or_else(|| first_sentence(text, start, end))
        }
        None => densest(text, &spans).unwrap_or(body),
    };
    cut(text, body, focus, &spans)
}

/// Chooses from a text without a head in which nothing is marked.
pub fn of_text(text: &str, words: &[String]) -> Snippet {
    let spans = parts_of_names(text, 0, words);
    cut(text, 0, densest(text, &spans).unwrap_or(0), &spans)
}

/// A chunk's range, made to fit a text that may have changed since.
fn inside(text: &str, body: usize, (start, end): (usize, usize)) -> Option<(usize, usize)> {
    let start = text.ceil_char_boundary(start.clamp(body, text.len()));
    let end = text.floor_char_boundary(end.min(text.len()));
    (start < end).then_some((start, end))
}

/// Where prose begins in a range: not with a name and date, a quotation mark or
/// a fence of code.
fn first_sentence(text: &str, start: usize, end: usize) -> usize {
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let trimmed = line.trim();
        let is_prose = trimmed.contains(' ')
            && !(trimmed.starts_with('@') && trimmed.ends_with(':'))
            && !trimmed.starts_with(['>', '`', '|', '#', '<']);
        if is_prose {
            return at + (line.len() - line.trim_start().len());
        }
        at += line.len();
    }
    start
}

/// The first word that stands between marks.
pub fn first_marked(marked: &str) -> Option<String> {
    let (text, spans) = unmark(marked);
    spans.first().map(|(start, end)| text[*start..*end].to_owned())
}

/// The text without marks, and where they stood, in bytes.
pub fn unmark(marked: &str) -> (String, Vec<(usize, usize)>) {
    let mut text = String::with_capacity(marked.len());
    let mut spans = Vec::new();
    let mut open = None;
    for c in marked.chars() {
        match c {
            MARK_START => open = Some(text.len()),
            MARK_END => {
                let start = open.take().filter(|start| *start < text.len());
                spans.extend(start.map(|start| (start, text.len())));
            }
            c => text.push(c),
        }
    }
    (text, spans)
}

fn parts_of_names(text: &str, body: usize, words: &[String]) -> Vec<(usize, usize)> {
    // ASCII only, so that offsets stay those of the text.
    let lower = text.to_ascii_lowercase();
    let mut spans: Vec<(usize, usize)> = words
        .iter()
        .filter(|word| word.len() >= SHORTEST_PART)
        .flat_map(|word| lower[body..].match_indices(word.as_str()))
        .map(|(at, found)| (body + at, body + at + found.len()))
        .collect();
    spans.sort_unstable();
    spans.dedup_by_key(|span| span.0);
    spans
}

/// The match after which most different words follow within a snippet.
fn densest(text: &str, spans: &[(usize, usize)]) -> Option<usize> {
    let mut best = None::<(usize, usize)>;
    for (index, (start, _)) in spans.iter().enumerate() {
        let words: BTreeSet<String> = spans[index..]
            .iter()
            .take_while(|span| span.1 <= start + LENGTH - LEAD)
            .map(|span| text[span.0..span.1].to_lowercase())
            .collect();
        if best.is_none_or(|(most, _)| words.len() > most) {
            best = Some((words.len(), *start));
        }
    }
    best.map(|(_, start)| start)
}

/// One line around `focus`, cut between words where there are any.
fn cut(text: &str, body: usize, focus: usize, spans: &[(usize, usize)]) -> Snippet {
    let start = lead(text, body, focus);
    let mut snippet = Snippet::default();
    if text[body..start].chars().any(|c| !c.is_whitespace()) {
        snippet.text.push('…');
    }
    let mut n_chars = snippet.text.chars().count();
    let mut is_gap = false;
    let mut spans = spans.iter().skip_while(|span| span.0 < start).peekable();
    let mut open = None;
    for (at, c) in text[start..].char_indices().map(|(at, c)| (start + at, c)) {
        if let Some((_, end)) = spans.peek().filter(|span| span.1 <= at) {
            close(&mut snippet.matches, &mut open, n_chars);
            let end = *end;
            while spans.next_if(|span| span.1 <= end).is_some() {}
        }
        if n_chars >= LENGTH && (c.is_whitespace() || n_chars >= LENGTH + LEAD) {
            if text[at..].chars().any(|c| !c.is_whitespace()) {
                snippet.text.push('…');
            }
            close(&mut snippet.matches, &mut open, n_chars);
            return snippet;
        }
        if c.is_whitespace() {
            is_gap = n_chars > 0;
            continue;
        }
        if is_gap && !snippet.text.ends_with('…') {
            snippet.text.push(' ');
            n_chars += 1;
        }
        is_gap = false;
        if open.is_none() && spans.peek().is_some_and(|span| span.0 <= at) {
            open = Some(n_chars);
        }
        snippet.text.push(c);
        n_chars += 1;
    }
    close(&mut snippet.matches, &mut open, n_chars);
    snippet
}

fn close(matches: &mut Vec<Span>, open: &mut Option<usize>, end: usize) {
    matches.extend(open.take().map(|start| Span { start, end }));
}

/// Where to begin so that some words stand before `focus`.
fn lead(text: &str, body: usize, focus: usize) -> usize {
    let before = &text[body..focus];
    let far = before.char_indices().rev().nth(LEAD).map_or(0, |(at, _)| at);
    if far == 0 {
        return body;
    }
    // Not in the middle of a word, where there is another place.
    let word = before[far..].find(char::is_whitespace).map_or(before.len(), |at| far + at);
    body + word
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "Issue #1: x\n\n--- Description ---\n";

    fn marked(text: &str) -> String {
        text.replace('[', &MARK_START.to_string()).replace(']', &MARK_END.to_string())
    }

    /// The snippet with its matches in brackets.
    fn shown(text: &str, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (text, spans) = unmark(&marked(text));
        let snippet = best(&text, spans, &words, None);
        let mut out = String::new();
        for (at, c) in snippet.text.chars().enumerate() {
            if snippet.matches.iter().any(|span| span.end == at) {
                out.push(']');
            }
            if snippet.matches.iter().any(|span| span.start == at) {
                out.push('[');
            }
            out.push(c);
        }
        if snippet.matches.iter().any(|span| span.end == snippet.text.chars().count()) {
            out.push(']');
        }
        out
    }

    #[test]
    fn a_short_text_is_shown_whole_without_its_head() {
        assert_eq!(
            shown("Issue #1: a [word]\n\n--- Description ---\nThe\n [word] is  [here]", &[]),
            "The [word] is [here]"
        );
    }

    #[test]
    fn without_a_body_only_a_match_below_the_title_is_shown() {
        assert_eq!(shown("Issue #1: a [word]\nState: opened", &[]), "");
        assert_eq!(shown("Issue #1: a [word]\nLabels: [word]", &[]), "Labels: [word]");
    }

    #[test]
    fn the_passage_with_most_different_words_wins() {
        let filler = "lorem ipsum dolor ".repeat(30);
        let text = format!("{HEAD}[one] {filler} [one] and [two] {filler}");
        let shown = shown(&text, &[]);
        assert!(shown.contains("[one] and [two]"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    }

    #[test]
    fn a_name_found_by_its_part_is_marked_there() {
        let of = |body: &str| shown(&format!("{HEAD}{body}"), &["http"]);
        assert_eq!(of("The HttpClient gives up"), "The [Http]Client gives up");
        assert_eq!(of("Nothing of the kind"), "Nothing of the kind");
    }

    #[test]
    fn marks_that_do_not_pair_do_no_harm() {
        assert_eq!(shown(&format!("{HEAD}]a[ b [c"), &[]), "a b c");
        assert_eq!(shown("[]", &[]), "");
    }

    #[test]
    fn words_are_shown_in_a_text_that_marks_none() {
        let snippet = of_text("fn retryBudget() -> u32\n\nHow often.", &["budget".to_owned()]);
        assert_eq!(snippet.text, "fn retryBudget() -> u32 How often.");
        assert_eq!(snippet.matches, [Span { start: 8, end: 14 }]);
    }

    proptest! {
        #[test]
        fn any_text_makes_one_line(text in "[\\[\\]a-z \n漢é\u{1}\u{2}-]{0,400}", word in "[a-zé]{1,5}", from in 0usize..500) {
            let (text, spans) = unmark(&marked(&format!("{HEAD}{text}")));
            let snippet = best(&text, spans, &[word], Some((from, from + 40)));
            let n_chars = snippet.text.chars().count();
            prop_assert!(n_chars <= LENGTH + LEAD + 2);
            prop_assert!(!snippet.text.contains('\n'));
            let mut last = 0;
            for span in snippet.matches {
                prop_assert!(last <= span.start && span.start < span.end && span.end <= n_chars);
                last = span.end;
            }
        }
    }
}
