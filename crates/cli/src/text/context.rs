//! How a pack reads.

use crate::ui::{Painter, Show};
use insight::context::{Format, Pack, TokenCounter, whole};
use model::text::clean;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `lore context`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ContextAnswer {
    pub pack: Pack,
    #[serde(skip)]
    pub format: Format,
}

impl Show for ContextAnswer {
    fn text(&self, out: &mut Painter) {
        // Paths, names and sources are whatever somebody committed.
        out.verbatim(&clean(&whole(&self.pack, self.format)));
    }
}

/// Counts tokens until the codecs bring a tokenizer's table: pieces of words and
/// marks, never less than a tokenizer finds in code.
pub struct Counter;

impl TokenCounter for Counter {
    fn count(&self, text: &str) -> usize {
        let mut n_tokens = 0;
        let (mut length, mut n_blanks) = (0_usize, 0_usize);
        for c in text.chars() {
            // One blank belongs to the word behind it; more are an indent.
            if c == ' ' {
                n_blanks += 1;
            } else {
                n_tokens += usize::from(n_blanks > 1);
                n_blanks = 0;
            }
            if c.is_ascii_alphanumeric() {
                length += 1;
                continue;
            }
            n_tokens += length.div_ceil(4);
            length = 0;
            n_tokens += usize::from(c != ' ') * if c.is_ascii() { 1 } else { c.len_utf8() - 1 };
        }
        n_tokens + length.div_ceil(4)
    }
}
