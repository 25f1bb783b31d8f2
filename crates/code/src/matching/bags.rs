//! What a symbol says, as a bag of tokens, and how alike two bags are.

use super::rules;
use super::symbols::{Side, Sort};
use crate::lang;
use crate::terms::lexer::{PieceKind, code_words, pieces};
use crate::terms::logical_lines::LogicalLines;
use model::text::name_parts;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

/// A token of a file: its number in the vocabulary, and where it begins.
#[derive(Clone, Copy)]
pub struct Token {
    pub word: u32,
    pub at: u32,
    /// How deep its line is nested, where lines are nested by how far they are indented.
    pub level: i32,
}

/// Numbers for the texts of tokens, the same for both versions.
#[derive(Default)]
pub struct Vocabulary {
    numbers: FxHashMap<Box<str>, u32>,
    /// Whether the token is punctuation.
    is_mark: Vec<bool>,
    /// Whether it can be a name.
    is_name: Vec<bool>,
}

/// Texts longer than this are one token by their first bytes.
const LONGEST: usize = 120;

impl Vocabulary {
    pub fn number(&mut self, text: &str) -> u32 {
        // No text of so few bytes has more characters.
        let end = if text.len() > LONGEST { text.char_indices().nth(LONGEST) } else { None };
        let text = end.map_or(text, |(end, _)| &text[..end]);
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(text.into(), number);
        let first = text.chars().next().unwrap_or(' ');
        let is_name = first.is_alphabetic() || first == '_' || first == '$';
        self.is_name.push(is_name);
        self.is_mark.push(!is_name && !first.is_alphanumeric() && !is_quote(first));
        number
    }

    pub fn known(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    pub fn is_name(&self, word: u32) -> bool {
        self.is_name.get(word as usize).copied().unwrap_or(false)
    }

    pub fn is_mark(&self, word: u32) -> bool {
        self.is_mark.get(word as usize).copied().unwrap_or(false)
    }

    pub fn len(&self) -> usize {
        self.is_mark.len()
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// The tokens of a file without comments and documentation. Words of texts in
/// quotes are tokens too.
pub fn tokens(bytes: &[u8], language: &str, words: &mut Vocabulary) -> Vec<Token> {
    let text = same_length_text(bytes);
    let mut all = Vec::with_capacity(text.len() / 4);
    let start = text.as_ptr() as usize;
    let documents_in_texts = lang::notation(language).documents_in_texts;
    let (mut lines, mut level) = (LogicalLines::of(&text, language), 0);
    for piece in pieces(&text, language) {
        let begin = (piece.text.as_ptr() as usize).saturating_sub(start) as u32;
        level += lines.enter(&piece).unwrap_or_default();
        let n_before = all.len();
        match piece.kind {
            PieceKind::Code => code_tokens(piece.text, begin, words, &mut all),
            PieceKind::Quoted => quoted_tokens(piece.text, begin, words, &mut all),
            PieceKind::Doc if !documents_in_texts => {
                quoted_tokens(piece.text, begin, words, &mut all);
            }
            PieceKind::Doc | PieceKind::Comment => {}
        }
        all[n_before..].iter_mut().for_each(|token| token.level = level);
    }
    all
}

/// The text with every byte that is not UTF-8 replaced by one that is, so that
/// places stay the same.
fn same_length_text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text.into()
}

fn code_tokens(text: &str, begin: u32, words: &mut Vocabulary, all: &mut Vec<Token>) {
    for (at, word) in code_words(text) {
        all.push(Token { word: words.number(word), at: begin + at as u32, level: 0 });
    }
}

fn quoted_tokens(text: &str, begin: u32, words: &mut Vocabulary, all: &mut Vec<Token>) {
    all.push(Token { word: words.number(text), at: begin, level: 0 });
    let mut from = None;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            from.get_or_insert(at);
        } else if let Some(from) = from.take() {
            // Whole, a word may be the name of a symbol or a file.
            let parts = name_parts(&text[from..at]);
            if parts.len() > 1 {
                all.push(Token { word: words.number(&text[from..at]), at: begin, level: 0 });
            }
            for part in parts {
                all.push(Token { word: words.number(&part), at: begin, level: 0 });
            }
        }
    }
}

/// Tokens and how often each occurs, by number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bag {
    pub words: Vec<(u32, u32)>,
    pub n_tokens: u32,
}

impl Bag {
    /// Of some tokens of a file, without the symbol's own name.
    pub fn of(tokens: &[Token], own_name: Option<u32>) -> Self {
        let mut words: Vec<u32> = tokens.iter().map(|token| token.word).collect();
        words.retain(|word| Some(*word) != own_name);
        words.sort_unstable();
        let n_tokens = words.len() as u32;
        let mut counted: Vec<(u32, u32)> = Vec::new();
        for word in words {
            match counted.last_mut() {
                Some((last, count)) if *last == word => *count += 1,
                _ => counted.push((word, 1)),
            }
        }
        Bag { words: counted, n_tokens }
    }

    /// Whether it says anything but names every text has: `self.name = name` of a symbol
    /// called `name` does not.
    pub fn says_something(&self, words: &Vocabulary) -> bool {
        let receivers = ["self", "this", "cls"].map(|name| words.known(name));
        self.words
            .iter()
            .any(|(word, _)| !words.is_mark(*word) && !receivers.contains(&Some(*word)))
    }

    /// Tokens that are no punctuation.
    pub fn n_words(&self, words: &Vocabulary) -> usize {
        let counts = self.words.iter().filter(|(word, _)| !words.is_mark(*word));
        counts.map(|(_, count)| *count as usize).sum()
    }

    pub fn has(&self, word: u32) -> bool {
        self.words.binary_search_by_key(&word, |(word, _)| *word).is_ok()
    }
}

/// A text but for comments, layout and the symbol's own name, as a number.
pub fn text_of(tokens: &[Token], own_name: Option<u32>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    let outermost = tokens.first().map_or(0, |token| token.level);
    let mut level = outermost;
    for token in tokens {
        if token.level != level {
            level = token.level;
            ("level", level - outermost).hash(&mut hasher);
        }
        if Some(token.word) == own_name {
            u32::MAX.hash(&mut hasher);
        } else {
            token.word.hash(&mut hasher);
        }
    }
    tokens.len().hash(&mut hasher);
    hasher.finish()
}

/// What each token weighs: the rarer, the more.
pub struct Weights {
    of: Vec<f32>,
}

impl Weights {
    pub fn of(words: &Vocabulary, old: &Side<'_>, new: &Side<'_>) -> Self {
        let mut n_with = vec![0u32; words.len()];
        let mut n_symbols = 0u32;
        for symbol in old.symbols.iter().chain(&new.symbols) {
            if symbol.sort == Sort::Callable {
                n_symbols += 1;
                for (word, _) in &symbol.bag.words {
                    n_with[*word as usize] += 1;
                }
            }
        }
        let of = n_with
            .iter()
            .zip(&words.is_mark)
            .map(|(n_with, is_mark)| {
                let rarity = (1.0 + n_symbols.max(1) as f32 / (*n_with).max(1) as f32).ln();
                if *is_mark { rarity * rules::PUNCTUATION } else { rarity }
            })
            .collect();
        Weights { of }
    }

    pub fn weight(&self, word: u32) -> f32 {
        self.of.get(word as usize).copied().unwrap_or(0.0)
    }

    pub fn total(&self, bag: &Bag) -> f32 {
        bag.words.iter().map(|(word, count)| self.weight(*word) * *count as f32).sum()
    }

    /// The weight of what both bags have.
    pub fn common(&self, a: &Bag, b: &Bag) -> f32 {
        let (mut at_a, mut at_b, mut common) = (0, 0, 0.0);
        while let (Some((x, n_x)), Some((y, n_y))) = (a.words.get(at_a), b.words.get(at_b)) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => at_a += 1,
                std::cmp::Ordering::Greater => at_b += 1,
                std::cmp::Ordering::Equal => {
                    common += self.weight(*x) * (*n_x).min(*n_y) as f32;
                    at_a += 1;
                    at_b += 1;
                }
            }
        }
        common
    }

    /// Dice's coefficient of two bags, weighted.
    pub fn similarity(&self, a: &Bag, b: &Bag) -> f32 {
        let total = self.total(a) + self.total(b);
        if total <= 0.0 { 0.0 } else { 2.0 * self.common(a, b) / total }
    }
}

/// The parts of the names of a few tokens, sorted.
pub fn sub_words(source: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(source);
    let mut parts: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .flat_map(name_parts)
        .collect();
    parts.sort();
    parts
}

/// Tokens of one bag that another has none of, names only.
pub fn lost<'a>(
    a: &'a Bag,
    b: &'a Bag,
    words: &'a Vocabulary,
) -> impl Iterator<Item = u32> + use<'a> {
    a.words.iter().map(|(word, _)| *word).filter(|word| words.is_name(*word) && !b.has(*word))
}
