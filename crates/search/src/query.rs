//! From what people type to an expression the index understands.
//!
//! Input is words, not syntax: every term is quoted, so no character in it can
//! mean anything to the index. Three marks are read: `"a phrase"`, `+required`
//! and `begin*`. Terms are alternatives, and the ranking sorts them out:
//! demanding all of them loses four of five questions asked in sentences.

use crate::identifiers;
use crate::tokenizer::Pattern;
use model::text::name_parts;
use model::{Error, Result};
use std::collections::BTreeSet;

/// A pasted log must not become a search for a thousand words.
const MOST_TERMS: usize = 64;

/// Words that make a question and say nothing of its subject.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "did",
    "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it",
    "its", "not", "of", "on", "or", "our", "should", "so", "than", "that", "the", "their", "then",
    "there", "these", "they", "this", "to", "us", "was", "we", "were", "what", "when", "where",
    "which", "who", "why", "will", "with", "would", "you",
];

/// How the input is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// Words, phrases in quotes, `+required`, `begin*`.
    #[default]
    Safe,
    /// The index's own language.
    Raw,
}

/// So many texts with a name as one word are more than a page.
const ENOUGH_TEXTS: u64 = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    text: String,
    form: Form,
    is_required: bool,
    /// Of a number: the word before it, with which it makes a name.
    numbered: Option<String>,
    /// A name that so many texts have as one word that its parts say nothing more.
    is_one_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Word,
    Prefix,
    Phrase,
}

/// What was asked for, as terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
    /// The input without its marks, but with the words of the question.
    meaning: String,
}

impl Query {
    /// Reads any input; only one without anything in it is refused.
    pub fn parse(input: &str) -> Result<Query> {
        let input = input.replace('\0', " ");
        if input.trim().is_empty() {
            return Err(Error::usage("the query is empty")
                .suggest("say what to look for, e.g. lore search 'retry budget'"));
        }
        let mut terms = split(&input);
        let texts: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
        let meaning = texts.join(" ");
        // What has neither letter nor digit is in no index.
        terms.retain(|term| term.text.chars().any(char::is_alphanumeric));
        let is_stop =
            |term: &Term| term.form == Form::Word && !term.is_required && is_stop_word(&term.text);
        if !terms.iter().all(is_stop) {
            terms.retain(|term| !is_stop(term));
        }
        let mut seen = BTreeSet::new();
        terms.retain(|term| seen.insert((term.text.to_lowercase(), term.form == Form::Prefix)));
        terms.truncate(MOST_TERMS);
        Ok(Query { terms, meaning })
    }

    /// Asks for names like `ZooKeeper` as one word alone, where enough texts have that word:
    /// one that writes it so has its parts too, and would count for four words where
    /// one that writes `zookeeper` counts for one.
    pub fn settle(&mut self, frequency: impl Fn(&str) -> Result<u64>) -> Result<()> {
        for term in &mut self.terms {
            if term.divided().is_some() {
                term.is_one_word = frequency(&term.exact().expression())? >= ENOUGH_TEXTS;
            }
        }
        Ok(())
    }

    /// None when no term can be in an index, as with emoji alone.
    pub fn expression(&self) -> Option<String> {
        let any: Vec<String> = self.alternatives().iter().map(Offer::expression).collect();
        self.expression_of(&any)
    }

    /// [`Query::expression`] with fewer alternatives; what is required stays.
    pub fn expression_of(&self, alternatives: &[String]) -> Option<String> {
        let required = || self.terms.iter().filter(|term| term.is_required);
        let mut parts: Vec<String> = required().map(Term::demand).collect();
        if required().count() < self.terms.len() && !alternatives.is_empty() {
            parts.push(format!("({})", alternatives.join(" OR ")));
        }
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }

    /// What a text may have, each once.
    pub fn alternatives(&self) -> Vec<Offer> {
        let mut seen = BTreeSet::new();
        let mut any: Vec<Offer> = self.terms.iter().flat_map(Term::offers).collect();
        any.retain(|offer| seen.insert((offer.text.to_lowercase(), offer.is_prefix)));
        any.truncate(MOST_TERMS);
        any
    }

    /// Each term with the forms a text may have of it.
    pub fn terms(&self) -> Vec<TermForms> {
        self.terms.iter().map(Term::forms).collect()
    }

    /// For texts that have every term.
    pub fn strict_expression(&self) -> Option<String> {
        let all: Vec<String> = self.terms.iter().map(Term::demand).collect();
        (!all.is_empty()).then(|| all.join(" AND "))
    }

    /// For the index of names from code, which keeps no places of words: all
    /// terms together, and for when nothing has them all, any of them.
    pub fn name_expressions(&self) -> Vec<String> {
        let terms: Vec<(bool, String)> = self
            .terms
            .iter()
            .filter_map(|term| Some((term.is_required, term.name_expression()?)))
            .collect();
        let all: Vec<&str> = terms.iter().map(|(_, text)| text.as_str()).collect();
        let (required, free): (Vec<_>, Vec<_>) = terms.iter().partition(|(is, _)| *is);
        let mut any: Vec<String> = required.into_iter().map(|(_, text)| text.clone()).collect();
        let free: Vec<&str> = free.into_iter().map(|(_, text)| text.as_str()).collect();
        match free.as_slice() {
            [] => {}
            [only] => any.push((*only).to_owned()),
            several => any.push(format!("({})", several.join(" OR "))),
        }
        let mut both = vec![all.join(" AND "), any.join(" AND ")];
        both.retain(|expression| !expression.is_empty());
        both.dedup();
        both
    }

    /// The words of [`Query::name_expressions`], each once, to be weighed.
    pub fn name_words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.terms.iter().flat_map(Term::name_words).collect();
        words.sort();
        words.dedup();
        words
    }

    /// Whether marks were used, so that nothing but what matches is wanted.
    pub fn is_binding(&self) -> bool {
        self.terms.iter().any(|term| term.is_required || term.form != Form::Word)
    }

    /// The sentence itself, for a model to read.
    pub fn meaning(&self) -> String {
        self.meaning.clone()
    }

    /// The same with phrases taken as words; none when there is no phrase
    /// or a phrase was required.
    pub fn relaxed(&self) -> Option<Query> {
        let is_phrase = |term: &Term| term.form == Form::Phrase && !term.is_required;
        if !self.terms.iter().any(is_phrase) {
            return None;
        }
        let mut terms = Vec::new();
        for term in &self.terms {
            if is_phrase(term) {
                terms.extend(split(&term.text.replace(['+', '*'], " ")));
            } else {
                terms.push(term.clone());
            }
        }
        terms.retain(|term| term.text.chars().any(char::is_alphanumeric));
        terms.truncate(MOST_TERMS);
        Some(Query { terms, meaning: self.meaning.clone() })
    }

    /// The words themselves, small letters, for looking at texts.
    pub fn words(&self) -> Vec<String> {
        self.terms.iter().flat_map(|term| words_in(&term.text)).map(str::to_lowercase).collect()
    }
}

/// A term, and what a text may have of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermForms {
    pub text: String,
    /// Any of them is the whole term.
    pub whole: Vec<Offer>,
    /// Words that are each a part of it; none of a plain word.
    pub parts: Vec<Offer>,
}

/// Something a text may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    text: String,
    is_prefix: bool,
}

impl Offer {
    fn words(text: &str) -> Offer {
        Offer { text: text.to_owned(), is_prefix: false }
    }

    /// For the index.
    pub fn expression(&self) -> String {
        let star = if self.is_prefix { " *" } else { "" };
        format!("{}{star}", quoted(&self.text))
    }

    /// Its words, for the index, each for itself.
    pub fn parts(&self) -> Vec<String> {
        words_in(&self.text).map(quoted).collect()
    }

    /// What the index keeps of a name like `retry_budget` as one word, for the
    /// index; none for a name of another form.
    pub fn joined(&self) -> Option<String> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let is_joined = self.text.contains(['_', '-']) && self.text.chars().all(is_name);
        (is_joined && !self.is_prefix)
            .then(|| quoted(&words_in(&self.text).collect::<Vec<_>>().concat()))
    }

    /// For reading texts.
    pub fn pattern(&self) -> Pattern {
        Pattern::new(&self.text, self.is_prefix)
    }
}

/// An expression, asked of titles alone.
pub fn in_titles(expression: &str) -> String {
    format!("title : ({expression})")
}

impl Term {
    /// Itself, as it was typed.
    fn exact(&self) -> Offer {
        Offer { text: self.text.clone(), is_prefix: self.form == Form::Prefix }
    }

    /// What a text must have when the term is required: the whole of it.
    fn demand(&self) -> String {
        let is_word = self.form == Form::Word;
        let other = self.divided().into_iter().chain(self.united()).chain(self.spaced());
        let other = other.filter(|_| is_word);
        let whole: Vec<String> =
            std::iter::once(self.exact()).chain(other).map(|offer| offer.expression()).collect();
        match whole.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(" OR ")),
        }
    }

    /// What a text may have: the whole, or a part of a name or compound. On the
    /// evaluation set the parts are worth .02 of recall.
    fn offers(&self) -> Vec<Offer> {
        let TermForms { mut whole, parts, .. } = self.forms();
        whole.extend(parts);
        whole
    }

    fn forms(&self) -> TermForms {
        let mut forms =
            TermForms { text: self.text.clone(), whole: vec![self.exact()], parts: Vec::new() };
        if self.form == Form::Word {
            forms.whole.extend(self.divided().filter(|_| !self.is_one_word));
            forms.whole.extend(self.united());
            forms.whole.extend(self.spaced());
            if let Some(name) = &self.numbered {
                let number = &self.text;
                forms.whole.push(Offer::words(&format!("{name} {number}")));
                forms.whole.push(Offer::words(&format!("{name}{number}")));
            }
            let parts = name_parts(&self.text);
            if parts.len() > 1 && !self.is_one_word {
                let telling = |part: &&String| part.chars().nth(1).is_some() && !is_stop_word(part);
                forms.parts.extend(parts.iter().filter(telling).map(|part| Offer::words(part)));
            }
        }
        forms
    }

    /// `load_interval` as texts have it that write `LoadInterval`: one word.
    fn united(&self) -> Option<Offer> {
        let parts = name_parts(&self.text);
        let is_name = self.text.contains(['_', '-'])
            && parts.len() > 1
            && self.text.trim_matches(['_', '-']).chars().all(identifiers::is_of_name);
        is_name.then(|| Offer::words(&parts.concat()))
    }

    /// `BIP85` as texts have it that write `BIP 85` or `BIP-85`: two words.
    fn spaced(&self) -> Option<Offer> {
        let at = self.text.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0)?;
        let (name, number) = self.text.split_at(at);
        let is_numbered = name.chars().all(char::is_alphabetic)
            && number.bytes().all(|byte| byte.is_ascii_digit());
        is_numbered.then(|| Offer::words(&format!("{name} {number}")))
    }

    /// `HttpClient` as one word of the index, or as all its parts.
    fn name_expression(&self) -> Option<String> {
        let (whole, parts) = self.named();
        match (whole, parts.as_slice()) {
            (_, []) => None,
            (_, [only]) => Some(only.clone()),
            (Some(whole), several) => Some(format!("({whole} OR ({}))", several.join(" AND "))),
            (None, several) => Some(format!("({})", several.join(" AND "))),
        }
    }

    fn name_words(&self) -> Vec<String> {
        let (whole, parts) = self.named();
        whole.into_iter().chain(parts).collect()
    }

    /// As one word, where it is written as one and has parts; and the parts.
    fn named(&self) -> (Option<String>, Vec<String>) {
        let parts = name_parts(&self.text);
        let star = if self.form == Form::Prefix { " *" } else { "" };
        let is_one_word = parts.len() > 1 && self.text.chars().all(char::is_alphanumeric);
        let whole = is_one_word.then(|| format!("{}{star}", quoted(&parts.concat())));
        let mut words: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
        if let Some(last) = words.last_mut() {
            last.push_str(star);
        }
        (whole, words)
    }

    fn divided(&self) -> Option<Offer> {
        let is_word = self.form == Form::Word;
        identifiers::divided(&self.text).filter(|_| is_word).map(|parts| Offer::words(&parts))
    }
}

fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// A string of the index's language: only the quote itself means something.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn split(input: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut rest = input.trim_start();
    while !rest.is_empty() {
        let (is_required, after_plus) = match rest.strip_prefix('+') {
            Some(after) if !after.starts_with(char::is_whitespace) => (true, after),
            _ => (false, rest),
        };
        let phrase = after_plus.strip_prefix('"').and_then(|inside| inside.split_once('"'));
        if let Some((inside, after)) = phrase {
            terms.push(Term {
                text: inside.to_owned(),
                form: Form::Phrase,
                is_required,
                numbered: None,
                is_one_word: false,
            });
            rest = after.trim_start();
            continue;
        }
        let end = after_plus.find(char::is_whitespace).unwrap_or(after_plus.len());
        let (word, after) = after_plus.split_at(end);
        // Texts name addresses without it.
        let word = ["https://", "http://"]
            .into_iter()
            .find_map(|scheme| word.strip_prefix(scheme))
            .unwrap_or(word);
        let stem = word.strip_suffix('*').filter(|stem| is_plain(stem));
        terms.push(match stem {
            Some(stem) => {
                let text = stem.to_owned();
                Term { text, form: Form::Prefix, is_required, numbered: None, is_one_word: false }
            }
            None => {
                let numbered = terms.last().and_then(|before| number_of(before, word));
                let text = word.to_owned();
                Term { text, form: Form::Word, is_required, numbered, is_one_word: false }
            }
        });
        rest = after.trim_start();
    }
    terms
}

/// `BIP` of `BIP 85`: what a number belongs to.
fn number_of(before: &Term, word: &str) -> Option<String> {
    let is_name = before.form == Form::Word
        && !is_stop_word(&before.text)
        && before.text.chars().all(char::is_alphabetic);
    (is_name && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| before.text.clone())
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Whether a word says nothing about what is looked for.
pub fn is_stop_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    STOP_WORDS.binary_search(&word.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(input: &str) -> String {
        Query::parse(input).unwrap().expression().unwrap_or_default()
    }

    #[test]
    fn words_are_alternatives() {
        assert_eq!(expression("retry budget"), r#"("retry" OR "budget")"#);
        assert_eq!(expression("retry RETRY"), r#"("retry")"#);
    }

    #[test]
    fn marks_are_read() {
        assert_eq!(expression("\"two words\" one"), r#"("two words" OR "one")"#);
        assert_eq!(expression("migrat* x"), r#"("migrat" * OR "x")"#);
        assert_eq!(expression("+must may"), r#""must" AND ("must" OR "may")"#);
        assert_eq!(expression("+a +b"), r#""a" AND "b""#);
        assert_eq!(expression("+\"two words\""), r#""two words""#);
        assert_eq!(
            expression("HttpClient"),
            r#"("HttpClient" OR "Http Client" OR "http" OR "client")"#
        );
        assert_eq!(expression("+HttpClient"), r#"("HttpClient" OR "Http Client")"#);
    }

    #[test]
    fn a_compound_is_found_whole_or_by_its_parts() {
        assert_eq!(
            expression("retry_budget"),
            r#"("retry_budget" OR "retrybudget" OR "retry" OR "budget")"#
        );
        assert_eq!(expression("src/http.rs"), r#"("src/http.rs" OR "src" OR "http" OR "rs")"#);
        assert_eq!(expression("+retry_budget"), r#"("retry_budget" OR "retrybudget")"#);
        assert_eq!(
            expression("back-to-front"),
            r#"("back-to-front" OR "backtofront" OR "back" OR "front")"#
        );
    }

    #[test]
    fn a_name_that_many_write_as_one_word_is_one() {
        let settled = |typed: &str, n: u64| {
            let mut query = Query::parse(typed).unwrap();
            query.settle(|_| Ok(n)).unwrap();
            query.expression().unwrap()
        };
        assert_eq!(settled("remove ZooKeeper", 20), r#"("remove" OR "ZooKeeper")"#);
        assert!(settled("remove ZooKeeper", 19).contains(r#""Zoo Keeper""#));
        assert_eq!(settled("retry_budget", 99), expression("retry_budget"));
        assert!(settled("+ZooKeeper", 99).contains(r#""Zoo Keeper""#));
    }

    #[test]
    fn a_numbered_name_is_found_however_it_is_written() {
        assert_eq!(expression("BIP85"), r#"("BIP85" OR "BIP 85")"#);
        assert_eq!(expression("bip-85"), r#"("bip-85" OR "bip85" OR "bip" OR "85")"#);
        assert_eq!(expression("BIP 85"), r#"("BIP" OR "85" OR "BIP 85" OR "BIP85")"#);
        assert_eq!(expression("+qt6"), r#"("qt6" OR "qt 6")"#);
        // Neither a sentence nor a hash has such a name.
        assert_eq!(expression("in 2019"), r#"("2019")"#);
        assert_eq!(expression("a1b2"), r#"("a1b2")"#);
    }

    #[test]
    fn everything_else_is_literal() {
        for (input, expected) in [
            ("-DWITH_SSL", r#"("-DWITH_SSL" OR "dwithssl" OR "dwith" OR "ssl")"#),
            ("C++", r#"("C++")"#),
            ("don't", r#"("don't" OR "don")"#),
            ("\"open", r#"("""open")"#),
            ("a\"b", r#"("a""b")"#),
            ("x:y (z)", r#"("x:y" OR "(z)")"#),
            ("NEAR(a b)", r#"("NEAR(a" OR "near" OR "b)")"#),
            ("x*y c++*", r#"("x*y" OR "c++*")"#),
            ("one\0two", r#"("one" OR "two")"#),
        ] {
            assert_eq!(expression(input), expected, "{input:?}");
        }
        assert_eq!(expression("🎉 +++ \"\""), "");
    }

    #[test]
    fn words_of_a_question_do_not_drown_the_rest() {
        assert_eq!(expression("Why did we remove NATS?"), r#"("remove" OR "NATS?")"#);
        assert_eq!(expression("+the night"), r#""the" AND ("the" OR "night")"#);
        assert_eq!(expression("\"who\" is"), r#"("who")"#);
        assert_eq!(expression("what is it"), r#"("what" OR "is" OR "it")"#);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn phrases_can_be_relaxed_unless_required() {
        let relaxed = |input| Query::parse(input).unwrap().relaxed();
        assert_eq!(
            relaxed("\"two words\"").and_then(|query| query.expression()).as_deref(),
            Some(r#"("two" OR "words")"#)
        );
        assert_eq!(relaxed("two words"), None);
        assert_eq!(relaxed("+\"two words\""), None);
    }

    #[test]
    fn names_are_asked_for_whole_and_in_parts() {
        let names = |input: &str| Query::parse(input).unwrap().name_expressions();
        assert_eq!(names("total"), [r#""total""#]);
        assert_eq!(names("HttpClient"), [r#"("httpclient" OR ("http" AND "client"))"#]);
        assert_eq!(
            names("retry_budget left"),
            [r#"("retry" AND "budget") AND "left""#, r#"(("retry" AND "budget") OR "left")"#]
        );
        assert_eq!(names("+pars* url"), [r#""pars" * AND "url""#]);
        assert_eq!(names("\"parse the url\""), [r#"("parse" AND "the" AND "url")"#]);
        assert_eq!(names("👋"), Vec::<String>::new());
        let words = |input: &str| Query::parse(input).unwrap().name_words();
        assert_eq!(words("HttpCl* http"), [r#""cl" *"#, r#""http""#, r#""httpcl" *"#]);
    }

    #[test]
    fn an_empty_query_is_refused() {
        assert_eq!(Query::parse(" \t").unwrap_err().code(), model::ErrorCode::Usage);
    }
}
