//! The terms of a task with their weights, and its phrases.

use super::task::{Part, Task};
use model::terms;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a term of each part weighs, in the order of [`Part`]: for files and for
/// functions. Hand-set plateaus: a random search over 500 settings did worse
/// when the repository it was tried on had no part in the choice.
const FILE_PARTS: [f64; Part::COUNT] = [2.0, 1.0, 1.0, 0.5, 0.3, 0.2];
const SYMBOL_PARTS: [f64; Part::COUNT] = [2.0, 1.0, 1.0, 0.3, 0.5, 0.3];
/// A name of several parts tells a function more than its parts do.
const COMPOUND: f64 = 2.0;

/// After so many bytes of prose, and of code, what is said counts half for files: reports
/// say what it is about first, then how they came upon it and on which machine.
const HALF: f64 = 1000.0;

/// More terms than this only cost time: the lightest are left out.
const MOST_TERMS: usize = 600;

#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    pub text: String,
    /// A word of the task with this stem.
    pub shown: String,
    pub is_compound: bool,
    pub file_weight: f64,
    pub symbol_weight: f64,
    pub is_in_title: bool,
    pub is_in_prose: bool,
    /// What programs call something the task says in everyday words.
    pub is_concept: bool,
}

/// What a question looks for in the files of a snapshot.
#[derive(Debug, Default)]
pub struct Query {
    pub terms: Vec<QueryTerm>,
    /// Number of a term or phrase to its slot; slots behind the terms are phrases.
    slots: FxHashMap<u32, u32>,
    /// Length of each phrase in bytes.
    pub phrases: Vec<u32>,
}

impl Query {
    pub fn of(task: &Task) -> Query {
        let mut counts: FxHashMap<String, TermFrequencies> = FxHashMap::default();
        let mut n_said = [0.0; Part::COUNT];
        for (part, text) in &task.parts {
            let n_said = &mut n_said[*part as usize];
            *n_said += text.len() as f64;
            let is_long = matches!(part, Part::Prose | Part::Snippet);
            let worth = if is_long { HALF / (HALF + *n_said) } else { 1.0 };
            for word in terms::words(text) {
                terms::each(word, |term| {
                    let entry = match counts.get_mut(term.text) {
                        Some(entry) => entry,
                        None => counts.entry(term.text.to_owned()).or_default(),
                    };
                    entry.counts[*part as usize] += 1;
                    entry.early[*part as usize] += worth;
                    entry.is_compound |= term.is_compound;
                    // The stem of a part of a name has no word of its own.
                    if entry.shown.is_empty() && has_stem(word, term.text) {
                        word.clone_into(&mut entry.shown);
                    }
                });
            }
        }
        let mut all: Vec<QueryTerm> = counts.into_iter().map(weighed).collect();
        let order = |term: &QueryTerm| term.file_weight + term.symbol_weight;
        all.sort_by(|a, b| order(b).total_cmp(&order(a)).then_with(|| a.text.cmp(&b.text)));
        all.truncate(MOST_TERMS);
        add_concepts(task, &mut all);
        let mut query = Query { terms: all, ..Query::default() };
        for (slot, term) in query.terms.iter().enumerate() {
            query.slots.entry(terms::number(&term.text)).or_insert(slot as u32);
        }
        query.add_phrases(task);
        query
    }

    /// Every row of words of the text that may be a message of the code.
    fn add_phrases(&mut self, task: &Task) {
        for (part, text) in &task.parts {
            if matches!(part, Part::Trace | Part::Tick) {
                continue;
            }
            let words: Vec<&str> = terms::words(text).take(400).collect();
            for begin in 0..words.len() {
                for length in terms::PHRASE_WORDS {
                    let Some(row) = words.get(begin..begin + length) else { break };
                    let Some(number) = terms::phrase(row) else { continue };
                    if self.slots.contains_key(&number) {
                        continue;
                    }
                    let bytes: usize = row.iter().map(|word| word.len() + 1).sum();
                    self.slots.insert(number, (self.terms.len() + self.phrases.len()) as u32);
                    self.phrases.push(bytes as u32);
                }
            }
        }
    }

    pub fn slot(&self, number: u32) -> Option<u32> {
        self.slots.get(&number).copied()
    }

    /// The slot of a phrase among the phrases.
    pub fn phrase_of(&self, slot: u32) -> Option<usize> {
        (slot as usize).checked_sub(self.terms.len())
    }
}

const CONCEPTS: &str = include_str!("concepts.txt");

/// Adds the words of code for the everyday words of title and prose.
fn add_concepts(task: &Task, all: &mut Vec<QueryTerm>) {
    let said: FxHashSet<String> = all
        .iter()
        .filter(|term| term.is_in_title || term.is_in_prose)
        .map(|term| term.text.clone())
        .collect();
    let mut known: FxHashSet<String> = all.iter().map(|term| term.text.clone()).collect();
    if task.parts.is_empty() {
        return;
    }
    for line in CONCEPTS.lines().filter(|line| !line.starts_with('#')) {
        let Some((everyday, words)) = line.split_once(':') else { continue };
        let is_said = everyday.split(',').any(|phrase| {
            let (mut n_words, mut n_said) = (0, 0);
            terms::each(phrase, |term| {
                n_words += 1;
                n_said += usize::from(said.contains(term.text));
            });
            n_words > 0 && n_words == n_said
        });
        if !is_said {
            continue;
        }
        terms::each(words, |term| {
            if known.insert(term.text.to_owned()) {
                all.push(QueryTerm {
                    text: term.text.to_owned(),
                    shown: term.text.to_owned(),
                    is_compound: false,
                    file_weight: 0.0,
                    symbol_weight: 0.0,
                    is_in_title: false,
                    is_in_prose: false,
                    is_concept: true,
                });
            }
        });
    }
}

/// How often a term stands in each part of a task.
#[derive(Default)]
struct TermFrequencies {
    counts: [u32; Part::COUNT],
    /// The same, less for what is said late.
    early: [f64; Part::COUNT],
    is_compound: bool,
    shown: String,
}

/// Stems differ from their words near the end only: `kei` is that of `keys`.
fn has_stem(word: &str, stem: &str) -> bool {
    let n_stem = stem.chars().count();
    let same = word.chars().flat_map(char::to_lowercase).zip(stem.chars());
    let n_same = same.take_while(|(a, b)| a == b).count();
    n_same >= 3.min(n_stem.saturating_sub(1)).max(1)
}

fn weighed((text, counted): (String, TermFrequencies)) -> QueryTerm {
    let TermFrequencies { counts, early, is_compound, shown } = counted;
    let sum = |weights: &[f64; Part::COUNT], counts: &[f64; Part::COUNT]| -> f64 {
        weights.iter().zip(counts).map(|(weight, count)| weight * count.ln_1p()).sum()
    };
    let factor = if is_compound { COMPOUND } else { 1.0 };
    QueryTerm {
        shown: if shown.is_empty() { text.clone() } else { shown },
        text,
        is_compound,
        file_weight: sum(&FILE_PARTS, &early),
        symbol_weight: sum(&SYMBOL_PARTS, &counts.map(f64::from)) * factor,
        is_in_title: counts[Part::Title as usize] > 0,
        is_in_prose: counts[Part::Prose as usize] > 0 || counts[Part::Tick as usize] > 0,
        is_concept: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_lead_to_those_of_code() {
        let n_concepts = CONCEPTS.lines().filter(|line| line.contains(':')).count();
        assert!(n_concepts >= 20, "{n_concepts}");
        let query = Query::of(&Task::read("users cannot log in"));
        let concept = |text: &str| query.terms.iter().any(|it| it.is_concept && it.text == text);
        assert!(concept("auth") && concept("session"));
        assert!(!concept("parallel"));
    }

    #[test]
    fn the_title_weighs_most_and_traces_least() {
        let task = Task::read("parser breaks\nlexer text\n  File \"tracer.py\", line 1, in go\n");
        let query = Query::of(&task);
        let weight = |text: &str| {
            query.terms.iter().find(|term| term.text == text).map_or(0.0, |term| term.file_weight)
        };
        assert!(weight("parser") > weight("lexer"));
        assert!(weight("lexer") > weight("tracer"));
        assert!(weight("tracer") > 0.0);
    }

    #[test]
    fn what_is_said_late_counts_less_for_files() {
        let line = "many words of how it came to this\n";
        let text = format!("title\nlexer stalls\n{}parser stalls\n", line.repeat(60));
        let query = Query::of(&Task::read(&text));
        let of = |text: &str| query.terms.iter().find(|term| term.text == text);
        let weights = of("lexer").zip(of("parser")).map(|(first, last)| {
            let far = first.symbol_weight - last.symbol_weight;
            (first.file_weight > 1.5 * last.file_weight, far.abs() < 1e-9)
        });
        assert_eq!(weights, Some((true, true)));
    }
}
