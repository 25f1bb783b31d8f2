//! How much of a name the task says.

use super::text::{file_frequencies, rarity};
use crate::context::channel::{Channel, Evidence, Scores};
use crate::context::corpus::{Symbol, is_function, is_unit};
use model::{Result, terms};
use rustc_hash::FxHashMap;
use store::code::terms::Field;

/// A part that only the prose says counts less than one in the title.
const IN_PROSE: f64 = 0.6;
/// Names of common parts say little, even when the task has all of them.
const TELLING: f64 = 8.0;

fn said(evidence: &Evidence<'_, '_>, slot: usize) -> f64 {
    match evidence.query.terms.get(slot) {
        Some(term) if term.is_in_title => 1.0,
        Some(term) if term.is_in_prose => IN_PROSE,
        _ => 0.0,
    }
}

/// The file's own name.
pub struct FileNames;

impl Channel for FileNames {
    fn name(&self) -> &'static str {
        "file-name"
    }

    fn reason(&self) -> &'static str {
        "the task says the name of its file"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let corpus = evidence.corpus;
        let n_files = corpus.files.len();
        let n_with = file_frequencies(corpus, evidence.query.terms.len());
        let unknown = rarity(n_files, n_files / 50);
        let mut scores = Scores::default();
        for (at, file) in corpus.files.iter().enumerate() {
            let (mut all, mut covered) = (0.0, 0.0);
            terms::each(own_name(&file.path), |term| {
                if term.is_compound {
                    return;
                }
                let slot = evidence.query.slot(terms::number(term.text)).map(|slot| slot as usize);
                let slot = slot.filter(|slot| *slot < n_with.len());
                let rare = slot.map_or(unknown, |slot| rarity(n_files, n_with[slot]));
                all += rare;
                covered += rare * slot.map_or(0.0, |slot| said(evidence, slot));
            });
            if covered > 0.0 {
                scores.files.push((at as u32, covered / all * (covered / TELLING).min(1.0)));
            }
        }
        Ok(scores)
    }
}

/// The stem of a file, or of its folder where the file is only its entrance.
fn own_name(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    match stem {
        "__init__" | "index" | "mod" | "lib" | "main" if !folder.is_empty() => {
            folder.rsplit('/').next().unwrap_or(folder)
        }
        _ => stem,
    }
}

/// Covered share of each definition's name.
fn covers(evidence: &Evidence<'_, '_>) -> Vec<(Symbol, f64)> {
    let corpus = evidence.corpus;
    let n_terms = evidence.query.terms.len();
    let mut n_with = vec![0_usize; n_terms];
    let mut n_all = 0;
    for file in &corpus.files {
        n_all += file.defs.len();
        for (slot, posting) in file.hits.iter().filter(|(_, hit)| hit.field == Field::Name) {
            if (*slot as usize) < n_terms {
                n_with[*slot as usize] += posting.count as usize;
            }
        }
    }
    let unknown = rarity(n_all, n_all / 100);
    let mut found = Vec::new();
    for (at, file) in corpus.files.iter().enumerate() {
        let mut covered: FxHashMap<u32, (f64, f64, u32)> = FxHashMap::default();
        for (slot, posting) in file.hits.iter().filter(|(_, hit)| hit.field == Field::Name) {
            let slot = *slot as usize;
            if slot >= n_terms || evidence.query.terms[slot].is_compound {
                continue;
            }
            let rare = rarity(n_all, n_with[slot]);
            let entry = covered.entry(posting.def).or_default();
            entry.0 += rare * said(evidence, slot);
            entry.1 += rare;
            entry.2 += 1;
        }
        for (def, (said, known, n_known)) in covered {
            let missing = file.defs[def as usize].length(Field::Name).saturating_sub(n_known);
            let all = known + f64::from(missing) * unknown;
            if said > 0.0 {
                let symbol = Symbol { file: at as u32, def };
                found.push((symbol, said / all * (said / TELLING).min(1.0)));
            }
        }
    }
    found.sort_by_key(|one| one.0);
    found
}

/// Names of functions and types.
pub struct Names;

impl Channel for Names {
    fn name(&self) -> &'static str {
        "name"
    }

    fn reason(&self) -> &'static str {
        "the task says its name"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let mut symbols = covers(evidence);
        symbols.retain(|(symbol, _)| is_unit(evidence.corpus.def(*symbol).kind));
        Ok(Scores { files: Vec::new(), symbols })
    }
}

/// The same for types alone: a task that says most of a type's name means it more
/// often than one that says most of a function's.
pub struct TypeNames;

impl Channel for TypeNames {
    fn name(&self) -> &'static str {
        "type-name"
    }

    fn reason(&self) -> &'static str {
        "the task says its name"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let mut symbols = covers(evidence);
        symbols.retain(|(symbol, _)| {
            let kind = evidence.corpus.def(*symbol).kind;
            is_unit(kind) && !is_function(kind)
        });
        Ok(Scores { files: Vec::new(), symbols })
    }
}

/// Members of a class whose name the task says.
pub struct ClassNames;

impl Channel for ClassNames {
    fn name(&self) -> &'static str {
        "class-name"
    }

    fn reason(&self) -> &'static str {
        "the task says the name of its class"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let corpus = evidence.corpus;
        let covered: FxHashMap<Symbol, f64> = covers(evidence).into_iter().collect();
        let mut scores = Scores::default();
        for symbol in corpus.symbols() {
            let def = corpus.def(symbol);
            if def.parent == 0 || !is_unit(def.kind) {
                continue;
            }
            let class = Symbol { file: symbol.file, def: def.parent };
            if let Some(score) = covered.get(&class) {
                scores.symbols.push((symbol, *score));
            }
        }
        Ok(scores)
    }
}
