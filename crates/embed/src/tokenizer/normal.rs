//! Text as the model was taught to read it: cleaned, ideographs apart, accents
//! gone, in lower case, cut into words.
//!
//! This follows `BertNormalizer` and `BertPreTokenizer` of Hugging Face's
//! `tokenizers`, down to the tables of categories it uses, and keeps for each
//! character the bytes it came from.

use std::ops::{ControlFlow, Range};
use unicode_categories::UnicodeCategories;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

/// A longer word is unknown to the model, whatever it is.
pub const MAX_WORD: usize = 100;

/// A word and where its characters came from.
#[derive(Default)]
pub struct NormalizedWord {
    pub text: String,
    /// For each character where it begins in `text`, and its bytes in the source.
    sources: Vec<(usize, Range<usize>)>,
    /// Beyond [`MAX_WORD`] characters only the end is kept.
    pub is_too_long: bool,
    end: usize,
}

impl NormalizedWord {
    /// The bytes of the source that `range` of the word's text stands for.
    pub fn source(&self, range: Range<usize>) -> Range<usize> {
        let first = self.sources.partition_point(|(at, _)| *at < range.start);
        let last = self.sources.partition_point(|(at, _)| *at < range.end);
        let of_part = &self.sources[first..last];
        let start = of_part.iter().map(|(_, source)| source.start).min().unwrap_or(self.end);
        let end = of_part.iter().map(|(_, source)| source.end).max().unwrap_or(self.end);
        start..end
    }

    /// The bytes of the source that the whole word stands for.
    pub fn whole_source(&self) -> Range<usize> {
        let start = self.source(0..self.text.len()).start;
        start..self.end.max(start)
    }

    fn push(&mut self, c: char, source: &Range<usize>) {
        self.end = self.end.max(source.end);
        if self.sources.len() == MAX_WORD {
            self.is_too_long = true;
            return;
        }
        self.sources.push((self.text.len(), source.clone()));
        self.text.push(c);
    }

    fn clear(&mut self) {
        self.text.clear();
        self.sources.clear();
        self.is_too_long = false;
        self.end = 0;
    }
}

/// Calls `found` for each word until it has enough.
pub fn words(text: &str, found: impl FnMut(&NormalizedWord) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut cutter = Cutter { word: NormalizedWord::default(), marks: Vec::new(), found };
    for (start, c) in text.char_indices() {
        let source = start..start + c.len_utf8();
        if c.is_ascii() {
            cutter.ascii(c, &source)?;
        } else {
            cutter.any(c, &source)?;
        }
    }
    cutter.end_run()?;
    cutter.end_word()
}

struct Cutter<F> {
    word: NormalizedWord,
    /// Combining characters whose order is not settled: class, character, source.
    marks: Vec<(u8, char, Range<usize>)>,
    found: F,
}

impl<F: FnMut(&NormalizedWord) -> ControlFlow<()>> Cutter<F> {
    fn ascii(&mut self, c: char, source: &Range<usize>) -> ControlFlow<()> {
        match c {
            ' ' | '\t' | '\n' | '\r' => self.space(),
            '\0'..' ' | '\x7f' => ControlFlow::Continue(()),
            _ => {
                self.end_run()?;
                self.settled(c, source)
            }
        }
    }

    fn any(&mut self, c: char, source: &Range<usize>) -> ControlFlow<()> {
        if c == char::REPLACEMENT_CHARACTER || c.is_other() {
            return ControlFlow::Continue(());
        }
        if c.is_whitespace() {
            return self.space();
        }
        let stands_alone = is_ideograph(c);
        if stands_alone {
            self.space()?;
        }
        let mut flow = ControlFlow::Continue(());
        decompose_canonical(c, |part| {
            if flow.is_continue() {
                flow = self.decomposed(part, source);
            }
        });
        flow?;
        if stands_alone { self.space() } else { ControlFlow::Continue(()) }
    }

    /// Accents go; what else combines is put into canonical order.
    fn decomposed(&mut self, c: char, source: &Range<usize>) -> ControlFlow<()> {
        let class = canonical_combining_class(c);
        if class == 0 {
            self.end_run()?;
        }
        if c.is_mark_nonspacing() {
            ControlFlow::Continue(())
        } else if class == 0 {
            self.settled(c, source)
        } else {
            self.marks.push((class, c, source.clone()));
            ControlFlow::Continue(())
        }
    }

    fn end_run(&mut self) -> ControlFlow<()> {
        if self.marks.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut marks = std::mem::take(&mut self.marks);
        marks.sort_by_key(|(class, ..)| *class);
        for (_, c, source) in marks {
            self.settled(c, &source)?;
        }
        ControlFlow::Continue(())
    }

    fn settled(&mut self, c: char, source: &Range<usize>) -> ControlFlow<()> {
        if c.is_ascii() {
            return self.lowered(c.to_ascii_lowercase(), source);
        }
        for lower in c.to_lowercase() {
            self.lowered(lower, source)?;
        }
        ControlFlow::Continue(())
    }

    fn lowered(&mut self, c: char, source: &Range<usize>) -> ControlFlow<()> {
        if c.is_whitespace() {
            self.end_word()
        } else if c.is_ascii_punctuation() || (!c.is_ascii() && c.is_punctuation()) {
            self.end_word()?;
            self.word.push(c, source);
            self.end_word()
        } else {
            self.word.push(c, source);
            ControlFlow::Continue(())
        }
    }

    fn space(&mut self) -> ControlFlow<()> {
        self.end_run()?;
        self.end_word()
    }

    fn end_word(&mut self) -> ControlFlow<()> {
        if self.word.text.is_empty() {
            return ControlFlow::Continue(());
        }
        let flow = (self.found)(&self.word);
        self.word.clear();
        flow
    }
}

/// The blocks of Chinese characters; those of Japanese and Korean syllables
/// are written in words and are not among them.
fn is_ideograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
