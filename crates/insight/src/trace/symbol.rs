//! A symbol as the target: the lines where it is defined, and the names by
//! which records and notes may know it.

use super::MissingPart;
use crate::code::extent;
use crate::code::resolve::{only_symbol_named, symbol_named};
use crate::code::scope::{self, Scope, ScopeRequest};
use crate::file_target::FileQuery;
use model::code::{NodeKind, SymbolKind};
use model::memory::LinkTarget;
use model::{ErrorCode, Result};
use store::Reader;

/// Where a symbol is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    /// `src/auth/session.rs:12-40`
    pub lines: String,
    /// Where its name stands, how long it is, and whether it is a function.
    pub line: u32,
    pub n_lines: u32,
    pub is_function: bool,
    /// As links of records write it.
    pub ends: Vec<String>,
    /// That the index is older than the files.
    pub missing: Option<MissingPart>,
}

/// None when no code is indexed here, or nothing in it has that name.
///
/// `code`: with the edits of the work tree; without it, lines are those of the index.
pub(crate) fn definition(
    reader: &Reader,
    typed: FileQuery<'_>,
    code: Option<&Scope>,
) -> Result<Option<Definition>> {
    let asked = ScopeRequest { repo: typed.repo, here: Some(typed.cwd), ..ScopeRequest::default() };
    let scope = match code {
        Some(scope) => scope.clone(),
        None => match scope::resolve(reader, &asked) {
            Ok(scope) => scope,
            Err(_) => return Ok(None),
        },
    };
    let node = match symbol_named(reader, &scope, typed.path) {
        // A near name is worth more than that no file is called so.
        Err(error) if error.code() == ErrorCode::NotFound => {
            if let Some(new) = new_definition(&scope, typed.path) {
                return Ok(Some(new));
            }
            let is_near = error.suggestion().is_some_and(|it| it.starts_with("did you mean"));
            return if is_near { Err(error) } else { Ok(None) };
        }
        node => node?,
    };
    let Some((symbol, first, last)) = extent(reader, &scope, node)? else { return Ok(None) };
    let mut ends = vec![LinkTarget::Symbol(typed.path.to_owned()).to_string()];
    for name in endings(&symbol.symbol) {
        // A name that several symbols have points at none of them.
        if only_symbol_named(reader, &scope, &name)? == Some(node) {
            ends.push(LinkTarget::Symbol(name).to_string());
        }
    }
    Ok(Some(Definition {
        lines: format!("{}:{first}-{last}", symbol.path),
        line: symbol.line,
        n_lines: last.saturating_sub(first) + 1,
        is_function: matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method),
        ends,
        missing: age(&scope),
    }))
}

/// Of a symbol that nobody indexed yet.
fn new_definition(scope: &Scope, typed: &str) -> Option<Definition> {
    let (path, symbol) = scope.overlay.as_ref()?.defining(typed).next()?;
    Some(Definition {
        lines: format!("{path}:{}-{}", symbol.start_line, symbol.end_line),
        line: symbol.name_line,
        n_lines: symbol.end_line.saturating_sub(symbol.start_line) + 1,
        is_function: matches!(symbol.kind, NodeKind::Function | NodeKind::Method),
        ends: vec![LinkTarget::Symbol(typed.to_owned()).to_string()],
        missing: None,
    })
}

fn age(scope: &Scope) -> Option<MissingPart> {
    let what = "the index is older than the files: the lines of the symbol may have moved";
    let standing = scope.standing();
    let is_old = standing.is_stale || standing.stale_against.is_some();
    is_old.then(|| MissingPart::new(what, "lore index"))
}

/// `app.Flask.run`, `Flask.run` and `run`, with dots and with colons.
fn endings(symbol: &str) -> Vec<String> {
    let parts: Vec<&str> = symbol.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
    let tails = (0..parts.len()).map(|from| &parts[from..]);
    tails.flat_map(|tail| [tail.join("."), tail.join("::")]).collect()
}
