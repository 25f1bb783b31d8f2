//! The symbol a line stands in, and the lines a symbol stands on.

use super::scope::Scope;
use super::symbol::of_text;
use super::view::{SymbolRef, View};
use model::Result;
use model::code::NodeKind;
use model::ids::{NodeId, RepoId};
use store::code::{files, snapshots};
use store::{Reader, repos};

/// The innermost symbol around a line of a file of a commit. None at the top
/// of a file, and where the commit is not indexed.
pub fn containing(
    reader: &Reader,
    repo: RepoId,
    commit: &str,
    path: &str,
    line: u32,
) -> Result<Option<SymbolRef>> {
    let snapshot = snapshots::by_sha_prefix(reader, repo, commit)?.into_iter().next();
    let Some(snapshot) = snapshot else { return Ok(None) };
    let Some(repo) = repos::get(reader, repo)? else { return Ok(None) };
    let scope =
        Scope { repo, snapshot, dir: None, newer_head: None, overlay: None, is_over_tree: false };
    containing_now(reader, &scope, path, line)
}

/// The same in a file as it is now, where the scope has what was edited since.
pub(crate) fn containing_now(
    reader: &Reader,
    scope: &Scope,
    path: &str,
    line: u32,
) -> Result<Option<SymbolRef>> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let view = View::new(reader, scope);
    // What was written since is in no outline.
    if let Some(edited) = view.edited(path).filter(|edited| edited.symbols.is_some()) {
        return Ok(edited.around(line).map(|symbol| of_text(&view, path, symbol)));
    }
    let package = files::find_package(reader, scope.repo.id, folder)?;
    let Some(package) = package else { return Ok(None) };
    let Some(version) = view.version(package)? else { return Ok(None) };
    for member in &version.members {
        if view.file(member.file)?.name != name {
            continue;
        }
        let around = view
            .outline(member.file)?
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.kind != NodeKind::Module)
            .filter(|(_, symbol)| (symbol.start_line..=symbol.end_line).contains(&line))
            .max_by_key(|(at, symbol)| (symbol.start_line, *at))
            .map(|(at, _)| at);
        let Some(at) = around else { return Ok(None) };
        return match view.nodes_of(member.file)?.get(at) {
            Some(node) => view.symbol(*node),
            None => Ok(None),
        };
    }
    Ok(None)
}

/// A symbol with the first and the last line of where it is defined.
pub fn extent(
    reader: &Reader,
    scope: &Scope,
    node: NodeId,
) -> Result<Option<(SymbolRef, u32, u32)>> {
    let view = View::new(reader, scope);
    let (Some(symbol), Some(place)) = (view.symbol(node)?, view.places(node)?.first().copied())
    else {
        return Ok(None);
    };
    let outline = view.outline(place.file)?;
    Ok(outline.get(place.def as usize).map(|it| (symbol, it.start_line, it.end_line)))
}
