//! Text into the pieces a model reads (WordPiece, without case).
//!
//! Gives the ids of Hugging Face's `tokenizers` for the same vocabulary, with
//! one difference on purpose: `[CLS]` and its like in a text are text, never
//! marks of the model.

mod normal;
#[cfg(test)]
mod tests;
mod vocabulary;

use model::Result;
use std::ops::{ControlFlow, Range};
use vocabulary::Vocabulary;

pub struct Tokenizer {
    vocabulary: Vocabulary,
    unknown: u32,
    start: u32,
    end: u32,
}

impl Tokenizer {
    pub(crate) fn new(vocabulary: &'static str, n_pieces: usize) -> Result<Tokenizer> {
        let vocabulary = Vocabulary::new(vocabulary, n_pieces)?;
        let unknown = vocabulary.mark("[UNK]")?;
        let (start, end) = (vocabulary.mark("[CLS]")?, vocabulary.mark("[SEP]")?);
        Ok(Tokenizer { vocabulary, unknown, start, end })
    }

    /// The pieces of a text, without the marks of start and end.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_up_to(text, usize::MAX)
    }

    /// At most the first `n` pieces; the text behind them is not read.
    pub fn encode_up_to(&self, text: &str, n: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        self.visit(text, |id, _| {
            if ids.len() == n {
                return ControlFlow::Break(());
            }
            ids.push(id);
            ControlFlow::Continue(())
        });
        ids
    }

    /// How many pieces a text has, without the marks of start and end.
    pub fn count(&self, text: &str) -> usize {
        let mut n = 0;
        self.visit(text, |_, _| {
            n += 1;
            ControlFlow::Continue(())
        });
        n
    }

    /// The pieces of a text, each with the bytes of the text it stands for.
    ///
    /// Ranges begin and end between characters and follow one another, except
    /// that pieces of one character (a ligature, `İ`) share it.
    pub fn encode_with_offsets(&self, text: &str) -> Vec<(u32, Range<usize>)> {
        let mut pieces = Vec::new();
        self.visit(text, |id, place| {
            pieces.push((id, place()));
            ControlFlow::Continue(())
        });
        pieces
    }

    /// The mark every text begins with.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// The mark every text ends with.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// The id if the model has it, otherwise that of an unknown word.
    pub(crate) fn known(&self, id: u32) -> u32 {
        if (id as usize) < self.vocabulary.n_pieces() { id } else { self.unknown }
    }

    fn visit(
        &self,
        text: &str,
        mut found: impl FnMut(u32, &dyn Fn() -> Range<usize>) -> ControlFlow<()>,
    ) {
        let mut pieces = Vec::new();
        // Whether it came to the end or somebody had enough is all the same.
        let _ = normal::words(text, |word| {
            self.split(word, &mut pieces);
            if pieces.is_empty() {
                return found(self.unknown, &|| word.whole_source());
            }
            for (id, place) in &pieces {
                found(*id, &|| word.source(place.clone()))?;
            }
            ControlFlow::Continue(())
        });
    }

    /// The pieces of a word, the longest first each time; none if one part of
    /// it is unknown.
    fn split(&self, word: &normal::NormalizedWord, pieces: &mut Vec<(u32, Range<usize>)>) {
        pieces.clear();
        if word.is_too_long {
            return;
        }
        let mut at = 0;
        while at < word.text.len() {
            let Some((id, len)) = self.vocabulary.longest_piece(&word.text[at..], at == 0) else {
                pieces.clear();
                return;
            };
            pieces.push((id, at..at + len));
            at += len;
        }
    }
}
