//! What depends on the file or the symbol around its line, where its code is
//! indexed.

use crate::code::impact::{self, impact};
use crate::code::scope::{self, ScopeRequest};
use crate::code::walk::TraversalOptions;
use crate::code::{Scope, SymbolRef};
use crate::file_target::FileTarget;
use crate::trace::{MissingPart, Trace};
use model::{ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::Reader;

/// Symbols named, the nearest; `lore impact` tells them all.
const NAMED: usize = 3;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dependents {
    /// The symbol or the path that was asked about.
    pub of: String,
    /// Symbols that a change can reach.
    pub total: u64,
    /// How many of them are tests.
    pub tests: u64,
    /// There are more than were counted.
    pub truncated: bool,
    /// Calls of these names that could not be resolved; some may mean them.
    pub unresolved: u64,
    pub nearest: Vec<SymbolRef>,
}

/// None when the file holds no code that is indexed; says so where nothing of
/// its repository is.
pub(super) fn of(
    reader: &Reader,
    target: &FileTarget,
    trace: &Trace,
    code: Option<&Scope>,
    missing: &mut Vec<MissingPart>,
) -> Result<Option<Dependents>> {
    let here = target.clone.as_ref().map(|clone| clone.git.dir());
    let is_here = |scope: &&Scope| here.is_some() && scope.dir.as_deref().map(Path::new) == here;
    let found = match code.filter(is_here) {
        Some(scope) => Some(scope.clone()),
        None if here.is_some() => {
            scope::resolve(reader, &ScopeRequest { here, ..ScopeRequest::default() }).ok()
        }
        None => None,
    };
    let Some(scope) = found else {
        let what = "the code is not indexed: who depends on it is not known";
        missing.push(MissingPart::new(what, "lore index"));
        return Ok(None);
    };
    let options = TraversalOptions { kinds: impact::KINDS.to_vec(), ..TraversalOptions::default() };
    let of = trace.symbol.as_ref().map_or(&trace.path, |symbol| &symbol.symbol);
    // Several symbols may have the name; one stands on the line.
    let asked = match &trace.symbol {
        Some(symbol) if !symbol.path.is_empty() => format!("{}:{}", symbol.path, symbol.line),
        _ => of.clone(),
    };
    let reached = match impact(reader, &scope, &asked, &options) {
        // Not a file of code, or a name that several symbols have.
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::Ambiguous) => {
            return Ok(None);
        }
        reached => reached?,
    };
    let mut near: Vec<_> =
        reached.packages.into_iter().flat_map(|package| package.symbols).collect();
    near.sort_by_key(|neighbour| neighbour.depth);
    Ok(Some(Dependents {
        of: of.clone(),
        total: reached.total,
        tests: reached.tests.len() as u64,
        truncated: reached.truncated,
        unresolved: reached.unresolved,
        nearest: near.into_iter().take(NAMED).map(|neighbour| neighbour.at).collect(),
    }))
}
