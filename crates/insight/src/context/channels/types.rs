//! Types: those the found functions are in, use or inherit from, and their
//! constructors.

use crate::context::channel::{Channel, Evidence, Scores, strongest, summed};
use crate::context::corpus::{Symbol, is_function, is_unit};
use model::Result;
use model::code::{EdgeKind, NodeKind};

/// So many functions of the first stage are asked which types they use.
const USERS: usize = 20;
/// So many types of the first stage are looked at.
const TYPES: usize = 40;

fn is_type(kind: NodeKind) -> bool {
    is_unit(kind) && !is_function(kind)
}

/// The type a definition is a member of.
fn owner(evidence: &Evidence<'_, '_>, symbol: Symbol) -> Option<Symbol> {
    let def = evidence.corpus.def(symbol).parent;
    let owner = Symbol { file: symbol.file, def };
    (def != 0 && is_type(evidence.corpus.def(owner).kind)).then_some(owner)
}

/// Types whose members were found.
pub struct Contents;

impl Channel for Contents {
    fn name(&self) -> &'static str {
        "contents"
    }

    fn reason(&self) -> &'static str {
        "its members match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let found = evidence.ranking.symbols.iter();
        let owners = found.filter_map(|(it, score)| Some((owner(evidence, *it)?, *score)));
        Ok(Scores { files: Vec::new(), symbols: strongest(owners.collect()) })
    }
}

/// What makes a value of a type that was found: much of what is asked of a type
/// is settled there, and its words are seldom those of the task.
pub struct Constructors;

impl Channel for Constructors {
    fn name(&self) -> &'static str {
        "constructor"
    }

    fn reason(&self) -> &'static str {
        "makes values of a class that matches"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let mut symbols = Vec::new();
        for (of, score) in evidence.ranking.types.iter().take(TYPES) {
            let defs = &corpus.files[of.file as usize].defs;
            let nodes = view.nodes_of(corpus.files[of.file as usize].id)?;
            let name_of = |def: u32| -> Result<String> {
                let Some(node) = nodes.get(def as usize) else { return Ok(String::new()) };
                Ok(view.node(*node)?.map(|row| row.name.clone()).unwrap_or_default())
            };
            let of_type = name_of(of.def)?;
            for def in of.def + 1..defs.len() as u32 {
                let member = &defs[def as usize];
                if member.parent == of.def
                    && is_function(member.kind)
                    && is_constructor(&name_of(def)?, &of_type)
                {
                    symbols.push((Symbol { file: of.file, def }, *score));
                }
            }
        }
        Ok(Scores { files: Vec::new(), symbols: strongest(symbols) })
    }
}

/// As the languages call it; where they have no word for it, by the type's name.
fn is_constructor(name: &str, of_type: &str) -> bool {
    matches!(
        name,
        "__init__" | "__new__" | "__construct" | "constructor" | "initialize" | "init" | "new"
    ) || (!name.is_empty() && name == of_type)
}

/// Types the best functions are about: what they take and make, and whose members
/// they call.
pub struct TypeUses;

impl Channel for TypeUses {
    fn name(&self) -> &'static str {
        "used-types"
    }

    fn reason(&self) -> &'static str {
        "is used by functions that match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let mut symbols = Vec::new();
        for (user, score) in evidence.ranking.symbols.iter().take(USERS) {
            let Some(node) = corpus.node_of(view, *user)? else { continue };
            let mut used = Vec::new();
            for step in view.outgoing(node)? {
                if !matches!(step.kind, EdgeKind::Calls | EdgeKind::References) {
                    continue;
                }
                let Some(symbol) = corpus.symbol_of(view, step.node)? else { continue };
                if is_type(corpus.def(symbol).kind) {
                    used.push(symbol);
                } else {
                    used.extend(owner(evidence, symbol));
                }
            }
            used.sort_unstable();
            used.dedup();
            symbols.extend(used.into_iter().map(|symbol| (symbol, score * score)));
        }
        Ok(Scores { files: Vec::new(), symbols: summed(symbols) })
    }
}

/// How much of the code uses a type that was found: of two that match, the one that
/// much is built on is wanted more often.
pub struct TypePopularity;

/// Above so many users, as a logarithm, more of them say nothing new.
const MANY: f64 = 8.0;
const POPULAR: usize = 100;

impl Channel for TypePopularity {
    fn name(&self) -> &'static str {
        "popular"
    }

    fn reason(&self) -> &'static str {
        "much of the code uses it"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let mut symbols = Vec::new();
        for (symbol, _) in evidence.ranking.types.iter().take(POPULAR) {
            let Some(node) = corpus.node_of(view, *symbol)? else { continue };
            let is_use = |kind: EdgeKind| {
                matches!(
                    kind,
                    EdgeKind::Calls
                        | EdgeKind::References
                        | EdgeKind::Inherits
                        | EdgeKind::Implements
                )
            };
            let n = view.incoming(node)?.iter().filter(|step| is_use(step.kind)).count();
            if n > 0 {
                symbols.push((*symbol, (n as f64).ln_1p() / MANY));
            }
        }
        Ok(Scores { files: Vec::new(), symbols: strongest(symbols) })
    }
}

/// What types that were found inherit from.
pub struct Bases;

impl Channel for Bases {
    fn name(&self) -> &'static str {
        "base-types"
    }

    fn reason(&self) -> &'static str {
        "types that match inherit from it"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let found = evidence.ranking.symbols.iter().take(USERS);
        let mut types: Vec<(Symbol, f64)> =
            found.filter_map(|(it, score)| Some((owner(evidence, *it)?, *score))).collect();
        types.extend(evidence.ranking.types.iter().take(USERS));
        let mut symbols = Vec::new();
        for (of, score) in strongest(types) {
            let Some(node) = corpus.node_of(view, of)? else { continue };
            for step in view.outgoing(node)? {
                if matches!(step.kind, EdgeKind::Inherits | EdgeKind::Implements)
                    && let Some(base) = corpus.symbol_of(view, step.node)?
                    && is_type(corpus.def(base).kind)
                {
                    symbols.push((base, score * score));
                }
            }
        }
        Ok(Scores { files: Vec::new(), symbols: summed(symbols) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_known_by_their_names() {
        assert!(is_constructor("__init__", "Cart") && is_constructor("Cart", "Cart"));
        assert!(!is_constructor("add", "Cart") && !is_constructor("", ""));
    }
}
