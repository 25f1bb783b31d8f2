//! Cutting a document into pieces a model can read whole.
//!
//! A piece ends where a paragraph does, else a sentence, else a word, and
//! begins a little before the end of the one before it, so that what stands at
//! a border is whole in one of them. Each piece carries the document's title:
//! "it fails again" means nothing without.

use super::Provider;
use crate::documents::body_start;
use std::ops::Range;

/// Changes when the same document would be cut differently.
pub const CHUNKING: u32 = 1;

/// The share of a piece that the next one repeats.
const OVERLAP: usize = 10;
/// Of what a model reads, at most this much goes to the title.
const TITLE_SHARE: usize = 4;
/// Beyond that a text is a log, and its beginning tells what it is about.
const MOST_CHUNKS: usize = 64;

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkText {
    /// Where it lies in the document's text, in bytes.
    pub range: Range<usize>,
    /// What the model reads.
    pub text: String,
}

/// The pieces of a document, at least one.
pub fn chunk(title: &str, text: &str, provider: &dyn Provider) -> Vec<ChunkText> {
    let body = body_start(text).unwrap_or(text.len());
    let limit = provider.max_tokens();
    let title = shortened(title, provider, limit / TITLE_SHARE);
    let n_title = provider.tokens(title).len();
    let tokens = provider.tokens(&text[body..]);
    let ranges = divide(&text[body..], &tokens, limit.saturating_sub(n_title + 1).max(8));
    if ranges.is_empty() {
        // A title alone, or not even that: then the head is all there is.
        let only = if title.is_empty() { text } else { title };
        return vec![ChunkText { range: body..text.len(), text: only.to_owned() }];
    }
    ranges
        .into_iter()
        .take(MOST_CHUNKS)
        .map(|range| {
            let piece = &text[body + range.start..body + range.end];
            let text =
                if title.is_empty() { piece.to_owned() } else { format!("{title}\n{piece}") };
            ChunkText { range: body + range.start..body + range.end, text }
        })
        .collect()
}

fn shortened<'a>(title: &'a str, provider: &dyn Provider, n_tokens: usize) -> &'a str {
    let tokens = provider.tokens(title);
    match tokens.get(n_tokens) {
        Some(first_too_many) => title[..first_too_many.start].trim_end(),
        None => title,
    }
}

/// Ranges of at most `limit` tokens that together cover all tokens.
fn divide(text: &str, tokens: &[Range<usize>], limit: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut first = 0;
    while first < tokens.len() {
        let beyond = (first + limit).min(tokens.len());
        // The token that begins the next piece.
        let next = if beyond == tokens.len() {
            beyond
        } else {
            border(text, tokens, first + limit / 2, beyond)
        };
        ranges.push(covered(&tokens[first..next]));
        if next == tokens.len() {
            break;
        }
        let overlapping = next.saturating_sub(limit / OVERLAP);
        // Not in the middle of a word, and always forward.
        let begin = (overlapping..next).find(|index| starts_word(text, tokens[*index].start));
        first = begin.unwrap_or(next).max(first + 1);
    }
    ranges
}

/// The part of the text that tokens come from. Marks above and below a letter
/// may have changed places, so the first token need not begin first.
fn covered(tokens: &[Range<usize>]) -> Range<usize> {
    let start = tokens.iter().map(|token| token.start).min().unwrap_or_default();
    let end = tokens.iter().map(|token| token.end).max().unwrap_or_default();
    start..end
}

/// The best token in `from..=to` to begin a new piece with.
fn border(text: &str, tokens: &[Range<usize>], from: usize, to: usize) -> usize {
    // Tokens of one character, as a Korean syllable has several, lie in the same
    // place: then there is nothing between them.
    let is_after = |index: &usize, ends: fn(&str) -> bool| {
        ends(text.get(tokens[*index - 1].end..tokens[*index].start).unwrap_or_default())
    };
    let candidates = || (from.max(1)..=to).rev();
    let paragraph = candidates().find(|index| is_after(index, |gap| gap.matches('\n').count() > 1));
    let sentence = || {
        candidates().find(|index| {
            let before = text[..tokens[*index - 1].end].chars().next_back();
            let ends = before.is_some_and(|c| matches!(c, '.' | '!' | '?' | ':' | '。'));
            is_after(index, |gap| gap.contains('\n'))
                || (ends && is_after(index, |gap| !gap.is_empty()))
        })
    };
    let word = || candidates().find(|index| starts_word(text, tokens[*index].start));
    paragraph.or_else(sentence).or_else(word).unwrap_or(to)
}

fn starts_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::Provider;
    use model::Result;
    use proptest::prelude::*;
    use store::vectors::EmbeddingSpace;

    /// Every run of letters is a token, and every other visible character.
    struct Words(usize);

    impl Provider for Words {
        fn space(&self) -> EmbeddingSpace {
            EmbeddingSpace { model: "words".to_owned(), dims: 1, chunking: CHUNKING }
        }

        fn max_tokens(&self) -> usize {
            self.0
        }

        fn tokens(&self, text: &str) -> Vec<Range<usize>> {
            let mut tokens: Vec<Range<usize>> = Vec::new();
            for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                let end = at + c.len_utf8();
                match tokens.last_mut() {
                    Some(last) if last.end == at && c.is_alphanumeric() => last.end = end,
                    _ => tokens.push(at..end),
                }
            }
            tokens
        }

        fn embed_query(&self, _: &str) -> Result<Vec<f32>> {
            Ok(vec![1.0])
        }

        fn embed_documents(&self, texts: &[String]) -> Result<Vec<Result<Vec<f32>>>> {
            Ok(texts.iter().map(|_| Ok(vec![1.0])).collect())
        }

        fn check(&self) -> Result<String> {
            Ok(String::new())
        }
    }

    const HEAD: &str = "Issue #1: x\n\n--- Description ---\n";

    fn pieces(title: &str, body: &str, limit: usize) -> Vec<String> {
        let text = format!("{HEAD}{body}");
        chunk(title, &text, &Words(limit)).into_iter().map(|chunk| chunk.text).collect()
    }

    #[test]
    fn a_short_text_is_one_piece_with_its_title() {
        assert_eq!(pieces("Login", "It fails.", 50), ["Login\nIt fails."]);
        assert_eq!(pieces("Login", "", 50), ["Login"]);
        let head_only = chunk("", "Issue #1:\nState: opened\n", &Words(50));
        assert_eq!(head_only[0].text, "Issue #1:\nState: opened\n");
    }

    #[test]
    fn paragraphs_before_sentences_before_words() {
        let first = "a b c d e f g h i j";
        let body = format!("{first}\n\nk l m n. o p q r s t u v w x");
        assert_eq!(pieces("", &body, 17)[0], first);
        let body = format!("{first}. k l m n o p q r s t u v w x");
        assert_eq!(pieces("", &body, 17)[0], format!("{first}."));
        let body = "a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1";
        assert_eq!(pieces("", body, 11), ["a1 b1 c1 d1 e1 f1 g1 h1 i1 j1", "j1 k1 l1"]);
    }

    #[test]
    fn a_title_that_is_a_text_of_its_own_is_cut() {
        let title = "w ".repeat(100);
        let pieces = pieces(title.trim(), "body", 40);
        assert_eq!(pieces, [format!("{}\nbody", ["w"; 10].join(" "))]);
    }

    #[test]
    fn characters_of_several_tokens_are_cut_like_any() {
        let builtin = crate::embedding::Builtin;
        for text in ["한국어 ", "번역을 바꿉니다. ", "x\u{323}\u{307}\u{301} ", "ﬁ½…ǆ ", "Ệ "]
        {
            let text = format!("{HEAD}{}", text.repeat(400));
            let chunks = chunk("", &text, &builtin);
            assert!(chunks.len() > 1, "{text:?}");
            assert!(chunks.iter().all(|chunk| !chunk.range.is_empty()));
            // Marks without a letter of their own are no tokens.
            assert!(chunks.last().unwrap().range.end + 8 > text.trim_end().len());
        }
    }

    proptest! {
        #[test]
        fn nothing_that_can_be_written_is_too_odd_to_cut(body in "(\\PC|[가-힣]|\n){0,900}") {
            let text = format!("{HEAD}{body}");
            for chunk in chunk("", &text, &crate::embedding::Builtin) {
                prop_assert!(text.get(chunk.range).is_some());
            }
        }

        #[test]
        fn pieces_cover_the_text_and_keep_the_limit(
            body in "([a-z]{1,4}|[.!?]|[ \n]|\n\n|é漢){0,400}", limit in 20usize..60,
        ) {
            let provider = Words(limit);
            let text = format!("{HEAD}{body}");
            let chunks = chunk("The title", &text, &provider);
            prop_assert!(chunks.iter().all(|chunk| provider.tokens(&chunk.text).len() <= limit));
            let start = HEAD.len();
            for token in provider.tokens(&body) {
                let (from, to) = (start + token.start, start + token.end);
                let is_in = |chunk: &ChunkText| chunk.range.start <= from && to <= chunk.range.end;
                prop_assert!(chunks.iter().any(is_in), "{:?}", &body[token]);
            }
        }
    }
}
