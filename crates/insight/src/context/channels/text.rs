//! BM25 with fields, over files and over functions.

use crate::context::channel::{Channel, Evidence, Scores};
use crate::context::corpus::{Corpus, File, Symbol, by_def, is_function, is_unit};
use model::Result;
use rustc_hash::FxHashMap;
use store::code::terms::Field;

/// Where a term of a file stands: weight, and how much a long field is damped.
const FILE_FIELDS: [(f64, f64); 4] = [(4.0, 0.0), (3.0, 0.5), (1.0, 0.75), (1.0, 0.75)];
const FILE_SATURATION: f64 = 3.0;

/// Path, class, name, signature, documentation, code.
const SYMBOL_FIELDS: [(f64, f64); 6] =
    [(3.0, 0.0), (4.0, 0.0), (4.0, 0.0), (1.0, 0.5), (0.5, 0.4), (1.0, 0.4)];
const SYMBOL_SATURATION: f64 = 2.0;
/// Rare terms count a little more among functions than among files.
const SYMBOL_RARITY: f64 = 1.25;

/// How rare a term is that `n_with` of `n_all` have.
pub fn rarity(n_all: usize, n_with: usize) -> f64 {
    let (n_all, n_with) = (n_all as f64, n_with as f64);
    (1.0 + (n_all - n_with + 0.5).max(0.0) / (n_with + 0.5)).ln()
}

fn damped(fields: &[(f64, f64)], counts: &[f64], lengths: &[f64], means: &[f64]) -> f64 {
    fields
        .iter()
        .enumerate()
        .filter(|(at, _)| counts[*at] > 0.0)
        .map(|(at, (weight, damping))| {
            let length = if means[at] > 0.0 { lengths[at] / means[at] } else { 1.0 };
            weight * counts[at] / (1.0 - damping + damping * length)
        })
        .sum()
}

/// The files as wholes.
pub struct Files;

/// Terms of a file by slot: path, names, documentation, code.
fn file_counts(file: &File) -> FxHashMap<u32, [f64; 4]> {
    let mut counts: FxHashMap<u32, [f64; 4]> = FxHashMap::default();
    for (slot, posting) in &file.hits {
        let at = match posting.field {
            Field::Path => 0,
            Field::Name => 1,
            Field::Doc => 2,
            Field::Code => 3,
            Field::Signature | Field::Phrase => continue,
        };
        counts.entry(*slot).or_default()[at] += f64::from(posting.count);
    }
    counts
}

fn file_lengths(file: &File) -> [f64; 4] {
    let sum = |field| file.defs.iter().map(|def| f64::from(def.length(field))).sum();
    [sum(Field::Path), sum(Field::Name), sum(Field::Doc), sum(Field::Code)]
}

/// How many files have each term.
pub fn file_frequencies(corpus: &Corpus, n_terms: usize) -> Vec<usize> {
    let mut n_with = vec![0; n_terms];
    let mut last = vec![u32::MAX; n_terms];
    for (at, file) in corpus.files.iter().enumerate() {
        for (slot, posting) in &file.hits {
            let slot = *slot as usize;
            if slot < n_terms && posting.field != Field::Phrase && last[slot] != at as u32 {
                last[slot] = at as u32;
                n_with[slot] += 1;
            }
        }
    }
    n_with
}

impl Channel for Files {
    fn name(&self) -> &'static str {
        "text"
    }

    fn reason(&self) -> &'static str {
        "its file uses the task's words"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, query) = (evidence.corpus, evidence.query);
        let n_files = corpus.files.len();
        let lengths: Vec<[f64; 4]> = corpus.files.iter().map(file_lengths).collect();
        let mut means = [0.0; 4];
        for length in &lengths {
            for (mean, length) in means.iter_mut().zip(length) {
                *mean += length / n_files as f64;
            }
        }
        let n_with = file_frequencies(corpus, query.terms.len());
        let mut scores = Scores::default();
        for (at, file) in corpus.files.iter().enumerate() {
            let mut counts: Vec<(u32, [f64; 4])> = file_counts(file).into_iter().collect();
            counts.sort_unstable_by_key(|(slot, _)| *slot);
            let mut score = 0.0;
            for (slot, counts) in &counts {
                let Some(term) = query.terms.get(*slot as usize) else { continue };
                let strength = damped(&FILE_FIELDS, counts, &lengths[at], &means);
                let rare = rarity(n_files, n_with[*slot as usize]);
                score += term.file_weight * rare * strength / (FILE_SATURATION + strength);
            }
            if score > 0.0 {
                scores.files.push((at as u32, score));
            }
        }
        Ok(scores)
    }
}

/// Functions and types one by one; the best speak for their file.
pub struct Functions;

/// What a file's best functions add to it.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

impl Channel for Functions {
    fn name(&self) -> &'static str {
        "functions"
    }

    fn reason(&self) -> &'static str {
        "uses the task's words"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, query) = (evidence.corpus, evidence.query);
        let n_terms = query.terms.len();
        let mut n_with = vec![0_usize; n_terms];
        let mut means = [0.0; 6];
        let mut n_functions = 0_usize;
        let mut counted = Vec::with_capacity(corpus.files.len());
        for file in &corpus.files {
            let counts = by_def(file);
            for ((def, slot), fields) in &counts {
                let slot = *slot as usize;
                let is_own =
                    fields[Field::Name as usize..=Field::Code as usize].iter().any(|n| *n > 0);
                if slot < n_terms && is_own && is_function(file.defs[*def as usize].kind) {
                    n_with[slot] += 1;
                }
            }
            for def in file.defs.iter().filter(|def| is_function(def.kind)) {
                n_functions += 1;
                means[3] += f64::from(def.length(Field::Signature));
                means[4] += f64::from(def.length(Field::Doc));
                means[5] += f64::from(def.length(Field::Code));
            }
            counted.push(counts);
        }
        for mean in &mut means {
            *mean /= n_functions.max(1) as f64;
        }
        let rare: Vec<f64> = n_with
            .iter()
            .map(|n_with| rarity(n_functions.max(1), *n_with).powf(SYMBOL_RARITY))
            .collect();
        let mut scores = Scores::default();
        for (at, (file, counts)) in corpus.files.iter().zip(&counted).enumerate() {
            let of_file = symbol_scores(file, counts, query, &rare, &means);
            let mut best: Vec<f64> = Vec::new();
            for (def, score) in of_file {
                if is_function(file.defs[def as usize].kind) {
                    best.push(score);
                }
                scores.symbols.push((Symbol { file: at as u32, def }, score));
            }
            best.sort_by(|a, b| b.total_cmp(a));
            let sum: f64 = best.iter().zip(SHARES).map(|(score, share)| score * share).sum();
            if sum > 0.0 {
                scores.files.push((at as u32, sum));
            }
        }
        Ok(scores)
    }
}

type Counts = [((u32, u32), [u32; Field::COUNT])];

/// Scores of the units of a file that have a term of their own.
fn symbol_scores(
    file: &File,
    counts: &Counts,
    query: &crate::context::terms::Query,
    rare: &[f64],
    means: &[f64; 6],
) -> Vec<(u32, f64)> {
    let known: FxHashMap<(u32, u32), &[u32; Field::COUNT]> =
        counts.iter().map(|(key, fields)| (*key, fields)).collect();
    let count = |def: u32, slot: u32, field: Field| {
        known.get(&(def, slot)).map_or(0.0, |fields| f64::from(fields[field as usize]))
    };
    let mut slots: Vec<u32> = counts.iter().map(|((_, slot), _)| *slot).collect();
    slots.sort_unstable();
    slots.dedup();
    slots.retain(|slot| (*slot as usize) < query.terms.len());
    let mut scores = Vec::new();
    for (at, def) in file.defs.iter().enumerate().skip(1).filter(|(_, def)| is_unit(def.kind)) {
        let at = at as u32;
        let lengths = [
            0.0,
            0.0,
            0.0,
            f64::from(def.length(Field::Signature)),
            f64::from(def.length(Field::Doc)),
            f64::from(def.length(Field::Code)),
        ];
        let (mut score, mut is_own) = (0.0, false);
        for slot in &slots {
            let own = [Field::Name, Field::Signature, Field::Doc, Field::Code]
                .map(|field| count(at, *slot, field));
            let class = if def.parent == 0 { 0.0 } else { count(def.parent, *slot, Field::Name) };
            let path = count(0, *slot, Field::Path);
            is_own |= own.iter().any(|n| *n > 0.0);
            let counts = [path, class, own[0], own[1], own[2], own[3]];
            let strength = damped(&SYMBOL_FIELDS, &counts, &lengths, means);
            if strength > 0.0 {
                let weight = query.terms[*slot as usize].symbol_weight;
                score += weight * rare[*slot as usize] * strength / (SYMBOL_SATURATION + strength);
            }
        }
        if is_own {
            scores.push((at, score));
        }
    }
    scores
}
