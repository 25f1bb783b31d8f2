//! Files and functions for a task, ranked, without packing: what evaluations ask.

use super::corpus::is_function;
use super::experience::Experience;
use super::rank::{Share, rank};
use super::strength::Strength;
use super::task::Task;
use crate::code::{Scope, View};
use model::Result;
use store::Reader;

/// Best first.
#[derive(Debug, Clone)]
pub struct Localisation {
    pub strength: Strength,
    /// See docs/context.md.
    pub coverage: f64,
    pub files: Vec<(String, Vec<Share>)>,
    /// `path::Class.method`
    pub functions: Vec<(String, Vec<Share>)>,
    /// The same for functions, types and all else that a pack may have.
    pub symbols: Vec<(String, Vec<Share>)>,
}

/// The first `most` files and functions, with what each channel added.
pub fn localise(
    reader: &Reader,
    scope: &Scope,
    text: &str,
    most: usize,
    without: &[String],
) -> Result<Localisation> {
    let view = View::new(reader, scope);
    let ranked = rank(&view, &Task::read(text), false, without, &Experience::default())?;
    let mut localised = Localisation {
        strength: ranked.strength(),
        coverage: ranked.coverage(),
        files: Vec::new(),
        functions: Vec::new(),
        symbols: Vec::new(),
    };
    for (file, _) in ranked.files.iter().take(most) {
        let path = ranked.corpus.files[*file as usize].path.clone();
        localised.files.push((path, ranked.parts_of_file(*file)));
    }
    for (symbol, _) in &ranked.symbols {
        if localised.functions.len() == most {
            break;
        }
        let path = &ranked.corpus.files[symbol.file as usize].path;
        let name = format!("{path}::{}", ranked.name_in_file(&view, *symbol)?);
        let shares = ranked.parts_of_symbol(*symbol);
        if is_function(ranked.corpus.def(*symbol).kind) {
            localised.functions.push((name.clone(), shares.clone()));
        }
        localised.symbols.push((name, shares));
    }
    Ok(localised)
}
