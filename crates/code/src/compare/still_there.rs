//! Symbols that are gone from where they were and can be used there all the same: a member
//! that is inherited now, a name that its file imports and offers.

use super::File;
use crate::facts::{Binding, DefId, FileFacts, Import, ImportedName};
use crate::lang::{self, PassedImports};
use crate::matching::{Matching, Symbol};
use model::change::{Derivation, DerivationKind};
use rustc_hash::FxHashMap;

/// By what each old symbol that is not where it was can still be used.
pub fn still_there(matching: &Matching, old: &[File], new: &[File]) -> FxHashMap<u32, Derivation> {
    let mut found = FxHashMap::default();
    for (was, is) in &matching.inherited {
        let above = matching.new[*is as usize].parent.map(|at| &matching.new[at as usize]);
        let symbols = above.map(|above| above.path.to_string()).into_iter().collect();
        found.insert(*was, Derivation { kind: DerivationKind::Inherited, symbols });
    }
    let pair_of = matching.by_old();
    let new_by_path: FxHashMap<&str, &File> =
        new.iter().map(|file| (file.path.as_str(), file)).collect();
    for (at, symbol) in matching.old.iter().enumerate() {
        if symbol.parent.is_some() || symbol.is_local {
            continue;
        }
        let path = old[symbol.file as usize].path.as_str();
        let now = pair_of[at].map(|at| &matching.new[matching.pairs[at as usize].new as usize]);
        let is_there = now.is_some_and(|now| new[now.file as usize].path == path);
        let Some(file) = new_by_path.get(path).filter(|_| !is_there) else { continue };
        if let Some(module) = offered(file, symbol) {
            let derivation = Derivation { kind: DerivationKind::Imported, symbols: vec![module] };
            found.insert(at as u32, derivation);
        }
    }
    found
}

/// The module a file imports a name from, for others too.
fn offered(file: &File, symbol: &Symbol) -> Option<String> {
    let facts = &file.facts;
    let name = &*symbol.name;
    let is_exported = || file.exported.as_ref().is_some_and(|names| names.contains(name));
    let passes_on = lang::notation(&facts.language).passes_on;
    let is_offered = |import: &Import| match passes_on {
        PassedImports::All => true,
        PassedImports::Exported => import.is_reexport || is_exported(),
        PassedImports::Marked => import.is_reexport,
    };
    let is_of_file = |import: &&Import| import.home == DefId::FILE && is_offered(import);
    let bound = facts.binds.iter().filter(|bind| facts.text(bind.name) == name);
    let bound = bound.filter_map(|bind| match &bind.to {
        Binding::Import(id) => facts.imports.get(id.ix()),
        _ => None,
    });
    let passed_on = facts.imports.iter().filter(|import| match import.what {
        ImportedName::Name(it) => import.is_reexport && facts.text(it) == name,
        _ => false,
    });
    bound.chain(passed_on).find(is_of_file).map(|import| module_of(facts, import))
}

/// As the language writes it.
fn module_of(facts: &FileFacts, import: &Import) -> String {
    let parts: Vec<&str> = import.path.iter().map(|part| facts.text(*part)).collect();
    let between = lang::notation(&facts.language).path_separator;
    format!("{}{}", ".".repeat(import.level.into()), parts.join(between))
}
