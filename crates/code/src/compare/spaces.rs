//! Namespaces: places for names that many files open. One that was opened in another file
//! is no news; what is new is what stands in it.

use super::File;
use crate::facts::DefKind;
use crate::lang;
use crate::matching::{Sort, Symbol};
use rustc_hash::FxHashSet;

/// The namespaces of one version without a partner that are not told: their members are.
/// Those that the other version has, too, and those that hold nothing but types.
pub fn told_by_members(
    symbols: &[Symbol],
    files: &[File],
    is_paired: impl Fn(usize) -> bool,
    (others, other_files): (&[Symbol], &[File]),
) -> FxHashSet<u32> {
    let known: FxHashSet<(&str, &str)> = others
        .iter()
        .filter(|symbol| is_space(symbol, other_files))
        .map(|symbol| (language(symbol, other_files), &*symbol.path))
        .collect();
    let mut has_types = vec![false; symbols.len()];
    let mut has_others = vec![false; symbols.len()];
    for symbol in symbols.iter().filter(|symbol| !symbol.is_local) {
        let Some(parent) = symbol.parent else { continue };
        let is_type = symbol.sort == Sort::Type && symbol.kind != DefKind::Alias;
        let of = if is_type { &mut has_types } else { &mut has_others };
        of[parent as usize] = true;
    }
    let all = symbols.iter().enumerate().filter(|(at, _)| !is_paired(*at));
    let spaces = all.filter(|(at, symbol)| {
        is_space(symbol, files)
            && (known.contains(&(language(symbol, files), &*symbol.path))
                || (symbol.kind != DefKind::Class
                    && spans_files(language(symbol, files))
                    && has_types[*at]
                    && !has_others[*at]))
    });
    spaces.map(|(at, _)| at as u32).collect()
}

/// Whether a symbol without a partner is told by one around it that has none either.
pub fn is_told_around(
    symbols: &[Symbol],
    at: usize,
    spaces: &FxHashSet<u32>,
    is_paired: impl Fn(usize) -> bool,
) -> bool {
    let mut around = symbols[at].parent;
    while let Some(parent) = around {
        if is_paired(parent as usize) {
            return false;
        }
        if !spaces.contains(&parent) {
            return true;
        }
        around = symbols[parent as usize].parent;
    }
    false
}

fn language<'f>(symbol: &Symbol, files: &'f [File]) -> &'f str {
    &files[symbol.file as usize].facts.language
}

fn is_space(symbol: &Symbol, files: &[File]) -> bool {
    let language = language(symbol, files);
    let is_open = match symbol.kind {
        DefKind::Module | DefKind::Mixin => {
            spans_files(language) || lang::notation(language).reopens_modules
        }
        DefKind::Class => lang::notation(language).reopens_classes,
        _ => false,
    };
    is_open && !symbol.is_local
}

fn spans_files(language: &str) -> bool {
    lang::by_name(language).is_some_and(|language| language.semantics().spaces)
}
