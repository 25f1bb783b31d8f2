//! What a text defines, without a commit and without a store: for files that were
//! edited since they were indexed.

use super::symbols::{FileSymbols, outline_of};
use crate::lang::extract;
use model::hash::Hash32;
use store::code::nodes;
use store::code::outline::Symbol;

/// The symbols of a text, each with its path (`cart.Cart.total`) and its name; none
/// where nobody reads such files.
pub fn text_outline(path: &str, bytes: &[u8]) -> Option<Vec<(String, String, Symbol)>> {
    let facts = extract(path, bytes);
    if facts.language.is_empty() {
        return None;
    }
    let symbols = FileSymbols::of(Hash32::of(b""), path, &facts);
    let outline = outline_of(&facts, &symbols);
    let named = symbols.all.iter().zip(outline).map(|(symbol, entry)| {
        (nodes::symbol(&symbol.scope, &symbol.name), symbol.name.clone(), entry)
    });
    Some(named.collect())
}
