//! Names that are the code's words for what the task says in everyday words.

use super::text::rarity;
use crate::context::channel::{Channel, Evidence, Scores};
use crate::context::corpus::{Symbol, is_unit};
use model::Result;
use rustc_hash::FxHashMap;
use store::code::terms::Field;

pub struct Concepts;

impl Channel for Concepts {
    fn name(&self) -> &'static str {
        "concepts"
    }

    fn reason(&self) -> &'static str {
        "its name is the code's word for what the task says"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, query) = (evidence.corpus, evidence.query);
        let is_concept = |slot: u32| query.terms.get(slot as usize).is_some_and(|it| it.is_concept);
        let is_name = |field: Field| matches!(field, Field::Path | Field::Name);
        let mut n_with = vec![0_usize; query.terms.len()];
        let mut n_all = 0;
        for file in &corpus.files {
            n_all += file.defs.len();
            for (slot, hit) in file.hits.iter().filter(|(_, hit)| is_name(hit.field)) {
                if is_concept(*slot) && hit.count > 0 {
                    n_with[*slot as usize] += 1;
                }
            }
        }
        let mut scores = Scores::default();
        for (at, file) in corpus.files.iter().enumerate() {
            let mut of_file = 0.0_f64;
            let mut of_defs: FxHashMap<u32, f64> = FxHashMap::default();
            for (slot, hit) in file.hits.iter().filter(|(_, hit)| is_name(hit.field)) {
                if !is_concept(*slot) {
                    continue;
                }
                let rare = rarity(n_all, n_with[*slot as usize]);
                match hit.field {
                    Field::Path => of_file += rare,
                    _ => *of_defs.entry(hit.def).or_default() += rare,
                }
            }
            let most = of_defs.values().copied().fold(0.0, f64::max);
            if of_file + most > 0.0 {
                scores.files.push((at as u32, of_file + most));
            }
            let of_units =
                of_defs.into_iter().filter(|(def, _)| is_unit(file.defs[*def as usize].kind));
            scores
                .symbols
                .extend(of_units.map(|(def, score)| (Symbol { file: at as u32, def }, score)));
        }
        scores.symbols.sort_by_key(|one| one.0);
        Ok(scores)
    }
}
